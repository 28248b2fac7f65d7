import type { Product } from '@wangian/contracts/catalogue.ts'
import type { ItemPlace } from '../lib/analytics-telling.ts'
import { AuctionCard } from './AuctionCard.tsx'
import { ProductCard } from './ProductCard.tsx'

/** The card that fits the kind of listing. `place` says where it stands, for analytics. */
export function ListingCard({ product, place }: { product: Product; place?: ItemPlace }) {
  return product.listingType === 'auction' ? (
    <AuctionCard product={product} auction={product.auction} place={place} />
  ) : (
    <ProductCard product={product} place={place} />
  )
}
