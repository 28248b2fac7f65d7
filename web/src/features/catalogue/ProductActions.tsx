import type { Product } from '@wangian/contracts/catalogue.ts'
import { messagingRoutes } from '@wangian/contracts/messaging.ts'
import { formatRinggit } from '@wangian/contracts/money.ts'
import { Heart, MessageCircle, Pencil, Share2 } from 'lucide-react'
import { styled } from 'styled-components'
import { useApi } from '../../api/use-api.ts'
import { useFavorite } from '../../cards/use-favorite.ts'
import { ReportButton } from '../../contact/ReportButton.tsx'
import { useContactSeller } from '../../contact/use-contact-seller.ts'
import { track } from '../../lib/analytics.ts'
import { copy } from '../../lib/copy.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { paths } from '../../paths.ts'
import { others, SeenBy } from '../../session/SeenBy.tsx'
import { useUser } from '../../session/use-session.ts'
import { color, space } from '../../theme/theme.ts'
import { Button, ButtonLink } from '../../ui/Button.tsx'
import { showToast } from '../../ui/toast-store.ts'

/** What can be done about a product: buy it, ask its seller, go to its auction, keep it, tell others of it. */
export function ProductActions({ product }: { product: Product }) {
  const { t } = useTranslation()
  const { contact, buyNow } = useContactSeller(paths.product(product.id))
  const { auction, listingType, sellerId: ownerId, status } = product
  const isOwn = useUser()?.id === ownerId
  const isSold = status === 'sold'
  // A deal about it would be refused.
  const isOut = status !== 'pending' && product.stockQuantity < 1
  // What an auction has left unsold can be asked for.
  const isAuctioned = auction?.status === 'active' || auction?.status === 'scheduled'
  const isForSale = listingType !== 'auction' && status !== 'pending' && !isOut
  return (
    <Frame>
      <SeenBy viewers={['owner']} ownerId={ownerId}>
        <Words>{t('product.ownNow')}</Words>
        {!isSold && status !== 'pending' && (
          <ButtonLink to={paths.editProduct(product.id)} wide>
            <Pencil size={18} strokeWidth={1.5} aria-hidden />
            {t('product.edit')}
          </ButtonLink>
        )}
        {status === 'active' && !product.isFeatured && (
          <ButtonLink tone="secondary" to={paths.boostCheckout({ products: [product.id] })} wide>
            {t('product.boost')}
          </ButtonLink>
        )}
      </SeenBy>
      {isSold ? (
        <Words>{t('product.soldNow')}</Words>
      ) : (
        <>
          {status === 'pending' && <Reserved product={product} />}
          {auction && (
            <>
              {isAuctioned && <Words>{t('product.auctionNow')}</Words>}
              <ButtonLink tone={isOwn || !isAuctioned ? 'secondary' : 'primary'} to={paths.auction(auction.id)} wide>
                {t('product.toAuction')}
              </ButtonLink>
            </>
          )}
          {!auction && listingType === 'auction' && <Words>{t('card.noAuction')}</Words>}
          <SeenBy viewers={others} ownerId={ownerId}>
            {isOut && <Words>{t('product.outNow')}</Words>}
            {isForSale && (
              <Button wide onClick={() => buyNow(product, product.price)}>
                {t('product.buyNow', { amount: formatRinggit(product.price) })}
              </Button>
            )}
            <Button tone={isAuctioned || isForSale ? 'secondary' : 'primary'} wide onClick={() => contact(product)}>
              <MessageCircle size={18} strokeWidth={1.5} aria-hidden />
              {t('product.contact')}
            </Button>
          </SeenBy>
        </>
      )}
      <Row>
        <SaveButton product={product} />
        <ShareButton product={product} />
      </Row>
      <ReportButton
        kind="listing"
        targetId={product.id}
        owner={{ id: ownerId, username: product.seller?.username ?? null }}
        label={t('report.listing')}
      />
    </Frame>
  )
}

/** For whom it is kept, as far as the viewer may know. */
function Reserved({ product: { id, auction } }: { product: Product }) {
  const { t } = useTranslation()
  const user = useUser()
  const orders = useApi(messagingRoutes.listOrders, user && {}).data
  const own = orders?.find(
    ({ status, items }) => status === 'pending' && items.some(({ productId }) => productId === id),
  )
  // What somebody has won is kept for them before there is an order.
  const hasWon = user !== null && auction?.winner?.id === user.id && !auction.isReleased
  if (own === undefined && !hasWon) return <Words>{t('product.reservedNow')}</Words>
  return (
    <>
      <Words>{t('product.reservedForYou')}</Words>
      <ButtonLink tone="secondary" to={own ? paths.order(own.id) : paths.messages()} wide>
        {own ? t('product.toOrder') : t('auction.toMessages')}
      </ButtonLink>
    </>
  )
}

function SaveButton({ product: { id, name } }: { product: Product }) {
  const { t } = useTranslation()
  const [isKept, keep] = useFavorite(id)
  return (
    <Save
      tone="secondary"
      wide
      aria-pressed={isKept}
      aria-label={isKept ? t('card.unsave', { name }) : t('card.save', { name })}
      onClick={() => keep(id, !isKept)}
    >
      <Heart size={18} strokeWidth={1.5} aria-hidden />
      {isKept ? t('product.saved') : t('product.save')}
    </Save>
  )
}

/** By the device's own way of sharing where it has one, otherwise by the clipboard. */
function ShareButton({ product: { id, name, brand } }: { product: Product }) {
  const { t } = useTranslation()
  const share = async () => {
    const url = new URL(paths.product(id), window.location.href).href
    track('share', { content_type: 'product', content_id: id })
    if ('share' in navigator) {
      const failure = await navigator.share({ title: `${name} · ${brand}`, url }).catch((error: DOMException) => error)
      // Whoever changes their mind has no need to be told. Browsers refuse it when the press was long ago, before the app was at work.
      if (failure?.name !== 'NotAllowedError') return
    }
    const isCopied = await copy(url)
    showToast({ title: isCopied ? t('product.linkCopied') : t('product.shareLink'), description: url })
  }
  return (
    <Button tone="secondary" wide onClick={() => void share()}>
      <Share2 size={18} strokeWidth={1.5} aria-hidden />
      {t('product.share')}
    </Button>
  )
}

const Frame = styled.div`
  display: grid;
  gap: ${space(3)};
`

const Words = styled.p`
  color: ${color.muted};
`

const Row = styled.div`
  display: grid;
  grid-template-columns: 1fr 1fr;
  gap: ${space(3)};
`

const Save = styled(Button)`
  &[aria-pressed='true'] svg { fill: currentcolor; color: ${color.live}; }
`
