import { createPictureFiles, type PictureFiles } from '@wangian/kit/files/picture-files.ts'
import { openPictureStorage } from '@wangian/kit/files/picture-storage.ts'
import { startMailSender } from '@wangian/kit/mail/mail.ts'
import type { Logger } from '@wangian/kit/service/logger.ts'
import { startService } from '@wangian/kit/service/start-service.ts'
import { serveBans } from './accounts/bans.ts'
import { ensureFirstAccounts } from './accounts/first-accounts.ts'
import { buildApp } from './app.ts'
import { readConfig } from './config.ts'
import { reactions } from './consumers.ts'
import { hostedSettings } from './hosted/hosted-provider.ts'
import { startUpkeep } from './leaving/upkeep.ts'
import { oauthProviders } from './oauth/oauth-providers.ts'
import { completeWithPeople } from './people/published-people.ts'
import { startRevocationRelay } from './sessions/revocation-relay.ts'
import { serveRevocations } from './sessions/revocation-requests.ts'
import { loadSigningKeys } from './sessions/signing-keys.ts'

const config = readConfig()
const hosted = hostedSettings(config)

startService({
  name: 'identity',
  config,
  migrations: new URL('../migrations', import.meta.url),
  complete: completeWithPeople,
  reactions,
  parts: {
    mails: (context) => startMailSender({ ...context, smtpUrl: config.smtpUrl, from: config.mailFrom }),
    revocations: startRevocationRelay,
    'revocation requests': serveRevocations,
    bans: serveBans,
    upkeep: (context) => startUpkeep({ ...context, files: profilePictures(context) }),
  },
  app: async (context, { mails }) => {
    const { pool, onAppended, readiness, log: logger } = context
    // Accounts of a hosted provider are made there.
    if (hosted === null) await ensureFirstAccounts(pool, config, new Date(), logger)
    onAppended()
    return buildApp({
      pool,
      keys: await loadSigningKeys(pool),
      files: profilePictures(context),
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
        onAppended()
        mails.nudge()
      },
      logger,
      readiness,
      trustedProxies: config.trustedProxies,
      rateLimitFactor: config.rateLimitFactor,
    })
  },
})

function profilePictures({ log }: { readonly log: Logger }): PictureFiles {
  return createPictureFiles(openPictureStorage(config, 'profile-images', log))
}
