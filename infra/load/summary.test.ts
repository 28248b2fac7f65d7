import { describe, expect, it } from 'vitest'
import { describeDigest, digest, type K6Summary, refusalTag } from './summary.ts'

const shape = { script: 'one-hot-auction', bidders: 50, watchers: 1, auctions: 1, ratePerS: 200, durationS: 10 }
const times = { med: 4, 'p(95)': 9, 'p(99)': 15.4, max: 1030, count: 1400 }
const kept = { 'count==0': { ok: true } }

function summary(metrics: K6Summary['metrics'] = {}): K6Summary {
  return {
    metrics: {
      bids_sent: { values: { count: 2000, rate: 200 } },
      bids_accepted: { values: { count: 1400 }, thresholds: { 'count>0': { ok: true } } },
      bid_accept_time: { values: times, thresholds: { 'p(95)<250': { ok: true }, 'p(99)<1000': { ok: true } } },
      error_frames: { values: { count: 600 } },
      'error_frames{code:bid-too-low}': { values: { count: 600 }, thresholds: { 'count>=0': { ok: true } } },
      'error_frames{code:busy}': { values: { count: 0 }, thresholds: kept },
      frames_seen: { values: { count: 31_200 } },
      frame_lag: { values: { med: 0, 'p(95)': 12, 'p(99)': 20, max: 31 } },
      bids_missed: { values: { count: 0 }, thresholds: kept },
      ...metrics,
    },
  }
}

describe('the summary of a script', () => {
  it('is a few lines for a person', () => {
    expect(describeDigest(digest(shape, summary()))).toBe(
      [
        'one-hot-auction: 50 bidders and 1 watcher on 1 auction, 200 bids/s for 10 s',
        '  bids      2,000 sent, 1,400 accepted (140/s), 600 refused (600 bid-too-low), 0 without an answer',
        '  accepted  within 4 ms (median), 9 ms (95 %), 15 ms (99 %), 1,030 ms (longest)',
        '  frames    31,200, behind the server by <1 ms (median), 12 ms (95 %), 20 ms (99 %), 31 ms (longest)',
        '            0 bids missed, 0 told by a later state',
        '  sockets   0 lost, 0 watchers behind at the end',
        '',
      ].join('\n'),
    )
  })

  it('names every threshold that was not kept', () => {
    const result = digest(
      shape,
      summary({
        bids_unanswered: { values: { count: 3 }, thresholds: { 'count==0': { ok: false } } },
        'error_frames{code:busy}': { values: { count: 2 }, thresholds: { 'count==0': { ok: false } } },
        bid_accept_time: { values: times, thresholds: { 'p(95)<5': { ok: false }, 'p(99)<1000': { ok: true } } },
      }),
    )
    expect(result.broken).toEqual([
      'bid_accept_time p(95)<5',
      'error_frames{code:busy} count==0',
      'bids_unanswered count==0',
    ])
    expect(result).toMatchObject({ unanswered: 3, refused: { 'bid-too-low': 600, busy: 2 } })
    const text = describeDigest(result)
    expect(text).toContain('602 refused (600 bid-too-low, 2 busy), 3 without an answer')
    for (const threshold of result.broken) expect(text).toContain(`  BROKEN    ${threshold}\n`)
  })

  it('has zeros where nothing was measured', () => {
    expect(digest(shape, { metrics: {} })).toMatchObject({ sent: 0, refused: {}, acceptMs: { median: 0, p99: 0 } })
  })

  it.each([
    ['bid-too-low', 'bid-too-low'],
    ['busy', 'busy'],
    ['images-full', 'other'],
    ['made-up', 'other'],
  ])('counts %s as %s', (code, tag) => expect(refusalTag(code)).toBe(tag))
})
