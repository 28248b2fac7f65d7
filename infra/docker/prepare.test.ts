import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { startTestBucket, type TestBucket } from '@wangian/kit/testing/test-bucket.ts'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PostgresServer, startPostgres } from '../local/servers/postgres.ts'
import { withDatabase } from '../postgres/roles.ts'
import { makeSecrets } from './secrets.ts'

let dataDir: string
let secretsDir: string
let server: PostgresServer
let bucket: TestBucket

beforeAll(async () => {
  secretsDir = mkdtempSync(join(tmpdir(), 'wangian-secrets-'))
  makeSecrets(secretsDir, 'localhost')
  dataDir = mkdtempSync(join(tmpdir(), 'wangian-prepare-'))
  server = await startPostgres({ dataDir, settings: { shared_buffers: '16MB' } })
  bucket = await startTestBucket()
  put('prepare/database-url', withDatabase(server.url, 'wangian'))
  const { host } = new URL(server.url)
  for (const service of ['identity', 'auction']) {
    const url = new URL(secret(`${service}/database-url`))
    url.host = host
    put(`${service}/database-url`, url.href)
  }
})
afterAll(async () => {
  await server?.stop('immediate')
  await bucket?.stop()
  for (const directory of [dataDir, secretsDir]) rmSync(directory, { recursive: true, force: true })
})

const secret = (name: string) => readFileSync(join(secretsDir, name), 'utf8').trim()
const put = (name: string, value: string) => writeFileSync(join(secretsDir, name), `${value}\n`)

async function prepare(): Promise<string> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'prepare.ts')], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      SECRETS_DIR: secretsDir,
      DATABASE_URL_FILE: join(secretsDir, 'prepare/database-url'),
      S3_ENDPOINT: bucket.bucket.endpoint,
      S3_BUCKET: 'fresh',
      S3_REGION: bucket.bucket.region,
      S3_ACCESS_KEY_ID: bucket.bucket.accessKeyId,
      S3_SECRET_ACCESS_KEY: bucket.bucket.secretAccessKey,
    },
  })
  const [said, problems] = await Promise.all([text(child.stdout), text(child.stderr)])
  expect(problems).toBe('')
  return said
}

/** Who comes in with a service's own secret, and the first schema that they see. */
async function whoIs(service: string): Promise<unknown> {
  const client = new Client({ connectionString: secret(`${service}/database-url`) })
  await client.connect()
  try {
    return (await client.query('select current_user as name, current_schema() as schema')).rows[0]
  } finally {
    await client.end()
  }
}

describe('the preparation of the servers', () => {
  it('lets each service into its own schema by its own secret, and makes the bucket', async () => {
    const said = await prepare()
    expect(said).toContain('The bucket fresh is there.')
    // Theirs are still those of the compose file's own server.
    expect(said).toContain('The database of catalogue is at postgres:5432, whose operator makes its role.')
    expect(await whoIs('identity')).toEqual({ name: 'identity', schema: 'identity' })
    expect(bucket.requests).toContain('PUT ')
  })

  it('may run again, and takes over a password that was changed', async () => {
    const url = new URL(secret('auction/database-url'))
    url.password = 'another-one'
    put('auction/database-url', url.href)
    await expect(whoIs('auction')).rejects.toThrow('password authentication failed')
    await prepare()
    expect(await whoIs('auction')).toEqual({ name: 'auction', schema: 'auction' })
  })

  it('makes the role that the address names, where others have that of the service', async () => {
    put('boost/database-url', withDatabase(server.url, 'wangian', { name: 'wangian_boost', password: 'its-own' }))
    await prepare()
    expect(await whoIs('boost')).toEqual({ name: 'wangian_boost', schema: 'boost' })
  })
})
