import type { ProductImage } from '@wangian/contracts/catalogue.ts'
import type { CatalogueEvent } from '@wangian/contracts/events/catalogue.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { fold } from '@wangian/kit/log/decider.ts'
import { given } from '@wangian/kit/testing/decider-spec.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { listingFacts } from '../testing/fixtures.ts'
import { type AuctionHold, availableOf, type Listing, lotOf } from './domain/listing.ts'
import { type AuctionEnd, type ListingChanges, type ListingCommand, listingDecider, listingStream } from './domain.ts'

type Lost = Exclude<AuctionEnd['outcome'], 'won'>

const facts = listingFacts()
const created: CatalogueEvent = { type: 'ListingCreated', data: facts }

const image = (id: number, imageOrder = 0): ProductImage => ({ id, imageUrl: `picture-${id}`, imageOrder })
const pictured = (...images: ProductImage[]): CatalogueEvent => ({
  type: 'ListingPicturesChanged',
  data: { productId: facts.productId, imageUrls: images.map(({ imageUrl }) => imageUrl), images },
})
const addPicture = (added: ProductImage, actorId = facts.sellerId, hold: AuctionHold = 'none') =>
  ({ type: 'AddPicture', actorId, image: added, hold }) as const

it('names the stream by the product', () => {
  expect(listingStream(42)).toBe('listing-42')
})

describe('no listing', () => {
  it('is created with the facts of the form', () => {
    given(listingDecider, []).when({ type: 'CreateListing', facts }).then([created])
  })

  it('needs a bottle to auction', () => {
    const none = listingFacts({ listingType: 'auction', stockQuantity: 0 })
    given(listingDecider, []).when({ type: 'CreateListing', facts: none }).thenRejects('bad-request')
  })

  it('may be sold out from the start when the price is fixed', () => {
    const none = listingFacts({ stockQuantity: 0 })
    given(listingDecider, [])
      .when({ type: 'CreateListing', facts: none })
      .then([{ type: 'ListingCreated', data: none }])
  })

  it('takes no picture', () => {
    given(listingDecider, [])
      .when(addPicture(image(1)))
      .thenRejects('product-not-found')
  })
})

describe('a listing', () => {
  it('is not created twice', () => {
    given(listingDecider, [created]).when({ type: 'CreateListing', facts }).thenNothing()
  })

  it('takes pictures of its seller', () => {
    given(listingDecider, [created])
      .when(addPicture(image(1)))
      .then([pictured(image(1))])
  })

  it('takes no picture of anybody else', () => {
    given(listingDecider, [created])
      .when(addPicture(image(1), 8))
      .thenRejects('forbidden')
  })

  it('shows pictures in the order that was asked for, then in the order of their announcement', () => {
    given(listingDecider, [created, pictured(image(1, 0), image(2, 2))])
      .when(addPicture(image(3, 1)))
      .then([pictured(image(1, 0), image(3, 1), image(2, 2))])
    given(listingDecider, [created, pictured(image(1, 0), image(3, 0))])
      .when(addPicture(image(2, 0)))
      .then([pictured(image(1, 0), image(2, 0), image(3, 0))])
  })

  it('keeps its main picture while its auction has bids, and takes others behind it', () => {
    const has = given(listingDecider, [created, pictured(image(2, 1))])
    has.when(addPicture(image(3, 0), facts.sellerId, 'has-bids')).thenRejects('auction-has-bids')
    has.when(addPicture(image(1, 1), facts.sellerId, 'has-bids')).thenRejects('auction-has-bids')
    has.when(addPicture(image(3, 1), facts.sellerId, 'has-bids')).then([pictured(image(2, 1), image(3, 1))])
    has.when(addPicture(image(3, 0), facts.sellerId, 'open')).then([pictured(image(3, 0), image(2, 1))])
    const elsewhere = { ...facts, imageUrl: 'https://example.com/oud.jpg' }
    given(listingDecider, [{ type: 'ListingCreated', data: elsewhere }])
      .when(addPicture(image(1), facts.sellerId, 'has-bids'))
      .thenRejects('auction-has-bids')
    given(listingDecider, [{ type: 'ListingCreated', data: { ...facts, imageUrl: null } }])
      .when(addPicture(image(1), facts.sellerId, 'has-bids'))
      .then([pictured(image(1))])
  })

  it('has a picture once', () => {
    given(listingDecider, [created, pictured(image(1))])
      .when(addPicture(image(1)))
      .thenNothing()
  })

  it('has five pictures at most', () => {
    const five = [1, 2, 3, 4, 5].map((id) => image(id, id - 1))
    given(listingDecider, [created, pictured(...five)])
      .when(addPicture(image(6)))
      .thenRejects('images-full')
  })
})

