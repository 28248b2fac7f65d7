import { sql } from '@wangian/kit/database/postgres.ts'
import type { TestDatabase } from '@wangian/kit/testing/test-database.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createAuctionDatabase, emptyAuctionTables, leaseTtlMs, readLease } from '../testing/writer-rig.ts'
import { claimFree, release, reportAlive, reportGone } from './lease-store.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createAuctionDatabase()
})
afterAll(() => database.drop())
beforeEach(() => emptyAuctionTables(database.pool))

const claim = (instance: string, limit = 64, held: readonly number[] = []) =>
  claimFree(database.pool, instance, held, limit, leaseTtlMs)
const letExpire = (parts: readonly number[]) =>
  database.pool.query(sql.unsafe`
    update partition_leases set expires_at = clock_timestamp() - interval '1 millisecond'
    where part = any (${sql.array([...parts], 'int2')})`)

describe('partitions that nobody holds', () => {
  it('are claimed under their next epoch, as many as are asked for', async () => {
    const claimed = await claim('auction-1', 10)
    expect([...claimed]).toEqual(Array.from({ length: 10 }, (_, part) => [part, 1]))
    const lease = await readLease(database.pool, 3)
    expect(lease).toMatchObject({ owner: 'auction-1', epoch: 1 })
    expect(lease.leftMs).toBeGreaterThan(1000)
    expect(lease.leftMs).toBeLessThanOrEqual(leaseTtlMs)
  })

  it('go to one each, when several claim at once', async () => {
    const claims = await Promise.all(Array.from({ length: 5 }, (_, number) => claim(`auction-${number}`, 20)))
    const parts = claims.flatMap((claimed) => [...claimed.keys()])
    expect(new Set(parts).size).toBe(parts.length)
    const [epochs] = claims
    expect(new Set(claims.flatMap((claimed) => [...claimed.values()]))).toEqual(new Set([1]))
    expect(epochs).toBeDefined()
  })
})

describe('partitions that somebody holds', () => {
  it('are left to him', async () => {
    await claim('auction-1')
    expect(await claim('auction-2')).toEqual(new Map())
  })

  it('are taken when their leases have run out', async () => {
    await claim('auction-1')
    await letExpire([7, 8])
    expect(await claim('auction-2')).toEqual(
      new Map([
        [7, 2],
        [8, 2],
      ]),
    )
  })

  it('are taken at once by the same instance after a restart, under a higher epoch', async () => {
    await claim('auction-1', 3)
    expect(await claim('auction-1', 3)).toEqual(
      new Map([
        [0, 2],
        [1, 2],
        [2, 2],
      ]),
    )
  })

  it('are not claimed again by the process that holds them', async () => {
    const held = await claim('auction-1', 3)
    await letExpire([0, 1, 2])
    expect([...(await claim('auction-1', 2, [...held.keys()])).keys()]).toEqual([3, 4])
  })

  it('are free at once when they are given up', async () => {
    const held = await claim('auction-1', 3)
    await release(database.pool, 'auction-1', new Map([...held].slice(0, 2)))
    expect(await readLease(database.pool, 0)).toMatchObject({ owner: null, epoch: 1 })
    expect([...(await claim('auction-2', 2))]).toEqual([
      [0, 2],
      [1, 2],
    ])
    expect(await readLease(database.pool, 2)).toMatchObject({ owner: 'auction-1' })
  })

  it('are not given up by somebody who lost them', async () => {
    const stale = await claim('auction-1', 1)
    await letExpire([0])
    await claim('auction-2', 1)
    await release(database.pool, 'auction-1', stale)
    expect(await readLease(database.pool, 0)).toMatchObject({ owner: 'auction-2', epoch: 2 })
    const own = await claim('auction-2', 1)
    await release(database.pool, 'auction-2', new Map([...own].map(([part, epoch]) => [part, epoch - 1])))
    expect(await readLease(database.pool, 0)).toMatchObject({ owner: 'auction-2' })
  })
})

describe('the processes that are alive', () => {
  it('are counted, the one that asks included, as long as they were seen lately', async () => {
    expect(await reportAlive(database.pool, 'auction-1', 2500)).toMatchObject({ owners: 1 })
    expect(await reportAlive(database.pool, 'auction-2', 2500)).toMatchObject({ owners: 2 })
    expect(await reportAlive(database.pool, 'auction-1', 2500)).toMatchObject({ owners: 2 })
    await database.pool.query(
      sql.unsafe`update owners set seen_at = seen_at - interval '3 seconds' where instance = 'auction-2'`,
    )
    expect(await reportAlive(database.pool, 'auction-1', 2500)).toMatchObject({ owners: 1 })
    expect(await reportAlive(database.pool, 'auction-2', 2500)).toMatchObject({ owners: 2 })
    await reportGone(database.pool, 'auction-2')
    expect(await reportAlive(database.pool, 'auction-1', 2500)).toMatchObject({ owners: 1 })
  })

  it("learn the database's time", async () => {
    const { nowMs } = await reportAlive(database.pool, 'auction-1', 2500)
    const laterMs = await database.pool.oneFirst(
      sql.type(z.object({ ms: z.number() }))`select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`,
    )
    expect(laterMs - nowMs).toBeGreaterThanOrEqual(0)
    expect(laterMs - nowMs).toBeLessThan(5000)
  })
})
