import type { Product } from '@wangian/contracts/catalogue.ts'
import { ringgitFromSen } from '@wangian/contracts/money.ts'
import type { OwnProduct } from '@wangian/contracts/selling.ts'
import type { ProductRow } from '../store.ts'
import type { OwnProductRow } from './selling-store.ts'

/** A row as everybody may see it, an auction at its current price. The first uploaded picture leads; an address given with the listing stands in for it. */
export function presentProduct(row: ProductRow): Product {
  const {
    priceSen,
    currentPriceSen: _listed,
    volumeMl,
    sellerName,
    sellerProfileImage,
    isSellerHidden: _,
    salesCount: __,
    favoriteCount: ___,
    viewCount: ____,
    boostPackageId,
    auction,
    ...same
  } = row
  return {
    ...same,
    price: ringgitFromSen(auction?.currentBidSen ?? auction?.startingPriceSen ?? priceSen),
    imageUrl: row.images[0]?.imageUrl ?? row.imageUrl,
    volume: volumeMl,
    featured_until: row.featuredUntil,
    boost_package_id: boostPackageId,
    seller: {
      id: row.sellerId,
      username: sellerName,
      profileImage: sellerProfileImage,
      avatar_url: null,
    },
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
    },
  }
}

/** A row as its seller sees it, at the price that they set. */
export function presentOwnProduct(row: OwnProductRow): OwnProduct {
  const { reservedFor, reservedName, reservedSen, ...product } = row
  const reservation =
    reservedFor === null || reservedSen === null
      ? null
      : { buyerId: reservedFor, username: reservedName, amount: ringgitFromSen(reservedSen) }
  return {
    ...presentProduct(product),
    price: ringgitFromSen(row.priceSen),
    favoriteCount: row.favoriteCount,
    viewCount: row.viewCount,
    reservation,
  }
}
