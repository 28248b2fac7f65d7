import { formatRinggit } from '@wangian/contracts/money.ts'
import type { OwnProduct } from '@wangian/contracts/selling.ts'
import { Link } from 'react-router-dom'
import { styled } from 'styled-components'
import { useContactWinner } from '../../../contact/use-contact-winner.ts'
import { formatDateTime } from '../../../lib/date-time.ts'
import { formatTimeLeft } from '../../../lib/time-left.ts'
import { useNow } from '../../../lib/use-now.ts'
import { useTranslation } from '../../../lib/use-translation.ts'
import { paths } from '../../../paths.ts'
import { color, from, space, text, weight } from '../../../theme/theme.ts'
import { Status } from '../../../ui/Status.tsx'
import { type AuctionState, auctionStateOf, canRelist } from './auction-state.ts'
import { shownStatus } from './facts.ts'

const MINUTE_MS = 60_000
const tones = { active: 'ok', featured: 'ok', pending: 'warn', sold: 'muted', archived: 'muted' } as const

/** The status of a listing as a word, and below it what its owner should know: the boost, the auction, who it is kept for. */
export function ProductStanding({ product }: { product: OwnProduct }) {
  const { t } = useTranslation()
  const { reservation, isFeatured, listingType } = product
  const status = shownStatus(product.status)
  return (
    <Frame>
      <Status tone={tones[status]}>{t(`dashboard.status.${status}`)}</Status>
      {isFeatured && <Line>{t('dashboard.boosted')}</Line>}
      {listingType === 'auction' ? (
        <AuctionLines product={product} />
      ) : (
        reservation && (
          <Line>
            {t('dashboard.reservedFor', {
              name: reservation.username ?? t('person.deleted'),
              amount: formatRinggit(reservation.amount),
            })}
          </Line>
        )
      )}
    </Frame>
  )
}

function AuctionLines({ product }: { product: OwnProduct }) {
  const { t } = useTranslation()
  const now = useNow(MINUTE_MS)
  const contactWinner = useContactWinner()
  const state = auctionStateOf(product, now)
  const words = useAuctionWords()
  if (state === null) return null
  const mayContact = state.kind === 'won' && state.winner.username !== null
  return (
    <>
      <Line>{words(state, now)}</Line>
      {mayContact && (
        <TextButton type="button" onClick={() => contactWinner(product, state.winner, state.amount)}>
          {t('dashboard.auction.contactWinner')}
        </TextButton>
      )}
      {canRelist(product, now) && (
        <TextLink to={paths.relistProduct(product.id)}>
          {product.auction ? t('dashboard.relist') : t('dashboard.startAuction')}
        </TextLink>
      )}
    </>
  )
}

function useAuctionWords(): (state: AuctionState, now: number) => string {
  const { t } = useTranslation()
  const bids = (count: number) => t('dashboard.auction.bids', { count })
  return (state, now) => {
    switch (state.kind) {
      case 'scheduled':
        return t('dashboard.auction.scheduled', { time: formatDateTime(state.startsAt) })
      case 'running':
        return t('dashboard.auction.endsIn', {
          bids: bids(state.bidCount),
          time: formatTimeLeft(Date.parse(state.endsAt) - now),
        })
      case 'closing':
        return t('dashboard.auction.closing', { bids: bids(state.bidCount) })
      case 'won': {
        const amount = formatRinggit(state.amount)
        const name = state.winner.username
        return name === null
          ? t('dashboard.auction.wonByNobody', { amount })
          : t('dashboard.auction.won', { name, amount })
      }
      default:
        return t(`dashboard.auction.${state.kind}`)
    }
  }
}

const Frame = styled.div`
  display: grid;
  gap: ${space(0.5)};
  justify-items: end;
  ${from.desktop} { justify-items: start; max-width: ${space(52)}; }
`

const Line = styled.span`
  color: ${color.muted};
  font-size: ${text.small};
  overflow-wrap: anywhere;
`

const TextButton = styled.button`
  min-height: ${space(7)};
  padding: 0;
  border: 0;
  background: none;
  color: ${color.accent};
  font-size: ${text.small};
  font-weight: ${weight.strong};
  text-align: inherit;
  text-decoration: underline;
`

const TextLink = styled(Link)`
  display: inline-flex;
  align-items: center;
  min-height: ${space(7)};
  color: ${color.accent};
  font-size: ${text.small};
  font-weight: ${weight.strong};
`
