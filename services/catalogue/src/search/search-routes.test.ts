import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Product, ProductFacets, ProductSort } from '@wangian/contracts/catalogue.ts'
import { sql } from '@wangian/kit/database/postgres.ts'
import type { App } from '@wangian/kit/http/http.ts'
import { emptyTables } from '@wangian/kit/testing/empty-tables.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { tellOfPerson } from '@wangian/kit/testing/people.ts'
import { rebuildTables } from '@wangian/kit/testing/rebuild-tables.ts'
import { statementsOf } from '@wangian/kit/testing/statements.ts'
import { createTestTokens } from '@wangian/kit/testing/test-app.ts'
import { createTestDatabase, type TestDatabase } from '@wangian/kit/testing/test-database.ts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { buildApp } from '../app.ts'
import { writePrices } from '../listings/pricing.ts'
import { findOwnProduct } from '../listings/selling-store.ts'
import { productsProjection, projectListing } from '../projections.ts'
import { closeAuctions, findProducts, saveAuctionTerms, saveBids } from '../store.ts'
import { listingFacts } from '../testing/fixtures.ts'
import type { ProductSearchOptions } from './product-search.ts'

const migrationsDirectory = fileURLToPath(new URL('../../migrations', import.meta.url))

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

let database: TestDatabase
let app: App

beforeAll(async () => {
  database = await createTestDatabase({ service: 'catalogue', migrationsDirectory })
})
afterAll(() => database.drop())
beforeEach(async () => {
  await emptyTables(database.pool, 'products, search_words, known_people, auction_summaries, stale_prices, events')
  app = await build()
})
afterEach(() => app.close())

async function build(options: Partial<ProductSearchOptions> = {}): Promise<App> {
  const { authenticator } = await createTestTokens()
  return buildApp({
    pool: database.pool,
    auth: authenticator,
    onAppended: () => {},
    // No list reads a picture or asks about an auction.
    files: undefined as never,
    nats: undefined as never,
    ...options,
  })
}

async function list(...products: Parameters<typeof listingFacts>[0][]): Promise<void> {
  await database.pool.transaction(async (transaction) => {
    for (const facts of products)
      await projectListing(transaction, { type: 'ListingCreated', data: listingFacts(facts) })
  })
}

const houses = [
  { productId: 1, brand: 'Givenchy', name: 'L’Interdit', categoryId: 1, priceSen: 30_000, description: 'Tuberose.' },
  {
    productId: 2,
    brand: 'Dior',
    name: 'Sauvage',
    categoryId: 1,
    priceSen: 35_000,
    description: 'Like Givenchy, fresher.',
  },
  {
    productId: 3,
    brand: 'Chanel',
    name: 'N°5',
    categoryId: 1,
    priceSen: 50_000,
    description: 'Aldehydes and jasmine.',
  },
  { productId: 4, brand: 'Le Labo', name: 'Rose 31', categoryId: 4, priceSen: 68_000, description: 'Rose and cumin.' },
  { productId: 5, brand: 'GIVENCHY', name: 'Gentleman', categoryId: 1, priceSen: 20_000, description: 'Iris, pear.' },
  {
    productId: 6,
    brand: 'Mancera',
    name: 'Roses Vanille',
    categoryId: 3,
    priceSen: 20_000,
    description: 'Sweet, with lemon.',
  },
]

async function ids(query: string): Promise<number[]> {
  const response = await app.inject(`/api/products?${query}`)
  expect(response.statusCode, response.body).toBe(200)
  return z
    .array(Product)
    .parse(response.json())
    .map(({ id }) => id)
}

async function facets(query = ''): Promise<ProductFacets> {
  const response = await app.inject(`/api/products/facets?${query}`)
  expect(response.statusCode, response.body).toBe(200)
  return ProductFacets.parse(response.json())
}

