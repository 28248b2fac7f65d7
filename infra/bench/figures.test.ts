import { describe, expect, it } from 'vitest'
import { compare, type Figure, keep, keptText } from './figures.ts'

const latency: Figure = { name: 'a page', value: 10, unit: 'ms', isMore: false }
const rate: Figure = { name: 'bids', value: 1000, unit: '/s', isMore: true }
const verdictOf = (figure: Figure, values: readonly number[]) => compare([figure], { [figure.name]: values })[0]

describe('a figure beside those that were kept', () => {
  it.each([
    ['beyond the slowest by more than a quarter', latency, [7, 7.9, 7], 'worse'],
    ['within a quarter of the slowest', latency, [6, 8.1, 7], 'as before'],
    ['below the fastest by more than a quarter', latency, [12.6, 14, 13], 'better'],
    ['below the lowest rate by more than a quarter', rate, [1260, 1300, 1400], 'worse'],
    ['above the highest rate by more than a quarter', rate, [700, 790, 600], 'better'],
    ['within half, when two runs are known', latency, [7, 7], 'as before'],
    ['beyond half, when two runs are known', latency, [6.6, 6.6], 'worse'],
  ] as const)('that is %s', (_where, figure, values, verdict) => {
    expect(verdictOf(figure, values)).toMatchObject({ verdict, before: values.at(-1) })
  })

  it('is new when none was', () => {
    expect(compare([latency], {})).toEqual([{ ...latency, before: undefined, verdict: 'new' }])
  })

  it('is kept with the last four, and others stay', () => {
    expect(keep([latency], { 'a page': [1, 2, 3, 4, 5], another: [6] })).toEqual({
      'a page': [2, 3, 4, 5, 10],
      another: [6],
    })
  })

  it('is kept by four digits, on a line of its own', () => {
    const kept = keep([{ ...latency, value: 8.630589000000327 }], { another: [6, 7] })
    expect(keptText(kept)).toBe('{\n  "another": [6, 7],\n  "a page": [8.631]\n}\n')
    expect(JSON.parse(keptText(kept))).toEqual(kept)
  })
})
