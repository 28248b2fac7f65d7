import { sql } from '@wangian/kit/database/postgres.ts'
import { testServers } from '@wangian/kit/testing/config.ts'
import { openTestPool } from '@wangian/kit/testing/test-database.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestIdentity, currentVersion, type TestIdentity } from '../testing/test-identity.ts'

const password = 'correct horse'
let identity: TestIdentity
const now = new Date('2026-11-21T08:00:00.000Z')

beforeAll(async () => {
  identity = await createTestIdentity({ now: () => now })
})
afterAll(() => identity.stop())

describe('a request that cannot be read', () => {
  const json = { ...currentVersion, 'content-type': 'application/json' }
  it.each([
    ['broken JSON', json, '{"email":', 400, 'bad_json'],
    ['no body', json, undefined, 400, 'bad_json'],
    ['a number for an email', json, '{"email":7}', 400, 'bad_json'],
    ['an array', json, '[]', 400, 'bad_json'],
    ['a key that reaches for the prototype', json, '{"__proto__":{"isAdmin":true}}', 400, 'bad_json'],
    ['half a surrogate pair', json, '{"email":"\\ud800@example.com"}', 400, 'validation_failed'],
    ['NUL', json, '{"email":"a\\u0000@example.com"}', 400, 'validation_failed'],
    [
      'a form',
      { ...currentVersion, 'content-type': 'application/x-www-form-urlencoded' },
      'email=a',
      415,
      'validation_failed',
    ],
    ['more than 256 KiB', json, JSON.stringify({ email: 'a'.repeat(256 * 1024) }), 413, 'validation_failed'],
  ])('because of %s is refused in the protocol’s words', async (_what, headers, payload, status, code) => {
    const response = await identity.app.inject({
      method: 'POST',
      url: '/auth/v1/signup',
      headers,
      ...(payload !== undefined && { payload }),
    })
    expect(response.statusCode).toBe(status)
    expect(response.json()).toEqual({ code, message: expect.any(String) })
    expect(response.headers['x-supabase-api-version']).toBe('2024-01-01')
  })
})

describe('the versions of the protocol', () => {
  it.each([
    ['2024-01-01', true],
    ['2026-05-05', true],
    ['2023-12-31', false],
    ['tomorrow', false],
  ])('%s gets the current error body: %s', async (version, isCurrent) => {
    const headers = { 'x-supabase-api-version': version }
    const response = await identity.app.inject({ method: 'GET', url: '/auth/v1/user', headers })
    expect(response.statusCode).toBe(401)
    expect(response.json().code).toBe(isCurrent ? 'no_authorization' : 401)
    expect(response.headers['x-supabase-api-version']).toBe(isCurrent ? '2024-01-01' : undefined)
  })
})

describe('what needs no token', () => {
  it('says which ways of signing in there are', async () => {
    const response = await identity.app.inject({ method: 'GET', url: '/auth/v1/settings' })
    expect(response.statusCode).toBe(200)
    expect(response.json()).toMatchObject({
      external: { email: true, facebook: false, phone: false },
      disable_signup: false,
      mailer_autoconfirm: true,
      phone_autoconfirm: false,
      saml_enabled: false,
    })
  })

  it('says that it is there', async () => {
    const response = await identity.app.inject({ method: 'GET', url: '/auth/v1/health' })
    expect(response.statusCode).toBe(200)
    expect(response.json()).toEqual({ version: expect.any(String), name: 'GoTrue', description: expect.any(String) })
  })

  it('publishes the public half of the key and nothing else', async () => {
    const response = await identity.app.inject({ method: 'GET', url: '/auth/v1/.well-known/jwks.json' })
    expect(response.headers['cache-control']).toBe('public, max-age=600')
    expect(response.json()).toEqual({
      keys: [
        {
          kty: 'EC',
          crv: 'P-256',
          x: expect.any(String),
          y: expect.any(String),
          kid: identity.keys.provider.kid,
          alg: 'ES256',
          use: 'sig',
          key_ops: ['verify'],
        },
      ],
    })
  })
})

it('answers 500 or 503, never a refusal, when the database fails or is away', async () => {
  const other = await createTestIdentity()
  await other.database.pool.query(sql.unsafe`alter table people rename to away`)
  const broken = await other.app.inject({
    method: 'POST',
    url: '/auth/v1/token?grant_type=password',
    headers: currentVersion,
    payload: { email: 'a@example.com', password },
  })
  expect(broken.statusCode).toBe(500)
  expect(broken.json()).toEqual({
    code: 'unexpected_failure',
    message: 'Unexpected failure, please check server logs for more information',
  })
  await other.database.pool.query(sql.unsafe`alter table away rename to people`)
  await cutOff(other)
  const away = await other.app.inject({
    method: 'POST',
    url: '/auth/v1/token?grant_type=password',
    headers: currentVersion,
    payload: { email: 'a@example.com', password },
  })
  expect(away.statusCode).toBe(503)
  expect(away.json().code).toBe('unexpected_failure')
  expect(Number(away.headers['retry-after'])).toBeGreaterThan(0)
  await other.stop()
})

/** Renames the database away and cuts whoever is connected: as if the server were gone, for this service only. */
async function cutOff({ database }: TestIdentity): Promise<void> {
  const admin = await openTestPool({ url: testServers().databaseUrl, applicationName: 'cut-off' })
  const name = sql.identifier([new URL(database.url).pathname.slice(1)])
  await admin.query(sql.unsafe`alter database ${name} allow_connections false`)
  await admin.query(sql.unsafe`
    select pg_terminate_backend(pid) from pg_stat_activity where datname = ${new URL(database.url).pathname.slice(1)}`)
  await admin.end()
}