describe('a search', () => {
  beforeEach(() => list(...houses))

  it.each([
    ['givenchy', [5, 1, 2]],
    ['GIVENCHY', [5, 1, 2]],
    ['Givnchy', [5, 1, 2]],
    ['giv', [5, 1, 2]],
    ['chanle', [3]],
    ['doir', [2]],
    ['interdit', [1]],
    ['l’interdit givenchy', [1]],
    ['givenchy sauvage', [2]],
    ['rose', [6, 4]],
    ['n°5', [3]],
    ['jasmine', [3]],
    ['jasmien', []],
    ['nothing like this', []],
    ['%', []],
    ["' & | ! :* \\ <->", []],
    ['5', [3]],
  ])('for "%s" finds %j: names and brands before descriptions, the newest first', async (text, expected) => {
    expect(await ids(`search=${encodeURIComponent(text)}`)).toEqual(expected)
  })

  it('takes accents for the letters below them, both ways', async () => {
    await list({ productId: 7, brand: 'Hermès', name: 'Terre d’Hermès', description: 'Orange and vetiver.' })
    expect(await ids('search=hermes')).toEqual([7])
    expect(await ids(`search=${encodeURIComponent('chánel')}`)).toEqual([3])
  })

  it('finds Arabic with or without the signs of its vowels, and however it is drawn out', async () => {
    await list(
      { productId: 7, brand: 'أَجْمَل', name: 'عُود', description: 'دهن' },
      { productId: 8, brand: 'أجمل', name: 'عـــود', description: 'دُهْن' },
    )
    for (const search of ['عود', 'عُودٌ', 'عــود', 'اجمل عود', 'دهن']) {
      expect(await ids(`search=${encodeURIComponent(search)}`), search).toEqual([8, 7])
    }
    expect((await facets(`search=${encodeURIComponent('عود')}`)).brands).toHaveLength(1)
  })

  it('knows new words at once, and all again after the log was replayed', async () => {
    await list({ productId: 8, brand: 'Xerjoff', name: 'Naxos', description: 'Honey and tobacco.' })
    expect(await ids('search=xerjof')).toEqual([8])
    await rebuildTables(database.pool, 'catalogue', productsProjection)
    expect(await ids('search=naxos')).toEqual([])
  })

  it('says how it understood misspelt words', async () => {
    expect(await facets('search=Givnchy')).toMatchObject({ correctedSearch: 'givenchy', total: 3 })
    expect(await facets('search=givenchy')).toMatchObject({ correctedSearch: null, total: 3 })
  })

  it.each([
    ['jadore', 'J’adore'],
    ["J'adore", 'J’adore'],
    ['j adore', 'J’adore'],
    ['ds durga', 'D.S. & Durga'],
    ['d.s. durga', 'D.S. & Durga'],
    ['ミルクティー'.normalize('NFD'), 'ミルクティー'],
    ['ガーデニア', 'ガーデニア'.normalize('NFD')],
    ['ｶﾞｰﾃﾞﾆｱ', 'ガーデニア'],
    ['Ｇａｒｄｅｎｉａ', 'Gardenia'],
  ])('for "%s" finds %s', async (text, name) => {
    await list({ productId: 7, brand: 'Another', name, description: 'Sweet.' })
    expect(await ids(`search=${encodeURIComponent(text)}`)).toEqual([7])
  })

  it('finds the exact name first, with or without the brand', async () => {
    await list(
      { productId: 7, brand: 'Dior', name: 'Sauvage Elixir' },
      { productId: 8, brand: 'Another', name: 'Sauvage & Co.' },
    )
    expect(await ids('search=sauvage')).toEqual([2, 8, 7])
    expect(await ids('search=Dior+Sauvage')).toEqual([2, 7])
    expect(await ids('search=sauvage+dior')).toEqual([2, 7])
    expect(await ids('search=elixir+sauvage')).toEqual([7])
  })

  it('is not corrected by the words of what is gone, hidden or in a single listing', async () => {
    const many = Array.from({ length: 20 }, (_, index) => index + 20)
    await list(...many.map((productId) => ({ productId, brand: 'Givenchy', name: `Irresistible ${productId}` })))
    await list(
      { productId: 7, brand: 'Givnchy', name: 'Misspelt', description: 'Oud.' },
      { productId: 8, sellerId: 9, brand: 'Givenchi', name: 'Hidden' },
      { productId: 9, brand: 'Givench', name: 'Gone' },
    )
    await tellOfPerson(database.pool, { type: 'UserBanned', data: { userId: 9, bannedAt: listingFacts().createdAt } })
    const removed = {
      productId: 9,
      sellerId: 7,
      by: 'seller',
      reason: null,
      removedAt: listingFacts().createdAt,
    } as const
    await database.pool.transaction((transaction) =>
      projectListing(transaction, { type: 'ListingRemoved', data: removed }),
    )
    expect(await facets('search=givnchy')).toMatchObject({ correctedSearch: 'givenchy', total: 24 })
    expect((await ids('search=givnchy')).slice(0, 3)).toEqual([7, 39, 38])
    expect(await facets('search=givenchi')).toMatchObject({ correctedSearch: 'givenchy' })
    const found: number[] = []
    for (let url: string | undefined = '/api/products?search=givnchy&limit=7'; url !== undefined; ) {
      const { headers, ...response }: Awaited<ReturnType<typeof app.inject>> = await app.inject(url)
      found.push(
        ...z
          .array(Product)
          .parse(response.json())
          .map(({ id }) => id),
      )
      url = /<(.+)>; rel="next"/.exec(String(headers.link ?? ''))?.[1]
    }
    expect([found.length, new Set(found).size]).toEqual([24, 24])
  })

  it('takes a word for another when nothing has all of them', async () => {
    await list({ productId: 7, brand: 'Chanel', name: 'Bleu' }, { productId: 8, brand: 'Channel', name: 'Orange' })
    expect(await ids('search=channel+bleu')).toEqual([7])
    expect(await facets('search=channel+bleu')).toMatchObject({ correctedSearch: 'chanel bleu', total: 1 })
    expect(await ids('search=orange+jasmine')).toEqual([])
  })

  it('takes no word for another where something has all of them, be it left out by a filter', async () => {
    await list(
      { productId: 7, brand: 'Channel', name: 'Orange', categoryId: 1 },
      { productId: 8, brand: 'Chanel', name: 'Orange', categoryId: 2 },
    )
    expect(await ids('search=channel+orange&category=2')).toEqual([])
    expect(await facets('search=channel+orange&category=2')).toMatchObject({ correctedSearch: null, total: 0 })
  })

  it.each([
    [[], [5, 1, 2]],
    [[1], [1, 5, 2]],
    [
      [1, 2, 5],
      [5, 1, 2],
    ],
    [
      [2, 3],
      [5, 1, 2],
    ],
  ])('with %j boosted pages through names and descriptions as %j, without a gap', async (boosted, expected) => {
    const boostedIds = sql.array(boosted, 'int8')
    await database.pool.query(sql.unsafe`update products set is_featured = true where id = any (${boostedIds})`)
    let url: string | undefined = '/api/products?search=givenchy&limit=1'
    const seen: number[] = []
    while (url !== undefined) {
      const response: Awaited<ReturnType<typeof app.inject>> = await app.inject(url)
      seen.push(
        ...z
          .array(Product)
          .parse(response.json())
          .map(({ id }) => id),
      )
      url = /<(.+)>; rel="next"/.exec(String(response.headers.link ?? ''))?.[1]
    }
    expect(seen).toEqual(expected)
  })
})

