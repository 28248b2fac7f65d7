import type { ErrorCode } from '@wangian/contracts/errors.ts'
import { ApiError } from '../../api/api-error.ts'

/** Refusals that say no more than the words of the form that got them. */
const general: readonly ErrorCode[] = ['wrong-password', 'bad-request', 'internal']

/** What the server says went wrong, where it says something in particular. */
export function reasonOr(error: unknown, otherwise: string): string {
  return error instanceof ApiError && error.code && !general.includes(error.code) ? error.shown : otherwise
}
