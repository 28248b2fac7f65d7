import type { ErrorCode } from '@wangian/contracts/errors.ts'
import { ownErrors, ReceivedError } from '@wangian/contracts/received-error.ts'
import { sentenceInPageLanguage } from '../i18n/in-page-language.ts'

/**
 * An answer that is not OK, or none at all (`status` 0). `message` is the status, a colon and the body's text, for logs
 * and reports; `shown` is the sentence for a person, in the language of the page.
 */
export class ApiError extends Error {
  readonly status: number
  readonly code: ErrorCode | undefined
  readonly requestId: string | undefined
  readonly details: unknown
  readonly #sentence: string
  readonly #spokenCode: ErrorCode

  constructor(status: number, bodyText: string, options?: ErrorOptions) {
    super(`${status}: ${bodyText}`, options)
    this.name = 'ApiError'
    const body = parseBody(bodyText)
    this.status = status
    this.code = body?.code
    const own = status === 0 || status >= 502 ? 'unavailable' : 'internal'
    this.#sentence = body?.message ?? ownErrors[own].message
    this.#spokenCode = body?.code ?? own
    this.requestId = body?.requestId
    this.details = body?.details
  }

  get shown(): string {
    return sentenceInPageLanguage(this.#sentence, this.#spokenCode)
  }
}

/** The sentence that a person sees of any error. */
export function shownMessage(error: unknown): string {
  return error instanceof ApiError ? error.shown : sentenceInPageLanguage(ownErrors.internal.message, 'internal')
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
