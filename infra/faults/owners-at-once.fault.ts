import { AUCTION_PARTITIONS } from '@wangian/contracts/subjects.ts'
import { type DatabasePool, openPool, sql } from '@wangian/kit/database/postgres.ts'
import { newEventId } from '@wangian/kit/log/event-store.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Batch } from '../../services/auction/src/books/batch.ts'
import { Book } from '../../services/auction/src/books/book.ts'
import { evolve } from '../../services/auction/src/domain.ts'
import type { Epochs } from '../../services/auction/src/log/log-port.ts'
import { WriterStore } from '../../services/auction/src/log/writer-store.ts'
import { claimFree } from '../../services/auction/src/partitions/lease-store.ts'
import { type AuctionProcess, type AuctionRig, startAuctionRig } from '../rig/auction-rig.ts'
import { SELLER_ID } from '../rig/opened-auctions.ts'
import { BiddingSession } from './bidding-session.ts'
import { seededRandom } from './random.ts'
import { expectRowsToFollowTheLog, type Follower, startFollower } from './reconciliation.ts'

const REPLICAS_MAX = 5
const ROUNDS_OF_PROCESSES = 3
const ROUNDS_OF_CLAIMS = 47
const LEASE_TTL_MS = 1500

describe('several owners that are started at once (F5)', () => {
  let rig: AuctionRig
  let follower: Follower

  beforeAll(async () => {
    rig = await startAuctionRig({ auctionInstances: REPLICAS_MAX })
    follower = await startFollower(rig, 'at_once')
  })

  afterAll(async () => {
    await follower?.stop()
    await rig?.stop()
  })

  it('share the partitions under load, whoever comes and goes', async () => {
    const seed = 105
    const random = seededRandom(seed)
    const session = await BiddingSession.start(rig, { seed, auctionsEndInMs: [null, null, 9000, null] })
    try {
      for (let round = 0; round < ROUNDS_OF_PROCESSES; round++) {
        await session.moreAccepted(20)
        const chosen = rig.auctions.slice(0, random.integer(2, REPLICAS_MAX))
        const isKilled = (owner: AuctionProcess) => chosen.includes(owner) && owner.pid !== undefined
        await Promise.all(rig.auctions.map((owner) => (isKilled(owner) ? owner.kill() : owner.stop())))
        await Promise.all(chosen.map((owner) => owner.start()))
        await session.nextAcceptedMs(performance.now())
      }
      await session.settle({ hasRestarts: true })
    } finally {
      console.log(`F5: ${session.summary()}`)
      await session.close()
    }
    await follower.hasEverything()
    await expectRowsToFollowTheLog(rig)
  })
})

/** An owner as far as leases and the log are concerned. */
interface Claimer {
  readonly instance: string
  readonly pool: DatabasePool
  readonly writer: WriterStore
}

