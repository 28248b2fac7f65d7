import { sql } from '@wangian/kit/database/postgres.ts'
import { emptyTables } from '@wangian/kit/testing/empty-tables.ts'
import { createTestDatabase, type TestDatabase } from '@wangian/kit/testing/test-database.ts'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { z } from 'zod'
import { BALA, introducePeople, MEI, migrationsDirectory, SARAH, sending } from '../testing/fixtures.ts'
import { countUnread } from './conversation-store.ts'
import { productionLimits } from './domain.ts'
import { createMessageBatches, type MessageBatches } from './message-batches.ts'
import { listBetween } from './message-store.ts'
import { lockToSend } from './sending-store.ts'
import { createSentRows } from './sent-rows.ts'

const SENDERS = 20
const EACH = 3
const WAITING_MAX = 100

let database: TestDatabase
let batches: MessageBatches
let appendedCount = 0
const sentRows = createSentRows(() => 0)
beforeAll(async () => {
  database = await createTestDatabase({ service: 'messaging', migrationsDirectory })
})
afterAll(() => database.drop())
beforeEach(async () => {
  const { pool } = database
  await emptyTables(pool, 'messages, message_texts, conversations, known_people, products, events')
  await introducePeople(pool)
  appendedCount = 0
  const onAppended = () => {
    appendedCount += 1
  }
  batches = createMessageBatches({ pool, limits: productionLimits, onAppended, sentRows, waitingMax: WAITING_MAX })
})

const send = (fields: Parameters<typeof sending>[0]) => batches.send(sending(fields))
const all = { limit: 500, beforeId: null, productId: null }
/** Of somebody of whom identity has not told. */
const strangers = (count: number) => Array.from({ length: count }, (_, index) => 100 + index)
const countTransactions = () =>
  database.pool.oneFirst(sql.type(z.object({ count: z.number() }))`select count(distinct tx) from events`)

it('are few for many messages, each of which is there once, in the order of its sender', async () => {
  const { pool } = database
  const contents = Array.from({ length: EACH }, (_, number) => `Number ${number}`)
  const sent = await Promise.all(
    contents.flatMap((content) => strangers(SENDERS).map((senderId) => send({ senderId, content }))),
  )
  expect(new Set(sent.map(({ id }) => id)).size).toBe(SENDERS * EACH)
  for (const senderId of strangers(SENDERS)) {
    const { rows } = await listBetween(pool, SARAH, senderId, all)
    expect(rows.map(({ content }) => content).reverse()).toEqual(contents)
  }
  expect(await countUnread(pool, SARAH)).toBe(SENDERS * EACH)
  // The first one does not wait for others, and each sender has one in each.
  expect(await countTransactions()).toBeLessThanOrEqual(EACH + 2)
  expect(appendedCount).toBeLessThanOrEqual(EACH + 2)
})

it('keep what was read for the sender for those who show it', async () => {
  const row = await send({ content: 'Shown twice' })
  expect(await sentRows.take([row.id])).toEqual([row])
})

it('gather what comes soon after another', async () => {
  const { pool } = database
  const everyMs = 300
  const slow = createMessageBatches({ pool, limits: productionLimits, onAppended: () => {}, sentRows, everyMs })
  const startedAtMs = performance.now()
  await slow.send(sending({ senderId: 100 }))
  const second = slow.send(sending({ senderId: 101 }))
  await pool.query(sql.unsafe`select 1`)
  await Promise.all([second, slow.send(sending({ senderId: 102 }))])
  // However slow the machine is: no more began than had the time to.
  const elapsedMs = performance.now() - startedAtMs
  expect(await countTransactions()).toBeLessThanOrEqual(1 + elapsedMs / everyMs)
})

it('keep the limits, and what is refused to one keeps nobody else', async () => {
  const outcomes = await Promise.allSettled([
    ...Array.from({ length: 15 }, () => send({})),
    send({ senderId: MEI }),
    send({ senderId: SARAH, receiverId: SARAH }),
    send({ senderId: MEI, receiverId: 4711 }),
  ])
  const codes = outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason.code : 'sent'))
  expect(codes).toEqual([
    ...Array.from({ length: 10 }, () => 'sent'),
    ...Array.from({ length: 5 }, () => 'rate-limited'),
    'sent',
    'own-message',
    'user-not-found',
  ])
})

it('count what one person writes to many at once', async () => {
  const { pool } = database
  await pool.query(sql.unsafe`
    insert into known_people (user_id, username) select id, 'user' || id from generate_series(100, 114) as id`)
  const outcomes = await Promise.allSettled(strangers(15).map((receiverId) => send({ receiverId })))
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10)
})

it('have what two write to each other at the same time', async () => {
  await Promise.all([send({ senderId: MEI }), send({}), send({ senderId: SARAH, receiverId: BALA })])
  expect((await listBetween(database.pool, BALA, SARAH, all)).rows).toHaveLength(2)
})

it('give one command one message, whoever sends it twice', async () => {
  const twice = sending()
  const [first, second, other] = await Promise.all([
    batches.send(twice),
    batches.send(twice),
    batches.send({ ...twice, senderId: MEI, senderName: 'mei' }),
  ])
  expect(second).toEqual(first)
  expect(other.id).not.toBe(first.id)
  expect((await listBetween(database.pool, BALA, SARAH, all)).rows).toHaveLength(1)
})

it('go on without a message that the database does not take', async () => {
  const outcomes = await Promise.allSettled(
    strangers(5).map((senderId, index) => send({ senderId, content: index === 2 ? 'no \u0000 text' : 'text' })),
  )
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
  expect(await countUnread(database.pool, SARAH)).toBe(4)
})

it('turn away who could not have an answer in time', async () => {
  let letGo = () => {}
  const held = new Promise<void>((resolve) => {
    letGo = resolve
  })
  const holding = database.pool.transaction(async (transaction) => {
    await lockToSend(transaction)
    await held
  })
  const [first, ...others] = strangers(WAITING_MAX + 1)
  const sent = [first, ...others].map((senderId) => send({ ...(senderId !== undefined && { senderId }) }))
  await expect(send({ senderId: MEI })).rejects.toMatchObject({ name: 'Failure' })
  letGo()
  await holding
  expect(await Promise.all(sent)).toHaveLength(WAITING_MAX + 1)
})
