import type { AwsClient } from 'aws4fetch'
import { Failure } from '../errors.ts'
import { invariant } from '../invariant.ts'
import { type ImageStorage, isStorageKey, isVariant } from './image-storage.ts'

/** A bucket of a server that speaks S3, addressed by path: `<endpoint>/<bucket>/<key>`. */
export interface Bucket {
  readonly endpoint: string
  readonly bucket: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

export interface BucketStorage extends ImageStorage {
  /** @throws Failure when the bucket is not there, or not ours */
  check(): Promise<void>
  /** Makes the bucket when it is not there. */
  ensure(): Promise<void>
}

/** What is sent again after a 5xx, a 429 or a broken connection, before it counts as away. */
const RETRIES_MAX = 3
const RETRY_DELAY_MIN_MS = 50
const REQUEST_TIMEOUT_MS = 20_000
const types: Readonly<Record<string, string | undefined>> = {
  avif: 'image/avif',
  webp: 'image/webp',
  jpg: 'image/jpeg',
}

/**
 * Keeps pictures in a bucket, below a folder. The signing client is loaded with the first request: who keeps pictures on a disk never needs it.
 * @throws Failure from each function when the bucket is away, or is not ours to use
 */
export function storeInBucket(bucket: Bucket, folder: string): BucketStorage {
  let client: Promise<AwsClient> | undefined
  const root = `${bucket.endpoint}/${encodeURIComponent(bucket.bucket)}`
  const addressOf = (key: string, variant: string) => {
    invariant(isStorageKey(key), 'a storage key is a UUID of ours')
    invariant(isVariant(variant), 'a variant is named by us')
    return `${root}/${folder}/${key}/${variant}`
  }

  async function send(url: string, init: { method: string; body?: Uint8Array; type?: string }): Promise<Response> {
    client ??= connect(bucket)
    const { method, body, type } = init
    try {
      return await (await client).fetch(url, {
        method,
        ...(body !== undefined && { body: new Uint8Array(body) }),
        ...(type !== undefined && { headers: { 'content-type': type } }),
        signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      })
    } catch (cause) {
      throw new Failure(`no answer from the bucket to ${method}`, { cause })
    }
  }

  async function expectOk(response: Response, what: string): Promise<Response> {
    if (response.ok) return response
    const text = await response.text().catch(() => '')
    throw new Failure(`the bucket answered ${response.status} ${codeOf(text)} to ${what}`)
  }

  return {
    async write(key, variant, bytes) {
      const type = types[variant.split('.').at(-1) ?? ''] ?? 'application/octet-stream'
      const response = await send(addressOf(key, variant), { method: 'PUT', body: bytes, type })
      await (await expectOk(response, 'a write')).body?.cancel()
    },
    async read(key, variant) {
      const response = await send(addressOf(key, variant), { method: 'GET' })
      if (response.status === 404) {
        const code = codeOf(await response.text())
        // A bucket that is gone must not look like a picture that never was.
        if (code === 'NoSuchBucket') throw new Failure('the bucket is not there')
        // Some servers say that a key of access is not there, too.
        if (code !== 'NoSuchKey') throw new Failure(`the bucket answered 404 ${code} to a read`)
        return null
      }
      return Buffer.from(await (await expectOk(response, 'a read')).arrayBuffer())
    },
    async remove(key) {
      invariant(isStorageKey(key), 'a storage key is a UUID of ours')
      const query = `list-type=2&prefix=${encodeURIComponent(`${folder}/${key}/`)}`
      const listed = await expectOk(await send(`${root}?${query}`, { method: 'GET' }), 'a list')
      for (const [, name = ''] of (await listed.text()).matchAll(/<Key>([\w./-]+)<\/Key>/g)) {
        const response = await send(`${root}/${name}`, { method: 'DELETE' })
        // One that is gone already is as good.
        if (response.status !== 404) await expectOk(response, 'a removal')
        await response.body?.cancel()
      }
    },
    async check() {
      await expectOk(await send(root, { method: 'HEAD' }), 'whether it is there')
    },
    async ensure() {
      const { status } = await send(root, { method: 'HEAD' })
      if (status === 404) await expectOk(await send(root, { method: 'PUT' }), 'making it')
      await this.check()
    },
  }
}

async function connect({ accessKeyId, secretAccessKey, region }: Bucket): Promise<AwsClient> {
  const { AwsClient } = await import('aws4fetch')
  const retrying = { retries: RETRIES_MAX, initRetryMs: RETRY_DELAY_MIN_MS }
  return new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', ...retrying })
}

function codeOf(xml: string): string {
  return /<Code>(\w+)<\/Code>/.exec(xml)?.[1] ?? ''
}
