import { messagingRoutes } from '@wangian/contracts/messaging.ts'
import { sql } from '@wangian/kit/database/postgres.ts'
import type { App } from '@wangian/kit/http/http.ts'
import { readStream } from '@wangian/kit/log/event-store.ts'
import { saveProfiles } from '@wangian/kit/people/people-store.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { pagesRead } from '@wangian/kit/testing/pages-read.ts'
import { rebuildTables } from '@wangian/kit/testing/rebuild-tables.ts'
import { createTestTokens, type TestTokens } from '@wangian/kit/testing/test-app.ts'
import { createTestDatabase, type TestDatabase } from '@wangian/kit/testing/test-database.ts'
import { startTestNats, type TestNats } from '@wangian/kit/testing/test-nats.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { buildApp } from '../app.ts'
import { conversationsProjection } from '../projections.ts'
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
import { listBetween } from './message-store.ts'

let database: TestDatabase
let tokens: TestTokens
let nats: TestNats
let app: App
const ids: number[] = []

beforeAll(async () => {
  database = await createTestDatabase({ service: 'messaging', migrationsDirectory })
  tokens = await createTestTokens()
  const { pool } = database
  nats = await startTestNats()
  app = buildApp({
    pool,
    nats: nats.connection,
    onAppended: () => {},
    attachments: testAttachments('/nowhere'),
    auth: tokens.authenticator,
  })
  await introducePeople(pool)
  const answers = [
    { content: 'One' },
    { content: 'Two', productId: null },
    { senderId: SARAH, senderName: 'sarah', receiverId: BALA, content: 'Three' },
    { senderId: MEI, senderName: 'mei', content: 'Four', productId: null },
  ]
  for (const [number, fields] of answers.entries()) {
    ids.push((await send(pool, { ...fields, nowMs: SENT_AT_MS + number * 1000 })).id)
  }
})
afterAll(async () => {
  await app.close()
  await nats.stop()
  await database.drop()
})

async function get(url: string, id: number | null) {
  const headers = id === null ? {} : await tokens.bearer({ id })
  const response = await app.inject({ url, headers })
  return { status: response.statusCode, body: response.json(), headers: response.headers }
}

const contents = (body: { content: string }[]) => body.map(({ content }) => content)

it.each(
  Object.values(messagingRoutes)
    .filter(({ method }) => method === 'GET')
    .map(({ path }) => path.replace(':userId', String(SARAH)).replace(':orderId', '1')),
)('%s is for who is signed in', async (path) => {
  expect(await get(path, null)).toMatchObject({ status: 401, body: { code: 'authentication-required' } })
})

it.each([
  ['/api/messages?cursor={first}', '4'],
  ['/api/messages?after=999999', '4'],
  [`/api/messages/conversation/${SARAH}?cursor={first}`, '3'],
  [`/api/messages/conversation/${SARAH}?productId=${PRODUCT}&cursor={first}`, '2'],
  ['/api/messages/conversations?cursor={first}', '2'],
])('%s is empty and says how long the list is', async (path, total) => {
  const { body, headers } = await get(
    path.replace('{first}', String(ids[0])),
    path.includes(String(SARAH)) ? BALA : SARAH,
  )
  expect([body, headers['x-total-count']]).toEqual([[], total])
})

