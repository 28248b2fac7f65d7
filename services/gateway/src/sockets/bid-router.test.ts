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

let router: BidRouter
const owners: ScriptedOwner[] = []
beforeEach(() => {
  router = new BidRouter({ nats, log: silentLogger, timings })
})
afterEach(async () => {
  router.stop()
  await Promise.all(owners.splice(0).map((owner) => owner.leave()))
})

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
    expect(await place({ amountSen: 9 }).answer).toEqual({ seq: 9 })
    expect(subjectsOf(stillThere)).toEqual(['auction.owner.one'])
    expect(subjectsOf(second)).toEqual(['auction.bids.7'])
  })

  it('is forgotten when nobody listens there', async () => {
    const first = await namedOwner('one', echo)
    await learned()
    await first.leave()
    const second = await owner(echo)
    expect(await place({ amountSen: 9 }).answer).toEqual({ seq: 9 })
    expect(subjectsOf(second)).toEqual(['auction.bids.7'])
  })

  it('is forgotten when it falls silent, for another one may hold the partition', async () => {
    const first = await namedOwner('one', echo)
    await learned()
    await first.leave()
    const paused = await playOwner(ownersNats, [], silence, auctionOwnerSubject('one'))
    owners.push(paused)
    const second = await owner(echo)
    expect(await place({ amountSen: 9, bidId: withId(1) }).answer).toEqual({ seq: 9 })
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
    let lost = place({ amountSen: 999 })
    await eventually(() => first.messages.length === 2)
    await eventually(async () => {
      // On a machine that stood still the bid's time may be over before its owner was found silent.
      if (lost.outcomes.length > 0) lost = place({ amountSen: 999 })
      await place({ amountSen: 2 }).answer
      const subjects = first.messages.map(({ subject }) => subject)
      // It was asked for by the partition once more, and is known again for some time.
      const [asked, askedAgain] = subjects.flatMap((subject, index) => (subject === 'auction.bids.7' ? [index] : []))
      return asked === 0 && askedAgain !== undefined && subjects.length - askedAgain > 3
    })
    await first.leave()
    await owner(echo)
    expect(await place({ amountSen: 4 }).answer).toEqual({ seq: 4 })
    expect(await lost.answer).toEqual({ code: 'outcome-unknown', minimumSen: 0 })
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
    expect(await place().answer).toEqual({ seq: 1 })
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
    // All that waited, unless this machine was so slow that the router gave up waiting in between.
    await eventually(() => messages.slice(2).flatMap((message) => message.bids).length === held.length)
    expect(messages.slice(2).flatMap((message) => message.bids.map(([, , sen]) => sen))).toEqual(
      held.map((_, index) => index + 3),
    )
    expect(messages.length).toBeLessThan(8)
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
    await answersOf([odd, next])
    expect(await place({ amountSen: 6 }).answer).toEqual({ seq: 6 })
    expect(odd.outcomes).toHaveLength(1)
    expect(disconnected).toEqual([])
  })
})

describe('a partition without an owner', () => {
  it('keeps its bids until there is one', async () => {
    // As long as people have, for the owners to come also on a machine that others use.
    const { answerWithinMs } = bidTimings
    const asked = new BidRouter({ nats, log: silentLogger, timings: { ...timings, answerWithinMs } })
    const bids = [place({ amountSen: 1 }, asked), place({ amountSen: 2, bidId: withId(1) }, asked)]
    await owner(echo, ELSEWHERE)
    await place({ auctionId: ELSEWHERE }, asked).answer
    const { messages } = await owner(echo)
    expect(await answersOf(bids)).toEqual([{ seq: 1 }, { seq: 2 }])
    expect(messages).toHaveLength(1)
    asked.stop()
  })

  it('is unavailable when nobody comes in time', async () => {
    // As long as people have: here a server that is held up for 20 ms would leave the last try without an answer.
    const { lastChanceMs } = bidTimings
    const asked = new BidRouter({ nats, log: silentLogger, timings: { ...timings, lastChanceMs } })
    const bids = [place({}, asked), place({ bidId: withId(1) }, asked)]
    expect(await answersOf(bids)).toEqual([
      { code: 'unavailable', minimumSen: 0 },
      { code: 'unavailable', minimumSen: 0 },
    ])
    expect(bids[0]?.answeredAfterMs).toBeGreaterThan(timings.answerWithinMs)
    asked.stop()
  })

  it('is unavailable, too, when that is said while the gateway is held up until time is up', async () => {
    let sentCount = 0
    const placed = place({
      isBarred: () => {
        sentCount += 1
        if (sentCount !== 2) return false
        const timeIsUpAtMs = placed.receivedAtMs + timings.answerWithinMs + 2 * timings.lastChanceMs
        const holdUp = () => {
          while (performance.now() < timeIsUpAtMs);
        }
        // Right after it is sent: what NATS says of it then waits to be read.
        queueMicrotask(() => queueMicrotask(holdUp))
        return false
      },
    })
    expect(await placed.answer).toEqual({ code: 'unavailable', minimumSen: 0 })
    expect(sentCount).toBe(2)
  })

  it('leaves a bid unknown that an owner may have taken before it went', async () => {
    const lost = await owner(silence)
    const bid = place({ bidId: withId(1) })
    await eventually(() => lost.messages.length > 0)
    // It is sent again while the owner is still there, so that from then on it may be taken; and then nobody is.
    await eventually(() => lost.messages.length > 1)
    await lost.leave()
    expect(await bid.answer).toEqual({ code: 'outcome-unknown', minimumSen: 0 })
  })
})

