import { Pool } from 'pg'
import type { BidTarget } from '../load/loops.ts'

/** What people build instead: each bid is a transaction of its own that takes the auction's row. */
export type Design = 'row-lock' | 'single-statement'

export interface Contender extends BidTarget {
  close(): Promise<void>
}

const LOCK = `select seller_id, starting_price_sen, increment_sen, bid_count, current_bid_sen,
    status = 'open' and starts_at <= clock_timestamp() and clock_timestamp() < ends_at as is_open
  from auctions where id = $1 for update`
const INSERT = 'insert into bids (auction_id, seq, bidder_id, amount_sen) values ($1, $2, $3, $4)'
const UPDATE = 'update auctions set bid_count = $2, current_bidder_id = $3, current_bid_sen = $4 where id = $1'

/** The same rules in one statement; the row's lock is held for its length and not for five round trips. */
const STATEMENT = `
with auction as (
  update auctions set bid_count = bid_count + 1, current_bidder_id = $2,
    current_bid_sen = coalesce(current_bid_sen, starting_price_sen) + increment_sen
  where id = $1 and seller_id <> $2 and status = 'open' and starts_at <= clock_timestamp() and clock_timestamp() < ends_at
  returning bid_count, current_bid_sen
)
insert into bids (auction_id, seq, bidder_id, amount_sen)
select $1, bid_count, $2, current_bid_sen from auction
returning seq`

interface LockedAuction {
  readonly seller_id: string
  readonly starting_price_sen: string
  readonly increment_sen: string
  readonly bid_count: number
  readonly current_bid_sen: string | null
  readonly is_open: boolean
}

/**
 * A contender with node-pg and prepared statements. Its bidders always ask for the smallest acceptable amount, found under the lock:
 * no bid of theirs is wasted on a refusal, which favours them.
 */
export function openContender(options: { design: Design; url: string; connections: number }): Contender {
  const pool = new Pool({ connectionString: options.url, max: options.connections, application_name: options.design })
  pool.on('error', () => {})
  const placeBid = options.design === 'row-lock' ? placeWithLock : placeWithStatement
  let bids = 0
  return {
    place(auctionId, _amountSen, done) {
      const bidderId = 1 + (bids++ % 1000)
      placeBid(pool, auctionId, bidderId).then(done, () => done(0))
    },
    close: () => pool.end(),
  }
}

async function placeWithLock(pool: Pool, auctionId: number, bidderId: number): Promise<number> {
  const client = await pool.connect()
  let error: Error | undefined
  try {
    await client.query('begin')
    const { rows } = await client.query<LockedAuction>({ name: 'lock', text: LOCK, values: [auctionId] })
    const [auction] = rows
    const isAcceptable = auction?.is_open === true && Number(auction.seller_id) !== bidderId
    if (auction === undefined || !isAcceptable) {
      await client.query('rollback')
      return 0
    }
    const seq = auction.bid_count + 1
    const amountSen = Number(auction.current_bid_sen ?? auction.starting_price_sen) + Number(auction.increment_sen)
    await client.query({ name: 'insert', text: INSERT, values: [auctionId, seq, bidderId, amountSen] })
    await client.query({ name: 'update', text: UPDATE, values: [auctionId, seq, bidderId, amountSen] })
    await client.query('commit')
    return seq
  } catch (cause) {
    error = cause as Error
    throw cause
  } finally {
    client.release(error)
  }
}

async function placeWithStatement(pool: Pool, auctionId: number, bidderId: number): Promise<number> {
  const { rows } = await pool.query<{ seq: number }>({ name: 'bid', text: STATEMENT, values: [auctionId, bidderId] })
  return rows[0]?.seq ?? 0
}
