import type { ErrorCode } from '@wangian/contracts/errors.ts'
import type { AuctionEvent } from '@wangian/contracts/events/auction.ts'
import type { BidOperation, History, LogRow, Sighting } from './history.ts'

/** A promise of ours that a history breaks, with the facts that show it. */
export interface Violation {
  readonly promise: 'P1' | 'P2' | 'P3' | 'P4' | 'P6' | 'P7' | 'P8'
  readonly auctionId: number
  readonly text: string
}

export interface CheckOptions {
  /** Auctions whose end has passed: each must have its one `AuctionEnded`. */
  readonly ended?: ReadonlySet<number>
  /** A process was restarted during the run: a bid that was refused before may then be judged anew (P7). */
  readonly hasRestarts?: boolean
  readonly answerWithinMs?: number
}

type Stored = Extract<AuctionEvent, { type: 'BidPlaced' }>['data']

/** A stored bid with the requests that it answers. */
interface ExplainedBid {
  readonly bid: Stored
  /** When the first request for it was sent; nothing can have been stored before. `-Infinity` when nobody asked. */
  readonly sentAtMs: number
  /** When it was first known to be stored: answered or seen. */
  readonly knownAtMs: number
}

const ANSWER_WITHIN_MS = 5000
/** Refusals that say something about us and nothing about the bid: a retry of an accepted bid may meet them. */
const PASSING_REFUSALS: ReadonlySet<ErrorCode> = new Set([
  'busy',
  'unavailable',
  'rate-limited',
  'authentication-required',
  'account-suspended',
])

/**
 * Proves the promises P1 to P4 and P6 to P8 on a recorded history, or says what breaks them. Per auction the log is a total order,
 * so one sweep over requests, answers and rows is enough; no search for a linearisation is needed.
 */
export function checkHistory(history: History, options: CheckOptions = {}): Violation[] {
  const operations = Map.groupBy(history.operations, (operation) => operation.auctionId)
  const sightings = Map.groupBy(history.sightings, (sighting) => sighting.auctionId)
  const log = Map.groupBy(history.log, (row) => row.auctionId)
  const auctionIds = new Set([...operations.keys(), ...sightings.keys(), ...log.keys()])
  return [...auctionIds].flatMap((auctionId) => {
    const check = new AuctionCheck(auctionId, options)
    check.run(operations.get(auctionId) ?? [], sightings.get(auctionId) ?? [], log.get(auctionId) ?? [])
    return check.violations
  })
}

/** One line per violation, fit for an assertion message. */
export function describeViolations(violations: readonly Violation[], linesMax = 20): string {
  const lines = violations.slice(0, linesMax).map((each) => `${each.promise} auction ${each.auctionId}: ${each.text}`)
  if (violations.length > linesMax) lines.push(`… and ${violations.length - linesMax} more`)
  return lines.join('\n')
}

class AuctionCheck {
  readonly violations: Violation[] = []
  readonly #auctionId: number
  readonly #options: CheckOptions

  constructor(auctionId: number, options: CheckOptions) {
    this.#auctionId = auctionId
    this.#options = options
  }

  run(operations: readonly BidOperation[], sightings: readonly Sighting[], log: readonly LogRow[]): void {
    const rows = log.toSorted((one, other) => one.version - other.version)
    const bids = this.#checkLog(rows)
    const explained = this.#checkAnswers(operations, bids, sightings)
    this.#checkRealTime(operations, explained)
    this.#checkMinimums(operations, rows, explained)
    this.#checkSightings(sightings, rows, bids)
    this.#checkDeadlines(operations)
  }