describe('how full bottles are', () => {
  it('narrows a list, its pages, its total and what it may be narrowed by', async () => {
    await list(
      { productId: 1, brand: 'Dior', name: 'Sauvage', remainingPercentage: 100 },
      { productId: 2, brand: 'Dior', name: 'Sauvage', remainingPercentage: 80 },
      { productId: 3, brand: 'Creed', name: 'Aventus', remainingPercentage: 79 },
    )
    expect(await ids('minRemaining=80')).toEqual([2, 1])
    expect(await ids('minRemaining=90')).toEqual([1])
    expect(await ids('minRemaining=80&search=sauvage&sort=price-asc&limit=1')).toHaveLength(1)
    expect(await facets('minRemaining=80')).toMatchObject({ total: 2, brands: [{ brand: 'Dior', count: 2 }] })
    expect(await facets('minRemaining=50')).toMatchObject({ total: 3 })
    expect(await facets()).toMatchObject({ total: 3 })
    expect((await app.inject('/api/products?minRemaining=81')).statusCode).toBe(400)
  })
})

/** So many that it shows which way they are found, from product 10 to this one. */
async function listMany(last: number, description?: string): Promise<void> {
  await list({ productId: 10, brand: 'Creed', name: 'Aventus', ...(description !== undefined && { description }) })
  // In parts: on a busy machine all at once take longer than a statement may.
  for (let first = 11; first <= last; first += 1000) {
    await database.pool.query(sql.unsafe`
      insert into products (id, seller_id, name, brand, description, price_sen, category_id, listing_type, stock_quantity,
                          remaining_percentage, box_condition, volume_ml, is_new, created_at)
      select number, seller_id, name || ' ' || number, brand, description, price_sen, category_id, listing_type, stock_quantity,
             remaining_percentage, box_condition, volume_ml, is_new, created_at
        from products, generate_series(${first}::integer, ${Math.min(first + 999, last)}::integer) as number
       where id = 10`)
  }
}

const Planned = z.object({ Plan: z.object({ 'Plan Rows': z.number() }) })

