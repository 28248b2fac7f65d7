import { eventually } from '@wangian/kit/testing/eventually.ts'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  at,
  BALA,
  HAFIZ,
  listed,
  MEI,
  moved,
  placed,
  registered,
  released,
  reserved,
  SARAH,
  sold,
  updated,
} from '../testing/facts.ts'
import { createTestAdmin, OTHER_ADMIN, type TestAdmin } from '../testing/test-admin.ts'

let admin: TestAdmin

beforeAll(async () => {
  admin = await createTestAdmin()
  const { logs, names } = admin
  names.set(SARAH, 'sarah').set(HAFIZ, 'ha_iz').set(BALA, 'Bala').set(MEI, null)
  for (const userId of [SARAH, HAFIZ, BALA, MEI]) await logs.identity.append(`user-${userId}`, registered(userId))
})
afterAll(() => admin.stop())

const idsOf = async (url: string): Promise<number[]> => {
  const { status, body } = await admin.call('GET', url)
  expect(status).toBe(200)
  return body.map(({ id }: { id: number }) => id)
}

describe('the orders', () => {
  beforeAll(async () => {
    const { messaging } = admin.logs
    const late = { buyerId: 404, totalSen: 100 }
    await messaging.append('deal-1', placed(1, { minute: 5 }), moved(1, 'processing', { minute: 30 }))
    await messaging.append('deal-2', placed(2, { totalSen: 100, buyerId: MEI, minute: 1 }))
    await messaging.append(
      'deal-3',
      placed(3, { productName: 'Crème 100% Oud', sellerId: HAFIZ, totalSen: 9, minute: 2 }),
    )
    await messaging.append('deal-4', placed(4, { ...late, minute: 3 }), moved(4, 'cancelled', late))
    await eventually(async () => expect(await idsOf('/api/admin/orders')).toHaveLength(4))
    await eventually(async () => expect(await idsOf('/api/admin/orders?search=bala')).toEqual([1, 3]))
  })

  it('say who bought what of whom, and how far it has come', async () => {
    const { body } = await admin.call('GET', '/api/admin/orders/1')
    expect(body).toEqual({
      id: 1,
      userId: BALA,
      user: { id: BALA, username: 'Bala' },
      seller: { id: SARAH, username: 'sarah' },
      product: { id: 1, name: 'Santal 33' },
      total: 680.5,
      status: 'processing',
      createdAt: at(5),
      updatedAt: at(30),
    })
  })

  it('have no name of somebody who is gone, and one made of the id of somebody nobody has told of', async () => {
    const { body } = await admin.call('GET', '/api/admin/orders')
    const names = body.map(({ id, user }: { id: number; user: { username: string } }) => [id, user.username])
    expect(names).toEqual([
      [1, 'Bala'],
      [4, 'User 404'],
      [3, 'Bala'],
      [2, null],
    ])
  })

  it.each([
    ['', [1, 4, 3, 2]],
    ['sort=newest', [1, 4, 3, 2]],
    ['sort=total-asc', [3, 2, 4, 1]],
    ['sort=total-desc', [1, 4, 2, 3]],
    ['status=pending', [3, 2]],
    ['status=pending&sort=total-asc', [3, 2]],
    ['status=shipped', []],
    [`userId=${BALA}`, [1, 3]],
    [`userId=${HAFIZ}`, [3]],
    ['productId=1', [1, 4, 3, 2]],
    ['search=santal', [1, 4, 2]],
    ['search=SARAH%20santal', [1, 4, 2]],
    ['search=creme', [3]],
    ['search=cr%C3%88me', [3]],
    ['search=%25', [3]],
    ['search=%25%25', []],
    ['search=_', [3]],
    ['search=__', []],
    ['search=ha_', [3]],
    ['search=sa_', []],
    ['search=santa%5C', []],
    ['search=s', [1, 4, 2]],
    ['search=nt', []],
    ['search=o', [3]],
    ['search=4', [4]],
    ['search=bala%20oud', [3]],
    ['search=bala&status=processing', [1]],
    ['search=nobody', []],
  ])('are found by %s', async (query, ids) => {
    const { body, headers } = await admin.call('GET', `/api/admin/orders?${query}`)
    expect(body.map(({ id }: { id: number }) => id)).toEqual(ids)
    expect(headers['x-total-count']).toBe(String(ids.length))
    expect(headers['link']).toBeUndefined()
  })

  it.each(['newest', 'total-asc', 'total-desc'])('come in pages, by %s', async (sort) => {
    for (const search of ['', 'santal']) {
      const all = await idsOf(`/api/admin/orders?sort=${sort}&search=${search}`)
      const paged: number[] = []
      let url: string | undefined = `/api/admin/orders?sort=${sort}&search=${search}&limit=1`
      while (url !== undefined) {
        const { body, headers } = await admin.call('GET', url)
        paged.push(...body.map(({ id }: { id: number }) => id))
        expect(headers['x-total-count']).toBe(String(all.length))
        url = /<(.*)>; rel="next"/.exec(String(headers['link']))?.[1]
      }
      expect(paged).toEqual(all)
    }
  })

  it.each(['x', Buffer.from('{"by":"total_sen","key":"x","id":1}').toString('base64url')])(
    'refuse a cursor that nobody has given: %s',
    async (cursor) => {
      expect(await admin.call('GET', `/api/admin/orders?cursor=${cursor}`)).toMatchObject({ status: 400 })
    },
  )

  it('are only for administrators', async () => {
    expect((await admin.call('GET', '/api/admin/orders', { by: null })).status).toBe(401)
    expect((await admin.call('GET', '/api/admin/orders', { by: SARAH })).status).toBe(403)
    expect((await admin.call('GET', '/api/admin/orders/9')).status).toBe(404)
  })
})

