import { type Message, messagingRoutes } from '@wangian/contracts/messaging.ts'
import { Suspense, useState } from 'react'
import { shownMessage } from '../../api/api-error.ts'
import { call } from '../../api/client.ts'
import { cutTo } from '../../lib/cut.ts'
import { lazyPart } from '../../lib/lazy-part.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { Confirm } from '../../ui/Confirm.tsx'
import { RowMenu } from '../../ui/RowMenu.tsx'
import { showToast } from '../../ui/toast-store.ts'

const ReportDialog = lazyPart(async () => (await import('../../contact/ReportDialog.tsx')).ReportDialog)

/** Words of a message that tell it from others. */
const excerptMax = 60

/** Blocks somebody after a question, or takes it back, and reports them or one of their messages. `onChanged` is called when a block is known. */
export function ChatMenu({
  userId,
  name,
  isBlocked,
  messages,
  onChanged,
}: {
  userId: number
  name: string
  isBlocked: boolean
  messages: readonly Message[]
  onChanged: () => Promise<void>
}) {
  const { t } = useTranslation()
  const [isAsking, setAsking] = useState(false)
  const [isReporting, setReporting] = useState(false)
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
          { label: t('messages.report'), onSelect: () => setReporting(true) },
          isBlocked
            ? { label: t('messages.unblock'), onSelect: () => void change(false) }
            : { label: t('messages.block'), tone: 'danger', onSelect: () => setAsking(true) },
        ]}
      />
      {isReporting && (
        <Suspense fallback={null}>
          <ReportDialog
            targets={[
              { kind: 'person', targetId: userId, label: t('report.person', { name }) },
              ...messages
                .filter(({ senderId, actionType, author }) => senderId === userId && actionType === null && !author)
                .reverse()
                .map(({ id, content }) => ({
                  kind: 'message' as const,
                  targetId: id,
                  label: t('report.message', { text: excerptOf(content) }),
                })),
            ]}
            name={name}
            onClose={() => setReporting(false)}
          />
        </Suspense>
      )}
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

function excerptOf(content: string): string {
  return content.length > excerptMax ? `${cutTo(content, excerptMax)}…` : content
}
