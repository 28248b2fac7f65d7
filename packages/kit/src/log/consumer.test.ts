import { rmSync } from 'node:fs'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import type { Envelope, LogPosition } from '@wangian/contracts/envelope.ts'
import type { MessagingEvent } from '@wangian/contracts/events/messaging.ts'
import type { PublicPerson } from '@wangian/contracts/identity.ts'
import { readLogPage } from '@wangian/contracts/log-pages.ts'
import { eventStreamName, eventSubject, requestSubject } from '@wangian/contracts/subjects.ts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Executor, sql, type Transaction } from '../database/postgres.ts'
import { Failure, Rejection } from '../errors.ts'
import { type Logger, silentLogger } from '../service/logger.ts'
import { eventually } from '../testing/eventually.ts'
import { testPerson } from '../testing/people.ts'
import { createTestDatabase, openTestPool, type TestDatabase } from '../testing/test-database.ts'
import { startTestLog, type TestLog } from '../testing/test-log.ts'
import { startTestNats, type TestNats } from '../testing/test-nats.ts'
import { sharedCommand } from './command.ts'
import { type ConsumerStats, type EventConsumer, startConsumer } from './consumer.ts'
import { releaseDeadLetters } from './dead-letters.ts'
import type { Decider } from './decider.ts'
import type { BulkEventHandlers, EventHandlers } from './event-handlers.ts'
import { appendEvents, type NewEvent, newEventId, readStream } from './event-store.ts'
import { ensureEventStream } from './event-stream.ts'
import { requestLogPage, serveLogPages } from './log-pages.ts'
import type { Complete } from './published-events.ts'
import { startPublishing } from './publishing.ts'

interface Data {
  readonly person: PublicPerson | null
}
const nameIn = ({ person }: Data) => person?.username ?? ''

/*
 * Identity's log is consumed, and the consumer's service is catalogue: a sign writes its user's name to a list, so
 * that what was handled, how often and in which order, can be read in the list.
 */

let nats: TestNats
let database: TestDatabase
let source: TestLog
const running: EventConsumer[] = []
beforeAll(async () => {
  nats = await startTestNats()
})
afterAll(() => nats.stop())
beforeEach(async () => {
  database = await createTestDatabase({ service: 'catalogue' })
  await database.pool.query(sql.unsafe`create table names (number bigint generated always as identity, name text)`)
  source = await startTestLog({ service: 'identity', nats: nats.connection, complete })
})
afterEach(async () => {
  await Promise.all(running.splice(0).map((consumer) => consumer.stop()))
  await source.stop()
  await database.drop()
  const manager = await jetstreamManager(nats.connection)
  for await (const { config } of manager.streams.list()) await manager.streams.delete(config.name)
})

async function writeName(executor: Executor, name: string): Promise<void> {
  await executor.query(sql.unsafe`insert into names (name) values (${name})`)
}

const writing: EventHandlers<'identity'> = {
  UserRegistered: (transaction, { data }) => writeName(transaction, nameIn(data)),
}

async function names(): Promise<readonly string[]> {
  return database.pool.anyFirst(sql.type(z.object({ name: z.string() }))`select name from names order by number`)
}

interface Options extends Partial<Omit<Parameters<typeof startConsumer<'identity'>>[0], 'handlers' | 'bulkHandlers'>> {
  /** Otherwise it is a projection, which takes a page of them one after the other. */
  readonly isReaction?: boolean
}

function start(handlers: EventHandlers<'identity'> = writing, { isReaction, ...options }: Options = {}): EventConsumer {
  const consumer = startConsumer<'identity'>({
    service: 'catalogue',
    source: 'identity',
    name: 'people',
    nats: nats.connection,
    pool: database.pool,
    ...(isReaction ? { handlers } : { bulkHandlers: inBulk(handlers) }),
    retryDelaysMs: [10, 10, 10, 10],
    unavailableDelayMaxMs: 50,
    checkIntervalMs: 60_000,
    ...options,
  })
  running.push(consumer)
  return consumer
}

function inBulk(handlers: EventHandlers<'identity'>): BulkEventHandlers<'identity'> {
  const inBulk = (handler: unknown) => async (executor: Executor, events: readonly unknown[]) => {
    if (typeof handler === 'function') for (const event of events) await handler(executor, event)
  }
  return Object.fromEntries(Object.entries(handlers).map(([type, handler]) => [type, inBulk(handler)]))
}

