import { rmSync } from 'node:fs'
import { jetstreamManager } from '@nats-io/jetstream'
import { comparePositions, Envelope, type EventMetadata } from '@wangian/contracts/envelope.ts'
import { eventStreamName, eventSubject } from '@wangian/contracts/subjects.ts'
import fc from 'fast-check'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { sql } from '../database/postgres.ts'
import { eventually } from '../testing/eventually.ts'
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts'
import { startTestNats, type TestNats } from '../testing/test-nats.ts'
import { appendEvents, readStream } from './event-store.ts'
import type { Complete } from './published-events.ts'
import { type Relay, startRelay } from './relay.ts'
import { continueRestoredLog } from './restored-log.ts'

const metadata: EventMetadata = { actorId: 7, correlationId: 'request-1', causationId: null, commandId: null }
const streamName = eventStreamName('auction')

let nats: TestNats
let database: TestDatabase
const relays: Relay[] = []
beforeAll(async () => {
  nats = await startTestNats()
})
afterAll(() => nats.stop())
beforeEach(async () => {
  database = await createTestDatabase({ service: 'auction', connectionsMax: 20 })
})
afterEach(async () => {
  await Promise.all(relays.splice(0).map((relay) => relay.stop()))
  await database.drop()
  const manager = await jetstreamManager(nats.connection)
  for await (const { config } of manager.streams.list()) await manager.streams.delete(config.name)
})

function start(options: Pick<Parameters<typeof startRelay>[0], 'pace' | 'pollMs' | 'complete'> = {}): Relay {
  // Few of these tests tell it of what they append.
  const defaults = { service: 'auction', databaseUrl: database.url, nats: nats.connection, pollMs: 50 } as const
  const relay = startRelay({ ...defaults, ...options })
  relays.push(relay)
  return relay
}

const bid = (seq: number) => ({
  type: 'BidPlaced',
  data: { auctionId: 1, seq, bidderId: 5, amountSen: 100 * seq, bidId: null, placedAt: '2026-11-22T08:00:00.000Z' },
})

/** Appends events numbered `from` to `to` to a stream that is at version `from - 1`. */
function append(stream: string, from: number, to = from) {
  const events = Array.from({ length: to - from + 1 }, (_, index) => bid(from + index))
  return database.pool.transaction((transaction) =>
    appendEvents(transaction, { service: 'auction', stream, expectedVersion: from - 1, events, metadata }),
  )
}

/** Everything that the JetStream stream holds, in its order. */
async function published(): Promise<Envelope[]> {
  const manager = await jetstreamManager(nats.connection, { checkAPI: false, timeout: 1_000 })
  const { state } = await manager.streams.info(streamName)
  const envelopes: Envelope[] = []
  for (let seq = Math.max(state.first_seq, 1); seq <= state.last_seq; seq += 1) {
    const message = await manager.streams.getMessage(streamName, { seq })
    if (message) envelopes.push(Envelope.parse(message.json()))
  }
  return envelopes
}

const names = (envelopes: readonly { stream: string; version: number }[]) =>
  envelopes.map(({ stream, version }) => `${stream}:${version}`)
const numbered = (stream: string, from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `${stream}:${from + index}`)

/** The versions of each stream, in the order in which they were published first. */
function versionsByStream(envelopes: readonly Envelope[]): Map<string, number[]> {
  const versions = new Map<string, number[]>()
  for (const { stream, version } of envelopes) {
    const known = versions.get(stream) ?? []
    if (!known.includes(version)) versions.set(stream, [...known, version])
  }
  return versions
}

