import type { Digest, Times } from './summary.ts'

/** A script that ran: what it measured, and how that compares with what is stored. */
export interface LoadResult {
  readonly digest: Digest
  readonly acknowledged: number
  readonly stored: number
  readonly problems: readonly string[]
}

const headings = [
  'script',
  'sent',
  'accepted',
  'per s',
  'refused',
  'unanswered',
  'accepted in ms (50/95/99 %)',
  'lag in ms (50/95/99 %)',
  'acknowledged',
  'stored',
  'verdict',
]

/** All results side by side: text to the left, numbers to the right. */
export function resultsTable(results: readonly LoadResult[]): string {
  const rows = [headings, ...results.map(row)]
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

function row({ digest, acknowledged, stored, problems }: LoadResult): string[] {
  const refused = Object.values(digest.refused).reduce((sum, frames) => sum + frames, 0)
  const isGood = digest.broken.length === 0 && problems.length === 0
  return [
    digest.script,
    whole(digest.sent),
    whole(digest.accepted),
    whole(digest.accepted / digest.durationS),
    whole(refused),
    whole(digest.unanswered),
    quantiles(digest.acceptMs),
    quantiles(digest.lagMs),
    whole(acknowledged),
    whole(stored),
    isGood ? 'kept' : 'BROKEN',
  ]
}

function quantiles({ median, p95, p99 }: Times): string {
  return [median, p95, p99].map(whole).join(' / ')
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en')
}
