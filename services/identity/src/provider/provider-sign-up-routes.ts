import { randomUUID } from 'node:crypto'
import type { Language } from '@wangian/contracts/languages.ts'
import { isUniqueViolation, type Transaction } from '@wangian/kit/database/postgres.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import type { App } from '@wangian/kit/http/http.ts'
import { languageOf } from '@wangian/kit/http/request-language.ts'
import { runCommand } from '@wangian/kit/log/command.ts'
import { isUsernameTakenByOthers, type RegistrationResult, registerAccount } from '../accounts/accounts.ts'
import { userDecider, userStream } from '../accounts/domain.ts'
import { takeClaimedEmail, updateLanguage, updateNames, upsertCredential } from '../accounts/person-store.ts'
import { isConfirmed } from '../leaving/closing-store.ts'
import { landingPage, mailedLink } from '../mails/mailed-links.ts'
import { issueOneTimeToken } from '../mails/one-time-token.ts'
import type { SignUpNames } from '../mails/one-time-token-store.ts'
import { mailKnownAddress, mailSignUp } from '../mails/provider-mails.ts'
import { beginFlow, readChallenge } from '../oauth/flow-state.ts'
import { hashPassword } from '../passwords/passwords.ts'
import { projectUser } from '../projections.ts'
import { type Account, drawUserId, findAccountByEmail, findApplicant, type Identity, isEmailTaken } from '../store.ts'
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
/** Those who come with the same address at one moment get in each other's way once. */
const TRIES_MAX = 3
/** Whoever registers by themselves. */
const ordinary = { isSeller: true, isAdmin: false } as const

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
 * somebody has as for any other: the answer, the limit, the time, and whatever they ask afterwards. So whoever registers with an
 * address that is another person's gets an account, too, which looks like one that nobody has confirmed, and never can be.
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
    if (isAutoconfirmed) return signUpConfirmed(dependencies, signUp, password)
    await limitMail('signup', email)
    return inEvenTime(ANSWER_AFTER_MS, () => signUpUnconfirmed(dependencies, signUp, password))
  })
}

async function signUpConfirmed(dependencies: ProviderDependencies, signUp: SignUp, password: string) {
  const { pool, onAppended } = dependencies
  const passwordHash = await hashPassword(password)
  const result = await registerAccount(pool, { ...ordinary, ...signUp, passwordHash, isEmailConfirmed: true })
  if (result.outcome !== 'registered') throw refusalOf(result.outcome)
  onAppended()
  return startSession(dependencies, result.account)
}

async function signUpUnconfirmed(dependencies: ProviderDependencies, signUp: SignUp, password: string) {
  const { pool, onAppended } = dependencies
  const { email, username } = signUp
  const passwordHash = await hashPassword(password)
  for (let attempt = 1; ; attempt += 1) {
    const applicant = await findApplicant(pool, email)
    if (applicant !== null && (await registerAgain(dependencies, applicant, signUp, passwordHash))) {
      onAppended()
      return madeUpUser(signUp, username ?? `user-${await drawUserId(pool)}`)
    }
    const isClaimant = await isEmailTaken(pool, email)
    const result = await registerAccount(pool, {
      ...ordinary,
      ...signUp,
      isClaimant,
      passwordHash,
      isEmailConfirmed: false,
      within: (transaction, userId) =>
        mailConfirmation(dependencies, transaction, {
          ...signUp,
          userId,
          isClaimant,
          passwordHash,
          names: namesOf(signUp),
        }),
    })
    if (result.outcome === 'registered') {
      onAppended()
      return currentUserJson(dependencies, result.account)
    }
    // Somebody came with the same address at this moment: the next time they are found.
    if (result.outcome !== 'email-taken' || attempt >= TRIES_MAX) throw refusalOf(result.outcome)
  }
}

/**
 * Mails what confirms the address of an account. Where it is another person's, that one is told instead, and what confirms is made
 * all the same: an account stays as long as it has some, and takes as long to be answered about.
 */
export async function mailConfirmation(
  dependencies: ProviderDependencies,
  transaction: Transaction,
  confirmation: Pick<SignUp, 'email' | 'challenge' | 'redirectTo' | 'language' | 'now'> & {
    readonly userId: number
    readonly isClaimant: boolean
    readonly passwordHash: string | null
    readonly names: SignUpNames | null
  },
): Promise<void> {
  const { userId, isClaimant, email, language, challenge, redirectTo, passwordHash, names, now } = confirmation
  const kind = 'signup'
  const flowId = challenge === null ? null : await beginFlow(transaction, { kind, challenge, userId }, now)
  const { token, code } = await issueOneTimeToken(transaction, {
    userId,
    kind,
    email,
    flowId,
    passwordHash,
    names,
    now,
  })
  if (isClaimant && !(await takeClaimedEmail(transaction, userId))) {
    const owner = await findAccountByEmail(transaction, email)
    if (owner === null) return
    const recipient = { ...owner, language: owner.language ?? language }
    await mailKnownAddress(transaction, recipient, dependencies.publicUrl)
    return
  }
  const url = mailedLink(landingPage(dependencies, kind, redirectTo), kind, token)
  await mailSignUp(transaction, { email, userId, language }, { url, code })
}

/**
 * Nobody has proven yet to be the owner of the account, so it takes the data of whoever came last; and then the data and the
 * password of whoever's link is opened.
 * @returns false when that is not so any more
 */
async function registerAgain(
  dependencies: ProviderDependencies,
  applicant: Account,
  signUp: SignUp,
  passwordHash: string,
): Promise<boolean> {
  const { userId, isClaimant } = applicant
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
        if (await isConfirmed(transaction, userId)) throw new IsConfirmed()
        for (const event of events) await projectUser(transaction, event)
        await updateNames(transaction, { userId, username: username ?? undefined, firstName, lastName, metadata, at })
        await updateLanguage(transaction, { userId, language, at })
        await upsertCredential(transaction, { userId, passwordHash, at })
        const names = namesOf(signUp)
        await mailConfirmation(dependencies, transaction, { ...signUp, userId, isClaimant, passwordHash, names })
      },
    })
    return true
  } catch (error) {
    if (error instanceof IsConfirmed || isUniqueViolation(error, 'people_email_key')) return false
    // It has been erased.
    if (error instanceof Rejection && error.code === 'not-found') return false
    if (isUniqueViolation(error, 'people_by_username')) throw usernameExists()
    throw error
  }
}

/** Somebody has just proven the address. */
class IsConfirmed extends Error {
  override readonly name = 'IsConfirmed'
}

function namesOf({ username, firstName, lastName, metadata }: UserData): SignUpNames {
  return { username, firstName, lastName, metadata }
}

/** What whoever registers again gets: not who has registered before, for that may be somebody else. */
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

function refusalOf(outcome: Exclude<RegistrationResult['outcome'], 'registered'>): ProviderRefusal {
  return outcome === 'username-taken'
    ? usernameExists()
    : new ProviderRefusal(422, 'user_already_exists', 'User already registered')
}

function usernameExists(): ProviderRefusal {
  return new ProviderRefusal(422, 'username_exists', 'Username is already taken')
}
