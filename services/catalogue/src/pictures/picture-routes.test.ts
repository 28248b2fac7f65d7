import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Product, ProductImage } from '@wangian/contracts/catalogue.ts'
import { ErrorBody, type ErrorCode, statusOf } from '@wangian/contracts/errors.ts'
import { imageMessages } from '@wangian/contracts/pictures.ts'
import { sql } from '@wangian/kit/database/postgres.ts'
import { Failure } from '@wangian/kit/errors.ts'
import { type ImageStorage, storeOnDisk } from '@wangian/kit/files/image-storage.ts'
import { createPictureFiles } from '@wangian/kit/files/picture-files.ts'
import type { App } from '@wangian/kit/http/http.ts'
import { readStream } from '@wangian/kit/log/event-store.ts'
import { emptyTables } from '@wangian/kit/testing/empty-tables.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { hostileNames, hostileUploads, picture, uploadForm } from '@wangian/kit/testing/pictures.ts'
import { react } from '@wangian/kit/testing/react.ts'
import { createTestTokens, type TestPerson, type TestTokens } from '@wangian/kit/testing/test-app.ts'
import { createTestDatabase, type TestDatabase } from '@wangian/kit/testing/test-database.ts'
import sharp from 'sharp'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { buildApp } from '../app.ts'
import { removeListing } from '../listings/removal.ts'
import { identityHandlers } from '../reactions.ts'
import { listingForm } from '../testing/fixtures.ts'
import { discardRemoved, discardUnclaimed, takeOffOfErased } from './picture-routes.ts'
import { markSomePicturesRemoved } from './picture-store.ts'

const migrationsDirectory = fileURLToPath(new URL('../../migrations', import.meta.url))
const sarah: TestPerson = { id: 7, username: 'sarah' }
const hafiz: TestPerson = { id: 8, username: 'hafiz' }
const name = 'b7c1f0de-1111-4222-8333-444455556666'

let database: TestDatabase
let tokens: TestTokens
let directory: string
let app: App
let productId: number

beforeAll(async () => {
  database = await createTestDatabase({ service: 'catalogue', migrationsDirectory })
  tokens = await createTestTokens()
})
afterAll(() => database.drop())
beforeEach(async () => {
  await emptyTables(database.pool, 'products, bottles, pictures, known_people, events')
  directory = await mkdtemp(join(tmpdir(), 'wangian-pictures-'))
  app = newApp(storeOnDisk(directory))
  const response = await inject('POST', '/api/products', { ...listingForm })
  productId = Product.parse(response.json()).id
})
afterEach(async () => {
  await app.close()
  await rm(directory, { recursive: true, force: true })
})

function newApp(storage: ImageStorage, rateLimitFactor = 1): App {
  return buildApp({
    // No route here asks about an auction.
    nats: undefined as never,
    rateLimitFactor,
    pool: database.pool,
    auth: tokens.authenticator,
    onAppended: () => {},
    files: createPictureFiles(storage),
  })
}

async function inject(
  method: 'GET' | 'POST' | 'HEAD' | 'PUT' | 'DELETE',
  url: string,
  body?: object,
  person: TestPerson | null = sarah,
) {
  const headers = person === null ? {} : await tokens.bearer(person)
  return app.inject({ method, url, headers, ...(body !== undefined && { payload: body }) })
}

const register = (fields: Record<string, unknown> = {}, person: TestPerson | null = sarah) =>
  inject('POST', '/api/product-images', { productId, imageUrl: name, imageOrder: 0, ...fields }, person)

async function upload(
  imageId: number | string,
  file: Buffer,
  options: Parameters<typeof uploadForm>[1] & { readonly person?: TestPerson | null } = {},
) {
  const { person = sarah, ...form } = options
  const { payload, headers } = uploadForm(file, form)
  return app.inject({
    method: 'POST',
    url: `/api/product-images/${imageId}/upload`,
    headers: { ...headers, ...(person && (await tokens.bearer(person))) },
    payload,
  })
}

async function registered(fields: Record<string, unknown> = {}): Promise<ProductImage> {
  const response = await register(fields)
  expect(response.statusCode).toBe(201)
  return ProductImage.parse(response.json())
}

const storedFiles = async () => {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name)
}

function expectRefusal(response: { statusCode: number; json(): unknown }, code: ErrorCode, message?: string): void {
  const body = ErrorBody.parse(response.json())
  expect({ status: response.statusCode, code: body.code }).toEqual({ status: statusOf(code), code })
  if (message !== undefined) expect(body.message).toBe(message)
}

