import { expect, it } from 'vitest'
import { reportedPath, stepOf } from './report-keys.ts'

const open = { id: 5, status: 'open' } as const
const step = (key: string, report: Parameters<typeof stepOf>[2] = open) => stepOf(key, [4, 5, 6], report)

it('goes from report to report, and stays at both ends', () => {
  for (const key of ['j', 'J', 'ArrowDown']) expect(step(key)).toEqual({ kind: 'go', id: 6 })
  for (const key of ['k', 'K', 'ArrowUp']) expect(step(key)).toEqual({ kind: 'go', id: 4 })
  expect(step('j', { ...open, id: 6 })).toEqual({ kind: 'go', id: 6 })
  expect(step('k', { ...open, id: 4 })).toEqual({ kind: 'go', id: 4 })
})

it('decides what is open, and opens what is reported', () => {
  expect(step('u')).toEqual({ kind: 'decide', decision: 'upheld' })
  expect(step('d')).toEqual({ kind: 'decide', decision: 'dismissed' })
  expect(step('Enter')).toEqual({ kind: 'open' })
  expect(step('u', { id: 5, status: 'upheld' })).toBeNull()
  for (const key of ['x', 'Tab', ' ', 'Escape']) expect(step(key)).toBeNull()
})

it('finds what is reported', () => {
  const reported = { id: 3, username: 'sarah' }
  const at = (kind: 'person' | 'listing' | 'message' | 'review') => reportedPath({ kind, targetId: 9, reported })
  expect([at('person'), at('message'), at('listing'), at('review')]).toEqual([
    '/admin/users/3',
    '/admin/users/3',
    '/admin/listings/9',
    '/admin/orders/9',
  ])
})
