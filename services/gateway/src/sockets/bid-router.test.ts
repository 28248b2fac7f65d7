import type { NatsConnection } from '@nats-io/transport-node'
import type { VerdictTuple } from '@wangian/contracts/auction-wire.ts'
import type { ErrorCode } from '@wangian/contracts/errors.ts'
import { auctionOwnerSubject } from '@wangian/contracts/subjects.ts'
import { closeNats, connectNats, isReachable } from '@wangian/kit/bus/nats.ts'
import { silentLogger } from '@wangian/kit/service/logger.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { startTestNats, type TestNats } from '@wangian/kit/testing/test-nats.ts'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { followConnection } from '../connection.ts'
import { acceptAll, type BidMessage, playOwner, type ScriptedOwner } from '../testing/scripted-owner.ts'
import { BidRouter, bidTimings, type RoutedBid } from './bid-router.ts'

const AUCTION = 7
const NEIGHBOUR = 71 // The same partition: 71 is 7 modulo 64.
const ELSEWHERE = 8
/** A tenth of what people wait. */
const timings = {
  answerWithinMs: 450,
  ownerlessRetryMs: 10,
  silenceMs: 100,
  lastChanceMs: 20,
  sweepEveryMs: 10,
  burstMs: 10,
}

let server: TestNats
let nats: NatsConnection
let ownersNats: NatsConnection
beforeAll(async () => {
  server = await startTestNats()
  nats = await connectNats({ url: server.url, name: 'gateway' })
  ownersNats = await connectNats({ url: server.url, name: 'owner' })
})
afterAll(async () => {
  await closeNats(nats)
  await closeNats(ownersNats)
  await server.stop()
})

const passing = ['performance', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] as const
let router: BidRouter
const owners: ScriptedOwner[] = []
beforeEach(() => {
  // Time passes when a test says so, however long the machine takes.
  vi.useFakeTimers({ toFake: [...passing] })
  router = new BidRouter({ nats, log: silentLogger, timings })
})
afterEach(async () => {
  router.stop()
  await Promise.all(owners.splice(0).map((owner) => owner.leave()))
  vi.useRealTimers()
})

/** Waits until all that was sent has been answered, and the answers are read. */
async function settle(): Promise<void> {
  // The router sends in the turn after it has found what to send.
  for (let turn = 0; turn < 2; turn += 1) await new Promise(setImmediate)
  for (const line of [nats, ownersNats, ownersNats, nats]) await line.flush()
}

/** Lets so much time pass, and what comes of it. */
async function pass(ms: number): Promise<void> {
  vi.advanceTimersByTime(ms)
  await settle()
}

/** The same a sweep at a time: whatever comes of one is known before the next. */
async function passBySweeps(ms: number, { sweepEveryMs } = timings): Promise<void> {
  for (let passedMs = 0; passedMs < ms; passedMs += sweepEveryMs) await pass(sweepEveryMs)
}
/** Until an owner that says nothing is found silent. */
const passSilence = () => pass(timings.silenceMs + timings.sweepEveryMs)

async function owner(script?: (message: BidMessage) => void, partition = AUCTION): Promise<ScriptedOwner> {
  const owner = await playOwner(ownersNats, [partition], script)
  owners.push(owner)
  return owner
}

/** An owner of both partitions that tells its own subject. */
async function namedOwner(name: string, script: (message: BidMessage) => void): Promise<ScriptedOwner> {
  const owner = await playOwner(ownersNats, [AUCTION, ELSEWHERE], script, auctionOwnerSubject(name))
  owners.push(owner)
  return owner
}

const silence = () => {}
const notMine = ({ bids, answer }: BidMessage) => answer(bids.map((_, index) => [index, 'unavailable', 0]))
/** Answers every bid with its amount as seq, so that a test sees which bid an answer belongs to. */
const echo = ({ bids, answer }: BidMessage) => answer(bids.map(([, , sen], index) => [index, 0, sen]))

type Outcome = { seq: number } | { code: ErrorCode; minimumSen: number }
interface PlacedBid {
  readonly receivedAtMs: number
  /** Everything that the router said; one item when all is well. */
  readonly outcomes: Outcome[]
  readonly answer: Promise<Outcome>
  answeredAfterMs: number | null
}

