import { FAVORITES_MAX } from '@wangian/contracts/catalogue.ts'
import type { PublishedIdentityEvent } from '@wangian/contracts/events/identity.ts'
import { sql, type Transaction } from '@wangian/kit/database/postgres.ts'
import { emptyTables } from '@wangian/kit/testing/empty-tables.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { registeredAs, tellOfPerson, testPerson } from '@wangian/kit/testing/people.ts'
import { rebuildTables } from '@wangian/kit/testing/rebuild-tables.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { productsProjection, projectListing } from '../projections.ts'
import { identityHandlers } from '../reactions.ts'
import { listingForm } from '../testing/fixtures.ts'
import { ordered, receiveSales, reviewed } from '../testing/sales.ts'
import { createTestShop, type TestShop } from '../testing/test-shop.ts'
import { removeOfLeavers } from './favorite-removal.ts'
import { removeSomeOfLeaver } from './favorite-store.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await createTestShop()
})
afterAll(() => shop.stop())
beforeEach(async () => {
  await emptyTables(shop.pool, 'products, known_people, favorites')
  await shop.list({ productId: 1 }, { productId: 2 }, { productId: 3, sellerId: 8 })
})

const bala = { id: 20 }
const mei = { id: 21 }
const at = '2026-11-22T08:00:00.000Z'
const keep = (productId: number, by = bala) => shop.call('PUT', `/api/favorites/${productId}`, { by })
const dropIt = (productId: number, by = bala) => shop.call('DELETE', `/api/favorites/${productId}`, { by })
const merge = (productIds: number[], by = bala) =>
  shop.call('POST', '/api/favorites/merge', { by, body: { productIds } })
const ids = async (by = bala) => (await shop.call('GET', '/api/favorites/ids', { by })).body
const count = (productId: number) =>
  shop.pool.oneFirst(sql.type(z.object({ count: z.number() }))`
    select favorite_count as count from products where id = ${productId}`)

