import { type Executor, sql } from '@wangian/kit/database/postgres.ts'
import { NamedRow, named } from '@wangian/kit/people/people-store.ts'
import { z } from 'zod'

/** Whose auctions are. It never changes. */
export async function saveSellers(
  executor: Executor,
  auctions: readonly { readonly auctionId: number; readonly sellerId: number }[],
): Promise<void> {
  await executor.query(sql.unsafe`
    insert into auction_sellers (auction_id, seller_id)
    select * from unnest(${sql.array(
      auctions.map(({ auctionId }) => auctionId),
      'int8',
    )}, ${sql.array(
      auctions.map(({ sellerId }) => sellerId),
      'int8',
    )}) as auction (auction_id, seller_id)
     order by auction_id
    on conflict (auction_id) do nothing`)
}

/** Adds bids to what their bidders have bid on each seller, in one statement for a whole batch; those of an auction not heard of are left out. */
export async function countBidsOnSellers(
  executor: Executor,
  bids: readonly { readonly auctionId: number; readonly bidderId: number; readonly placedAt: string }[],
): Promise<void> {
  await executor.query(sql.unsafe`
    insert into bidder_sellers as known (bidder_id, seller_id, bid_count, last_bid_at)
    select bidder_id, seller_id, count(*), max(placed_at)
      from unnest(${sql.array(
        bids.map(({ auctionId }) => auctionId),
        'int8',
      )}, ${sql.array(
        bids.map(({ bidderId }) => bidderId),
        'int8',
      )}, ${sql.array(
        bids.map(({ placedAt }) => placedAt),
        'timestamptz',
      )}) as bid (auction_id, bidder_id, placed_at)
           join auction_sellers using (auction_id)
     group by bidder_id, seller_id
     order by bidder_id, seller_id
    on conflict (bidder_id, seller_id) do update
       set bid_count = known.bid_count + excluded.bid_count,
           last_bid_at = greatest(known.last_bid_at, excluded.last_bid_at)`)
}

/** What makes somebody suspected. */
export interface Suspicion {
  readonly bidsMin: number
  /** More of their bids than this are on one seller. It is 50 at least, so that nobody has two such sellers. */
  readonly sharePercent: number
}

const SuspectRow = z.object({
  bidder: NamedRow,
  seller: NamedRow,
  bidsOnSeller: z.number(),
  bidsInAll: z.number(),
  lastBidAt: z.string(),
  /** Of all pages. */
  total: z.number(),
})

/** Who bids nearly always on one seller and has won nothing of anybody, by how often they bid on that one. */
export async function listSuspects(
  executor: Executor,
  { bidsMin, sharePercent }: Suspicion,
  page: { readonly limit: number; readonly after: { readonly bids: number; readonly bidderId: number } | null },
): Promise<readonly z.infer<typeof SuspectRow>[]> {
  const behind =
    page.after === null
      ? sql.fragment`true`
      : sql.fragment`(suspects.bids, suspects.bidder_id) < (${page.after.bids}, ${page.after.bidderId})`
  return executor.any(sql.type(SuspectRow)`
    with faithful as (
      select bidder_id, sum(bid_count) as all_bids, max(bid_count) as bids
        from bidder_sellers
       group by bidder_id
      having sum(bid_count) >= ${bidsMin} and max(bid_count) * 100::bigint > sum(bid_count) * ${sharePercent}::int
    ), suspects as (
      select * from faithful
       where not exists (select from auction_summaries won where won.winner_id = faithful.bidder_id)
    )
    select ${named('suspects', 'bidder_id')} as bidder, ${named('most', 'seller_id')} as seller,
           bids as "bidsOnSeller", all_bids as "bidsInAll", most.last_bid_at as "lastBidAt",
           (select count(*) from suspects) as total
      from suspects join bidder_sellers most on most.bidder_id = suspects.bidder_id and most.bid_count = suspects.bids
     where ${behind}
     order by bids desc, suspects.bidder_id desc
     limit ${page.limit}`)
}
