import type { NatsConnection } from '@wangian/kit/bus/nats.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import type { ProjectionDeclaration, ReactionDeclaration } from '@wangian/kit/log/consumer.ts'
import type { ConsumedProjection } from '@wangian/kit/log/rebuild.ts'
import type { BlankSome } from '@wangian/kit/people/erased-words.ts'
import { peopleProjection } from '@wangian/kit/people/known-people.ts'
import { liveHandlers } from './conversations/live.ts'
import type { SentRows } from './conversations/sent-rows.ts'
import { removalMessages, removalReactions } from './deals/deal-reactions.ts'
import { blankDeals } from './deals/deal-store.ts'
import { auctionNotices } from './notices/auction-notices.ts'
import { listingNotices } from './notices/listing-notices.ts'
import { messageNotices } from './notices/message-notices.ts'
import { priceNotices } from './notices/price-notices.ts'
import { createTeller, silentTeller } from './notices/teller.ts'
import { auctionReactions, identityHandlers, productHandlers } from './reactions.ts'

/** What is known from others. */
export const consumed: readonly ConsumedProjection[] = [
  { ...peopleProjection, bulkHandlers: identityHandlers },
  { source: 'catalogue', name: 'products', bulkHandlers: productHandlers, tables: [{ name: 'products' }] },
]

/** The same, and auctions as notices need them: what is made anew tells nobody. */
export const projections: readonly ConsumedProjection[] = [
  ...consumed,
  {
    source: 'auction',
    name: 'auctions',
    bulkHandlers: auctionNotices(silentTeller),
    tables: [{ name: 'auctions', except: ['told_ends_at'] }, { name: 'auction_bidders' }],
  },
]

/** A notice beside a message that is shown at once already. */
const NOTICES_GATHER_MS = 100

/** What is done about what others say, and about what was said here. */
export function reactions({
  nats,
  pool,
  sentRows,
}: {
  readonly nats: NatsConnection
  readonly pool: DatabasePool
  readonly sentRows: SentRows
}): (ReactionDeclaration | ProjectionDeclaration)[] {
  const teller = createTeller(nats)
  return [
    { source: 'auction', name: 'winners', handlers: auctionReactions(pool) },
    { source: 'catalogue', name: 'removals', handlers: removalReactions },
    { source: 'catalogue', name: 'removal-messages', handlers: removalMessages(pool) },
    { source: 'messaging', name: 'live', bulkHandlers: liveHandlers(nats, sentRows) },
    { source: 'auction', name: 'auctions', bulkHandlers: auctionNotices(teller) },
    { source: 'catalogue', name: 'notices', bulkHandlers: listingNotices(teller) },
    { source: 'catalogue', name: 'price-notices', handlers: priceNotices({ nats, teller }) },
    { source: 'messaging', name: 'notices', bulkHandlers: messageNotices(teller), gatherMs: NOTICES_GATHER_MS },
  ]
}

/** What goes out of the log with a person. */
export const blanks: readonly BlankSome[] = [blankDeals]
