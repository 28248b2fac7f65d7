import { sql } from '@wangian/kit/database/postgres.ts'
import { rebuild } from '@wangian/kit/log/rebuild.ts'
import { dumpRows } from '@wangian/kit/testing/dump.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { projections } from './consumers.ts'
import { activityProjection } from './projections.ts'
import {
  at,
  BALA,
  listed,
  moved,
  placed,
  registered,
  released,
  reserved,
  SARAH,
  sold,
  updated,
} from './testing/facts.ts'
import { adminUser } from './testing/identity-stand-in.ts'
import { createTestAdmin, type TestAdmin } from './testing/test-admin.ts'

const all = [activityProjection, ...projections]
const tables = all.flatMap((projection) => projection.tables.map(({ name }) => `admin.${name}`))

let admin: TestAdmin
let lived: Record<string, string[]>

beforeAll(async () => {
  admin = await createTestAdmin()
  await live()
  await admin.hear()
  lived = await dumpRows(admin.database.pool, tables)
  const counts = Object.entries(lived).map(([table, rows]) => [table, rows.filter((row) => row !== '').length])
  expect(Object.fromEntries(counts)).toEqual({
    'admin.activity': 1,
    'admin.known_people': 2,
    'admin.orders': 2,
    'admin.listings': 2,
    'admin.bottles': 1,
    'admin.auctions': 1,
    'admin.payments': 2,
    'admin.paid_products': 4,
  })
  expect((await admin.call('GET', '/api/admin/payments?status=paid')).body).toHaveLength(1)
  expect((await admin.call('GET', '/api/admin/listings/1')).body).toMatchObject({ status: 'sold' })
  expect((await admin.call('GET', '/api/admin/orders/62')).body).toMatchObject({ status: 'cancelled' })
})
afterAll(() => admin.stop())

async function live(): Promise<void> {
  const { identity, catalogue, messaging, auction, boost } = admin.logs
  for (const userId of [SARAH, BALA]) await identity.append(`user-${userId}`, registered(userId))
  const deal = (transactionId: number) => ({ productId: 1, transactionId, auctionId: null })
  await catalogue.append('listing-1', listed(), reserved(deal(61)), released(deal(61)), sold(deal(62), 0))
  await catalogue.append('listing-2', listed({ productId: 2 }), updated({ productId: 2, name: 'Another 13' }))
  await messaging.append('deal-61', placed(61), moved(61, 'processing'))
  await messaging.append('deal-62', placed(62), moved(62, 'cancelled'))
  const prices = { startingPriceSen: 100, reserveSen: null, buyNowSen: null, incrementSen: 10 }
  const terms = { auctionId: 5, productId: 2, sellerId: SARAH, ...prices, startsAt: at(1), endsAt: at(50) }
  await auction.append('auction-5', { type: 'AuctionOpened', data: { ...terms, openedAt: at(1) } })
  for (const number of [1, 2]) {
    const orderId = `0193a000-0000-7000-8000-00000000000${number}`
    const products = [1, 2].map((productId) => ({ productId, name: `Perfume ${productId}`, amountSen: 500 }))
    const kind = { packageId: 1, packageName: 'Standard Boost', packageType: 'standard', durationHours: 168 } as const
    const order = { ...kind, orderId, paymentId: number, userId: SARAH, amountSen: 1_000, products }
    const ofCase = { caseId: 1, orderId, userId: SARAH, packageId: 1, durationHours: 168, productId: 2 }
    const stream = `boost-order-${orderId}`
    await boost.append(stream, {
      type: 'BoostOrderPlaced',
      data: { ...order, requestKey: null, placedAt: at(2), expiresAt: at(50) },
    })
    if (number === 1) {
      await boost.append(stream, { type: 'BoostOrderCancelled', data: { ...order, cancelledAt: at(3) } })
      continue
    }
    const boosted = { orderId, userId: SARAH, packageId: 1, caseId: null, productId: 1 }
    await boost.append(
      stream,
      {
        type: 'BoostOrderSettled',
        data: { ...order, billId: 'b', transactionId: null, paidAt: at(3), settledAt: at(3) },
      },
      { type: 'ProductBoosted', data: { ...boosted, boostedUntil: at(50), boostedAt: at(4) } },
      {
        type: 'BoostCaseOpened',
        data: { ...ofCase, productName: 'x', amountSen: 500, reason: 'x', openedAt: at(4), expiresAt: at(50) },
      },
    )
  }
  admin.identity.people.set(BALA, adminUser(BALA))
  await admin.call('PATCH', `/api/admin/users/${BALA}/ban`, { body: { isBanned: true } })
}

/** @returns how many rows were otherwise, by projection and table */
async function rebuildAll(): Promise<Record<string, Readonly<Record<string, number>>>> {
  const changed: Record<string, Readonly<Record<string, number>>> = {}
  for (const projection of all) {
    const reading = { databaseUrl: admin.database.url, nats: async () => admin.nats.connection }
    changed[projection.name] = (await rebuild({ service: 'admin', projection, ...reading })).changed
  }
  return changed
}

it('changes nothing where everything is as the logs say', async () => {
  expect(await rebuildAll()).toEqual({
    activity: { activity: 0 },
    people: { known_people: 0 },
    orders: { orders: 0 },
    listings: { listings: 0, bottles: 0 },
    auctions: { auctions: 0 },
    payments: { payments: 0, paid_products: 0 },
  })
  expect(await dumpRows(admin.database.pool, tables)).toEqual(lived)
})

it.each([
  ['what administrators did', sql.unsafe`delete from activity`],
  ['names', sql.unsafe`update known_people set username = 'nobody'`],
  ['orders', sql.unsafe`update orders set status = 'shipped', total_sen = 1`],
  ['all listings', sql.unsafe`delete from listings`],
  ['who has bottles', sql.unsafe`delete from bottles`],
  ['auctions', sql.unsafe`delete from auctions`],
  ['payments', sql.unsafe`update payments set status = 'failed', bill_id = null`],
  ['what was paid for', sql.unsafe`update paid_products set state = 'waiting'`],
])('brings back %s', async (_what, damage) => {
  await admin.database.pool.query(damage)
  expect(await dumpRows(admin.database.pool, tables)).not.toEqual(lived)
  await rebuildAll()
  expect(await dumpRows(admin.database.pool, tables)).toEqual(lived)
})
