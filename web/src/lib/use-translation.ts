import { useSyncExternalStore } from 'react'
import { onOtherLanguage, type Shown, shownTranslation } from '../i18n/i18n.ts'

/** The language that is shown and its words; whoever uses it is rendered again in another language. */
export function useTranslation(): Shown {
  return useSyncExternalStore(onOtherLanguage, shownTranslation, shownTranslation)
}
