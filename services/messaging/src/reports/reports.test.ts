import { catalogueRequests } from '@wangian/contracts/catalogue.ts'
import { identityRequests } from '@wangian/contracts/identity-requests.ts'
import { messagingRequests } from '@wangian/contracts/messaging.ts'
import type { AdminReport, ReportDecision, ReportKind } from '@wangian/contracts/reports.ts'
import { request, serveRequests } from '@wangian/kit/bus/requests.ts'
import { sql } from '@wangian/kit/database/postgres.ts'
import type { App } from '@wangian/kit/http/http.ts'
import { readStream } from '@wangian/kit/log/event-store.ts'
import { saveClosings } from '@wangian/kit/people/people-store.ts'
import { emptyTables } from '@wangian/kit/testing/empty-tables.ts'
import { tellOfPerson } from '@wangian/kit/testing/people.ts'
import { rebuildTables } from '@wangian/kit/testing/rebuild-tables.ts'
import { createTestTokens, type TestTokens } from '@wangian/kit/testing/test-app.ts'
import { createTestDatabase, type TestDatabase } from '@wangian/kit/testing/test-database.ts'
import { startTestNats, type TestNats } from '@wangian/kit/testing/test-nats.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { buildApp } from '../app.ts'
import { createSentRows } from '../conversations/sent-rows.ts'
import { insertDeal, setRating } from '../deals/deal-store.ts'
import { conversationsProjection } from '../projections.ts'
import { identityHandlers } from '../reactions.ts'
import { serveMessaging } from '../requests.ts'
import {
  ADMIN,
  BALA,
  introducePeople,
  MEI,
  migrationsDirectory,
  PRODUCT,
  SARAH,
  SENT_AT_MS,
  send,
  testAttachments,
} from '../testing/fixtures.ts'

/** What there is to report; `nothing` is an id that nothing has. */
type Target = ReportKind | 'nothing'

const REVIEWED = 31
const UNREVIEWED = 32
const NOTHING = 999_999
/** Whose token does not know that they are dismissed. */
const DISMISSED_ADMIN = 89

let database: TestDatabase
let tokens: TestTokens
let nats: TestNats
let app: App
let catalogue: { stop(): Promise<void> }
let identity: { stop(): Promise<void> }
let messageId: number

beforeAll(async () => {
  database = await createTestDatabase({ service: 'messaging', migrationsDirectory })
  tokens = await createTestTokens()
  nats = await startTestNats()
  catalogue = serveRequests(nats.connection, 'catalogue', catalogueRequests.getListing, ({ productId }) => ({
    listing:
      productId === PRODUCT
        ? {
            productId,
            sellerId: SARAH,
            name: 'Santal 33',
            priceSen: 68_050,
            listingType: 'fixed' as const,
            imageUrl: null,
            imageUrls: [],
          }
        : null,
  }))
  identity = serveRequests(nats.connection, 'identity', identityRequests.getAdministrator, ({ userId }) => ({
    isAdministrator: userId !== DISMISSED_ADMIN,
  }))
  app = build(1000)
})
afterAll(async () => {
  await app.close()
  await catalogue.stop()
  await identity.stop()
  await nats.stop()
  await database.drop()
})
beforeEach(async () => {
  const { pool } = database
  await emptyTables(
    pool,
    'events, messages, message_texts, conversations, deals, reports, report_texts, decision_reasons, known_people',
  )
  await introducePeople(pool)
  messageId = (await send(pool)).id
  for (const transactionId of [REVIEWED, UNREVIEWED]) {
    await insertDeal(pool, {
      transactionId,
      productId: PRODUCT,
      productName: 'Santal 33',
      sellerId: SARAH,
      buyerId: BALA,
      amountSen: 60_000,
      auctionId: null,
      startedAt: new Date(SENT_AT_MS).toISOString(),
    })
  }
  await setRating(pool, REVIEWED, 4.5)
})

