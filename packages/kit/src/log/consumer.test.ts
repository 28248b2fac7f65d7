import { rmSync } from 'node:fs'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import type { Envelope } from '@wangian/contracts/envelope.ts'
import type { PublicPerson } from '@wangian/contracts/identity.ts'
import { eventStreamName, eventSubject } from '@wangian/contracts/subjects.ts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { openPool, sql, type Transaction } from '../database/postgres.ts'
import { Failure, Rejection } from '../errors.ts'
import { eventually } from '../testing/eventually.ts'
import { testPerson } from '../testing/people.ts'
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts'
import { startTestNats, type TestNats } from '../testing/test-nats.ts'
import { type ConsumerStats, type EventConsumer, type EventHandlers, startConsumer } from './consumer.ts'
import { appendEvents, newEventId, readStream } from './event-store.ts'
import { ensureEventStream } from './event-stream.ts'
import { purgeInbox } from './inbox.ts'
import { startRelay } from './relay.ts'

interface Data {
  readonly person: PublicPerson | null
}
const nameIn = ({ person }: Data) => person?.username ?? ''

/*
 * Identity's events are consumed, and the consumer's service is catalogue: a sign writes its user's name to a list, so
 * that what was handled, how often and in which order, can be read in the list.
 */

let nats: TestNats
let database: TestDatabase
const running: EventConsumer[] = []
beforeAll(async () => {
  nats = await startTestNats()
})
afterAll(() => nats.stop())
beforeEach(async () => {
  database = await createTestDatabase({ service: 'catalogue' })
  await database.pool.query(sql.unsafe`create table names (number bigint generated always as identity, name text)`)
  await ensureEventStream(await jetstreamManager(nats.connection), 'identity')
})
afterEach(async () => {
  await Promise.all(running.splice(0).map((consumer) => consumer.stop()))
  await database.drop()
  const manager = await jetstreamManager(nats.connection)
  for await (const { config } of manager.streams.list()) await manager.streams.delete(config.name)
})

async function writeName(transaction: Transaction, name: string): Promise<void> {
  await transaction.query(sql.unsafe`insert into names (name) values (${name})`)
}

const writing: EventHandlers<'identity'> = {
  UserRegistered: (transaction, { data }) => writeName(transaction, nameIn(data)),
}

async function names(): Promise<readonly string[]> {
  return database.pool.anyFirst(sql.type(z.object({ name: z.string() }))`select name from names order by number`)
}

function start(handlers: EventHandlers<'identity'> = writing, batchMax?: number): EventConsumer {
  const consumer = startConsumer({
    service: 'catalogue',
    source: 'identity',
    name: 'people',
    nats: nats.connection,
    pool: database.pool,
    handlers,
    retryDelaysMs: [10, 10, 10, 10],
    unavailableDelayMaxMs: 50,
    ...(batchMax !== undefined && { batchMax }),
  })
  running.push(consumer)
  return consumer
}

function registered(name: string, { stream = `user-${name}`, version = 1 } = {}): Envelope {
  return {
    id: newEventId(),
    type: 'UserRegistered',
    stream,
    version,
    schemaVersion: 1,
    at: '2026-11-21T08:00:00.000Z',
    data: {
      userId: 1,
      person: testPerson(name),
      isSeller: false,
      isAdmin: false,
      registeredAt: '2026-11-21T08:00:00.000Z',
    },
    metadata: { actorId: null, correlationId: 'request-1', causationId: null, commandId: null },
  }
}

async function publish(...events: Envelope[]): Promise<void> {
  const client = jetstream(nats.connection)
  for (const event of events) await client.publish(eventSubject('identity', event.type), JSON.stringify(event))
}

const publishText = (type: string, text: string, msgID?: string) =>
  jetstream(nats.connection).publish(eventSubject('identity', type), text, msgID === undefined ? {} : { msgID })

