import { randomUUID } from 'node:crypto'
import { type BoostPackage, boostRequests } from '@wangian/contracts/boost.ts'
import { PREMIUM_PACKAGE_ID_MIN } from '@wangian/contracts/catalogue.ts'
import { request } from '@wangian/kit/bus/requests.ts'
import { sql } from '@wangian/kit/database/postgres.ts'
import { Failure } from '@wangian/kit/errors.ts'
import { blankWords } from '@wangian/kit/people/erased-words.ts'
import { silentLogger } from '@wangian/kit/service/logger.ts'
import { emptyTables } from '@wangian/kit/testing/empty-tables.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { registeredAs, tellOfPerson } from '@wangian/kit/testing/people.ts'
import { rebuildTables } from '@wangian/kit/testing/rebuild-tables.ts'
import { createTestTokens } from '@wangian/kit/testing/test-app.ts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buildApp } from './app.ts'
import { blanks } from './consumers.ts'
import { type OrderCommand, orderStream } from './domain.ts'
import { placeOrder } from './orders/ordering.ts'
import { runOrder, runOrderIn } from './orders/run-order.ts'
import type { PaymentProvider } from './payment/provider.ts'
import { ordersProjection } from './projections.ts'
import { personHandlers } from './reactions.ts'
import {
  ADMIN,
  type Answer,
  createTestBoost,
  DISMISSED_ADMIN,
  RANI,
  SARAH,
  type TestBoost,
} from './testing/test-boost.ts'
import { keepUp } from './upkeep.ts'

const DAY_MS = 24 * 60 * 60 * 1000

let boost: TestBoost
beforeAll(async () => {
  boost = await createTestBoost()
  await tellOfPerson(boost.database.pool, registeredAs(SARAH, 'sarah'))
})
afterAll(() => boost.stop())
beforeEach(() => {
  boost.aheadMs = 0
})

const billOf = (placed: Answer) => placed.body.paymentUrl.split('/').at(-1) as string
const paymentOf = async (placed: Answer, by = SARAH) =>
  (await boost.call('GET', `/api/boost/payments/${placed.body.orderId}`, { by })).body
const untilBoosted = (placed: Answer) =>
  eventually(async () => {
    const payment = await paymentOf(placed)
    expect(payment.products.map(({ state }: { state: string }) => state)).not.toContain('waiting')
    return payment
  })

describe('the packages', () => {
  it('are four standard ones and four premium ones, for 1, 3, 5 and 10 products', async () => {
    const { body } = (await boost.call('GET', '/api/boost/packages')) as { body: BoostPackage[] }
    const sizes = [1, 3, 5, 10]
    expect(body.map(({ id, item_count }) => [id, item_count])).toEqual(
      [...sizes, ...sizes].map((size, index) => [index + 1, size]),
    )
    for (const { id, package_type, price, item_count, effective_price } of body) {
      expect(package_type).toBe(id >= PREMIUM_PACKAGE_ID_MIN ? 'premium' : 'standard')
      expect(effective_price * item_count).toBe(price)
    }
  })

  it('are asked for one by one', async () => {
    const { body } = await boost.call('GET', '/api/boost/packages?id=2')
    expect(body).toEqual([
      {
        ...{ id: 2, name: 'Standard Boost for 3', package_type: 'standard', item_count: 3, price: 2700 },
        ...{ effective_price: 900, duration_hours: 168, duration_formatted: '7 days' },
      },
    ])
    expect((await boost.call('GET', '/api/boost/packages?id=99')).body).toEqual([])
    for (const id of ['0', '-1', '1e3', '01', 'x'])
      expect((await boost.call('GET', `/api/boost/packages?id=${id}`)).status).toBe(400)
  })
})

