import type { AuctionEvent } from '@wangian/contracts/events/auction.ts'
import type { Transaction } from '@wangian/kit/database/postgres.ts'
import { invariant } from '@wangian/kit/invariant.ts'
import type { RecordedEvent } from '@wangian/kit/log/event-store.ts'
import type { OwnProjection } from '@wangian/kit/log/rebuild.ts'
import { type Auction, auctionDecider, evolve, type KnownAuction } from '../domain.ts'
import { auctionRow, type RowTimes, saveRows } from './row-store.ts'

/** Rows that are written by one statement. */
const ROWS_PER_STATEMENT = 500

interface Row {
  readonly state: KnownAuction
  readonly times: RowTimes
}

/** An auction up to here, and the row that its last event which was no bid has written. */
interface Folded {
  readonly state: Auction
  readonly row: Row
}

/**
 * Folds the log into the rows of `auction_terms`, the same that owners write with each batch. Auctions that are open stay in memory until the
 * log ends, as in an owner; what is over is written on the way.
 */
export class AuctionRows {
  readonly #open = new Map<string, Folded>()
  #over: Row[] = []

  /** Takes the next event of its stream. */
  async project(transaction: Transaction, event: RecordedEvent<AuctionEvent>): Promise<void> {
    const before = this.#open.get(event.stream)
    const state = evolve(before?.state ?? auctionDecider.initialState, event)
    invariant(state.status !== 'none', 'an event makes an auction known')
    if (event.type === 'BidPlaced') {
      invariant(before !== undefined, 'a bid is placed on an open auction')
      this.#open.set(event.stream, { state, row: before.row })
      return
    }
    const row = { state, times: { openedAt: before?.row.times.openedAt ?? event.at, updatedAt: event.at } }
    if (state.status === 'open') {
      this.#open.set(event.stream, { state, row })
      return
    }
    this.#open.delete(event.stream)
    this.#over.push(row)
    if (this.#over.length < ROWS_PER_STATEMENT) return
    await write(transaction, this.#over)
    this.#over = []
  }

  /** Writes what is not written yet. */
  async finish(transaction: Transaction): Promise<void> {
    const rest = [...this.#over, ...[...this.#open.values()].map(({ row }) => row)]
    for (let start = 0; start < rest.length; start += ROWS_PER_STATEMENT) {
      await write(transaction, rest.slice(start, start + ROWS_PER_STATEMENT))
    }
  }
}

/** The auctions, but for what bids say of them: that is read from the log. */
export const auctionsProjection: OwnProjection<'auction'> = {
  name: 'auctions',
  tables: [{ name: 'auction_terms' }],
  replay: () => new AuctionRows(),
}

function write(transaction: Transaction, rows: readonly Row[]): Promise<void> {
  return saveRows(
    transaction,
    rows.map(({ state, times }) => auctionRow(state, times)),
  )
}
