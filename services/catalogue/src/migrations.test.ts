import { randomUUID } from 'node:crypto'
import { copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { migrate } from '@wangian/kit/database/migrate.ts'
import { sql } from '@wangian/kit/database/postgres.ts'
import { handleOnce } from '@wangian/kit/log/inbox.ts'
import { createTestDatabase, type TestDatabase } from '@wangian/kit/testing/test-database.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { auctionBulkReactions, auctionReactions } from './reactions.ts'
import { insertProduct } from './store.ts'
import { listingFacts } from './testing/fixtures.ts'

const schema = 'catalogue'
const directory = fileURLToPath(new URL('../migrations', import.meta.url))
/** Those before the one that is looked at. */
const earlier = mkdtempSync(join(tmpdir(), 'wangian-migrations-'))
let database: TestDatabase

beforeAll(async () => {
  for (const name of readdirSync(directory).filter((file) => file < '0013'))
    copyFileSync(join(directory, name), join(earlier, name))
  database = await createTestDatabase({ service: schema })
  await migrate({ url: database.url, schema, directory: earlier })
})
afterAll(async () => {
  await database.drop()
  rmSync(earlier, { recursive: true })
})

it('have the ends of auctions and their bids heard again, each once', async () => {
  const { pool, url } = database
  const ids = { bid: randomUUID(), end: randomUUID(), other: randomUUID() }
  const day = '2026-11-21'
  await pool.query(sql.unsafe`
    insert into auction_summaries (auction_id, product_id, ends_at, bid_count, current_bid_sen, closed_as)
    values (5, 1, now() - interval '1 day', 1, 1100, 'ended'), (4, 1, now() - interval '9 days', 0, null, 'ended'),
           (3, 1, now() - interval '1 day', 0, null, 'cancelled')`)
  await pool.query(sql.unsafe`
    insert into inbox (consumer, event_id) values
      ('auction-auctions', ${ids.bid}), ('auction-auctions', ${ids.end}), ('auction-outcomes', ${ids.end}),
      ('identity-people', ${ids.other})`)
  await pool.query(sql.unsafe`
    insert into product_days (product_id, day, views, favorites, messages, bids) values (1, ${day}, 3, 2, 1, 9)`)
  await pool.query(sql.unsafe`
    insert into seller_days (seller_id, day, views, favorites, messages, bids) values (7, ${day}, 3, 2, 1, 9)`)

  await migrate({ url, schema, directory })
  await pool.transaction((transaction) => insertProduct(transaction, listingFacts({ listingType: 'auction' })))
  const bidPlaced = {
    auctionId: 5,
    seq: 1,
    bidderId: 21,
    amountSen: 1100,
    bidId: null,
    placedAt: `${day}T08:00:00.000Z`,
  }
  const end = { auctionId: 5, productId: 1, sellerId: 7, outcome: 'won', winnerId: 21, amountSen: 1100, bidCount: 1 }
  for (const _ of ['told again', 'and once more']) {
    await handleOnce(pool, 'auction-auctions', [{ id: ids.bid }], async (transaction) =>
      auctionBulkReactions.BidPlaced?.(transaction, [{ data: bidPlaced } as never]),
    )
    await handleOnce(pool, 'auction-auctions', [{ id: ids.end }], async (transaction) =>
      auctionReactions.AuctionEnded?.(transaction, { data: { ...end, endedAt: bidPlaced.placedAt } } as never),
    )
  }

  const rows = (query: ReturnType<typeof sql.unsafe>) => pool.any(query)
  expect(
    await rows(sql.unsafe`select auction_id, closed_as, outcome, winner_id from auction_summaries order by 1`),
  ).toEqual([
    { auction_id: 3, closed_as: 'cancelled', outcome: null, winner_id: null },
    { auction_id: 4, closed_as: 'ended', outcome: null, winner_id: null },
    { auction_id: 5, closed_as: 'ended', outcome: 'won', winner_id: 21 },
  ])
  const counted = { views: 3, favorites: 2, messages: 1, bids: 1 }
  expect(await rows(sql.unsafe`select views, favorites, messages, bids from product_days`)).toEqual([counted])
  expect(await rows(sql.unsafe`select views, favorites, messages, bids from seller_days`)).toEqual([counted])
  expect(await rows(sql.unsafe`select consumer from inbox where consumer <> 'auction-auctions' order by 1`)).toEqual([
    { consumer: 'auction-outcomes' },
    { consumer: 'identity-people' },
  ])
})
