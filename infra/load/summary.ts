// Loaded by k6 as well as by Node: it may import types only.

/** The part of what k6 hands to `handleSummary` that is used here. */
export interface K6Summary {
  readonly metrics: Readonly<
    Record<
      string,
      {
        readonly values: Readonly<Record<string, number>>
        readonly thresholds?: Readonly<Record<string, { readonly ok: boolean }>>
      }
    >
  >
}

/** What a script was asked to do. */
export interface Shape {
  readonly script: string
  readonly bidders: number
  readonly watchers: number
  readonly auctions: number
  readonly ratePerS: number
  readonly durationS: number
}

/** Times in ms. k6 measures whole milliseconds, so 0 means less than one. */
export interface Times {
  readonly median: number
  readonly p95: number
  readonly p99: number
  readonly max: number
}

/** What came out of a script. */
export interface Digest extends Shape {
  readonly sent: number
  readonly accepted: number
  /** Error frames by their code. */
  readonly refused: Readonly<Record<string, number>>
  readonly unanswered: number
  readonly acceptMs: Times
  readonly frames: number
  /** Between the server's time in a frame and its arrival. */
  readonly lagMs: Times
  readonly missed: number
  readonly conflated: number
  readonly socketsLost: number
  readonly watchersBehind: number
  /** The thresholds that were not kept, as in `bid_accept_time p(95)<250`. */
  readonly broken: readonly string[]
}

export const trendStats = ['med', 'p(95)', 'p(99)', 'max', 'count'] as const

/** What a bid may be refused with while all is well: somebody else was faster, or the bidder was too fast. */
export const expectedRefusals = ['bid-too-low', 'rate-limited'] as const
/** What else is told apart; whatever is not in this list counts as `other`. */
export const unexpectedRefusals = [
  'outcome-unknown',
  'busy',
  'unavailable',
  'internal',
  'bad-request',
  'invalid-amount',
  'invalid-token',
  'authentication-required',
  'forbidden',
  'own-listing',
  'auction-not-found',
  'auction-not-started',
  'auction-ended',
  'other',
] as const
const refusals: readonly string[] = [...expectedRefusals, ...unexpectedRefusals]

/** The tag of an error frame's code: k6 keeps counts only of tags that are known beforehand. */
export function refusalTag(code: string): string {
  return refusals.includes(code) ? code : 'other'
}

/** Reduces k6's own summary to what is asked of it. */
export function digest(shape: Shape, { metrics }: K6Summary): Digest {
  const value = (metric: string, name: string) => metrics[metric]?.values[name] ?? 0
  const count = (metric: string) => value(metric, 'count')
  const times = (metric: string): Times => ({
    median: value(metric, 'med'),
    p95: value(metric, 'p(95)'),
    p99: value(metric, 'p(99)'),
    max: value(metric, 'max'),
  })
  const byCode = refusals.map((code) => [code, count(`error_frames{code:${code}}`)] as const)
  const broken = Object.entries(metrics).flatMap(([metric, { thresholds = {} }]) =>
    Object.entries(thresholds)
      .filter(([, { ok }]) => !ok)
      .map(([threshold]) => `${metric} ${threshold}`),
  )
  return {
    ...shape,
    sent: count('bids_sent'),
    accepted: count('bids_accepted'),
    refused: Object.fromEntries(byCode.filter(([, frames]) => frames > 0)),
    unanswered: count('bids_unanswered'),
    acceptMs: times('bid_accept_time'),
    frames: count('frames_seen'),
    lagMs: times('frame_lag'),
    missed: count('bids_missed'),
    conflated: count('bids_conflated'),
    socketsLost: count('sockets_lost'),
    watchersBehind: count('watchers_behind'),
    broken,
  }
}

/** A few lines for a person. */
export function describeDigest(result: Digest): string {
  const { script, bidders, watchers, auctions, ratePerS, durationS, sent, accepted, refused, unanswered } = result
  const refusedCount = Object.values(refused).reduce((sum, frames) => sum + frames, 0)
  const codes = Object.entries(refused).map(([code, frames]) => `${number(frames)} ${code}`)
  const lines = [
    `${script}: ${many(bidders, 'bidder')} and ${many(watchers, 'watcher')} on ${many(auctions, 'auction')}, ${number(ratePerS)} bids/s for ${durationS} s`,
    `  bids      ${number(sent)} sent, ${number(accepted)} accepted (${number(accepted / durationS)}/s), ${number(refusedCount)} refused${codes.length > 0 ? ` (${codes.join(', ')})` : ''}, ${number(unanswered)} without an answer`,
    `  accepted  within ${spread(result.acceptMs)}`,
    `  frames    ${number(result.frames)}, behind the server by ${spread(result.lagMs)}`,
    `            ${many(result.missed, 'bid')} missed, ${number(result.conflated)} told by a later state`,
    `  sockets   ${number(result.socketsLost)} lost, ${many(result.watchersBehind, 'watcher')} behind at the end`,
    ...result.broken.map((threshold) => `  BROKEN    ${threshold}`),
  ]
  return `${lines.join('\n')}\n`
}

function spread({ median, p95, p99, max }: Times): string {
  return `${ms(median)} (median), ${ms(p95)} (95 %), ${ms(p99)} (99 %), ${ms(max)} (longest)`
}

function ms(value: number): string {
  return value < 1 ? '<1 ms' : `${number(value)} ms`
}

function many(count: number, thing: string): string {
  return `${number(count)} ${thing}${count === 1 ? '' : 's'}`
}

/** k6 has no locales. */
function number(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ',')
}
