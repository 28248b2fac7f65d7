import { formatRinggit } from '@wangian/contracts/money.ts'
import { memo, useState } from 'react'
import { css, keyframes, styled } from 'styled-components'
import { shownMessage } from '../../api/api-error.ts'
import { formatMoment } from '../../lib/dates.ts'
import { useRenderedAt } from '../../lib/rendered-at.ts'
import { serverNow } from '../../lib/server-clock.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { color, radius, reducedMotion, space, text, tint, weight } from '../../theme/theme.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { type AuctionRoom, type BidLine, bidsHeldMax } from './auction-room.ts'
import type { AuctionPhase } from './use-auction-room.ts'

const HOUR_MS = 3_600_000

/** Every bid, the newest on top where it slides in, and whether new ones still arrive. */
export function BidHistory({
  room,
  phase,
  userId,
  isConnected,
  onEarlier,
}: {
  room: AuctionRoom
  phase: AuctionPhase
  userId: number | null
  isConnected: boolean
  onEarlier: () => Promise<void>
}) {
  const { t } = useTranslation()
  const renderedAtMs = useRenderedAt()
  const [isFetching, setFetching] = useState(false)
  const oldestSeq = room.bids.at(-1)?.seq ?? 1
  const showEarlier = async () => {
    setFetching(true)
    try {
      await onEarlier()
    } catch (error) {
      showToast({ title: t('problem.error'), description: shownMessage(error), tone: 'destructive' })
    } finally {
      setFetching(false)
    }
  }
  // What was there at first stands still.
  const [seenSeq] = useState(room.seq)
  const isOver = phase === 'ended' || phase === 'cancelled'
  const leadWord = room.result?.winnerId ? t('auction.winner') : t('auction.highest')
  const nowMs = renderedAtMs ?? serverNow()
  // The same for all renders of one hour, so that rows at rest are not drawn again with every bid.
  const todayMs = nowMs - (nowMs % HOUR_MS)
  return (
    <>
      <Status>
        <Connection $on={isConnected}>{isConnected ? t('auction.connected') : t('auction.disconnected')}</Connection>
        <span>{t('auction.realTime')}</span>
      </Status>
      {/* A keyboard scrolls only what can have the focus. */}
      <Scroller tabIndex={0} role="region" aria-label={t('auction.historyList')}>
        {room.bids.length === 0 && room.seq === 0 && (
          <Nothing>{t(isOver ? 'auction.noHistory' : 'auction.emptyHistory')}</Nothing>
        )}
        <ol>
          {room.bids.map((bid) => (
            <BidRow
              key={bid.seq}
              bid={bid}
              isNew={bid.seq > seenSeq}
              isMine={bid.bidderId === userId}
              leadWord={bid.seq === room.seq && phase !== 'cancelled' ? leadWord : null}
              todayMs={todayMs}
            />
          ))}
        </ol>
        {oldestSeq > 1 && room.bids.length < bidsHeldMax && (
          <Button tone="plain" size="small" wide busy={isFetching} onClick={() => void showEarlier()}>
            {t('auction.earlier')}
          </Button>
        )}
      </Scroller>
    </>
  )
}

const BidRow = memo(function BidRow({
  bid,
  isNew,
  isMine,
  leadWord,
  todayMs,
}: {
  bid: BidLine
  isNew: boolean
  isMine: boolean
  /** What the leading bid is called, `null` for all others. */
  leadWord: string | null
  todayMs: number
}) {
  const { t } = useTranslation()
  return (
    <Row $isNew={isNew}>
      <Bidder>
        {bid.bidderName ?? t('person.deleted')}
        {isMine && <Badge>{t('auction.you')}</Badge>}
        {leadWord && <Badge $tone="ok">{leadWord}</Badge>}
      </Bidder>
      <Amount>{formatRinggit(bid.amount)}</Amount>
      <Moment dateTime={bid.placedAt}>{formatMoment(bid.placedAt, todayMs)}</Moment>
    </Row>
  )
})

const slide = keyframes`
  from { opacity: 0; transform: translateY(-${space(3)}); background-color: ${tint('accent', 16)}; }
`

const Status = styled.p`
  display: flex;
  flex-wrap: wrap;
  gap: 0 ${space(4)};
  justify-content: space-between;
  margin-bottom: ${space(2)};
  color: ${color.muted};
  font-size: ${text.small};
`

const Connection = styled.span<{ $on: boolean }>`
  display: inline-flex;
  gap: ${space(2)};
  align-items: center;
  color: ${({ $on }) => ($on ? color.ok : color.live)};
  font-weight: ${weight.strong};
  &::before {
    width: ${space(2)};
    height: ${space(2)};
    border-radius: ${radius.round};
    background: currentcolor;
    content: '';
  }
`

const Scroller = styled.div`
  height: ${space(80)};
  overflow-y: auto;
  overscroll-behavior: contain;
  scrollbar-width: thin;
  border-top: 1px solid ${color.line};
  border-bottom: 1px solid ${color.line};
`

const Nothing = styled.p`
  display: grid;
  place-items: center;
  height: 100%;
  color: ${color.muted};
`

const Row = styled.li<{ $isNew: boolean }>`
  display: grid;
  grid-template-columns: 1fr auto;
  gap: 0 ${space(4)};
  align-items: baseline;
  padding: ${space(2.5)} ${space(1)};
  font-variant-numeric: tabular-nums;
  & + & { border-top: 1px solid ${color.line}; }
  ${({ $isNew }) =>
    $isNew &&
    css`
      animation: ${slide} 200ms ease-out;
      ${reducedMotion} { animation: none; }
    `}
`

const Bidder = styled.span`
  display: flex;
  flex-wrap: wrap;
  gap: ${space(2)};
  align-items: center;
  min-width: 0;
  overflow-wrap: anywhere;
`

const Amount = styled.span`
  font-weight: ${weight.strong};
`

const Moment = styled.time`
  grid-column: 1 / -1;
  color: ${color.muted};
  font-size: ${text.small};
`
