import { sql } from '@wangian/kit/database/postgres.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { markBanned, providerCalls } from '../testing/provider-calls.ts'
import { createTestIdentity, currentVersion, signUp, type TestIdentity } from '../testing/test-identity.ts'

const password = 'correct horse'
let identity: TestIdentity
let now = new Date('2026-11-21T08:00:00.000Z')
const { post } = providerCalls(() => identity)

beforeAll(async () => {
  identity = await createTestIdentity({ now: () => now })
})
afterAll(() => identity.stop())

describe('a password sign-in', () => {
  beforeAll(async () => {
    await signUp(identity.app, 'signer')
  })

  it('works with the alias that stands for a username', async () => {
    const lookup = await identity.app.inject({
      method: 'POST',
      url: '/api/v1/auth/lookup-email',
      payload: { username: 'SIGNER' },
    })
    const response = await post('/token?grant_type=password', { email: lookup.json().email, password })
    expect(response.statusCode).toBe(200)
    expect(response.json().user.email).toBe('signer@example.com')
  })

  it.each([
    ['a wrong password', { email: 'signer@example.com', password: 'wrong horse' }],
    ['no password', { email: 'signer@example.com' }],
    ['an unknown address', { email: 'nobody@example.com', password }],
    ['an alias of nobody', { email: 'user-999999@sign-in.wangian.invalid', password }],
    ['an endless address', { email: 'a'.repeat(10_000), password }],
    ['a username', { email: 'signer', password }],
  ])('with %s is refused, always in the same words', async (_what, body) => {
    const response = await post('/token?grant_type=password', body)
    expect(response.statusCode).toBe(400)
    expect(response.json()).toEqual({ code: 'invalid_credentials', message: 'Invalid login credentials' })
  })

  it('needs an email', async () => {
    const response = await post('/token?grant_type=password', { password })
    expect(response.statusCode).toBe(400)
    expect(response.json()).toEqual({ code: 'validation_failed', message: 'missing email or phone' })
  })

  it('with a right password is refused to the banned', async () => {
    await signUp(identity.app, 'banned')
    await markBanned(identity, 'banned')
    const wrong = await post('/token?grant_type=password', { email: 'banned@example.com', password: 'wrong horse' })
    expect(wrong.json().code).toBe('invalid_credentials')
    const right = await post('/token?grant_type=password', { email: 'banned@example.com', password })
    expect(right.statusCode).toBe(400)
    expect(right.json()).toEqual({ code: 'user_banned', message: 'User is banned' })
  })

  it('to a person without a password is refused', async () => {
    await signUp(identity.app, 'passwordless')
    await identity.database.pool.query(sql.unsafe`
      delete from credentials where user_id = (select user_id from people where username = 'passwordless')`)
    for (const tried of ['', password]) {
      const body = { email: 'passwordless@example.com', password: tried }
      expect((await post('/token?grant_type=password', body)).json().code).toBe('invalid_credentials')
    }
  })

  it('keeps at most 100 sessions of one person, and none that is idle for 60 days', async () => {
    await signUp(identity.app, 'collector')
    const countSessions = () =>
      identity.database.pool.oneFirst(sql.unsafe`
        select count(*) from sessions s join people p using (user_id) where p.username = 'collector'`)
    await identity.database.pool.query(sql.unsafe`
      insert into sessions (id, user_id, method, authenticated_at, refresh_key, refresh_number, refreshed_at)
      select gen_random_uuid(), p.user_id, 'password', now(), 'x', 1, ${now.toISOString()}::timestamptz - interval '1 minute'
        from people p, generate_series(1, 150) where p.username = 'collector'`)
    await post('/token?grant_type=password', { email: 'collector@example.com', password })
    expect(await countSessions()).toBe(100)
    const before = now
    now = new Date(now.getTime() + 61 * 24 * 60 * 60 * 1000)
    await post('/token?grant_type=password', { email: 'collector@example.com', password })
    now = before
    expect(await countSessions()).toBe(1)
  })
})

describe('a refresh', () => {
  it('needs a token', async () => {
    const response = await post('/token?grant_type=refresh_token', {})
    expect(response.statusCode).toBe(400)
    expect(response.json()).toEqual({ error: 'invalid_request', error_description: 'refresh_token required' })
  })

  it('with a token that is not ours to the last byte is refused', async () => {
    const { refreshToken } = await signUp(identity.app, 'forged')
    const bytes = Buffer.from(refreshToken, 'base64url')
    for (const index of [0, 19, 20, 51]) {
      const forged = Buffer.from(bytes)
      forged.writeUInt8(forged.readUInt8(index) ^ 1, index)
      const response = await post('/token?grant_type=refresh_token', { refresh_token: forged.toString('base64url') })
      expect(response.statusCode).toBe(400)
      expect(response.json().code).toBe('refresh_token_not_found')
    }
    const response = await post('/token?grant_type=refresh_token', { refresh_token: refreshToken })
    expect(response.statusCode).toBe(200)
  })

  it('is refused to the banned', async () => {
    const { refreshToken } = await signUp(identity.app, 'banned-later')
    await markBanned(identity, 'banned-later')
    const response = await post('/token?grant_type=refresh_token', { refresh_token: refreshToken })
    expect(response.statusCode).toBe(400)
    expect(response.json()).toEqual({ code: 'user_banned', message: 'User is banned' })
  })

  it('is refused when the session was idle for more than 60 days', async () => {
    const { refreshToken } = await signUp(identity.app, 'long-gone')
    const before = now
    now = new Date(now.getTime() + 60 * 24 * 60 * 60 * 1000 + 1000)
    const response = await post('/token?grant_type=refresh_token', { refresh_token: refreshToken })
    now = before
    expect(response.statusCode).toBe(400)
    expect(response.json()).toEqual({
      code: 'session_expired',
      message: 'Invalid Refresh Token: Session Expired (Inactivity)',
    })
  })
})

