import type { NatsConnection } from '@wangian/kit/bus/nats.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import type { ConsumerDeclaration } from '@wangian/kit/log/consumer.ts'
import { identityReactions, listingReactions } from './reactions.ts'

/** What this service does about events. */
export function consumers(context: {
  readonly nats: NatsConnection
  readonly pool: DatabasePool
}): ConsumerDeclaration[] {
  return [
    { source: 'catalogue', name: 'listings', handlers: listingReactions(context) },
    { source: 'identity', name: 'people', handlers: identityReactions },
  ]
}
