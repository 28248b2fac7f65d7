import {
  type DatabasePool,
  type Executor,
  isUniqueViolation,
  type Transaction,
} from '@wangian/kit/database/postgres.ts'
import type { App, AppRequest } from '@wangian/kit/http/http.ts'
import { createSharedRateLimiter } from '@wangian/kit/http/shared-rate-limit.ts'
import { runCommand } from '@wangian/kit/log/command.ts'
import { userDecider, userStream } from '../accounts/domain.ts'
import { requestEmailChange } from '../accounts/email-change.ts'
import { hasPasswordHash, updateEmail, updateNames } from '../accounts/person-store.ts'
import { hasVerifiedFactor } from '../factors/factor-store.ts'
import { lockPerson } from '../leaving/closing-store.ts'
import { beginFlow, readChallenge } from '../oauth/flow-state.ts'
import { unlinkIdentity } from '../oauth/oauth-unlink.ts'
import { changePassword } from '../passwords/password-change.ts'
import { hashPassword, verifyPassword } from '../passwords/passwords.ts'
import { projectUser } from '../projections.ts'
import { endSessions } from '../sessions/revocation.ts'
import { endRecovery, isSessionLive, type Session } from '../sessions/session-store.ts'
import { type Account, findAccount, findAccountByEmail, findPasswordHash } from '../store.ts'
import { ProviderRefusal } from './provider-errors.ts'
import { knownMetadata } from './provider-json.ts'
import { createRequestLimit, type MailLimit, type RequestLimit } from './provider-limits.ts'
import {
  parseBody,
  requireEmail,
  requirePassword,
  requireUserData,
  type UserData,
  UserUpdateBody,
} from './provider-requests.ts'
import {
  currentUserJson,
  getLiveSession,
  type ProviderDependencies,
  sessionNotFound,
  signedIn,
} from './provider-sessions.ts'

const MINUTE_MS = 60 * 1000
/** So long after a sign-in nobody is asked for the password again. */
const RECENT_MS = 10 * MINUTE_MS
const CHANGES_MAX = 30
const PASSWORD_TRIES_MAX = 10
const PASSWORD_TRIES_WINDOW_MS = 15 * MINUTE_MS

/** What somebody who is signed in asks and changes about themselves. */
export function addUserRoutes(scope: App, dependencies: ProviderDependencies, limitMail: MailLimit): void {
  const limitChanges = createRequestLimit(scope, CHANGES_MAX)
  scope.get('/user', async (request) => {
    const { account } = await signedIn(dependencies, request)
    return currentUserJson(dependencies, account)
  })
  addUpdate(scope, dependencies, { limitChanges, limitMail })
  addUnlinking(scope, dependencies, limitChanges)
  addLogout(scope, dependencies)
}

function addUpdate(
  scope: App,
  dependencies: ProviderDependencies,
  { limitChanges, limitMail }: { readonly limitChanges: RequestLimit; readonly limitMail: MailLimit },
): void {
  const { pool, now } = dependencies
  const requireProof = createProofCheck(scope, dependencies)

  scope.put('/user', async (request) => {
    limitChanges(request)
    const { account, session } = await signedIn(dependencies, request)
    const { password, newEmail, data, ...update } = readUpdate(request, account)
    const change = { account, session, now: now(), correlationId: request.id }
    let checkedHash: string | null = null
    // All that can be refused comes before anything is changed.
    if (password !== null || newEmail !== null) {
      await requireSecondFactor(pool, session)
      checkedHash = await requireProof(account, session, update.currentPassword)
    }
    const passwordHash = password === null ? null : await newPasswordHash(pool, account.userId, password)
    if (newEmail !== null) await requireFreeAddress(dependencies, limitMail, newEmail)
    if (passwordHash !== null) {
      await changePassword(dependencies, {
        ...change,
        passwordHash,
        keptSessionId: session.id,
        within: async (transaction) => {
          await requireStillProven(transaction, session, checkedHash)
          await endRecovery(transaction, session.id)
        },
      })
      checkedHash = passwordHash
    }
    await changeData(pool, change, data)
    if (newEmail !== null) await changeEmail(dependencies, { ...change, ...update, newEmail, checkedHash })
    dependencies.onAppended()
    return currentUserJson(dependencies, (await findAccount(pool, account.userId)) ?? account)
  })
}

