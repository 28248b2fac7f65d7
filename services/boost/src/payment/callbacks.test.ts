import { sql } from '@wangian/kit/database/postgres.ts'
import { emptyTables } from '@wangian/kit/testing/empty-tables.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { statementsOf } from '@wangian/kit/testing/statements.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { sandboxKeys } from '../sandbox/sandbox-keys.ts'
import { type Ordered, orderOne } from '../testing/orders.ts'
import { ADMIN, createTestBoost, SARAH, type TestBoost } from '../testing/test-boost.ts'
import { signFields } from './x-signature.ts'

/** F22: whatever becomes of a callback, there is one activation, or none and an alert. */

const TIMES = 20

let boost: TestBoost
beforeAll(async () => {
  boost = await createTestBoost()
})
afterAll(() => boost.stop())
beforeEach(() => emptyTables(boost.database.pool, 'payment_alerts'))

const order = () => orderOne(boost)
const failure = { paid: 'false', state: 'due', paid_amount: '0', paid_at: '' }
const paymentOf = async ({ placed }: Ordered) =>
  (await boost.call('GET', `/api/boost/payments/${placed.body.orderId}`, { by: SARAH })).body
const activations = ({ productId }: Ordered) =>
  [...boost.shelf.commands.values()].filter((featured) => featured === productId).length
const untilBoosted = (ordered: Ordered) =>
  eventually(async () => expect((await paymentOf(ordered)).products[0].state).toBe('boosted'))
const EventRow = z.object({ type: z.string() })
const eventsOf = ({ placed }: Ordered) =>
  boost.database.pool.anyFirst(sql.type(EventRow)`
    select type from events where stream = ${`boost-order-${placed.body.orderId}`} order by version`)
const AlertRow = z.object({ kind: z.string() })
const alerts = () => boost.database.pool.anyFirst(sql.type(AlertRow)`select kind from payment_alerts order by id`)

async function expectOneActivation(ordered: Ordered): Promise<void> {
  await untilBoosted(ordered)
  expect(activations(ordered)).toBe(1)
  const types = await eventsOf(ordered)
  for (const type of ['BoostOrderSettled', 'ProductBoosted'])
    expect(types.filter((each) => each === type)).toHaveLength(1)
}

async function expectNoActivation(ordered: Ordered): Promise<void> {
  // Whatever were to come of it has come when something that came later has.
  const next = await order()
  await boost.callback(next.fields)
  await expectOneActivation(next)
  expect(activations(ordered)).toBe(0)
  expect((await paymentOf(ordered)).status).not.toBe('paid')
}

