import { fileURLToPath } from 'node:url'
import { Category, NewProduct, Product } from '@wangian/contracts/catalogue.ts'
import { ErrorBody, type ErrorCode, statusOf } from '@wangian/contracts/errors.ts'
import { sql } from '@wangian/kit/database/postgres.ts'
import type { App } from '@wangian/kit/http/http.ts'
import { emptyTables } from '@wangian/kit/testing/empty-tables.ts'
import { statementsOf } from '@wangian/kit/testing/statements.ts'
import { createTestTokens, type TestPerson, type TestTokens } from '@wangian/kit/testing/test-app.ts'
import { createTestDatabase, type TestDatabase } from '@wangian/kit/testing/test-database.ts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { buildApp } from '../app.ts'
import { projectListing } from '../projections.ts'
import { listingFacts, listingForm } from '../testing/fixtures.ts'

const migrationsDirectory = fileURLToPath(new URL('../../migrations', import.meta.url))
const sarah: TestPerson = { id: 7, username: 'sarah' }
const nowMs = Date.parse('2026-11-21T08:00:00.000Z')

let database: TestDatabase
let tokens: TestTokens
let app: App
let appendedCount = 0

beforeAll(async () => {
  database = await createTestDatabase({ service: 'catalogue', migrationsDirectory })
  tokens = await createTestTokens()
})
afterAll(() => database.drop())
beforeEach(async () => {
  await emptyTables(database.pool, 'products, pictures, known_people, events')
  appendedCount = 0
  app = newApp()
})
afterEach(() => app.close())

function newApp(overrides: Partial<Parameters<typeof buildApp>[0]> = {}): App {
  return buildApp({
    // No route here asks about an auction.
    nats: undefined as never,
    pool: database.pool,
    auth: tokens.authenticator,
    onAppended: () => {
      appendedCount += 1
    },
    nowMs: () => nowMs,
    // No route here reads or writes a picture.
    files: undefined as never,
    ...overrides,
  })
}

const get = (url: string, headers: Record<string, string> = {}) => app.inject({ method: 'GET', url, headers })
const post = async (payload: unknown, person: TestPerson | null = sarah) =>
  app.inject({
    method: 'POST',
    url: '/api/products',
    headers: { 'content-type': 'application/json', ...(person && (await tokens.bearer(person))) },
    payload: JSON.stringify(payload),
  })

async function list(...products: Parameters<typeof listingFacts>[0][]): Promise<void> {
  await database.pool.transaction(async (transaction) => {
    for (const facts of products)
      await projectListing(transaction, { type: 'ListingCreated', data: listingFacts(facts) })
  })
}

function expectRefusal(response: { statusCode: number; json(): unknown }, code: ErrorCode, message?: string): void {
  const body = ErrorBody.parse(response.json())
  expect({ status: response.statusCode, code: body.code }).toEqual({ status: statusOf(code), code })
  if (message !== undefined) expect(body.message).toBe(message)
}

describe('GET /api/categories', () => {
  it('answers the four with their ids', async () => {
    const response = await get('/api/categories')
    expect(response.statusCode).toBe(200)
    expect(z.array(Category).parse(response.json())).toEqual([
      { id: 1, name: 'Designer' },
      { id: 2, name: 'Local' },
      { id: 3, name: 'Arabian House' },
      { id: 4, name: 'Niche' },
    ])
  })

  it('is found once for all who ask within the age that an answer may have', async () => {
    await app.close()
    app = newApp({ listAgeMaxMs: 60_000 })
    const first = await get('/api/categories')
    const rest = await statementsOf(async () => {
      for (let count = 0; count < 3; count += 1) expect((await get('/api/categories')).body).toBe(first.body)
    })
    expect(rest).toEqual([])
  })
})

