import { randomUUID } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { identityRequests } from '@wangian/contracts/identity-requests.ts'
import { PUSH_DEVICES_MAX, PushMessage, type PushTopic, pushTopics } from '@wangian/contracts/push.ts'
import { serveRequests } from '@wangian/kit/bus/requests.ts'
import { sql } from '@wangian/kit/database/postgres.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import type { App } from '@wangian/kit/http/http.ts'
import { silentLogger } from '@wangian/kit/service/logger.ts'
import { emptyTables } from '@wangian/kit/testing/empty-tables.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { pagesRead } from '@wangian/kit/testing/pages-read.ts'
import { react } from '@wangian/kit/testing/react.ts'
import { createTestTokens, type TestTokens } from '@wangian/kit/testing/test-app.ts'
import { createTestDatabase, type TestDatabase } from '@wangian/kit/testing/test-database.ts'
import { startTestNats, type TestNats } from '@wangian/kit/testing/test-nats.ts'
import { startTestServer, type TestServer } from '@wangian/kit/testing/test-server.ts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { buildApp } from '../app.ts'
import { createTeller } from '../notices/teller.ts'
import { insertBlock } from '../people-store.ts'
import { identityHandlers } from '../reactions.ts'
import {
  BALA,
  introducePeople,
  MEI,
  migrationsDirectory,
  PRODUCT,
  SARAH,
  testAttachments,
} from '../testing/fixtures.ts'
import { senderOf, testBrowser } from '../testing/push-browser.ts'
import { forgetEndedSessions } from './ended-sessions.ts'
import { createDelivery, vapidKeysOf } from './push-delivery.ts'
import { type PushSender, pushTimings, startPushSender } from './push-sender.ts'
import { isPublicAddress, pushServiceOf } from './push-services.ts'
import { listDueServices, takePushes } from './push-store.ts'

const vapid = vapidKeysOf('q6PDZAA_MZlwmOPCIBgAZn1hCMz2vy6yGMvZmdLKxEE', 'mailto:us@wangian.test')