describe('a conversation', () => {
  const path = `/api/messages/conversation/${SARAH}`

  it('is told in its order to both, and to nobody else', async () => {
    const { body, headers } = await get(path, BALA)
    expect(contents(body)).toEqual(['One', 'Two', 'Three'])
    expect(body[0]).toEqual({
      id: ids[0],
      senderId: BALA,
      receiverId: SARAH,
      content: 'One',
      messageType: 'text',
      fileUrl: null,
      file_url: null,
      file: null,
      actionType: null,
      transaction: null,
      isRead: false,
      isClicked: false,
      createdAt: '2026-11-22T08:00:00.000Z',
      productId: PRODUCT,
      sender: { id: BALA, username: 'bala', profileImage: null },
      receiver: { id: SARAH, username: 'sarah', profileImage: 'sarahs-picture' },
      product: { id: PRODUCT, name: 'Santal 33', price: 680.5, imageUrl: null, isRemoved: false },
      areLinksPlain: false,
    })
    expect(headers['x-total-count']).toBe('3')
    expect(contents((await get(`/api/messages/conversation/${BALA}`, SARAH)).body)).toEqual(['One', 'Two', 'Three'])
    expect((await get(path, 99)).body).toEqual([])
    expect((await get(path, SARAH)).body).toEqual([])
  })

  it.each([
    ['a day before', '2026-11-21T08:00:00.000Z', true],
    ['a week and a moment before', '2026-11-15T07:59:59.999Z', false],
    ['nobody knows when', null, true],
  ])('has links that lead nowhere when its writer has registered %s', async (_when, registeredAt, areLinksPlain) => {
    const registration = (at: string | null) =>
      database.pool.query(sql.unsafe`update known_people set registered_at = ${at} where user_id = ${BALA}`)
    await registration(registeredAt)
    const [first, , third] = (await get(path, BALA)).body
    expect([first.areLinksPlain, third.areLinksPlain]).toEqual([areLinksPlain, false])
    await registration('2026-01-05T08:00:00.000Z')
  })

  it('may be narrowed to a product', async () => {
    expect(contents((await get(`${path}?productId=${PRODUCT}`, BALA)).body)).toEqual(['One', 'Three'])
    expect((await get(`${path}?productId=999`, BALA)).body).toEqual([])
  })

  it('comes in pages, the newest first', async () => {
    const newest = await get(`${path}?limit=2`, BALA)
    expect(contents(newest.body)).toEqual(['Two', 'Three'])
    const next = /<([^>]+)>; rel="next"/.exec(String(newest.headers['link']))?.[1] ?? ''
    const oldest = await get(next, BALA)
    expect(contents(oldest.body)).toEqual(['One'])
    expect(oldest.headers['link']).toBeUndefined()
  })

  it('is narrowed to a product without a look at what else they wrote', async () => {
    const { pool } = database
    const pages = await pool.transaction(async (transaction) => {
      await transaction.query(sql.unsafe`
        insert into messages (id, sender_id, receiver_id, product_id, kind, sent_at)
        select 1000 + number, 9001, 9002, case number % 1000 when 0 then ${PRODUCT} else 999 end, 'text', now()
          from generate_series(1, 20000) as number`)
      await transaction.query(sql.unsafe`analyze messages`)
      const read = await pagesRead(transaction, ['messages'], async () => {
        const { rows, total } = await listBetween(transaction, 9001, 9002, {
          productId: PRODUCT,
          limit: 50,
          beforeId: null,
        })
        expect([rows.length, total]).toEqual([20, 20])
      })
      await transaction.query(sql.unsafe`delete from messages where sender_id = 9001`)
      return read
    })
    expect(pages).toBeLessThan(200)
  })

  it.each(['?limit=0', '?limit=501', '?productId=x', '?cursor=-1'])('is refused with %s', async (query) => {
    expect((await get(`${path}${query}`, BALA)).status).toBe(400)
  })

  it('of nobody is refused', async () => {
    expect((await get('/api/messages/conversation/x', BALA)).status).toBe(400)
  })
})

describe('a block', () => {
  const change = async (method: 'PUT' | 'DELETE', otherId: number, id = BALA) => {
    const headers = await tokens.bearer({ id })
    const response = await app.inject({ method, url: `/api/blocks/${otherId}`, headers })
    return [response.statusCode, response.json().code ?? response.json()]
  }
  const success = [200, { success: true }]
  const later = { nowMs: SENT_AT_MS + 60_000 }

  it('keeps both from writing to each other, until it is taken back', async () => {
    const { pool } = database
    for (const _ of ['once', 'twice']) expect(await change('PUT', MEI)).toEqual(success)
    expect(await readStream(pool, 'messaging', `block-${BALA}-${MEI}`)).toHaveLength(1)
    const refused = { code: 'blocked', message: 'This person cannot be messaged.' }
    await expect(send(pool, { ...later, receiverId: MEI })).rejects.toMatchObject(refused)
    await expect(send(pool, { ...later, senderId: MEI, senderName: 'mei', receiverId: BALA })).rejects.toMatchObject(
      refused,
    )
    for (const _ of ['once', 'twice']) expect(await change('DELETE', MEI)).toEqual(success)
    expect(await readStream(pool, 'messaging', `block-${BALA}-${MEI}`)).toHaveLength(2)
  })

  it('is seen by who has blocked, in the list, and is made again from the log', async () => {
    const { pool } = database
    const blocked = async (id: number) =>
      (await get('/api/messages/conversations', id)).body.map((each: { isBlocked: boolean }) => each.isBlocked)
    await change('PUT', SARAH)
    expect([await blocked(BALA), await blocked(SARAH)]).toEqual([[true], [false, false]])
    await rebuildTables(pool, 'messaging', conversationsProjection)
    expect(await blocked(BALA)).toEqual([true])
    await change('DELETE', SARAH)
    expect(await blocked(BALA)).toEqual([false])
  })

  it('needs somebody else', async () => {
    expect(await change('PUT', BALA)).toEqual([403, 'forbidden'])
    expect(await change('PUT', 4711)).toEqual([404, 'user-not-found'])
    expect(await change('DELETE', 4711)).toEqual(success)
    expect((await app.inject({ method: 'PUT', url: `/api/blocks/${SARAH}` })).statusCode).toBe(401)
  })

  it('is not changed on and on', async () => {
    let count = 0
    while ((await change(count % 2 === 0 ? 'PUT' : 'DELETE', BALA, MEI))[0] === 200 && count < 200) count++
    expect(count).toBe(100)
    expect(await change('DELETE', BALA, MEI)).toEqual([429, 'rate-limited'])
    expect(await change('DELETE', MEI, SARAH)).toEqual(success)
  })
})