describe('an order', () => {
  it('has the price, the count and the duration of its package, whatever else is said', async () => {
    const productIds = boost.list(3)
    const body = {
      boostPackageId: 2,
      productIds,
      price: 1,
      amount: 1,
      item_count: 1,
      durationHours: 9999,
      userId: RANI,
    }
    const placed = await boost.call('POST', '/api/boost/create-order', { by: SARAH, body })
    expect(placed.status).toBe(201)
    const bill = boost.sandbox.bills().find(({ id }) => id === billOf(placed))
    expect(bill).toMatchObject({ amount: 2700, reference_1: placed.body.orderId, email: 'seller-7@example.com' })
    expect(await paymentOf(placed)).toMatchObject({
      ...{ billId: bill?.id, amount: 2700, status: 'pending', paymentType: 'boost', featureDuration: 168 },
      ...{ boostOptionId: 2, productIds, paidAt: null, paymentChannel: null },
    })
  })

  it.each([
    ['no products', { productIds: [] }, 400, 'No products selected'],
    ['no such package', { boostPackageId: 99, productIds: [1] }, 400, 'Invalid package'],
    [
      'too few',
      { productIds: [1, 2] },
      400,
      'Product count mismatch. This package requires exactly 3 products. You have selected 2.',
    ],
    [
      'too many',
      { boostPackageId: 1, productIds: [1, 2] },
      400,
      'Product count mismatch. This package requires exactly 1 product. You have selected 2.',
    ],
    [
      'one of them twice',
      { productIds: [1, 1, 2] },
      400,
      'Product count mismatch. A product can be selected once only.',
    ],
    ['a product that is not there', { boostPackageId: 1, productIds: [99] }, 404, 'Product not found'],
    ['no whole number', { boostPackageId: 1.5, productIds: [1] }, 400, undefined],
    ['texts', { boostPackageId: '1', productIds: ['1'] }, 400, undefined],
  ])('is refused with %s', async (_, change, status, message) => {
    const answer = await boost.call('POST', '/api/boost/create-order', {
      by: SARAH,
      body: { boostPackageId: 2, ...change },
    })
    expect(answer.status).toBe(status)
    if (message !== undefined) expect(answer.body.message).toBe(message)
  })

  it('is refused for what is not the seller’s, sold or reserved', async () => {
    const [sold = 0, reserved = 0, own = 0] = boost.list(3)
    const [others = 0] = boost.list(1, RANI)
    const soldProduct = boost.shelf.products.get(sold)
    const reservedProduct = boost.shelf.products.get(reserved)
    if (soldProduct) soldProduct.status = 'sold'
    if (reservedProduct) reservedProduct.status = 'pending'
    for (const [productId, status, code] of [
      [others, 403, 'forbidden'],
      [sold, 409, 'product-sold'],
      [reserved, 409, 'product-reserved'],
    ] as const)
      expect(await boost.order([productId])).toMatchObject({ status, body: { code } })
    expect((await boost.order([own])).status).toBe(201)
  })

  it('is refused for a product that waits for another payment, also at the same time', async () => {
    const [productId = 0] = boost.list(1)
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => boost.order([productId])))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409, 409])
    expect(await boost.order([productId, ...boost.list(2)])).toMatchObject({
      status: 409,
      body: { code: 'boost-pending' },
    })
  })

  it('is one for one key, however often it is asked for', async () => {
    const productIds = boost.list(1)
    const requestKey = randomUUID()
    const answers = await Promise.all([1, 2, 3].map(() => boost.order(productIds, { requestKey })))
    expect(new Set(answers.map(({ body }) => body.orderId)).size).toBe(1)
    expect(new Set(answers.map(({ body }) => body.paymentUrl)).size).toBe(1)
    // Somebody else's key leads nowhere.
    expect((await boost.order(boost.list(1, RANI), { by: RANI, requestKey })).body.orderId).not.toBe(
      answers[0]?.body.orderId,
    )
    await boost.call('DELETE', `/api/boost/orders/${answers[0]?.body.orderId}`, { by: SARAH })
    expect((await boost.order(productIds, { requestKey })).body.orderId).not.toBe(answers[0]?.body.orderId)
  })

  it('is another one for a key that has led to a paid one the day before', async () => {
    const productIds = boost.list(1)
    const requestKey = randomUUID()
    const placed = await boost.order(productIds, { requestKey })
    await boost.sandbox.act(billOf(placed), 'pay')
    await untilBoosted(placed)
    expect(await boost.order(productIds, { requestKey })).toMatchObject({ status: 409, body: { code: 'boost-paid' } })
    boost.aheadMs = DAY_MS
    const next = await boost.order(productIds, { requestKey })
    expect(next.status).toBe(201)
    expect(next.body.orderId).not.toBe(placed.body.orderId)
  })

  it('is paid later, or given up', async () => {
    const productIds = boost.list(1)
    const placed = await boost.order(productIds)
    const { orderId } = placed.body
    const pay = (by: number) => boost.call('POST', `/api/boost/orders/${orderId}/pay`, { by })
    const cancel = (by: number) => boost.call('DELETE', `/api/boost/orders/${orderId}`, { by })
    expect(await pay(SARAH)).toMatchObject({ status: 200, body: placed.body })
    for (const answer of [await pay(RANI), await cancel(RANI)])
      expect(answer).toMatchObject({ status: 404, body: { code: 'order-not-found' } })
    for (const _ of [1, 2]) expect((await cancel(SARAH)).status).toBe(204)
    expect(await pay(SARAH)).toMatchObject({ status: 409, body: { code: 'boost-closed' } })
    expect((await paymentOf(placed)).status).toBe('cancelled')
    // Its products are free, and nobody can pay its bill any more.
    expect((await boost.order(productIds)).status).toBe(201)
    await eventually(() => expect(boost.sandbox.bills().find(({ id }) => id === billOf(placed))?.state).toBe('deleted'))
  })

  it('fails when nobody pays for a day', async () => {
    const productIds = boost.list(1)
    const placed = await boost.order(productIds)
    boost.aheadMs = DAY_MS
    expect(await boost.call('POST', `/api/boost/orders/${placed.body.orderId}/pay`, { by: SARAH })).toMatchObject({
      status: 409,
      body: { code: 'boost-closed' },
    })
    await keepUp({ pool: boost.database.pool, provider: boost.provider, log: silentLogger }, Date.now() + DAY_MS)
    expect((await paymentOf(placed)).status).toBe('failed')
    expect((await boost.order(productIds)).status).toBe(201)
  })

  it('is free again when the provider makes no bill', async () => {
    const productIds = boost.list(1)
    boost.sandbox.isAway = true
    expect(await boost.order(productIds)).toMatchObject({ status: 503, body: { code: 'unavailable' } })
    boost.sandbox.isAway = false
    expect((await boost.call('GET', '/api/boost/payments?limit=1', { by: SARAH })).body[0]).toMatchObject({
      status: 'failed',
      productIds,
    })
    expect((await boost.order(productIds)).status).toBe(201)
  })

  const cause = { actorId: SARAH, correlationId: 'test-request', causationId: null }
  const at = '2026-11-22T08:00:00.000Z'
  const run = (orderId: string, command: OrderCommand) => runOrder(boost.database.pool, orderId, command, cause)
  const endings: Record<string, (orderId: string) => Promise<unknown>> = {
    'was given up': (orderId) => boost.call('DELETE', `/api/boost/orders/${orderId}`, { by: SARAH }),
    failed: (orderId) => run(orderId, { type: 'AbandonOrder', at }),
    async 'was paid'(orderId) {
      const billId = `first-${orderId}`
      await run(orderId, { type: 'RecordBill', bill: { billId, url: 'https://example.com' }, at })
      await run(orderId, { type: 'SettleOrder', billId, paidSen: 1000, transactionId: null, paidAt: at, at })
    },
  }
  it.each([
    ['was given up', 'boost-closed'],
    ['failed', 'boost-closed'],
    ['was paid', 'boost-paid'],
  ])('that %s while its bill was made leads to no page to pay it', async (ending, code) => {
    let made = ''
    const provider: PaymentProvider = {
      ...boost.provider,
      async createBill(request) {
        const bill = await boost.provider.createBill(request)
        made = bill.billId
        await endings[ending]?.(request.orderId)
        return bill
      },
    }
    const ordering = { pool: boost.database.pool, nats: boost.nats.connection, provider, log: silentLogger }
    const form = { boostPackageId: 1, productIds: boost.list(1) }
    const asking = { userId: SARAH, requestId: 'test-request', nowMs: Date.now() }
    await expect(placeOrder({ ...ordering, onAppended() {} }, form, asking)).rejects.toMatchObject({ code })
    expect(boost.sandbox.bills().find(({ id }) => id === made)?.state).toBe('deleted')
    if (ending === 'was paid') return
    // Whoever pays it all the same has paid the order.
    await boost.sandbox.act(made, 'pay')
    const [latest] = (await boost.call('GET', '/api/boost/payments?limit=1', { by: SARAH })).body
    expect(latest).toMatchObject({ billId: made, status: 'paid' })
  })

  it('needs a provider', async () => {
    const tokens = await createTestTokens()
    const { pool } = boost.database
    const app = buildApp({
      ...{ pool, provider: null, onAppended: () => {}, auth: tokens.authenticator },
      // Nobody is asked.
      nats: undefined as never,
    })
    const payload = { boostPackageId: 1, productIds: boost.list(1) }
    const headers = await tokens.bearer({ id: SARAH })
    const answer = await app.inject({ method: 'POST', url: '/api/boost/create-order', payload, headers })
    expect([answer.statusCode, answer.json().message]).toEqual([503, 'Payment is not configured.'])
    const back = await app.inject('/api/boost/return?billplz%5Bpaid%5D=true')
    expect(back.headers['location']).toMatch(/payment=error/)
    await app.close()
  })
})

