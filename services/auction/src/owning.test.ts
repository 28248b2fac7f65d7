import { decodeLive } from '@wangian/contracts/auction-wire.ts'
import { auctionBidsSubject, auctionLiveSubject, auctionPartition } from '@wangian/contracts/subjects.ts'
import { connectNats, type NatsConnection, subscribe } from '@wangian/kit/bus/nats.ts'
import { holdLocks } from '@wangian/kit/database/exclusive-session.ts'
import { type DatabasePool, sql } from '@wangian/kit/database/postgres.ts'
import { silentLogger } from '@wangian/kit/service/logger.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { openTestPool } from '@wangian/kit/testing/test-database.ts'
import { startTestNats } from '@wangian/kit/testing/test-nats.ts'
import { expect, it } from 'vitest'
import { sendCommand } from './api/send-command.ts'
import { isoFromMs } from './domain.ts'
import { RelayPace } from './log/relay-pace.ts'
import { startOwning } from './owning.ts'
import { termsOf } from './testing/fixtures.ts'
import { createAuctionDatabase, readLease } from './testing/writer-rig.ts'

it('an owner takes and keeps its partitions while readers have all connections of the pool', async () => {
  const [database, bus] = await Promise.all([createAuctionDatabase(), startTestNats()])
  const pool = await openTestPool({ url: database.url, applicationName: 'readers', connectionsMax: 2 })
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
    const owning = await own({ url: database.url, pool, nats: bus.connection, steps })
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

it('an owner whose connection to the bus was away shows what it could show to nobody', async () => {
  const [database, bus] = await Promise.all([createAuctionDatabase(), startTestNats()])
  const nats = await connectNats({ url: bus.url, name: 'auction-1' })
  const steps: (() => unknown)[] = [() => database.drop(), () => bus.stop(), () => nats.close()]
  try {
    const owning = await own({ url: database.url, pool: database.pool, nats, steps })
    await owning.share()
    const terms = termsOf({ startsAt: isoFromMs(Date.now()), endsAt: isoFromMs(Date.now() + 60_000) })
    const { auctionId, sellerId } = terms
    await sendCommand(bus.connection, {
      kind: 'open',
      terms,
      startsNow: true,
      actorId: sellerId,
      requestId: 'request-1',
    })
    const bid = [auctionId, 21, 20_500, null, 'amira']
    await bus.connection.request(auctionBidsSubject(auctionPartition(auctionId)), JSON.stringify([bid]))
    const frames: unknown[] = []
    subscribe(bus.connection, auctionLiveSubject(auctionId), (message) => {
      frames.push(JSON.parse(decodeLive(auctionId, message.string()).frame))
    })
    await bus.connection.flush()
    await nats.reconnect()
    // The bid itself may be told as well, a moment after it was made: nobody had heard of its auction.
    const shown = expect.objectContaining({ type: 'auctionState', seq: 1 })
    await eventually(() => expect(frames).toContainEqual(shown))
  } finally {
    for (const step of steps.reverse()) await step()
  }
})

async function own(options: { url: string; pool: DatabasePool; nats: NatsConnection; steps: (() => unknown)[] }) {
  const { url, pool, nats, steps } = options
  const owning = await startOwning(
    {
      config: { databaseUrl: url, instanceId: 'auction-1' } as never,
      log: silentLogger,
      databaseUrl: url,
      pool,
      nats,
      locks: holdLocks({ url, applicationName: 'locks' }),
      onAppended: () => {},
      readiness: async () => ({ database: true, nats: true }),
      onStop: (step) => void steps.push(step),
    },
    new RelayPace(),
  )
  steps.push(() => owning.stop())
  return owning
}
