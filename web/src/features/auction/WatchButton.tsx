import { noticeRoutes } from '@wangian/contracts/notices.ts'
import { Eye, EyeOff } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { shownMessage } from '../../api/api-error.ts'
import { call } from '../../api/client.ts'
import { useApi } from '../../api/use-api.ts'
import { Button } from '../../ui/Button.tsx'
import { showToast } from '../../ui/toast-store.ts'

/** Has the signed-in person told when the auction is about to end. Whoever leads has bid, and watches without pressing it. */
export function WatchButton({ auctionId, leads }: { auctionId: number; leads: boolean }) {
  const { t } = useTranslation()
  const params = { auctionId }
  const { data, mutate } = useApi(noticeRoutes.getWatch, { params }, { revalidateOnMount: true })
  // What was pressed here counts more than that somebody leads.
  const [chosen, setChosen] = useState<boolean | null>(null)
  const [isBusy, setBusy] = useState(false)
  if (!data) return null
  const isWatching = chosen ?? (data.isWatching || leads)
  const press = async () => {
    setBusy(true)
    try {
      const answer = await call(isWatching ? noticeRoutes.unwatchAuction : noticeRoutes.watchAuction, { params })
      setChosen(answer.isWatching)
      await mutate(answer, { revalidate: false })
      showToast(
        answer.isWatching
          ? { title: t('auction.watching'), description: t('auction.watchingText') }
          : { title: t('auction.notWatching') },
      )
    } catch (problem) {
      showToast({ title: t('problem.error'), description: shownMessage(problem), tone: 'destructive' })
    } finally {
      setBusy(false)
    }
  }
  const Icon = isWatching ? EyeOff : Eye
  return (
    <Button tone="secondary" wide busy={isBusy} onClick={() => void press()}>
      <Icon size={18} strokeWidth={1.5} aria-hidden />
      {isWatching ? t('auction.unwatch') : t('auction.watch')}
    </Button>
  )
}
