import { i18n } from '../i18n/i18n.ts'
import { sentenceInPageLanguage } from '../i18n/in-page-language.ts'
import { useTranslation } from './use-translation.ts'

/**
 * The words of a rule that a form's field breaks. Rules of the contracts carry English words, those of a form the key of
 * theirs; what is no key is such words.
 */
export function useFieldError(): (error: { message?: string | undefined } | undefined) => string | undefined {
  const { t } = useTranslation()
  return (error) => {
    const message = error?.message
    return message && i18n.exists(message) ? t(message) : message && sentenceInPageLanguage(message)
  }
}