const greetingData = {
  messageId: 1,
  senderId: 1,
  receiverId: 2,
  productId: null,
  kind: 'text',
  transactionId: null,
  actionType: null,
  sentAt: '2026-11-21T08:00:00.000Z',
} as const

/** Appends to a stream of the consumer's own service. */
async function greet(
  transaction: Transaction,
  { id, stream, metadata }: Pick<Envelope, 'id' | 'stream' | 'metadata'>,
  expectedVersion = 0,
): Promise<void> {
  const events = [{ type: 'MessageSent', data: greetingData }]
  await appendEvents(transaction, {
    service: 'messaging',
    stream,
    expectedVersion,
    events,
    metadata: { ...metadata, causationId: id },
  })
}

/** A command to greet somebody in a stream of the consumer's own service, `null` to greet nobody; whoever is called `refused` is refused. */
function greeting(streamOf: (person: { readonly name: string }) => string | null) {
  const decider: Decider<number, string, MessagingEvent> = {
    service: 'messaging',
    initialState: 0,
    decide(name) {
      if (name === 'refused') throw new Rejection('not-found')
      return [{ type: 'MessageSent', data: greetingData }]
    },
    evolve: (count) => count + 1,
  }
  return {
    command({ id, data, metadata }: Pick<Envelope, 'id' | 'metadata'> & { readonly data: Data }) {
      const name = nameIn(data)
      const stream = streamOf({ name })
      if (stream === null) return null
      return sharedCommand({
        decider,
        stream,
        command: name,
        metadata: { ...metadata, causationId: id },
        project: (transaction) => writeName(transaction, `greeted ${name}`),
      })
    },
  }
}

const StreamRow = z.object({ stream: z.string(), version: z.number(), count: z.number() })

/** How many events each stream of the consumer's own service has. */
async function greeted(): Promise<ReadonlyMap<string, number>> {
  const rows = await database.pool.any(sql.type(StreamRow)`
    select stream, max(version) as version, count(*) as count from events group by stream order by min(position)`)
  for (const { version, count } of rows) expect(version).toBe(count)
  return new Map(rows.map(({ stream, count }) => [stream, count]))
}

const NumberRow = z.object({ number: z.string() })
/** Which transaction it is. */
const numberOf = (executor: Executor) =>
  executor.oneFirst(sql.type(NumberRow)`select pg_current_xact_id()::text as number`)

const caughtUp = (consumer: EventConsumer) => eventually(() => consumer.stats().isCaughtUp)

/** Names are added as events leave: they are in no log. */
const nameOf = new Map<number, string>()
const complete: Complete = async (events) =>
  new Map(
    events.flatMap(({ id, type, data }) =>
      type === 'UserRegistered' ? [[id, { person: testPerson(nameOf.get(JSON.parse(data).userId) ?? '') }]] : [],
    ),
  )

function registered(name: string): NewEvent {
  const userId = nameOf.size + 1
  nameOf.set(userId, name)
  return {
    type: 'UserRegistered',
    data: { userId, isSeller: false, isAdmin: false, registeredAt: '2026-11-21T08:00:00.000Z' },
  }
}

/** Each in a stream of its own. */
async function register(...people: readonly string[]): Promise<void> {
  for (const name of people) await source.append(`user-${name}`, registered(name))
}

const numbered = (count: number) => Array.from({ length: count }, (_, n) => `p${n}`)

/** All events of the log as they are published. */
async function page(type = 'UserRegistered'): Promise<readonly Envelope[]> {
  const { events } = await requestLogPage(nats.connection, 'identity', { types: [{ type, after: [0, 0] }] })
  return events
}

/** After `source.stopPublishing()`. */
const publishAgain = () =>
  startPublishing({ service: 'identity', databaseUrl: source.database.url, nats: nats.connection, complete })

const publishText = (text: string) =>
  jetstream(nats.connection).publish(eventSubject('identity', 'UserRegistered'), text)

/** How often messages of JetStream were dropped is told by what is stored there. */
async function storedCount(): Promise<number> {
  const { state } = await (await jetstreamManager(nats.connection)).streams.info(eventStreamName('identity'))
  return state.last_seq
}

const Letter = z.object({ event_id: z.string(), subject: z.string(), error: z.string(), tries: z.number() })
const letters = () =>
  database.pool.any(sql.type(Letter)`
    select event_id, subject, error, tries from dead_letters where due_at is null`)

