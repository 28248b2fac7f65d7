import type { LeanResult } from './lean-client.ts'
import { type Digest, ms } from './summary.ts'
import { isKept, measuredOf, type Threshold } from './thresholds.ts'

/** Twice what the lean client measures, and so much more, is not the system's. */
const SLOWER_FACTOR = 2
const SLOWER_MS = 10
/** Bids that leave later than this are late by the client alone. */
const LATE_MS = 50

/** What was measured beside k6's own figures. */
export interface Beside {
  /** `undefined` where nobody bids, or the lean client cannot go (it speaks no TLS). */
  readonly lean: LeanResult | undefined
  /** How many cores k6 was busy with at the most. */
  readonly coresMax: number | undefined
}

/** A threshold with what was measured. */
export interface Judged {
  readonly threshold: Threshold
  readonly measured: number
  /** The same by the lean client, ms, where it measures that. */
  readonly leanMs: number | undefined
  readonly isKept: boolean
}

/** Whether k6 measured the system or itself, with a sentence that says why. */
export function judgeK6(
  digest: Digest,
  { lean, coresMax }: Beside,
): { isBottleneck: boolean; says: string } | undefined {
  const accepted = digest.times.bid_accept_time
  if (accepted === undefined) return undefined
  const lateMs = digest.times.bid_lateness?.p99 ?? 0
  const isSlower = lean !== undefined && accepted.p99 > SLOWER_FACTOR * lean.acceptMs.p99 + SLOWER_MS
  const isBottleneck = isSlower || lateMs > LATE_MS
  const cores = coresMax === undefined ? '' : `, was busy with up to ${coresMax.toFixed(1)} cores`
  const beside =
    lean === undefined ? 'no lean client ran beside it' : `the lean client beside it saw ${ms(lean.acceptMs.p99)}`
  const facts = `it sent 99 % of its bids at most ${ms(lateMs)} late${cores}, and had 99 % of what was accepted within ${ms(accepted.p99)}; ${beside}`
  if (!isBottleneck) return { isBottleneck, says: `k6 kept up: ${facts}.` }
  const counts =
    lean === undefined ? 'Run it from a stronger machine' : "Its times are its own, and the lean client's are judged"
  return { isBottleneck, says: `k6 itself is the bottleneck: ${facts}. ${counts}; PROCESSES splits its work.` }
}

/** Compares thresholds with what was measured: by k6, or where that was the bottleneck and the lean client knows better, by that. */
export function judge(digest: Digest, thresholds: readonly Threshold[], beside: Beside): Judged[] {
  const isBottleneck = judgeK6(digest, beside)?.isBottleneck === true
  return thresholds.map((threshold) => {
    const measured = measuredOf(digest, threshold)
    const leanMs = leanOf(threshold, beside.lean)
    return { threshold, measured, leanMs, isKept: isKept(threshold, isBottleneck ? (leanMs ?? measured) : measured) }
  })
}

function leanOf(threshold: Threshold, lean: LeanResult | undefined): number | undefined {
  if (lean === undefined || threshold.stat === 'count') return undefined
  if (threshold.of === 'bid_accept_time') return lean.acceptMs[threshold.stat]
  if (threshold.of === 'frame_lag') return lean.lagMs[threshold.stat]
  return undefined
}