function build(rateLimitFactor: number): App {
  return buildApp({
    pool: database.pool,
    nats: nats.connection,
    onAppended: () => {},
    attachments: testAttachments('/nowhere'),
    auth: tokens.authenticator,
    rateLimitFactor,
    nowMs: () => SENT_AT_MS,
  })
}

async function report(id: number, body: Record<string, unknown>, on = app) {
  const response = await on.inject({
    method: 'POST',
    url: '/api/reports',
    headers: await tokens.bearer({ id }),
    payload: { reason: 'scam', ...body },
  })
  return { status: response.statusCode, body: response.json() }
}

const targetId = (kind: ReportKind) => ({ person: SARAH, listing: PRODUCT, message: messageId, review: REVIEWED })[kind]

// Bala wrote a message to Sarah, whose listing it is, and reviewed what he bought of her. Mei is a stranger to both.
it.each<[who: number, kind: ReportKind, target: Target, status: number, code?: string]>([
  [BALA, 'person', 'person', 201],
  [MEI, 'person', 'person', 201],
  [SARAH, 'person', 'person', 400, 'own-report'],
  [BALA, 'person', 'nothing', 404, 'user-not-found'],
  [BALA, 'listing', 'listing', 201],
  [MEI, 'listing', 'listing', 201],
  [SARAH, 'listing', 'listing', 400, 'own-report'],
  [BALA, 'listing', 'nothing', 404, 'product-not-found'],
  [SARAH, 'message', 'message', 201],
  [BALA, 'message', 'message', 400, 'own-report'],
  [MEI, 'message', 'message', 404, 'message-not-found'],
  [SARAH, 'message', 'nothing', 404, 'message-not-found'],
  [SARAH, 'review', 'review', 201],
  [MEI, 'review', 'review', 201],
  [BALA, 'review', 'review', 400, 'own-report'],
  [MEI, 'review', 'nothing', 404, 'review-not-found'],
])('%i reports a %s (%s): %i', async (who, kind, target, status, code) => {
  const id = target === 'nothing' ? NOTHING : targetId(target)
  const answer = await report(who, { kind, targetId: id })
  expect(answer).toMatchObject(status === 201 ? { status, body: { kind, targetId: id } } : { status, body: { code } })
})

it('takes no report of a purchase that nobody has reviewed', async () => {
  expect(await report(MEI, { kind: 'review', targetId: UNREVIEWED })).toMatchObject({ status: 404 })
})

it('takes no report of somebody who has left', async () => {
  await saveClosings(database.pool, [{ userId: SARAH, version: 2, closedAt: new Date(SENT_AT_MS).toISOString() }])
  expect(await report(MEI, { kind: 'person', targetId: SARAH })).toMatchObject({ status: 404 })
})

it('keeps what was written in no event', async () => {
  const { body } = await report(MEI, { kind: 'person', targetId: SARAH, text: ' Asked me to pay elsewhere. ' })
  const filed = { kind: 'person', targetId: SARAH, reason: 'scam' }
  expect(body).toEqual({
    ...filed,
    id: expect.any(Number),
    text: 'Asked me to pay elsewhere.',
    status: 'open',
    createdAt: '2026-11-22T08:00:00.000Z',
  })
  const [event] = await readStream(database.pool, 'messaging', `report-${MEI}-person-${SARAH}`)
  expect(event).toMatchObject({
    type: 'ReportFiled',
    data: {
      ...filed,
      reportId: body.id,
      reporterId: MEI,
      reportedId: SARAH,
      filedAt: '2026-11-22T08:00:00.000Z',
    },
  })
  expect(JSON.stringify(event)).not.toContain('elsewhere')
  expect(await texts()).toEqual(['Asked me to pay elsewhere.'])
})

