import { describe, expect, it } from 'vitest'
import { type LoadResult, resultsTable } from './results-table.ts'

const digest = {
  script: 'watchers',
  bidders: 5,
  watchers: 100,
  auctions: 1,
  ratePerS: 20,
  durationS: 10,
  sent: 2000,
  accepted: 1500,
  refused: { 'bid-too-low': 480, 'rate-limited': 20 },
  unanswered: 0,
  acceptMs: { median: 4.4, p95: 9, p99: 15, max: 40 },
  frames: 20_000,
  lagMs: { median: 2, p95: 8, p99: 1200, max: 1300 },
  missed: 0,
  conflated: 0,
  socketsLost: 0,
  watchersBehind: 0,
  broken: [],
}
const good: LoadResult = { digest, acknowledged: 1500, stored: 1500, problems: [] }

describe('the table of results', () => {
  it('has a row for each script, aligned', () => {
    const lines = resultsTable([good, { ...good, digest: { ...digest, script: 'one-hot-auction' } }]).split('\n')
    expect(lines).toHaveLength(3)
    const [heading = '', ...rows] = lines
    expect(rows[0]?.split(/ {2,}/)).toEqual(
      'watchers|2,000|1,500|150|500|0|4 / 9 / 15|2 / 8 / 1,200|1,500|1,500|kept'.split('|'),
    )
    for (const row of rows) expect(row.indexOf('kept')).toBe(heading.indexOf('verdict'))
  })

  it.each([
    ['a threshold', { ...good, digest: { ...digest, broken: ['bids_missed count==0'] } }],
    ['a promise', { ...good, problems: ['auction 7: acknowledged bid 2 is not stored'] }],
  ])('says so when %s was broken', (_, result) => {
    expect(resultsTable([result])).toMatch(/BROKEN$/)
    expect(resultsTable([good])).toMatch(/kept$/)
  })
})