/** What came to the push service, by the path of its endpoint. */
interface Came {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

let database: TestDatabase
let tokens: TestTokens
let nats: TestNats
let app: App
let service: TestServer
let origin: string
let came: Came[] = []
/** How the service answers, by path; it says nothing at all where that is `null`. */
let answers: Record<string, number | null> = {}
let sender: PushSender | undefined

beforeAll(async () => {
  database = await createTestDatabase({ service: 'messaging', migrationsDirectory })
  tokens = await createTestTokens()
  nats = await startTestNats()
  service = await startTestServer((request, response, body) => {
    const path = request.url ?? ''
    came.push({ path, headers: request.headers, body })
    const status = path in answers ? answers[path] : 201
    if (status != null) response.writeHead(status).end()
  })
  origin = service.url
  app = build(vapid.publicKey)
})
afterAll(async () => {
  await app.close()
  await nats.stop()
  await service.stop()
  await database.drop()
})
beforeEach(async () => {
  await emptyTables(
    database.pool,
    'notices, auctions, blocks, known_people, products, events, push_subscriptions, pushes',
  )
  await introducePeople(database.pool)
  came = []
  answers = {}
})
afterEach(async () => {
  await sender?.stop()
  sender = undefined
})

function build(publicKey: string | null): App {
  return buildApp({
    pool: database.pool,
    nats: nats.connection,
    onAppended: () => {},
    attachments: testAttachments('/nowhere'),
    auth: tokens.authenticator,
    push: { publicKey, furtherServices: [origin] },
  })
}

async function call(method: 'GET' | 'PUT' | 'DELETE', path: string, id: number, body?: object, on = app) {
  const headers = await tokens.bearer({ id })
  const response = await on.inject({ method, url: `/api/push/${path}`, headers, ...(body && { payload: body }) })
  return { status: response.statusCode, body: response.body === '' ? null : response.json() }
}

/** Somebody has their notices pushed to a browser of theirs. */
async function subscribe(id: number, name: string, topics: readonly PushTopic[] = pushTopics) {
  const browser = testBrowser(`${origin}/${name}`)
  const { endpoint, keys } = browser
  const { status } = await call('PUT', 'subscription', id, { endpoint, keys, language: 'ms', topics })
  expect(status).toBe(200)
  return { ...browser, messages: () => cameTo(name).map(({ body }) => PushMessage.parse(browser.open(body))) }
}
const cameTo = (name: string) => came.filter(({ path }) => path === `/${name}`)

function start(timings: Partial<typeof pushTimings> = {}): PushSender {
  const deliver = createDelivery(vapid, [origin])
  const quick = { ...pushTimings, pollMs: 10, retryDelayMs: 1, ...timings }
  sender = startPushSender({ pool: database.pool, deliver, log: silentLogger, timings: quick })
  return sender
}

/** Somebody is told that a message has come, or that they were outbid. */
function tell(userId: number, kind: 'message' | 'outbid', topicId = SARAH) {
  const topic = kind === 'message' ? 'conversation' : 'auction'
  const telling = { userId, topic, topicId, kind, otherId: SARAH, productId: PRODUCT, at: new Date().toISOString() }
  return database.pool.transaction((transaction) => createTeller(nats.connection).tell(transaction, [telling as never]))
}

const countOf = (table: 'push_subscriptions' | 'pushes', condition = sql.fragment`true`) =>
  database.pool.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*) as count from ${sql.identifier([table])} where ${condition}`)
const nothingWaits = async () => (await countOf('pushes', sql.fragment`due_at is not null`)) === 0

describe('a notice', () => {
  it('is pushed to each browser of its person, sealed for it alone and signed by us', async () => {
    const [phone, desk] = [await subscribe(BALA, 'phone'), await subscribe(BALA, 'desk')]
    const other = await subscribe(MEI, 'meis')
    start()
    await tell(BALA, 'message')
    await eventually(() => phone.messages().length === 1 && desk.messages().length === 1)
    expect(phone.messages()).toMatchObject([
      { language: 'ms', notice: { key: 'conversation-2', kind: 'message', user: { username: 'sarah' } } },
    ])
    expect(other.messages()).toEqual([])
    const [{ headers, body }] = cameTo('phone') as [Came]
    expect(headers).toMatchObject({ ttl: '86400', urgency: 'high', 'content-encoding': 'aes128gcm' })
    expect(headers['topic']).toMatch(/^[\w-]{32}$/)
    expect(senderOf(headers)).toMatchObject({ key: vapid.publicKey, claims: { aud: origin, sub: vapid.subject } })
    expect(() => desk.open(body)).toThrow()
    expect(body.includes('sarah')).toBe(false)
    await eventually(nothingWaits)
  })

  it('fits into what push services take, whatever its seller calls a picture', async () => {
    const imageUrl = `https://example.com/${'画'.repeat(2000)}`
    await database.pool.query(sql.unsafe`update products set given_image_url = ${imageUrl} where id = ${PRODUCT}`)
    const phone = await subscribe(BALA, 'phone')
    start()
    await tell(BALA, 'outbid', 7)
    await eventually(() => cameTo('phone').length === 1)
    expect(cameTo('phone')[0]?.body.length).toBeLessThanOrEqual(4096)
    expect(phone.messages()).toMatchObject([{ notice: { kind: 'outbid', product: { id: PRODUCT, imageUrl: null } } }])
  })

  it('is not pushed any more once it was read, and neither is what somebody says who is blocked', async () => {
    const phone = await subscribe(BALA, 'phone')
    await tell(BALA, 'message')
    await tell(BALA, 'outbid')
    await database.pool.query(sql.unsafe`update notices set read_at = now() where topic = 'conversation'`)
    await insertBlock(database.pool, BALA, SARAH)
    start()
    await eventually(nothingWaits)
    expect(phone.messages()).toEqual([])
  })

  it('is pushed only where such was asked for', async () => {
    const phone = await subscribe(BALA, 'phone', ['auction'])
    start()
    await tell(BALA, 'message')
    await tell(BALA, 'outbid', 7)
    await eventually(() => phone.messages().length === 1)
    expect(phone.messages()).toMatchObject([{ notice: { kind: 'outbid' } }])
    expect(await countOf('pushes')).toBe(1)
  })

  it('that replaces another waits a while, and says the newest then', async () => {
    const phone = await subscribe(BALA, 'phone')
    start()
    await tell(BALA, 'outbid', 7)
    await eventually(() => phone.messages().length === 1)
    await eventually(nothingWaits)
    await tell(BALA, 'outbid', 7)
    await tell(BALA, 'outbid', 7)
    expect(await countOf('pushes', sql.fragment`due_at > now() + interval '20 seconds'`)).toBe(1)
    await database.pool.query(sql.unsafe`update pushes set due_at = now()`)
    await eventually(() => phone.messages().length === 2)
    const [first, second] = phone.messages()
    expect(second?.notice.id).toBe((first?.notice.id ?? 0) + 2)
  })

  it('is looked for without a look at what waits a while', async () => {
    await subscribe(BALA, 'phone')
    await tell(BALA, 'outbid', 7)
    await database.pool.query(sql.unsafe`
      insert into pushes (subscription_id, topic, topic_id, notice_id, due_at)
      select id, 'deal', number, number, now() + interval '20 seconds' from push_subscriptions, generate_series(1, 20000) as number`)
    await database.pool.query(sql.unsafe`analyze pushes`)
    const pages = await database.pool.transaction((transaction) =>
      pagesRead(transaction, ['pushes'], async () => {
        const [service = ''] = await listDueServices(transaction)
        expect(await takePushes(transaction, { service, limit: 8, leaseMs: 1000 })).toMatchObject([{ topicId: 7 }])
      }),
    )
    expect(pages).toBeLessThan(50)
  })
})

