import { cpus, loadavg, totalmem } from 'node:os'
import { escapeHtml } from '@wangian/kit/http/html.ts'
import { bottleneckLines, brokenOf, type LoadResult, resultsRows } from './results-table.ts'
import { type SoakResult, soakRows } from './soak-watch.ts'
import { type Digest, describeShape, ms, number, type Timed, timed } from './summary.ts'
import { describeThreshold } from './thresholds.ts'
import type { Judged } from './verdict.ts'

/** What a run was made with. */
export interface RunFacts {
  readonly startedAt: Date
  readonly url: string
  readonly k6Version: string
  readonly processes: number
}

/** A part of a report, which is written as Markdown and as HTML. */
export type Block =
  | { readonly heading: string; readonly level: 1 | 2 | 3 }
  | { readonly text: string }
  | { readonly list: readonly string[] }
  /** The first row has the headings. */
  | { readonly table: readonly (readonly string[])[] }

/** All of a run: sizes, thresholds, what held and what broke, k6 beside the lean client. */
export function reportOf(results: readonly LoadResult[], facts: RunFacts): Block[] {
  const [cpu] = cpus()
  const machine = `${cpus().length} cores (${cpu?.model.trim() ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GB, at a load of ${loadavg()[0]?.toFixed(1)} at the end`
  const broken = results.flatMap((result) => brokenOf(result).map((line) => `${result.digest.script}: ${line}`))
  return [
    { heading: 'A load run', level: 1 },
    {
      text: `${facts.startedAt.toISOString()}, against ${facts.url}; ${machine}; Node ${process.versions.node}, k6 ${facts.k6Version} in ${facts.processes} ${facts.processes === 1 ? 'process' : 'processes'}.`,
    },
    { text: broken.length === 0 ? 'Everything held.' : 'What broke:' },
    ...(broken.length === 0 ? [] : [{ list: broken }]),
    { table: resultsRows(results) },
    { list: bottleneckLines(results) },
    ...results.flatMap(scriptBlocks),
  ]
}

function scriptBlocks(result: LoadResult): Block[] {
  const { digest, judged, soak } = result
  return [
    { heading: digest.script, level: 2 },
    { text: `${describeShape(digest)}.` },
    { table: timesRows(digest, result.lean) },
    { table: thresholdRows(judged) },
    ...(soak === undefined ? [] : soakBlocks(soak)),
  ]
}

function timesRows({ times }: Digest, lean: LoadResult['lean']): string[][] {
  const row = (
    name: string,
    of: {
      readonly median: number
      readonly p95: number
      readonly p99: number
      readonly count: number
      readonly max?: number
    },
  ) => [name, number(of.count), ms(of.median), ms(of.p95), ms(of.p99), of.max === undefined ? '' : ms(of.max)]
  const rows = (Object.keys(timed) as Timed[]).flatMap((name) => {
    const measured = times[name]
    return measured === undefined ? [] : [row(timed[name], measured)]
  })
  const besides =
    lean === undefined
      ? []
      : [
          row('the lean client: a bid until it was accepted', lean.acceptMs),
          row('the lean client: a live frame', lean.lagMs),
        ]
  return [['time of', 'count', 'median', '95 %', '99 %', 'longest'], ...rows, ...besides]
}

function thresholdRows(judged: readonly Judged[]): string[][] {
  // Fifteen codes that nobody saw would hide the rest.
  const shown = judged.filter(({ threshold, isKept }) => !isKept || !threshold.of.startsWith('error_frames'))
  return [
    ['threshold', 'measured', 'by the lean client', ''],
    ...shown.map(({ threshold, measured, leanMs, isKept }) => [
      describeThreshold(threshold),
      number(measured),
      leanMs === undefined ? '' : number(leanMs),
      isKept ? 'held' : 'broke',
    ]),
  ]
}

function soakBlocks(soak: SoakResult): Block[] {
  return [{ heading: 'Memory and lag', level: 3 }, { text: soak.says }, { table: soakRows(soak) }]
}

/** As a file of Markdown. */
export function asMarkdown(blocks: readonly Block[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  const parts = blocks.flatMap((block) => {
    if ('heading' in block) return [`${'#'.repeat(block.level)} ${block.heading}`]
    if ('text' in block) return [block.text]
    if ('list' in block) return block.list.length === 0 ? [] : [block.list.map((item) => `- ${item}`).join('\n')]
    const [head = [], ...rows] = block.table
    return [[line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n')]
  })
  return `${parts.join('\n\n')}\n`
}

/** As a page that needs nothing else. */
export function asHtml(blocks: readonly Block[]): string {
  const cells = (tag: 'th' | 'td', row: readonly string[]) =>
    `<tr>${row.map((cell) => `<${tag}>${escapeHtml(cell)}</${tag}>`).join('')}</tr>`
  const body = blocks.flatMap((block) => {
    if ('heading' in block) return [`<h${block.level}>${escapeHtml(block.heading)}</h${block.level}>`]
    if ('text' in block) return [`<p>${escapeHtml(block.text)}</p>`]
    if ('list' in block) return [`<ul>${block.list.map((item) => `<li>${escapeHtml(item)}</li>`).join('')}</ul>`]
    const [head = [], ...rows] = block.table
    return [
      `<div><table><thead>${cells('th', head)}</thead><tbody>${rows.map((row) => cells('td', row)).join('')}</tbody></table></div>`,
    ]
  })
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>A load run</title>
<style>
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 75rem; margin: 2rem auto; padding: 0 1rem; }
div { overflow-x: auto; }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; }
th, td { padding: 0.25rem 0.75rem; border-bottom: 1px solid GrayText; text-align: left; white-space: nowrap; }
</style>
${body.join('\n')}
</html>
`
}
