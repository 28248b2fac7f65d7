import type { NatsConnection } from '@wangian/kit/bus/nats.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import type { ConsumerDeclaration } from '@wangian/kit/log/consumer.ts'
import { liveReactions } from './live.ts'
import { auctionReactions, catalogueReactions, identityReactions } from './reactions.ts'

/** What this service does about events. */
export function consumers({
  nats,
  pool,
}: {
  readonly nats: NatsConnection
  readonly pool: DatabasePool
}): ConsumerDeclaration[] {
  return [
    { source: 'identity', name: 'people', handlers: identityReactions },
    { source: 'catalogue', name: 'products', handlers: catalogueReactions },
    { source: 'auction', name: 'winners', handlers: auctionReactions(pool), isReaction: true },
    { source: 'messaging', name: 'live', handlers: liveReactions(nats), isReaction: true },
  ]
}
