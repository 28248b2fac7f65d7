import { holdLocks } from '@wangian/kit/database/exclusive-session.ts'
import { openPool, sql } from '@wangian/kit/database/postgres.ts'
import { silentLogger } from '@wangian/kit/service/logger.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { startTestNats } from '@wangian/kit/testing/test-nats.ts'
import { expect, it } from 'vitest'
import { RelayPace } from './log/relay-pace.ts'
import { startOwning } from './owning.ts'
import { createAuctionDatabase, readLease } from './testing/writer-rig.ts'

it('an owner takes and keeps its partitions while readers have all connections of the pool', async () => {
  const [database, bus] = await Promise.all([createAuctionDatabase(), startTestNats()])
  const pool = await openPool({ url: database.url, applicationName: 'readers', connectionsMax: 2 })
  const steps: (() => unknown)[] = [() => database.drop(), () => bus.stop(), () => pool.end()]
  try {
    const held = Promise.withResolvers<void>()
    const readers = [1, 2].map(() =>
      pool.transaction(async (transaction) => {
        await transaction.query(sql.unsafe`select 1`)
        await held.promise
      }),
    )
    await eventually(() => expect(pool.state().acquiredConnections).toBe(2))
    const owning = await startOwning(
      {
        config: { databaseUrl: database.url, instanceId: 'auction-1' } as never,
        log: silentLogger,
        databaseUrl: database.url,
        pool,
        nats: bus.connection,
        locks: holdLocks({ url: database.url, applicationName: 'locks' }),
        onAppended: () => {},
        readiness: async () => ({ database: true, nats: true }),
        onStop: (step) => void steps.push(step),
      },
      new RelayPace(),
    )
    steps.push(() => owning.stop())
    await owning.share()
    expect(await readLease(database.pool, 9)).toMatchObject({ owner: 'auction-1', epoch: 1 })
    await database.pool.query(sql.unsafe`update partition_leases set expires_at = clock_timestamp()`)
    await eventually(async () => expect((await readLease(database.pool, 9)).leftMs).toBeGreaterThan(1000))
    held.resolve()
    await Promise.all(readers)
  } finally {
    for (const step of steps.reverse()) await step()
  }
})
