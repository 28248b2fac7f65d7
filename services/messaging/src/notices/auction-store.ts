import { type Executor, NoRow, sql } from '@wangian/kit/database/postgres.ts'
import { lastOfEach } from '@wangian/kit/last-of-each.ts'
import { z } from 'zod'

/** What messaging knows of auctions: so much of them as is told in notices. */

interface Terms {
  readonly auctionId: number
  readonly productId: number
  readonly sellerId: number
  readonly endsAt: string
}

/** As their sellers set them; of each the last one. */
export async function saveAuctions(executor: Executor, auctions: readonly Terms[]): Promise<void> {
  const said = lastOfEach(auctions, ({ auctionId }) => auctionId)
  await executor.query(sql.unsafe`
    insert into auctions (id, product_id, seller_id, ends_at)
    select "auctionId", "productId", "sellerId", "endsAt"
      from jsonb_to_recordset(${JSON.stringify(said)}::jsonb)
             as said ("auctionId" bigint, "productId" bigint, "sellerId" bigint, "endsAt" timestamptz)
     order by 1
    on conflict (id) do update set ends_at = excluded.ends_at`)
}

interface Bid {
  readonly auctionId: number
  readonly seq: number
  readonly bidderId: number
  readonly amountSen: number
  readonly placedAt: string
}

const MovedRow = z.object({
  auctionId: z.number(),
  productId: z.number(),
  /** Who led before these bids, and up to which bid that is known. */
  formerLeaderId: z.number().nullable(),
  formerSeq: z.number(),
})
export type MovedRow = z.infer<typeof MovedRow>

/** The last bid of each auction. @returns the auctions that go on with it: what was known already changes nothing */
export async function saveLastBids(executor: Executor, bids: readonly Bid[]): Promise<readonly MovedRow[]> {
  return executor.any(sql.prepared('save-last-bids', MovedRow)`
    with said as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(bids)}::jsonb)
                      as said ("auctionId" bigint, seq bigint, "bidderId" bigint, "amountSen" bigint)
    ), former as materialized (
      select id, leader_id, seq from auctions where id in (select "auctionId" from said) order by id for update
    )
    update auctions a
       set seq = said.seq, leader_id = said."bidderId", amount_sen = said."amountSen"
      from said join former on former.id = said."auctionId"
     where a.id = former.id and former.seq < said.seq
    returning a.id as "auctionId", a.product_id as "productId", former.leader_id as "formerLeaderId", former.seq as "formerSeq"`)
}

/** Whoever has bid, from their first bid on. */
export async function insertBidders(executor: Executor, bids: readonly Bid[]): Promise<void> {
  // Of each the first bid stays, for the others come behind it.
  const first = lastOfEach([...bids].reverse(), ({ auctionId, bidderId }) => `${auctionId}-${bidderId}`)
  await executor.query(sql.prepared('insert-bidders', NoRow)`
    insert into auction_bidders (auction_id, user_id, since)
    select "auctionId", "bidderId", "placedAt"
      from jsonb_to_recordset(${JSON.stringify(first)}::jsonb)
             as said ("auctionId" bigint, "bidderId" bigint, "placedAt" timestamptz)
     order by 1, 2
    on conflict do nothing`)
}

/** How auctions have ended. */
export async function saveOutcomes(
  executor: Executor,
  outcomes: readonly { readonly auctionId: number; readonly outcome: string }[],
): Promise<void> {
  await executor.query(sql.unsafe`
    update auctions set outcome = said.outcome
      from jsonb_to_recordset(${JSON.stringify(outcomes)}::jsonb) as said ("auctionId" bigint, outcome text)
     where id = said."auctionId"`)
}
