import { describe, expect, it } from 'vitest'
import { eventsBehind } from './service-status.ts'

describe('how far a consumer is behind', () => {
  it.each([
    ['nothing where each type is handled up to its head', [2, 10], [2, 10], 0],
    ['nothing where the position is beyond the head', [3, 11], [2, 10], 0],
    ['the events in between', [2, 10], [4, 25], 15],
    ['at least one where the later event has the lower number', [2, 10], [3, 8], 1],
    ['all where nothing is handled', [0, 0], [4, 25], 25],
  ] as const)('is %s', (_, position, head, expected) => {
    const positions = [
      { type: 'UserBanned', position },
      { type: 'UserErased', position: [9, 90] },
    ] as const
    expect(eventsBehind({ positions: [...positions] }, [{ type: 'UserBanned', position: head }])).toBe(expected)
  })

  it('is that of the type that is furthest behind, and nothing for types that never happened', () => {
    const positions = [
      { type: 'UserBanned', position: [1, 1] as const },
      { type: 'UserUnbanned', position: [1, 2] as const },
      { type: 'UserErased', position: [0, 0] as const },
    ]
    const heads = [
      { type: 'UserBanned', position: [5, 6] as const },
      { type: 'UserUnbanned', position: [5, 4] as const },
      { type: 'SomethingElse', position: [9, 99] as const },
    ]
    expect(eventsBehind({ positions }, heads)).toBe(5)
  })
})
