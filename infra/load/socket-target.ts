import { randomBytes } from 'node:crypto'
import type { LeanSocket } from './lean-socket.ts'
import type { BidTarget } from './loops.ts'
import { openSignedIn } from './signed-in-socket.ts'

export interface SocketTarget extends BidTarget {
  /** How often each refusal came; a closed connection counts as `closed`. */
  readonly refusals: ReadonlyMap<string, number>
  /** Goes on with other tokens of the same people, in their order, before theirs run out. */
  signInAgain(tokens: readonly string[]): void
  close(): Promise<void>
}

export interface SocketTargetOptions {
  readonly url: string
  readonly tokens: readonly { readonly userId: number; readonly token: string }[]
  /** Whether bids carry an id of their own, as browsers send it. */
  readonly hasBidIds?: boolean
  /** How many bids a socket has in flight before the next one gets some; 1 when not given. */
  readonly bidsPerSocket?: number
  /** Gives every auction to one bidder alone: its bids then arrive in their order however long they queue. */
  readonly isOneBidderPerAuction?: boolean
}

interface Pending {
  readonly auctionId: number
  readonly done: (seq: number) => void
}

const OPENING_AT_ONCE_MAX = 50
const BID_ACCEPTED = 'b'.charCodeAt(0)
/** Where the first letter of the type stands in `{"type":"bidAccepted"`. */
const TYPE_AT = 9
const AUCTION_ID = Buffer.from('"auctionId":')
const DIGIT_ZERO = 48
const REFUSAL_DELAY_MS = 10

/**
 * Bids through real sockets, one per bidder, in turn. An answer is taken for that of the oldest bid on its auction; where one overtook
 * another, counts stay right and only latencies are exchanged between neighbours.
 */
export async function openSocketTarget(options: SocketTargetOptions): Promise<SocketTarget> {
  const bidders: Bidder[] = []
  const refusals = new Map<string, number>()
  /** Those with room; the last one is filled first, so that bids of one turn leave in few writes and in their order. */
  const free: Bidder[] = []
  for (let start = 0; start < options.tokens.length; start += OPENING_AT_ONCE_MAX) {
    const opening = options.tokens.slice(start, start + OPENING_AT_ONCE_MAX).map((signedIn) =>
      Bidder.open(options, signedIn, {
        onRefused: (code) => refusals.set(code, (refusals.get(code) ?? 0) + 1),
        onRoom: (bidder) => free.push(bidder),
      }),
    )
    bidders.push(...(await Promise.all(opening)))
  }
  free.push(...bidders)
  let turn = 0
  return {
    refusals,
    place(auctionId, amountSen, done) {
      const bidder = options.isOneBidderPerAuction
        ? bidders[auctionId % bidders.length]
        : (free.at(-1) ?? bidders[turn++ % bidders.length])
      if (bidder === undefined) throw new Error('a target needs bidders')
      bidder.place(auctionId, amountSen, done)
      if (bidder.isFull && bidder === free.at(-1)) free.pop()
    },
    signInAgain(tokens) {
      for (const [at, token] of tokens.entries()) bidders[at]?.signInAgain(token)
    },
    async close() {
      await Promise.all(bidders.map((bidder) => bidder.close()))
    },
  }
}

interface BidderEvents {
  onRefused(code: string): void
  /** It was full and is not any more. */
  onRoom(bidder: Bidder): void
}

class Bidder {
  readonly #events: BidderEvents
  readonly #userId: number
  readonly #bidIdPrefix: string | null
  readonly #inFlightMax: number
  #socket: LeanSocket | undefined
  #bids = 0
  readonly #pending: Pending[] = []

  private constructor(
    userId: number,
    { hasBidIds = true, bidsPerSocket = 1 }: SocketTargetOptions,
    events: BidderEvents,
  ) {
    this.#userId = userId
    this.#events = events
    this.#inFlightMax = bidsPerSocket
    this.#bidIdPrefix = hasBidIds ? `${randomBytes(4).toString('hex')}-0000-4000-8000-` : null
  }

  static async open(
    options: SocketTargetOptions,
    { userId, token }: { userId: number; token: string },
    events: BidderEvents,
  ): Promise<Bidder> {
    const bidder = new Bidder(userId, options, events)
    bidder.#socket = await openSignedIn(options.url, token, {
      onText: (bytes, start, end) => bidder.#receive(bytes, start, end),
      onClose: () => bidder.#refuseAll(),
    })
    return bidder
  }

  get isFull(): boolean {
    return this.#pending.length >= this.#inFlightMax
  }

  place(auctionId: number, amountSen: number, done: (seq: number) => void): void {
    const bidId =
      this.#bidIdPrefix === null
        ? ''
        : `,"bidId":"${this.#bidIdPrefix}${(this.#bids++).toString(16).padStart(12, '0')}"`
    this.#pending.push({ auctionId, done })
    this.#socket?.send(
      `{"type":"placeBid","auctionId":${auctionId},"userId":${this.#userId},"amount":${amountSen / 100},` +
        `"timestamp":"2026-01-01T00:00:00.000Z"${bidId}}`,
    )
    // Not at once: whoever places the next bid when one is refused would never come to an end.
    if (this.#socket?.isOpen !== true) setTimeout(() => this.#refuseAll(), REFUSAL_DELAY_MS)
  }

  signInAgain(token: string): void {
    this.#socket?.send(JSON.stringify({ type: 'auth', token }))
  }

  async close(): Promise<void> {
    await this.#socket?.close()
  }

  #receive(bytes: Buffer, start: number, end: number): void {
    if (bytes[start + TYPE_AT] === BID_ACCEPTED) {
      const auctionId = numberAfter(bytes, bytes.indexOf(AUCTION_ID, start) + AUCTION_ID.length)
      return this.#settle(auctionId, numberBefore(bytes, end - 1))
    }
    const frame = JSON.parse(bytes.toString('utf8', start, end)) as { type: string; code?: string; auctionId?: number }
    if (frame.type !== 'error') return
    this.#events.onRefused(frame.code ?? '')
    this.#settle(frame.auctionId, 0)
  }

  /** The oldest bid on that auction is answered; without an auction the oldest of all. */
  #settle(auctionId: number | undefined, seq: number): void {
    const at = this.#pending.findIndex((pending) => auctionId === undefined || pending.auctionId === auctionId)
    const [pending] = at < 0 ? [] : this.#pending.splice(at, 1)
    if (pending === undefined) return
    if (this.#pending.length === this.#inFlightMax - 1) this.#events.onRoom(this)
    pending.done(seq)
  }

  #refuseAll(): void {
    while (this.#pending.length > 0) {
      this.#events.onRefused('closed')
      this.#settle(undefined, 0)
    }
  }
}

/** The number whose last digit stands just before `end`: the seq ends an acknowledgement, and parsing all of it would cost more. */
function numberBefore(bytes: Buffer, end: number): number {
  let value = 0
  let unit = 1
  for (let at = end - 1; ; at--) {
    const digit = (bytes[at] ?? 0) - DIGIT_ZERO
    if (digit < 0 || digit > 9) return value
    value += digit * unit
    unit *= 10
  }
}

/** The number that starts here. */
function numberAfter(bytes: Buffer, start: number): number {
  let value = 0
  for (let at = start; ; at++) {
    const digit = (bytes[at] ?? 0) - DIGIT_ZERO
    if (digit < 0 || digit > 9) return value
    value = value * 10 + digit
  }
}
