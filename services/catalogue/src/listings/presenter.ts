import type { Product } from '@wangian/contracts/catalogue.ts'
import { ringgitFromSen } from '@wangian/contracts/money.ts'
import type { BoostableProduct, OwnProduct } from '@wangian/contracts/selling.ts'
import type { ProductRow } from '../store.ts'
import type { BoostableRow, OwnProductRow } from './selling-store.ts'

/**
 * A row as everybody may see it, an auction at its current price, with the bottles that nobody has. The first uploaded picture leads; an address given with
 * the listing stands in for it. Each field is named, in the order of the contract: that keeps out what is nobody's business, and to copy the others of a row
 * and check them again takes five times as long as all of this.
 */
export function presentProduct(row: ProductRow): Product {
  const { auction } = row
  return {
    id: row.id,
    name: row.name,
    brand: row.brand,
    description: row.description,
    price: ringgitFromSen(auction?.currentBidSen ?? auction?.startingPriceSen ?? row.priceSen),
    imageUrl: row.images[0]?.imageUrl ?? row.imageUrl,
    images: row.images,
    stockQuantity: row.stockQuantity - row.reservedQuantity,
    categoryId: row.categoryId,
    category: row.category,
    isNew: row.isNew,
    isFeatured: row.isFeatured,
    featuredUntil: row.featuredUntil,
    featured_until: row.featuredUntil,
    boost_package_id: row.boostPackageId,
    remainingPercentage: row.remainingPercentage,
    batchCode: row.batchCode,
    purchaseYear: row.purchaseYear,
    boxCondition: row.boxCondition,
    listingType: row.listingType,
    volume: row.volumeMl,
    sellerId: row.sellerId,
    seller: {
      id: row.sellerId,
      username: row.sellerName,
      profileImage: row.sellerProfileImage,
      avatar_url: null,
    },
    status: row.status,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    averageRating: row.averageRating,
    reviewCount: row.reviewCount,
    auction: auction && {
      id: auction.id,
      status: auction.status,
      startsAt: new Date(auction.startsAtMs).toISOString(),
      endsAt: new Date(auction.endsAtMs).toISOString(),
      startingPrice: ringgitFromSen(auction.startingPriceSen),
      currentBid: auction.currentBidSen === null ? null : ringgitFromSen(auction.currentBidSen),
      bidCount: auction.bidCount,
      outcome: auction.outcome,
      winner: auction.winner,
      isReleased: auction.isReleased,
    },
  }
}

/** A row as its seller sees it, at the price that they set, with all of their bottles. */
export function presentOwnProduct(row: OwnProductRow): OwnProduct {
  const { lot, ...product } = row
  return {
    ...presentProduct(product),
    price: ringgitFromSen(row.priceSen),
    stockQuantity: row.stockQuantity,
    reservedQuantity: row.reservedQuantity,
    favoriteCount: row.favoriteCount,
    viewCount: row.viewCount,
    reservation: lot && { buyerId: lot.buyerId, username: lot.username, amount: ringgitFromSen(lot.amountSen) },
  }
}

export function presentBoostable({ id, name, price, status, ...row }: BoostableRow): BoostableProduct {
  return { id, name, price, status, image_url: row.images[0]?.imageUrl ?? row.imageUrl, is_featured: row.isFeatured }
}
