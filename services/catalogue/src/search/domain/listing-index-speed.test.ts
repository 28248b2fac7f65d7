import { expect, it } from 'vitest'
import { type IndexedListing, ListingIndex, type PageAsked, type Search } from './listing-index.ts'

const LISTINGS = 30_000
const TRIES = 25

/* What one guest asks is felt by all who ask then. Times are compared with each other, as machines differ. */

const listingOf = (id: number): IndexedListing => ({
  id,
  categoryId: 1,
  listingType: 'fixed',
  priceSen: 1000 + ((id * 7919) % 30_011),
  salesCount: id % 7,
  auctionEndMs: Number.MAX_SAFE_INTEGER,
  remainingPercentage: 100,
  isFeatured: id % 50 === 0,
  brand: 'Dior',
  brandKey: 'dior',
  nameKey: `oud${id}`,
  fullNameKey: `dioroud${id}`,
  titleWords: ['dior', 'oud'],
  otherWords: ['kept'],
  wordsVersion: 1,
})

function filled(): ListingIndex {
  const index = new ListingIndex()
  for (let id = 1; id <= LISTINGS; id += 1) index.save(listingOf(id))
  return index
}

const begins = (...beginnings: readonly string[]): Search => ({
  leading: beginnings.map((word) => [{ word, isBeginning: true }]),
  other: null,
  nameKeys: [],
})

/** The least that it takes of the processor, in ms. */
function leastMs(work: () => void): number {
  const timesMs = Array.from({ length: TRIES }, () => {
    const before = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  })
  return Math.min(...timesMs)
}

const page = (asked: Partial<PageAsked> = {}): PageAsked => ({ sort: undefined, after: null, limit: 101, ...asked })

it('finds what ends soonest as soon as what is newest where nothing ends', () => {
  const index = filled()
  const [newestMs, soonestMs] = (['newest', 'ending-soonest'] as const).map((sort) =>
    leastMs(() => index.page(begins('kept'), {}, page({ sort }))),
  )
  expect(soonestMs).toBeLessThan(2 * (newestMs ?? 0))
})