it('is one of each reporter for a target, however many come at once', async () => {
  const asked = { kind: 'listing', targetId: PRODUCT }
  const answers = await Promise.all(Array.from({ length: 10 }, () => report(MEI, asked)))
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
  for (const { status, body } of answers) if (status !== 201) expect(body.code).toBe('report-exists')
  expect((await report(BALA, asked)).status).toBe(201)
})

it.each([
  { kind: 'person', targetId: SARAH, reason: 'other' },
  { kind: 'person', targetId: SARAH, reason: 'other', text: '  ' },
  { kind: 'person', targetId: SARAH, text: 'a'.repeat(1001) },
  { kind: 'person', targetId: SARAH, reason: 'boredom' },
  { kind: 'shop', targetId: SARAH },
])('refuses %j', async (body) => {
  expect(await report(MEI, body)).toMatchObject({ status: 400, body: { code: 'bad-request' } })
})

it('is limited per person', async () => {
  const strict = build(0.1)
  const statuses: number[] = []
  for (const id of [1, 2, 3])
    statuses.push((await report(MEI, { kind: 'review', targetId: NOTHING + id }, strict)).status)
  expect(statuses).toEqual([404, 404, 429])
  await strict.close()
})

it.each([
  ['reporter', MEI],
  ['reported', SARAH],
])('loses its text when its %s is erased', async (_name, userId) => {
  await report(MEI, { kind: 'person', targetId: SARAH, text: 'Asked me to pay elsewhere.' })
  await report(BALA, { kind: 'person', targetId: MEI, text: 'Rude.' })
  await erase(userId)
  expect(await texts()).toEqual(userId === MEI ? [] : ['Rude.'])
})

it('of what somebody wrote who is erased has no text', async () => {
  await erase(BALA)
  expect(await report(SARAH, { kind: 'message', targetId: messageId, text: 'Siti was rude.' })).toMatchObject({
    status: 201,
  })
  expect(await texts()).toEqual([])
})

it('is made anew from the log', async () => {
  await report(MEI, { kind: 'person', targetId: SARAH })
  const rows = () => database.pool.any(sql.unsafe`select * from reports`)
  const before = await rows()
  await rebuildTables(database.pool, 'messaging', conversationsProjection)
  expect(await rows()).toEqual(before)
})

