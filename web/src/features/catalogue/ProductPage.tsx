import { catalogueRoutes, type Product } from '@wangian/contracts/catalogue.ts'
import { IdParam } from '@wangian/contracts/ids.ts'
import { formatRinggit } from '@wangian/contracts/money.ts'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useParams } from 'react-router-dom'
import { styled } from 'styled-components'
import type { ApiError } from '../../api/api-error.ts'
import { useApi } from '../../api/use-api.ts'
import { useContactSeller } from '../../contact/use-contact-seller.ts'
import { track } from '../../lib/analytics.ts'
import { picturesOf } from '../../lib/image-source.ts'
import { paths } from '../../paths.ts'
import { color, from, space, text, weight, width } from '../../theme/theme.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button, ButtonLink } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Facts } from '../../ui/Facts.tsx'
import { FillGauge } from '../../ui/FillGauge.tsx'
import { Gallery } from '../../ui/Gallery.tsx'
import { Page } from '../../ui/Page.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'

/** One listing. */
export default function ProductPage() {
  const { productId } = useParams()
  const id = IdParam.safeParse(productId)
  return id.success ? <ProductById key={id.data} productId={id.data} /> : <NotFound />
}

function ProductById({ productId }: { productId: number }) {
  const { t } = useTranslation()
  const { data, error, mutate } = useApi(catalogueRoutes.getProduct, { params: { productId } })
  if (data) return <ProductView product={data} />
  if (!error) return <Loading />
  const failure = error as ApiError
  if (failure.status === 404) return <NotFound />
  return (
    <EmptyState
      heading="h1"
      title={t('problem.loadTitle')}
      action={<Button onClick={() => void mutate()}>{t('problem.tryAgain')}</Button>}
    >
      {failure.shown}
    </EmptyState>
  )
}

function ProductView({ product }: { product: Product }) {
  const { t } = useTranslation()
  const { contact } = useContactSeller(paths.product(product.id))
  const { name, remainingPercentage: percentage, auction } = product
  const pictures = picturesOf(product)
  const isSold = product.status === 'sold'

  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each product, however often it is read again
  useEffect(() => {
    track('view_item', {
      item_id: product.id,
      item_name: name,
      item_category: product.category,
      price: product.price,
      item_brand: product.brand,
      quantity: 1,
    })
  }, [product.id])

  return (
    <Page>
      <title>{`${name} · ${product.brand} · ${t('shell.brand')}`}</title>
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
        <Gallery
          pictures={pictures}
          seed={product.brand}
          labels={{
            picture: (number) => t('product.picture', { name, number, count: pictures.length }),
            show: (number) => t('product.showPicture', { number }),
            enlarge: t('product.enlarge', { name }),
            close: t('product.close'),
          }}
        />
        <Info>
          <header>
            <Badges>
              {isSold && <Badge $tone="live">{t('card.sold')}</Badge>}
              <Badge>{t(`card.${product.listingType}`)}</Badge>
              <Badge $tone="ok">{product.isNew ? t('product.likeNew') : t('product.full', { percentage })}</Badge>
            </Badges>
            <Muted>
              {product.brand} · {t('product.volumeValue', { volume: product.volume })}
            </Muted>
            <Name>{name}</Name>
            <Price>{formatRinggit(auction?.currentBid ?? product.price)}</Price>
          </header>
          {auction ? (
            <Section>
              <p>{t('product.auctionNow')}</p>
              <ButtonLink to={paths.auction(auction.id)} wide>
                {t('product.toAuction')}
              </ButtonLink>
            </Section>
          ) : (
            product.listingType === 'auction' && (
              <Section>
                <p>{t('card.noAuction')}</p>
              </Section>
            )
          )}
          <Section>
            <SectionTitle>{t('product.seller')}</SectionTitle>
            <p>
              <strong>{product.seller.username ?? t('person.deleted')}</strong>{' '}
              <Muted as="span">{t('product.trusted')}</Muted>
            </p>
            <Actions>
              {!isSold && (
                <Button tone={auction ? 'secondary' : 'primary'} onClick={() => contact(product)}>
                  {t('product.contact')}
                </Button>
              )}
              <ButtonLink tone="plain" to={paths.seller(product.sellerId)}>
                {t('product.viewSeller')}
              </ButtonLink>
            </Actions>
          </Section>
          <Section>
            <SectionTitle>{t('product.details')}</SectionTitle>
            <Facts
              facts={[
                {
                  label: t('product.fullness'),
                  value: <FillGauge percentage={percentage} label={t('product.full', { percentage })} />,
                },
                { label: t('product.year'), value: product.purchaseYear ?? t('product.unknownYear') },
                { label: t('product.box'), value: product.boxCondition },
                { label: t('product.batch'), value: product.batchCode ?? t('product.noBatch') },
                { label: t('product.category'), value: product.category || t('product.uncategorized') },
                { label: t('product.brand'), value: product.brand },
                {
                  label: t('product.availability'),
                  value:
                    product.stockQuantity > 0 && !isSold
                      ? t('product.inStock', { count: product.stockQuantity })
                      : t('product.outOfStock'),
                },
              ]}
            />
          </Section>
          <Section>
            <SectionTitle>{t('product.description')}</SectionTitle>
            <Description>{product.description}</Description>
          </Section>
        </Info>
      </Columns>
    </Page>
  )
}

function Loading() {
  return (
    <Page>
      <Columns>
        <Skeleton $ratio="4 / 5" />
        <Info>
          <Skeleton $height={space(6)} $width="40%" />
          <Skeleton $height={space(12)} $width="80%" />
          <Skeleton $height={space(32)} />
          <Skeleton $height={space(64)} />
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
        title={t('product.notFoundTitle')}
        action={<ButtonLink to={paths.products()}>{t('product.browse')}</ButtonLink>}
      >
        {t('product.notFoundText')}
      </EmptyState>
    </>
  )
}

const Breadcrumb = styled.nav`
  margin-bottom: ${space(6)};
  color: ${color.muted};
  font-size: ${text.small};
  ol { display: flex; flex-wrap: wrap; }
  li + li::before { margin: 0 ${space(2)}; content: '/'; }
`

const Columns = styled.div`
  display: grid;
  gap: ${space(10)};
  align-items: start;
  ${from.tablet} { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); }
  ${from.desktop} { grid-template-columns: minmax(0, 6fr) minmax(0, 5fr); column-gap: ${space(16)}; }
`

const Info = styled.div`
  display: grid;
  gap: ${space(6)};
  min-width: 0;
`

const Badges = styled.div`
  display: flex;
  flex-wrap: wrap;
  gap: ${space(2)};
  margin-bottom: ${space(4)};
`

const Muted = styled.p`
  color: ${color.muted};
`

const Name = styled.h1`
  margin-top: ${space(1)};
  font-size: ${text.heading};
  overflow-wrap: anywhere;
  ${from.desktop} { font-size: ${text.display}; }
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

const Actions = styled.div`
  display: flex;
  flex-wrap: wrap;
  gap: ${space(2)};
`

const Description = styled.p`
  max-width: ${width.prose};
  white-space: pre-line;
  overflow-wrap: anywhere;
`
