import { DEFAULT_LANGUAGE, type Language } from '@wangian/contracts/languages.ts'
import type { Mail } from '@wangian/kit/mail/mail.ts'
import { type Recipient, textMail } from './text-mail.ts'
import { mailWords } from './words/mail-words.ts'

/** Where most people are who read it. */
const TIME_ZONE = 'Asia/Kuala_Lumpur'
/** How the day is written. */
const locales = { en: 'en-GB', ms: 'ms-MY' } as const satisfies Record<Language, string>

/** Says that an account is closed, and until when it can be had back. */
export function accountClosedMail(recipient: Recipient & { readonly username: string }, erasedFrom: Date): Mail {
  const { username, language } = recipient
  const locale = locales[language ?? DEFAULT_LANGUAGE]
  const day = erasedFrom.toLocaleDateString(locale, { dateStyle: 'long', timeZone: TIME_ZONE })
  const text = mailWords(language).accountClosed({ username, day })
  return textMail(recipient, 'account-deleted', text)
}
