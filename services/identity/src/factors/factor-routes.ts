import type { App, AppRequest } from '@wangian/kit/http/http.ts'
import { createSharedRateLimiter, type SharedRateLimiter } from '@wangian/kit/http/shared-rate-limit.ts'
import { renderSVG } from 'uqr'
import { z } from 'zod'
import { createRequestLimit } from '../provider/provider-limits.ts'
import {
  EnrollBody,
  FactorVerifyBody,
  invalid,
  parseBody,
  RecoveryCodeBody,
  RecoveryCodesBody,
} from '../provider/provider-requests.ts'
import { type ProviderDependencies, signedIn, tokenJson } from '../provider/provider-sessions.ts'
import { seconds } from '../sessions/tokens.ts'
import {
  beginChallenge,
  enrollApp,
  type FactorRequest,
  factorNotFound,
  unenroll,
  verifyApp,
  wrongAppCode,
} from './factors.ts'
import {
  codesStatus,
  generateCodes,
  type RecoveryCodes,
  readRecoveryCode,
  regenerateCodes,
  removeCodes,
  verifyCode,
  wrongRecoveryCode,
} from './recovery-codes.ts'
import { readCode, secretText, totpUri } from './totp.ts'

const CHANGES_MAX = 30
const VERIFICATIONS_MAX = 60
const FAILED_TRIES_MAX = 5
const FAILED_TRIES_WINDOW_MS = 15 * 60 * 1000
const NAME_LENGTH_MAX = 100
/** So many modules of nothing around the picture, or cameras may not find it on a dark page. */
const QUIET_ZONE = 4
const Id = z.uuid()

/** A second factor beside the password: an authenticator app, and the codes for the day that it is lost. */
export function addFactorRoutes(scope: App, dependencies: ProviderDependencies): void {
  const { pool } = dependencies
  const limits: Limits = {
    change: createRequestLimit(scope, CHANGES_MAX),
    verify: createRequestLimit(scope, VERIFICATIONS_MAX),
    // By person and not by address as well: whoever tries knows the password already.
    failedTries: createSharedRateLimiter(
      { pool, rateLimitFactor: scope.rateLimitFactor },
      { name: 'second factors', limit: FAILED_TRIES_MAX, windowMs: FAILED_TRIES_WINDOW_MS, isExact: true },
    ),
  }
  addAppRoutes(scope, dependencies, limits)
  addRecoveryCodeRoutes(scope, dependencies, limits)
}

/** Of apps and of recovery codes together. */
interface Limits {
  readonly change: ReturnType<typeof createRequestLimit>
  readonly verify: ReturnType<typeof createRequestLimit>
  readonly failedTries: SharedRateLimiter
}

