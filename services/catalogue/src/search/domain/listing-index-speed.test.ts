import { expect, it } from 'vitest'
import { type IndexedListing, ListingIndex, type PageAsked, type Search } from './listing-index.ts'

const LISTINGS = 30_000
const TRIES = 25

/* What one guest asks is felt by all who ask then. Times are compared with each other, as machines differ. */

const COMMON_WORDS = ['kept', 'in', 'the', 'dark', 'sprayed', 'now', 'and', 'then']
const LETTERS = 'etaoinsh'
const VOCABULARY = 40_000

/** Words of a description that few others have, and that begin with all letters. */
const rareWordsOf = (id: number) =>
  Array.from({ length: 30 }, (_, place) => {
    const number = (id * 31 + place * 7919) % VOCABULARY
    return `${LETTERS[number % LETTERS.length]}${number.toString(36)}`
  })

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
  otherWords: [...COMMON_WORDS, ...rareWordsOf(id)],
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

it('finds what has words with eight beginnings that ten thousands of words have nearly as soon as what has eight words', () => {
  const index = filled()
  const [wordsMs, beginningsMs] = [COMMON_WORDS, [...LETTERS]].map((beginnings) =>
    leastMs(() => index.page(begins(...beginnings), {}, page())),
  )
  expect(beginningsMs).toBeLessThan(4 * (wordsMs ?? 0))
})

it('takes new words in soon, among however many there are', () => {
  const index = filled()
  let words = 0
  const save = (id: number, count: number) => {
    const otherWords = Array.from({ length: count }, () => `new${(words++).toString(36)}`)
    index.save({ ...listingOf(id), otherWords, wordsVersion: words })
  }
  for (let id = 1; id <= 300; id += 1) save(LISTINGS + id, 800)
  const usualMs = leastMs(() => index.page(begins('kept'), {}, page()))
  const newMs = leastMs(() => {
    save(1, 90)
    index.hasAny(begins('none').leading)
  })
  expect(newMs).toBeLessThan(usualMs)
})
