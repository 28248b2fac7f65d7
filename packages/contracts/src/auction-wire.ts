import { z } from 'zod'
import { AuctionTerms, CANCEL_REASON_LENGTH_MAX } from './auction.ts'
import { type ErrorCode, errorCatalogue, errorCodes } from './errors.ts'
import { AuctionId, UserId } from './ids.ts'
import { AMOUNT_MAX_SEN } from './money.ts'
import { isStorableText } from './text.ts'

/**
 * The messages between the gateway (or an HTTP handler) and the owner of a partition. This is the hot path: a gateway packs
 * the bids of one event-loop turn for one partition into one message, tuples instead of objects, and the owner answers
 * in parts, each part as soon as its verdicts are final.
 */

/** Stands for an amount that is no valid amount of money: the owner refuses it in its place in the order of checks. */
export const INVALID_AMOUNT_SEN = -1

/** A bid on its way to the owner: [auctionId, bidderId, amount in sen, the bidder's own id of the bid, username]. */
export type BidTuple = readonly [
  auctionId: number,
  bidderId: number,
  amountSen: number,
  bidId: string | null,
  bidderName: string,
]

/** An accepted bid: [its place in the request, 0, seq], and what was bid in sen where its id is that of an earlier bid. */
export type AcceptedTuple = readonly [index: number, accepted: 0, seq: number, amountSen?: number]
/** A refused bid: [its place in the request, code, the smallest amount that was acceptable in sen, 0 where none applies]. */
export type RefusedTuple = readonly [index: number, code: ErrorCode, minimumSen: number]
export type VerdictTuple = AcceptedTuple | RefusedTuple

/** How many bids one message may carry. */
export const BIDS_PER_MESSAGE_MAX = 4096

/** A message of bids starts with this byte (`[`), every other command with `{`. */
const ARRAY_OPEN = 0x5b

export function isBidMessage(payload: Uint8Array): boolean {
  return payload[0] === ARRAY_OPEN
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/**
 * Parses a message of bids. The bus is inside the trust boundary, yet a version skew must not corrupt the book: the shape is
 * checked by hand because a schema library costs more here than the whole judgement of a bid.
 * Throws a `TypeError` when anything is not as declared.
 */
export function parseBids(text: string): BidTuple[] {
  const parsed: unknown = JSON.parse(text)
  if (!Array.isArray(parsed) || parsed.length === 0 || parsed.length > BIDS_PER_MESSAGE_MAX) {
    throw new TypeError('a message of bids holds 1 to 4096 bids')
  }
  for (const bid of parsed) {
    if (
      !Array.isArray(bid) ||
      bid.length !== 5 ||
      !isWithin(bid[0], 1, Number.MAX_SAFE_INTEGER) ||
      !isWithin(bid[1], 1, Number.MAX_SAFE_INTEGER) ||
      !isWithin(bid[2], INVALID_AMOUNT_SEN, AMOUNT_MAX_SEN) ||
      !(bid[3] === null || (typeof bid[3] === 'string' && UUID.test(bid[3]))) ||
      typeof bid[4] !== 'string'
    ) {
      throw new TypeError('a bid is [auctionId, bidderId, amountSen, bidId or null, bidderName]')
    }
  }
  return parsed as BidTuple[]
}

function isWithin(value: unknown, least: number, most: number): boolean {
  return Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most
}

/** Parses a part of an answer. Throws a `TypeError` when it is not a list of verdicts. */
export function parseVerdicts(text: string): VerdictTuple[] {
  const parsed: unknown = JSON.parse(text)
  if (!Array.isArray(parsed)) throw new TypeError('an answer is a list of verdicts')
  for (const verdict of parsed) {
    if (
      !Array.isArray(verdict) ||
      !(
        verdict.length === 3 ||
        (verdict.length === 4 && verdict[1] === 0 && isWithin(verdict[3], 0, AMOUNT_MAX_SEN))
      ) ||
      !Number.isSafeInteger(verdict[0]) ||
      !(verdict[1] === 0 || (typeof verdict[1] === 'string' && Object.hasOwn(errorCatalogue, verdict[1]))) ||
      !Number.isSafeInteger(verdict[2])
    ) {
      throw new TypeError('a verdict is [index, 0 or code, number], or [index, 0, number, amountSen]')
    }
  }
  return parsed as VerdictTuple[]
}

/** Commands to the owner that are not bids. `at` is judged by the owner's own clock. */
export const OwnerCommand = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('open'),
    terms: AuctionTerms,
    /** The seller set no time: `startsAt` of the terms is the database's clock. */
    startsNow: z.boolean().optional(),
    /** By the database's clock, epoch ms: later it is not carried out. */
    openByMs: z.number().optional(),
    actorId: UserId,
    requestId: z.string(),
  }),
  z.object({
    kind: z.literal('revise'),
    auctionId: AuctionId,
    terms: AuctionTerms.partial().omit({ auctionId: true, productId: true, sellerId: true }),
    actorId: UserId,
    requestId: z.string(),
  }),
  z.object({
    kind: z.literal('cancel'),
    auctionId: AuctionId,
    reason: z.string().max(CANCEL_REASON_LENGTH_MAX).refine(isStorableText),
    actorId: UserId,
    /** As catalogue says it of an administrator who takes the listing away. */
    by: z.enum(['seller', 'admin']).default('seller'),
    requestId: z.string(),
  }),
])
export type OwnerCommand = z.infer<typeof OwnerCommand>

export const OwnerAnswer = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true) }),
  z.object({ ok: z.literal(false), code: z.enum(errorCodes), message: z.string().optional() }),
])
export type OwnerAnswer = z.infer<typeof OwnerAnswer>

/**
 * A live message as text: one kind byte, then the frame cut in two by a newline.
 * `b`: bids; head and tail together are the frame (`newBid` or `newBids`), and the tail alone, put behind the head of an `auctionState`,
 * is the frame that may replace it when a room is too fast. The cut saves serialising the same state twice.
 * `s`: a batch too large to list; only the replacing frame exists. `e`: a frame that must reach everybody (ended, cancelled, revised).
 */
export type LiveKind = 'b' | 's' | 'e'

export function encodeLive(kind: LiveKind, head: string, tail: string): string {
  return `${kind}${head}\n${tail}`
}

/** `frame` is what sockets get; `stateFrame` may stand in for it, and is `null` where nothing may. Throws a `TypeError` on an unknown kind. */
export function decodeLive(auctionId: number, message: string): { frame: string; stateFrame: string | null } {
  const kind = message[0]
  const cut = message.indexOf('\n')
  const head = message.slice(1, cut)
  const tail = message.slice(cut + 1)
  switch (kind) {
    case 'b':
      return { frame: head + tail, stateFrame: stateHead(auctionId) + tail }
    case 's': {
      const frame = stateHead(auctionId) + tail
      return { frame, stateFrame: frame }
    }
    case 'e':
      return { frame: head + tail, stateFrame: null }
    default:
      throw new TypeError('an unknown kind of live message')
  }
}

function stateHead(auctionId: number): string {
  return `{"type":"auctionState","auctionId":${auctionId},`
}