describe('the messages of somebody', () => {
  it('come with the newest first', async () => {
    expect(contents((await get('/api/messages', SARAH)).body)).toEqual(['Four', 'Three', 'Two', 'One'])
    expect(contents((await get('/api/messages', MEI)).body)).toEqual(['Four'])
    const { body, headers } = await get('/api/messages?limit=3', SARAH)
    expect([contents(body), headers['x-total-count']]).toEqual([['Four', 'Three', 'Two'], '4'])
    expect(headers['link']).toBe(`</api/messages?limit=3&cursor=${ids[1]}>; rel="next"`)
  })

  it('come in their order since one of them', async () => {
    expect(contents((await get(`/api/messages?after=${ids[1]}`, SARAH)).body)).toEqual(['Three', 'Four'])
    expect(contents((await get(`/api/messages?after=${ids[1]}`, BALA)).body)).toEqual(['Three'])
    expect((await get(`/api/messages?after=${ids[3]}`, SARAH)).body).toEqual([])
  })
})

it('somebody who reads on and on keeps nobody waiting', async () => {
  const { pool } = database
  const answered: string[] = []
  const read = async (who: string, url: string, id: number) => {
    expect((await get(url, id)).status).toBe(200)
    answered.push(who)
  }
  const readers = () =>
    pool.oneFirst(sql.type(z.object({ count: z.number() }))`
      select count(*) from pg_locks where not granted and relation = 'messages'::regclass
         and database = (select oid from pg_database where datname = current_database())`)
  const [isHeld, isOver] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const held = pool.transaction(async (holder) => {
    await holder.query(sql.unsafe`lock table messages`)
    isHeld.resolve()
    await isOver.promise
  })
  await isHeld.promise
  const many = Array.from({ length: 60 }, () => read('bala', '/api/messages', BALA))
  const all = Promise.all([...many, read('sarah', `/api/messages/conversation/${BALA}`, SARAH)])
  // One read of each: the others of Bala's wait for their turn.
  await eventually(async () => expect(await readers()).toBe(2)).finally(isOver.resolve)
  await Promise.all([held, all])
  expect(answered.at(-1)).toBe('bala')
})

describe('the conversations of somebody', () => {
  it('come with the latest first, and what is unread', async () => {
    const { body, headers } = await get('/api/messages/conversations', SARAH)
    expect(body).toMatchObject([
      { user: { id: MEI, username: 'mei' }, unreadCount: 1, lastMessage: { content: 'Four' }, product: null },
      { user: { id: BALA }, unreadCount: 2, lastMessage: { content: 'Three' }, product: { name: 'Santal 33' } },
    ])
    expect(headers['x-total-count']).toBe('2')
    expect((await get('/api/messages/unread-count', SARAH)).body).toEqual({ count: 3 })
    expect((await get('/api/messages/unread-count', 99)).body).toEqual({ count: 0 })
  })

  it('come in pages', async () => {
    const first = await get('/api/messages/conversations?limit=1', SARAH)
    expect(first.headers['link']).toBe(`</api/messages/conversations?limit=1&cursor=${ids[3]}>; rel="next"`)
    const second = await get(`/api/messages/conversations?limit=1&cursor=${ids[3]}`, SARAH)
    expect(second.body).toMatchObject([{ user: { id: BALA } }])
    expect(second.headers['link']).toBeUndefined()
  })

  it('stay with somebody who has left, without the name', async () => {
    await saveProfiles(database.pool, [{ userId: SARAH, version: 2, person: null }])
    const [conversation] = (await get('/api/messages/conversations', BALA)).body
    expect(conversation).toMatchObject({
      user: { id: SARAH, username: null, profileImage: null },
      lastMessage: { content: 'Three', sender: { username: null } },
    })
    expect(contents((await get(`/api/messages/conversation/${SARAH}`, BALA)).body)).toEqual(['One', 'Two', 'Three'])
  })
})