describe('favourites', () => {
  it('are kept once, however often it is asked for', async () => {
    expect(await ids()).toEqual([])
    for (const productId of [1, 3, 1]) expect(await keep(productId)).toMatchObject({ status: 204, body: null })
    expect(await ids()).toEqual([3, 1])
    expect(await count(1)).toBe(1)
    await keep(1, mei)
    expect(await count(1)).toBe(2)
    expect(await ids(mei)).toEqual([1])
  })

  it('are kept no longer, however often it is asked for', async () => {
    await keep(1)
    for (const productId of [1, 1, 2]) expect((await dropIt(productId)).status).toBe(204)
    expect(await ids()).toEqual([])
    expect(await count(1)).toBe(0)
  })

  it('are kept once by two requests at once', async () => {
    await Promise.all([keep(1), keep(1), keep(2), merge([1, 2, 3])])
    expect(await ids()).toHaveLength(3)
    expect([await count(1), await count(2), await count(3)]).toEqual([1, 1, 1])
  })

  it('are never too many for one that is set and unset at once', async () => {
    for (let round = 0; round < 10; round++) {
      const answers = await Promise.all([keep(1), dropIt(1), keep(1), dropIt(1), keep(1), dropIt(1)])
      expect(answers.map(({ status }) => status)).toEqual([204, 204, 204, 204, 204, 204])
    }
  })

  it('are listed page by page, the last one first', async () => {
    for (const productId of [1, 2, 3]) await keep(productId)
    const first = await shop.call('GET', '/api/favorites?limit=2', { by: bala })
    expect(first.body).toMatchObject([{ id: 3 }, { id: 2 }])
    expect(first.headers['x-total-count']).toBe('3')
    const next = /<(.+)>; rel="next"/.exec(String(first.headers['link']))?.[1] ?? ''
    const second = await shop.call('GET', next, { by: bala })
    expect(second.body).toMatchObject([{ id: 1, name: 'Santal 33', seller: { id: 7 } }])
    expect(second.headers['link']).toBeUndefined()
    expect((await shop.call('GET', '/api/favorites?cursor=nonsense', { by: bala })).status).toBe(400)
  })

  it.each([1, 2])('of a guest are added in their order behind no others (time %i)', async () => {
    await keep(2)
    expect(await merge([3, 1, 3, 2, 999])).toMatchObject({ status: 200, body: [3, 1, 2] })
    expect(await merge([3, 1])).toMatchObject({ body: [3, 1, 2] })
    expect(await merge([])).toMatchObject({ body: [3, 1, 2] })
  })

  it('leave out what cannot be seen, and come back with it', async () => {
    await merge([1, 2, 3])
    await tellOfPerson(shop.pool, [registeredAs(8, 'hafiz'), { type: 'UserBanned', data: { userId: 8, bannedAt: at } }])
    expect(await ids()).toEqual([1, 2])
    expect((await shop.call('GET', '/api/favorites', { by: bala })).body).toHaveLength(2)
    // Whoever keeps it learns no more than others: it may be hidden, or there no longer.
    for (const by of [mei, bala]) {
      expect(await keep(3, by)).toMatchObject({ status: 404, body: { message: 'Product not found' } })
    }
    await emptyTables(shop.pool, 'known_people')
    expect(await ids()).toEqual([1, 2, 3])
  })

  it('go with a listing that is deleted', async () => {
    await merge([1, 2])
    await shop.pool.transaction(takeAway)
    expect(await ids()).toEqual([2])
    expect(await count(1)).toBe(0)
    expect((await keep(1)).status).toBe(404)
  })

  const takeAway = (transaction: Transaction) =>
    projectListing(transaction, {
      type: 'ListingRemoved',
      data: { productId: 1, sellerId: 7, by: 'seller', reason: null, removedAt: at },
    })
  const untilWaiting = (count: number) =>
    eventually(async () => {
      const waiting = await shop.pool.anyFirst(sql.unsafe`
        select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
      expect(waiting).toHaveLength(count)
    })

  it('are taken back while their listing is deleted, and neither has the other wait for ever', async () => {
    await keep(1, mei)
    await keep(1)
    const [held, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const holding = shop.pool.transaction(async (transaction) => {
      // The deletion waits before it has all of what is kept of the listing.
      await transaction.query(sql.unsafe`
        select from favorites where user_id = ${mei.id} and product_id = 1 for update`)
      held.resolve()
      await release.promise
    })
    await held.promise
    const deleting = shop.pool.transaction(takeAway)
    await untilWaiting(1)
    const dropping = dropIt(1)
    await untilWaiting(2)
    release.resolve()
    await Promise.all([holding, deleting])
    expect((await dropping).status).toBe(204)
    expect(await count(1)).toBe(0)
  })

  it('are not kept of a listing that is deleted at the same time', async () => {
    const [held, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const deleting = shop.pool.transaction(async (transaction) => {
      await takeAway(transaction)
      held.resolve()
      await release.promise
    })
    await held.promise
    const keeping = keep(1)
    await untilWaiting(1)
    release.resolve()
    await deleting
    expect((await keeping).status).toBe(404)
    expect(await count(1)).toBe(0)
  })

  it('go with the person who kept them, and are kept anew by one who comes back', async () => {
    await merge([1, 2])
    await keep(1, mei)
    const closed = { type: 'AccountClosed', data: { userId: 20, closedAt: new Date().toISOString() } } as const
    const tell = (event: PublishedIdentityEvent, version: number) =>
      tellOfPerson(shop.pool, event, { version, bulkHandlers: identityHandlers })
    const tellOfLeaving = async (event: PublishedIdentityEvent, version: number) => {
      await tell(event, version)
      await removeOfLeavers(shop.pool)
    }
    await tellOfLeaving(closed, 2)
    expect(await ids()).toEqual([])
    expect([await count(1), await count(2)]).toEqual([1, 0])
    const reopenedAt = new Date().toISOString()
    await tell({ type: 'AccountReopened', data: { userId: 20, reopenedAt, person: testPerson('bala') } }, 3)
    await keep(2)
    await tellOfLeaving(closed, 2)
    expect(await ids()).toEqual([2])
    await tellOfLeaving({ type: 'UserErased', data: { userId: 20, erasedAt: at } }, 4)
    expect(await ids()).toEqual([])
  })

  it('of somebody who leaves go some at a time, and are counted nowhere then', async () => {
    await merge([1, 2])
    const closed = { type: 'AccountClosed', data: { userId: 20, closedAt: new Date().toISOString() } } as const
    await tellOfPerson(shop.pool, closed, { version: 2, bulkHandlers: identityHandlers })
    expect(await ids()).toEqual([1, 2])
    const removeOne = () => shop.pool.transaction((transaction) => removeSomeOfLeaver(transaction, 20, 1))
    expect(await removeOne()).toBe(1)
    expect(await ids()).toHaveLength(1)
    expect([await removeOne(), await removeOne()]).toEqual([1, 0])
    expect([await count(1), await count(2)]).toEqual([0, 0])
    await removeOfLeavers(shop.pool)
    expect(await shop.pool.anyFirst(sql.unsafe`select user_id from leaving_keepers`)).toEqual([])
  })

  it('of somebody who is erased all go, also when they are told to have left afterwards', async () => {
    await merge([1, 2])
    const tell = (event: PublishedIdentityEvent, version: number) =>
      tellOfPerson(shop.pool, event, { version, bulkHandlers: identityHandlers })
    await tell({ type: 'UserErased', data: { userId: 20, erasedAt: at } }, 3)
    await tell({ type: 'AccountClosed', data: { userId: 20, closedAt: at } }, 2)
    await removeOfLeavers(shop.pool)
    expect(await ids()).toEqual([])
  })

  it('are not more than there is room for', async () => {
    await shop.pool.query(sql.unsafe`
      insert into favorites (user_id, product_id) select 20, 1000 + n from generate_series(2, ${FAVORITES_MAX}::int) n`)
    expect(await merge([1, 2])).toMatchObject({ status: 200, body: [1] })
    expect(await keep(3)).toMatchObject({ status: 409, body: { code: 'favorites-full' } })
    expect((await keep(1)).status).toBe(204)
    expect((await keep(999)).status).toBe(404)
  })

  it('are not more than there is room for when two come at once', async () => {
    await shop.pool.query(sql.unsafe`
      insert into favorites (user_id, product_id) select 20, 1000 + n from generate_series(2, ${FAVORITES_MAX}::int) n`)
    const [held, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const holding = shop.pool.transaction(async (transaction) => {
      await transaction.query(sql.unsafe`select from products where id in (1, 2) for update`)
      held.resolve()
      await release.promise
    })
    await held.promise
    const keeping = [keep(1), keep(2)]
    await untilWaiting(2)
    release.resolve()
    await holding
    const statuses = (await Promise.all(keeping)).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([204, 409])
  })

  it('are counted on a product that is made again from the log', async () => {
    const { body } = await shop.call('POST', '/api/products', { by: { id: 7 }, body: listingForm })
    const { id } = body as { id: number }
    await keep(id)
    await keep(id, mei)
    await receiveSales(
      shop.pool,
      ordered({ orderId: 1, productId: id, status: 'delivered' }, 4),
      reviewed({ reviewId: 1, productId: id, rating: 3.5 }),
    )
    await rebuildTables(shop.pool, 'catalogue', productsProjection)
    expect(await count(id)).toBe(2)
    const product = { averageRating: 3.5, reviewCount: 1 }
    expect((await shop.call('GET', `/api/products/${id}`)).body).toMatchObject(product)
  })

  it.each([
    ['GET', '/api/favorites'],
    ['GET', '/api/favorites/ids'],
    ['PUT', '/api/favorites/1'],
    ['DELETE', '/api/favorites/1'],
    ['POST', '/api/favorites/merge'],
  ] as const)('%s %s is for who is signed in', async (method, url) => {
    expect((await shop.call(method, url)).status).toBe(401)
  })

  it('are found by numbers only', async () => {
    expect((await shop.call('PUT', '/api/favorites/01', { by: bala })).status).toBe(400)
    expect((await merge(Array.from({ length: FAVORITES_MAX + 1 }, (_, index) => index + 1))).status).toBe(400)
  })
})
