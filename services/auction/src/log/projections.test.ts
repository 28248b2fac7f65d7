import type { AuctionEvent } from '@wangian/contracts/events/auction.ts'
import { sql } from '@wangian/kit/database/postgres.ts'
import { fold } from '@wangian/kit/log/decider.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { rebuildTables } from '@wangian/kit/testing/rebuild-tables.ts'
import type { TestDatabase } from '@wangian/kit/testing/test-database.ts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Book } from '../books/book.ts'
import { type AuctionCommand, auctionDecider, isoFromMs } from '../domain.ts'
import {
  bidIdOf,
  decided,
  endAuction,
  endsAtMs,
  nowMs,
  opened,
  placeBid,
  seller,
  termsOf,
} from '../testing/fixtures.ts'
import {
  batchOf,
  createAuctionDatabase,
  emptyAuctionTables,
  leaseTtlMs,
  partsOf,
  readLog,
  takePartitions,
} from '../testing/writer-rig.ts'
import { auctionsProjection } from './projections.ts'
import { WriterStore } from './writer-store.ts'

let database: TestDatabase
let writer: WriterStore
let books: Map<number, Book>
let epochs: Map<number, number>

beforeAll(async () => {
  database = await createAuctionDatabase()
})
afterAll(() => database.drop())
beforeEach(async () => {
  await emptyAuctionTables(database.pool)
  writer = new WriterStore({ url: database.url, instance: 'auction-1', leaseTtlMs })
  books = new Map()
  epochs = await takePartitions(database.pool, 'auction-1', [5, 6, 7])
})
afterEach(() => writer.close())

/** As an owner writes it: the events and the rows that follow from them, in one transaction. */
async function commit(...events: AuctionEvent[]): Promise<void> {
  const batch = batchOf(books, events)
  expect(await writer.commit(partsOf(batch), epochs, batch)).toBe('committed')
}

/** What these commands come to for an auction, one after the other. */
function decidedFor(auctionId: number, ...commands: AuctionCommand[]): AuctionEvent[] {
  let state = books.get(auctionId)?.head ?? auctionDecider.initialState
  return commands.flatMap((command) => {
    const events = decided(command, state)
    state = fold(auctionDecider, events, state)
    return events
  })
}

const Row = z.object({ row: z.record(z.string(), z.unknown()) })
/** As JSON, which keeps the microseconds. */
const rows = () =>
  database.pool.anyFirst(sql.type(Row)`select to_jsonb(auction) as row from auctions auction order by id`)
/** What is written of them; the rest is read from the log. */
const written = () =>
  database.pool.anyFirst(sql.type(Row)`select to_jsonb(terms) as row from auction_terms terms order by id`)
const bid = (amountSen: number, bidderId: number, bidId: string | null = null) =>
  placeBid(amountSen, { bidderId, bidId })
const by = { actorId: seller, nowMs } as const

describe('the rows of the auctions', () => {
  it('are the same when they are rebuilt from the log', async () => {
    await commit(opened({ reserveSen: 30_000 }), opened({ auctionId: 6, productId: 32, buyNowSen: 90_000 }))
    await commit(opened({ auctionId: 7, productId: 33 }), opened({ auctionId: 69, productId: 34 }))
    await commit(
      ...decidedFor(6, {
        type: 'ReviseAuction',
        changes: { startingPriceSen: 100, startsAt: isoFromMs(nowMs - 1) },
        ...by,
      }),
    )
    await commit(...decidedFor(6, bid(30_000, 21, bidIdOf(1))))
    await commit(...decidedFor(6, bid(31_000, 22), bid(32_000, 21)), ...decidedFor(5, bid(30_000, 23)))
    const opening = opened({ auctionId: 71, productId: 35 })
    await commit(opening, ...decided(bid(30_000, 24), fold(auctionDecider, [opening])))
    await commit(...decidedFor(7, { type: 'CancelAuction', reason: 'Broken', by: 'seller', ...by }))
    await commit(...decidedFor(5, bid(40_000, 22), endAuction(endsAtMs)))
    await commit(...decidedFor(69, endAuction(endsAtMs)))
    const [before, writtenBefore] = [await rows(), await written()]
    expect(before.map(({ status, outcome, winner_id }) => [status, outcome, winner_id])).toEqual([
      ['ended', 'won', 22],
      ['open', null, null],
      ['cancelled', null, null],
      ['ended', 'no-bids', null],
      ['open', null, null],
    ])
    const events = await readLog(database.pool)
    await database.pool.query(sql.unsafe`update auction_terms set bid_count = 99, status = 'open', reserve_sen = null`)
    await database.pool.query(sql.unsafe`delete from auction_terms where id = 6`)
    expect(await rebuildTables(database.pool, 'auction', auctionsProjection)).toBe(events.length)
    expect([await rows(), await written()]).toEqual([before, writtenBefore])
    expect(await rebuildTables(database.pool, 'auction', auctionsProjection)).toBe(events.length)
    expect([await rows(), await written()]).toEqual([before, writtenBefore])
  })

  it('are rebuilt while an owner writes: what he commits is there once', async () => {
    await commit(opened())
    const bids = (async () => {
      for (let count = 0; count < 20; count += 1) await commit(...decidedFor(5, bid(20_500 + count * 500, 21 + count)))
    })()
    await rebuildTables(database.pool, 'auction', auctionsProjection)
    await bids
    await eventually(async () => expect(await rows()).toMatchObject([{ version: 21, bid_count: 20 }]))
    expect(await writer.loadAuctions([termsOf().auctionId])).toEqual([books.get(5)?.head])
  })
})
