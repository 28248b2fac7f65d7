import { randomUUID } from 'node:crypto'
import { type DatabasePool, isUniqueViolation, type Transaction } from '@wangian/kit/database/postgres.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { runCommandIn } from '@wangian/kit/log/command.ts'
import { VersionConflict } from '@wangian/kit/log/event-store.ts'
import { z } from 'zod'
import { registerAccount } from '../accounts/accounts.ts'
import { userDecider, userStream } from '../accounts/domain.ts'
import { isAliasDomain } from '../accounts/sign-in-alias.ts'
import { usernameIdeas } from '../accounts/usernames.ts'
import { lockPerson } from '../leaving/closing-store.ts'
import { deleteUnusedTokens } from '../mails/one-time-token-store.ts'
import { mailIdentityLinked } from '../mails/provider-mails.ts'
import { projectUser } from '../projections.ts'
import { EMAIL_PROVIDER } from '../provider/provider-json.ts'
import { normalEmail } from '../provider/provider-requests.ts'
import { endSessions } from '../sessions/revocation.ts'
import { isUserWelcome } from '../sessions/session-store.ts'
import { type Account, findAccount, findAccountByEmail, insertIdentity } from '../store.ts'
import type { OAuthProfile, OAuthProvider } from './oauth.ts'
import { confirmEmail, deletePassword, findUserIdByIdentity, isUnlinked } from './oauth-store.ts'

const EMAIL_LENGTH_MAX = 255
/** Two who come at the same moment get in each other's way once. */
const TRIES_MAX = 3

export interface OAuthSignIn {
  readonly provider: Pick<OAuthProvider, 'name' | 'isStandIn'>
  readonly profile: OAuthProfile
  readonly publicUrl: string
  /** Then only those are let in who have an account. */
  readonly isSignUpDisabled: boolean
  readonly now: Date
  readonly correlationId: string
  /** Issues what the person goes on with, in the transaction that finds or makes the account: whoever bans them or unlinks the site meanwhile ends it, too. */
  readonly issueCode: (transaction: Transaction, userId: number) => Promise<string>
}

export type OAuthSignInResult =
  /** `isNew`: something was added to the log, or is to be mailed. */
  | { readonly outcome: 'signed-in'; readonly code: string; readonly isNew: boolean }
  /** `unlinked`: the owner has taken this way in away. `unusable`: it is closed. */
  | { readonly outcome: 'banned' | 'sign-up-disabled' | 'email-missing' | 'not-allowed' | 'unlinked' | 'unusable' }

/**
 * Lets in somebody for whom another site vouches, to their account: the one that they used with that site before, or the one with
 * the address that the site has verified, or a new one.
 */
export async function signInElsewhere(pool: DatabasePool, signIn: OAuthSignIn): Promise<OAuthSignInResult> {
  const { provider, profile } = signIn
  const identity = { provider: provider.name, subject: profile.subject }
  for (let attempt = 1; attempt <= TRIES_MAX; attempt += 1) {
    const userId = await findUserIdByIdentity(pool, identity)
    const known = userId === null ? null : await findAccount(pool, userId)
    if (userId !== null && known === null) return { outcome: 'unusable' }
    if (known !== null) {
      const opened = await open(pool, signIn, known)
      if (opened !== null) return opened
      continue
    }
    const email = usableEmail(profile.email)
    if (email === null) return { outcome: 'email-missing' }
    const owner = await findAccountByEmail(pool, email)
    if (owner === null && signIn.isSignUpDisabled) return { outcome: 'sign-up-disabled' }
    const made = owner === null ? await register(pool, signIn, email) : await link(pool, signIn, owner)
    if (made !== null) return made
  }
  // Somebody has the address and is not found by it: the account is closed, and not erased yet.
  return { outcome: 'unusable' }
}

function refusal(account: Account, provider: OAuthSignIn['provider']): 'banned' | 'not-allowed' | null {
  if (account.isBanned) return 'banned'
  // Whoever can open the page of a stand-in can be anybody; not somebody with rights over others.
  return provider.isStandIn && account.isAdmin ? 'not-allowed' : null
}

