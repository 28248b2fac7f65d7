import type { AuctionEvent } from '@wangian/contracts/events/auction.ts'
import type { Transaction } from '@wangian/kit/database/postgres.ts'
import type { RecordedEvent } from '@wangian/kit/log/event-store.ts'
import type { OwnProjection } from '@wangian/kit/log/rebuild.ts'
import { type Auction, auctionDecider, evolve } from './domain.ts'
import { auctionRow, type RowTimes, saveRows } from './row-store.ts'

/** Rows that are written by one statement. */
const ROWS_PER_STATEMENT = 500

interface Folded {
  readonly state: Auction
  readonly times: RowTimes
}

/**
 * Folds the log into the rows of `auctions`, the same that owners write with each batch. Auctions that are open stay in memory until the
 * log ends, as in an owner; what is over is written on the way.
 */
export class AuctionRows {
  readonly #open = new Map<string, Folded>()
  #over: Folded[] = []

  /** Takes the next event of its stream. */
  async project(transaction: Transaction, event: RecordedEvent<AuctionEvent>): Promise<void> {
    const before = this.#open.get(event.stream)
    const state = evolve(before?.state ?? auctionDecider.initialState, event)
    const folded = { state, times: { openedAt: before?.times.openedAt ?? event.at, updatedAt: event.at } }
    if (state.status === 'open') {
      this.#open.set(event.stream, folded)
      return
    }
    this.#open.delete(event.stream)
    this.#over.push(folded)
    if (this.#over.length < ROWS_PER_STATEMENT) return
    await write(transaction, this.#over)
    this.#over = []
  }

  /** Writes what is not written yet. */
  async finish(transaction: Transaction): Promise<void> {
    const rest = [...this.#over, ...this.#open.values()]
    for (let start = 0; start < rest.length; start += ROWS_PER_STATEMENT) {
      await write(transaction, rest.slice(start, start + ROWS_PER_STATEMENT))
    }
  }
}

/** The auctions as owners and pages read them. */
export const auctionsProjection: OwnProjection<'auction'> = {
  name: 'auctions',
  tables: [{ name: 'auctions' }],
  replay: () => new AuctionRows(),
}

function write(transaction: Transaction, folded: readonly Folded[]): Promise<void> {
  const rows = folded.flatMap(({ state, times }) => (state.status === 'none' ? [] : [auctionRow(state, times)]))
  return saveRows(transaction, rows)
}
