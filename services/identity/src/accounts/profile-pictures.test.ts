import { connect } from 'node:net'
import { CurrentUser } from '@wangian/contracts/identity.ts'
import { sql } from '@wangian/kit/database/postgres.ts'
import { type ImageStorage, storeOnDisk } from '@wangian/kit/files/image-storage.ts'
import { createPictureFiles } from '@wangian/kit/files/picture-files.ts'
import { readStream } from '@wangian/kit/log/event-store.ts'
import { silentLogger } from '@wangian/kit/service/logger.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { hostileUploads, picture, uploadForm } from '@wangian/kit/testing/pictures.ts'
import sharp from 'sharp'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestIdentity, type TestIdentity } from '../testing/test-identity.ts'
import { createUser, filesIn, stateOf, type TestUser } from '../testing/test-people.ts'
import { removeUnusedFiles } from './profile-pictures.ts'

type Kind = 'avatar' | 'cover'
const kinds: readonly Kind[] = ['avatar', 'cover']
const fieldOf = { avatar: 'avatarUrl', cover: 'coverPhoto' } as const

let identity: TestIdentity
let sarah: TestUser
let count = 0

beforeAll(async () => {
  identity = await createTestIdentity()
})
afterAll(() => identity.stop())
beforeEach(async () => {
  await identity.database.pool.query(sql.unsafe`delete from profile_pictures`)
  await sweep()
  count += 1
  sarah = await createUser(identity, `sarah-${count}`)
})

async function upload(
  kind: Kind,
  file: Buffer,
  {
    user = sarah,
    at = identity,
    ...form
  }: Parameters<typeof uploadForm>[1] & { user?: TestUser; at?: TestIdentity } = {},
) {
  const { payload, headers } = uploadForm(file, form)
  return at.app.inject({
    method: 'POST',
    url: `/api/user/${kind}`,
    headers: { ...headers, ...user.headers },
    payload,
  })
}

async function uploaded(kind: Kind, file?: Buffer, options: Parameters<typeof upload>[2] = {}): Promise<string> {
  const response = await upload(kind, file ?? (await picture()), options)
  expect(response.statusCode).toBe(200)
  return CurrentUser.parse(response.json())[fieldOf[kind]] ?? ''
}

const get = (path: string, headers: Record<string, string> = {}) =>
  identity.app.inject({ url: `/api/profile-images/${path}`, headers })
const files = () => filesIn(identity.filesDirectory)
const sweep = () =>
  removeUnusedFiles(identity.database.pool, createPictureFiles(storeOnDisk(identity.filesDirectory)), silentLogger)
const eventTypes = async () =>
  (await readStream(identity.database.pool, 'identity', `user-${sarah.id}`)).slice(2).map(({ type }) => type)

describe.each(kinds)('POST /api/user/%s', (kind) => {
  it.each(['jpeg', 'png', 'gif', 'webp'] as const)('takes a %s, whatever it is called', async (format) => {
    const response = await upload(kind, await picture(format), {
      filename: '../../x.svg',
      type: 'image/svg+xml',
      fields: { userId: String(sarah.id) },
    })
    expect(response.statusCode).toBe(200)
    const name = CurrentUser.parse(response.json())[fieldOf[kind]] ?? ''
    expect(name).toMatch(/^[0-9a-f-]{36}$/)
    expect(response.json().profileImage).toBe(kind === 'avatar' ? name : null)
    expect(await eventTypes()).toEqual(['ProfileUpdated'])
    const me = await identity.app.inject({ url: '/api/v1/auth/me', headers: { ...sarah.headers } })
    expect(me.json()).toEqual(response.json())
    expect(await sharp((await get(name)).rawPayload).metadata()).toMatchObject({ format: 'webp', width: 400 })
  })

  it('encodes anew: upright, smaller, without what was hidden in the file', async () => {
    const secret = 'taken at home, 3.1390 N 101.6869 E'
    const lying = await sharp({ create: { width: 3000, height: 2000, channels: 3, background: '#224466' } })
      .withExif({ IFD0: { ImageDescription: secret } })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer()
    const name = await uploaded(kind, Buffer.concat([lying, Buffer.from('<script>alert(1)</script>')]))
    const { rawPayload } = await get(name)
    const metadata = await sharp(rawPayload).metadata()
    expect(metadata).toMatchObject({ format: 'webp', width: 1600, height: 2400 })
    expect(metadata.exif).toBeUndefined()
    for (const hidden of ['script', secret]) expect(rawPayload.includes(hidden)).toBe(false)
  })

  it('replaces, and leaves neither the file nor the name of the one before', async () => {
    const old = await uploaded(kind)
    await get(`${old}?w=160`)
    expect((await files()).sort()).toEqual(['160.webp', 'full.webp'])
    const name = await uploaded(kind)
    expect(name).not.toBe(old)
    expect(await files()).toEqual(['full.webp'])
    expect((await get(old)).statusCode).toBe(404)
    expect((await get(name)).statusCode).toBe(200)
  })

  it('leaves one of several that come at once', async () => {
    const answers = await Promise.all([1, 2, 3, 4].map(async () => upload(kind, await picture())))
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200])
    expect(await files()).toEqual(['full.webp'])
    const me = await identity.app.inject({ url: '/api/v1/auth/me', headers: { ...sarah.headers } })
    expect((await get(me.json()[fieldOf[kind]])).statusCode).toBe(200)
  })

  it.each(hostileUploads)('refuses %s and leaves nothing behind', async (_name, make, code, message) => {
    const before = await stateOf(identity)
    const response = await upload(kind, await make())
    expect(response.json().code).toBe(code)
    if (message !== undefined) expect(response.json().message).toBe(message)
    expect(await stateOf(identity)).toBe(before)
  })

  it('refuses what is no form with a file', async () => {
    const before = await stateOf(identity)
    const send = (type: string, payload: string) =>
      identity.app.inject({
        method: 'POST',
        url: `/api/user/${kind}`,
        headers: { ...sarah.headers, 'content-type': type },
        payload,
      })
    const part = (field: string) =>
      `--b\r\nContent-Disposition: form-data; name="${field}"; filename="a.jpg"\r\nContent-Type: image/jpeg\r\n\r\nx\r\n`
    const form = 'multipart/form-data; boundary=b'
    expect((await send(form, '--b--\r\n')).json().message).toBe('Image is required')
    expect((await send(form, `${part('image')}${part('image')}--b--\r\n`)).statusCode).toBe(413)
    expect((await send(form, `${part('other')}--b--\r\n`)).statusCode).toBe(400)
    expect((await send(form, part('image'))).statusCode).toBe(400)
    expect((await send('application/json', '{}')).statusCode).toBe(415)
    expect((await send('image/jpeg', 'x')).statusCode).toBe(415)
    expect((await upload(kind, await picture(), { fields: { userId: '1e3' } })).statusCode).toBe(400)
    expect(await stateOf(identity)).toBe(before)
  })
})

