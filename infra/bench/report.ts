import { cpus, totalmem } from 'node:os'
import { type Goal, type GoalName, goals, verdictOf } from './goals.ts'
import { median, type Samples } from './statistics.ts'

export interface Report {
  /** Per goal what each round gave, in the goal's unit. */
  readonly measured: ReadonlyMap<GoalName, readonly number[]>
  readonly samples: ReadonlyMap<string, Samples>
  readonly notes: readonly string[]
  readonly problems: readonly string[]
  readonly rounds: number
  readonly postgresVersion: string
}

/** The table of goals: what was promised, what was measured, what that reaches. */
export function goalsTable({ measured }: Report): string {
  const rows = (Object.keys(goals) as GoalName[]).map((name) => {
    const goal = goals[name]
    const values = measured.get(name) ?? []
    const steps = [goal.floor, goal.goal, goal.moonshot].map((step) => `${step}${goal.unit}`)
    return [goal.id, goal.says, ...steps, spread(values, goal), verdictOf(goal, values)]
  })
  return table(['', '', 'floor', 'goal', 'moonshot', 'measured (range)', 'reached'], rows)
}

/** Everything, as a page. */
export function reportPage(report: Report): string {
  const { samples, notes, problems, rounds, postgresVersion } = report
  const [cpu] = cpus()
  const machine = `${cpus().length} cores (${cpu?.model.trim() ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GB`
  const sections = [...samples].map(([title, each]) => `## ${title}\n\n${samplesTable(each)}`)
  const integrity =
    problems.length === 0
      ? 'After every measurement each acknowledged bid was in the log, seqs had no gaps, and the leader was the highest bidder.'
      : `**${problems.length} problems with stored bids:**\n\n${problems.map((problem) => `- ${problem}`).join('\n')}`
  return [
    '# What was measured',
    `Written by \`npm run bench:auction\`. ${machine}, Node ${process.versions.node}, PostgreSQL ${postgresVersion} with fsync, synchronous_commit and full_page_writes on; load generator, services, NATS and Postgres on the same cores. Median of ${rounds} rounds and, in brackets, the range. Ratios are formed within each round: absolute figures depend on the machine and its day, ratios far less.`,
    goalsTable(report),
    integrity,
    ...(notes.length > 0 ? [notes.map((note) => `- ${note}`).join('\n')] : []),
    ...sections,
    '',
  ].join('\n\n')
}

function samplesTable(samples: Samples): string {
  return table(
    ['', 'median', 'range'],
    samples.names().map((name) => {
      const values = samples.of(name)
      return [name, figure(median(values)), `${figure(Math.min(...values))} to ${figure(Math.max(...values))}`]
    }),
  )
}

function spread(values: readonly number[], { unit }: Goal): string {
  if (values.length === 0) return '-'
  const [low, high] = [Math.min(...values), Math.max(...values)]
  return `${figure(median(values))}${unit} (${figure(low)} to ${figure(high)})`
}

/** Three digits, or all of those before the point. */
function figure(value: number): string {
  if (!Number.isFinite(value)) return '-'
  return Math.abs(value) >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)))
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = header.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)))
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  return [line(header), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...rows.map(line)].join('\n')
}