const at = '2026-11-22T08:00:00.000Z'
const later = '2026-11-23T08:00:00.000Z'
const muchLater = '2026-11-30T08:00:00.000Z'
const commandId = '0193a000-0000-7000-8000-000000000001'
const otherCommandId = '0193a000-0000-7000-8000-000000000002'
const { createdAt: _, ...changeable } = facts
const auctioned: CatalogueEvent = {
  type: 'ListingCreated',
  data: listingFacts({ listingType: 'auction', stockQuantity: 2 }),
}
const who = { productId: facts.productId, sellerId: facts.sellerId }
const reserved = {
  type: 'ListingReserved',
  data: { ...who, name: facts.name, buyerId: 21, amountSen: 26_000, transactionId: null, auctionId: 5, reservedAt: at },
} satisfies CatalogueEvent
const returned = (auctionId: number, reason: Lost = 'no-bids'): CatalogueEvent => ({
  type: 'ListingReturned',
  data: { ...who, name: facts.name, auctionId, reason, leaderId: 22, returnedAt: at },
})
const deleted: CatalogueEvent = {
  type: 'ListingRemoved',
  data: { ...who, name: facts.name, by: 'seller', reason: null, removedAt: at },
}
const featured: CatalogueEvent = {
  type: 'ListingFeatured',
  data: { ...who, packageId: 5, commandId, featuredAt: at, featuredUntil: later },
}
const unfeatured = (unfeaturedAt: string): CatalogueEvent => ({
  type: 'ListingUnfeatured',
  data: { ...who, unfeaturedAt },
})

