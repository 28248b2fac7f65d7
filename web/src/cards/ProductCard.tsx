import type { Product } from '@wangian/contracts/catalogue.ts'
import { formatRinggitShort } from '@wangian/contracts/money.ts'
import { MessageCircle } from 'lucide-react'
import { styled } from 'styled-components'
import { useContactSeller } from '../contact/use-contact-seller.ts'
import { trackSelection } from '../lib/analytics.ts'
import type { ItemPlace } from '../lib/analytics-telling.ts'
import { picturesOf } from '../lib/image-source.ts'
import { useTranslation } from '../lib/use-translation.ts'
import { paths } from '../paths.ts'
import { phone } from '../theme/theme.ts'
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
  CardFacts,
  CardIconButton,
  CardLink,
  CardName,
  CardPicture,
  CardPrice,
  cardSizes,
} from './Card.tsx'
import { HeartButton } from './HeartButton.tsx'
import { PremiumBadge } from './PremiumBadge.tsx'

/** A perfume at a fixed or negotiable price. */
export function ProductCard({
  product,
  place,
  eager = false,
}: {
  product: Product
  place?: ItemPlace | undefined
  eager?: boolean
}) {
  const { t } = useTranslation()
  const address = paths.product(product.id)
  const { contact, buyNow } = useContactSeller(address)
  const { name, remainingPercentage, status } = product
  const isSold = status === 'sold'
  const isOut = !isSold && status !== 'pending' && product.stockQuantity < 1
  const facts = [
    t('card.volume', { volume: product.volume }),
    ...(product.batchCode ? [t('card.batch', { code: product.batchCode })] : []),
  ]
  return (
    <Card>
      <CardPicture $faded={isSold}>
        <Picture {...picturesOf(product)[0]} alt="" sizes={cardSizes} eager={eager} />
        <CardBadges>
          {isSold && <Badge $tone="live">{t('card.sold')}</Badge>}
          {status === 'pending' && <Badge $tone="warn">{t('card.reserved')}</Badge>}
          {isOut && <Badge $tone="warn">{t('card.outOfStock')}</Badge>}
          <Badge>{t(`card.${product.listingType}`)}</Badge>
          <PremiumBadge product={product} />
        </CardBadges>
        <CardButtons>
          <HeartButton product={product} />
          {!isSold && (
            <CardIconButton type="button" aria-label={t('card.contact', { name })} onClick={() => contact(product)}>
              <MessageCircle size={18} strokeWidth={1.5} aria-hidden />
            </CardIconButton>
          )}
        </CardButtons>
      </CardPicture>
      <CardBody>
        <CardBrand>{product.brand}</CardBrand>
        <CardName>
          {isSold ? (
            name
          ) : (
            <CardLink to={address} onClick={() => trackSelection(product, place)}>
              {name}
            </CardLink>
          )}
        </CardName>
        <CardFacts>{facts.join(' · ')}</CardFacts>
        <CardFacts>{t('card.seller', { name: product.seller.username ?? t('person.deleted') })}</CardFacts>
        <CardPrice>
          {formatRinggitShort(product.price)}
          <FillGauge percentage={remainingPercentage} label={t('card.fill', { percentage: remainingPercentage })} />
        </CardPrice>
        {!isSold && !isOut && (
          <BuyNow
            tone="secondary"
            size="small"
            wide
            disabled={status === 'pending'}
            aria-label={t('card.buyNowOf', { name })}
            onClick={() => buyNow(product, product.price)}
          >
            {t('card.buyNow')}
          </BuyNow>
        )}
      </CardBody>
    </Card>
  )
}

/** On a phone a card is small and leads to the page that has it. */
const BuyNow = styled(CardAction)`
  ${phone} { display: none; }
`