function place(fields: Partial<RoutedBid> = {}, through = router): PlacedBid {
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  const receivedAtMs = performance.now()
  const placed: PlacedBid = { receivedAtMs, outcomes: [], answer: promise, answeredAfterMs: null }
  const settle = (outcome: Outcome) => {
    placed.outcomes.push(outcome)
    placed.answeredAfterMs ??= performance.now() - receivedAtMs
    resolve(outcome)
  }
  through.place({
    auctionId: AUCTION,
    bidderId: 3,
    bidderName: 'mei',
    amountSen: 1000,
    bidId: null,
    receivedAtMs,
    mayBeTaken: false,
    onAccepted: (seq) => settle({ seq }),
    onRefused: (code, minimumSen) => settle({ code, minimumSen }),
    ...fields,
  })
  return placed
}

const withId = (n: number) => `0190d8a0-0000-7000-8000-${String(n).padStart(12, '0')}`
const answersOf = (bids: PlacedBid[]) => Promise.all(bids.map(({ answer }) => answer))

describe('a bidder who was banned meanwhile', () => {
  it('has his bid refused instead of sent', async () => {
    let isBanned = false
    const placed = place({ isBarred: () => isBanned })
    isBanned = true
    const here = await owner(echo)
    expect(await placed.answer).toEqual({ code: 'account-suspended', minimumSen: 0 })
    expect(await place({ amountSen: 5, isBarred: () => false }).answer).toEqual({ seq: 5 })
    expect(here.messages.flatMap(({ bids }) => bids)).toHaveLength(1)
  })

  it('is not told that an owner refused what an owner may have taken', async () => {
    const placed = place({ mayBeTaken: true, isBarred: () => true })
    expect(await placed.answer).toEqual({ code: 'outcome-unknown', minimumSen: 0 })
  })
})

describe('an owner that says who it is', () => {
  const subjectsOf = ({ messages }: ScriptedOwner) => messages.map(({ subject }) => subject)
  const learned = () => answersOf([place({ amountSen: 1 }), place({ auctionId: ELSEWHERE, amountSen: 2 })])

  it('gets the bids of all its partitions as one message from then on', async () => {
    const here = await namedOwner('one', echo)
    await learned()
    const bids = [place({ amountSen: 3 }), place({ auctionId: ELSEWHERE, amountSen: 4 }), place({ amountSen: 5 })]
    expect(await answersOf(bids)).toEqual([{ seq: 3 }, { seq: 4 }, { seq: 5 }])
    expect(subjectsOf(here)).toEqual(['auction.bids.7', 'auction.bids.8', 'auction.owner.one'])
    expect(here.messages[2]?.bids.map(([auctionId]) => auctionId)).toEqual([AUCTION, ELSEWHERE, AUCTION])
  })

  it('is asked for by the partition again when it does not hold it any more', async () => {
    const first = await namedOwner('one', echo)
    await learned()
    await first.leave()
    const stillThere = await playOwner(ownersNats, [], notMine, auctionOwnerSubject('one'))
    owners.push(stillThere)
    const second = await owner(echo)
    const bid = place({ amountSen: 9 })
    await settle()
    await pass(timings.ownerlessRetryMs)
    expect(bid.outcomes).toEqual([{ seq: 9 }])
    expect(subjectsOf(stillThere)).toEqual(['auction.owner.one'])
    expect(subjectsOf(second)).toEqual(['auction.bids.7'])
  })

  it('is forgotten when nobody listens there', async () => {
    const first = await namedOwner('one', echo)
    await learned()
    await first.leave()
    const second = await owner(echo)
    const bid = place({ amountSen: 9 })
    await settle()
    await pass(timings.ownerlessRetryMs)
    expect(bid.outcomes).toEqual([{ seq: 9 }])
    expect(subjectsOf(second)).toEqual(['auction.bids.7'])
  })

  it('is forgotten when it falls silent, for another one may hold the partition', async () => {
    const first = await namedOwner('one', echo)
    await learned()
    await first.leave()
    const paused = await playOwner(ownersNats, [], silence, auctionOwnerSubject('one'))
    owners.push(paused)
    const second = await owner(echo)
    const bid = place({ amountSen: 9, bidId: withId(1) })
    await settle()
    await passSilence()
    expect(bid.outcomes).toEqual([{ seq: 9 }])
    expect(subjectsOf(paused)).toEqual(['auction.owner.one'])
    expect(subjectsOf(second)).toEqual(['auction.bids.7'])
  })
})