describe('changing a listing', () => {
  const update = (changes: ListingChanges, hold: AuctionHold = 'none', actorId = facts.sellerId) =>
    ({ type: 'UpdateListing', actorId, changes, hold, at }) as const

  const deal = { ...reserved, data: { ...reserved.data, transactionId: 61, auctionId: null } }
  const stocked = (stockQuantity: number): CatalogueEvent => ({
    type: 'ListingUpdated',
    data: { ...changeable, listingType: 'auction', stockQuantity, updatedAt: at },
  })

  it('tells all facts as they are then', () => {
    given(listingDecider, [created])
      .when(update({ name: 'Santal 33 (sealed)', priceSen: 70_000, batchCode: null }))
      .then([
        {
          type: 'ListingUpdated',
          data: { ...changeable, name: 'Santal 33 (sealed)', priceSen: 70_000, batchCode: null, updatedAt: at },
        },
      ])
  })

  it('tells of a price that is lower than before, but for an auction', () => {
    const priceSen = facts.priceSen - 1
    const { productId, sellerId, name } = facts
    const event = { type: 'ListingUpdated', data: { ...changeable, priceSen, updatedAt: at } } as const
    const price = { productId, sellerId, name, priceSen, formerPriceSen: facts.priceSen, loweredAt: at }
    given(listingDecider, [created])
      .when(update({ priceSen }))
      .then([event, { type: 'PriceLowered', data: price }])
    given(listingDecider, [auctioned])
      .when(update({ priceSen }, 'open'))
      .then([{ ...event, data: { ...event.data, listingType: 'auction', stockQuantity: 2 } }])
  })

  it('tells of no lower price of what is given up in the same act', () => {
    const changes = { priceSen: facts.priceSen - 1, stockQuantity: 0 }
    given(listingDecider, [created])
      .when(update(changes))
      .then([{ type: 'ListingUpdated', data: { ...changeable, ...changes, updatedAt: at } }])
  })

  it('changes nothing when everything is so already', () => {
    given(listingDecider, [created])
      .when(update({ name: facts.name, stockQuantity: 1 }))
      .thenNothing()
    given(listingDecider, [created]).when(update({})).thenNothing()
    given(listingDecider, [auctioned, reserved])
      .when(update({ name: facts.name }))
      .thenNothing()
  })

  it('is for its seller', () => {
    given(listingDecider, [created])
      .when(update({ name: 'Mine now' }, 'none', 8))
      .thenRejects('forbidden')
    given(listingDecider, [])
      .when(update({ name: 'Nothing' }))
      .thenRejects('product-not-found')
    given(listingDecider, [created, deleted])
      .when(update({ name: 'Back' }))
      .thenRejects('product-not-found')
  })

  it('goes between fixed and negotiable only', () => {
    given(listingDecider, [created])
      .when(update({ listingType: 'negotiable' }))
      .then([{ type: 'ListingUpdated', data: { ...changeable, listingType: 'negotiable', updatedAt: at } }])
    given(listingDecider, [created])
      .when(update({ listingType: 'auction' }))
      .thenRejects('bad-request')
    given(listingDecider, [auctioned])
      .when(update({ listingType: 'fixed' }))
      .thenRejects('bad-request')
  })

  it('leaves a bottle to auction', () => {
    given(listingDecider, [auctioned])
      .when(update({ stockQuantity: 0 }))
      .thenRejects('bad-request')
  })

  it('leaves a bottle that no deal has while its auction is open', () => {
    const dealt = given(listingDecider, [auctioned, deal])
    dealt.when(update({ stockQuantity: 1 }, 'open')).thenRejects('product-reserved')
    dealt.when(update({ stockQuantity: 1 })).then([stocked(1)])
    dealt.when(update({ stockQuantity: 3 }, 'open')).then([stocked(3)])
  })

  it('gets a bottle for whoever has won it, where no other is left', () => {
    const { reservedAt: soldAt, ...paid } = deal.data
    const sold: CatalogueEvent = { type: 'ListingSold', data: { ...paid, stockQuantity: 0, soldAt } }
    const won = { outcome: 'won', winnerId: 21, amountSen: 26_000 } as const
    const settle = { type: 'SettleAuction', auctionId: 5, end: won, at } as const
    for (const events of [
      [auctioned, stocked(1), deal],
      [auctioned, stocked(1), deal, sold],
    ]) {
      const waiting = given(listingDecider, events)
      waiting.when(settle).thenRejects('product-reserved')
      waiting.when(update({ stockQuantity: 2 }, 'won')).then([stocked(2)])
      given(listingDecider, [...events, stocked(2)])
        .when(settle)
        .then([reserved])
    }
    const waiting = given(listingDecider, [auctioned, deal])
    waiting.when(update({ stockQuantity: 1 }, 'won')).thenRejects('product-reserved')
    waiting.when(update({ stockQuantity: 3, name: 'Another' }, 'won')).thenRejects('product-reserved')
  })

  it('is free before the first bid, and only adds to the description after it', () => {
    const longer = `${facts.description} The cap has a scratch.`
    given(listingDecider, [auctioned])
      .when(update({ name: 'Another' }, 'open'))
      .then([
        {
          type: 'ListingUpdated',
          data: { ...changeable, listingType: 'auction', stockQuantity: 2, name: 'Another', updatedAt: at },
        },
      ])
    given(listingDecider, [auctioned])
      .when(update({ description: longer }, 'has-bids'))
      .then([
        {
          type: 'ListingUpdated',
          data: { ...changeable, listingType: 'auction', stockQuantity: 2, description: longer, updatedAt: at },
        },
      ])
    for (const changes of [
      { name: 'Another' },
      { description: 'Something else altogether.' },
      { description: longer, priceSen: 1 },
    ]) {
      given(listingDecider, [auctioned]).when(update(changes, 'has-bids')).thenRejects('auction-has-bids')
    }
  })

  it('waits for the winner', () => {
    given(listingDecider, [auctioned, reserved])
      .when(update({ name: 'Another' }))
      .thenRejects('product-reserved')
    given(listingDecider, [auctioned])
      .when(update({ name: 'Another' }, 'won'))
      .thenRejects('product-reserved')
  })
})

