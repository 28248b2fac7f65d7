import { BID_INCREMENT_MIN_SEN } from '@wangian/contracts/auction.ts'
import { INVALID_AMOUNT_SEN } from '@wangian/contracts/auction-wire.ts'
import type { AuctionEvent, AuctionOutcome } from '@wangian/contracts/events/auction.ts'
import { AMOUNT_MAX_SEN } from '@wangian/contracts/money.ts'
import { fold, isRefusal } from '@wangian/kit/log/decider.ts'
import { given } from '@wangian/kit/testing/decider-spec.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Auction,
  type AuctionCommand,
  auctionDecider,
  type CancelAuction,
  decide,
  evolve,
  isoFromMs,
  minimumBidSen,
  type OpenNewAuction,
  type ReviseAuction,
  reserveMet,
  statusAt,
} from './domain.ts'
import {
  bidIdOf,
  bidPlaced,
  decided,
  endAuction,
  endsAtMs,
  nowMs,
  opened,
  placeBid,
  seller,
  startsAtMs,
  termsOf,
} from './testing/fixtures.ts'

const auctionAfter = (...events: AuctionEvent[]) => given(auctionDecider, events)

const open = (terms: Parameters<typeof termsOf>[0] = {}): OpenNewAuction => ({
  type: 'OpenAuction',
  terms: termsOf(terms),
  nowMs: startsAtMs,
})
const bid = placeBid
const revise = (changes: ReviseAuction['changes'], facts: Partial<ReviseAuction> = {}): AuctionCommand => ({
  type: 'ReviseAuction',
  changes,
  actorId: seller,
  nowMs,
  ...facts,
})
const cancel = (facts: Partial<CancelAuction> = {}): AuctionCommand => ({
  type: 'CancelAuction',
  reason: 'The bottle broke',
  actorId: seller,
  by: 'seller',
  nowMs,
  ...facts,
})
const end = (atMs = endsAtMs): AuctionCommand => endAuction(atMs)

const ended = (outcome: AuctionOutcome, facts: object = {}): AuctionEvent => ({
  type: 'AuctionEnded',
  data: {
    auctionId: 5,
    productId: 31,
    sellerId: seller,
    outcome,
    winnerId: null,
    leaderId: null,
    amountSen: null,
    bidCount: 0,
    endedAt: isoFromMs(endsAtMs),
    ...facts,
  },
})
const cancelled: AuctionEvent = {
  type: 'AuctionCancelled',
  data: {
    auctionId: 5,
    productId: 31,
    sellerId: seller,
    reason: 'The bottle broke',
    cancelledAt: isoFromMs(nowMs),
  },
}

describe('an auction that does not exist yet', () => {
  it('is opened with its terms', () => {
    auctionAfter()
      .when(open({ reserveSen: 30_000, buyNowSen: 50_000 }))
      .then([opened({ reserveSen: 30_000, buyNowSen: 50_000 })])
  })

  it('may start in the past or later', () => {
    const past = { startsAt: isoFromMs(startsAtMs - 1000) }
    const later = { startsAt: isoFromMs(startsAtMs + 1000) }
    auctionAfter()
      .when(open(past))
      .then([opened(past)])
    auctionAfter()
      .when(open(later))
      .then([opened(later)])
  })

  it('starts by the clock that is behind, when it starts now', () => {
    const startsAt = isoFromMs(startsAtMs + 40)
    auctionAfter()
      .when({ ...open({ startsAt }), startsNow: true })
      .then([opened()])
    auctionAfter()
      .when({ ...open(), startsNow: true, nowMs: startsAtMs + 40 })
      .then([opened({}, startsAtMs + 40)])
  })

  it('is not opened when its claim may have run out by then, unless it was', () => {
    const openByMs = startsAtMs
    auctionAfter()
      .when({ ...open(), openByMs })
      .then([opened()])
    const late = { ...open(), openByMs, nowMs: openByMs + 1 }
    auctionAfter().when(late).thenRejects('unavailable')
    auctionAfter(opened()).when(late).thenNothing()
  })

  it('takes no bid and no change', () => {
    auctionAfter().when(bid(20_500)).thenRejects('auction-not-found')
    auctionAfter().when(revise({})).thenRejects('auction-not-found')
    auctionAfter().when(cancel()).thenRejects('auction-not-found')
  })

  it('does not end', () => {
    auctionAfter().when(end()).thenNothing()
  })

  const fourYearsMs = Date.parse('2030-11-21T08:00:00.000Z')
  it.each([
    ['a price of nothing', { startingPriceSen: 0 }, 'Starting price must be greater than 0'],
    ['a step below ten sen', { incrementSen: 9 }, 'Bid increment must be at least RM0.10'],
    ['an end in the past', { endsAt: isoFromMs(startsAtMs - 1) }, 'End date must be in the future'],
    ['an end right now', { endsAt: isoFromMs(startsAtMs) }, 'End date must be in the future'],
    [
      'an end before its start',
      { startsAt: isoFromMs(endsAtMs), endsAt: isoFromMs(endsAtMs) },
      'End date must be after the start date',
    ],
    ['an end after more than four years', { endsAt: isoFromMs(fourYearsMs + 1) }, 'End date must be within 4 years'],
    [
      'a reserve below the start',
      { reserveSen: 19_999 },
      'Reserve price must be at least the starting price of RM\u00A0200.00',
    ],
    [
      'a buy-now price below the start',
      { buyNowSen: 19_999 },
      'Buy now price must be at least the starting price of RM\u00A0200.00',
    ],
  ])('refuses %s', (_, terms, message) => {
    auctionAfter().when(open(terms)).thenRejects('bad-request')
    expect(decide(open(terms), { status: 'none' })).toMatchObject({ message })
  })

  it.each([
    ['a price of one sen', { startingPriceSen: 1 }],
    ['a step of ten sen', { incrementSen: 10 }],
    ['an end after four years', { endsAt: isoFromMs(fourYearsMs) }],
    ['a reserve at the start', { reserveSen: 20_000 }],
    ['a buy-now price at the start', { buyNowSen: 20_000 }],
  ])('accepts %s', (_, terms) => {
    auctionAfter()
      .when(open(terms))
      .then([opened(terms)])
  })
})