/** Nothing of a refused upload is left: no file, no event, no picture on the product. */
async function expectNothingKept(): Promise<void> {
  expect(await storedFiles()).toEqual([])
  expect(await readStream(database.pool, 'catalogue', `listing-${productId}`)).toHaveLength(1)
  expect((await inject('GET', `/api/product-images/${productId}`)).json()).toEqual([])
}

describe('POST /api/product-images', () => {
  it('announces a picture that is not shown before it is there', async () => {
    const response = await register({ imageOrder: 2, imageName: 'front.jpg', sellerId: 7 })
    expect(response.statusCode).toBe(201)
    expect(response.json()).toEqual({ id: expect.any(Number), imageUrl: name, imageOrder: 2 })
    await expectNothingKept()
    expect((await inject('GET', `/api/images/${name}`)).statusCode).toBe(404)
  })

  it.each([
    [{ imageUrl: 'short' }],
    [{ imageUrl: '../../../etc/passwd' }],
    [{ imageUrl: 'https://example.com/a.jpg' }],
    [{ imageUrl: 'name-with-an-ending.jpg' }],
    [{ imageUrl: 'a'.repeat(65) }],
    [{ imageOrder: 5 }],
    [{ imageOrder: -1 }],
    [{ imageOrder: 1.5 }],
    [{ productId: 0 }],
    [{ productId: 'abc' }],
    [{ imageName: 'a'.repeat(256) }],
  ])('refuses %j', async (fields) => {
    expectRefusal(await register(fields), 'bad-request')
  })

  it('refuses guests, buyers, other sellers and those who name another', async () => {
    expectRefusal(await register({}, null), 'authentication-required')
    expectRefusal(await register({}, { ...sarah, isSeller: false }), 'seller-account-required')
    expectRefusal(await register({}, hafiz), 'forbidden')
    expectRefusal(await register({ sellerId: 8 }), 'forbidden')
  })

  it('refuses products that are not there', async () => {
    expectRefusal(await register({ productId: 999 }), 'product-not-found')
    await database.pool.query(sql.unsafe`update products set status = 'archived'`)
    expectRefusal(await register(), 'product-not-found')
  })

  it('answers the same picture when it is asked for again', async () => {
    const image = await registered({ imageOrder: 2 })
    expect(await registered()).toEqual(image)
    expect((await upload(image.id, await picture())).statusCode).toBe(200)
    expect(await registered()).toEqual(image)
    expectRefusal(await upload(image.id, await picture()), 'image-already-uploaded')
  })

  it('makes one picture when it is asked for many times at once, and does so among five', async () => {
    for (const index of [1, 2, 3, 4]) await registered({ imageUrl: `picture-number-${index}` })
    const images = await Promise.all(Array.from({ length: 6 }, () => registered()))
    expect(new Set(images.map(({ id }) => id)).size).toBe(1)
  })

  it('refuses a name that is taken for another product, or by another seller', async () => {
    await registered()
    const another = Product.parse((await inject('POST', '/api/products', { ...listingForm })).json()).id
    expectRefusal(await register({ productId: another }), 'conflict', 'This image name is taken')
    const ofHafiz = Product.parse((await inject('POST', '/api/products', { ...listingForm }, hafiz)).json()).id
    expectRefusal(await register({ productId: ofHafiz }, hafiz), 'conflict', 'This image name is taken')
  })

  it('takes five at most, however many come at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        register({ imageUrl: `picture-number-${index}`, imageOrder: index % 5 }),
      ),
    )
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([
      ...Array.from({ length: 5 }, () => 201),
      ...Array.from({ length: 7 }, () => 409),
    ])
    const refused = answers.find(({ statusCode }) => statusCode === 409)
    if (refused) expectRefusal(refused, 'images-full', 'Maximum 5 images per product')
  })

  it('forgets pictures that were announced and never came', async () => {
    for (let index = 0; index < 5; index += 1) await registered({ imageUrl: `picture-number-${index}` })
    expectRefusal(await register(), 'images-full')
    await database.pool.query(sql.unsafe`update pictures set registered_at = now() - interval '2 hours'`)
    await registered()
  })
})

