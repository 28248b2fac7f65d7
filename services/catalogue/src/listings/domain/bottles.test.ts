import type { CatalogueEvent, ListingFacts } from '@wangian/contracts/events/catalogue.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { fold } from '@wangian/kit/log/decider.ts'
import { given } from '@wangian/kit/testing/decider-spec.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { listingFacts } from '../../testing/fixtures.ts'
import { type ListingCommand, listingDecider } from '../domain.ts'
import { LOT_KEPT_MS, type ReleasedBy } from './bottles.ts'
import { type AuctionHold, availableOf, type Listing, standingOf } from './listing.ts'

const at = '2026-11-22T08:00:00.000Z'
const later = '2026-11-30T08:00:00.000Z'
const [sarah, bala, mei] = [7, 20, 21]
const [deal, otherDeal] = [61, 62]
const whose = { productId: 1, sellerId: sarah, name: 'Santal 33' }

const listed = (facts: Partial<ListingFacts> = {}): CatalogueEvent => ({
  type: 'ListingCreated',
  data: listingFacts(facts),
})
const auctioned = (stockQuantity = 1) => listed({ listingType: 'auction', stockQuantity })
const reserved = (transactionId: number | null = deal, auctionId: number | null = null, buyerId = bala) =>
  ({
    type: 'ListingReserved',
    data: { ...whose, buyerId, amountSen: 26_000, transactionId, auctionId, reservedAt: at },
  }) satisfies CatalogueEvent
const lot = reserved(null, 5)
const released = (
  what: Partial<Extract<CatalogueEvent, { type: 'ListingReleased' }>['data']> = {},
): CatalogueEvent => ({
  type: 'ListingReleased',
  data: {
    ...whose,
    buyerId: bala,
    transactionId: deal,
    auctionId: null,
    isKept: false,
    wasSold: false,
    reason: 'cancelled',
    stockQuantity: 1,
    releasedAt: at,
    ...what,
  },
})
const sold = (stockQuantity = 0, auctionId: number | null = null, transactionId = deal): CatalogueEvent => ({
  type: 'ListingSold',
  data: { ...whose, buyerId: bala, transactionId, auctionId, amountSen: 26_000, stockQuantity, soldAt: at },
})
const featured: CatalogueEvent = {
  type: 'ListingFeatured',
  data: { productId: 1, sellerId: sarah, packageId: 5, commandId: 'c', featuredAt: at, featuredUntil: later },
}
const unfeatured: CatalogueEvent = {
  type: 'ListingUnfeatured',
  data: { productId: 1, sellerId: sarah, unfeaturedAt: at },
}
const stockLow: CatalogueEvent = { type: 'StockLow', data: { ...whose, stockQuantity: 5, at } }
const removed: CatalogueEvent = {
  type: 'ListingRemoved',
  data: { productId: 1, sellerId: sarah, by: 'admin', reason: 'A copy.', removedAt: at },
}

const reserve = (transactionId = deal, buyerId = bala, hold: AuctionHold = 'none') =>
  ({ type: 'ReserveBottle', transactionId, sellerId: sarah, buyerId, amountSen: 26_000, hold, at }) as const
const release = (by: ReleasedBy, transactionId = deal, auctionId: number | null = null) =>
  ({ type: 'ReleaseBottle', transactionId, auctionId, by, at }) as const
const sell = (transactionId = deal, buyerId = bala) =>
  ({ type: 'SellBottle', transactionId, buyerId, amountSen: 26_000, at }) as const
const listing = (...events: CatalogueEvent[]) => given(listingDecider, events)

