import type { App } from '@wangian/kit/http.ts'
import { ProviderRefusal } from './provider-errors.ts'
import { userJson } from './provider-json.ts'
import { type ProviderDependencies, signedIn } from './provider-sessions.ts'
import { endSessions } from './revocation.ts'
import { listIdentities } from './store.ts'

/** What somebody who is signed in asks and changes about themselves. */
export function addUserRoutes(scope: App, dependencies: ProviderDependencies): void {
  const { pool } = dependencies

  scope.get('/user', async (request) => {
    const { account } = await signedIn(dependencies, request)
    return userJson(account, await listIdentities(pool, account.userId))
  })

  scope.post('/logout', async (request, reply) => {
    const { account, session } = await signedIn(dependencies, request)
    const { scope: logoutScope = 'global' } = request.query as { scope?: unknown }
    const chosen = sessionsOfScope(logoutScope, session.id)
    await pool.transaction((transaction) =>
      endSessions(transaction, { userId: account.userId, ...chosen, reason: 'signed-out' }),
    )
    return reply.code(204).send()
  })
}

/** Which sessions a logout ends. */
function sessionsOfScope(scope: unknown, currentId: string): { sessionIds?: readonly string[]; exceptId?: string } {
  switch (scope) {
    case 'local':
      return { sessionIds: [currentId] }
    case 'others':
      return { exceptId: currentId }
    case 'global':
      return {}
    default:
      throw new ProviderRefusal(400, 'validation_failed', 'Unsupported logout scope')
  }
}
