import type { EventMetadata } from '@wangian/contracts/envelope.ts'
import type { AuctionEvent } from '@wangian/contracts/events/auction.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { sql, type Transaction } from '../database/postgres.ts'
import { Rejection } from '../errors.ts'
import { given } from '../testing/decider-spec.ts'
import { eventually } from '../testing/eventually.ts'
import { rebuildTables } from '../testing/rebuild-tables.ts'
import { createTestDatabase, openTestPool, type TestDatabase } from '../testing/test-database.ts'
import { overConflicts, runCommand, runTogether, sharedCommand } from './command.ts'
import { type Decider, fold } from './decider.ts'
import { type RecordedEvent, readStream, VersionConflict } from './event-store.ts'
import type { Projection } from './rebuild.ts'

/** A tank that holds 100 litres. Its log takes what is declared: a bid of so many sen is so many litres, a cancellation closes it. */
type TankCommand = { readonly type: 'Fill'; readonly litres: number } | { readonly type: 'Close' }
type TankEvent = Extract<AuctionEvent, { type: 'BidPlaced' | 'AuctionCancelled' }>
interface Tank {
  readonly litres: number
  readonly isClosed: boolean
}

const at = '2026-11-22T08:00:00.000Z'
const filled = (litres: number): TankEvent => ({
  type: 'BidPlaced',
  data: { auctionId: 1, seq: 1, bidderId: 5, amountSen: litres, bidId: null, placedAt: at },
})
const closed: TankEvent = {
  type: 'AuctionCancelled',
  data: { auctionId: 1, productId: 1, sellerId: 7, reason: 'full', cancelledAt: at },
}

const tank: Decider<Tank, TankCommand, TankEvent> = {
  service: 'auction',
  initialState: { litres: 0, isClosed: false },
  decide(command, state) {
    if (command.type === 'Close') return state.isClosed ? [] : [closed]
    if (state.litres + command.litres > 100) throw new Rejection('too-large', undefined, { litres: state.litres })
    return [filled(command.litres)]
  },
  evolve(state, event) {
    return event.type === 'AuctionCancelled'
      ? { ...state, isClosed: true }
      : { ...state, litres: state.litres + event.data.amountSen }
  },
}

const metadata: EventMetadata = { actorId: null, correlationId: 'request-1', causationId: null, commandId: null }
const fill = (litres: number): TankCommand => ({ type: 'Fill', litres })

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase({ service: 'kit' })
  await database.pool.query(sql.unsafe`create table tanks (stream text primary key, litres bigint not null)`)
})
afterAll(() => database.drop())

const TankRow = sql.type(z.object({ stream: z.string(), litres: z.number() }))
const tanks = () => database.pool.any(TankRow`select stream, litres from tanks order by stream`)

async function project(transaction: Transaction, event: RecordedEvent<TankEvent>): Promise<void> {
  if (event.type !== 'BidPlaced') return
  await transaction.query(sql.unsafe`
    insert into tanks (stream, litres) values (${event.stream}, ${event.data.amountSen})
    on conflict (stream) do update set litres = tanks.litres + excluded.litres`)
}

/** Of the rest of what an auction may store there is nothing in this log. */
const projectStored = (transaction: Transaction, event: RecordedEvent<AuctionEvent>) =>
  project(transaction, event as RecordedEvent<TankEvent>)

function run(stream: string, command: TankCommand, retriesMax?: number) {
  return runCommand({
    pool: database.pool,
    decider: tank,
    stream,
    command,
    metadata,
    project: async (transaction, events) => {
      for (const event of events) await project(transaction, event)
    },
    ...(retriesMax !== undefined && { retriesMax }),
  })
}

