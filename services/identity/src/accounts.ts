import { randomBytes, randomUUID } from 'node:crypto'
import { runCommand } from '@wangian/kit/command.ts'
import { invariant } from '@wangian/kit/invariant.ts'
import { type DatabasePool, isUniqueViolation } from '@wangian/kit/postgres.ts'
import { userDecider, userStream } from './domain.ts'
import { hashPassword } from './passwords.ts'
import { projectUser } from './projections.ts'
import { EMAIL_PROVIDER } from './provider-json.ts'
import {
  type Account,
  drawUserId,
  findAccount,
  findAccountByEmail,
  findUserId,
  insertCredential,
  insertIdentity,
  insertPerson,
} from './store.ts'

const USERNAME_TRIES_MAX = 5

export interface Registration {
  /** In lower case. */
  readonly email: string
  readonly password: string
  /** `null` makes one from the user's id, for clients that do not ask for usernames. */
  readonly username: string | null
  readonly firstName: string | null
  readonly lastName: string | null
  readonly shopName?: string
  readonly location?: string
  readonly bio?: string
  readonly isSeller: boolean
  readonly isAdmin: boolean
  readonly isEmailConfirmed: boolean
  readonly now: Date
  /** The id of the request, or what else began it. */
  readonly correlationId: string
}

export type RegistrationResult =
  | { readonly outcome: 'registered'; readonly account: Account }
  | { readonly outcome: 'email-taken' }
  | { readonly outcome: 'username-taken' }

/** Registers somebody with an email and a password. Takes as long for a known address as for a new one. */
export async function registerAccount(pool: DatabasePool, registration: Registration): Promise<RegistrationResult> {
  // The hash is most of the time that this takes, so it is made whatever comes out.
  const passwordHash = await hashPassword(registration.password)
  // The unique indexes decide; asking first saves the numbers that would be drawn for nothing. The username comes first:
  // with one that is taken, nobody learns whether the address is known.
  if (registration.username !== null && (await findUserId(pool, registration.username)) !== null) {
    return { outcome: 'username-taken' }
  }
  if ((await findAccountByEmail(pool, registration.email)) !== null) return { outcome: 'email-taken' }
  const userId = await drawUserId(pool)
  if (registration.username !== null)
    return tryToRegister(pool, registration, userId, registration.username, passwordHash)
  for (let attempt = 1; ; attempt += 1) {
    const username = attempt === 1 ? `user-${userId}` : `user-${userId}-${randomBytes(3).toString('hex')}`
    const result = await tryToRegister(pool, registration, userId, username, passwordHash)
    if (result.outcome !== 'username-taken' || attempt >= USERNAME_TRIES_MAX) return result
  }
}

async function tryToRegister(
  pool: DatabasePool,
  registration: Registration,
  userId: number,
  username: string,
  passwordHash: string,
): Promise<RegistrationResult> {
  const { email, firstName, lastName, isSeller, isAdmin, now, correlationId } = registration
  const { shopName = null, location = null, bio = null } = registration
  const at = now.toISOString()
  const authId = randomUUID()
  try {
    await runCommand({
      pool,
      decider: userDecider,
      stream: userStream(userId),
      command: { type: 'RegisterUser', userId, isSeller, isAdmin, at },
      metadata: { actorId: userId, correlationId, causationId: null, commandId: null },
      project: async (transaction, events) => {
        for (const event of events) await projectUser(transaction, event)
        const emailConfirmedAt = registration.isEmailConfirmed ? at : null
        const person = { firstName, lastName, shopName, location, bio, emailConfirmedAt, createdAt: at }
        await insertPerson(transaction, { userId, username, authId, email, ...person })
        await insertCredential(transaction, { userId, passwordHash, at })
        const identity = { id: randomUUID(), provider: EMAIL_PROVIDER, subject: authId }
        await insertIdentity(transaction, { userId, at, ...identity })
      },
    })
  } catch (error) {
    if (isUniqueViolation(error, 'people_email_key')) return { outcome: 'email-taken' }
    if (isUniqueViolation(error, 'people_by_username')) return { outcome: 'username-taken' }
    throw error
  }
  const account = await findAccount(pool, userId)
  invariant(account !== null, `user ${userId} was registered`)
  return { outcome: 'registered', account }
}