describe('an owner that fell silent, woke up, and is gone', () => {
  it('is forgotten like any other', async () => {
    const first = await namedOwner('one', (message) => {
      if (message.bids.every(([, , sen]) => sen !== 999)) echo(message)
    })
    await answersOf([place({ amountSen: 1 })])
    // Without an id it is not sent again, and waits for its answer to the end.
    const lost = place({ amountSen: 999 })
    await settle()
    await passSilence()
    for (let count = 0; count < 2; count += 1) await place({ amountSen: 2 }).answer
    // It was asked for by the partition once more, and is known again; what it never answers is found once more.
    await passSilence()
    await place({ amountSen: 3 }).answer
    expect(first.messages.map(({ subject }) => subject)).toEqual([
      'auction.bids.7',
      'auction.owner.one',
      'auction.bids.7',
      'auction.owner.one',
      'auction.owner.one',
    ])
    await first.leave()
    await owner(echo)
    const bid = place({ amountSen: 4 })
    await settle()
    await pass(timings.ownerlessRetryMs)
    expect(bid.outcomes).toEqual([{ seq: 4 }])
    expect(lost.outcomes).toEqual([])
    await passBySweeps(timings.answerWithinMs)
    expect(lost.outcomes).toEqual([{ code: 'outcome-unknown', minimumSen: 0 }])
  })
})

describe('an owner that answers', () => {
  it('gets the bids of one turn as one message, in order, and its partition alone', async () => {
    const here = await owner(echo)
    const there = await owner(echo, ELSEWHERE)
    const bids = [
      place({ amountSen: 1 }),
      place({ auctionId: ELSEWHERE, amountSen: 2, bidderId: 4, bidderName: 'bala', bidId: withId(1) }),
      place({ auctionId: NEIGHBOUR, amountSen: 3 }),
    ]
    expect(await answersOf(bids)).toEqual([{ seq: 1 }, { seq: 2 }, { seq: 3 }])
    expect(here.messages.map(({ bids }) => bids)).toEqual([
      [
        [AUCTION, 3, 1, null, 'mei'],
        [NEIGHBOUR, 3, 3, null, 'mei'],
      ],
    ])
    expect(there.messages.map(({ bids }) => bids)).toEqual([[[ELSEWHERE, 4, 2, withId(1), 'bala']]])
  })

  it('gets no message of more than 4,096 bids', async () => {
    const { messages } = await owner(echo)
    const bids = Array.from({ length: 5000 }, (_, index) => place({ amountSen: index }))
    expect(await answersOf(bids)).toEqual(bids.map((_, seq) => ({ seq })))
    expect(messages.map(({ bids }) => bids.length)).toEqual([4096, 904])
  })

  it('may answer in parts and in any order', async () => {
    let message: BidMessage | undefined
    await owner((received) => {
      message = received
    })
    const bids = [place(), place(), place()]
    const { answer } = await eventually(() => message ?? false)
    answer([[2, 0, 12]])
    expect(await bids[2]?.answer).toEqual({ seq: 12 })
    answer([
      [1, 'bid-too-low', 1500],
      [0, 0, 13],
    ])
    expect(await answersOf(bids)).toEqual([{ seq: 13 }, { code: 'bid-too-low', minimumSen: 1500 }, { seq: 12 }])
  })

  it('is asked again about a bid that it could not take yet', async () => {
    let tries = 0
    await owner(({ answer }) => answer([++tries < 4 ? [0, 'unavailable', 0] : [0, 0, 1]]))
    const bid = place()
    await settle()
    for (let again = 0; again < 3; again += 1) await pass(timings.ownerlessRetryMs)
    expect(bid.outcomes).toEqual([{ seq: 1 }])
    expect(tries).toBe(4)
  })

  it('is not sent more than two messages before it has answered one', async () => {
    const { messages } = await owner(silence)
    const bids: PlacedBid[] = []
    for (let count = 1; count <= 2; count++) {
      bids.push(place({ amountSen: count }))
      await eventually(() => messages.length === count)
    }
    for (let count = 3; count <= 30; count++) {
      bids.push(place({ amountSen: count }))
      await new Promise(setImmediate)
    }
    messages[0]?.answer([[0, 0, 1]])
    messages[1]?.answer([[0, 0, 2]])
    const held = bids.slice(2)
    await eventually(() => messages.slice(2).flatMap((message) => message.bids).length === held.length)
    expect(messages.slice(2).flatMap((message) => message.bids.map(([, , sen]) => sen))).toEqual(
      held.map((_, index) => index + 3),
    )
    expect(messages).toHaveLength(3)
    for (const message of messages.slice(2)) echo(message)
    expect(await answersOf(bids)).toEqual(bids.map((_, index) => ({ seq: index + 1 })))
  })

  it('is the only one that counts: what a second owner says later is ignored', async () => {
    const second: BidMessage[] = []
    await owner(echo)
    await owner((message) => second.push(message))
    const bids = [place({ amountSen: 1 }), place({ amountSen: 2 })]
    await answersOf(bids)
    await eventually(() => second.length === 1)
    second[0]?.answer([
      [0, 'auction-ended', 0],
      [1, 0, 99],
    ])
    // Whatever comes of that would have come before the answer to this one.
    await owners[1]?.leave()
    await place().answer
    expect(bids.map(({ outcomes }) => outcomes)).toEqual([[{ seq: 1 }], [{ seq: 2 }]])
  })

  it.each<[string, string]>([
    ['no JSON', 'oops'],
    ['no list', '{"0":1}'],
    ['a list of something else', '[1,2]'],
    ['a verdict about no bid', '[[5,0,1]]'],
    ['a verdict that is unheard of', '[[0,"struck-by-lightning",0]]'],
    ['an acceptance without its place', '[[0,0,null]]'],
    ['nothing', ''],
  ])('may once say %s: the bid gets its answer all the same, and the connection lives on', async (_, text) => {
    const disconnected: unknown[] = []
    void followConnection(nats, (isUp) => disconnected.push(isUp))
    let isFirst = true
    await owner((message) => {
      if (isFirst) message.answerText(text)
      else echo(message)
      isFirst = false
    })
    const odd = place({ bidId: withId(1) })
    const next = place({ amountSen: 5, auctionId: NEIGHBOUR, bidId: withId(2) })
    await settle()
    await passSilence()
    await answersOf([odd, next])
    expect(await place({ amountSen: 6 }).answer).toEqual({ seq: 6 })
    expect(odd.outcomes).toHaveLength(1)
    expect(disconnected).toEqual([])
  })
})

