import { fileURLToPath } from 'node:url'
import { type Executor, sql, type Transaction } from '@wangian/kit/database/postgres.ts'
import { createTestDatabase, type TestDatabase } from '@wangian/kit/testing/test-database.ts'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { insertProduct, isPublic } from '../store.ts'
import { listingFacts } from '../testing/fixtures.ts'
import { IndexedListings } from './indexed-listings.ts'

/*
 * What a search goes by is what Postgres has, once all who changed it at the same time are done: whoever began first may end last, or not at all. Some of it
 * is read meanwhile, and the index is filled anew several times, as the words are many.
 */

const PRODUCTS = 40
const SELLERS = 3
const WRITERS = 8
/** More than are read at once, of a seller whom nobody hides. */
const OTHERS = 1100
const FIRST_OTHER_ID = 1000
const WORDS = ['oud', 'rose', 'iris', 'musk']

const migrationsDirectory = fileURLToPath(new URL('../../migrations', import.meta.url))
let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase({ service: 'catalogue', migrationsDirectory })
  const { pool } = database
  await insertProduct(pool, listingFacts({ productId: FIRST_OTHER_ID, sellerId: 99, description: 'oud market' }))
  await pool.query(sql.unsafe`
    insert into products (id, seller_id, name, brand, description, price_sen, category_id, listing_type, stock_quantity,
                          remaining_percentage, box_condition, volume_ml, is_new, created_at)
    select number, seller_id, name, brand, description, price_sen, category_id, listing_type, stock_quantity, remaining_percentage,
           box_condition, volume_ml, is_new, created_at
      from products, generate_series(${FIRST_OTHER_ID + 1}::integer, ${FIRST_OTHER_ID + OTHERS}::integer) as number`)
})
afterAll(() => database.drop())

const productId = fc.integer({ min: 1, max: PRODUCTS })
const productChange = fc.oneof(
  fc.record({ kind: fc.constant('price' as const), productId, priceSen: fc.integer({ min: 1, max: 50 }) }),
  fc.record({ kind: fc.constant('words' as const), productId, word: fc.constantFrom(...WORDS) }),
  fc.record({ kind: fc.constant('status' as const), productId, status: fc.constantFrom('active', 'archived', 'sold') }),
  fc.record({ kind: fc.constant('deletion' as const), productId }),
)
type ProductChange = typeof productChange extends fc.Arbitrary<infer Change> ? Change : never
const sellerChange = fc.oneof(
  { weight: 4, arbitrary: fc.record({ isBanned: fc.boolean(), isClosed: fc.boolean() }) },
  { weight: 1, arbitrary: fc.constant('forgotten' as const) },
)
const change = fc.oneof(
  fc.record({
    products: fc.uniqueArray(productChange, { minLength: 1, maxLength: 4, selector: (one) => one.productId }),
  }),
  fc.record({ listed: productId }),
  fc.record({ sellerId: fc.integer({ min: 1, max: SELLERS }), becomes: sellerChange }),
)
const planned = fc.record({
  change,
  pausesMs: fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 5, maxLength: 5 }),
  isTakenBack: fc.boolean(),
})
type Planned = typeof planned extends fc.Arbitrary<infer Plan> ? Plan : never
const writer = fc.array(planned, { minLength: 20, maxLength: 20 })

let words = 0
/** Many that nobody else uses, so that an index is worn soon. */
const description = (word: string) => `${word} market ${Array.from({ length: 150 }, () => `w${words++}`).join(' ')}`

const sellerOf = (id: number) => 1 + (id % SELLERS)

function changeProduct(transaction: Transaction, asked: ProductChange) {
  const where = sql.fragment`where id = ${asked.productId}`
  switch (asked.kind) {
    case 'price':
      return transaction.query(sql.unsafe`update products set price_sen = ${asked.priceSen} ${where}`)
    case 'words':
      return transaction.query(sql.unsafe`update products set description = ${description(asked.word)} ${where}`)
    case 'status':
      return transaction.query(sql.unsafe`update products set status = ${asked.status} ${where}`)
    case 'deletion':
      return transaction.query(sql.unsafe`delete from products ${where}`)
    default:
      return asked satisfies never
  }
}

const pause = (executor: Executor, ms = 0) => executor.query(sql.unsafe`select pg_sleep(${ms / 1000})`)

class TakenBack extends Error {}

async function run({ change: asked, pausesMs, isTakenBack }: Planned): Promise<void> {
  const work = database.pool.transaction(async (transaction) => {
    await pause(transaction, pausesMs[0])
    if ('products' in asked) {
      // In the order of ids, as whoever changes several does.
      const inOrder = asked.products.toSorted((one, other) => one.productId - other.productId)
      for (const [index, one] of inOrder.entries()) {
        await changeProduct(transaction, one)
        await pause(transaction, pausesMs[index + 1])
      }
    } else if ('listed' in asked) {
      const facts = { productId: asked.listed, sellerId: sellerOf(asked.listed), description: description('oud') }
      await insertProduct(transaction, listingFacts(facts))
    } else if (asked.becomes === 'forgotten') {
      await transaction.query(sql.unsafe`delete from known_people where user_id = ${asked.sellerId}`)
    } else {
      const { isBanned, isClosed } = asked.becomes
      await transaction.query(sql.unsafe`
        insert into known_people (user_id, username, is_banned, is_closed) values (${asked.sellerId}, 'somebody', ${isBanned}, ${isClosed})
        on conflict (user_id) do update set is_banned = excluded.is_banned, is_closed = excluded.is_closed`)
    }
    await pause(transaction, pausesMs[4])
    if (isTakenBack) throw new TakenBack()
  })
  await work.catch((error) => {
    if (!(error instanceof TakenBack)) throw error
  })
}

const FoundRow = z.object({ id: z.number(), key: z.number() })

it('finds what Postgres has after whatever was changed at the same time', async () => {
  const listings = new IndexedListings({ pool: database.pool, ageMaxMs: 0 })
  const filled = new Set<unknown>()
  const whatIsFound = async () => {
    const index = await listings.current()
    filled.add(index)
    return Promise.all(
      [...WORDS, 'market'].map((word) => {
        const search = { leading: [[{ word, isBeginning: true }]], other: null, nameKeys: [] }
        return index.page(search, {}, { sort: 'price-asc', after: null, limit: 2 * OTHERS }).places
      }),
    )
  }
  const whatThereIs = () =>
    Promise.all(
      [...WORDS, 'market'].map((word) =>
        database.pool.any(sql.type(FoundRow)`
          select p.id, p.current_price_sen as key from products p
           where ${isPublic} and p.search @@ to_tsquery('simple', ${`${word}:*`}) order by key, p.id`),
      ),
    )
  await fc.assert(
    fc.asyncProperty(fc.array(writer, { minLength: WRITERS, maxLength: WRITERS }), async (writers) => {
      let areDone = false
      const changing = Promise.all(
        writers.map(async (plans) => {
          for (const plan of plans) await run(plan)
        }),
      ).finally(() => {
        areDone = true
      })
      while (!areDone) await whatIsFound()
      await changing
      expect(await whatIsFound()).toEqual(await whatThereIs())
    }),
    { numRuns: 5, endOnFailure: true },
  )
  expect(filled.size).toBeGreaterThan(1)
})