describe('POST /api/products', () => {
  it('lists a product', async () => {
    const response = await post({ ...listingForm, sellerId: 7 })
    expect(response.statusCode).toBe(201)
    const product = Product.parse(response.json())
    expect(product).toMatchObject({
      ...listingForm,
      category: 'Niche',
      sellerId: 7,
      seller: { id: 7, username: 'sarah', profileImage: null, avatar_url: null },
      imageUrl: null,
      images: [],
      status: 'active',
      isNew: false,
      isFeatured: false,
      createdAt: '2026-11-21T08:00:00.000Z',
      updatedAt: '2026-11-21T08:00:00.000Z',
      averageRating: null,
      reviewCount: 0,
      auction: null,
    })
    expect((await get(`/api/products/${product.id}`)).json()).toEqual({ ...product, reviews: [] })
    expect(appendedCount).toBe(1)
  })

  it('has a value for what may be left out', async () => {
    const { name, brand, description, price, categoryId } = listingForm
    const response = await post({ name, brand, description, price, categoryId })
    expect(response.statusCode).toBe(201)
    expect(response.json()).toMatchObject({
      stockQuantity: 1,
      remainingPercentage: 100,
      purchaseYear: null,
      boxCondition: 'Good',
      batchCode: null,
      listingType: 'fixed',
      volume: 100,
    })
  })

  it('does not take what is not in the form', async () => {
    const response = await post({
      ...listingForm,
      id: 999,
      status: 'sold',
      isFeatured: true,
      featuredUntil: '2100-01-01T00:00:00.000Z',
      createdAt: '2000-01-01T00:00:00.000Z',
    })
    expect(response.statusCode).toBe(201)
    expect(response.json()).toMatchObject({ status: 'active', isFeatured: false, featuredUntil: null })
    expect(response.json()).not.toMatchObject({ id: 999 })
  })

  it('keeps every sen', async () => {
    const response = await post({ ...listingForm, price: 1234.56 })
    expect(response.json()).toMatchObject({ price: 1234.56 })
    const stored = await database.pool.oneFirst(
      sql.type(z.object({ price: z.number() }))`select price_sen as price from products`,
    )
    expect(stored).toBe(123_456)
  })

  it.each([
    [{ name: 'ab' }, 'Name must be at least 3 characters'],
    [{ name: '    a    ' }, 'Name must be at least 3 characters'],
    [{ name: undefined }, 'Name must be at least 3 characters'],
    [{ brand: 'a' }, 'Brand must be at least 2 characters'],
    [{ brand: null }, 'Brand must be at least 2 characters'],
    [{ description: 'too short' }, 'Description must be at least 10 characters'],
    [{ description: undefined }, 'Description must be at least 10 characters'],
    [{ price: 0 }, 'Price must be greater than 0'],
    [{ price: 1.005 }, 'Please enter a valid amount'],
    [{ price: -1 }, 'Price must be greater than 0'],
    [{ price: 0.001 }, 'Price must be greater than 0'],
    [{ price: undefined }, 'Price must be greater than 0'],
    [{ price: 10_000_000 }, 'Please enter a valid amount'],
    [{ imageUrl: 'no address' }, 'Please enter a valid image URL'],
    [{ imageUrl: 'http://example.com/a.jpg' }, 'Please enter a valid image URL'],
    [{ imageUrl: 'javascript:alert(1)' }, 'Please enter a valid image URL'],
    [{ imageUrl: 'https://' }, 'Please enter a valid image URL'],
    [{ imageUrl: 'https://example.com/a\n.jpg' }, 'Please enter a valid image URL'],
    [{ imageUrl: 7 }, 'Please enter a valid image URL'],
    [{ imageUrl: '../../etc/passwd' }, 'Please enter a valid image URL'],
    [{ imageUrl: 'nobodys-picture' }, 'Please enter a valid image URL'],
    [{ name: 'Di\u200Bor' }, 'Name has characters that cannot be seen'],
    [{ brand: '\u202EroiD' }, 'Brand has characters that cannot be seen'],
    [{ description: '\u3164'.repeat(20) }, 'Description has characters that cannot be seen'],
    [{ stockQuantity: -1 }, 'Stock quantity must be 0 or greater'],
    [{ stockQuantity: 1.5 }, 'Stock quantity must be 0 or greater'],
    [{ listingType: 'auction', stockQuantity: 0 }, 'Stock quantity must be at least 1'],
    [{ categoryId: 5 }, 'Please select a category'],
    [{ categoryId: 0 }, 'Please select a category'],
    [{ categoryId: null }, 'Please select a category'],
    [{ categoryId: undefined }, 'Please select a category'],
    [{ volume: 0 }, 'Please enter a valid volume (e.g. 50ml, 100ml)'],
    [{ volume: 2.5 }, 'Please enter a valid volume (e.g. 50ml, 100ml)'],
    [{ purchaseYear: 3000 }, 'Purchase year cannot be in the future'],
    [{ purchaseYear: 1969 }, 'Purchase year must be 1970 or greater'],
    [{ remainingPercentage: 0 }, undefined],
    [{ remainingPercentage: 101 }, undefined],
    [{ boxCondition: 'Torn' }, undefined],
    [{ listingType: 'gift' }, undefined],
    [{ name: 'a\0b' }, undefined],
    [{ name: 'half \ud800 pair' }, undefined],
  ])('refuses %j', async (change, message) => {
    expectRefusal(await post({ ...listingForm, ...change }), 'bad-request', message)
    expect((await get('/api/products')).json()).toEqual([])
  })

  it('knows the year that it is in Malaysia', () => {
    vi.useFakeTimers({ now: Date.parse('2026-12-31T16:00:00.000Z'), toFake: ['Date'] })
    const years = [2027, 2028].map((year) => NewProduct.shape.purchaseYear.safeParse(year).success)
    vi.useRealTimers()
    expect(years).toEqual([true, false])
  })

  it.each([
    ['https://example.com/bottle.jpg', 'https://example.com/bottle.jpg'],
    ['', null],
    ['   ', null],
    [null, null],
  ])('takes %j as the picture', async (imageUrl, kept) => {
    expect((await post({ ...listingForm, imageUrl })).json()).toMatchObject({ imageUrl: kept })
  })

  it('refuses guests, bad tokens, buyers and those who sell for others', async () => {
    expectRefusal(await post(listingForm, null), 'authentication-required')
    expectRefusal(await post(listingForm, { ...sarah, isSeller: false }), 'seller-account-required')
    expectRefusal(await post({ ...listingForm, sellerId: 8 }), 'forbidden')
    const expired = await post(listingForm, { ...sarah, expiresAt: Date.parse('2020-01-01T00:00:00.000Z') })
    expectRefusal(expired, 'invalid-token')
    expect((await get('/api/products')).json()).toEqual([])
  })

  it('refuses what is no JSON, or too much of it', async () => {
    const headers = await tokens.bearer(sarah)
    const text = await app.inject({
      method: 'POST',
      url: '/api/products',
      headers: { ...headers, 'content-type': 'text/plain' },
      payload: 'Santal 33',
    })
    expectRefusal(text, 'unsupported-type')
    expectRefusal(await post({ ...listingForm, description: 'a'.repeat(300 * 1024) }), 'too-large')
  })

  it('takes 60 listings an hour from one seller', async () => {
    const answers = []
    for (let count = 0; count < 61; count += 1) answers.push((await post(listingForm)).statusCode)
    expect(answers).toEqual([...Array.from({ length: 60 }, () => 201), 429])
    const refused = await post(listingForm)
    expectRefusal(refused, 'rate-limited', 'Too many requests')
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expect((await post(listingForm, { id: 8, username: 'hafiz' })).statusCode).toBe(201)
  })

  it('takes more where the environment says so', async () => {
    await app.close()
    app = newApp({ rateLimitFactor: 2 })
    const answers = []
    for (let count = 0; count < 70; count += 1) answers.push((await post(listingForm)).statusCode)
    expect(answers).toEqual(Array.from({ length: 70 }, () => 201))
  })
})

