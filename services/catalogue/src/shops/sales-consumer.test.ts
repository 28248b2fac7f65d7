import { startConsumer } from '@wangian/kit/log/consumer.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { registeredAs, tellOfPerson } from '@wangian/kit/testing/people.ts'
import { startTestLog } from '@wangian/kit/testing/test-log.ts'
import { startTestNats, type TestNats } from '@wangian/kit/testing/test-nats.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { salesHandlers } from '../reactions.ts'
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
    handlers: salesHandlers,
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
