import { decodeLive } from '@wangian/contracts/auction-wire.ts'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { accepted } from '../books/command.ts'
import { type AuctionCommand, auctionDecider, isoFromMs } from '../domain.ts'
import { bidIdOf, buyNowDecider, nowMs, opened, seller, termsOf } from '../testing/fixtures.ts'
import { ModelLog, ModelPort } from '../testing/model-log.ts'
import { OwnerRig, refused, type Sent } from '../testing/owner-rig.ts'
import { APART_MAX_MS } from './suspects.ts'

const ANSWER_WITHIN_MS = 4200
const LEASE_TTL_MS = 1500
/** Half a minute ahead: the sweep of a week would take its time even without a clock. */
const endsAtMs = nowMs + 30_000

let log: ModelLog
let port: ModelPort
let rig: OwnerRig
let rigs: OwnerRig[]

beforeEach(async () => {
  vi.useFakeTimers({ now: nowMs })
  log = new ModelLog()
  rigs = []
  log.append(opened({ endsAt: isoFromMs(endsAtMs) }))
  await takeOver('auction-1', [5, 6])
})
afterEach(() => {
  for (const { owner } of rigs) owner.stop()
  vi.useRealTimers()
})

/** An owner takes these partitions; from now on `port` and `rig` are his. */
async function takeOver(instance: string, parts: readonly number[], decider = auctionDecider): Promise<void> {
  port = new ModelPort(log, instance, true)
  rig = new OwnerRig(port, { clock: { nowMs: () => Date.now() }, decider })
  rigs.push(rig)
  await rig.owner.addPartitions(log.take(instance, parts), performance.now())
  port.isAutomatic = false
}

/** Everything that needs no time happens. */
const turn = () => vi.advanceTimersByTimeAsync(0)

async function finish(...names: Parameters<ModelPort['next']>[0][]): Promise<void> {
  await turn()
  for (const name of names) {
    port.next(name).finish()
    await turn()
  }
}

/** What an owner asks after a commit that failed. */
const rebuilds = ['reclaim', 'isLogged', 'loadOpen'] as const

/** All that was asked, and is asked on top of it, is carried out. */
async function finishAll(): Promise<void> {
  port.isAutomatic = true
  for (const call of port.calls.splice(0)) call.finish()
  await turn()
  port.isAutomatic = false
}

/** The leases are renewed all the while. */
async function goOn(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    void rig.owner.renew()
    await vi.advanceTimersByTimeAsync(1000)
  }
}

const frames = () =>
  rig.published.map(({ auctionId, message }) => JSON.parse(decodeLive(auctionId, message).frame) as { type: string })

const seqsInLog = (auctionId = 5) => log.bidsOf(auctionId).map(({ seq, amountSen }) => [seq, amountSen])

describe('a bid on its way into the log', () => {
  it('is answered and shown when it is committed, and not before', async () => {
    const bid = rig.bid(20_500)
    await turn()
    expect(bid.told).toEqual([])
    expect(rig.published).toEqual([])
    await finish('commit')
    expect(bid.told).toEqual([accepted(1)])
    expect(frames()).toMatchObject([{ type: 'newBid', seq: 1, bid: { amount: 205, bidderName: 'bidder 21' } }])
    expect(rig.committedCount).toBe(1)
  })

  it('is joined in the next transaction by what comes meanwhile', async () => {
    const first = rig.bid(20_500)
    const second = rig.bid(21_000, { bidderId: 22 })
    const third = rig.bid(21_500)
    expect(port.calls).toHaveLength(1)
    await finish('commit')
    expect([first.told, second.told, third.told]).toEqual([[accepted(1)], [], []])
    await finish('commit')
    expect([second.told, third.told]).toEqual([[accepted(2)], [accepted(3)]])
    expect(frames().map(({ type }) => type)).toEqual(['newBid', 'newBids'])
  })

  it('travels in transactions of at most 1,024, and beyond 4,096 waiting ones the next are told that it is busy', async () => {
    const bids = Array.from({ length: 5000 }, (_, index) => rig.bidLater(20_500 + index * 500))
    rig.owner.flush()
    expect(bids.filter(({ told }) => told.length > 0)).toHaveLength(5000 - 4096)
    expect(bids[4096]?.told).toEqual([refused('busy')])
    for (const batch of [1, 2, 3, 4]) {
      const commit = port.next('commit')
      expect(commit.batch?.events, `batch ${batch}`).toHaveLength(1024)
      commit.finish()
      await turn()
    }
    expect(port.calls).toEqual([])
    expect(bids[4095]?.told).toEqual([accepted(4096)])
    expect(rig.bid(99_999_999).told).toEqual([])
  })
})

describe('a refusal', () => {
  it('that the log bears out is given at once, with the minimum that holds', () => {
    expect(rig.bid(20_499).told).toEqual([refused('bid-too-low', 20_500)])
    expect(rig.bid(20_500, { bidderId: seller }).told).toEqual([refused('own-listing')])
    expect(rig.bid(-1).told).toEqual([refused('invalid-amount')])
    expect(port.calls).toEqual([])
  })

  it('that the log bears out carries the minimum of the log, not that of a bid that may fail', () => {
    rig.bid(30_000)
    expect(rig.bid(20_499, { bidderId: 22 }).told).toEqual([refused('bid-too-low', 20_500)])
  })

  it('that rests on a pending bid waits for it', async () => {
    rig.bid(20_500)
    const low = rig.bid(20_900, { bidderId: 22 })
    await turn()
    expect(low.told).toEqual([])
    await finish('commit')
    expect(low.told).toEqual([refused('bid-too-low', 21_000)])
  })

  it('that rests on a bid that failed is judged again', async () => {
    const high = rig.bid(90_000)
    const low = rig.bid(20_500, { bidderId: 22 })
    await vi.advanceTimersByTimeAsync(1000)
    const latest = rig.bid(21_000, { bidderId: 23 })
    port.next('commit').lose(false)
    // The first two have given up waiting when Postgres is back.
    await vi.advanceTimersByTimeAsync(3300)
    expect([high.told, low.told]).toEqual([[refused('outcome-unknown')], [refused('unavailable')]])
    void rig.owner.renew()
    await finishAll()
    expect(latest.told).toEqual([accepted(1)])
    expect(seqsInLog()).toEqual([[1, 21_000]])
  })
})