describe('an auction without a bid', () => {
  it('is not opened again', () => {
    auctionAfter(opened())
      .when(open({ startingPriceSen: 1 }))
      .thenNothing()
  })

  it('takes a first bid of the starting price and the increment', () => {
    auctionAfter(opened())
      .when(bid(20_500))
      .then([bidPlaced(1, 21, 20_500)])
    auctionAfter(opened()).when(bid(20_499)).thenRejects('bid-too-low')
    auctionAfter(opened()).when(bid(20_000)).thenRejects('bid-too-low')
  })

  it("remembers the bidder's own id of the bid", () => {
    auctionAfter(opened())
      .when(bid(20_500, { bidId: bidIdOf(1) }))
      .then([bidPlaced(1, 21, 20_500, bidIdOf(1))])
  })

  it('takes new terms from its seller and from an admin', () => {
    const revised: AuctionEvent = {
      type: 'AuctionRevised',
      data: { ...termsOf({ startingPriceSen: 10_000, reserveSen: 15_000 }), revisedAt: isoFromMs(nowMs) },
    }
    const changes = { startingPriceSen: 10_000, reserveSen: 15_000 }
    auctionAfter(opened()).when(revise(changes)).then([revised])
    auctionAfter(opened())
      .when(revise(changes, { actorId: 1 }))
      .thenRejects('forbidden')
  })

  it('counts the first bid from its new terms', () => {
    const revised = decided(revise({ startingPriceSen: 10_000, incrementSen: 100 }), fold(auctionDecider, [opened()]))
    auctionAfter(opened(), ...revised)
      .when(bid(10_100))
      .then([bidPlaced(1, 21, 10_100)])
    auctionAfter(opened(), ...revised)
      .when(bid(10_099))
      .thenRejects('bid-too-low')
  })

  it('has nothing to do for the terms that it has', () => {
    auctionAfter(opened()).when(revise({})).thenNothing()
    auctionAfter(opened()).when(revise(termsOf())).thenNothing()
    // The same instant, written in another zone.
    auctionAfter(opened())
      .when(revise({ endsAt: '2026-11-28T16:00:00.000+08:00' }))
      .thenNothing()
  })

  it('refuses new terms that would not open an auction', () => {
    auctionAfter(opened())
      .when(revise({ endsAt: isoFromMs(nowMs) }))
      .thenRejects('bad-request')
    auctionAfter(opened())
      .when(revise({ incrementSen: 1 }))
      .thenRejects('bad-request')
    auctionAfter(opened({ reserveSen: 20_000 }))
      .when(revise({ startingPriceSen: 20_001 }))
      .thenRejects('bad-request')
  })

  it('is changed by nobody else', () => {
    auctionAfter(opened())
      .when(revise({ incrementSen: 100 }, { actorId: 21 }))
      .thenRejects('forbidden')
    auctionAfter(opened())
      .when(cancel({ actorId: 21 }))
      .thenRejects('forbidden')
  })

  it('is cancelled by its seller, with the reason', () => {
    auctionAfter(opened()).when(cancel()).then([cancelled])
  })

  it('ends without a winner', () => {
    auctionAfter(opened())
      .when(end())
      .then([ended('no-bids')])
  })

  it('does not end before its time', () => {
    auctionAfter(opened())
      .when(end(endsAtMs - 1))
      .thenNothing()
  })
})

