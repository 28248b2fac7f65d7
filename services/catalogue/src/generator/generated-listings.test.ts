import { fileURLToPath } from 'node:url'
import { catalogueEvents } from '@wangian/contracts/events/catalogue.ts'
import { readStream } from '@wangian/kit/log/event-store.ts'
import { rebuildTables } from '@wangian/kit/testing/rebuild-tables.ts'
import { createTestDatabase, type TestDatabase } from '@wangian/kit/testing/test-database.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { productsProjection } from '../projections.ts'
import { countMatching } from '../search/domain/facets.ts'
import { countProducts } from '../search/search-store.ts'
import { generatedListing } from './generated-listing.ts'
import { generateListings } from './generated-listings.ts'

const migrationsDirectory = fileURLToPath(new URL('../../migrations', import.meta.url))
let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase({ service: 'catalogue', migrationsDirectory })
})
afterAll(() => database.drop())

it('is the same listing for the same number, and one that the log takes', () => {
  for (let number = 1; number <= 500; number++) {
    const listing = generatedListing(number, number - 1, 500)
    expect(listing).toEqual(generatedListing(number, number - 1, 500))
    expect(catalogueEvents.ListingCreated.data.parse(listing)).toEqual(listing)
  }
})

it('goes through the log: products can be made again from it', async () => {
  const made: number[] = []
  await generateListings(database.pool, 750, (count) => made.push(count))
  expect(made).toEqual([500, 750])
  expect(await readStream(database.pool, 'catalogue', 'listing-750')).toMatchObject([
    { type: 'ListingCreated', version: 1 },
  ])
  expect(countMatching(await countProducts(database.pool, {}), {})).toBe(750)
  expect(await rebuildTables(database.pool, 'catalogue', productsProjection)).toBe(750)
  expect(countMatching(await countProducts(database.pool, {}), {})).toBe(750)
})
