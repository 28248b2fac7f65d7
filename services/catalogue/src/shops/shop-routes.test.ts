import { PRODUCT_REVIEWS_MAX, ProductDetail } from '@wangian/contracts/catalogue.ts'
import type { PublishedIdentityEvent } from '@wangian/contracts/events/identity.ts'
import { Seller, Voice } from '@wangian/contracts/shop.ts'
import { sql } from '@wangian/kit/database/postgres.ts'
import { blankWords } from '@wangian/kit/people/erased-words.ts'
import { emptyTables } from '@wangian/kit/testing/empty-tables.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { registeredAs, tellOfPerson, testPerson, verifiedEmail } from '@wangian/kit/testing/people.ts'
import { statementsOf } from '@wangian/kit/testing/statements.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { blanks } from '../consumers.ts'
import { ordered, receiveSales, reviewed } from '../testing/sales.ts'
import { createTestShop, type TestShop } from '../testing/test-shop.ts'
import { findShopPage } from './shop-store.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await createTestShop()
})
afterAll(() => shop.stop())
beforeEach(() => emptyTables(shop.pool, 'products, known_people, erased_people, reviews, orders, favorites'))

const at = '2026-11-22T08:00:00.000Z'
const sarah = registeredAs(7, 'sarah')
const updated: PublishedIdentityEvent = {
  type: 'ProfileUpdated',
  data: {
    userId: 7,
    updatedAt: at,
    person: {
      username: 'sarah',
      shopName: 'Scent Cabinet',
      location: 'Ipoh',
      bio: 'Bottles.',
      profileImage: 'face',
      coverPhoto: 'shelf',
    },
  },
}
const banned: PublishedIdentityEvent = { type: 'UserBanned', data: { userId: 7, bannedAt: at } }
const unbanned: PublishedIdentityEvent = { type: 'UserUnbanned', data: { userId: 7, unbannedAt: at } }
const closed: PublishedIdentityEvent = { type: 'AccountClosed', data: { userId: 7, closedAt: at } }
const reopened: PublishedIdentityEvent = {
  type: 'AccountReopened',
  data: { userId: 7, reopenedAt: at, person: testPerson('sarah') },
}
const erased: PublishedIdentityEvent = { type: 'UserErased', data: { userId: 7, erasedAt: at } }

describe('a shop', () => {
  it('says what everybody may know, and nothing more', async () => {
    await tellOfPerson(shop.pool, [sarah, verifiedEmail(7), updated])
    const { status, body } = await shop.call('GET', '/api/sellers/7')
    expect(status).toBe(200)
    expect(body).toEqual({
      id: 7,
      username: 'sarah',
      shopName: 'Scent Cabinet',
      location: 'Ipoh',
      bio: 'Bottles.',
      profileImage: 'face',
      coverPhoto: 'shelf',
      isSeller: true,
      isVerified: false,
      badge: [
        { criterion: 'identity-verified', isMet: true, measured: null },
        { criterion: 'delivered-orders', isMet: false, measured: 0 },
        { criterion: 'rating', isMet: false, measured: null },
        { criterion: 'community-guidelines', isMet: true, measured: null },
        { criterion: 'payment-methods', isMet: false, measured: null },
      ],
      createdAt: '2026-11-21T08:00:00.000Z',
      averageRating: null,
      reviewCount: 0,
      productCount: 0,
      soldCount: 0,
    })
    expect(Seller.parse(body)).toEqual(body)
  })

  it('is there for people who do not sell, too', async () => {
    await tellOfPerson(shop.pool, registeredAs(7, 'bala', false))
    expect((await shop.call('GET', '/api/sellers/7')).body).toMatchObject({ username: 'bala', isSeller: false })
  })

  it('counts what is on its first tab, out of stock or not', async () => {
    await tellOfPerson(shop.pool, sarah)
    const others = [3, 4, 5].map((productId) => ({ productId }))
    await shop.list({ productId: 1 }, { productId: 2, stockQuantity: 0 }, ...others, { productId: 6, sellerId: 8 })
    for (const [index, status] of ['pending', 'sold', 'archived'].entries()) {
      await shop.pool.query(sql.unsafe`update products set status = ${status} where id = ${3 + index}`)
    }
    expect((await shop.call('GET', '/api/sellers/7')).body).toMatchObject({ productCount: 2 })
    expect((await shop.call('GET', '/api/sellers/7/products?status=active')).body).toMatchObject({
      pagination: { totalProducts: 2 },
    })
  })

  it.each<readonly [string, readonly PublishedIdentityEvent[], number]>([
    ['nobody has heard of', [], 404],
    ['is suspended', [sarah, banned], 404],
    ['was suspended', [sarah, banned, unbanned], 200],
    ['has gone', [sarah, closed], 404],
    ['has come back', [sarah, closed, reopened], 200],
    ['is erased', [sarah, closed, erased], 404],
  ])('of somebody who %s', async (_what, events, status) => {
    await tellOfPerson(shop.pool, events)
    const answer = await shop.call('GET', '/api/sellers/7')
    expect(answer.status).toBe(status)
    if (status === 404) expect(answer.body).toMatchObject({ code: 'seller-not-found', message: 'Seller not found' })
  })

  it.each([
    ['999999', 404],
    ['0', 400],
    ['1e3', 400],
    ['01', 400],
  ])('number %s answers %i', async (id, status) => {
    expect((await shop.call('GET', `/api/sellers/${id}`)).status).toBe(status)
  })
})

