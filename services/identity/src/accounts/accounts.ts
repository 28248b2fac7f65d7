import { randomBytes, randomUUID } from 'node:crypto'
import type { Language } from '@wangian/contracts/languages.ts'
import { type DatabasePool, isUniqueViolation, type Transaction } from '@wangian/kit/database/postgres.ts'
import { invariant } from '@wangian/kit/invariant.ts'
import { runCommand } from '@wangian/kit/log/command.ts'
import { projectUser } from '../projections.ts'
import { EMAIL_PROVIDER } from '../provider/provider-json.ts'
import {
  type Account,
  drawUserId,
  findAccount,
  findApplicant,
  findUsernameOwner,
  insertCredential,
  insertIdentity,
  insertPerson,
  isEmailTaken,
} from '../store.ts'
import { userDecider, userStream } from './domain.ts'
import { signInAlias } from './sign-in-alias.ts'

const USERNAME_TRIES_MAX = 5

export interface Registration {
  /** In lower case. */
  readonly email: string
  /** The address is another person's: they only claim it, and nobody can tell (`Account.isClaimant`). */
  readonly isClaimant?: boolean
  /** From `hashPassword`; `null` for people who sign in elsewhere. */
  readonly passwordHash: string | null
  /** `null` takes the first free one of the ideas or makes one from the user's id, for people who were not asked. */
  readonly username: string | null
  readonly usernameIdeas?: readonly string[]
  /** Where they sign in and who they are there; by default here, with the password. */
  readonly identity?: { readonly provider: string; readonly subject: string }
  /** The id that the auth provider knows them by, when it is not ours to give. */
  readonly authId?: string
  readonly firstName: string | null
  readonly lastName: string | null
  readonly shopName?: string
  readonly location?: string
  readonly bio?: string
  readonly metadata?: Account['metadata']
  /** What they read; by default nobody knows yet. */
  readonly language?: Language
  readonly isSeller: boolean
  readonly isAdmin: boolean
  readonly isEmailConfirmed: boolean
  readonly now: Date
  /** The id of the request, or what else began it. */
  readonly correlationId: string
  /** What is written together with the account. */
  readonly within?: (transaction: Transaction, userId: number) => Promise<void>
}

export type RegistrationResult =
  | { readonly outcome: 'registered'; readonly account: Account }
  | { readonly outcome: 'email-taken' }
  | { readonly outcome: 'username-taken' }
  /** Only when they have one elsewhere, or an id of their own: somebody came with the same a moment before. */
  | { readonly outcome: 'identity-taken' }

/** Registers somebody. */
export async function registerAccount(pool: DatabasePool, registration: Registration): Promise<RegistrationResult> {
  // The unique indexes decide; asking first saves the numbers that would be drawn for nothing. The username comes first:
  // with one that is taken, nobody learns whether the address is known.
  const { username: chosen, email, isClaimant = false } = registration
  if (chosen !== null && (await isUsernameTakenByOthers(pool, chosen, email))) return { outcome: 'username-taken' }
  if (!isClaimant && (await isEmailTaken(pool, email))) return { outcome: 'email-taken' }
  const userId = await drawUserId(pool)
  if (registration.username !== null) return tryToRegister(pool, registration, userId, registration.username)
  const ideas = [...(registration.usernameIdeas ?? []), `user-${userId}`]
  for (let attempt = 1; ; attempt += 1) {
    const username = ideas.shift() ?? `user-${userId}-${randomBytes(3).toString('hex')}`
    if ((await findUsernameOwner(pool, username)) !== null) continue
    const result = await tryToRegister(pool, registration, userId, username)
    if (result.outcome !== 'username-taken' || attempt >= USERNAME_TRIES_MAX) return result
  }
}

/** Whether this username is somebody else's than of the one who registered with this address and has not confirmed it. */
export async function isUsernameTakenByOthers(pool: DatabasePool, username: string, email: string): Promise<boolean> {
  const ownerId = await findUsernameOwner(pool, username)
  if (ownerId === null) return false
  return (await findApplicant(pool, email))?.userId !== ownerId
}

async function tryToRegister(
  pool: DatabasePool,
  registration: Registration,
  userId: number,
  username: string,
): Promise<RegistrationResult> {
  const { passwordHash, firstName, lastName, isSeller, isAdmin, now, correlationId } = registration
  const { email, claimedEmail } = registration.isClaimant
    ? { email: signInAlias(userId), claimedEmail: registration.email }
    : { email: registration.email, claimedEmail: null }
  const { shopName = null, location = null, bio = null, metadata = {}, language = null } = registration
  const at = now.toISOString()
  const authId = registration.authId ?? randomUUID()
  try {
    await runCommand({
      pool,
      decider: userDecider,
      stream: userStream(userId),
      command: { type: 'RegisterUser', userId, isSeller, isAdmin, isVerified: registration.isEmailConfirmed, at },
      metadata: { actorId: userId, correlationId, causationId: null, commandId: null },
      project: async (transaction, events) => {
        for (const event of events) await projectUser(transaction, event)
        const emailConfirmedAt = registration.isEmailConfirmed ? at : null
        const person = {
          firstName,
          lastName,
          shopName,
          location,
          bio,
          metadata,
          language,
          emailConfirmedAt,
          createdAt: at,
        }
        await insertPerson(transaction, { userId, username, authId, email, claimedEmail, ...person })
        if (passwordHash !== null) await insertCredential(transaction, { userId, passwordHash, at })
        const identity = registration.identity ?? { provider: EMAIL_PROVIDER, subject: authId }
        await insertIdentity(transaction, { userId, at, id: randomUUID(), ...identity })
        await registration.within?.(transaction, userId)
      },
    })
  } catch (error) {
    if (isUniqueViolation(error, 'people_email_key')) return { outcome: 'email-taken' }
    if (isUniqueViolation(error, 'people_by_claimed_email')) return { outcome: 'email-taken' }
    if (isUniqueViolation(error, 'people_by_username')) return { outcome: 'username-taken' }
    if (isUniqueViolation(error, 'people_auth_id_key')) return { outcome: 'identity-taken' }
    if (isUniqueViolation(error, 'identities_provider_subject_key')) return { outcome: 'identity-taken' }
    throw error
  }
  const account = await findAccount(pool, userId)
  invariant(account !== null, `user ${userId} was registered`)
  return { outcome: 'registered', account }
}
