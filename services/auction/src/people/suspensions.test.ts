import { decodeLive } from '@wangian/contracts/auction-wire.ts'
import type { PublishedIdentityEvent } from '@wangian/contracts/events/identity.ts'
import { sql } from '@wangian/kit/database/postgres.ts'
import { saveBans } from '@wangian/kit/people/people-store.ts'
import { emptyTables } from '@wangian/kit/testing/empty-tables.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { tellOfPerson, testPerson } from '@wangian/kit/testing/people.ts'
import type { TestDatabase } from '@wangian/kit/testing/test-database.ts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { accepted } from '../books/command.ts'
import { isoFromMs } from '../domain.ts'
import { listAuctions } from '../store.ts'
import { bidIdOf, nowMs, opened, seller } from '../testing/fixtures.ts'
import { ModelLog, ModelPort } from '../testing/model-log.ts'
import { OwnerRig, refused } from '../testing/owner-rig.ts'
import { createAuctionDatabase, emptyAuctionTables } from '../testing/writer-rig.ts'
import { Suspensions } from './suspensions.ts'

const at = '2026-11-21T08:00:00.000Z'
const waitingForKnownPeople = sql.type(z.object({ count: z.number() }))`
  select count(*) from pg_locks where not granted and relation = 'known_people'::regclass`
const banned = (userId: number): PublishedIdentityEvent => ({
  type: 'UserBanned',
  data: { userId, bannedAt: at },
})
const unbanned = (userId: number): PublishedIdentityEvent => ({
  type: 'UserUnbanned',
  data: { userId, unbannedAt: at },
})
const closed = (userId: number, closedAt = at): PublishedIdentityEvent => ({
  type: 'AccountClosed',
  data: { userId, closedAt },
})
const reopened = (userId: number): PublishedIdentityEvent => ({
  type: 'AccountReopened',
  data: { userId, reopenedAt: at, person: testPerson('sarah') },
})
const erased = (userId: number): PublishedIdentityEvent => ({ type: 'UserErased', data: { userId, erasedAt: at } })

describe('who is suspended', () => {
  let database: TestDatabase
  let processes: Suspensions[]
  const troubles: unknown[] = []

  beforeAll(async () => {
    database = await createAuctionDatabase()
  })
  afterAll(() => database.drop())
  beforeEach(async () => {
    await emptyAuctionTables(database.pool)
    await emptyTables(database.pool, 'known_people')
    processes = [await start(), await start()]
  })
  afterEach(() => Promise.all(processes.map((each) => each.stop())))

  async function start(): Promise<Suspensions> {
    const suspensions = new Suspensions({
      pool: database.pool,
      onTrouble: (_message, error) => troubles.push(error),
    })
    await suspensions.start()
    return suspensions
  }

  const tell = (event: PublishedIdentityEvent, version: number) => tellOfPerson(database.pool, event, { version })

  const everywhere = (userId: number, sinceMs: number | null) =>
    eventually(() => {
      expect(processes.map((each) => each.sinceMs(userId))).toEqual([sinceMs, sinceMs])
    })

  it('is known to every process, at the start and as it changes', async () => {
    await tell(banned(7), 2)
    await everywhere(7, Date.parse(at))
    const later = await start()
    expect(later.sinceMs(7)).toBe(Date.parse(at))
    await later.stop()
    await tell(unbanned(7), 3)
    await everywhere(7, null)
    await tell(closed(8), 2)
    await everywhere(8, Date.parse(at))
    await tell(reopened(8), 3)
    await everywhere(8, null)
    await tell(closed(8), 4)
    await tell(erased(8), 5)
    await everywhere(8, Date.parse(at))
    expect(processes[0]?.sinceMs(9)).toBeNull()
    expect(troubles).toEqual([])
  })

  it('is decided by the newest event, whichever comes last, and closing is for good', async () => {
    await tell(banned(7), 4)
    await tell(unbanned(7), 3)
    await everywhere(7, Date.parse(at))
    await tell(banned(8), 2)
    await tell(closed(8), 3)
    await tell(unbanned(8), 4)
    await everywhere(8, Date.parse(at))
  })

  it('has been so since the first of the two, when somebody who is banned leaves', async () => {
    await tell(banned(7), 2)
    await tell(closed(7, '2026-11-21T09:00:00.000Z'), 3)
    await everywhere(7, Date.parse(at))
    const later = await start()
    expect(later.sinceMs(7)).toBe(Date.parse(at))
    await later.stop()
  })

  it('has been so since it was set again, though nobody has seen that it was lifted', async () => {
    const again = '2026-11-21T09:00:00.000Z'
    await tell(banned(7), 2)
    await everywhere(7, Date.parse(at))
    // So long ago that it is looked for no more.
    await database.pool.query(sql.unsafe`update known_people set suspension_changed_at = now() - interval '1 hour'`)
    await saveBans(database.pool, [
      { userId: 7, version: 3, bannedAt: null },
      { userId: 7, version: 4, bannedAt: again },
    ])
    await everywhere(7, Date.parse(again))
  })

  it('is known though it was committed after others that were written later', async () => {
    await database.pool.transaction(async (transaction) => {
      await saveBans(transaction, [{ userId: 7, version: 2, bannedAt: at }])
      // The look that finds the second one begins after the first one was written.
      for (const userId of [8, 9]) {
        await tell(banned(userId), 2)
        await everywhere(userId, Date.parse(at))
      }
    })
    await everywhere(7, Date.parse(at))
  })

  it('is not looked for any more by who has stopped, whose connections may end then', async () => {
    let stoppedCount = 0
    const stopping = await database.pool.transaction(async (transaction) => {
      await transaction.query(sql.unsafe`lock table known_people`)
      await eventually(async () => {
        expect(await transaction.oneFirst(waitingForKnownPeople)).toBe(processes.length)
      })
      const stops = processes.map(async (each) => {
        await each.stop()
        stoppedCount += 1
      })
      await transaction.oneFirst(waitingForKnownPeople)
      expect(stoppedCount).toBe(0)
      return stops
    })
    await Promise.all(stopping)
    expect(troubles).toEqual([])
  })

  it('does not show their auctions in lists', async () => {
    await database.pool.query(sql.unsafe`
      insert into auction_terms (id, part, product_id, seller_id, starting_price_sen, increment_sen, starts_at, ends_at, status,
                            version, opened_at, updated_at)
      values (5, 5, 31, ${seller}, 20000, 500, now() - interval '1 hour', '2100-01-01', 'open', 1, now(), now())`)
    const listed = async () => (await listAuctions(database.pool, 'active', 10)).map(({ auctionId }) => auctionId)
    expect(await listed()).toEqual([5])
    await tell(banned(seller), 2)
    expect(await listed()).toEqual([])
    await tell(unbanned(seller), 3)
    expect(await listed()).toEqual([5])
  })
})

