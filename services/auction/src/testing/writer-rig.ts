import { fileURLToPath } from 'node:url'
import type { AuctionEvent } from '@wangian/contracts/events/auction.ts'
import { auctionPartition } from '@wangian/contracts/subjects.ts'
import { type Executor, sql } from '@wangian/kit/database/postgres.ts'
import { newEventId } from '@wangian/kit/log/event-store.ts'
import { emptyTables } from '@wangian/kit/testing/empty-tables.ts'
import { createTestDatabase, type TestDatabase } from '@wangian/kit/testing/test-database.ts'
import { z } from 'zod'
import { Batch, type PendingEvent } from '../books/batch.ts'
import { Book } from '../books/book.ts'
import { evolve } from '../domain.ts'
import { claimFree } from '../partitions/lease-store.ts'

/** None runs out on a machine that others use, unless a test says so. */
export const leaseTtlMs = 60_000

const migrationsDirectory = fileURLToPath(new URL('../../migrations', import.meta.url))

export function createAuctionDatabase(): Promise<TestDatabase> {
  return createTestDatabase({ service: 'auction', migrationsDirectory })
}

/** Everything back to how the migrations leave it. */
export async function emptyAuctionTables(executor: Executor): Promise<void> {
  await emptyTables(
    executor,
    'events, inbox, dead_letters, auction_terms, product_claims, owners, listings, known_people',
  )
  await executor.query(sql.unsafe`
    update partition_leases set owner = null, epoch = 0, expires_at = '-infinity'`)
}

/** Gives an instance the partitions, whoever holds them: their leases have run out. */
export async function takePartitions(
  executor: Executor,
  instance: string,
  parts: readonly number[],
): Promise<Map<number, number>> {
  const others = Array.from({ length: 64 }, (_, part) => part).filter((part) => !parts.includes(part))
  await executor.query(sql.unsafe`
    update partition_leases set expires_at = '-infinity' where part = any (${sql.array([...parts], 'int2')})`)
  return claimFree(executor, instance, others, parts.length, leaseTtlMs)
}

/** A batch with these events, applied to books that are changed by it as the owner changes his. */
export function batchOf(
  books: Map<number, Book>,
  events: readonly AuctionEvent[],
  actorId: number | null = null,
): Batch {
  const batch = new Batch()
  for (const event of events) {
    const { auctionId } = event.data
    const book = books.get(auctionId) ?? new Book(auctionId, auctionPartition(auctionId), { status: 'none' })
    books.set(auctionId, book)
    book.head = evolve(book.head, event)
    if (book.head.status === 'none') throw new Error('an event makes an auction known')
    const pending: PendingEvent = {
      book,
      eventId: newEventId(),
      version: book.head.version,
      event,
      actorId,
      bidderName: 'amira',
      traceparent: null,
    }
    batch.events.push(pending)
    batch.states.set(book, book.head)
    if (event.type !== 'BidPlaced') batch.terms.set(book, book.head)
  }
  return batch
}

export function partsOf(batch: Batch): number[] {
  return [...new Set([...batch.states.keys()].map((book) => book.part))]
}

const LoggedRow = z.object({ stream: z.string(), version: z.number(), type: z.string(), data: z.any() })
export type LoggedRow = z.infer<typeof LoggedRow>

/** The whole log, each stream in its order. */
export async function readLog(executor: Executor): Promise<readonly LoggedRow[]> {
  return executor.any(sql.type(LoggedRow)`select stream, version, type, data from events order by stream, version`)
}

export async function readLease(
  executor: Executor,
  part: number,
): Promise<{ owner: string | null; epoch: number; leftMs: number }> {
  return executor.one(sql.type(z.object({ owner: z.string().nullable(), epoch: z.number(), leftMs: z.number() }))`
    select owner, epoch, (extract(epoch from greatest(expires_at, '2000-01-01') - clock_timestamp()) * 1000)::float8 as "leftMs"
    from partition_leases where part = ${part}`)
}

/** Cuts the connection that an instance writes through. Returns how many were cut. */
export async function cutWriter(executor: Executor, instance: string): Promise<number> {
  const cut = await executor.any(sql.type(z.object({ cut: z.boolean() }))`
    select pg_terminate_backend(pid) as cut from pg_stat_activity
    where application_name = ${`${instance} writer`} and datname = current_database()`)
  return cut.length
}
