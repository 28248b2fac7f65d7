import { expect, it } from 'vitest'
import { queryOf, viewOf } from './shop-view.ts'

it.each([
  ['', { tab: 'featured', sort: 'popular', page: 1 }],
  ['tab=sold&sort=price-asc&page=3', { tab: 'sold', sort: 'price-asc', page: 3 }],
  ['tab=cellar&sort=cheapest&page=-2', { tab: 'featured', sort: 'popular', page: 1 }],
  ['page=1.5', { tab: 'featured', sort: 'popular', page: 1 }],
] as const)('the address "%s" shows %j', (query, view) => {
  expect(viewOf(new URLSearchParams(query))).toEqual(view)
})

it('leaves out of an address what is as at the beginning', () => {
  expect(queryOf({ tab: 'featured', sort: 'popular', page: 1 })).toBe('?')
  expect(queryOf({ tab: 'sold', sort: 'popular', page: 2 })).toBe('?tab=sold&page=2')
})
