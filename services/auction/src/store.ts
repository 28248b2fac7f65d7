import { type Executor, sql } from '@wangian/kit/database/postgres.ts'
import { lastOfEach } from '@wangian/kit/last-of-each.ts'
import { PlaceRow, type Some } from '@wangian/kit/people/erased-words.ts'
import { z } from 'zod'
import { auctionStream } from './books/book.ts'
import { StateRow, stateColumns } from './log/row-store.ts'

/** An auction as reads see it; `nowMs` is the database's clock at the time of the read. */
const AuctionRow = StateRow.extend({ openedAtMs: z.number(), updatedAtMs: z.number(), nowMs: z.number() })
export type AuctionRow = z.infer<typeof AuctionRow>

const auctionColumns = sql.fragment`${stateColumns},
  floor(extract(epoch from opened_at) * 1000)::float8 as "openedAtMs",
  floor(extract(epoch from updated_at) * 1000)::float8 as "updatedAtMs",
  floor(extract(epoch from clock_timestamp()) * 1000)::float8 as "nowMs"`

export async function findAuction(executor: Executor, auctionId: number): Promise<AuctionRow | null> {
  return executor.maybeOne(sql.type(AuctionRow)`select ${auctionColumns} from auctions where id = ${auctionId}`)
}

/** The product's open auction, else the one that was opened last. */
export async function findAuctionOfProduct(executor: Executor, productId: number): Promise<AuctionRow | null> {
  return executor.maybeOne(sql.type(AuctionRow)`
    select ${auctionColumns} from auctions
    where product_id = ${productId}
    order by status = 'open' desc, id desc
    limit 1
  `)
}

/** Auctions in a public status of sellers who are neither banned nor gone, those that end first coming first (for ended ones: that ended last). */
export async function listAuctions(
  executor: Executor,
  status: 'scheduled' | 'active' | 'ended' | 'cancelled',
  limit: number,
): Promise<readonly AuctionRow[]> {
  const condition = {
    scheduled: sql.fragment`status = 'open' and starts_at > clock_timestamp()`,
    active: sql.fragment`status = 'open' and starts_at <= clock_timestamp() and ends_at > clock_timestamp()`,
    ended: sql.fragment`status = 'ended'`,
    cancelled: sql.fragment`status = 'cancelled'`,
  }[status]
  const order = status === 'ended' ? sql.fragment`ends_at desc, id desc` : sql.fragment`ends_at, id`
  return executor.any(sql.type(AuctionRow)`
    select ${auctionColumns} from auctions
    where ${condition} and not exists (
      select from known_people who where who.user_id = auctions.seller_id and (who.is_banned or who.is_closed))
    order by ${order} limit ${limit}
  `)
}

/** The auctions of these partitions of which anything was recorded within the last `withinMs`. */
export async function listChangedLately(
  executor: Executor,
  parts: readonly number[],
  withinMs: number,
): Promise<readonly AuctionRow[]> {
  // The clock of the statement, which is one value: an index finds what ended after it.
  const since = sql.fragment`statement_timestamp() - ${withinMs}::float8 * interval '1 millisecond'`
  return executor.any(sql.type(AuctionRow)`
    select ${auctionColumns} from auctions
    where part = any (${sql.array(parts, 'int2')}) and updated_at > ${since}
      and (status = 'open' or status in ('ended', 'cancelled') and ends_at > ${since})
  `)
}

const BidRow = z.object({
  seq: z.number(),
  bidId: z.string().nullable(),
  bidderId: z.number(),
  /** `null` for somebody who has deleted their account; a name made of the id while identity has not told theirs. */
  bidderName: z.string().nullable(),
  amountSen: z.number(),
  placedAt: z.string(),
})
export type BidRow = z.infer<typeof BidRow>

/**
 * Accepted bids as of this state of the auction, newest first; the log is the only place where they are kept. `beforeSeq` pages on. Only the
 * page itself is read, however long the auction is.
 */