describe('a commit that failed for certain', () => {
  it('is forgotten, and everybody who waits is judged again in his order', async () => {
    const first = rig.bid(20_500)
    const low = rig.bid(20_900, { bidderId: 22 })
    const next = rig.bid(21_000, { bidderId: 23 })
    await turn()
    port.next('commit').fail()
    await finish(...rebuilds)
    const parked = rig.bid(21_500)
    expect([first.told, low.told, next.told, parked.told]).toEqual([[], [], [], []])
    expect(rig.published).toEqual([])
    await finish('commit', 'commit')
    expect([first.told, low.told, next.told, parked.told]).toEqual([
      [accepted(1)],
      [refused('bid-too-low', 21_000)],
      [accepted(2)],
      [accepted(3)],
    ])
    expect(seqsInLog()).toEqual([
      [1, 20_500],
      [2, 21_000],
      [3, 21_500],
    ])
  })

  it('is given up after it failed four times in a row, with everything that rests on it', async () => {
    const terms = termsOf({ auctionId: 6, productId: 32 })
    const command = rig.command(6, (atMs) => ({ type: 'OpenAuction', terms, nowMs: atMs }))
    const together = rig.bid(20_500, { auctionId: 6 })
    for (const _ of [1, 2, 3]) {
      await turn()
      port.next('commit').fail()
      await finish(...rebuilds)
    }
    const behind = rig.bid(21_000, { auctionId: 6 })
    port.next('commit').fail()
    await finish(...rebuilds)
    await finishAll()
    expect(command.told).toEqual([refused('busy')])
    expect(together.told).toEqual([refused('busy')])
    expect(behind.told).toEqual([refused('auction-not-found')])
    expect(log.eventsOf(6)).toEqual([])
  })
})

describe('what the database cannot store', () => {
  const openAuction = (auctionId: number) => rig.command(auctionId, openingOf(auctionId))
  /** All statements that are asked from now on are carried out. Returns their names. */
  async function askedUntilIdle(): Promise<string[]> {
    const asked: string[] = []
    // What may have been refused is tried again after a pause.
    const nextCall = async () => {
      await turn()
      for (let ms = 0; port.calls.length === 0 && ms < APART_MAX_MS; ms += 1) await vi.advanceTimersByTimeAsync(1)
      return port.calls.shift()
    }
    for (let call = await nextCall(); call !== undefined; call = await nextCall()) {
      asked.push(call.name)
      call.finish()
    }
    return asked
  }

  beforeEach(() => {
    log.isPoison = ({ data }) => data.auctionId === 69 || ('amountSen' in data && data.amountSen === 66_600)
  })

  it('is refused for good, and nobody else notices more than a moment', async () => {
    const running = rig.bid(20_500, { bidderId: 22 })
    const bids = [21_000, 21_500, 22_000].map((amountSen) => rig.bidLater(amountSen))
    // In the same partition as auction 5.
    const poison = openAuction(69)
    const fine = openAuction(6)
    const low = rig.bid(21_900, { bidderId: 23 })
    expect(await askedUntilIdle()).toEqual(Array(6).fill('commit'))
    expect(poison.told).toEqual([refused('bad-request')])
    expect([running, ...bids].map(({ told }) => told)).toEqual([1, 2, 3, 4].map((seq) => [accepted(seq)]))
    expect([fine.told, low.told]).toEqual([[accepted(0)], [refused('bid-too-low', 22_500)]])
    expect([rig.fencedCount, rig.troubles.length, log.eventsOf(69)]).toEqual([0, 1, []])
    expect(rig.owner.openAuctions).toBe(2)
    // Nothing is left of it.
    const next = rig.bid(30_000)
    expect([await askedUntilIdle(), next.told]).toEqual([['commit'], [accepted(5)]])
  })

  it('is found among hundreds, wherever it is, and what rested on it is judged again', async () => {
    const bids = Array.from({ length: 300 }, (_, index) =>
      rig.bidLater(20_500 + index * 500 + (index === 92 ? 100 : 0)),
    )
    const poison = rig.bidLater(20_500 + 300 * 500)
    const others = Array.from({ length: 300 }, (_, index) => rig.bidLater(20_500 + (301 + index) * 500))
    log.isPoison = ({ data }) => 'amountSen' in data && data.amountSen === 20_500 + 300 * 500
    rig.owner.flush()
    const asked = await askedUntilIdle()
    expect(new Set(asked)).toEqual(new Set(['commit']))
    expect(asked.length).toBeLessThan(25)
    expect(poison.told).toEqual([refused('bad-request')])
    const refusals = [...bids, ...others].flatMap(({ told }) => told).filter(({ refusal }) => refusal !== null)
    expect(refusals).toEqual([refused('bid-too-low', 20_500 + 93 * 500 + 100)])
    expect(seqsInLog()).toHaveLength(599)
  })

  it('costs no lease, however much of it comes at once', async () => {
    const poison = Array.from({ length: 200 }, () => openAuction(69))
    const renewal = vi.fn()
    void rig.owner.renew().then(renewal)
    const bid = rig.bid(20_500)
    let commits = 0
    while (renewal.mock.calls.length === 0 || bid.told.length === 0) {
      port.next('commit').finish()
      commits += 1
      await turn()
    }
    // The renewal and the bid do not wait until all of it is found.
    expect(commits).toBeLessThan(6)
    expect(new Set(await askedUntilIdle())).toEqual(new Set(['commit']))
    for (const { told } of poison) expect(told).toEqual([refused('bad-request')])
    expect(bid.told).toEqual([accepted(1)])
  })

  it('takes a fifth of the time of the transactions, and bids the rest of it', async () => {
    const tookMs = 10
    let refusedMs = 0
    const startedAtMs = performance.now()
    for (let number = 1; performance.now() - startedAtMs < 2000; number += 1) {
      // Somebody always has the next one ready, and somebody bids all the time.
      openAuction(69)
      const bid = rig.bid(20_000 + 500 * number)
      void rig.owner.renew()
      while (bid.told.length === 0) {
        const call = port.next('commit')
        await vi.advanceTimersByTimeAsync(tookMs)
        if (call.batch?.writers.some(({ kind }) => kind === 'other')) refusedMs += tookMs
        call.finish()
        await turn()
      }
      expect(bid.told).toEqual([accepted(number)])
    }
    const share = refusedMs / (performance.now() - startedAtMs)
    expect(share).toBeGreaterThan(0.1)
    expect(share).toBeLessThanOrEqual(0.21)
  })

  it('does not hold up the end of an auction', async () => {
    openAuction(69)
    await finish('commit')
    for (let number = 0; number < 50; number += 1) openAuction(69)
    await vi.advanceTimersByTimeAsync(endsAtMs - Date.now())
    void rig.owner.renew()
    port.isAutomatic = true
    await finishAll()
    expect(log.eventsOf(5).at(-1)?.type).toBe('AuctionEnded')
  })

  it('is tried again a minute later when it is the end of an auction', async () => {
    log.isPoison = ({ type }) => type === 'AuctionEnded'
    port.isAutomatic = true
    await goOn(70)
    expect(rig.troubles.map(({ message }) => message)).toEqual([
      'the database refuses a command for good',
      'an auction cannot be ended; trying again',
    ])
    log.isPoison = () => false
    await goOn(20)
    expect(log.eventsOf(5).at(-1)?.type).toBe('AuctionEnded')
    expect(rig.troubles).toHaveLength(2)
  })
})

