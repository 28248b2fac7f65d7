import { setTimeout as wait } from 'node:timers/promises'
import { auctionPartition } from '@wangian/contracts/subjects.ts'
import { Client } from 'pg'
import type { AuctionRig } from '../rig/auction-rig.ts'
import { openingTerms, SELLER_ID } from '../rig/opened-auctions.ts'
import { type BenchOptions, interleave } from './rounds.ts'
import { BIDDERS, type Site } from './site.ts'
import type { Samples } from './statistics.ts'

export const HISTORY_BIDS = 1_000_000
export const OPEN_AUCTIONS = 10_000
const SPREAD_AUCTIONS = 1000
const BID_EVERY_MS = 20
const LONG_AUCTION_ID = 5_000_000
const RECOVERED_WITHIN_MS = 30_000

export const SHORT_HISTORY = 'whole way, hot lot without history, answers/s'
export const LONG_HISTORY = 'whole way, hot lot with 1 M bids, answers/s'
export const SPREAD_1000 = 'whole way, over 1,000 of 10,000 open lots, answers/s'
export const SPREAD_10000 = 'whole way, over 10,000 open lots, answers/s'
export const RECOVERY = 'kill -9 to first accepted bid, s'

/** G4 and G5: one auction with a long history, and very many open ones. */
export async function measureHistory(
  site: Site,
  wanted: { readonly g4: boolean; readonly g5: boolean },
  samples: Samples,
  options: BenchOptions,
): Promise<void> {
  options.log(`  filling in ${HISTORY_BIDS} bids and opening ${OPEN_AUCTIONS} auctions …`)
  const longAuction = await fillHistory(site.rig, HISTORY_BIDS)
  const open = await site.rig.opened.open(OPEN_AUCTIONS)
  await site.rest()
  if (wanted.g4) await measureCost(site, longAuction, open, samples, options)
  if (wanted.g5) await measureRecovery(site, open, samples, options)
}

async function measureCost(
  site: Site,
  longAuction: number,
  open: readonly number[],
  samples: Samples,
  options: BenchOptions,
): Promise<void> {
  const { measureMs } = options
  const measure = async (ids: readonly number[]) => {
    await site.rest()
    return (await site.measure('ours', site.sockets, ids, { inFlight: BIDDERS }, measureMs)).acceptedPerS
  }
  await interleave(
    [
      async () => samples.add(SHORT_HISTORY, await measure(await site.rig.opened.open(1))),
      async () => samples.add(LONG_HISTORY, await measure([longAuction])),
      async () => samples.add(SPREAD_1000, await measure(open.slice(0, SPREAD_AUCTIONS))),
      async () => samples.add(SPREAD_10000, await measure(open)),
    ],
    samples,
    options,
  )
}

async function measureRecovery(
  site: Site,
  open: readonly number[],
  samples: Samples,
  options: BenchOptions,
): Promise<void> {
  const [owner] = site.rig.auctions
  const [auctionId] = open
  if (owner === undefined || auctionId === undefined) throw new Error('nothing to kill, or nothing to bid on')
  await interleave(
    [
      async () => {
        await site.rest()
        const killedAtMs = performance.now()
        const accepted = untilAccepted(site, auctionId, killedAtMs)
        await owner.kill()
        // As after a first crash: the supervisor's back-off for repeated ones is cut short once it has begun, in this very turn.
        const restarted = wait(0).then(() => owner.start())
        samples.add(RECOVERY, ((await accepted) - killedAtMs) / 1000)
        await restarted
      },
    ],
    samples,
    options,
  )
}

/** Bids until a bid that was sent after `sinceMs` is accepted; the monotonic time of its answer. */
async function untilAccepted(site: Site, auctionId: number, sinceMs: number): Promise<number> {
  const [state] = await site.statesOf([auctionId])
  let amountSen = state?.priceSen ?? 0
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearInterval(bidding)
      clearTimeout(deadline)
    }
    const bidding = setInterval(() => {
      amountSen += openingTerms.incrementSen
      const sentAtMs = performance.now()
      site.sockets.place(auctionId, amountSen, (seq) => {
        if (seq === 0 || sentAtMs < sinceMs) return
        stop()
        resolve(performance.now())
      })
    }, BID_EVERY_MS)
    const deadline = setTimeout(() => {
      stop()
      reject(new Error('no bid was accepted after the owner was killed'))
    }, RECOVERED_WITHIN_MS)
  })
}

/**
 * Puts an auction with its million bids into the database as they would stand there. They count as published long ago: sending them
 * to other services is not part of what is measured.
 */
/** Makes an auction with so many bids, past its owner. Returns its id. */
export async function fillHistory(rig: AuctionRig, bids: number): Promise<number> {
  const client = new Client({ connectionString: rig.adminDatabaseUrl })
  await client.connect()
  try {
    await client.query('begin')
    await client.query(
      `insert into auction.events (stream, version, tx, event_id, type, data, metadata, recorded_at, bidder_id, bid_id)
       select 'auction-' || $1::text, bid + 1, '1', gen_random_uuid(), 'BidPlaced',
         jsonb_build_object('auctionId', $1::bigint, 'seq', bid, 'bidderId', 1 + bid % 1000, 'bidId', bid_id,
           'amountSen', $3::bigint + bid * $4::bigint, 'placedAt', '2026-01-01T00:00:00.000Z'),
         '{}', now() - interval '30 days', 1 + bid % 1000, bid_id
       from (select bid, gen_random_uuid() as bid_id from generate_series(1, $2::int) as bid offset 0) as bids`,
      [LONG_AUCTION_ID, bids, openingTerms.startingPriceSen, openingTerms.incrementSen],
    )
    await client.query(
      `insert into auction.auction_terms (id, part, product_id, seller_id, starting_price_sen, increment_sen, starts_at, ends_at,
         status, version, bid_count, current_bid_sen, current_bidder_id, opened_at, updated_at)
       values ($1, $2, $1, $3, $4, $5, now() - interval '1 day', now() + interval '1 day', 'open', $6::int + 1, $6::int,
         $4::bigint + $6::int * $5::bigint, 1 + $6::int % 1000, now(), now())`,
      [
        LONG_AUCTION_ID,
        auctionPartition(LONG_AUCTION_ID),
        SELLER_ID,
        openingTerms.startingPriceSen,
        openingTerms.incrementSen,
        bids,
      ],
    )
    await client.query('commit')
    await client.query('vacuum analyze auction.events')
    // So that the checkpoint that this much writing calls for does not fall into a measurement.
    await client.query('checkpoint')
  } finally {
    await client.end()
  }
  return LONG_AUCTION_ID
}
