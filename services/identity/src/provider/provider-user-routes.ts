import { isUniqueViolation } from '@wangian/kit/database/postgres.ts'
import type { App } from '@wangian/kit/http/http.ts'
import { createRateLimiter } from '@wangian/kit/http/rate-limit.ts'
import { runCommand } from '@wangian/kit/log/command.ts'
import type { z } from 'zod'
import { userDecider, userStream } from '../accounts/domain.ts'
import { requestEmailChange } from '../accounts/email-change.ts'
import { updateEmail, updateNames } from '../accounts/person-store.ts'
import { beginFlow, readChallenge } from '../oauth/flow-state.ts'
import { unlinkIdentity } from '../oauth/oauth-unlink.ts'
import { changePassword } from '../passwords/password-change.ts'
import { hashPassword, verifyPassword } from '../passwords/passwords.ts'
import { projectUser } from '../projections.ts'
import { endSessions } from '../sessions/revocation.ts'
import { endRecovery, type Session } from '../sessions/session-store.ts'
import { type Account, findAccount, findAccountByEmail, findPasswordHash } from '../store.ts'
import { ProviderRefusal } from './provider-errors.ts'
import { createRequestLimit, type MailLimit } from './provider-limits.ts'
import { parseBody, requireEmail, requirePassword, requireUserData, UserUpdateBody } from './provider-requests.ts'
import { currentUserJson, type ProviderDependencies, signedIn } from './provider-sessions.ts'

const MINUTE_MS = 60 * 1000
/** So long after a sign-in nobody is asked for the password again. */
const RECENT_MS = 10 * MINUTE_MS
const CHANGES_MAX = 30
const PASSWORD_TRIES_MAX = 10
const PASSWORD_TRIES_WINDOW_MS = 15 * MINUTE_MS