describe('another grant', () => {
  it.each(['/token', '/token?grant_type=id_token', '/token?grant_type=password&grant_type=x'])(
    '%s is refused',
    async (path) => {
      const response = await post(path, { email: 'signer@example.com', password })
      expect(response.statusCode).toBe(400)
      expect(response.json()).toEqual({ code: 'invalid_credentials', message: 'unsupported_grant_type' })
    },
  )
})

describe('failed tries', () => {
  let limited: TestIdentity
  beforeAll(async () => {
    limited = await createTestIdentity({ rateLimitFactor: 1 })
    await signUp(limited.app, 'target')
  })
  afterAll(() => limited.stop())

  const tryToSignIn = (email: string, tried: string, remoteAddress: string) =>
    limited.app.inject({
      method: 'POST',
      url: '/auth/v1/token?grant_type=password',
      headers: currentVersion,
      remoteAddress,
      payload: { email, password: tried },
    })

  const alias = 'user-1@sign-in.wangian.invalid'
  const failTenTimes = async (login: string, remoteAddress: string) => {
    for (let index = 0; index < 10; index += 1) await tryToSignIn(login, 'wrong horse', remoteAddress)
  }

  it('are limited to ten of one login and address of the network', async () => {
    const statuses = await Promise.all(
      Array.from(
        { length: 12 },
        async () => (await tryToSignIn('target@example.com', 'wrong horse', '192.0.2.1')).statusCode,
      ),
    )
    expect(statuses.filter((status) => status === 400)).toHaveLength(10)
    expect(statuses.filter((status) => status === 429)).toHaveLength(2)
  })

  it('then refuse even the right password, and say when to come back', async () => {
    const response = await tryToSignIn('target@example.com', password, '192.0.2.1')
    expect(response.statusCode).toBe(429)
    expect(response.json()).toEqual({ code: 'over_request_rate_limit', message: 'Request rate limit reached' })
    // Ten tries in any 15 minutes: the next one when the first is as old as that.
    expect(Number(response.headers['retry-after'])).toBeGreaterThan(600)
    expect(Number(response.headers['retry-after'])).toBeLessThanOrEqual(900)
  })

  it('do not tell whose address it is: those of an alias are answered alike with the address behind it and any other', async () => {
    await failTenTimes(alias, '192.0.2.5')
    const guesses = ['target@example.com', 'somebody@example.com', 'TARGET@example.com']
    const answers = await Promise.all(guesses.map((guess) => tryToSignIn(guess, 'wrong horse', '192.0.2.5')))
    for (const answer of answers) {
      expect(answer.statusCode).toBe(400)
      expect(answer.json()).toEqual({ code: 'invalid_credentials', message: 'Invalid login credentials' })
      expect(Object.keys(answer.headers)).toEqual(Object.keys(answers[1]?.headers ?? {}))
    }
  })

  it.each([
    ['its alias', alias, 'target@example.com', '192.0.2.6'],
    ['its address', 'target@example.com', alias, '192.0.2.7'],
  ])('are ten of an account in all: after those with %s not even the right password counts', async (...names) => {
    const [, first, second, remoteAddress] = names
    await failTenTimes(first, remoteAddress)
    const right = await tryToSignIn(second, password, remoteAddress)
    expect([right.statusCode, right.json().code]).toEqual([400, 'invalid_credentials'])
  })

  it('are ten of an account in all, also of many at once in turns', async () => {
    const wrong = Array.from({ length: 10 }, (_, index) =>
      tryToSignIn(index % 2 === 0 ? alias : 'target@example.com', 'wrong horse', '192.0.2.8'),
    )
    expect((await Promise.all(wrong)).map(({ statusCode }) => statusCode)).toEqual(Array(10).fill(400))
    for (const login of [alias, 'target@example.com']) {
      expect((await tryToSignIn(login, password, '192.0.2.8')).json().code).toBe('invalid_credentials')
    }
  })

  it('lock nobody out who comes from elsewhere', async () => {
    expect((await tryToSignIn('target@example.com', password, '192.0.2.2')).statusCode).toBe(200)
  })

  it('count for addresses that nobody has, too', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 11 }, async () => (await tryToSignIn('ghost@example.com', 'x', '192.0.2.3')).statusCode),
    )
    expect(statuses.filter((status) => status === 429)).toHaveLength(1)
  })

  it('are forgotten after a right password', async () => {
    for (let round = 0; round < 3; round += 1) {
      for (let index = 0; index < 6; index += 1) {
        expect((await tryToSignIn('target@example.com', 'wrong horse', '192.0.2.4')).statusCode).toBe(400)
      }
      expect((await tryToSignIn('target@example.com', password, '192.0.2.4')).statusCode).toBe(200)
    }
  })

  it('from one IPv6 network count together', async () => {
    const statuses = await Promise.all(
      Array.from(
        { length: 11 },
        async (_, index) => (await tryToSignIn('target@example.com', 'x', `2001:db8::${index + 1}`)).statusCode,
      ),
    )
    expect(statuses.filter((status) => status === 429)).toHaveLength(1)
  })
})
