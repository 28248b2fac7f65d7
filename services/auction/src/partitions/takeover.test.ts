import { decodeLive } from '@wangian/contracts/auction-wire.ts'
import type { AuctionEvent } from '@wangian/contracts/events/auction.ts'
import { auctionPartition } from '@wangian/contracts/subjects.ts'
import { sql } from '@wangian/kit/database/postgres.ts'
import type { TestDatabase } from '@wangian/kit/testing/test-database.ts'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { isoFromMs } from '../domain.ts'
import { WriterStore } from '../log/writer-store.ts'
import { bidPlaced, opened, seller, termsOf } from '../testing/fixtures.ts'
import {
  batchOf,
  createAuctionDatabase,
  emptyAuctionTables,
  leaseTtlMs,
  takePartitions,
} from '../testing/writer-rig.ts'
import { showTaken } from './takeover.ts'

const auctionIds = [5, 6, 7, 8, 9]
const parts = auctionIds.map(auctionPartition)
/** The database's clock is the real one. */
const nowIso = isoFromMs(Date.now())
const tomorrowIso = isoFromMs(Date.now() + 24 * 60 * 60 * 1000)

let database: TestDatabase
beforeAll(async () => {
  database = await createAuctionDatabase()
})
afterAll(() => database.drop())
beforeEach(() => emptyAuctionTables(database.pool))

/** What the last owner of these partitions has committed, and shown to nobody. */
async function commit(...events: AuctionEvent[]): Promise<void> {
  const writer = new WriterStore({ url: database.url, instance: 'auction-1', leaseTtlMs })
  const epochs = await takePartitions(database.pool, 'auction-1', parts)
  await writer.commit(parts, epochs, batchOf(new Map(), events))
  await writer.close()
}

/** The frames of those that are shown, by auction. */
async function shown(ofParts: readonly number[] = parts): Promise<Map<number, unknown>> {
  const frames = new Map<number, unknown>()
  await showTaken({
    pool: database.pool,
    parts: ofParts,
    publishLive: (auctionId, message) => frames.set(auctionId, JSON.parse(decodeLive(auctionId, message).frame)),
  })
  return frames
}

const open = (auctionId: number, endsAt = tomorrowIso) => opened({ auctionId, productId: auctionId, endsAt })
const revised = (auctionId: number): AuctionEvent => ({
  type: 'AuctionRevised',
  data: { ...termsOf({ auctionId, productId: auctionId, endsAt: tomorrowIso }), revisedAt: nowIso },
})
const cancelled = (auctionId: number): AuctionEvent => ({
  type: 'AuctionCancelled',
  data: { auctionId, productId: auctionId, sellerId: seller, reason: 'Broken', cancelledAt: nowIso },
})
const endedWithoutBids = (auctionId: number): AuctionEvent => ({
  type: 'AuctionEnded',
  data: {
    auctionId,
    productId: auctionId,
    sellerId: seller,
    outcome: 'no-bids',
    winnerId: null,
    leaderId: null,
    amountSen: null,
    bidCount: 0,
    endedAt: nowIso,
  },
})

it('a new owner shows what was bid on, revised, ended or cancelled just before', async () => {
  await commit(
    open(5),
    bidPlaced(1, 21, 20_500),
    open(6, nowIso),
    endedWithoutBids(6),
    open(7),
    cancelled(7),
    open(8),
    revised(8),
  )
  const frames = await shown()
  expect([...frames.keys()].sort()).toEqual([5, 6, 7, 8])
  expect(frames.get(5)).toMatchObject({ type: 'auctionState', seq: 1 })
  expect(frames.get(6)).toMatchObject({ type: 'auctionEnded', outcome: 'no-bids' })
  expect(frames.get(7)).toMatchObject({ type: 'auctionState', auction: { status: 'cancelled' } })
  expect(frames.get(8)).toMatchObject({ type: 'auctionState', auction: { status: 'active' } })
  expect([...(await shown([auctionPartition(7)])).keys()]).toEqual([7])
})

it('a new owner shows nothing of what changed long before', async () => {
  await commit(open(5), open(6, nowIso), endedWithoutBids(6), open(7), cancelled(7))
  await database.pool.query(sql.unsafe`
    update auction_terms set updated_at = updated_at - interval '1 minute', ends_at = ends_at - interval '1 minute'`)
  expect([...(await shown()).keys()]).toEqual([])
})
