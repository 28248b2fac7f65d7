import { fileURLToPath } from 'node:url'
import { catalogueRequests } from '@wangian/contracts/catalogue.ts'
import type { PublishedIdentityEvent } from '@wangian/contracts/events/identity.ts'
import { request } from '@wangian/kit/bus/requests.ts'
import { storeOnDisk } from '@wangian/kit/files/image-storage.ts'
import { createPictureFiles } from '@wangian/kit/files/picture-files.ts'
import type { App } from '@wangian/kit/http/http.ts'
import { emptyTables } from '@wangian/kit/testing/empty-tables.ts'
import { tellOfPerson, testPerson } from '@wangian/kit/testing/people.ts'
import { createTestTokens, type TestPerson, type TestTokens } from '@wangian/kit/testing/test-app.ts'
import { createTestDatabase, type TestDatabase } from '@wangian/kit/testing/test-database.ts'
import { startTestNats, type TestNats } from '@wangian/kit/testing/test-nats.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buildApp } from '../app.ts'
import { projectListing } from '../projections.ts'
import { serveListings } from '../requests.ts'
import { listingFacts } from '../testing/fixtures.ts'

const SELLER = 7
const HIS = 1
const HERS = 2

let database: TestDatabase
let nats: TestNats
let tokens: TestTokens
let app: App
let serving: { stop(): Promise<void> }

beforeAll(async () => {
  const migrationsDirectory = fileURLToPath(new URL('../../migrations', import.meta.url))
  database = await createTestDatabase({ service: 'catalogue', migrationsDirectory })
  nats = await startTestNats()
  tokens = await createTestTokens()
  const { pool } = database
  serving = serveListings({ nats: nats.connection, pool, onAppended: () => {} })
  app = buildApp({
    // No route here asks about an auction.
    nats: undefined as never,
    pool,
    files: createPictureFiles(storeOnDisk('/dev/null/no-pictures-here')),
    onAppended: () => {},
    auth: tokens.authenticator,
  })
  await pool.transaction(async (transaction) => {
    for (const [productId, sellerId] of [
      [HIS, SELLER],
      [HERS, 8],
    ] as const) {
      await projectListing(transaction, { type: 'ListingCreated', data: listingFacts({ productId, sellerId }) })
    }
  })
})
afterAll(async () => {
  await app.close()
  await serving.stop()
  await nats.stop()
  await database.drop()
})
beforeEach(() => emptyTables(database.pool, 'known_people'))

const at = '2026-11-21T08:00:00.000Z'
const banned: PublishedIdentityEvent = { type: 'UserBanned', data: { userId: SELLER, bannedAt: at } }
const unbanned: PublishedIdentityEvent = { type: 'UserUnbanned', data: { userId: SELLER, unbannedAt: at } }
const closed: PublishedIdentityEvent = { type: 'AccountClosed', data: { userId: SELLER, closedAt: at } }
const reopened: PublishedIdentityEvent = {
  type: 'AccountReopened',
  data: { userId: SELLER, reopenedAt: at, person: testPerson('sarah') },
}
const erased: PublishedIdentityEvent = { type: 'UserErased', data: { userId: SELLER, erasedAt: at } }

/** The event as the version-th of the seller's stream. */
const tell = (event: PublishedIdentityEvent, version: number) => tellOfPerson(database.pool, event, { version })

async function statusFor(person?: TestPerson): Promise<number> {
  const headers = person === undefined ? {} : await tokens.bearer(person)
  return (await app.inject({ url: `/api/products/${HIS}`, headers })).statusCode
}

/** What everybody sees: in the list, on the page, and what other services are told. */
async function visible(): Promise<boolean> {
  const list = await app.inject({ url: '/api/products?limit=10' })
  const ids = list.json<{ id: number }[]>().map(({ id }) => id)
  expect(ids).toContain(HERS)
  expect(list.headers['x-total-count']).toBe(String(ids.length))
  const { product } = await request(nats.connection, 'catalogue', catalogueRequests.getProduct, { productId: HIS })
  const { listing } = await request(nats.connection, 'catalogue', catalogueRequests.getListing, { productId: HIS })
  const pictures = await app.inject({ url: `/api/product-images/${HIS}` })
  const answers = [
    ids.includes(HIS),
    (await statusFor()) === 200,
    pictures.statusCode === 200,
    product !== null,
    listing !== null,
  ]
  expect(new Set(answers).size).toBe(1)
  return ids.includes(HIS)
}

describe('the listings of a seller', () => {
  it('are hidden by a ban and shown again when it is lifted', async () => {
    expect(await visible()).toBe(true)
    await tell(banned, 2)
    expect(await visible()).toBe(false)
    await tell(unbanned, 3)
    expect(await visible()).toBe(true)
  })

  it('are hidden when the account is closed, whatever becomes of a ban', async () => {
    await tell(banned, 2)
    await tell(closed, 3)
    await tell(unbanned, 4)
    expect(await visible()).toBe(false)
  })

  it('are shown again when the account is opened again, unless the seller is banned', async () => {
    await tell(closed, 2)
    await tell(reopened, 3)
    expect(await visible()).toBe(true)
    await tell(banned, 4)
    await tell(closed, 5)
    await tell(reopened, 6)
    expect(await visible()).toBe(false)
  })

  it('are hidden for good when the seller is erased', async () => {
    await tell(erased, 3)
    expect(await visible()).toBe(false)
  })

  it('are hidden or not as the newest event says, whichever comes last', async () => {
    await tell(unbanned, 3)
    await tell(banned, 2)
    expect(await visible()).toBe(true)
    await tell(banned, 4)
    await tell(unbanned, 3)
    expect(await visible()).toBe(false)
  })

  it('are still seen by the seller and by administrators', async () => {
    await tell(banned, 2)
    expect(await statusFor()).toBe(404)
    expect(await statusFor({ id: 9 })).toBe(404)
    expect(await statusFor({ id: SELLER })).toBe(200)
    expect(await statusFor({ id: 10, isAdmin: true })).toBe(200)
  })
})
