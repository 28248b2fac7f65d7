/** What a k6 script needs and does when nothing else is asked for. */
export interface ScriptPlan {
  readonly script: string
  readonly bidders: number
  readonly watchers: number
  readonly auctions: number
  readonly ratePerS: number
}

/**
 * In the order in which they run. Sizes stay below what production allows one address (200 sockets) and one bidder on one
 * auction (5 bids/s), so that the same command may be pointed at a staging system.
 */
export const scriptPlans: readonly ScriptPlan[] = [
  { script: 'one-hot-auction', bidders: 50, watchers: 0, auctions: 1, ratePerS: 200 },
  { script: 'many-auctions', bidders: 50, watchers: 0, auctions: 50, ratePerS: 300 },
  { script: 'watchers', bidders: 5, watchers: 100, auctions: 1, ratePerS: 20 },
]
