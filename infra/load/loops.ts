import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'
import type { BidPlan } from './bid-plan.ts'
import type { Ledger } from './ledger.ts'
import { beatUntil } from './metronome.ts'

/** Anything that takes bids: sockets, a database, a book in memory. */
export interface BidTarget {
  /** Places one bid. `done` is called exactly once, with the seq of an accepted bid or 0. */
  place(auctionId: number, amountSen: number, done: (seq: number) => void): void
}

export interface LoadResult {
  /** Accepted and refused within the measured time. */
  readonly accepted: number
  readonly refused: number
  /** Sent within the measured time and not answered soon after it. */
  readonly unanswered: number
  readonly acceptedPerS: number
  /** What was really offered; a generator that cannot keep up shows here. */
  readonly offeredPerS: number
  /** Of accepted bids: from sending (closed loop) or from the scheduled arrival (open loop). `NaN` when there are none. */
  readonly p50Ms: number
  readonly p95Ms: number
  readonly p99Ms: number
}

const STRAGGLERS_WITHIN_MS = 8000
const BEAT_MS = 0.25
/** Beyond this many unanswered bids an open loop keeps its count of arrivals, but has no memory left to send them all. */
const OUTSTANDING_MAX = 200_000

class Measurement {
  /** In µs, exact to a thousandth. */
  readonly #latency: RecordableHistogram = createHistogram()
  readonly #ledger: Ledger
  #startMs = performance.now()
  #endMs = Number.POSITIVE_INFINITY
  #accepted = 0
  #refused = 0
  #sent = 0
  outstanding = 0
  #onSettled: (() => void) | null = null

  constructor(ledger: Ledger) {
    this.#ledger = ledger
  }

  start(durationMs: number): { startMs: number; endMs: number } {
    this.#startMs = performance.now()
    this.#endMs = this.#startMs + durationMs
    return { startMs: this.#startMs, endMs: this.#endMs }
  }

  place(target: BidTarget, plan: BidPlan, sinceMs: number, onDone: () => void): void {
    const { auctionId, amountSen } = plan.next()
    this.#sent++
    this.outstanding++
    target.place(auctionId, amountSen, (seq) => {
      const nowMs = performance.now()
      this.outstanding--
      if (seq > 0) this.#ledger.accept(auctionId, seq)
      if (nowMs <= this.#endMs) {
        if (seq > 0) {
          this.#accepted++
          this.#recordLatency(nowMs - sinceMs)
        } else this.#refused++
        onDone()
      } else if (seq > 0) this.#recordLatency(nowMs - sinceMs)
      if (this.outstanding === 0) this.#onSettled?.()
    })
  }

  async result(): Promise<LoadResult> {
    if (this.outstanding > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, STRAGGLERS_WITHIN_MS)
        this.#onSettled = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    const seconds = (this.#endMs - this.#startMs) / 1000
    return {
      accepted: this.#accepted,
      refused: this.#refused,
      unanswered: this.outstanding,
      acceptedPerS: this.#accepted / seconds,
      offeredPerS: this.#sent / seconds,
      p50Ms: this.#quantileMs(0.5),
      p95Ms: this.#quantileMs(0.95),
      p99Ms: this.#quantileMs(0.99),
    }
  }

  #recordLatency(ms: number): void {
    this.#latency.record(Math.max(1, Math.round(ms * 1000)))
  }

  #quantileMs(share: number): number {
    return this.#latency.count === 0 ? Number.NaN : this.#latency.percentile(share * 100) / 1000
  }
}

export interface LoopOptions {
  readonly target: BidTarget
  readonly plan: BidPlan
  readonly ledger: Ledger
  readonly durationMs: number
}

/** Keeps so many bids in flight: the next one is sent when one is answered. */
export async function closedLoop(options: LoopOptions & { readonly inFlight: number }): Promise<LoadResult> {
  const { target, plan, ledger, durationMs, inFlight } = options
  const measurement = new Measurement(ledger)
  const { endMs } = measurement.start(durationMs)
  const next = () => {
    const nowMs = performance.now()
    if (nowMs < endMs) measurement.place(target, plan, nowMs, next)
  }
  for (let bid = 0; bid < inFlight; bid++) next()
  await new Promise((resolve) => setTimeout(resolve, durationMs))
  return measurement.result()
}

/**
 * Sends bids at fixed times, whatever becomes of the earlier ones, and counts each latency from the time at which the bid was due: a
 * stall is thus felt by every bid that it delays.
 */
export async function openLoop(options: LoopOptions & { readonly ratePerS: number }): Promise<LoadResult> {
  const { target, plan, ledger, durationMs, ratePerS } = options
  const measurement = new Measurement(ledger)
  const { startMs, endMs } = measurement.start(durationMs)
  const periodMs = 1000 / ratePerS
  let arrivals = 0
  const nothing = () => {}
  await beatUntil(endMs, Math.max(periodMs, BEAT_MS), () => {
    const nowMs = performance.now()
    for (
      let dueMs = startMs + arrivals * periodMs;
      dueMs <= nowMs && dueMs < endMs;
      dueMs = startMs + arrivals * periodMs
    ) {
      arrivals++
      if (measurement.outstanding < OUTSTANDING_MAX) measurement.place(target, plan, dueMs, nothing)
    }
  })
  return measurement.result()
}