describe('an upload', () => {
  it('of one kind leaves the other alone', async () => {
    const avatar = await uploaded('avatar')
    const cover = await uploaded('cover')
    expect([(await get(avatar)).statusCode, (await get(cover)).statusCode]).toEqual([200, 200])
    expect(await files()).toHaveLength(2)
  })

  it('may break off in the middle', async () => {
    const broken = await createTestIdentity()
    const user = await createUser(broken, 'user')
    await broken.app.listen({ host: '127.0.0.1', port: 0 })
    const address = broken.app.server.address()
    if (address === null || typeof address === 'string') throw new Error('the app listens on a port')
    const before = await stateOf(broken)
    const { payload, headers } = uploadForm(await picture('png', { width: 1200, height: 1500 }))
    const socket = connect(address.port, '127.0.0.1')
    socket.write(
      `POST /api/user/avatar HTTP/1.1\r\nhost: x\r\nauthorization: ${user.headers.authorization}\r\n` +
        `content-type: ${headers['content-type']}\r\ncontent-length: ${payload.length}\r\n\r\n`,
    )
    await new Promise((resolve) => socket.write(payload.subarray(0, payload.length / 2), resolve))
    socket.destroy()
    await eventually(
      async () =>
        (await new Promise<number>((resolve) => broken.app.server.getConnections((_error, open) => resolve(open)))) ===
        0,
    )
    expect(await stateOf(broken)).toBe(before)
    await broken.stop()
  })

  it('is limited per person and hour', async () => {
    // 30 an hour in production.
    const strict = await createTestIdentity({ rateLimitFactor: 0.1 })
    const [user, other] = [await createUser(strict, 'user'), await createUser(strict, 'other')]
    const answers = []
    for (const kind of ['avatar', 'cover', 'avatar', 'cover'] as const) {
      answers.push((await upload(kind, Buffer.from('no picture'), { user, at: strict })).statusCode)
    }
    expect(answers).toEqual([415, 415, 415, 429])
    expect((await upload('avatar', await picture(), { user: other, at: strict })).statusCode).toBe(200)
    await strict.stop()
  })

  it('that cannot be stored leaves a file that is removed later, and nothing else', async () => {
    const disk = storeOnDisk(identity.filesDirectory)
    const full: ImageStorage = {
      ...disk,
      async write(...file) {
        await disk.write(...file)
        throw Object.assign(new Error('no space left'), { code: 'ENOSPC' })
      },
    }
    const failing = await createTestIdentity({ files: createPictureFiles(full) })
    const user = await createUser(failing, 'user')
    expect((await upload('avatar', await picture(), { user, at: failing })).statusCode).toBe(503)
    const { pool } = failing.database
    expect(await pool.any(sql.unsafe`select * from profile_pictures`)).toEqual([])
    expect(await files()).toEqual(['full.webp'])
    const pictures = createPictureFiles(disk)
    // It may still be written: only after an hour nobody can be doing that.
    await removeUnusedFiles(pool, pictures, silentLogger)
    expect(await files()).toEqual(['full.webp'])
    await pool.query(sql.unsafe`update unused_files set removable_at = removable_at - interval '1 hour'`)
    await removeUnusedFiles(pool, pictures, silentLogger)
    expect(await files()).toEqual([])
    expect(await pool.any(sql.unsafe`select * from unused_files`)).toEqual([])
    await failing.stop()
  })

  it('leaves one file that cannot be removed behind, and no others for its sake', async () => {
    const { pool } = identity.database
    const pictures = createPictureFiles(storeOnDisk(identity.filesDirectory))
    const [stuck = '', ...others] = await Promise.all(
      [1, 2, 3].map(async () => (await pictures.keep(await picture())).storageKey),
    )
    for (const [index, key] of [stuck, ...others].entries()) {
      await pool.query(sql.unsafe`
        insert into unused_files (storage_key, removable_at) values (${key}, now() - make_interval(secs => ${60 - index}))`)
    }
    const tried: string[] = []
    const failing = {
      ...pictures,
      discard: async (key: string) => {
        tried.push(key)
        if (key === stuck) throw Object.assign(new Error('not permitted'), { code: 'EPERM' })
        await pictures.discard(key)
      },
    }
    await removeUnusedFiles(pool, failing, silentLogger)
    expect(tried).toEqual([stuck, ...others])
    expect(await files()).toEqual(['full.webp'])
    await removeUnusedFiles(pool, failing, silentLogger)
    expect(tried).toHaveLength(3)
    await pool.query(sql.unsafe`update unused_files set removable_at = removable_at - interval '1 hour'`)
    await sweep()
    expect(await files()).toEqual([])
    expect(await pool.any(sql.unsafe`select * from unused_files`)).toEqual([])
  })

  it('whose picture cannot be saved leaves no file', async () => {
    await identity.database.pool.query(sql.unsafe`alter table profile_pictures add check (width_px <> 401)`)
    const before = await stateOf(identity)
    expect((await upload('avatar', await picture('png', { width: 401, height: 401 }))).statusCode).toBe(500)
    expect(await stateOf(identity)).toBe(before)
  })
})

