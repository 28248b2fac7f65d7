import type { ReactionDeclaration } from '@wangian/kit/log/consumer.ts'
import type { ConsumedProjection } from '@wangian/kit/log/rebuild.ts'
import type { BlankSome } from '@wangian/kit/people/erased-words.ts'
import { peopleProjection } from '@wangian/kit/people/known-people.ts'
import { blankListings, blankOrders, dropRemovalReasonsOfErased } from './record/erased-words-store.ts'
import { boostRecord, catalogueRecord, identityRecord, messagingRecord } from './record/reactions.ts'
import { auctionHandlers, listingHandlers, orderHandlers, paymentHandlers } from './tables/handlers.ts'

/** What is known from others. */
export const projections: readonly ConsumedProjection[] = [
  peopleProjection,
  { source: 'messaging', name: 'orders', bulkHandlers: orderHandlers, tables: [{ name: 'orders' }] },
  {
    source: 'catalogue',
    name: 'listings',
    bulkHandlers: listingHandlers,
    tables: [{ name: 'listings' }, { name: 'bottles' }],
    finish: dropRemovalReasonsOfErased,
  },
  { source: 'auction', name: 'auctions', bulkHandlers: auctionHandlers, tables: [{ name: 'auctions' }] },
  {
    source: 'boost',
    name: 'payments',
    bulkHandlers: paymentHandlers,
    tables: [{ name: 'payments' }, { name: 'paid_products' }],
  },
]

/** What administrators have done is put into the record. */
export const reactions: readonly ReactionDeclaration[] = [
  { source: 'identity', name: 'record', handlers: identityRecord },
  { source: 'catalogue', name: 'record', handlers: catalogueRecord },
  { source: 'messaging', name: 'record', handlers: messagingRecord },
  { source: 'boost', name: 'record', handlers: boostRecord },
]

/** What goes out of the record and of tables with a person. */
export const blanks: readonly BlankSome[] = [blankOrders, blankListings]