describe('the bill of an order that nobody pays', () => {
  let deleteBill: PaymentProvider['deleteBill']
  beforeEach(() => {
    deleteBill = boost.provider.deleteBill
  })
  afterEach(() => {
    boost.provider.deleteBill = deleteBill
  })
  const stateOf = (placed: Answer) => boost.sandbox.bills().find(({ id }) => id === billOf(placed))?.state
  const look = (afterMs: number) =>
    keepUp({ pool: boost.database.pool, provider: boost.provider, log: silentLogger }, Date.now() + afterMs)
  const giveUp = ({ body }: Answer) => boost.call('DELETE', `/api/boost/orders/${body.orderId}`, { by: SARAH })

  it('is deleted by the next look at it when it could not be at once', async () => {
    const asked: string[] = []
    boost.provider.deleteBill = async (billId) => {
      asked.push(billId)
      throw new Failure('the payment provider does not answer')
    }
    const placed = await boost.order(boost.list(1))
    await giveUp(placed)
    await eventually(() => expect(asked).toEqual([billOf(placed)]))
    boost.provider.deleteBill = deleteBill
    await look(9 * 60_000)
    expect(stateOf(placed)).toBe('due')
    await look(11 * 60_000)
    expect(stateOf(placed)).toBe('deleted')
  })

  it('is deleted after a day, and tried again a minute later', async () => {
    boost.provider.deleteBill = () => Promise.reject(new Failure('the payment provider does not answer'))
    const placed = await boost.order(boost.list(1))
    await look(DAY_MS + 1_000)
    expect([(await paymentOf(placed)).status, stateOf(placed)]).toEqual(['failed', 'due'])
    boost.provider.deleteBill = deleteBill
    await look(DAY_MS + 62_000)
    expect(stateOf(placed)).toBe('deleted')
  })

  it('is deleted whatever is wrong with an order before it', async () => {
    const { pool } = boost.database
    const [broken, placed] = [await boost.order(boost.list(1)), await boost.order(boost.list(1))]
    const ofBroken = sql.fragment`stream = ${orderStream(broken.body.orderId)}`
    await pool.query(sql.unsafe`update events set type = type || '?' where ${ofBroken}`)
    try {
      await expect(look(DAY_MS + 1_000)).rejects.toThrow('failed for 1 of')
      expect((await paymentOf(placed)).status).toBe('failed')
    } finally {
      await pool.query(sql.unsafe`update events set type = rtrim(type, '?') where ${ofBroken}`)
    }
  })

  it('stays when it is paid all the same, and that is an answer', async () => {
    const placed = await boost.order(boost.list(1))
    await boost.sandbox.act(billOf(placed), 'silent')
    await deleteBill(billOf(placed))
    expect(stateOf(placed)).toBe('paid')
  })

  it('holds up no product that is paid, however long the provider takes', async () => {
    const answer = Promise.withResolvers<void>()
    boost.provider.deleteBill = () => answer.promise
    await giveUp(await boost.order(boost.list(1)))
    const placed = await boost.order(boost.list(1))
    await boost.sandbox.act(billOf(placed), 'pay')
    const payment = await untilBoosted(placed).finally(() => answer.resolve())
    expect(payment.products).toMatchObject([{ state: 'boosted' }])
  })
})

