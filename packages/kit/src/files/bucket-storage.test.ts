import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Failure } from '../errors.ts'
import {
  hasWholeBucket,
  loadConfig,
  pictureSettings,
  serviceEnvironment,
  wholeBucketAdvice,
} from '../service/config.ts'
import { silentLogger } from '../service/logger.ts'
import { picture } from '../testing/pictures.ts'
import { startTestBucket, type TestBucket } from '../testing/test-bucket.ts'
import { type BucketStorage, storeInBucket } from './bucket-storage.ts'
import { createPictureFiles } from './picture-files.ts'
import { openPictureStorage } from './picture-storage.ts'

const key = '3f2a0c11-0000-4000-8000-000000000001'
const other = '3f2a0c11-0000-4000-8000-000000000002'

let server: TestBucket
let storage: BucketStorage
beforeEach(async () => {
  server = await startTestBucket()
  storage = storeInBucket(server.bucket, 'images')
})
afterEach(() => server.stop())

describe('storage in a bucket', () => {
  it('reads what was written, and nothing else', async () => {
    const bytes = Buffer.from([0, 255, 10, 13])
    await storage.write(key, 'full.webp', bytes)
    expect(await storage.read(key, 'full.webp')).toEqual(bytes)
    expect(await storage.read(key, '480.webp')).toBeNull()
    expect([...server.objects]).toEqual([[`images/${key}/full.webp`, { bytes, type: 'image/webp' }]])
    await storage.write(key, 'full.webp', Buffer.from('two'))
    expect((await storage.read(key, 'full.webp'))?.toString()).toBe('two')
  })

  it('removes all variants of a picture and of no other', async () => {
    for (const variant of ['full.webp', '480.webp', '480.jpg']) await storage.write(key, variant, Buffer.from('x'))
    await storage.write(other, 'full.webp', Buffer.from('x'))
    await storage.remove(key)
    await storage.remove(key)
    expect([...server.objects.keys()]).toEqual([`images/${other}/full.webp`])
  })

  it('tries again what the server failed to do', async () => {
    server.failures.push(500, 503)
    await storage.write(key, 'full.webp', Buffer.from('whole'))
    expect((await storage.read(key, 'full.webp'))?.toString()).toBe('whole')
    server.failures.push(500)
    await storage.remove(key)
    expect(server.objects.size).toBe(0)
  })

  it('fails as something that is away when trying does not help', async () => {
    server.failures.push(...Array.from({ length: 8 }, () => 503))
    await expect(storage.write(key, 'full.webp', Buffer.from('x'))).rejects.toThrow(Failure)
    expect(server.requests).toHaveLength(4)
    await expect(storage.read(key, 'full.webp')).rejects.toThrow('503 InternalError')
    await server.stop()
    await expect(storage.remove(key)).rejects.toThrow(Failure)
  })

  it('does not take a bucket that is not there, or not ours, for pictures that are not', async () => {
    const elsewhere = storeInBucket({ ...server.bucket, bucket: 'another' }, 'images')
    await expect(elsewhere.read(key, 'full.webp')).rejects.toThrow('not there')
    const stranger = storeInBucket({ ...server.bucket, accessKeyId: 'stranger' }, 'images')
    await expect(stranger.read(key, 'full.webp')).rejects.toThrow('403 AccessDenied')
    await expect(stranger.check()).rejects.toThrow('403')
    await storage.check()
  })

  it('does not take a 404 of anything else for a picture that is not there', async () => {
    server.failures.push(404)
    await expect(storage.read(key, 'full.webp')).rejects.toThrow('404 InternalError')
  })

  it('makes a bucket that is not there, and leaves one that is', async () => {
    await storage.write(key, 'full.webp', Buffer.from('kept'))
    await storage.ensure()
    expect((await storage.read(key, 'full.webp'))?.toString()).toBe('kept')
    const fresh = storeInBucket({ ...server.bucket, bucket: 'fresh' }, 'images')
    await expect(fresh.check()).rejects.toThrow('404')
    await fresh.ensure()
    await fresh.check()
  })

  it.each([
    ['../../etc/passwd', 'full.webp'],
    [key, '../full.webp'],
    [key, 'full.webp?x=1'],
    ['', 'full.webp'],
  ])('refuses the key %j with variant %j', async (wrongKey, variant) => {
    await expect(storage.write(wrongKey, variant, Buffer.from('x'))).rejects.toThrow()
    await expect(storage.read(wrongKey, variant)).rejects.toThrow()
    expect(server.requests).toEqual([])
  })
})

describe('the pictures of a service', () => {
  const environment = serviceEnvironment.extend(pictureSettings).refine(hasWholeBucket, wholeBucketAdvice)
  const base = {
    NODE_ENV: 'development',
    SERVICE_PORT: '0',
    INSTANCE_ID: 'test-1',
    NATS_URL: 'nats://x',
    IDENTITY_URL: 'http://x',
  }
  const s3 = () => ({
    S3_ENDPOINT: server.bucket.endpoint,
    S3_BUCKET: server.bucket.bucket,
    S3_REGION: server.bucket.region,
    S3_ACCESS_KEY_ID: server.bucket.accessKeyId,
    S3_SECRET_ACCESS_KEY: server.bucket.secretAccessKey,
  })

  it('are in the bucket that the environment names, in all the widths that are asked for', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'wangian-bucket-'))
    const config = loadConfig(environment, { ...base, ...s3(), DATA_DIR: directory })
    const files = createPictureFiles(openPictureStorage(config, 'images', silentLogger))
    const { storageKey } = await files.keep(await picture('jpeg'))
    expect(await files.variant(storageKey, 160, 'webp')).not.toBeNull()
    expect([...server.objects.keys()].sort()).toEqual([
      `images/${storageKey}/160.webp`,
      `images/${storageKey}/full.webp`,
    ])
    await files.discard(storageKey)
    expect(server.objects.size).toBe(0)
    expect(await readdir(directory)).toEqual([])
    await rm(directory, { recursive: true })
  })

  it('are in the data directory without one', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'wangian-bucket-'))
    const config = loadConfig(environment, { ...base, DATA_DIR: directory })
    await openPictureStorage(config, 'images', silentLogger).write(key, 'full.webp', Buffer.from('x'))
    expect(await readdir(join(directory, 'images', '3f', key))).toEqual(['full.webp'])
    await rm(directory, { recursive: true })
  })

  it.each(['S3_ENDPOINT', 'S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'])(
    'are refused without %s beside the others',
    (missing) => {
      expect(() => loadConfig(environment, { ...base, ...s3(), [missing]: '' })).toThrow(/S3_ENDPOINT.*S3_BUCKET/)
    },
  )
})