describe('a consumer', () => {
  it('handles what was there before it and what comes, in order', async () => {
    await register('a', 'b')
    await caughtUp(start())
    await register('c')
    await eventually(async () => (await names()).length === 3)
    expect(await names()).toEqual(['a', 'b', 'c'])
  })

  it('gets the whole event as it was published', async () => {
    const seen: Envelope[] = []
    start({ UserRegistered: async (_transaction, received) => void seen.push(received) })
    const [event] = await source.append('user-a', registered('a'))
    await eventually(() => seen.length === 1)
    expect(seen).toEqual([
      {
        ...event,
        data: { ...Object(event?.data), person: testPerson('a') },
        schemaVersion: 1,
        position: expect.any(Array),
        previous: null,
      },
    ])
  })

  it('handles an event once that is published several times', async () => {
    const consumer = start()
    await caughtUp(consumer)
    await register('a', 'b')
    await eventually(async () => (await storedCount()) === 2)
    for (const event of await page()) await publishText(JSON.stringify(event))
    await register('c')
    await eventually(async () => (await names()).length === 3)
    expect(await names()).toEqual(['a', 'b', 'c'])
    expect(consumer.stats().handledCount).toBe(3)
  })

  it('goes on where it was', async () => {
    await register('a')
    await caughtUp(start())
    await running.pop()?.stop()
    await register('b')
    const second = start()
    await caughtUp(second)
    expect(await names()).toEqual(['a', 'b'])
    expect(second.stats().handledCount).toBe(1)
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
    await register('a')
    await eventually(async () => (await names()).length > 0)
    expect(tries).toBe(3)
    expect(await names()).toEqual(['a'])
  })

  it('lets a handler append to the log of its own service', async () => {
    const handlers: EventHandlers<'identity'> = {
      UserRegistered: { prepare: async (event) => (transaction) => greet(transaction, event) },
    }
    start(handlers, { isReaction: true })
    const [event] = await source.append('user-a', registered('a'))
    await eventually(async () => (await readStream(database.pool, 'messaging', 'user-a')).length === 1)
    expect(await readStream(database.pool, 'messaging', 'user-a')).toMatchObject([
      { type: 'MessageSent', metadata: { causationId: event?.id } },
    ])
  })

  it('tells of what a reaction has done, which may be in the log now', async () => {
    let told = 0
    const onReacted = () => {
      told += 1
    }
    start(
      { UserRegistered: { prepare: async (event) => (transaction) => greet(transaction, event) } },
      { isReaction: true, onReacted },
    )
    start(writing, { name: 'shown', onReacted })
    await register('a')
    await eventually(async () => expect(await names()).toEqual(['a']))
    await eventually(() => expect(told).toBe(1))
    await register('b')
    await eventually(async () => expect(await names()).toEqual(['a', 'b']))
    await eventually(() => expect(told).toBe(2))
  })

  it('does at once anew what met somebody who appended at the same time, and takes it for no fault', async () => {
    const warned: unknown[] = []
    let tries = 0
    const handler: EventHandlers<'identity'>['UserRegistered'] = {
      prepare: async (event) => async (transaction) => {
        tries += 1
        const { length } = await readStream(transaction, 'messaging', event.stream)
        if (tries === 1) await database.pool.transaction((other) => greet(other, event))
        await greet(transaction, event, length)
      },
    }
    const log: Logger = Object.assign(Object.create(silentLogger), {
      warn: (...words: unknown[]) => warned.push(words),
    })
    start({ UserRegistered: handler }, { isReaction: true, log })
    await register('a')
    await eventually(async () => (await readStream(database.pool, 'messaging', 'user-a')).length === 2)
    expect([tries, warned, await letters()]).toEqual([2, [], []])
  })

  it('asks others before the transaction, and does what came of it within', async () => {
    const seen: string[] = []
    start(
      {
        UserRegistered: {
          async prepare({ data }) {
            seen.push(`asked for ${nameIn(data)}`)
            return (transaction) => writeName(transaction, `prepared ${nameIn(data)}`)
          },
        },
      },
      { isReaction: true },
    )
    await register('a')
    await eventually(async () => (await names()).length === 1)
    expect(await names()).toEqual(['prepared a'])
    expect(seen).toEqual(['asked for a'])
  })

  it('passes over types that it does not handle', async () => {
    const consumer = start({ ...writing, UserErased: (transaction) => writeName(transaction, 'erased') })
    await caughtUp(consumer)
    await source.append('user-a', {
      type: 'EmailVerified',
      data: { userId: 1, verifiedAt: '2026-11-21T08:00:00.000Z' },
    })
    await register('b')
    await eventually(async () => (await names()).length === 1)
    expect(await names()).toEqual(['b'])
    expect(consumer.stats().handledCount).toBe(1)
  })

  it('begins at the start of the log with a type that is new to it, and goes on with the others', async () => {
    await register('a')
    await source.append('user-z', { type: 'UserErased', data: { userId: 9, erasedAt: '2026-11-21T08:00:00.000Z' } })
    await caughtUp(start())
    await running.pop()?.stop()
    await register('b')
    await caughtUp(start({ ...writing, UserErased: (transaction) => writeName(transaction, 'erased') }))
    expect((await names()).toSorted()).toEqual(['a', 'b', 'erased'])
  })

  it('fills tables with many in one transaction', async () => {
    const transactions = new Set<string>()
    await register(...numbered(200))
    await caughtUp(
      start({
        UserRegistered: async (transaction, { data }) => {
          transactions.add(await numberOf(transaction))
          await writeName(transaction, nameIn(data))
        },
      }),
    )
    expect(await names()).toEqual(numbered(200))
    expect(transactions.size).toBe(1)
  })

  it('reacts to many in few transactions', async () => {
    const transactions = new Set<string>()
    await register(...numbered(200))
    const handlers: EventHandlers<'identity'> = {
      UserRegistered: async (executor, { data }) => {
        transactions.add(await numberOf(executor))
        await writeName(executor, nameIn(data))
      },
    }
    await caughtUp(start(handlers, { isReaction: true }))
    expect(await names()).toEqual(numbered(200))
    expect(transactions.size).toBe(2)
  })

  it('carries out commands together that append to different streams, and goes beyond what leads to none', async () => {
    const isTenth = (name: string) => name.endsWith('0')
    await register(...numbered(200))
    const writes = await countPositionWrites()
    const consumer = start(
      { UserRegistered: greeting(({ name }) => (isTenth(name) ? name : null)) },
      { isReaction: true },
    )
    await caughtUp(consumer)
    expect(consumer.stats().handledCount).toBe(200)
    expect(await greeted()).toEqual(
      new Map(
        numbered(200)
          .filter(isTenth)
          .map((name) => [name, 1]),
      ),
    )
    // One for each page of the log, and the first position.
    expect(await writes()).toBeLessThanOrEqual(3)
    const expected = numbered(200).filter(isTenth)
    expect((await names()).toSorted()).toEqual(expected.map((name) => `greeted ${name}`).toSorted())
  })

  it('carries out commands of one stream one after the other', async () => {
    await register(...numbered(60))
    const writes = await countPositionWrites()
    await caughtUp(start({ UserRegistered: greeting(({ name }) => `room-${name.at(-1)}`) }, { isReaction: true }))
    expect(await writes()).toBeLessThanOrEqual(6 + 2)
    expect(await greeted()).toEqual(new Map(Array.from({ length: 10 }, (_, n) => [`room-${n}`, 6])))
  })

  it('does for itself what asks others, and what leads to nothing before it', async () => {
    const transactions: string[] = []
    const write = async (executor: Executor, what: string) => {
      transactions.push(await numberOf(executor))
      await writeName(executor, what)
    }
    const handlers: EventHandlers<'identity'> = {
      UserRegistered: (executor, { data }) => write(executor, nameIn(data)),
      UserErased: { prepare: async () => (transaction) => write(transaction, 'erased') },
    }
    await register('a', 'b')
    await source.append('user-a', { type: 'UserErased', data: { userId: 9, erasedAt: '2026-11-21T08:00:00.000Z' } })
    await register('c', 'd')
    await caughtUp(start(handlers, { isReaction: true }))
    expect(await names()).toEqual(['a', 'b', 'erased', 'c', 'd'])
    const [first, , erased, last] = transactions
    expect(transactions).toEqual([first, first, erased, last, last])
    expect(new Set(transactions).size).toBe(3)
  })

  it('tries again what it reacts to, and what it goes beyond is not in its way', async () => {
    let isAway = true
    await register('a', 'b', 'c')
    const handlers: EventHandlers<'identity'> = {
      UserRegistered: greeting(({ name }) => {
        if (name === 'b' && isAway) throw new Error('not yet')
        return name === 'a' ? null : name
      }),
    }
    start(handlers, { isReaction: true, retryDelaysMs: Array.from({ length: 500 }, () => 10) })
    await eventually(async () => expect(await names()).toEqual(['greeted c']))
    isAway = false
    await eventually(async () => expect(await names()).toEqual(['greeted c', 'greeted b']))
    expect(await letters()).toEqual([])
  })
})