describe('keeping a bottle for a deal', () => {
  it('is done once', () => {
    listing(listed()).when(reserve()).then([reserved()])
    listing(listed(), reserved()).when(reserve()).thenNothing()
    listing(listed(), reserved(), sold()).when(reserve()).thenNothing()
  })

  it('is refused when all bottles are with others, or sold', () => {
    listing(listed(), reserved()).when(reserve(otherDeal, mei)).thenRejects('product-reserved')
    listing(listed(), reserved(), sold()).when(reserve(otherDeal, mei)).thenRejects('product-sold')
    listing(listed({ stockQuantity: 0 }))
      .when(reserve())
      .thenRejects('product-sold')
  })

  it('is refused for what is not there, or somebody else’s', () => {
    listing().when(reserve()).thenRejects('product-not-found')
    listing(listed(), removed).when(reserve()).thenRejects('product-not-found')
    listing(listed({ sellerId: 8 }))
      .when(reserve())
      .thenRejects('product-not-found')
    listing(listed(), reserved(), removed).when(reserve()).thenNothing()
  })

  it('is refused while people bid, and while the end of an auction that was won is on its way', () => {
    listing(auctioned())
      .when(reserve(deal, bala, 'has-bids'))
      .thenRejects('auction-has-bids')
    listing(auctioned())
      .when(reserve(deal, bala, 'won'))
      .thenRejects('product-reserved')
  })

  it('ends nothing that features it, and tells that few are left', () => {
    listing(listed(), featured).when(reserve()).then([reserved()])
    listing(listed({ stockQuantity: 6 }))
      .when(reserve())
      .then([reserved(), stockLow])
    listing(listed({ stockQuantity: 7 }))
      .when(reserve())
      .then([reserved()])
  })

  it('takes over the lot of whoever won it, at what was bid, and nobody else’s', () => {
    const winners = listing(auctioned(2), lot)
    winners.when({ ...reserve(deal, bala, 'won'), auctionId: 5, amountSen: 1 }).then([reserved(deal, 5)])
    // Asked by a messaging of before, which does not say whose lot it is.
    winners.when({ ...reserve(deal, bala, 'won'), amountSen: 1 }).then([reserved(deal, 5)])
    winners.when(reserve(otherDeal, mei, 'won')).thenRejects('product-reserved')
    listing(auctioned(2), lot, reserved(deal, 5)).when(reserve(otherDeal, bala)).thenRejects('product-reserved')
  })
})

describe('an offer from before an auction ended', () => {
  it('is not taken by whoever has won it since', () => {
    listing(auctioned(), lot)
      .when({ ...reserve(deal, bala, 'won'), auctionId: null })
      .thenRejects('conflict')
    listing(auctioned(), lot)
      .when({ ...reserve(deal, bala, 'won'), auctionId: 4 })
      .thenRejects('conflict')
  })

  it('of a lot goes with the lot, and comes back with none', () => {
    const givenUp = released({ transactionId: null, auctionId: 5, reason: 'released' })
    listing(auctioned(2), lot, givenUp)
      .when({ ...reserve(), auctionId: 5 })
      .thenRejects('conflict')
    listing(auctioned(2), lot, givenUp)
      .when({ ...reserve(), auctionId: null })
      .then([reserved()])
  })

  it('that was taken is', () => {
    listing(auctioned(2), reserved(), lot)
      .when({ ...reserve(), auctionId: null })
      .thenNothing()
  })
})

describe('a deal that is called off', () => {
  it('lets go of its bottle, once', () => {
    listing(listed(), reserved()).when(release('buyer')).then([released()])
    listing(listed(), reserved(), released()).when(release('buyer')).thenNothing()
    listing(listed()).when(release('seller')).thenNothing()
    listing().when(release('seller')).thenNothing()
    listing(listed(), reserved(otherDeal)).when(release('seller')).thenNothing()
  })

  it('leaves a lot with its winner unless the winner calls it off', () => {
    const claimed = listing(auctioned(), lot, reserved(deal, 5))
    claimed.when(release('seller', deal, 5)).then([released({ auctionId: 5, isKept: true })])
    claimed.when(release('buyer', deal, 5)).then([released({ auctionId: 5 })])
    claimed.when(release('admin', deal, 5)).then([released({ auctionId: 5 })])
    claimed.when(release('nobody')).then([released({ auctionId: 5, isKept: true, reason: 'not-confirmed' })])
    listing(auctioned(), lot, reserved(deal, 5), released({ auctionId: 5, isKept: true }))
      .when(reserve(otherDeal))
      .then([reserved(otherDeal, 5)])
  })

  it('frees the lot of a winner who has confirmed nothing yet, and of no other deal', () => {
    listing(auctioned(), lot)
      .when(release('buyer', deal, 5))
      .then([released({ auctionId: 5 })])
    listing(auctioned(), lot)
      .when(release('seller', deal, 5))
      .thenNothing()
    listing(auctioned(), lot)
      .when(release('buyer', deal, 4))
      .thenNothing()
    listing(auctioned(), lot, reserved(otherDeal, 5))
      .when(release('buyer', deal, 5))
      .thenNothing()
  })

  it('gets no bottle any more, however late it was asked for', () => {
    const late = 'deal-cancelled'
    listing(listed(), reserved(), released()).when(reserve()).thenRejects(late)
    listing(listed(), reserved(), released())
      .when(reserve(otherDeal))
      .then([reserved(otherDeal)])
    listing(auctioned(), lot, reserved(deal, 5), released({ auctionId: 5, isKept: true }))
      .when({ ...reserve(), auctionId: 5 })
      .thenRejects(late)
    listing(listed(), reserved(), sold(), released({ wasSold: true }))
      .when(reserve())
      .thenRejects(late)
    listing(listed(), reserved(), released({ reason: 'not-confirmed' }))
      .when(reserve())
      .then([reserved()])
  })

  it('brings a bottle back that was paid', () => {
    const back = released({ wasSold: true })
    listing(listed(), reserved(), sold()).when(release('admin')).then([back])
    listing(listed(), reserved(), sold(), back).when(release('admin')).thenNothing()
    listing(listed(), reserved(), sold(), back)
      .when(reserve(otherDeal))
      .then([reserved(otherDeal)])
    listing(listed(), reserved(), sold()).when(release('nobody')).thenNothing()
    listing(listed(), reserved(), sold(), removed).when(release('admin')).then([back])
  })
})

