import { statusOf } from '@wangian/contracts/errors.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Rejection } from '../errors.ts'

/** The auth provider speaks another protocol than our contracts and lives under one prefix. */
export const PROVIDER_PREFIX = '/auth/v1'
const VERSION_HEADER = 'x-supabase-api-version'
/** From this version on an error's `code` is its name; before, it was the status. */
const CURRENT_VERSION = '2024-01-01'

/** A refusal as the protocol has it. */
export interface ProviderError {
  readonly status: number
  readonly code: string
  readonly message: string
}

/** Whether a request is one of the auth provider's protocol, one that it does not know included. */
export function isProviderRequest({ url }: Pick<FastifyRequest, 'url'>): boolean {
  const [path = ''] = url.split('?')
  return path === PROVIDER_PREFIX || path.startsWith(`${PROVIDER_PREFIX}/`)
}

/** What the protocol calls a refusal of ours. */
export function providerErrorOf({ code, message }: Rejection): ProviderError {
  if (code === 'rate-limited') {
    return { status: 429, code: 'over_request_rate_limit', message: 'Request rate limit reached' }
  }
  if (code === 'account-suspended') return { status: 403, code: 'user_banned', message: 'User is banned' }
  const status = statusOf(code)
  return { status, code: status < 500 ? 'validation_failed' : 'unexpected_failure', message }
}

/** Answers in the version of the protocol that was asked for. `extra` are further fields of the body. */
export function sendProviderError(
  { status, code, message }: ProviderError,
  request: FastifyRequest,
  reply: FastifyReply,
  extra: Readonly<Record<string, unknown>> = {},
): FastifyReply {
  const body = isCurrentVersion(request) ? { code, message } : { code: status, error_code: code, msg: message }
  return echoVersion(request, reply)
    .code(status)
    .header('x-sb-error-code', code)
    .type('application/json; charset=utf-8')
    .send({ ...body, ...extra })
}

/** Tells the client that answers have the shape of the version which it asked for. */
export function echoVersion(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return isCurrentVersion(request) ? reply.header(VERSION_HEADER, CURRENT_VERSION) : reply
}

/** The newest version that is not newer than the one asked for: dates sort as text. */
function isCurrentVersion(request: FastifyRequest): boolean {
  const asked = request.headers[VERSION_HEADER]
  return typeof asked === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(asked) && asked >= CURRENT_VERSION
}
