import { fileURLToPath } from 'node:url'
import { closeNats, connectNats, isReachable } from '@wangian/kit/bus/nats.ts'
import { migrate } from '@wangian/kit/database/migrate.ts'
import { canRead, openPool } from '@wangian/kit/database/postgres.ts'
import { createPictureFiles } from '@wangian/kit/files/picture-files.ts'
import { openPictureStorage } from '@wangian/kit/files/picture-storage.ts'
import { startConsumer } from '@wangian/kit/log/consumer.ts'
import { startPublishing } from '@wangian/kit/log/publishing.ts'
import { startMailSender } from '@wangian/kit/mail/mail.ts'
import { runService } from '@wangian/kit/service/lifecycle.ts'
import { createLogger } from '@wangian/kit/service/logger.ts'
import { serveBans } from './accounts/bans.ts'
import { ensureAdministrator, ensureDemoAccounts } from './accounts/first-accounts.ts'
import { buildApp } from './app.ts'
import { readConfig } from './config.ts'
import { hostedSettings } from './hosted/hosted-provider.ts'
import { startUpkeep } from './leaving/upkeep.ts'
import { oauthProviders } from './oauth/oauth-providers.ts'
import { completeWithPeople } from './people/published-people.ts'
import { catalogueReactions, messagingReactions } from './reactions.ts'
import { startRevocationRelay } from './sessions/revocation-relay.ts'
import { serveRevocations } from './sessions/revocation-requests.ts'
import { loadSigningKeys } from './sessions/signing-keys.ts'

const config = readConfig()
const log = createLogger({ name: 'identity', level: config.logLevel, instanceId: config.instanceId })

runService({
  name: 'identity',
  log,
  async start(onStop) {
    const { databaseUrl: url, instanceId } = config
    await migrate({ url, schema: 'identity', directory: fileURLToPath(new URL('../migrations', import.meta.url)), log })
    const pool = await openPool({ url, applicationName: instanceId, log })
    onStop(() => pool.end(), 'pool')
    const nats = await connectNats({ url: config.natsUrl, name: instanceId, log })
    onStop(() => closeNats(nats), 'nats')
    const relay = startPublishing({
      service: 'identity',
      databaseUrl: url,
      nats,
      complete: completeWithPeople(pool),
      log,
    })
    onStop(() => relay.stop(), 'relay')
    const mails = startMailSender({ pool, smtpUrl: config.smtpUrl, from: config.mailFrom, log })
    onStop(() => mails.stop(), 'mails')

    const revocations = startRevocationRelay({ databaseUrl: url, pool, nats, log })
    onStop(() => revocations.stop(), 'revocations')
    const answers = serveRevocations({ nats, pool, log })
    onStop(() => answers.stop(), 'revocation requests')
    const bans = serveBans({ nats, pool, onAppended: () => relay.nudge(), log })
    onStop(() => bans.stop(), 'bans')

    const mine = { service: 'identity', nats, pool, log } as const
    const { publicUrl } = config
    const shelf = { source: 'catalogue', name: 'notices', handlers: catalogueReactions({ publicUrl }) } as const
    const listings = startConsumer({ ...mine, ...shelf, isReaction: true })
    onStop(() => listings.stop(), 'listings')
    const chat = { source: 'messaging', name: 'notices', handlers: messagingReactions({ publicUrl }) } as const
    const reviews = startConsumer({ ...mine, ...chat, isReaction: true })
    onStop(() => reviews.stop(), 'reviews')

    const hosted = hostedSettings(config)
    const { adminEmail: email, adminPassword: password } = config
    // Accounts of a hosted provider are made there.
    if (hosted === null) {
      if (email !== undefined && password !== undefined) {
        await ensureAdministrator(pool, { email, password }, new Date(), log)
      }
      if (config.seed === 'demo') await ensureDemoAccounts(pool, new Date())
    }
    relay.nudge()

    const files = createPictureFiles(openPictureStorage(config, 'profile-images', log))

    const upkeep = startUpkeep({ databaseUrl: url, pool, files, onAppended: () => relay.nudge(), log })
    onStop(() => upkeep.stop(), 'upkeep')

    const app = buildApp({
      pool,
      keys: await loadSigningKeys(pool),
      files,
      publicUrl: config.publicUrl,
      redirectAllowList: config.uriAllowList,
      isAutoconfirmed: config.authMailerAutoconfirm,
      switches: {
        isSignUpDisabled: config.authDisableSignup,
        isEmailDisabled: !config.authExternalEmailEnabled,
      },
      oauthProviders: oauthProviders(config),
      ...(hosted !== null && { hosted }),
      onAppended: () => {
        relay.nudge()
        mails.nudge()
      },
      logger: log,
      readiness: async () => ({ database: await canRead(pool), nats: await isReachable(nats) }),
      rateLimitFactor: config.rateLimitFactor,
    })
    onStop(() => app.close(), 'http')
    await app.listen({ host: config.serviceHost, port: config.servicePort })
  },
})
