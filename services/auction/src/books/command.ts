import type { BidTuple } from '@wangian/contracts/auction-wire.ts'
import type { ErrorCode } from '@wangian/contracts/errors.ts'
import type { AuctionCommand, AuctionRefusal, EndAuction } from '../domain.ts'

/**
 * What a command came to. `seq` is that of an accepted bid, and 0 for other commands; `minimumSen` is 0 where none applies. `amountSen` is
 * what was bid first under the id of a repeated bid, which may say something else; `null` for what is no repetition.
 */
export type Verdict =
  | { readonly seq: number; readonly refusal: null; readonly minimumSen: 0; readonly amountSen: number | null }
  | {
      readonly seq: 0
      readonly refusal: ErrorCode
      readonly minimumSen: number
      readonly message: string | undefined
    }

export function accepted(seq: number, amountSen: number | null = null): Verdict {
  return { seq, refusal: null, minimumSen: 0, amountSen }
}

/** Refused by the rules, or, given a code alone, by our own state of health or by the database. */
export function refused(why: AuctionRefusal | ErrorCode): Verdict {
  if (typeof why === 'string') return { seq: 0, refusal: why, minimumSen: 0, message: undefined }
  return { seq: 0, refusal: why.code, minimumSen: why.minimumSen, message: why.message }
}

/** Somebody who waits for verdicts; `index` says on which of their commands. */
export interface Waiter {
  settle(index: number, verdict: Verdict): void
}

interface Waiting {
  readonly auctionId: number
  /** On the monotonic clock. */
  receivedAtMs: number
  waiter: Waiter
  index: number
  /** What will be answered when the batch that it rests on is committed. */
  tentative: Verdict | null
  /** What was answered. */
  verdict: Verdict | null
  /** The trace that it belongs to; most bids belong to none. */
  readonly traceparent: string | null
}

/** A bid on its way through the owner. The memory of bid ids has it until it is settled, so that a retry waits for the same verdict. */
export interface BidCommand extends Waiting {
  readonly kind: 'bid'
  readonly bidderId: number
  readonly amountSen: number
  readonly bidId: string | null
  readonly bidderName: string
  /** Made once, for it is looked up several times. `null` without an id. */
  readonly key: string | null
  /** Further requests with the same bid id that came before the verdict. */
  others: { waiter: Waiter; index: number }[] | null
}

/** A bid's own id together with whose and on what it is. The log knows ids as values, however their letters were written. */
export function bidKey(bid: { auctionId: number; bidderId: number; bidId: string }): string {
  return `${bid.auctionId}:${bid.bidderId}:${bid.bidId.toLowerCase()}`
}

/** A bid as it came over the bus at this time on the monotonic clock. */
export function bidCommand(
  bid: BidTuple,
  receivedAtMs: number,
  waiter: Waiter,
  index: number,
  traceparent: string | null = null,
): BidCommand {
  const [auctionId, bidderId, amountSen, bidId, bidderName] = bid
  return {
    kind: 'bid',
    auctionId,
    bidderId,
    amountSen,
    bidId,
    bidderName,
    key: bidId === null ? null : bidKey({ auctionId, bidderId, bidId }),
    receivedAtMs,
    waiter,
    index,
    others: null,
    tentative: null,
    verdict: null,
    traceparent,
  }
}

/** Any other command to an auction: opening, revising, cancelling, ending. */
export interface OtherCommand extends Waiting {
  readonly kind: 'other'
  /** Who acts; `null` for the owner's own doing. */
  readonly actorId: number | null
  /** Built at each judgement with the owner's clock and who was banned or gone by the auction's end. */
  readonly build: (nowMs: number, byTheEnd: SuspendedByTheEnd) => AuctionCommand
}

export type SuspendedByTheEnd = Pick<EndAuction, 'isSellerSuspended' | 'isLeaderSuspended'>

export type Command = BidCommand | OtherCommand

/**
 * Whether the database might refuse it for good: what somebody asked for that is no bid. A bid says too little for that, and what the owner does for
 * itself nobody can send.
 */
export const mayBeRefusedByTheDatabase = (command: Command): command is OtherCommand =>
  command.kind === 'other' && command.actorId !== null

export function otherCommand({
  settle,
  traceparent = null,
  ...facts
}: Pick<OtherCommand, 'auctionId' | 'actorId' | 'receivedAtMs' | 'build'> & {
  readonly settle: (verdict: Verdict) => void
  readonly traceparent?: string | null
}): OtherCommand {
  const waiter: Waiter = { settle: (_index, verdict) => settle(verdict) }
  return { kind: 'other', ...facts, waiter, index: 0, tentative: null, verdict: null, traceparent }
}
