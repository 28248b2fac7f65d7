import { ADMIN_FOUND_COUNTED_MAX, AdminAction } from '@wangian/contracts/admin.ts'
import { boostRequests } from '@wangian/contracts/boost.ts'
import { messagingRequests } from '@wangian/contracts/messaging.ts'
import { serveRequests } from '@wangian/kit/bus/requests.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { at, BALA, HAFIZ, listed, moved, placed, registered, SARAH } from '../testing/facts.ts'
import { adminUser } from '../testing/identity-stand-in.ts'
import { ADMIN, createTestAdmin, OTHER_ADMIN, type TestAdmin } from '../testing/test-admin.ts'

let admin: TestAdmin
let owners: { stop(): Promise<void> }[]

beforeAll(async () => {
  admin = await createTestAdmin()
  const { connection } = admin.nats
  owners = [
    serveRequests(connection, 'messaging', messagingRequests.listDecisionReasons, (asked) => ({
      reasons: asked.reportIds.map((reportId) => ({ reportId, reason: `Report ${reportId} is right` })),
    })),
    serveRequests(connection, 'boost', boostRequests.listRefundNotes, (asked) => ({
      notes: asked.caseIds.map((caseId) => ({ caseId, note: `Bank transfer ${caseId}` })),
    })),
  ]
  const { names, logs, identity } = admin
  names.set(ADMIN, 'root').set(SARAH, 'sarah').set(BALA, '=1+1')
  for (const userId of [ADMIN, SARAH, BALA]) {
    await logs.identity.append(`user-${userId}`, registered(userId))
    identity.people.set(userId, adminUser(userId))
  }
  await logs.catalogue.append('listing-1', listed())
})
afterAll(async () => {
  await Promise.all(owners.map((owner) => owner.stop()))
  await admin.stop()
})

const entries = async (query = '') => (await admin.call('GET', `/api/admin/activity?${query}`)).body
const ban = (userId: number, isBanned: boolean, reason?: string) =>
  admin.call('PATCH', `/api/admin/users/${userId}/ban`, { body: { isBanned, reason } })

it('has who did what to whom, why, and what it was before', async () => {
  expect(await ban(SARAH, true, ' Sells fakes ')).toMatchObject({ status: 200, body: { id: SARAH, isBanned: true } })
  await eventually(async () =>
    expect(await entries()).toEqual([
      {
        id: expect.any(String),
        at: at(40),
        actor: { id: ADMIN, username: 'root' },
        action: 'ban-user',
        target: { kind: 'user', id: String(SARAH), name: 'sarah' },
        reason: 'Sells fakes',
        before: { isBanned: false },
        after: { isBanned: true },
      },
    ]),
  )
})

it('has nothing of a refusal, nor of what changed nothing', async () => {
  expect((await ban(SARAH, true)).status).toBe(200)
  expect((await ban(ADMIN, true)).status).toBe(409)
  expect((await ban(404, true)).status).toBe(404)
  expect((await ban(SARAH, false)).status).toBe(200)
  await eventually(async () =>
    expect((await entries()).map(({ action, reason }: never) => [action, reason])).toEqual([
      ['unban-user', null],
      ['ban-user', 'Sells fakes'],
    ]),
  )
})

it('has what administrators did elsewhere, and not what others did', async () => {
  const { catalogue, boost, messaging } = admin.logs
  const removal = { productId: 1, sellerId: SARAH, removedAt: at(42) } as const
  await catalogue.append('listing-2', listed({ productId: 2 }))
  await catalogue.appendBy(SARAH, 'listing-2', {
    type: 'ListingRemoved',
    data: { ...removal, productId: 2, by: 'seller', reason: null },
  })
  await catalogue.appendBy(ADMIN, 'listing-1', {
    type: 'ListingRemoved',
    data: { ...removal, by: 'admin', reason: 'A fake' },
  })
  const refund = { caseId: 3, orderId: '0193a000-0000-7000-8000-000000000003', userId: SARAH, packageId: 1 }
  await boost.appendBy(OTHER_ADMIN, 'boost-order-3', {
    type: 'BoostCaseRefunded',
    data: {
      ...refund,
      durationHours: 1,
      productId: 1,
      productName: 'x',
      amountSen: 250,
      note: 'x',
      refundedAt: at(43),
    },
  })
  await messaging.appendBy(BALA, 'deal-5', placed(5))
  await messaging.appendBy(SARAH, 'deal-5', moved(5, 'processing'))
  const report = { reportId: 4, reporterId: BALA, reportedId: SARAH, kind: 'person', targetId: SARAH } as const
  await messaging.appendBy(ADMIN, 'report-4', {
    type: 'ReportDecided',
    data: { ...report, decision: 'upheld', decidedAt: at(39) },
  })
  await eventually(async () =>
    expect(await entries('limit=2')).toMatchObject([
      {
        action: 'refund-case',
        actor: { id: OTHER_ADMIN, username: `User ${OTHER_ADMIN}` },
        target: { kind: 'case', id: '3', name: null },
        reason: 'Bank transfer 3',
        after: { isRefunded: true, amountSen: 250 },
      },
      { action: 'remove-listing', target: { kind: 'listing', id: '1', name: 'Santal 33' }, reason: 'A fake' },
    ]),
  )
  expect(await entries('action=remove-listing')).toHaveLength(1)
  await eventually(async () =>
    expect(await entries('action=decide-report')).toMatchObject([
      {
        target: { kind: 'report', id: '4' },
        reason: 'Report 4 is right',
        before: { status: 'open' },
        after: { status: 'upheld' },
      },
    ]),
  )
  // Told before the decision, by a seller.
  expect(await entries('action=move-order')).toEqual([])
})

