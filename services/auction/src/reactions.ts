import type { NatsConnection } from '@nats-io/transport-node'
import { LISTING_DELETED_REASON, LISTING_REMOVED_REASON, SOLD_AT_ONCE_REASON } from '@wangian/contracts/auction.ts'
import { catalogueRequests } from '@wangian/contracts/catalogue.ts'
import { request } from '@wangian/kit/bus/requests.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { Failure } from '@wangian/kit/errors.ts'
import { type BulkEventHandlers, dataOf, type EventHandlers } from '@wangian/kit/log/event-handlers.ts'
import { withdrawOpened } from './api/withdrawal.ts'
import { findAuctionOfProduct, isBeingOpened, markListingsDeleted, saveListings, saveReturned } from './store.ts'

/** Who sells what: an auction is opened by the owner of its product only, and not for what is gone. */
export const listingHandlers: BulkEventHandlers<'catalogue'> = {
  ListingCreated: (transaction, events) => saveListings(transaction, events.map(dataOf)),
  ListingUpdated: (transaction, events) => saveListings(transaction, events.map(dataOf)),
  ListingReturned: (transaction, events) => saveReturned(transaction, events.map(dataOf)),
  ListingReleased: (transaction, events) =>
    saveReturned(
      transaction,
      events
        .map(dataOf)
        .filter(({ isKept }) => !isKept)
        .filter(isOfAuction),
    ),
  ListingSold: (transaction, events) => saveReturned(transaction, events.map(dataOf).filter(isOfAuction)),
  ListingRemoved: (transaction, events) => markListingsDeleted(transaction, events.map(dataOf)),
}

function isOfAuction<Of extends { readonly auctionId: number | null }>(
  one: Of,
): one is Of & { readonly auctionId: number } {
  return one.auctionId !== null
}

/** The auction of what is gone is withdrawn, and of what a deal has taken the last bottle of. */
export function withdrawals({ nats, pool }: { nats: NatsConnection; pool: DatabasePool }): EventHandlers<'catalogue'> {
  return {
    ListingRemoved: {
      async prepare({ data, metadata }) {
        const { productId, sellerId, by } = data
        // Marked first: whoever opens an auction claims the product and looks at the mark then, so one of the two sees the other.
        await markListingsDeleted(pool, [data])
        await requireNoOpening(productId)
        await withdrawOpened(
          { executor: pool, nats },
          { productId, actorId: metadata.actorId ?? sellerId, by, requestId: metadata.correlationId },
          by === 'admin' ? LISTING_REMOVED_REASON : LISTING_DELETED_REASON,
        )
        return async () => {}
      },
    },
    ListingReserved: {
      async prepare({ data: { productId, sellerId, transactionId, auctionId }, metadata }) {
        if (transactionId === null || auctionId !== null) return async () => {}
        await requireNoOpening(productId)
        if (await isOpenWithoutBottle(productId)) {
          const removal = { productId, actorId: sellerId, by: 'seller', requestId: metadata.correlationId } as const
          await withdrawOpened({ executor: pool, nats }, removal, SOLD_AT_ONCE_REASON)
        }
        return async () => {}
      },
    },
  }

  /** Nobody may hear what became of the order, so this is tried again until the auction is there, or cannot come any more. */
  async function requireNoOpening(productId: number): Promise<void> {
    if (await isBeingOpened(pool, productId)) throw new Failure('an auction of this product is just being opened')
  }

  /** It was opened while the deal asked for the bottle. */
  async function isOpenWithoutBottle(productId: number): Promise<boolean> {
    const auction = await findAuctionOfProduct(pool, productId)
    if (auction?.status !== 'open') return false
    const { product } = await request(nats, 'catalogue', catalogueRequests.getProduct, { productId })
    return product !== null && product.stockQuantity < 1
  }
}
