import { SOLD_AT_ONCE_REASON } from '@wangian/contracts/auction.ts'
import type { catalogueRequests } from '@wangian/contracts/catalogue.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import type { z } from 'zod'
import { findOpenAuction, holdOf, withdrawAuction } from './auction-hold.ts'
import { findDealTerms, hasBottle, isBuyerGone } from './bottle-store.ts'
import { offerIsOver } from './domain/bottles.ts'
import type { AuctionHold } from './domain/listing.ts'
import { runListing } from './listing-run.ts'
import type { SellingDependencies } from './selling-routes.ts'
import { findOwnership } from './selling-store.ts'

/** What a deal may be about, as it is now. @throws Failure when the auction service cannot be asked */
export async function dealTerms(
  { pool, nats }: SellingDependencies,
  productId: number,
): Promise<z.input<typeof catalogueRequests.getDealTerms.answer>['terms']> {
  const row = await findDealTerms(pool, productId)
  if (row === null) return null
  const { images, imageUrl, ...terms } = row
  const shown = { ...terms, imageUrl: images[0]?.imageUrl ?? imageUrl, priceSen: row.lot?.amountSen ?? row.priceSen }
  if (row.listingType !== 'auction') return { ...shown, auction: null }
  const { auction, isReserved } = await findOpenAuction(nats, productId)
  // It was won, and the end of its auction is not here yet.
  const available = isReserved && row.lot === null ? 0 : row.available
  return {
    ...shown,
    available,
    auction: auction && { hasBids: auction.bidCount > 0, buyNowSen: auction.buyNowSen ?? null },
  }
}

/**
 * Keeps a bottle for a deal, once. An auction of it without bids is withdrawn before.
 * @throws Rejection('product-not-found', 'product-sold', 'product-reserved', 'auction-has-bids', 'deal-cancelled' or 'conflict'); Failure as above
 */
export async function reserveBottle(
  dependencies: SellingDependencies,
  { requestId, ...deal }: z.infer<typeof catalogueRequests.reserveBottle.body>,
): Promise<void> {
  const { pool, nowMs = Date.now } = dependencies
  const ownership = await findOwnership(pool, deal.productId)
  if (ownership?.sellerId !== deal.sellerId) throw new Rejection('product-not-found')
  const isKept = await hasBottle(pool, deal.transactionId)
  const hold = isKept
    ? 'none'
    : await freeOfAuction(dependencies, { ...deal, listingType: ownership.listingType, requestId })
  const { productId, ...of } = deal
  await runListing(dependencies, {
    productId,
    command: { type: 'ReserveBottle', ...of, hold, at: new Date(nowMs()).toISOString() },
    actorId: deal.buyerId,
    requestId,
  })
}

/**
 * Gives up on the winner of a lot.
 * @throws Rejection('product-not-found', 'forbidden', 'product-sold' or 'conflict') as the command
 */
export async function releaseLot(
  dependencies: SellingDependencies,
  { productId, auctionId, actorId, reason, requestId }: z.infer<typeof catalogueRequests.releaseLot.body>,
): Promise<void> {
  const { pool, nowMs = Date.now } = dependencies
  const isWinnerGone = await isBuyerGone(pool, auctionId)
  const at = new Date(nowMs()).toISOString()
  await runListing(dependencies, {
    productId,
    command: { type: 'ReleaseLot', actorId, auctionId, isWinnerGone, note: reason, at },
    actorId,
    requestId,
  })
}

/**
 * What holds a listing back when the auction that nobody has bid on is gone.
 * @throws Rejection('conflict') when the deal is not at its price to buy at once
 */
async function freeOfAuction(
  { nats }: SellingDependencies,
  listing: {
    readonly productId: number
    readonly listingType: string
    readonly sellerId: number
    readonly amountSen: number
    readonly auctionId?: number | null | undefined
    readonly requestId: string
  },
): Promise<AuctionHold> {
  const { productId, listingType, sellerId: actorId, amountSen, auctionId, requestId } = listing
  if (listingType !== 'auction') return 'none'
  const open = await findOpenAuction(nats, productId)
  const hold = holdOf(open)
  if (hold !== 'open') return hold
  const isAtBuyNow = auctionId === null && amountSen === open.auction?.buyNowSen
  if (auctionId !== undefined && !isAtBuyNow) throw offerIsOver()
  await withdrawAuction(nats, { productId, actorId, requestId, reason: SOLD_AT_ONCE_REASON })
  return 'none'
}
