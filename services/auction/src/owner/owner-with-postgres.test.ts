import { setImmediate as nextTurn } from 'node:timers/promises'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import type { TestDatabase } from '@wangian/kit/testing/test-database.ts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { accepted } from '../books/command.ts'
import { isoFromMs } from '../domain.ts'
import { WriterStore } from '../log/writer-store.ts'
import { nowMs as auctionNowMs, bidIdOf, termsOf } from '../testing/fixtures.ts'
import { OwnerRig, refused, type Sent } from '../testing/owner-rig.ts'
import { createAuctionDatabase, cutWriter, emptyAuctionTables, readLog, takePartitions } from '../testing/writer-rig.ts'
import { LEASE_TTL_MS } from './held-partitions.ts'

let database: TestDatabase
/** What the owners' clocks say; a test moves it. */
let clockMs: number
let stops: (() => Promise<void>)[]

beforeAll(async () => {
  database = await createAuctionDatabase()
})
afterAll(() => database.drop())
beforeEach(async () => {
  await emptyAuctionTables(database.pool)
  clockMs = auctionNowMs
  stops = []
})
afterEach(async () => {
  for (const stop of stops) await stop()
})

/** A process that takes these partitions over and keeps its leases. */
async function startOwner(instance: string, parts: readonly number[]): Promise<OwnerRig> {
  const writer = new WriterStore({ url: database.url, instance, leaseTtlMs: LEASE_TTL_MS })
  const rig = new OwnerRig(writer, { clock: { nowMs: () => clockMs } })
  const renewing = setInterval(() => void rig.owner.renew(), 300)
  stops.push(async () => {
    clearInterval(renewing)
    rig.owner.stop()
    await writer.close()
  })
  const claimedAtMs = performance.now()
  await rig.owner.addPartitions(await takePartitions(database.pool, instance, parts), claimedAtMs)
  return rig
}

async function open(rig: OwnerRig, terms: Parameters<typeof termsOf>[0] = {}): Promise<void> {
  const command = rig.command(terms.auctionId ?? 5, (nowMs) => ({ type: 'OpenAuction', terms: termsOf(terms), nowMs }))
  await eventually(() => expect(command.told).toEqual([accepted(0)]))
}

const answered = async (...bids: Sent[]) => {
  await eventually(() => {
    for (const { told } of bids) expect(told).toHaveLength(1)
  })
  return bids.map(({ told }) => told[0])
}

async function bidsInLog(auctionId = 5): Promise<{ seq: number; amountSen: number; bidId: string | null }[]> {
  const log = await readLog(database.pool)
  return log
    .filter(({ stream, type }) => stream === `auction-${auctionId}` && type === 'BidPlaced')
    .map(({ data: { seq, amountSen, bidId } }) => ({ seq, amountSen, bidId }))
}