describe('a partition without an owner', () => {
  it('keeps its bids until there is one', async () => {
    const bids = [place({ amountSen: 1 }), place({ amountSen: 2, bidId: withId(1) })]
    await owner(echo, ELSEWHERE)
    await place({ auctionId: ELSEWHERE }).answer
    await pass(timings.ownerlessRetryMs)
    const { messages } = await owner(echo)
    await pass(timings.ownerlessRetryMs)
    expect(await answersOf(bids)).toEqual([{ seq: 1 }, { seq: 2 }])
    expect(messages).toHaveLength(1)
  })

  it('is unavailable when nobody comes in time', async () => {
    const bids = [place(), place({ bidId: withId(1) })]
    await settle()
    await passBySweeps(timings.answerWithinMs)
    expect(bids.map(({ outcomes }) => outcomes)).toEqual([[], []])
    await pass(timings.ownerlessRetryMs)
    expect(await answersOf(bids)).toEqual([
      { code: 'unavailable', minimumSen: 0 },
      { code: 'unavailable', minimumSen: 0 },
    ])
  })

  it('is unavailable, too, when that is said while the gateway is held up until time is up', async () => {
    vi.useRealTimers()
    vi.useFakeTimers({ toFake: [...passing, 'setImmediate'] })
    let sentCount = 0
    const isBarred = () => {
      sentCount += 1
      return false
    }
    const placed = place({ isBarred })
    vi.advanceTimersByTime(0)
    await nats.flush()
    // What is left for later in a turn comes a millisecond later here.
    vi.advanceTimersByTime(timings.ownerlessRetryMs + 1)
    expect(sentCount).toBe(2)
    // The sweep that finds the time up comes before what NATS says of it is read.
    while (performance.now() - placed.receivedAtMs <= timings.answerWithinMs) vi.advanceTimersToNextTimer()
    await nats.flush()
    vi.advanceTimersByTime(timings.ownerlessRetryMs)
    expect(placed.outcomes).toEqual([{ code: 'unavailable', minimumSen: 0 }])
    expect(sentCount).toBe(2)
  })

  it('leaves a bid unknown that an owner may have taken before it went', async () => {
    const lost = await owner(silence)
    const bid = place({ bidId: withId(1) })
    await settle()
    // It is sent again while the owner is still there, so that from then on it may be taken; and then nobody is.
    await passSilence()
    expect(lost.messages).toHaveLength(2)
    await lost.leave()
    await passBySweeps(timings.answerWithinMs)
    expect(bid.outcomes).toEqual([{ code: 'outcome-unknown', minimumSen: 0 }])
  })
})

