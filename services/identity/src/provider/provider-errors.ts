import { statusOf } from '@wangian/contracts/errors.ts'
import { isUnavailability, Rejection } from '@wangian/kit/errors.ts'
import type { AppReply, AppRequest } from '@wangian/kit/http/http.ts'

const VERSION_HEADER = 'x-supabase-api-version'
/** From this version on an error's `code` is its name; before, it was the status. */
const CURRENT_VERSION = '2024-01-01'
const RETRY_AFTER_S = 1

/** The provider says no, in the words and with the code of its protocol. */
export class ProviderRefusal extends Error {
  override readonly name = 'ProviderRefusal'
  readonly status: number
  readonly code: string
  /** Further fields of the body. */
  readonly extra: Readonly<Record<string, unknown>>

  constructor(
    status: number,
    code: string,
    message: string,
    extra: Readonly<Record<string, unknown>> = {},
    options?: ErrorOptions,
  ) {
    super(message, options)
    this.status = status
    this.code = code
    this.extra = extra
  }
}

/** The one kind of refusal that the protocol words as OAuth does. */
export class OAuthRefusal extends Error {
  override readonly name = 'OAuthRefusal'
  readonly error: string

  constructor(error: string, description: string) {
    super(description)
    this.error = error
  }
}

/** Answers every error below the provider's address as its clients expect it. */
export function answerProviderError(error: unknown, request: AppRequest, reply: AppReply): AppReply {
  if (error instanceof OAuthRefusal) {
    return reply.code(400).send({ error: error.error, error_description: error.message })
  }
  const refusal = asRefusal(error)
  if (refusal.status === 500) request.log.error({ err: error }, 'a request to the auth provider failed by a bug')
  else if (refusal.status > 500) request.log.warn({ err: error }, 'a request to the auth provider failed')
  else request.log.info({ code: refusal.code }, 'the auth provider refused a request')
  if (refusal.status === 429 || refusal.status === 503) {
    reply.header('retry-after', String(retryAfterS(error)))
  }
  return reply
    .code(refusal.status)
    .header('x-sb-error-code', refusal.code)
    .send({ ...(isCurrentVersion(request) ? currentBody(refusal) : legacyBody(refusal)), ...refusal.extra })
}

/** Tells the client that answers have the shape of the version which it asked for. */
export async function echoVersion(request: AppRequest, reply: AppReply): Promise<void> {
  if (isCurrentVersion(request)) reply.header(VERSION_HEADER, CURRENT_VERSION)
}

/** The newest version that is not newer than the one asked for: dates sort as text. */
function isCurrentVersion(request: AppRequest): boolean {
  const asked = request.headers[VERSION_HEADER]
  return typeof asked === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(asked) && asked >= CURRENT_VERSION
}

function currentBody({ code, message }: ProviderRefusal) {
  return { code, message }
}

function legacyBody({ status, code, message }: ProviderRefusal) {
  return { code: status, error_code: code, msg: message }
}

/** What the protocol says for any error; 500 and 503 for those that are no refusals. */
export function asRefusal(error: unknown): ProviderRefusal {
  if (error instanceof ProviderRefusal) return error
  if (error instanceof Rejection) {
    if (error.code === 'rate-limited') {
      return new ProviderRefusal(429, 'over_request_rate_limit', 'Request rate limit reached')
    }
    if (error.code === 'account-suspended') return new ProviderRefusal(403, 'user_banned', 'User is banned')
    return new ProviderRefusal(statusOf(error.code), fallbackCode(statusOf(error.code)), error.message)
  }
  if (isUnavailability(error)) {
    return new ProviderRefusal(503, 'unexpected_failure', 'The service is not available right now, please try again')
  }
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined
  // Fastify and the body parser say with 4xx what was wrong with the request; 400 is JSON that cannot be read.
  if (status === 400) return new ProviderRefusal(400, 'bad_json', 'Could not parse request body as JSON')
  if (typeof status === 'number' && status > 400 && status < 500) {
    return new ProviderRefusal(status, 'validation_failed', 'The request body is too large or not JSON')
  }
  return new ProviderRefusal(
    500,
    'unexpected_failure',
    'Unexpected failure, please check server logs for more information',
  )
}

function fallbackCode(status: number): string {
  return status < 500 ? 'validation_failed' : 'unexpected_failure'
}

/** When it is worth trying again, of a rejection by a rate limiter or of what it caused. */
export function retryAfterS(error: unknown): number {
  if (error instanceof ProviderRefusal) return retryAfterS(error.cause)
  const details = error instanceof Rejection ? error.details : undefined
  if (typeof details === 'object' && details !== null && 'retryAfterS' in details) {
    const { retryAfterS: seconds } = details
    if (typeof seconds === 'number' && seconds > 0) return Math.ceil(seconds)
  }
  return RETRY_AFTER_S
}
