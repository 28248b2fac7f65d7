import type { AuctionEvent } from '@wangian/contracts/events/auction.ts'
import { sql } from '@wangian/kit/database/postgres.ts'
import { toStored } from '@wangian/kit/log/event-format.ts'
import { readStream } from '@wangian/kit/log/event-store.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import type { TestDatabase } from '@wangian/kit/testing/test-database.ts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Batch } from '../books/batch.ts'
import { Book } from '../books/book.ts'
import { isoFromMs } from '../domain.ts'
import { claimFree } from '../partitions/lease-store.ts'
import { bidIdOf, nowMs, opened } from '../testing/fixtures.ts'
import {
  batchOf,
  createAuctionDatabase,
  cutWriter,
  emptyAuctionTables,
  leaseTtlMs,
  partsOf,
  readLease,
  readLog,
  takePartitions,
} from '../testing/writer-rig.ts'
import { CommitFailed } from './log-port.ts'
import { WriterStore } from './writer-store.ts'

let database: TestDatabase
let writer: WriterStore
let books: Map<number, Book>
const writers: WriterStore[] = []

beforeAll(async () => {
  database = await createAuctionDatabase()
})
afterAll(() => database.drop())
beforeEach(async () => {
  await emptyAuctionTables(database.pool)
  writer = newWriter('auction-1')
  books = new Map()
})
afterEach(async () => {
  for (const opened of writers.splice(0)) await opened.close()
})

function newWriter(instance: string): WriterStore {
  const store = new WriterStore({ url: database.url, instance, leaseTtlMs })
  writers.push(store)
  return store
}

const bidOn = (
  auctionId: number,
  seq: number,
  amountSen: number,
  facts: { bidderId?: number; bidId?: string | null } = {},
): AuctionEvent => ({
  type: 'BidPlaced',
  data: { auctionId, seq, bidderId: 21, amountSen, bidId: null, placedAt: isoFromMs(nowMs), ...facts },
})
const commit = (batch: Batch, epochs: ReadonlyMap<number, number>, store = writer) =>
  store.commit(partsOf(batch), epochs, batch)

/** What a commit failed with. */
async function failureOf(work: Promise<unknown>): Promise<CommitFailed> {
  const failure = await work.then(
    () => null,
    (error: unknown) => error,
  )
  if (!(failure instanceof CommitFailed)) throw new Error('it did not fail to commit', { cause: failure })
  return failure
}

/** Holds back whoever writes this auction's next event until it is let go. */
async function holdAuction(auctionId: number): Promise<{ release(): Promise<void> }> {
  const released = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const rolledBack = new Error('the place in the log is free again')
  const done = database.pool
    .transaction(async (transaction) => {
      await transaction.query(sql.unsafe`
        insert into events (stream, version, event_id, type, data, metadata)
        select stream, max(version) + 1, ${bidIdOf(999)}, 'BidPlaced', '{}', '{}' from events
        where stream = ${`auction-${auctionId}`} group by stream`)
      locked.resolve()
      await released.promise
      throw rolledBack
    })
    .catch((error: unknown) => {
      locked.reject(error)
      if (error !== rolledBack) throw error
    })
  await locked.promise
  return {
    async release() {
      released.resolve()
      await done
    },
  }
}

