import type { Sizes } from './summary.ts'

/** What a k6 script needs and does when nothing else is asked for. */
export interface ScriptPlan extends Sizes {
  readonly script: string
  /** What it replays. */
  readonly says: string
  /** Whether it runs when none is named. */
  readonly isUsual: boolean
}

const nobody: Sizes = {
  bidders: 0,
  watchers: 0,
  auctions: 0,
  ratePerS: 0,
  visitors: 0,
  pagesPerS: 0,
  pairs: 0,
  dealsPerMinute: 0,
  boostsPerMinute: 0,
}

/**
 * In the order in which they run. Sizes stay below what production allows one address (200 sockets, requests) and one bidder on one
 * auction (5 bids/s), so that the same command may be pointed at a staging system.
 */
export const scriptPlans: readonly ScriptPlan[] = [
  {
    ...nobody,
    script: 'one-hot-auction',
    says: 'everybody bids on one auction: a burst at its end',
    isUsual: true,
    bidders: 50,
    auctions: 1,
    ratePerS: 200,
  },
  {
    ...nobody,
    script: 'many-auctions',
    says: 'bids spread over many auctions, so that all partitions and owners have work',
    isUsual: true,
    bidders: 50,
    auctions: 50,
    ratePerS: 300,
  },
  {
    ...nobody,
    script: 'watchers',
    says: 'a crowd of guests follows one auction on which a few people bid',
    isUsual: true,
    bidders: 5,
    watchers: 100,
    auctions: 1,
    ratePerS: 20,
  },
  {
    ...nobody,
    script: 'mix',
    says: 'guests and people browse while others bid and watch',
    isUsual: true,
    bidders: 20,
    watchers: 40,
    auctions: 5,
    ratePerS: 40,
    visitors: 20,
    pagesPerS: 4,
  },
  {
    ...nobody,
    script: 'deals',
    says: 'sellers and buyers write, and make deals from the offer to the review',
    isUsual: true,
    pairs: 20,
    dealsPerMinute: 120,
  },
  {
    ...nobody,
    script: 'soak',
    says: 'everything at a low rate for a long time, with an eye on memory and lag',
    isUsual: false,
    bidders: 10,
    watchers: 50,
    auctions: 5,
    ratePerS: 5,
    visitors: 5,
    pagesPerS: 1,
    pairs: 5,
    dealsPerMinute: 12,
    boostsPerMinute: 2,
  },
]