describe('a page of a search', () => {
  beforeEach(() => list(...houses, { productId: 7, brand: 'Nobody', name: 'Givenchy’s', description: '' }))

  it('goes by what is in memory, and how its products are is asked each time', async () => {
    await app.close()
    app = await build({ listAgeMaxMs: 60_000 })
    await listMany(120)
    await list({ productId: 130, sellerId: 9, brand: 'Creed', name: 'Viking' })
    expect(await ids('search=creed&limit=4')).toEqual([130, 120, 119, 118])
    await ids('search=creed&maxPrice=5000&sort=price-asc')
    expect(await statementsOf(() => ids('search=creed&maxPrice=5000&sort=price-asc&limit=20'))).toHaveLength(1)
    expect(await statementsOf(() => facets('search=creed&maxPrice=5000'))).toHaveLength(0)

    await tellOfPerson(database.pool, { type: 'UserBanned', data: { userId: 9, bannedAt: listingFacts().createdAt } })
    await database.pool.query(sql.unsafe`update products set status = 'archived' where id = 119`)
    expect(await ids('search=creed&limit=4&maxPrice=4000')).toEqual([120, 118])
  })

  it('says its total, however frequent its words are', async () => {
    await listMany(2029)
    const response = await app.inject('/api/products?search=creed&limit=2')
    expect(response.headers['x-total-count']).toBe('2020')
    expect(response.json()).toMatchObject([{ id: 2029 }, { id: 2028 }])
    expect(await ids('search=creed+529&limit=2')).toEqual([529])
  })

  it.each([
    '',
    'maxPrice=300',
    'minPrice=250&brand=givenchy&brand=nobody',
    'type=fixed',
    'category=2',
    'minRemaining=80',
  ])('shows in each order the part of the whole list that has its words: %s', async (filter) => {
    await list({
      productId: 8,
      brand: 'Dior',
      name: 'Rose',
      categoryId: 2,
      listingType: 'negotiable',
      remainingPercentage: 80,
    })
    await database.pool.query(sql.unsafe`update products set is_featured = id in (1, 2), sales_count = id % 3`)
    for (const sort of ProductSort.options) {
      const all = await ids(`${filter}&sort=${sort}`)
      const isGivenchy = (id: number) => [1, 2, 5, 7].includes(id)
      expect(await ids(`${filter}&sort=${sort}&search=givenchy`), sort).toEqual(all.filter(isGivenchy))
    }
  })

  it.each(['', 'maxPrice=300', 'brand=givenchy', 'category=1&type=fixed'])(
    'is counted as everything is: %s',
    async (filter) => {
      await database.pool.query(sql.unsafe`update products set description = 'Everything.'`)
      expect(await facets(`${filter}&search=everything`)).toEqual(await facets(filter))
    },
  )
})

describe('a list in an order, from one place on', () => {
  /** By text, how often each prepared list was planned for all values, and how often for its own. */
  const plans = () =>
    database.pool.any(sql.type(z.object({ ofAll: z.number(), own: z.number() }))`
      select generic_plans as "ofAll", custom_plans as own from pg_prepared_statements where name like 'list-%'`)

  it('is one statement, which is planned once for all who ask for such a one', async () => {
    await listMany(12_000)
    await database.pool.query(sql.unsafe`analyze products`)
    for (let minPrice = 1; minPrice <= 20; minPrice += 1) await ids(`sort=price-asc&limit=24&minPrice=${minPrice}`)
    const statements = await statementsOf(() => ids('sort=price-asc&limit=24&minPrice=21'))
    const isCounting = (text: string) => text.includes('count(*)')
    expect(statements.filter((text) => !isCounting(text))).toHaveLength(1)
    const [plan] = await plans()
    expect(plan?.ofAll).toBeGreaterThan(10)
    expect(plan?.own).toBe(5)
  })

  it('is planned for its own values where more is left out than its order tells, and for other numbers', async () => {
    await list(...houses)
    const before = (await plans()).length
    for (const query of ['sort=newest&minPrice=2', 'sort=price-asc&category=1', 'brand=creed', 'minRemaining=50']) {
      await ids(`${query}&limit=24`)
    }
    await ids('sort=price-asc&limit=23')
    expect(await plans()).toHaveLength(before)
  })
})

describe('a category and a brand', () => {
  it('are known to come together or not, so that nobody looks through a category for a brand of another one', async () => {
    await listMany(3000)
    await database.pool.query(sql.unsafe`
      update products set category_id = 1 + id % 2, brand = case id % 2 when 0 then 'Creed' else 'Dior' end`)
    await database.pool.query(sql.unsafe`analyze products`)
    const [plan = []] = await database.pool.anyFirst(sql.type(z.object({ 'QUERY PLAN': z.array(Planned) }))`
      explain (format json) select from products where category_id = 1 and brand_key = any (${sql.array(['dior'], 'text')})`)
    expect(plan[0]?.Plan['Plan Rows']).toBeLessThan(10)
  })
})

