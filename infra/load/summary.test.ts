import { describe, expect, it } from 'vitest'
import { scriptPlans } from './scripts.ts'
import { countsOf, type Digest, describeDigest, type K6Summary, k6TimesOf, refusalTag, refusedOf } from './summary.ts'

const summary: K6Summary = {
  metrics: {
    bids_sent: { values: { count: 2000, rate: 200 } },
    bids_accepted: { values: { count: 1400 } },
    bid_accept_time: { values: { med: 4, 'p(95)': 9, 'p(99)': 15.4, max: 1030, count: 1400 } },
    error_frames: { values: { count: 602 } },
    'error_frames{code:bid-too-low}': { values: { count: 600 } },
    'error_frames{code:busy}': { values: { count: 2 } },
    frames_seen: { values: { count: 31_200 } },
    frame_lag: { values: { med: 0, 'p(95)': 12, 'p(99)': 20, max: 31, count: 31_200 } },
  },
}
const [hot] = scriptPlans
const nobody = { ...hot, bidders: 0, watchers: 0, auctions: 0, ratePerS: 0, durationS: 10 }
const bidding = { ...nobody, script: 'one-hot-auction', bidders: 50, watchers: 1, auctions: 1, ratePerS: 200 }
const measured = { counts: countsOf(summary), times: k6TimesOf(summary) }
const digest = { ...bidding, ...measured } as Digest

describe('the summary of a script', () => {
  it('is a few lines for a person', () => {
    expect(describeDigest(digest)).toBe(
      [
        'one-hot-auction: 50 bidders and 1 watcher on 1 auction, 200 bids/s, for 10 s',
        '  bids      2,000 sent, 1,400 accepted (140/s), 602 refused (600 bid-too-low, 2 busy), 0 without an answer',
        '  accepted  within 4 ms (median), 9 ms (95 %), 15 ms (99 %), 1,030 ms (longest)',
        '  frames    31,200, behind the server by <1 ms (median), 12 ms (95 %), 20 ms (99 %), 31 ms (longest)',
        '            0 bids missed, 0 told by a later state',
        '  sockets   0 lost, 0 watchers behind at the end',
        '',
      ].join('\n'),
    )
  })

  it('tells of pages, deals and boosts where there are any', () => {
    const counts = { pages_seen: 40, messages_sent: 9, deals_done: 3, boosts_paid: 1 }
    const sizes = { visitors: 2, pagesPerS: 4, pairs: 1, dealsPerMinute: 18, boostsPerMinute: 6 }
    const text = describeDigest({ ...nobody, ...sizes, script: 'soak', counts, times: {} } as Digest)
    expect(text).toContain(
      'soak: 2 visitors, 4 pages/s; 1 seller with a buyer each, 18 deals/min; 6 boosts/min, for 10 s',
    )
    for (const words of ['40 seen, 0 failed', '9, there within', '3 done, 0 failed', '1 paid, 0 failed']) {
      expect(text).toContain(words)
    }
    expect(text).not.toContain('bids')
  })

  it('has zeros where nothing was counted', () => {
    expect(countsOf({ metrics: {} })).toMatchObject({ bids_sent: 0, 'error_frames{code:busy}': 0 })
    expect(k6TimesOf({ metrics: {} })).toEqual({})
    expect(refusedOf({ counts: countsOf({ metrics: {} }) })).toEqual({})
    expect(refusedOf(digest)).toEqual({ 'bid-too-low': 600, busy: 2 })
  })

  it.each([
    ['bid-too-low', 'bid-too-low'],
    ['busy', 'busy'],
    ['images-full', 'other'],
    ['made-up', 'other'],
  ])('counts %s as %s', (code, tag) => expect(refusalTag(code)).toBe(tag))
})