describe('a relay', () => {
  it('publishes what is in the log and what comes, as it was recorded', async () => {
    await append('thing-1', 1, 2)
    const relay = start()
    await eventually(async () => (await published()).length === 2)
    await append('thing-1', 3)
    relay.nudge()
    await eventually(async () => (await published()).length === 3)
    const recorded = await readStream(database.pool, 'auction', 'thing-1')
    const places = (await published()).map(({ position }) => position)
    expect(await published()).toEqual(
      recorded.map((event, index) => ({
        ...event,
        schemaVersion: 1,
        position: places[index],
        previous: places[index - 1] ?? null,
      })),
    )
    expect(places).toEqual(places.toSorted((one, other) => comparePositions(one ?? [0, 0], other ?? [0, 0])))
    await eventually(() => expect(relay.stats()).toMatchObject({ isActive: true, publishedCount: 3, lagMs: 0 }))
  })

  it('finds new events without being told, and knows when none waits any more', async () => {
    const relay = start()
    await eventually(() => published())
    await append('thing-1', 1)
    await eventually(async () => (await published()).length === 1)
    await eventually(() => expect(relay.stats()).toMatchObject({ publishedCount: 1, lagMs: 0 }))
  })

  it('never publishes what was rolled back', async () => {
    start()
    const failing = database.pool.transaction(async (transaction) => {
      const events = [bid(1)]
      await appendEvents(transaction, { service: 'auction', stream: 'thing-1', expectedVersion: 0, events, metadata })
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    await append('thing-2', 1)
    await eventually(async () => (await published()).length === 1)
    expect(names(await published())).toEqual(['thing-2:1'])
  })

  it('goes on where it was, in large batches, leaving the pauses it is asked for', async () => {
    let paces = 0
    await append('thing-1', 1, 1100)
    start({
      pace: () => {
        paces += 1
        return 1
      },
    })
    await eventually(async () => (await published()).length === 1100)
    await relays.pop()?.stop()
    await append('thing-1', 1101)
    start()
    await eventually(async () => (await published()).length === 1101)
    expect(names(await published())).toEqual(numbered('thing-1', 1, 1101))
    expect(paces).toBe(3)
  })

  it('puts aside what is too large for NATS, and goes on', async () => {
    await append('thing-1', 1)
    await database.pool.query(sql.unsafe`
      insert into events (stream, version, event_id, type, data, metadata)
      values ('thing-2', 1, gen_random_uuid(), 'BidPlaced', to_jsonb(repeat('x', 1200000)), '{}')`)
    await append('thing-3', 1)
    start()
    await eventually(async () => (await published()).length === 2)
    expect(names(await published())).toEqual(['thing-1:1', 'thing-3:1'])
    const Letter = z.object({ consumer: z.string(), subject: z.string(), payload: z.string() })
    const [letter, ...others] = await database.pool.any(sql.type(Letter)`
      select consumer, subject, payload from dead_letters`)
    expect(letter).toMatchObject({ consumer: 'relay', subject: 'events.auction.BidPlaced' })
    expect(JSON.parse(letter?.payload ?? '')).toMatchObject({ stream: 'thing-2', data: null })
    expect(others).toEqual([])
  })
})

describe('what is private', () => {
  it('does not leave, and what comes after it does', async () => {
    const messaging = await createTestDatabase({ service: 'messaging' })
    const blocked = { type: 'UserBlocked', data: { userId: 7, blockedId: 12, blockedAt: '2026-11-22T08:00:00.000Z' } }
    const read = { readerId: 7, senderId: 5, messageIds: [1], readAt: '2026-11-22T08:00:00.000Z' }
    const append = { service: 'messaging', stream: 'thing-1', expectedVersion: 0, metadata } as const
    await messaging.pool.transaction((transaction) =>
      appendEvents(transaction, { ...append, events: [blocked, { type: 'MessagesRead', data: read }] }),
    )
    relays.push(startRelay({ service: 'messaging', databaseUrl: messaging.url, nats: nats.connection }))
    await eventually(async () => {
      const manager = await jetstreamManager(nats.connection)
      const { state } = await manager.streams.info(eventStreamName('messaging'), { subjects_filter: '>' })
      expect(state.subjects).toEqual({ 'events.messaging.MessagesRead': 1 })
    })
    await Promise.all(relays.splice(0).map((relay) => relay.stop()))
    await messaging.drop()
  })
})

describe('what is added as events leave', () => {
  const known = new Map([['thing-2:1', { seq: 'added', more: [1] }]])
  let asked: string[][]
  const complete: Complete = async (events) => {
    asked.push(events.map(({ type, data }) => `${type} ${JSON.parse(data).seq}`))
    const places = await database.pool.any(sql.type(z.object({ id: z.string(), place: z.string() }))`
      select event_id as id, stream || ':' || version as place from events`)
    return new Map(places.flatMap(({ id, place }) => (known.has(place) ? [[id, known.get(place) ?? {}] as const] : [])))
  }
  beforeEach(() => {
    asked = []
  })

  it('is in the payload, over what the log has, and nowhere else', async () => {
    await append('thing-1', 1)
    await append('thing-2', 1, 2)
    start({ complete })
    await eventually(async () => (await published()).length === 3)
    expect((await published()).map(({ data }) => data)).toEqual([
      bid(1).data,
      { ...bid(1).data, seq: 'added', more: [1] },
      bid(2).data,
    ])
    expect(asked).toEqual([['BidPlaced 1', 'BidPlaced 1', 'BidPlaced 2']])
    expect((await readStream(database.pool, 'auction', 'thing-2'))[0]?.data).toEqual(bid(1).data)
  })

  it('goes into an event without any data of its own', async () => {
    await database.pool.query(sql.unsafe`
      insert into events (stream, version, event_id, type, data, metadata)
      values ('thing-2', 1, gen_random_uuid(), 'BidPlaced', '{}', '{}')`)
    start({ complete })
    await eventually(async () => (await published()).length === 1)
    expect((await published())[0]?.data).toEqual({ seq: 'added', more: [1] })
  })

  it('holds everything up while it cannot be had, and loses nothing', async () => {
    let isAway = true
    await append('thing-1', 1)
    await append('thing-2', 1)
    start({
      complete: async (events) => {
        if (!isAway) return complete(events)
        asked.push([])
        throw new Error('away')
      },
    })
    await eventually(() => asked.length >= 2)
    expect(await published()).toEqual([])
    isAway = false
    await eventually(async () => (await published()).length === 2)
    expect((await published()).map(({ data }) => data)).toEqual([
      bid(1).data,
      { ...bid(1).data, seq: 'added', more: [1] },
    ])
  })
})

describe('a relay that stops before its events have left', () => {
  it('leaves them to the next one', async () => {
    await append('thing-1', 1)
    let tries = 0
    const first = start({
      complete: async () => {
        tries += 1
        throw new Error('away')
      },
    })
    await eventually(() => tries >= 1)
    await first.stop()
    start()
    await eventually(async () => (await published()).length === 1)
  })
})

describe('writers whose transactions commit in another order than they began', () => {
  /** What an outbox must not do: it takes the highest position that it has seen for the end of all that was before. */
  async function readNaively(client: Client, seen: Set<string>, last: { position: string }): Promise<void> {
    const { rows } = await client.query<{ stream: string; version: number; position: string }>(
      'select stream, version, position from events where position > $1 order by position',
      [last.position],
    )
    for (const row of rows) {
      seen.add(`${row.stream}:${row.version}`)
      last.position = row.position
    }
  }

  it('lose nothing, while a relay that goes by the position alone loses most of it', async () => {
    const relay = start()
    const clients = await Promise.all(
      Array.from({ length: 17 }, async () => {
        const client = new Client({ connectionString: database.url })
        await client.connect()
        return client
      }),
    )
    const [reader, ...writers] = clients
    if (!reader) throw new Error('no reader')
    const naive = new Set<string>()
    const last = { position: '0' }
    const rounds = 5
    for (let round = 1; round <= rounds; round += 1) {
      for (const [index, writer] of writers.entries()) {
        await writer.query('begin')
        await writer.query(
          `insert into events (stream, version, event_id, type, data, metadata)
           values ($1, $2, gen_random_uuid(), 'BidPlaced', '{}', $3)`,
          [`writer-${index}`, round, metadata],
        )
      }
      // The last to begin is the first to commit, and both relays look after each.
      for (const writer of writers.toReversed()) {
        await writer.query('commit')
        relay.nudge()
        await readNaively(reader, naive, last)
      }
    }
    await Promise.all(clients.map((client) => client.end()))
    const total = rounds * 16
    await eventually(async () => (await published()).length >= total)
    const envelopes = await published()
    expect(new Set(names(envelopes)).size).toBe(total)
    expect(envelopes).toHaveLength(total)
    for (const versions of versionsByStream(envelopes).values()) expect(versions).toEqual([1, 2, 3, 4, 5])
    expect(naive.size).toBe(rounds)
  })

  it('lose nothing when 16 of them write to 5 streams as fast as they can', async () => {
    const relay = start()
    const next = [0, 0, 0, 0, 0]
    // Version conflicts are part of it: who loses tries the stream's next version.
    const writer = async (seed: number) => {
      for (let done = 0; done < 25; ) {
        const index = (seed + done) % next.length
        const version = (next[index] ?? 0) + 1
        const appended = await append(`busy-${index}`, version).catch(() => undefined)
        next[index] = Math.max(next[index] ?? 0, appended ? version : 0, await currentVersion(`busy-${index}`))
        if (appended) done += 1
        relay.nudge()
      }
    }
    await Promise.all(Array.from({ length: 16 }, (_, seed) => writer(seed)))
    await eventually(async () => (await published()).length >= 400)
    const envelopes = await published()
    expect(envelopes).toHaveLength(400)
    for (const [stream, versions] of versionsByStream(envelopes)) {
      expect(versions, stream).toEqual(versions.map((_, index) => index + 1))
    }
  })

  it('lose nothing and publish nothing of a rollback, whatever the interleaving', async () => {
    const relay = start()
    const writers = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const client = new Client({ connectionString: database.url })
        await client.connect()
        return client
      }),
    )
    let run = 0
    const committed = new Map<string, number[]>()
    // Each step is a writer who begins (on the stream, if nobody else writes to it now), or ends what it has begun.
    const step = fc.record({
      writer: fc.nat(5),
      stream: fc.nat(3),
      commits: fc.integer({ min: 0, max: 9 }).map((n) => n > 1),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
        run += 1
        const open = new Map<number, { stream: string; version: number }>()
        const end = async (writer: number, commits: boolean) => {
          const { stream, version } = open.get(writer) ?? { stream: '', version: 0 }
          open.delete(writer)
          await writers[writer]?.query(commits ? 'commit' : 'rollback')
          if (commits) committed.set(stream, [...(committed.get(stream) ?? []), version])
          relay.nudge()
        }
        for (const { writer, commits, ...choice } of steps) {
          const stream = `run-${run}-${choice.stream}`
          if (open.has(writer)) await end(writer, commits)
          else if (![...open.values()].some((other) => other.stream === stream)) {
            const version = (committed.get(stream)?.length ?? 0) + 1
            await writers[writer]?.query('begin')
            await writers[writer]?.query(
              `insert into events (stream, version, event_id, type, data, metadata)
               values ($1, $2, gen_random_uuid(), 'BidPlaced', '{}', $3)`,
              [stream, version, metadata],
            )
            open.set(writer, { stream, version })
          }
        }
        for (const writer of [...open.keys()]) await end(writer, true)
        const total = [...committed.values()].flat().length
        await eventually(() => relay.stats().publishedCount >= total)
        expect(versionsByStream(await published())).toEqual(committed)
      }),
      { numRuns: 10, endOnFailure: true },
    )
    await Promise.all(writers.map((client) => client.end()))
  })

  async function currentVersion(stream: string): Promise<number> {
    const Version = sql.type(z.object({ version: z.number() }))
    return database.pool.oneFirst(Version`
      select coalesce(max(version), 0) as version from events where stream = ${stream}`)
  }
})