/** A question whose text is like this waits for a lock that is held until `release`; no other does. */
function hold(like: string, fill: () => Promise<void>): { release: () => void } {
  let release = () => {}
  let holding: Promise<void>

  beforeEach(async () => {
    await fill()
    await database.pool.query(sql.unsafe`alter table products rename to all_products`)
    await database.pool.query(sql.unsafe`
      create view products as select xmin, * from all_products
       where current_query() not like ${sql.literalValue(like)} or pg_advisory_xact_lock_shared(1) is not null`)
    const held = Promise.withResolvers<void>()
    const end = Promise.withResolvers<void>()
    release = end.resolve
    holding = database.pool.connect(async (connection) => {
      await connection.query(sql.unsafe`select pg_advisory_lock(1)`)
      held.resolve()
      await end.promise
      await connection.query(sql.unsafe`select pg_advisory_unlock(1)`)
    })
    await held.promise
  })
  afterEach(async () => {
    release()
    await holding
    await database.pool.query(sql.unsafe`drop view products`)
    await database.pool.query(sql.unsafe`alter table all_products rename to products`)
  })
  return { release: () => release() }
}

async function open(options: Partial<ProductSearchOptions>): Promise<void> {
  await app.close()
  app = await build({ countsAgeMaxMs: 60_000, ...options })
}

describe('while counting takes long', () => {
  const counting = hold('%array_agg(price_sen%', () => list(...houses))

  it('a page comes without its total, and with it as soon as there is one', async () => {
    await open({ totalWaitMaxMs: 1 })
    const page = await app.inject('/api/products?limit=2')
    expect(page.json()).toHaveLength(2)
    expect(page.headers).toMatchObject({ link: expect.stringContaining('rel="next"') })
    expect(page.headers).not.toHaveProperty('x-total-count')
    counting.release()
    expect((await facets()).total).toBe(6)
    expect((await app.inject('/api/products?limit=2')).headers).toMatchObject({ 'x-total-count': '6' })
  })

  it('facets are refused when they do not come in time', async () => {
    await open({ facetsWaitMaxMs: 1 })
    const response = await app.inject('/api/products/facets')
    expect([response.statusCode, response.json().code]).toEqual([503, 'unavailable'])
  })
})

describe('many different questions of one address', () => {
  const pages = hold('%current_price_sen <= %', () => list(...houses))
  const WaitingRow = z.object({ count: z.number() })
  const waiting = () =>
    database.pool.oneFirst(sql.type(WaitingRow)`
      select count(*)::integer as count from pg_locks
       where locktype = 'advisory' and objid = 1 and not granted
         and database = (select oid from pg_database where datname = current_database())`)

  it('wait for each other, and nobody else waits for them', async () => {
    const ask = async (address: string, question: string) => {
      const { statusCode } = await app.inject({
        url: `/api/products?${question}`,
        headers: { 'x-forwarded-for': address },
      })
      expect(statusCode).toBe(200)
      return address
    }
    const many = Array.from({ length: 60 }, (_, number) => ask('192.0.2.1', `maxPrice=${1000 + number}`))
    await eventually(async () => (await waiting()) > 0)
    expect(await Promise.race([ask('192.0.2.2', 'category=1'), ...many])).toBe('192.0.2.2')
    expect(await waiting()).toBe(1)
    pages.release()
    await Promise.all(many)
  })
})

describe('many different questions', () => {
  it('leave no more in memory than the cache may hold', async () => {
    await app.close()
    app = await build({ listAgeMaxMs: 60_000 })
    const description = 'Iris. '.repeat(8_000)
    await list(...Array.from({ length: 40 }, (_, index) => ({ productId: index + 1, description })))
    const heapAfter = async (questions: number) => {
      for (let number = 0; number < questions; number++) {
        expect((await app.inject(`/api/products?maxPrice=${100_000 + number}`)).statusCode).toBe(200)
      }
      collectGarbage()
      return process.memoryUsage().heapUsed
    }
    const before = await heapAfter(1)
    // The answers have two megabytes each.
    expect((await heapAfter(30)) - before).toBeLessThan(30 * 1024 * 1024)
  })
})

describe('counts that may be a little old', () => {
  it('give nobody a wrong number of what is all on one page', async () => {
    await app.close()
    app = await build({ countsAgeMaxMs: 60_000 })
    await list(...houses)
    const totals = async (query: string) => (await app.inject(`/api/products?${query}`)).headers['x-total-count']
    expect(await totals('maxPrice=300&limit=1')).toBe('3')
    expect((await facets('maxPrice=300')).total).toBe(3)
    await list({ productId: 9, brand: 'Mancera', name: 'Rose Greedy', categoryId: 3, priceSen: 10_000 })
    expect(await ids('maxPrice=300')).toEqual([9, 6, 5, 1])
    expect(await totals('maxPrice=300')).toBe('4')
    expect(await totals('search=rose&limit=1')).toBe('3')
    expect((await facets('maxPrice=300')).total).toBe(3)
  })
})