/** Counts the transactions that write a position from now on; other databases of the server have transactions of their own. */
async function countPositionWrites(): Promise<() => Promise<number>> {
  await database.pool.query(sql.unsafe`create table position_writes (tx xid8 primary key)`)
  await database.pool.query(sql.unsafe`
    create function note_position_write() returns trigger language plpgsql as
      'begin insert into position_writes values (pg_current_xact_id()) on conflict do nothing; return null; end'`)
  await database.pool.query(sql.unsafe`
    create trigger position_written after insert or update on consumer_positions
      for each statement execute function note_position_write()`)
  return async () => {
    const count = await database.pool.oneFirst(
      sql.type(z.object({ count: z.number() }))`select count(*) as count from position_writes`,
    )
    await database.pool.query(sql.unsafe`drop function note_position_write cascade`)
    await database.pool.query(sql.unsafe`drop table position_writes`)
    return count
  }
}

it('goes beyond events of other types without being taken for two', async () => {
  const warnings: unknown[] = []
  const log = { ...silentLogger, child: () => log, warn: (warning: unknown) => warnings.push(warning) } as never
  await caughtUp(start(writing, { checkIntervalMs: 1, log }))
  for (const name of numbered(30)) {
    const verified = { type: 'EmailVerified', data: { userId: 1, verifiedAt: '2026-11-21T08:00:00.000Z' } }
    await source.append('user-a', verified, verified)
    await register(name)
  }
  await eventually(async () => (await names()).length === 30)
  expect(await names()).toEqual(numbered(30))
  expect(warnings).toEqual([])
})

