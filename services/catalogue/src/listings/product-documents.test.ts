import { fileURLToPath } from 'node:url'
import { Product } from '@wangian/contracts/catalogue.ts'
import { sql } from '@wangian/kit/database/postgres.ts'
import { emptyTables } from '@wangian/kit/testing/empty-tables.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { registeredAs, tellOfPerson } from '@wangian/kit/testing/people.ts'
import { statementsOf } from '@wangian/kit/testing/statements.ts'
import { createTestDatabase, type TestDatabase } from '@wangian/kit/testing/test-database.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { projectListing } from '../projections.ts'
import { listingFacts } from '../testing/fixtures.ts'
import { jsonOfAll, type ProductDocument, ProductDocuments } from './product-documents.ts'

const migrationsDirectory = fileURLToPath(new URL('../../migrations', import.meta.url))
const seller = 7
const winner = 8

let database: TestDatabase
let documents: ProductDocuments

beforeAll(async () => {
  database = await createTestDatabase({ service: 'catalogue', migrationsDirectory })
})
afterAll(() => database.drop())
beforeEach(async () => {
  const { pool } = database
  await emptyTables(pool, 'products, search_words, known_people, auction_summaries, released_lots')
  await pool.transaction(async (transaction) => {
    for (const facts of [{ productId: 1 }, { productId: 2, listingType: 'auction' }] as const)
      await projectListing(transaction, { type: 'ListingCreated', data: listingFacts({ ...facts, sellerId: seller }) })
  })
  await tellOfPerson(pool, registeredAs(seller, 'sarah'))
  await tellOfPerson(pool, registeredAs(winner, 'wan'))
  await pool.query(sql.unsafe`
    insert into auction_summaries (auction_id, product_id, starting_price_sen, starts_at, ends_at, outcome, winner_id)
    values (5, 2, 1000, '2026-11-21T08:00:00Z', '2100-01-01T08:00:00Z', 'won', ${winner})`)
  documents = new ProductDocuments(pool)
})

const PlansRow = z.object({ name: z.string(), isForAll: z.boolean(), own: z.number() })
const both = [2, 1]
const shown = async () => Product.array().parse(JSON.parse(jsonOfAll(await documents.list(both))))

describe('a product as JSON', () => {
  it('is what the contract says, in its order, and no more of its row', async () => {
    for (const { json } of await documents.list(both))
      expect(JSON.stringify(Product.parse(JSON.parse(json)))).toBe(json)
  })

  it('is read by one statement, and looked for by one from then on', async () => {
    const rows = await statementsOf(() => documents.list(both))
    expect(rows).toHaveLength(1)
    const before = await shown()
    expect(before.map(({ id }) => id)).toEqual(both)
    const versions = await statementsOf(() => documents.list(both))
    expect(versions).toHaveLength(1)
    expect(versions).not.toEqual(rows)
    expect(await shown()).toEqual(before)
    await database.pool.query(sql.unsafe`update products set name = 'Another'`)
    expect(await statementsOf(() => documents.list(both))).toEqual([...versions, ...rows])
  })

  it('is read together with what is asked for meanwhile', async () => {
    const ids = [1, 2, 3, 1, 2, 404]
    let found: readonly (ProductDocument | null)[] = []
    const statements = await statementsOf(async () => {
      found = await Promise.all(ids.map((id) => documents.find(id)))
    })
    expect(found.map((each) => each?.id)).toEqual([1, 2, undefined, 1, 2, undefined])
    expect(statements).toHaveLength(4)
  })

  it('is looked for by a statement that is planned once for all products', async () => {
    for (let count = 1; count <= 8; count += 1) {
      documents = new ProductDocuments(database.pool)
      for (const id of [1, 1, 2]) expect(await documents.find(id)).toMatchObject({ id })
    }
    const plans = await database.pool.any(sql.type(PlansRow)`
      select name, generic_plans > 0 as "isForAll", custom_plans as own from pg_prepared_statements
       where name like '%-one' order by name`)
    expect(plans).toEqual([
      { name: 'product-versions-one', isForAll: true, own: 5 },
      { name: 'products-by-id-one', isForAll: true, own: 5 },
    ])
  })

  it.each([
    ['the listing', sql.unsafe`update products set name = 'Another' where id = 1`],
    ['its seller', sql.unsafe`update known_people set username = 'sara' where user_id = ${seller}`],
    [
      'its auction',
      sql.unsafe`update auction_summaries set bid_count = 1, current_bid_sen = 2000 where auction_id = 5`,
    ],
    [
      'an auction that comes after it',
      sql.unsafe`insert into auction_summaries (auction_id, product_id, starting_price_sen, starts_at, ends_at)
                 values (6, 2, 3000, '2026-11-21T08:00:00Z', '2100-01-01T08:00:00Z')`,
    ],
    ['who has won it', sql.unsafe`update known_people set username = 'wana' where user_id = ${winner}`],
    ['a lot that is released', sql.unsafe`insert into released_lots (auction_id) values (5)`],
  ])('is another one as soon as something else is known of %s', async (_what, change) => {
    const before = await shown()
    await database.pool.query(change)
    const after = await shown()
    expect(after).not.toEqual(before)
    documents = new ProductDocuments(database.pool)
    expect(after).toEqual(await shown())
  })

  it('tells that an auction is over as soon as its time has come', async () => {
    await database.pool.query(sql.unsafe`
      update auction_summaries set ends_at = clock_timestamp() + interval '200 milliseconds' where auction_id = 5`)
    expect((await shown())[0]?.auction?.status).toBe('active')
    await eventually(async () => expect((await shown())[0]?.auction?.status).toBe('ended'))
  })

  it('is not that of a seller who is not hidden, once they are, nor there at all when it is deleted', async () => {
    expect((await documents.find(1))?.isSellerHidden).toBe(false)
    await database.pool.query(sql.unsafe`update known_people set is_banned = true where user_id = ${seller}`)
    expect((await documents.find(1))?.isSellerHidden).toBe(true)
    await database.pool.query(sql.unsafe`update products set deleted_at = now(), status = 'archived' where id = 1`)
    expect(await documents.find(1)).toBeNull()
  })
})