it('tells of administrators who come and go', async () => {
  const set = (isAdmin: boolean) =>
    admin.call('PATCH', `/api/admin/users/${BALA}/admin`, { body: { isAdmin, reason: '+Helps out' } })
  expect((await set(true)).status).toBe(200)
  expect((await set(true)).status).toBe(200)
  await eventually(async () =>
    expect(await entries('limit=1')).toMatchObject([{ action: 'appoint-administrator', reason: '+Helps out' }]),
  )
})

it.each([
  [`actorId=${OTHER_ADMIN}`, ['refund-case']],
  ['action=ban-user', ['ban-user']],
  [`targetKind=user&targetId=${SARAH}`, ['unban-user', 'ban-user']],
  ['targetKind=order', []],
])('is found by %s', async (query, actions) => {
  const { body, headers } = await admin.call('GET', `/api/admin/activity?${query}`)
  expect(body.map(({ action }: { action: string }) => action)).toEqual(actions)
  expect(headers['x-total-count']).toBe(String(actions.length))
})

it('comes in pages', async () => {
  const paged: string[] = []
  let url: string | undefined = '/api/admin/activity?limit=2'
  while (url !== undefined) {
    const { body, headers } = await admin.call('GET', url)
    paged.push(...body.map(({ action }: { action: string }) => action))
    url = /<(.*)>; rel="next"/.exec(String(headers['link']))?.[1]
  }
  expect(paged).toEqual([
    'appoint-administrator',
    'refund-case',
    'remove-listing',
    'unban-user',
    'ban-user',
    'decide-report',
  ])
})

it('is exported as a table that is harmless to spreadsheets', async () => {
  const { status, body, headers } = await admin.call('GET', '/api/admin/activity/export')
  expect(status).toBe(200)
  expect(headers['content-type']).toBe('text/csv; charset=utf-8')
  expect(headers['content-disposition']).toBe('attachment; filename="activity.csv"')
  const lines = body.split('\r\n')
  expect(lines[0]).toBe(
    '\uFEFF"time","administrator","action","target","target id","target name","reason","before","after"',
  )
  expect(lines[1]).toBe(
    `"${at(50)}","root","appoint-administrator","user","${BALA}","'=1+1","'+Helps out","isAdmin: false","isAdmin: true"`,
  )
  expect(lines).toHaveLength(8)
  const one = await admin.call('GET', '/api/admin/activity/export?action=ban-user')
  expect(one.body.split('\r\n')).toHaveLength(3)
  const ofEvents = await admin.call('GET', '/api/admin/activity/export?targetKind=event')
  expect(ofEvents.body.split('\r\n')).toHaveLength(2)
  expect((await admin.call('GET', '/api/admin/activity/export', { by: SARAH })).status).toBe(403)
})

it.each([
  ['PATCH', `/api/admin/users/${SARAH}/ban`, { isBanned: true }],
  ['PATCH', `/api/admin/users/${SARAH}/admin`, { isAdmin: true, reason: 'x' }],
  ['POST', '/api/admin/system/parked/retry', { service: 'catalogue', consumer: 'x', eventId: 'x' }],
  ['POST', '/api/admin/system/parked/discard', { service: 'catalogue', consumer: 'x', eventId: 'x', reason: 'x' }],
] as const)('has nothing of those who are no administrators any more: %s %s', async (method, url, body) => {
  const dismissed = 9_003
  const before = await entries('limit=1')
  expect(await admin.call(method, url, { by: dismissed, body })).toMatchObject({
    status: 403,
    body: { message: 'Admin Access Required' },
  })
  expect(await entries('limit=1')).toEqual(before)
})

it.each([
  [`/api/admin/users/${SARAH}/admin`, { isAdmin: true, reason: '  ' }, 'Reason is required'],
  [`/api/admin/users/${SARAH}/admin`, { isAdmin: true }, 'Reason is required'],
  [`/api/admin/users/${SARAH}/ban`, { isBanned: true, reason: 'x'.repeat(501) }, 'Please use at most 500 characters'],
])('wants a reason that can be shown: %s %o', async (url, body, message) => {
  const answer = await admin.call('PATCH', url, { body })
  expect(answer.status).toBe(400)
  expect(JSON.stringify(answer.body)).toContain(message)
})