export async function listBids(
  executor: Executor,
  auction: Pick<StateRow, 'auctionId' | 'status' | 'version' | 'bidCount'>,
  limit: number,
  beforeSeq: number = auction.bidCount + 1,
): Promise<readonly BidRow[]> {
  const endSeq = Math.min(beforeSeq, auction.bidCount + 1)
  // Bids follow each other: terms are revised before the first one only, and nothing comes after the end.
  const eventsAfter = auction.status === 'open' ? 0 : 1
  const eventsBefore = auction.version - auction.bidCount - eventsAfter
  return executor.any(sql.type(BidRow)`
    select (bid.data ->> 'seq')::bigint as "seq", bid.data ->> 'bidId' as "bidId",
      (bid.data ->> 'bidderId')::bigint as "bidderId",
      case when who.user_id is null then 'Bidder ' || (bid.data ->> 'bidderId') else who.username end as "bidderName",
      (bid.data ->> 'amountSen')::bigint as "amountSen", bid.data ->> 'placedAt' as "placedAt"
    from events bid
    left join known_people who on who.user_id = (bid.data ->> 'bidderId')::bigint
    where bid.stream = ${auctionStream(auction.auctionId)} and bid.type = 'BidPlaced'
      and bid.version >= ${endSeq - limit + eventsBefore} and bid.version < ${endSeq + eventsBefore}
    order by bid.version desc
  `)
}

const UserIdRow = z.object({ userId: z.number() })

/** Who has bid on an auction, those who bid last first. */
export async function listBidders(executor: Executor, auctionId: number, max: number): Promise<readonly number[]> {
  return executor.anyFirst(sql.type(UserIdRow)`
    select (data ->> 'bidderId')::bigint as "userId" from events
     where stream = ${auctionStream(auctionId)} and type = 'BidPlaced'
     group by 1
     order by max(version) desc
     limit ${max}`)
}

const ReasonRow = z.object({ reason: z.string() })

/** Why an auction was called off, which is the last thing that is said of it; `null` for one that was not. */
export async function findCancelReason(
  executor: Executor,
  { auctionId, status, version }: Pick<StateRow, 'auctionId' | 'status' | 'version'>,
): Promise<string | null> {
  if (status !== 'cancelled') return null
  return executor.maybeOneFirst(sql.type(ReasonRow)`
    select data ->> 'reason' as reason from events
     where stream = ${auctionStream(auctionId)} and version = ${version} and type = 'AuctionCancelled'`)
}

/** Why somebody has called auctions off, which is the last thing that is said of each. @returns as `BlankSome` */
export function blankCancellations(executor: Executor, { userId, afterId, limit }: Some): Promise<number | null> {
  return executor.oneFirst(sql.type(PlaceRow)`
    with page as materialized (
      select id, version from auction_terms
       where seller_id = ${userId} and status = 'cancelled' and id > ${afterId}
       order by id limit ${limit}
    ), blanked as (
      update events e set data = (e.data::jsonb || '{"reason": ""}')::json
        from page
       where e.stream = 'auction-' || page.id and e.version = page.version and e.type = 'AuctionCancelled'
         and e.data ->> 'reason' <> ''
    )
    select max(id) as id from page`)
}

const NewAuctionRow = z.object({ auctionId: z.number(), nowMs: z.number() })

/** A new auction's id, and the database's clock in epoch ms: an auction that starts now starts by that one, or by its owner's where that is behind. */
export async function nextAuctionId(executor: Executor): Promise<{ auctionId: number; nowMs: number }> {
  return executor.one(sql.type(NewAuctionRow)`
    select nextval('auction_ids') as "auctionId", floor(extract(epoch from clock_timestamp()) * 1000)::float8 as "nowMs"
  `)
}

/** Whether the product was won at an auction, and the lot is neither paid nor given up. Without a row the listing is too new to have come back. */
const isWon = (productId: number) => sql.fragment`
  exists (select 1 from auctions where product_id = ${productId} and outcome = 'won'
    and id > coalesce((select returned_auction_id from listings where product_id = ${productId}), 0))`

const ReservedRow = z.object({ isReserved: z.boolean() })

export async function isReserved(executor: Executor, productId: number): Promise<boolean> {
  return executor.oneFirst(sql.type(ReservedRow)`
    select ${isWon(productId)} as "isReserved"
  `)
}

const AuctionIdRow = z.object({ auctionId: z.number() })

/** An order for an auction is judged by then, or never: 2 s for the bottle, 5 s until an owner has the order, and 4 s with the owner. */
export const OPENING_MAX_MS = 11_000
/** Longer than it takes until an order is carried out, or never will be: 2 s each for the transaction in flight when it is judged, and for its own. */
const CLAIM_MAX_MS = OPENING_MAX_MS + 4_000

/** Whether the auction of a claim is not in the log, and may still come. */
const isPending = sql.fragment`
  (claim.claimed_at >= clock_timestamp() - ${CLAIM_MAX_MS}::float8 * interval '1 millisecond'
    and not exists (select 1 from auctions where id = claim.auction_id))`