/** Until so many statements of this database wait for a lock. */
async function untilBlocked(count: number): Promise<void> {
  await eventually(async () => {
    const blocked = await database.pool.oneFirst(sql.type(z.object({ count: z.number() }))`
      select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
    expect(blocked).toBe(count)
  })
}

describe('a batch of an owner who holds the leases', () => {
  it('puts all events into the log, where the last state of each auction is read', async () => {
    const epochs = await takePartitions(database.pool, 'auction-1', [5, 6])
    const batch = batchOf(books, [
      opened(),
      opened({ auctionId: 6, productId: 32, reserveSen: 30_000, buyNowSen: 50_000 }),
      bidOn(5, 1, 20_500),
      bidOn(6, 1, 20_500, { bidderId: 22, bidId: bidIdOf(1) }),
      bidOn(5, 2, 21_000, { bidderId: 22 }),
    ])
    expect(await commit(batch, epochs)).toBe('committed')
    expect((await readLog(database.pool)).map(({ stream, version, type }) => `${stream} ${version} ${type}`)).toEqual([
      'auction-5 1 AuctionOpened',
      'auction-5 2 BidPlaced',
      'auction-5 3 BidPlaced',
      'auction-6 1 AuctionOpened',
      'auction-6 2 BidPlaced',
    ])
    const states = await writer.loadAuctions([5, 6])
    expect(states).toHaveLength(2)
    for (const state of states) expect(state).toEqual(books.get(state.auctionId)?.head)
  })

  it('writes events that can be read, with the version of their shape', async () => {
    const epochs = await takePartitions(database.pool, 'auction-1', [5])
    const first = [opened(), bidOn(5, 1, 20_500, { bidId: bidIdOf(1) })]
    const batches = [first, [bidOn(5, 2, 21_000)], [bidOn(5, 3, 21_500), bidOn(5, 4, 22_000)]]
    for (const events of batches) expect(await commit(batchOf(books, events), epochs)).toBe('committed')
    const log = await readStream(database.pool, 'auction', 'auction-5')
    expect(log.map(({ type, data }) => ({ type, data }))).toEqual(batches.flat())
    const VersionRow = z.object({ type: z.string(), schemaVersion: z.number() })
    const versions = await database.pool.any(sql.type(VersionRow)`
      select type, schema_version as "schemaVersion" from events order by version`)
    expect(versions).toEqual(
      batches.flat().map((event) => ({ type: event.type, schemaVersion: toStored('auction', event).schemaVersion })),
    )
  })

  it('refuses what could not be read, before anything is sent', async () => {
    const epochs = await takePartitions(database.pool, 'auction-1', [5])
    const event = opened()
    const broken = { ...event, data: { ...event.data, endsAt: null } } as unknown as AuctionEvent
    expect(await failureOf(commit(batchOf(books, [broken]), epochs))).toMatchObject({ isDefinite: true })
    expect(await readLog(database.pool)).toEqual([])
  })

  it('writes no row for a bid: how an auction stands is read from the log', async () => {
    const epochs = await takePartitions(database.pool, 'auction-1', [5])
    await commit(batchOf(books, [opened({ reserveSen: 30_000 })]), epochs)
    const row = () =>
      database.pool.oneFirst(sql.type(z.object({ row: z.unknown() }))`
        select to_jsonb(terms) as row from auction_terms terms`)
    const before = await row()
    for (const bids of [[bidOn(5, 1, 20_500)], [bidOn(5, 2, 21_000), bidOn(5, 3, 29_000)], [bidOn(5, 4, 30_000)]]) {
      await commit(batchOf(books, bids), epochs)
      expect(await writer.loadAuctions([5])).toEqual([books.get(5)?.head])
    }
    expect(await row()).toEqual(before)
    const SeenRow = z.object({ isLast: z.boolean() })
    expect(
      await database.pool.one(sql.type(SeenRow)`
        select a.updated_at = date_trunc('milliseconds', max(e.recorded_at)) as "isLast"
        from auctions a, events e where e.stream = 'auction-5' group by a.updated_at`),
    ).toEqual({ isLast: true })
    const end: AuctionEvent = {
      type: 'AuctionEnded',
      data: {
        auctionId: 5,
        productId: 31,
        sellerId: 7,
        outcome: 'won',
        winnerId: 21,
        leaderId: 21,
        amountSen: 30_000,
        bidCount: 4,
        endedAt: isoFromMs(nowMs),
      },
    }
    await commit(batchOf(books, [end]), epochs)
    expect(await writer.loadAuctions([5])).toEqual([books.get(5)?.head])
    expect(books.get(5)?.head).toMatchObject({ status: 'ended', outcome: 'won', winnerId: 21 })
  })

  it('renews the leases that are named, and those only', async () => {
    const epochs = await takePartitions(database.pool, 'auction-1', [5, 6])
    await database.pool.query(sql.unsafe`update partition_leases set expires_at = clock_timestamp()`)
    await writer.commit([5], epochs, batchOf(books, []))
    expect((await readLease(database.pool, 5)).leftMs).toBeGreaterThan(1000)
    expect((await readLease(database.pool, 6)).leftMs).toBeLessThan(0)
  })

  it('keeps any text as it is', async () => {
    const epochs = await takePartitions(database.pool, 'auction-1', [5])
    const reason = `"quoted" {braces}, back\\slash \\" \\u0041 'single' \n\t 香水 🌸 null`
    const cancel: AuctionEvent = {
      type: 'AuctionCancelled',
      data: { auctionId: 5, productId: 31, sellerId: 7, reason, cancelledAt: isoFromMs(nowMs) },
    }
    expect(await commit(batchOf(books, [opened(), cancel], 7), epochs)).toBe('committed')
    const log = await readLog(database.pool)
    expect(log[1]?.data).toEqual(cancel.data)
    const actors = await database.pool.anyFirst(
      sql.type(z.object({ metadata: z.unknown() }))`select metadata from events order by version`,
    )
    expect(actors).toEqual([{ actorId: 7 }, { actorId: 7 }])
  })

  it('is on disk when it is committed, whatever connections do by default', async () => {
    await database.pool.query(sql.unsafe`
      create function require_flush() returns trigger language plpgsql as $$
      begin
        if current_setting('synchronous_commit') <> 'on' then raise exception 'it may be lost in a crash'; end if;
        return new;
      end $$`)
    await database.pool.query(sql.unsafe`
      create trigger require_flush before insert on events for each row execute function require_flush()`)
    try {
      const url = `${database.url}?options=${encodeURIComponent('-c synchronous_commit=off')}`
      const lazy = new WriterStore({ url, instance: 'auction-1', leaseTtlMs })
      writers.push(lazy)
      const epochs = await takePartitions(database.pool, 'auction-1', [5])
      expect(await commit(batchOf(books, [opened()]), epochs, lazy)).toBe('committed')
    } finally {
      await database.pool.query(sql.unsafe`drop function require_flush cascade`)
    }
  })

  it('is written as a whole or not at all', async () => {
    const epochs = await takePartitions(database.pool, 'auction-1', [5, 6])
    await commit(batchOf(books, [opened()]), epochs)
    // Its last event claims a version that is taken.
    const clashing = batchOf(new Map([[6, new Book(6, 6, { status: 'none' })]]), [
      opened({ auctionId: 6, productId: 32 }),
    ])
    const other = batchOf(new Map(), [opened({ productId: 33 })])
    clashing.events.push(...other.events)
    for (const [book, state] of other.states) clashing.states.set(book, state)
    const failure = await failureOf(writer.commit([5, 6], epochs, clashing))
    expect(failure).toMatchObject({ isDefinite: true, isDuplicateBid: false })
    expect(await readLog(database.pool)).toHaveLength(1)
    expect(await writer.loadAuctions([6])).toEqual([])
  })

  it.each([
    [
      'a year that Postgres does not have',
      opened({ auctionId: 6, startsAt: '0000-01-01T00:00:00.000Z' }),
      'bad-request',
    ],
    ['a year of five digits', opened({ auctionId: 6, endsAt: '+010000-01-01T00:00:00.000Z' }), 'bad-request'],
    ['no date at all', opened({ auctionId: 6, endsAt: 'soon' }), 'bad-request'],
    ['a number beyond all numbers', opened({ auctionId: 6, buyNowSen: 1e30 }), 'bad-request'],
    ['a second open auction of a product', opened({ auctionId: 6, productId: 31 }), 'auction-exists'],
  ])('says whose fault it is when an event has %s, and writes nothing', async (_, event, refusal) => {
    const epochs = await takePartitions(database.pool, 'auction-1', [5, 6])
    await commit(batchOf(books, [opened()]), epochs)
    const batch = batchOf(books, [bidOn(5, 1, 20_500), event])
    expect(await failureOf(commit(batch, epochs))).toMatchObject({ isDefinite: true, refusal })
    expect(await readLog(database.pool)).toHaveLength(1)
  })

  it('blames no command when the log is ahead of the books', async () => {
    const epochs = await takePartitions(database.pool, 'auction-1', [5])
    await commit(batchOf(new Map(), [opened()]), epochs)
    expect(await failureOf(commit(batchOf(new Map(), [opened()]), epochs))).toMatchObject({ refusal: null })
  })

  it("says so when a bidder's own id of a bid is logged already", async () => {
    const epochs = await takePartitions(database.pool, 'auction-1', [5, 6])
    await commit(batchOf(books, [opened(), bidOn(5, 1, 20_500, { bidId: bidIdOf(1) })]), epochs)
    const head = books.get(5)?.head
    const again = batchOf(books, [bidOn(5, 2, 99_000, { bidId: bidIdOf(1) })])
    expect(await failureOf(commit(again, epochs))).toMatchObject({ isDefinite: true, isDuplicateBid: true })
    expect(await writer.loadAuctions([5])).toEqual([head])
    // The same id of another bidder, or on another auction, is another bid.
    const others = new Map(books)
    const book = books.get(5)
    if (book === undefined || head === undefined) throw new Error('the auction is known')
    book.head = head
    const fine = batchOf(others, [
      bidOn(5, 2, 21_000, { bidderId: 22, bidId: bidIdOf(1) }),
      opened({ auctionId: 6, productId: 32 }),
      bidOn(6, 1, 20_500, { bidId: bidIdOf(1) }),
      bidOn(6, 2, 21_500),
      bidOn(6, 3, 22_500),
    ])
    expect(await commit(fine, epochs)).toBe('committed')
  })
})

