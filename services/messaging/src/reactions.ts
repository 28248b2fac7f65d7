import type { auctionEvents } from '@wangian/contracts/events/auction.ts'
import type { PublishedData } from '@wangian/contracts/events/definition.ts'
import type { PublicPerson } from '@wangian/contracts/identity.ts'
import { formatRinggit, ringgitFromSen } from '@wangian/contracts/money.ts'
import type { DatabasePool, Executor, Transaction } from '@wangian/kit/database/postgres.ts'
import { Failure, Rejection } from '@wangian/kit/errors.ts'
import { deleteLettersOfStream } from '@wangian/kit/log/dead-letters.ts'
import type { EventHandlers } from '@wangian/kit/log/event-handlers.ts'
import type { Projection } from '@wangian/kit/log/rebuild.ts'
import { sendMessage } from './commands.ts'
import { productionLimits } from './domain.ts'
import {
  clearPerson,
  findProductName,
  saveBan,
  savePerson,
  saveProduct,
  setErased,
  setPicture,
  setRemoved,
} from './people-store.ts'
import { deleteTextsWithoutReaders, nextMessageId } from './store.ts'

/**
 * Who people are and whether they may write. Nobody is told of any more who has gone, and the events from before say so, too. What they
 * wrote stays for the others, under no name, until nobody is left to read it.
 */
export const identityReactions: EventHandlers<'identity'> = {
  UserRegistered: (transaction, { data }) => tell(transaction, data),
  ProfileUpdated: (transaction, { data }) => tell(transaction, data),
  AccountReopened: (transaction, { data }) => tell(transaction, data),
  UserBanned: (transaction, { data: { userId }, version }) => saveBan(transaction, { userId, isBanned: true, version }),
  UserUnbanned: (transaction, { data: { userId }, version }) =>
    saveBan(transaction, { userId, isBanned: false, version }),
  AccountClosed: (transaction, { data }) => clearPerson(transaction, data.userId),
  UserErased: async (transaction, { data, stream }) => {
    await clearPerson(transaction, data.userId)
    await setErased(transaction, data.userId)
    await deleteTextsWithoutReaders(transaction, data.userId)
    await deleteLettersOfStream(transaction, stream)
  },
}

async function tell(
  transaction: Transaction,
  { userId, person }: { readonly userId: number; readonly person: PublicPerson | null },
): Promise<void> {
  if (person === null) await clearPerson(transaction, userId)
  else await savePerson(transaction, userId, person)
}

/** What conversations are about. */
export const catalogueReactions: EventHandlers<'catalogue'> = {
  ListingCreated: (transaction, { data }) => saveProduct(transaction, data),
  ListingUpdated: (transaction, { data }) => saveProduct(transaction, data),
  ListingRemoved: (transaction, { data }) => setRemoved(transaction, data.productId),
  ListingPicturesChanged: (transaction, { data }) => setPicture(transaction, data.productId, data.imageUrls[0] ?? null),
}

/** What conversations are about. */
export const productsProjection: Projection<'messaging'> = {
  name: 'products',
  tables: [{ name: 'products' }],
  consumer: { source: 'catalogue', name: 'products', handlers: catalogueReactions },
}

/** The seller of an auction and its winner are brought together. */
export const auctionReactions = (pool: DatabasePool): EventHandlers<'auction'> => ({
  AuctionEnded: {
    async prepare({ data, id, metadata: { correlationId } }) {
      const { sellerId, winnerId, auctionId, productId } = data
      if (winnerId === null) return async () => {}
      const sending = {
        // Drawn here, for it is a write, and the first one of the transaction must be the append.
        messageId: await nextMessageId(pool),
        senderId: sellerId,
        senderName: null,
        receiverId: winnerId,
        productId,
        content: await congratulation(pool, data),
        commandId: `auction-ended-${auctionId}`,
        nowMs: Date.now(),
        isAutomatic: true,
      }
      const metadata = { actorId: null, correlationId, causationId: id }
      return async (transaction) => {
        try {
          await sendMessage(transaction, sending, { limits: productionLimits, metadata })
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
  const name = (await findProductName(executor, productId)) ?? 'this auction'
  const price = amountSen === null ? '' : ` with a bid of ${formatRinggit(ringgitFromSen(amountSen))}`
  return `Congratulations, you won ${name}${price}! Let us arrange payment and delivery here.`
}
