import { randomUUID } from 'node:crypto'
import { sql } from '@wangian/kit/database/postgres.ts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ANON_KEY, type FakeHostedProject, startFakeHostedProject } from '../testing/fake-hosted-project.ts'
import { createTestIdentity, type TestIdentity } from '../testing/test-identity.ts'
import { queuedMails, stateOf } from '../testing/test-people.ts'
import { hostedSettings } from './hosted-provider.ts'

const MINUTE_MS = 60_000
const PASSWORD = 'only the project knows'

let project: FakeHostedProject
let identity: TestIdentity
let now = new Date()
let mei: { readonly id: number; readonly email: string; readonly authId: string; readonly token: string }

beforeAll(async () => {
  project = await startFakeHostedProject()
  const environment = { authJwksUrl: undefined, authJwtSecret: undefined, adminEmail: undefined }
  const hosted = hostedSettings({ ...environment, authUrl: project.url, authAnonKey: ANON_KEY })
  if (hosted === null) throw new Error('it is set up')
  identity = await createTestIdentity({ hosted, now: () => now })
})
afterAll(async () => {
  await identity.stop()
  await project.stop()
})
beforeEach(async () => {
  now = new Date()
  mei = await arrive()
})
afterEach(() => {
  project.isAway = false
  project.signIns.length = 0
  project.signOuts.length = 0
})

/** Somebody who has signed in at the project, just now or when it says. */
async function arrive(
  claims: Record<string, unknown> = {},
  person = { email: `${randomUUID()}@example.com`, authId: String(randomUUID()) },
) {
  const supabaseToken = await project.token({ sub: person.authId, email: person.email, ...claims })
  const response = await identity.app.inject({
    method: 'POST',
    url: '/api/v1/auth/session',
    payload: { supabaseToken },
  })
  expect(response.statusCode, response.body).toBe(200)
  const { token, user } = response.json()
  project.passwords.set(person.email, { id: person.authId, password: PASSWORD })
  return { ...person, id: user.id as number, token: token as string }
}

type Method = 'DELETE' | 'GET' | 'PATCH' | 'POST'
async function call(method: Method, url: string, payload?: object, token = mei.token) {
  const headers = { authorization: `Bearer ${token}` }
  const response = await identity.app.inject({ method, url, headers, ...(payload && { payload }) })
  return { status: response.statusCode, ...response.json() }
}
const leave = (currentPassword?: string) =>
  call('DELETE', `/api/user/${mei.id}`, currentPassword === undefined ? {} : { currentPassword })
const isThere = async () => (await call('GET', '/api/v1/auth/me')).status === 200

describe('with a hosted provider', () => {
  it.each<[string, () => Promise<{ status: number; code: string; message: string }>]>([
    [
      'a password',
      () => call('POST', '/api/user/change-password', { currentPassword: PASSWORD, newPassword: 'amber and oud' }),
    ],
    [
      'a forgotten password',
      () => call('POST', '/api/update-password', { token: 'x'.repeat(43), password: 'amber and oud' }),
    ],
    [
      'an address',
      () => call('PATCH', `/api/user/${mei.id}`, { email: 'new@example.com', currentPassword: PASSWORD, bio: 'Mei' }),
    ],
  ])('%s is not changed here, and whoever asks is told where', async (_what, change) => {
    const before = await stateOf(identity)
    const { status, code, message } = await change()
    expect([status, code]).toEqual([409, 'provider-managed'])
    expect(message).toContain('account settings')
    expect(await stateOf(identity)).toBe(before)
    expect(project.signIns).toEqual([])
  })

  it('what else people say of themselves is, with the address as it is', async () => {
    expect(await call('PATCH', `/api/user/${mei.id}`, { email: mei.email, bio: 'Roses' })).toMatchObject({
      status: 200,
      bio: 'Roses',
      hasPassword: null,
    })
  })

  it('a new password ends the sessions of other devices here, too, when the web app asks for it', async () => {
    const other = await arrive({}, mei)
    const stranger = await arrive()
    expect((await call('POST', '/api/v1/auth/logout', { scope: 'others' }, other.token)).status).toBe(200)
    expect((await call('GET', '/api/v1/auth/me', undefined, mei.token)).status).toBe(401)
    expect((await call('GET', '/api/v1/auth/me', undefined, other.token)).status).toBe(200)
    expect((await call('GET', '/api/v1/auth/me', undefined, stranger.token)).status).toBe(200)
  })
})