describe('a picture that was announced and refused', () => {
  it('may be tried again, and keeps no place from another one', async () => {
    const refused: ProductImage[] = []
    for (let index = 0; index < 5; index += 1) refused.push(await registered({ imageUrl: `picture-number-${index}` }))
    for (const { id } of refused) expectRefusal(await upload(id, Buffer.from('no picture')), 'unsupported-type')
    expect((await upload(refused[0]?.id ?? 0, await picture('png'))).statusCode).toBe(200)
    await registered()
    expectRefusal(await upload(refused[1]?.id ?? 0, await picture('png')), 'not-found')
  })
})

describe('POST /api/product-images/{id}/upload', () => {
  it.each(['jpeg', 'png', 'gif', 'webp'] as const)('takes a %s, whatever it is called', async (format) => {
    const image = await registered()
    const response = await upload(image.id, await picture(format), {
      filename: 'x.svg',
      type: 'image/svg+xml',
      fields: { sellerId: '7' },
    })
    expect(response.statusCode).toBe(200)
    const shown = ProductImage.parse(response.json())
    expect(shown).toEqual({ ...image, tint: expect.stringMatching(/^#[0-9a-f]{6}$/) })
    expect((await inject('GET', `/api/products/${productId}`)).json()).toMatchObject({
      imageUrl: name,
      images: [shown],
    })
    expect((await inject('GET', '/api/products')).json()).toMatchObject([{ imageUrl: name, images: [shown] }])
    const events = await readStream(database.pool, 'catalogue', `listing-${productId}`)
    expect(events.map(({ type, data }) => ({ type, data })).at(1)).toEqual({
      type: 'ListingPicturesChanged',
      data: { productId, imageUrls: [name], images: [shown] },
    })
  })

  it('encodes anew: upright, smaller, without what was hidden in the file', async () => {
    const image = await registered()
    const secret = 'taken at home, 3.1390 N 101.6869 E'
    const lying = await sharp({ create: { width: 3000, height: 2000, channels: 3, background: '#224466' } })
      .withExif({ IFD0: { ImageDescription: secret } })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer()
    const polyglot = Buffer.concat([lying, Buffer.from('<script>alert(1)</script>')])
    // Whatever follows the end of a JPEG is a warning at most; here what counts is that it does not survive.
    const response = await upload(image.id, polyglot)
    expect(response.statusCode).toBe(200)
    const { rawPayload } = await inject('GET', `/api/images/${name}`)
    const metadata = await sharp(rawPayload).metadata()
    expect(metadata).toMatchObject({ format: 'webp', width: 1600, height: 2400 })
    expect(metadata.exif).toBeUndefined()
    expect(rawPayload.includes('script')).toBe(false)
    expect(rawPayload.includes(secret)).toBe(false)
  })

  it('says which colour most of it has, and takes paper for what is transparent', async () => {
    const tintOf = async (imageUrl: string, file: Buffer) => {
      const { id } = await registered({ imageUrl })
      return ProductImage.parse((await upload(id, file)).json()).tint
    }
    const wall = sharp({ create: { width: 900, height: 1200, channels: 3, background: '#1f3d7a' } })
    const bottle = { create: { width: 300, height: 500, channels: 3, background: '#f0d020' } } as const
    const tint = await tintOf(
      'a-bottle-and-wall',
      await wall
        .composite([{ input: bottle }])
        .jpeg()
        .toBuffer(),
    )
    // To the shade: colours are counted in steps.
    expect(tint).toMatch(/^#[12][0-9a-f][34][0-9a-f][78][0-9a-f]$/)
    const nothing = { width: 300, height: 300, channels: 4, background: '#00000000' } as const
    expect(await tintOf('nothing-at-all', await sharp({ create: nothing }).png().toBuffer())).toMatch(/^#f.f.f.$/)
  })

  it('shows pictures in the order that was asked for', async () => {
    const [second, first] = [
      await registered({ imageUrl: 'second-picture', imageOrder: 1 }),
      await registered({ imageUrl: 'first-picture', imageOrder: 0 }),
    ]
    await upload(second.id, await picture())
    await upload(first.id, await picture())
    expect((await inject('GET', `/api/product-images/${productId}`)).json()).toMatchObject([first, second])
    expect((await inject('GET', `/api/products/${productId}`)).json()).toMatchObject({ imageUrl: 'first-picture' })
  })

  it('takes one file per picture', async () => {
    const image = await registered()
    await upload(image.id, await picture())
    expectRefusal(await upload(image.id, await picture('png')), 'image-already-uploaded')
    expect(await storedFiles()).toEqual(['full.webp'])
  })

  it('takes one file per picture also when several come at once', async () => {
    const image = await registered()
    const answers = await Promise.all([1, 2, 3, 4].map(async () => upload(image.id, await picture())))
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 409, 409, 409])
    expect(await storedFiles()).toEqual(['full.webp'])
    expect(await readStream(database.pool, 'catalogue', `listing-${productId}`)).toHaveLength(2)
  })

  it('refuses guests, buyers, other sellers and those who name another', async () => {
    const { id } = await registered()
    const file = await picture()
    expectRefusal(await upload(id, file, { person: null }), 'authentication-required')
    expectRefusal(await upload(id, file, { person: { ...sarah, isSeller: false } }), 'seller-account-required')
    expectRefusal(await upload(id, file, { person: hafiz }), 'forbidden')
    expectRefusal(await upload(id, file, { fields: { sellerId: '8' } }), 'forbidden')
    expectRefusal(await upload(id, file, { fields: { userId: '8' } }), 'forbidden')
    await expectNothingKept()
  })

  it('does not know pictures that were not announced', async () => {
    expectRefusal(await upload(999_999, await picture()), 'not-found')
    expectRefusal(await upload('1e3', await picture()), 'bad-request')
  })

  it('limits how many one seller uploads in an hour', async () => {
    await app.close()
    // 600 an hour in production.
    app = newApp(storeOnDisk(directory), 0.01)
    await database.pool.query(sql.unsafe`insert into pictures (product_id, seller_id, name, image_order)
      select ${productId}, 7, 'picture-' || n, 0 from generate_series(1, 7) n`)
    const ids = await database.pool.manyFirst(sql.type(z.object({ id: z.number() }))`select id from pictures`)
    const answers = []
    for (const id of ids) answers.push((await upload(id, Buffer.from('no picture'))).statusCode)
    expect(answers).toEqual([415, 415, 415, 415, 415, 415, 429])
    expectRefusal(await upload(ids[0] ?? 0, await picture()), 'rate-limited')
  })

  it('keeps so many pixels of one seller, as long as they keep the listings', async () => {
    const { id } = await registered()
    const fill = (sellerId: number) =>
      database.pool.query(sql.unsafe`
        insert into pictures (product_id, seller_id, name, image_order, storage_key, width_px, height_px)
        select 900, ${sellerId}, 'full-' || ${sellerId} || '-' || n, 0, gen_random_uuid(), 100000, 50000 from generate_series(1, 2) n`)
    await fill(8)
    await fill(7)
    const refused = await upload(id, await picture())
    expectRefusal(refused, 'images-full', imageMessages.quota)
    await database.pool.query(sql.unsafe`update pictures set storage_key = null where name = 'full-7-1'`)
    expect((await upload(id, await picture())).statusCode).toBe(200)
  })

  it('takes five of one person at once', async () => {
    const { promise: mayWrite, resolve: letWrite } = Promise.withResolvers<void>()
    const disk = storeOnDisk(directory)
    await app.close()
    app = newApp({ ...disk, write: (...file) => mayWrite.then(() => disk.write(...file)) })
    const { id } = await registered()
    const file = await picture()
    const pending = Array.from({ length: 6 }, () => upload(id, file))
    const refused = await Promise.race(pending)
    expectRefusal(refused, 'rate-limited')
    expect(refused.headers['retry-after']).toBeDefined()
    letWrite()
    const statuses = (await Promise.all(pending)).map(({ statusCode }) => statusCode)
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
  })
})

describe('a hostile upload', () => {
  it.each(hostileUploads)('%s is refused and leaves nothing behind', async (_name, make, code, message) => {
    const { id } = await registered()
    expectRefusal(await upload(id, await make()), code, message)
    await expectNothingKept()
    // And the picture may still get its real file.
    expect((await upload(id, await picture())).statusCode).toBe(200)
  })

  it('may be a form without a file, with two, or with none of the right name', async () => {
    const { id } = await registered()
    const headers = await tokens.bearer(sarah)
    const url = `/api/product-images/${id}/upload`
    const send = (type: string, payload: string | Buffer) =>
      app.inject({ method: 'POST', url, headers: { ...headers, 'content-type': type }, payload })
    const part = (field: string) =>
      `--b\r\nContent-Disposition: form-data; name="${field}"; filename="a.jpg"\r\nContent-Type: image/jpeg\r\n\r\nx\r\n`
    expectRefusal(await send('multipart/form-data; boundary=b', '--b--\r\n'), 'bad-request')
    expectRefusal(
      await send('multipart/form-data; boundary=b', `${part('image')}${part('image')}--b--\r\n`),
      'too-large',
    )
    expectRefusal(await send('multipart/form-data; boundary=b', `${part('other')}--b--\r\n`), 'bad-request')
    expectRefusal(await send('multipart/form-data; boundary=b', part('image')), 'bad-request')
    expectRefusal(await send('multipart/form-data', part('image')), 'bad-request')
    expectRefusal(await send('multipart/form-data; boundary=b', ''), 'bad-request')
    expectRefusal(await send('application/json', '{}'), 'unsupported-type')
    expectRefusal(await send('image/jpeg', await picture()), 'unsupported-type')
    expectRefusal(await upload(id, await picture(), { field: '__proto__' }), 'bad-request')
    expectRefusal(await upload(id, await picture(), { fields: { sellerId: '1e3' } }), 'bad-request')
    await expectNothingKept()
  })

  it('may break off in the middle', async () => {
    const { id } = await registered()
    await app.listen({ host: '127.0.0.1', port: 0 })
    const address = app.server.address()
    if (address === null || typeof address === 'string') throw new Error('the app listens on a port')
    const { payload, headers } = uploadForm(await picture('png', { width: 1200, height: 1500 }))
    const { authorization } = await tokens.bearer(sarah)
    const socket = connect(address.port, '127.0.0.1')
    socket.write(
      `POST /api/product-images/${id}/upload HTTP/1.1\r\nhost: x\r\nauthorization: ${authorization}\r\n` +
        `content-type: ${headers['content-type']}\r\ncontent-length: ${payload.length}\r\n\r\n`,
    )
    await new Promise((resolve) => socket.write(payload.subarray(0, payload.length / 2), resolve))
    socket.destroy()
    await eventually(async () => {
      const open = await new Promise<number>((resolve) => app.server.getConnections((_error, count) => resolve(count)))
      return open === 0
    })
    await expectNothingKept()
    expect((await upload(id, await picture())).statusCode).toBe(200)
  })
})

describe('GET /api/product-images/{productId}', () => {
  it('does not know products that are not there or not to be seen', async () => {
    expectRefusal(await inject('GET', '/api/product-images/999'), 'product-not-found')
    expectRefusal(await inject('GET', '/api/product-images/x'), 'bad-request')
    await database.pool.query(sql.unsafe`update products set status = 'archived'`)
    expectRefusal(await inject('GET', `/api/product-images/${productId}`, undefined, null), 'product-not-found')
    expect((await inject('GET', `/api/product-images/${productId}`)).statusCode).toBe(200)
  })
})

describe('GET /api/images/{name}', () => {
  beforeEach(async () => {
    const { id } = await registered()
    await upload(id, await picture('png', { width: 1200, height: 1500 }))
  })
  const size = async (url: string) => {
    const { rawPayload } = await inject('GET', url, undefined, null)
    const { format, width, height } = await sharp(rawPayload).metadata()
    return [format, width, height]
  }

  it('answers with headers that let browsers keep it for ever, caches for all for a day, and do nothing else', async () => {
    const response = await inject('GET', `/api/images/${name}`, undefined, null)
    expect(response.statusCode).toBe(200)
    expect(response.headers).toMatchObject({
      'content-type': 'image/webp',
      'cache-control': 'public, max-age=31536000, s-maxage=86400, immutable',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
    })
  })

  it('comes in the widths that pages ask for, never enlarged', async () => {
    expect(await size(`/api/images/${name}`)).toEqual(['webp', 1200, 1500])
    expect(await size(`/api/images/${name}.webp`)).toEqual(['webp', 1200, 1500])
    expect(await size(`/api/images/${name}?w=160`)).toEqual(['webp', 160, 200])
    expect(await size(`/api/images/${name}?w=480`)).toEqual(['webp', 480, 600])
    expect(await size(`/api/images/${name}?w=960`)).toEqual(['webp', 960, 1200])
    expect(await size(`/api/images/${name}?w=1600`)).toEqual(['webp', 1200, 1500])
    expect(await size(`/api/images/${name}.jpg?w=480`)).toEqual(['jpeg', 480, 600])
  })

  it('is made once, however many ask at once', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => inject('GET', `/api/images/${name}?w=480`)))
    for (const answer of answers) expect(answer.rawPayload).toEqual(answers[0]?.rawPayload)
    expect((await storedFiles()).sort()).toEqual(['480.webp', 'full.webp'])
    expect((await inject('GET', `/api/images/${name}?w=480`)).rawPayload).toEqual(answers[0]?.rawPayload)
  })

  it('tells a client that has it that nothing changed', async () => {
    const { etag } = (await inject('GET', `/api/images/${name}?w=480`)).headers
    const again = await app.inject({ url: `/api/images/${name}?w=480`, headers: { 'if-none-match': String(etag) } })
    expect(again.statusCode).toBe(304)
    expect(again.body).toBe('')
    const other = await app.inject({ url: `/api/images/${name}?w=160`, headers: { 'if-none-match': String(etag) } })
    expect(other.statusCode).toBe(200)
  })

  it('comes in AVIF to a browser that takes it as soon as that is made, and waits for nothing', async () => {
    const url = `/api/images/${name}?w=480`
    const ask = (headers: Record<string, string> = {}) =>
      app.inject({ url, headers: { accept: 'image/avif,image/webp,*/*;q=0.8', ...headers } })
    const first = await ask()
    expect(first.headers).toMatchObject({
      'content-type': 'image/webp',
      'cache-control': 'public, max-age=3600',
      vary: 'Accept',
    })
    await eventually(async () => expect((await storedFiles()).sort()).toEqual(['480.avif', '480.webp', 'full.webp']))
    const second = await ask({ 'if-none-match': String(first.headers.etag) })
    expect([second.statusCode, second.headers['content-type']]).toEqual([200, 'image/avif'])
    expect(second.headers['cache-control']).toBe('public, max-age=31536000, s-maxage=86400, immutable')
    expect(second.rawPayload.subarray(4, 12).toString()).toBe('ftypavif')
    expect(second.rawPayload.length).toBeLessThan(first.rawPayload.length)
    expect((await ask({ 'if-none-match': String(second.headers.etag) })).statusCode).toBe(304)
    // Others get what they take.
    expect(await size(url)).toEqual(['webp', 480, 600])
    expect(await size(`/api/images/${name}.jpg?w=480`)).toEqual(['jpeg', 480, 600])
  })

  it('answers HEAD as GET, without the picture', async () => {
    const [head, full] = [await inject('HEAD', `/api/images/${name}`), await inject('GET', `/api/images/${name}`)]
    expect(head.statusCode).toBe(200)
    expect(head.body).toBe('')
    expect(head.headers['content-length']).toBe(String(full.rawPayload.length))
    expect((await inject('HEAD', '/api/images/nobody-has-this')).statusCode).toBe(404)
  })
})

