import { rmSync } from 'node:fs'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AuctionRig, startAuctionRig } from '../rig/auction-rig.ts'
import { BiddingSession } from './bidding-session.ts'
import { expectRowsToFollowTheLog, type Follower, startFollower } from './reconciliation.ts'

const CRASHES = 20
/** "At once" for a refusal while the bus is away. */
const REFUSED_WITHIN_MS = 500

let rig: AuctionRig
let follower: Follower

beforeAll(async () => {
  rig = await startAuctionRig()
  follower = await startFollower(rig, 'lost')
})

afterAll(async () => {
  await follower?.stop()
  await rig?.stop()
})

describe('NATS that is killed twenty times under load (F12)', () => {
  it('makes bids refused at once while it is away, and shows them live again when it is back', async () => {
    const seed = 112
    const session = await BiddingSession.start(rig, { seed, auctionsEndInMs: [null, 15_000, null] })
    const [auctionId = 0] = session.auctionIds
    const refusalsMs: number[] = []
    try {
      for (let crash = 0; crash < CRASHES; crash++) {
        await session.moreAccepted(10)
        // Killed, and kept from coming back until bidders have felt it.
        await rig.nats.kill()
        await rig.nats.stop()
        refusalsMs.push(await refusedMs(session, auctionId))
        await rig.nats.start()
        await session.nextAcceptedMs(performance.now())
      }
      expectNoRestart()
      await session.settle()
    } finally {
      console.log(`F12: ${session.summary()}`)
      await session.close()
    }
    expect(Math.max(...refusalsMs)).toBeLessThan(REFUSED_WITHIN_MS)
    await follower.hasEverything()
    await expectRowsToFollowTheLog(rig)
  })
})

describe('a NATS store that is lost (F13)', () => {
  it('is filled again from the log, for those who follow already and for those who begin', async () => {
    const seed = 113
    const session = await BiddingSession.start(rig, { seed, auctionsEndInMs: [null, 5000] })
    try {
      await session.moreAccepted(100)
      await follower.hasEverything()
      await rig.nats.kill()
      await rig.nats.stop()
      rmSync(rig.nats.storeDirectory, { recursive: true })
      await rig.nats.start()
      await session.nextAcceptedMs(performance.now())
      await session.moreAccepted(50)
      await session.settle()
    } finally {
      console.log(`F13: ${session.summary()}`)
      await session.close()
    }
    await follower.hasEverything()
    const beginner = await startFollower(rig, 'beginner')
    try {
      await beginner.hasEverything()
    } finally {
      await beginner.stop()
    }
    await expectRowsToFollowTheLog(rig)
  })
})

/** Bids until a bid is refused because the bus is away; returns how long that refusal took. */
async function refusedMs(session: BiddingSession, auctionId: number): Promise<number> {
  let tookMs = Number.NaN
  await eventually(async () => {
    const { outcome, sentAtMs, answeredAtMs } = await session.bidNow(auctionId)
    tookMs = (answeredAtMs ?? Number.NaN) - sentAtMs
    return outcome.kind === 'refused' && outcome.code === 'unavailable'
  })
  return tookMs
}

/** Whoever loses a server waits for it and does not die of it. */
function expectNoRestart(): void {
  const restarts = [...rig.auctions, rig.gateway].map((process) => [process.name, process.restarts])
  expect(restarts, rig.recentOutput()).toEqual([
    ['auction-1', 0],
    ['gateway', 0],
  ])
}