describe('an owner', () => {
  it('answers a burst of bids on several auctions, each one as it stands in the log', async () => {
    const rig = await startOwner('auction-1', [5, 6, 7])
    for (const auctionId of [5, 6, 7]) await open(rig, { auctionId, productId: auctionId })
    const bids = Array.from({ length: 300 }, (_, index) => ({
      auctionId: 5 + (index % 3),
      amountSen: 20_000 + ((index * 7919) % 1000) * 500,
      bidderId: 21 + (index % 16),
    }))
    const sent = bids.map(({ amountSen, ...facts }) => rig.bid(amountSen, facts))
    const verdicts = await answered(...sent)
    for (const auctionId of [5, 6, 7]) {
      const logged = await bidsInLog(auctionId)
      const acceptedHere = bids
        .map((bid, index) => ({ ...bid, verdict: verdicts[index] }))
        .filter((bid) => bid.auctionId === auctionId && bid.verdict?.refusal === null)
        .map(({ amountSen, verdict }) => ({ seq: verdict?.seq, amountSen, bidId: null }))
      expect(logged).toEqual(acceptedHere)
      expect(logged.map(({ seq }) => seq)).toEqual(logged.map((_, index) => index + 1))
    }
    expect(rig.committedCount).toBe((await readLog(database.pool)).length)
  })

  it('remembers across a restart what it accepted', async () => {
    const first = await startOwner('auction-1', [5])
    await open(first)
    await answered(first.bid(20_500, { bidId: bidIdOf(1) }), first.bid(21_000, { bidderId: 22 }))
    const second = await startOwner('auction-1', [5])
    expect(await answered(second.bid(20_500, { bidId: bidIdOf(1) }), second.bid(21_400, { bidderId: 23 }))).toEqual([
      accepted(1, 20_500),
      refused('bid-too-low', 21_500),
    ])
    expect(await answered(second.bid(21_500, { bidderId: 23 }))).toEqual([accepted(3)])
  })

  it('finds a repeated bid by the unique index when nothing in memory knows it, and judges the rest again', async () => {
    const first = await startOwner('auction-1', [5])
    await open(first)
    await answered(first.bid(20_500, { bidId: bidIdOf(1) }))
    const second = await startOwner('auction-1', [5])
    const again = second.bidLater(99_000, { bidId: bidIdOf(1) })
    const low = second.bidLater(50_000, { bidderId: 22 })
    second.owner.flush()
    expect(await answered(again, low)).toEqual([accepted(1, 20_500), accepted(2)])
    expect((await bidsInLog()).map(({ amountSen }) => amountSen)).toEqual([20_500, 50_000])
  })

  it('knows a bid id however its letters are written', async () => {
    const first = await startOwner('auction-1', [5])
    await open(first)
    const bidId = '0190d8a0-0000-7000-8000-00000000abcd'
    await answered(first.bid(20_500, { bidId }))
    expect(await answered(first.bid(99_000, { bidId: bidId.toUpperCase() }))).toEqual([accepted(1, 20_500)])
    const second = await startOwner('auction-1', [5])
    expect(await answered(second.bid(20_500, { bidId: bidId.toUpperCase() }))).toEqual([accepted(1, 20_500)])
  })

  it('takes two spellings of an id in one message for one bid, and nobody else notices', async () => {
    const rig = await startOwner('auction-1', [5, 6])
    await open(rig)
    await open(rig, { auctionId: 6, productId: 32 })
    const bidId = '0190d8a0-0000-7000-8000-00000000abcd'
    const first = rig.bidLater(20_500, { bidId: bidId.toUpperCase() })
    const again = rig.bidLater(21_000, { bidId })
    const other = rig.bid(20_500, { auctionId: 6, bidderId: 22 })
    expect(await answered(first, again, other)).toEqual([accepted(1), accepted(1, 20_500), accepted(1)])
    expect(await bidsInLog()).toEqual([{ seq: 1, amountSen: 20_500, bidId: bidId.toUpperCase() }])
  })

  it('refuses for good what Postgres cannot store, and keeps its leases, its books and all that came with it', async () => {
    const rig = await startOwner('auction-1', [5, 6, 7])
    await open(rig)
    const bids = [20_500, 21_000, 21_500].map((amountSen) => rig.bidLater(amountSen))
    // Past the contract, which does not let it through.
    const terms = termsOf({ auctionId: 6, productId: 6, startsAt: '0000-01-01T00:00:00.000Z' })
    const poison = rig.command(6, (nowMs) => ({ type: 'OpenAuction', terms, nowMs }))
    const second = rig.command(7, (nowMs) => ({ type: 'OpenAuction', terms: termsOf({ auctionId: 7 }), nowMs }))
    expect(await answered(...bids, poison, second)).toEqual([
      ...[1, 2, 3].map((seq) => accepted(seq)),
      refused('bad-request'),
      refused('auction-exists'),
    ])
    expect(rig.troubles.map(({ message }) => message)).toEqual(Array(2).fill('the database refuses a command for good'))
    expect([...rig.owner.epochs.values()]).toEqual([1, 1, 1])
    expect(await answered(rig.bid(22_000))).toEqual([accepted(4)])
    expect([rig.fencedCount, rig.owner.openAuctions]).toEqual([0, 1])
  })

  it('that was overtaken writes nothing and accepts nothing', async () => {
    const first = await startOwner('auction-1', [5])
    await open(first)
    const second = await startOwner('auction-2', [5])
    const stale = first.bid(20_500)
    const fresh = second.bid(30_000, { bidderId: 22 })
    expect(await answered(fresh)).toEqual([accepted(1)])
    await eventually(() => expect(first.fencedCount).toBe(1))
    // The renewal of its leases may have told it first; then it says that it cannot take the bid.
    expect([[], [refused('unavailable')]]).toContainEqual(stale.told)
    expect(first.published.length).toBe(0)
    expect(await bidsInLog()).toHaveLength(1)
  })

  it('ends its auctions, and those that ended while nobody held them', async () => {
    const first = await startOwner('auction-1', [5, 6])
    await open(first, { endsAt: isoFromMs(auctionNowMs + 50) })
    await open(first, { auctionId: 6, productId: 32, endsAt: isoFromMs(auctionNowMs + 3_600_000) })
    await answered(first.bid(20_500), first.bid(20_500, { auctionId: 6 }))
    clockMs += 50
    const ends = async () =>
      (await readLog(database.pool))
        .filter(({ type }) => type === 'AuctionEnded')
        .map(({ stream, version }) => [stream, version])
    await eventually(async () => expect(await ends()).toEqual([['auction-5', 3]]))
    first.owner.stop()
    clockMs += 3_600_000
    const second = await startOwner('auction-2', [5, 6])
    await eventually(async () =>
      expect(await ends()).toEqual([
        ['auction-5', 3],
        ['auction-6', 3],
      ]),
    )
    await eventually(() => expect(second.owner.openAuctions).toBe(0))
    expect(await answered(second.bid(99_000), second.bid(99_000, { auctionId: 6 }))).toEqual([
      refused('auction-ended'),
      refused('auction-ended'),
    ])
  })

  it('hands a partition over while bids flow, and none is lost or doubled', async () => {
    const first = await startOwner('auction-1', [5])
    await open(first)
    const sent: { bid: Sent; amountSen: number }[] = []
    let holder = first
    const send = (rig: OwnerRig) => {
      const amountSen = 20_500 + sent.length * 500
      sent.push({ bid: rig.bid(amountSen, { bidId: bidIdOf(sent.length) }), amountSen })
    }
    for (let count = 0; count < 50; count += 1) send(holder)
    const leaving = first.owner.removePartitions([5])
    for (let count = 0; count < 10; count += 1) send(holder)
    await leaving
    holder = await startOwner('auction-2', [5])
    for (let count = 0; count < 50; count += 1) send(holder)
    const verdicts = await answered(...sent.map(({ bid }) => bid))
    const logged = await bidsInLog()
    const known = sent.flatMap(({ amountSen }, index) => (verdicts[index]?.refusal === null ? [amountSen] : []))
    expect(logged.map(({ amountSen }) => amountSen)).toEqual(known)
    expect(known).toHaveLength(100)
    expect(verdicts.filter((verdict) => verdict?.refusal === 'unavailable')).toHaveLength(10)
    expect(first.fencedCount).toBe(0)
  })
})

