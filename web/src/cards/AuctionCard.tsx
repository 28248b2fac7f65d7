import type { AuctionSummary, Product } from '@wangian/contracts/catalogue.ts'
import { formatRinggitShort } from '@wangian/contracts/money.ts'
import { useNavigate } from 'react-router-dom'
import { trackSelection } from '../lib/analytics.ts'
import type { ItemPlace } from '../lib/analytics-telling.ts'
import { formatDateTime } from '../lib/date-time.ts'
import { picturesOf } from '../lib/image-source.ts'
import { formatTimeLeft } from '../lib/time-left.ts'
import { useNow } from '../lib/use-now.ts'
import { useTranslation } from '../lib/use-translation.ts'
import { paths } from '../paths.ts'
import { Badge } from '../ui/Badge.tsx'
import { FillGauge } from '../ui/FillGauge.tsx'
import { Picture } from '../ui/Picture.tsx'
import {
  Card,
  CardAction,
  CardBadges,
  CardBody,
  CardBrand,
  CardButtons,
  CardLink,
  CardName,
  CardPicture,
  CardPrice,
  CardSmall,
  cardSizes,
} from './Card.tsx'
import { HeartButton } from './HeartButton.tsx'
import { PremiumBadge } from './PremiumBadge.tsx'

const MINUTE_MS = 60_000

/** A perfume in an auction; `auction` is `null` while the seller has not set it up. */
export function AuctionCard({
  product,
  auction,
  place,
  eager = false,
}: {
  product: Product
  auction: Omit<AuctionSummary, 'outcome' | 'winner'> | null
  place?: ItemPlace | undefined
  eager?: boolean
}) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const now = useNow(MINUTE_MS)
  const leftMs = auction ? Date.parse(auction.endsAt) - now : 0
  const opensLater = auction !== null && auction.status === 'scheduled' && Date.parse(auction.startsAt) > now
  const isSold = product.status === 'sold'
  const isLive = !isSold && auction !== null && !opensLater && isRunning(auction.status) && leftMs > 0
  const address = auction ? paths.auction(auction.id) : paths.product(product.id)
  const timing = !auction
    ? t('card.noAuction')
    : opensLater
      ? t('card.opens', { time: formatDateTime(auction.startsAt) })
      : isLive
        ? formatTimeLeft(leftMs)
        : t('card.ended')
  return (
    <Card>
      <CardPicture $faded={isSold}>
        <Picture {...picturesOf(product)[0]} alt="" sizes={cardSizes} eager={eager} />
        <CardBadges>
          {isSold && <Badge $tone="live">{t('card.sold')}</Badge>}
          {product.status === 'pending' && <Badge $tone="warn">{t('card.reserved')}</Badge>}
          <Badge $tone={isLive ? 'live' : 'ink'}>{t('card.auction')}</Badge>
          <PremiumBadge product={product} />
        </CardBadges>
        <CardButtons>
          <HeartButton product={product} />
        </CardButtons>
      </CardPicture>
      <CardBody>
        <CardBrand>{product.brand}</CardBrand>
        <CardName>
          {isSold ? (
            product.name
          ) : (
            <CardLink to={address} onClick={() => trackSelection(product, place)}>
              {product.name}
            </CardLink>
          )}
        </CardName>
        <CardSmall>
          {t('card.volume', { volume: product.volume })} ·{' '}
          {t('card.seller', { name: product.seller.username ?? t('person.deleted') })}
        </CardSmall>
        <CardSmall>
          {auction && t('card.bids', { count: auction.bidCount })}
          {auction && ' · '}
          {isLive && leftMs < 5 * MINUTE_MS ? <Badge $tone="live">{timing}</Badge> : timing}
        </CardSmall>
        <CardPrice>
          <CardBody as="span">
            {(isLive || opensLater) && (
              <CardSmall as="span">{t(auction.currentBid === null ? 'card.startsAt' : 'card.currentBid')} </CardSmall>
            )}
            {formatRinggitShort(auction?.currentBid ?? auction?.startingPrice ?? product.price)}
          </CardBody>
          <FillGauge
            percentage={product.remainingPercentage}
            label={t('card.fill', { percentage: product.remainingPercentage })}
          />
        </CardPrice>
        <CardAction tone="secondary" size="small" wide disabled={!isLive} onClick={() => void navigate(address)}>
          {t('card.placeBid')}
        </CardAction>
      </CardBody>
    </Card>
  )
}

/** A scheduled auction runs as soon as its start has passed, whatever the record says until it is read again. */
function isRunning(status: AuctionSummary['status']): boolean {
  return status === 'active' || status === 'scheduled'
}