/** What of the source's stream is still to be delivered or acknowledged. */
async function unfinished(): Promise<number> {
  const manager = await jetstreamManager(nats.connection)
  const info = await manager.consumers.info(eventStreamName('identity'), 'catalogue-people')
  return info.num_pending + info.num_ack_pending
}

const finished = () => eventually(async () => (await unfinished()) === 0)

const Letter = z.object({
  event_id: z.string(),
  subject: z.string(),
  payload: z.string(),
  error: z.string(),
  tries: z.number(),
})
const letters = () =>
  database.pool.any(sql.type(Letter)`select event_id, subject, payload, error, tries from dead_letters`)

describe('a consumer', () => {
  it('handles what was there before it and what comes, in order', async () => {
    await publish(registered('a'), registered('b'))
    start()
    await publish(registered('c'))
    await finished()
    expect(await names()).toEqual(['a', 'b', 'c'])
  })

  it('gets the whole event, its data parsed', async () => {
    const event = registered('a')
    const seen: unknown[] = []
    start({ UserRegistered: async (_transaction, received) => void seen.push(received) })
    await publish({ ...event, data: { ...Object(event.data), unknown: 'left out' } })
    await finished()
    expect(seen).toEqual([event])
  })

  it('handles an event once that is published several times', async () => {
    const event = registered('a')
    start()
    await publish(event, event, registered('b'), event)
    await finished()
    expect(await names()).toEqual(['a', 'b'])
  })

  it('goes on where it was', async () => {
    await publish(registered('a'))
    start()
    await finished()
    await running.pop()?.stop()
    await publish(registered('b'))
    start()
    await eventually(async () => (await names()).length === 2)
    expect(await names()).toEqual(['a', 'b'])
  })

  it('does what it does together with the note that it is done, or not at all', async () => {
    let tries = 0
    start({
      UserRegistered: async (transaction, { data }) => {
        await writeName(transaction, nameIn(data))
        tries += 1
        if (tries < 3) throw new Error('not yet')
      },
    })
    await publish(registered('a'))
    await finished()
    expect(tries).toBe(3)
    expect(await names()).toEqual(['a'])
  })

  it('lets a handler append to the log of its own service', async () => {
    start({
      UserRegistered: async (transaction, { id, stream, metadata }) => {
        const greeted = {
          messageId: 1,
          senderId: 1,
          receiverId: 2,
          productId: null,
          kind: 'text',
          sentAt: '2026-11-21T08:00:00.000Z',
        }
        await appendEvents(transaction, {
          service: 'messaging',
          stream,
          expectedVersion: 0,
          events: [{ type: 'MessageSent', data: greeted }],
          metadata: { ...metadata, causationId: id },
        })
      },
    })
    const event = registered('a')
    await publish(event, event)
    await finished()
    expect(await readStream(database.pool, 'messaging', 'user-a')).toMatchObject([
      { type: 'MessageSent', metadata: { causationId: event.id } },
    ])
  })

  it('passes over types that it does not handle, known or not', async () => {
    const consumer = start({ ...writing, UserErased: (transaction) => writeName(transaction, 'erased') })
    await publish({ ...registered('a'), type: 'UserForgotten', data: { anything: true } })
    await publish({ ...registered('a'), type: 'EmailVerified' }, registered('b'))
    await finished()
    expect(await names()).toEqual(['b'])
    expect(await letters()).toEqual([])
    expect(consumer.stats().handledCount).toBe(1)
  })

  it('is not even sent the other types when it handles but one', async () => {
    start()
    await publish({ ...registered('a'), type: 'UserForgotten', data: { anything: true } }, registered('b'))
    await finished()
    expect(await names()).toEqual(['b'])
    const manager = await jetstreamManager(nats.connection)
    const info = await manager.consumers.info(eventStreamName('identity'), 'catalogue-people')
    expect(info.delivered.consumer_seq).toBe(1)
  })

  it('handles many in few transactions when it is told that it may', async () => {
    const transactions = new Set<string>()
    const consumer = start(
      {
        UserRegistered: async (transaction, { data }) => {
          transactions.add(transaction.transactionId)
          await writeName(transaction, nameIn(data))
        },
      },
      50,
    )
    await eventually(() => consumer.stats().isActive)
    const people = Array.from({ length: 200 }, (_, n) => registered(`p${n}`))
    await Promise.all(people.map((person) => publish(person)))
    await finished()
    expect((await names()).toSorted()).toEqual(people.map(({ stream }) => stream.slice('user-'.length)).toSorted())
    expect(transactions.size).toBeLessThan(100)
  })
})