  #fail(promise: Violation['promise'], text: string): void {
    this.violations.push({ promise, auctionId: this.#auctionId, text })
  }

  /** The stream by itself: P2 and P6. Returns the stored bids in order. */
  #checkLog(rows: readonly LogRow[]): Stored[] {
    const bids: Stored[] = []
    let terms: { startingPriceSen: number; reserveSen: number | null; incrementSen: number; endsAt: string } | null =
      null
    let closedBy: LogRow | null = null
    for (const [index, { version, event }] of rows.entries()) {
      if (version !== index + 1) this.#fail('P2', `version ${version} stands where ${index + 1} belongs`)
      if (closedBy !== null) {
        this.#fail('P6', `${event.type} (version ${version}) comes after ${closedBy.event.type} (${closedBy.version})`)
      }
      switch (event.type) {
        case 'AuctionOpened':
        case 'AuctionRevised':
          if ((event.type === 'AuctionOpened') !== (terms === null)) this.#fail('P2', `${event.type} at ${version}`)
          if (bids.length > 0) this.#fail('P2', `the terms changed after bid ${bids.length}`)
          terms = event.data
          break
        case 'BidPlaced': {
          const { seq, amountSen, placedAt } = event.data
          if (terms === null) {
            this.#fail('P2', `bid ${seq} was placed before the auction was opened`)
            break
          }
          const minimumSen = (bids.at(-1)?.amountSen ?? terms.startingPriceSen) + terms.incrementSen
          if (seq !== bids.length + 1) this.#fail('P2', `seq ${seq} stands where ${bids.length + 1} belongs`)
          if (amountSen < minimumSen) this.#fail('P2', `bid ${seq} is ${amountSen} sen, the minimum was ${minimumSen}`)
          if (Date.parse(placedAt) >= Date.parse(terms.endsAt)) {
            this.#fail('P6', `bid ${seq} was placed at ${placedAt}, the auction ended at ${terms.endsAt}`)
          }
          bids.push(event.data)
          break
        }
        case 'AuctionEnded':
          closedBy = { auctionId: this.#auctionId, version, event }
          this.#checkEnd(event.data, bids, terms?.reserveSen ?? null, terms?.endsAt)
          break
        case 'AuctionCancelled':
          closedBy = { auctionId: this.#auctionId, version, event }
          if (bids.length > 0) this.#fail('P6', `cancelled with ${bids.length} bids`)
          break
        default:
          event satisfies never
      }
    }
    if (closedBy === null && this.#options.ended?.has(this.#auctionId)) this.#fail('P6', 'it never ended')
    return bids
  }

  #checkEnd(
    end: Extract<AuctionEvent, { type: 'AuctionEnded' }>['data'],
    bids: readonly Stored[],
    reserveSen: number | null,
    endsAt: string | undefined,
  ): void {
    const last = bids.at(-1)
    const outcome = last === undefined ? 'no-bids' : (reserveSen ?? 0) <= last.amountSen ? 'won' : 'reserve-not-met'
    const winnerId = outcome === 'won' ? last?.bidderId : null
    if (end.outcome !== outcome) this.#fail('P6', `the outcome is ${end.outcome}, by the log it is ${outcome}`)
    if (end.winnerId !== winnerId) this.#fail('P6', `the winner is ${end.winnerId}, by the log it is ${winnerId}`)
    if (end.amountSen !== (last?.amountSen ?? null)) this.#fail('P6', `the last amount is not ${end.amountSen} sen`)
    if (end.bidCount !== bids.length) this.#fail('P6', `it counts ${end.bidCount} bids of ${bids.length}`)
    if (endsAt !== undefined && Date.parse(end.endedAt) < Date.parse(endsAt)) {
      this.#fail('P6', `it ended at ${end.endedAt}, before its end at ${endsAt}`)
    }
  }

  /** Requests against rows: P1, P4 and P7. */
  #checkAnswers(
    operations: readonly BidOperation[],
    bids: readonly Stored[],
    sightings: readonly Sighting[],
  ): ExplainedBid[] {
    const withId = Map.groupBy(
      operations.filter((operation) => operation.bidId !== null),
      keyOf,
    )
    const withoutId = operations.filter((operation) => operation.bidId === null)
    const answeredSeq = Map.groupBy(withoutId.filter(isAccepted), (operation) => operation.outcome.seq)
    const unknown = Map.groupBy(
      withoutId.filter((operation) => operation.outcome.kind === 'unknown'),
      (operation) => `${operation.bidderId}:${operation.amountSen}`,
    )
    const rowsOfKey = Map.groupBy(
      bids.filter((bid) => bid.bidId !== null),
      keyOf,
    )
    const seenAtMs = new Map<number, number>()
    for (const sighting of sightings) {
      if (sighting.kind !== 'bid') continue
      seenAtMs.set(sighting.seq, Math.min(seenAtMs.get(sighting.seq) ?? Number.POSITIVE_INFINITY, sighting.seenAtMs))
    }

    const explained: ExplainedBid[] = []
    for (const bid of bids) {
      let causes: readonly BidOperation[]
      if (bid.bidId !== null) {
        causes = withId.get(keyOf(bid)) ?? []
      } else {
        const answered = (answeredSeq.get(bid.seq) ?? []).filter((operation) => isFor(operation, bid))
        causes = answered.length > 0 ? answered : takeOne(unknown.get(`${bid.bidderId}:${bid.amountSen}`))
      }
      const possible = causes.filter((operation) => operation.outcome.kind !== 'refused')
      if (causes.length === 0) {
        this.#fail(
          'P4',
          `bid ${bid.seq} (bidder ${bid.bidderId}, ${bid.amountSen} sen) is a ghost: nobody asked for it`,
        )
      } else if (possible.length === 0) {
        this.#fail('P4', `bid ${bid.seq} of bidder ${bid.bidderId} is stored, and its bidder was refused`)
      } else if (!causes.some((operation) => operation.amountSen === bid.amountSen)) {
        this.#fail('P1', `bid ${bid.seq} is stored with ${bid.amountSen} sen, its bidder asked for another amount`)
      }
      explained.push({
        bid,
        sentAtMs: Math.min(...causes.map((operation) => operation.sentAtMs)),
        knownAtMs: Math.min(
          seenAtMs.get(bid.seq) ?? Number.POSITIVE_INFINITY,
          ...causes.filter(isAccepted).map((operation) => operation.answeredAtMs),
        ),
      })
    }
    for (const [seq, answered] of answeredSeq) this.#checkAnswered(seq, answered, bids)
    for (const [key, group] of withId) this.#checkRetries(key, group, rowsOfKey.get(key) ?? [])
    return explained.map((each) => (Number.isFinite(each.sentAtMs) ? each : { ...each, sentAtMs: -Infinity }))
  }