describe('a push service', () => {
  it.each([404, 410])('that says %i has lost the browser, and so do we', async (status) => {
    await subscribe(BALA, 'phone')
    answers = { '/phone': status }
    start()
    await tell(BALA, 'message')
    await eventually(async () => (await countOf('push_subscriptions')) === 0)
    expect(await countOf('pushes')).toBe(0)
    expect(came).toHaveLength(1)
  })

  it.each([429, 500, 403])('that says %i is asked five times, and then no more', async (status) => {
    await subscribe(BALA, 'phone')
    answers = { '/phone': status }
    start()
    await tell(BALA, 'message')
    await eventually(nothingWaits)
    expect(came).toHaveLength(5)
    expect(await countOf('push_subscriptions')).toBe(1)
    answers = {}
    await tell(BALA, 'outbid')
    await eventually(() => came.length === 6)
  })

  it('that leads elsewhere is not followed', async () => {
    await subscribe(BALA, 'phone')
    answers = { '/phone': 307 }
    start()
    await tell(BALA, 'message')
    await eventually(nothingWaits)
    expect(new Set(came.map(({ path }) => path))).toEqual(new Set(['/phone']))
  })

  it('that says nothing keeps nobody of another one waiting', async () => {
    const slow = createServer(() => {})
    await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve))
    try {
      const phone = await subscribe(BALA, 'phone')
      await subscribe(MEI, 'meis')
      const endpoint = `http://127.0.0.1:${(slow.address() as AddressInfo).port}/meis`
      await database.pool.query(
        sql.unsafe`update push_subscriptions set endpoint = ${endpoint}, service = 'slow' where user_id = ${MEI}`,
      )
      const deliver = createDelivery(vapid, [origin, new URL(endpoint).origin])
      sender = startPushSender({
        pool: database.pool,
        deliver,
        log: silentLogger,
        timings: { ...pushTimings, pollMs: 10 },
      })
      await tell(MEI, 'message')
      await tell(BALA, 'message')
      await eventually(() => phone.messages().length === 1)
    } finally {
      slow.close()
      slow.closeAllConnections()
    }
  })
})

describe('a browser is told no more', () => {
  it('once its session has ended', async () => {
    await subscribe(BALA, 'phone')
    await subscribe(MEI, 'meis')
    start().sessionEnded(`session-${BALA}`)
    await eventually(async () => (await countOf('push_subscriptions')) === 1)
    await tell(BALA, 'message')
    expect(await countOf('pushes')).toBe(0)
  })

  it('once its session has ended, also long ago, when nobody could tell us', async () => {
    await subscribe(BALA, 'phone')
    await subscribe(MEI, 'meis')
    const [ended, live] = [randomUUID(), randomUUID()]
    const { pool } = database
    await pool.query(sql.unsafe`update push_subscriptions set session_id = ${ended} where user_id = ${BALA}`)
    await pool.query(sql.unsafe`update push_subscriptions set session_id = ${live} where user_id = ${MEI}`)
    const identity = serveRequests(
      nats.connection,
      'identity',
      identityRequests.listEndedSessions,
      ({ sessionIds }) => ({ endedIds: sessionIds.filter((id) => id !== live) }),
    )
    await forgetEndedSessions({ pool, nats: nats.connection })
    await identity.stop()
    expect(await countOf('push_subscriptions')).toBe(1)
    await tell(BALA, 'message')
    expect(await countOf('pushes')).toBe(0)
  })

  it('once its person is banned or has left, whoever forgot to say that the session is over', async () => {
    await subscribe(BALA, 'phone')
    await tell(BALA, 'message')
    await database.pool.query(sql.unsafe`update known_people set is_banned = true where user_id = ${BALA}`)
    start()
    await eventually(async () => (await countOf('push_subscriptions')) === 0)
    expect(came).toEqual([])
  })

  it('once its person is erased', async () => {
    await subscribe(BALA, 'phone')
    await react(database.pool, { bulkHandlers: identityHandlers } as never, {
      type: 'UserErased',
      stream: `user-${BALA}`,
      version: 9,
      data: { userId: BALA, erasedAt: new Date().toISOString() },
      at: new Date().toISOString(),
      metadata: { actorId: null, correlationId: 'test', causationId: null, commandId: null },
    })
    expect(await countOf('push_subscriptions')).toBe(0)
  })

  it('once its person says so, and nobody else', async () => {
    const { endpoint } = await subscribe(BALA, 'phone')
    expect((await call('DELETE', 'subscription', MEI, { endpoint })).status).toBe(204)
    expect(await countOf('push_subscriptions')).toBe(1)
    expect((await call('DELETE', 'subscription', BALA, { endpoint })).status).toBe(204)
    expect((await call('DELETE', 'subscription', BALA, { endpoint })).status).toBe(204)
    expect(await countOf('push_subscriptions')).toBe(0)
  })

  it('of what waited for whoever was signed in there before', async () => {
    await subscribe(BALA, 'shared')
    await tell(BALA, 'message')
    const shared = await subscribe(MEI, 'shared')
    expect(await countOf('push_subscriptions')).toBe(1)
    start()
    await tell(MEI, 'outbid')
    await eventually(() => shared.messages().length === 1)
    expect(shared.messages()).toMatchObject([{ notice: { kind: 'outbid' } }])
  })
})