describe('two relays', () => {
  it('publish each event once, and one takes over when the other stops', async () => {
    const [first, second] = [start(), start()]
    await eventually(() => first.stats().isActive || second.stats().isActive)
    const [active, standby] = first.stats().isActive ? [first, second] : [second, first]
    await append('thing-1', 1, 50)
    await eventually(async () => (await published()).length === 50)
    expect(standby.stats()).toMatchObject({ isActive: false, publishedCount: 0 })
    await active.stop()
    await append('thing-1', 51, 60)
    await eventually(async () => (await published()).length === 60)
    await eventually(() => expect(standby.stats()).toMatchObject({ isActive: true, publishedCount: 10 }))
  })

  it('tell each other at once what they have added, whichever of them publishes', async () => {
    const [one, other] = [start({ pollMs: 600_000 }), start({ pollMs: 600_000 })]
    await eventually(() => one.stats().isActive || other.stats().isActive)
    await append('thing-1', 1)
    one.nudge()
    await eventually(async () => (await published()).length === 1)
    for (let version = 2; version <= 20; version += 1) {
      await append('thing-1', version)
      other.nudge()
    }
    await eventually(async () => expect(names(await published())).toEqual(numbered('thing-1', 1, 20)))
  })

  it('go on within seconds when their connections are cut', async () => {
    start()
    start()
    await append('thing-1', 1)
    await eventually(async () => (await published()).length === 1)
    await database.pool.query(sql.unsafe`
      select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = 'auction-relay'`)
    await append('thing-1', 2)
    await eventually(async () => (await published()).length === 2)
    expect(names(await published())).toEqual(['thing-1:1', 'thing-1:2'])
  })
})

