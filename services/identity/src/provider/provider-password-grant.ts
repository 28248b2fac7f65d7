import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { addressKey } from '@wangian/kit/http/client-address.ts'
import type { App, AppRequest } from '@wangian/kit/http/http.ts'
import { createSharedRateLimiter } from '@wangian/kit/http/shared-rate-limit.ts'
import { hasPasswordHash } from '../accounts/person-store.ts'
import { userIdOfAlias } from '../accounts/sign-in-alias.ts'
import { verifyPassword } from '../passwords/passwords.ts'
import { type Account, findAccount, findAccountByEmail, findClaimant, findPasswordHash } from '../store.ts'
import { ProviderRefusal } from './provider-errors.ts'
import { EMAIL_PROVIDER } from './provider-json.ts'
import { normalEmail, PasswordGrantBody, parseBody } from './provider-requests.ts'
import { type ProviderDependencies, startSession } from './provider-sessions.ts'
import { requireEmailLogins } from './provider-settings.ts'

const FAILED_TRIES_MAX = 10
const FAILED_TRIES_WINDOW_MS = 15 * 60 * 1000
const LOGIN_LENGTH_MAX = 255
const NOBODY = 0

/** Exchanges an address, or the alias of a username, and a password for tokens. */
export function createPasswordGrant(scope: App, dependencies: ProviderDependencies) {
  const { pool, switches } = dependencies
  const limitTries = (name: string) =>
    createSharedRateLimiter(
      { pool, rateLimitFactor: scope.rateLimitFactor },
      { name, limit: FAILED_TRIES_MAX, windowMs: FAILED_TRIES_WINDOW_MS, isExact: true },
    )
  /** Of the same words typed: this refusal is seen, so it must not tell to whom an address belongs. */
  const triesAsTyped = limitTries('sign-ins as typed')
  /** Of one account: its alias and its address must not give two sets of tries. Nobody sees that these are used up. */
  const triesAtAccount = limitTries('sign-ins')

  return async (request: AppRequest) => {
    requireEmailLogins(switches)
    const { login, password } = credentialsOf(request)
    const address = addressKey(request.ip)
    const typedKey = `${login} ${address}`
    // Counted before the password is looked at, or many at once would all be let through.
    await triesAsTyped.take(typedKey)
    const account = await findAccountByLogin(pool, login)
    const owner = await tryPassword(account, `${account?.userId ?? login} ${address}`, password)
    if (owner !== null && owner.account.emailConfirmedAt !== null) {
      await forgetTries(typedKey, owner)
      return signIn(dependencies, owner)
    }
    // All others are refused after as much work, so that nobody can tell whose address is confirmed: two may have registered with it.
    const rival = await findClaimant(pool, login)
    const claimant = await tryPassword(rival, `${rival?.userId ?? `claimant ${login}`} ${address}`, password)
    const applicant = owner ?? claimant
    if (applicant === null) throw wrongCredentials()
    await forgetTries(typedKey, applicant)
    if (applicant.account.isBanned) throw new ProviderRefusal(400, 'user_banned', 'User is banned')
    throw new ProviderRefusal(400, 'email_not_confirmed', 'Email not confirmed')
  }

  /** Somebody unknown costs the same queries as somebody known, and a try too many as much as any other. */
  async function tryPassword(account: Account | null, key: string, password: string): Promise<Proven | null> {
    const isWithinLimit = await triesAtAccount.allows(key)
    const passwordHash = await findPasswordHash(pool, account?.userId ?? NOBODY)
    const isRight = (await verifyPassword(passwordHash, password)) && isWithinLimit
    return isRight && account !== null && passwordHash !== null ? { account, passwordHash, key } : null
  }

  async function forgetTries(typedKey: string, { key }: Proven): Promise<void> {
    await triesAsTyped.forget(typedKey)
    await triesAtAccount.forget(key)
  }
}

/** Somebody whose password was right. */
interface Proven {
  readonly account: Account
  /** What it was checked against. */
  readonly passwordHash: string
  /** Under which the tries are counted. */
  readonly key: string
}

function credentialsOf(request: AppRequest): { readonly login: string; readonly password: string } {
  const { email, password } = parseBody(PasswordGrantBody, request.body)
  if (!email) throw new ProviderRefusal(400, 'validation_failed', 'missing email or phone')
  return { login: normalEmail(email).slice(0, LOGIN_LENGTH_MAX), password: password ?? '' }
}

function findAccountByLogin(pool: DatabasePool, login: string): Promise<Account | null> {
  const userId = userIdOfAlias(login)
  return userId === null ? findAccountByEmail(pool, login) : findAccount(pool, userId)
}

function signIn(dependencies: ProviderDependencies, { account, passwordHash }: Proven) {
  if (account.isBanned) throw new ProviderRefusal(400, 'user_banned', 'User is banned')
  return startSession(dependencies, account, {
    method: 'password',
    provider: EMAIL_PROVIDER,
    within: async (transaction) => {
      // It may have been changed, and all sessions ended, since it was checked.
      if (!(await hasPasswordHash(transaction, account.userId, passwordHash))) throw wrongCredentials()
    },
  })
}

function wrongCredentials(): ProviderRefusal {
  return new ProviderRefusal(400, 'invalid_credentials', 'Invalid login credentials')
}