describe('JetStream', () => {
  it('does not bring a message: the one behind it says so, and the log has it', async () => {
    await source.stopPublishing()
    const serving = serveLogPages({
      service: 'identity',
      databaseUrl: source.database.url,
      nats: nats.connection,
      complete,
    })
    const consumer = start()
    await caughtUp(consumer)
    await register('a', 'b', 'c')
    const [a, b, c] = await page()
    const place = (event: Envelope | undefined): LogPosition => event?.position ?? [0, 0]
    await publishText(JSON.stringify({ ...a, previous: null }))
    await publishText(JSON.stringify({ ...c, previous: place(b) }))
    await eventually(async () => (await names()).length === 3)
    expect(await names()).toEqual(['a', 'b', 'c'])
    await serving.stop()
  })

  it('does not bring the last message: the log is asked from time to time', async () => {
    const consumer = start(writing, { checkIntervalMs: 100 })
    await caughtUp(consumer)
    await (await jetstreamManager(nats.connection)).streams.update(eventStreamName('identity'), {
      subjects: ['events.identity.Nothing'],
    })
    await register('a')
    await eventually(async () => (await names()).length === 1)
  })

  it('brings what is no event, or one without a position: the log is read instead', async () => {
    const consumer = start()
    await caughtUp(consumer)
    await publishText('{ "half": ')
    await publishText('"\0"')
    await publishText(JSON.stringify({ id: newEventId(), stream: 'user-x', version: 1, ...registered('x') }))
    await register('b')
    await eventually(async () => (await names()).length === 1)
    expect(await names()).toEqual(['b'])
    expect(await letters()).toEqual([])
  })

  it('restarts: nothing is lost or doubled', async () => {
    start()
    const appending = register(...numbered(300))
    for (const count of [50, 150]) {
      await eventually(async () => (await names()).length > count)
      await nats.kill()
      await nats.restart()
    }
    await appending
    await eventually(async () => (await names()).length === 300)
    expect(await names()).toEqual(numbered(300))
  })

  it('loses its store, and has it emptied while nobody consumes', async () => {
    start()
    await register('a', 'b', 'c')
    await eventually(async () => (await names()).length === 3)
    await nats.kill()
    rmSync(nats.storeDirectory, { recursive: true })
    await nats.restart()
    await register('d')
    await eventually(async () => (await names()).length === 4)
    await running.pop()?.stop()
    await register('e')
    await eventually(async () => (await storedCount()) >= 1)
    await (await jetstreamManager(nats.connection)).streams.purge(eventStreamName('identity'))
    await register('f')
    await caughtUp(start())
    expect(await names()).toEqual(['a', 'b', 'c', 'd', 'e', 'f'])
  })

  it('has its consumer and its stream removed under us: they are made again', async () => {
    const consumer = start()
    await caughtUp(consumer)
    const manager = await jetstreamManager(nats.connection)
    for await (const { name } of manager.consumers.list(eventStreamName('identity'))) {
      await manager.consumers.delete(eventStreamName('identity'), name)
    }
    await register('a')
    await eventually(async () => (await names()).length === 1)
    await manager.streams.delete(eventStreamName('identity'))
    await register('b')
    await eventually(async () => (await names()).length === 2)
    expect(await names()).toEqual(['a', 'b'])
  })
})