/**
 * Takes the right to open an auction for a product, so that two requests at once cannot both send theirs to the owner. A claim whose
 * auction is over, or did not come in time, counts no longer. `false`: there is an auction already, or somebody won one, or one with a later id was
 * faster: what an auction comes to counts nothing behind the end of a later one.
 */
export async function claimProduct(executor: Executor, productId: number, auctionId: number): Promise<boolean> {
  const claimed = await executor.maybeOneFirst(sql.type(AuctionIdRow)`
    insert into product_claims as claim (product_id, auction_id, claimed_at)
    select ${productId}, ${auctionId}, clock_timestamp()
    where not exists (select 1 from auctions where product_id = ${productId} and (status = 'open' or id > ${auctionId}))
      and not ${isWon(productId)}
    on conflict (product_id) do update set auction_id = excluded.auction_id, claimed_at = excluded.claimed_at
    where not exists (select 1 from auctions where id = claim.auction_id and status = 'open') and not ${isPending}
    returning claim.auction_id as "auctionId"
  `)
  return claimed !== null
}

const PendingRow = z.object({ isPending: z.boolean() })

/** Whether an auction of the product is just being opened: nobody can see it yet. */
export async function isBeingOpened(executor: Executor, productId: number): Promise<boolean> {
  return executor.oneFirst(sql.type(PendingRow)`
    select exists (select 1 from product_claims claim where product_id = ${productId} and ${isPending}) as "isPending"
  `)
}

/** Gives a claim back when the owner refused the auction. */
export async function dropClaim(executor: Executor, productId: number, auctionId: number): Promise<void> {
  await executor.query(
    sql.unsafe`delete from product_claims where product_id = ${productId} and auction_id = ${auctionId}`,
  )
}

const ListingRow = z.object({
  productId: z.number(),
  sellerId: z.number(),
  listingType: z.string(),
  isDeleted: z.boolean(),
})
export type ListingRow = z.infer<typeof ListingRow>

export async function findListing(executor: Executor, productId: number): Promise<ListingRow | null> {
  return executor.maybeOne(sql.type(ListingRow)`
    select product_id as "productId", seller_id as "sellerId", listing_type as "listingType", is_deleted as "isDeleted"
    from listings where product_id = ${productId}
  `)
}

/** What was taken away stays so, whatever is told again. */
/** Of each the last one. */
export async function saveListings(
  executor: Executor,
  listings: readonly Omit<ListingRow, 'isDeleted'>[],
): Promise<void> {
  const said = lastOfEach(listings, ({ productId }) => productId)
  await executor.query(sql.unsafe`
    insert into listings (product_id, seller_id, listing_type)
    select "productId", "sellerId", "listingType"
      from jsonb_to_recordset(${JSON.stringify(said)}::jsonb)
             as said ("productId" bigint, "sellerId" bigint, "listingType" text)
     order by "productId"
    on conflict (product_id) do update set seller_id = excluded.seller_id, listing_type = excluded.listing_type
  `)
}

/** They stay so, whatever is told of them later. */
export async function markListingsDeleted(
  executor: Executor,
  listings: readonly { readonly productId: number; readonly sellerId: number }[],
): Promise<void> {
  const said = lastOfEach(listings, ({ productId }) => productId)
  await executor.query(sql.unsafe`
    insert into listings (product_id, seller_id, listing_type, is_deleted)
    select "productId", "sellerId", 'auction', true
      from jsonb_to_recordset(${JSON.stringify(said)}::jsonb) as said ("productId" bigint, "sellerId" bigint)
     order by "productId"
    on conflict (product_id) do update set is_deleted = true`)
}

const DeletedRow = z.object({ isDeleted: z.boolean() })

/** Waits for whoever is just marking it. */
export async function isListingDeleted(executor: Executor, productId: number): Promise<boolean> {
  const isDeleted = await executor.maybeOneFirst(sql.type(DeletedRow)`
    select is_deleted as "isDeleted" from listings where product_id = ${productId} for share
  `)
  return isDeleted ?? false
}

export async function saveReturned(
  executor: Executor,
  returned: readonly { readonly productId: number; readonly auctionId: number }[],
): Promise<void> {
  if (returned.length === 0) return
  await executor.query(sql.unsafe`
    update listings
       set returned_auction_id = greatest(returned_auction_id, said.auction_id)
      from (select "productId" as product_id, max("auctionId") as auction_id
              from jsonb_to_recordset(${JSON.stringify(returned)}::jsonb) as returned ("productId" bigint, "auctionId" bigint)
             group by 1) said
     where listings.product_id = said.product_id`)
}
