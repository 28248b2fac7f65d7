import type { IncomingMessage } from 'node:http'
import type { Bucket } from '../files/bucket-storage.ts'
import { startTestServer } from './test-server.ts'

export interface TestBucket {
  /** What a client needs to use it. */
  readonly bucket: Bucket
  /** By key. */
  readonly objects: Map<string, { readonly bytes: Buffer; readonly type: string | undefined }>
  /** `PUT images/…`, as they came. */
  readonly requests: string[]
  /** The next requests get these statuses and have no effect. */
  readonly failures: number[]
  stop(): Promise<void>
}

const ACCESS_KEY_ID = 'test-key-id'

/** A server that speaks as much S3 as a storage of pictures needs, and takes nothing that is not signed for it. */
export async function startTestBucket(name = 'pictures'): Promise<TestBucket> {
  const objects: TestBucket['objects'] = new Map()
  const requests: string[] = []
  const failures: number[] = []
  const buckets = new Set([name])
  const { url: endpoint, stop } = await startTestServer((request, response, bytes) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost')
    const [, bucket, ...path] = pathname.split('/')
    const key = decodeURIComponent(path.join('/'))
    requests.push(`${request.method} ${key}`)
    const answer = (status: number, body: string | Buffer = '') => response.writeHead(status).end(body)
    const refuse = (status: number, code: string) => answer(status, `<Error><Code>${code}</Code></Error>`)
    const failure = failures.shift()
    if (failure !== undefined) return refuse(failure, 'InternalError')
    if (!isSigned(request)) return refuse(403, 'AccessDenied')
    if (request.method === 'PUT' && key === '' && bucket !== undefined && bucket !== name) {
      buckets.add(bucket)
      return answer(200)
    }
    if (bucket === undefined || !buckets.has(bucket)) return refuse(404, 'NoSuchBucket')
    if (request.method === 'HEAD') return answer(key === '' || objects.has(key) ? 200 : 404)
    if (request.method === 'GET' && key === '') {
      const prefix = searchParams.get('prefix') ?? ''
      const found = [...objects.keys()].filter((one) => one.startsWith(prefix))
      const contents = found.map((one) => `<Contents><Key>${one}</Key><Size>1</Size></Contents>`).join('')
      return answer(200, `<?xml version="1.0"?><ListBucketResult>${contents}</ListBucketResult>`)
    }
    switch (request.method) {
      case 'PUT':
        objects.set(key, { bytes, type: request.headers['content-type'] })
        return answer(200)
      case 'GET': {
        const object = objects.get(key)
        return object === undefined ? refuse(404, 'NoSuchKey') : answer(200, object.bytes)
      }
      case 'DELETE':
        objects.delete(key)
        return answer(204)
      default:
        return refuse(405, 'MethodNotAllowed')
    }
  })
  return {
    bucket: {
      endpoint,
      bucket: name,
      region: 'ap-southeast-5',
      accessKeyId: ACCESS_KEY_ID,
      secretAccessKey: 'test-secret',
    },
    objects,
    requests,
    failures,
    stop,
  }
}

/** That it is signed, by whom, for what and when; the signature itself is the library's business. */
function isSigned({ headers }: IncomingMessage): boolean {
  const scope = /^AWS4-HMAC-SHA256 Credential=([^/]+)\/\d{8}\/ap-southeast-5\/s3\/aws4_request, /
  const { authorization = '' } = headers
  return (
    scope.exec(authorization)?.[1] === ACCESS_KEY_ID &&
    /Signature=[0-9a-f]{64}$/.test(authorization) &&
    /SignedHeaders=[^,]*host/.test(authorization) &&
    headers['x-amz-date'] !== undefined
  )
}