describe('a file', () => {
  it('goes with the person whom it shows', async () => {
    await uploaded('avatar')
    await uploaded('cover')
    await identity.database.pool.query(sql.unsafe`delete from people where user_id = ${sarah.id}`)
    await sweep()
    expect(await files()).toEqual([])
  })

  it('is not shown of somebody who is leaving', async () => {
    const name = await uploaded('avatar')
    await identity.database.pool.query(sql.unsafe`update users set closed_at = now() where id = ${sarah.id}`)
    expect((await get(name)).statusCode).toBe(404)
  })
})

describe('GET /api/profile-images/{name}', () => {
  let name: string
  beforeEach(async () => {
    name = await uploaded('avatar')
  })
  const size = async (path: string) => {
    const { format, width, height } = await sharp((await get(path)).rawPayload).metadata()
    return [format, width, height]
  }

  it('answers with headers that let browsers keep it for ever, caches for all for a day, and do nothing else', async () => {
    const response = await get(name)
    expect(response.headers).toMatchObject({
      'content-type': 'image/webp',
      'cache-control': 'public, max-age=31536000, s-maxage=86400, immutable',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
    })
    const again = await get(name, { 'if-none-match': String(response.headers['etag']) })
    expect([again.statusCode, again.body]).toEqual([304, ''])
  })

  it('comes in the widths that pages ask for, never enlarged, as WebP or JPEG', async () => {
    const name = await uploaded('cover', await picture('png', { width: 1200, height: 1500 }))
    expect(await size(name)).toEqual(['webp', 1200, 1500])
    expect(await size(`${name}?w=160`)).toEqual(['webp', 160, 200])
    expect(await size(`${name}.webp?w=480`)).toEqual(['webp', 480, 600])
    expect(await size(`${name}.jpg?w=960`)).toEqual(['jpeg', 960, 1200])
    expect(await size(`${name}?w=1600`)).toEqual(['webp', 1200, 1500])
  })

  it('answers HEAD as GET, without the picture', async () => {
    const head = await identity.app.inject({ method: 'HEAD', url: `/api/profile-images/${name}` })
    expect([head.statusCode, head.body]).toEqual([200, ''])
  })

  it.each([
    'nobody-has-this-name',
    'short',
    'NAME.png',
    'NAME.svg',
    'NAME.jpg.webp',
    'NAME/',
    '..%2FNAME',
    '..%2F..%2Fetc%2Fpasswd',
    '%2e%2e%2f%2e%2e%2fetc%2fpasswd',
    '..%5C..%5Cetc%5Cpasswd',
    'NAME%00',
    'NAME%00.jpg',
    '%00',
    'NAME%20',
    'NAME?w=161',
    'NAME?w=480&w=160',
    'NAME?w=',
    'NAME?w=1e3',
    'a'.repeat(65),
  ])('answers 404 to %s', async (path) => {
    for (const method of ['GET', 'HEAD'] as const) {
      const url = `/api/profile-images/${path.replace('NAME', name)}`
      expect([path, (await identity.app.inject({ method, url })).statusCode]).toEqual([path, 404])
    }
  })
})

afterEach(async () => {
  const orphans = await identity.database.pool.any(
    sql.unsafe`select 1 from unused_files where removable_at > now() + interval '1 minute'`,
  )
  expect(orphans).toEqual([])
})
