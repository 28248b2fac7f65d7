import type { NatsConnection } from '@nats-io/transport-node'
import type { PublishedIdentityEvent } from '@wangian/contracts/events/identity.ts'
import type { DatabasePool, Executor } from '@wangian/kit/database/postgres.ts'
import { deleteLettersOfStream } from '@wangian/kit/log/dead-letters.ts'
import type { EventHandlers } from '@wangian/kit/log/event-handlers.ts'
import { clearPerson, markListingDeleted, saveListing, savePerson, saveReturned } from './store.ts'
import { saveBan, saveClosed } from './suspension-store.ts'
import { withdrawDeleted } from './withdrawal.ts'

type Data<Event extends { type: string; data: unknown }, Type extends Event['type']> = Extract<
  Event,
  { type: Type }
>['data']

/** Who sells what: an auction is opened by the owner of its product only, and not for what is gone. */
export function listingReactions({
  nats,
  pool,
}: {
  nats: NatsConnection
  pool: DatabasePool
}): EventHandlers<'catalogue'> {
  return {
    ListingCreated: (transaction, { data }) => saveListing(transaction, data),
    ListingUpdated: (transaction, { data }) => saveListing(transaction, data),
    ListingReturned: (transaction, { data }) => saveReturned(transaction, data.productId, data.auctionId),
    ListingRemoved: {
      async prepare({ data: { productId, sellerId }, metadata }) {
        // Marked first: whoever opens an auction meanwhile looks at the mark afterwards, so one of the two sees the other.
        await markListingDeleted(pool, productId)
        await withdrawDeleted(
          { executor: pool, nats },
          { productId, actorId: sellerId, requestId: metadata.correlationId },
        )
        return (transaction) => markListingDeleted(transaction, productId)
      },
    },
  }
}

/** The names that the bid history shows. Nobody is told of any more who has gone, and the events from before say so, too. */
export const identityReactions: EventHandlers<'identity'> = {
  UserRegistered: (transaction, { data }) => tell(transaction, data),
  ProfileUpdated: (transaction, { data }) => tell(transaction, data),
  AccountReopened: async (transaction, { data }) => {
    await tell(transaction, data)
    await saveClosed(transaction, data.userId, data.person === null)
  },
  UserBanned: (transaction, { data: { userId }, version }) => saveBan(transaction, { userId, isBanned: true, version }),
  UserUnbanned: (transaction, { data: { userId }, version }) =>
    saveBan(transaction, { userId, isBanned: false, version }),
  AccountClosed: (transaction, { data }) => forget(transaction, data.userId),
  UserErased: async (transaction, { data, stream }) => {
    await forget(transaction, data.userId)
    await deleteLettersOfStream(transaction, stream)
  },
}

async function forget(transaction: Executor, userId: number): Promise<void> {
  await clearPerson(transaction, userId)
  await saveClosed(transaction, userId, true)
}

async function tell(
  transaction: Executor,
  { userId, person }: Data<PublishedIdentityEvent, 'UserRegistered' | 'ProfileUpdated' | 'AccountReopened'>,
): Promise<void> {
  if (person === null) await clearPerson(transaction, userId)
  else await savePerson(transaction, userId, person.username)
}
