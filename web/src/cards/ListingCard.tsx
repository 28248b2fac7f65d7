import type { Product } from '@wangian/contracts/catalogue.ts'
import { AuctionCard } from './AuctionCard.tsx'
import { ProductCard } from './ProductCard.tsx'

/** The card that fits the kind of listing. */
export function ListingCard({ product }: { product: Product }) {
  return product.listingType === 'auction' ? (
    <AuctionCard product={product} auction={product.auction} />
  ) : (
    <ProductCard product={product} />
  )
}
