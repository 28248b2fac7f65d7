import type { Msg, NatsConnection } from '@nats-io/transport-node'
import {
  BIDS_PER_MESSAGE_MAX,
  type BidRefusal,
  type BidTuple,
  parseVerdicts,
  type VerdictTuple,
} from '@wangian/contracts/auction-wire.ts'
import { AUCTION_PARTITIONS, auctionCommandSubject, auctionPartition } from '@wangian/contracts/subjects.ts'
import type { Logger } from '@wangian/kit/log.ts'

/** How long the router waits for what; tests wait less. */
export const bidTimings = {
  /** Everybody is answered by then, the way to the browser included (promise P8: 5 s). */
  answerWithinMs: 4500,
  /** A partition without an owner is asked again this often. */
  ownerlessRetryMs: 40,
  /** An owner that says nothing at all for this long is gone; what it did not answer is sent again where a retry is safe. */
  silenceMs: 1000,
  /** What was sent shortly before its time was up may still be answered definitely for this long. */
  lastChanceMs: 200,
  sweepEveryMs: 100,
} as const
export type BidTimings = { readonly [Name in keyof typeof bidTimings]: number }
/** Bids on their way to one partition; beyond it the gateway answers `busy` itself. */
const OUTSTANDING_MAX = 8192
const NO_RESPONDERS = 503
/**
 * Messages to one partition that may be unanswered before further bids wait here: one that its owner commits and one that gathers
 * behind it. A third could not be committed sooner; what waits goes as one message, and the busier the lot the fewer messages it costs.
 */
const UNANSWERED_MESSAGES_MAX = 2
/** An owner that takes longer than this is not waited for. */
const HOLD_MAX_MS = 20

/** A bid that waits for its verdict. */
export interface RoutedBid {
  readonly auctionId: number
  readonly bidderId: number
  readonly bidderName: string
  /** `INVALID_AMOUNT_SEN` for what is no amount. */
  readonly amountSen: number
  readonly bidId: string | null
  readonly receivedAtMs: number
  /** An owner may have taken it without saying so: then not even a later "nobody is there" makes it certain that it was refused. */
  mayBeTaken: boolean
  onAccepted(seq: number): void
  onRefused(code: BidRefusal, minimumSen: number): void
}

interface Request {
  readonly part: number
  readonly bids: readonly RoutedBid[]
  readonly isAnswered: boolean[]
  unanswered: number
  readonly sentAtMs: number
  /** From then on its bids are answered when they have waited long enough. */
  readonly overdueAtMs: number
}

/**
 * Carries bids to the owners of their partitions: one message per partition and event-loop turn, answered in parts. While a partition
 * changes hands its bids wait here and are sent again; a bid that an owner may have seen is sent again only under its own id.
 */
export class BidRouter {
  readonly #nats: NatsConnection
  readonly #log: Logger
  readonly #timings: BidTimings
  readonly #inbox: string
  readonly #gathered: RoutedBid[][] = Array.from({ length: AUCTION_PARTITIONS }, () => [])
  readonly #outstanding = new Array<number>(AUCTION_PARTITIONS).fill(0)
  readonly #lastHeardAtMs = new Array<number>(AUCTION_PARTITIONS).fill(0)
  readonly #unansweredMessages = new Array<number>(AUCTION_PARTITIONS).fill(0)
  readonly #lastSentAtMs = new Array<number>(AUCTION_PARTITIONS).fill(Number.NEGATIVE_INFINITY)
  readonly #requests = new Map<number, Request>()
  readonly #held = new Set<number>()
  #holdTimer: NodeJS.Timeout | null = null
  readonly #sweep: NodeJS.Timeout
  #dirtyParts: number[] = []
  #nextId = 0
  #isConnected = true

  constructor(options: { nats: NatsConnection; log: Logger; timings?: BidTimings }) {
    this.#nats = options.nats
    this.#log = options.log
    this.#timings = options.timings ?? bidTimings
    this.#inbox = `_INBOX.bids.${crypto.randomUUID()}`
    options.nats.subscribe(`${this.#inbox}.*`, {
      callback: (error, message) => {
        if (error !== null) this.#log.error({ err: error }, 'the subscription for verdicts failed')
        else this.#receive(message)
      },
    })
    this.#sweep = setInterval(() => this.#answerOverdue(), this.#timings.sweepEveryMs)
    this.#sweep.unref()
  }

