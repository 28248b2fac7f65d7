import { auctionRequests } from '@wangian/contracts/auction.ts'
import { request } from '@wangian/kit/bus/requests.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AuctionProcess, startAuctionProcess } from '../testing/auction-process.ts'
import { seller, termsOf } from '../testing/fixtures.ts'
import { sendCommand } from './send-command.ts'

let service: AuctionProcess
beforeAll(async () => {
  service = await startAuctionProcess()
  await service.startOwner()
})
afterAll(() => service.stop())

const snapshotOf = async (auctionId: number) =>
  (await request(service.nats, 'auction', auctionRequests.getSnapshot, { auctionId })).snapshot

describe('a snapshot', () => {
  it('is what a socket needs to go on from: the state, the newest bids, and the seq of the last one', async () => {
    const startsAt = new Date(Date.now() - 1000).toISOString()
    const endsAt = new Date(Date.now() + 24 * 60 * 60 * 1000).toISOString()
    const terms = termsOf({ reserveSen: 90_000, startsAt, endsAt })
    await sendCommand(service.nats, { kind: 'open', terms, actorId: seller, requestId: 'test' })
    expect(await snapshotOf(5)).toMatchObject({ auctionId: 5, seq: 0, bids: [], auction: { status: 'active' } })
    await service.bid(
      ...Array.from({ length: 52 }, (_, index) => [5, 21 + index, 20_500 + index * 500, null, 'amira'] as const),
    )
    const snapshot = await snapshotOf(5)
    expect(snapshot).toMatchObject({
      seq: 52,
      auction: { currentBid: 460, currentBidderId: 72, bidCount: 52, minimumBid: 465, endsAt },
    })
    expect(snapshot?.bids.map(({ seq }) => seq)).toEqual(Array.from({ length: 50 }, (_, index) => 52 - index))
    expect(JSON.stringify(snapshot)).not.toContain('reserve')
  })

  it('is null for an auction that is not there', async () => {
    expect(await snapshotOf(404)).toBeNull()
  })
})
