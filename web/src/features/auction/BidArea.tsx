import { type AuctionPage, systemCancelReasons } from '@wangian/contracts/auction.ts'
import { formatRinggit } from '@wangian/contracts/money.ts'
import type { ReactNode } from 'react'
import { Link } from 'react-router-dom'
import { styled } from 'styled-components'
import type { TokenHolder } from '../../api/app-token.ts'
import { sentenceInPageLanguage } from '../../i18n/in-page-language.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { paths } from '../../paths.ts'
import { others, SeenBy } from '../../session/SeenBy.tsx'
import { color, inBar, space, text, weight } from '../../theme/theme.ts'
import { BottomBar } from '../../ui/BottomBar.tsx'
import { Button, ButtonLink } from '../../ui/Button.tsx'
import { AuctionStanding } from './AuctionStanding.tsx'
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
  const { buyNowPrice, sellerId: ownerId } = page
  const isOpen = phase === 'live' || phase === 'scheduled'
  return (
    <>
      {/* One place for all phases, so that a screen reader hears who leads, and then who has won. */}
      <BottomBar sticks={isOpen}>
        <Parts>
          <AuctionStanding page={page} room={room} phase={phase} userId={user?.id ?? null} />
          {isOpen ? (
            <>
              <SeenBy viewers={['guest']} ownerId={ownerId}>
                <SignIn>
                  <p>{t('bid.signInText')}</p>
                  <ButtonLink to={paths.login({ redirect: paths.auction(page.id) })}>{t('bid.signIn')}</ButtonLink>
                </SignIn>
              </SeenBy>
              <SeenBy viewers={['other']} ownerId={ownerId} waits>
                {phase === 'live' ? (
                  <BidForm
                    auctionId={page.id}
                    sellerId={ownerId}
                    minimum={room.live?.minimumBid ?? page.minimumBid}
                    increment={page.bidIncrement}
                    leadsWith={room.live?.currentBidderId === user?.id ? (room.live?.currentBid ?? null) : null}
                  />
                ) : (
                  <Note title={t('auction.notStarted')} />
                )}
              </SeenBy>
              <SeenBy viewers={['owner']} ownerId={ownerId}>
                <Note title={t('bid.ownTitle')}>
                  <OwnText>{t('bid.ownText')}</OwnText>
                  <ToDashboard />
                </Note>
              </SeenBy>
            </>
          ) : (
            <Over page={page} room={room} phase={phase} user={user} />
          )}
        </Parts>
      </BottomBar>
      {phase === 'live' && buyNowPrice !== null && (
        <SeenBy viewers={['other']} ownerId={ownerId}>
          <Button tone="secondary" wide onClick={() => onBuyNow(buyNowPrice)}>
            {t('bid.buyNow', { amount: formatRinggit(buyNowPrice) })}
          </Button>
        </SeenBy>
      )}
    </>
  )
}

/** What there is to do once it is over. */
function Over({
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
  const isCancelled = phase === 'cancelled'
  const hasWon = !isCancelled && user !== null && room.result?.winnerId === user.id && !page.isReleased
  const reason = room.cancelReason
  return (
    <Note title={isCancelled ? t('auction.cancelled') : t('auction.hasEnded')}>
      {isCancelled && reason && (
        <p>
          {systemCancelReasons.includes(reason)
            ? sentenceInPageLanguage(reason)
            : t('auction.cancelledReason', { reason })}
        </p>
      )}
      {hasWon ? (
        <>
          <p>{t('auction.afterWin')}</p>
          <Next to={paths.messages()}>{t('auction.toMessages')}</Next>
        </>
      ) : (
        <>
          <SeenBy viewers={others} ownerId={page.sellerId}>
            <Next to={paths.products({ type: 'auction' })}>{t('auction.others')}</Next>
          </SeenBy>
          <SeenBy viewers={['owner']} ownerId={page.sellerId}>
            <ToDashboard />
          </SeenBy>
        </>
      )}
    </Note>
  )
}

function ToDashboard() {
  const { t } = useTranslation()
  return <Next to={paths.sellerDashboard()}>{t('auction.toDashboard')}</Next>
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
  overflow-wrap: anywhere;
  ${inBar(`
    display: flex;
    gap: ${space(4)};
    align-items: center;
    justify-content: space-between;
    padding: 0 0 0 ${space(4)};
    & > a, & > span > a { flex: none; }
  `)}
`

/** There is no room for it in the bar. */
const OwnText = styled.p`
  ${inBar('display: none;')}
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
  ${inBar(`font-size: ${text.body};`)}
  font-weight: ${weight.strong};
`
