import { afterAll, beforeAll, expect, it } from 'vitest'
import { type AuctionRig, startAuctionRig } from '../rig/auction-rig.ts'
import { BiddingSession } from './bidding-session.ts'
import type { History } from './history.ts'
import { expectRowsToFollowTheLog } from './reconciliation.ts'

const BIDDERS = 200
/** "Around the end" is so long before it and after it. */
const AROUND_MS = 50

let rig: AuctionRig

beforeAll(async () => {
  rig = await startAuctionRig({ auctionInstances: 2 })
})

afterAll(() => rig?.stop())

it('two hundred people who bid until after the end are all told whether they were in time, and one bid wins (F20)', async () => {
  const session = await BiddingSession.start(rig, {
    seed: 120,
    bidders: BIDDERS,
    auctionsEndInMs: [6000, 6000, 7500],
  })
  let history: History
  try {
    await session.untilEnded()
    history = await session.settle()
  } finally {
    console.log(`F20: ${session.summary()}`)
    await session.close()
  }
  const aroundEnd = session.auctionIds.flatMap((auctionId) => operationsAroundEnd(history, auctionId))
  console.log(`F20: ${aroundEnd.length} bids within ${AROUND_MS} ms of an end`)
  // Enough for some to be in time, and some late.
  const kinds = new Set(aroundEnd.map(({ outcome }) => (outcome.kind === 'refused' ? outcome.code : outcome.kind)))
  expect([...kinds]).toEqual(expect.arrayContaining(['accepted', 'auction-ended']))
  expect(history.operations.filter(({ outcome }) => outcome.kind === 'unknown')).toEqual([])
  await expectRowsToFollowTheLog(rig)
})

function operationsAroundEnd({ log, operations }: History, auctionId: number) {
  const opened = log.find(({ auctionId: id, event }) => id === auctionId && event.type === 'AuctionOpened')
  if (opened?.event.type !== 'AuctionOpened') throw new Error(`auction ${auctionId} was opened`)
  const endsAtMs = Date.parse(opened.event.data.endsAt) - performance.timeOrigin
  return operations.filter(
    ({ sentAtMs, ...bid }) => bid.auctionId === auctionId && Math.abs(sentAtMs - endsAtMs) <= AROUND_MS,
  )
}