describe('the badge', () => {
  const delivered = (orderId: number) => ordered({ orderId, status: 'delivered' }, 4)
  const metBy = async () => {
    const { body } = await shop.call('GET', '/api/sellers/7')
    const { badge, ...others } = Seller.parse(body)
    return { ...others, met: badge.filter(({ isMet }) => isMet).map(({ criterion }) => criterion) }
  }

  it('is given for facts, when all of them are there', async () => {
    await tellOfPerson(shop.pool, sarah)
    expect(await metBy()).toMatchObject({ isVerified: false, met: ['community-guidelines'] })
    await receiveSales(shop.pool, ordered({ orderId: 1, status: 'processing' }, 2))
    expect(await metBy()).toMatchObject({ soldCount: 1, met: ['community-guidelines', 'payment-methods'] })
    await tellOfPerson(shop.pool, [sarah, verifiedEmail(7)])
    await receiveSales(shop.pool, ...[1, 2, 3, 4].map(delivered), reviewed({ reviewId: 1, rating: 4.5 }))
    expect(await metBy()).toMatchObject({ isVerified: false, soldCount: 4, averageRating: 4.5, reviewCount: 1 })
    await receiveSales(shop.pool, delivered(5))
    expect(await metBy()).toMatchObject({ isVerified: true, soldCount: 5 })
    await receiveSales(shop.pool, reviewed({ reviewId: 2, rating: 4 }))
    expect(await metBy()).toMatchObject({ isVerified: false, averageRating: 4.25 })
  })

  it('does not count what was cancelled or is not paid', async () => {
    await tellOfPerson(shop.pool, sarah)
    await receiveSales(
      shop.pool,
      ordered({ orderId: 1 }),
      ordered({ orderId: 2, status: 'cancelled' }, 2),
      ordered({ orderId: 3, status: 'processing' }, 2),
      ordered({ orderId: 3, status: 'cancelled' }, 3),
    )
    expect(await metBy()).toMatchObject({ soldCount: 0, met: ['community-guidelines'] })
  })
})

describe('an order', () => {
  const sales = async () => (await shop.call('GET', '/api/products?sort=best-selling&limit=2')).body

  it('is what its newest event says, whichever comes last', async () => {
    await shop.list({ productId: 1 }, { productId: 2 })
    const story = [
      ordered({ orderId: 1, status: 'delivered' }, 4),
      ordered({ orderId: 1, status: 'processing' }, 2),
      ordered({ orderId: 1 }),
    ]
    await receiveSales(shop.pool, ...story)
    expect(await sales()).toMatchObject([{ id: 1 }, { id: 2 }])
    await receiveSales(shop.pool, ordered({ orderId: 1, status: 'cancelled' }, 5), ...story)
    expect(await sales()).toMatchObject([{ id: 2 }, { id: 1 }])
  })
})

