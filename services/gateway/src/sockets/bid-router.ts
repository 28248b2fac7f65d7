import type { Msg, NatsConnection } from '@nats-io/transport-node'
import {
  BIDS_PER_MESSAGE_MAX,
  type BidTuple,
  parseVerdicts,
  type VerdictTuple,
} from '@wangian/contracts/auction-wire.ts'
import type { ErrorCode } from '@wangian/contracts/errors.ts'
import {
  AUCTION_PARTITIONS,
  auctionBidsSubject,
  auctionPartition,
  isAuctionOwnerSubject,
} from '@wangian/contracts/subjects.ts'
import { newInbox, saysNoResponders, subscribe, traceHeaders } from '@wangian/kit/bus/nats.ts'
import { Allowance } from '@wangian/kit/http/rate-limit.ts'
import type { Logger } from '@wangian/kit/service/logger.ts'
import { beginSpan, isTracing, type OpenSpan } from '@wangian/kit/service/tracing.ts'
import { countBidAnswer } from '../metrics.ts'

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
  /** A burst is over by then: an owner takes 30,000 bids/s and more. */
  burstMs: 100,
} as const
export type BidTimings = { readonly [Name in keyof typeof bidTimings]: number }
/** Bids on their way to one partition; beyond it the gateway answers `busy` itself. */
const OUTSTANDING_MAX = 8192
/**
 * Messages to one owner that may be unanswered before further bids wait here: one that he commits and one that gathers behind it. A
 * third could not be committed sooner; what waits goes as one message, and the busier the lots the fewer messages they cost.
 */
const UNANSWERED_MESSAGES_MAX = 2
/** Messages with bids that are traced where traces are kept: all are alike, and a span for each would cost more than its bids. */
const TRACED = { limit: 10, windowMs: 1000 } as const
/** An owner that takes longer than this is not waited for. */
const HOLD_MAX_MS = 20
/**
 * Bids that may wait here for one owner once more are offered than he takes, which is told from a burst by how long it lasts (as CoDel tells a standing
 * queue from a good one, RFC 8289): beyond them the gateway answers `busy` itself, for to carry them to him and back would take the time of those he accepts.
 */
const WAITING_MAX = 1024

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
  /** Asked before each sending: the bidder may have been banned while the bid waited for an owner. */
  readonly isBarred?: () => boolean
  /** `amountSen` is what was accepted: with the id of an earlier bid, what that one said. */
  onAccepted(seq: number, amountSen: number): void
  onRefused(code: ErrorCode, minimumSen: number): void
}

/**
 * A subject that bids are sent to: a partition's own, where whoever holds it listens, or its owner's, once an answer has named it. Thus
 * the bids of all partitions with one owner go as one message.
 */
interface Lane {
  readonly subject: string
  gathered: RoutedBid[]
  unansweredMessages: number
  lastSentAtMs: number
  lastHeardAtMs: number
  /** When few bids waited last, or the owner had nothing to do. */
  lastCalmAtMs: number
}

interface Request {
  readonly lane: Lane
  readonly bids: readonly RoutedBid[]
  readonly isAnswered: boolean[]
  unanswered: number
  readonly sentAtMs: number
  /** From then on its bids are answered when they have waited long enough. */
  readonly overdueAtMs: number
  readonly span: OpenSpan | null
}

/**
 * Carries bids to the owners of their partitions: one message per owner and event-loop turn, answered in parts. While a partition
 * changes hands its bids wait here and are sent again; a bid that an owner may have seen is sent again only under its own id.
 */
export class BidRouter {
  readonly #nats: NatsConnection
  readonly #log: Logger
  readonly #timings: BidTimings
  readonly #inbox: string
  readonly #outstanding = new Array<number>(AUCTION_PARTITIONS).fill(0)
  readonly #partitionLanes = Array.from({ length: AUCTION_PARTITIONS }, (_, part) => laneTo(auctionBidsSubject(part)))
  readonly #ownerLanes = new Map<string, Lane>()
  /** Where each partition's bids are sent now. */
  readonly #laneOfPart: Lane[] = [...this.#partitionLanes]
  readonly #requests = new Map<number, Request>()
  readonly #dirty = new Set<Lane>()
  readonly #held = new Set<Lane>()
  readonly #traced = new Allowance(TRACED)
  #holdTimer: NodeJS.Timeout | null = null
  /** While something is unanswered. */
  #sweep: NodeJS.Timeout | undefined
  #nextId = 0
  #isConnected = true

