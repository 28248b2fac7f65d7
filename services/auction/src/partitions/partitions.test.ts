import { sql } from '@wangian/kit/database/postgres.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { openTestPool, type TestDatabase } from '@wangian/kit/testing/test-database.ts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { accepted } from '../books/command.ts'
import { isoFromMs } from '../domain.ts'
import { WriterStore } from '../log/writer-store.ts'
import { DatabaseClock } from '../owner/clock.ts'
import { LEASE_TTL_MS } from '../owner/held-partitions.ts'
import { termsOf } from '../testing/fixtures.ts'
import { OwnerRig } from '../testing/owner-rig.ts'
import { createAuctionDatabase, emptyAuctionTables, readLease, readLog } from '../testing/writer-rig.ts'
import { Partitions } from './partitions.ts'

const HOUR_MS = 60 * 60 * 1000

/** A process as far as partitions go. */
interface Member {
  readonly instance: string
  readonly rig: OwnerRig
  readonly partitions: Partitions
  /** What it listens to on the bus. */
  readonly open: Set<number>
  readonly troubles: unknown[]
  announcedCount: number
  /** Leaves gently. */
  leave(): Promise<void>
  /** Stops at once, as kill -9 does. */
  die(): Promise<void>
}

let database: TestDatabase
let members: Member[]

beforeAll(async () => {
  database = await createAuctionDatabase()
})
afterAll(() => database.drop())
beforeEach(async () => {
  await emptyAuctionTables(database.pool)
  members = []
})
afterEach(async () => {
  for (const member of [...members]) await member.leave()
})

async function newMember(instance: string, clock = new DatabaseClock()): Promise<Member> {
  const pool = await openTestPool({ url: database.url, applicationName: instance, connectionsMax: 2 })
  const writer = new WriterStore({ url: database.url, instance, leaseTtlMs: LEASE_TTL_MS })
  const open = new Set<number>()
  const troubles: unknown[] = []
  const rig = new OwnerRig(writer, { clock })
  const partitions = new Partitions({
    pool,
    onTaken: async () => {},
    instance,
    owner: rig.owner,
    clock,
    intake: {
      open: (parts) => {
        for (const part of parts) open.add(part)
      },
      close: async (parts) => {
        for (const part of parts) open.delete(part)
      },
    },
    onTrouble: (_, error) => troubles.push(error),
    announce: () => {
      member.announcedCount += 1
      for (const other of members) if (other !== member) other.partitions.wake()
    },
  })
  const end = async () => {
    members = members.filter((other) => other !== member)
    rig.owner.stop()
    await writer.close()
    await pool.end()
  }
  const member: Member = {
    instance,
    rig,
    partitions,
    open,
    troubles,
    announcedCount: 0,
    async leave() {
      await partitions.stop()
      await end()
    },
    async die() {
      // Without a database it can give nothing up and tell nobody.
      await pool.end()
      await expect(partitions.stop()).rejects.toThrow()
      await end()
    },
  }
  members.push(member)
  return member
}

async function join(...instances: string[]): Promise<Member[]> {
  const joined = await Promise.all(instances.map((instance) => newMember(instance)))
  await Promise.all(joined.map(({ partitions }) => partitions.start()))
  return joined
}

const shares = () => members.map(({ partitions }) => partitions.held).sort((one, other) => other - one)

/** Who holds what according to Postgres agrees with what everybody believes and listens to. */
async function expectAgreement(): Promise<void> {
  const rows = await database.pool.any(
    sql.type(z.object({ part: z.number(), owner: z.string().nullable() }))`
      select part::int as part, owner from partition_leases where expires_at > clock_timestamp()`,
  )
  for (const { instance, rig, open } of members) {
    const leased = rows.flatMap(({ part, owner }) => (owner === instance ? [part] : [])).sort()
    expect([...rig.owner.epochs.keys()].sort()).toEqual(leased)
    expect([...open].sort()).toEqual(leased)
  }
}

