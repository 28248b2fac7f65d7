import type { AuctionEvent } from '@wangian/contracts/events/auction.ts'
import { sql } from '@wangian/kit/database/postgres.ts'
import { blankWords } from '@wangian/kit/people/erased-words.ts'
import { registeredAs, tellOfPerson } from '@wangian/kit/testing/people.ts'
import { rebuildTables } from '@wangian/kit/testing/rebuild-tables.ts'
import type { TestDatabase } from '@wangian/kit/testing/test-database.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Book } from './books/book.ts'
import { blanks } from './consumers.ts'
import { isoFromMs } from './domain.ts'
import { auctionsProjection } from './log/projections.ts'
import { WriterStore } from './log/writer-store.ts'
import { blankCancellations } from './store.ts'
import { nowMs, opened, seller } from './testing/fixtures.ts'
import { batchOf, createAuctionDatabase, leaseTtlMs, partsOf, readLog, takePartitions } from './testing/writer-rig.ts'

let database: TestDatabase
let writer: WriterStore
beforeAll(async () => {
  database = await createAuctionDatabase()
  writer = new WriterStore({ url: database.url, instance: 'auction-1', leaseTtlMs })
})
afterAll(async () => {
  await writer.close()
  await database.drop()
})

const other = seller + 1
const cancel = (auctionId: number, sellerId: number): AuctionEvent => ({
  type: 'AuctionCancelled',
  data: { auctionId, productId: auctionId, sellerId, reason: 'Siti is ill.', cancelledAt: isoFromMs(nowMs) },
})
/** The auctions of which an event says something about Siti. */
const left = async () =>
  (await readLog(database.pool)).filter(({ data }) => JSON.stringify(data).includes('Siti')).map(({ stream }) => stream)

it('says nothing any more of why somebody who is erased has called auctions off', async () => {
  const { pool } = database
  const sellers = new Map([1, 2, 3, 4, 5].map((auctionId) => [auctionId, auctionId === 3 ? other : seller]))
  const listed = [...sellers].map(([auctionId, sellerId]) => opened({ auctionId, productId: auctionId, sellerId }))
  const over = [1, 2, 3, 5].map((auctionId) => cancel(auctionId, sellers.get(auctionId) ?? 0))
  const batch = batchOf(new Map<number, Book>(), [...listed, ...over])
  const epochs = await takePartitions(pool, 'auction-1', partsOf(batch))
  expect(await writer.commit(partsOf(batch), epochs, batch)).toBe('committed')
  for (const userId of [seller, other]) await tellOfPerson(pool, registeredAs(userId, `person-${userId}`))
  await blankWords(pool, blanks)
  expect(await left()).toHaveLength(4)

  expect(await blankCancellations(pool, { userId: seller, afterId: 0, limit: 2 })).toBe(2)
  expect(await left()).toEqual(['auction-3', 'auction-5'])
  await tellOfPerson(pool, { type: 'UserErased', data: { userId: seller, erasedAt: isoFromMs(nowMs) } }, { version: 2 })
  for (const _ of ['once', 'twice']) await blankWords(pool, blanks)
  expect(await left()).toEqual(['auction-3'])

  const log = await readLog(pool)
  expect(log.find(({ stream, type }) => stream === 'auction-1' && type === 'AuctionCancelled')?.data).toEqual({
    ...cancel(1, seller).data,
    reason: '',
  })
  const rows = () => pool.any(sql.unsafe`select * from auctions order by id`)
  const before = await rows()
  await rebuildTables(pool, 'auction', auctionsProjection)
  expect(await rows()).toEqual(before)
})
