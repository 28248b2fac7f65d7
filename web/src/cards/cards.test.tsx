import { act, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { later, nowMs, product } from '../testing/fixtures.ts'
import { renderAt } from '../testing/render.tsx'
import { ListingCard } from './ListingCard.tsx'

let page: ReturnType<typeof renderAt>
beforeEach(() => {
  vi.useFakeTimers({ now: nowMs })
})
afterEach(() => {
  page.end()
  vi.useRealTimers()
})

const HOUR_MS = 3_600_000
const auction = {
  id: 1,
  status: 'active' as const,
  startsAt: later(-HOUR_MS),
  endsAt: later(2 * HOUR_MS),
  startingPrice: 50,
  currentBid: null,
  bidCount: 0,
  outcome: null,
  winner: null,
  isReleased: false,
}
const show = (changes: Partial<typeof product>, holder?: { id: number; username: string }) => {
  page = renderAt('/products', <ListingCard product={{ ...product, ...changes }} />, holder)
}
const words = () => screen.getByRole('article').textContent
const click = (name: string) => act(async () => screen.getByRole('button', { name }).click())

describe('a card of an auction', () => {
  it('leads to the auction and says the price, the bids and the time that is left', async () => {
    show({ auction: { ...auction, currentBid: 1234.6, bidCount: 3 } })
    expect(screen.getByRole('link', { name: 'Oud Wood' }).getAttribute('href')).toBe('/auctions/1')
    expect(words()).toContain('3 bids · 2h 0m')
    expect(words()).toContain('Current bid RM\u00A01,235')
    await click('Place Bid')
    expect(page.whereabouts()).toBe('/auctions/1')
  })

  it('counts down every minute, and closes when the time is over', () => {
    show({ auction: { ...auction, bidCount: 1, endsAt: later(150_000) } })
    expect(words()).toContain('1 bid · 2m')
    expect(words()).toContain('Starts at RM\u00A050')
    act(() => vi.advanceTimersByTime(120_000))
    expect(words()).toContain('1 bid · < 1m')
    act(() => vi.advanceTimersByTime(60_000))
    expect(words()).toContain('1 bid · Ended')
    expect(words()).not.toMatch(/Current bid|Starts at/)
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Place Bid' }).disabled).toBe(true)
  })

  it('opens later, or has not been set up', () => {
    show({ auction: { ...auction, status: 'scheduled', startsAt: later(HOUR_MS) } })
    expect(words()).toContain('Opens 21 Nov 2026, 5:00 pm')
    page.end()
    show({ auction: null })
    expect(words()).toContain('Not started yet')
    expect(screen.getByRole('link', { name: 'Oud Wood' }).getAttribute('href')).toBe('/products/7')
  })
})

describe('a card of a listing with a price', () => {
  const listing = { listingType: 'negotiable', price: 260.4 } as const

  it('says what decides', () => {
    show(listing)
    for (const fact of ['Tom Ford', '100 ml · Batch A42', 'by sarah', 'RM\u00A0260', '72%', 'Negotiable']) {
      expect(words()).toContain(fact)
    }
    expect(screen.getByRole('link', { name: 'Oud Wood' }).getAttribute('href')).toBe('/products/7')
  })

  it('that is sold has no link and nobody to contact', () => {
    show({ ...listing, status: 'sold' })
    expect(words()).toContain('SOLD')
    expect(screen.queryByRole('link')).toBeNull()
    expect(screen.queryByRole('button', { name: /Contact|Buy/ })).toBeNull()
  })

  it('that is reserved cannot be bought', () => {
    show({ ...listing, status: 'pending' })
    expect((screen.getByRole('button', { name: 'Buy Now: Oud Wood' }) as HTMLButtonElement).disabled).toBe(true)
  })

  it('of which none is left cannot be bought, and its seller can be asked', () => {
    show({ ...listing, stockQuantity: 0 })
    expect(words()).toContain('Out of Stock')
    expect(screen.queryByRole('button', { name: /Buy/ })).toBeNull()
    expect(screen.getByRole('button', { name: 'Contact seller about Oud Wood' })).toBeInTheDocument()
    expect(screen.getByRole('link', { name: 'Oud Wood' })).toBeInTheDocument()
  })

  it('is kept on the wishlist of this browser', async () => {
    show(listing)
    await click('Save Oud Wood to your wishlist')
    expect(
      screen.getByRole('button', { name: 'Remove Oud Wood from your wishlist' }).getAttribute('aria-pressed'),
    ).toBe('true')
    expect(localStorage.getItem('wangian-wishlist')).toBe('[7]')
    await click('Remove Oud Wood from your wishlist')
    expect(localStorage.getItem('wangian-wishlist')).toBeNull()
  })

  it('sends a guest to sign in before writing to the seller', async () => {
    show(listing)
    await click('Contact seller about Oud Wood')
    await act(() => vi.dynamicImportSettled())
    expect(page.whereabouts()).toBe('/auth?redirect=%2Fproducts%2F7')
  })
})

describe.each(['fixed', 'auction'] as const)('a boosted card: %s', (listingType) => {
  it.each([
    ['a premium package', 5, true, true],
    ['a standard package', 4, true, false],
    ['a premium package that is over', 5, false, false],
    ['no package', null, true, false],
  ])('of %s', (_, boost_package_id, isFeatured, hasBadge) => {
    show({ listingType, boost_package_id, isFeatured })
    expect(screen.queryAllByText('Featured')).toHaveLength(hasBadge ? 1 : 0)
  })

  it('of what is kept for somebody says only that', () => {
    show({ listingType, boost_package_id: 5, isFeatured: true, status: 'pending' })
    expect(screen.getByText('Reserved')).toBeInTheDocument()
    expect(screen.queryByText('Featured')).toBeNull()
  })
})

describe('Buy Now on a card', () => {
  const listing = { listingType: 'fixed', price: 260.4 } as const
  const bala = { id: 10, username: 'bala' }

  it('opens the conversation with the seller, with words to begin it', async () => {
    show(listing, bala)
    await click('Buy Now: Oud Wood')
    await act(() => vi.dynamicImportSettled())
    expect(page.toasts).toEqual([{ title: 'Contacting Seller', description: 'Opening a conversation with sarah.' }])
    expect(page.whereabouts()).toBe('/messages')
    expect(JSON.parse(sessionStorage.getItem('selectedConversation') ?? '')).toEqual({
      ownId: 10,
      userId: 3,
      username: 'sarah',
      profileImage: null,
      productId: 7,
      productName: 'Oud Wood',
      templateMessage: 'Hi, I would like to buy Oud Wood now for RM\u00A0260.40.',
      isOffer: true,
    })
  })

  it('sends a guest to sign in', async () => {
    show(listing)
    await click('Buy Now: Oud Wood')
    await act(() => vi.dynamicImportSettled())
    expect(page.toasts).toEqual([
      { title: 'Authentication Required', description: 'You need to log in to buy this item.' },
    ])
    expect(page.whereabouts()).toBe('/auth?redirect=%2Fproducts%2F7')
  })

  it.each([
    [
      'their own',
      listing,
      { id: 3, username: 'sarah' },
      'Cannot Purchase Your Own Item',
      'This is your own product listing.',
    ],
    [
      'what nobody sells any more',
      { ...listing, seller: { ...product.seller, username: null } },
      bala,
      'Error',
      'Could not find seller information.',
    ],
  ] as const)('sells nobody %s', async (_, changes, holder, title, description) => {
    show(changes, holder)
    await click('Buy Now: Oud Wood')
    await act(() => vi.dynamicImportSettled())
    expect(page.toasts).toMatchObject([{ title, description }])
    expect(page.whereabouts()).toBe('/products')
  })
})

it.each(['fixed', 'auction'] as const)(
  'a card of a %s listing names nobody who has deleted their account',
  (listingType) => {
    show({ listingType, auction: null, seller: { ...product.seller, username: null } })
    expect(words()).toContain('Deleted user')
  },
)
