import { randomUUID } from 'node:crypto'
import type { Language } from '@wangian/contracts/languages.ts'
import { isUniqueViolation, type Transaction } from '@wangian/kit/database/postgres.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import type { App } from '@wangian/kit/http/http.ts'
import { languageOf } from '@wangian/kit/http/request-language.ts'
import { runCommand } from '@wangian/kit/log/command.ts'
import { isUsernameTakenByOthers, registerAccount } from '../accounts/accounts.ts'
import { userDecider, userStream } from '../accounts/domain.ts'
import { updateLanguage, updateNames, upsertCredential } from '../accounts/person-store.ts'
import { landingPage, mailedLink } from '../mails/mailed-links.ts'
import { issueOneTimeToken } from '../mails/one-time-token.ts'
import { mailKnownAddress, mailSignUp } from '../mails/provider-mails.ts'
import { beginFlow, readChallenge } from '../oauth/flow-state.ts'
import { hashPassword } from '../passwords/passwords.ts'
import { projectUser } from '../projections.ts'
import { type Account, drawUserId, findAccountByEmail, type Identity } from '../store.ts'
import { inEvenTime } from './even-time.ts'
import { ProviderRefusal } from './provider-errors.ts'
import { EMAIL_PROVIDER, userJson } from './provider-json.ts'
import { createRequestLimit, type MailLimit } from './provider-limits.ts'
import {
  parseBody,
  requireEmail,
  requirePassword,
  requireUserData,
  SignUpBody,
  type UserData,
} from './provider-requests.ts'
import { currentUserJson, type ProviderDependencies, startSession } from './provider-sessions.ts'
import { requireSignUps } from './provider-settings.ts'

const SIGN_UPS_MAX = 30
/** Longer than a password hash and what follows usually take. */
const ANSWER_AFTER_MS = 200

interface SignUp extends UserData {
  readonly email: string
  readonly challenge: string | null
  readonly redirectTo: unknown
  /** Of the page where somebody registers: theirs, until they choose another. */
  readonly language: Language
  readonly now: Date
  readonly correlationId: string
}

/**
 * How somebody becomes a user. With confirmation by mail, all that a stranger can see is the same for an address that
 * somebody has as for any other: the answer, the limit, and the time.
 */
export function addSignUpRoutes(scope: App, dependencies: ProviderDependencies, limitMail: MailLimit): void {
  const { pool, isAutoconfirmed, now } = dependencies
  const limitRequests = createRequestLimit(scope, SIGN_UPS_MAX)

  scope.post('/signup', async (request) => {
    limitRequests(request)
    requireSignUps(dependencies.switches)
    const body = parseBody(SignUpBody, request.body)
    const password = requirePassword(body.password)
    const email = requireEmail(body.email)
    const data = requireUserData(body.data)
    const { redirect_to: redirectTo } = request.query as { redirect_to?: unknown }
    const correlationId = request.id
    const asked = {
      challenge: readChallenge(body),
      redirectTo,
      language: languageOf(request),
      now: now(),
      correlationId,
    }
    const signUp = { email, ...data, ...asked }
    // Before the limit: whoever looks for a free username has not been mailed anything.
    if (data.username !== null && (await isUsernameTakenByOthers(pool, data.username, email))) throw usernameExists()
    if (isAutoconfirmed) return signUpNow(signUp, password)
    await limitMail('signup', email)
    return inEvenTime(ANSWER_AFTER_MS, () => signUpNow(signUp, password))
  })

  async function signUpNow(signUp: SignUp, password: string) {
    const { email, username, firstName, lastName, metadata, language, correlationId } = signUp
    // The hash is most of the time that this takes, so it is made whether the address is known or not.
    const passwordHash = await hashPassword(password)
    const result = await registerAccount(pool, {
      email,
      passwordHash,
      username,
      firstName,
      lastName,
      metadata,
      language,
      isSeller: true,
      isAdmin: false,
      isEmailConfirmed: isAutoconfirmed,
      now: signUp.now,
      correlationId,
      within: async (transaction, userId) => {
        if (!isAutoconfirmed) await mailConfirmation(dependencies, transaction, { ...signUp, userId, passwordHash })
      },
    })
    switch (result.outcome) {
      case 'registered': {
        dependencies.onAppended()
        if (!isAutoconfirmed) return currentUserJson(dependencies, result.account)
        return startSession(dependencies, result.account)
      }
      case 'email-taken':
        if (isAutoconfirmed) throw userExists()
        await answerKnownAddress(dependencies, signUp, passwordHash)
        return madeUpUser(signUp, username ?? `user-${await drawUserId(pool)}`)
      case 'identity-taken':
        throw userExists()
      case 'username-taken':
        throw usernameExists()
      default:
        return result satisfies never
    }
  }
}

