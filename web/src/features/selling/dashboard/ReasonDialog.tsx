import { shownMessage } from '../../../api/api-error.ts'
import { useTranslation } from '../../../lib/use-translation.ts'
import { useUnsentWords } from '../../../lib/use-unsent-words.ts'
import { ReasonDialog as Dialog } from '../../../ui/ReasonDialog.tsx'
import { showToast } from '../../../ui/toast-store.ts'

/** Asks before something about an auction that cannot be taken back, and for its reason. */
export function ReasonDialog({
  step,
  product,
  intro,
  isRequired = false,
  onConfirm,
  onClose,
}: {
  /** Whose words are shown. */
  step: 'cancelling' | 'releasing'
  /** What it is about. */
  product: { readonly name: string }
  intro: string
  isRequired?: boolean
  /** Does it; `reason` is empty where none is given. What it throws is shown, and it can be tried again. */
  onConfirm: (reason: string) => Promise<void>
  onClose: () => void
}) {
  const { t } = useTranslation()
  const { name } = product
  const confirm = async (reason: string) => {
    try {
      await onConfirm(reason)
    } catch (error) {
      return shownMessage(error)
    }
    showToast({ title: t(`dashboard.${step}.done`), description: t(`dashboard.${step}.doneText`, { name }) })
    onClose()
    return null
  }
  return (
    <Dialog
      words={{
        title: t(`dashboard.${step}.title`, { name }),
        label: t(`dashboard.${step}.reason`),
        help: t(`dashboard.${step}.reasonHelp`),
        close: t('shell.closeToast'),
        keep: t(`dashboard.${step}.keep`),
        confirm: t(`dashboard.${step}.confirm`),
        busy: t(`dashboard.${step}.busy`),
        unsent: useUnsentWords(),
      }}
      intro={intro}
      missing={isRequired ? t('dashboard.cancelling.reasonMissing') : undefined}
      onConfirm={confirm}
      onClose={onClose}
    />
  )
}