describe('the pictures of a listing', () => {
  const order = (imageIds: number[], hold: AuctionHold = 'none', actorId = facts.sellerId) =>
    ({ type: 'OrderPictures', actorId, imageIds, hold }) as const
  const remove = (imageId: number, hold: AuctionHold = 'none', actorId = facts.sellerId) =>
    ({ type: 'RemovePicture', actorId, imageId, hold }) as const
  const three = [auctioned, pictured(image(1, 0), image(2, 0), image(3, 4))]

  it('are put into another order', () => {
    given(listingDecider, three)
      .when(order([3, 1, 2]))
      .then([pictured(image(3, 0), image(1, 1), image(2, 2))])
  })

  it('stay when that is their order', () => {
    given(listingDecider, three)
      .when(order([1, 2, 3]))
      .thenNothing()
    given(listingDecider, [created]).when(order([])).thenNothing()
  })

  it.each([[[1, 2]], [[1, 2, 3, 4]], [[1, 2, 2]], [[1, 1, 2, 3]], [[1, 2, 9]], [[]]])('are not %j', (imageIds) => {
    given(listingDecider, three).when(order(imageIds)).thenRejects('conflict')
  })

  it('are taken off, once', () => {
    given(listingDecider, three)
      .when(remove(2))
      .then([pictured(image(1, 0), image(3, 4))])
    given(listingDecider, [...three, pictured(image(1, 0), image(3, 4))])
      .when(remove(2))
      .thenNothing()
  })

  it('are changed by their seller', () => {
    for (const command of [order([3, 2, 1], 'none', 8), remove(1, 'none', 8)]) {
      given(listingDecider, three).when(command).thenRejects('forbidden')
      given(listingDecider, [created, deleted]).when(command).thenRejects('product-not-found')
    }
  })

  it('are what people have bid on', () => {
    for (const [hold, code] of [
      ['has-bids', 'auction-has-bids'],
      ['won', 'product-reserved'],
    ] as const) {
      given(listingDecider, three)
        .when(order([3, 2, 1], hold))
        .thenRejects(code)
      given(listingDecider, three).when(remove(1, hold)).thenRejects(code)
    }
    given(listingDecider, [...three, reserved])
      .when(remove(1))
      .thenRejects('product-reserved')
    given(listingDecider, [...three, reserved])
      .when(addPicture(image(4)))
      .thenRejects('product-reserved')
  })

  it('are what was bought', () => {
    const { name: _, reservedAt, ...deal } = reserved.data
    const sold: CatalogueEvent = {
      type: 'ListingSold',
      data: { ...who, name: facts.name, ...deal, transactionId: 61, stockQuantity: 0, soldAt: reservedAt },
    }
    for (const command of [order([3, 2, 1]), remove(1), addPicture(image(4))]) {
      given(listingDecider, [...three, sold])
        .when(command)
        .thenRejects('product-sold')
    }
  })
})