describe('a bottle that is paid', () => {
  it('is sold once', () => {
    listing(listed({ stockQuantity: 3 }), reserved())
      .when(sell())
      .then([sold(2)])
    listing(listed(), reserved(), sold()).when(sell()).thenNothing()
    listing(auctioned(), lot, reserved(deal, 5))
      .when(sell())
      .then([sold(0, 5)])
    listing(listed(), reserved(), removed).when(sell()).then([sold()])
  })

  it('ends what features it with the last one', () => {
    listing(listed({ stockQuantity: 2 }), featured, reserved())
      .when(sell())
      .then([sold(1)])
    listing(listed(), featured, reserved()).when(sell()).then([sold(), unfeatured])
    listing(auctioned(), featured, lot, reserved(deal, 5))
      .when(sell())
      .then([sold(0, 5), unfeatured])
    // A reservation has ended it, as it did once.
    listing(listed(), featured, reserved(), unfeatured).when(sell()).then([sold()])
  })

  it('is any bottle when the deal has lost its own', () => {
    listing(listed({ stockQuantity: 6 }), featured)
      .when(sell())
      .then([sold(5), stockLow])
    listing(listed({ stockQuantity: 6 }), removed)
      .when(sell())
      .then([sold(5)])
    listing(listed(), featured).when(sell()).then([sold(), unfeatured])
    listing(auctioned(), lot)
      .when(sell())
      .then([sold(0, 5)])
  })

  it('waits when there is none', () => {
    listing(listed(), reserved(otherDeal)).when(sell()).thenRejects('product-reserved')
    listing(listed(), reserved(otherDeal), sold(0, null, otherDeal))
      .when(sell())
      .thenRejects('product-sold')
    listing().when(sell()).thenRejects('product-not-found')
  })

  it('makes room for the next auction of the others', () => {
    const won = { type: 'SettleAuction', auctionId: 6, end: { outcome: 'won', winnerId: bala, amountSen: 26_000 }, at }
    listing(auctioned(2), lot, reserved(deal, 5), sold(1, 5))
      .when(won as ListingCommand)
      .then([reserved(null, 6)])
    listing(auctioned(1), reserved(deal))
      .when(won as ListingCommand)
      .thenRejects('product-reserved')
  })
})

describe('a lot that its seller gives up', () => {
  const on = (isWinnerGone: boolean, time: string, actorId = sarah, note: string | null = null) =>
    ({ type: 'ReleaseLot', actorId, auctionId: 5, isWinnerGone, note, at: time }) as const
  const keptUntil = new Date(Date.parse(at) + LOT_KEPT_MS).toISOString()
  const lastMoment = new Date(Date.parse(at) + LOT_KEPT_MS - 1).toISOString()
  const given = (time: string) => released({ transactionId: null, auctionId: 5, reason: 'released', releasedAt: time })

  it('is free when the winner has had their time, once', () => {
    listing(auctioned(), lot).when(on(false, lastMoment)).thenRejects('conflict')
    listing(auctioned(), lot)
      .when(on(false, keptUntil))
      .then([given(keptUntil)])
    listing(auctioned(), lot, given(keptUntil)).when(on(false, keptUntil)).thenNothing()
  })

  it('says until when it is kept', () => {
    const kept = fold(listingDecider, [auctioned(), lot])
    expect(() => listingDecider.decide(on(false, at), kept)).toThrow(
      'The winner has until 26 November 2026 at 16:00 to pay.',
    )
  })

  it('is free at once when the winner is gone', () => {
    listing(auctioned(), lot)
      .when(on(true, at))
      .then([given(at)])
    const why = { ...given(at).data, note: 'They were banned.' }
    listing(auctioned(), lot)
      .when(on(true, at, sarah, 'They were banned.'))
      .then([{ type: 'ListingReleased', data: why } as CatalogueEvent])
  })

  it('keeps its time whatever becomes of deals', () => {
    const lateClaim = reserved(deal, 5)
    const again = { ...lateClaim, data: { ...lateClaim.data, reservedAt: lastMoment } }
    const story = [auctioned(), lot, again, released({ auctionId: 5, isKept: true, releasedAt: lastMoment })]
    listing(...story)
      .when(on(false, keptUntil))
      .then([given(keptUntil)])
  })

  it('is refused while a deal has it, when it is sold, to others, and before the end is known', () => {
    listing(auctioned(), lot, reserved(deal, 5)).when(on(true, later)).thenRejects('conflict')
    listing(auctioned(), lot, reserved(deal, 5), sold(0, 5)).when(on(true, later)).thenRejects('product-sold')
    listing(auctioned(), lot)
      .when(on(true, later, mei))
      .thenRejects('forbidden')
    listing(auctioned()).when(on(true, later)).thenRejects('conflict')
    listing().when(on(true, later)).thenRejects('product-not-found')
  })
})