describe('a list', () => {
  beforeEach(() => list(...houses))

  it.each([
    ['', [6, 5, 4, 3, 2, 1]],
    ['sort=newest', [6, 5, 4, 3, 2, 1]],
    ['sort=price-asc', [5, 6, 1, 2, 3, 4]],
    ['sort=price-desc', [4, 3, 2, 1, 6, 5]],
    ['sort=featured', [3, 6, 5, 4, 2, 1]],
    ['sort=best-selling', [2, 6, 5, 4, 3, 1]],
    ['category=1', [5, 3, 2, 1]],
    ['minPrice=300&maxPrice=500', [3, 2, 1]],
    ['minPrice=0&maxPrice=200', [6, 5]],
    ['brand=givenchy', [5, 1]],
    ['brand=Givenchy&brand=DIOR', [5, 2, 1]],
    ['brand=nobody', []],
    ['type=fixed', [6, 5, 4, 3, 2, 1]],
    ['type=auction', []],
    ['type=auction&type=fixed', [6, 5, 4, 3, 2, 1]],
    ['search=givenchy&brand=dior', [2]],
    ['search=givenchy&sort=price-asc', [5, 1, 2]],
    ['category=1&sort=price-desc&maxPrice=400', [2, 1, 5]],
  ])('with "%s" is %j, and the same in pages of one', async (query, expected) => {
    await database.pool.query(
      sql.unsafe`update products set is_featured = (id = 3), sales_count = case id when 2 then 9 else 0 end`,
    )
    expect(await ids(query)).toEqual(expected)
    const seen: number[] = []
    let url: string | undefined = `/api/products?${query}&limit=1`
    while (url !== undefined) {
      const response: Awaited<ReturnType<typeof app.inject>> = await app.inject(url)
      expect(response.headers['x-total-count']).toBe(String(expected.length))
      seen.push(
        ...z
          .array(Product)
          .parse(response.json())
          .map(({ id }) => id),
      )
      url = /<(.+)>; rel="next"/.exec(String(response.headers.link ?? ''))?.[1]
    }
    expect(seen).toEqual(expected)
  })

  it.each([
    'sort=cheapest',
    'minPrice=x',
    'minPrice=-1',
    'maxPrice=1e9',
    'minPrice=1.005',
    'minPrice=1e2',
    'maxPrice=',
    'maxPrice=0x10',
    `search=${'x'.repeat(101)}`,
    `brand=${'x'.repeat(81)}`,
    Array.from({ length: 21 }, (_, number) => `brand=b${number}`).join('&'),
    'type=gift',
    'cursor=x',
    'limit=0',
    'limit=501',
  ])('is refused with %s', async (query) => {
    expect((await app.inject(`/api/products?${query}`)).statusCode).toBe(400)
  })

  it.each(ProductSort.options)('takes no cursor that no database would take, sorted by %s', async (sort) => {
    const statusWith = async (key: unknown) => {
      const cursor = Buffer.from(JSON.stringify([key, 1])).toString('base64url')
      return (await app.inject(`/api/products?sort=${sort}&cursor=${cursor}`)).statusCode
    }
    for (const key of [0.5, 1e308, 2 ** 53, '1', null]) expect(await statusWith(key), `${key}`).toBe(400)
    for (const key of [-1, 2 ** 40, Number.MAX_SAFE_INTEGER]) expect(await statusWith(key), `${key}`).toBe(200)
  })
})

describe('the live auctions', () => {
  const auctioned = async (auctionId: number, startsInMs: number, endsInMs: number) => {
    await list({ productId: auctionId, listingType: 'auction' })
    const inMs = (ms: number) => new Date(Date.now() + ms).toISOString()
    const terms = { buyNowSen: null, incrementSen: 100, startingPriceSen: 1000, sellerId: 7 }
    await saveAuctionTerms(database.pool, [
      {
        ...terms,
        auctionId,
        productId: auctionId,
        startsAt: inMs(startsInMs),
        endsAt: inMs(endsInMs),
        termsAt: inMs(0),
      },
    ])
  }
  const live = async (query = '') => {
    const response = await app.inject(`/api/products/live?${query}`)
    expect(response.statusCode, response.body).toBe(200)
    return z.array(Product).parse(response.json())
  }

  it('are those that run, which end first coming first', async () => {
    await list({ productId: 1 })
    await auctioned(2, -60_000, 900_000)
    await auctioned(3, -60_000, 300_000)
    await auctioned(4, 60_000, 300_000)
    await auctioned(5, -60_000, -1000)
    await auctioned(6, -60_000, 200_000)
    await closeAuctions(database.pool, 'cancelled', [{ auctionId: 6 }])
    await auctioned(7, -60_000, 100_000)
    await database.pool.query(sql.unsafe`update products set status = 'archived' where id = 7`)
    expect((await live()).map(({ id, auction }) => [id, auction?.status])).toEqual([
      [3, 'active'],
      [2, 'active'],
    ])
    expect((await live('limit=1')).map(({ id }) => id)).toEqual([3])
  })
})