describe('a command that cannot be judged', () => {
  it('is answered, and whatever comes with it is judged', async () => {
    const broken = rig.command(5, () => {
      throw new RangeError('Invalid time value')
    })
    const bid = rig.bid(20_500)
    await finish('commit')
    expect([broken.told, bid.told]).toEqual([[refused('internal')], [accepted(1)]])
    expect(rig.troubles).toHaveLength(1)
  })

  it('is tried again a minute later when it is the end of an auction', async () => {
    rig.owner.stop()
    let isBroken = true
    await takeOver('auction-2', [5], {
      ...auctionDecider,
      decide(command, state) {
        if (isBroken && command.type === 'EndAuction') throw new RangeError('Invalid time value')
        return auctionDecider.decide(command, state)
      },
    })
    port.isAutomatic = true
    await goOn(70)
    expect(rig.troubles.map(({ message }) => message)).toEqual([
      'a command could not be judged',
      'an auction cannot be ended; trying again',
    ])
    isBroken = false
    await goOn(20)
    expect(log.eventsOf(5).at(-1)?.type).toBe('AuctionEnded')
  })
})

function openingOf(auctionId: number): (atMs: number) => AuctionCommand {
  return (atMs) => ({ type: 'OpenAuction', terms: termsOf({ auctionId, productId: auctionId }), nowMs: atMs })
}

describe('a commit whose outcome is unknown', () => {
  it('is answered by the log when it is there, and shown once', async () => {
    const bid = rig.bid(20_500, { bidId: bidIdOf(1) })
    const next = rig.bid(21_000)
    await turn()
    port.next('commit').lose(true)
    await turn()
    expect(bid.told).toEqual([])
    await finish(...rebuilds)
    expect(bid.told).toEqual([accepted(1)])
    await finish('commit')
    expect(next.told).toEqual([accepted(2)])
    expect(frames()).toMatchObject([{ seq: 1 }, { seq: 2 }])
    expect(seqsInLog()).toEqual([
      [1, 20_500],
      [2, 21_000],
    ])
  })

  it('is judged again when it is not there, and what arrives late is fenced', async () => {
    const bid = rig.bid(20_500, { bidId: bidIdOf(1) })
    await turn()
    const lost = port.next('commit')
    lost.lose(false)
    await finish(...rebuilds)
    lost.arrive()
    expect(log.bidsOf(5)).toEqual([])
    expect(bid.told).toEqual([])
    await finish('commit')
    expect(bid.told).toEqual([accepted(1)])
    expect(seqsInLog()).toEqual([[1, 20_500]])
  })

  it('is asked about until the log answers', async () => {
    const bid = rig.bid(20_500)
    await turn()
    port.next('commit').lose(true)
    for (const [index, name] of rebuilds.entries()) {
      await finish(...rebuilds.slice(0, index))
      port.next(name).fail()
      // It starts over after a pause.
      await vi.advanceTimersByTimeAsync(100)
    }
    await finishAll()
    expect(bid.told).toEqual([accepted(1)])
    expect(rig.troubles.length).toBeGreaterThan(1)
  })
})

