import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ErrorCode, errorCatalogue } from '@wangian/contracts/errors.ts'
import { imageMessages } from '@wangian/contracts/pictures.ts'
import { type DatabasePool, openPool, sql } from '@wangian/kit/database/postgres.ts'
import { listFiles } from '@wangian/kit/testing/dump.ts'
import { hostileNames, hostileUploads, picture, uploadForm } from '@wangian/kit/testing/pictures.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { listing } from '../access/access-matrix.ts'
import { accountsAt, type SignedIn } from '../access/accounts.ts'
import { type System, startSystem } from '../local/system.ts'
import { unusualPictures } from './pictures.ts'
import { type Answer, type RawRequest, send } from './slow-reader.ts'

/*
 * Uploads as they come from outside: over a real connection to the real gateway, from a client that is still writing when it is refused, to
 * the services that own the pictures. What each of them says to each file is tested beside its code; here the whole way counts.
 */

const dataDir = mkdtempSync(join(tmpdir(), 'wangian-uploads-'))
const temporaryDir = join(dataDir, 'tmp')

let system: System
let pool: DatabasePool
let sarah: SignedIn
/** A picture of a product that is announced and waits for its file. */
let announced: { readonly id: number; readonly imageUrl: string }

beforeAll(async () => {
  mkdirSync(temporaryDir)
  system = await startSystem({
    dataDir,
    buildsWeb: false,
    rateLimitFactor: 1_000_000,
    environment: { identity: { SEED: 'demo' }, '*': { TMPDIR: temporaryDir } },
  })
  pool = await openPool({ url: system.adminDatabaseUrl, applicationName: 'uploads-test' })
  sarah = await accountsAt(system.url).signIn('sarah@wangian.test', 'demo-seller')
  const product = await create('/api/products', { ...listing, listingType: 'fixed' })
  announced = await create('/api/product-images', { productId: product.id, imageUrl: randomUUID(), imageOrder: 0 })
  // The first refusal takes its place from it, and no later one does more.
  expectRefusal(await uploadFile('of a product', Buffer.from('no picture')), 'unsupported-type')
}, 120_000)

afterAll(async () => {
  await pool?.end()
  await system?.stop()
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 })
})

async function create(path: string, body: object): Promise<{ id: number; imageUrl: string }> {
  const response = await fetch(`${system.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${sarah.token}` },
    body: JSON.stringify(body),
  })
  expect(response.status).toBe(201)
  return (await response.json()) as { id: number; imageUrl: string }
}

const targets = {
  'of a product': () => `/api/product-images/${announced.id}/upload`,
  'of a person': () => '/api/user/avatar',
  'for a cover': () => '/api/user/cover',
} as const
type Target = keyof typeof targets
const everyTarget = Object.keys(targets) as Target[]
function upload(target: Target, payload: Buffer, contentType: string, request: Partial<RawRequest> = {}) {
  return send(system.url, {
    method: 'POST',
    path: targets[target](),
    body: payload,
    ...request,
    headers: { authorization: `Bearer ${sarah.token}`, 'content-type': contentType, ...request.headers },
  })
}

function uploadFile(
  target: Target,
  file: Buffer,
  options: Parameters<typeof uploadForm>[1] & Partial<RawRequest> = {},
) {
  const { payload, headers } = uploadForm(file, options)
  return upload(target, payload, headers['content-type'], { isChunked: options.isChunked ?? false })
}

const tables = ['catalogue.pictures', 'catalogue.products', 'catalogue.events'].concat(
  ['people', 'users', 'events', 'profile_pictures', 'unused_files'].map((name) => `identity.${name}`),
)

/** Everything in which an upload could leave a trace. */
async function traces(): Promise<unknown> {
  const folders = ['images', 'profile-images', 'tmp'].map((name) => join(dataDir, name))
  const rows = await Promise.all(
    tables.map((name) =>
      pool.anyFirst(sql.type(Row)`select t::text as row from ${sql.identifier(name.split('.'))} t order by 1`),
    ),
  )
  return { rows, files: (await Promise.all(folders.map(listFiles))).flat() }
}

const Row = z.object({ row: z.string() })

function expectRefusal(answer: Answer, code: ErrorCode, message?: string): void {
  expect({ status: answer.status, ...(answer.json() as object) }).toEqual({
    status: errorCatalogue[code].status,
    code,
    message: message ?? expect.any(String),
    requestId: expect.any(String),
  })
}

