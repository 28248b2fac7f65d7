import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AuctionRig, startAuctionRig } from '../rig/auction-rig.ts'
import { BiddingSession } from './bidding-session.ts'
import { type CuttingProxy, startCuttingProxy } from './cutting-proxy.ts'
import { expectWithin } from './expect-within.ts'
import { seededRandom } from './random.ts'
import { expectRowsToFollowTheLog, type Follower, startFollower } from './reconciliation.ts'

const RECOVERY_WITHIN_MS = 5000
const CRASHES = 3
/** Three times what may be left to go through after a crash. */
const WAL_BYTES = 750 * 1024 * 1024
const TERMINATIONS = 20
const LOST_ANSWERS = 20

let proxy: CuttingProxy
let rig: AuctionRig
let follower: Follower

beforeAll(async () => {
  rig = await startAuctionRig({
    async routeDatabase(port) {
      proxy = await startCuttingProxy(port)
      return proxy.port
    },
  })
  follower = await startFollower(rig, 'crash')
})

afterAll(async () => {
  await follower?.stop()
  await rig?.stop()
  await proxy?.stop()
})

describe('Postgres that crashes (F7)', () => {
  it('has every acknowledged bid when it is back, and bids go on within 5 s without a restart of anything else', async () => {
    const seed = 107
    const random = seededRandom(seed)
    const session = await BiddingSession.start(rig, { seed, auctionsEndInMs: [null, 7000, null] })
    const recoveriesMs: number[] = []
    try {
      for (let crash = 0; crash < CRASHES; crash++) {
        await session.moreAccepted(40)
        await wait(random.integer(0, 50))
        // What `pg_ctl stop -m immediate` sends: no checkpoint, recovery at the next start.
        await rig.postgres.kill('SIGQUIT')
        await rig.postgres.start()
        recoveriesMs.push(Math.round(await session.nextAcceptedMs(performance.now())))
      }
      expectNoRestart()
      await session.settle()
    } finally {
      console.log(`F7: ${session.summary()}; bids again ${recoveriesMs.join(', ')} ms after Postgres`)
      await session.close()
    }
    expectWithin(recoveriesMs, RECOVERY_WITHIN_MS)
    await follower.hasEverything()
    await expectRowsToFollowTheLog(rig)
  })
})

describe('Postgres that crashes with as much to go through as it may have (F7)', () => {
  it('has bids go on within 5 s of the crash', async () => {
    const session = await BiddingSession.start(rig, { seed: 109, auctionsEndInMs: [null] })
    try {
      const written = await writeAhead(WAL_BYTES)
      await session.moreAccepted(5)
      await rig.postgres.kill('SIGQUIT')
      const takenMs = Math.round(await session.nextAcceptedMs(performance.now(), session.auctionIds, 30_000))
      console.log(`F7, ${written} MB of WAL since the start: bids again ${takenMs} ms after the crash`)
      expectWithin([takenMs], RECOVERY_WITHIN_MS)
      expectNoRestart()
      await session.settle()
    } finally {
      await session.close()
    }
  })
})

describe("an owner's Postgres connections that are cut in the middle of transactions (F8)", () => {
  it('costs no bid and no command: what was under way is judged by the log', async () => {
    const seed = 108
    const random = seededRandom(seed)
    const session = await BiddingSession.start(rig, { seed, auctionsEndInMs: [6000, null, null] })
    const admin = new Client({ connectionString: rig.adminDatabaseUrl })
    await admin.connect()
    const restartsBefore = rig.auctions[0]?.restarts ?? 0
    let restarts = 0
    let terminated = 0
    try {
      while (terminated < TERMINATIONS) {
        await session.moreAccepted(10)
        await wait(random.integer(0, 20))
        // Mostly the writer's: its connection is the one that bids stand or fall with.
        const pattern = random.isTrue(0.8) ? 'auction-1 writer' : 'auction%'
        const { rowCount } = await admin.query(
          `select pg_terminate_backend(pid) from pg_stat_activity where application_name like $1`,
          [pattern],
        )
        if (rowCount) terminated++
      }
      // An owner that cannot know whether it holds its leases may end itself; its successor judges refused bids anew.
      restarts = (rig.auctions[0]?.restarts ?? 0) - restartsBefore
      await session.settle({ hasRestarts: restarts > 0 })
    } finally {
      console.log(`F8: ${session.summary()}; the owner ended itself ${restarts} times`)
      await admin.end()
      await session.close()
    }
    await follower.hasEverything()
    await expectRowsToFollowTheLog(rig)
  })
})

describe("an answer of Postgres that is lost on its way, a commit's among them (F8)", () => {
  it('makes no bid count twice or not at all: the log says what became of it', async () => {
    const seed = 110
    const session = await BiddingSession.start(rig, { seed, auctionsEndInMs: [null, 6000, null] })
    const restartsBefore = rig.auctions[0]?.restarts ?? 0
    let restarts = 0
    try {
      for (let lost = 0; lost < LOST_ANSWERS; lost++) {
        await session.moreAccepted(10)
        await proxy.loseNextAnswer('auction-1 writer')
      }
      await session.moreAccepted(10)
      restarts = (rig.auctions[0]?.restarts ?? 0) - restartsBefore
      await session.settle({ hasRestarts: restarts > 0 })
    } finally {
      console.log(`F8, lost answers: ${session.summary()}; the owner ended itself ${restarts} times`)
      await session.close()
    }
    await follower.hasEverything()
    await expectRowsToFollowTheLog(rig)
  })
})

/** Has Postgres write so much ahead, as much use of all services would. @returns in MB what it has written */
async function writeAhead(bytes: number): Promise<number> {
  const admin = new Client({ connectionString: rig.adminDatabaseUrl })
  await admin.connect()
  try {
    await admin.query('checkpoint')
    await admin.query('create table filler (data text)')
    await admin.query('create temporary table began as select pg_current_wal_insert_lsn() as lsn')
    for (;;) {
      await admin.query('insert into filler select repeat(md5(random()::text), 50) from generate_series(1, 10000)')
      const { rows } = await admin.query<{ bytes: number }>(
        'select (pg_current_wal_insert_lsn() - lsn)::float8 as bytes from began',
      )
      const written = rows[0]?.bytes ?? 0
      if (written > bytes) return Math.round(written / 1024 / 1024)
    }
  } finally {
    await admin.query('drop table filler')
    await admin.end()
  }
}

/** Whoever loses a server waits for it and does not die of it. */
function expectNoRestart(): void {
  const restarts = [...rig.auctions, rig.gateway].map((process) => [process.name, process.restarts])
  expect(restarts, rig.recentOutput()).toEqual([
    ['auction-1', 0],
    ['gateway', 0],
  ])
}
