import { catalogueRequests } from '@wangian/contracts/catalogue.ts'
import type { ReportKind } from '@wangian/contracts/reports.ts'
import { serveRequests } from '@wangian/kit/bus/requests.ts'
import { sql } from '@wangian/kit/database/postgres.ts'
import type { App } from '@wangian/kit/http/http.ts'
import { readStream } from '@wangian/kit/log/event-store.ts'
import { saveClosings } from '@wangian/kit/people/people-store.ts'
import { tellOfPerson } from '@wangian/kit/testing/people.ts'
import { rebuildTables } from '@wangian/kit/testing/rebuild-tables.ts'
import { createTestTokens, type TestTokens } from '@wangian/kit/testing/test-app.ts'
import { createTestDatabase, type TestDatabase } from '@wangian/kit/testing/test-database.ts'
import { startTestNats, type TestNats } from '@wangian/kit/testing/test-nats.ts'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { z } from 'zod'
import { buildApp } from '../app.ts'
import { insertDeal, setRating } from '../deals/deal-store.ts'
import { conversationsProjection } from '../projections.ts'
import { identityHandlers } from '../reactions.ts'
import {
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

let database: TestDatabase
let tokens: TestTokens
let nats: TestNats
let app: App
let catalogue: { stop(): Promise<void> }
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
  app = build(1000)
})
afterAll(async () => {
  await app.close()
  await catalogue.stop()
  await nats.stop()
  await database.drop()
})
beforeEach(async () => {
  const { pool } = database
  await pool.query(
    sql.unsafe`truncate events, messages, message_texts, conversations, deals, reports, report_texts, known_people`,
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
  const erased = { type: 'UserErased', data: { userId, erasedAt: new Date(SENT_AT_MS).toISOString() } } as const
  await tellOfPerson(database.pool, erased, { version: 3, bulkHandlers: identityHandlers })
  expect(await texts()).toEqual(userId === MEI ? [] : ['Rude.'])
})

it('is made anew from the log', async () => {
  await report(MEI, { kind: 'person', targetId: SARAH })
  const rows = () => database.pool.any(sql.unsafe`select * from reports`)
  const before = await rows()
  await rebuildTables(database.pool, 'messaging', conversationsProjection)
  expect(await rows()).toEqual(before)
})

async function texts(): Promise<readonly string[]> {
  return database.pool.anyFirst(
    sql.type(z.object({ content: z.string() }))`select content from report_texts order by report_id`,
  )
}