/** Mails what confirms the address of an account. */
export async function mailConfirmation(
  dependencies: ProviderDependencies,
  transaction: Transaction,
  confirmation: Pick<SignUp, 'email' | 'challenge' | 'redirectTo' | 'language' | 'now'> & {
    readonly userId: number
    readonly passwordHash: string | null
  },
): Promise<void> {
  const { userId, email, language, challenge, redirectTo, passwordHash, now } = confirmation
  const kind = 'signup'
  const flowId = challenge === null ? null : await beginFlow(transaction, { kind, challenge, userId }, now)
  const { token, code } = await issueOneTimeToken(transaction, { userId, kind, email, flowId, passwordHash, now })
  const url = mailedLink(landingPage(dependencies, kind, redirectTo), kind, token)
  await mailSignUp(transaction, { email, userId, language }, { url, code })
}

/** Tells the owner of an address, or mails the confirmation again when nobody has confirmed it yet. */
async function answerKnownAddress(
  dependencies: ProviderDependencies,
  signUp: SignUp,
  passwordHash: string,
): Promise<void> {
  const { pool, publicUrl, onAppended } = dependencies
  const account = await findAccountByEmail(pool, signUp.email)
  if (account === null) return
  if (account.emailConfirmedAt === null) await registerAgain(dependencies, account, signUp, passwordHash)
  else {
    const recipient = { ...account, language: account.language ?? signUp.language }
    await pool.transaction((transaction) => mailKnownAddress(transaction, recipient, publicUrl))
  }
  onAppended()
}

/**
 * Nobody has proven yet to be the owner of the account, so it takes the data of whoever came last; and the password of
 * whoever's link is opened.
 */
async function registerAgain(
  dependencies: ProviderDependencies,
  { userId, email }: Account,
  signUp: SignUp,
  passwordHash: string,
): Promise<void> {
  const { username, firstName, lastName, metadata, language, now, correlationId } = signUp
  const at = now.toISOString()
  try {
    await runCommand({
      pool: dependencies.pool,
      decider: userDecider,
      stream: userStream(userId),
      command: { type: 'UpdateProfile', at },
      metadata: { actorId: userId, correlationId, causationId: null, commandId: null },
      project: async (transaction, events) => {
        for (const event of events) await projectUser(transaction, event)
        await updateNames(transaction, { userId, username: username ?? undefined, firstName, lastName, metadata, at })
        await updateLanguage(transaction, { userId, language, at })
        await upsertCredential(transaction, { userId, passwordHash, at })
        await mailConfirmation(dependencies, transaction, { ...signUp, userId, email, passwordHash })
      },
    })
  } catch (error) {
    if (isUniqueViolation(error, 'people_by_username')) throw usernameExists()
    // The account was closed; its address is free once it is erased.
    if (!(error instanceof Rejection && error.code === 'not-found')) throw error
  }
}

/** What a sign-up with a known address gets: it must look like any other. */
function madeUpUser({ email, firstName, lastName, metadata, now }: SignUp, username: string) {
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
  const person = { authId, email, username, firstName, lastName, metadata, emailConfirmedAt: null, lastSignInAt: null }
  const sent = [{ kind: 'signup', email, createdAt: at }] as const
  return userJson({ ...person, createdAt: at, updatedAt: at }, [identity], { sent })
}

function usernameExists(): ProviderRefusal {
  return new ProviderRefusal(422, 'username_exists', 'Username is already taken')
}

function userExists(): ProviderRefusal {
  return new ProviderRefusal(422, 'user_already_exists', 'User already registered')
}
