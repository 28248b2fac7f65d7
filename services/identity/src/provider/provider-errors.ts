import { isUnavailability, Rejection } from '@wangian/kit/errors.ts'
import type { AppReply, AppRequest } from '@wangian/kit/http/http.ts'
import { providerErrorOf, sendProviderError } from '@wangian/kit/http/provider-errors.ts'

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
  return sendProviderError(refusal, request, reply, refusal.extra)
}

/** What the protocol says for any error; 500 and 503 for those that are no refusals. */
export function asRefusal(error: unknown): ProviderRefusal {
  if (error instanceof ProviderRefusal) return error
  if (error instanceof Rejection) {
    const { status, code, message } = providerErrorOf(error)
    return new ProviderRefusal(status, code, message)
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
