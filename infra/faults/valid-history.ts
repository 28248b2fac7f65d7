import type { AuctionEvent } from '@wangian/contracts/events/auction.ts'
import type { BidOperation, BidOutcome, History, LogRow, Sighting } from './history.ts'

/** One request of a scenario; all times are milliseconds. */
export interface PlannedBid {
  readonly bidderId: number
  /** Since the request before it. */
  readonly gapMs: number
  readonly decidedAfterMs: number
  readonly answeredAfterMs: number
  /** Above the minimum at the moment of the decision; negative is too low. */
  readonly raiseSen: number
  readonly hasId: boolean
  /** `told`: the answer arrives. `in-doubt`: the answer is `outcome-unknown`. `cut`: the connection breaks first. */
  readonly fate: 'told' | 'in-doubt' | 'cut'
  /** Of a bid that nobody was told about: whether it was committed. */
  readonly isCommitted: boolean
  /** Sends an earlier request again under its id; counted back from this one. 0 is a bid of its own. */
  readonly retryOf: number
  /** After how long watchers see it; `null`: a frame that nobody got. */
  readonly seenAfterMs: number | null
}

export const terms = {
  productId: 1,
  sellerId: 1000,
  startingPriceSen: 10_000,
  reserveSen: 10_500,
  buyNowSen: null,
  incrementSen: 50,
  startsAt: '2026-01-01T00:00:00.000Z',
  endsAt: '2026-01-01T01:00:00.000Z',
} as const

const startMs = Date.parse(terms.startsAt)

interface Request {
  readonly plan: PlannedBid
  readonly bidId: string | null
  readonly sentAtMs: number
  readonly decidedAtMs: number
  readonly answeredAtMs: number
}

/** What a correct system makes of these requests: it judges them one after the other, commits, answers, shows. */
export function validHistory(plans: readonly PlannedBid[], auctionId = 7, hasEnd = true): History {
  const operations: BidOperation[] = []
  const sightings: Sighting[] = []
  const log: LogRow[] = []
  const append = (event: AuctionEvent) => log.push({ auctionId, version: log.length + 1, event })
  append({ type: 'AuctionOpened', data: { auctionId, ...terms, openedAt: terms.startsAt } })

  let minimumSen = terms.startingPriceSen + terms.incrementSen
  let seq = 0
  let lastBidderId: number | null = null
  const firstAnswers = new Map<string, { outcome: BidOutcome; amountSen: number }>()
  for (const { plan, bidId, sentAtMs, decidedAtMs, answeredAtMs } of requestsOf(plans)) {
    const key = `${plan.bidderId}:${bidId}`
    const first = bidId === null ? undefined : firstAnswers.get(key)
    const amountSen = first?.amountSen ?? minimumSen + plan.raiseSen
    let outcome: BidOutcome
    if (first !== undefined) outcome = first.outcome
    else if (plan.fate !== 'told' && !plan.isCommitted) outcome = { kind: 'unknown' }
    else if (amountSen < minimumSen) outcome = { kind: 'refused', code: 'bid-too-low', minimumSen }
    else {
      outcome = { kind: 'accepted', seq: ++seq }
      lastBidderId = plan.bidderId
      minimumSen = amountSen + terms.incrementSen
      const placedAt = new Date(startMs + decidedAtMs).toISOString()
      append({ type: 'BidPlaced', data: { auctionId, seq, bidderId: plan.bidderId, amountSen, bidId, placedAt } })
      if (plan.seenAfterMs !== null) {
        const seenAtMs = decidedAtMs + plan.seenAfterMs
        sightings.push({ kind: 'bid', auctionId, seq, bidderId: plan.bidderId, amountSen, seenAtMs, wasStored: true })
      }
    }
    // A request that was lost on its way in has no first answer that a retry could get again.
    if (bidId !== null && outcome.kind !== 'unknown') firstAnswers.set(key, { outcome, amountSen })
    operations.push({
      auctionId,
      bidderId: plan.bidderId,
      amountSen,
      bidId,
      sentAtMs,
      answeredAtMs: plan.fate === 'cut' ? null : answeredAtMs,
      isConnectionLost: plan.fate === 'cut',
      outcome: plan.fate === 'told' ? outcome : { kind: 'unknown' },
    })
  }
  if (!hasEnd) return { operations, sightings, log }

  const amountSen = seq === 0 ? null : minimumSen - terms.incrementSen
  const isWon = amountSen !== null && amountSen >= terms.reserveSen
  const winnerId = isWon ? lastBidderId : null
  append({
    type: 'AuctionEnded',
    data: {
      auctionId,
      productId: terms.productId,
      sellerId: terms.sellerId,
      outcome: seq === 0 ? 'no-bids' : isWon ? 'won' : 'reserve-not-met',
      winnerId,
      leaderId: lastBidderId,
      amountSen,
      bidCount: seq,
      endedAt: terms.endsAt,
    },
  })
  const lastMs = Math.max(0, ...operations.map((operation) => operation.answeredAtMs ?? operation.sentAtMs))
  sightings.push({ kind: 'end', auctionId, winnerId, amountSen, seenAtMs: lastMs + 10 })
  operations.push({
    auctionId,
    bidderId: 5,
    amountSen: 99_999_999,
    bidId: null,
    sentAtMs: lastMs + 20,
    answeredAtMs: lastMs + 25,
    isConnectionLost: false,
    outcome: { kind: 'refused', code: 'auction-ended', minimumSen: null },
  })
  return { operations, sightings, log }
}

/** The requests in the order in which the owner decides on them. */
function requestsOf(plans: readonly PlannedBid[]): Request[] {
  let sentAtMs = 0
  const requests: Request[] = []
  for (const [index, plan] of plans.entries()) {
    sentAtMs += plan.gapMs
    const original = plan.retryOf > 0 ? requests[index - plan.retryOf] : undefined
    const isRetry = original !== undefined && original.bidId !== null
    const bidder = isRetry ? original.plan : plan
    requests.push({
      plan: isRetry ? { ...plan, bidderId: bidder.bidderId, raiseSen: bidder.raiseSen } : plan,
      bidId: isRetry ? original.bidId : plan.hasId ? `bid-${index}` : null,
      sentAtMs,
      decidedAtMs: sentAtMs + plan.decidedAfterMs,
      answeredAtMs: sentAtMs + plan.decidedAfterMs + plan.answeredAfterMs,
    })
  }
  return requests.toSorted((one, other) => one.decidedAtMs - other.decidedAtMs)
}
