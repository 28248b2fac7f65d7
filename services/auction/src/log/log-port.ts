import type { ErrorCode } from '@wangian/contracts/errors.ts'
import type { Batch, PendingEvent } from '../books/batch.ts'
import type { KnownAuction } from '../domain.ts'

/** Partition to fencing token, of the partitions that this process holds. */
export type Epochs = ReadonlyMap<number, number>

/** A bid as the log knows it. */
export interface LoggedBid {
  readonly auctionId: number
  readonly bidderId: number
  readonly bidId: string
  readonly seq: number
  readonly amountSen: number
}

/** What the owner needs of Postgres. */
export interface AuctionLog {
  /**
   * Renews the leases of `parts`, and, if all are still held, appends the batch's events and writes the rows of auctions that did
   * more than take bids, in one transaction. `fenced`: a lease was lost and nothing was written. Throws {@link CommitFailed} otherwise.
   */
  commit(parts: readonly number[], epochs: Epochs, batch: Batch): Promise<'committed' | 'fenced'>
  /**
   * After a commit with an unknown outcome: takes the own leases anew with the next epoch, on a new connection. That waits for, or
   * fences off, whatever the old connection may still be doing, so what {@link isLogged} says afterwards is final.
   * `null` when one of them was lost meanwhile.
   */
  reclaim(epochs: Epochs): Promise<Epochs | null>
  isLogged(event: PendingEvent): Promise<boolean>
  /** The open auctions of these partitions. */
  loadOpen(parts: readonly number[]): Promise<KnownAuction[]>
  /** Any auctions by id, ended ones too; unknown ids are left out. */
  loadAuctions(auctionIds: readonly number[]): Promise<KnownAuction[]>
  findBids(bids: readonly { auctionId: number; bidderId: number; bidId: string }[]): Promise<LoggedBid[]>
}

/** A batch was not, or not certainly, written. */
export class CommitFailed extends Error {
  /** The transaction rolled back for certain. */
  readonly isDefinite: boolean
  /** A bid's own id stands in the log already. */
  readonly isDuplicateBid: boolean
  /** What a command says cannot be stored, however often it is tried; it is refused with this. `null`: the command is not to blame. */
  readonly refusal: ErrorCode | null

  constructor(facts: { isDefinite: boolean; isDuplicateBid?: boolean; refusal?: ErrorCode | null; cause: unknown }) {
    super('the batch was not committed', { cause: facts.cause })
    this.name = 'CommitFailed'
    this.isDefinite = facts.isDefinite
    this.isDuplicateBid = facts.isDuplicateBid ?? false
    this.refusal = facts.refusal ?? null
  }
}