  /** Accepted bids without an id of their own: each has its row, and no two share one. */
  #checkAnswered(seq: number, answered: readonly AcceptedOperation[], bids: readonly Stored[]): void {
    const row = bids.find((bid) => bid.seq === seq)
    for (const operation of answered) {
      const request = `the bid of ${operation.amountSen} sen by bidder ${operation.bidderId}, accepted as ${seq},`
      if (row === undefined) this.#fail('P1', `${request} is not in the log`)
      else if (!isFor(operation, row)) this.#fail('P1', `${request} is not what the log holds there`)
    }
    if (answered.length > 1) this.#fail('P1', `${answered.length} bids were accepted as ${seq}`)
  }

  /** All requests with one bid id: one row at most, and the same answers. */
  #checkRetries(key: string, group: readonly BidOperation[], rows: readonly Stored[]): void {
    if (rows.length > 1) this.#fail('P7', `bid ${key} is stored ${rows.length} times`)
    const accepted = group.filter(isAccepted)
    for (const operation of accepted) {
      const { seq } = operation.outcome
      if (rows.length === 0) this.#fail('P1', `bid ${key}, accepted as ${seq}, is not in the log`)
      else if (!rows.some((row) => row.seq === seq)) {
        this.#fail('P7', `bid ${key} was accepted as ${seq} and is stored as ${rows[0]?.seq}`)
      }
    }
    const firstAcceptedAtMs = Math.min(...accepted.map((operation) => operation.answeredAtMs))
    const lastAcceptedSentAtMs = Math.max(...accepted.map((operation) => operation.sentAtMs))
    const minimums = new Set<number | null>()
    for (const { outcome, sentAtMs, answeredAtMs } of group) {
      if (outcome.kind !== 'refused' || PASSING_REFUSALS.has(outcome.code)) continue
      if (outcome.code === 'bid-too-low') minimums.add(outcome.minimumSen)
      if (sentAtMs > firstAcceptedAtMs) this.#fail('P7', `bid ${key} was accepted, then refused as ${outcome.code}`)
      if (!this.#options.hasRestarts && answeredAtMs !== null && answeredAtMs < lastAcceptedSentAtMs) {
        this.#fail('P7', `bid ${key} was refused as ${outcome.code}, then accepted`)
      }
    }
    if (minimums.size > 1 && !this.#options.hasRestarts) this.#fail('P7', `bid ${key} was refused with two minimums`)
  }

  /** P3, and that nothing is accepted that was sent after somebody was told that the auction is over (P6). */
  #checkRealTime(operations: readonly BidOperation[], explained: readonly ExplainedBid[]): void {
    let latest: ExplainedBid | undefined
    for (const each of explained) {
      if (latest !== undefined && each.knownAtMs < latest.sentAtMs) {
        this.#fail('P3', `bid ${each.bid.seq} was known before bid ${latest.bid.seq} was sent, and comes after it`)
      }
      if (latest === undefined || each.sentAtMs > latest.sentAtMs) latest = each
    }
    const toldAtMs = Math.min(
      ...operations
        .filter(({ outcome }) => outcome.kind === 'refused' && outcome.code === 'auction-ended')
        .map((operation) => operation.answeredAtMs ?? Number.POSITIVE_INFINITY),
    )
    if (latest !== undefined && latest.sentAtMs > toldAtMs) {
      this.#fail('P6', `bid ${latest.bid.seq} was sent after a bid was refused because the auction had ended`)
    }
  }

  /** P8: a minimum that a refusal names must have held at some moment between request and answer. */
  #checkMinimums(
    operations: readonly BidOperation[],
    rows: readonly LogRow[],
    explained: readonly ExplainedBid[],
  ): void {
    const bounds = boundsOfStates(explained)
    const statesOfMinimum = new Map<number, number[]>()
    const note = (minimumSen: number, state: number) =>
      statesOfMinimum.set(minimumSen, [...(statesOfMinimum.get(minimumSen) ?? []), state])
    let incrementSen = 0
    for (const { event } of rows) {
      if (event.type === 'AuctionOpened' || event.type === 'AuctionRevised') {
        incrementSen = event.data.incrementSen
        note(event.data.startingPriceSen + incrementSen, 0)
      }
    }
    for (const [index, { bid }] of explained.entries()) note(bid.amountSen + incrementSen, index + 1)

    const firstSentAtMs = new Map<string, number>()
    for (const operation of operations) {
      if (operation.bidId === null) continue
      const key = keyOf(operation)
      firstSentAtMs.set(key, Math.min(firstSentAtMs.get(key) ?? Number.POSITIVE_INFINITY, operation.sentAtMs))
    }
    for (const operation of operations) {
      const { outcome, amountSen, bidderId, answeredAtMs } = operation
      if (outcome.kind !== 'refused' || outcome.code !== 'bid-too-low' || answeredAtMs === null) continue
      const request = `the bid of ${amountSen} sen by bidder ${bidderId} was refused with the minimum`
      if (outcome.minimumSen === null || outcome.minimumSen <= amountSen) {
        this.#fail('P8', `${request} ${outcome.minimumSen}, which explains nothing`)
        continue
      }
      // A retry gets the first answer, which held when the first request was made.
      const sentAtMs = firstSentAtMs.get(keyOf(operation)) ?? operation.sentAtMs
      const heldThen = (statesOfMinimum.get(outcome.minimumSen) ?? []).some((state) => {
        const { fromMs, untilMs } = bounds[state] ?? { fromMs: Number.POSITIVE_INFINITY, untilMs: -Infinity }
        return fromMs <= answeredAtMs && untilMs >= sentAtMs
      })
      if (!heldThen) this.#fail('P8', `${request} ${outcome.minimumSen}, which held at no moment of the request`)
    }
  }

  /** P4: only what is stored is shown. */
  #checkSightings(sightings: readonly Sighting[], rows: readonly LogRow[], bids: readonly Stored[]): void {
    const end = rows.find(({ event }) => event.type === 'AuctionEnded')?.event
    for (const sighting of sightings) {
      if (sighting.kind === 'end') {
        if (end?.type !== 'AuctionEnded') this.#fail('P4', 'watchers saw an end that is not in the log')
        else if (end.data.winnerId !== sighting.winnerId || end.data.amountSen !== sighting.amountSen) {
          this.#fail('P6', `watchers saw ${sighting.winnerId} win, the log has ${end.data.winnerId}`)
        }
        continue
      }
      const { seq, bidderId, amountSen, wasStored } = sighting
      const row = bids[seq - 1]
      if (row === undefined) this.#fail('P4', `watchers saw bid ${seq}, which is not in the log`)
      else if (row.bidderId !== bidderId || row.amountSen !== amountSen) {
        this.#fail('P4', `watchers saw bid ${seq} as ${amountSen} sen by ${bidderId}, the log differs`)
      } else if (wasStored === false) this.#fail('P4', `watchers saw bid ${seq} before it was committed`)
    }
  }

  #checkDeadlines(operations: readonly BidOperation[]): void {
    const answerWithinMs = this.#options.answerWithinMs ?? ANSWER_WITHIN_MS
    for (const { bidderId, amountSen, sentAtMs, answeredAtMs, isConnectionLost } of operations) {
      const request = `the bid of ${amountSen} sen by bidder ${bidderId}`
      if (answeredAtMs === null) {
        if (!isConnectionLost) this.#fail('P8', `${request} was never answered`)
      } else if (answeredAtMs - sentAtMs > answerWithinMs) {
        this.#fail('P8', `${request} was answered after ${Math.round(answeredAtMs - sentAtMs)} ms`)
      }
    }
  }
}