describe('the seller meanwhile', () => {
  const update = (changes: Partial<ListingFacts>, hold: AuctionHold = 'none') =>
    ({ type: 'UpdateListing', actorId: sarah, changes, hold, at }) as const
  const updated = (facts: Partial<ListingFacts>): CatalogueEvent => {
    const { createdAt: _, ...known } = listingFacts(facts)
    return { type: 'ListingUpdated', data: { ...known, updatedAt: at } }
  }
  const longer = `${listingFacts().description} With its box.`

  it('takes away no bottle that is kept', () => {
    const two = listing(listed({ stockQuantity: 3 }), reserved(), reserved(otherDeal))
    two.when(update({ stockQuantity: 1 })).thenRejects('product-reserved')
    two.when(update({ stockQuantity: 2 })).then([updated({ stockQuantity: 2 })])
    two.when({ type: 'DeleteListing', actorId: sarah, at }).thenRejects('product-reserved')
  })

  it('may change what is for others, as long as there is a bottle for them', () => {
    listing(listed({ stockQuantity: 2 }), reserved())
      .when(update({ priceSen: 99_000, name: 'Another' }))
      .then([updated({ stockQuantity: 2, priceSen: 99_000, name: 'Another' })])
    const all = listing(listed(), reserved())
    all.when(update({ priceSen: 1 })).thenRejects('product-reserved')
    all.when(update({ description: 'Something else.' })).thenRejects('product-reserved')
    all
      .when(update({ description: longer, stockQuantity: 4 }))
      .then([updated({ description: longer, stockQuantity: 4 })])
    listing(auctioned(3), lot)
      .when(update({ priceSen: 1 }, 'won'))
      .thenRejects('product-reserved')
    listing(auctioned(3), lot)
      .when(update({ description: longer }, 'won'))
      .then([updated({ listingType: 'auction', stockQuantity: 3, description: longer })])
  })

  it('keeps what is sold as it was bought, and brings no bottle to it', () => {
    const all = listing(listed(), reserved(), sold())
    for (const changes of [
      { name: 'Another' },
      { priceSen: 99_000 },
      { stockQuantity: 3 },
      { description: 'Something else.' },
      { description: longer, stockQuantity: 1 },
    ]) {
      all.when(update(changes)).thenRejects('product-sold')
    }
    all.when(update({ name: 'Santal 33', stockQuantity: 0 })).thenNothing()
    all.when(update({ description: longer })).then([updated({ description: longer, stockQuantity: 0 })])
    const won = listing(auctioned(), lot, reserved(deal, 5), sold(0, 5))
    won.when(update({ priceSen: 99_000 }, 'won')).thenRejects('product-sold')
    won
      .when(update({ description: longer }))
      .then([updated({ listingType: 'auction', description: longer, stockQuantity: 0 })])
  })

  it('may change and restock what is sold in part, or came back', () => {
    const changes = { name: 'Another', priceSen: 99_000, stockQuantity: 9 }
    listing(listed({ stockQuantity: 3 }), reserved(), sold(2))
      .when(update(changes))
      .then([updated(changes)])
    listing(listed(), reserved(), sold(), released({ wasSold: true }))
      .when(update(changes))
      .then([updated(changes)])
  })

  it('ends what features it by taking away the last bottle, unless that is kept for somebody', () => {
    listing(listed({ stockQuantity: 2 }), reserved(), featured)
      .when(update({ stockQuantity: 1 }))
      .then([updated({ stockQuantity: 1 })])
    listing(listed({ stockQuantity: 2 }), reserved(), sold(1), featured)
      .when(update({ stockQuantity: 0 }))
      .then([updated({ stockQuantity: 0 }), unfeatured])
  })
})

