import { describe, expect, it } from 'vitest'
import { nowMs } from '../../testing/fixtures.ts'
import { auctionListingForm, defaultEnd, malaysianFieldTime } from './listing-form.ts'

const form = auctionListingForm(() => nowMs)
const filled = {
  name: 'Oud Wood',
  brand: 'Tom Ford',
  description: 'Kept in the dark.',
  categoryId: '4',
  volume: '100',
  remainingPercentage: '72',
  purchaseYear: '',
  boxCondition: 'Good',
  batchCode: '',
  imageUrl: '',
  startingPrice: '50',
  bidIncrement: '0.10',
  reservePrice: '',
  buyNowPrice: '90.50',
  stockQuantity: '1',
  endsAt: '2026-11-28T16:00:00',
}

function problemsOf(changes: Partial<Record<keyof typeof filled, string>>) {
  const parsed = form.safeParse({ ...filled, ...changes })
  return parsed.success ? [] : parsed.error.issues.map((issue) => issue.message)
}

describe('an auction form', () => {
  it('becomes numbers, nothing where nothing was typed, and an instant', () => {
    expect(form.parse(filled)).toMatchObject({
      categoryId: 4,
      remainingPercentage: 72,
      purchaseYear: null,
      reservePrice: null,
      buyNowPrice: 90.5,
      bidIncrement: 0.1,
      // Four in the afternoon in Malaysia.
      endsAt: '2026-11-28T08:00:00.000Z',
    })
  })

  it.each([
    [{ name: 'Ou' }, 'Name must be at least 3 characters'],
    [{ brand: 'T' }, 'Brand must be at least 2 characters'],
    [{ description: 'Too short' }, 'Description must be at least 10 characters'],
    [{ categoryId: '' }, 'sell.rules.category'],
    [{ volume: '0' }, 'sell.rules.volume'],
    [{ volume: '1.5' }, 'sell.rules.volume'],
    [{ remainingPercentage: '101' }, 'sell.rules.remaining'],
    [{ purchaseYear: '1969' }, 'sell.rules.year'],
    [{ purchaseYear: '2027' }, 'sell.rules.year'],
    [{ imageUrl: 'http://example.com/a.jpg' }, 'sell.rules.imageUrl'],
    [{ startingPrice: '' }, 'sell.rules.startingPrice'],
    [{ startingPrice: '0' }, 'sell.rules.startingPrice'],
    [{ bidIncrement: '0.09' }, 'sell.rules.bidIncrement'],
    [{ reservePrice: '1.005' }, 'sell.rules.price'],
    [{ stockQuantity: '0' }, 'sell.rules.stock'],
    [{ endsAt: '2026-11-21T16:00:00' }, 'sell.rules.endDate'],
    [{ endsAt: '' }, 'sell.rules.endDate'],
  ])('with %j is told %s', (changes, message) => {
    expect(problemsOf(changes)).toEqual([message])
  })

  it('offers an end seven days ahead at the full minute, in Malaysian time', () => {
    expect(malaysianFieldTime(nowMs)).toBe('2026-11-21T16:00:00')
    expect(defaultEnd(nowMs + 59_999)).toBe('2026-11-28T16:00:00')
  })
})