describe('the calls', () => {
  it('say the key, or that there is none', async () => {
    expect(await call('GET', 'key', BALA)).toEqual({ status: 200, body: { key: vapid.publicKey } })
    const without = build(null)
    expect(await call('GET', 'key', BALA, undefined, without)).toEqual({ status: 200, body: { key: null } })
    const { endpoint, keys } = testBrowser(`${origin}/phone`)
    const asked = { endpoint, keys, language: 'en', topics: [] }
    expect(await call('PUT', 'subscription', BALA, asked, without)).toMatchObject({
      status: 503,
      body: { code: 'push-not-configured' },
    })
    await without.close()
  })

  it(`keep ${PUSH_DEVICES_MAX} browsers of a person, those that were seen last`, async () => {
    for (let number = 0; number <= PUSH_DEVICES_MAX; number += 1) await subscribe(BALA, `browser-${number}`)
    expect(await countOf('push_subscriptions')).toBe(PUSH_DEVICES_MAX)
    expect(await countOf('push_subscriptions', sql.fragment`endpoint like '%/browser-0'`)).toBe(0)
  })

  it.each([
    'http://fcm.googleapis.com/x',
    'https://fcm.googleapis.com:8443/x',
    'https://us@fcm.googleapis.com/x',
    'https://fcm.googleapis.com.evil.test/x',
    'https://evil.test/fcm.googleapis.com',
    'https://127.0.0.1/x',
    'https://[::1]/x',
    'https://169.254.169.254/latest/meta-data',
    'https://push.apple.com/x',
    'https://a.b.push.apple.com/x',
    'https://notify.windows.com.evil.test/x',
    'file:///etc/passwd',
    'not an address',
  ])('send nothing to %s', async (endpoint) => {
    const { keys } = testBrowser(endpoint)
    const answer = await call('PUT', 'subscription', BALA, { endpoint, keys, language: 'en', topics: [] })
    expect(answer).toMatchObject({ status: 400, body: { code: 'unknown-push-service' } })
    expect(() => pushServiceOf(endpoint, [])).toThrow(Rejection)
  })

  it.each([
    ['https://fcm.googleapis.com/fcm/send/abc', 'fcm'],
    ['https://updates.push.services.mozilla.com/wpush/v2/abc', 'mozilla'],
    ['https://web.push.apple.com/abc', 'apple'],
    ['https://sg2p.notify.windows.com/w/?token=abc', 'windows'],
    ['https://wns2-by3p.notify.windows.com/w/?token=abc', 'windows'],
  ])('know %s', (endpoint, name) => {
    expect(pushServiceOf(endpoint, [])).toBe(name)
  })
})

describe('an address', () => {
  it.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '::1',
    'fd00::1',
    'fe80::1',
    '::ffff:127.0.0.1',
    'localhost',
  ])('%s is none of the internet', (address) => expect(isPublicAddress(address)).toBe(false))
  it.each(['142.250.4.95', '172.32.0.1', '2404:6800:4003:c02::5f', '::ffff:142.250.4.95'])('%s is one', (address) =>
    expect(isPublicAddress(address)).toBe(true),
  )
})