describe('several claims of one lease at the same moment (F5)', () => {
  let rig: AuctionRig
  let admin: DatabasePool
  let claimers: Claimer[]

  beforeAll(async () => {
    rig = await startAuctionRig({ auctionInstances: 1 })
    // Its schema is what is needed here; the partitions must be free.
    await rig.auctions[0]?.stop()
    admin = await openPool({ url: rig.adminDatabaseUrl, applicationName: 'admin', connectionsMax: 1 })
    claimers = await Promise.all(
      Array.from({ length: REPLICAS_MAX }, async (_, number) => {
        const instance = `claimer-${number}`
        const url = rig.auctionDatabaseUrl
        const pool = await openPool({ url, applicationName: instance, connectionsMax: 1 })
        return { instance, pool, writer: new WriterStore({ url, instance, leaseTtlMs: LEASE_TTL_MS }) }
      }),
    )
  })

  afterAll(async () => {
    for (const { pool, writer } of claimers ?? []) {
      await writer.close()
      await pool.end()
    }
    await admin?.end()
    await rig?.stop()
  })

  it('leave one holder of each, and only the holder can commit', async () => {
    const random = seededRandom(106)
    let heldBefore = new Map<Claimer, Epochs>()
    let firstId = AUCTION_PARTITIONS
    const expected: string[] = []
    for (let round = 0; round < ROUNDS_OF_CLAIMS; round++) {
      const contenders = claimers.slice(0, random.integer(2, REPLICAS_MAX))
      await admin.query(sql.unsafe`update auction.partition_leases set expires_at = '-infinity', owner = null`)
      const held = await claimAtOnce(contenders)
      expectOneHolderEach(held, round + 1)

      // Whoever held a partition in the round before tries to commit in it, at the same time as its holder of today.
      const commits: Promise<void>[] = []
      for (const [holders, outcome] of [
        [held, 'committed'],
        [heldBefore, 'fenced'],
      ] as const) {
        for (const [{ writer }, epochs] of holders) {
          const part = random.pick([...epochs.keys()])
          firstId += AUCTION_PARTITIONS
          const id = firstId + part
          if (outcome === 'committed') expected.push(`auction-${id}`)
          commits.push(
            writer.commit([part], epochs, batchThatOpens(id, part)).then((result) => {
              expect(`round ${round}, partition ${part}: ${result}`).toBe(
                `round ${round}, partition ${part}: ${outcome}`,
              )
            }),
          )
        }
      }
      await Promise.all(commits)
      heldBefore = held
    }
    const rows = await admin.any(sql.type(z.object({ stream: z.string() }))`select stream from auction.events`)
    expect(rows.map(({ stream }) => stream).sort()).toEqual(expected.sort())
  })
})

/** All ask for everything until nothing is free. */
async function claimAtOnce(contenders: readonly Claimer[]): Promise<Map<Claimer, Epochs>> {
  const claims = await Promise.all(
    contenders.map(async (claimer) => {
      const mine = new Map<number, number>()
      for (let attempt = 0; attempt < 3; attempt++) {
        const more = await claimFree(claimer.pool, claimer.instance, [...mine.keys()], AUCTION_PARTITIONS, LEASE_TTL_MS)
        for (const [part, epoch] of more) mine.set(part, epoch)
      }
      return [claimer, mine] as const
    }),
  )
  return new Map(claims.filter(([, mine]) => mine.size > 0))
}

function expectOneHolderEach(held: ReadonlyMap<Claimer, Epochs>, epoch: number): void {
  const parts = [...held.values()].flatMap((epochs) => [...epochs.keys()])
  expect(parts.toSorted((one, other) => one - other)).toEqual(Array.from({ length: AUCTION_PARTITIONS }, (_, at) => at))
  const epochs = [...held.values()].flatMap((each) => [...each.values()])
  // The process of the rig was the first holder.
  expect(new Set(epochs)).toEqual(new Set([epoch + 1]))
}

/** A transaction that would write one event of an auction of this partition. */
function batchThatOpens(auctionId: number, part: number): Batch {
  const book = new Book(auctionId, part, { status: 'none' })
  const event = {
    type: 'AuctionOpened' as const,
    data: {
      auctionId,
      productId: auctionId,
      sellerId: SELLER_ID,
      startingPriceSen: 1000,
      reserveSen: null,
      buyNowSen: null,
      incrementSen: 10,
      startsAt: '2026-01-01T00:00:00.000Z',
      endsAt: '2029-01-01T00:00:00.000Z',
      openedAt: '2026-01-01T00:00:00.000Z',
    },
  }
  const state = evolve(book.head, event)
  if (state.status !== 'open') throw new Error('an opened auction is open')
  const batch = new Batch()
  batch.events.push({
    book,
    eventId: newEventId(),
    version: 1,
    event,
    actorId: SELLER_ID,
    bidderName: '',
    traceparent: null,
  })
  batch.states.set(book, state)
  return batch
}