describe('a callback', () => {
  it('that comes twenty times, at once and one after the other, counts once', async () => {
    const ordered = await order()
    const atOnce = await Promise.all(Array.from({ length: TIMES }, () => boost.callback(ordered.fields)))
    for (const { status, body } of atOnce) expect([status, body]).toEqual([200, { success: true }])
    for (let count = 0; count < TIMES; count++) expect((await boost.callback(ordered.fields)).status).toBe(200)
    await expectOneActivation(ordered)
    expect(await paymentOf(ordered)).toMatchObject({
      status: 'paid',
      paidAt: '2026-11-23T00:15:09.000Z',
      transactionId: 'T1',
    })
  })

  it.each([
    ['before', [failure, {}]],
    ['after', [{}, failure]],
  ])('of a failure %s that of the payment takes nothing back', async (_, changes) => {
    const ordered = await order()
    for (const change of changes) expect((await boost.callback({ ...ordered.fields, ...change })).status).toBe(200)
    await expectOneActivation(ordered)
    expect((await paymentOf(ordered)).status).toBe('paid')
  })

  it('of a payment that is not decided yet leaves the order waiting, and its bill to be paid', async () => {
    const ordered = await order()
    const { fields } = ordered
    const tell = (status: string) => boost.callback({ ...fields, ...failure, transaction_status: status })
    expect((await tell('pending')).status).toBe(200)
    expect((await paymentOf(ordered)).status).toBe('pending')
    expect((await tell('failed')).status).toBe(200)
    expect((await paymentOf(ordered)).status).toBe('failed')
    await boost.callback({ ...fields, transaction_status: 'completed' })
    await expectOneActivation(ordered)
  })

  it('that comes after the order was given up counts', async () => {
    const ordered = await order()
    await boost.call('DELETE', `/api/boost/orders/${ordered.placed.body.orderId}`, { by: SARAH })
    expect((await boost.callback(ordered.fields)).status).toBe(200)
    await expectOneActivation(ordered)
  })

  it.each([
    ['another amount', { paid_amount: '999' }, 400, 'wrong-amount'],
    ['more than was asked for', { amount: '1001', paid_amount: '1001' }, 400, 'wrong-amount'],
    ['nothing', { paid_amount: '' }, 400, 'wrong-amount'],
    ['another bill', { id: 'nobodys' }, 400, 'unknown-bill'],
    ['another collection', { collection_id: 'another' }, 400, 'wrong-collection'],
  ])('of %s changes nothing, and somebody is told once', async (_, change, status, kind) => {
    const ordered = await order()
    for (let count = 0; count < TIMES; count++)
      expect((await boost.callback({ ...ordered.fields, ...change })).status).toBe(status)
    await expectNoActivation(ordered)
    expect(await alerts()).toEqual([kind])
  })

  it.each([
    ['no bill', { id: undefined }, { billId: expect.stringMatching(/^signed [0-9a-f]{16}$/), transactionId: 'T1' }],
    ['no amount', { amount: undefined }, { amount: 1000, isPaid: true }],
    ['an amount in ringgit', { paid_amount: '10.00' }, { amount: 0, isPaid: true }],
    ['another word for paid', { paid: 'yes' }, { amount: 1000, isPaid: false }],
    ['a transaction that is too long', { transaction_id: 'T'.repeat(101) }, { transactionId: 'T'.repeat(100) }],
    ['something that is too long', { description: 'D'.repeat(2_001) }, { amount: 1000, isPaid: true }],
    ['something under a name that is too long', { ['d'.repeat(101)]: 'D' }, { amount: 1000, isPaid: true }],
    ['an amount twice', { paid_amount: ['1000', '999'] }, { amount: 1000, isPaid: true }],
    ['one thing twice', { paid: ['true', 'true'] }, { amount: 1000, isPaid: true }],
  ])('that says %s is an alert, once', async (_, change, shown) => {
    const ordered = await order()
    const fields = { ...ordered.fields, ...change } as Record<string, string | string[]>
    for (const [name, value] of Object.entries(change)) if (value === undefined) delete fields[name]
    for (let count = 0; count < TIMES; count++) expect((await boost.callback(fields)).status).toBe(400)
    await expectNoActivation(ordered)
    const { body } = await boost.call('GET', '/api/admin/payment-alerts', { by: ADMIN })
    const billId = 'id' in change ? {} : { billId: ordered.billId }
    expect(body).toEqual([expect.objectContaining({ kind: 'unreadable', ...billId, ...shown })])
  })

  it('that cannot be read is another one when it says something else', async () => {
    const { fields } = await order()
    const { id: _id, transaction_id: _transaction, ...rest } = fields
    for (const name of ['A', 'B', 'A']) await boost.callback({ ...rest, name })
    expect(await alerts()).toEqual(['unreadable', 'unreadable'])
  })

  it('that is signed with another key changes nothing', async () => {
    const ordered = await order()
    for (const key of ['', 'another', sandboxKeys.apiKey])
      expect(await boost.callback(ordered.fields, key)).toMatchObject({
        status: 401,
        body: { code: 'invalid-signature' },
      })
    await expectNoActivation(ordered)
    expect(await alerts()).toEqual([])
  })

  it('with more than a provider ever says is refused before anybody sorts and signs it', async () => {
    const post = (payload: string, type: string) =>
      boost.app.inject({ method: 'POST', url: '/api/boost/callback', headers: { 'content-type': type }, payload })
    const form = await post('a=1&'.repeat(20_000), 'application/x-www-form-urlencoded')
    const json = await post(JSON.stringify({ a: Array.from({ length: 20_000 }, () => '1') }), 'application/json')
    for (const answer of [form, json]) {
      expect([answer.statusCode, answer.json()]).toMatchObject([413, { code: 'too-large' }])
    }
  })

  it('whose fields are changed, missing or said twice changes nothing', async () => {
    const ordered = await order()
    const { fields } = ordered
    const send = async (payload: string) => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      return (await boost.app.inject({ method: 'POST', url: '/api/boost/callback', headers, payload })).statusCode
    }
    const signed = await boost.callback({ ...fields, ...failure })
    expect(signed.status).toBe(200)
    expect(await send(`${new URLSearchParams(fields)}`)).toBe(401)
    expect(await send(`${new URLSearchParams({ ...fields, x_signature: '0'.repeat(64) })}`)).toBe(401)
    expect(await send(`${new URLSearchParams(fields)}&paid=true&x_signature=0&x_signature=0`)).toBe(401)
    expect(await send('')).toBe(401)
    for (const missing of ['id', 'paid', 'collection_id', 'amount']) {
      const { [missing]: _, ...rest } = fields
      expect((await boost.callback(rest)).status).toBe(400)
    }
    await expectNoActivation(ordered)
  })

  it('comes before the redirect or after it, which changes nothing', async () => {
    const ordered = await order()
    const { 'billplz[x_signature]': signature, ...back } = Object.fromEntries(
      new URL(await boost.sandbox.act(ordered.billId, 'silent')).searchParams,
    )
    const visit = async (query: Record<string, string>) =>
      (await boost.app.inject(`/api/boost/return?${new URLSearchParams(query)}`)).headers['location']
    expect(await visit({ ...back, 'billplz[x_signature]': signature ?? '' })).toMatch(/payment=success/)
    expect((await paymentOf(ordered)).status).toBe('pending')
    for (const forged of [back, { ...back, 'billplz[x_signature]': 'x' }, { ...back, 'billplz[id]': 'y' }, {}])
      expect(await visit(forged)).toMatch(/payment=error/)
    await boost.callback(ordered.fields)
    await expectOneActivation(ordered)
    expect(await visit({ ...back, 'billplz[x_signature]': signature ?? '' })).toMatch(/payment=success/)
    expect(activations(ordered)).toBe(1)
  })

  it('is acted upon though the service ends in between, once', async () => {
    const ordered = await order()
    // Featured, and then nobody hears of it.
    let times = 0
    boost.shelf.isAway = () => {
      times += 1
      return times % 2 === 0 && times <= 4
    }
    await boost.callback(ordered.fields)
    await eventually(() => times > 1)
    await boost.restartConsumers()
    await boost.callback(ordered.fields)
    await expectOneActivation(ordered)
    boost.shelf.isAway = () => false
  })

  it('boosts and opens no case though the product is gone before the answer of catalogue has come', async () => {
    const ordered = await order()
    boost.shelf.isAway = () => {
      if (activations(ordered) === 0) return false
      boost.shelf.isAway = () => false
      return boost.shelf.products.delete(ordered.productId)
    }
    await boost.callback(ordered.fields)
    await expectOneActivation(ordered)
    expect((await eventsOf(ordered)).filter((type) => type === 'BoostCaseOpened')).toEqual([])
  })

  it('waits for catalogue while that is away, and is answered at once', async () => {
    const ordered = await order()
    boost.shelf.isAway = () => true
    expect((await boost.callback(ordered.fields)).status).toBe(200)
    expect((await paymentOf(ordered)).products[0].state).toBe('waiting')
    boost.shelf.isAway = () => false
    await expectOneActivation(ordered)
  })

  it('that the database cannot take is not taken, and taken when it comes again', async () => {
    const ordered = await order()
    const { pool } = boost.database
    await pool.query(sql.unsafe`alter table payments rename to payments_away`)
    const status = (await boost.callback(ordered.fields)).status
    await pool.query(sql.unsafe`alter table payments_away rename to payments`)
    expect(status).toBeGreaterThanOrEqual(500)
    expect((await paymentOf(ordered)).status).toBe('pending')
    await boost.callback(ordered.fields)
    await expectOneActivation(ordered)
  })

  it('asks little of the database, and nothing of anybody else', async () => {
    const ordered: Ordered[] = []
    for (let count = 0; count < TIMES; count++) ordered.push(await order())
    await boost.stopConsumers()
    boost.sandbox.isAway = true
    const askedBefore = boost.shelf.asked
    for (const { fields } of ordered) {
      const statements = await statementsOf(async () => expect((await boost.callback(fields)).status).toBe(200))
      // Whose bill it is; and in one transaction the order, what has happened, and the table that is read from it.
      expect(statements.map((statement) => statement.split(/\s/)[0]?.toLowerCase())).toEqual([
        'select',
        'start',
        'select',
        'with',
        'with',
        'commit',
      ])
    }
    expect(boost.shelf.asked).toBe(askedBefore)
    // Whose signature is wrong costs the database nothing.
    expect(await statementsOf(() => boost.callback(ordered[0]?.fields ?? {}, 'another'))).toEqual([])
    boost.sandbox.isAway = false
    await boost.restartConsumers()
  })
})

describe('a redirect', () => {
  it('leaves open what the bank has not decided yet', async () => {
    const visit = async (status: string) => {
      const back = { 'billplz[id]': 'zq0tm2wc', 'billplz[paid]': 'false', 'billplz[paid_at]': '' }
      const fields = { ...back, 'billplz[transaction_id]': 'T1', 'billplz[transaction_status]': status }
      const signed = { ...fields, 'billplz[x_signature]': signFields(fields, sandboxKeys.signatureKey) }
      const { headers } = await boost.app.inject(`/api/boost/return?${new URLSearchParams(signed)}`)
      return headers['location']
    }
    expect(await visit('pending')).toBe(
      '/seller/dashboard?tab=boosted&payment=pending&message=Your+bank+has+not+decided+yet.+Your+products+will+be+featured+when+it+has+paid.',
    )
    expect(await visit('failed')).toMatch(/payment=failed/)
  })
})
