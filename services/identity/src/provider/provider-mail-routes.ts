import type { Language } from '@wangian/contracts/languages.ts'
import type { App } from '@wangian/kit/http/http.ts'
import { languageOf } from '@wangian/kit/http/request-language.ts'
import { requestEmailChange } from '../accounts/email-change.ts'
import { addressBehind } from '../accounts/sign-in-address.ts'
import { lockPerson } from '../leaving/closing-store.ts'
import { landingPage, mailedLink } from '../mails/mailed-links.ts'
import { issueOneTimeToken } from '../mails/one-time-token.ts'
import { findTokenByEmail, listNewestTokens } from '../mails/one-time-token-store.ts'
import { mailRecovery } from '../mails/provider-mails.ts'
import { beginFlow, readChallenge } from '../oauth/flow-state.ts'
import { findAccount, findAccountByEmail, findApplicant } from '../store.ts'
import { inEvenTime } from './even-time.ts'
import { createRequestLimit, createResendLimit, type MailLimit } from './provider-limits.ts'
import { invalid, normalEmail, parseBody, RecoverBody, ResendBody, requireEmail } from './provider-requests.ts'
import type { ProviderDependencies } from './provider-sessions.ts'
import { requireSignUps } from './provider-settings.ts'
import { mailConfirmation } from './provider-sign-up-routes.ts'

const REQUESTS_MAX = 30
/** Longer than the work takes: whether there was any must not be seen by the clock. */
const ANSWER_AFTER_MS = 100

interface MailRequest {
  readonly email: string
  readonly challenge: string | null
  readonly redirectTo: unknown
  /** Of the page where it was asked for. */
  readonly language: Language
  readonly now: Date
}

/** What people ask to be mailed. The answers do not tell whether anybody has the address. */
export function addMailRoutes(scope: App, dependencies: ProviderDependencies, limitMail: MailLimit): void {
  const limitRecoveries = createRequestLimit(scope, REQUESTS_MAX)
  const limitResends = createRequestLimit(scope, REQUESTS_MAX)
  const mayResend = createResendLimit(scope, dependencies.pool)

  scope.post('/recover', async (request) => {
    limitRecoveries(request)
    const body = parseBody(RecoverBody, request.body)
    if (!body.email) throw invalid('Password recovery requires an email')
    const email = requireEmail(body.email)
    const challenge = readChallenge(body)
    const { redirect_to: redirectTo } = request.query as { redirect_to?: unknown }
    await limitMail('recovery', email)
    await inEvenTime(ANSWER_AFTER_MS, () =>
      recover(dependencies, { email, challenge, redirectTo, language: languageOf(request), now: dependencies.now() }),
    )
    return {}
  })

  scope.post('/resend', async (request) => {
    limitResends(request)
    const body = parseBody(ResendBody, request.body)
    const { type } = body
    if (type !== 'signup' && type !== 'email_change') {
      throw invalid(type ? 'Unsupported resend type' : 'Missing one of these types: signup, email_change')
    }
    if (!body.email) throw invalid('Type provided requires an email address')
    if (type === 'signup') requireSignUps(dependencies.switches)
    const typed = normalEmail(body.email)
    const email = requireEmail(await addressBehind(dependencies.pool, typed))
    const challenge = readChallenge(body)
    const { redirect_to: redirectTo } = request.query as { redirect_to?: unknown }
    await limitMail(type, typed)
    const again = type === 'signup' ? resendSignUp : resendEmailChange
    const wanted = { email, challenge, redirectTo, language: languageOf(request), now: dependencies.now() }
    await inEvenTime(ANSWER_AFTER_MS, async () => {
      if (await mayResend(type, email)) await again(dependencies, wanted)
    })
    return {}
  })
}

async function recover(dependencies: ProviderDependencies, wanted: MailRequest): Promise<void> {
  const { pool } = dependencies
  const { email, challenge, redirectTo, language, now } = wanted
  const account = await findAccountByEmail(pool, email)
  if (account === null) return
  const { userId } = account
  const kind = 'recovery'
  await pool.transaction(async (transaction) => {
    const flowId = challenge === null ? null : await beginFlow(transaction, { kind, challenge, userId }, now)
    const { token, code } = await issueOneTimeToken(transaction, { userId, kind, email, flowId, now })
    const url = mailedLink(landingPage(dependencies, kind, redirectTo), kind, token)
    await mailRecovery(transaction, { ...account, language: account.language ?? language }, { url, code })
  })
  dependencies.onAppended()
}

async function resendSignUp(dependencies: ProviderDependencies, wanted: MailRequest): Promise<void> {
  const { pool } = dependencies
  const applicant = await findApplicant(pool, wanted.email)
  if (applicant === null) return
  const { userId, isClaimant } = applicant
  const sent = await listNewestTokens(pool, userId, wanted.now.toISOString())
  const { passwordHash = null, names = null } = sent.find(({ kind }) => kind === 'signup') ?? {}
  await pool.transaction((transaction) =>
    mailConfirmation(dependencies, transaction, { ...wanted, userId, isClaimant, passwordHash, names }),
  )
  dependencies.onAppended()
}

/** By the new address or the present one. */
async function resendEmailChange(dependencies: ProviderDependencies, wanted: MailRequest): Promise<void> {
  const { pool } = dependencies
  const { email, challenge, redirectTo, now } = wanted
  const at = now.toISOString()
  const owner = await findAccountByEmail(pool, email)
  const ofOwner = owner === null ? [] : await listNewestTokens(pool, owner.userId, at)
  const kind = 'email_change'
  const pending = ofOwner.find((token) => token.kind === kind) ?? (await findTokenByEmail(pool, { kind, email, at }))
  const account = pending === null ? null : await findAccount(pool, pending.userId)
  if (pending === null || account === null) return
  await pool.transaction(async (transaction) => {
    const { userId } = account
    await lockPerson(transaction, userId)
    // With all sessions, a change that is under way ends as well.
    if (!(await listNewestTokens(transaction, userId, at)).some(({ id }) => id === pending.id)) return
    const reader = { ...account, language: account.language ?? wanted.language }
    const flowId = challenge === null ? null : await beginFlow(transaction, { kind, challenge, userId }, now)
    await requestEmailChange(transaction, dependencies, {
      account: reader,
      newEmail: pending.email,
      redirectTo,
      flowId,
      now,
    })
  })
  dependencies.onAppended()
}