describe('the reviews of a shop', () => {
  beforeEach(async () => {
    await tellOfPerson(shop.pool, sarah)
    await shop.list({ productId: 1 }, { productId: 2 })
  })

  it('are there page by page, the newest first, and in the averages', async () => {
    await tellOfPerson(shop.pool, registeredAs(20, 'bala', false))
    await receiveSales(
      shop.pool,
      reviewed({ reviewId: 1, rating: 3.5 }),
      reviewed({ reviewId: 2, rating: 5, comment: null, productId: 2 }),
      reviewed({ reviewId: 3, rating: 4, submittedAt: '2026-11-20T08:00:00.000Z' }),
      reviewed({ reviewId: 4, rating: 1, sellerId: 8 }),
    )
    const first = await shop.call('GET', '/api/sellers/7/reviews?limit=2')
    expect(first.body).toEqual({
      averageRating: 4.17,
      reviewCount: 3,
      reviews: [
        {
          id: 2,
          rating: 5,
          comment: null,
          createdAt: '2026-11-22T08:00:00.000Z',
          user: { id: 20, username: 'bala', profileImage: null },
          product: { id: 2, name: 'Santal 33' },
        },
        expect.objectContaining({ id: 1, rating: 3.5, comment: 'Smells like cedar.' }),
      ],
    })
    expect(first.headers['x-total-count']).toBe('3')
    const next = /<(.+)>; rel="next"/.exec(String(first.headers['link']))?.[1] ?? ''
    const second = await shop.call('GET', next)
    expect(second.body).toMatchObject({ reviews: [{ id: 3 }] })
    expect(second.headers['link']).toBeUndefined()
    expect((await shop.call('GET', '/api/products/1')).body).toMatchObject({ averageRating: 2.83, reviewCount: 3 })
    expect((await shop.call('GET', '/api/products/2')).body).toMatchObject({ averageRating: 5, reviewCount: 1 })
  })

  it('are with their product, the newest first', async () => {
    await tellOfPerson(shop.pool, registeredAs(20, 'bala', false))
    const days = ['2026-11-20', '2026-11-22', '2026-11-21']
    await receiveSales(
      shop.pool,
      ...days.map((day, index) => reviewed({ reviewId: index + 1, submittedAt: `${day}T08:00:00.000Z` })),
      reviewed({ reviewId: 4, productId: 2 }),
    )
    const { body } = await shop.call('GET', '/api/products/1')
    const { reviews } = ProductDetail.parse(body)
    expect(reviews.map(({ id }) => id)).toEqual([2, 3, 1])
    expect(reviews[0]).toEqual({
      id: 2,
      rating: 5,
      comment: 'Smells like cedar.',
      createdAt: '2026-11-22T08:00:00.000Z',
      user: { id: 20, username: 'bala', profileImage: null },
      product: { id: 1, name: 'Santal 33' },
    })
    await receiveSales(
      shop.pool,
      ...Array.from({ length: PRODUCT_REVIEWS_MAX }, (_, index) => reviewed({ reviewId: 10 + index })),
    )
    const all = ProductDetail.parse((await shop.call('GET', '/api/products/1')).body)
    expect([all.reviewCount, all.reviews.length]).toEqual([PRODUCT_REVIEWS_MAX + 3, PRODUCT_REVIEWS_MAX])
  })

  it('say nothing of a product that was taken away', async () => {
    await receiveSales(shop.pool, reviewed({ reviewId: 1 }), reviewed({ reviewId: 2, productId: 2 }))
    await shop.pool.query(sql.unsafe`update products set status = 'archived' where id = 1`)
    expect((await shop.call('GET', '/api/sellers/7/reviews')).body).toMatchObject({
      // The stars stay.
      ...{ averageRating: 5, reviewCount: 2 },
      reviews: [
        { id: 2, product: { id: 2, name: 'Santal 33' } },
        { id: 1, product: null },
      ],
    })
  })

  it('are without the name of a buyer who has left', async () => {
    const erased = { type: 'UserErased', data: { userId: 20, erasedAt: at } } as const
    await tellOfPerson(shop.pool, [registeredAs(20, 'bala', false), erased])
    await receiveSales(shop.pool, reviewed({ reviewId: 1 }))
    expect((await shop.call('GET', '/api/sellers/7/reviews')).body).toMatchObject({
      reviews: [{ user: { id: 20, username: null, profileImage: null } }],
    })
  })

  it.each([20, 7])(
    'are stars without words once who wrote them, or who they are about, is erased: %i',
    async (userId) => {
      const { pool } = shop
      const commentOf = (id: number) =>
        pool.oneFirst(sql.unsafe`select comment from reviews where id = ${id} and rating = 5`)
      const saidBy = (...reviewIds: number[]) => Promise.all(reviewIds.map(commentOf))
      const words = 'Smells like cedar.'
      await tellOfPerson(pool, registeredAs(20, 'bala', false))
      await receiveSales(pool, reviewed({ reviewId: 1 }), reviewed({ reviewId: 2, buyerId: 21, sellerId: 8 }))
      await blankWords(pool, blanks)
      expect(await saidBy(1, 2)).toEqual([words, words])
      await tellOfPerson(pool, { type: 'UserErased', data: { userId, erasedAt: at } }, { version: 2 })
      for (const _ of ['once', 'twice']) await blankWords(pool, blanks)
      expect(await saidBy(1, 2)).toEqual([null, words])
      await receiveSales(pool, reviewed({ reviewId: 3 }))
      await blankWords(pool, blanks)
      expect(await saidBy(1, 2, 3)).toEqual([null, words, null])
    },
  )

  it('are none at first, and not to be found where the shop is not', async () => {
    const none = { averageRating: null, reviewCount: 0, reviews: [] }
    expect((await shop.call('GET', '/api/sellers/7/reviews')).body).toEqual(none)
    expect((await shop.call('GET', '/api/sellers/8/reviews')).status).toBe(404)
    expect((await shop.call('GET', '/api/sellers/7/reviews?cursor=nonsense')).status).toBe(400)
    const yearZero = Buffer.from('["0000-01-01T00:00:00.000Z",1]').toString('base64url')
    expect((await shop.call('GET', `/api/sellers/7/reviews?cursor=${yearZero}`)).status).toBe(400)
  })
})

