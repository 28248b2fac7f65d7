import type { Product } from '@wangian/contracts/catalogue.ts'
import { ringgitFromSen } from '@wangian/contracts/money.ts'
import type { OwnProduct } from '@wangian/contracts/selling.ts'
import type { ProductRow } from '../store.ts'
import type { OwnProductRow } from './selling-store.ts'

/** A row as everybody may see it, an auction at its current price, with the bottles that nobody has. The first uploaded picture leads; an address given with the listing stands in for it. */
export function presentProduct(row: ProductRow): Product {
  const {
    priceSen,
    stockQuantity,
    reservedQuantity,
    currentPriceSen: _listed,
    auctionEndMs: _end,
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
    stockQuantity: stockQuantity - reservedQuantity,
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
