import { useTranslation } from 'react-i18next'
import { sentenceInPageLanguage } from '../i18n/in-page-language.ts'

/**
 * The words of a rule that a form's field breaks. Rules of the contracts carry English words, those of a form the key of
 * theirs; i18next gives back what is no key.
 */
export function useFieldError(): (error: { message?: string | undefined } | undefined) => string | undefined {
  const { i18n } = useTranslation()
  return (error) => {
    const message = error?.message
    return message && i18n.exists(message)
      ? i18n.t(message as 'problem.error')
      : message && sentenceInPageLanguage(message)
  }
}