describe('a batch of an owner who lost a lease', () => {
  // Each has a statement of its own.
  it.each([
    ['one bid', [bidOn(5, 1, 20_500)]],
    ['several bids', [bidOn(5, 1, 20_500), bidOn(5, 2, 21_000)]],
    ['a bid and more', [bidOn(5, 1, 20_500), opened({ auctionId: 69, productId: 40 })]],
  ])('writes nothing, whoever holds it now: %s', async (_, events) => {
    const stale = await takePartitions(database.pool, 'auction-1', [5, 6])
    await commit(batchOf(books, [opened()]), stale)
    const fresh = await takePartitions(database.pool, 'auction-2', [5])
    expect(await commit(batchOf(new Map(books), events), stale)).toBe('fenced')
    // Nor under the epoch of its successor, whose name it does not have.
    expect(await commit(batchOf(new Map(books), events), fresh)).toBe('fenced')
    expect(await readLog(database.pool)).toHaveLength(1)
    expect(await writer.loadAuctions([5])).toMatchObject([{ version: 1, bidCount: 0 }])
  })

  it('writes nothing when its own successor under the same name took it', async () => {
    const stale = await takePartitions(database.pool, 'auction-1', [5])
    const fresh = await takePartitions(database.pool, 'auction-1', [5])
    expect(await commit(batchOf(new Map(), [opened()]), stale)).toBe('fenced')
    expect(await commit(batchOf(new Map(), [opened()]), fresh)).toBe('committed')
  })

  it('writes nothing for the leases that it still holds', async () => {
    const epochs = await takePartitions(database.pool, 'auction-1', [5, 6])
    await takePartitions(database.pool, 'auction-2', [6])
    const batch = batchOf(books, [opened(), opened({ auctionId: 6, productId: 32 })])
    expect(await commit(batch, epochs)).toBe('fenced')
    expect(await readLog(database.pool)).toEqual([])
    // A lease that is only renewed counts as well: an owner who lost any of them trusts nothing in memory.
    expect(await writer.commit([5, 6], epochs, batchOf(new Map(), [opened()]))).toBe('fenced')
    expect(await readLog(database.pool)).toEqual([])
  })

  it('writes nothing after it was given up', async () => {
    const epochs = await takePartitions(database.pool, 'auction-1', [5])
    await database.pool.query(sql.unsafe`update partition_leases set owner = null where part = 5`)
    expect(await commit(batchOf(books, [opened()]), epochs)).toBe('fenced')
  })

  it('is overtaken only after the batch that is running', async () => {
    const epochs = await takePartitions(database.pool, 'auction-1', [5])
    await commit(batchOf(books, [opened()]), epochs)
    // The fence is passed, the insert of the event waits.
    const auction = await holdAuction(5)
    const running = commit(batchOf(books, [bidOn(5, 1, 20_500)]), epochs)
    await untilBlocked(1)
    // As in a takeover, but it waits where that one skips the row.
    let isTaken = false
    const takeover = database.pool
      .query(sql.unsafe`update partition_leases set owner = 'auction-2', epoch = epoch + 1 where part = 5`)
      .then(() => {
        isTaken = true
      })
    await untilBlocked(2)
    expect((await claimFree(database.pool, 'auction-3', [], 64, leaseTtlMs)).has(5)).toBe(false)
    expect(isTaken).toBe(false)
    await auction.release()
    expect(await running).toBe('committed')
    await takeover
    expect(await readLog(database.pool)).toHaveLength(2)
    expect(await commit(batchOf(books, [bidOn(5, 2, 21_000)]), epochs)).toBe('fenced')
  })
})

