import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sql } from '@wangian/kit/database/postgres.ts'
import { storeOnDisk } from '@wangian/kit/files/image-storage.ts'
import { createPictureFiles, type PictureFiles } from '@wangian/kit/files/picture-files.ts'
import type { App } from '@wangian/kit/http/http.ts'
import { emptyTables } from '@wangian/kit/testing/empty-tables.ts'
import { picture } from '@wangian/kit/testing/pictures.ts'
import { createTestTokens } from '@wangian/kit/testing/test-app.ts'
import { createTestDatabase, type TestDatabase } from '@wangian/kit/testing/test-database.ts'
import sharp from 'sharp'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buildApp } from '../app.ts'
import { projectListing } from '../projections.ts'
import { listingFacts } from '../testing/fixtures.ts'

const migrationsDirectory = fileURLToPath(new URL('../../migrations', import.meta.url))
const name = 'b7c1f0de-1111-4222-8333-444455556666'

let database: TestDatabase
let directory: string
let files: PictureFiles
let app: App

beforeAll(async () => {
  database = await createTestDatabase({ service: 'catalogue', migrationsDirectory })
})
afterAll(() => database.drop())
beforeEach(async () => {
  await emptyTables(database.pool, 'products, pictures, known_people, auction_summaries, events')
  directory = await mkdtemp(join(tmpdir(), 'wangian-shares-'))
  files = createPictureFiles(storeOnDisk(directory))
  app = await build()
  await list({ productId: 7, name: 'Oud Wood' })
})
afterEach(async () => {
  await app.close()
  await rm(directory, { recursive: true, force: true })
})

async function build(rateLimitFactor = 1): Promise<App> {
  const { authenticator } = await createTestTokens()
  return buildApp({
    pool: database.pool,
    auth: authenticator,
    onAppended: () => {},
    files,
    rateLimitFactor,
    // No route here asks about an auction.
    nats: undefined as never,
  })
}
const list = (facts: Parameters<typeof listingFacts>[0]) =>
  database.pool.transaction((transaction) =>
    projectListing(transaction, { type: 'ListingCreated', data: listingFacts(facts) }),
  )
const ask = (productId: number | string, headers: Record<string, string> = {}) =>
  app.inject({ url: `/api/products/${productId}/share.jpg?v=anything`, headers })
/** The colour in the middle of where the photo is, as red, green and blue. */
async function photoColour(bytes: Buffer): Promise<number[]> {
  const { data } = await sharp(bytes)
    .extract({ left: 250, top: 20, width: 1, height: 1 })
    .raw()
    .toBuffer({ resolveWithObject: true })
  return [...data]
}

describe('the picture that stands for a product', () => {
  it('is a JPEG as large as previews are, with the photo of the product', async () => {
    const { storageKey, widthPx } = await files.keep(await picture())
    await database.pool.query(sql.unsafe`
      insert into pictures (product_id, seller_id, name, image_order, storage_key, width_px)
      values (7, 7, ${name}, 0, ${storageKey}, ${widthPx})`)
    const without = await ask(7)
    await database.pool.query(sql.unsafe`
      update products set images = ${JSON.stringify([{ id: 1, imageUrl: name, imageOrder: 0 }])}::jsonb where id = 7`)
    const response = await ask(7)
    expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'image/jpeg'])
    expect(await sharp(response.rawPayload).metadata()).toMatchObject({ format: 'jpeg', width: 1200, height: 630 })
    expect(await photoColour(response.rawPayload)).not.toEqual(await photoColour(without.rawPayload))
    expect(response.headers['cache-control']).toBe('public, max-age=3600')
    expect(response.rawPayload.length).toBeLessThan(200_000)
  })

  it('is another one when it is sold, and the same as long as nothing changes', async () => {
    const before = await ask(7)
    const etag = String(before.headers.etag)
    expect((await ask(7, { 'if-none-match': etag })).statusCode).toBe(304)
    await database.pool.query(sql.unsafe`update products set status = 'sold' where id = 7`)
    const sold = await ask(7, { 'if-none-match': etag })
    expect(sold.statusCode).toBe(200)
    expect(sold.headers.etag).not.toBe(etag)
    expect(sold.rawPayload.equals(before.rawPayload)).toBe(false)
  })

  it('has a photo no more that was taken off with the listing that it came with', async () => {
    const { storageKey, widthPx } = await files.keep(await picture())
    await database.pool.query(sql.unsafe`
      insert into pictures (product_id, seller_id, name, image_order, storage_key, width_px)
      values (8, 7, ${name}, 0, ${storageKey}, ${widthPx})`)
    const without = await ask(7)
    await database.pool.query(sql.unsafe`update products set image_url = ${name} where id = 7`)
    const borrowed = await ask(7)
    expect(await photoColour(borrowed.rawPayload)).not.toEqual(await photoColour(without.rawPayload))
    await database.pool.query(sql.unsafe`update pictures set removed_at = now() where name = ${name}`)
    const after = await ask(7, { 'if-none-match': String(borrowed.headers.etag) })
    expect(after.statusCode).toBe(200)
    expect(await photoColour(after.rawPayload)).toEqual(await photoColour(without.rawPayload))
  })

  it.each(['<b>& "it"</b>', '\u202E\u0001', ' ', 'W'.repeat(120), 'عود 沉香 🧴'])(
    'can have any name: %s',
    async (words) => {
      await list({ productId: 8, name: words, brand: words })
      expect((await ask(8)).statusCode).toBe(200)
    },
  )

  it.each([99, 'x', '7.5', '0'])('is not there for %s', async (productId) => {
    expect((await ask(productId)).statusCode).toBe(404)
  })

  it('is not there for what nobody may see', async () => {
    await database.pool.query(sql.unsafe`insert into known_people (user_id, is_banned) values (7, true)`)
    expect((await ask(7)).statusCode).toBe(404)
  })

  it('is not drawn for ever for one address, and those that are drawn stay', async () => {
    await app.close()
    // Two a minute.
    app = await build(1 / 15)
    await list({ productId: 8, name: 'Black Orchid' })
    await list({ productId: 9, name: 'Tobacco Vanille' })
    const answers = [await ask(7), await ask(7), await ask(8), await ask(9), await ask(7)]
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 429, 200])
    expect(answers[3]?.headers).toMatchObject({ 'cache-control': 'no-store' })
    expect(answers[3]?.headers).not.toHaveProperty('etag')
  })
})
