import type { AuctionPage as Auction } from '@wangian/contracts/auction.ts'
import type { Product } from '@wangian/contracts/catalogue.ts'
import { IdParam } from '@wangian/contracts/ids.ts'
import { formatRinggit } from '@wangian/contracts/money.ts'
import { useEffect } from 'react'
import { useParams } from 'react-router-dom'
import { styled } from 'styled-components'
import { categoryName } from '../../cards/category-name.ts'
import { useGalleryLabels } from '../../cards/use-gallery-labels.ts'
import { useContactSeller } from '../../contact/use-contact-seller.ts'
import { trackBy } from '../../lib/analytics.ts'
import { picturesOf } from '../../lib/image-source.ts'
import { useTranslation } from '../../lib/use-translation.ts'
import { useTellOutbid } from '../../live/outbid-tabs.ts'
import { paths } from '../../paths.ts'
import { SeenBy } from '../../session/SeenBy.tsx'
import { useUser } from '../../session/use-session.ts'
import { color, from, space, uprightPhone } from '../../theme/theme.ts'
import { ButtonLink } from '../../ui/Button.tsx'
import { EmptyBottle } from '../../ui/EmptyBottle.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Facts } from '../../ui/Facts.tsx'
import { Gallery, GalleryToCome } from '../../ui/Gallery.tsx'
import { LoadFailure } from '../../ui/LoadFailure.tsx'
import { Page } from '../../ui/Page.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { Tab, TabGroup, TabList, TabPanel } from '../../ui/Tabs.tsx'
import { AboutProduct } from './AboutProduct.tsx'
import { AuctionHead } from './AuctionHead.tsx'
import { isOutbid } from './auction-room.ts'
import { BidArea } from './BidArea.tsx'
import { BidHistory } from './BidHistory.tsx'
import { useBidNews, useConnectionNews, useRefusalNews } from './use-auction-news.ts'
import { type LiveAuction, useAuctionRoom } from './use-auction-room.ts'
import { WatchButton, WatchButtonToCome } from './WatchButton.tsx'

/** One auction, live. */
export default function AuctionPage() {
  const { auctionId } = useParams()
  const id = IdParam.safeParse(auctionId)
  // A room of its own for each auction.
  return id.success ? <AuctionById key={id.data} auctionId={id.data} /> : <NotFound />
}

function AuctionById({ auctionId }: { auctionId: number }) {
  const auction = useAuctionRoom(auctionId)
  const userId = useUser()?.id ?? null
  useBidNews(auction.room, auction.page !== null, userId)
  useRefusalNews(auction.room, auction.page !== null)
  useConnectionNews(auction.failures)
  const { page, error, reload } = auction
  if (page) return <AuctionView auction={auction} page={page} />
  if (!error) return <Loading />
  if (error.status === 404) return <NotFound />
  return (
    <LoadFailure heading="h1" onRetry={reload}>
      {error.shown}
    </LoadFailure>
  )
}

function AuctionView({ auction, page }: { auction: LiveAuction; page: Auction }) {
  const { t } = useTranslation()
  const user = useUser()
  const { room, phase, isConnected } = auction
  const { product } = page
  const { buyNow } = useContactSeller(paths.auction(page.id))
  const name = product?.name ?? t('auction.fallbackName', { id: page.id })
  const price = formatRinggit(room.live?.currentBid ?? page.startingPrice)
  const pictures = picturesOf(product ?? { imageUrl: null, images: [] })
  const galleryLabels = useGalleryLabels(name, pictures.length)
  const isOpen = phase === 'live' || phase === 'scheduled'
  const isLost = phase === 'live' && isOutbid(room, user?.id ?? null)
  useViewTracking(product)
  useTellOutbid(isLost ? `${t('auction.outbid')} · ${name} · ${t('shell.brand')}` : null)

  return (
    <Page>
      <title>
        {isLost
          ? `${t('auction.outbid')} · ${price} · ${name} · ${t('shell.brand')}`
          : `${price} · ${name} · ${t('shell.brand')}`}
      </title>
      <Columns>
        {product ? (
          <Gallery pictures={pictures} labels={galleryLabels} />
        ) : (
          <EmptyState title={t('auction.noProductTitle')}>
            {t(isOpen ? 'auction.noProductText' : 'auction.noProductOver')}
          </EmptyState>
        )}

        <Info>
          <AuctionHead page={page} name={name} isLive={phase === 'live'} />
          <Section>
            <BidArea
              page={page}
              room={room}
              phase={phase}
              user={user}
              onBuyNow={(buyNowPrice) => buyNow(product, buyNowPrice)}
            />
            {isOpen && (
              <SeenBy viewers={['other']} ownerId={page.sellerId}>
                {user ? (
                  <WatchButton key={user.id} auctionId={page.id} leads={room.live?.currentBidderId === user.id} />
                ) : (
                  <WatchButtonToCome />
                )}
              </SeenBy>
            )}
          </Section>
          <Section>
            <PricePanel auction={auction} page={page} />
          </Section>
          <TabGroup defaultValue="history">
            <TabList>
              <Tab value="history">{t('auction.history')}</Tab>
              <Tab value="details">{t('auction.productDetails')}</Tab>
            </TabList>
            <TabPanel value="history" keepMounted>
              <BidHistory
                room={room}
                phase={phase}
                userId={user?.id ?? null}
                isConnected={isConnected}
                onEarlier={auction.loadEarlier}
              />
            </TabPanel>
            <TabPanel value="details">
              {product ? <ProductDetails product={product} /> : <p>{t('auction.noProductTitle')}</p>}
            </TabPanel>
          </TabGroup>
        </Info>

        <AboutProduct page={page} />
      </Columns>
    </Page>
  )
}