describe('an address without a picture', () => {
  beforeEach(async () => {
    const { id } = await registered()
    await upload(id, await picture())
  })

  it.each([
    'nobody-has-this-name',
    'short',
    `${name}.png`,
    `${name}.svg`,
    `${name}.jpg.webp`,
    `${name}/`,
    `..%2F${name}`,
    '..%2F..%2Fetc%2Fpasswd',
    '%2e%2e%2f%2e%2e%2fetc%2fpasswd',
    '..%5C..%5Cetc%5Cpasswd',
    `${name}%00`,
    `${name}%00.jpg`,
    `%00`,
    ...hostileNames,
    '../products',
    '../..',
    `${name}%20`,
    `${name}?w=161`,
    `${name}?w=abc`,
    `${name}?w=480&w=160`,
    `${name}?w=`,
    `${name}?w=%00`,
    `${name}?w=1e3`,
    'a'.repeat(65),
  ])('answers 404 to %s', async (path) => {
    for (const method of ['GET', 'HEAD'] as const) {
      const response = await inject(method, `/api/images/${path}`, undefined, null)
      // `../products` is resolved before it is sent, as clients do.
      expect([path, response.statusCode]).toEqual([path, path === '../products' ? 200 : 404])
    }
  })

  it('answers 404 when the file is gone', async () => {
    await rm(directory, { recursive: true })
    expectRefusal(await inject('GET', `/api/images/${name}`), 'not-found')
  })
})