describe.each(everyTarget)('an upload %s', (target) => {
  it.each(hostileUploads)('of %s is refused and leaves nothing behind', async (_name, make, code, message) => {
    const before = await traces()
    const file = await make()
    expectRefusal(await uploadFile(target, file), code, message)
    expectRefusal(await uploadFile(target, file, { isChunked: true }), code, message)
    expect(await traces()).toEqual(before)
  })

  it.each<[string, Form, ErrorCode, string?]>([
    ['a form without a file', form('--b--\r\n'), 'bad-request', 'Image is required'],
    ['a form with two', form(`${part('image')}${part('image')}--b--\r\n`), 'too-large'],
    ['a form with a file of another name', form(`${part('file')}--b--\r\n`), 'bad-request', 'Image is required'],
    ['a form that breaks off', form(part('image')), 'bad-request', 'The upload is not a valid form'],
    ['a form with a huge name of its file', form(`${part('i'.repeat(5_000))}--b--\r\n`), 'too-large'],
    ['a form with a huge name of a field', form(`${field('i'.repeat(5_000))}${part('image')}--b--\r\n`), 'too-large'],
    ['a form with a huge field', form(`${field('x', 'x'.repeat(5_000))}${part('image')}--b--\r\n`), 'too-large'],
    ['a form with many fields', form(`${field('x').repeat(50)}${part('image')}--b--\r\n`), 'too-large'],
    ['a form that meddles with objects', form(`${part('__proto__')}--b--\r\n`), 'bad-request'],
    ['a form without a boundary', form(`${part('image')}--b--\r\n`, 'multipart/form-data'), 'bad-request'],
    ['JSON', form('{"image":"x"}', 'application/json'), 'unsupported-type'],
    ['a bare picture', form('\xff\xd8\xff\xe0', 'image/jpeg'), 'unsupported-type'],
    ['nothing', form(''), 'bad-request'],
  ])('that is %s is refused and leaves nothing behind', async (_name, { payload, type }, code, message) => {
    const before = await traces()
    expectRefusal(await upload(target, payload, type), code, message)
    expectRefusal(await upload(target, payload, type, { isChunked: true }), code, message)
    expect(await traces()).toEqual(before)
  })

  it('that breaks off leaves nothing behind', async () => {
    const before = await traces()
    const { payload, headers } = uploadForm(await picture('png', { width: 1200, height: 1500 }))
    const { hostname, port, host } = new URL(system.url)
    const socket = connect(Number(port), hostname)
    const head = [
      `POST ${targets[target]()} HTTP/1.1`,
      `host: ${host}`,
      `authorization: Bearer ${sarah.token}`,
      `content-type: ${headers['content-type']}`,
      `content-length: ${payload.length}`,
    ]
    socket.write(`${head.join('\r\n')}\r\n\r\n`)
    await new Promise((resolve) => socket.write(payload.subarray(0, payload.length / 2), resolve))
    socket.destroy()
    // By then the service has heard of it.
    expectRefusal(await uploadFile(target, Buffer.from('no picture')), 'unsupported-type', imageMessages.wrongType)
    expect(await traces()).toEqual(before)
  })

  it('of somebody else, or of nobody, is refused while it is written', async () => {
    const before = await traces()
    const { payload, headers } = uploadForm(Buffer.alloc(5 * 1024 * 1024))
    const asGuest = { headers: { authorization: '' } }
    expectRefusal(await upload(target, payload, headers['content-type'], asGuest), 'authentication-required')
    const claim = uploadForm(await picture(), { fields: { userId: '1' } })
    expectRefusal(await upload(target, claim.payload, claim.headers['content-type']), 'forbidden')
    expect(await traces()).toEqual(before)
  })
})

interface Form {
  readonly payload: Buffer
  readonly type: string
}

function form(text: string, type = 'multipart/form-data; boundary=b'): Form {
  return { payload: Buffer.from(text, 'latin1'), type }
}

function part(name: string): string {
  return `--b\r\nContent-Disposition: form-data; name="${name}"; filename="a.jpg"\r\nContent-Type: image/jpeg\r\n\r\nx\r\n`
}

function field(name: string, value = 'x'): string {
  return `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
}

describe('an unusual picture', () => {
  it.each(unusualPictures)('%s is taken, and comes back as it looks', async (_name, make, expectLooks) => {
    const answer = await uploadFile('of a person', await make(), { isChunked: true })
    expect(answer.status).toBe(200)
    const { profileImage } = answer.json() as { profileImage: string }
    for (const variant of [profileImage, `${profileImage}.jpg`, `${profileImage}?w=160`]) {
      const response = await fetch(`${system.url}/api/profile-images/${variant}`)
      expect(response.status).toBe(200)
      await expectLooks(Buffer.from(await response.arrayBuffer()))
    }
  })
})

describe('a name of a picture that leads elsewhere', () => {
  const places = ['/api/images/', '/api/profile-images/']
  const names = [
    ...hostileNames,
    '../../../../etc/passwd',
    '..',
    '../',
    './x',
    '%2e%2e/%2e%2e/etc/passwd',
    '%2e%2e%5c%2e%2e%5cetc%5cpasswd',
    '..\\..\\etc\\passwd',
    '%252e%252e%252fetc%252fpasswd',
    '..;/..;/etc/passwd',
    '%2Fetc%2Fpasswd',
    '//etc/passwd',
    'file:%2f%2f%2fetc%2fpasswd',
    'a'.repeat(65),
    'a'.repeat(8_000),
    '%00'.repeat(100),
  ]

  it.each(places)('below %s is not there, and nothing is told of what is', async (place) => {
    for (const name of names) {
      for (const method of ['GET', 'HEAD']) {
        const { status, body } = await send(system.url, { method, path: place + name })
        expect([method, name, status]).toEqual([method, name, 404])
        expect(body).not.toMatch(/root:|ENOENT|node_modules|\/tmp| {4}at /)
        if (method === 'GET') expect(JSON.parse(body)).toMatchObject({ code: 'not-found' })
      }
    }
  })
  it('is none when it cannot even be decoded', async () => {
    for (const name of ['%', '%zz', '..%c0%af..%c0%afetc%c0%afpasswd'])
      expectRefusal(await send(system.url, { method: 'GET', path: `/api/images/${name}` }), 'bad-request')
  })
})