describe('a poison event', () => {
  const picky: EventHandlers<'identity'> = {
    UserRegistered: async (transaction, { data }) => {
      if (nameIn(data).startsWith('poison')) throw new Error('cannot swallow this')
      await writeName(transaction, nameIn(data))
    },
  }

  it.each([1, 10])('is parked after 5 tries, and others go on meanwhile (batches of %d)', async (batchMax) => {
    const poison = registered('poison')
    const consumer = start(picky, batchMax)
    await publish(registered('a'), poison, registered('b'))
    await eventually(async () => (await letters()).length === 1)
    await finished()
    expect(await names()).toEqual(['a', 'b'])
    expect(await letters()).toEqual([
      {
        event_id: poison.id,
        subject: 'events.identity.UserRegistered',
        payload: JSON.stringify(poison),
        error: 'Error: cannot swallow this',
        tries: 5,
      },
    ])
    expect(consumer.stats()).toMatchObject<Partial<ConsumerStats>>({ parkedCount: 1, heldCount: 0 })
  })

  it('stays parked when it comes again', async () => {
    const poison = registered('poison')
    const consumer = start(picky)
    await publish(poison)
    await eventually(() => consumer.stats().parkedCount === 1)
    await publish(poison, registered('a'))
    await finished()
    expect(consumer.stats().parkedCount).toBe(1)
    expect(await names()).toEqual(['a'])
  })

  it('holds back later events of its own stream until it is parked', async () => {
    let isPoisonous = true
    const seen: string[] = []
    const consumer = start({
      UserRegistered: async (transaction, { data, version }) => {
        seen.push(`${nameIn(data)}:${version}`)
        if (isPoisonous && nameIn(data) === 'a' && version === 1) throw new Failure('away')
        await writeName(transaction, `${nameIn(data)}:${version}`)
      },
    })
    await publish(registered('a'), registered('a', { version: 2 }), registered('b'), registered('a', { version: 3 }))
    await eventually(async () => (await names()).includes('b:1') && consumer.stats().heldCount === 3)
    isPoisonous = false
    await finished()
    expect(await names()).toEqual(['b:1', 'a:1', 'a:2', 'a:3'])
    expect(seen.filter((name) => name === 'a:2')).toHaveLength(1)
  })

  it('is one whose data does not parse', async () => {
    const event = { ...registered('a'), data: { userId: 'seven' } }
    start()
    await publish(event, registered('b'))
    await eventually(async () => (await letters()).length === 1)
    await finished()
    expect(await letters()).toMatchObject([{ event_id: event.id, tries: 5 }])
    expect(await names()).toEqual(['b'])
  })

  it('is one that is no event at all', async () => {
    start()
    await publishText('UserRegistered', '{ "half": ')
    await publishText('UserRegistered', '"\0"', 'made-by-hand')
    await publishText('UserRegistered', JSON.stringify({ ...registered('x'), id: 'no uuid' }))
    await publish(registered('b'))
    await eventually(async () => (await letters()).length === 3)
    await finished()
    expect((await letters()).map(({ event_id }) => event_id).toSorted()).toEqual([
      'EVENTS_IDENTITY:1',
      'EVENTS_IDENTITY:3',
      'made-by-hand',
    ])
    expect(await names()).toEqual(['b'])
  })

  it('is parked at once when the business says no to it', async () => {
    start({ UserRegistered: async () => Promise.reject(new Rejection('not-found')) })
    await publish(registered('a'))
    await eventually(async () => (await letters()).length === 1)
    expect(await letters()).toMatchObject([{ tries: 1 }])
  })
})

