// Loaded by k6 as well as by Node: it may import types only.
import {
  type Digest,
  refusalCount,
  refusals,
  type Shape,
  type Sizes,
  type Timed,
  unexpectedRefusals,
} from './summary.ts'

/** What must be true of a run: a share of times stays below so many ms, or a count is what it has to be. */
export type Threshold =
  | { readonly of: Timed; readonly stat: 'p95' | 'p99'; readonly belowMs: number }
  | { readonly of: string; readonly stat: 'count'; readonly is: 'none' | 'some' }

/** What may be asked of the 95th percentile, ms. */
export interface Limits {
  readonly acceptP95Ms: number
  readonly lagP95Ms: number
  readonly pageP95Ms: number
  readonly messageP95Ms: number
  readonly stepP95Ms: number
}

/** Nobody waits longer than this, but one in a hundred. */
const P99_MS = 1000
/** A boost goes through the payment provider and back, and through two logs. */
const BOOST_P95_MS = 5000

const none = (of: string): Threshold => ({ of, stat: 'count', is: 'none' })
/** Without this the times would hold of nothing. */
const some = (of: string): Threshold => ({ of, stat: 'count', is: 'some' })
const times = (of: Timed, p95Ms: number): Threshold[] => [
  { of, stat: 'p95', belowMs: p95Ms },
  { of, stat: 'p99', belowMs: Math.max(P99_MS, p95Ms) },
]

/** What a run of this shape must keep. Of one that is disturbed nothing is asked but that it goes on: what it was promised is compared with what is stored. */
export function thresholdsOf(sizes: Sizes & Pick<Shape, 'isDisturbed'>, limits: Limits): Threshold[] {
  if (sizes.isDisturbed) return [...(sizes.bidders > 0 ? [some('bids_accepted')] : [])]
  const kept: Threshold[] = []
  if (sizes.bidders > 0) {
    kept.push(some('bids_accepted'), ...times('bid_accept_time', limits.acceptP95Ms))
    kept.push(...times('frame_lag', limits.lagP95Ms))
    kept.push(...['bids_unanswered', 'bids_missed', 'watchers_behind'].map(none))
  }
  if (sizes.bidders > 0 || sizes.pairs > 0) {
    kept.push(none('sockets_lost'), ...unexpectedRefusals.map((code) => none(refusalCount(code))))
  }
  if (sizes.visitors > 0) kept.push(some('pages_seen'), none('pages_failed'), ...times('page_time', limits.pageP95Ms))
  if (sizes.pairs > 0) {
    kept.push(some('deals_done'), none('deals_failed'))
    kept.push(...times('message_time', limits.messageP95Ms), ...times('deal_step_time', limits.stepP95Ms))
  }
  if (sizes.boostsPerMinute > 0) {
    kept.push(some('boosts_paid'), none('boosts_failed'), ...times('boost_time', BOOST_P95_MS))
  }
  return kept
}

/** As k6 writes it, such as `bid_accept_time p(95)<250`. */
export function describeThreshold(threshold: Threshold): string {
  return `${threshold.of} ${expressionOf(threshold)}`
}

/** k6's own thresholds: those, and counts of all refusals, which it keeps only where a threshold asks for them. */
export function k6Thresholds(thresholds: readonly Threshold[]): Record<string, string[]> {
  const byMetric: Record<string, string[]> = {}
  for (const threshold of thresholds) {
    byMetric[threshold.of] = [...(byMetric[threshold.of] ?? []), expressionOf(threshold)]
  }
  for (const code of refusals) byMetric[refusalCount(code)] ??= ['count>=0']
  return byMetric
}

/** What was measured of what a threshold is about. */
export function measuredOf({ counts, times }: Pick<Digest, 'counts' | 'times'>, threshold: Threshold): number {
  if (threshold.stat === 'count') return counts[threshold.of] ?? 0
  return times[threshold.of]?.[threshold.stat] ?? 0
}

export function isKept(threshold: Threshold, measured: number): boolean {
  if (threshold.stat !== 'count') return measured < threshold.belowMs
  return threshold.is === 'none' ? measured === 0 : measured > 0
}

function expressionOf(threshold: Threshold): string {
  if (threshold.stat === 'count') return threshold.is === 'none' ? 'count==0' : 'count>0'
  return `${threshold.stat === 'p95' ? 'p(95)' : 'p(99)'}<${threshold.belowMs}`
}
