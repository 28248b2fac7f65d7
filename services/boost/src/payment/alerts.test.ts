import { sql } from '@wangian/kit/database/postgres.ts'
import { readStream } from '@wangian/kit/log/event-store.ts'
import { registeredAs, tellOfPerson } from '@wangian/kit/testing/people.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ADMIN, createTestBoost, DISMISSED_ADMIN, SARAH, type TestBoost } from '../testing/test-boost.ts'
import { saveAlert } from './payment-store.ts'

let boost: TestBoost
beforeAll(async () => {
  boost = await createTestBoost()
})
afterAll(() => boost.stop())
beforeEach(() => boost.database.pool.query(sql.unsafe`truncate payment_alerts, events restart identity`))

/** As the provider tells of a bill that is no order's. */
const tell = (billId: string, transactionId: string | null = null) =>
  saveAlert(boost.database.pool, 'unknown-bill', {
    billId,
    paidSen: 1_000,
    isPaid: true,
    transactionId,
  } as Parameters<typeof saveAlert>[2])
const list = (query = '') => boost.call('GET', `/api/admin/payment-alerts${query}`, { by: ADMIN })
const close = (id: number, reason: unknown = 'Paid back by bank transfer.', by = ADMIN) =>
  boost.call('POST', `/api/admin/payment-alerts/${id}/close`, { by, body: { reason } })
const idsOf = async (query = '') => (await list(query)).body.map(({ id }: { id: number }) => id)

describe('payments that fit no order', () => {
  it('are listed, what is open first, page by page', async () => {
    for (const billId of ['a', 'b', 'c', 'd']) await tell(billId)
    await close(4)
    await close(2)
    expect(await idsOf()).toEqual([3, 1, 4, 2])
    expect(await idsOf('?state=open')).toEqual([3, 1])
    expect(await idsOf('?state=closed')).toEqual([4, 2])
    const seen = []
    let url: string | undefined = '?limit=3'
    let total: unknown
    while (url !== undefined) {
      const { body, headers } = await list(url)
      total = headers['x-total-count']
      seen.push(body.map(({ id }: { id: number }) => id))
      url = /<[^?]*(\?[^>]*)>/.exec(String(headers['link'] ?? ''))?.[1]
    }
    expect(seen).toEqual([[3, 1, 4], [2]])
    expect(total).toBe('4')
    expect((await list('?cursor=nonsense')).status).toBe(400)
  })

  it('are closed once, by the first of two, who says how', async () => {
    await tell('a')
    const [one, other] = await Promise.all([close(1, '  Paid back. '), close(1, 'Ours after all.')])
    expect([one?.status, other?.status]).toEqual([200, 200])
    expect(one?.body).toEqual(other?.body)
    expect(one?.body).toEqual({
      ...{ id: 1, kind: 'unknown-bill', billId: 'a', user: null, amount: 1_000, isPaid: true, transactionId: null },
      ...{ firstAt: expect.any(String), lastAt: expect.any(String), closedAt: expect.any(String), closedBy: ADMIN },
      reason: expect.stringMatching(/^(Paid back\.|Ours after all\.)$/),
    })
    const events = await readStream(boost.database.pool, 'boost', 'payment-alert-1')
    expect(events).toMatchObject([
      {
        type: 'PaymentAlertClosed',
        data: { alertId: 1, reason: one?.body.reason, closedAt: one?.body.closedAt },
        metadata: { actorId: ADMIN },
      },
    ])
  })

  it('are closed by nobody who was dismissed, whatever their token says', async () => {
    await tell('a')
    const refused = { status: 403, body: { code: 'admin-access-required' } }
    expect(await close(1, 'Paid back.', DISMISSED_ADMIN)).toMatchObject(refused)
    expect((await list()).body).toMatchObject([{ closedAt: null }])
  })

  it('say whose order has the bill', async () => {
    await tellOfPerson(boost.database.pool, registeredAs(SARAH, 'sarah'))
    const { body } = await boost.order(boost.list(1))
    await tell(body.paymentUrl.split('/').at(-1))
    expect((await list()).body).toMatchObject([{ user: { id: SARAH, username: 'sarah' } }])
  })

  it('stay closed when the provider tells of them again', async () => {
    await tell('a')
    await close(1)
    await tell('a')
    expect((await list()).body).toMatchObject([{ id: 1, closedBy: ADMIN }])
  })

  it.each([
    ['and when the bill is asked for afterwards', 'T1', null],
    ['and when the bill was asked for before', null, 'T1'],
  ])('stay closed when the callback comes %s', async (_, first, second) => {
    await tell('a', first)
    await close(1)
    for (const transactionId of [second, first, 'T1']) await tell('a', transactionId)
    expect((await list()).body).toMatchObject([{ id: 1, closedBy: ADMIN, transactionId: 'T1' }])
    // A second payment.
    await tell('a', 'T2')
    expect((await list()).body).toMatchObject([{ transactionId: 'T2', closedAt: null }, { id: 1 }])
  })

  it('need a reason to be closed, and an administrator', async () => {
    await tell('a')
    for (const reason of ['', '  ', 'x'.repeat(501), null]) expect((await close(1, reason)).status).toBe(400)
    expect(await close(99)).toMatchObject({ status: 404, body: { code: 'not-found' } })
    expect(await close(1, 'Mine.', SARAH)).toMatchObject({ status: 403, body: { code: 'admin-access-required' } })
    expect((await boost.call('GET', '/api/admin/payment-alerts', { by: SARAH })).status).toBe(403)
    expect((await list()).body).toMatchObject([{ id: 1, closedAt: null, reason: null }])
  })
})
