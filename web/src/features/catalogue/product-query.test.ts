import { describe, expect, it } from 'vitest'
import { activeFiltersOf, addressOf, facetsQueryOf, listQueryOf, noFilters, readProductQuery } from './product-query.ts'

const read = (search: string) => readProductQuery(new URLSearchParams(search))
const full =
  'category=4&type=auction&minPrice=50&maxPrice=300&minRemaining=80&brand=Le+Labo&brand=Tom+Ford&search=oud+wood&sort=price-asc'

describe('what a list of products shows', () => {
  it('is in its address, whole, and comes back from it', () => {
    const query = read(full)
    expect(query).toEqual({
      category: 4,
      type: 'auction',
      price: [50, 300],
      fill: 80,
      brands: ['Le Labo', 'Tom Ford'],
      search: 'oud wood',
      sort: 'price-asc',
    })
    expect(addressOf(query)).toBe(`/products?${full}`)
    expect(read(addressOf(query).slice('/products?'.length))).toEqual(query)
  })

  it('is everything at the plain address, and after a reset', () => {
    expect(read('').price).toEqual([0, 2000])
    expect(noFilters.price).toEqual([0, 500])
    expect(addressOf(read(''))).toBe('/products')
    expect(addressOf({ ...read(full), ...noFilters, search: '', sort: null })).toBe('/products')
  })

  it.each([
    'category=9',
    'category=Designer',
    'type=swap',
    'minPrice=-1',
    'minPrice=0',
    'maxPrice=500',
    'maxPrice=2000',
    'maxPrice=1e2',
    'minPrice=1.005',
    'minRemaining=0',
    'minRemaining=81',
    'brand=',
    'sort=random',
    'search=%20%20',
    'cursor=abc',
  ])('does not know %s', (search) => {
    expect(addressOf(read(search))).toBe('/products')
  })

  it('takes prices in any order, and brands once and not too many', () => {
    expect(read('minPrice=300&maxPrice=50').price).toEqual([50, 300])
    expect(read('minPrice=9000').price).toEqual([500, 2000])
    expect(read('brand=Dior&brand=Dior').brands).toEqual(['Dior'])
    const many = Array.from({ length: 30 }, (_, number) => `brand=House+${number}`).join('&')
    expect(read(many).brands).toHaveLength(20)
  })
})

describe('what the server is asked for', () => {
  it('has a price only where that leaves something out', () => {
    expect(listQueryOf(read('minPrice=0&maxPrice=500'))).toMatchObject({ minPrice: undefined, maxPrice: undefined })
    expect(listQueryOf(read('minPrice=10&maxPrice=490'))).toMatchObject({ minPrice: 10, maxPrice: 490 })
  })

  it('of a long search has whole signs alone', () => {
    expect(read(`search=${'a'.repeat(99)}😀`).search).toBe('a'.repeat(99))
  })

  it('is what is featured, or the best match of a search, until somebody sorts', () => {
    expect(listQueryOf(read('')).sort).toBe('featured')
    expect(listQueryOf(read('search=oud')).sort).toBeUndefined()
    expect(listQueryOf(read('search=oud&sort=featured')).sort).toBe('featured')
    expect(listQueryOf(read('sort=newest')).sort).toBe('newest')
    expect(facetsQueryOf(read('sort=newest'))).not.toHaveProperty('sort')
  })
})

it('each filter can be taken away alone', () => {
  const filters = activeFiltersOf(read(full))
  expect(filters.map(({ kind, value, without }) => [kind, value, addressOf(without)])).toEqual([
    ['type', 'auction', `/products?${full.replace('type=auction&', '')}`],
    ['category', '4', `/products?${full.replace('category=4&', '')}`],
    ['price', '50-300', `/products?${full.replace('minPrice=50&maxPrice=300&', '')}`],
    ['fill', '80', `/products?${full.replace('minRemaining=80&', '')}`],
    ['brand', 'Le Labo', `/products?${full.replace('brand=Le+Labo&', '')}`],
    ['brand', 'Tom Ford', `/products?${full.replace('brand=Tom+Ford&', '')}`],
  ])
  expect(activeFiltersOf(read('search=oud&sort=newest'))).toEqual([])
})