describe('the source', () => {
  it('is away: the consumer waits and goes on', async () => {
    await register('a')
    await source.stopPublishing()
    const consumer = start()
    await eventually(() => consumer.stats().isActive)
    expect(consumer.stats().isCaughtUp).toBe(false)
    await eventually(() => consumer.stats().lagMs > 1_000)
    const relay = publishAgain()
    await caughtUp(consumer)
    expect(consumer.stats().lagMs).toBeLessThan(1_000)
    expect(await names()).toEqual(['a'])
    await relay.stop()
  })

  it('is killed while it is asked: the consumer does not wait long for an answer', async () => {
    await register('a')
    await source.stopPublishing()
    const killed = new Promise<void>((resolve) => {
      const subject = requestSubject('identity', readLogPage.name)
      nats.connection.subscribe(subject, { queue: 'identity', max: 1, callback: () => resolve() })
    })
    const consumer = start()
    await killed
    const relay = publishAgain()
    await caughtUp(consumer)
    expect(await names()).toEqual(['a'])
    await relay.stop()
  })

  it('has an older copy of its log: nothing of it is handled until somebody sees to it', async () => {
    await register('a', 'b')
    await caughtUp(start())
    await running.pop()?.stop()
    await source.database.pool.query(sql.unsafe`delete from events where stream = 'user-b'`)
    const consumer = start()
    await eventually(() => consumer.stats().isActive)
    expect(consumer.stats().isCaughtUp).toBe(false)
    expect(await names()).toEqual(['a', 'b'])
  })
})

