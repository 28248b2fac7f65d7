import type { AuctionPage } from '@wangian/contracts/auction.ts'
import { formatRinggit } from '@wangian/contracts/money.ts'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router-dom'
import { styled } from 'styled-components'
import type { TokenHolder } from '../../api/app-token.ts'
import { paths } from '../../paths.ts'
import { color, inBar, space, text, weight } from '../../theme/theme.ts'
import { BottomBar } from '../../ui/BottomBar.tsx'
import { Button, ButtonLink } from '../../ui/Button.tsx'
import { AuctionStanding, isReleased } from './AuctionStanding.tsx'
import type { AuctionRoom } from './auction-room.ts'
import { BidForm } from './BidForm.tsx'
import type { AuctionPhase } from './use-auction-room.ts'

/**
 * Where the auction stands, and what a person can do here, or why nothing. On a phone both stick to the bottom, so that nobody bids without
 * seeing the price, who leads and the time.
 */
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
  const isOpen = phase === 'live' || (phase === 'scheduled' && !user)
  const mayAct = isOpen && user?.id !== page.sellerId
  const { buyNowPrice } = page
  return (
    <>
      {/* One place for all phases, so that a screen reader hears who leads, and then who has won. */}
      <BottomBar sticks={mayAct}>
        <Parts>
          <AuctionStanding page={page} room={room} phase={phase} userId={user?.id ?? null} />
          {!mayAct ? (
            <WhyNot page={page} room={room} phase={phase} user={user} />
          ) : user ? (
            <BidForm
              auctionId={page.id}
              sellerId={page.sellerId}
              minimum={room.live?.minimumBid ?? page.minimumBid}
              increment={page.bidIncrement}
              leadsWith={room.live?.currentBidderId === user.id ? room.live.currentBid : null}
            />
          ) : (
            <SignIn>
              <p>{t('bid.signInText')}</p>
              <ButtonLink to={paths.login({ redirect: paths.auction(page.id) })}>{t('bid.signIn')}</ButtonLink>
            </SignIn>
          )}
        </Parts>
      </BottomBar>
      {mayAct && user && buyNowPrice !== null && (
        <Button tone="secondary" wide onClick={() => onBuyNow(buyNowPrice)}>
          {t('bid.buyNow', { amount: formatRinggit(buyNowPrice) })}
        </Button>
      )}
    </>
  )
}

function WhyNot({
  page,
  room,
  phase,
  user,
}: {
  page: AuctionPage
  room: AuctionRoom
  phase: AuctionPhase
  user: TokenHolder | null
}) {
  const { t } = useTranslation()
  const isOwner = user?.id === page.sellerId
  const others = <Next to={paths.products({ type: 'auction' })}>{t('auction.others')}</Next>
  const toDashboard = <Next to={paths.sellerDashboard()}>{t('auction.toDashboard')}</Next>
  if (phase === 'ended' || phase === 'deciding') {
    const hasWon = user !== null && room.result?.winnerId === user.id && !isReleased(page)
    return (
      <Note title={t('auction.hasEnded')}>
        {hasWon && <p>{t('auction.afterWin')}</p>}
        {hasWon ? <Next to={paths.messages()}>{t('auction.toMessages')}</Next> : isOwner ? toDashboard : others}
      </Note>
    )
  }
  if (phase === 'cancelled') {
    const reason = room.cancelReason
    return (
      <Note title={t('auction.cancelled')}>
        {reason && <p>{t('auction.cancelledReason', { reason })}</p>}
        {isOwner ? toDashboard : others}
      </Note>
    )
  }
  if (isOwner) {
    return (
      <Note title={t('bid.ownTitle')}>
        <p>{t('bid.ownText')}</p>
        {toDashboard}
      </Note>
    )
  }
  return <Note title={t('auction.notStarted')} />
}

function Note({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <NoteFrame>
      <NoteTitle>{title}</NoteTitle>
      {children}
    </NoteFrame>
  )
}

const Parts = styled.div`
  display: grid;
  gap: ${space(6)};
  ${inBar(`gap: ${space(3)};`)}
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

const Next = styled(Link)`
  display: inline-flex;
  align-items: center;
  min-height: ${space(11)};
  color: ${color.ink};
  font-weight: ${weight.strong};
`

const NoteTitle = styled.p`
  color: ${color.ink};
  font-size: ${text.lead};
  font-weight: ${weight.strong};
`