describe('an owner that says nothing', () => {
  it('is sent the bid again under the same id, and nothing else', async () => {
    const { messages } = await owner((message) => {
      if (messages.length > 2) echo(message)
    })
    const bids = [place({ amountSen: 1, bidId: withId(1) }), place({ amountSen: 2 })]
    expect(await bids[0]?.answer).toEqual({ seq: 1 })
    for (const { bids } of messages.slice(1)) expect(bids).toEqual([[AUCTION, 3, 1, withId(1), 'mei']])
    expect(await bids[1]?.answer).toEqual({ code: 'outcome-unknown', minimumSen: 0 })
  })

  it('is not waited for longer after a time in which nobody bid, and nothing was looked for', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const through = new BidRouter({ nats, log: silentLogger, timings })
    const { messages } = await owner((message) => {
      if (messages.length === 1) echo(message)
    })
    const sweepUntil = (isSo: () => boolean) =>
      eventually(() => {
        vi.advanceTimersByTime(timings.sweepEveryMs)
        return isSo()
      })
    expect(await place({ amountSen: 1 }, through).answer).toEqual({ seq: 1 })
    await sweepUntil(() => vi.getTimerCount() === 0)
    const next = place({ amountSen: 2 }, through)
    await sweepUntil(() => next.outcomes.length > 0)
    expect(next.outcomes).toEqual([{ code: 'outcome-unknown', minimumSen: 0 }])
  })

  it('about one message, while it answers others, is sent that one again', async () => {
    // With the real timings: a machine that is held up is silent for a tenth of them.
    const real = new BidRouter({ nats, log: silentLogger })
    const { messages } = await owner((message) => {
      if (messages.length > 1) echo(message)
    })
    const lost = place({ amountSen: 1, bidId: withId(1) }, real)
    await eventually(() => messages.length === 1)
    let others = 0
    await eventually(async () => {
      await place({ amountSen: 2 }, real).answer
      others++
      return lost.outcomes.length > 0
    })
    expect(lost.outcomes).toEqual([{ seq: 1 }])
    expect(others).toBeGreaterThan(2)
    real.stop()
  })

  it('may answer late, as long as nobody was told otherwise', async () => {
    const { messages } = await owner(silence)
    const bid = place()
    place({ bidId: withId(1) })
    // The other one was sent again: the silence has been noticed.
    await eventually(() => messages.length > 1)
    messages[0]?.answer([[0, 0, 4]])
    expect(await bid.answer).toEqual({ seq: 4 })
  })

  it('leaves bids unknown, and what it says afterwards is ignored', async () => {
    const { messages } = await owner(silence)
    const bids = [place(), place({ bidId: withId(1) })]
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
    // With the time that people have: eight thousand bids on a machine that is held up may take more than a tenth of it.
    const real = new BidRouter({ nats, log: silentLogger })
    let isStuck = true
    const waiting: BidMessage[] = []
    await owner((message) => {
      if (isStuck) waiting.push(message)
      else echo(message)
    })
    const bids = Array.from({ length: 8192 }, (_, index) => place({ amountSen: index }, real))
    const excess = place({ auctionId: NEIGHBOUR }, real)
    expect(excess.outcomes).toEqual([{ code: 'busy', minimumSen: 0 }])
    await owner(echo, ELSEWHERE)
    expect(await place({ auctionId: ELSEWHERE, amountSen: 5 }, real).answer).toEqual({ seq: 5 })
    await eventually(() => waiting.length === 2)
    isStuck = false
    waiting.forEach(echo)
    await answersOf(bids)
    expect(await place({ amountSen: 6 }, real).answer).toEqual({ seq: 6 })
    expect(bids.every(({ outcomes }) => outcomes.length === 1)).toBe(true)
    real.stop()
  })

  it('of one moment all wait for their owner', async () => {
    const unhurried = new BidRouter({ nats, log: silentLogger, timings: { ...bidTimings, burstMs: 2000 } })
    await owner(echo)
    const bids: PlacedBid[] = []
    for (let turn = 0; turn < 6; turn++) {
      for (let count = 0; count < 1000; count++) bids.push(place({ amountSen: bids.length }, unhurried))
      await new Promise(setImmediate)
    }
    expect(await answersOf(bids)).toEqual(bids.map((_, seq) => ({ seq })))
    unhurried.stop()
  })

  it('for longer than a burst are refused at once as busy beyond those that their owner takes next', async () => {
    const burstMs = 10
    const real = new BidRouter({ nats, log: silentLogger, timings: { ...bidTimings, burstMs } })
    let isStuck = true
    const waiting: BidMessage[] = []
    await owner((message) => {
      if (isStuck) waiting.push(message)
      else echo(message)
    })
    const bids: PlacedBid[] = []
    for (let sent = 0; bids.at(-1)?.outcomes.length !== 1; await new Promise(setImmediate)) {
      // Whenever they were sent as many are offered again, and one in each turn tells whether that is too many.
      const offered = waiting.length === sent ? 1 : 1100
      sent = waiting.length
      for (let count = 0; count < offered; count++) bids.push(place({ amountSen: bids.length }, real))
      if (bids.length === 1) await eventually(() => waiting.length === 1)
    }
    const refused = bids.at(-1)
    expect(refused?.outcomes).toEqual([{ code: 'busy', minimumSen: 0 }])
    expect((refused?.receivedAtMs ?? 0) - (bids[0]?.receivedAtMs ?? 0)).toBeGreaterThan(burstMs)
    expect(bids.length).toBeLessThan(8192)
    await owner(echo, ELSEWHERE)
    expect(await place({ auctionId: ELSEWHERE, amountSen: 5 }, real).answer).toEqual({ seq: 5 })
    isStuck = false
    waiting.forEach(echo)
    const others = bids.filter(({ outcomes }) => outcomes.length === 0)
    expect(await answersOf(others)).toEqual(others.map((bid) => ({ seq: bids.indexOf(bid) })))
    expect(await place({ amountSen: 6 }, real).answer).toEqual({ seq: 6 })
    real.stop()
  })
})

describe('a bus that is away', () => {
  it('makes bids unavailable at once, and leaves open what was under way', async () => {
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
    expect(await underWay.answer).toEqual({ code: 'outcome-unknown', minimumSen: 0 })
    // It depends on where it was when the line was cut.
    expect(await ownerless.answer).toMatchObject({ code: expect.stringMatching(/^(unavailable|outcome-unknown)$/) })
    await away.restart()
    await eventually(() => isUp)
    // The owner's connection comes back in its own time.
    await eventually(() => isReachable(away.connection))
    await playOwner(away.connection, [ELSEWHERE], acceptAll())
    expect(await place({ auctionId: ELSEWHERE }, cut).answer).toEqual({ seq: 1 })
    cut.stop()
    await closeNats(line)
    await away.stop()
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
        await answersOf(placed)
        // What owners still have to say has been said when a bid through the same line is answered.
        await Promise.all(playing.map((owner) => owner.leave()))
        await nats.flush()
        for (const { outcomes, answeredAfterMs } of placed) {
          expect(outcomes).toHaveLength(1)
          expect(answeredAfterMs).toBeLessThan(quick.answerWithinMs + 500)
        }
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
