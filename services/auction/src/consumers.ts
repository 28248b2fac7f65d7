import type { NatsConnection } from '@wangian/kit/bus/nats.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import type { ReactionDeclaration } from '@wangian/kit/log/consumer.ts'
import type { ConsumedProjection } from '@wangian/kit/log/rebuild.ts'
import type { BlankSome } from '@wangian/kit/people/erased-words.ts'
import { peopleProjection } from '@wangian/kit/people/known-people.ts'
import { listingHandlers, withdrawals } from './reactions.ts'
import { blankCancellations } from './store.ts'

/** What is known from others. */
export const projections: readonly ConsumedProjection[] = [
  { source: 'catalogue', name: 'listings', bulkHandlers: listingHandlers, tables: [{ name: 'listings' }] },
  { ...peopleProjection, tables: [{ name: 'known_people', except: ['suspension_changed_at'] }] },
]

/** What is done about what others say. */
export function reactions(context: {
  readonly nats: NatsConnection
  readonly pool: DatabasePool
}): ReactionDeclaration[] {
  return [{ source: 'catalogue', name: 'withdrawals', handlers: withdrawals(context) }]
}

/** What goes out of the log with a person. */
export const blanks: readonly BlankSome[] = [blankCancellations]
