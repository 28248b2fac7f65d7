import { sql } from '@wangian/kit/database/postgres.ts'
import { silentLogger } from '@wangian/kit/service/logger.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { createTestBoost, SARAH, type TestBoost } from './testing/test-boost.ts'
import { keepUp } from './upkeep.ts'

/** For every sen that the sandbox took there is one settled order, each of whose products is boosted or a case. */

const ORDERS = 1_000
const AT_ONCE = 8
const DAY_MS = 24 * 60 * 60 * 1000

let boost: TestBoost
beforeAll(async () => {
  boost = await createTestBoost()
  // A price that three products cannot share evenly.
  await boost.database.pool.query(sql.unsafe`update boost_packages set price = 2501 where item_count = 3`)
})
afterAll(() => boost.stop())

const LedgerRow = z.object({
  orderId: z.string(),
  billId: z.string().nullable(),
  amount: z.number(),
  status: z.string(),
  settled: z.number(),
})
const ShareRow = z.object({ orderId: z.string(), productId: z.number(), amountSen: z.number(), state: z.string() })
const CaseRow = z.object({ orderId: z.string(), productId: z.number(), amountSen: z.number() })

it('every sen is accounted for after 1,000 orders with faults', async () => {
  const random = randomOf(20_261_123)
  // Catalogue is away now and then, before it has done something and after it.
  boost.shelf.isAway = () => random() < 0.05
  let left = ORDERS
  const buy = async () => {
    while (left > 0) {
      left -= 1
      const size = random() < 0.5 ? 1 : 3
      const productIds = boost.list(size)
      boost.sandbox.isAway = random() < 0.02
      const placed = await boost.order(productIds)
      boost.sandbox.isAway = false
      if (placed.status !== 201) {
        // For nothing but a provider that is away.
        expect(placed).toMatchObject({ status: 503, body: { code: 'unavailable' } })
        continue
      }
      const { orderId } = placed.body
      const billId = placed.body.paymentUrl.split('/').at(-1) as string
      if (random() < 0.2) boost.shelf.products.delete(productIds[0] ?? 0)
      if (random() < 0.1) await boost.call('DELETE', `/api/boost/orders/${orderId}`, { by: SARAH })
      if (random() < 0.1) await boost.sandbox.act(billId, 'fail')
      const chance = random()
      if (chance < 0.15) continue
      const action = chance < 0.3 ? 'silent' : chance < 0.4 ? 'late' : 'pay'
      await Promise.all([boost.sandbox.act(billId, action), boost.sandbox.act(billId, action)])
      if (random() < 0.02) await boost.restartConsumers()
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, buy))
  boost.shelf.isAway = () => false

  const { pool } = boost.database
  const shares = () =>
    pool.any(sql.type(ShareRow)`
      select o.order_id as "orderId", o.product_id as "productId", o.amount_sen as "amountSen", o.state
        from ordered_products o join payments p using (order_id) where p.status = 'paid'`)
  const nowMs = Date.now() + DAY_MS
  await eventually(
    async () => {
      await keepUp({ pool, provider: boost.provider, log: silentLogger }, nowMs)
      const taken = boost.sandbox.bills().filter(({ paid }) => paid)
      const paid = await pool.anyFirst(sql.unsafe`select bill_id from payments where status = 'paid'`)
      expect(paid).toHaveLength(taken.length)
      expect((await shares()).filter(({ state }) => state === 'waiting')).toEqual([])
    },
    { timeoutMs: 60_000 },
  )

  const orders = await pool.any(sql.type(LedgerRow)`
    select p.order_id as "orderId", p.bill_id as "billId", p.amount, p.status,
           (select count(*) from events e where e.stream = 'boost-order-' || p.order_id and e.type = 'BoostOrderSettled') as settled
      from payments p`)
  const ordered = new Map(orders.map((order) => [order.billId, order]))
  let takenSen = 0
  for (const bill of boost.sandbox.bills()) {
    const order = ordered.get(bill.id)
    expect(order).toMatchObject({ orderId: bill.reference_1, amount: bill.amount })
    expect(order?.settled).toBe(bill.paid ? 1 : 0)
    if (bill.paid) takenSen += bill.paid_amount
  }
  const cases = await pool.any(sql.type(CaseRow)`
    select order_id as "orderId", product_id as "productId", amount_sen as "amountSen" from boost_cases`)
  const keyOf = ({ orderId, productId }: { orderId: string; productId: number }) => `${orderId}/${productId}`
  expect(new Set(cases.map(keyOf)).size).toBe(cases.length)
  const settledShares = await shares()
  const boosted = settledShares.filter(({ state }) => state === 'boosted')
  expect(
    settledShares
      .filter(({ state }) => state === 'case')
      .map(keyOf)
      .toSorted(),
  ).toEqual(cases.map(keyOf).toSorted())
  // What was featured was paid, once each, and what was not has a case.
  expect([...boost.shelf.commands.values()].toSorted()).toEqual(boosted.map(({ productId }) => productId).toSorted())
  const sum = (rows: readonly { amountSen: number }[]) => rows.reduce((total, { amountSen }) => total + amountSen, 0)
  expect(sum(boosted) + sum(cases)).toBe(takenSen)
  expect([takenSen > 0, cases.length > 0, boosted.length > 0]).toEqual([true, true, true])
  expect(orders.filter(({ status }) => status === 'pending')).toEqual([])
}, 240_000)

/** Numbers from 0 to 1, the same ones for a seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
