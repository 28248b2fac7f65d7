import { randomUUID } from 'node:crypto'
import type { App } from '@wangian/kit/http.ts'
import { registerAccount } from './accounts.ts'
import { ProviderRefusal } from './provider-errors.ts'
import { EMAIL_PROVIDER, userJson } from './provider-json.ts'
import {
  parseBody,
  requireEmail,
  requirePassword,
  requireUserData,
  SignUpBody,
  type UserData,
} from './provider-requests.ts'
import { type ProviderDependencies, startSession } from './provider-sessions.ts'
import { type Identity, listIdentities } from './store.ts'

/** How somebody becomes a user. */
export function addSignUpRoutes(scope: App, dependencies: ProviderDependencies): void {
  const { pool, isAutoconfirmed, now } = dependencies

  scope.post('/signup', async (request) => {
    const body = parseBody(SignUpBody, request.body)
    const password = requirePassword(body.password)
    const email = requireEmail(body.email)
    const data = requireUserData(body.data)
    const result = await registerAccount(pool, {
      email,
      password,
      ...data,
      isSeller: true,
      isAdmin: false,
      isEmailConfirmed: isAutoconfirmed,
      now: now(),
      correlationId: request.id,
    })
    switch (result.outcome) {
      case 'registered': {
        dependencies.onAppended()
        if (!isAutoconfirmed) return userJson(result.account, await listIdentities(pool, result.account.userId))
        return startSession(dependencies, result.account)
      }
      case 'email-taken':
      case 'identity-taken':
        if (!isAutoconfirmed) return madeUpUser(email, data, now())
        throw new ProviderRefusal(422, 'user_already_exists', 'User already registered')
      case 'username-taken':
        throw new ProviderRefusal(422, 'username_exists', 'Username is already taken')
      default:
        return result satisfies never
    }
  })
}

/** What a sign-up with a known address gets where it must look like any other. */
function madeUpUser(email: string, data: UserData, now: Date) {
  const at = now.toISOString()
  const authId = randomUUID()
  const identity: Identity = {
    id: randomUUID(),
    provider: EMAIL_PROVIDER,
    subject: authId,
    lastSignInAt: null,
    createdAt: at,
    updatedAt: at,
  }
  const account = { ...data, authId, email, emailConfirmedAt: null, lastSignInAt: null, createdAt: at, updatedAt: at }
  return userJson({ ...account, username: data.username ?? `user-${identity.id.slice(0, 8)}` }, [identity])
}