describe('a payment', () => {
  it('features the products, and is a receipt', async () => {
    const productIds = boost.list(3)
    const placed = await boost.order(productIds)
    const back = await boost.sandbox.act(billOf(placed), 'pay')
    const payment = await untilBoosted(placed)
    expect(payment).toMatchObject({ status: 'paid', transactionId: expect.any(String), paidAt: expect.any(String) })
    for (const { productId, boostedUntil } of payment.products)
      expect(boost.shelf.featuredUntilMs.get(productId)).toBe(Date.parse(boostedUntil))
    await eventually(async () => expect((await paymentOf(placed)).paymentChannel).toBe('SANDBOX'))
    const returned = await fetch(back, { redirect: 'manual' })
    expect(returned.status).toBe(303)
    expect(returned.headers.get('location')).toBe(
      '/seller/dashboard?tab=boosted&payment=success&message=Your+products+will+be+featured+in+a+moment.',
    )
    expect((await boost.call('DELETE', `/api/boost/orders/${placed.body.orderId}`, { by: SARAH })).status).toBe(409)
    expect((await boost.call('GET', `/api/boost/payments/${placed.body.orderId}`, { by: RANI })).status).toBe(404)
  })

  it('of what is featured already adds to it', async () => {
    const [productId = 0] = boost.list(1)
    const ends = []
    for (const packageId of [1, 5]) {
      const placed = await boost.order([productId], { packageId })
      await boost.sandbox.act(billOf(placed), 'pay')
      ends.push((await untilBoosted(placed)).products[0].boostedUntil)
    }
    expect(Date.parse(ends[1]) - Date.parse(ends[0])).toBe(336 * 60 * 60 * 1000)
  })

  it('that failed frees the products, and settles when it comes after all', async () => {
    const productIds = boost.list(1)
    const placed = await boost.order(productIds)
    const back = await boost.sandbox.act(billOf(placed), 'fail')
    expect((await paymentOf(placed)).status).toBe('failed')
    expect((await fetch(back, { redirect: 'manual' })).headers.get('location')).toMatch(/payment=failed/)
    expect((await boost.order(productIds)).status).toBe(201)
    await boost.sandbox.act(billOf(placed), 'pay')
    expect((await untilBoosted(placed)).status).toBe('paid')
  })

  it('that is never told of is found', async () => {
    const placed = await boost.order(boost.list(1))
    await boost.sandbox.act(billOf(placed), 'silent')
    const look = (afterMs: number) =>
      keepUp({ pool: boost.database.pool, provider: boost.provider, log: silentLogger }, Date.now() + afterMs)
    await look(9 * 60_000)
    expect((await paymentOf(placed)).status).toBe('pending')
    await look(11 * 60_000)
    expect((await untilBoosted(placed)).status).toBe('paid')
  })

  it('is found though the provider cannot tell of many bills before it', async () => {
    await emptyTables(boost.database.pool, 'bill_checks')
    const odd = []
    for (let count = 0; count < 7; count++) odd.push(await boost.order(boost.list(1)))
    const oddBills = odd.map(billOf)
    const placed = await boost.order(boost.list(1))
    await boost.sandbox.act(billOf(placed), 'silent')
    const asked: string[] = []
    const provider: PaymentProvider = {
      ...boost.provider,
      findBill: (billId) => {
        asked.push(billId)
        if (oddBills.includes(billId)) throw new Failure('the payment provider answers with 422')
        return boost.provider.findBill(billId)
      },
    }
    const look = (afterMs: number) =>
      keepUp({ pool: boost.database.pool, provider, log: silentLogger }, Date.now() + afterMs)
    for (const seconds of [0, 10, 20]) await look(11 * 60_000 + seconds * 1000)
    expect((await untilBoosted(placed)).status).toBe('paid')
    // No more than three in a row each time, and none of them again so soon.
    expect(asked).toEqual([...oddBills, billOf(placed)])
    await look(13 * 60_000)
    expect(asked).toEqual([...oddBills, billOf(placed), ...oddBills.slice(0, 3)])
  })

  it('says how it was made though the provider could not tell at once', async () => {
    await emptyTables(boost.database.pool, 'bill_checks')
    const { findChannel } = boost.provider
    const asked: string[] = []
    boost.provider.findChannel = async (billId) => {
      asked.push(billId)
      throw new Failure('the payment provider answers with 429')
    }
    const placed = await boost.order(boost.list(1))
    await boost.sandbox.act(billOf(placed), 'pay')
    await eventually(() => expect(asked).toEqual([billOf(placed)]))
    boost.provider.findChannel = findChannel
    expect((await untilBoosted(placed)).paymentChannel).toBeNull()
    const look = (afterMs: number) =>
      keepUp({ pool: boost.database.pool, provider: boost.provider, log: silentLogger }, Date.now() + afterMs)
    await look(11 * 60_000)
    expect((await paymentOf(placed)).paymentChannel).toBe('SANDBOX')
  })

  it('that can come no more is asked for no more', async () => {
    await emptyTables(boost.database.pool, 'bill_checks')
    const checked = () => boost.database.pool.anyFirst(sql.unsafe`select bill_id from bill_checks`)
    const look = (afterMs: number) =>
      keepUp({ pool: boost.database.pool, provider: boost.provider, log: silentLogger }, Date.now() + afterMs)
    const paid = await boost.order(boost.list(1))
    const unpaid = await boost.order(boost.list(1))
    await boost.sandbox.act(billOf(paid), 'pay')
    await eventually(async () => expect((await paymentOf(paid)).paymentChannel).toBe('SANDBOX'))
    // Nothing is due.
    await look(0)
    expect(await checked()).toEqual([billOf(unpaid)])
    await look(DAY_MS + 60_000)
    expect(await checked()).toEqual([])
  })

  it('is asked for by nobody any more who is told to stop', async () => {
    await emptyTables(boost.database.pool, 'bill_checks')
    for (let count = 0; count < 3; count++) await boost.order(boost.list(1))
    const stopping = new AbortController()
    const asked: string[] = []
    const provider: PaymentProvider = {
      ...boost.provider,
      findBill: (billId) => {
        asked.push(billId)
        stopping.abort()
        return boost.provider.findBill(billId)
      },
    }
    const keeping = { pool: boost.database.pool, provider, log: silentLogger }
    await keepUp({ ...keeping, signal: stopping.signal }, Date.now() + 11 * 60_000)
    expect(asked).toHaveLength(1)
    await keepUp(keeping, Date.now() + 11 * 60_000)
    expect(new Set(asked).size).toBeGreaterThanOrEqual(3)
    expect(asked.length).toBe(new Set(asked).size)
  })

  it('is not asked for for ever when the provider cannot tell', async () => {
    await emptyTables(boost.database.pool, 'bill_checks')
    const placed = await boost.order(boost.list(1))
    const provider: PaymentProvider = {
      ...boost.provider,
      findBill: () => Promise.reject(new Failure('the payment provider answers with 500')),
    }
    const look = (days: number) =>
      keepUp({ pool: boost.database.pool, provider, log: silentLogger }, Date.now() + days * DAY_MS)
    const checked = () => boost.database.pool.anyFirst(sql.unsafe`select bill_id from bill_checks`)
    for (const days of [1, 29]) await look(days)
    expect(await checked()).toEqual([billOf(placed)])
    await look(31)
    expect(await checked()).toEqual([])
  })

  it('is found for an order that was given up, a day later', async () => {
    const placed = await boost.order(boost.list(1))
    await boost.call('DELETE', `/api/boost/orders/${placed.body.orderId}`, { by: SARAH })
    const look = (afterMs: number) =>
      keepUp({ pool: boost.database.pool, provider: boost.provider, log: silentLogger }, Date.now() + afterMs)
    await look(2 * 60 * 60_000)
    await boost.sandbox.act(billOf(placed), 'silent')
    await look(3 * 60 * 60_000)
    expect((await paymentOf(placed)).status).toBe('cancelled')
    await look(DAY_MS + 60_000)
    expect((await untilBoosted(placed)).status).toBe('paid')
  })
})

