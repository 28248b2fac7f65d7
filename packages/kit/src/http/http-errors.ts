import { type ErrorBody, type ErrorCode, errorCatalogue, statusOf } from '@wangian/contracts/errors.ts'
import { plainMessage } from '@wangian/contracts/messages.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { isUnavailability, Rejection } from '../errors.ts'
import { isProviderRequest, providerErrorOf, sendProviderError } from './provider-errors.ts'

/** When a client may try again after 503 or 429, unless the refusal itself says so. */
const RETRY_AFTER_S = 1

/** Answers every error of a request with the one body that all failures have; never tells anything of our insides. */
export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const rejection = asRejection(error)
  const status = statusOf(rejection.code)
  if (request.raw.socket?.destroyed) {
    // Whatever else broke, broke with the connection, and nobody reads the answer.
    request.log.info({ err: error }, 'the client has left')
  } else if (status >= 500 && !(error instanceof Rejection)) {
    const level = rejection.code === 'internal' ? 'error' : 'warn'
    request.log[level]({ err: error }, level === 'error' ? 'a request failed by a bug' : 'a request failed')
  } else {
    request.log.info({ code: rejection.code }, 'rejected a request')
  }
  const length = status === 416 ? contentRangeOf(error) : undefined
  if (length !== undefined) reply.header('content-range', length)
  return sendRejection(rejection, request, reply)
}

/** Sends the refusal with the status of its code and the headers that go with the status, to the auth provider's clients in its protocol. */
export function sendRejection(rejection: Rejection, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const status = statusOf(rejection.code)
  // A handler may have said how the answer that it did not come to give may be kept.
  reply.header('cache-control', 'no-store').removeHeader('etag')
  if (status === 401) reply.header('www-authenticate', 'Bearer')
  // A plugin may have set a better one.
  if ((status === 429 || status === 503) && !reply.hasHeader('retry-after'))
    reply.header('retry-after', String(retryAfterS(rejection.details)))
  if (isProviderRequest(request)) return sendProviderError(providerErrorOf(rejection), request, reply)
  return reply.code(status).type('application/json; charset=utf-8').send(errorBody(rejection, request.id))
}

export function errorBody(rejection: Rejection, requestId: string): ErrorBody {
  const body = { message: rejection.message, code: rejection.code, requestId }
  return rejection.details === undefined ? body : { ...body, details: rejection.details }
}

/**
 * Parses a part of a request.
 * @throws Rejection('bad-request') with the first problem as its message and all of them, `{path, message}`, as details
 */
export function parsePart<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(value, { error: plainMessage })
  if (parsed.success) return parsed.data
  const details = parsed.error.issues.map((issue) => ({ path: issue.path.join('.'), message: issue.message }))
  throw new Rejection('bad-request', details[0]?.message, details)
}

/** Any error as the refusal that the caller sees. */
function asRejection(error: unknown): Rejection {
  if (error instanceof Rejection) return error
  if (isUnavailability(error)) return new Rejection('unavailable')
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined
  return new Rejection(typeof status === 'number' ? codeOf(status) : 'internal')
}

/** How long a file is of which somebody wants what comes after it, as whoever sends files says it. */
function contentRangeOf(error: unknown): string | undefined {
  const { headers } = error as { readonly headers?: Readonly<Record<string, string>> }
  return headers?.['Content-Range']
}

/** The code for a failure of Fastify or a plugin, which know statuses only. */
function codeOf(status: number): ErrorCode {
  if (status < 400 || status === 500) return 'internal'
  return codeByStatus.get(status) ?? (status < 500 ? 'bad-request' : 'unavailable')
}

const codeByStatus: ReadonlyMap<number, ErrorCode> = new Map([
  [401, 'authentication-required'],
  [403, 'forbidden'],
  [404, 'not-found'],
  [405, 'method-not-allowed'],
  [409, 'conflict'],
  [413, 'too-large'],
  [415, 'unsupported-type'],
  [416, 'range-not-satisfiable'],
  [429, 'rate-limited'],
])

function retryAfterS(details: unknown): number {
  if (typeof details === 'object' && details !== null && 'retryAfterS' in details) {
    const { retryAfterS } = details
    if (typeof retryAfterS === 'number' && retryAfterS > 0) return Math.ceil(retryAfterS)
  }
  return RETRY_AFTER_S
}

/** The same body for errors that happen before there is a request to log with. */
export function bareErrorBody(code: ErrorCode, requestId: string): string {
  return JSON.stringify({ message: errorCatalogue[code].message, code, requestId })
}
