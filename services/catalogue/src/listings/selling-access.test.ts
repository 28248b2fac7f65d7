import { randomUUID } from 'node:crypto'
import type { Product, ProductImage } from '@wangian/contracts/catalogue.ts'
import { type ErrorCode, statusOf } from '@wangian/contracts/errors.ts'
import { sellingRoutes } from '@wangian/contracts/selling.ts'
import { sql } from '@wangian/kit/database/postgres.ts'
import { uploadForm } from '@wangian/kit/testing/pictures.ts'
import type { TestPerson } from '@wangian/kit/testing/test-app.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listingForm } from '../testing/fixtures.ts'
import { createTestShop, type TestShop } from '../testing/test-shop.ts'

/** Another seller's product can be neither read in the dashboard, edited, nor deleted, whatever ids are sent. */

const people = {
  guest: null,
  owner: { id: 7, username: 'sarah' },
  'another seller': { id: 8, username: 'hafiz' },
  buyer: { id: 21, username: 'bala', isSeller: false },
  administrator: { id: 1, username: 'admin', isSeller: false, isAdmin: true },
  banned: { id: 9, username: 'zul', sessionId: 'of somebody banned' },
} as const satisfies Record<string, TestPerson | null>
type Name = keyof typeof people

let shop: TestShop
/** The owner's, which nobody else may touch, and one of each other seller. */
let product: Product
let image: ProductImage
let announced: ProductImage
let ofAnother: Product
let imageOfAnother: ProductImage
let before: unknown

beforeAll(async () => {
  shop = await createTestShop({}, { revocationOf: (session) => (session === 'of somebody banned' ? 'banned' : null) })
  const make = async (by: TestPerson) =>
    (await shop.call('POST', '/api/products', { by, body: listingForm })).body as Product
  const announce = async (by: TestPerson, productId: number) =>
    (await shop.call('POST', '/api/product-images', { by, body: { productId, imageUrl: randomUUID() } }))
      .body as ProductImage
  product = await make(people.owner)
  ofAnother = await make(people['another seller'])
  image = await announce(people.owner, product.id)
  announced = await announce(people.owner, product.id)
  imageOfAnother = await announce(people['another seller'], ofAnother.id)
  before = await everything()
})
afterAll(() => shop.stop())

/** All that is there, in the log and out of it. */
const everything = async () =>
  Promise.all([
    shop.pool.any(sql.unsafe`select * from products order by id`),
    shop.pool.any(sql.unsafe`select * from pictures order by id`),
    shop.pool.any(sql.unsafe`select * from product_requests order by 1, 2`),
    shop.pool.any(sql.unsafe`select stream, version, type, data from events order by stream, version`),
  ])

type Attempt = readonly [method: 'GET' | 'PUT' | 'POST' | 'DELETE', url: string, body?: object]

/** By route: every way to name something that is the owner's, `as` being the id of whoever asks. */
const attempts: Readonly<Record<keyof typeof sellingRoutes, (as: number) => readonly Attempt[]>> = {
  createProduct: () => [['POST', '/api/products', { ...listingForm, sellerId: 7 }]],
  updateProduct: (as) => [
    ['PUT', `/api/products/${product.id}`, { name: 'Taken over' }],
    ['PUT', `/api/products/${product.id}`, { name: 'Taken over', sellerId: as }],
    ['PUT', `/api/products/${product.id}`, { name: 'Taken over', sellerId: 7 }],
    ['PUT', `/api/products/${product.id}`, {}],
  ],
  deleteProduct: (as) => [
    ['DELETE', `/api/products/${product.id}`],
    ['DELETE', `/api/products/${product.id}?sellerId=${as}`],
    ['DELETE', `/api/products/${product.id}?sellerId=7`],
  ],
  listOwnProducts: () => [['GET', '/api/seller/products?sellerId=7']],
  getOwnProduct: () => [['GET', `/api/seller/products/${product.id}`]],
  getDeletionEffects: () => [['GET', `/api/seller/products/${product.id}/deletion`]],
  // Both are about the caller, and take no id.
  getSummary: () => [],
  listBoostResults: () => [],
  getAnalytics: () => [],
  registerImage: (as) => [
    ['POST', '/api/product-images', { productId: product.id, imageUrl: randomUUID() }],
    ['POST', '/api/product-images', { productId: product.id, imageUrl: randomUUID(), sellerId: as }],
    ['POST', '/api/product-images', { productId: product.id, imageUrl: randomUUID(), sellerId: 7 }],
    ['POST', '/api/product-images', { productId: product.id, imageUrl: image.imageUrl }],
  ],
  // The form is made where it is sent.
  uploadImage: () => [['POST', `/api/product-images/${announced.id}/upload`]],
  orderImages: (as) => [
    ['PUT', `/api/products/${product.id}/images`, { imageIds: [] }],
    ['PUT', `/api/products/${product.id}/images`, { imageIds: [image.id, announced.id], sellerId: as }],
    ['PUT', `/api/products/${product.id}/images`, { imageIds: [imageOfAnother.id], sellerId: 7 }],
  ],
  deleteImage: (as) => [
    ['DELETE', `/api/products/${product.id}/images/${image.id}`],
    ['DELETE', `/api/products/${product.id}/images/${image.id}?sellerId=${as}`],
    ['DELETE', `/api/products/${product.id}/images/${image.id}?sellerId=7`],
    ['DELETE', `/api/products/${product.id}/images/${imageOfAnother.id}`],
  ],
}