describe('NATS', () => {
  it('down for a while: events wait and arrive in order', async () => {
    const relay = start()
    await append('thing-1', 1, 10)
    await eventually(async () => (await published()).length === 10)
    await nats.kill()
    for (let n = 11; n <= 40; n += 1) await append('thing-1', n)
    relay.nudge()
    await nats.restart()
    await eventually(async () => (await published()).length >= 40)
    expect(names(await published())).toEqual(numbered('thing-1', 1, 40))
  })

  it('killed again and again while events are written: nothing is lost, and each stream is in order', async () => {
    start()
    let isDone = false
    const writing = (async () => {
      let n = 0
      while (!isDone) {
        n += 1
        await Promise.all([append('thing-1', n), append('thing-2', n)])
      }
      return n
    })()
    for (let round = 0; round < 4; round += 1) {
      const before = relays[0]?.stats().publishedCount ?? 0
      await eventually(() => (relays[0]?.stats().publishedCount ?? 0) > before + 20)
      await nats.kill()
      await nats.restart()
    }
    isDone = true
    const total = await writing
    await eventually(async () => new Set(names(await published())).size === 2 * total)
    const versions = versionsByStream(await published())
    const expected = Array.from({ length: total }, (_, index) => index + 1)
    expect(versions.get('thing-1')).toEqual(expected)
    expect(versions.get('thing-2')).toEqual(expected)
  })

  it('loses its store: what comes is published, and says what was before it', async () => {
    start()
    await append('thing-1', 1, 20)
    await eventually(async () => (await published()).length === 20)
    const last = (await published()).at(-1)
    await nats.kill()
    rmSync(nats.storeDirectory, { recursive: true })
    await append('thing-1', 21)
    await nats.restart()
    await eventually(async () => (await published()).length === 1)
    expect(await published()).toMatchObject([{ version: 21, previous: last?.position }])
  })

  it('has its stream removed while connected: it is made again', async () => {
    start()
    await append('thing-1', 1, 5)
    await eventually(async () => (await published()).length === 5)
    await (await jetstreamManager(nats.connection)).streams.delete(streamName)
    await append('thing-1', 6)
    await eventually(async () => (await published()).length === 1)
    expect(names(await published())).toEqual(['thing-1:6'])
  })
})

