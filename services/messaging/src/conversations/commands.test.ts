import type { ErrorCode } from '@wangian/contracts/errors.ts'
import { sql } from '@wangian/kit/database/postgres.ts'
import { readStream } from '@wangian/kit/log/event-store.ts'
import { saveBans, saveClosings } from '@wangian/kit/people/people-store.ts'
import { dumpRows } from '@wangian/kit/testing/dump.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { rebuildTables } from '@wangian/kit/testing/rebuild-tables.ts'
import { createTestDatabase, type TestDatabase } from '@wangian/kit/testing/test-database.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { conversationsProjection, projectMessaging } from '../projections.ts'
import {
  BALA,
  introducePeople,
  MEI,
  migrationsDirectory,
  PRODUCT,
  SARAH,
  SENT_AT_MS,
  send,
  sending,
} from '../testing/fixtures.ts'
import { changeBlock, markRead, sendMessage } from './commands.ts'
import { countUnread, listConversations } from './conversation-store.ts'
import { productionLimits } from './domain.ts'
import { listBetween, listMessagesAfter } from './message-store.ts'
import { listExchanges } from './sending-store.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase({ service: 'messaging', migrationsDirectory })
})
afterAll(() => database.drop())
beforeEach(async () => {
  await database.pool.query(
    sql.unsafe`truncate messages, message_texts, conversations, blocks, known_people, products, events restart identity`,
  )
  await introducePeople(database.pool)
})

const refused = (code: ErrorCode) => expect.objectContaining({ name: 'Rejection', code })
const all = { limit: 500, beforeId: null, productId: null }
const metadata = (actorId: number) => ({ actorId, correlationId: 'test', causationId: null, commandId: null })
const read = (readerId: number, what: { senderId: number } | { messageId: number }) =>
  database.pool.transaction((transaction) =>
    markRead(transaction, { readerId, what, nowMs: SENT_AT_MS }, metadata(readerId)),
  )