describe('something unavailable', () => {
  it('is waited for, however often it takes', async () => {
    let tries = 0
    const consumer = start({
      UserRegistered: async (transaction, { data }) => {
        tries += 1
        if (nameIn(data) === 'a' && tries < 9) throw new Failure('another service is away')
        await writeName(transaction, nameIn(data))
      },
    })
    await publish(registered('a'))
    await eventually(async () => (await names()).length === 1)
    await finished()
    expect(consumer.stats().parkedCount).toBe(0)
  })

  it('may be the database: nothing is lost or done twice', async () => {
    const people = Array.from({ length: 60 }, (_, n) => registered(`p${n}`, { stream: 'people', version: n + 1 }))
    start()
    const publishing = publish(...people)
    for (let round = 0; round < 5; round += 1) {
      const before = (await names().catch(() => [])).length
      await eventually(async () => (await names()).length > before || before === people.length)
      await database.pool
        .query(sql.unsafe`
          select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and pid <> pg_backend_pid()`)
        .catch(() => {})
    }
    await publishing
    await eventually(async () => (await names()).length === 60)
    await finished()
    expect(await names()).toEqual(people.map((_, n) => `p${n}`))
    expect(await letters()).toEqual([])
  })
})

describe('two consumers of one name', () => {
  it('share nothing: one consumes, and the other takes over with what was left, in order', async () => {
    let release = () => {}
    const gate = new Promise<void>((resolve) => (release = resolve))
    const first = start({
      UserRegistered: async (transaction, { data }) => {
        if (nameIn(data) === 'c') await gate
        await writeName(transaction, nameIn(data))
      },
    })
    await eventually(() => first.stats().isActive)
    const second = start()
    await publish(...['a', 'b', 'c', 'd', 'e'].map((name) => registered(name)))
    await eventually(async () => (await names()).length === 2)
    expect(second.stats().isActive).toBe(false)
    const stopping = first.stop()
    release()
    await stopping
    await eventually(async () => (await names()).length === 5)
    await finished()
    expect(await names()).toEqual(['a', 'b', 'c', 'd', 'e'])
    expect(second.stats()).toMatchObject({ isActive: true, handledCount: 2 })
  })

  it('have one effect even when both believe that they may', async () => {
    const event = registered('a')
    let arrived = 0
    const bothArrived = Promise.withResolvers<void>()
    const slow: EventHandlers<'identity'> = {
      UserRegistered: async (transaction, { data }) => {
        arrived += 1
        if (arrived === 2) bothArrived.resolve()
        await bothArrived.promise
        await writeName(transaction, nameIn(data))
      },
    }
    // Another schema first, so another lock, and the same inbox: as if a paused process had not noticed that it lost it.
    const url = new URL(database.url)
    url.searchParams.set('options', '-c search_path=extensions,catalogue')
    const pool = await openPool({ url: url.href, applicationName: 'other' })
    const options = { source: 'identity', name: 'people', nats: nats.connection, handlers: slow } as const
    const other = startConsumer({ service: 'admin', pool, retryDelaysMs: [10, 10, 10, 10], ...options })
    const mine = start(slow)
    await publish(event)
    await eventually(() => mine.stats().handledCount + other.stats().handledCount === 2)
    expect(await names()).toEqual(['a'])
    await other.stop()
    await pool.end()
  })
})

