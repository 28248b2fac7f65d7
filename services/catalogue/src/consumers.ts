import type { ReactionDeclaration } from '@wangian/kit/log/consumer.ts'
import type { ConsumedProjection } from '@wangian/kit/log/rebuild.ts'
import type { BlankSome } from '@wangian/kit/people/erased-words.ts'
import { peopleProjection } from '@wangian/kit/people/known-people.ts'
import { keepOtherDays, realProducts, restoreSales } from './analytics/rebuilt-figures-store.ts'
import { blankListings, blankNotesOnWinner } from './listings/erased-words-store.ts'
import type { SellingDependencies } from './listings/selling-routes.ts'
import {
  auctionHandlers,
  bidderHandlers,
  bottleReactions,
  dealHandlers,
  identityHandlers,
  messageHandlers,
  outcomeReactions,
  salesHandlers,
} from './reactions.ts'
import { blankReviews, dropCommentsOfErased } from './shops/order-store.ts'

/** Whoever counts something has a row of it before the days. */
const counted = { name: 'products', only: 'locked' } as const

/** Nobody waits for it, and bids come by the thousand. */
const BIDDERS_GATHER_MS = 100

/** What is known from others. */
export const projections: readonly ConsumedProjection[] = [
  { ...peopleProjection, bulkHandlers: identityHandlers },
  {
    source: 'auction',
    name: 'auctions',
    bulkHandlers: auctionHandlers,
    tables: [{ name: 'auction_summaries' }, counted, { name: 'product_days' }, { name: 'seller_days' }],
    finish: (transaction) => keepOtherDays(transaction, 'bids'),
  },
  {
    source: 'auction',
    name: 'bidders',
    bulkHandlers: bidderHandlers,
    gatherMs: BIDDERS_GATHER_MS,
    tables: [{ name: 'auction_sellers' }, { name: 'bidder_sellers' }],
  },
  {
    source: 'messaging',
    name: 'sales',
    bulkHandlers: salesHandlers,
    tables: [{ name: 'products', only: 'hidden' }, { name: 'orders' }, { name: 'reviews' }],
    finish: async (transaction) => {
      await restoreSales(transaction, realProducts)
      await dropCommentsOfErased(transaction)
    },
  },
  { source: 'messaging', name: 'deals', bulkHandlers: dealHandlers, tables: [{ name: 'confirmed_deals' }] },
  {
    source: 'messaging',
    name: 'messages',
    bulkHandlers: messageHandlers,
    tables: [counted, { name: 'product_days' }, { name: 'seller_days' }, { name: 'product_conversations' }],
    finish: (transaction) => keepOtherDays(transaction, 'messages'),
  },
]

/** What is done about what others say. */
export function reactions(context: SellingDependencies): ReactionDeclaration[] {
  return [
    { source: 'auction', name: 'outcomes', handlers: outcomeReactions },
    { source: 'messaging', name: 'bottles', handlers: bottleReactions(context) },
  ]
}

/** What goes out of the log and of tables with a person. */
export const blanks: readonly BlankSome[] = [blankListings, blankNotesOnWinner, blankReviews]
