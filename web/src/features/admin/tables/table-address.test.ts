import { describe, expect, it } from 'vitest'
import { addressOf, turnsOf } from './table-address.ts'

const choices = { status: ['active', 'banned'], sort: ['newest', 'name-asc'] } as const
const read = (query: string) => addressOf(new URLSearchParams(query), choices)

describe('an address', () => {
  it('says what is shown', () => {
    expect(read('tab=users&search=+mei+&status=banned&sort=name-asc&user=10&page=3&cursor=abc')).toEqual({
      search: 'mei',
      chosen: { status: 'banned', sort: 'name-asc' },
      user: 10,
      product: undefined,
      page: 3,
      cursor: 'abc',
      isNarrowed: true,
    })
  })

  it('is read without what nobody knows', () => {
    expect(read('status=sleeping&sort=sideways&user=-1&product=x&page=3')).toEqual({
      search: '',
      chosen: {},
      user: undefined,
      product: undefined,
      page: 1,
      cursor: undefined,
      isNarrowed: false,
    })
    expect(read('sort=newest').isNarrowed).toBe(false)
  })
})

describe('the pages around', () => {
  const at = (query: string, nextCursor: string | null, trail: readonly string[] = []) =>
    turnsOf('orders', read(query), nextCursor, trail)

  it('are none of a table with one page', () => {
    expect(at('', null)).toEqual({ first: null, previous: null, next: null })
  })

  it('take along where those before began', () => {
    const { next } = at('status=active', 'two')
    expect(next).toEqual({
      to: '/admin/dashboard?tab=orders&status=active&page=2&cursor=two',
      state: { trail: [''] },
    })
    const third = at('page=3&cursor=three', null, ['', 'two'])
    expect(third.next).toBeNull()
    expect(third.previous).toEqual({ to: '/admin/dashboard?tab=orders&page=2&cursor=two', state: { trail: [''] } })
    expect(third.first?.to).toBe('/admin/dashboard?tab=orders')
    expect(at('page=2&cursor=two', 'three', ['']).previous).toEqual({
      to: '/admin/dashboard?tab=orders',
      state: { trail: [] },
    })
  })

  it('of a link from elsewhere are those that are known', () => {
    expect(at('page=3&cursor=three', 'four').previous).toBeNull()
    expect(at('page=2&cursor=two', 'three').previous?.to).toBe('/admin/dashboard?tab=orders')
  })
})