describe('the products of a shop', () => {
  const listed = async (query: string) => {
    const { status, body } = await shop.call('GET', `/api/sellers/7/products?${query}`)
    const { products, pagination } = body as { products: { id: number }[]; pagination: object }
    return { status, ids: products.map(({ id }) => id), pagination }
  }
  beforeEach(async () => {
    await tellOfPerson(shop.pool, sarah)
    await shop.list(
      { productId: 1, priceSen: 300 },
      { productId: 2, priceSen: 100 },
      { productId: 3, priceSen: 200 },
      { productId: 4, priceSen: 100 },
      { productId: 5, sellerId: 8 },
    )
  })

  it('are paged, with totals', async () => {
    const pagination = { page: 1, limit: 3, totalProducts: 4, totalPages: 2 }
    expect(await listed('limit=3')).toEqual({ status: 200, ids: [4, 3, 2], pagination })
    expect(await listed('limit=3&page=2')).toEqual({ status: 200, ids: [1], pagination: { ...pagination, page: 2 } })
    expect(await listed('limit=3&page=3')).toMatchObject({ ids: [], pagination: { totalPages: 2 } })
    expect(await listed('')).toMatchObject({ pagination: { page: 1, limit: 12, totalPages: 1 } })
  })

  it('are found with how many there are by one statement, once they are known', async () => {
    const first = await listed('sort=price-asc')
    const statements = await statementsOf(async () => expect(await listed('sort=price-asc')).toEqual(first))
    expect(statements).toHaveLength(1)
  })

  it('are sorted by price, likings, sales and reviews', async () => {
    expect((await listed('sort=price-asc')).ids).toEqual([2, 4, 3, 1])
    expect((await listed('sort=price-desc')).ids).toEqual([1, 3, 4, 2])
    await shop.call('PUT', '/api/favorites/2', { by: { id: 20 } })
    await shop.call('PUT', '/api/favorites/2', { by: { id: 21 } })
    await shop.call('PUT', '/api/favorites/1', { by: { id: 20 } })
    await receiveSales(
      shop.pool,
      ...[1, 2, 3].map((orderId) => ordered({ orderId, productId: 3, status: 'processing' }, 2)),
      reviewed({ reviewId: 1, productId: 1, rating: 4 }),
      reviewed({ reviewId: 2, productId: 4, rating: 4 }),
      reviewed({ reviewId: 3, productId: 4, rating: 4 }),
      reviewed({ reviewId: 4, productId: 2, rating: 0 }),
    )
    expect((await listed('sort=popular')).ids).toEqual([3, 2, 1, 4])
    expect((await listed('sort=rating')).ids).toEqual([4, 1, 2, 3])
  })

  it.each(['popular', 'rating', 'price-asc', 'price-desc'] as const)(
    'are found without a look at those of the pages before, by %s',
    async (sort) => {
      await shop.pool.query(sql.unsafe`
        insert into products (id, seller_id, name, brand, description, price_sen, category_id, listing_type, stock_quantity, remaining_percentage,
                              box_condition, volume_ml, is_new, created_at)
        select number, 7, name, brand, description, 1000 + number, category_id, listing_type, 1, 85, 'Good', 100, false, created_at
          from products, generate_series(10, 500) as number
         where id = 1`)
      // An index alone says it where no transaction is left that could see it otherwise.
      await eventually(async () => {
        await shop.pool.query(sql.unsafe`vacuum analyze products`)
        const looked = await shop.pool.transaction(async (transaction) => {
          // So few would be read whole; a hundred thousand are not.
          for (const way of ['seqscan', 'bitmapscan', 'sort']) {
            await transaction.query(sql.unsafe`select set_config(${`enable_${way}`}, 'off', true)`)
          }
          const fetched = () =>
            transaction.oneFirst(sql.type(z.object({ idx_tup_fetch: z.number() }))`
              select idx_tup_fetch from pg_stat_xact_user_tables where relname = 'products'`)
          const before = await fetched()
          await findShopPage(transaction, 7, { status: 'active', sort, limit: 12, offset: 240 })
          return (await fetched()) - before
        })
        expect(looked).toBe(12)
      })
    },
  )

  it('are those of a tab', async () => {
    await shop.pool.query(sql.unsafe`update products set is_featured = true, featured_at = now() where id in (1, 2)`)
    await shop.pool.query(sql.unsafe`update products set status = 'sold' where id in (2, 3)`)
    await shop.pool.query(sql.unsafe`update products set status = 'pending' where id = 4`)
    expect((await listed('status=featured')).ids).toEqual([1])
    expect((await listed('status=active')).ids).toEqual([1])
    expect((await listed('status=sold')).ids).toEqual([3, 2])
  })

  it.each([
    ['8/products', 404],
    ['7/products?page=0', 400],
    ['7/products?page=10001', 400],
    ['7/products?limit=101', 400],
    ['7/products?sort=newest', 400],
    ['7/products?status=archived', 400],
  ])('%s answers %i', async (path, status) => {
    expect((await shop.call('GET', `/api/sellers/${path}`)).status).toBe(status)
  })
})

