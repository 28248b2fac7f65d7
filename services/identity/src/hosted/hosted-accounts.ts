import { randomBytes } from 'node:crypto'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { registerAccount } from '../accounts/accounts.ts'
import { demoAdmin, demoEmail } from '../accounts/demo-accounts.ts'
import { isAliasDomain } from '../accounts/sign-in-alias.ts'
import { usernameIdeas } from '../accounts/usernames.ts'
import { namesOf } from '../oauth/oauth.ts'
import type { SignIn } from '../sessions/auth-provider.ts'
import { findLiveSession, insertSession, isUserWelcome } from '../sessions/session-store.ts'
import { type Account, findAccountByAuthId, hasAdministrator } from '../store.ts'
import { deleteOldHostedSessions, insertHostedSession, touchSession, updateEmail } from './hosted-store.ts'
import type { HostedClaims } from './hosted-tokens.ts'

/** By it the `identities` table knows the hosted provider; the subject is its id of the person. */
export const HOSTED_PROVIDER = 'hosted'

const TRIES_MAX = 3
/** Longer than any token of theirs is good. */
const ENDED_SESSIONS_KEPT_MS = 60 * 24 * 60 * 60 * 1000

export interface HostedDependencies {
  readonly pool: DatabasePool
  /** Whose owner becomes the administrator as long as there is none. */
  readonly adminEmail: string | undefined
  readonly now: () => Date
  /** Called after something was added to the log. */
  readonly onAppended: () => void
}

/**
 * The account of somebody who is signed in at the hosted provider, made when they come for the first time.
 * @throws Rejection('account-exists') when somebody else has the address here: an address proves nobody to be them
 */
export async function hostedAccount(dependencies: HostedDependencies, claims: HostedClaims): Promise<Account> {
  const { pool } = dependencies
  for (let attempt = 1; attempt <= TRIES_MAX; attempt += 1) {
    const known = await findAccountByAuthId(pool, claims.sub)
    if (known !== null) return withNewEmail(dependencies, known, claims.email)
    if (isAliasDomain(claims.email)) break
    const result = await register(dependencies, claims)
    if (result.outcome === 'registered') return result.account
    if (result.outcome === 'email-taken' && (await findAccountByAuthId(pool, claims.sub)) === null) {
      throw new Rejection('account-exists')
    }
    // Otherwise another request of the same person was faster, or the account is closed.
  }
  throw new Rejection('invalid-session')
}

async function register({ pool, adminEmail, now, onAppended }: HostedDependencies, claims: HostedClaims) {
  const { username, first_name, last_name, full_name, name } = claims.user_metadata
  const names = namesOf({
    firstName: textOrNone(first_name),
    lastName: textOrNone(last_name),
    name: textOrNone(full_name) ?? textOrNone(name),
  })
  const isAdmin = claims.email === adminEmail && !(await hasAdministrator(pool, demoEmail(demoAdmin.username)))
  const result = await registerAccount(pool, {
    email: claims.email,
    passwordHash: null,
    username: null,
    usernameIdeas: usernameIdeas({ wanted: username, ...names }),
    identity: { provider: HOSTED_PROVIDER, subject: claims.sub },
    authId: claims.sub,
    ...names,
    isSeller: !isAdmin,
    isAdmin,
    isEmailConfirmed: true,
    now: now(),
    correlationId: claims.session_id,
  })
  if (result.outcome === 'registered') onAppended()
  return result
}

async function withNewEmail({ pool, now }: HostedDependencies, account: Account, email: string): Promise<Account> {
  if (account.email === email || isAliasDomain(email)) return account
  const isFree = await updateEmail(pool, { userId: account.userId, email, at: now().toISOString() })
  return isFree ? { ...account, email } : account
}

/**
 * Makes the hosted provider's session one of ours, so that it can be ended here like any other.
 * @throws Rejection('invalid-session') when that has happened
 */
export async function hostedSignIn(
  { pool, now }: Pick<HostedDependencies, 'pool' | 'now'>,
  account: Account,
  { session_id: sessionId, amr = [], aal }: Pick<HostedClaims, 'session_id' | 'amr' | 'aal'>,
): Promise<SignIn> {
  const { userId } = account
  const at = now().toISOString()
  // A session that begins here may have begun there long ago.
  const signedInAtS = Math.max(...amr.map(({ timestamp }) => timestamp))
  const authenticatedAtMs = amr.length === 0 ? now().getTime() : Math.min(signedInAtS * 1000, now().getTime())
  const hasShownFactor = aal === 'aal2'
  const factorAt = hasShownFactor ? at : null
  return pool.transaction(async (transaction) => {
    // Under a lock, so that a ban at the same moment either sees this session or is seen by it.
    if (!(await isUserWelcome(transaction, userId))) throw new Rejection('account-suspended')
    if (await insertHostedSession(transaction, { id: sessionId, userId, at })) {
      await insertSession(transaction, {
        id: sessionId,
        userId,
        method: HOSTED_PROVIDER,
        authenticatedAt: new Date(authenticatedAtMs).toISOString(),
        // Refresh tokens are the hosted provider's: nobody can have one that this key signed.
        refreshKey: randomBytes(32).toString('base64url'),
        refreshNumber: 1,
        refreshedAt: at,
        revokedAt: null,
        factorAt,
        factorMethod: null,
      })
      const before = new Date(now().getTime() - ENDED_SESSIONS_KEPT_MS).toISOString()
      await deleteOldHostedSessions(transaction, userId, before)
    } else if ((await findLiveSession(transaction, sessionId, userId)) === null) {
      throw new Rejection('invalid-session')
    } else {
      await touchSession(transaction, { id: sessionId, at, factorAt })
    }
    return { account, sessionId, secondFactor: hasShownFactor ? 'shown' : 'none' }
  })
}

function textOrNone(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}
