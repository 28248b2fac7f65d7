import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import type { PictureFiles } from '@wangian/kit/files/picture-files.ts'
import { authenticatorWithKeys } from '@wangian/kit/http/auth.ts'
import type { App } from '@wangian/kit/http/http.ts'
import { PROVIDER_PREFIX } from '@wangian/kit/http/provider-errors.ts'
import { type AppSurroundings, createServiceApp } from '@wangian/kit/service/service-app.ts'
import { addAccountRoutes } from './accounts/account-routes.ts'
import type { Config } from './config.ts'
import type { FactorKey } from './factors/factor-key.ts'
import { createHostedProvider, type HostedSettings, hostedSettings } from './hosted/hosted-provider.ts'
import type { OAuthProviders } from './oauth/oauth.ts'
import { oauthProviders } from './oauth/oauth-providers.ts'
import { addOAuthRoutes } from './oauth/oauth-routes.ts'
import { createRedirects } from './oauth/redirects.ts'
import { createEmbeddedProvider } from './provider/embedded-provider.ts'
import { addProviderRoutes } from './provider/provider-routes.ts'
import { everythingOn, type ProviderSwitches } from './provider/provider-settings.ts'
import { addRoutes } from './routes.ts'
import { findRevocationReason } from './sessions/revocation-store.ts'
import { findLiveSession } from './sessions/session-store.ts'
import type { SigningKeys } from './sessions/signing-keys.ts'
import { providerUrl } from './sessions/tokens.ts'

const KEYS_CACHE_S = 600

export interface AppDependencies extends Omit<AppSurroundings, 'auth'> {
  readonly pool: DatabasePool
  readonly keys: SigningKeys
  readonly factorKey: FactorKey
  /** Whether administrators must have a second factor; they must by default. */
  readonly isFactorRequired?: boolean
  /** The pictures of people. */
  readonly files: PictureFiles
  readonly publicUrl: string
  /** Where `redirect_to` may lead besides, see `createRedirects`. */
  readonly redirectAllowList?: readonly string[]
  readonly isAutoconfirmed: boolean
  /** Nothing of the embedded provider is turned off by default. */
  readonly switches?: ProviderSwitches
  /** The other sites with which people can sign in; none by default. */
  readonly oauthProviders?: OAuthProviders
  /** A hosted auth provider instead of the embedded one. */
  readonly hosted?: HostedSettings
  /** Called after something was added to the log, or is to be mailed. */
  readonly onAppended: () => void
  readonly now?: () => Date
}

/** What of that the configuration says. */
export function appSettings(config: Config) {
  const hosted = hostedSettings(config)
  return {
    publicUrl: config.publicUrl,
    redirectAllowList: config.uriAllowList,
    isAutoconfirmed: config.authMailerAutoconfirm,
    switches: { isSignUpDisabled: config.authDisableSignup, isEmailDisabled: !config.authExternalEmailEnabled },
    oauthProviders: oauthProviders(config),
    isFactorRequired: config.seed !== 'demo',
    ...(hosted !== null && { hosted }),
    trustedProxies: config.trustedProxies,
    rateLimitFactor: config.rateLimitFactor,
    drainMs: config.drainMs,
  } satisfies Partial<AppDependencies>
}

/** The service's HTTP side; it does not listen. */
export function buildApp(dependencies: AppDependencies): App {
  const { pool, keys, factorKey, files, publicUrl, isAutoconfirmed, hosted, onAppended } = dependencies
  const { switches = everythingOn, isFactorRequired = true } = dependencies
  const now = dependencies.now ?? (() => new Date())
  const sites: OAuthProviders = dependencies.oauthProviders ?? new Map()
  const provider = { key: keys.provider, issuer: providerUrl(publicUrl) }
  const redirects = createRedirects({ siteUrl: publicUrl, allowList: dependencies.redirectAllowList ?? [] })
  const auth = authenticatorWithKeys(keys.application.verificationKeys, {
    revocationOf: async (sessionId, userId) => {
      if ((await findLiveSession(pool, sessionId, userId)) !== null) return null
      return (await findRevocationReason(pool, sessionId)) ?? 'signed-out'
    },
  })
  const app = createServiceApp('identity', { ...dependencies, auth })
  app.get('/.well-known/jwks.json', async (_request, reply) =>
    reply.header('cache-control', `public, max-age=${KEYS_CACHE_S}`).send(keys.application.jwks),
  )
  const authProvider =
    hosted === undefined
      ? createEmbeddedProvider({ pool, provider, isFactorRequired, now })
      : createHostedProvider(hosted, { pool, isFactorRequired, now, onAppended })
  addRoutes(app, { pool, auth, applicationKey: keys.application, authProvider, now })
  addAccountRoutes(app, { pool, authProvider, files, publicUrl, redirects, now, onAppended })
  if (hosted !== undefined) return app
  // A scope of its own, for its errors look different.
  app.register(
    (scope, _options, done) => {
      addProviderRoutes(scope, {
        pool,
        provider,
        factorKey,
        isFactorRequired,
        publicUrl,
        redirects,
        isAutoconfirmed,
        switches,
        oauthProviders: sites,
        now,
        onAppended,
      })
      scope.register(async (inner) => {
        const { issuer } = provider
        const addresses = { redirects, providerUrl: issuer, publicUrl }
        addOAuthRoutes(inner, { pool, providers: sites, ...addresses, switches, now, onAppended })
      })
      done()
    },
    { prefix: PROVIDER_PREFIX },
  )
  return app
}