describe('an owner that says nothing', () => {
  it('is sent the bid again under the same id, and nothing else', async () => {
    const { messages } = await owner((message) => {
      if (messages.length > 2) echo(message)
    })
    const bids = [place({ amountSen: 1, bidId: withId(1) }), place({ amountSen: 2 })]
    await settle()
    for (let again = 0; again < 2; again += 1) await passSilence()
    expect(bids[0]?.outcomes).toEqual([{ seq: 1 }])
    for (const { bids } of messages.slice(1)) expect(bids).toEqual([[AUCTION, 3, 1, withId(1), 'mei']])
    await passBySweeps(timings.answerWithinMs)
    expect(bids[1]?.outcomes).toEqual([{ code: 'outcome-unknown', minimumSen: 0 }])
    expect(messages).toHaveLength(3)
  })

  it('is not waited for longer after a time in which nobody bid, and nothing was looked for', async () => {
    // Of looks only: the client of NATS has timers of its own.
    vi.useRealTimers()
    vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] })
    const { messages } = await owner((message) => {
      if (messages.length === 1) echo(message)
    })
    expect(await place({ amountSen: 1 }).answer).toEqual({ seq: 1 })
    await passBySweeps(timings.answerWithinMs)
    expect(vi.getTimerCount()).toBe(0)
    const next = place({ amountSen: 2 })
    await settle()
    await passBySweeps(timings.answerWithinMs + timings.sweepEveryMs)
    expect(next.outcomes).toEqual([{ code: 'outcome-unknown', minimumSen: 0 }])
  })

  it('about one message, while it answers others, is sent that one again', async () => {
    const { messages } = await owner((message) => {
      if (messages.length > 1) echo(message)
    })
    const lost = place({ amountSen: 1, bidId: withId(1) })
    await settle()
    for (let passedMs = 0; passedMs <= 2 * timings.silenceMs; passedMs += timings.silenceMs / 2) {
      expect(lost.outcomes).toEqual([])
      expect(await place({ amountSen: 2 }).answer).toEqual({ seq: 2 })
      await pass(timings.silenceMs / 2)
    }
    expect(lost.outcomes).toEqual([{ seq: 1 }])
  })

  it('may answer late, as long as nobody was told otherwise', async () => {
    const { messages } = await owner(silence)
    const bid = place()
    place({ bidId: withId(1) })
    await settle()
    // The other one is sent again: the silence has been noticed.
    await passSilence()
    expect(messages).toHaveLength(2)
    messages[0]?.answer([[0, 0, 4]])
    expect(await bid.answer).toEqual({ seq: 4 })
  })

  it('leaves bids unknown, and what it says afterwards is ignored', async () => {
    const { messages } = await owner(silence)
    const bids = [place(), place({ bidId: withId(1) })]
    await settle()
    await passBySweeps(timings.answerWithinMs + timings.silenceMs)
    expect(await answersOf(bids)).toEqual([
      { code: 'outcome-unknown', minimumSen: 0 },
      { code: 'outcome-unknown', minimumSen: 0 },
    ])
    for (const message of messages) echo(message)
    await owners[0]?.leave()
    await owner(echo)
    await place().answer
    expect(bids.map(({ outcomes }) => outcomes.length)).toEqual([1, 1])
  })

  it('lets nobody wait longer than 5 s with the real timings', async () => {
    const real = new BidRouter({ nats, log: silentLogger })
    await owner(silence)
    const bids = [place({}, real), place({ bidId: withId(1) }, real), place({ auctionId: ELSEWHERE }, real)]
    await settle()
    await passBySweeps(5000, bidTimings)
    const outcomes = await answersOf(bids)
    real.stop()
    expect(outcomes.map((outcome) => 'code' in outcome && outcome.code)).toEqual([
      'outcome-unknown',
      'outcome-unknown',
      'unavailable',
    ])
    for (const { answeredAfterMs } of bids) {
      expect(answeredAfterMs).toBeGreaterThanOrEqual(bidTimings.answerWithinMs)
      expect(answeredAfterMs).toBeLessThan(5000)
    }
  })
})

