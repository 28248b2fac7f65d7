import type { Product } from '@wangian/contracts/catalogue.ts'
import { formatRinggitShort } from '@wangian/contracts/money.ts'
import { Heart, MessageCircle } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useContactSeller } from '../contact/use-contact-seller.ts'
import { picturesOf } from '../lib/image-source.ts'
import { paths } from '../paths.ts'
import { Badge } from '../ui/Badge.tsx'
import { FillGauge } from '../ui/FillGauge.tsx'
import { Picture } from '../ui/Picture.tsx'
import {
  Card,
  CardBadges,
  CardBody,
  CardBrand,
  CardButtons,
  CardIconButton,
  CardLink,
  CardName,
  CardPicture,
  CardPrice,
  CardSmall,
  cardSizes,
} from './Card.tsx'
import { useWishlist } from './use-wishlist.ts'

/** A perfume at a fixed or negotiable price. */
export function ProductCard({ product }: { product: Product }) {
  const { t } = useTranslation()
  const [isListed, toggle] = useWishlist(product.id)
  const { contact } = useContactSeller(paths.product(product.id))
  const { name, remainingPercentage } = product
  const isSold = product.status === 'sold'
  const facts = [
    t('card.volume', { volume: product.volume }),
    ...(product.batchCode ? [t('card.batch', { code: product.batchCode })] : []),
  ]
  return (
    <Card>
      <CardPicture>
        <Picture src={picturesOf(product)[0] ?? ''} alt="" seed={product.brand} sizes={cardSizes} />
        <CardBadges>
          {isSold && <Badge $tone="live">{t('card.sold')}</Badge>}
          <Badge>{t(`card.${product.listingType}`)}</Badge>
        </CardBadges>
        <CardButtons>
          <CardIconButton
            type="button"
            aria-pressed={isListed}
            aria-label={isListed ? t('card.unsave', { name }) : t('card.save', { name })}
            onClick={toggle}
          >
            <Heart size={18} strokeWidth={1.5} aria-hidden />
          </CardIconButton>
          {!isSold && (
            <CardIconButton type="button" aria-label={t('card.contact', { name })} onClick={() => contact(product)}>
              <MessageCircle size={18} strokeWidth={1.5} aria-hidden />
            </CardIconButton>
          )}
        </CardButtons>
      </CardPicture>
      <CardBody>
        <CardBrand>{product.brand}</CardBrand>
        <CardName>{isSold ? name : <CardLink to={paths.product(product.id)}>{name}</CardLink>}</CardName>
        <CardSmall>{facts.join(' · ')}</CardSmall>
        <CardSmall>{t('card.seller', { name: product.seller.username ?? t('person.deleted') })}</CardSmall>
        <CardPrice>
          {formatRinggitShort(product.price)}
          <FillGauge percentage={remainingPercentage} label={t('card.fill', { percentage: remainingPercentage })} />
        </CardPrice>
      </CardBody>
    </Card>
  )
}
