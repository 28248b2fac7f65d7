import { describe, expect, it } from 'vitest'
import type { LeanResult } from './lean-client.ts'
import { scriptPlans } from './scripts.ts'
import type { Digest } from './summary.ts'
import { describeThreshold, k6Thresholds, thresholdsOf } from './thresholds.ts'
import { judge, judgeK6 } from './verdict.ts'

const limits = { acceptP95Ms: 250, lagP95Ms: 500, pageP95Ms: 500, messageP95Ms: 250, stepP95Ms: 500 }
const [hot] = scriptPlans
const timesAt = (ms: number) => ({ count: 100, median: ms / 2, p95: ms * 0.9, p99: ms, max: ms * 2 })

function digestOf(facts: { acceptMs: number; lateMs: number; counts?: Record<string, number> }): Digest {
  const times = { bid_accept_time: timesAt(facts.acceptMs), bid_lateness: timesAt(facts.lateMs), frame_lag: timesAt(5) }
  return { ...hot, durationS: 10, times, counts: { bids_accepted: 100, ...facts.counts } } as Digest
}

function leanAt(ms: number): LeanResult {
  return { acceptMs: timesAt(ms), lagMs: timesAt(ms), accepted: { count: 9, highestSeq: 9 }, unanswered: 0 }
}

const thresholds = thresholdsOf(digestOf({ acceptMs: 1, lateMs: 0 }), limits)

describe('a threshold', () => {
  it('asks of a run that is disturbed only that it goes on', () => {
    const digest = digestOf({ acceptMs: 1, lateMs: 0 })
    expect(thresholdsOf({ ...digest, isDisturbed: true }, limits)).toEqual([
      { of: 'bids_accepted', stat: 'count', is: 'some' },
    ])
    expect(thresholdsOf({ ...digest, bidders: 0, isDisturbed: true }, limits)).toEqual([])
  })

  it('is written for k6, which is also asked to keep the counts of refusals', () => {
    const written = k6Thresholds(thresholds)
    expect(written).toMatchObject({
      bids_accepted: ['count>0'],
      bid_accept_time: ['p(95)<250', 'p(99)<1000'],
      bids_unanswered: ['count==0'],
      'error_frames{code:busy}': ['count==0'],
      'error_frames{code:bid-too-low}': ['count>=0'],
    })
    expect(written['page_time']).toBeUndefined()
    // Whether a bid of unknown outcome may be stored is asked of a run that is disturbed, too.
    expect(k6Thresholds([])).toMatchObject({ 'error_frames{code:outcome-unknown}': ['count>=0'] })
  })

  it.each([
    [
      'a refusal that nobody should get',
      { acceptMs: 9, lateMs: 1, counts: { 'error_frames{code:busy}': 1 } },
      ['error_frames{code:busy} count==0'],
    ],
    ['nothing accepted', { acceptMs: 9, lateMs: 1, counts: { bids_accepted: 0 } }, ['bids_accepted count>0']],
    ['slow answers', { acceptMs: 300, lateMs: 1 }, ['bid_accept_time p(95)<250']],
    ['nothing', { acceptMs: 9, lateMs: 1 }, []],
  ])('finds %s', (_, facts, broken) => {
    const judged = judge(digestOf(facts), thresholds, { lean: undefined, coresMax: 1 })
    expect(judged.filter(({ isKept }) => !isKept).map(({ threshold }) => describeThreshold(threshold))).toEqual(broken)
  })
})

describe('k6', () => {
  it('keeps up where it measures about what the lean client does', () => {
    const said = judgeK6(digestOf({ acceptMs: 20, lateMs: 2 }), { lean: leanAt(11), coresMax: 0.5 })
    expect(said?.isBottleneck).toBe(false)
    expect(said?.says).toBe(
      'k6 kept up: it sent 99 % of its bids at most 2 ms late, was busy with up to 0.5 cores, and had 99 % of what was accepted within 20 ms; the lean client beside it saw 11 ms.',
    )
  })

  it.each([
    ['measures far more than the lean client', { acceptMs: 369, lateMs: 20 }, leanAt(10)],
    ['sends its bids late', { acceptMs: 60, lateMs: 55 }, undefined],
  ])('is the bottleneck when it %s', (_, facts, lean) => {
    const said = judgeK6(digestOf(facts), { lean, coresMax: undefined })
    expect(said?.isBottleneck).toBe(true)
    expect(said?.says).toMatch(/^k6 itself is the bottleneck: /)
  })

  it('says nothing of itself where nobody bids', () => {
    const digest = { ...digestOf({ acceptMs: 1, lateMs: 1 }), times: {} }
    expect(judgeK6(digest, { lean: undefined, coresMax: 1 })).toBeUndefined()
  })

  it('is not what a slow system is judged by', () => {
    const slow = judge(digestOf({ acceptMs: 400, lateMs: 3 }), thresholds, { lean: leanAt(390), coresMax: 0.2 })
    expect(slow.filter(({ isKept }) => !isKept)).toHaveLength(1)
    const slowClient = judge(digestOf({ acceptMs: 400, lateMs: 3 }), thresholds, { lean: leanAt(9), coresMax: 2 })
    expect(slowClient.filter(({ isKept }) => !isKept)).toEqual([])
    expect(slowClient.find(({ threshold }) => threshold.of === 'bid_accept_time')).toMatchObject({ leanMs: 8.1 })
  })
})
