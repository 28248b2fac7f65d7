import { randomUUID } from 'node:crypto'
import { eventSubject } from '@wangian/contracts/subjects.ts'
import { startConsumer } from '@wangian/kit/log/consumer.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { startTestNats, type TestNats } from '@wangian/kit/testing/test-nats.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { messagingReactions } from '../reactions.ts'
import { type MessagingEvent, ordered, reviewed } from '../testing/sales.ts'
import { createTestShop, type TestShop } from '../testing/test-shop.ts'
import { registeredAs, tellOfPerson } from '../testing/told.ts'
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

it('waits while messaging has said nothing, and hears everything once', async () => {
  const consumer = startConsumer({
    service: 'catalogue',
    source: 'messaging',
    name: 'sales',
    nats: nats.connection,
    pool: shop.pool,
    handlers: messagingReactions,
  })
  await tellOfPerson(shop.pool, registeredAs(7, 'sarah'))
  await eventually(() => consumer.stats().isActive)

  const publish = async ({ type, data }: MessagingEvent, version: number, stream: string) => {
    const envelope = { id: randomUUID(), type, stream, version, at: '2026-11-22T08:00:00.000Z', data, metadata: {} }
    // Twice, as after a crash of whoever publishes: without a message id JetStream keeps both.
    for (const _ of [1, 2]) {
      // The answer is JetStream's, as soon as there is a stream.
      await eventually(() => nats.connection.request(eventSubject('messaging', type), JSON.stringify(envelope)))
    }
  }
  await publish(reviewed({ reviewId: 1, rating: 4 }).event, 1, 'review-1')
  await publish(ordered({ orderId: 1, status: 'processing' }).event, 2, 'order-1')
  await publish(ordered({ orderId: 1, status: 'delivered' }).event, 3, 'order-1')
  await eventually(async () => {
    expect(await findShop(shop.pool, 7)).toMatchObject({ reviewCount: 1, averageRating: 4, deliveredCount: 1 })
  })
  expect(consumer.stats()).toMatchObject({ parkedCount: 0, heldCount: 0 })
  await consumer.stop()
})