describe('an auction with somebody who is suspended', () => {
  const endsAtMs = nowMs + 30_000
  const suspended = new Map<number, number>()
  let log: ModelLog
  let rigs: OwnerRig[]
  let rig: OwnerRig

  beforeEach(async () => {
    vi.useFakeTimers({ now: nowMs })
    suspended.clear()
    rigs = []
    log = new ModelLog()
    log.append(opened({ endsAt: isoFromMs(endsAtMs) }))
    rig = await takeOver('auction-1')
  })
  afterEach(() => {
    for (const { owner } of rigs) owner.stop()
    vi.useRealTimers()
  })

  async function takeOver(instance: string): Promise<OwnerRig> {
    const port = new ModelPort(log, instance, true)
    const next = new OwnerRig(port, {
      clock: { nowMs: () => Date.now() },
      suspendedSinceMs: (id) => suspended.get(id) ?? null,
    })
    rigs.push(next)
    await next.owner.addPartitions(log.take(instance, [5, 6]), performance.now())
    return next
  }

  /** The leases are renewed all the while, as partitions.ts does it. */
  async function theEnd(): Promise<void> {
    await vi.advanceTimersByTimeAsync(endsAtMs - Date.now() + 10)
    void rig.owner.renew()
    await vi.advanceTimersByTimeAsync(10)
  }

  const turn = () => vi.advanceTimersByTimeAsync(0)
  const frames = () =>
    rig.published.map(({ auctionId, message }) => JSON.parse(decodeLive(auctionId, message).frame) as { type: string })

  it('takes no bids as long as that lasts, and goes on afterwards', async () => {
    const before = rig.bid(20_500)
    await turn()
    expect(before.told).toEqual([accepted(1)])
    suspended.set(seller, Date.now())
    const paused = rig.bid(30_000)
    await turn()
    expect(paused.told).toEqual([refused('auction-paused')])
    suspended.delete(seller)
    const again = rig.bid(30_000)
    await turn()
    expect(again.told).toEqual([accepted(2)])
  })

  it('still gives the first answer to a bid that comes again, also from another process', async () => {
    const bidId = bidIdOf(1)
    rig.bid(20_500, { bidId })
    await turn()
    suspended.set(seller, Date.now())
    const here = rig.bid(20_500, { bidId })
    await turn()
    expect(here.told).toEqual([accepted(1, 20_500)])
    rig = await takeOver('auction-2')
    const there = rig.bid(20_500, { bidId })
    await vi.advanceTimersByTimeAsync(50)
    expect(there.told).toEqual([accepted(1, 20_500)])
  })

  it('is cancelled at its end when that still lasts, and nobody has won', async () => {
    rig.bid(20_500)
    await turn()
    suspended.set(seller, Date.now())
    await theEnd()
    expect(frames().map(({ type }) => type)).toEqual(['newBid', 'auctionCancelled'])
    expect(frames()[1]).toMatchObject({ reason: 'The seller is not available any more.' })
  })

  it('is won by nobody when its leader is at the end, and not by the next', async () => {
    rig.bid(20_500)
    await turn()
    suspended.set(21, Date.now())
    await theEnd()
    expect(frames().at(-1)).toMatchObject({ type: 'auctionEnded', outcome: 'winner-unavailable', winnerId: null })
  })

  it('is won as it stood at its end, however late that is recorded', async () => {
    rig.bid(20_500)
    await turn()
    rig.owner.stop()
    await vi.advanceTimersByTimeAsync(endsAtMs - Date.now() + 1000)
    suspended.set(21, Date.now())
    suspended.set(seller, Date.now())
    rig = await takeOver('auction-2')
    await vi.advanceTimersByTimeAsync(50)
    expect(frames().at(-1)).toMatchObject({ type: 'auctionEnded', outcome: 'won', winnerId: 21 })
  })

  it('ends as any other when it was lifted in time', async () => {
    rig.bid(20_500)
    suspended.set(seller, Date.now())
    await vi.advanceTimersByTimeAsync(10_000)
    suspended.delete(seller)
    await theEnd()
    expect(frames().at(-1)).toMatchObject({ type: 'auctionEnded' })
  })

  it('refuses a suspended bidder before anything else, and others not', async () => {
    suspended.set(21, Date.now())
    const his = rig.bid(20_500, { bidderId: 21 })
    const hers = rig.bid(20_500, { bidderId: 22 })
    await turn()
    expect(his.told).toEqual([refused('account-suspended')])
    expect(hers.told).toEqual([accepted(1)])
  })
})
