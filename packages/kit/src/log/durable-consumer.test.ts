import { type ConsumerInfo, jetstream, jetstreamManager } from '@nats-io/jetstream'
import type { Envelope } from '@wangian/contracts/envelope.ts'
import { eventStreamName, eventSubject } from '@wangian/contracts/subjects.ts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { sql } from '../database/postgres.ts'
import { eventually } from '../testing/eventually.ts'
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts'
import { startTestNats, type TestNats } from '../testing/test-nats.ts'
import { type EventConsumer, startConsumer } from './consumer.ts'
import { ensureDurableConsumer } from './durable-consumer.ts'
import { newEventId } from './event-store.ts'
import { ensureEventStream } from './event-stream.ts'

/*
 * A service is started in a version that handles bans only, and is sent nothing else, and in one that is sent every event.
 */

const BAN = 'UserBanned'
const STREAM = eventStreamName('identity')
const DURABLE = 'catalogue-bans'

let nats: TestNats
let database: TestDatabase
let running: EventConsumer | undefined
beforeAll(async () => {
  nats = await startTestNats()
})
afterAll(() => nats.stop())
beforeEach(async () => {
  database = await createTestDatabase({ service: 'catalogue' })
  await database.pool.query(sql.unsafe`create table bans (number bigint generated always as identity, user_id int)`)
  await ensureEventStream(await jetstreamManager(nats.connection), 'identity')
})
afterEach(async () => {
  await stop()
  await database.drop()
  await (await jetstreamManager(nats.connection)).streams.delete(STREAM)
})

function start(version: 'bans only' | 'more'): void {
  running = startConsumer({
    service: 'catalogue',
    source: 'identity',
    name: 'bans',
    nats: nats.connection,
    pool: database.pool,
    handlers: {
      [BAN]: async (transaction, { data: { userId } }) => {
        await transaction.query(sql.unsafe`insert into bans (user_id) values (${userId})`)
      },
      ...(version === 'more' && { UserErased: async () => {} }),
    },
  })
}

async function stop(): Promise<void> {
  await running?.stop()
  running = undefined
}

async function publish(type: string, userId: number): Promise<void> {
  const event: Envelope = {
    id: newEventId(),
    type,
    stream: `user-${userId}`,
    version: 1,
    schemaVersion: 1,
    at: '2026-11-21T08:00:00.000Z',
    data: { userId, reason: 'no reason', bannedAt: '2026-11-21T08:00:00.000Z' },
    metadata: { actorId: null, correlationId: 'request-1', causationId: null, commandId: null },
  }
  await jetstream(nats.connection).publish(eventSubject('identity', type), JSON.stringify(event))
}

async function durable(): Promise<ConsumerInfo> {
  return (await jetstreamManager(nats.connection)).consumers.info(STREAM, DURABLE)
}

const finished = () =>
  eventually(async () => {
    const { num_pending, num_ack_pending } = await durable()
    return num_pending + num_ack_pending === 0
  })
const filteredBy = (subject: string) => eventually(async () => (await durable()).config.filter_subject === subject)

async function bans(): Promise<readonly number[]> {
  return database.pool.anyFirst(sql.type(z.object({ user_id: z.number() }))`select user_id from bans order by number`)
}

describe('a durable consumer that wants other events than before', () => {
  it('is told so where it stands, and is sent no others from then on', async () => {
    start('more')
    await publish(BAN, 1)
    await publish('EmailVerified', 2)
    await finished()
    await stop()
    const before = await durable()
    expect(before.delivered.consumer_seq).toBe(2)

    for (let userId = 3; userId <= 20; userId += 1) await publish('EmailVerified', userId)
    await publish(BAN, 21)
    start('bans only')
    await filteredBy(eventSubject('identity', BAN))
    await publish('EmailVerified', 22)
    await publish(BAN, 23)
    await eventually(async () => (await bans()).length === 3)
    await finished()
    expect(await bans()).toEqual([1, 21, 23])
    const after = await durable()
    expect(after.created, 'updated, and not made anew').toBe(before.created)
    expect(after.delivered.consumer_seq).toBe(4)
  })

  it('gets what the old version had in its hands when it died, once and in order', async () => {
    const manager = await jetstreamManager(nats.connection)
    const stream = await manager.streams.info(STREAM)
    await ensureDurableConsumer(manager, stream, DURABLE, eventSubject('identity', '*'))
    await publish('EmailVerified', 1)
    await publish(BAN, 2)
    await publish('EmailVerified', 3)
    await publish(BAN, 4)
    const old = await jetstream(nats.connection).consumers.get(STREAM, DURABLE)
    const inHands = await old.fetch({ max_messages: 3, expires: 5_000 })
    let count = 0
    for await (const message of inHands) {
      count += 1
      if (count === 1) await message.ackAck()
    }
    expect((await durable()).num_ack_pending).toBe(2)

    start('bans only')
    await publish('EmailVerified', 5)
    await publish(BAN, 6)
    await eventually(async () => (await bans()).length === 3)
    await finished()
    expect(await bans()).toEqual([2, 4, 6])
    const { config, delivered } = await durable()
    expect(config.filter_subject).toBe(eventSubject('identity', BAN))
    expect(delivered.consumer_seq).toBe(3)
  })

  it('may want all of them again', async () => {
    start('bans only')
    await publish(BAN, 1)
    await finished()
    await stop()
    const before = await durable()
    start('more')
    await filteredBy(eventSubject('identity', '*'))
    await publish('EmailVerified', 2)
    await publish(BAN, 3)
    await finished()
    expect(await bans()).toEqual([1, 3])
    const after = await durable()
    expect(after.created).toBe(before.created)
    expect(after.delivered.consumer_seq).toBe(3)
  })

  it('is left alone when nothing has changed', async () => {
    start('bans only')
    await publish(BAN, 1)
    await finished()
    await stop()
    const before = await durable()
    start('bans only')
    await publish(BAN, 2)
    await finished()
    const { config, created } = await durable()
    expect({ config, created }).toEqual({ config: before.config, created: before.created })
  })
})