describe('taking a listing away', () => {
  const remove = (actorId = facts.sellerId) => ({ type: 'DeleteListing', actorId, at }) as const

  it('is final, and done once', () => {
    given(listingDecider, [created]).when(remove()).then([deleted])
    given(listingDecider, [created, deleted]).when(remove()).thenNothing()
    given(listingDecider, [created, deleted])
      .when(addPicture(image(1)))
      .thenRejects('product-not-found')
  })

  it('is for its seller', () => {
    given(listingDecider, [created]).when(remove(8)).thenRejects('forbidden')
    given(listingDecider, [created, deleted]).when(remove(8)).thenRejects('product-not-found')
    given(listingDecider, []).when(remove()).thenRejects('product-not-found')
  })

  it('waits for the winner', () => {
    given(listingDecider, [auctioned, reserved]).when(remove()).thenRejects('product-reserved')
  })

  it('ends what features it', () => {
    given(listingDecider, [created, featured])
      .when(remove())
      .then([unfeatured(at), deleted])
  })
})

describe('removing a listing', () => {
  const remove = { type: 'RemoveListing', reason: 'A copy.', at } as const
  const removed: CatalogueEvent = {
    type: 'ListingRemoved',
    data: { ...who, name: facts.name, by: 'admin', reason: 'A copy.', removedAt: at },
  }

  it('is done once: what is gone is not there', () => {
    given(listingDecider, [created]).when(remove).then([removed])
    given(listingDecider, [created, removed]).when(remove).thenRejects('product-not-found')
    given(listingDecider, [created, deleted]).when(remove).thenRejects('product-not-found')
    given(listingDecider, []).when(remove).thenRejects('product-not-found')
  })

  it('waits for nobody, and ends what features it', () => {
    given(listingDecider, [auctioned, reserved]).when(remove).then([removed])
    for (const events of [
      [created, featured],
      [auctioned, featured, reserved],
    ]) {
      given(listingDecider, events)
        .when(remove)
        .then([unfeatured(at), removed])
    }
  })
})

describe('the end of an auction', () => {
  const won = (auctionId = 5) =>
    ({ type: 'SettleAuction', auctionId, end: { outcome: 'won', winnerId: 21, amountSen: 26_000 }, at }) as const
  const lost = (auctionId = 5, outcome: Lost = 'no-bids') =>
    ({ type: 'SettleAuction', auctionId, end: { outcome, leaderId: 22 }, at }) as const

  it('keeps the listing for the winner, once', () => {
    given(listingDecider, [auctioned]).when(won()).then([reserved])
    given(listingDecider, [auctioned, reserved]).when(won()).thenNothing()
  })

  it('does not keep it again once it came back', () => {
    given(listingDecider, [auctioned, reserved, returned(5)])
      .when(won())
      .thenNothing()
    given(listingDecider, [auctioned, reserved, returned(5)])
      .when(won(6))
      .then([{ type: 'ListingReserved', data: { ...reserved.data, auctionId: 6 } } as CatalogueEvent])
  })

  it.each(['no-bids', 'reserve-not-met', 'winner-unavailable'] as const)('gives it back after %s, once', (outcome) => {
    given(listingDecider, [auctioned])
      .when(lost(5, outcome))
      .then([returned(5, outcome)])
    given(listingDecider, [auctioned, returned(5, outcome)])
      .when(lost(5, outcome))
      .thenNothing()
  })

  it('of an earlier one means nothing any more', () => {
    given(listingDecider, [auctioned, returned(6)])
      .when(won(5))
      .thenNothing()
  })

  it('means nothing to what is gone', () => {
    given(listingDecider, [auctioned, deleted]).when(won()).thenNothing()
    given(listingDecider, [auctioned, deleted]).when(lost()).thenNothing()
    given(listingDecider, []).when(won()).thenNothing()
  })

  it('ends nothing that features it', () => {
    given(listingDecider, [auctioned, featured]).when(won()).then([reserved])
    given(listingDecider, [auctioned, featured])
      .when(lost())
      .then([returned(5)])
  })

  it.each([
    [7, 0],
    [6, 1],
    [5, 0],
    [1, 0],
  ])('with %i bottles tells %i times that few are left', (stockQuantity, times) => {
    const stocked: CatalogueEvent = {
      type: 'ListingCreated',
      data: listingFacts({ listingType: 'auction', stockQuantity }),
    }
    const low: CatalogueEvent = { type: 'StockLow', data: { ...who, name: facts.name, stockQuantity: 5, at } }
    given(listingDecider, [stocked])
      .when(won())
      .then(times === 0 ? [reserved] : [reserved, low])
  })
})