describe('an owner who was overtaken', () => {
  it('tells nobody that his bid was accepted, and stops', async () => {
    const bid = rig.bid(20_500)
    const waiting = rig.bid(21_000)
    log.take('auction-2', [5])
    await finish('commit')
    expect(rig.fencedCount).toBe(1)
    expect([bid.told, waiting.told, rig.published]).toEqual([[], [], []])
    expect(log.bidsOf(5)).toEqual([])
    expect(rig.bid(22_000).told).toEqual([refused('unavailable')])
  })

  it('stops as well when he finds out while he asks about a lost commit', async () => {
    const bid = rig.bid(20_500)
    await turn()
    port.next('commit').lose(true)
    log.take('auction-2', [5])
    await finish('reclaim')
    expect(rig.fencedCount).toBe(1)
    expect(bid.told).toEqual([])
  })

  it('does not refuse by his old books once his leases may have run out', async () => {
    await vi.advanceTimersByTimeAsync(LEASE_TTL_MS)
    const low = rig.bid(20_499)
    expect(low.told).toEqual([])
    const renewed = rig.owner.renew()
    await finish('commit')
    await renewed
    expect(low.told).toEqual([refused('bid-too-low', 20_500)])
  })

  it('counts them from when their renewal was asked for, however late the answer comes', async () => {
    const renewed = rig.owner.renew()
    await vi.advanceTimersByTimeAsync(LEASE_TTL_MS - 100)
    await finish('commit')
    await renewed
    await vi.advanceTimersByTimeAsync(100)
    expect(rig.bid(20_499).told).toEqual([])
  })

  it('never refuses by them when somebody else holds the partitions by then', async () => {
    await vi.advanceTimersByTimeAsync(LEASE_TTL_MS)
    const low = rig.bid(20_499)
    log.take('auction-2', [5])
    void rig.owner.renew()
    await finish('commit')
    expect(rig.fencedCount).toBe(1)
    expect(low.told).toEqual([])
  })
})

describe("a bidder's own id of a bid", () => {
  const bidId = bidIdOf(1)

  it('gets one answer while it is pending, however often it comes', async () => {
    const first = rig.bid(20_500, { bidId })
    const again = [rig.bid(20_500, { bidId }), rig.bid(99_000, { bidId })]
    await finish('commit')
    expect([first, ...again].map(({ told }) => told)).toEqual([
      [accepted(1)],
      [accepted(1, 20_500)],
      [accepted(1, 20_500)],
    ])
    expect(port.calls).toEqual([])
  })

  it('gets the first answer after it was committed', async () => {
    rig.bid(20_500, { bidId })
    await finish('commit')
    rig.bid(21_000, { bidderId: 22 })
    await finish('commit')
    // With what was accepted then, whatever it says now.
    expect(rig.bid(99_000, { bidId }).told).toEqual([accepted(1, 20_500)])
  })

  it('gets the first refusal again, even if it would do by now', async () => {
    rig.bid(20_600, { bidderId: 22 })
    const low = rig.bid(21_000, { bidId })
    await finish('commit')
    expect(low.told).toEqual([refused('bid-too-low', 21_100)])
    expect(rig.bid(99_000, { bidId }).told).toEqual([refused('bid-too-low', 21_100)])
  })

  it('counts per bidder and per auction', async () => {
    log.append(opened({ auctionId: 6, productId: 32 }))
    await takeOver('auction-2', [5, 6])
    const bids = [
      rig.bid(20_500, { bidId }),
      rig.bid(21_000, { bidId, bidderId: 22 }),
      rig.bid(20_500, { bidId, auctionId: 6 }),
    ]
    await finish('commit', 'commit')
    expect(bids.map(({ told }) => told)).toEqual([[accepted(1)], [accepted(2)], [accepted(1)]])
  })

  it('waits for the first one while the owner recovers', async () => {
    const first = rig.bid(20_500, { bidId })
    await turn()
    port.next('commit').lose(true)
    await turn()
    const again = rig.bid(20_600, { bidId })
    await finish(...rebuilds)
    expect([first.told, again.told]).toEqual([[accepted(1)], [accepted(1, 20_500)]])
    expect(seqsInLog()).toEqual([[1, 20_500]])
  })

  it('gets the first answer from another process, whatever came after it', async () => {
    rig.bid(20_500, { bidId })
    await finish('commit')
    rig.bid(21_000, { bidderId: 22 })
    await finish('commit')
    await takeOver('auction-2', [5, 6])
    const again = rig.bid(20_600, { bidId })
    const stranger = rig.bid(20_500, { bidId: bidIdOf(2) })
    await finish('findBids', 'loadAuctions')
    expect(again.told).toEqual([accepted(1, 20_500)])
    expect(stranger.told).toEqual([refused('bid-too-low', 21_500)])
    // By now it is remembered.
    expect(rig.bid(20_500, { bidId }).told).toEqual([accepted(1, 20_500)])
  })

  it('waits for the first one while the log is asked about that', async () => {
    rig.bid(20_500, { bidderId: 22 })
    await finish('commit')
    await takeOver('auction-2', [5, 6])
    const first = rig.bid(20_600, { bidId })
    await turn()
    rig.bid(21_500, { bidderId: 22 })
    await finish()
    const inquiry = port.calls.shift()
    await finish('commit')
    // By now the minimum is another one.
    const again = rig.bid(20_600, { bidId })
    inquiry?.finish()
    await finish('loadAuctions')
    expect([first.told, again.told]).toEqual([[refused('bid-too-low', 21_000)], [refused('bid-too-low', 21_000)]])
    expect(port.calls).toEqual([])
  })

  it('gets the first answer when the auction is over', async () => {
    rig.bid(20_500, { bidId })
    await finishAll()
    await vi.advanceTimersByTimeAsync(endsAtMs - nowMs)
    void rig.owner.renew()
    await finishAll()
    expect(log.state(5)?.status).toBe('ended')
    await takeOver('auction-2', [5, 6])
    const again = rig.bid(20_500, { bidId })
    const stranger = rig.bid(20_500, { bidId: bidIdOf(2) })
    const anonymous = rig.bid(20_500)
    const nowhere = rig.bid(20_500, { auctionId: 69 })
    await finish('findBids', 'loadAuctions')
    expect(again.told).toEqual([accepted(1, 20_500)])
    expect(stranger.told).toEqual([refused('auction-ended')])
    expect(anonymous.told).toEqual([refused('auction-ended')])
    expect(nowhere.told).toEqual([refused('auction-not-found')])
  })

  it('is found in the log also when its new amount would do; the others of its transaction are judged again', async () => {
    rig.bid(20_500, { bidId })
    await finish('commit')
    await takeOver('auction-2', [5, 6])
    const again = rig.bidLater(99_000, { bidId })
    const low = rig.bidLater(50_000, { bidderId: 22 })
    const high = rig.bidLater(99_500, { bidderId: 23 })
    rig.owner.flush()
    await finish('commit')
    expect([again.told, low.told, high.told]).toEqual([[], [], []])
    await finish('findBids')
    expect(again.told).toEqual([accepted(1, 20_500)])
    await finish('commit')
    expect([low.told, high.told]).toEqual([[accepted(2)], [accepted(3)]])
    expect(seqsInLog()).toEqual([
      [1, 20_500],
      [2, 50_000],
      [3, 99_500],
    ])
    expect(rig.troubles).toEqual([])
  })

  it('finds any number of repeated bids in the log without giving up on a new one', async () => {
    for (const number of [1, 2, 3, 4, 5]) rig.bid(20_000 + number * 500, { bidId: bidIdOf(number) })
    await finishAll()
    await takeOver('auction-2', [5, 6])
    const fresh = rig.bidLater(50_000, { bidderId: 22 })
    const repeated: Sent[] = []
    for (const number of [1, 2, 3, 4, 5]) {
      // Each comes while the transaction of the one before is in flight, and is found in one of its own.
      repeated.push(rig.bid(60_000 + number * 500, { bidId: bidIdOf(number) }))
      if (number > 1) await finish('commit', 'findBids')
    }
    await finishAll()
    expect(fresh.told).toEqual([accepted(6)])
    expect(repeated.map(({ told }) => told)).toEqual([1, 2, 3, 4, 5].map((seq) => [accepted(seq, 20_000 + seq * 500)]))
  })
})