describe('an auction with bids', () => {
  const withBids = (terms: Parameters<typeof opened>[0] = {}) =>
    auctionAfter(opened(terms), bidPlaced(1, 21, 20_500), bidPlaced(2, 22, 25_000))

  it('takes a bid that is higher by the increment', () => {
    withBids()
      .when(bid(25_500))
      .then([bidPlaced(3, 21, 25_500)])
    withBids().when(bid(25_499)).thenRejects('bid-too-low')
  })

  it("refuses the leader's own amount again, and takes a raise of his own", () => {
    withBids()
      .when(bid(25_000, { bidderId: 22 }))
      .thenRejects('bid-too-low')
    withBids()
      .when(bid(25_500, { bidderId: 22 }))
      .then([bidPlaced(3, 22, 25_500)])
  })

  it('has frozen terms', () => {
    withBids()
      .when(revise({ endsAt: isoFromMs(endsAtMs + 1000) }))
      .thenRejects('auction-has-bids')
    withBids()
      .when(revise({ incrementSen: 100 }))
      .thenRejects('auction-has-bids')
    withBids().when(cancel()).thenRejects('auction-has-bids')
  })

  it('is won by the highest bid', () => {
    withBids()
      .when(end())
      .then([ended('won', { winnerId: 22, leaderId: 22, amountSen: 25_000, bidCount: 2 })])
  })

  it('is won at exactly the reserve, and not a sen below', () => {
    withBids({ reserveSen: 25_000 })
      .when(end())
      .then([ended('won', { winnerId: 22, leaderId: 22, amountSen: 25_000, bidCount: 2 })])
    withBids({ reserveSen: 25_001 })
      .when(end())
      .then([ended('reserve-not-met', { leaderId: 22, amountSen: 25_000, bidCount: 2 })])
  })
})

describe('an auction whose leader is banned or gone at its end', () => {
  const endWithout = endAuction(endsAtMs, { isLeaderSuspended: true })
  const withBids = (terms: Parameters<typeof opened>[0] = {}) => auctionAfter(opened(terms), bidPlaced(1, 22, 25_000))

  it('has no winner', () => {
    withBids()
      .when(endWithout)
      .then([ended('winner-unavailable', { leaderId: 22, amountSen: 25_000, bidCount: 1 })])
  })

  it('had none in any case below the reserve', () => {
    withBids({ reserveSen: 25_001 })
      .when(endWithout)
      .then([ended('reserve-not-met', { leaderId: 22, amountSen: 25_000, bidCount: 1 })])
  })

  it('is cancelled when its seller is, too', () => {
    const [event] = decided(
      endAuction(endsAtMs, { isLeaderSuspended: true, isSellerSuspended: true }),
      fold(auctionDecider, [opened(), bidPlaced(1, 22, 25_000)]),
    )
    expect(event?.type).toBe('AuctionCancelled')
  })
})

describe('the checks of a bid', () => {
  const scheduled = opened({ startsAt: isoFromMs(nowMs + 1) })

  it('come in the order of the spec', () => {
    // A bid that is wrong in every way, made right one check at a time.
    const wrong = { bidderId: seller, nowMs: endsAtMs }
    auctionAfter().when(bid(INVALID_AMOUNT_SEN, wrong)).thenRejects('auction-not-found')
    auctionAfter(opened()).when(bid(INVALID_AMOUNT_SEN, wrong)).thenRejects('own-listing')
    auctionAfter(opened())
      .when(bid(INVALID_AMOUNT_SEN, { nowMs: endsAtMs }))
      .thenRejects('invalid-amount')
    auctionAfter(opened())
      .when(bid(1, { nowMs: endsAtMs }))
      .thenRejects('auction-ended')
    auctionAfter(scheduled).when(bid(1)).thenRejects('auction-not-started')
    auctionAfter(opened()).when(bid(1)).thenRejects('bid-too-low')
  })

  it('let a bid in from the very start until just before the very end', () => {
    auctionAfter(scheduled)
      .when(bid(20_500, { nowMs: nowMs + 1 }))
      .then([
        { ...bidPlaced(1, 21, 20_500), data: { ...bidPlaced(1, 21, 20_500).data, placedAt: isoFromMs(nowMs + 1) } },
      ] as AuctionEvent[])
    const last = decided(bid(20_500, { nowMs: endsAtMs - 1 }), fold(auctionDecider, [opened()]))
    expect(last).toHaveLength(1)
    auctionAfter(opened())
      .when(bid(20_500, { nowMs: endsAtMs }))
      .thenRejects('auction-ended')
  })
})

