import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AuctionRig, startAuctionRig } from '../rig/auction-rig.ts'
import { BiddingSession, everyOwnerOf, ownersOf } from './bidding-session.ts'
import { expectWithin } from './expect-within.ts'
import { seededRandom } from './random.ts'
import { expectRowsToFollowTheLog, type Follower, startFollower } from './reconciliation.ts'

const LEASE_TTL_MS = 1500
const TAKEOVER_WITHIN_MS = LEASE_TTL_MS + 1000
const PAUSES_MS = [2000, 3500, 2600]
const EXIT_CODE_FENCED = 3

let rig: AuctionRig
let follower: Follower

beforeAll(async () => {
  rig = await startAuctionRig({ auctionInstances: 2 })
  follower = await startFollower(rig, 'paused')
})

afterAll(async () => {
  await follower?.stop()
  await rig?.stop()
})

describe('an owner that is paused for longer than its lease (F2)', () => {
  it('is replaced, and when it wakes up it commits nothing and ends', async () => {
    const seed = 102
    const random = seededRandom(seed)
    const session = await BiddingSession.start(rig, { seed, auctionsEndInMs: [null, 6000, null, null] })
    const takeoversMs: number[] = []
    try {
      for (const pauseMs of PAUSES_MS) {
        await session.moreAccepted(30)
        const running = session.auctionIds.filter((_, index) => index !== 1)
        const owners = await everyOwnerOf(rig, running)
        const name = owners.get(random.pick(running))
        const victim = rig.auctions.find((process) => process.name === name)
        if (victim === undefined) throw new Error(`${name} is none of the processes`)
        const orphans = running.filter((auctionId) => owners.get(auctionId) === name)
        // Somewhere in the middle of a batch: they follow each other without a gap.
        await wait(random.integer(0, 20))
        const pausedAtMs = performance.now()
        const exited = victim.exited
        victim.pause()
        takeoversMs.push(Math.round(await session.nextAcceptedMs(pausedAtMs, orphans)))
        await wait(Math.max(0, pausedAtMs + pauseMs - performance.now()))
        expect((await ownersOf(rig, orphans)).get(orphans[0] ?? 0)).not.toBe(name)
        victim.resume()
        expect((await exited).code).toBe(EXIT_CODE_FENCED)
        await victim.start()
      }
      await session.settle({ hasRestarts: true })
    } finally {
      console.log(`F2: ${session.summary()}; taken over after ${takeoversMs.join(', ')} ms`)
      await session.close()
    }
    expectWithin(takeoversMs, TAKEOVER_WITHIN_MS)
    await follower.hasEverything()
    await expectRowsToFollowTheLog(rig)
  })
})
