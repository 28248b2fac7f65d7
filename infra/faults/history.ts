import type { ErrorCode } from '@wangian/contracts/errors.ts'
import type { AuctionEvent } from '@wangian/contracts/events/auction.ts'

/** What a bidder was told. `unknown`: the code was `outcome-unknown`, or the connection broke before an answer came. */
export type BidOutcome =
  | { readonly kind: 'accepted'; readonly seq: number }
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly minimumSen: number | null }
  | { readonly kind: 'unknown' }

/** One bid as its bidder saw it. Times are milliseconds of one monotonic clock, the recorder's. */
export interface BidOperation {
  readonly auctionId: number
  readonly bidderId: number
  readonly amountSen: number
  /** The bidder's own id of the bid. */
  readonly bidId: string | null
  readonly sentAtMs: number
  /** `null` when no answer came; that is allowed only when the connection was lost. */
  readonly answeredAtMs: number | null
  readonly isConnectionLost: boolean
  readonly outcome: BidOutcome
}

/** What somebody who watched an auction was shown, by any frame. */
export type Sighting =
  | {
      /** A single bid (`newBid`, `newBids`) or, of a snapshot or state, the last one. */
      readonly kind: 'bid'
      readonly auctionId: number
      readonly seq: number
      readonly bidderId: number
      readonly amountSen: number
      readonly seenAtMs: number
      /** Whether the row could be read when the frame had arrived; `null` when nobody looked. */
      readonly wasStored: boolean | null
    }
  | {
      readonly kind: 'end'
      readonly auctionId: number
      readonly winnerId: number | null
      readonly amountSen: number | null
      readonly seenAtMs: number
    }

/** An event of an auction's stream as it stands in the log. */
export interface LogRow {
  readonly auctionId: number
  readonly version: number
  readonly event: AuctionEvent
}

/** Everything that is known about a run, in any order. */
export interface History {
  readonly operations: readonly BidOperation[]
  readonly sightings: readonly Sighting[]
  readonly log: readonly LogRow[]
}
