import { DEFAULT_LANGUAGE, type Language } from '@wangian/contracts/languages.ts'
import { invariant } from '@wangian/kit/invariant.ts'
import type { Mail } from '@wangian/kit/mail/mail.ts'
import { type MailContent, mailLayout } from './mail-layout.ts'
import type { MailText } from './words/mail-words.ts'

/** An account is one. */
export interface Recipient {
  readonly email: string
  /** Whose mail it is, for their erasure. */
  readonly userId: number
  /** What they read; `null` for somebody who has never said so. */
  readonly language: Language | null
}

/**
 * A mail that says this in the look of Wangian.
 * @param options.url where its button leads; there is one exactly when the words have a label for it
 */
export function textMail(
  { email, userId, language }: Recipient,
  kind: string,
  { subject, title, button, ...text }: MailText,
  { url, ...more }: Pick<MailContent, 'code' | 'settings'> & { readonly url?: string } = {},
): Mail {
  invariant((button === undefined) === (url === undefined), `a mail ${kind} has a button that leads somewhere, or none`)
  const content = mailLayout({
    language: language ?? DEFAULT_LANGUAGE,
    title,
    ...text,
    ...more,
    ...(button !== undefined && url !== undefined && { button: { label: button, url } }),
  })
  return { to: email, personId: userId, kind, subject: subject ?? title, ...content }
}