describe('a process that is alone', () => {
  it('holds every partition when it has started, and keeps them', async () => {
    const [only] = await join('auction-1')
    expect(shares()).toEqual([64])
    await expectAgreement()
    const { epoch } = await readLease(database.pool, 9)
    // Longer than a lease lasts, it is renewed again and again.
    await database.pool.query(sql.unsafe`update partition_leases set expires_at = clock_timestamp()`)
    await eventually(async () => expect((await readLease(database.pool, 9)).leftMs).toBeGreaterThan(1000))
    expect(await readLease(database.pool, 9)).toMatchObject({ owner: 'auction-1', epoch })
    expect(only?.troubles).toEqual([])
  })

  it('keeps them while the rounds of sharing out get no answer', async () => {
    const [only] = await join('auction-1')
    const held = Promise.withResolvers<void>()
    const locked = Promise.withResolvers<void>()
    const locking = database.pool.transaction(async (transaction) => {
      await transaction.query(sql.unsafe`lock table owners in access exclusive mode`)
      locked.resolve()
      await held.promise
    })
    await locked.promise
    const isRoundWaiting = sql.type(z.object({ isWaiting: z.boolean() }))`
      select exists (select from pg_stat_activity where datname = current_database() and application_name = 'auction-1'
        and wait_event_type = 'Lock') as "isWaiting"`
    await eventually(async () => expect(await database.pool.oneFirst(isRoundWaiting)).toBe(true))
    await database.pool.query(sql.unsafe`update partition_leases set expires_at = clock_timestamp()`)
    await eventually(async () => expect((await readLease(database.pool, 9)).leftMs).toBeGreaterThan(1000))
    expect(await database.pool.oneFirst(isRoundWaiting)).toBe(true)
    held.resolve()
    await locking
    expect(only?.rig.fencedCount).toBe(0)
  })

  it('claims each of them once, however often it is woken while it starts', async () => {
    const member = await newMember('auction-1')
    member.partitions.wake()
    const starting = member.partitions.start()
    member.partitions.wake()
    await starting
    member.partitions.wake()
    expect(shares()).toEqual([64])
    const epochs = await database.pool.anyFirst(
      sql.type(z.object({ epoch: z.number() }))`select distinct epoch from partition_leases`,
    )
    expect(epochs).toEqual([1])
  })

  it('claims them in a later round when the first one fails', async () => {
    const member = await newMember('auction-1')
    await database.pool.query(sql.unsafe`alter table partition_leases rename to away`)
    const starting = member.partitions.start()
    try {
      await eventually(() => expect(member.troubles).not.toEqual([]))
    } finally {
      await database.pool.query(sql.unsafe`alter table away rename to partition_leases`)
    }
    await starting
    expect(shares()).toEqual([64])
  })

  it('ends what is over as soon as the clock is set forward', async () => {
    let aheadMs = 0
    const clock = new DatabaseClock(() => performance.now() + aheadMs)
    const { rig, partitions } = await newMember('auction-1', clock)
    await partitions.start()
    const nowMs = clock.nowMs()
    const terms = termsOf({ startsAt: isoFromMs(nowMs), endsAt: isoFromMs(nowMs + HOUR_MS / 2) })
    const opening = rig.command(terms.auctionId, (nowMs) => ({ type: 'OpenAuction', terms, nowMs }))
    await eventually(() => expect(opening.told).toEqual([accepted(0)]))
    aheadMs = HOUR_MS
    await eventually(() => expect(rig.owner.openAuctions).toBe(0))
    expect((await readLog(database.pool)).map(({ type }) => type)).toEqual(['AuctionOpened', 'AuctionEnded'])
  })

  it('has them again at once after a restart under its name', async () => {
    const [first] = await join('auction-1')
    await first?.die()
    await join('auction-1')
    expect(shares()).toEqual([64])
    expect((await readLease(database.pool, 9)).epoch).toBe(2)
  })
})

describe('several processes', () => {
  it.each([
    [2, [32, 32]],
    [3, [22, 22, 20]],
    [5, [13, 13, 13, 13, 12]],
  ])('that start at once, %i of them, come to fair shares', async (count, fair) => {
    const joined = await join(...Array.from({ length: count }, (_, number) => `auction-${number + 1}`))
    await eventually(() => expect(shares()).toEqual(fair))
    await eventually(expectAgreement)
    for (const { rig, troubles } of joined) expect([rig.fencedCount, troubles]).toEqual([0, []])
  })

  it('make room for one that comes, without anybody being fenced', async () => {
    const [first] = await join('auction-1')
    const [second] = await join('auction-2')
    await eventually(() => expect(shares()).toEqual([32, 32]))
    await join('auction-3')
    await eventually(() => expect(shares()).toEqual([22, 22, 20]))
    await eventually(expectAgreement)
    for (const member of members) expect(member.rig.fencedCount).toBe(0)
    expect([first?.announcedCount, second?.announcedCount].every((count) => (count ?? 0) > 0)).toBe(true)
  })

  it('take what one that leaves gives up, sooner than a lease lasts', async () => {
    await join('auction-1', 'auction-2')
    await eventually(() => expect(shares()).toEqual([32, 32]))
    const [, second] = members
    await second?.leave()
    // What it held is free at once.
    const leases = sql.unsafe`select part from partition_leases where owner = ${second?.instance ?? ''}`
    expect(await database.pool.anyFirst(leases)).toEqual([])
    await eventually(() => expect(shares()).toEqual([64]))
    await eventually(expectAgreement)
  })

  it('take what one that dies held, when its leases have run out', async () => {
    await join('auction-1', 'auction-2')
    await eventually(() => expect(shares()).toEqual([32, 32]))
    const [, second] = members
    await second?.die()
    await eventually(() => expect(shares()).toEqual([64]))
    await eventually(expectAgreement)
    expect(members[0]?.rig.fencedCount).toBe(0)
  })

  it('are not confused by being woken all the time', async () => {
    const joined = await Promise.all(['auction-1', 'auction-2'].map((instance) => newMember(instance)))
    const wake = () => {
      for (const { partitions } of joined) partitions.wake()
    }
    wake()
    const starting = joined.map(({ partitions }) => partitions.start())
    wake()
    await Promise.all(starting)
    await eventually(() => {
      wake()
      expect(shares()).toEqual([32, 32])
    })
    await eventually(expectAgreement)
    for (const { rig, troubles } of joined) expect([rig.fencedCount, troubles]).toEqual([0, []])
  })
})