it.each<readonly [string, readonly CatalogueEvent[], string]>([
  ['nothing', [listed()], 'active'],
  ['some bottles kept', [listed({ stockQuantity: 2 }), reserved()], 'active'],
  ['all bottles kept', [listed(), reserved()], 'pending'],
  ['a lot beside other bottles', [auctioned(3), lot], 'pending'],
  ['a lot in a deal', [auctioned(3), lot, reserved(deal, 5)], 'pending'],
  ['a lot sold, others left', [auctioned(3), lot, reserved(deal, 5), sold(2, 5)], 'active'],
  ['all sold', [listed(), reserved(), sold()], 'sold'],
  [
    'all sold but one that is kept',
    [listed({ stockQuantity: 2 }), reserved(), reserved(otherDeal), sold(1)],
    'pending',
  ],
  ['listed without a bottle', [listed({ stockQuantity: 0 })], 'active'],
])('after %s is %s', (_what, events, standing) => {
  const now = fold(listingDecider, events)
  expect(now.status === 'listed' && standingOf(now)).toBe(standing)
})

describe('deals, edits and auctions in whatever order', () => {
  const transactionId = fc.integer({ min: 1, max: 6 })
  const command = fc.oneof(
    fc.record({ type: fc.constant('ReserveBottle'), transactionId }),
    fc.record({
      type: fc.constant('ReleaseBottle'),
      transactionId,
      by: fc.constantFrom('seller', 'buyer', 'admin', 'nobody'),
    }),
    fc.record({ type: fc.constant('SellBottle'), transactionId }),
    fc.record({ type: fc.constant('UpdateListing'), stockQuantity: fc.integer({ min: 0, max: 5 }) }),
    fc.record({ type: fc.constant('SettleAuction'), auctionId: fc.integer({ min: 1, max: 5 }) }),
    fc.record({ type: fc.constant('ReleaseLot'), auctionId: fc.integer({ min: 1, max: 5 }) }),
  )
  /** Deals of one and the same number are always those of the same buyer, each second deal is that of whoever wins auctions. */
  const buyerOf = (of: number) => (of % 2 === 0 ? bala : mei)

  function commandOf(asked: Record<string, unknown>): ListingCommand {
    const of = Number(asked['transactionId'] ?? 0)
    const defaults = {
      sellerId: sarah,
      buyerId: buyerOf(of),
      amountSen: 26_000,
      hold: 'none',
      auctionId: null,
      actorId: sarah,
      changes: { stockQuantity: asked['stockQuantity'] },
      end: { outcome: 'won', winnerId: bala, amountSen: 26_000 },
      isWinnerGone: true,
      note: null,
      at,
    }
    return { ...defaults, ...asked } as unknown as ListingCommand
  }

  function attempt(asked: ListingCommand, now: Listing): readonly CatalogueEvent[] {
    try {
      return listingDecider.decide(asked, now)
    } catch (error) {
      if (error instanceof Rejection) return []
      throw error
    }
  }

  it('make no bottle and lose none, and end a boost when all are sold only', () => {
    fc.assert(
      fc.property(fc.constantFrom('fixed', 'auction'), fc.array(command, { maxLength: 60 }), (listingType, asked) => {
        const first = listed({ listingType: listingType as 'fixed', stockQuantity: 3 })
        let now: Listing = fold(listingDecider, [first, featured])
        let bottles = 3
        let wasSold = false
        for (const each of asked.map(commandOf)) {
          const before = now
          const events = attempt(each, before)
          now = fold(listingDecider, events, before)
          if (before.status !== 'listed' || now.status !== 'listed') throw new Error('it stays listed')
          // Only the seller brings bottles, or takes them away.
          if (each.type === 'UpdateListing') bottles += now.facts.stockQuantity - before.facts.stockQuantity
          expect(availableOf(now) + now.reservations.length + now.sales.length).toBe(bottles)
          expect(availableOf(now)).toBeGreaterThanOrEqual(0)
          wasSold ||= standingOf(now) === 'sold'
          expect(now.featuredUntil).toBe(wasSold ? null : later)
          // A deal has one bottle at most, kept or sold, and there is one lot at most.
          const deals = [...now.reservations, ...now.sales].flatMap((one) => one.transactionId ?? [])
          expect(new Set(deals).size).toBe(deals.length)
          expect(now.reservations.filter(({ auctionId }) => auctionId !== null).length).toBeLessThanOrEqual(1)
          // The same again is nothing.
          expect(attempt(each, now)).toEqual([])
        }
      }),
      { numRuns: 500 },
    )
  })
})