describe('the specification of a decider', () => {
  it('passes and fails as what is decided does', () => {
    given(tank, [filled(10)])
      .when(fill(20))
      .then([filled(20)])
    given(tank, [filled(90)])
      .when(fill(20))
      .thenRejects('too-large', { litres: 90 })
    given(tank, [closed]).when({ type: 'Close' }).thenNothing()
    expect(() =>
      given(tank, [])
        .when(fill(20))
        .then([filled(21)]),
    ).toThrow()
    expect(() => given(tank, []).when(fill(20)).thenNothing()).toThrow()
    expect(() => given(tank, []).when(fill(20)).thenRejects('too-large')).toThrow()
    expect(() =>
      given(tank, [filled(90)])
        .when(fill(20))
        .thenRejects('not-found'),
    ).toThrow()
    expect(() =>
      given(tank, [filled(90)])
        .when(fill(20))
        .thenRejects('too-large', { litres: 1 }),
    ).toThrow()
  })

  it('finds a decider that is not pure', () => {
    let calls = 0
    const impure: typeof tank = {
      ...tank,
      decide: () => {
        calls += 1
        return [filled(calls)]
      },
    }
    expect(() =>
      given(impure, [])
        .when(fill(1))
        .then([filled(1)]),
    ).toThrow('differently')
  })
})

describe('a fold', () => {
  it('goes on from a state', () => {
    expect(fold(tank, [filled(1)], { litres: 5, isClosed: true })).toEqual({ litres: 6, isClosed: true })
    expect(fold(tank, [])).toBe(tank.initialState)
  })
})

describe('a command', () => {
  it('appends what is decided, projects it in the same transaction, and answers with the new state', async () => {
    const first = await run('tank-1', fill(30))
    expect(first).toMatchObject({ state: { litres: 30 }, version: 1, events: [{ ...filled(30), version: 1 }] })
    expect(await run('tank-1', fill(40))).toMatchObject({ state: { litres: 70 }, version: 2 })
    expect(await tanks()).toContainEqual({ stream: 'tank-1', litres: 70 })
    expect(await readStream(database.pool, 'auction', 'tank-1')).toHaveLength(2)
  })

  it('writes nothing when it is satisfied already', async () => {
    await run('tank-2', { type: 'Close' })
    expect(await run('tank-2', { type: 'Close' })).toEqual({
      state: { litres: 0, isClosed: true },
      version: 1,
      events: [],
    })
    expect(await readStream(database.pool, 'auction', 'tank-2')).toHaveLength(1)
  })

  it('writes nothing when it is refused', async () => {
    await expect(run('tank-3', fill(101))).rejects.toThrow(Rejection)
    expect(await readStream(database.pool, 'auction', 'tank-3')).toEqual([])
  })

  it('writes nothing when something that it rests on besides refuses it', async () => {
    const before = async () => Promise.reject(new Rejection('conflict'))
    const refused = runCommand({
      pool: database.pool,
      decider: tank,
      stream: 'tank-8',
      command: fill(1),
      metadata,
      before,
    })
    await expect(refused).rejects.toThrow(Rejection)
    expect(await readStream(database.pool, 'auction', 'tank-8')).toEqual([])
  })

  it('writes nothing when the projection fails', async () => {
    const failing = runCommand({
      pool: database.pool,
      decider: tank,
      stream: 'tank-4',
      command: fill(1),
      metadata,
      project: async () => Promise.reject(new Error('no room')),
    })
    await expect(failing).rejects.toThrow('no room')
    expect(await readStream(database.pool, 'auction', 'tank-4')).toEqual([])
  })

  it('is decided anew when somebody else was faster, so that no two decide on the same state', async () => {
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => run('tank-5', fill(20), 50)))
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
    for (const result of results) if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(Rejection)
    expect(await tanks()).toContainEqual({ stream: 'tank-5', litres: 100 })
  })

  it('is carried out for each of many at once, without anybody being turned away', async () => {
    const pool = await openTestPool({ url: database.url, applicationName: 'many', connectionsMax: 30 })
    const fillOne = () =>
      runCommand({
        pool,
        decider: tank,
        stream: 'tank-7',
        command: fill(1),
        metadata,
        project: async (transaction, events) => {
          for (const event of events) await project(transaction, event)
        },
      })
    const results = await Promise.allSettled(Array.from({ length: 60 }, fillOne))
    expect(results.filter(({ status }) => status === 'rejected')).toEqual([])
    await pool.end()
    expect(await tanks()).toContainEqual({ stream: 'tank-7', litres: 60 })
  })

  it('gives up when others are always faster', async () => {
    let tries = 0
    let looks = 0
    const overtaken: typeof tank = {
      ...tank,
      decide: (command, state) => {
        tries += 1
        return tank.decide(command, state)
      },
    }
    // A version that the stream does not have: as if somebody appended between every load and append.
    await database.pool.query(sql.unsafe`
      insert into events (stream, version, event_id, type, data, metadata)
      values ('tank-6', 2, gen_random_uuid(), 'BidPlaced', ${JSON.stringify(filled(1).data)}::jsonb, '{}')`)
    const giveUp = runCommand({
      pool: database.pool,
      decider: overtaken,
      stream: 'tank-6',
      command: fill(1),
      metadata,
      retriesMax: 2,
      before: async () => {
        looks += 1
      },
    })
    await expect(giveUp).rejects.toThrow(VersionConflict)
    // What it rests on besides is looked at as often as it is decided.
    expect([looks, tries]).toEqual([3, 3])
    await database.pool.query(sql.unsafe`delete from events where stream = 'tank-6'`)
  })
})