describe('featuring a listing', () => {
  const feature = (featuredUntil: string, id = commandId, now = at) =>
    ({ type: 'FeatureListing', packageId: 5, featuredUntil, commandId: id, canBeSeen: true, at: now }) as const
  const unfeature = (now: string) => ({ type: 'UnfeatureListing', at: now }) as const

  it('lasts until its end', () => {
    given(listingDecider, [created]).when(feature(later)).then([featured])
    given(listingDecider, [created, featured]).when(unfeature(at)).thenNothing()
    given(listingDecider, [created, featured])
      .when(unfeature(later))
      .then([unfeatured(later)])
    given(listingDecider, [auctioned, featured, reserved])
      .when(unfeature(later))
      .then([unfeatured(later)])
    given(listingDecider, [created, featured, unfeatured(later)])
      .when(unfeature(muchLater))
      .thenNothing()
  })

  it('is done once for a command, even when it is over', () => {
    given(listingDecider, [created, featured]).when(feature(later)).thenNothing()
    given(listingDecider, [created, featured, unfeatured(at)])
      .when(feature(later))
      .thenNothing()
    given(listingDecider, [created, featured, unfeatured(later)])
      .when(feature(later, commandId, muchLater))
      .thenNothing()
  })

  it('is not refused to a command that has done it, whatever became of the listing', () => {
    for (const since of [[reserved], [deleted], []])
      given(listingDecider, [auctioned, featured, ...since])
        .when({ ...feature(later), canBeSeen: false })
        .thenNothing()
  })

  it('is made longer, never shorter', () => {
    given(listingDecider, [created, featured])
      .when(feature(muchLater, otherCommandId))
      .then([
        {
          type: 'ListingFeatured',
          data: { ...who, packageId: 5, commandId: otherCommandId, featuredAt: at, featuredUntil: muchLater },
        },
      ])
    given(listingDecider, [created, featured]).when(feature(later, otherCommandId)).thenNothing()
  })

  it('goes on from its end for so many hours more, or from now when that is over and nobody has ended it yet', () => {
    const longer = { type: 'FeatureLonger', packageId: 5, durationHours: 24, commandId: otherCommandId } as const
    const aDayAfter = (time: string) => new Date(Date.parse(time) + 24 * 60 * 60 * 1000).toISOString()
    for (const [now, from] of [
      [at, later],
      [muchLater, muchLater],
    ] as const)
      given(listingDecider, [created, featured])
        .when({ ...longer, canBeSeen: true, at: now })
        .then([
          {
            type: 'ListingFeatured',
            data: {
              ...who,
              packageId: 5,
              commandId: otherCommandId,
              featuredAt: now,
              featuredUntil: aDayAfter(from),
            },
          },
        ])
  })

  it('needs an end to come, and a listing that is active', () => {
    given(listingDecider, [created]).when(feature(at)).thenRejects('bad-request')
    given(listingDecider, [auctioned, reserved]).when(feature(later)).thenRejects('conflict')
    given(listingDecider, [created, deleted]).when(feature(later)).thenRejects('product-not-found')
    given(listingDecider, []).when(feature(later)).thenRejects('product-not-found')
    given(listingDecider, [created, featured])
      .when({ ...feature(muchLater, otherCommandId), canBeSeen: false })
      .thenRejects('product-not-found')
    given(listingDecider, [created, deleted]).when(unfeature(later)).thenNothing()
  })
})

