import type { IdentityEvent } from '@wangian/contracts/identity.ts'
import { Seller } from '@wangian/contracts/shop.ts'
import { sql } from '@wangian/kit/postgres.ts'
import { testPerson } from '@wangian/kit/testing/people.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestShop, type TestShop } from './testing/test-shop.ts'
import { registeredAs, tellOfPerson, verifiedEmail } from './testing/told.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await createTestShop()
})
afterAll(() => shop.stop())
beforeEach(() => shop.pool.query(sql.unsafe`truncate products, sellers, hidden_sellers`))

const at = '2026-11-22T08:00:00.000Z'
const sarah = registeredAs(7, 'sarah')
const updated: IdentityEvent = {
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
const banned: IdentityEvent = { type: 'UserBanned', data: { userId: 7, reason: 'Fakes', bannedAt: at } }
const unbanned: IdentityEvent = { type: 'UserUnbanned', data: { userId: 7, unbannedAt: at } }
const closed: IdentityEvent = { type: 'AccountClosed', data: { userId: 7, closedAt: at } }
const reopened: IdentityEvent = {
  type: 'AccountReopened',
  data: { userId: 7, reopenedAt: at, person: testPerson('sarah') },
}
const erased: IdentityEvent = { type: 'UserErased', data: { userId: 7, erasedAt: at } }

describe('a shop', () => {
  it('says what everybody may know, and nothing more', async () => {
    await tellOfPerson(shop.pool, sarah, verifiedEmail(7), updated)
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
        { criterion: 'identity-verified', isMet: true },
        { criterion: 'delivered-orders', isMet: false },
        { criterion: 'rating', isMet: false },
        { criterion: 'community-guidelines', isMet: true },
        { criterion: 'payment-methods', isMet: false },
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

  it('counts what can be bought now', async () => {
    await tellOfPerson(shop.pool, sarah)
    await shop.list({ productId: 1 }, { productId: 2, stockQuantity: 0 }, { productId: 3, sellerId: 8 })
    expect((await shop.call('GET', '/api/sellers/7')).body).toMatchObject({ productCount: 1 })
  })

  it.each<readonly [string, readonly IdentityEvent[], number]>([
    ['nobody has heard of', [], 404],
    ['is suspended', [sarah, banned], 404],
    ['was suspended', [sarah, banned, unbanned], 200],
    ['has gone', [sarah, closed], 404],
    ['has come back', [sarah, closed, reopened], 200],
    ['is erased', [sarah, closed, erased], 404],
  ])('of somebody who %s', async (_what, events, status) => {
    await tellOfPerson(shop.pool, ...events)
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