describe('an auction that is over', () => {
  const won = ended('won', { winnerId: 21, leaderId: 21, amountSen: 20_500, bidCount: 1 })
  const over = () => auctionAfter(opened(), bidPlaced(1, 21, 20_500), won)

  it('ends once', () => {
    over().when(end()).thenNothing()
    auctionAfter(opened(), cancelled).when(end()).thenNothing()
  })

  it('takes no bid, by whatever clock', () => {
    over().when(bid(99_000)).thenRejects('auction-ended')
    auctionAfter(opened(), cancelled).when(bid(99_000)).thenRejects('auction-ended')
  })

  it('takes no change', () => {
    over()
      .when(revise({ incrementSen: 100 }))
      .thenRejects('auction-ended')
    over().when(cancel()).thenRejects('auction-ended')
    auctionAfter(opened(), cancelled)
      .when(revise({ incrementSen: 100 }))
      .thenRejects('auction-ended')
  })

  it('takes no change from its end on, even while nobody has recorded that', () => {
    auctionAfter(opened())
      .when(cancel({ nowMs: endsAtMs }))
      .thenRejects('auction-ended')
  })

  it('is cancelled once, and by nobody else', () => {
    auctionAfter(opened(), cancelled)
      .when(cancel({ reason: 'Again' }))
      .thenNothing()
    auctionAfter(opened(), cancelled)
      .when(cancel({ actorId: 21 }))
      .thenRejects('forbidden')
  })
})

describe('an auction whose listing an administrator takes away', () => {
  const remove = (facts: Partial<CancelAuction> = {}) => cancel({ actorId: 1, by: 'admin', ...facts })
  const withBids = () => auctionAfter(opened(), bidPlaced(1, 21, 20_500), bidPlaced(2, 22, 25_000))
  const over = () => auctionAfter(opened(), ended('no-bids'))

  it('is cancelled with bids and without, once', () => {
    auctionAfter(opened()).when(remove()).then([cancelled])
    withBids().when(remove()).then([cancelled])
    auctionAfter(opened(), cancelled).when(remove()).thenNothing()
  })

  it('is cancelled from its end on, too, while nobody has recorded that', () => {
    withBids()
      .when(remove({ nowMs: endsAtMs }))
      .then([{ ...cancelled, data: { ...cancelled.data, cancelledAt: isoFromMs(endsAtMs) } } as AuctionEvent])
  })

  it('stays as it ended, and is none where there is none', () => {
    over().when(remove()).thenRejects('auction-ended')
    auctionAfter().when(remove()).thenRejects('auction-not-found')
  })
})

describe('the status that people see', () => {
  const known = (...events: AuctionEvent[]) => fold(auctionDecider, events) as Exclude<Auction, { status: 'none' }>

  it('follows the clock and not the record', () => {
    const auction = known(opened())
    expect(statusAt(auction, startsAtMs - 1)).toBe('scheduled')
    expect(statusAt(auction, startsAtMs)).toBe('active')
    expect(statusAt(auction, endsAtMs - 1)).toBe('active')
    expect(statusAt(auction, endsAtMs)).toBe('ended')
    expect(statusAt(known(opened(), cancelled), startsAtMs)).toBe('cancelled')
    expect(statusAt(known(opened(), ended('no-bids')), startsAtMs)).toBe('ended')
  })

  it('says that a reserve is met only when there is a bid', () => {
    expect(reserveMet(known(opened()))).toBe(false)
    expect(reserveMet(known(opened(), bidPlaced(1, 21, 20_500)))).toBe(true)
    expect(reserveMet(known(opened({ reserveSen: 20_501 }), bidPlaced(1, 21, 20_500)))).toBe(false)
  })
})