describe('administrators', () => {
  const OTHER_ADMIN = 90

  async function ask(method: 'GET' | 'POST', url: string, id: number, payload?: object) {
    const response = await app.inject({
      method,
      url,
      headers: await tokens.bearer({ id, username: `admin-${id}`, isAdmin: true }),
      ...(payload !== undefined && { payload }),
    })
    return { status: response.statusCode, body: response.json(), headers: response.headers }
  }
  const list = async (query = '') => (await ask('GET', `/api/admin/reports${query}`, ADMIN)).body as AdminReport[]
  const decide = (reportId: number, decision: ReportDecision, { by = ADMIN, reason = 'I have looked at it.' } = {}) =>
    ask('POST', `/api/admin/reports/${reportId}/decide`, by, { decision, reason })
  const file = async (id: number, body: Record<string, unknown>): Promise<number> => (await report(id, body)).body.id
  const decisions = async (stream: string) =>
    (await readStream(database.pool, 'messaging', stream)).filter(({ type }) => type === 'ReportDecided')

  it('see what was reported, by whom and in which words, the latest first', async () => {
    const append = (data: object) =>
      database.pool.query(sql.unsafe`
      insert into events (stream, version, event_id, type, schema_version, data, metadata)
      values (${`deal-${REVIEWED}`}, 1, gen_random_uuid(), 'ReviewSubmitted', 1, ${JSON.stringify(data)}::jsonb, '{}'::jsonb)`)
    await append({ comment: 'Half of it was missing.' })
    await file(SARAH, { kind: 'message', targetId: messageId, text: 'Rude.' })
    for (const kind of ['listing', 'review', 'person'] as const) await file(MEI, { kind, targetId: targetId(kind) })
    const reports = await list()
    expect(
      reports.map(({ kind, content, reporter, reported }) => [kind, content, reporter.username, reported.username]),
    ).toEqual([
      ['person', 'sarah', 'mei', 'sarah'],
      ['review', 'Half of it was missing.', 'mei', 'bala'],
      ['listing', 'Santal 33', 'mei', 'sarah'],
      ['message', expect.any(String), 'sarah', 'bala'],
    ])
    expect(reports[3]).toMatchObject({
      status: 'open',
      text: 'Rude.',
      reason: 'scam',
      decidedAt: null,
      decidedBy: null,
      decisionReason: null,
    })
  })

  it('see them page by page, and those of one status or kind', async () => {
    const ids = []
    for (const target of [SARAH, BALA, ADMIN]) ids.push(await file(MEI, { kind: 'person', targetId: target }))
    const listing = await file(MEI, { kind: 'listing', targetId: PRODUCT })
    await decide(ids[0] ?? 0, 'upheld')
    const idsOf = async (query: string) => (await list(query)).map(({ id }) => id)
    expect(await idsOf('?status=open')).toEqual([listing, ids[2], ids[1]])
    expect(await idsOf('?status=upheld')).toEqual([ids[0]])
    expect(await idsOf('?kind=listing')).toEqual([listing])
    const { body, headers } = await ask('GET', '/api/admin/reports?kind=person&limit=2', ADMIN)
    expect(body.map(({ id }: AdminReport) => id)).toEqual([ids[2], ids[1]])
    expect(headers['x-total-count']).toBe('3')
    expect(headers['link']).toBe(`</api/admin/reports?kind=person&limit=2&cursor=${ids[1]}>; rel="next"`)
    expect(await idsOf(`?kind=person&limit=2&cursor=${ids[1]}`)).toEqual([ids[0]])
  })

  it('see those about somebody, and those by somebody', async () => {
    const about = await file(MEI, { kind: 'person', targetId: SARAH })
    const ofListing = await file(BALA, { kind: 'listing', targetId: PRODUCT })
    const other = await file(MEI, { kind: 'person', targetId: BALA })
    const idsOf = async (query: string) => (await list(query)).map(({ id }) => id)
    expect(await idsOf(`?reportedId=${SARAH}`)).toEqual([ofListing, about])
    expect(await idsOf(`?reporterId=${MEI}`)).toEqual([other, about])
    expect(await idsOf(`?reportedId=${SARAH}&reporterId=${MEI}&status=open&kind=person`)).toEqual([about])
    const { headers } = await ask('GET', `/api/admin/reports?reportedId=${SARAH}&limit=1`, ADMIN)
    expect(headers['x-total-count']).toBe('2')
    expect((await ask('GET', '/api/admin/reports?reportedId=x', ADMIN)).status).toBe(400)
  })

  it('decide once, and another one not otherwise', async () => {
    const id = await file(MEI, { kind: 'person', targetId: SARAH })
    const { status, body } = await decide(id, 'upheld', { reason: '  She asked for cash.  ' })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      id,
      status: 'upheld',
      decidedAt: '2026-11-22T08:00:00.000Z',
      decidedBy: { id: ADMIN, username: 'admin' },
      decisionReason: 'She asked for cash.',
    })
    expect(await decide(id, 'upheld', { by: OTHER_ADMIN })).toMatchObject({ status: 200, body })
    expect(await decide(id, 'dismissed', { by: OTHER_ADMIN })).toMatchObject({
      status: 409,
      body: { code: 'conflict' },
    })
    const events = await decisions(`report-${MEI}-person-${SARAH}`)
    expect(events).toHaveLength(1)
    expect(events[0]).toMatchObject({
      data: { reportId: id, reporterId: MEI, reportedId: SARAH, kind: 'person', targetId: SARAH, decision: 'upheld' },
      metadata: { actorId: ADMIN },
    })
    expect(JSON.stringify(events)).not.toContain('cash')
  })

  it('decide nothing any more once they are dismissed, whatever their token says', async () => {
    const id = await file(MEI, { kind: 'person', targetId: SARAH })
    expect(await decide(id, 'upheld', { by: DISMISSED_ADMIN })).toMatchObject({
      status: 403,
      body: { code: 'admin-access-required' },
    })
    expect(await decisions(`report-${MEI}-person-${SARAH}`)).toEqual([])
  })

  it('decide as the first of many who do so at once', async () => {
    const id = await file(MEI, { kind: 'person', targetId: SARAH })
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        decide(id, index % 2 === 0 ? 'upheld' : 'dismissed', { by: OTHER_ADMIN + index }),
      ),
    )
    const [decided] = await list()
    expect(answers.filter(({ status }) => status === 200).every(({ body }) => body.status === decided?.status)).toBe(
      true,
    )
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(5)
    expect(await decisions(`report-${MEI}-person-${SARAH}`)).toHaveLength(1)
  })

  it('need a reason, and a report that is there', async () => {
    const id = await file(MEI, { kind: 'person', targetId: SARAH })
    for (const reason of ['', '   ', 'x'.repeat(501)])
      expect(await decide(id, 'upheld', { reason })).toMatchObject({ status: 400, body: { code: 'bad-request' } })
    expect(await decide(id, 'upheld', { reason: ' ' })).toMatchObject({ body: { message: 'Reason is required' } })
    expect(await decide(999_999, 'upheld')).toMatchObject({ status: 404, body: { code: 'not-found' } })
  })

  it('are told of it again when it was decided about before', async () => {
    await decide(await file(MEI, { kind: 'person', targetId: SARAH }), 'dismissed')
    expect((await report(MEI, { kind: 'person', targetId: SARAH })).status).toBe(201)
    expect((await list()).map(({ status }) => status)).toEqual(['open', 'dismissed'])
    const rows = () => database.pool.any(sql.unsafe`select * from reports order by id`)
    const before = await rows()
    await rebuildTables(database.pool, 'messaging', conversationsProjection)
    expect(await rows()).toEqual(before)
  })

  it('say why in words that go with the people', async () => {
    const served = serveMessaging({
      nats: nats.connection,
      pool: database.pool,
      onAppended: () => {},
      sentRows: createSentRows(),
    })
    const id = await file(MEI, { kind: 'person', targetId: SARAH })
    await decide(id, 'upheld', { reason: 'She asked for cash.' })
    const reasons = () =>
      request(nats.connection, 'messaging', messagingRequests.listDecisionReasons, { reportIds: [id, 999_999] })
    expect(await reasons()).toEqual({ reasons: [{ reportId: id, reason: 'She asked for cash.' }] })
    await erase(SARAH)
    expect(await reasons()).toEqual({ reasons: [] })
    expect(await list()).toMatchObject([{ id, status: 'upheld', decisionReason: null, reported: { username: null } }])
    await served.stop()
  })

  it.each([
    ['reporter', MEI],
    ['reported', SARAH],
  ])('say nothing that stays of whoever is erased already: the %s', async (_name, userId) => {
    const id = await file(MEI, { kind: 'person', targetId: SARAH })
    await erase(userId)
    const { status, body } = await decide(id, 'upheld', { reason: 'Siti asked for cash.' })
    expect([status, body]).toMatchObject([200, { status: 'upheld', decisionReason: null }])
    expect(await database.pool.anyFirst(sql.unsafe`select content from decision_reasons`)).toEqual([])
  })
})

async function erase(userId: number): Promise<void> {
  const erased = { type: 'UserErased', data: { userId, erasedAt: new Date(SENT_AT_MS).toISOString() } } as const
  await tellOfPerson(database.pool, erased, { version: 3, bulkHandlers: identityHandlers })
}

async function texts(): Promise<readonly string[]> {
  return database.pool.anyFirst(
    sql.type(z.object({ content: z.string() }))`select content from report_texts order by report_id`,
  )
}
