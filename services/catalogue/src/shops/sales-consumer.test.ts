import { sql } from '@wangian/kit/database/postgres.ts'
import { startConsumer } from '@wangian/kit/log/consumer.ts'
import { dumpRows } from '@wangian/kit/testing/dump.ts'
import { emptyTables } from '@wangian/kit/testing/empty-tables.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { registeredAs, tellOfPerson } from '@wangian/kit/testing/people.ts'
import { startTestLog } from '@wangian/kit/testing/test-log.ts'
import { startTestNats, type TestNats } from '@wangian/kit/testing/test-nats.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { salesHandlers } from '../reactions.ts'
import { insertProduct } from '../store.ts'
import { listingFacts } from '../testing/fixtures.ts'
import { ordered, reviewed } from '../testing/sales.ts'
import { createTestShop, type TestShop } from '../testing/test-shop.ts'
import { findShop } from './shop-store.ts'

let nats: TestNats
let shop: TestShop
beforeAll(async () => {
  nats = await startTestNats()
  shop = await createTestShop()
})
afterAll(async () => {
  await shop.stop()
  await nats.stop()
})

it('waits while messaging is away, and hears everything once', async () => {
  const consumer = startConsumer({
    service: 'catalogue',
    source: 'messaging',
    name: 'sales',
    nats: nats.connection,
    pool: shop.pool,
    bulkHandlers: salesHandlers,
  })
  await tellOfPerson(shop.pool, registeredAs(7, 'sarah'))
  await eventually(() => consumer.stats().isActive)

  const messaging = await startTestLog({ service: 'messaging', nats: nats.connection })
  await messaging.append('review-1', reviewed({ reviewId: 1, rating: 4 }).event)
  await messaging.append(
    'order-1',
    ordered({ orderId: 1, status: 'processing' }).event,
    ordered({ orderId: 1, status: 'delivered' }).event,
  )
  await eventually(async () => {
    expect(await findShop(shop.pool, 7)).toMatchObject({ reviewCount: 1, averageRating: 4, deliveredCount: 1 })
  })
  expect(consumer.stats()).toMatchObject({ parkedCount: 0, waitingCount: 0 })
  await consumer.stop()
  await messaging.stop()
})

it('comes to the same whether events are handled together or one by one', async () => {
  const { pool } = shop
  const day = (day: number) => `2026-11-${day}T08:00:00.000Z`
  for (const productId of [1, 2]) {
    await pool.transaction((transaction) => insertProduct(transaction, listingFacts({ productId })))
  }
  const placed = [1, 2, 3].map((orderId) => ordered({ orderId, productId: orderId === 3 ? 2 : 1 }))
  const changed = [
    ordered({ orderId: 1, status: 'processing', changedAt: day(22) }, 2),
    ordered({ orderId: 2, status: 'processing', changedAt: day(21) }, 2),
    ordered({ orderId: 1, status: 'shipped', changedAt: day(23) }, 3),
    ordered({ orderId: 2, status: 'cancelled', changedAt: day(24) }, 3),
  ]
  const reviews = [reviewed({ reviewId: 1, rating: 4 }), reviewed({ reviewId: 2, rating: 1.5 })]
  const received = (events: readonly { readonly event: { readonly data: unknown } }[]) =>
    events.map(({ event, ...rest }) => ({ ...rest, data: event.data })) as never
  const handle = async (size: number) => {
    await emptyTables(pool, 'orders, reviews')
    await pool.query(sql.unsafe`update products set sales_count = 0, review_count = 0, average_rating = null`)
    for (const [type, events] of [
      ['OrderPlaced', placed],
      ['OrderStatusChanged', changed],
      ['ReviewSubmitted', reviews],
    ] as const) {
      for (let first = 0; first < events.length; first += size) {
        await pool.transaction(async (transaction) =>
          salesHandlers[type]?.(transaction, received(events.slice(first, first + size))),
        )
      }
    }
    return dumpRows(pool, ['catalogue.orders', 'catalogue.reviews', 'catalogue.products'])
  }
  const oneByOne = await handle(1)
  expect(await handle(10)).toEqual(oneByOne)
  expect(oneByOne['catalogue.orders']?.join()).toContain('2026-11-22')
})
