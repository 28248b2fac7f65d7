import type { AuctionSummary } from '@wangian/contracts/catalogue.ts'
import type { OwnProduct } from '@wangian/contracts/selling.ts'
import { describe, expect, it } from 'vitest'
import { later, nowMs, ownProduct } from '../../../testing/fixtures.ts'
import { auctionStateOf, canCancelAuction, canRelist } from './auction-state.ts'

const auction: AuctionSummary = {
  id: 1,
  status: 'active',
  startsAt: later(-1000),
  endsAt: later(60_000),
  startingPrice: 50,
  currentBid: null,
  bidCount: 0,
  outcome: null,
  winner: null,
  isReleased: false,
}
const mei = { id: 11, username: 'mei' }
const over = { ...auction, status: 'ended', endsAt: later(-1), bidCount: 2, currentBid: 60 } as const
const of = (changes: Partial<AuctionSummary>, product: Partial<OwnProduct> = {}) =>
  ownProduct({ listingType: 'auction', auction: { ...auction, ...changes }, ...product })

const cases: readonly (readonly [string, OwnProduct, object | null, relist: boolean, cancel: boolean])[] = [
  ['no auction', ownProduct({ listingType: 'fixed' }), null, false, false],
  [
    'one that was never set up',
    ownProduct({ listingType: 'auction', auction: null }),
    { kind: 'missing' },
    true,
    false,
  ],
  [
    'one that is to start',
    of({ status: 'scheduled', startsAt: later(1) }),
    { kind: 'scheduled', startsAt: later(1) },
    false,
    true,
  ],
  [
    'one that has started since it was read',
    of({ status: 'scheduled', startsAt: later(0) }),
    { kind: 'running', bidCount: 0, endsAt: later(60_000) },
    false,
    true,
  ],
  ['one that runs', of({}), { kind: 'running', bidCount: 0, endsAt: later(60_000) }, false, true],
  ['one with a bid', of({ bidCount: 1 }), { kind: 'running', bidCount: 1, endsAt: later(60_000) }, false, false],
  ['one whose time is up', of({ endsAt: later(0), bidCount: 2 }), { kind: 'closing', bidCount: 2 }, false, false],
  ['one without a bid', of({ ...over, outcome: 'no-bids' }), { kind: 'unsold' }, true, false],
  ['one below its reserve', of({ ...over, outcome: 'reserve-not-met' }), { kind: 'reserve-not-met' }, true, false],
  [
    'one whose leader is gone',
    of({ ...over, outcome: 'winner-unavailable' }),
    { kind: 'winner-unavailable' },
    true,
    false,
  ],
  ['a cancelled one', of({ status: 'cancelled' }), { kind: 'cancelled' }, true, false],
  [
    'one that is kept for its winner',
    of(
      { ...over, outcome: 'won', winner: mei },
      { status: 'pending', reservation: { buyerId: 11, username: 'mei', amount: 60 } },
    ),
    { kind: 'won', winner: mei, amount: 60, isReserved: true },
    false,
    false,
  ],
  [
    'one whose winner has not bought it',
    of({ ...over, outcome: 'won', winner: mei }),
    { kind: 'won', winner: mei, amount: 60, isReserved: false },
    true,
    false,
  ],
  [
    'one that its winner was released from',
    of({ ...over, outcome: 'won', winner: mei, isReleased: true }),
    { kind: 'released' },
    true,
    false,
  ],
  [
    'a sold one',
    of({ ...over, outcome: 'won', winner: mei }, { status: 'sold' }),
    { kind: 'won', winner: mei, amount: 60, isReserved: false },
    false,
    false,
  ],
]

describe.each(cases)('%s', (_, product, state, relist, cancel) => {
  it('is told as it is', () => {
    expect(auctionStateOf(product, nowMs)).toEqual(state)
  })
  it(`can ${relist ? '' : 'not '}be listed again, and can ${cancel ? '' : 'not '}be cancelled`, () => {
    expect(canRelist(product, nowMs)).toBe(relist)
    expect(canCancelAuction(product, nowMs)).toBe(cancel)
  })
})