describe('a case', () => {
  it('is opened for what cannot be featured any more, and is for another product', async () => {
    const productIds = boost.list(3)
    const placed = await boost.order(productIds)
    const [gone = 0] = productIds
    boost.shelf.products.delete(gone)
    await boost.sandbox.act(billOf(placed), 'pay')
    const payment = await untilBoosted(placed)
    expect(payment.products.map(({ state }: { state: string }) => state)).toEqual(['case', 'boosted', 'boosted'])
    const mine = async () =>
      (await boost.call('GET', '/api/boost/cases', { by: SARAH })).body.filter(
        ({ orderId }: { orderId: string }) => orderId === placed.body.orderId,
      )
    const [opened] = await mine()
    expect(opened).toMatchObject({ productId: gone, amount: 900, state: 'open', chosenProductId: null })
    const choose = (productId: number, by = SARAH) =>
      boost.call('POST', `/api/boost/cases/${opened.id}/product`, { by, body: { productId } })
    const [other = 0, another = 0] = boost.list(2)
    expect(await choose(other, RANI)).toMatchObject({ status: 404, body: { code: 'case-not-found' } })
    expect((await choose(boost.list(1, RANI)[0] ?? 0)).status).toBe(403)
    const waits = boost.list(1)
    await boost.order(waits)
    expect(await choose(waits[0] ?? 0)).toMatchObject({ status: 409, body: { code: 'boost-pending' } })
    for (const _ of [1, 2]) expect((await choose(other)).status).toBe(200)
    await eventually(async () => expect((await mine())[0]).toMatchObject({ state: 'boosted', chosenProductId: other }))
    expect(boost.shelf.featuredUntilMs.has(other)).toBe(true)
    expect(await choose(another)).toMatchObject({ status: 409, body: { code: 'case-closed' } })
  })

  it('makes a product longer featured that came with the same order', async () => {
    const productIds = boost.list(3)
    const placed = await boost.order(productIds)
    const [gone = 0, other = 0] = productIds
    boost.shelf.products.delete(gone)
    await boost.sandbox.act(billOf(placed), 'pay')
    await untilBoosted(placed)
    const untilMs = boost.shelf.featuredUntilMs.get(other) ?? 0
    const [{ id }] = (await boost.call('GET', '/api/boost/cases', { by: SARAH })).body
    const body = { productId: other }
    expect((await boost.call('POST', `/api/boost/cases/${id}/product`, { by: SARAH, body })).status).toBe(200)
    await eventually(() => expect(boost.shelf.featuredUntilMs.get(other)).toBeGreaterThan(untilMs))
  })

  it('is for another product though something else of its order is noted meanwhile', async () => {
    const productIds = boost.list(3)
    const placed = await boost.order(productIds)
    for (const gone of productIds.slice(1)) boost.shelf.products.delete(gone)
    await boost.sandbox.act(billOf(placed), 'pay')
    await untilBoosted(placed)
    const [{ id }, { id: otherId }] = (await boost.call('GET', '/api/boost/cases', { by: SARAH })).body
    const { pool } = boost.database
    const [productId = 0, other = 0] = boost.list(2)
    const [held, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const noting = pool.transaction(async (transaction) => {
      // Whoever has read the order waits to write.
      await transaction.query(sql.unsafe`lock table events in share row exclusive mode`)
      held.resolve()
      await release.promise
      const at = new Date().toISOString()
      const command = { type: 'ChooseProduct', actorId: SARAH, caseId: otherId, productId: other, at } as const
      const cause = { actorId: SARAH, correlationId: randomUUID(), causationId: null }
      await runOrderIn(transaction, placed.body.orderId, command, cause)
    })
    await held.promise
    const choosing = boost.call('POST', `/api/boost/cases/${id}/product`, { by: SARAH, body: { productId } })
    await eventually(() =>
      pool.exists(sql.unsafe`select from pg_locks where relation = 'events'::regclass and not granted`),
    )
    release.resolve()
    await noting
    expect(await choosing).toMatchObject({ status: 200, body: { chosenProductId: productId } })
  })

  it('is open again when that cannot be featured either, for a month', async () => {
    const placed = await boost.order(boost.list(1))
    boost.shelf.products.delete((await paymentOf(placed)).productIds[0])
    await boost.sandbox.act(billOf(placed), 'pay')
    await untilBoosted(placed)
    const find = async () => (await boost.call('GET', '/api/boost/cases', { by: SARAH })).body[0]
    const { id } = await find()
    const [other = 0, another = 0] = boost.list(2)
    // Sold in the moment after it was looked at.
    boost.shelf.isAway = () => true
    const choose = (productId: number) =>
      boost.call('POST', `/api/boost/cases/${id}/product`, { by: SARAH, body: { productId } })
    expect((await choose(other)).body.state).toBe('chosen')
    boost.shelf.products.delete(other)
    boost.shelf.isAway = () => false
    await eventually(async () => expect((await find()).state).toBe('open'))
    boost.aheadMs = 31 * DAY_MS
    expect((await find()).state).toBe('expired')
    expect(await choose(another)).toMatchObject({ status: 409, body: { code: 'case-closed' } })
  })

  it('is paid back by an administrator, once, and only what no product has got', async () => {
    const openCase = async () => {
      const placed = await boost.order(boost.list(1))
      boost.shelf.products.delete((await paymentOf(placed)).productIds[0])
      await boost.sandbox.act(billOf(placed), 'pay')
      await untilBoosted(placed)
      return (await boost.call('GET', '/api/boost/cases', { by: SARAH })).body[0]
    }
    const refund = (id: number, reason = 'Bank transfer 42') =>
      boost.call('POST', `/api/admin/cases/${id}/refund`, { by: ADMIN, body: { reason } })
    const { id } = await openCase()
    expect(
      await boost.call('POST', `/api/admin/cases/${id}/refund`, { by: SARAH, body: { reason: 'mine' } }),
    ).toMatchObject({
      status: 403,
      body: { code: 'admin-access-required' },
    })
    const byDismissed = { by: DISMISSED_ADMIN, body: { reason: 'mine' } }
    expect(await boost.call('POST', `/api/admin/cases/${id}/refund`, byDismissed)).toMatchObject({
      status: 403,
      body: { code: 'admin-access-required' },
    })
    expect((await refund(id, '  ')).status).toBe(400)
    expect((await refund(999_999)).status).toBe(404)
    const answers = await Promise.all([refund(id), refund(id), refund(id)])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(answers[0]?.body).toMatchObject({
      id,
      user: { id: SARAH, username: 'sarah' },
      state: 'refunded',
      note: 'Bank transfer 42',
    })
    expect(await refund(id, 'Bank transfer 43')).toMatchObject({ status: 409, body: { code: 'case-refunded' } })
    const choose = (caseId: number, productId: number) =>
      boost.call('POST', `/api/boost/cases/${caseId}/product`, { by: SARAH, body: { productId } })
    const [other = 0] = boost.list(1)
    expect(await choose(id, other)).toMatchObject({ status: 409, body: { code: 'case-refunded' } })
    const second = await openCase()
    await choose(second.id, other)
    expect(await refund(second.id)).toMatchObject({ status: 409, body: { code: 'case-spent' } })
    const listed = await boost.call('GET', '/api/admin/cases?state=refunded&limit=1', { by: ADMIN })
    expect(listed).toMatchObject({ status: 200, body: [{ id, state: 'refunded' }] })
    expect(listed.headers['x-total-count']).toBe('1')
    expect((await boost.call('GET', '/api/boost/cases', { by: SARAH })).body.at(-1)).not.toHaveProperty('note')
    const { listRefundNotes } = boostRequests
    const caseIds = [id, second.id, 999_999]
    expect(await request(boost.nats.connection, 'boost', listRefundNotes, { caseIds })).toEqual({
      notes: [{ caseId: id, note: 'Bank transfer 42' }],
    })
  })

  describe('of somebody who is erased', () => {
    const toSiti = { reason: 'To Siti Aminah, account 5141' }
    const refund = (id: number) => boost.call('POST', `/api/admin/cases/${id}/refund`, { by: ADMIN, body: toSiti })
    const isInLog = () =>
      boost.database.pool.exists(sql.unsafe`select from events where data::text like '%Siti Aminah%'`)

    async function caseOf(seller: number): Promise<number> {
      await tellOfPerson(boost.database.pool, registeredAs(seller, `siti-${seller}`))
      const placed = await boost.order(boost.list(1, seller), { by: seller })
      boost.shelf.products.delete((await paymentOf(placed, seller)).productIds[0])
      await boost.sandbox.act(billOf(placed), 'pay')
      return eventually(async () => {
        const [opened] = (await boost.call('GET', '/api/boost/cases', { by: seller })).body
        expect(opened).toBeDefined()
        return opened.id
      })
    }

    function erase(userId: number): Promise<void> {
      const erased = { type: 'UserErased', data: { userId, erasedAt: '2026-11-23T08:00:00.000Z' } } as const
      return tellOfPerson(boost.database.pool, erased, { bulkHandlers: personHandlers })
    }

    async function noteOf(id: number): Promise<string | null> {
      const { body: cases } = await boost.call('GET', '/api/admin/cases', { by: ADMIN })
      return cases.find((each: { id: number }) => each.id === id).note
    }

    it('has no note of how it was paid back, also when it is read from the log again', async () => {
      const { pool } = boost.database
      const id = await caseOf(4001)
      await refund(id)
      expect(await noteOf(id)).toBe(toSiti.reason)
      for (const _ of [1, 2]) await erase(4001)
      expect(await noteOf(id)).toBeNull()
      for (const _ of [1, 2]) await blankWords(pool, blanks)
      expect(await isInLog()).toBe(false)
      await rebuildTables(pool, 'boost', ordersProjection)
      expect(await noteOf(id)).toBeNull()
      // The order can still be read.
      expect(await refund(id)).toMatchObject({ status: 409, body: { code: 'case-refunded' } })
    })

    it('has none of how it was paid back afterwards', async () => {
      const { pool } = boost.database
      const id = await caseOf(4002)
      await erase(4002)
      await blankWords(pool, blanks)
      expect(await refund(id)).toMatchObject({ status: 200, body: { state: 'refunded', note: null } })
      await blankWords(pool, blanks)
      expect(await isInLog()).toBe(false)
    })
  })
})

describe('the list of cases', () => {
  it('is the caller’s own, the latest first, page by page, or only what is not settled', async () => {
    const NURUL = 10
    const productIds = boost.list(3, NURUL)
    const placed = await boost.order(productIds, { by: NURUL })
    for (const gone of productIds) boost.shelf.products.delete(gone)
    await boost.sandbox.act(billOf(placed), 'pay')
    const list = (query: string) => boost.call('GET', `/api/boost/cases${query}`, { by: NURUL })
    const products = (answer: Answer) => answer.body.map(({ productId }: { productId: number }) => productId)
    await eventually(async () => expect(products(await list(''))).toEqual(productIds.toReversed()))
    const first = await list('?limit=2')
    const [, next] = /<(.+)>; rel="next"/.exec(String(first.headers['link'])) ?? []
    const second = await boost.call('GET', next ?? '', { by: NURUL })
    expect([...products(first), ...products(second)]).toEqual(productIds.toReversed())
    expect([first.headers['x-total-count'], second.headers['link']]).toEqual(['3', undefined])
    const [latest] = first.body
    await boost.call('POST', `/api/admin/cases/${latest.id}/refund`, { by: ADMIN, body: { reason: 'By transfer' } })
    const unsettled = await list('?state=unsettled&limit=1')
    expect(unsettled.headers['x-total-count']).toBe('2')
    expect(products(unsettled)).toEqual([productIds[1]])
    expect(String(unsettled.headers['link'])).toContain('state=unsettled')
  })
})

describe('the list of payments', () => {
  it('is the caller’s own, the latest first, page by page', async () => {
    const HASAN = 9
    const placed = []
    for (const productId of boost.list(3, HASAN)) placed.push(await boost.order([productId], { by: HASAN }))
    const first = await boost.call('GET', '/api/boost/payments?limit=2', { by: HASAN })
    const ids = (answer: Answer) => answer.body.map(({ orderId }: { orderId: string }) => orderId)
    const [, next] = /<(.+)>; rel="next"/.exec(String(first.headers['link'])) ?? []
    const second = await boost.call('GET', next ?? '', { by: HASAN })
    expect(first.headers['x-total-count']).toBe('3')
    expect([...ids(first), ...ids(second)]).toEqual(placed.map(({ body }) => body.orderId).toReversed())
    expect(second.headers['link']).toBeUndefined()
  })

  it('is what the log says', async () => {
    const { pool } = boost.database
    const before = (await boost.call('GET', '/api/boost/payments', { by: SARAH })).body
    expect(await rebuildTables(pool, 'boost', ordersProjection)).toBeGreaterThan(0)
    expect((await boost.call('GET', '/api/boost/payments', { by: SARAH })).body).toEqual(before)
  })
})
