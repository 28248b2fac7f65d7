import type { auctionEvents } from '@wangian/contracts/events/auction.ts'
import type { PublishedData } from '@wangian/contracts/events/definition.ts'
import { formatRinggit, ringgitFromSen } from '@wangian/contracts/money.ts'
import type { DatabasePool, Executor } from '@wangian/kit/database/postgres.ts'
import { Failure, Rejection } from '@wangian/kit/errors.ts'
import { type BulkEventHandlers, dataOf, type EventHandlers } from '@wangian/kit/log/event-handlers.ts'
import { peopleHandlers } from '@wangian/kit/people/known-people.ts'
import { sendMessage } from './conversations/commands.ts'
import { productionLimits } from './conversations/domain.ts'
import { insertErasedReaders } from './conversations/erased-text-store.ts'
import { deleteNoticesOf, lockNotices } from './notices/notice-store.ts'
import { deleteWatchesOf } from './notices/watch-store.ts'
import { findProduct, saveProducts, setPictures, setRemoved, setSoldOut } from './people-store.ts'
import { deletePushSubscriptionsOf } from './push/push-store.ts'
import { deleteReportTexts } from './reports/report-store.ts'

/** Who people are and whether they may write. What they wrote stays for the others, under no name, until nobody is left to read it. */
export const identityHandlers = {
  ...peopleHandlers,
  UserErased: async (transaction, events) => {
    await peopleHandlers.UserErased(transaction, events)
    const userIds = events.map(({ data }) => data.userId)
    await insertErasedReaders(transaction, userIds)
    await deleteReportTexts(transaction, userIds)
    await lockNotices(transaction)
    await deleteNoticesOf(transaction, userIds)
    await deletePushSubscriptionsOf(transaction, userIds)
    await deleteWatchesOf(transaction, userIds)
  },
} as const satisfies BulkEventHandlers<'identity'>

/** What conversations are about. */
export const productHandlers: BulkEventHandlers<'catalogue'> = {
  ListingCreated: (transaction, events) => saveProducts(transaction, events.map(dataOf)),
  ListingUpdated: async (transaction, events) => {
    await saveProducts(transaction, events.map(dataOf))
    await setSoldOut(transaction, events.map(dataOf))
  },
  ListingSold: (transaction, events) => setSoldOut(transaction, events.map(dataOf)),
  ListingReleased: (transaction, events) => setSoldOut(transaction, events.map(dataOf)),
  ListingRemoved: (transaction, events) =>
    setRemoved(
      transaction,
      events.map(({ data }) => data.productId),
    ),
  ListingPicturesChanged: (transaction, events) =>
    setPictures(
      transaction,
      events.map(({ data: { productId, imageUrls } }) => ({ productId, picture: imageUrls[0] ?? null })),
    ),
}

/** The seller of an auction and its winner are brought together. */
export const auctionReactions = (pool: DatabasePool): EventHandlers<'auction'> => ({
  AuctionEnded: {
    async prepare({ data, id, metadata: { correlationId } }) {
      const { sellerId, winnerId, auctionId, productId } = data
      if (winnerId === null) return async () => {}
      const sending = {
        senderId: sellerId,
        senderName: null,
        receiverId: winnerId,
        productId,
        content: await congratulation(pool, data),
        commandId: `auction-ended-${auctionId}`,
        nowMs: Date.now(),
        isAutomatic: true,
        metadata: { actorId: null, correlationId, causationId: id },
      }
      return async (transaction) => {
        try {
          await sendMessage(transaction, sending, productionLimits)
        } catch (error) {
          if (!(error instanceof Rejection)) throw error
          // Otherwise one of them has left or is banned: there is nobody to bring together.
          if (error.code === 'user-not-found')
            throw new Failure('identity has not told of the winner yet', { cause: error })
        }
      }
    },
  },
})

async function congratulation(
  executor: Executor,
  { productId, amountSen }: PublishedData<typeof auctionEvents.AuctionEnded>,
): Promise<string> {
  const name = (await findProduct(executor, productId))?.name ?? 'this auction'
  const price = amountSen === null ? '' : ` with a bid of ${formatRinggit(ringgitFromSen(amountSen))}`
  return `Congratulations, you won ${name}${price}! Let us arrange payment and delivery here.`
}