it('asks identity for the table of users, page by page', async () => {
  const url = '/api/admin/users?search=%20sa_%20&status=banned&role=seller&sort=email-desc&limit=2'
  const { status, body, headers } = await admin.call('GET', url)
  expect([status, body.length, headers['x-total-count']]).toEqual([200, 2, '3'])
  const next = /<(.*)>; rel="next"/.exec(String(headers['link']))?.[1] ?? ''
  await admin.call('GET', next)
  const asked = { search: 'sa_', status: 'banned', role: 'seller', sort: 'email-desc', limit: 2 }
  expect(admin.identity.searches).toEqual([
    { ...asked, after: null },
    { ...asked, after: { key: 'x', id: 7 } },
  ])
  // The place of one order is no place of another.
  expect((await admin.call('GET', next.replace('email-desc', 'newest'))).status).toBe(400)
  expect((await admin.call('GET', '/api/admin/users/404')).status).toBe(404)
})

it('has a total of users, unless a search finds too many to count them', async () => {
  const { people } = admin.identity
  const extraIds = Array.from({ length: ADMIN_FOUND_COUNTED_MAX - people.size }, (_, index) => 20_000 + index)
  for (const id of [...extraIds, 30_000]) people.set(id, adminUser(id))
  const totalOf = async (query: string) =>
    (await admin.call('GET', `/api/admin/users?${query}limit=1`)).headers['x-total-count']
  expect(await totalOf('')).toBe('1001')
  expect(await totalOf('search=person&')).toBeUndefined()
  people.delete(30_000)
  expect(await totalOf('search=person&')).toBe('1000')
  for (const id of extraIds) people.delete(id)
})

it('has a second factor that an administrator took off, and none that somebody took off themselves', async () => {
  const { identity, logs } = admin
  await logs.identity.append(`user-${HAFIZ}`, registered(HAFIZ))
  identity.people.set(HAFIZ, adminUser(HAFIZ, { hasSecondFactor: true }))
  await logs.identity.appendBy(SARAH, `user-${SARAH}`, {
    type: 'SecondFactorRemoved',
    data: { userId: SARAH, by: 'self', removedAt: at(54) },
  })
  const remove = () =>
    admin.call('DELETE', `/api/admin/users/${HAFIZ}/factors`, { body: { reason: 'Has lost the phone' } })
  expect(await remove()).toMatchObject({ status: 200, body: { id: HAFIZ, hasSecondFactor: false } })
  expect((await remove()).status).toBe(200)
  await eventually(async () =>
    expect(await entries('action=remove-second-factor')).toEqual([
      {
        id: expect.any(String),
        at: at(55),
        actor: { id: ADMIN, username: 'root' },
        action: 'remove-second-factor',
        target: { kind: 'user', id: String(HAFIZ), name: `person-${HAFIZ}` },
        reason: 'Has lost the phone',
        before: { hasSecondFactor: true },
        after: { hasSecondFactor: false },
      },
    ]),
  )
})

it('has a payment alert that was closed, once', async () => {
  const closed = { type: 'PaymentAlertClosed', data: { alertId: 6, reason: 'Paid back', closedAt: at(56) } } as const
  await admin.logs.boost.appendBy(OTHER_ADMIN, 'payment-alert-6', closed)
  await eventually(async () =>
    expect(await entries('action=close-payment-alert')).toMatchObject([
      {
        at: at(56),
        actor: { id: OTHER_ADMIN },
        target: { kind: 'payment-alert', id: '6', name: null },
        reason: 'Paid back',
        before: { isOpen: true },
        after: { isOpen: false },
      },
    ]),
  )
})

it('has of every action what was before and after', async () => {
  const dismiss = { isAdmin: false, reason: 'Has other things to do' }
  expect((await admin.call('PATCH', `/api/admin/users/${BALA}/admin`, { body: dismiss })).status).toBe(200)
  const order = { orderId: 5, productId: 1, productName: 'Santal 33', sellerId: SARAH, buyerId: BALA, totalSen: 100 }
  await admin.logs.messaging.appendBy(ADMIN, 'deal-5', {
    type: 'OrderStatusChanged',
    data: { ...order, status: 'shipped', admin: { id: ADMIN, from: 'processing', reason: null }, changedAt: at(57) },
  })
  const parked = ['retry-event', 'discard-event']
  await eventually(async () => {
    const said = (await entries('limit=100')).map(({ action, before, after }: Record<string, unknown>) => [
      action,
      [before, after],
    ])
    const known = Object.fromEntries(said)
    expect(known).toEqual({
      'ban-user': [{ isBanned: false }, { isBanned: true }],
      'unban-user': [{ isBanned: true }, { isBanned: false }],
      'appoint-administrator': [{ isAdmin: false }, { isAdmin: true }],
      'dismiss-administrator': [{ isAdmin: true }, { isAdmin: false }],
      'remove-second-factor': [{ hasSecondFactor: true }, { hasSecondFactor: false }],
      'move-order': [{ status: 'processing' }, { status: 'shipped' }],
      'remove-listing': [{ isRemoved: false }, { isRemoved: true }],
      'decide-report': [{ status: 'open' }, { status: 'upheld' }],
      'refund-case': [{ isRefunded: false }, { isRefunded: true, amountSen: 250 }],
      'close-payment-alert': [{ isOpen: true }, { isOpen: false }],
    })
    expect([...Object.keys(known), ...parked].toSorted()).toEqual(AdminAction.options.toSorted())
  })
})
