import type { App } from '@wangian/kit/http/http.ts'
import { echoVersion } from '@wangian/kit/http/provider-errors.ts'
import { addFactorRoutes } from '../factors/factor-routes.ts'
import { answerProviderError } from './provider-errors.ts'
import { createMailLimit } from './provider-limits.ts'
import { addMailRoutes } from './provider-mail-routes.ts'
import type { ProviderDependencies } from './provider-sessions.ts'
import { settingsJson } from './provider-settings.ts'
import { addSignUpRoutes } from './provider-sign-up-routes.ts'
import { addTokenRoutes } from './provider-token-routes.ts'
import { addUserRoutes } from './provider-user-routes.ts'
import { addVerifyRoutes } from './provider-verify-routes.ts'

const KEYS_CACHE_S = 600

/**
 * Adds the embedded auth provider to a scope of the app. It speaks the protocol of Supabase Auth (GoTrue), so that the
 * official client works with it as it does with a hosted project.
 */
export function addProviderRoutes(scope: App, dependencies: ProviderDependencies): void {
  const { provider, isAutoconfirmed, oauthProviders, switches } = dependencies
  scope.setErrorHandler((error, request, reply) => answerProviderError(error, request, reply))
  scope.addHook('onRequest', async (request, reply) => {
    echoVersion(request, reply)
  })

  scope.get('/health', async () => ({
    version: '1',
    name: 'GoTrue',
    description: 'GoTrue is a user registration and authentication API',
  }))

  scope.get('/settings', async () => settingsJson({ isAutoconfirmed, oauthProviders, switches }))

  scope.get('/.well-known/jwks.json', async (_request, reply) =>
    reply.header('cache-control', `public, max-age=${KEYS_CACHE_S}`).send(provider.key.jwks),
  )

  const limitMail = createMailLimit(scope, dependencies.pool)
  addSignUpRoutes(scope, dependencies, limitMail)
  addTokenRoutes(scope, dependencies)
  addMailRoutes(scope, dependencies, limitMail)
  addVerifyRoutes(scope, dependencies)
  addUserRoutes(scope, dependencies, limitMail)
  addFactorRoutes(scope, dependencies)
}