describe('a commit that does not come to its end', () => {
  it('is rolled back for certain when the statement takes too long', async () => {
    const epochs = await takePartitions(database.pool, 'auction-1', [5])
    await commit(batchOf(books, [opened()]), epochs)
    const bid = batchOf(books, [bidOn(5, 1, 20_500)])
    const auction = await holdAuction(5)
    const failure = await failureOf(commit(bid, epochs))
    expect(failure).toMatchObject({ isDefinite: true, isDuplicateBid: false })
    expect(failure.cause).toMatchObject({ code: '57014' })
    await auction.release()
    expect(await readLog(database.pool)).toHaveLength(1)
    expect(await commit(bid, epochs)).toBe('committed')
  })

  it('is unknown when its connection is cut, and the next call works', async () => {
    const epochs = await takePartitions(database.pool, 'auction-1', [5])
    await commit(batchOf(books, [opened()]), epochs)
    const bid = batchOf(books, [bidOn(5, 1, 20_500)])
    const auction = await holdAuction(5)
    const running = failureOf(commit(bid, epochs))
    await untilBlocked(1)
    expect(await cutWriter(database.pool, 'auction-1')).toBe(1)
    expect(await running).toMatchObject({ isDefinite: false, isDuplicateBid: false })
    await auction.release()
    expect(await commit(bid, epochs)).toBe('committed')
  })

  it('works at once after the idle connection was cut', async () => {
    const epochs = await takePartitions(database.pool, 'auction-1', [5])
    await commit(batchOf(books, [opened()]), epochs)
    expect(await cutWriter(database.pool, 'auction-1')).toBe(1)
    const bid = batchOf(books, [bidOn(5, 1, 20_500)])
    await eventually(async () => {
      expect(await commit(bid, epochs)).toBe('committed')
    })
    expect(await readLog(database.pool)).toHaveLength(2)
  })

  it('was certainly not written when Postgres cannot be reached', async () => {
    const nowhere = new WriterStore({ url: 'postgres://127.0.0.1:1/none', instance: 'auction-1', leaseTtlMs })
    const failure = await failureOf(commit(batchOf(books, [opened()]), new Map([[5, 1]]), nowhere))
    expect(failure.isDefinite).toBe(true)
    await nowhere.close()
  })
})