describe('a commit that takes too long', () => {
  const bidId = bidIdOf(1)

  it('is said to be unknown in time; asking again gets the truth as soon as there is one', async () => {
    const bid = rig.bid(20_500, { bidId })
    await vi.advanceTimersByTimeAsync(ANSWER_WITHIN_MS)
    expect(bid.told).toEqual([refused('outcome-unknown')])
    expect(rig.bid(20_500, { bidId }).told).toEqual([refused('outcome-unknown')])
    await finish('commit')
    expect(bid.told).toHaveLength(1)
    expect(rig.bid(20_500, { bidId }).told).toEqual([accepted(1, 20_500)])
    expect(seqsInLog()).toEqual([[1, 20_500]])
  })

  it('is looked for while somebody waits only, and again when the next one does', async () => {
    const timersAtRest = vi.getTimerCount()
    const bid = rig.bid(20_500)
    expect(vi.getTimerCount()).toBeGreaterThan(timersAtRest)
    await finish('commit')
    await vi.advanceTimersByTimeAsync(1000)
    expect([bid.told, vi.getTimerCount()]).toEqual([[accepted(1)], timersAtRest])
    const next = rig.bid(21_000)
    await vi.advanceTimersByTimeAsync(ANSWER_WITHIN_MS)
    expect(next.told).toEqual([refused('outcome-unknown')])
  })

  it('leaves the id free when it came to nothing', async () => {
    rig.bid(20_500, { bidId })
    await vi.advanceTimersByTimeAsync(ANSWER_WITHIN_MS)
    port.next('commit').lose(false)
    await finish(...rebuilds)
    const again = rig.bid(20_500, { bidId })
    await finish('commit')
    expect(again.told).toEqual([accepted(1)])
    expect(seqsInLog()).toEqual([[1, 20_500]])
  })

  it('does not keep anybody waiting who is queued behind it', async () => {
    rig.bid(20_500)
    const behind = rig.bid(21_000, { bidderId: 22 })
    const low = rig.bid(21_400, { bidderId: 23 })
    await vi.advanceTimersByTimeAsync(ANSWER_WITHIN_MS)
    // Nobody can promise that what is queued will not be written in a moment; a refusal writes nothing.
    expect(behind.told).toEqual([refused('outcome-unknown')])
    expect(low.told).toEqual([refused('unavailable')])
  })

  it('does not keep anybody waiting who comes while the owner asks the log', async () => {
    rig.bid(20_500)
    await turn()
    port.next('commit').lose(false)
    await turn()
    const waiting = Array.from({ length: 4100 }, () => rig.bidLater(21_000))
    expect(waiting[4096]?.told).toEqual([refused('busy')])
    await vi.advanceTimersByTimeAsync(ANSWER_WITHIN_MS)
    expect(waiting[0]?.told).toEqual([refused('unavailable')])
    // Their places are free again.
    expect(rig.bid(22_000).told).toEqual([])
    void rig.owner.renew()
    await finishAll()
    expect(seqsInLog()).toEqual([[1, 22_000]])
  })

  it('does not keep anybody waiting while the leases are in doubt', async () => {
    await vi.advanceTimersByTimeAsync(LEASE_TTL_MS)
    const bid = rig.bid(20_500)
    await vi.advanceTimersByTimeAsync(ANSWER_WITHIN_MS)
    expect(bid.told).toEqual([refused('unavailable')])
    void rig.owner.renew()
    await finishAll()
    expect(log.bidsOf(5)).toEqual([])
  })

  it('does not keep anybody waiting who has to be looked up', async () => {
    const bid = rig.bid(20_500, { auctionId: 69 })
    await vi.advanceTimersByTimeAsync(ANSWER_WITHIN_MS)
    expect(bid.told).toEqual([refused('unavailable')])
    await finishAll()
    expect(bid.told).toHaveLength(1)
  })

  it('drops a command that nobody waits for any more', async () => {
    rig.bid(20_500)
    await turn()
    port.next('commit').lose(false)
    await turn()
    const terms = termsOf({ auctionId: 6, productId: 32 })
    const command = rig.command(6, (atMs) => ({ type: 'OpenAuction', terms, nowMs: atMs }))
    await vi.advanceTimersByTimeAsync(ANSWER_WITHIN_MS)
    await finishAll()
    expect(command.told).toEqual([refused('unavailable')])
    expect(log.eventsOf(6)).toEqual([])
  })
})