describe('NATS', () => {
  it('restarts: what was under way comes again, and has one effect', async () => {
    start()
    const people = Array.from({ length: 300 }, (_, n) => registered(`p${n}`, { stream: 'people', version: n + 1 }))
    await publish(...people)
    for (const count of [50, 150]) {
      await eventually(async () => (await names()).length > count)
      await nats.kill()
      await nats.restart()
    }
    await eventually(async () => (await names()).length === 300)
    await finished()
    expect(await names()).toEqual(people.map((_, n) => `p${n}`))
  })

  it('loses its store: stream and consumer are made again, and what is published again has no second effect', async () => {
    const source = await createTestDatabase({ service: 'identity' })
    const people = new Map<string, { person: PublicPerson }>()
    const complete = async () => people
    const relay = startRelay({ service: 'identity', databaseUrl: source.url, nats: nats.connection, complete })
    const register = (name: string) =>
      source.pool.transaction((transaction) => {
        const { id, stream, type, data, metadata } = registered(name)
        people.set(id, { person: testPerson(name) })
        const append = { service: 'identity', stream, expectedVersion: 0, metadata } as const
        return appendEvents(transaction, { ...append, events: [{ type, data }], eventIds: [id] })
      })
    start()
    for (const name of ['a', 'b', 'c']) await register(name)
    await eventually(async () => (await names()).length === 3)
    await nats.kill()
    rmSync(nats.storeDirectory, { recursive: true })
    await register('d')
    await nats.restart()
    await register('e')
    await eventually(async () => (await names()).length === 5)
    await finished()
    expect((await names()).toSorted()).toEqual(['a', 'b', 'c', 'd', 'e'])
    await relay.stop()
    await source.drop()
  })

  it('has the consumer removed under us: it is made again', async () => {
    start()
    await publish(registered('a'))
    await finished()
    await (await jetstreamManager(nats.connection)).consumers.delete(eventStreamName('identity'), 'catalogue-people')
    await publish(registered('b'))
    await eventually(async () => (await names()).length === 2)
    expect(await names()).toEqual(['a', 'b'])
  })
})

describe('a bulk handler', () => {
  const startBulk = (bulk: (transaction: Transaction, names: string[]) => Promise<void>) => {
    const consumer = startConsumer({
      service: 'catalogue',
      source: 'identity',
      name: 'people',
      nats: nats.connection,
      pool: database.pool,
      handlers: {},
      bulkHandlers: {
        UserRegistered: (transaction, events) =>
          bulk(
            transaction,
            events.map(({ data }) => nameIn(data)),
          ),
      },
      batchMax: 100,
      retryDelaysMs: [10, 10, 10, 10],
    })
    running.push(consumer)
    return consumer
  }

  it('gets the events of a batch together, each once', async () => {
    const people = Array.from({ length: 50 }, (_, number) => registered(`name${number}`))
    await publish(...people)
    await publish(...people)
    const sizes: number[] = []
    const consumer = startBulk(async (transaction, batch) => {
      sizes.push(batch.length)
      for (const name of batch) await writeName(transaction, name)
    })
    await eventually(() => consumer.stats().handledCount === 100)
    expect(await names()).toEqual(people.map(({ data }) => nameIn(data as Data)))
    expect(sizes.length).toBeLessThan(50)
  })

  it('shows which event of a batch is poison', async () => {
    await publish(...['good', 'poison', 'better'].map((name) => registered(name)))
    const consumer = startBulk(async (transaction, batch) => {
      if (batch.includes('poison')) throw new Error('cannot take this')
      for (const name of batch) await writeName(transaction, name)
    })
    await eventually(() => consumer.stats().parkedCount === 1)
    await finished()
    expect((await names()).toSorted()).toEqual(['better', 'good'])
    expect((await letters()).map(({ error }) => error)).toEqual([expect.stringContaining('cannot take this')])
  })
})

describe('the inbox', () => {
  it('forgets what cannot be delivered any more, but not what was delivered again of late', async () => {
    const [old, again] = [registered('a'), registered('b')]
    const consumer = start()
    await publish(old, again)
    await eventually(() => consumer.stats().handledCount === 2)
    await database.pool.query(sql.unsafe`update inbox set received_at = now() - interval '9 days'`)
    await publish(again)
    await eventually(() => consumer.stats().handledCount === 3)
    expect(await purgeInbox(database.pool, 'identity-people')).toBe(1)
    const Id = z.object({ event_id: z.string() })
    expect(await database.pool.anyFirst(sql.type(Id)`select event_id from inbox`)).toEqual([again.id])
  })
})