describe('too many bids', () => {
  it('for one partition are refused at once as busy, until answers make room', async () => {
    let isStuck = true
    const waiting: BidMessage[] = []
    await owner((message) => {
      if (isStuck) waiting.push(message)
      else echo(message)
    })
    const bids = Array.from({ length: 8192 }, (_, index) => place({ amountSen: index }))
    const excess = place({ auctionId: NEIGHBOUR })
    expect(excess.outcomes).toEqual([{ code: 'busy', minimumSen: 0 }])
    await owner(echo, ELSEWHERE)
    expect(await place({ auctionId: ELSEWHERE, amountSen: 5 }).answer).toEqual({ seq: 5 })
    await eventually(() => waiting.length === 2)
    isStuck = false
    waiting.forEach(echo)
    await answersOf(bids)
    expect(await place({ amountSen: 6 }).answer).toEqual({ seq: 6 })
    expect(bids.every(({ outcomes }) => outcomes.length === 1)).toBe(true)
  })

  it('of one moment all wait for their owner', async () => {
    await owner(echo)
    const bids: PlacedBid[] = []
    for (let turn = 0; turn < 6; turn++) {
      for (let count = 0; count < 1000; count++) bids.push(place({ amountSen: bids.length }))
      await new Promise(setImmediate)
    }
    expect(await answersOf(bids)).toEqual(bids.map((_, seq) => ({ seq })))
  })

  it('for longer than a burst are refused at once as busy beyond those that their owner takes next', async () => {
    let isStuck = true
    const waiting: BidMessage[] = []
    await owner((message) => {
      if (isStuck) waiting.push(message)
      else echo(message)
    })
    const bids: PlacedBid[] = []
    const offer = (count: number) => {
      for (let left = count; left > 0; left -= 1) bids.push(place({ amountSen: bids.length }))
    }
    for (let count = 1; count <= 2; count += 1) {
      offer(1)
      await eventually(() => waiting.length === count)
    }
    offer(1100)
    await pass(timings.burstMs)
    offer(1)
    expect(bids.every(({ outcomes }) => outcomes.length === 0)).toBe(true)
    await pass(1)
    expect(place().outcomes).toEqual([{ code: 'busy', minimumSen: 0 }])
    await owner(echo, ELSEWHERE)
    expect(await place({ auctionId: ELSEWHERE, amountSen: 5 }).answer).toEqual({ seq: 5 })
    isStuck = false
    waiting.forEach(echo)
    expect(await answersOf(bids)).toEqual(bids.map((_, seq) => ({ seq })))
    expect(await place({ amountSen: 6 }).answer).toEqual({ seq: 6 })
  })
})

describe('a bus that is away', () => {
  it('makes bids unavailable at once, and leaves open what was under way', async () => {
    // The lines come back in their own time.
    vi.useRealTimers()
    vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] })
    const away = await startTestNats()
    const line = await connectNats({ url: away.url, name: 'gateway' })
    const cut = new BidRouter({ nats: line, log: silentLogger, timings })
    let isUp = true
    void followConnection(line, (nowUp) => {
      isUp = nowUp
      cut.setConnected(nowUp)
    })
    const silent = await playOwner(away.connection, [AUCTION], silence)
    const underWay = place({ bidId: withId(1) }, cut)
    const ownerless = place({ auctionId: ELSEWHERE }, cut)
    await eventually(() => silent.messages.length > 0)
    await away.kill()
    await eventually(() => !isUp)
    const refused = place({}, cut)
    expect(refused.outcomes).toEqual([{ code: 'unavailable', minimumSen: 0 }])
    await passBySweeps(timings.answerWithinMs + timings.silenceMs)
    expect(await underWay.answer).toEqual({ code: 'outcome-unknown', minimumSen: 0 })
    // It depends on where it was when the line was cut.
    expect(await ownerless.answer).toMatchObject({ code: expect.stringMatching(/^(unavailable|outcome-unknown)$/) })
    await away.restart()
    await eventually(() => isUp)
    await eventually(() => isReachable(away.connection))
    await playOwner(away.connection, [ELSEWHERE], acceptAll())
    expect(await place({ auctionId: ELSEWHERE }, cut).answer).toEqual({ seq: 1 })
    cut.stop()
    await closeNats(line)
    await away.stop()
  })
})