describe('the listings', () => {
  const statusOf = async (id: number) => (await admin.call('GET', `/api/admin/listings/${id}`)).body.status
  const deal = (productId: number, transactionId: number) => ({ productId, transactionId, auctionId: null })
  const lot = (productId: number, auctionId: number) => ({ productId, transactionId: null, auctionId })

  it('say what is sold, by whom, and whether it was taken away', async () => {
    const { catalogue } = admin.logs
    const image = { id: 1, imageUrl: 'a-picture', imageOrder: 0 }
    await catalogue.append(
      'listing-1',
      listed(),
      { type: 'ListingPicturesChanged', data: { productId: 1, imageUrls: ['a-picture'], images: [image] } },
      updated({ name: 'Another 13', priceSen: 100 }),
      {
        type: 'ListingRemoved',
        data: { productId: 1, sellerId: SARAH, by: 'admin', reason: 'A fake', removedAt: at(9) },
      },
    )
    await eventually(async () => {
      expect((await admin.call('GET', '/api/admin/listings/1')).body).toEqual({
        id: 1,
        name: 'Another 13',
        brand: 'Le Labo',
        price: 1,
        imageUrl: 'a-picture',
        listingType: 'fixed',
        seller: { id: SARAH, username: 'sarah' },
        status: 'removed',
        createdAt: at(0),
        removal: { at: at(9), by: 'admin', reason: 'A fake' },
      })
    })
  })

  it('have the status that their seller sees', async () => {
    const { catalogue } = admin.logs
    const steps: readonly (readonly [Parameters<typeof catalogue.append>[1], string])[] = [
      [listed({ productId: 2, stockQuantity: 2 }), 'active'],
      [reserved(deal(2, 61)), 'active'],
      [reserved(deal(2, 62)), 'pending'],
      [released(deal(2, 62), { stockQuantity: 2 }), 'active'],
      [sold({ ...deal(2, 61), transactionId: 61 }, 1), 'active'],
      [reserved(lot(2, 5)), 'pending'],
      [
        {
          type: 'ListingReturned',
          data: {
            productId: 2,
            sellerId: SARAH,
            name: '',
            auctionId: 5,
            reason: 'no-bids',
            leaderId: null,
            returnedAt: at(5),
          },
        },
        'active',
      ],
      [reserved(lot(2, 6)), 'pending'],
      [reserved({ productId: 2, transactionId: 63, auctionId: 6 }), 'pending'],
      [released({ productId: 2, transactionId: 63, auctionId: 6 }, { isKept: true }), 'pending'],
      [sold({ productId: 2, transactionId: 64, auctionId: 6 }, 0), 'sold'],
      [released({ productId: 2, transactionId: 64, auctionId: 6 }, { wasSold: true }), 'active'],
      [
        {
          type: 'ListingFeatured',
          data: {
            productId: 2,
            sellerId: SARAH,
            packageId: 1,
            commandId: 'x',
            featuredAt: at(6),
            featuredUntil: at(50),
          },
        },
        'featured',
      ],
      [reserved(lot(2, 7)), 'pending'],
      [released(lot(2, 7)), 'featured'],
      [{ type: 'ListingUnfeatured', data: { productId: 2, sellerId: SARAH, unfeaturedAt: at(7) } }, 'active'],
      [updated({ productId: 2, stockQuantity: 0 }), 'sold'],
    ]
    for (const [event, status] of steps) {
      await catalogue.append('listing-2', event)
      await eventually(async () => expect([event.type, await statusOf(2)]).toEqual([event.type, status]))
    }
  })

  it('come to the same when all of it is heard at once', async () => {
    const { catalogue } = admin.logs
    await catalogue.append(
      'listing-3',
      listed({ productId: 3, sellerId: HAFIZ, brand: 'Byredo', name: 'Gypsy Water', priceSen: 5, stockQuantity: 1 }),
      reserved(deal(3, 71)),
      released(deal(3, 71)),
      reserved(deal(3, 72)),
      sold({ ...deal(3, 72), transactionId: 72 }, 0),
      released(deal(3, 72), { wasSold: true, stockQuantity: 1 }),
      reserved(deal(3, 73)),
    )
    await eventually(async () => expect(await statusOf(3)).toBe('pending'))
  })

  it.each([
    ['', [3, 2, 1]],
    ['sort=name-asc', [1, 3, 2]],
    ['sort=name-desc', [2, 3, 1]],
    ['sort=price-asc', [3, 1, 2]],
    ['sort=price-desc', [2, 1, 3]],
    ['status=removed', [1]],
    ['status=pending&sort=price-desc', [3]],
    [`sellerId=${HAFIZ}`, [3]],
    ['search=byredo', [3]],
    ['search=ha_iz', [3]],
    ['search=le%20labo', [2, 1]],
  ])('are found by %s', async (query, ids) => {
    expect(await idsOf(`/api/products/all?${query}`)).toEqual(ids)
  })

  it('lead on behind a name that is far longer when it is compared', async () => {
    // A name has 120 letters at most, and this sign is compared as four.
    const list = (productId: number, end: string) => {
      const name = `${'㌀'.repeat(119)}${end}`
      return admin.logs.catalogue.append(`listing-${productId}`, listed({ productId, sellerId: MEI, name }))
    }
    await list(4, 'a')
    await list(5, 'b')
    const url = `/api/products/all?sellerId=${MEI}&sort=name-asc`
    await eventually(async () => expect(await idsOf(url)).toEqual([4, 5]))
    const { headers } = await admin.call('GET', `${url}&limit=1`)
    expect(await idsOf(/<(.*)>; rel="next"/.exec(String(headers['link']))?.[1] ?? '')).toEqual([5])
  })
})

it('an administrator may ask 300 times a minute', async () => {
  const limited = await createTestAdmin({ rateLimitFactor: 1 })
  // No call is given back meanwhile, however long the machine takes.
  vi.useFakeTimers({ toFake: ['performance'] })
  try {
    let calls = 0
    while (calls < 1_000 && (await limited.call('GET', '/api/admin/orders/9')).status === 404) calls += 1
    expect(calls).toBe(300)
    expect((await limited.call('GET', '/api/admin/orders/9', { by: OTHER_ADMIN })).status).toBe(404)
  } finally {
    vi.useRealTimers()
    await limited.stop()
  }
})