describe('taking the own leases anew', () => {
  it('raises their epochs and fences what was sent under the old ones', async () => {
    const epochs = await takePartitions(database.pool, 'auction-1', [5, 6])
    const fresh = await writer.reclaim(epochs)
    expect(fresh).toEqual(new Map([...epochs].map(([part, epoch]) => [part, epoch + 1])))
    expect(await commit(batchOf(new Map(), [opened()]), epochs)).toBe('fenced')
    expect(await commit(batchOf(new Map(), [opened()]), fresh ?? new Map())).toBe('committed')
  })

  it('waits for the batch that still runs on the old connection, so that what the log says is final', async () => {
    const epochs = await takePartitions(database.pool, 'auction-1', [5])
    await commit(batchOf(books, [opened()]), epochs)
    const batch = batchOf(books, [bidOn(5, 1, 20_500)])
    const [first] = batch.events
    if (first === undefined) throw new Error('the batch holds a bid')
    const other = newWriter('auction-1')
    const auction = await holdAuction(5)
    const running = commit(batch, epochs)
    await untilBlocked(1)
    let isReclaimed = false
    const reclaimed = other.reclaim(epochs).then((fresh) => {
      isReclaimed = true
      return fresh
    })
    await untilBlocked(2)
    expect(isReclaimed).toBe(false)
    await auction.release()
    expect(await running).toBe('committed')
    expect(await reclaimed).not.toBeNull()
    expect(await other.isLogged(first)).toBe(true)
  })

  it('is null when one of them was lost', async () => {
    const epochs = await takePartitions(database.pool, 'auction-1', [5, 6])
    await takePartitions(database.pool, 'auction-2', [6])
    expect(await writer.reclaim(epochs)).toBeNull()
  })

  it('is null when one of them was given up', async () => {
    const epochs = await takePartitions(database.pool, 'auction-1', [5, 6])
    await database.pool.query(sql.unsafe`update partition_leases set owner = null where part = 6`)
    expect(await writer.reclaim(epochs)).toBeNull()
  })

  it('is about those that were held when it began: others may come meanwhile', async () => {
    const taken = await takePartitions(database.pool, 'auction-1', [5, 6])
    const held = new Map(taken)
    const reclaimed = writer.reclaim(held)
    held.set(7, 1)
    expect(await reclaimed).toEqual(new Map([...taken].map(([part, epoch]) => [part, epoch + 1])))
  })

  it('has nothing to do for an owner without partitions', async () => {
    expect(await writer.reclaim(new Map())).toEqual(new Map())
  })
})