describe('whatever is asked for in whatever order', () => {
  const actorId = fc.constantFrom(facts.sellerId, 8)
  const hold = fc.constantFrom<AuctionHold>('none', 'open', 'has-bids', 'won')
  const imageId = fc.integer({ min: 1, max: 7 })
  const time = fc.constantFrom(at, later, muchLater)
  const changes = fc.record(
    {
      name: fc.constantFrom('Santal 33', 'Another 13'),
      description: fc.constantFrom(facts.description, `${facts.description} More.`, 'Something else.'),
      listingType: fc.constantFrom('fixed', 'negotiable', 'auction'),
      stockQuantity: fc.integer({ min: 0, max: 8 }),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<ListingChanges>
  const end = fc.oneof(
    fc.constant<AuctionEnd>({ outcome: 'won', winnerId: 21, amountSen: 26_000 }),
    fc
      .constantFrom('no-bids', 'reserve-not-met', 'winner-unavailable')
      .map((outcome): AuctionEnd => ({ outcome, leaderId: 22 })),
  )
  const of = <Type extends ListingCommand['type']>(
    type: Type,
    fields: { [Field in keyof Omit<Extract<ListingCommand, { type: Type }>, 'type'>]: fc.Arbitrary<unknown> },
  ) => fc.record({ type: fc.constant(type), ...fields }) as unknown as fc.Arbitrary<ListingCommand>
  const commands = fc.array(
    fc.oneof(
      of('UpdateListing', { actorId, changes, hold, at: time }),
      of('AddPicture', { actorId, image: fc.tuple(imageId, fc.nat(4)).map(([id, place]) => image(id, place)), hold }),
      of('OrderPictures', { actorId, imageIds: fc.shuffledSubarray([1, 2, 3, 4, 5, 6, 7]), hold }),
      of('RemovePicture', { actorId, imageId, hold }),
      of('DeleteListing', { actorId, at: time }),
      of('SettleAuction', { auctionId: fc.integer({ min: 1, max: 4 }), end, at: time }),
      of('FeatureListing', {
        packageId: fc.constant(null),
        featuredUntil: time,
        commandId: fc.constantFrom(commandId, otherCommandId),
        canBeSeen: fc.boolean(),
        at: time,
      }),
      of('FeatureLonger', {
        packageId: fc.constant(5),
        durationHours: fc.integer({ min: 1, max: 400 }),
        commandId: fc.constantFrom('0193a000-0000-4000-8000-0000000000c1', '0193a000-0000-4000-8000-0000000000c2'),
        canBeSeen: fc.boolean(),
        at: time,
      }),
      of('UnfeatureListing', { at: time }),
    ),
    { maxLength: 40 },
  )

  it('stays a listing that can be', () => {
    fc.assert(
      fc.property(fc.constantFrom(created, auctioned), commands, (first, asked) => {
        let listing = listingDecider.evolve(listingDecider.initialState, first)
        for (const command of asked) {
          const before = listing
          const events = attempt(command, before)
          listing = fold(listingDecider, events, before)
          // What is gone stays as it is, and what is kept for somebody neither goes nor becomes anything else.
          if (before.status === 'deleted') expect(events).toEqual([])
          if (before.status === 'listed' && lotOf(before) !== undefined) {
            const { name, listingType } = before.facts
            expect(listing).toMatchObject({ status: 'listed', facts: { name, listingType } })
          }
          // Nothing is for anybody but its seller, and the same again is nothing.
          if ('actorId' in command && command.actorId !== facts.sellerId) expect(events).toEqual([])
          expect(attempt(command, listing)).toEqual([])
          if (listing.status !== 'listed') continue
          const { images, facts: now } = listing
          expect(images.length).toBeLessThanOrEqual(5)
          expect(new Set(images.map(({ id }) => id)).size).toBe(images.length)
          expect(now.listingType === 'auction').toBe(first === auctioned)
          if (now.listingType === 'auction') expect(now.stockQuantity).toBeGreaterThan(0)
          expect(availableOf(listing)).toBeGreaterThanOrEqual(0)
        }
      }),
      { numRuns: 300 },
    )
  })

  function attempt(command: ListingCommand, listing: Listing): readonly CatalogueEvent[] {
    try {
      return listingDecider.decide(command, listing)
    } catch (error) {
      if (error instanceof Rejection) return []
      throw error
    }
  }
})
