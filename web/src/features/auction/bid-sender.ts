import type { ErrorCode } from '@wangian/contracts/errors.ts'
import type { ServerFrame } from '@wangian/contracts/frames.ts'
import { timeOrderedId } from '@wangian/contracts/time-ordered-id.ts'
import type { LiveSocket } from '../../live/live-socket.ts'

export interface BidOrder {
  readonly auctionId: number
  readonly userId: number
  /** In ringgit. */
  readonly amount: number
}

export type BidAnswer =
  | { readonly kind: 'accepted'; readonly amount: number; readonly message: string }
  | {
      readonly kind: 'refused'
      readonly code: ErrorCode
      readonly message: string
      readonly minimum?: number | undefined
    }
  /** Nobody has said in time what became of it; the bid may or may not stand. */
  | { readonly kind: 'unanswered' }
  /** It reached nobody who took it. */
  | { readonly kind: 'unsent' }

interface PendingBid extends BidOrder {
  readonly settle: (answer: BidAnswer) => void
  readonly release: () => void
  /** It went out, and the answer is to come. */
  isUnderWay: boolean
  /** It went out before, and nobody has said what became of it then. */
  mayStand: boolean
  retries: number
  answerTimer: ReturnType<typeof setTimeout> | undefined
  giveUpTimer: ReturnType<typeof setTimeout> | undefined
  retryTimer: ReturnType<typeof setTimeout> | undefined
}

/** Without an answer for so long, the connection is given up for a new one. */
const answerTimeoutMs = 8_000
const giveUpMs = 30_000
/** The owner of the auction is changing or swamped: the same bid again, a little later. */
const transient: readonly ErrorCode[] = ['busy', 'unavailable', 'outcome-unknown']
/** Said by who passes bids on, before anybody has looked at what became of this one when it went out before. */
const unlooked: readonly ErrorCode[] = [
  'busy',
  'unavailable',
  'rate-limited',
  'authentication-required',
  'invalid-token',
  'forbidden',
]
const retryDelaysMs = [300, 800, 2_000] as const

/**
 * Sends bids and waits for their answers. Every bid has an id of its own, and whenever the connection was lost before
 * the answer came, the same bid goes out again under that id, which the server counts once.
 */
export class BidSender {
  readonly #socket: LiveSocket
  readonly #pending = new Map<string, PendingBid>()

  constructor(socket: LiveSocket) {
    this.#socket = socket
    socket.onFrame((frame) => this.#receive(frame))
    let wasConnected = socket.status() === 'connected'
    socket.subscribe(() => {
      const isConnected = socket.status() === 'connected'
      if (isConnected && !wasConnected) for (const bidId of this.#pending.keys()) this.#send(bidId)
      wasConnected = isConnected
    })
  }

  place(order: BidOrder): Promise<BidAnswer> {
    const { promise, resolve } = Promise.withResolvers<BidAnswer>()
    const bidId = timeOrderedId()
    this.#pending.set(bidId, {
      ...order,
      settle: resolve,
      // The page may be left before the answer comes.
      release: this.#socket.hold(),
      isUnderWay: false,
      mayStand: false,
      retries: 0,
      answerTimer: undefined,
      giveUpTimer: setTimeout(() => this.#giveUp(bidId), giveUpMs),
      retryTimer: undefined,
    })
    this.#send(bidId)
    return promise
  }

  #send(bidId: string): void {
    const bid = this.#pending.get(bidId)
    // Nothing is lost when it is not connected: the bid goes out as soon as it is.
    if (!bid || this.#socket.status() !== 'connected') return
    clearTimeout(bid.answerTimer)
    bid.answerTimer = setTimeout(() => this.#socket.reconnect(), answerTimeoutMs)
    bid.mayStand ||= bid.isUnderWay
    bid.isUnderWay = this.#socket.send({
      type: 'placeBid',
      auctionId: bid.auctionId,
      userId: bid.userId,
      amount: bid.amount,
      timestamp: new Date().toISOString(),
      bidId,
    })
  }

  #receive(frame: ServerFrame): void {
    if (frame.type === 'bidAccepted' && frame.bidId) {
      this.#settle(frame.bidId, { kind: 'accepted', amount: frame.amount, message: frame.message })
    }
    if (frame.type !== 'error') return
    const bidId = frame.bidId ?? this.#onlyBidMeant(frame.auctionId)
    const bid = bidId ? this.#pending.get(bidId) : undefined
    if (!bidId || !bid) return
    bid.isUnderWay = false
    bid.mayStand ||= frame.code === 'outcome-unknown'
    if (isTokenRefusal(frame.code) && bid.retries === 0) {
      bid.retries += 1
      this.#socket.reconnectRenewed()
      return
    }
    const { code, message, minimum } = frame
    const isTransient = transient.includes(code)
    const delayMs = isTransient ? retryDelaysMs[bid.retries] : undefined
    if (delayMs === undefined) {
      // That it was not taken now says nothing of the time before.
      const isUnknown = bid.mayStand && unlooked.includes(code)
      this.#settle(bidId, isUnknown ? { kind: 'unanswered' } : { kind: 'refused', code, message, minimum })
      return
    }
    bid.retries += 1
    clearTimeout(bid.answerTimer)
    bid.retryTimer = setTimeout(() => this.#send(bidId), delayMs)
  }

  /**
   * A refusal from before anybody looked into the frame names nothing; with one bid on its way it can only be that one. What names an
   * auction and no bid is about its room.
   */
  #onlyBidMeant(auctionId: number | undefined): string | undefined {
    if (auctionId !== undefined || this.#pending.size !== 1) return undefined
    const [bidId] = this.#pending.keys()
    return bidId
  }

  #giveUp(bidId: string): void {
    const bid = this.#pending.get(bidId)
    if (bid) this.#settle(bidId, { kind: bid.isUnderWay || bid.mayStand ? 'unanswered' : 'unsent' })
  }

  #settle(bidId: string, answer: BidAnswer): void {
    const bid = this.#pending.get(bidId)
    if (!bid) return
    this.#pending.delete(bidId)
    clearTimeout(bid.answerTimer)
    clearTimeout(bid.giveUpTimer)
    clearTimeout(bid.retryTimer)
    bid.release()
    bid.settle(answer)
  }
}

const senders = new WeakMap<LiveSocket, BidSender>()

/** The sender of a socket, which outlives the page that a bid was placed on. */
export function bidSenderOf(socket: LiveSocket): BidSender {
  const sender = senders.get(socket) ?? new BidSender(socket)
  senders.set(socket, sender)
  return sender
}

/** The token ran out between the last renewal and the bid. */
function isTokenRefusal(code: ErrorCode): boolean {
  return code === 'authentication-required' || code === 'invalid-token'
}
