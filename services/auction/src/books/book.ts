import type { Auction, KnownAuction } from '../domain.ts'
import type { Batch } from './batch.ts'

/** One auction in memory: what the log says, and what it will say when the pending batches are committed. */
export class Book {
  readonly auctionId: number
  readonly part: number
  /** Of the events in the log. */
  committed: Auction
  /** `committed` plus everything accepted since; bids are judged against this. */
  head: Auction
  /** The last batch that touches this auction and is not committed yet. */
  pendingBatch: Batch | null = null
  /** Bids were accepted before this process knew the auction: their own ids are in the log only. */
  readonly hasBidsFromBefore: boolean

  constructor(auctionId: number, part: number, state: Auction) {
    this.auctionId = auctionId
    this.part = part
    this.committed = state
    this.head = state
    this.hasBidsFromBefore = state.status !== 'none' && state.bidCount > 0
  }

  get stream(): string {
    return auctionStream(this.auctionId)
  }

  /** Forgets what was not committed. */
  rollBack(): void {
    this.head = this.committed
    this.pendingBatch = null
  }

  /** The log holds the batch that led to `state`. */
  commit(batch: Batch, state: KnownAuction): void {
    this.committed = state
    if (this.pendingBatch === batch) this.pendingBatch = null
  }
}

export function auctionStream(auctionId: number): string {
  return `auction-${auctionId}`
}