describe('a log that was restored from another server, whose transactions have higher numbers', () => {
  it('goes on behind what it has', async () => {
    await append('thing-1', 1, 2)
    await append('thing-2', 1)
    start()
    await eventually(async () => (await published()).length === 3)
    await relays.pop()?.stop()
    await append('thing-1', 3)
    await database.pool.query(sql.unsafe`update events set tx = (tx::text::bigint + 1000000000)::text::xid8`)
    await database.pool.query(sql.unsafe`
      update log_state set relayed_tx = (relayed_tx::text::bigint + 1000000000)::text::xid8`)
    const client = new Client({ connectionString: database.url })
    await client.connect()
    expect(await continueRestoredLog(client, 'auction')).toBe(true)
    expect(await continueRestoredLog(client, 'auction')).toBe(false)
    await client.end()
    await append('thing-1', 4)
    const relay = start()
    await append('thing-1', 5)
    relay.nudge()
    await eventually(async () => (await published()).length === 6)
    expect(names(await published())).toEqual([
      'thing-1:1',
      'thing-1:2',
      'thing-2:1',
      'thing-1:3',
      'thing-1:4',
      'thing-1:5',
    ])
  })
})

describe('an event that a running transaction holds back', () => {
  it('is published as soon as that one ends', async () => {
    const relay = start()
    const [holder, watcher] = [new Client(database.url), new Client(database.url)]
    await Promise.all([holder.connect(), watcher.connect()])
    const heard = nats.connection.subscribe(eventSubject('auction', 'BidPlaced'))[Symbol.asyncIterator]()
    /** Whether the relay has asked for something since then, and for nothing more for a while. */
    const waitsSince = async (at: Date) => {
      const { rows } = await watcher.query(
        `select 1 from pg_stat_activity
          where application_name = 'auction-relay' and state = 'idle'
            and query_start > $1 and state_change < clock_timestamp() - interval '20 ms'`,
        [at],
      )
      return rows.length > 0
    }
    try {
      const tookMs: number[] = []
      for (let version = 1; version <= 5; version += 1) {
        await holder.query('begin')
        await holder.query('select pg_current_xact_id()')
        await eventually(() => waitsSince(new Date(0)))
        await append('thing-1', version)
        const { rows } = await watcher.query('select clock_timestamp() as at')
        relay.nudge()
        await eventually(() => waitsSince(rows[0].at))
        const endsAtMs = performance.now()
        await holder.query('commit')
        await heard.next()
        tookMs.push(performance.now() - endsAtMs)
      }
      // It looks by itself five times a second.
      expect(Math.min(...tookMs)).toBeLessThan(120)
    } finally {
      await Promise.all([holder.end(), watcher.end()])
    }
  })

  it('is known to wait when that one takes long', async () => {
    const relay = start()
    const holder = new Client(database.url)
    await holder.connect()
    try {
      await holder.query('begin')
      await holder.query('select pg_current_xact_id()')
      await append('thing-1', 1)
      await eventually(() => relay.stats().lagMs > 1_000)
      await holder.query('commit')
      await eventually(() => expect(relay.stats()).toMatchObject({ publishedCount: 1, lagMs: 0 }))
    } finally {
      await holder.end()
    }
  })
})

describe('a transaction of somebody else', () => {
  it('is not waited for', async () => {
    const other = `other_${Date.now()}`
    const admin = new Client({ connectionString: database.url })
    await admin.connect()
    await admin.query(`create role ${other} login superuser password 'other'`)
    const url = new URL(database.url)
    url.username = other
    url.password = 'other'
    const stranger = new Client({ connectionString: url.href })
    await stranger.connect()
    try {
      await stranger.query('begin')
      await stranger.query('select pg_current_xact_id()')
      start()
      await append('thing-1', 1)
      await eventually(async () => (await published()).length === 1)
    } finally {
      await stranger.end()
      await admin.query(`drop role ${other}`)
      await admin.end()
    }
  })
})