describe('facets', () => {
  beforeEach(() => list(...houses))

  it('count the brands of the whole result, however they are written, and its prices', async () => {
    expect(await facets()).toEqual({
      brands: [
        { brand: 'GIVENCHY', count: 2 },
        { brand: 'Chanel', count: 1 },
        { brand: 'Dior', count: 1 },
        { brand: 'Le Labo', count: 1 },
        { brand: 'Mancera', count: 1 },
      ],
      price: { min: 200, max: 680 },
      total: 6,
      correctedSearch: null,
    })
  })

  it('do not narrow themselves: other brands and prices can still be chosen', async () => {
    const { brands, price, total } = await facets('category=1&brand=dior&minPrice=340')
    expect(brands.map(({ brand }) => brand)).toEqual(['Chanel', 'Dior'])
    expect(price).toEqual({ min: 350, max: 350 })
    expect(total).toBe(1)
  })

  it('are empty for nothing', async () => {
    const nothing = { brands: [], price: null, total: 0, correctedSearch: null }
    expect(await facets('search=%25')).toEqual(nothing)
    expect(await facets('category=2')).toEqual(nothing)
  })

  it('leave out hidden sellers', async () => {
    await database.pool.query(sql.unsafe`insert into known_people (user_id, is_banned) values (7, true)`)
    expect((await facets()).total).toBe(0)
    expect(await ids('')).toEqual([])
  })
})

describe('the price of an auction', () => {
  const terms = (auctionId: number, productId: number, startingPriceSen: number) =>
    saveAuctionTerms(database.pool, [
      {
        auctionId,
        productId,
        sellerId: 7,
        startingPriceSen,
        buyNowSen: null,
        incrementSen: 500,
        startsAt: '2026-11-21T08:00:00.000Z',
        endsAt: '2100-01-01T08:00:00.000Z',
        termsAt: listingFacts().createdAt,
      },
    ])
  const bid = (auctionId: number, seq: number, amountSen: number) =>
    saveBids(database.pool, [{ auctionId, seq, amountSen }])
  const priceOf = async (productId: number) => {
    await writePrices(database.pool)
    const [row] = await findProducts(database.pool, [productId])
    return row?.currentPriceSen
  }

  beforeEach(() =>
    list(
      { productId: 1, priceSen: 30_000 },
      { productId: 2, priceSen: 20_000, listingType: 'auction' },
      { productId: 3, priceSen: 25_000 },
    ),
  )

  it('in lists, sorts and filters is the current bid, else the starting price', async () => {
    expect(await ids('sort=price-asc')).toEqual([2, 3, 1])
    await terms(5, 2, 22_000)
    expect(await priceOf(2)).toBe(22_000)
    await bid(5, 1, 27_500)
    const response = await app.inject('/api/products/2')
    expect(Product.parse(response.json()).price).toBe(275)
    await writePrices(database.pool)
    expect(await ids('sort=price-asc')).toEqual([3, 2, 1])
    expect(await ids('sort=price-desc&limit=2')).toEqual([1, 2])
    expect(await ids('minPrice=260&maxPrice=280')).toEqual([2])
    expect((await facets('type=auction')).price).toEqual({ min: 275, max: 275 })
  })

  it('is that of its last terms, also of the same millisecond', async () => {
    await terms(5, 2, 22_000)
    await terms(5, 2, 21_000)
    expect(await priceOf(2)).toBe(21_000)
  })

  it('is that of its newest auction, whatever is told in which order', async () => {
    await bid(5, 2, 27_500)
    await bid(5, 1, 22_500)
    await terms(5, 2, 22_000)
    expect(await priceOf(2)).toBe(27_500)
    await terms(9, 2, 21_000)
    await bid(5, 3, 40_000)
    expect(await priceOf(2)).toBe(21_000)
  })

  it('waits for nobody, and loses no bid that comes meanwhile', async () => {
    await terms(5, 2, 22_000)
    const { promise: isBid, resolve: hasBid } = Promise.withResolvers<void>()
    const { promise: isLooked, resolve: hasLooked } = Promise.withResolvers<void>()
    const bidding = database.pool.transaction(async (transaction) => {
      await saveBids(transaction, [{ auctionId: 5, seq: 1, amountSen: 27_500 }])
      hasBid()
      await isLooked
    })
    await isBid
    expect(await writePrices(database.pool)).toBe(0)
    hasLooked()
    await bidding
    expect(await priceOf(2)).toBe(27_500)
    expect(await writePrices(database.pool)).toBe(0)
  })

  it('is nothing to what has a fixed price, and stays when the listing is changed', async () => {
    await terms(5, 2, 22_000)
    await terms(6, 3, 99_000)
    const { createdAt: _, ...facts } = listingFacts({ productId: 2, priceSen: 24_000, listingType: 'auction' })
    await database.pool.transaction((transaction) =>
      projectListing(transaction, { type: 'ListingUpdated', data: { ...facts, updatedAt: listingFacts().createdAt } }),
    )
    expect([await priceOf(2), await priceOf(3)]).toEqual([22_000, 25_000])
    expect((await findOwnProduct(database.pool, 2))?.priceSen).toBe(24_000)
  })
})

