import type { AuctionPage } from '@wangian/contracts/auction.ts'
import { formatRinggit } from '@wangian/contracts/money.ts'
import { useState } from 'react'
import { styled } from 'styled-components'
import { formatDateTime } from '../../lib/date-time.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { others, SeenBy } from '../../session/SeenBy.tsx'
import { color, inBar, space, text, weight } from '../../theme/theme.ts'
import { Countdown } from '../../ui/Countdown.tsx'
import { Price } from '../../ui/Price.tsx'
import { VisuallyHidden } from '../../ui/VisuallyHidden.tsx'
import { type AuctionRoom, bidderName, isOutbid, leadingBid } from './auction-room.ts'
import type { AuctionPhase } from './use-auction-room.ts'
import { useCountdown } from './use-countdown.ts'

/** The last five minutes are coloured. */
const urgentMs = 5 * 60_000
const announcedMinutes = [1, 5] as const

/** Where the auction stands: the price, who leads, and how long it goes on. It is small in the bar at the bottom of a phone. */
export function AuctionStanding({
  page,
  room,
  phase,
  userId,
}: {
  page: AuctionPage
  room: AuctionRoom
  phase: AuctionPhase
  userId: number | null
}) {
  const { t } = useTranslation()
  const live = room.live ?? page
  const isWon = room.result?.outcome === 'won' && !page.isReleased
  return (
    <Frame>
      <div>
        <Caption>{t(captionOf(live.currentBid, isWon, phase))}</Caption>
        <Price amount={live.currentBid ?? page.startingPrice} />
        <Leader role="status">
          <LeaderWords page={page} room={room} phase={phase} userId={userId} />
        </Leader>
      </div>
      <Timer page={page} room={room} phase={phase} />
    </Frame>
  )
}

/** Nobody can begin to bid once it is over. */
function captionOf(currentBid: number | null, isWon: boolean, phase: AuctionPhase) {
  if (currentBid !== null) return isWon ? 'auction.wonFor' : 'auction.highestBid'
  return phase === 'live' || phase === 'scheduled' ? 'auction.startingAt' : 'auction.startingPrice'
}

function LeaderWords({
  page,
  room,
  phase,
  userId,
}: {
  page: AuctionPage
  room: AuctionRoom
  phase: AuctionPhase
  userId: number | null
}) {
  const { t } = useTranslation()
  const live = room.live ?? page
  if (phase === 'cancelled') return null
  if (phase === 'deciding') return t('auction.deciding')
  if (room.result) {
    const { outcome, winnerId, amount } = room.result
    if (outcome === 'no-bids') return t('auction.noBids')
    if (outcome === 'winner-unavailable') return t('auction.winnerUnavailable')
    if (outcome === 'reserve-not-met' || winnerId === null) return t('auction.reserveNotMet')
    if (page.isReleased) return t(winnerId === userId ? 'auction.youReleased' : 'auction.released')
    const won = formatRinggit(amount ?? live.currentBid ?? 0)
    if (winnerId === userId) return <Mine>{t('auction.youWon', { amount: won })}</Mine>
    const name = bidderName(room, winnerId)
    return name ? t('auction.otherWon', { name, amount: won }) : t('auction.someoneWon', { amount: won })
  }
  if (live.currentBidderId === null) {
    if (phase !== 'live') return null
    return (
      <>
        <SeenBy viewers={['owner']} ownerId={page.sellerId}>
          {t('auction.noBidsYet')}
        </SeenBy>
        <SeenBy viewers={others} ownerId={page.sellerId}>
          {t('auction.nobodyLeads')}
        </SeenBy>
      </>
    )
  }
  const name = leadingBid(room)?.bidderName ?? bidderName(room, live.currentBidderId)
  const words = name ? t('auction.otherLeads', { name }) : t('auction.someoneLeads')
  return (
    <>
      <SeenBy viewers={['owner']} ownerId={live.currentBidderId}>
        <Mine>{t('auction.youLead')}</Mine>
      </SeenBy>
      <SeenBy viewers={others} ownerId={live.currentBidderId}>
        {phase === 'live' && isOutbid(room, userId) && <Lost>{t('auction.outbid')}</Lost>}
        <span>{words}</span>
      </SeenBy>
    </>
  )
}

function Timer({ page, room, phase }: { page: AuctionPage; room: AuctionRoom; phase: AuctionPhase }) {
  const { t } = useTranslation()
  const endsAt = room.live?.endsAt ?? page.endsAt
  if (phase === 'cancelled') return <Over>{t('auction.cancelledTimer')}</Over>
  if (phase === 'ended' || phase === 'deciding') {
    return (
      <div>
        <Over>{t('auction.ended')}</Over>
        <Caption as="p">{t('auction.endedAt', { time: formatDateTime(endsAt) })}</Caption>
      </div>
    )
  }
  if (phase === 'scheduled') {
    return <Running key={page.startsAt} until={page.startsAt} name={t('auction.startsIn')} mayHurry={false} />
  }
  return <Running key={endsAt} until={endsAt} name={t('auction.endsIn')} mayHurry />
}

/** A component of its own, so that only it changes every second; another one for another end. */
function Running({ until, name, mayHurry }: { until: string; name: string; mayHurry: boolean }) {
  const { t } = useTranslation()
  const leftMs = useCountdown(Date.parse(until))
  const [firstLeftMs] = useState(leftMs)
  // What was over before is no news.
  const isReached = (minutes: number) => leftMs <= minutes * 60_000 && minutes * 60_000 < firstLeftMs
  const reached = mayHurry ? announcedMinutes.find(isReached) : undefined
  return (
    <div>
      <Caption>{name}</Caption>
      <Countdown
        leftMs={leftMs}
        isUrgent={mayHurry && leftMs <= urgentMs}
        name={name}
        labels={{
          days: t('auction.days'),
          hours: t('auction.hours'),
          minutes: t('auction.minutes'),
          seconds: t('auction.seconds'),
        }}
      />
      <VisuallyHidden role="status">{reached && t('auction.minutesLeft', { count: reached })}</VisuallyHidden>
    </div>
  )
}

const Frame = styled.div`
  display: flex;
  flex-wrap: wrap;
  gap: ${space(5)} ${space(8)};
  align-items: flex-start;
  justify-content: space-between;
  ${inBar(`gap: ${space(2)} ${space(4)}; & > :first-child { flex: 1; } & > :last-child { flex: none; }`)}
`

const Caption = styled.span`
  display: block;
  margin-bottom: ${space(1)};
  ${inBar('margin-bottom: 0;')}
  color: ${color.muted};
  font-size: ${text.small};
`

const Leader = styled.p`
  min-height: 1.55em;
  margin-top: ${space(2)};
  font-size: ${text.lead};
  overflow-wrap: anywhere;
  ${inBar(`margin-top: 0; font-size: ${text.small};`)}
`

const Mine = styled.strong`
  color: ${color.ok};
  font-weight: ${weight.strong};
`

const Lost = styled.strong`
  display: block;
  color: ${color.live};
  font-weight: ${weight.strong};
`

const Over = styled.p`
  color: ${color.live};
  font-size: ${text.title};
  font-weight: ${weight.strong};
`
