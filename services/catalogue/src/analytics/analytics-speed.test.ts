import { SellerAnalytics } from '@wangian/contracts/selling.ts'
import { sql } from '@wangian/kit/database/postgres.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestShop, type TestShop } from '../testing/test-shop.ts'

const BUDGET_MS = 50

let shop: TestShop
beforeAll(async () => {
  shop = await createTestShop({ nowMs: () => Date.parse('2026-11-22T12:30:00.000Z'), rateLimitFactor: 1 })
})
afterAll(() => shop.stop())

it(`the figures of a thousand listings over 90 days come within ${BUDGET_MS} ms`, async () => {
  await shop.list(...Array.from({ length: 1000 }, (_, index) => ({ productId: 1000 + index, sellerId: 9 })))
  await shop.pool.query(sql.unsafe`
    insert into product_days (day, product_id, views, favorites, messages, bids)
    select '2026-11-22'::date - d, p, (200 - d) * (p % 7), 200 - d, 200 - d, 0
      from generate_series(0, 100) d, generate_series(1000, 1999) p`)
  await shop.pool.query(sql.unsafe`
    insert into seller_days (seller_id, day, favorites) select 9, '2026-11-22'::date - d, 1000 from generate_series(0, 100) d`)
  await shop.pool.query(sql.unsafe`analyze product_days, seller_days, products`)
  let quickestMs = Number.POSITIVE_INFINITY
  // The quickest of several: the others wait for whatever else the machine does.
  const untilMs = performance.now() + 20_000
  for (let round = 0; round < 10 || (quickestMs >= BUDGET_MS && performance.now() < untilMs); round += 1) {
    const startedMs = performance.now()
    const { body } = await shop.call('GET', '/api/seller/analytics?days=90', { by: { id: 9 } })
    quickestMs = Math.min(quickestMs, performance.now() - startedMs)
    const { totals, listings } = SellerAnalytics.parse(body)
    expect(totals.favorites).toBe(90_000)
    expect(listings).toHaveLength(50)
    expect(listings[0]).toMatchObject({ views: 540, favorites: 90, messages: 90 })
  }
  expect(quickestMs).toBeLessThan(BUDGET_MS)
})