describe('any order of commands', () => {
  const timeMs = fc.integer({ min: startsAtMs - 5000, max: endsAtMs + 5000 })
  const sen = fc.oneof(fc.integer({ min: 0, max: 60_000 }), fc.constantFrom(INVALID_AMOUNT_SEN, AMOUNT_MAX_SEN))
  const person = fc.record({ actorId: fc.constantFrom(seller, 21) })
  const at = fc.oneof(timeMs, fc.constant(nowMs)).map(isoFromMs)
  const prices = fc.record({
    startingPriceSen: sen,
    reserveSen: fc.option(sen),
    buyNowSen: fc.option(sen),
    incrementSen: fc.integer({ min: 0, max: 2000 }),
    startsAt: at,
    endsAt: at,
  })
  const command: fc.Arbitrary<AuctionCommand> = fc.oneof(
    {
      weight: 1,
      arbitrary: fc.record({ type: fc.constant('OpenAuction' as const), terms: prices.map(termsOf), nowMs: timeMs }),
    },
    {
      weight: 8,
      arbitrary: fc.record({
        type: fc.constant('PlaceBid' as const),
        bidderId: fc.constantFrom(seller, 21, 22, 23),
        amountSen: sen,
        bidId: fc.constant(null),
        isBidderSuspended: fc.constant(false),
        isSellerSuspended: fc.constant(false),
        nowMs: fc.constant(nowMs),
      }),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.record({ changes: prices, nowMs: timeMs }), person)
        .map(([facts, who]) => ({ type: 'ReviseAuction' as const, ...facts, ...who })),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        type: fc.constant('EndAuction' as const),
        isSellerSuspended: fc.boolean(),
        isLeaderSuspended: fc.boolean(),
        nowMs: timeMs,
      }),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(timeMs, person, fc.constantFrom('seller', 'admin'))
        .map(([atMs, who, by]) => ({ type: 'CancelAuction' as const, reason: 'No longer', by, nowMs: atMs, ...who })),
    },
  )

  function run(commands: readonly AuctionCommand[]): { log: AuctionEvent[]; state: Auction } {
    const log: AuctionEvent[] = [opened({ incrementSen: BID_INCREMENT_MIN_SEN })]
    let state = fold(auctionDecider, log)
    for (const next of commands) {
      const decision = decide(next, state)
      if (isRefusal(decision)) continue
      for (const event of decision) state = evolve(state, event)
      log.push(...decision)
    }
    return { log, state }
  }

  it('raises each accepted amount by the increment of the terms at least, and numbers them from 1', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 60 }), (commands) => {
        let minimumSen = 0
        let incrementSen = 0
        let seq = 0
        for (const { type, data } of run(commands).log) {
          if (type === 'AuctionOpened' || type === 'AuctionRevised') {
            expect(seq).toBe(0)
            incrementSen = data.incrementSen
            minimumSen = data.startingPriceSen + incrementSen
          } else if (type === 'BidPlaced') {
            seq += 1
            expect(data.seq).toBe(seq)
            expect(data.bidderId).not.toBe(seller)
            expect(data.amountSen).toBeGreaterThanOrEqual(minimumSen)
            minimumSen = data.amountSen + incrementSen
          }
        }
      }),
    )
  })

  it('ends or cancels at most once, as the last thing, and the winner is the last bidder', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 60 }), (commands) => {
        const { log, state } = run(commands)
        const last = log.findIndex(({ type }) => type === 'AuctionEnded' || type === 'AuctionCancelled')
        if (last >= 0) expect(last).toBe(log.length - 1)
        const bids = log.filter((event) => event.type === 'BidPlaced')
        if (state.status === 'ended' && state.outcome === 'won') expect(state.winnerId).toBe(bids.at(-1)?.data.bidderId)
        expect(state).toMatchObject({ version: log.length, bidCount: bids.length })
      }),
    )
  })

  it('leads to the state that the log folds to, and a repeated command changes nothing more', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 40 }), command, (commands, repeated) => {
        const { log, state } = run(commands)
        expect(fold(auctionDecider, log)).toEqual(state)
        const once = run([...commands, repeated]).log.length
        const twice = run([...commands, repeated, repeated]).log.length
        // A second bid of the same amount by the same bidder is too low.
        expect(twice).toBe(once)
      }),
    )
  })

  it('takes a bid of the minimum and none below', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 40 }), (commands) => {
        const { state } = run(commands)
        if (state.status !== 'open' || nowMs >= state.endsAtMs || nowMs < state.startsAtMs) return
        const minimumSen = minimumBidSen(state)
        expect(decide(bid(minimumSen, { bidderId: 24 }), state)).toHaveLength(1)
        expect(decide(bid(minimumSen - 1, { bidderId: 24 }), state)).toEqual({ code: 'bid-too-low', minimumSen })
      }),
    )
  })
})
