import { fileURLToPath } from 'node:url'
import { type DatabasePool, sql } from '@wangian/kit/database/postgres.ts'
import { emptyTables } from '@wangian/kit/testing/empty-tables.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { tellOfPerson } from '@wangian/kit/testing/people.ts'
import { statementsOf } from '@wangian/kit/testing/statements.ts'
import { createTestDatabase, type TestDatabase } from '@wangian/kit/testing/test-database.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { projectListing } from '../projections.ts'
import { saveAuctionTerms } from '../store.ts'
import { createdAt, listingFacts } from '../testing/fixtures.ts'
import { CHANGES_START, readChanges } from './index-store.ts'
import { IndexedListings } from './indexed-listings.ts'

const migrationsDirectory = fileURLToPath(new URL('../../migrations', import.meta.url))
let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase({ service: 'catalogue', migrationsDirectory })
})
afterAll(() => database.drop())
beforeEach(() =>
  emptyTables(
    database.pool,
    'products, listing_changes, search_words, known_people, auction_summaries, stale_prices, events',
  ),
)

function list(...products: Parameters<typeof listingFacts>[0][]): Promise<void> {
  return database.pool.transaction(async (transaction) => {
    for (const facts of products)
      await projectListing(transaction, { type: 'ListingCreated', data: listingFacts(facts) })
  })
}

/** All alike, in one transaction. */
async function listMany(count: number): Promise<void> {
  await list({ productId: 1 })
  await database.pool.query(sql.unsafe`
    insert into products (id, seller_id, name, brand, description, price_sen, category_id, listing_type, stock_quantity,
                          remaining_percentage, box_condition, volume_ml, is_new, created_at)
    select number, seller_id, name, brand, description, price_sen, category_id, listing_type, stock_quantity, remaining_percentage,
           box_condition, volume_ml, is_new, created_at
      from products, generate_series(2, ${count}::integer) as number`)
  // As autovacuum does, which may come by at another time: plans are of the few listings of before until then.
  await database.pool.query(sql.unsafe`analyze products, listing_changes`)
}

const searchFor = (word: string) => ({ leading: [[{ word, isBeginning: false }]], other: null, nameKeys: [] })
const santal = searchFor('santal')

async function found(listings: IndexedListings, word = 'santal'): Promise<number[]> {
  const index = await listings.current()
  return index.page(searchFor(word), {}, { sort: 'newest', after: null, limit: 100 }).places.map(({ id }) => id)
}

const exact = () => new IndexedListings({ pool: database.pool, ageMaxMs: 0 })

