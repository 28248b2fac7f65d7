import type { BulkEventHandlers } from '@wangian/kit/log/event-handlers.ts'
import type { Telling } from './notice-store.ts'
import type { Teller } from './teller.ts'

/** What people are told of listings. */
export function listingNotices(teller: Teller): BulkEventHandlers<'catalogue'> {
  return {
    ListingRemoved: (transaction, events) =>
      teller.tell(
        transaction,
        events.flatMap(({ data: { productId, sellerId, by, removedAt: at }, metadata: { actorId } }): Telling[] => {
          if (by !== 'admin' || actorId === sellerId) return []
          const subject = { userId: sellerId, topic: 'listing', topicId: productId } as const
          return [{ ...subject, kind: 'listing-removed', otherId: actorId, productId, at }]
        }),
      ),

    // What the winner was told last is that they have won it. Whoever calls their own deal off knows.
    ListingReleased: (transaction, events) =>
      teller.tell(
        transaction,
        events.flatMap(({ data: { productId, buyerId, auctionId, reason, releasedAt: at } }): Telling[] => {
          if (reason !== 'released' || auctionId === null) return []
          const subject = { userId: buyerId, topic: 'auction', topicId: auctionId } as const
          return [{ ...subject, kind: 'lot-released', otherId: null, productId, at }]
        }),
      ),
  }
}
