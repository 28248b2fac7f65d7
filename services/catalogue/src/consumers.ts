import type { ConsumerDeclaration } from '@wangian/kit/log/consumer.ts'
import {
  auctionBulkReactions,
  auctionReactions,
  identityReactions,
  messagingBulkReactions,
  messagingReactions,
  outcomeReactions,
} from './reactions.ts'

/** Bids come by the thousand: so many share a commit. */
const EVENTS_PER_COMMIT_MAX = 500

/** What this service does about events. */
export function consumers(): ConsumerDeclaration[] {
  return [
    { source: 'identity', name: 'people', handlers: identityReactions },
    {
      source: 'auction',
      name: 'auctions',
      handlers: auctionReactions,
      bulkHandlers: auctionBulkReactions,
      batchMax: EVENTS_PER_COMMIT_MAX,
    },
    {
      source: 'messaging',
      name: 'sales',
      handlers: messagingReactions,
      bulkHandlers: messagingBulkReactions,
      batchMax: EVENTS_PER_COMMIT_MAX,
    },
    { source: 'auction', name: 'outcomes', handlers: outcomeReactions, isReaction: true },
  ]
}
