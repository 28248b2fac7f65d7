import { useTranslation } from '../lib/use-translation.ts'
import { UnsavedChanges } from '../ui/UnsavedChanges.tsx'

/** Asks before what somebody has changed about themselves is left behind. Draw it while something is not saved. */
export function UnsavedProfile() {
  const { t } = useTranslation()
  return (
    <UnsavedChanges
      words={{
        title: t('account.unsaved'),
        text: t('account.unsavedText'),
        stay: t('account.stay'),
        leave: t('account.leave'),
        close: t('account.close'),
      }}
    />
  )
}