describe('an owner whose connection is cut again and again', () => {
  it('answers every bid, and accepts exactly what is in the log', async () => {
    const rig = await startOwner('auction-1', [5])
    await open(rig)
    const sent: { bid: Sent; bidId: string; amountSen: number }[] = []
    let isSending = true
    const sending = (async () => {
      while (isSending) {
        const bidId = bidIdOf(sent.length)
        const amountSen = 20_500 + sent.length * 500
        sent.push({ bid: rig.bid(amountSen, { bidId, bidderId: 21 + (sent.length % 8) }), bidId, amountSen })
        // As fast as answers come, and not faster.
        await nextTurn()
        await eventually(() => sent.filter(({ bid }) => bid.told.length === 0).length < 20)
      }
    })()
    for (let count = 0; count < 8; count += 1) {
      const atLeast = sent.length + 5
      await eventually(() => sent.length >= atLeast)
      await cutWriter(database.pool, 'auction-1')
    }
    isSending = false
    await sending
    const verdicts = await answered(...sent.map(({ bid }) => bid))
    const acceptedBids = sent.flatMap(({ bidId, amountSen }, index) => {
      const verdict = verdicts[index]
      return verdict?.refusal === null ? [{ seq: verdict.seq, amountSen, bidId }] : []
    })
    expect(await bidsInLog()).toEqual(acceptedBids)
    expect(acceptedBids.length).toBeGreaterThan(20)
    expect(rig.fencedCount).toBe(0)
  })
})
