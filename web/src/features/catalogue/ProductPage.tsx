import { catalogueRoutes, type Product, type ProductDetail } from '@wangian/contracts/catalogue.ts'
import { IdParam } from '@wangian/contracts/ids.ts'
import { formatRinggit } from '@wangian/contracts/money.ts'
import { shopRoutes } from '@wangian/contracts/shop.ts'
import { useEffect } from 'react'
import { Link, useParams } from 'react-router-dom'
import { styled } from 'styled-components'
import type { ApiError } from '../../api/api-error.ts'
import { call } from '../../api/client.ts'
import { useApi } from '../../api/use-api.ts'
import { categoryName } from '../../cards/category-name.ts'
import { PremiumBadge } from '../../cards/PremiumBadge.tsx'
import { Rating } from '../../cards/Rating.tsx'
import { useGalleryLabels } from '../../cards/use-gallery-labels.ts'
import { trackBy } from '../../lib/analytics.ts'
import { yearOf } from '../../lib/dates.ts'
import { picturesOf, profileImageSource } from '../../lib/image-source.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { paths } from '../../paths.ts'
import { color, from, reach, space, text, weight, width } from '../../theme/theme.ts'
import { Avatar } from '../../ui/Avatar.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { ButtonLink } from '../../ui/Button.tsx'
import { EmptyBottle } from '../../ui/EmptyBottle.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Facts } from '../../ui/Facts.tsx'
import { FillGauge, toneOf } from '../../ui/FillGauge.tsx'
import { Gallery, GalleryToCome } from '../../ui/Gallery.tsx'
import { LoadFailure } from '../../ui/LoadFailure.tsx'
import { Page } from '../../ui/Page.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { VisuallyHidden } from '../../ui/VisuallyHidden.tsx'
import { ProductActions } from './ProductActions.tsx'
import { ProductTabs } from './ProductTabs.tsx'
import { RelatedProducts } from './RelatedProducts.tsx'

/** One listing. */
export default function ProductPage() {
  const { productId } = useParams()
  const id = IdParam.safeParse(productId)
  return id.success ? <ProductById key={id.data} productId={id.data} /> : <NotFound />
}

function ProductById({ productId }: { productId: number }) {
  const { data, error, mutate } = useApi(catalogueRoutes.getProduct, { params: { productId } })
  const failure = error as ApiError | undefined
  // Whoever has seen it before has it still.
  if (failure?.status === 404) return <NotFound />
  if (data) return <ProductView product={data} />
  if (!failure) return <Loading />
  return (
    <LoadFailure heading="h1" onRetry={() => void mutate()}>
      {failure.shown}
    </LoadFailure>
  )
}

function ProductView({ product }: { product: ProductDetail }) {
  const { t } = useTranslation()
  const { name, brand, seller, status, remainingPercentage: percentage, auction } = product
  const pictures = picturesOf(product)
  const galleryLabels = useGalleryLabels(name, pictures.length)
  const isSold = status === 'sold'
  const fullness = product.isNew ? t('product.likeNew') : t('product.full', { percentage })
  useView(product)

  return (
    <Page>
      <title>{`${name} · ${brand} · ${t('shell.brand')}`}</title>
      <Breadcrumb aria-label={t('product.breadcrumb')}>
        <ol>
          <li>
            <Link to={paths.home()}>{t('product.home')}</Link>
          </li>
          <li>
            <Link to={paths.products()}>{t('product.products')}</Link>
          </li>
          <li aria-current="page">{name}</li>
        </ol>
      </Breadcrumb>
      <Columns>
        <Gallery pictures={pictures} labels={galleryLabels} />
        <Info>
          <header>
            <Badges>
              {isSold && <Badge $tone="live">{t('card.sold')}</Badge>}
              {status === 'pending' && <Badge $tone="warn">{t('card.reserved')}</Badge>}
              <Badge $tone={product.isNew ? 'ok' : toneOf(percentage)}>{fullness}</Badge>
              <Badge>{t(`card.${product.listingType}`)}</Badge>
              <PremiumBadge product={product} />
            </Badges>
            <Muted>
              {brand} · {t('product.volumeValue', { volume: product.volume })}
            </Muted>
            <Name>{name}</Name>
            {product.averageRating !== null && (
              <Rated>
                <Rating average={product.averageRating} count={product.reviewCount} />
              </Rated>
            )}
            <Price>{formatRinggit(auction?.currentBid ?? auction?.startingPrice ?? product.price)}</Price>
          </header>
          <ProductActions product={product} />
          <Section aria-label={t('product.seller')}>
            <Seller>
              <Avatar
                src={profileImageSource(seller.profileImage)}
                name={seller.username ?? t('person.deleted')}
                size="medium"
              />
              <SellerName>
                <strong>{seller.username ?? t('person.deleted')}</strong>
                <Muted as="span">{t('product.trusted')}</Muted>
                <SellerFacts sellerId={product.sellerId} />
              </SellerName>
              <ButtonLink tone="secondary" size="small" to={paths.seller(product.sellerId)}>
                {t('product.viewSeller')}
              </ButtonLink>
            </Seller>
          </Section>
          <Section aria-labelledby="item-details">
            <SectionTitle id="item-details">{t('product.itemDetails')}</SectionTitle>
            <Facts
              facts={[
                {
                  label: t('product.fullness'),
                  value: <FillGauge percentage={percentage} label={t('product.full', { percentage })} />,
                },
                { label: t('product.year'), value: product.purchaseYear ?? t('product.unknownYear') },
                {
                  label: t('product.box'),
                  value: product.boxCondition ? t(`sell.boxes.${product.boxCondition}`) : t('product.boxNotSpecified'),
                },
                { label: t('product.batch'), value: product.batchCode || t('product.noBatch') },
                { label: t('product.category'), value: categoryName(product, t) || t('product.uncategorized') },
                { label: t('product.brand'), value: brand },
                {
                  label: t('product.availability'),
                  value:
                    product.stockQuantity > 0 && !isSold
                      ? t('product.inStock', { count: product.stockQuantity })
                      : t('card.outOfStock'),
                },
              ]}
            />
          </Section>
        </Info>
        <Tabs>
          <ProductTabs product={product} fullness={fullness} />
        </Tabs>
      </Columns>
      <RelatedProducts product={product} />
    </Page>
  )
}