/** @returns `null` when the person was banned, has left or has unlinked the site since they were found */
async function open(pool: DatabasePool, signIn: OAuthSignIn, known: Account): Promise<OAuthSignInResult | null> {
  const { provider, profile, issueCode } = signIn
  const { userId } = known
  const refused = refusal(known, provider)
  if (refused !== null) return { outcome: refused }
  return pool.transaction(async (transaction) => {
    // `users` is locked before the person, as by a ban.
    const isWelcome = await isUserWelcome(transaction, userId)
    await lockPerson(transaction, userId)
    const identity = { provider: provider.name, subject: profile.subject }
    if (!isWelcome || (await findUserIdByIdentity(transaction, identity)) !== userId) return null
    return { outcome: 'signed-in', code: await issueCode(transaction, userId), isNew: false }
  })
}

/** @returns `null` when somebody else was faster */
async function register(pool: DatabasePool, signIn: OAuthSignIn, email: string): Promise<OAuthSignInResult | null> {
  const { provider, profile, now, correlationId, issueCode } = signIn
  const { firstName, lastName, subject } = profile
  let code = ''
  const result = await registerAccount(pool, {
    email,
    passwordHash: null,
    username: null,
    usernameIdeas: usernameIdeas(profile),
    identity: { provider: provider.name, subject },
    firstName,
    lastName,
    isSeller: true,
    isAdmin: false,
    isEmailConfirmed: true,
    now,
    correlationId,
    within: async (transaction, userId) => {
      code = await issueCode(transaction, userId)
    },
  })
  return result.outcome === 'registered' ? { outcome: 'signed-in', code, isNew: true } : null
}

/** @returns `null` when somebody else was faster */
async function link(pool: DatabasePool, signIn: OAuthSignIn, owner: Account): Promise<OAuthSignInResult | null> {
  const { provider, profile, publicUrl, now, correlationId, issueCode } = signIn
  const { userId } = owner
  const refused = refusal(owner, provider)
  if (refused !== null) return { outcome: refused }
  const at = now.toISOString()
  try {
    return await pool.transaction(async (transaction): Promise<OAuthSignInResult> => {
      if (owner.emailConfirmedAt === null) {
        await runCommandIn(transaction, {
          decider: userDecider,
          stream: userStream(userId),
          command: { type: 'VerifyEmail', at },
          metadata: { actorId: userId, correlationId, causationId: null, commandId: null },
          project: async (within, added) => {
            for (const event of added) await projectUser(within, event)
          },
        })
        // Somebody may have registered with an address that is not theirs and waits for its owner with a password.
        if (await confirmEmail(transaction, userId, at)) {
          await deletePassword(transaction, userId, EMAIL_PROVIDER)
          // The mails of such a registration have a password to set.
          await deleteUnusedTokens(transaction, userId, ['signup'])
          await endSessions(transaction, { userId, reason: 'password-changed' })
        }
      }
      const isWelcome = await isUserWelcome(transaction, userId)
      await lockPerson(transaction, userId)
      if (!isWelcome) throw new Rejection('account-suspended')
      const identity = { userId, provider: provider.name, subject: profile.subject }
      if (await isUnlinked(transaction, identity)) return { outcome: 'unlinked' }
      await insertIdentity(transaction, { id: randomUUID(), at, ...identity })
      await mailIdentityLinked(transaction, owner, provider.name, publicUrl)
      return { outcome: 'signed-in', code: await issueCode(transaction, userId), isNew: true }
    })
  } catch (error) {
    // Banned since, or closed.
    if (error instanceof Rejection && ['account-suspended', 'not-found'].includes(error.code)) return null
    if (error instanceof VersionConflict || isUniqueViolation(error, 'identities_provider_subject_key')) return null
    throw error
  }
}

function usableEmail(given: string | null): string | null {
  const email = normalEmail(given ?? '')
  if (email.length > EMAIL_LENGTH_MAX || !z.email().safeParse(email).success) return null
  return isAliasDomain(email) ? null : email
}