  /** Without a connection to the bus a bid is refused at once instead of waiting for its deadline. */
  setConnected(isConnected: boolean): void {
    this.#isConnected = isConnected
  }

  /** Takes a bid; exactly one of its callbacks is called, within 5 s. */
  place(bid: RoutedBid): void {
    if (!this.#isConnected) return bid.onRefused('unavailable', 0)
    const part = auctionPartition(bid.auctionId)
    if (this.#outstandingOf(part) >= OUTSTANDING_MAX) return bid.onRefused('busy', 0)
    this.#outstanding[part] = this.#outstandingOf(part) + 1
    this.#gather(part, bid)
  }

  stop(): void {
    clearInterval(this.#sweep)
    if (this.#holdTimer !== null) clearTimeout(this.#holdTimer)
  }

  #outstandingOf(part: number): number {
    return this.#outstanding[part] ?? 0
  }

  #gather(part: number, bid: RoutedBid): void {
    const gathered = this.#gathered[part]
    if (gathered === undefined) throw new Error(`there is no partition ${part}`)
    if (gathered.length === 0) this.#flushSoon(part)
    gathered.push(bid)
  }

  #flush(): void {
    const parts = this.#dirtyParts
    this.#dirtyParts = []
    for (const part of parts) {
      if (this.#mustHold(part)) continue
      this.#held.delete(part)
      const bids = this.#gathered[part] ?? []
      this.#gathered[part] = []
      for (let start = 0; start < bids.length; start += BIDS_PER_MESSAGE_MAX) {
        this.#send(part, bids.slice(start, start + BIDS_PER_MESSAGE_MAX))
      }
    }
  }

  /** Whether the owner has enough to do; then the bids go with its next answer, or after a moment all the same. */
  #mustHold(part: number): boolean {
    const isBusy = (this.#unansweredMessages[part] ?? 0) >= UNANSWERED_MESSAGES_MAX
    const isRecent = performance.now() - (this.#lastSentAtMs[part] ?? 0) < HOLD_MAX_MS
    if (!isBusy || !isRecent) return false
    this.#held.add(part)
    this.#holdTimer ??= setTimeout(() => {
      this.#holdTimer = null
      for (const held of this.#held) this.#flushSoon(held)
    }, HOLD_MAX_MS)
    return true
  }

  #flushSoon(part: number): void {
    if (this.#dirtyParts.length === 0) setImmediate(() => this.#flush())
    if (!this.#dirtyParts.includes(part)) this.#dirtyParts.push(part)
  }

  #forget(id: number, part: number): void {
    if (!this.#requests.delete(id)) return
    this.#unansweredMessages[part] = (this.#unansweredMessages[part] ?? 0) - 1
    if (this.#held.has(part)) this.#flushSoon(part)
  }

  #send(part: number, bids: readonly RoutedBid[]): void {
    const id = this.#nextId++
    const sentAtMs = performance.now()
    const tuples: BidTuple[] = bids.map((bid) => [
      bid.auctionId,
      bid.bidderId,
      bid.amountSen,
      bid.bidId,
      bid.bidderName,
    ])
    const isAnswered = new Array<boolean>(bids.length).fill(false)
    const oldestMs = bids.reduce((oldest, bid) => Math.min(oldest, bid.receivedAtMs), sentAtMs)
    const { answerWithinMs, lastChanceMs } = this.#timings
    const overdueAtMs = Math.max(oldestMs + answerWithinMs, sentAtMs + lastChanceMs)
    this.#requests.set(id, { part, bids, isAnswered, unanswered: bids.length, sentAtMs, overdueAtMs })
    this.#unansweredMessages[part] = (this.#unansweredMessages[part] ?? 0) + 1
    this.#lastSentAtMs[part] = sentAtMs
    try {
      this.#nats.publish(auctionCommandSubject(part), JSON.stringify(tuples), { reply: `${this.#inbox}.${id}` })
    } catch (error) {
      this.#log.warn({ err: error }, 'bids could not be sent')
      this.#forget(id, part)
      for (const bid of bids) this.#refuse(part, bid, 'unavailable')
    }
  }

  #receive(message: Msg): void {
    const id = Number(message.subject.slice(this.#inbox.length + 1))
    const request = this.#requests.get(id)
    // An answer that came after its deadline, or a second owner's: the first one counted.
    if (request === undefined) return
    if (message.data.length === 0 && message.headers?.code === NO_RESPONDERS) {
      this.#forget(id, request.part)
      this.#sendLater(request.part, unansweredOf(request))
      return
    }
    this.#lastHeardAtMs[request.part] = performance.now()
    let verdicts: VerdictTuple[]
    try {
      verdicts = parseVerdicts(message.string())
    } catch (error) {
      this.#log.error({ err: error }, 'an owner answered with something that is no list of verdicts')
      return
    }
    const again: RoutedBid[] = []
    for (const verdict of verdicts) this.#settle(request, verdict, again)
    if (request.unanswered === 0) this.#forget(id, request.part)
    if (again.length > 0) this.#sendLater(request.part, again)
  }

  #settle(request: Request, [index, code, value]: VerdictTuple, again: RoutedBid[]): void {
    const bid = request.bids[index]
    if (bid === undefined || request.isAnswered[index] === true) return
    request.isAnswered[index] = true
    request.unanswered--
    if (code === 0) {
      this.#outstanding[request.part] = this.#outstandingOf(request.part) - 1
      bid.onAccepted(value)
    } else if (code === 'unavailable') again.push(bid)
    else this.#refuse(request.part, bid, code, value)
  }

  #refuse(part: number, bid: RoutedBid, code: BidRefusal, minimumSen = 0): void {
    this.#outstanding[part] = this.#outstandingOf(part) - 1
    bid.onRefused(code, minimumSen)
  }

  /** Nobody owned the partition, or its owner was on the way out: these bids were certainly not taken and may simply go again. */
  #sendLater(part: number, bids: readonly RoutedBid[]): void {
    setTimeout(() => {
      const nowMs = performance.now()
      for (const bid of bids) {
        const isTooLate = !this.#isConnected || nowMs - bid.receivedAtMs > this.#timings.answerWithinMs
        if (isTooLate) this.#refuse(part, bid, bid.mayBeTaken ? 'outcome-unknown' : 'unavailable')
        else this.#gather(part, bid)
      }
    }, this.#timings.ownerlessRetryMs)
  }

  #answerOverdue(): void {
    const nowMs = performance.now()
    for (const [id, request] of this.#requests) {
      const heardAtMs = Math.max(request.sentAtMs, this.#lastHeardAtMs[request.part] ?? 0)
      const isSilent =
        nowMs - heardAtMs > this.#timings.silenceMs ||
        // The partition's next owner answers, but not what its predecessor took to the grave.
        (request.unanswered === request.bids.length && nowMs - request.sentAtMs > 2 * this.#timings.silenceMs)
      // A bid that was sent again shortly before its time was up must not wait for another silence.
      const isTimeUp = nowMs > request.overdueAtMs
      if (!isSilent && !isTimeUp) continue
      const again: RoutedBid[] = []
      for (const [index, bid] of request.bids.entries()) {
        if (request.isAnswered[index] === true) continue
        const isOverdue = isTimeUp && nowMs - bid.receivedAtMs > this.#timings.answerWithinMs
        if (!isOverdue && !(isSilent && bid.bidId !== null)) continue
        request.isAnswered[index] = true
        request.unanswered--
        if (isOverdue) this.#refuse(request.part, bid, 'outcome-unknown')
        else {
          bid.mayBeTaken = true
          again.push(bid)
        }
      }
      if (request.unanswered === 0) this.#forget(id, request.part)
      for (const bid of again) this.#gather(request.part, bid)
    }
  }
}

function unansweredOf(request: Request): RoutedBid[] {
  return request.bids.filter((_, index) => request.isAnswered[index] !== true)
}
