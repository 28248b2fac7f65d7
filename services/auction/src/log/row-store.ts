import { AuctionOutcome } from '@wangian/contracts/catalogue.ts'
import { auctionPartition } from '@wangian/contracts/subjects.ts'
import { type Executor, sql } from '@wangian/kit/database/postgres.ts'
import { z } from 'zod'
import { isoFromMs, type KnownAuction } from '../domain.ts'

/**
 * An auction in Postgres, for the owner, a rebuild and everybody else. A state is written into its row in `auction_terms` by every event that is
 * no bid, and read from `auctions`, which adds to the row of an open auction how it stands after its last bid in the log.
 */

/** What `auctions` says of a state: amounts in sen, times epoch ms. */
export const StateRow = z.object({
  auctionId: z.number(),
  productId: z.number(),
  sellerId: z.number(),
  startingPriceSen: z.number(),
  reserveSen: z.number().nullable(),
  buyNowSen: z.number().nullable(),
  incrementSen: z.number(),
  startsAtMs: z.number(),
  endsAtMs: z.number(),
  status: z.enum(['open', 'ended', 'cancelled']),
  version: z.number(),
  bidCount: z.number(),
  currentBidSen: z.number().nullable(),
  currentBidderId: z.number().nullable(),
  outcome: AuctionOutcome.nullable(),
  winnerId: z.number().nullable(),
})
export type StateRow = z.infer<typeof StateRow>

/** The columns of a {@link StateRow}. */
export const stateColumns = sql.fragment`
  id as "auctionId", product_id as "productId", seller_id as "sellerId", starting_price_sen as "startingPriceSen",
  reserve_sen as "reserveSen", buy_now_sen as "buyNowSen", increment_sen as "incrementSen",
  (extract(epoch from starts_at) * 1000)::float8 as "startsAtMs", (extract(epoch from ends_at) * 1000)::float8 as "endsAtMs",
  status, version, bid_count as "bidCount", current_bid_sen as "currentBidSen", current_bidder_id as "currentBidderId",
  outcome, winner_id as "winnerId"`

/** The state that a row stands for; other columns are left out. */
export function stateFromRow(row: StateRow): KnownAuction {
  const { auctionId, productId, sellerId, startingPriceSen, reserveSen, buyNowSen, incrementSen } = row
  const { startsAtMs, endsAtMs, version, bidCount, currentBidSen, currentBidderId, status, outcome, winnerId } = row
  const terms = { auctionId, productId, sellerId, startingPriceSen, reserveSen, buyNowSen, incrementSen }
  const known = { ...terms, startsAtMs, endsAtMs, version, bidCount, currentBidSen, currentBidderId }
  if (status === 'ended') return { ...known, status, outcome: outcome ?? 'no-bids', winnerId }
  return { ...known, status }
}

/** When an auction was opened, and when the last event was recorded that its row is from, ISO 8601; `null` is the statement that writes the row. */
export interface RowTimes {
  readonly openedAt: string | null
  readonly updatedAt: string | null
}

/** A state as {@link writeRows} takes it, in an array of JSON. */
export function auctionRow(state: KnownAuction, times: RowTimes): unknown {
  return {
    id: state.auctionId,
    part: auctionPartition(state.auctionId),
    product_id: state.productId,
    seller_id: state.sellerId,
    starting_price_sen: state.startingPriceSen,
    reserve_sen: state.reserveSen,
    buy_now_sen: state.buyNowSen,
    increment_sen: state.incrementSen,
    starts_at: isoFromMs(state.startsAtMs),
    ends_at: isoFromMs(state.endsAtMs),
    status: state.status,
    version: state.version,
    bid_count: state.bidCount,
    current_bid_sen: state.currentBidSen,
    current_bidder_id: state.currentBidderId,
    outcome: state.status === 'ended' ? state.outcome : null,
    winner_id: state.status === 'ended' ? state.winnerId : null,
    opened_at: times.openedAt,
    updated_at: times.updatedAt,
  }
}

/** When a row was written is when its events were recorded, as precisely as they are read back: a rebuild gives the very same rows. */
const rowTime = sql.fragment`date_trunc('milliseconds', statement_timestamp())`

/** The statement that writes whole rows, in two parts: between them comes the array of JSON that it takes them from. */
export const writeRows = {
  from: sql.fragment`
    insert into auction_terms (
      id, part, product_id, seller_id, starting_price_sen, reserve_sen, buy_now_sen, increment_sen, starts_at, ends_at,
      status, version, bid_count, current_bid_sen, current_bidder_id, outcome, winner_id, opened_at, updated_at
    )
    select r.id, r.part, r.product_id, r.seller_id, r.starting_price_sen, r.reserve_sen, r.buy_now_sen, r.increment_sen,
      r.starts_at, r.ends_at, r.status, r.version, r.bid_count, r.current_bid_sen, r.current_bidder_id, r.outcome,
      r.winner_id, coalesce(r.opened_at, ${rowTime}), coalesce(r.updated_at, ${rowTime})
    from jsonb_to_recordset(`,
  as: sql.fragment`) as r (
      id bigint, part smallint, product_id bigint, seller_id bigint, starting_price_sen bigint, reserve_sen bigint,
      buy_now_sen bigint, increment_sen bigint, starts_at timestamptz, ends_at timestamptz, status text, version int,
      bid_count int, current_bid_sen bigint, current_bidder_id bigint, outcome text, winner_id bigint,
      opened_at timestamptz, updated_at timestamptz
    )`,
  orUpdate: sql.fragment`
    on conflict (id) do update set
      starting_price_sen = excluded.starting_price_sen, reserve_sen = excluded.reserve_sen,
      buy_now_sen = excluded.buy_now_sen, increment_sen = excluded.increment_sen, starts_at = excluded.starts_at,
      ends_at = excluded.ends_at, status = excluded.status, version = excluded.version, bid_count = excluded.bid_count,
      current_bid_sen = excluded.current_bid_sen, current_bidder_id = excluded.current_bidder_id,
      outcome = excluded.outcome, winner_id = excluded.winner_id, updated_at = excluded.updated_at`,
}

/** Writes whole rows, from {@link auctionRow}. */
export async function saveRows(executor: Executor, rows: readonly unknown[]): Promise<void> {
  const { from, as, orUpdate } = writeRows
  await executor.query(sql.unsafe`${from}${JSON.stringify(rows)}::jsonb${as}${orUpdate}`)
}