/** What somebody who is signed in asks and changes about themselves. */
export function addUserRoutes(scope: App, dependencies: ProviderDependencies, limitMail: MailLimit): void {
  const { pool, now } = dependencies
  const limitChanges = createRequestLimit(scope, CHANGES_MAX)
  const passwordTries = createRateLimiter(scope, { limit: PASSWORD_TRIES_MAX, windowMs: PASSWORD_TRIES_WINDOW_MS })

  scope.get('/user', async (request) => {
    const { account } = await signedIn(dependencies, request)
    return currentUserJson(dependencies, account)
  })

  scope.put('/user', async (request) => {
    limitChanges(request)
    const { account, session } = await signedIn(dependencies, request)
    const body = parseBody(UserUpdateBody, request.body)
    const { redirect_to: redirectTo } = request.query as { redirect_to?: unknown }
    const challenge = readChallenge(body)
    const change = { account, session, now: now(), correlationId: request.id }
    // All that can be refused comes before anything is changed.
    const password = isGiven(body.password) ? requirePassword(body.password) : null
    const email = isGiven(body.email) ? requireEmail(body.email) : account.email
    const newEmail = email === account.email ? null : email
    const names = requireUserData(body.data)
    if (password !== null || newEmail !== null) {
      await requireProof(account, session, body.current_password)
    }
    const passwordHash = password === null ? null : await newPasswordHash(account.userId, password)
    if (newEmail !== null) await requireFreeAddress(newEmail)
    if (passwordHash !== null) {
      await changePassword(dependencies, {
        ...change,
        passwordHash,
        keptSessionId: session.id,
        within: (transaction) => endRecovery(transaction, session.id),
      })
    }
    if (body.data) await changeNames(dependencies, change, body.data, names)
    if (newEmail !== null) await changeEmail(dependencies, { ...change, newEmail, redirectTo, challenge })
    dependencies.onAppended()
    return currentUserJson(dependencies, (await findAccount(pool, account.userId)) ?? account)
  })

  scope.delete('/user/identities/:identityId', async (request) => {
    limitChanges(request)
    const { account } = await signedIn(dependencies, request)
    const { identityId } = request.params as { identityId: string }
    switch (await unlinkIdentity(pool, account, identityId, dependencies.publicUrl)) {
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

  scope.post('/logout', async (request, reply) => {
    const { account, session } = await signedIn(dependencies, request)
    const { scope: logoutScope = 'global' } = request.query as { scope?: unknown }
    const chosen = sessionsOfScope(logoutScope, session.id)
    await pool.transaction((transaction) =>
      endSessions(transaction, { userId: account.userId, ...chosen, reason: 'signed-out' }),
    )
    return reply.code(204).send()
  })

  /** Whoever holds a session that began long ago must not take the account over with it. */
  async function requireProof(account: Account, session: Session, given: string | null | undefined): Promise<void> {
    const passwordHash = await findPasswordHash(pool, account.userId)
    if (isGiven(given)) {
      passwordTries.take(account.userId)
      if (!(await verifyPassword(passwordHash, given))) {
        throw new ProviderRefusal(400, 'current_password_invalid', 'Current password is incorrect')
      }
      passwordTries.forget(account.userId)
      return
    }
    const isRecent = now().getTime() - Date.parse(session.authenticatedAt) <= RECENT_MS
    if (isRecent || session.method === 'recovery') return
    if (passwordHash === null) {
      throw new ProviderRefusal(400, 'reauthentication_needed', 'Password update requires reauthentication')
    }
    throw new ProviderRefusal(400, 'current_password_required', 'Current password required when setting new password.')
  }

  async function newPasswordHash(userId: number, password: string): Promise<string> {
    if (await verifyPassword(await findPasswordHash(pool, userId), password)) {
      throw new ProviderRefusal(422, 'same_password', 'New password should be different from the old password.')
    }
    return hashPassword(password)
  }

  /** With confirmation the mails decide, and the answer does not tell whether somebody has the address. */
  async function requireFreeAddress(email: string): Promise<void> {
    if (!dependencies.isAutoconfirmed) limitMail('email_change', email)
    else if ((await findAccountByEmail(pool, email)) !== null) throw emailExists()
  }
}

interface Change {
  readonly account: Account
  readonly now: Date
  readonly correlationId: string
}

async function changeNames(
  { pool }: ProviderDependencies,
  { account: { userId }, now, correlationId }: Change,
  data: NonNullable<z.infer<typeof UserUpdateBody>['data']>,
  names: { readonly firstName: string | null; readonly lastName: string | null },
): Promise<void> {
  if (data.first_name === undefined && data.last_name === undefined) return
  const firstName = data.first_name === undefined ? undefined : names.firstName
  const lastName = data.last_name === undefined ? undefined : names.lastName
  const at = now.toISOString()
  await runCommand({
    pool,
    decider: userDecider,
    stream: userStream(userId),
    command: { type: 'UpdateProfile', at },
    metadata: { actorId: userId, correlationId, causationId: null, commandId: null },
    project: async (transaction, events) => {
      for (const event of events) await projectUser(transaction, event)
      await updateNames(transaction, { userId, username: undefined, firstName, lastName, at })
    },
  })
}

async function changeEmail(
  dependencies: ProviderDependencies,
  change: Change & { readonly newEmail: string; readonly redirectTo: unknown; readonly challenge: string | null },
): Promise<void> {
  const { pool, isAutoconfirmed } = dependencies
  const { account, newEmail, redirectTo, challenge, now } = change
  const { userId } = account
  if (isAutoconfirmed) {
    try {
      await updateEmail(pool, { userId, email: newEmail, at: now.toISOString() })
    } catch (error) {
      throw isUniqueViolation(error, 'people_email_key') ? emailExists() : error
    }
    return
  }
  await pool.transaction(async (transaction) => {
    const kind = 'email_change'
    const flowId = challenge === null ? null : await beginFlow(transaction, { kind, challenge, userId }, now)
    await requestEmailChange(transaction, dependencies, { account, newEmail, redirectTo, flowId, now })
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

function isGiven(value: string | null | undefined): value is string {
  return value !== undefined && value !== null && value !== ''
}

function emailExists(): ProviderRefusal {
  return new ProviderRefusal(422, 'email_exists', 'A user with this email address has already been registered')
}
