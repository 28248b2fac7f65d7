import { Client, Pool } from 'pg'
import type { Ledger } from '../load/ledger.ts'
import { withDatabase } from '../postgres/roles.ts'
import { openingTerms, SELLER_ID } from '../rig/opened-auctions.ts'

const database = 'contenders'

/** What people build: an auction row with its price, and a row per bid. */
const schema = `
create table if not exists auctions (
  id bigint primary key,
  seller_id bigint not null,
  starting_price_sen bigint not null,
  increment_sen bigint not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  status text not null,
  bid_count integer not null default 0,
  current_bid_sen bigint,
  current_bidder_id bigint
) with (fillfactor = 60);
create table if not exists bids (
  auction_id bigint not null,
  seq integer not null,
  bidder_id bigint not null,
  amount_sen bigint not null,
  placed_at timestamptz not null default clock_timestamp(),
  primary key (auction_id, seq)
)`

/** The contenders' own database in a server; auctions are opened in it as rows. */
export class ContenderDatabase {
  readonly url: string
  readonly #pool: Pool
  #nextId = 1

  private constructor(url: string) {
    this.url = url
    this.#pool = new Pool({ connectionString: url, max: 1 })
  }

  static async create(adminUrl: string): Promise<ContenderDatabase> {
    const admin = new Client({ connectionString: adminUrl })
    await admin.connect()
    try {
      await admin.query(`create database ${database}`)
    } finally {
      await admin.end()
    }
    const created = new ContenderDatabase(withDatabase(adminUrl, database))
    await created.#pool.query(schema)
    return created
  }

  async open(count: number): Promise<number[]> {
    const first = this.#nextId
    this.#nextId += count
    await this.#pool.query(
      `insert into auctions (id, seller_id, starting_price_sen, increment_sen, starts_at, ends_at, status)
       select id, $3, $4, $5, now() - interval '1 minute', now() + interval '1 day', 'open'
       from generate_series($1::bigint, $2::bigint) as id`,
      [first, first + count - 1, SELLER_ID, openingTerms.startingPriceSen, openingTerms.incrementSen],
    )
    return Array.from({ length: count }, (_, index) => first + index)
  }

  /** What is wrong with the stored bids of acknowledged ones, one line each. */
  async problems(ledger: Ledger): Promise<string[]> {
    const { rows } = await this.#pool.query<StoredBids & { leader: string; winner: string }>(
      `select a.id::float8 as "auctionId", count(b.seq)::float8 as count, coalesce(max(b.seq), 0)::float8 as "highestSeq",
         coalesce(sum(b.seq), 0)::float8 as "seqSum", a.current_bidder_id::text as leader,
         (array_agg(b.bidder_id order by b.amount_sen desc))[1]::text as winner
       from auctions a left join bids b on b.auction_id = a.id
       where a.id = any ($1) group by a.id`,
      [[...ledger.byAuction.keys()]],
    )
    const wrongWinners = rows.filter(({ leader, winner }) => leader !== winner)
    return [
      ...compareWithLedger(ledger, rows, 0),
      ...wrongWinners.map(({ auctionId }) => `auction ${auctionId}: the leader is not the highest bidder`),
    ]
  }

  async close(): Promise<void> {
    await this.#pool.end()
  }
}

/** What is stored of an auction's bids since the measurement began. */
export interface StoredBids {
  readonly auctionId: number
  readonly count: number
  readonly highestSeq: number
  readonly seqSum: number
}

/**
 * Acknowledged bids against stored ones, per auction. Rows that nobody was told about are allowed only where an outcome was unknown.
 * @param seqBefore the last seq of an auction that had bids before; 0 when not given
 */
export function compareWithLedger(
  ledger: Ledger,
  stored: readonly StoredBids[],
  unknownMax: number,
  seqBefore: ReadonlyMap<number, number> = new Map(),
): string[] {
  const byAuction = new Map(stored.map((auction) => [auction.auctionId, auction]))
  let unacknowledged = 0
  const problems: string[] = []
  for (const [auctionId, { count, highestSeq, seqSum }] of ledger.byAuction) {
    const before = seqBefore.get(auctionId) ?? 0
    const rows = byAuction.get(auctionId) ?? { count: 0, highestSeq: before, seqSum: 0 }
    const last = before + rows.count
    const contiguousSum = (last * (last + 1)) / 2 - (before * (before + 1)) / 2
    if (rows.highestSeq !== last || rows.seqSum !== contiguousSum)
      problems.push(`auction ${auctionId}: its seqs have gaps`)
    if (count > rows.count || highestSeq > last) {
      problems.push(
        `auction ${auctionId}: ${count} bids were acknowledged up to ${highestSeq}, ${rows.count} up to ${last} are stored`,
      )
    } else if (count === rows.count && seqSum !== rows.seqSum) {
      problems.push(`auction ${auctionId}: other bids were acknowledged than stored`)
    }
    unacknowledged += rows.count - count
  }
  if (unacknowledged > unknownMax) {
    problems.push(`${unacknowledged} bids are stored that nobody was told about, ${unknownMax} were in doubt`)
  }
  return problems
}
