import { noticeRoutes } from '@wangian/contracts/notices.ts'
import { Eye, EyeOff } from 'lucide-react'
import { useState } from 'react'
import { shownMessage } from '../../api/api-error.ts'
import { call } from '../../api/client.ts'
import { useApi } from '../../api/use-api.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { space } from '../../theme/theme.ts'
import { Button } from '../../ui/Button.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { showToast } from '../../ui/toast-store.ts'

/** Keeps its place while nobody knows what it says. */
export function WatchButtonToCome() {
  return <Skeleton $height={space(12)} />
}

/** Has the signed-in person told when the auction is about to end. Whoever leads has bid, and watches without pressing it. */
export function WatchButton({ auctionId, leads }: { auctionId: number; leads: boolean }) {
  const { t } = useTranslation()
  const params = { auctionId }
  const { data, error, mutate } = useApi(noticeRoutes.getWatch, { params }, { revalidateOnMount: true })
  // What was pressed here counts more than that somebody leads.
  const [chosen, setChosen] = useState<boolean | null>(null)
  // Who is outbid has bid all the same.
  const [hasLed, setHasLed] = useState(leads)
  if (leads && !hasLed) setHasLed(true)
  const [isBusy, setBusy] = useState(false)
  if (!data) return error ? null : <WatchButtonToCome />
  const isWatching = chosen ?? (data.isWatching || hasLed)
  const press = async () => {
    setBusy(true)
    try {
      const answer = await call(isWatching ? noticeRoutes.unwatchAuction : noticeRoutes.watchAuction, { params })
      setChosen(answer.isWatching)
      // Not waited for: whoever presses the new words at once means them.
      void mutate(answer, { revalidate: false })
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
