import type { Times } from './histogram.ts'
import type { SoakResult } from './soak-watch.ts'
import { type Digest, number, refusedOf } from './summary.ts'
import { describeThreshold } from './thresholds.ts'
import { type Beside, type Judged, judgeK6 } from './verdict.ts'

/** A script that ran: what it measured, how that compares with what is stored, and what must be true of it. */
export interface LoadResult extends Beside {
  readonly digest: Digest
  readonly judged: readonly Judged[]
  readonly acknowledged: number
  readonly stored: number
  /** What contradicts a promise, one line each. */
  readonly problems: readonly string[]
  /** Of a soak on a system of our own. */
  readonly soak: SoakResult | undefined
}

const headings = [
  'script',
  'sent',
  'accepted',
  'per s',
  'refused',
  'unanswered',
  'accepted in ms (50/95/99 %)',
  'by the lean client',
  'lag in ms (50/95/99 %)',
  'acknowledged',
  'stored',
  'pages',
  'deals',
  'verdict',
]

/** All that was not as it has to be, one line each. */
export function brokenOf({ judged, problems, soak }: LoadResult): string[] {
  const broken = judged
    .filter(({ isKept }) => !isKept)
    .map(({ threshold, measured }) => `${describeThreshold(threshold)}: ${number(measured)}`)
  return [...broken, ...problems, ...(soak?.problems ?? [])]
}

/** Headings and a row for each script, for people and for reports. */
export function resultsRows(results: readonly LoadResult[]): readonly (readonly string[])[] {
  return [headings, ...results.map(row)]
}

/** All results side by side: text to the left, numbers to the right. */
export function resultsTable(results: readonly LoadResult[]): string {
  const rows = resultsRows(results)
  const widths = headings.map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)))
  const isText = (column: number) => column === 0 || column === headings.length - 1
  return rows
    .map((cells) =>
      cells
        .map((cell, column) => (isText(column) ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Whether k6 was the bottleneck, a line for each script in which somebody bids. */
export function bottleneckLines(results: readonly LoadResult[]): string[] {
  return results.flatMap((result) => {
    const said = judgeK6(result.digest, result)?.says
    return said === undefined ? [] : [`${result.digest.script}: ${said}`]
  })
}

function row(result: LoadResult): string[] {
  const { digest, lean, acknowledged, stored } = result
  const { counts, times } = digest
  const count = (name: string) => number(counts[name] ?? 0)
  const refused = Object.values(refusedOf(digest)).reduce((sum, frames) => sum + frames, 0)
  const bidding = [
    count('bids_sent'),
    count('bids_accepted'),
    number((counts['bids_accepted'] ?? 0) / digest.durationS),
    number(refused),
    count('bids_unanswered'),
    quantiles(times.bid_accept_time),
    quantiles(lean?.acceptMs),
    quantiles(times.frame_lag),
    number(acknowledged),
    number(stored),
  ]
  return [
    digest.script,
    ...(digest.bidders > 0 ? bidding : bidding.map(() => '-')),
    digest.visitors > 0 ? count('pages_seen') : '-',
    digest.pairs > 0 ? count('deals_done') : '-',
    brokenOf(result).length === 0 ? 'kept' : 'BROKEN',
  ]
}

function quantiles(times: Pick<Times, 'median' | 'p95' | 'p99'> | undefined): string {
  return times === undefined ? '-' : [times.median, times.p95, times.p99].map(number).join(' / ')
}