describe('the end of an auction', () => {
  const ends = () => log.eventsOf(5).filter(({ type }) => type === 'AuctionEnded')

  /** The leases are fresh shortly before the end. */
  async function approachEnd(beforeMs: number): Promise<void> {
    await vi.advanceTimersByTimeAsync(endsAtMs - Date.now() - beforeMs)
    void rig.owner.renew()
    await finishAll()
  }

  it('is recorded once, after the last bid, with the winner', async () => {
    await approachEnd(10)
    const last = rig.bid(20_500)
    await vi.advanceTimersByTimeAsync(10)
    const late = rig.bid(30_000, { bidderId: 22 })
    await finish('commit', 'commit')
    expect(last.told).toEqual([accepted(1)])
    expect(late.told).toEqual([refused('auction-ended')])
    expect(log.eventsOf(5).map(({ type }) => type)).toEqual(['AuctionOpened', 'BidPlaced', 'AuctionEnded'])
    expect(ends()[0]?.data).toMatchObject({ outcome: 'won', winnerId: 21, bidCount: 1, endedAt: isoFromMs(endsAtMs) })
    expect(frames().map(({ type }) => type)).toEqual(['newBid', 'auctionEnded'])
    expect(rig.owner.openAuctions).toBe(0)
    await vi.advanceTimersByTimeAsync(1000)
    await finishAll()
    expect(ends()).toHaveLength(1)
  })

  it('comes after a bid that shares its transaction', async () => {
    await approachEnd(10)
    rig.bid(20_500)
    const last = rig.bid(21_000, { bidderId: 22 })
    await vi.advanceTimersByTimeAsync(10)
    await finish('commit', 'commit')
    expect(last.told).toEqual([accepted(2)])
    expect(log.eventsOf(5).map(({ type }) => type)).toEqual(['AuctionOpened', 'BidPlaced', 'BidPlaced', 'AuctionEnded'])
    expect(ends()[0]?.data).toMatchObject({ winnerId: 22, bidCount: 2 })
  })

  it('is recorded once also when its transaction failed or is in doubt', async () => {
    await approachEnd(10)
    const bid = rig.bid(20_500)
    await vi.advanceTimersByTimeAsync(10)
    port.next('commit').fail()
    await finish(...rebuilds)
    expect(bid.told).toEqual([refused('auction-ended')])
    await turn()
    port.next('commit').lose(true)
    await finish(...rebuilds)
    await vi.advanceTimersByTimeAsync(1000)
    await finishAll()
    expect(ends()).toHaveLength(1)
    expect(ends()[0]?.data).toMatchObject({ outcome: 'no-bids', winnerId: null })
    expect(frames().map(({ type }) => type)).toEqual(['auctionEnded'])
  })

  it('is recorded at once by whoever takes an auction over too late', async () => {
    rig.owner.stop()
    await vi.advanceTimersByTimeAsync(endsAtMs - nowMs + 60_000)
    await takeOver('auction-2', [5])
    await vi.advanceTimersByTimeAsync(1)
    await finishAll()
    expect(ends()).toHaveLength(1)
  })

  it('is recorded in spite of a lease in doubt, once that is renewed', async () => {
    await vi.advanceTimersByTimeAsync(endsAtMs - nowMs + 1)
    expect(ends()).toEqual([])
    void rig.owner.renew()
    await finishAll()
    expect(ends()).toHaveLength(1)
  })

  it('follows a revision', async () => {
    const revise = (endsAt: string): AuctionCommand => ({
      type: 'ReviseAuction',
      changes: { endsAt },
      actorId: seller,
      nowMs: Date.now(),
    })
    rig.command(5, () => revise(isoFromMs(nowMs + 1000)))
    await finishAll()
    rig.command(5, () => revise(isoFromMs(nowMs + 500)))
    await finishAll()
    await vi.advanceTimersByTimeAsync(499)
    await finishAll()
    expect(ends()).toEqual([])
    rig.command(5, () => revise(isoFromMs(nowMs + 1400)))
    await finishAll()
    await vi.advanceTimersByTimeAsync(900)
    await finishAll()
    expect(ends()).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    await finishAll()
    expect(ends()).toHaveLength(1)
    expect(frames().map(({ type }) => type)).toEqual(['auctionState', 'auctionState', 'auctionState', 'auctionEnded'])
  })

  it.each([-1000, 60_000])('comes at its time after a revision by %i ms that was taken back', async (byMs) => {
    log.isPoison = ({ data }) => data.auctionId === 6
    port.isAutomatic = true
    rig.command(6, openingOf(6))
    const revised = rig.command(5, (atMs) => ({
      type: 'ReviseAuction',
      changes: { endsAt: isoFromMs(endsAtMs + byMs) },
      actorId: seller,
      nowMs: atMs,
    }))
    const bid = rig.bid(20_500)
    await goOn(1)
    expect([revised.told, bid.told]).toEqual([[refused('auction-has-bids')], [accepted(1)]])
    port.isAutomatic = false
    await approachEnd(1)
    expect(ends()).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    await finishAll()
    expect(ends()).toHaveLength(1)
  })
})

