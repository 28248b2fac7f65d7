import { MESSAGE_LENGTH_MAX } from '@wangian/contracts/messaging.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { Failure, Rejection } from '@wangian/kit/errors.ts'
import type { EventHandlers } from '@wangian/kit/log/event-handlers.ts'
import { sendMessage } from '../conversations/commands.ts'
import { productionLimits } from '../conversations/domain.ts'
import { findProduct } from '../people-store.ts'
import { continueDeal, endWithListing } from './commands.ts'
import { findOfferOfLot } from './deal-store.ts'

const REMOVAL_NOTE = 'An administrator has removed this listing. The transaction is cancelled.'

/** Nobody can buy what was taken away, or a lot that the seller has given up on: its deals end, but for those that are paid. Of an administrator's removal the two are told in their conversation. */
export const removalReactions: EventHandlers<'catalogue'> = {
  ListingRemoved: {
    async prepare({ data: { productId, by, removedAt }, id, metadata: { correlationId, actorId } }) {
      const isRemoval = by === 'admin'
      const note = isRemoval && actorId !== null ? { authorId: actorId, content: REMOVAL_NOTE } : null
      const command = { type: 'EndWithListing', by: isRemoval ? 'removal' : 'seller', at: removedAt } as const
      const metadata = { actorId: isRemoval ? actorId : null, correlationId, causationId: id }
      return (transaction) => endWithListing(transaction, { productId, note }, command, metadata)
    },
  },

  // Whoever was offered it as its winner could not confirm that any more.
  ListingReleased: {
    async prepare({ data: { productId, buyerId, auctionId, reason, releasedAt }, id, metadata: { correlationId } }) {
      if (reason !== 'released' || auctionId === null) return async () => {}
      const metadata = { actorId: null, correlationId, causationId: id }
      return async (transaction) => {
        const offer = await findOfferOfLot(transaction, { productId, auctionId, buyerId })
        if (offer === null) return
        const command = { type: 'EndWithListing', by: 'seller', at: releasedAt } as const
        await continueDeal(transaction, { transactionId: offer.transactionId, parties: offer, command }, metadata)
      }
    },
  },
}

/** An administrator who takes a listing away tells its seller why. */
export const removalMessages = (pool: DatabasePool): EventHandlers<'catalogue'> => ({
  ListingRemoved: {
    async prepare({ data: { productId, sellerId, name, by, reason }, id, metadata: { correlationId, actorId } }) {
      if (by !== 'admin' || actorId === null || actorId === sellerId) return async () => {}
      const what = name ?? (await findProduct(pool, productId))?.name ?? 'a listing of yours'
      const sending = {
        senderId: actorId,
        senderName: null,
        receiverId: sellerId,
        productId,
        content: `I have removed your listing ${what}. Reason: ${reason ?? ''}`.slice(0, MESSAGE_LENGTH_MAX),
        commandId: `listing-removed-${productId}`,
        nowMs: Date.now(),
        isAutomatic: true,
        metadata: { actorId, correlationId, causationId: id },
      }
      return async (transaction) => {
        try {
          await sendMessage(transaction, sending, productionLimits)
        } catch (error) {
          if (!(error instanceof Rejection)) throw error
          // Otherwise one of them has left: there is nobody to tell, or nobody who tells.
          if (error.code === 'user-not-found')
            throw new Failure('identity has not told of the seller yet', { cause: error })
        }
      }
    },
  },
})