  constructor(options: { nats: NatsConnection; log: Logger; timings?: BidTimings }) {
    this.#nats = options.nats
    this.#log = options.log
    this.#timings = options.timings ?? bidTimings
    this.#inbox = newInbox(options.nats)
    subscribe(options.nats, `${this.#inbox}.*`, (message) => this.#receive(message), { log: options.log })
  }

  /** Without a connection to the bus a bid is refused at once instead of waiting for its deadline. */
  setConnected(isConnected: boolean): void {
    this.#isConnected = isConnected
  }

  /** Takes a bid; exactly one of its callbacks is called, within 5 s. */
  place(bid: RoutedBid): void {
    const part = auctionPartition(bid.auctionId)
    this.#outstanding[part] = this.#outstandingOf(part) + 1
    if (!this.#isConnected) return this.#refuse(bid, 'unavailable')
    if (this.#outstandingOf(part) > OUTSTANDING_MAX) return this.#refuse(bid, 'busy')
    if (this.#isOverloaded(part)) return this.#refuse(bid, 'busy')
    this.#gather(bid)
  }

  stop(): void {
    clearInterval(this.#sweep)
    if (this.#holdTimer !== null) clearTimeout(this.#holdTimer)
  }

  #sweepOn(): void {
    this.#sweep ??= setInterval(() => {
      // By the time before what has come is read: whoever is held up, even between the two, may have the answer already.
      const nowMs = performance.now()
      setImmediate(() => {
        this.#answerOverdue(nowMs)
        if (this.#requests.size > 0) return
        clearInterval(this.#sweep)
        this.#sweep = undefined
      })
    }, this.#timings.sweepEveryMs).unref()
  }

  #outstandingOf(part: number): number {
    return this.#outstanding[part] ?? 0
  }

  #isOverloaded(part: number): boolean {
    const lane = this.#laneOfPart[part]
    if (lane === undefined || lane.gathered.length < WAITING_MAX) return false
    if (lane.unansweredMessages < UNANSWERED_MESSAGES_MAX) return false
    return performance.now() - lane.lastCalmAtMs > this.#timings.burstMs
  }

  #gather(bid: RoutedBid): void {
    const lane = this.#laneOfPart[auctionPartition(bid.auctionId)]
    if (lane === undefined) throw new Error(`there is no partition of auction ${bid.auctionId}`)
    if (lane.gathered.length === 0) this.#flushSoon(lane)
    lane.gathered.push(bid)
  }

  #flush(): void {
    const lanes = [...this.#dirty]
    this.#dirty.clear()
    for (const lane of lanes) {
      if (this.#mustHold(lane)) continue
      this.#held.delete(lane)
      const bids = lane.gathered
      lane.gathered = []
      if (bids.length < WAITING_MAX || lane.unansweredMessages === 0) lane.lastCalmAtMs = performance.now()
      for (let start = 0; start < bids.length; start += BIDS_PER_MESSAGE_MAX) {
        this.#send(lane, bids.slice(start, start + BIDS_PER_MESSAGE_MAX))
      }
    }
  }

  /** Whether the owner has enough to do; then the bids go with its next answer, or after a moment all the same. */
  #mustHold(lane: Lane): boolean {
    const isBusy = lane.unansweredMessages >= UNANSWERED_MESSAGES_MAX
    if (!isBusy || performance.now() - lane.lastSentAtMs >= HOLD_MAX_MS) return false
    this.#held.add(lane)
    this.#holdTimer ??= setTimeout(() => {
      this.#holdTimer = null
      for (const held of this.#held) this.#flushSoon(held)
    }, HOLD_MAX_MS)
    return true
  }

  #flushSoon(lane: Lane): void {
    if (this.#dirty.size === 0) setImmediate(() => this.#flush())
    this.#dirty.add(lane)
  }

  #forget(id: number, lane: Lane): void {
    this.#requests.get(id)?.span?.end()
    if (!this.#requests.delete(id)) return
    lane.unansweredMessages--
    if (this.#held.has(lane)) this.#flushSoon(lane)
  }

  /** Whoever answered holds these partitions. */
  #learn(part: number, ownerSubject: string): void {
    if (this.#laneOfPart[part]?.subject === ownerSubject) return
    let lane = this.#ownerLanes.get(ownerSubject)
    if (lane === undefined) {
      // Rare enough to tidy up: owners that hold nothing of ours any more are not heard of again.
      for (const [subject, known] of this.#ownerLanes)
        if (!this.#laneOfPart.includes(known)) this.#ownerLanes.delete(subject)
      lane = laneTo(ownerSubject)
      this.#ownerLanes.set(ownerSubject, lane)
    }
    this.#laneOfPart[part] = lane
  }

  /** Its owner is not, or not any more, who we thought: only the partition's own subject tells. */
  #unlearn(part: number): void {
    const lane = this.#partitionLanes[part]
    if (lane !== undefined) this.#laneOfPart[part] = lane
  }

  /** An owner that is gone, or that says nothing, holds nothing any more as far as we know. */
  #distrust(lane: Lane): void {
    // One that woke up again has another lane by now, which old messages must not take from it.
    if (this.#ownerLanes.get(lane.subject) !== lane) return
    this.#ownerLanes.delete(lane.subject)
    for (const [part, current] of this.#laneOfPart.entries()) if (current === lane) this.#unlearn(part)
    this.#held.delete(lane)
    for (const bid of lane.gathered.splice(0)) this.#gather(bid)
  }

  #send(lane: Lane, gathered: readonly RoutedBid[]): void {
    const bids = gathered.filter((bid) => !this.#refuseBarred(bid))
    if (bids.length === 0) return
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
    const span = this.#sample(bids.length, sentAtMs)
    this.#requests.set(id, { lane, bids, isAnswered, unanswered: bids.length, sentAtMs, overdueAtMs, span })
    this.#sweepOn()
    lane.unansweredMessages++
    lane.lastSentAtMs = sentAtMs
    try {
      const trace = span === null ? {} : traceHeaders(span.traceparent)
      this.#nats.publish(lane.subject, JSON.stringify(tuples), { reply: `${this.#inbox}.${id}`, ...trace })
    } catch (error) {
      this.#log.warn({ err: error }, 'bids could not be sent')
      this.#forget(id, lane)
      for (const bid of bids) this.#refuseUnsent(bid, 'unavailable')
    }
  }

  #sample(bids: number, nowMs: number): OpenSpan | null {
    if (!isTracing() || this.#traced.take(nowMs) > 0) return null
    return beginSpan({
      name: 'bids',
      kind: 'client',
      parent: null,
      isRoot: true,
      attributes: { 'wangian.commands': bids },
    })
  }

  #refuseBarred(bid: RoutedBid): boolean {
    if (bid.isBarred?.() !== true) return false
    this.#refuseUnsent(bid, 'account-suspended')
    return true
  }

  #receive(message: Msg): void {
    const id = Number(message.subject.slice(this.#inbox.length + 1))
    const request = this.#requests.get(id)
    // An answer that came after its deadline, or a second owner's: the first one counted.
    if (request === undefined) return
    if (saysNoResponders(message)) {
      this.#forget(id, request.lane)
      this.#distrust(request.lane)
      this.#sendLater(unansweredOf(request))
      return
    }
    request.lane.lastHeardAtMs = performance.now()
    let verdicts: VerdictTuple[]
    try {
      verdicts = parseVerdicts(message.string())
    } catch (error) {
      this.#log.error({ err: error }, 'an owner answered with something that is no list of verdicts')
      return
    }
    const again: RoutedBid[] = []
    const owner = message.reply !== undefined && isAuctionOwnerSubject(message.reply) ? message.reply : null
    for (const verdict of verdicts) this.#settle(request, verdict, owner, again)
    if (request.unanswered === 0) this.#forget(id, request.lane)
    if (again.length > 0) this.#sendLater(again)
  }

  #settle(
    request: Request,
    [index, code, value, amountSen]: VerdictTuple,
    owner: string | null,
    again: RoutedBid[],
  ): void {
    const bid = request.bids[index]
    if (bid === undefined || request.isAnswered[index] === true) return
    request.isAnswered[index] = true
    request.unanswered--
    const part = auctionPartition(bid.auctionId)
    if (code === 'unavailable') {
      this.#unlearn(part)
      again.push(bid)
      return
    }
    if (owner !== null) this.#learn(part, owner)
    if (code === 0) {
      this.#outstanding[part] = this.#outstandingOf(part) - 1
      countBidAnswer('accepted', performance.now() - bid.receivedAtMs)
      bid.onAccepted(value, amountSen ?? bid.amountSen)
    } else this.#refuse(bid, code, value)
  }

  #refuse(bid: RoutedBid, code: ErrorCode, minimumSen = 0): void {
    const part = auctionPartition(bid.auctionId)
    this.#outstanding[part] = this.#outstandingOf(part) - 1
    countBidAnswer(code, performance.now() - bid.receivedAtMs)
    bid.onRefused(code, minimumSen)
  }

  /** It is not sent, but an owner may have taken it when it was sent before. */
  #refuseUnsent(bid: RoutedBid, code: ErrorCode): void {
    this.#refuse(bid, bid.mayBeTaken ? 'outcome-unknown' : code)
  }

  /** Nobody owned the partition, or its owner was on the way out: these bids were certainly not taken and may simply go again. */
  #sendLater(bids: readonly RoutedBid[]): void {
    setTimeout(() => {
      const nowMs = performance.now()
      for (const bid of bids) {
        const isTooLate = !this.#isConnected || nowMs - bid.receivedAtMs > this.#timings.answerWithinMs
        if (isTooLate) this.#refuseUnsent(bid, 'unavailable')
        else this.#gather(bid)
      }
    }, this.#timings.ownerlessRetryMs)
  }

  #answerOverdue(nowMs: number): void {
    for (const [id, request] of this.#requests) {
      const heardAtMs = Math.max(request.sentAtMs, request.lane.lastHeardAtMs)
      const isSilent =
        nowMs - heardAtMs > this.#timings.silenceMs ||
        // The partition's next owner answers, but not what its predecessor took to the grave.
        (request.unanswered === request.bids.length && nowMs - request.sentAtMs > 2 * this.#timings.silenceMs)
      // A bid that was sent again shortly before its time was up must not wait for another silence.
      const isTimeUp = nowMs > request.overdueAtMs
      if (!isSilent && !isTimeUp) continue
      if (isSilent) this.#distrust(request.lane)
      const again: RoutedBid[] = []
      for (const [index, bid] of request.bids.entries()) {
        if (request.isAnswered[index] === true) continue
        const isOverdue = isTimeUp && nowMs - bid.receivedAtMs > this.#timings.answerWithinMs
        if (!isOverdue && !(isSilent && bid.bidId !== null)) continue
        request.isAnswered[index] = true
        request.unanswered--
        if (isOverdue) this.#refuse(bid, 'outcome-unknown')
        else {
          bid.mayBeTaken = true
          again.push(bid)
        }
      }
      if (request.unanswered === 0) this.#forget(id, request.lane)
      for (const bid of again) this.#gather(bid)
    }
  }
}

function laneTo(subject: string): Lane {
  return {
    subject,
    gathered: [],
    unansweredMessages: 0,
    lastSentAtMs: Number.NEGATIVE_INFINITY,
    lastHeardAtMs: 0,
    lastCalmAtMs: 0,
  }
}

function unansweredOf(request: Request): RoutedBid[] {
  return request.bids.filter((_, index) => request.isAnswered[index] !== true)
}
