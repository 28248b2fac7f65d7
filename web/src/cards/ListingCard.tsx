import type { Product } from '@wangian/contracts/catalogue.ts'
import type { ItemPlace } from '../lib/analytics-telling.ts'
import { AuctionCard } from './AuctionCard.tsx'
import { ProductCard } from './ProductCard.tsx'

/** The card that fits the kind of listing. `place` says where it stands, for analytics; an `eager` one is on the first screen. */
export function ListingCard({
  product,
  place,
  eager = false,
}: {
  product: Product
  place?: ItemPlace
  eager?: boolean
}) {
  return product.listingType === 'auction' ? (
    <AuctionCard product={product} auction={product.auction} place={place} eager={eager} />
  ) : (
    <ProductCard product={product} place={place} eager={eager} />
  )
}
