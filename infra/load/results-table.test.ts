import { describe, expect, it } from 'vitest'
import { asHtml, asMarkdown, reportOf } from './report.ts'
import { type LoadResult, resultsTable } from './results-table.ts'
import { type ScriptPlan, scriptPlans } from './scripts.ts'
import { judgeSoak } from './soak-watch.ts'

const plan = scriptPlans.find(({ script }) => script === 'watchers') as ScriptPlan
const times = (median: number, p95: number, p99: number) => ({ count: 1500, median, p95, p99, max: p99 + 1 })
const digest = {
  ...plan,
  durationS: 10,
  counts: {
    bids_sent: 2000,
    bids_accepted: 1500,
    'error_frames{code:bid-too-low}': 480,
    'error_frames{code:rate-limited}': 20,
  },
  times: { bid_accept_time: times(4, 9, 15), frame_lag: times(2, 8, 1200), bid_lateness: times(0, 1, 3) },
}
const lean = { acceptMs: times(3, 5, 9), lagMs: times(1, 2, 4), accepted: { count: 9, highestSeq: 9 }, unanswered: 0 }
const threshold = { of: 'bid_accept_time', stat: 'p95', belowMs: 250 } as const
const held = { threshold, measured: 9, leanMs: 5, isKept: true }
const good: LoadResult = {
  digest,
  lean,
  coresMax: 0.7,
  judged: [held],
  acknowledged: 1500,
  stored: 1500,
  problems: [],
  soak: undefined,
}

describe('the table of results', () => {
  it('has a row for each script, aligned', () => {
    const lines = resultsTable([good, { ...good, digest: { ...digest, script: 'one-hot-auction' } }]).split('\n')
    expect(lines).toHaveLength(3)
    const [heading = '', ...rows] = lines
    expect(rows[0]?.split(/ {2,}/)).toEqual(
      'watchers|2,000|1,500|150|500|0|4 / 9 / 15|3 / 5 / 9|2 / 8 / 1,200|1,500|1,500|-|-|kept'.split('|'),
    )
    for (const row of rows) expect(row.indexOf('kept')).toBe(heading.indexOf('verdict'))
  })

  it.each([
    ['a threshold', { ...good, judged: [{ ...held, isKept: false }] }],
    ['a promise', { ...good, problems: ['auction 7: acknowledged bid 2 is not stored'] }],
    ['memory', { ...good, soak: { ...judgeSoak([]), problems: ['identity, MB grew'] } }],
  ])('says so when %s was broken', (_, result) => {
    expect(resultsTable([result])).toMatch(/BROKEN$/)
    expect(resultsTable([good])).toMatch(/kept$/)
  })
})

describe('a report', () => {
  const facts = { startedAt: new Date(0), url: 'http://localhost:1', k6Version: '1.8.1', processes: 2 }
  const broken = { ...good, problems: ['auction 7: <b>1</b> | 2'] }

  it('says in Markdown what held and what broke, with k6 beside the lean client', () => {
    const text = asMarkdown(reportOf([good], facts))
    expect(text).toContain('Everything held.')
    expect(text).toContain('k6 1.8.1 in 2 processes')
    expect(text).toContain('| bid_accept_time p(95)<250 | 9 | 5 | held |')
    expect(text).toContain('- watchers: k6 kept up: ')
    expect(text).toContain('| the lean client: a bid until it was accepted | 1,500 | 3 ms | 5 ms | 9 ms |')
    expect(asMarkdown(reportOf([broken], facts))).toContain('What broke:\n\n- watchers: auction 7: <b>1</b> | 2')
  })

  it('is the same as a page, in which nothing that was said is markup', () => {
    const page = asHtml(reportOf([broken], facts))
    expect(page).toMatch(/^<!doctype html>/)
    expect(page).toContain('<li>watchers: auction 7: &lt;b&gt;1&lt;/b&gt; | 2</li>')
    expect(page).toContain('<td>bid_accept_time p(95)&lt;250</td><td>9</td><td>5</td><td>held</td>')
  })

  it('has memory and lag of a soak', () => {
    const soak = judgeSoak([{ atS: 700, memoryBytes: new Map([['nats', 3_145_728]]), lag: new Map() }])
    expect(asMarkdown(reportOf([{ ...good, soak }], facts))).toContain('| nats, MB | 3.0 | 3.0 | 0.0 | 16.0 |')
  })
})
