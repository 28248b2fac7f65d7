import { DEFAULT_LANGUAGE, type Language } from '@wangian/contracts/languages.ts'
import { accountWordsEn } from './account-en.ts'
import { accountWordsMs } from './account-ms.ts'
import { dealWordsEn } from './deal-en.ts'
import { dealWordsMs } from './deal-ms.ts'
import { tradeWordsEn } from './trade-en.ts'
import { tradeWordsMs } from './trade-ms.ts'

/** What one mail says. What it links to and shows is added where it is made. */
export interface MailText {
  /** The title where it is not given. */
  readonly subject?: string
  readonly title: string
  readonly paragraphs: readonly string[]
  readonly button?: string
  /** Why the person gets this mail, and what to do when it was not them. */
  readonly footer: string
}

const english = { ...accountWordsEn, ...dealWordsEn, ...tradeWordsEn }

/** What mails say, by language. */
export const mailWordsByLanguage: Readonly<Record<Language, typeof english>> = {
  en: english,
  ms: { ...accountWordsMs, ...dealWordsMs, ...tradeWordsMs },
}

/** @param language `null` for somebody who has never said which one they read */
export function mailWords(language: Language | null): typeof english {
  return mailWordsByLanguage[language ?? DEFAULT_LANGUAGE]
}