describe('the listings in memory', () => {
  it('are those that everybody may see, as they are now', async () => {
    const listings = exact()
    await list({ productId: 1 }, { productId: 2, sellerId: 9 })
    expect(await found(listings)).toEqual([2, 1])
    await list({ productId: 3 })
    expect(await found(listings)).toEqual([3, 2, 1])

    await database.pool.query(sql.unsafe`update products set status = 'archived' where id = 3`)
    await database.pool.query(sql.unsafe`update products set name = 'Another 13' where id = 1`)
    expect([await found(listings), await found(listings, 'another')]).toEqual([[2], [1]])
    await database.pool.query(sql.unsafe`delete from products where id = 1`)
    await database.pool.query(sql.unsafe`update products set status = 'sold' where id = 3`)
    expect([await found(listings), await found(listings, 'another')]).toEqual([[3, 2], []])
  })

  it.each([
    ['category', sql.fragment`category_id = 2`, { categoryId: 2 }],
    ['type', sql.fragment`listing_type = 'negotiable'`, { listingTypes: ['negotiable' as const] }],
    ['price', sql.fragment`price_sen = 99000`, { minPriceSen: 99_000 }],
    ['fill', sql.fragment`remaining_percentage = 100`, { minRemaining: 100 }],
    ['brand', sql.fragment`brand = 'Creed'`, { brandKeys: ['creed'] }],
  ])('are narrowed by their %s as it is now', async (_, change, filter) => {
    const listings = exact()
    await list({ productId: 1 })
    const page = { sort: undefined, after: null, limit: 10 }
    const count = async () => (await listings.current()).page(santal, filter, page).total
    expect(await count()).toBe(0)
    await database.pool.query(sql.unsafe`update products set ${change}`)
    expect(await count()).toBe(1)
  })

  it.each([
    ['best-selling', sql.fragment`sales_count = 5`, 5],
    ['featured', sql.fragment`is_featured = true`, 1],
    ['price-asc', sql.fragment`price_sen = 99000`, 99_000],
    ['ending-soonest', sql.fragment`listing_type = 'auction'`, Date.parse('2100-01-09T08:00:00.000Z')],
  ] as const)('are %s as they are now', async (sort, change, key) => {
    const listings = exact()
    await list({ productId: 1 })
    const startsAt = createdAt
    const endsAt = '2100-01-09T08:00:00.000Z'
    const amounts = { startingPriceSen: 10_000, buyNowSen: null, incrementSen: 500 }
    await saveAuctionTerms(database.pool, [
      { auctionId: 5, productId: 1, sellerId: 7, ...amounts, startsAt, endsAt, termsAt: createdAt },
    ])
    await found(listings)
    await database.pool.query(sql.unsafe`update products set ${change}`)
    const { places } = (await listings.current()).page(santal, {}, { sort, after: null, limit: 10 })
    expect(places).toEqual([{ id: 1, key }])
  })

  it('are without those of whoever is banned or gone, from then on and until they are back', async () => {
    const listings = exact()
    await list({ productId: 1 }, { productId: 2, sellerId: 9 })
    await found(listings)
    await tellOfPerson(database.pool, { type: 'UserBanned', data: { userId: 9, bannedAt: createdAt } })
    expect(await found(listings)).toEqual([1])
    await database.pool.query(sql.unsafe`update known_people set is_banned = false where user_id = 9`)
    expect(await found(listings)).toEqual([2, 1])
    await database.pool.query(sql.unsafe`update known_people set is_closed = true where user_id = 9`)
    expect(await found(listings)).toEqual([1])
    await database.pool.query(sql.unsafe`delete from known_people where user_id = 9`)
    expect(await found(listings)).toEqual([2, 1])
  })

  it('are read some at a time, however many one transaction has changed', async () => {
    await listMany(2500)
    const listings = exact()
    const statements = await statementsOf(async () => {
      expect((await found(listings)).length).toBe(100)
    })
    expect(statements).toHaveLength(3)
    expect((await listings.current()).countUses([{ word: 'santal', isBeginning: false }], 3000)).toBe(2500)
    expect(await statementsOf(() => found(listings))).toHaveLength(1)
  })

  it('have what a transaction changed that was under way when others had ended, whose number is a later one', async () => {
    const listings = exact()
    await list({ productId: 1 })
    await found(listings)
    const isChanged = Promise.withResolvers<void>()
    const isRead = Promise.withResolvers<void>()
    const changing = database.pool.transaction(async (transaction) => {
      await projectListing(transaction, { type: 'ListingCreated', data: listingFacts({ productId: 2 }) })
      isChanged.resolve()
      await isRead.promise
    })
    await isChanged.promise
    await list({ productId: 3 })
    expect(await found(listings)).toEqual([3, 1])
    isRead.resolve()
    await changing
    expect(await found(listings)).toEqual([3, 2, 1])
  })

  it.each([
    ['banned', true, [1]],
    ['let in again', false, [2, 1]],
  ])(
    'are without those of a seller who is banned, and with those of one who is not: %s while they list',
    async (_, isBanned, expected) => {
      const listings = exact()
      await database.pool.query(sql.unsafe`
      insert into known_people (user_id, username, is_banned) values (9, 'amir', ${!isBanned})`)
      await list({ productId: 1 })
      await found(listings)
      const isListed = Promise.withResolvers<void>()
      const mayEnd = Promise.withResolvers<void>()
      const isRead = Promise.withResolvers<void>()
      const listing = database.pool.transaction(async (transaction) => {
        await projectListing(transaction, { type: 'ListingCreated', data: listingFacts({ productId: 2, sellerId: 9 }) })
        isListed.resolve()
        await mayEnd.promise
      })
      await isListed.promise
      const isChanged = Promise.withResolvers<void>()
      const changing = database.pool.transaction(async (transaction) => {
        await transaction.query(sql.unsafe`update known_people set is_banned = ${isBanned} where user_id = 9`)
        isChanged.resolve()
        await isRead.promise
      })
      await isChanged.promise
      mayEnd.resolve()
      await listing
      await found(listings)
      isRead.resolve()
      await changing
      expect(await found(listings)).toEqual(expected)
    },
  )

  it('are read once for all who ask at the same time, and not again while they may be so old', async () => {
    await list({ productId: 1 })
    const listings = new IndexedListings({ pool: database.pool, ageMaxMs: 60_000 })
    const statements = await statementsOf(() => Promise.all([found(listings), found(listings), found(listings)]))
    expect(statements).toHaveLength(1)
    await list({ productId: 2 })
    expect(await found(listings)).toEqual([1])
  })

  it('are those that were there when somebody asked, while what was read before is still on its way', async () => {
    const isRead = Promise.withResolvers<void>()
    const isTaken = Promise.withResolvers<void>()
    const slow: Pick<DatabasePool, 'one'> = {
      one: async (statement) => {
        const row = await database.pool.one(statement)
        isRead.resolve()
        await isTaken.promise
        return row
      },
    }
    const listings = new IndexedListings({ pool: slow, ageMaxMs: 0 })
    const before = found(listings)
    await isRead.promise
    await list({ productId: 1 })
    const after = found(listings)
    isTaken.resolve()
    await before
    expect(await after).toEqual([1])
  })

  it('are read again after a reading has failed', async () => {
    const listings = exact()
    await list({ productId: 1 })
    await database.pool.query(sql.unsafe`alter table listing_changes rename to hidden_changes`)
    await expect(found(listings)).rejects.toThrow()
    await database.pool.query(sql.unsafe`alter table hidden_changes rename to listing_changes`)
    expect(await found(listings)).toEqual([1])
  })

  it('pass over numbers of transactions of another server but at first', async () => {
    await list({ productId: 1 })
    await database.pool.query(sql.unsafe`update listing_changes set tx = '9000000000000'`)
    const first = await readChanges(database.pool, CHANGES_START)
    expect([...first.shown]).toMatchObject([{ id: 1 }])
    expect([...(await readChanges(database.pool, first.resume)).shown]).toEqual([])
    await database.pool.query(sql.unsafe`update products set status = 'archived' where id = 1`)
    expect((await readChanges(database.pool, first.resume)).hidden).toEqual([1])
  })

  it('are all there, however many, in a database that was copied from another server', async () => {
    await listMany(2500)
    await database.pool.query(sql.unsafe`update listing_changes set tx = '9000000000000'`)
    const listings = exact()
    const count = async () => (await listings.current()).countUses([{ word: 'santal', isBeginning: false }], 3000)
    expect(await count()).toBe(2500)
    await database.pool.query(sql.unsafe`update products set status = 'archived' where id = 1`)
    expect(await count()).toBe(2499)
  })

  it('are filled anew beside what is asked when much of what they hold has changed', async () => {
    const listings = exact()
    await listMany(600)
    const worn = await listings.current()
    for (const _ of ['once', 'twice', 'three times']) {
      await database.pool.query(sql.unsafe`update products set description = description || ' Musk.'`)
      expect((await listings.current()).countUses([{ word: 'musk', isBeginning: false }], 1000)).toBe(600)
    }
    await eventually(async () => expect(await listings.current()).not.toBe(worn))
    await database.pool.query(sql.unsafe`update products set status = 'archived' where id > 3`)
    expect(await found(listings, 'musk')).toEqual([3, 2, 1])
    await eventually(async () => !(await listings.current()).isWorn)
  })
})