function addAppRoutes(scope: App, dependencies: ProviderDependencies, limits: Limits): void {
  const { pool, factorKey, publicUrl, isFactorRequired, onAppended } = dependencies

  scope.post('/factors', async (request) => {
    limits.change(request)
    const asked = await readRequest(dependencies, request)
    const body = parseBody(EnrollBody, request.body)
    if (body.factor_type !== 'totp') throw invalid('factor_type needs to be totp')
    const friendlyName = readName(body.friendly_name ?? '')
    const issuer = readName(body.issuer ?? '') || new URL(publicUrl).host
    const { id, secret } = await enrollApp(pool, factorKey, { ...asked, friendlyName })
    const uri = totpUri(secret, { issuer, email: asked.account.email })
    // Colours by name: clients put the picture into an address, where `#` would end it.
    const qrCode = renderSVG(uri, { whiteColor: 'white', blackColor: 'black', border: QUIET_ZONE })
    const totp = { qr_code: qrCode, secret: secretText(secret), uri }
    return { id, type: 'totp', ...(friendlyName !== '' && { friendly_name: friendlyName }), totp }
  })

  scope.post('/factors/:factorId/challenge', async (request) => {
    limits.verify(request)
    const asked = await readRequest(dependencies, request)
    const { id, expiresAt } = await beginChallenge(pool, { ...asked, factorId: requireFactorId(request) })
    return { id, type: 'totp', expires_at: seconds(expiresAt) }
  })

  scope.post('/factors/:factorId/verify', async (request) => {
    limits.verify(request)
    const asked = await readRequest(dependencies, request)
    const factorId = requireFactorId(request)
    const { challenge_id: challengeId, code: typed } = parseBody(FactorVerifyBody, request.body)
    if (!typed) throw invalid('Code needs to be non-empty')
    if (!Id.safeParse(challengeId).success || !challengeId) throw invalid('challenge_id is not a valid UUID')
    const code = readCode(typed)
    if (code === null) throw wrongAppCode()
    // Counted before the code is looked at, or many at once would all be let through.
    await limits.failedTries.take(asked.account.userId)
    const session = await verifyApp(pool, factorKey, { ...asked, factorId, challengeId, code })
    await limits.failedTries.forget(asked.account.userId)
    onAppended()
    return tokenJson(dependencies, asked.account, session)
  })

  scope.delete('/factors/:factorId', async (request) => {
    limits.change(request)
    const asked = await readRequest(dependencies, request)
    const factorId = requireFactorId(request)
    await unenroll(pool, { ...asked, factorId, isRequired: asked.account.isAdmin && isFactorRequired })
    onAppended()
    return { id: factorId }
  })
}

function addRecoveryCodeRoutes(scope: App, dependencies: ProviderDependencies, limits: Limits): void {
  const { pool, factorKey, onAppended } = dependencies

  scope.get('/factors/recovery-codes', async (request) => {
    const { account } = await signedIn(dependencies, request)
    const { id, ...counts } = await codesStatus(pool, account.userId)
    return { id, type: 'recovery_code', ...counts }
  })

  scope.post('/factors/recovery-codes', async (request) => {
    limits.change(request)
    const asked = await readRequest(dependencies, request)
    const body = parseBody(RecoveryCodesBody, request.body)
    const friendlyName = readName(body?.friendly_name ?? '') || 'Recovery codes'
    return codesJson(await generateCodes(pool, factorKey, { ...asked, friendlyName }))
  })

  scope.post('/factors/recovery-codes/regenerate', async (request) => {
    limits.change(request)
    return codesJson(await regenerateCodes(pool, factorKey, await readRequest(dependencies, request)))
  })

  scope.delete('/factors/recovery-codes', async (request) => {
    limits.change(request)
    return { id: await removeCodes(pool, await readRequest(dependencies, request)) }
  })

  scope.post('/factors/recovery-codes/verify', async (request) => {
    limits.verify(request)
    const asked = await readRequest(dependencies, request)
    const code = readRecoveryCode(parseBody(RecoveryCodeBody, request.body).code ?? '')
    if (code === null) throw wrongRecoveryCode()
    await limits.failedTries.take(asked.account.userId)
    const session = await verifyCode(pool, factorKey, { ...asked, code })
    await limits.failedTries.forget(asked.account.userId)
    onAppended()
    return tokenJson(dependencies, asked.account, session)
  })
}

async function readRequest(dependencies: ProviderDependencies, request: AppRequest): Promise<FactorRequest> {
  const { account, session } = await signedIn(dependencies, request)
  const { publicUrl } = dependencies
  return { account, session, now: dependencies.now(), correlationId: request.id, publicUrl }
}

function codesJson({ factor, codes }: RecoveryCodes) {
  const { id, kind, friendlyName } = factor
  return { id, type: kind, friendly_name: friendlyName, total: codes.length, codes }
}

function requireFactorId(request: AppRequest): string {
  const { factorId } = request.params as { factorId: string }
  if (!Id.safeParse(factorId).success) throw factorNotFound()
  return factorId
}

function readName(given: string): string {
  const name = given.trim()
  if (name.length > NAME_LENGTH_MAX) throw invalid(`A name must be ${NAME_LENGTH_MAX} characters or less`)
  return name
}
