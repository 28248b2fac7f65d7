import type { ErrorCode } from '@wangian/contracts/errors.ts'
import { ownErrors } from '@wangian/contracts/received-error.ts'
import { ApiError, isApiError } from '../api/api-error.ts'
import { sentenceInPageLanguage } from '../i18n/in-page-language.ts'
import { ProviderError } from '../session/auth-provider.ts'

/** What the server says went wrong, where that says more than `otherwise`, the words of the form that asked. */
export function reasonOr(error: unknown, otherwise: string): string {
  if (error instanceof ProviderError) return isWrongPassword(error) ? otherwise : error.shown
  return error instanceof ApiError && error.code && saysMore(error.code, error.shown) ? error.shown : otherwise
}

/** In the words of our own server, or in those of the auth provider. */
export function isWrongPassword(error: unknown): boolean {
  if (error instanceof ProviderError) {
    return ['invalid_credentials', 'current_password_invalid'].includes(error.code ?? '')
  }
  return isApiError(error, 'wrong-password')
}

function saysMore(code: ErrorCode, shown: string): boolean {
  if (code === 'wrong-password' || code === 'internal') return false
  // Of many things that are not valid, some have words of their own: a password that everybody tries first.
  return code !== 'bad-request' || shown !== sentenceInPageLanguage(ownErrors[code].message, code)
}