describe('GET /api/products/{id}', () => {
  it('does not know products that are not there', async () => {
    expectRefusal(await get('/api/products/999'), 'product-not-found', 'Product not found')
  })

  it.each(['0', '01', '-1', '1e3', 'abc', '%201', '99999999999999999'])('refuses %s as an id', async (id) => {
    expectRefusal(await get(`/api/products/${id}`), 'bad-request')
  })

  it('shows an archived product to its seller and to admins only', async () => {
    await list({ productId: 3 })
    await database.pool.query(sql.unsafe`update products set status = 'archived'`)
    expectRefusal(await get('/api/products/3'), 'product-not-found')
    expectRefusal(await get('/api/products/3', await tokens.bearer({ id: 8 })), 'product-not-found')
    expect((await get('/api/products/3', await tokens.bearer(sarah))).statusCode).toBe(200)
    expect((await get('/api/products/3', await tokens.bearer({ id: 9, isAdmin: true }))).statusCode).toBe(200)
  })

  it('refuses a token that is not good', async () => {
    await list({ productId: 3 })
    expectRefusal(await get('/api/products/3', { authorization: 'Bearer a.b.c' }), 'invalid-token')
  })
})

describe('GET /api/products', () => {
  const ids = (response: { json(): unknown }) =>
    z
      .array(Product)
      .parse(response.json())
      .map(({ id }) => id)

  it('answers nothing when there is nothing', async () => {
    const response = await get('/api/products')
    expect(response.json()).toEqual([])
    expect(response.headers['x-total-count']).toBe('0')
    expect(response.headers.link).toBeUndefined()
  })

  it('answers the newest first', async () => {
    await list({ productId: 1 }, { productId: 2 }, { productId: 3 })
    const response = await get('/api/products')
    expect(response.statusCode).toBe(200)
    expect(ids(response)).toEqual([3, 2, 1])
    expect(response.headers['x-total-count']).toBe('3')
  })

  it('hides what is pending or archived', async () => {
    await list({ productId: 1 }, { productId: 2 }, { productId: 3 }, { productId: 4 })
    await database.pool.query(sql.unsafe`
      update products set status = case id when 1 then 'pending' when 2 then 'archived' when 3 then 'sold' else status end`)
    const response = await get('/api/products')
    expect(ids(response)).toEqual([4, 3])
    expect(response.headers['x-total-count']).toBe('2')
  })

  it('filters by category and by type', async () => {
    await list({ productId: 1, categoryId: 1 }, { productId: 2, listingType: 'auction' }, { productId: 3 })
    expect(ids(await get('/api/products?category=1'))).toEqual([1])
    expect(ids(await get('/api/products?type=auction'))).toEqual([2])
    expect(ids(await get('/api/products?category=4&type=fixed'))).toEqual([3])
    expect(ids(await get('/api/products?category=3'))).toEqual([])
  })

  it('searches name, brand and description in any case', async () => {
    await list(
      { productId: 1, name: 'Bleu de Chanel', brand: 'Chanel', description: 'Woody and aromatic.' },
      { productId: 2, name: 'Aventus', brand: 'Creed', description: 'Pineapple over birch.' },
    )
    expect(ids(await get('/api/products?search=CHANEL'))).toEqual([1])
    expect(ids(await get('/api/products?search=creed'))).toEqual([2])
    expect(ids(await get('/api/products?search=pineapple'))).toEqual([2])
    expect(ids(await get('/api/products?search=%20%20'))).toEqual([2, 1])
  })

  it('has no wildcards in a search: words are compared without what is between them', async () => {
    await list(
      { productId: 1, name: '100% Oud' },
      { productId: 2, name: '100 Oud' },
      { productId: 3, name: 'Under_score' },
    )
    expect(ids(await get(`/api/products?search=${encodeURIComponent('100%')}`))).toEqual([2, 1])
    expect(ids(await get('/api/products?search=under_score'))).toEqual([3])
    for (const nothing of ['%', '_', '\\', "'; drop table products; --"]) {
      expect(ids(await get(`/api/products?search=${encodeURIComponent(nothing)}`))).toEqual([])
    }
  })

  it('pages to the end without losing or repeating anything, whatever is listed meanwhile', async () => {
    await list(...Array.from({ length: 7 }, (_, index) => ({ productId: index + 1 })))
    const seen: number[] = []
    let url: string | undefined = '/api/products?limit=3&type=fixed'
    for (let page = 0; url !== undefined; page += 1) {
      const response = await get(url)
      expect(Number(response.headers['x-total-count'])).toBe(7 + page)
      seen.push(...ids(response))
      await list({ productId: 100 + page })
      url = /^<(.+)>; rel="next"$/.exec(String(response.headers.link ?? ''))?.[1]
      if (url !== undefined) expect(url).toContain('limit=3&type=fixed')
    }
    expect(seen).toEqual([7, 6, 5, 4, 3, 2, 1])
  })

  it('has no next page when the last one is full', async () => {
    await list({ productId: 1 }, { productId: 2 })
    expect((await get('/api/products?limit=2')).headers.link).toBeUndefined()
  })

  it('answers 100 unless asked for more', async () => {
    await database.pool.query(sql.unsafe`
      insert into products (id, seller_id, name, brand, description, price_sen, category_id, listing_type,
                            stock_quantity, remaining_percentage, box_condition, volume_ml, is_new, created_at)
      select n, 7, 'Name ' || n, 'Brand', 'A long description', 100, 1, 'fixed', 1, 100, 'Good', 50, false, now()
        from generate_series(1, 600) n`)
    const response = await get('/api/products')
    expect(ids(response)).toHaveLength(100)
    expect(ids(await get('/api/products?limit=500'))).toHaveLength(500)
    expect(response.headers.link).toContain('rel="next"')
    expect(response.headers['x-total-count']).toBe('600')
  })

  it.each([
    'limit=0',
    'limit=501',
    'limit=1.5',
    'limit=a',
    'category=abc',
    'category=0',
    'category=1&category=2',
    'type=gift',
    'cursor=abc',
    'cursor=WzBd',
    'cursor=WyIxIl0',
    `search=${'a'.repeat(101)}`,
    'search=%00',
  ])('refuses ?%s', async (query) => {
    expectRefusal(await get(`/api/products?${query}`), 'bad-request')
  })
})

it('does not know other methods on these paths', async () => {
  expectRefusal(await app.inject({ method: 'DELETE', url: '/api/categories' }), 'method-not-allowed')
})