describe('what the log is asked', () => {
  it('knows an event by its place and its id', async () => {
    const epochs = await takePartitions(database.pool, 'auction-1', [5])
    const batch = batchOf(books, [opened()])
    const [event] = batch.events
    if (event === undefined) throw new Error('the batch holds an event')
    expect(await writer.isLogged(event)).toBe(false)
    await commit(batch, epochs)
    expect(await writer.isLogged(event)).toBe(true)
    expect(await writer.isLogged({ ...event, eventId: bidIdOf(9) })).toBe(false)
    expect(await writer.isLogged({ ...event, version: 2 })).toBe(false)
  })

  it('loads the open auctions of the partitions, as they are in the log', async () => {
    const epochs = await takePartitions(database.pool, 'auction-1', [5, 6, 7])
    const cancel: AuctionEvent = {
      type: 'AuctionCancelled',
      data: { auctionId: 69, productId: 40, sellerId: 7, reason: 'Broken', cancelledAt: isoFromMs(nowMs) },
    }
    await commit(
      batchOf(books, [
        opened({ startsAt: '2026-11-21T08:00:00.123Z' }),
        opened({ auctionId: 69, productId: 40 }),
        opened({ auctionId: 6, productId: 32 }),
        opened({ auctionId: 7, productId: 33 }),
        bidOn(5, 1, 999_999_999),
        cancel,
      ]),
      epochs,
    )
    const open = await writer.loadOpen([5, 6])
    expect(open.map(({ auctionId }) => auctionId).sort()).toEqual([5, 6])
    for (const state of open) expect(state).toEqual(books.get(state.auctionId)?.head)
    expect(await writer.loadOpen([])).toEqual([])
    expect(await writer.loadAuctions([69, 404])).toMatchObject([{ auctionId: 69, status: 'cancelled' }])
    expect(await writer.loadAuctions([])).toEqual([])
  })

  it('finds bids by auction, bidder and id together', async () => {
    const epochs = await takePartitions(database.pool, 'auction-1', [5])
    await commit(batchOf(books, [opened(), bidOn(5, 1, 20_500, { bidId: bidIdOf(1) }), bidOn(5, 2, 21_000)]), epochs)
    const wanted = { auctionId: 5, bidderId: 21, bidId: bidIdOf(1) }
    expect(await writer.findBids([wanted])).toMatchObject([{ ...wanted, seq: 1, amountSen: 20_500 }])
    expect(
      await writer.findBids([
        { ...wanted, auctionId: 6 },
        { ...wanted, bidderId: 22 },
        { ...wanted, bidId: bidIdOf(2) },
      ]),
    ).toEqual([])
    expect(await writer.findBids([])).toEqual([])
  })

  it('counts nothing that an owner of the version before writes into the row of an auction', async () => {
    const epochs = await takePartitions(database.pool, 'auction-1', [5])
    await commit(batchOf(books, [opened(), bidOn(5, 1, 20_500)]), epochs)
    await database.pool.query(sql.unsafe`
      with fence as (select 5 as part) update auctions set version = 9, bid_count = 8, current_bid_sen = 1, updated_at = now() from fence where id = 5`)
    expect(await writer.loadAuctions([5])).toEqual([books.get(5)?.head])
  })

  it('is fast for a bid id however long the auction is, by an index', async () => {
    const plan = await database.pool.transaction(async (transaction) => {
      // Of a table of one row, as it is here, everything is read.
      await transaction.query(sql.unsafe`set local enable_seqscan = off`)
      return transaction.any(sql.type(z.object({ 'QUERY PLAN': z.string() }))`
        explain select e.data
        from unnest(array['auction-5'], array[21::bigint], array[${bidIdOf(1)}::uuid]) as wanted (stream, bidder_id, bid_id)
        join events e on e.bid_id = wanted.bid_id and e.bidder_id = wanted.bidder_id and e.stream = wanted.stream`)
    })
    expect(plan.map((row) => row['QUERY PLAN']).join('\n')).toContain('events_bid_id')
  })
})
