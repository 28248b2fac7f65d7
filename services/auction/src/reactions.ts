import type { NatsConnection } from '@nats-io/transport-node'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import type { EventHandlers } from '@wangian/kit/log/event-handlers.ts'
import { markListingDeleted, saveListing, saveReturned } from './store.ts'
import { withdrawDeleted } from './withdrawal.ts'

/** Who sells what: an auction is opened by the owner of its product only, and not for what is gone. */
export const listingHandlers: EventHandlers<'catalogue'> = {
  ListingCreated: (transaction, { data }) => saveListing(transaction, data),
  ListingUpdated: (transaction, { data }) => saveListing(transaction, data),
  ListingReturned: (transaction, { data }) => saveReturned(transaction, data.productId, data.auctionId),
  ListingRemoved: (transaction, { data }) => markListingDeleted(transaction, data),
}

/** The auction of what is gone is withdrawn. */
export function withdrawals({ nats, pool }: { nats: NatsConnection; pool: DatabasePool }): EventHandlers<'catalogue'> {
  return {
    ListingRemoved: {
      async prepare({ data, metadata }) {
        const { productId, sellerId } = data
        // Marked first: whoever opens an auction meanwhile looks at the mark afterwards, so one of the two sees the other.
        await markListingDeleted(pool, data)
        await withdrawDeleted(
          { executor: pool, nats },
          { productId, actorId: sellerId, requestId: metadata.correlationId },
        )
        return async () => {}
      },
    },
  }
}
