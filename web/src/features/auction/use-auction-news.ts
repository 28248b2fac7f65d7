import { formatRinggit } from '@wangian/contracts/money.ts'
import { useEffect, useRef } from 'react'
import { sentenceInPageLanguage } from '../../i18n/in-page-language.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { showToast } from '../../ui/toast-store.ts'
import { type AuctionRoom, leadingBid } from './auction-room.ts'
import { bidFieldId } from './BidForm.tsx'

/** So many failed tries are an outage; one is a lift or a tunnel. */
const failuresToTell = 3

/** Says when somebody else has bid since the page was opened, and to whom had led that they do not any more. */
export function useBidNews(room: AuctionRoom, isLoaded: boolean, userId: number | null): void {
  const { t } = useTranslation()
  const toldSeq = useRef<number | null>(null)
  const hasLed = useRef(false)
  const leader = leadingBid(room)
  const bidderId = room.live?.currentBidderId ?? null
  const currentBid = room.live?.currentBid ?? null
  const name = leader?.bidderName
  useEffect(() => {
    if (!isLoaded) return
    const isTold = toldSeq.current === null || toldSeq.current === room.seq
    const isOutbid = hasLed.current
    toldSeq.current = room.seq
    // Also of a bid that was told before: who looks may become known after the bids, as where a page is taken over.
    hasLed.current = bidderId !== null && bidderId === userId
    if (isTold || bidderId === null || currentBid === null || bidderId === userId) return
    const amount = formatRinggit(currentBid)
    const news = name ? t('bid.newText', { name, amount }) : t('bid.newTextNameless', { amount })
    showToast({
      title: t('bid.newTitle'),
      description: isOutbid ? t('bid.outbid', { news }) : news,
      yields: true,
      ...(isOutbid && { action: { label: t('bid.again'), onAct: focusBidField } }),
    })
  }, [isLoaded, room.seq, bidderId, currentBid, userId, name, t])
}

/** It shows the new minimum already. */
function focusBidField(): void {
  document.getElementById(bidFieldId)?.focus()
}

/** Says once per outage that the live updates cannot be reached. */
export function useConnectionNews(failures: number): void {
  const { t } = useTranslation()
  useEffect(() => {
    if (failures !== failuresToTell) return
    showToast({ title: t('bid.connectionTitle'), description: t('bid.connectionLost'), tone: 'destructive' })
  }, [failures, t])
}

/** Says why the server lets nobody into the room, once for as long as it does not. */
export function useRefusalNews({ refusal }: AuctionRoom, isLoaded: boolean): void {
  const { t } = useTranslation()
  useEffect(() => {
    if (!isLoaded || !refusal) return
    const description = sentenceInPageLanguage(refusal.message, refusal.code)
    showToast({ title: t('bid.failedTitle'), description, tone: 'destructive' })
  }, [isLoaded, refusal, t])
}