describe('a poison event', () => {
  const picky: EventHandlers<'identity'> = {
    UserRegistered: async (transaction, { data }) => {
      if (nameIn(data).startsWith('poison')) throw new Error('cannot swallow this')
      await writeName(transaction, nameIn(data))
    },
  }

  it.each([
    ['a reaction', true],
    ['a projection', false],
  ])('is parked after 5 tries, and others go on meanwhile, in %s', async (_what, isReaction) => {
    const consumer = start(picky, { isReaction })
    await register('a', 'poison', 'b')
    await eventually(async () => (await letters()).length === 1)
    await eventually(async () => (await names()).length === 2)
    expect(await names()).toEqual(['a', 'b'])
    const [, poison] = await page()
    expect(await letters()).toEqual([
      {
        event_id: poison?.id,
        subject: 'events.identity.UserRegistered',
        error: 'Error: cannot swallow this',
        tries: 5,
      },
    ])
    await eventually(() =>
      expect(consumer.stats()).toMatchObject<Partial<ConsumerStats>>({ parkedCount: 1, waitingCount: 0 }),
    )
  })

  it('stays parked when it comes again', async () => {
    const consumer = start(picky)
    await register('poison')
    await eventually(() => consumer.stats().parkedCount === 1)
    for (const event of await page()) await publishText(JSON.stringify(event))
    await register('a')
    await eventually(async () => (await names()).length === 1)
    expect(consumer.stats().parkedCount).toBe(1)
  })

  it('holds back later events of its own stream until it is handled, over a restart too', async () => {
    let isAway = true
    const seen: string[] = []
    const handlers: EventHandlers<'identity'> = {
      UserRegistered: async (transaction, { data, version }) => {
        seen.push(`${nameIn(data)}:${version}`)
        if (isAway && nameIn(data) === 'a' && version === 1) throw new Failure('away')
        await writeName(transaction, `${nameIn(data)}:${version}`)
      },
    }
    const consumer = start(handlers)
    await source.append('user-a', registered('a'), registered('a'))
    await register('b')
    await source.append('user-a', registered('a'))
    await eventually(async () => (await names()).includes('b:1') && consumer.stats().waitingCount === 3)
    await running.pop()?.stop()
    isAway = false
    start(handlers)
    await eventually(async () => (await names()).length === 4)
    expect(await names()).toEqual(['b:1', 'a:1', 'a:2', 'a:3'])
    expect(seen.filter((name) => name === 'a:2')).toHaveLength(1)
  })

  it.each([
    ['a reaction', true, 31],
    ['a projection', false, 2],
  ])('lets what waits behind it go on as it would have come, in %s', async (_what, isReaction, transactionCount) => {
    let isAway = true
    const transactions = new Set<string>()
    const handlers: EventHandlers<'identity'> = {
      UserRegistered: async (transaction, { version }) => {
        if (isAway) throw new Failure('away')
        transactions.add(await numberOf(transaction))
        await writeName(transaction, String(version))
      },
    }
    const consumer = start(handlers, { isReaction })
    await source.append('user-a', registered('a'))
    await eventually(() => consumer.stats().waitingCount === 1)
    await source.append('user-a', ...numbered(30).map(registered))
    await eventually(() => consumer.stats().waitingCount === 31)
    isAway = false
    await eventually(() => consumer.stats().waitingCount === 0)
    expect(await names()).toEqual(Array.from({ length: 31 }, (_, index) => String(index + 1)))
    expect(transactions.size).toBe(transactionCount)
    expect(await letters()).toEqual([])
    expect(consumer.stats()).toMatchObject({ handledCount: 31, parkedCount: 0 })
  })

  it('lets what waits behind it go on that is more than an answer can say', async () => {
    let isAway = true
    const large = ['a', 'b', 'c', 'd'].map((name) => name.repeat(400_000))
    const consumer = start({
      UserRegistered: async (transaction, { data }) => {
        if (isAway) throw new Failure('away')
        await writeName(transaction, nameIn(data).slice(-1))
      },
    })
    for (const name of large) await source.append('user-a', registered(name))
    await eventually(() => consumer.stats().waitingCount === 4)
    isAway = false
    await eventually(() => consumer.stats().waitingCount === 0)
    expect(await names()).toEqual(['a', 'b', 'c', 'd'])
  })

  it('is soon found among those that wait behind another, which do not wait for it', async () => {
    let isAway = true
    let handledCount = 0
    const handlers: EventHandlers<'identity'> = {
      UserRegistered: async (transaction, { version }) => {
        if (isAway) throw new Failure('away')
        handledCount += 1
        if (version === 50) throw new Error('cannot swallow this')
        await writeName(transaction, String(version))
      },
    }
    const consumer = start(handlers)
    await source.append('user-a', ...numbered(64).map(registered))
    await eventually(() => consumer.stats().waitingCount === 64)
    isAway = false
    await eventually(() => consumer.stats().parkedCount === 1)
    await eventually(async () => (await names()).length === 63)
    expect(await names()).toEqual(Array.from({ length: 64 }, (_, index) => String(index + 1)).toSpliced(49, 1))
    expect(await letters()).toHaveLength(1)
    expect(handledCount).toBeLessThan(64 * 5)
  })

  it('is one whose data does not parse', async () => {
    await source.database.pool.query(sql.unsafe`
      insert into events (stream, version, event_id, type, data, metadata)
      values ('user-x', 1, ${newEventId()}, 'UserRegistered', '{"userId": "seven"}', '{}')`)
    start()
    await register('b')
    await eventually(async () => (await letters()).length === 1)
    await eventually(async () => (await names()).length === 1)
    expect(await letters()).toMatchObject([{ tries: 5 }])
  })

  it('is parked at once when the business says no to it', async () => {
    start({ UserRegistered: async () => Promise.reject(new Rejection('not-found')) })
    await register('a')
    await eventually(async () => (await letters()).length === 1)
    expect(await letters()).toMatchObject([{ tries: 1 }])
  })

  it('is parked for itself when it is among commands that are carried out together', async () => {
    await register('a', 'refused', 'b')
    await caughtUp(start({ UserRegistered: greeting(({ name }) => name) }, { isReaction: true }))
    expect(await letters()).toMatchObject([{ tries: 1 }])
    expect(await names()).toEqual(['greeted a', 'greeted b'])
    expect([...(await greeted()).keys()]).toEqual(['a', 'b'])
  })

  it('is handled when a person has it tried again, once', async () => {
    let isPoisonous = true
    const consumer = start({
      UserRegistered: async (transaction, { data }) => {
        if (isPoisonous) throw new Rejection('not-found')
        await writeName(transaction, nameIn(data))
      },
    })
    await register('a')
    await eventually(() => consumer.stats().parkedCount === 1)
    isPoisonous = false
    expect(await releaseDeadLetters(database.pool, null)).toBe(1)
    await eventually(async () => (await names()).length === 1)
    await eventually(() => consumer.stats().waitingCount === 0)
    expect(await names()).toEqual(['a'])
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
    await register('a')
    await eventually(async () => (await names()).length === 1)
    expect(consumer.stats().parkedCount).toBe(0)
  })

  it('may be the database: nothing is lost or done twice', async () => {
    start(writing, { isReaction: true })
    const appending = source.append('people', ...numbered(60).map(registered))
    for (let round = 0; round < 5; round += 1) {
      const before = (await names().catch(() => [])).length
      await eventually(async () => (await names()).length > before || before === 60)
      await database.pool
        .query(sql.unsafe`
          select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and pid <> pg_backend_pid()`)
        .catch(() => {})
    }
    await appending
    await eventually(async () => (await names()).length === 60)
    expect(await names()).toEqual(numbered(60))
    expect(await letters()).toEqual([])
  })
})

