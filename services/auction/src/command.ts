import type { BidRefusal } from '@wangian/contracts/auction-wire.ts'
import type { ErrorCode } from '@wangian/contracts/errors.ts'
import type { AuctionCommand } from './domain.ts'

/** What a command came to. `minimumSen` is 0 where none applies. */
export type BidVerdict =
  | { readonly seq: number; readonly refusal: null; readonly minimumSen: 0 }
  | { readonly seq: 0; readonly refusal: BidRefusal; readonly minimumSen: number }

/** Somebody waiting for a bid's verdict. */
export interface BidWaiter {
  settleBid(index: number, verdict: BidVerdict): void
}

/** A bid on its way through the owner. The same object stays in the memory of bid ids, so that a retry finds its verdict. */
export interface BidCommand {
  readonly kind: 'bid'
  readonly auctionId: number
  readonly bidderId: number
  readonly amountSen: number
  readonly bidId: string | null
  readonly bidderName: string
  /** On the monotonic clock. */
  receivedAtMs: number
  waiter: BidWaiter
  index: number
  /** Further requests with the same bid id that came before the verdict. */
  others: { waiter: BidWaiter; index: number }[] | null
  /** What will be answered when the batch it rests on is committed. */
  tentative: BidVerdict | null
  verdict: BidVerdict | null
}

/** Any other command to an auction: opening, revising, cancelling, ending. */
export interface OrderCommand {
  readonly kind: 'order'
  readonly auctionId: number
  readonly actorId: number | null
  readonly receivedAtMs: number
  /** Built at each judgement with the owner's clock. */
  readonly build: (nowMs: number) => AuctionCommand
  readonly settle: (refusal: { code: ErrorCode; message?: string } | null) => void
  tentative: { code: ErrorCode; message?: string } | null
}

export type Command = BidCommand | OrderCommand