const tanksProjection: Projection<'auction'> = {
  name: 'tanks',
  tables: [{ name: 'tanks' }],
  replay: () => ({ project: projectStored }),
}

describe('commands that are carried out together', () => {
  const seen: string[][] = []
  const projectSeen = async (transaction: Transaction, events: readonly RecordedEvent<TankEvent>[]) => {
    seen.push(events.map(({ stream, version }) => `${stream} ${version}`))
    for (const event of events) await project(transaction, event)
  }
  const shared = (stream: string, command: TankCommand, projectAll = projectSeen) =>
    sharedCommand({ decider: tank, stream, command, metadata, project: projectAll })
  const together = (...commands: Parameters<typeof runTogether>[1]) =>
    database.pool.transaction((transaction) => runTogether(transaction, commands))
  beforeEach(() => void seen.splice(0))

  it('are decided each on its own stream, appended at once, and projected once', async () => {
    await run('tank-31', fill(60))
    await run('tank-33', { type: 'Close' })
    await together(shared('tank-31', fill(40)), shared('tank-32', fill(7)), shared('tank-33', { type: 'Close' }))
    expect(await tanks()).toEqual(
      expect.arrayContaining([
        { stream: 'tank-31', litres: 100 },
        { stream: 'tank-32', litres: 7 },
      ]),
    )
    // The one that was closed already has nothing to tell.
    expect(seen).toEqual([['tank-31 2', 'tank-32 1']])
    const streams = ['tank-31', 'tank-32', 'tank-33']
    const numbers = await database.pool.anyFirst(sql.type(z.object({ tx: z.string() }))`
      select distinct tx::text as tx from events where stream = any (${sql.array(streams, 'text')}) and (version > 1 or stream = 'tank-32')`)
    expect(numbers).toHaveLength(1)
  })

  it('are all refused with one of them', async () => {
    await expect(together(shared('tank-41', fill(1)), shared('tank-42', fill(101)))).rejects.toThrow(Rejection)
    expect(await readStream(database.pool, 'auction', 'tank-41')).toEqual([])
    expect(seen).toEqual([])
  })

  it('are all decided anew when somebody else was faster at one of them', async () => {
    const both = (other: string) => () => together(shared('tank-51', fill(30)), shared(other, fill(30)))
    await Promise.all(['tank-52', 'tank-53', 'tank-54'].map((other) => overConflicts(both(other))))
    expect(await tanks()).toEqual(
      expect.arrayContaining([
        { stream: 'tank-51', litres: 90 },
        ...['tank-52', 'tank-53', 'tank-54'].map((stream) => ({ stream, litres: 30 })),
      ]),
    )
    expect(await readStream(database.pool, 'auction', 'tank-51')).toHaveLength(3)
  })

  it('wait for others that append to the same streams, and never for each other', async () => {
    const streams = ['tank-81', 'tank-82', 'tank-83']
    const inOrder = (order: readonly string[]) =>
      overConflicts(() => together(...order.map((stream) => shared(stream, fill(1)))))
    const waiting = sql.type(z.object({ count: z.number() }))`
      select count(*) as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    // Somebody has the stream in the middle until both have what they come to before it, and then does not append after all.
    const [isHeld, isLet] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const holding = database.pool.transaction(async (transaction) => {
      await runTogether(transaction, [shared('tank-82', fill(1))])
      isHeld.resolve()
      await isLet.promise
      throw new Error('not after all')
    })
    await isHeld.promise
    const both = Promise.all([inOrder(streams), inOrder(streams.toReversed())])
    await eventually(async () => (await database.pool.oneFirst(waiting)) === 2)
    isLet.resolve()
    await expect(holding).rejects.toThrow('not after all')
    await both
    for (const stream of streams) expect(await readStream(database.pool, 'auction', stream)).toHaveLength(2)
  })

  it('have a stream each', async () => {
    await expect(together(shared('tank-61', fill(1)), shared('tank-61', fill(2)))).rejects.toThrow('a stream each')
    expect(await readStream(database.pool, 'auction', 'tank-61')).toEqual([])
  })

  it('are projected by those that have the same way of it', async () => {
    const others: string[] = []
    const projectOther = async (transaction: Transaction, events: readonly RecordedEvent<TankEvent>[]) => {
      others.push(...events.map(({ stream }) => stream))
      for (const event of events) await project(transaction, event)
    }
    await together(shared('tank-71', fill(1)), shared('tank-72', fill(2), projectOther), shared('tank-73', fill(3)))
    expect(seen).toEqual([['tank-71 1', 'tank-73 1']])
    expect(others).toEqual(['tank-72'])
  })
})

describe('a projection', () => {
  it('comes out the same when it is rebuilt from the log', async () => {
    for (let n = 0; n < 30; n += 1) await run(`tank-many-${n % 3}`, fill(1))
    const before = await tanks()
    await database.pool.query(sql.unsafe`update tanks set litres = 0`)
    await database.pool.query(sql.unsafe`insert into tanks (stream, litres) values ('tank-ghost', 1)`)
    const count = await rebuildTables(database.pool, 'auction', tanksProjection)
    expect(await tanks()).toEqual(before)
    expect(count).toBe(
      await database.pool.oneFirst(sql.type(z.object({ count: z.number() }))`select count(*) from events`),
    )
  })

  it('misses nothing that happens during the rebuild', async () => {
    const writing = Promise.all(Array.from({ length: 20 }, (_, n) => run(`tank-busy-${n}`, fill(5))))
    for (let n = 0; n < 5; n += 1) await rebuildTables(database.pool, 'auction', tanksProjection)
    await writing
    const live = (await tanks()).filter(({ stream }) => stream.startsWith('tank-busy-'))
    expect(live).toHaveLength(20)
    expect(live.every(({ litres }) => litres === 5)).toBe(true)
  })

  it('stays as it was when the rebuild fails', async () => {
    const before = await tanks()
    const replay = () => ({ project: () => Promise.reject(new Error('no')) })
    const failing = rebuildTables(database.pool, 'auction', { ...tanksProjection, replay })
    await expect(failing).rejects.toThrow('no')
    expect(await tanks()).toEqual(before)
  })
})