function addUnlinking(scope: App, dependencies: ProviderDependencies, limitChanges: RequestLimit): void {
  scope.delete('/user/identities/:identityId', async (request) => {
    limitChanges(request)
    const { account, session } = await signedIn(dependencies, request)
    const { identityId } = request.params as { identityId: string }
    const within = async (transaction: Transaction) =>
      requireSecondFactor(transaction, await getLiveSession(transaction, session))
    switch (await unlinkIdentity(dependencies, { account, sessionId: session.id, identityId, within })) {
      case 'unknown':
        throw new ProviderRefusal(404, 'identity_not_found', "Identity doesn't exist")
      case 'last-way-in':
        throw new ProviderRefusal(
          422,
          'single_identity_not_deletable',
          'Set a password first: without it nobody could sign in to this account any more.',
        )
      case 'unlinked':
        dependencies.onAppended()
        return {}
    }
  })
}

function addLogout(scope: App, dependencies: ProviderDependencies): void {
  scope.post('/logout', async (request, reply) => {
    const { account, session } = await signedIn(dependencies, request)
    const { scope: logoutScope = 'global' } = request.query as { scope?: unknown }
    const chosen = sessionsOfScope(logoutScope, session.id)
    await dependencies.pool.transaction((transaction) =>
      endSessions(transaction, { userId: account.userId, ...chosen, reason: 'signed-out' }),
    )
    return reply.code(204).send()
  })
}

/** What somebody wants to change; `null` and, of data, undefined is what stays as it is. */
interface Update {
  readonly password: string | null
  readonly newEmail: string | null
  readonly data: Omit<Partial<UserData>, 'username'>
  readonly currentPassword: string | null | undefined
  readonly redirectTo: unknown
  readonly challenge: string | null
}

/** @throws ProviderRefusal for what nobody could change it to */
function readUpdate(request: AppRequest, account: Account): Update {
  const body = parseBody(UserUpdateBody, request.body)
  const { redirect_to: redirectTo } = request.query as { redirect_to?: unknown }
  const challenge = readChallenge(body)
  const password = isGiven(body.password) ? requirePassword(body.password) : null
  const email = isGiven(body.email) ? requireEmail(body.email) : account.email
  const { username, firstName, lastName, metadata } = requireUserData(body.data, account.metadata)
  if (username !== null && username !== account.username) {
    throw new ProviderRefusal(422, 'validation_failed', 'The username cannot be changed')
  }
  return {
    password,
    newEmail: email === account.email ? null : email,
    data: {
      ...(body.data?.['first_name'] !== undefined && { firstName }),
      ...(body.data?.['last_name'] !== undefined && { lastName }),
      ...(Object.keys(body.data ?? {}).some((name) => !knownMetadata.has(name)) && { metadata }),
    },
    currentPassword: body.current_password,
    redirectTo,
    challenge,
  }
}

/** Whoever knows the password, or reads the mails, must not change how the owner signs in without what the owner has besides. */
async function requireSecondFactor(executor: Executor, { userId, factorAt }: Session): Promise<void> {
  if (factorAt !== null || !(await hasVerifiedFactor(executor, userId))) return
  const words = 'AAL2 session is required to update email or password when MFA is enabled.'
  throw new ProviderRefusal(401, 'insufficient_aal', words)
}

/** @returns what the password was checked against; `null` when the session itself proves enough */
type ProofCheck = (account: Account, session: Session, password: string | null | undefined) => Promise<string | null>