describe('two consumers of one name', () => {
  it('share nothing: one consumes, and the other takes over with what was left, in order', async () => {
    let release = () => {}
    const gate = new Promise<void>((resolve) => (release = resolve))
    const handlers: EventHandlers<'identity'> = {
      UserRegistered: async (transaction, { data }) => {
        if (nameIn(data) === 'c') await gate
        await writeName(transaction, nameIn(data))
      },
    }
    const first = start(handlers, { isReaction: true })
    await caughtUp(first)
    const second = start()
    await register('a', 'b', 'c', 'd', 'e')
    await eventually(async () => (await names()).length === 2)
    expect(second.stats().isActive).toBe(false)
    const stopping = first.stop()
    release()
    await stopping
    await register('f')
    await eventually(async () => (await names()).length === 6)
    expect(await names()).toEqual(['a', 'b', 'c', 'd', 'e', 'f'])
    expect(second.stats().isActive).toBe(true)
  })

  it('have one effect even when both believe that they may', async () => {
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
    // Another schema first, so another lock, and the same positions: as if a paused process had not noticed that it lost it.
    const url = new URL(database.url)
    url.searchParams.set('options', '-c search_path=extensions,catalogue')
    const pool = await openTestPool({ url: url.href, applicationName: 'other' })
    await register('a')
    const mine = start(slow)
    const other = start(slow, { service: 'admin', pool })
    await Promise.all([caughtUp(mine), caughtUp(other)])
    expect(await names()).toEqual(['a'])
    expect(await letters()).toEqual([])
    await running.pop()?.stop()
    await pool.end()
  })
})

describe('the version before, which had a row for each event', () => {
  it('is taken over: what it has handled is not handled again, and its consumer is removed', async () => {
    await register('a', 'b', 'c')
    const [a, b] = await page()
    await database.pool.query(sql.unsafe`
      insert into inbox (consumer, event_id) values ('identity-people', ${b?.id ?? ''})`)
    await source.database.pool.query(sql.unsafe`
      update events set recorded_at = now() - interval '8 days' where event_id = ${a?.id ?? ''}`)
    const manager = await jetstreamManager(nats.connection)
    await ensureEventStream(nats.connection, manager, 'identity')
    await manager.consumers.add(eventStreamName('identity'), { durable_name: 'catalogue-people' })
    await caughtUp(start())
    await register('d')
    await eventually(async () => (await names()).length === 2)
    expect(await names()).toEqual(['c', 'd'])
    expect(await database.pool.exists(sql.unsafe`select from inbox`)).toBe(false)
    const durables: string[] = []
    for await (const { config } of manager.consumers.list(eventStreamName('identity'))) {
      if (config.durable_name === 'catalogue-people') durables.push(config.durable_name)
    }
    expect(durables).toEqual([])
  })
})
