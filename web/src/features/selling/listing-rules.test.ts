import { beforeAll, describe, expect, it } from 'vitest'
import { loadWords } from '../../i18n/i18n.ts'
import { nowMs } from '../../testing/fixtures.ts'
import { additionMax, listingRules, withAddition } from './listing-rules.ts'
import { emptyValues, type ListingKind, type ListingValues } from './listing-values.ts'

beforeAll(loadWords)

const circumstances = {
  nowMs: () => nowMs,
  hasPictures: () => false,
  isFrozen: false,
  hasTerms: true,
  hasStarted: false,
} as const

const both: Partial<ListingValues> = {
  name: ' Oud Wood ',
  brand: 'Tom Ford',
  description: 'Kept in the dark.',
  categoryId: '4',
}
const filled: Record<ListingKind, ListingValues> = {
  fixed: { ...emptyValues(nowMs), ...both, price: '680.50', imageUrl: 'https://example.com/oud.jpg' },
  auction: { ...emptyValues(nowMs), ...both, startingPrice: '50' },
}

function problemsOf(kind: ListingKind, changes: Partial<ListingValues>, given: Partial<typeof circumstances> = {}) {
  const parsed = listingRules({ ...circumstances, ...given, kind }).safeParse({ ...filled[kind], ...changes })
  return parsed.success ? [] : parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
}

const end = (changes: Partial<ListingValues['end']>) => ({ end: { ...filled.auction.end, ...changes } })
const later = (changes: Partial<ListingValues['start']>) => ({
  starts: 'later',
  start: { ...filled.auction.start, ...changes },
})

describe('both forms', () => {
  for (const kind of ['fixed', 'auction'] as const) {
    it.each<[Partial<ListingValues>, string]>([
      [{ name: 'Ou' }, 'name: Name must be at least 3 characters'],
      [{ name: ' Ou ' }, 'name: Name must be at least 3 characters'],
      [{ brand: 'T' }, 'brand: Brand must be at least 2 characters'],
      [{ description: 'Too short' }, 'description: Description must be at least 10 characters'],
      [{ categoryId: '' }, 'categoryId: Please select a category'],
      [{ categoryId: '9' }, 'categoryId: Please select a category'],
      [{ volume: '' }, 'volume: Please enter a valid volume (e.g. 50ml, 100ml)'],
      [{ volume: '0' }, 'volume: Please enter a valid volume (e.g. 50ml, 100ml)'],
      [{ volume: '1.5' }, 'volume: Please enter a valid volume (e.g. 50ml, 100ml)'],
      [{ remainingPercentage: '0' }, 'remainingPercentage: Please enter a whole number from 1 to 100'],
      [{ remainingPercentage: '101' }, 'remainingPercentage: Please enter a whole number from 1 to 100'],
      [{ remainingPercentage: '50.5' }, 'remainingPercentage: Please enter a whole number from 1 to 100'],
      [{ purchaseYear: '1969' }, 'purchaseYear: Please enter a year from 1970 to 2026'],
      [{ purchaseYear: '2027' }, 'purchaseYear: Please enter a year from 1970 to 2026'],
      [{ imageUrl: 'oud' }, 'imageUrl: Please enter a valid image URL'],
      [{ imageUrl: 'http://example.com/oud.jpg' }, 'imageUrl: Please enter a valid image URL'],
      [{ imageUrl: 'javascript:alert(1)' }, 'imageUrl: Please enter a valid image URL'],
    ])(`of a ${kind} listing refuse %j`, (changes, problem) => {
      expect(problemsOf(kind, changes)).toEqual([problem])
    })

    it.each<Partial<ListingValues>>([
      {},
      { name: 'Oud' },
      { brand: 'TF' },
      { description: 'Ten chars.' },
      { volume: '1' },
      { remainingPercentage: '1' },
      { remainingPercentage: '100' },
      { purchaseYear: '1970' },
      { purchaseYear: '2026' },
      { boxCondition: 'No Box', batchCode: 'A42' },
    ])(`of a ${kind} listing accept %j`, (changes) => {
      expect(problemsOf(kind, changes)).toEqual([])
    })
  }
})

describe('a fixed-price form', () => {
  it.each<[Partial<ListingValues>, string]>([
    [{ price: '' }, 'price: Price must be greater than 0'],
    [{ price: '0' }, 'price: Price must be greater than 0'],
    [{ price: '-5' }, 'price: Price must be greater than 0'],
    [{ price: '1.005' }, 'price: Please enter a valid amount'],
    [{ price: '10000000' }, 'price: Please enter a valid amount'],
    [{ stockQuantity: '' }, 'stockQuantity: Stock quantity must be 0 or greater'],
    [{ stockQuantity: '-1' }, 'stockQuantity: Stock quantity must be 0 or greater'],
    [{ stockQuantity: '1.5' }, 'stockQuantity: Stock quantity must be 0 or greater'],
    [{ stockQuantity: '100001' }, 'stockQuantity: Stock quantity must be 100,000 or less'],
    [{ stockQuantity: '1e21' }, 'stockQuantity: Stock quantity must be 100,000 or less'],
    [{ imageUrl: '' }, 'imageUrl: Please add a picture or enter a valid image URL'],
  ])('refuses %j', (changes, problem) => {
    expect(problemsOf('fixed', changes)).toEqual([problem])
  })

  it('accepts the smallest price, nothing in stock and all that may be, and pictures in place of an address', () => {
    expect(problemsOf('fixed', { price: '0.01', stockQuantity: '0' })).toEqual([])
    expect(problemsOf('fixed', { stockQuantity: '100000' })).toEqual([])
    expect(problemsOf('fixed', { imageUrl: '' }, { hasPictures: () => true })).toEqual([])
  })

  it('becomes numbers, and nothing where nothing was typed', () => {
    const rules = listingRules({ ...circumstances, kind: 'fixed' })
    expect(rules.parse({ ...filled.fixed, listingType: 'negotiable' })).toEqual({
      product: {
        name: 'Oud Wood',
        brand: 'Tom Ford',
        description: 'Kept in the dark.',
        price: 680.5,
        imageUrl: 'https://example.com/oud.jpg',
        stockQuantity: 1,
        categoryId: 4,
        remainingPercentage: 100,
        purchaseYear: null,
        boxCondition: 'Good',
        batchCode: null,
        listingType: 'negotiable',
        volume: 100,
      },
      auction: null,
    })
  })
})