async function uploaded(imageUrl: string, imageOrder = 0): Promise<number> {
  const { id } = await registered({ imageUrl, imageOrder })
  expect((await upload(id, await picture())).statusCode).toBe(200)
  return id
}

describe('the pictures of a product', () => {
  const order = (imageIds: number[], person: TestPerson | null = sarah) =>
    inject('PUT', `/api/products/${productId}/images`, { imageIds }, person)
  const remove = (imageId: number, person: TestPerson | null = sarah) =>
    inject('DELETE', `/api/products/${productId}/images/${imageId}`, undefined, person)
  const shown = async () =>
    (await inject('GET', `/api/product-images/${productId}`, undefined, null)).json() as ProductImage[]

  it('are put into another order, and a new one takes the place that it asks for', async () => {
    const first = await uploaded('picture-number-1')
    const second = await uploaded('picture-number-2', 1)
    const answer = await order([second, first])
    expect(answer.statusCode).toBe(200)
    expect(answer.json()).toEqual([
      { id: second, imageUrl: 'picture-number-2', imageOrder: 0, tint: expect.any(String) },
      { id: first, imageUrl: 'picture-number-1', imageOrder: 1, tint: expect.any(String) },
    ])
    expect(await shown()).toEqual(answer.json())
    const third = await uploaded('picture-number-3', 4)
    expect((await shown()).map(({ id }) => id)).toEqual([second, first, third])
    expect((await inject('GET', `/api/products/${productId}`)).json()).toMatchObject({ imageUrl: 'picture-number-2' })
  })

  it('are not put into an order that leaves one out', async () => {
    const first = await uploaded('picture-number-1')
    await uploaded('picture-number-2', 1)
    expectRefusal(await order([first]), 'conflict')
    expectRefusal(await order([first, first]), 'conflict')
  })

  it('are taken off with their file, and leave room for another', async () => {
    const ids: number[] = []
    for (const index of [1, 2, 3, 4, 5]) ids.push(await uploaded(`picture-number-${index}`, index - 1))
    expectRefusal(await register(), 'images-full')
    expect(await storedFiles()).toHaveLength(5)
    expect((await remove(ids[1] ?? 0)).statusCode).toBe(204)
    expect((await shown()).map(({ id }) => id)).toEqual(ids.filter((_, index) => index !== 1))
    expect(await storedFiles()).toHaveLength(4)
    expect((await inject('GET', '/api/images/picture-number-2')).statusCode).toBe(404)
    expectRefusal(await remove(ids[1] ?? 0), 'not-found')
    expect((await register()).statusCode).toBe(201)
  })

  it('never come to mean another picture: a name stays taken', async () => {
    const id = await uploaded('picture-number-1')
    await remove(id)
    expectRefusal(await register({ imageUrl: 'picture-number-1' }), 'conflict', 'This image name is taken')
    expectRefusal(await upload(id, await picture()), 'not-found')
  })

  it('may be forgotten before their file has come', async () => {
    const { id } = await registered()
    expect((await remove(id)).statusCode).toBe(204)
    expectRefusal(await upload(id, await picture()), 'not-found')
    expect((await register()).statusCode).toBe(201)
  })

  it('are removed without the files of others that wait to be', async () => {
    const waiting = await uploaded('picture-number-1')
    const files = await storedFiles()
    await database.pool.query(sql.unsafe`update pictures set removed_at = now() where id = ${waiting}`)
    expect((await remove(await uploaded('picture-number-2', 1))).statusCode).toBe(204)
    expect(await storedFiles()).toEqual(files)
  })

  it('leave no file behind when the service stopped before it was removed', async () => {
    const id = await uploaded('picture-number-1')
    await database.pool.query(sql.unsafe`update pictures set removed_at = now() where id = ${id}`)
    await discardRemoved({ pool: database.pool, files: createPictureFiles(storeOnDisk(directory)) })
    expect(await storedFiles()).toEqual([])
    expectRefusal(await register({ imageUrl: 'picture-number-1' }), 'conflict')
  })

  it('leave no file behind of an upload that was broken off when that was stored', async () => {
    const disk = storeOnDisk(directory)
    const { id } = await registered()
    await app.close()
    app = newApp({
      ...disk,
      async write(...file) {
        await disk.write(...file)
        throw new Failure('the bucket does not answer')
      },
    })
    expectRefusal(await upload(id, await picture()), 'unavailable')
    const dependencies = { pool: database.pool, files: createPictureFiles(disk) }
    const later = () =>
      database.pool.query(sql.unsafe`update unclaimed_files set removable_at = removable_at - interval '1 hour'`)
    // It may still be written: only after an hour nobody can be doing that.
    await discardUnclaimed(dependencies)
    expect(await storedFiles()).toEqual(['full.webp'])
    await later()
    await discardUnclaimed(dependencies)
    expect(await storedFiles()).toEqual([])

    await app.close()
    app = newApp(disk)
    expect((await upload(id, await picture())).statusCode).toBe(200)
    await later()
    await discardUnclaimed(dependencies)
    expect(await storedFiles()).toEqual(['full.webp'])
    expect(await database.pool.any(sql.unsafe`select * from unclaimed_files`)).toEqual([])
  })

  it('are removed past one that cannot be', async () => {
    for (const [index, name] of ['picture-number-1', 'picture-number-2'].entries()) await uploaded(name, index)
    await database.pool.query(sql.unsafe`update pictures set removed_at = now()`)
    const files = createPictureFiles(storeOnDisk(directory))
    let tried = 0
    const discard = async (storageKey: string) => {
      tried += 1
      if (tried === 1) throw new Failure('the bucket answered 403 AccessDenied to a removal')
      await files.discard(storageKey)
    }
    await expect(discardRemoved({ pool: database.pool, files: { ...files, discard } })).rejects.toThrow('1 of 2')
    expect(await storedFiles()).toHaveLength(1)
    await discardRemoved({ pool: database.pool, files })
    expect(await storedFiles()).toEqual([])
  })

  it('are removed one by one by a service that is told to stop meanwhile', async () => {
    for (const [index, name] of ['picture-number-1', 'picture-number-2'].entries()) await uploaded(name, index)
    await database.pool.query(sql.unsafe`update pictures set removed_at = now()`)
    const files = createPictureFiles(storeOnDisk(directory))
    const stopping = new AbortController()
    const discard = (storageKey: string) => {
      stopping.abort()
      return files.discard(storageKey)
    }
    await discardRemoved({ pool: database.pool, files: { ...files, discard } }, stopping.signal)
    expect(await storedFiles()).toHaveLength(1)
    await discardRemoved({ pool: database.pool, files })
    expect(await storedFiles()).toEqual([])
  })
})