describe('a message that is sent', () => {
  it('is there for both, with what it is about', async () => {
    const { pool } = database
    const sent = await send(pool)
    expect(sent).toEqual({
      id: expect.any(Number),
      senderId: BALA,
      receiverId: SARAH,
      productId: PRODUCT,
      kind: 'text',
      actionType: null,
      deal: null,
      file: null,
      content: 'Is it still there?',
      sentAt: '2026-11-22T08:00:00.000Z',
      isRead: false,
      sender: { id: BALA, username: 'bala', profileImage: null },
      author: null,
      receiver: { id: SARAH, username: 'sarah', profileImage: 'sarahs-picture' },
      product: { id: PRODUCT, name: 'Santal 33', priceSen: 68_050, imageUrl: null, isRemoved: false },
      isSenderNew: false,
    })
    // A row of a list says how long that is besides.
    const listed = { rows: [{ ...sent, total: 1 }], total: 1 }
    expect(await listBetween(pool, BALA, SARAH, all)).toEqual(listed)
    expect(await listBetween(pool, SARAH, BALA, all)).toEqual(listed)
    expect((await listBetween(pool, SARAH, MEI, all)).rows).toEqual([])
    expect([await countUnread(pool, SARAH), await countUnread(pool, BALA)]).toEqual([1, 0])
  })

  it('says in the log who wrote to whom, and not what', async () => {
    const { id } = await send(database.pool, { content: 'My number is 012-3456789' })
    const [event] = await readStream(database.pool, 'messaging', 'conversation-2-5')
    expect(event).toMatchObject({
      type: 'MessageSent',
      data: { messageId: id, senderId: BALA, receiverId: SARAH, productId: PRODUCT, kind: 'text' },
    })
    expect(JSON.stringify(event)).not.toContain('012-3456789')
  })

  it('twice with the same id of the sender is sent once', async () => {
    const { pool } = database
    const twice = sending()
    const [first, second] = await Promise.all([send(pool, twice), send(pool, twice)])
    expect(second).toEqual(first)
    expect(await send(pool, { ...twice, content: 'Something else' })).toEqual(first)
    expect((await listBetween(pool, BALA, SARAH, all)).rows).toHaveLength(1)
    expect(await countUnread(pool, SARAH)).toBe(1)
    // Another person's id is another message.
    await send(pool, { ...twice, senderId: MEI, senderName: 'mei' })
    expect(await countUnread(pool, SARAH)).toBe(2)
  })

  it.each<[ErrorCode, Parameters<typeof send>[1], () => Promise<void>]>([
    ['own-message', { receiverId: BALA }, async () => {}],
    ['user-not-found', { receiverId: 999 }, async () => {}],
    [
      'user-gone',
      {},
      () => saveClosings(database.pool, [{ userId: SARAH, version: 2, closedAt: '2026-11-22T08:00:00.000Z' }]),
    ],
    [
      'account-suspended',
      {},
      () => saveBans(database.pool, [{ userId: BALA, bannedAt: '2026-11-22T08:00:00.000Z', version: 2 }]),
    ],
  ])('may be refused: %s', async (code, fields, prepare) => {
    await prepare()
    await expect(send(database.pool, fields)).rejects.toEqual(refused(code))
    expect((await listBetween(database.pool, BALA, SARAH, all)).rows).toEqual([])
  })

  it('counts: ten within ten seconds, however many come at once', async () => {
    const { pool } = database
    const results = await Promise.allSettled(Array.from({ length: 15 }, () => send(pool)))
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(10)
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toEqual(refused('rate-limited'))
    }
    await send(pool, { nowMs: SENT_AT_MS + 10_001 })
  })

  it('counts: twenty conversations begun within an hour', async () => {
    const { pool } = database
    await pool.query(sql.unsafe`
      insert into known_people (user_id, username) select id, 'user' || id from generate_series(100, 121) as id`)
    for (let number = 0; number < 20; number += 1) {
      await send(pool, { receiverId: 100 + number, nowMs: SENT_AT_MS + number * 5_000 })
    }
    const later = SENT_AT_MS + 120_000
    await expect(send(pool, { receiverId: 120, nowMs: later })).rejects.toEqual(refused('rate-limited'))
    await send(pool, { receiverId: 100, nowMs: later })
    await send(pool, { receiverId: 120, nowMs: SENT_AT_MS + 61 * 60_000 + 100_000 })
  })

  it('is not counted when the product says it in somebody’s name', async () => {
    const { pool } = database
    await pool.query(sql.unsafe`
      insert into known_people (user_id, username) select id, 'user' || id from generate_series(100, 218) as id`)
    for (let number = 0; number < 20; number += 1) {
      const commandId = number % 2 === 0 ? `auction-ended-${number}` : `deal-${number}-CONFIRM_PAYMENT`
      await send(pool, { receiverId: 100 + number, commandId, isAutomatic: true })
    }
    for (let number = 0; number < 10; number += 1) await send(pool, { receiverId: 120 })
    await expect(send(pool, { receiverId: 121 })).rejects.toEqual(refused('rate-limited'))
    // Of conversations it has begun one.
    for (let number = 0; number < 19; number += 1)
      await send(pool, { receiverId: 200 + number, nowMs: SENT_AT_MS + (number + 1) * 70_000 })
    const later = SENT_AT_MS + 25 * 60_000
    await expect(send(pool, { receiverId: 121, nowMs: later })).rejects.toEqual(refused('rate-limited'))
  })

  it('is looked at without reading what others, or its sender long ago, have written or begun', async () => {
    const { pool } = database
    await pool.query(sql.unsafe`
      insert into messages (id, sender_id, receiver_id, kind, sent_at, command_id)
      select n, ${BALA}, 1000 + n, 'text', at, 'auction-ended-' || n
        from generate_series(1, 20000) n, lateral (select ${new Date(SENT_AT_MS).toISOString()}::timestamptz - make_interval(mins => n) as at) sent`)
    await pool.query(sql.unsafe`
      insert into conversations (user_id, other_id, opened_by, opened_at, last_message_id, message_count)
      select sender_id, receiver_id, sender_id, sent_at, id, 1 from messages`)
    for (const table of ['messages', 'conversations']) await pool.query(sql.unsafe`analyze ${sql.identifier([table])}`)
    const question = {
      senderId: BALA,
      receiverId: MEI,
      commandId: 'one',
      stream: 'conversation-5-6',
      nowMs: SENT_AT_MS,
    }
    const read = await pool.transaction(async (transaction) => {
      // Counts of the connection's earlier transactions may be among them still.
      const countRead = () =>
        transaction.oneFirst(sql.type(z.object({ rows: z.number() }))`
          select sum(seq_tup_read + idx_tup_fetch) as rows from pg_stat_xact_user_tables
           where relid in ('messages'::regclass, 'conversations'::regclass)`)
      const before = await countRead()
      await listExchanges(transaction, [question])
      return (await countRead()) - before
    })
    expect(read).toBeLessThan(500)
  })

  it('is not lost when both write at the same time', async () => {
    const { pool } = database
    await Promise.all(
      Array.from({ length: 8 }, (_, number) =>
        number % 2 === 0
          ? send(pool)
          : send(pool, { senderId: SARAH, senderName: 'sarah', receiverId: BALA, content: 'Yes' }),
      ),
    )
    const { rows } = await listBetween(pool, BALA, SARAH, all)
    const events = await readStream(pool, 'messaging', 'conversation-2-5')
    const sent = events.map(({ data }) => (data as { messageId: number }).messageId)
    expect(new Set(sent)).toEqual(new Set(rows.map(({ id }) => id)))
    expect(sent).toHaveLength(8)
    expect([await countUnread(pool, SARAH), await countUnread(pool, BALA)]).toEqual([4, 4])
  })
})