function PricePanel({ auction, page }: { auction: LiveAuction; page: Auction }) {
  const { t } = useTranslation()
  const live = auction.room.live ?? page
  return (
    <Facts
      facts={[
        { label: t('auction.startingPrice'), value: formatRinggit(page.startingPrice) },
        {
          label: t('auction.currentBid'),
          value: live.currentBid === null ? t('auction.noBidYet') : formatRinggit(live.currentBid),
        },
        { label: t('auction.bidIncrement'), value: formatRinggit(page.bidIncrement) },
        ...(page.buyNowPrice === null
          ? []
          : [{ label: t('auction.buyNowPrice'), value: formatRinggit(page.buyNowPrice) }]),
        ...(page.reservePrice ? [{ label: t('auction.reservePrice'), value: formatRinggit(page.reservePrice) }] : []),
        { label: t('auction.totalBids'), value: live.bidCount },
      ]}
    />
  )
}

function ProductDetails({ product }: { product: Product }) {
  const { t } = useTranslation()
  return (
    <Facts
      facts={[
        {
          label: t('product.remaining'),
          value: t('card.fill', { percentage: product.remainingPercentage }),
        },
        { label: t('product.batch'), value: product.batchCode ?? t('product.noBatch') },
        { label: t('product.year'), value: product.purchaseYear ?? t('product.unknownYear') },
        {
          label: t('product.box'),
          value: product.boxCondition ? t(`sell.boxes.${product.boxCondition}`) : t('product.boxNotSpecified'),
        },
        { label: t('product.volume'), value: t('product.volumeValue', { volume: product.volume }) },
        { label: t('product.category'), value: categoryName(product, t) || t('product.uncategorized') },
        { label: t('product.brand'), value: product.brand },
      ]}
    />
  )
}

function Loading() {
  const { t } = useTranslation()
  return (
    <Page aria-busy aria-label={t('shell.loading')}>
      <Columns>
        <GalleryToCome />
        <Info>
          <Skeleton $height={space(6)} $width="30%" />
          <Skeleton $height={space(12)} $width="80%" />
          <Skeleton $height={space(24)} />
          <Skeleton $height={space(24)} />
          <Skeleton $height={space(48)} />
        </Info>
      </Columns>
    </Page>
  )
}

function NotFound() {
  const { t } = useTranslation()
  return (
    <>
      <title>{`${t('auction.notFoundTitle')} · ${t('shell.brand')}`}</title>
      <EmptyState
        heading="h1"
        icon={<EmptyBottle />}
        title={t('auction.notFoundTitle')}
        action={<ButtonLink to={paths.home()}>{t('problem.home')}</ButtonLink>}
      >
        {t('auction.notFoundText')}
      </EmptyState>
    </>
  )
}

function useViewTracking(product: Product | null): void {
  const id = product?.id
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each product, however often it is read again
  useEffect(() => {
    if (product) trackBy(({ tellOfView }) => tellOfView(product))
  }, [id])
}

const Columns = styled.div`
  display: grid;
  gap: ${space(6)} ${space(16)};
  align-items: start;
  ${from.tablet} {
    grid-template-rows: auto 1fr;
    grid-template-columns: minmax(0, 1fr) minmax(0, 1fr);
    gap: ${space(10)};
  }
  ${from.desktop} { grid-template-columns: minmax(0, 6fr) minmax(0, 5fr); column-gap: ${space(16)}; }
`

const Info = styled.div`
  display: grid;
  gap: ${space(5)};
  min-width: 0;
  ${from.tablet} { grid-row: 1 / span 2; grid-column: 2; gap: ${space(6)}; }
`

const Section = styled.section`
  display: grid;
  gap: ${space(3)};
  padding-top: ${space(4)};
  border-top: 1px solid ${color.line};
  /* What there is to do may all be in the bar at the bottom of a phone: what is not stands there without a line. */
  ${uprightPhone} { &:has(> [data-bar]) { display: contents; } }
  ${from.tablet} { padding-top: ${space(6)}; }
`
