import { messagingRoutes } from '@wangian/contracts/messaging.ts'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { shownMessage } from '../../api/api-error.ts'
import { call } from '../../api/client.ts'
import { Confirm } from '../../ui/Confirm.tsx'
import { RowMenu } from '../../ui/RowMenu.tsx'
import { showToast } from '../../ui/toast-store.ts'

/** Blocks somebody after a question, or takes it back. `onChanged` is called when the server knows. */
export function BlockMenu({
  userId,
  name,
  isBlocked,
  onChanged,
}: {
  userId: number
  name: string
  isBlocked: boolean
  onChanged: () => Promise<void>
}) {
  const { t } = useTranslation()
  const [isAsking, setAsking] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const change = async (isWanted: boolean) => {
    setBusy(true)
    try {
      const route = isWanted ? messagingRoutes.blockUser : messagingRoutes.unblockUser
      await call(route, { params: { userId } })
      await onChanged()
      showToast({ title: t(isWanted ? 'messages.blocked' : 'messages.unblocked', { name }) })
    } catch (error) {
      showToast({ title: t('messages.errorTitle'), description: shownMessage(error), tone: 'destructive' })
    } finally {
      setBusy(false)
      setAsking(false)
    }
  }
  return (
    <>
      <RowMenu
        label={t('messages.actions', { name })}
        actions={[
          isBlocked
            ? { label: t('messages.unblock'), onSelect: () => void change(false) }
            : { label: t('messages.block'), tone: 'danger', onSelect: () => setAsking(true) },
        ]}
      />
      {isAsking && (
        <Confirm
          title={t('messages.blockTitle', { name })}
          words={t('messages.blockText')}
          confirmLabel={t('messages.block')}
          cancelLabel={t('messages.cancel')}
          busy={isBusy}
          onConfirm={() => void change(true)}
          onCancel={() => setAsking(false)}
        />
      )}
    </>
  )
}