describe('a connection to the bus that was closed', () => {
  it('makes bids unavailable, but leaves open what an owner may have taken before', async () => {
    vi.useRealTimers()
    const own = await connectNats({ url: server.url, name: 'gateway' })
    const through = new BidRouter({ nats: own, log: silentLogger, timings })
    onTestFinished(() => through.stop())
    const silent = await owner(silence)
    const taken = place({ bidId: withId(1) }, through)
    await eventually(() => silent.messages.length > 0)
    await own.close()
    expect(await place({}, through).answer).toEqual({ code: 'unavailable', minimumSen: 0 })
    expect(await taken.answer).toEqual({ code: 'outcome-unknown', minimumSen: 0 })
  })
})

describe('whatever owners do', () => {
  /** What an owner does with a message: answers some bids, some of them twice, some never. */
  const behaviour = fc.array(
    fc.record({
      index: fc.nat(6),
      verdict: fc.constantFrom<VerdictTuple[1]>(0, 'bid-too-low', 'unavailable', 'auction-ended', 'busy'),
    }),
    { maxLength: 8 },
  )
  const plan = fc.record({
    /** Per bid: on which of three partitions, and whether it may be sent again. */
    bids: fc.array(fc.record({ auctionId: fc.constantFrom(1, 2, 3), hasId: fc.boolean() }), {
      minLength: 1,
      maxLength: 6,
    }),
    /** Per owner the partition it listens to and what it does with each message in turn. */
    owners: fc.array(fc.record({ partition: fc.constantFrom(1, 2), turns: fc.array(behaviour, { maxLength: 3 }) }), {
      maxLength: 3,
    }),
    leavesAfter: fc.option(fc.nat(2)),
  })

  it('each bid is answered exactly once and in time, and none without an id is sent twice on suspicion', async () => {
    const quick = {
      answerWithinMs: 60,
      ownerlessRetryMs: 5,
      silenceMs: 20,
      lastChanceMs: 5,
      sweepEveryMs: 5,
      burstMs: 5,
    }
    await fc.assert(
      fc.asyncProperty(plan, async ({ bids, owners, leavesAfter }) => {
        const through = new BidRouter({ nats, log: silentLogger, timings: quick })
        // A bid is known by its amount. How often an owner said itself that it did not take it:
        const notTaken = new Map<number, number>()
        const playing = await Promise.all(
          owners.map(async ({ partition, turns }) => {
            let seq = 0
            const owner: ScriptedOwner = await playOwner(ownersNats, [partition], ({ bids, answer }) => {
              for (const { index, verdict } of turns[owner.messages.length - 1] ?? []) {
                const amountSen = bids[index]?.[2] ?? 0
                if (verdict === 'unavailable') notTaken.set(amountSen, (notTaken.get(amountSen) ?? 0) + 1)
                answer([verdict === 0 ? [index, 0, ++seq] : [index, verdict, 0]])
              }
              if (owner.messages.length === leavesAfter) void owner.leave()
            })
            return owner
          }),
        )
        const placed = bids.map(({ auctionId, hasId }, index) =>
          place({ auctionId, amountSen: index + 1, bidId: hasId ? withId(index) : null }, through),
        )
        await settle()
        const untilMs = quick.answerWithinMs + quick.lastChanceMs + quick.ownerlessRetryMs + quick.sweepEveryMs
        await passBySweeps(untilMs, quick)
        // What owners still have to say has been said when a bid through the same line is answered.
        await Promise.all(playing.map((owner) => owner.leave()))
        await nats.flush()
        for (const { outcomes } of placed) expect(outcomes).toHaveLength(1)
        for (const { messages } of playing) {
          const seen = messages.flatMap(({ bids }) => bids.filter(([, , , bidId]) => bidId === null))
          for (const [, , sen] of seen) {
            const times = seen.filter((other) => other[2] === sen).length
            expect(times).toBeLessThanOrEqual(1 + (notTaken.get(sen) ?? 0))
          }
        }
        through.stop()
      }),
      { numRuns: 100 },
    )
  }, 60_000)
})
