import { fileURLToPath } from 'node:url'
import { createTestDatabase, type TestDatabase } from '@wangian/kit/testing/test-database.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { insertProduct } from '../store.ts'
import { listingFacts } from '../testing/fixtures.ts'
import { IndexedListings } from './indexed-listings.ts'

const LISTINGS = 1000
/** As many as go into 5,000 characters. */
const WORDS_OF_EACH = 1000
/** Of the processor: to read as JSON what comes at once is the longest of it. */
const TURN_MAX_MS = 60

const migrationsDirectory = fileURLToPath(new URL('../../migrations', import.meta.url))
let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase({ service: 'catalogue', migrationsDirectory })
  let words = 0
  await database.pool.transaction(async (transaction) => {
    for (let productId = 1; productId <= LISTINGS; productId += 1) {
      const its = Array.from({ length: WORDS_OF_EACH }, () => (46_656 + words++).toString(36))
      await insertProduct(transaction, listingFacts({ productId, description: its.join(' ') }))
    }
  })
})
afterAll(() => database.drop())

function processorMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

it(`is filled in turns of ${TURN_MAX_MS} ms at most, whatever sellers write, as others ask meanwhile`, async () => {
  let longestMs = 0
  let turnedAtMs = processorMs()
  const beat = setInterval(() => {
    const nowMs = processorMs()
    longestMs = Math.max(longestMs, nowMs - turnedAtMs)
    turnedAtMs = nowMs
  }, 1)
  const index = await new IndexedListings({ pool: database.pool, ageMaxMs: 0 }).current()
  clearInterval(beat)
  expect(index.countUses([{ word: 'santal', isBeginning: false }], LISTINGS)).toBe(LISTINGS)
  expect(longestMs).toBeGreaterThan(0)
  expect(longestMs).toBeLessThan(TURN_MAX_MS)
})