describe('the pictures of a listing that is gone', () => {
  const names = ['picture-number-1', 'picture-number-2', 'picture-number-3']
  beforeEach(async () => {
    for (const [index, imageUrl] of names.entries()) await uploaded(imageUrl, index)
    await database.pool.query(sql.unsafe`update pictures set image_name = 'Aisyah at home.jpg'`)
  })

  const erase = (userId: number) => {
    const event = { type: 'UserErased', data: { userId }, stream: `user-${userId}`, version: 1 }
    return react(database.pool, { bulkHandlers: identityHandlers }, event)
  }

  /** The names that still have a picture, once the files of the others were removed, and with them what they were called on a device. */
  async function left(): Promise<string[]> {
    const statuses = await Promise.all(names.map(async (one) => (await inject('GET', `/api/images/${one}`)).statusCode))
    const served = names.filter((_, index) => statuses[index] === 200)
    await discardRemoved({ pool: database.pool, files: createPictureFiles(storeOnDisk(directory)) })
    expect(await storedFiles()).toHaveLength(served.length)
    const called = await database.pool.anyFirst(sql.unsafe`
      select name from pictures where image_name is not null order by name`)
    expect(called).toEqual(served)
    return served
  }

  it('go with it, but for the one that stands for it where it was spoken of', async () => {
    expect((await inject('DELETE', `/api/products/${productId}`)).statusCode).toBe(204)
    expect(await left()).toEqual(['picture-number-1'])
  })

  it('all go when an administrator has removed it', async () => {
    const dependencies = { pool: database.pool, nats: undefined as never, onAppended: () => {} }
    await removeListing(dependencies, { productId, actorId: 1, reason: 'Not a perfume.', requestId: 'r' })
    expect(await left()).toEqual([])
  })

  it('all go with their seller, and nobody else’s', async () => {
    await erase(8)
    await takeOffOfErased(database.pool)
    expect(await left()).toEqual(names)
    await erase(7)
    expect(await left()).toEqual(names)
    for (const marked of [2, 1, 0]) expect(await markSomePicturesRemoved(database.pool, 7, 2)).toBe(marked)
    await takeOffOfErased(database.pool)
    expect(await left()).toEqual([])
    expect(await database.pool.anyFirst(sql.unsafe`select user_id from erased_sellers`)).toEqual([])
  })

  it('do not leave what those are called that never came, either', async () => {
    await registered({ imageUrl: 'picture-number-4', imageOrder: 3, imageName: 'Aisyah at work.jpg' })
    const called = () =>
      database.pool.anyFirst(sql.unsafe`select image_name from pictures where image_name like '%work%'`)
    await erase(8)
    await takeOffOfErased(database.pool)
    expect(await called()).toHaveLength(1)
    await erase(7)
    await takeOffOfErased(database.pool)
    expect(await called()).toEqual([])
  })
})
