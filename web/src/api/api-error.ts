import type { ErrorCode } from '@wangian/contracts/errors.ts'
import { ownErrors, ReceivedError } from '@wangian/contracts/received-error.ts'

/**
 * An answer that is not OK, or none at all (`status` 0). `message` is the status, a colon and the body's text, for logs
 * and reports; `shown` is the sentence for a person.
 */
export class ApiError extends Error {
  readonly status: number
  readonly code: ErrorCode | undefined
  readonly shown: string
  readonly requestId: string | undefined
  readonly details: unknown

  constructor(status: number, bodyText: string, options?: ErrorOptions) {
    super(`${status}: ${bodyText}`, options)
    this.name = 'ApiError'
    const body = parseBody(bodyText)
    this.status = status
    this.code = body?.code
    this.shown = body?.message ?? ownErrors[status === 0 || status >= 502 ? 'unavailable' : 'internal'].message
    this.requestId = body?.requestId
    this.details = body?.details
  }
}

/** The sentence that a person sees of any error. */
export function shownMessage(error: unknown): string {
  return error instanceof ApiError ? error.shown : ownErrors.internal.message
}

export function isApiError(error: unknown, code: ErrorCode): boolean {
  return error instanceof ApiError && error.code === code
}

function parseBody(text: string): ReceivedError | undefined {
  try {
    return ReceivedError.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