describe('an auction form', () => {
  it.each<[Partial<ListingValues>, ...string[]]>([
    [{ startingPrice: '' }, 'startingPrice: Starting price must be greater than 0'],
    [{ startingPrice: '0' }, 'startingPrice: Starting price must be greater than 0'],
    [{ bidIncrement: '' }, 'bidIncrement: Bid increment must be at least RM0.10'],
    [{ bidIncrement: '0.09' }, 'bidIncrement: Bid increment must be at least RM0.10'],
    [{ reservePrice: '1.005' }, 'reservePrice: Please enter a valid amount'],
    [{ buyNowPrice: '-1' }, 'buyNowPrice: Please enter a valid amount'],
    [{ stockQuantity: '0' }, 'stockQuantity: Stock quantity must be at least 1'],
    [{ stockQuantity: '100001' }, 'stockQuantity: Stock quantity must be 100,000 or less'],
    [
      { reservePrice: '49.99', buyNowPrice: '10' },
      'reservePrice: Reserve price must be at least the starting price of RM\u00A050.00',
      'buyNowPrice: Buy now price must be at least the starting price of RM\u00A050.00',
    ],
    [end({ day: '21' }), 'end.day: End date must be in the future'],
    [end({ day: '31', month: '2', year: '2027' }), 'end.day: February 2027 has only 28 days'],
    [end({ day: '31', month: '4', year: '2027' }), 'end.day: April 2027 has only 30 days'],
    [end({ day: '' }), 'end.day: Please choose a day, a month and a year'],
    [end({ year: '2030', month: '12' }), 'end.day: Please choose a date within 4 years'],
    [later({ day: '20' }), 'start.day: Start date must be in the future'],
    [later({ day: '30', month: '2' }), 'start.day: February 2026 has only 28 days'],
    [later({ month: '12', day: '1' }), 'end.day: End date must be after the start date'],
    [later({ ...filled.auction.end }), 'end.day: End date must be after the start date'],
    // All at once.
    [
      { name: '', reservePrice: '1', ...end({ year: '2025' }) },
      'name: Name must be at least 3 characters',
      'reservePrice: Reserve price must be at least the starting price of RM\u00A050.00',
      'end.day: End date must be in the future',
    ],
  ])('refuses %j', (changes, ...problems) => {
    expect(problemsOf('auction', changes)).toEqual(problems)
  })

  it('accepts the smallest step, prices that are no lower than the start, and a start to come', () => {
    expect(problemsOf('auction', { bidIncrement: '0.1', reservePrice: '50', buyNowPrice: '0' })).toEqual([])
    expect(problemsOf('auction', later({}))).toEqual([])
  })

  it('begins at once and ends seven days ahead, when nothing else is chosen', () => {
    const rules = listingRules({ ...circumstances, kind: 'auction' })
    expect(rules.parse(filled.auction)).toEqual({
      product: expect.objectContaining({ price: 50, listingType: 'auction', stockQuantity: 1, imageUrl: null }),
      auction: {
        startingPrice: 50,
        reservePrice: null,
        buyNowPrice: null,
        bidIncrement: 0.1,
        endsAt: '2026-11-28T08:00:00.000Z',
      },
    })
    expect(rules.parse({ ...filled.auction, ...later({}) }).auction).toMatchObject({
      startsAt: '2026-11-22T08:00:00.000Z',
    })
  })

  it('asks for no terms where they cannot be changed', () => {
    const without = { ...circumstances, hasTerms: false, kind: 'auction' } as const
    expect(listingRules(without).parse({ ...filled.auction, ...end({ year: '2020' }) }).auction).toBeNull()
  })
})

describe('a description with bids', () => {
  it('is only added to, as a paragraph of its own', () => {
    const rules = listingRules({ ...circumstances, kind: 'auction', isFrozen: true, hasTerms: false })
    const { product } = rules.parse({ ...filled.auction, addition: ' The cap has a scratch. ' })
    expect(product.description).toBe('Kept in the dark.\n\nThe cap has a scratch.')
    expect(withAddition('As it was.', '')).toBe('As it was.')
  })

  it('has room for what the contract allows', () => {
    expect(additionMax('x'.repeat(4990))).toBe(8)
    expect(additionMax('x'.repeat(5000))).toBe(0)
  })
})