const routes = Object.keys(sellingRoutes) as (keyof typeof sellingRoutes)[]

function codeFor(name: Name, route: keyof typeof sellingRoutes): ErrorCode {
  if (name === 'guest') return 'authentication-required'
  if (name === 'banned') return 'account-suspended'
  if (sellingRoutes[route].access === 'seller' && name !== 'another seller') return 'seller-account-required'
  return 'forbidden'
}

async function send(name: Name, [method, url, body]: Attempt) {
  const by = people[name]
  const as = by === null ? {} : { by }
  if (!url.endsWith('/upload')) return shop.call(method, url, { ...as, ...(body !== undefined && { body }) })
  const { payload, headers } = uploadForm(Buffer.from('no picture'))
  const response = await shop.app.inject({
    method,
    url,
    headers: { ...headers, ...(by !== null && (await shop.tokens.bearer(by))) },
    payload,
  })
  return { status: response.statusCode, body: response.json() as unknown }
}

describe.each(routes)('%s', (route) => {
  it.each(Object.keys(people).filter((name) => name !== 'owner') as Name[])('is closed to %s', async (name) => {
    const code = codeFor(name, route)
    for (const attempt of attempts[route](people[name]?.id ?? 99)) {
      const { status, body } = await send(name, attempt)
      expect({ attempt, status, code: (body as { code?: string }).code }).toEqual({
        attempt,
        status: statusOf(code),
        code,
      })
      expect(JSON.stringify(body)).not.toContain(product.name)
    }
    expect(await everything()).toEqual(before)
  })
})

describe("another seller's own calls", () => {
  const by = people['another seller']

  it('say nothing of anybody else', async () => {
    for (const url of [
      '/api/seller/products',
      '/api/seller/products?sellerId=8',
      '/api/seller/products?search=santal',
    ]) {
      const { status, body } = await shop.call('GET', url, { by })
      expect([status, (body as { id: number }[]).map(({ id }) => id)]).toEqual([200, [ofAnother.id]])
    }
    expect((await shop.call('GET', '/api/seller/summary', { by })).body).toMatchObject({ totalProducts: 1 })
  })

  it("reach nobody else's pictures through a product of their own", async () => {
    const removed = await shop.call('DELETE', `/api/products/${ofAnother.id}/images/${image.id}`, { by })
    expect([removed.status, removed.body]).toEqual([404, expect.objectContaining({ code: 'not-found' })])
    const body = { imageIds: [image.id, imageOfAnother.id] }
    expect((await shop.call('PUT', `/api/products/${ofAnother.id}/images`, { by, body })).status).toBe(409)
    const taken = { productId: ofAnother.id, imageUrl: image.imageUrl }
    expect((await shop.call('POST', '/api/product-images', { by, body: taken })).status).toBe(409)
    expect(await everything()).toEqual(before)
  })

  it('find nothing where there is nothing', async () => {
    for (const [method, url] of [
      ['GET', '/api/seller/products/999999'],
      ['GET', '/api/seller/products/999999/deletion'],
      ['PUT', '/api/products/999999'],
      ['DELETE', '/api/products/999999'],
      ['DELETE', `/api/products/999999/images/${image.id}`],
    ] as const) {
      const { status } = await shop.call(method, url, { by, ...(method === 'PUT' && { body: {} }) })
      expect({ url, status }).toEqual({ url, status: 404 })
    }
  })
})
