import { formatRinggit } from '@wangian/contracts/money.ts'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { css, keyframes, styled } from 'styled-components'
import { shownMessage } from '../../api/api-error.ts'
import { formatMoment } from '../../lib/dates.ts'
import { color, radius, reducedMotion, space, text, tint, weight } from '../../theme/theme.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { showToast } from '../../ui/toast-store.ts'
import { type AuctionRoom, bidsHeldMax } from './auction-room.ts'
import type { AuctionPhase } from './use-auction-room.ts'

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
  const leadWord = room.result?.winnerId ? t('auction.winner') : t('auction.highest')
  const nowMs = Date.now() + room.clockOffsetMs
  return (
    <>
      <Status>
        <Connection $on={isConnected}>{isConnected ? t('auction.connected') : t('auction.disconnected')}</Connection>
        <span>{t('auction.realTime')}</span>
      </Status>
      {/* A keyboard scrolls only what can have the focus. */}
      <Scroller tabIndex={0} role="region" aria-label={t('auction.historyList')}>
        {room.bids.length === 0 && room.seq === 0 && <Nothing>{t('auction.emptyHistory')}</Nothing>}
        <ol>
          {room.bids.map((bid) => (
            <Row key={bid.seq} $isNew={bid.seq > seenSeq}>
              <Bidder>
                {bid.bidderName}
                {bid.bidderId === userId && <Badge>{t('auction.you')}</Badge>}
                {bid.seq === room.seq && phase !== 'cancelled' && <Badge $tone="ok">{leadWord}</Badge>}
              </Bidder>
              <Amount>{formatRinggit(bid.amount)}</Amount>
              <Moment dateTime={bid.placedAt}>{formatMoment(bid.placedAt, nowMs)}</Moment>
            </Row>
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

const slide = keyframes`
  from { opacity: 0; transform: translateY(-${space(3)}); background-color: ${tint('accent', 16)}; }
`

const Status = styled.p`
  display: flex;
  gap: ${space(4)};
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