/** What is known of the seller: the rating, the sales and the year of registration. */
function SellerFacts({ sellerId }: { sellerId: number }) {
  const { t } = useTranslation()
  // The page can do without it, and keeps its line free so that nothing moves.
  const { data: seller } = useApi(shopRoutes.getSeller, { params: { sellerId } })
  if (!seller) return <Muted as="span">&nbsp;</Muted>
  const { averageRating, reviewCount, soldCount, createdAt } = seller
  const facts = [
    averageRating === null
      ? t('product.sellerUnrated')
      : t('review.average', { rating: averageRating.toFixed(1), count: reviewCount }),
    t('product.sellerSold', { count: soldCount }),
    t('product.sellerSince', { year: yearOf(createdAt) }),
  ]
  return <Muted as="span">{facts.join(' · ')}</Muted>
}

/** Counts the look at a product, for its seller and for analytics. */
function useView(product: Product): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each product, however often it is read again
  useEffect(() => {
    trackBy(({ tellOfView }) => tellOfView(product))
    // A look that is not counted is nobody's trouble.
    call(catalogueRoutes.recordView, { params: { productId: product.id } }).catch(() => {})
  }, [product.id])
}

function Loading() {
  const { t } = useTranslation()
  return (
    <Page aria-busy>
      <VisuallyHidden as="h1">{t('shell.loading')}</VisuallyHidden>
      <Coming $height={space(5)} $width={space(60)} />
      <Columns>
        <GalleryToCome />
        <Info>
          <Skeleton $height={space(6)} $width="40%" />
          <Skeleton $height={space(12)} $width="80%" />
          <Skeleton $height={space(10)} $width="30%" />
          <Skeleton $height={space(12)} />
          <Skeleton $height={space(14)} />
          <Skeleton $height={space(80)} />
        </Info>
      </Columns>
    </Page>
  )
}

function NotFound() {
  const { t } = useTranslation()
  return (
    <>
      <title>{`${t('product.notFoundTitle')} · ${t('shell.brand')}`}</title>
      <EmptyState
        heading="h1"
        icon={<EmptyBottle />}
        title={t('product.notFoundTitle')}
        action={<ButtonLink to={paths.products()}>{t('product.browse')}</ButtonLink>}
      >
        {t('product.notFoundText')}
      </EmptyState>
    </>
  )
}

const Coming = styled(Skeleton)`
  margin-bottom: ${space(6)};
`

const Breadcrumb = styled.nav`
  margin-bottom: ${space(6)};
  color: ${color.muted};
  font-size: ${text.small};
  ol { display: flex; }
  li { flex: none; }
  li + li::before { margin: 0 ${space(2)}; content: '/'; }
  /* The name is below in full. */
  li:last-child { flex: 0 1 auto; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  a { position: relative; ${reach(12, 0)} }
`

const Columns = styled.div`
  display: grid;
  gap: ${space(10)};
  align-items: start;
  ${from.tablet} { grid-template: auto 1fr / minmax(0, 1fr) minmax(0, 1fr); column-gap: ${space(8)}; }
  ${from.desktop} { grid-template-columns: minmax(0, 6fr) minmax(0, 5fr); column-gap: ${space(16)}; }
`

const Info = styled.div`
  display: grid;
  gap: ${space(6)};
  min-width: 0;
  ${from.tablet} { grid-row: 1 / 3; grid-column: 2; }
`

const Badges = styled.div`
  display: flex;
  flex-wrap: wrap;
  gap: ${space(2)};
  margin-bottom: ${space(4)};
`

const Muted = styled.p`
  color: ${color.muted};
  overflow-wrap: anywhere;
`

const Name = styled.h1`
  margin-top: ${space(1)};
  font-size: ${text.heading};
  overflow-wrap: anywhere;
  ${from.desktop} { font-size: ${text.display}; }
`

const Rated = styled.p`
  margin-top: ${space(2)};
`

const Price = styled.p`
  margin-top: ${space(4)};
  font-size: ${text.heading};
  font-variant-numeric: tabular-nums;
  font-weight: ${weight.strong};
`

const Section = styled.section`
  display: grid;
  gap: ${space(3)};
  padding-top: ${space(6)};
  border-top: 1px solid ${color.line};
`

const SectionTitle = styled.h2`
  font-size: ${text.title};
`

const Seller = styled.div`
  display: flex;
  flex-wrap: wrap;
  gap: ${space(2)} ${space(4)};
  align-items: center;
`

const SellerName = styled.p`
  display: grid;
  flex: 1 1 9em;
  min-width: 0;
  overflow-wrap: anywhere;
`

/** Below the pictures; on a phone below everything that decides. */
const Tabs = styled.div`
  min-width: 0;
  max-width: ${width.prose};
`
