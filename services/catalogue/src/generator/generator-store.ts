import type { ListingFacts } from '@wangian/contracts/events/catalogue.ts'
import { type Executor, IdRow, sql, type Transaction } from '@wangian/kit/database/postgres.ts'
import { newEventId } from '@wangian/kit/log/event-store.ts'
import { listingStream } from '../listings/domain.ts'

export async function drawProductIds(executor: Executor, count: number): Promise<number[]> {
  const ids = await executor.anyFirst(sql.type(IdRow)`
    select nextval('product_ids') as id from generate_series(1, ${count}::int)`)
  return [...ids].sort((one, other) => one - other)
}

/** Appends the beginnings of many streams at once; must be the first write of its transaction, as every append. */
export async function appendCreated(transaction: Transaction, listings: readonly ListingFacts[]): Promise<void> {
  await transaction.query(sql.unsafe`
    insert into events (stream, version, event_id, type, data, metadata)
    select stream, 1, event_id, 'ListingCreated', data::jsonb, '{}'
      from unnest(${sql.array(
        listings.map(({ productId }) => listingStream(productId)),
        'text',
      )}, ${sql.array(
        listings.map(() => newEventId()),
        'uuid',
      )}, ${sql.array(
        listings.map((facts) => JSON.stringify(facts)),
        'text',
      )}) as new (stream, event_id, data)`)
}

/** So that the planner knows what it deals with at once. */
export async function refreshStatistics(executor: Executor): Promise<void> {
  await executor.query(sql.unsafe`analyze products, search_words, events`)
}