describe('what people say', () => {
  const comment = 'It arrived exactly as full as the gauge had said it was.'
  const voices = async () => {
    const { status, body } = await shop.call('GET', '/api/reviews/voices')
    expect(status).toBe(200)
    return z.array(Voice).parse(body)
  }

  it('is the newest good reviews that say something, each with its shop', async () => {
    await tellOfPerson(shop.pool, sarah)
    await tellOfPerson(shop.pool, updated)
    await tellOfPerson(shop.pool, registeredAs(20, 'bala', false))
    await receiveSales(
      shop.pool,
      reviewed({ reviewId: 1, rating: 4, comment }),
      reviewed({ reviewId: 2, rating: 3.5, comment }),
      reviewed({ reviewId: 3, comment: comment.slice(0, 39) }),
      reviewed({ reviewId: 4, comment: null }),
      reviewed({ reviewId: 5, comment: comment.slice(0, 40), submittedAt: '2026-11-20T08:00:00.000Z' }),
      // Of a shop that nobody may see, and by somebody who is not here.
      reviewed({ reviewId: 6, comment, sellerId: 8 }),
      reviewed({ reviewId: 7, comment, buyerId: 21 }),
    )
    const first = await voices()
    expect(first.map(({ id }) => id)).toEqual([1, 5])
    expect(first[0]).toMatchObject({
      comment,
      user: { username: 'bala' },
      seller: { id: 7, shopName: 'Scent Cabinet' },
    })
    await receiveSales(shop.pool, ...[8, 9, 10].map((reviewId) => reviewed({ reviewId, comment })))
    expect((await voices()).map(({ id }) => id)).toEqual([10, 9, 8])
    await tellOfPerson(shop.pool, banned)
    expect(await voices()).toEqual([])
  })
})
