import { useTranslation } from './use-translation.ts'

/** What is asked before something that was written in a dialog, and not sent, is left behind. */
export function useUnsentWords() {
  const { t } = useTranslation()
  return {
    title: t('unsent.title'),
    text: t('unsent.text'),
    stay: t('unsent.stay'),
    leave: t('unsent.leave'),
    close: t('unsent.close'),
  }
}