describe('messages to one person from two others', () => {
  it('are committed in the order of their ids, so that who asks for what came since misses none', async () => {
    const { pool } = database
    const since = async (afterId: number) =>
      (await listMessagesAfter(pool, SARAH, { afterId, limit: 500 })).rows.map(({ id }) => id)
    let commit = () => {}
    const held = new Promise<void>((resolve) => {
      commit = resolve
    })
    let sent = (_: number) => {}
    const drawn = new Promise<number>((resolve) => {
      sent = resolve
    })
    const first = pool.transaction(async (transaction) => {
      sent(await sendMessage(transaction, sending(), productionLimits))
      await held
    })
    const firstId = await drawn
    const second = send(pool, { senderId: MEI, senderName: 'mei' })
    // It would be there by now, did it not wait for the one before.
    await eventually(async () => expect(await countWaiting()).toBe(1))
    expect(await since(0)).toEqual([])
    commit()
    await first
    const { id: secondId } = await second
    expect([await since(0), await since(firstId)]).toEqual([[firstId, secondId], [secondId]])
  })
})

const countWaiting = () =>
  database.pool.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*) from pg_locks where locktype = 'advisory' and not granted
       and database = (select oid from pg_database where datname = current_database())`)

describe('what was read', () => {
  it('is all of somebody, once', async () => {
    const { pool } = database
    const ids = [(await send(pool)).id, (await send(pool)).id]
    await send(pool, { senderId: MEI, senderName: 'mei' })
    expect(await read(SARAH, { senderId: BALA })).toEqual(ids)
    expect(await read(SARAH, { senderId: BALA })).toEqual([])
    expect(await countUnread(pool, SARAH)).toBe(1)
    expect((await listBetween(pool, BALA, SARAH, all)).rows.every(({ isRead }) => isRead)).toBe(true)
    expect(await readStream(pool, 'messaging', 'conversation-2-5')).toHaveLength(3)
  })

  it('may be a single message', async () => {
    const first = await send(database.pool)
    await send(database.pool)
    expect(await read(SARAH, { messageId: first.id })).toEqual([first.id])
    expect(await countUnread(database.pool, SARAH)).toBe(1)
  })

  it('is for the receiver to say', async () => {
    const { id } = await send(database.pool)
    for (const stranger of [BALA, MEI]) {
      await expect(read(stranger, { messageId: id })).rejects.toEqual(refused('message-not-found'))
      expect(await read(stranger, { senderId: stranger === BALA ? SARAH : BALA })).toEqual([])
    }
    expect(await countUnread(database.pool, SARAH)).toBe(1)
  })
})

it('makes the same conversations from the log alone', async () => {
  const { pool } = database
  await send(pool)
  await send(pool, { senderId: SARAH, senderName: 'sarah', receiverId: BALA, productId: null, content: 'Yes' })
  await send(pool, { senderId: MEI, senderName: 'mei' })
  await read(SARAH, { senderId: BALA })
  const look = async () => ({
    between: (await listBetween(pool, BALA, SARAH, all)).rows,
    lists: await Promise.all([BALA, SARAH, MEI].map(async (id) => (await listConversations(pool, id, all)).rows)),
    unread: await Promise.all([BALA, SARAH, MEI].map((id) => countUnread(pool, id))),
  })
  for (const [blockedId, isWanted] of [
    [SARAH, true],
    [BALA, true],
    [BALA, false],
  ] as const) {
    const blocking = { userId: MEI, blockedId, isWanted, nowMs: SENT_AT_MS }
    await pool.transaction((transaction) => changeBlock(transaction, blocking, metadata(MEI)))
  }
  const before = await look()
  const rows = () => dumpRows(pool, ['messaging.messages', 'messaging.conversations', 'messaging.blocks'])
  const rowsBefore = await rows()
  expect(before.unread).toEqual([1, 1, 0])
  expect(before.lists[0]?.[0]).toMatchObject({ unreadCount: 1, product: { id: PRODUCT }, user: { username: 'sarah' } })
  await pool.query(sql.unsafe`delete from conversations`)
  await pool.query(sql.unsafe`update messages set read_at = null`)
  await pool.query(sql.unsafe`update blocks set blocked_id = ${BALA}`)
  expect(await rebuildTables(pool, 'messaging', conversationsProjection)).toBe(7)
  expect(await look()).toEqual(before)
  expect(await rows()).toEqual(rowsBefore)
  // An event that is projected twice counts once.
  for (const event of await readStream(pool, 'messaging', 'conversation-2-5')) {
    await pool.transaction((transaction) => projectMessaging(transaction, event))
  }
  expect(await look()).toEqual(before)
})