describe('the end of an auction', () => {
  const opened = (auctionId: number, productId: number, day: string) =>
    saveAuctionTerms(database.pool, [
      {
        auctionId,
        productId,
        sellerId: 7,
        startingPriceSen: 10_000,
        buyNowSen: null,
        incrementSen: 500,
        startsAt: '2026-11-21T08:00:00.000Z',
        endsAt: `2100-01-${day}T08:00:00.000Z`,
        termsAt: listingFacts().createdAt,
      },
    ])
  const endingSoonest = async (query = '') => {
    await writePrices(database.pool)
    return ids(`sort=ending-soonest${query}`)
  }

  beforeEach(async () => {
    await list(
      { productId: 1 },
      { productId: 2, listingType: 'auction' },
      { productId: 3, listingType: 'auction' },
      { productId: 4, listingType: 'auction' },
    )
    await opened(11, 2, '09')
    await opened(12, 3, '03')
    await opened(13, 4, '05')
  })

  it('is what lists can be sorted by, page by page, what has none coming last', async () => {
    expect(await endingSoonest()).toEqual([3, 4, 2, 1])
    expect(await endingSoonest('&type=auction')).toEqual([3, 4, 2])
    const first = await app.inject('/api/products?sort=ending-soonest&limit=2')
    const next = /<(.+)>; rel="next"/.exec(String(first.headers.link))?.[1] ?? ''
    const second = await app.inject(next)
    expect(
      z
        .array(Product)
        .parse(second.json())
        .map(({ id }) => id),
    ).toEqual([2, 1])
  })

  it('is none once it has come, and that of the newest auction', async () => {
    await closeAuctions(database.pool, 'ended', [{ auctionId: 12, outcome: 'no-bids' }])
    expect(await endingSoonest('&type=auction')).toEqual([4, 2, 3])
    await opened(14, 3, '01')
    expect(await endingSoonest('&type=auction')).toEqual([3, 4, 2])
  })

  it('is the same after the listings are made anew', async () => {
    await writePrices(database.pool)
    const ends = () =>
      database.pool.any(sql.type(z.object({ id: z.number(), end: z.number() }))`
        select id, auction_end_ms as "end" from products order by id`)
    const before = await ends()
    await database.pool.query(sql.unsafe`delete from products`)
    await list(
      { productId: 1 },
      { productId: 2, listingType: 'auction' },
      { productId: 3, listingType: 'auction' },
      { productId: 4, listingType: 'auction' },
    )
    expect(await ends()).toEqual(before)
    expect(before.map(({ end }) => end)).toEqual([
      Number.MAX_SAFE_INTEGER,
      Date.parse('2100-01-09T08:00:00.000Z'),
      Date.parse('2100-01-03T08:00:00.000Z'),
      Date.parse('2100-01-05T08:00:00.000Z'),
    ])
  })

  it('is found by an index, however deep the page is', async () => {
    await writePrices(database.pool)
    const plan = await database.pool.transaction(async (transaction) => {
      await transaction.query(sql.unsafe`set local enable_seqscan = off`)
      return await transaction.anyFirst(sql.type(z.object({ 'QUERY PLAN': z.string() }))`
        explain select p.id from products p where (p.auction_end_ms, p.id) > (5, 5) order by p.auction_end_ms, p.id limit 24`)
    })
    expect(plan.join('\n')).toContain('products_by_auction_end')
  })
})
