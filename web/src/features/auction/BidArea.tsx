import type { AuctionPage } from '@wangian/contracts/auction.ts'
import { formatRinggit } from '@wangian/contracts/money.ts'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { styled } from 'styled-components'
import type { TokenHolder } from '../../api/app-token.ts'
import { formatClock } from '../../lib/durations.ts'
import { paths } from '../../paths.ts'
import { color, from, space, text, weight } from '../../theme/theme.ts'
import { BottomBar } from '../../ui/BottomBar.tsx'
import { Button, ButtonLink } from '../../ui/Button.tsx'
import { urgentMs } from './AuctionStanding.tsx'
import type { AuctionRoom } from './auction-room.ts'
import { BidForm } from './BidForm.tsx'
import type { AuctionPhase } from './use-auction-room.ts'
import { useCountdown } from './use-countdown.ts'

/** What a person can do here, or why nothing. */
export function BidArea({
  page,
  room,
  phase,
  user,
  onBuyNow,
}: {
  page: AuctionPage
  room: AuctionRoom
  phase: AuctionPhase
  user: TokenHolder | null
  onBuyNow: (price: number) => void
}) {
  const { t } = useTranslation()
  if (phase === 'ended' || phase === 'deciding') return <Note title={t('auction.hasEnded')} />
  if (phase === 'cancelled') {
    const reason = room.cancelReason
    return <Note title={t('auction.cancelled')}>{reason && t('auction.cancelledReason', { reason })}</Note>
  }
  if (user?.id === page.sellerId) return <Note title={t('bid.ownTitle')}>{t('bid.ownText')}</Note>
  if (!user) {
    return (
      <BottomBar>
        <SignIn>
          <p>{t('bid.signInText')}</p>
          <ButtonLink to={paths.login({ redirect: paths.auction(page.id) })}>{t('bid.signIn')}</ButtonLink>
        </SignIn>
      </BottomBar>
    )
  }
  if (phase === 'scheduled') return <Note title={t('auction.notStarted')} />
  const { buyNowPrice } = page
  return (
    <>
      <BottomBar>
        <BidForm
          auctionId={page.id}
          sellerId={page.sellerId}
          minimum={room.live?.minimumBid ?? page.minimumBid}
          increment={page.bidIncrement}
          leadsWith={room.live?.currentBidderId === user.id ? room.live.currentBid : null}
          aside={
            <BarTimer endsAtMs={Date.parse(room.live?.endsAt ?? page.endsAt)} clockOffsetMs={room.clockOffsetMs} />
          }
        />
      </BottomBar>
      {buyNowPrice !== null && (
        <Button tone="secondary" wide onClick={() => onBuyNow(buyNowPrice)}>
          {t('bid.buyNow', { amount: formatRinggit(buyNowPrice) })}
        </Button>
      )}
    </>
  )
}

/** The time that is left, where the countdown itself may have been scrolled away. */
function BarTimer({ endsAtMs, clockOffsetMs }: { endsAtMs: number; clockOffsetMs: number }) {
  const leftMs = useCountdown(endsAtMs, clockOffsetMs)
  // The countdown above is what screen readers get.
  return (
    <TimeLeft aria-hidden $isUrgent={leftMs <= urgentMs}>
      {formatClock(leftMs)}
    </TimeLeft>
  )
}

function Note({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <NoteFrame>
      <NoteTitle>{title}</NoteTitle>
      {children && <p>{children}</p>}
    </NoteFrame>
  )
}

const TimeLeft = styled.span<{ $isUrgent: boolean }>`
  color: ${({ $isUrgent }) => ($isUrgent ? color.live : color.ink)};
  font-variant-numeric: tabular-nums;
  font-weight: ${weight.strong};
  ${from.tablet} { display: none; }
`

const SignIn = styled.div`
  display: flex;
  gap: ${space(4)};
  align-items: center;
  justify-content: space-between;
`

const NoteFrame = styled.div`
  padding: ${space(4)} 0 ${space(4)} ${space(4)};
  border-left: 2px solid ${color.accent};
  color: ${color.muted};
`

const NoteTitle = styled.p`
  color: ${color.ink};
  font-size: ${text.lead};
  font-weight: ${weight.strong};
`
