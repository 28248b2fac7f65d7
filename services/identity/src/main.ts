import { startMailSender } from '@wangian/kit/mail/mail.ts'
import { startService } from '@wangian/kit/service/start-service.ts'
import { ensureFirstAccounts } from './accounts/first-accounts.ts'
import { serveModeration } from './accounts/moderation.ts'
import { servePayers } from './accounts/payers.ts'
import { servePeople } from './accounts/people-requests.ts'
import { openProfilePictures } from './accounts/profile-pictures.ts'
import { appSettings, buildApp } from './app.ts'
import { readConfig } from './config.ts'
import { reactions } from './consumers.ts'
import { loadFactorKey } from './factors/factor-key.ts'
import { startUpkeep } from './leaving/upkeep.ts'
import { completeWithPeople } from './people/published-people.ts'
import { startRevocationRelay } from './sessions/revocation-relay.ts'
import { serveRevocations } from './sessions/revocation-requests.ts'
import { loadSigningKeys } from './sessions/signing-keys.ts'

/** Of the pool: all services together must get along with what Postgres takes as it comes. */
const CONNECTIONS_MAX = 7

startService({
  name: 'identity',
  config: readConfig(),
  migrations: new URL('../migrations', import.meta.url),
  connectionsMax: CONNECTIONS_MAX,
  complete: completeWithPeople,
  reactions,
  parts: {
    mails: ({ config, ...context }) => startMailSender({ ...context, smtpUrl: config.smtpUrl, from: config.mailFrom }),
    revocations: startRevocationRelay,
    'revocation requests': serveRevocations,
    moderation: serveModeration,
    payers: servePayers,
    people: servePeople,
  },
  app: async (context, { mails }) => {
    const { config, pool, onAppended, readiness, log: logger } = context
    const files = openProfilePictures(context)
    // No part of its own, for it removes files of those that the app keeps.
    const upkeep = startUpkeep({ ...context, files })
    context.onStop(() => upkeep.stop(), 'upkeep')
    await ensureFirstAccounts(pool, config, new Date(), logger)
    onAppended()
    const keys = await loadSigningKeys(pool)
    const factorKey = await loadFactorKey(pool)
    const onAppendedOrMailed = () => {
      onAppended()
      mails.nudge()
    }
    const surroundings = { pool, keys, factorKey, files, onAppended: onAppendedOrMailed, logger, readiness }
    return buildApp({ ...appSettings(config), ...surroundings })
  },
})
