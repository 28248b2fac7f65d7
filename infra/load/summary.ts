// Loaded by k6 as well as by Node: it may import types only.
import type { Times } from './histogram.ts'

/** What k6 hands to `handleSummary`, as far as it is used here. */
export interface K6Summary {
  readonly metrics: Readonly<Record<string, { readonly values: Readonly<Record<string, number>> }>>
}

/** How many do what. Nobody does what is 0. */
export interface Sizes {
  readonly bidders: number
  readonly watchers: number
  readonly auctions: number
  /** Bids by all bidders together. */
  readonly ratePerS: number
  /** Who browses. */
  readonly visitors: number
  /** Pages by all visitors together. */
  readonly pagesPerS: number
  /** Sellers with a buyer each, who write and make deals. */
  readonly pairs: number
  /** Deals by all pairs together. */
  readonly dealsPerMinute: number
  readonly boostsPerMinute: number
}

/** What a script was asked to do. */
export interface Shape extends Sizes {
  readonly script: string
  readonly durationS: number
  /** Whether parts of the system are killed meanwhile. */
  readonly isDisturbed?: boolean
}

/** What is timed, and what each is a time of. */
export const timed = {
  bid_accept_time: 'a bid, from when it was due until it was accepted',
  bid_refusal_time: 'a bid, until it was refused',
  bid_lateness: 'a bid, from when it was due until the client sent it',
  frame_lag: "a live frame, behind the server's time in it",
  page_time: 'a page with all that it asks for',
  message_time: 'a message, until the other one had it',
  deal_step_time: 'a step of a deal',
  boost_time: 'a boost, from its order until it was paid for and known',
} as const
export type Timed = keyof typeof timed

export const counted = [
  'bids_sent',
  'bids_accepted',
  'bids_unanswered',
  'error_frames',
  'frames_seen',
  'bids_missed',
  'bids_conflated',
  'sockets_lost',
  'watchers_behind',
  'pages_seen',
  'pages_failed',
  'messages_sent',
  'deals_done',
  'deals_failed',
  'boosts_paid',
  'boosts_failed',
] as const

/** What came out of a script; what was not measured is 0. */
export interface Digest extends Shape {
  readonly counts: Readonly<Record<string, number>>
  readonly times: Readonly<Partial<Record<Timed, Times>>>
}

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
/** Each is counted by its code, of a run that is disturbed as well. */
export const refusals: readonly string[] = [...expectedRefusals, ...unexpectedRefusals]

/** The tag of an error frame's code: k6 keeps counts only of tags that are known beforehand. */
export function refusalTag(code: string): string {
  return refusals.includes(code) ? code : 'other'
}

/** The counter of error frames with a code. */
export const refusalCount = (code: string) => `error_frames{code:${code}}`

/** Error frames by their code. */
export function refusedOf({ counts }: Pick<Digest, 'counts'>): Readonly<Record<string, number>> {
  const byCode = refusals.map((code) => [code, counts[refusalCount(code)] ?? 0] as const)
  return Object.fromEntries(byCode.filter(([, frames]) => frames > 0))
}

/** Every count in k6's own summary. */
export function countsOf({ metrics }: K6Summary): Record<string, number> {
  const names = [...counted, ...refusals.map(refusalCount)]
  return Object.fromEntries(names.map((name) => [name, metrics[name]?.values['count'] ?? 0]))
}

/** What k6 itself knows of the times of one process. */
export function k6TimesOf({ metrics }: K6Summary): Digest['times'] {
  const names = (Object.keys(timed) as Timed[]).filter((name) => metrics[name] !== undefined)
  return Object.fromEntries(
    names.map((name) => {
      const value = (stat: string) => metrics[name]?.values[stat] ?? 0
      const quantiles = { median: value('med'), p95: value('p(95)'), p99: value('p(99)'), max: value('max') }
      return [name, { count: value('count'), ...quantiles }]
    }),
  )
}

/** A few lines for a person. */
export function describeDigest(digest: Digest): string {
  const { counts, times } = digest
  const count = (name: (typeof counted)[number]) => number(counts[name] ?? 0)
  const lines = [`${digest.script}: ${describeShape(digest)}`]
  const line = (name: string, text: string) => lines.push(`  ${name.padEnd(9)} ${text}`)
  if (digest.bidders > 0) {
    const refused = Object.entries(refusedOf(digest))
    const refusedCount = refused.reduce((sum, [, frames]) => sum + frames, 0)
    const codes =
      refused.length > 0 ? ` (${refused.map(([code, frames]) => `${number(frames)} ${code}`).join(', ')})` : ''
    const perS = number((counts['bids_accepted'] ?? 0) / digest.durationS)
    line(
      'bids',
      `${count('bids_sent')} sent, ${count('bids_accepted')} accepted (${perS}/s), ${number(refusedCount)} refused${codes}, ${count('bids_unanswered')} without an answer`,
    )
    line('accepted', `within ${spread(times.bid_accept_time)}`)
    line('frames', `${count('frames_seen')}, behind the server by ${spread(times.frame_lag)}`)
    line('', `${many(counts['bids_missed'] ?? 0, 'bid')} missed, ${count('bids_conflated')} told by a later state`)
    line(
      'sockets',
      `${count('sockets_lost')} lost, ${many(counts['watchers_behind'] ?? 0, 'watcher')} behind at the end`,
    )
  }
  if (digest.visitors > 0)
    line('pages', `${count('pages_seen')} seen, ${count('pages_failed')} failed, within ${spread(times.page_time)}`)
  if (digest.pairs > 0) {
    line('messages', `${count('messages_sent')}, there within ${spread(times.message_time)}`)
    line(
      'deals',
      `${count('deals_done')} done, ${count('deals_failed')} failed, a step within ${spread(times.deal_step_time)}`,
    )
  }
  if (digest.boostsPerMinute > 0)
    line('boosts', `${count('boosts_paid')} paid, ${count('boosts_failed')} failed, within ${spread(times.boost_time)}`)
  return `${lines.join('\n')}\n`
}

/** Who does what, in words. */
export function describeShape(shape: Shape): string {
  const parts: string[] = []
  if (shape.bidders > 0) {
    const watching = shape.watchers > 0 ? ` and ${many(shape.watchers, 'watcher')}` : ''
    parts.push(
      `${many(shape.bidders, 'bidder')}${watching} on ${many(shape.auctions, 'auction')}, ${number(shape.ratePerS)} bids/s`,
    )
  }
  if (shape.visitors > 0) parts.push(`${many(shape.visitors, 'visitor')}, ${number(shape.pagesPerS)} pages/s`)
  if (shape.pairs > 0)
    parts.push(`${many(shape.pairs, 'seller')} with a buyer each, ${number(shape.dealsPerMinute)} deals/min`)
  if (shape.boostsPerMinute > 0) parts.push(`${number(shape.boostsPerMinute)} boosts/min`)
  return `${parts.join('; ')}, for ${shape.durationS} s`
}

function spread(times: Times | undefined): string {
  const { median, p95, p99, max } = times ?? { median: 0, p95: 0, p99: 0, max: 0 }
  return `${ms(median)} (median), ${ms(p95)} (95 %), ${ms(p99)} (99 %), ${ms(max)} (longest)`
}

/** A time for a person. */
export function ms(value: number): string {
  return value < 1 ? '<1 ms' : `${number(value)} ms`
}

function many(count: number, thing: string): string {
  return `${number(count)} ${thing}${count === 1 ? '' : 's'}`
}

/** A whole number for a person; k6 has no locales. */
export function number(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ',')
}