/** Whoever holds a session that began long ago must not take the account over with it. */
function createProofCheck({ rateLimitFactor }: App, { pool, now }: ProviderDependencies): ProofCheck {
  const tries = createSharedRateLimiter(
    { pool, rateLimitFactor },
    { name: 'proofs', limit: PASSWORD_TRIES_MAX, windowMs: PASSWORD_TRIES_WINDOW_MS, isExact: true },
  )
  return async (account, session, password) => {
    const passwordHash = await findPasswordHash(pool, account.userId)
    if (isGiven(password)) {
      await tries.take(account.userId)
      if (!(await verifyPassword(passwordHash, password))) throw wrongPassword()
      await tries.forget(account.userId)
      return passwordHash
    }
    const isRecent = now().getTime() - Date.parse(session.authenticatedAt) <= RECENT_MS
    if (isRecent || session.method === 'recovery') return null
    if (passwordHash === null) {
      throw new ProviderRefusal(400, 'reauthentication_needed', 'Password update requires reauthentication')
    }
    throw new ProviderRefusal(400, 'current_password_required', 'Current password required when setting new password.')
  }
}

/** The same in the transaction that changes something, with the person locked: meanwhile the session may have ended, or the password changed. */
async function requireStillProven(
  transaction: Transaction,
  session: Session,
  checkedHash: string | null,
): Promise<void> {
  if (!(await isSessionLive(transaction, session.id))) throw sessionNotFound()
  if (checkedHash !== null && !(await hasPasswordHash(transaction, session.userId, checkedHash))) throw wrongPassword()
}

async function newPasswordHash(pool: DatabasePool, userId: number, password: string): Promise<string> {
  if (await verifyPassword(await findPasswordHash(pool, userId), password)) {
    throw new ProviderRefusal(422, 'same_password', 'New password should be different from the old password.')
  }
  return hashPassword(password)
}

/** With confirmation the mails decide, and the answer does not tell whether somebody has the address. */
async function requireFreeAddress(
  { pool, isAutoconfirmed }: ProviderDependencies,
  limitMail: MailLimit,
  email: string,
): Promise<void> {
  if (!isAutoconfirmed) await limitMail('email_change', email)
  else if ((await findAccountByEmail(pool, email)) !== null) throw emailExists()
}

interface Change {
  readonly account: Account
  readonly now: Date
  readonly correlationId: string
}

async function changeData(
  pool: DatabasePool,
  { account: { userId }, now, correlationId }: Change,
  { firstName, lastName, metadata }: Update['data'],
): Promise<void> {
  if (firstName === undefined && lastName === undefined && metadata === undefined) return
  const at = now.toISOString()
  await runCommand({
    pool,
    decider: userDecider,
    stream: userStream(userId),
    command: { type: 'UpdateProfile', at },
    metadata: { actorId: userId, correlationId, causationId: null, commandId: null },
    project: async (transaction, events) => {
      for (const event of events) await projectUser(transaction, event)
      await updateNames(transaction, { userId, username: undefined, firstName, lastName, metadata, at })
    },
  })
}

async function changeEmail(
  dependencies: ProviderDependencies,
  change: Change & {
    readonly session: Session
    readonly checkedHash: string | null
    readonly newEmail: string
    readonly redirectTo: unknown
    readonly challenge: string | null
  },
): Promise<void> {
  const { pool, isAutoconfirmed } = dependencies
  const { account, session, checkedHash, newEmail, redirectTo, challenge, now } = change
  const { userId } = account
  try {
    await pool.transaction(async (transaction) => {
      await lockPerson(transaction, userId)
      await requireStillProven(transaction, session, checkedHash)
      if (isAutoconfirmed) return updateEmail(transaction, { userId, email: newEmail, at: now.toISOString() })
      const kind = 'email_change'
      const flowId = challenge === null ? null : await beginFlow(transaction, { kind, challenge, userId }, now)
      return requestEmailChange(transaction, dependencies, { account, newEmail, redirectTo, flowId, now })
    })
  } catch (error) {
    throw isUniqueViolation(error, 'people_email_key') ? emailExists() : error
  }
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

function isGiven(value: string | null | undefined): value is string {
  return value !== undefined && value !== null && value !== ''
}

function wrongPassword(): ProviderRefusal {
  return new ProviderRefusal(400, 'current_password_invalid', 'Current password is incorrect')
}

function emailExists(): ProviderRefusal {
  return new ProviderRefusal(422, 'email_exists', 'A user with this email address has already been registered')
}