describe('deleting the account of a hosted project', () => {
  const later = () => {
    now = new Date(now.getTime() + 11 * MINUTE_MS)
  }

  it('takes the password that the project knows, and leaves no session behind there', async () => {
    later()
    expect((await leave(PASSWORD)).status).toBe(200)
    expect(await isThere()).toBe(false)
    expect(project.signIns).toHaveLength(1)
    expect(project.signOuts).toEqual(project.signIns)
    expect((await queuedMails(identity)).filter(({ recipient }) => recipient === mei.email)).toMatchObject([
      { kind: 'account-deleted' },
    ])
  })

  it('does not take another one, nor that of somebody else who has the address there by now', async () => {
    expect(await leave('guessed')).toMatchObject({ status: 400, code: 'wrong-password' })
    project.passwords.set(mei.email, { id: randomUUID(), password: PASSWORD })
    expect(await leave(PASSWORD)).toMatchObject({ status: 400, code: 'wrong-password' })
    expect(await isThere()).toBe(true)
  })

  it.each([
    [400, 'captcha_failed', 403, 'recent-sign-in-required'],
    [429, 'over_request_rate_limit', 429, 'rate-limited'],
    [500, 'unexpected_failure', 503, 'unavailable'],
  ] as const)('waits when the project answers %d %s', async (status, code, ourStatus, ourCode) => {
    project.passwords.set(mei.email, { id: mei.authId, password: PASSWORD, refusal: { status, code } })
    expect(await leave(PASSWORD)).toMatchObject({ status: ourStatus, code: ourCode })
    expect(await isThere()).toBe(true)
  })

  it('waits while the project is away', async () => {
    project.isAway = true
    expect(await leave(PASSWORD)).toMatchObject({ status: 503, code: 'unavailable' })
    expect(await isThere()).toBe(true)
  })

  it('takes a sign-in of just now instead of a password', async () => {
    later()
    expect(await leave()).toMatchObject({ status: 403, code: 'recent-sign-in-required' })
    now = new Date(now.getTime() - 11 * MINUTE_MS)
    expect((await leave()).status).toBe(200)
    expect(project.signIns).toEqual([])
  })

  it('does not take a sign-in of long ago that has only now come here', async () => {
    const timestamp = Math.floor(now.getTime() / 1000) - 3600
    mei = await arrive({ amr: [{ method: 'password', timestamp }] })
    expect(await leave()).toMatchObject({ status: 403, code: 'recent-sign-in-required' })
  })

  it('is tried so many times with a password', async () => {
    const strict = await createTestIdentity({
      hosted: {
        url: project.url,
        anonKey: ANON_KEY,
        keys: { jwksUrl: `${project.url}/.well-known/jwks.json` },
        adminEmail: undefined,
      },
      rateLimitFactor: 1,
    })
    const supabaseToken = await project.token({ email: 'tries@example.com' })
    const exchange = await strict.app.inject({
      method: 'POST',
      url: '/api/v1/auth/session',
      payload: { supabaseToken },
    })
    const { token, user } = exchange.json()
    const tries = Array.from({ length: 12 }, () =>
      strict.app.inject({
        method: 'DELETE',
        url: `/api/user/${user.id}`,
        headers: { authorization: `Bearer ${token}` },
        payload: { currentPassword: 'guessed' },
      }),
    )
    const statuses = (await Promise.all(tries)).map(({ statusCode }) => statusCode)
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(2)
    expect(
      await strict.database.pool.oneFirst(sql.unsafe`select count(*) from users where closed_at is not null`),
    ).toBe(0)
    await strict.stop()
  })
})