type AcceptedOperation = BidOperation & {
  readonly answeredAtMs: number
  readonly outcome: { readonly kind: 'accepted'; readonly seq: number }
}

function isAccepted(operation: BidOperation): operation is AcceptedOperation {
  return operation.outcome.kind === 'accepted' && operation.answeredAtMs !== null
}

function isFor(operation: BidOperation, bid: Stored): boolean {
  return operation.bidderId === bid.bidderId && operation.amountSen === bid.amountSen && bid.bidId === operation.bidId
}

function keyOf({ bidderId, bidId }: { readonly bidderId: number; readonly bidId: string | null }): string {
  return `${bidId} of bidder ${bidderId}`
}

/** A request with an unknown outcome explains one row, not two. */
function takeOne(operations: BidOperation[] | undefined): BidOperation[] {
  const one = operations?.shift()
  return one === undefined ? [] : [one]
}

/**
 * Between which times the state after n bids (index n) can have been the current one: not before every one of those bids was sent,
 * not after any later bid was known.
 */
function boundsOfStates(explained: readonly ExplainedBid[]): { fromMs: number; untilMs: number }[] {
  const bounds = [{ fromMs: -Infinity, untilMs: Number.POSITIVE_INFINITY }]
  for (const { sentAtMs } of explained) {
    bounds.push({ fromMs: Math.max(bounds.at(-1)?.fromMs ?? -Infinity, sentAtMs), untilMs: Number.POSITIVE_INFINITY })
  }
  let untilMs = Number.POSITIVE_INFINITY
  for (let state = explained.length - 1; state >= 0; state--) {
    untilMs = Math.min(untilMs, explained[state]?.knownAtMs ?? Number.POSITIVE_INFINITY)
    const bound = bounds[state]
    if (bound !== undefined) bound.untilMs = untilMs
  }
  return bounds
}
