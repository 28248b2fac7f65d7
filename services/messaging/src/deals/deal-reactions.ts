import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import type { EventHandlers } from '@wangian/kit/log/event-handlers.ts'
import { endWithListing } from './commands.ts'
import { listUnpaid } from './deal-store.ts'

/** Nobody can buy what was taken away: its deals end, but for those that are paid. */
export const removalReactions = (pool: DatabasePool): EventHandlers<'catalogue'> => ({
  ListingRemoved: {
    async prepare({ data: { productId, by, removedAt }, id, metadata: { correlationId } }) {
      const deals = await listUnpaid(pool, productId)
      const command = { type: 'EndWithListing', by: by === 'admin' ? 'removal' : 'seller', at: removedAt } as const
      const metadata = { actorId: null, correlationId, causationId: id }
      return (transaction) => endWithListing(transaction, deals, command, metadata)
    },
  },
})
