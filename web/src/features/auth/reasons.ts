import { ApiError } from '../../api/api-error.ts'
import { ProviderError } from '../../session/auth-provider.ts'

/** The provider's or our server's own sentence. */
export function reasonOf(error: unknown, otherwise: string): string {
  if (error instanceof ProviderError) return error.shown
  return error instanceof ApiError ? error.shown : otherwise
}

export function isProviderError(error: unknown, ...codes: readonly string[]): error is ProviderError {
  return error instanceof ProviderError && error.code !== undefined && codes.includes(error.code)
}