describe('a command that is no bid', () => {
  const cancel = (atMs: number): AuctionCommand => ({
    type: 'CancelAuction',
    reason: 'Broken',
    actorId: seller,
    by: 'seller',
    nowMs: atMs,
  })

  it('is answered when it is committed', async () => {
    const command = rig.command(5, cancel)
    await turn()
    expect(command.told).toEqual([])
    await finish('commit')
    expect(command.told).toEqual([accepted(0)])
    expect(frames()).toMatchObject([{ type: 'auctionCancelled', reason: 'Broken' }])
    expect(rig.owner.openAuctions).toBe(0)
  })

  it('opens an auction that takes bids at once', async () => {
    const terms = termsOf({ auctionId: 6, productId: 32 })
    const command = rig.command(6, (atMs) => ({ type: 'OpenAuction', terms, nowMs: atMs }))
    const bid = rig.bid(20_500, { auctionId: 6 })
    await finish('commit', 'commit')
    expect([command.told, bid.told]).toEqual([[accepted(0)], [accepted(1)]])
  })

  it('that is refused because of a pending bid waits for that bid', async () => {
    rig.bid(20_500)
    const command = rig.command(5, cancel)
    await turn()
    expect(command.told).toEqual([])
    await finish('commit')
    expect(command.told).toEqual([refused('auction-has-bids')])
  })

  it('to an auction that is over is judged by what the log says', async () => {
    rig.command(5, cancel)
    await finishAll()
    const again = rig.command(5, cancel)
    const other = rig.command(5, (atMs) => ({ ...cancel(atMs), actorId: 21 }) as AuctionCommand)
    const revise = rig.command(5, (atMs) => ({
      type: 'ReviseAuction',
      changes: {},
      actorId: seller,
      nowMs: atMs,
    }))
    const nowhere = rig.command(69, cancel)
    await finish('findBids', 'loadAuctions')
    expect(again.told).toEqual([accepted(0)])
    expect(other.told).toEqual([refused('forbidden')])
    expect(revise.told).toEqual([refused('auction-ended')])
    expect(nowhere.told).toEqual([refused('auction-not-found')])
  })

  it('is refused for a partition that is held elsewhere', () => {
    expect(rig.command(7, cancel).told).toEqual([refused('unavailable')])
    expect(rig.bid(20_500, { auctionId: 7 }).told).toEqual([refused('unavailable')])
  })
})

