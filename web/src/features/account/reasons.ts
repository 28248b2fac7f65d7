import { type ErrorCode, errorCatalogue } from '@wangian/contracts/errors.ts'
import { ApiError } from '../../api/api-error.ts'

/** What the server says went wrong, where that says more than `otherwise`, the words of the form that asked. */
export function reasonOr(error: unknown, otherwise: string): string {
  return error instanceof ApiError && error.code && saysMore(error.code, error.shown) ? error.shown : otherwise
}

function saysMore(code: ErrorCode, shown: string): boolean {
  if (code === 'wrong-password' || code === 'internal') return false
  // Of many things that are not valid, some have words of their own: a password that everybody tries first.
  return code !== 'bad-request' || shown !== errorCatalogue[code].message
}