describe('a command of several events', () => {
  const bidId = bidIdOf(1)
  const buyNowSen = 900_000
  const seven = { auctionId: 7 }

  beforeEach(async () => {
    log.append(opened({ ...seven, productId: 33, buyNowSen, endsAt: isoFromMs(endsAtMs) }))
    await takeOver('auction-2', [5, 6, 7], buyNowDecider)
  })

  const buy = () => rig.bidLater(buyNowSen, { ...seven, bidId, bidderId: 23 })
  const types = () => log.eventsOf(7).map(({ type }) => type)
  const bought = ['AuctionOpened', 'BidPlaced', 'AuctionEnded']

  it('is committed as a whole, with versions one after the other, and answered and shown after that', async () => {
    rig.bid(20_500)
    const before = rig.bid(20_500, { ...seven, bidderId: 22 })
    const buying = buy()
    const late = rig.bidLater(950_000, seven)
    await finish('commit')
    const commit = port.next('commit')
    expect(commit.batch?.events.map(({ version, event }) => [version, event.type])).toEqual([
      [2, 'BidPlaced'],
      [3, 'BidPlaced'],
      [4, 'AuctionEnded'],
    ])
    expect([before.told, buying.told, late.told]).toEqual([[], [], []])
    commit.finish()
    await turn()
    expect([before.told, buying.told]).toEqual([[accepted(1)], [accepted(2)]])
    expect(late.told).toEqual([refused('auction-ended')])
    expect(frames().slice(1)).toMatchObject([{ type: 'newBids' }, { type: 'auctionEnded', winnerId: 23 }])
    expect(rig.owner.openAuctions).toBe(1)
    expect(rig.committedCount).toBe(4)
  })

  it('is never parted, however full the transaction is', async () => {
    for (let count = 0; count < 1023; count += 1) rig.bidLater(20_500 + count * 500)
    const buying = buy()
    rig.owner.flush()
    const first = port.next('commit')
    expect(first.batch?.events).toHaveLength(1023)
    first.finish()
    await turn()
    expect(port.calls[0]?.batch?.events).toHaveLength(2)
    await finish('commit')
    expect(buying.told).toEqual([accepted(1)])
    expect(types()).toEqual(bought)
  })

  it('fails as a whole and is judged again', async () => {
    const buying = buy()
    const late = rig.bid(950_000, seven)
    await turn()
    port.next('commit').fail()
    await finish(...rebuilds)
    expect([buying.told, types()]).toEqual([[], ['AuctionOpened']])
    await finish('commit')
    expect([buying.told, late.told]).toEqual([[accepted(1)], [refused('auction-ended')]])
    expect(types()).toEqual(bought)
  })

  it('is judged by what is left when a bid of its transaction stands in the log already', async () => {
    rig.bid(20_500, { ...seven, bidId: bidIdOf(2) })
    await finish('commit')
    await takeOver('auction-3', [5, 6, 7], buyNowDecider)
    const again = rig.bidLater(30_000, { ...seven, bidId: bidIdOf(2) })
    const buying = buy()
    rig.owner.flush()
    await finish('commit', 'findBids', 'commit')
    expect([again.told, buying.told]).toEqual([[accepted(1, 20_500)], [accepted(2)]])
    expect(types()).toEqual(['AuctionOpened', 'BidPlaced', 'BidPlaced', 'AuctionEnded'])
  })

  it('on its way does not hide the first answer of a bid from before', async () => {
    rig.bid(20_500, { ...seven, bidId: bidIdOf(2) })
    await finish('commit')
    await takeOver('auction-3', [5, 6, 7], buyNowDecider)
    buy()
    rig.owner.flush()
    const again = rig.bid(20_500, { ...seven, bidId: bidIdOf(2) })
    await finish('commit', 'findBids', 'loadAuctions')
    expect(again.told).toEqual([accepted(1, 20_500)])
  })

  it.each([
    ['in the log', true],
    ['not in the log', false],
  ])('is there once when its outcome is unknown and it is %s', async (_, isWritten) => {
    const buying = buy()
    rig.owner.flush()
    await turn()
    const lost = port.next('commit')
    lost.lose(isWritten)
    await turn()
    const again = rig.bid(buyNowSen, { ...seven, bidId, bidderId: 23 })
    await finish(...rebuilds)
    lost.arrive()
    if (!isWritten) await finish('commit')
    expect([buying.told, again.told]).toEqual([[accepted(1)], [accepted(1, buyNowSen)]])
    expect(types()).toEqual(bought)
    expect(frames().map(({ type }) => type)).toEqual(['newBid', 'auctionEnded'])
    // Another process knows it only from the log.
    await takeOver('auction-3', [7], buyNowDecider)
    const later = rig.bid(buyNowSen, { ...seven, bidId, bidderId: 23 })
    await finish('findBids', 'loadAuctions')
    expect(later.told).toEqual([accepted(1, buyNowSen)])
  })
})

describe('a partition that is handed over', () => {
  it('is given up when everything that was taken for it is committed', async () => {
    const first = rig.bid(20_500)
    const second = rig.bid(21_000)
    let released: ReadonlyMap<number, number> | null = null
    void rig.owner.removePartitions([5]).then((epochs) => {
      released = epochs
    })
    expect(rig.bid(22_000).told).toEqual([refused('unavailable')])
    await finish('commit')
    expect([first.told, released]).toEqual([[accepted(1)], null])
    await finish('commit')
    expect(second.told).toEqual([accepted(2)])
    expect(released).toEqual(new Map([[5, 1]]))
    expect([...rig.owner.epochs.keys()]).toEqual([6])
    expect(rig.bid(22_000).told).toEqual([refused('unavailable')])
    await takeOver('auction-2', [5])
    const third = rig.bid(22_000)
    await finish('commit')
    expect(third.told).toEqual([accepted(3)])
  })

  it('is given up at once when nothing is pending', async () => {
    const released = rig.owner.removePartitions([5])
    await finish('commit')
    expect(await released).toEqual(new Map([[5, 1]]))
  })

  it('is given up when everything of it is told, also what nobody was there to hear', async () => {
    rig.owner.unheard(5)
    rig.bid(20_500)
    const released = rig.owner.removePartitions([5])
    await finish('commit')
    expect(rig.published).toEqual([])
    await finish('commit')
    await released
    expect(frames()).toMatchObject([{ type: 'newBid', seq: 1 }])
  })

  it('gives up nothing that is in doubt', async () => {
    const bid = rig.bid(20_500)
    let isReleased = false
    void rig.owner.removePartitions([5]).then(() => {
      isReleased = true
    })
    await turn()
    port.next('commit').lose(true)
    await finish('reclaim', 'isLogged')
    expect([bid.told, isReleased]).toEqual([[], false])
    await finishAll()
    expect([bid.told, isReleased]).toEqual([[accepted(1)], true])
    expect(seqsInLog()).toEqual([[1, 20_500]])
  })

  it('refuses what failed on its way out, for the next owner to judge', async () => {
    const bid = rig.bid(20_500)
    const released = rig.owner.removePartitions([5])
    await turn()
    port.next('commit').fail()
    await finishAll()
    expect(bid.told).toEqual([refused('unavailable')])
    await released
    expect(log.bidsOf(5)).toEqual([])
  })

  it('is not renewed any more, so that the next owner does not fence this one', async () => {
    log.append(opened({ auctionId: 6, productId: 32 }))
    await takeOver('auction-1', [5, 6])
    rig.bid(20_500)
    const released = rig.owner.removePartitions([5])
    await finish('commit')
    // The last transaction before the partition goes is in flight, and the renewal travels with the one after it.
    void rig.owner.renew()
    await finish('commit')
    const epochs = await released
    log.take('auction-2', [...epochs.keys()])
    await finish('commit')
    expect(rig.fencedCount).toBe(0)
  })
})
