import { openPool, sql } from '@wangian/kit/postgres.ts'
import { testServers } from '@wangian/kit/testing/config.ts'
import { type CryptoKey, exportSPKI, importJWK, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestIdentity, currentVersion, PUBLIC_URL, signUp, type TestIdentity } from './testing/test-identity.ts'

const password = 'correct horse'
let identity: TestIdentity
let now = new Date('2026-11-21T08:00:00.000Z')

beforeAll(async () => {
  identity = await createTestIdentity({ now: () => now })
})
afterAll(() => identity.stop())

/** POSTs JSON below the provider's address, as the current client does. */
function post(path: string, payload: unknown, headers: Record<string, string> = {}) {
  return identity.app.inject({
    method: 'POST',
    url: `/auth/v1${path}`,
    headers: { ...currentVersion, 'content-type': 'application/json;charset=UTF-8', ...headers },
    payload: JSON.stringify(payload),
  })
}

function getUser(authorization?: string) {
  const headers = { ...currentVersion, ...(authorization !== undefined && { authorization }) }
  return identity.app.inject({ method: 'GET', url: '/auth/v1/user', headers })
}

describe('a sign-up', () => {
  it.each([
    ['no password', { email: 'a@example.com' }, 'Signup requires a valid password'],
    ['an empty password', { email: 'a@example.com', password: '' }, 'Signup requires a valid password'],
    [
      'a password beyond 72 bytes',
      { email: 'a@example.com', password: 'é'.repeat(37) },
      'Password cannot be longer than 72 characters',
    ],
    ['no email', { password }, 'An email address is required'],
    ['an email that is none', { email: 'a@b', password }, 'Unable to validate email address: invalid format'],
    [
      'a sign-in alias',
      { email: 'user-1@sign-in.wangian.invalid', password },
      'Unable to validate email address: invalid format',
    ],
    ['an endless email', { email: `${'a'.repeat(250)}@example.com`, password }, 'An email address is too long'],
    ['a short username', { data: { username: 'ab' } }, 'Username must be at least 3 characters'],
    ['a long username', { data: { username: 'a'.repeat(31) } }, 'Username must be at most 30 characters'],
    [
      'a username with an @',
      { data: { username: 'a@b.c' } },
      'Username may hold letters, digits, dots, dashes and underscores',
    ],
    ['a username that is no text', { data: { username: 7 } }, 'Username is not valid'],
    ['a first name that is no text', { data: { first_name: ['x'] } }, 'First name is not valid'],
    ['an endless last name', { data: { last_name: 'x'.repeat(101) } }, 'Last name must be 100 characters or less'],
  ])('with %s is refused', async (_what, body, message) => {
    const whole = 'data' in body ? { email: 'refused@example.com', password, ...body } : body
    const response = await post('/signup', whole)
    expect(response.statusCode).toBe(400)
    expect(response.json()).toEqual({ code: 'validation_failed', message })
  })

  it.each([
    ['five characters', '12345', 'Password should be at least 6 characters.', 'length'],
    ['five characters of two bytes each', 'ééééé', 'Password should be at least 6 characters.', 'length'],
    [
      'one of the commonest passwords',
      'QwErTyUiOp',
      'Password is known to be weak and easy to guess, please choose a different one.',
      'pwned',
    ],
  ])('with %s as password is refused', async (_what, weakPassword, message, reason) => {
    const response = await post('/signup', { email: 'weak@example.com', password: weakPassword })
    expect(response.statusCode).toBe(422)
    expect(response.json()).toEqual({ code: 'weak_password', message, weak_password: { reasons: [reason] } })
  })

  it('takes no rights and nothing unknown from the user data', async () => {
    const data = {
      username: 'climber',
      isAdmin: true,
      is_admin: true,
      isSeller: false,
      role: 'admin',
      first_name: '  ',
    }
    const response = await post('/signup', { email: 'climber@example.com', password, data, isAdmin: true })
    const { user } = response.json()
    expect(user.role).toBe('authenticated')
    expect(Object.keys(user.user_metadata).sort()).toEqual([
      'email',
      'email_verified',
      'phone_verified',
      'sub',
      'username',
    ])
    const row = await identity.database.pool.one(
      sql.unsafe`
        select is_admin, is_seller from users u join people p on p.user_id = u.id where p.username = 'climber'`,
    )
    expect(row).toEqual({ is_admin: false, is_seller: true })
  })

  it('needs no user data', async () => {
    const response = await post('/signup', { email: 'plain@example.com', password, code_challenge: null })
    expect(response.statusCode).toBe(200)
    expect(response.json().user.user_metadata.username).toMatch(/^user-\d+$/)
  })

  it('tells the relay', async () => {
    const before = identity.appendedCount()
    await signUp(identity.app, 'announced')
    expect(identity.appendedCount()).toBe(before + 1)
  })

  it('is refused with legacy fields for a client that names no version', async () => {
    const headers = { 'content-type': 'application/json' }
    const taken = await identity.app.inject({
      method: 'POST',
      url: '/auth/v1/signup',
      headers,
      payload: { email: 'announced@example.com', password },
    })
    expect(taken.statusCode).toBe(422)
    expect(taken.json()).toEqual({ code: 422, error_code: 'user_already_exists', msg: 'User already registered' })
    expect(taken.headers['x-sb-error-code']).toBe('user_already_exists')
    expect(taken.headers['x-supabase-api-version']).toBeUndefined()
    const weak = await identity.app.inject({
      method: 'POST',
      url: '/auth/v1/signup',
      headers,
      payload: { email: 'weak@example.com', password: 'short' },
    })
    expect(weak.json()).toEqual({
      code: 422,
      error_code: 'weak_password',
      msg: 'Password should be at least 6 characters.',
      weak_password: { reasons: ['length'] },
    })
  })
})

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
    await setBanned('banned')
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
    await setBanned('banned-later')
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

describe('a call that needs a token', () => {
  it.each([undefined, '', 'Bearer', 'Basic dXNlcjpwYXNz'])('with %j is refused with 401', async (authorization) => {
    const response = await getUser(authorization)
    expect(response.statusCode).toBe(401)
    expect(response.json()).toEqual({
      code: 'no_authorization',
      message: 'This endpoint requires a valid Bearer token',
    })
  })

  it('is refused once the token has expired', async () => {
    const { accessToken } = await signUp(identity.app, 'sleeper')
    const before = now
    now = new Date(now.getTime() + 3600 * 1000 + 6000)
    const response = await getUser(`Bearer ${accessToken}`)
    now = before
    expect(response.statusCode).toBe(403)
    expect(response.json()).toEqual({ code: 'bad_jwt', message: 'invalid JWT: token is expired' })
  })

  it('is refused to a token that was tampered with', async () => {
    const { accessToken } = await signUp(identity.app, 'tampered')
    const [header = '', claims = '', signature = ''] = accessToken.split('.')
    const payload = JSON.parse(Buffer.from(claims, 'base64url').toString())
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const { keys } = identity
    const publicJwk = keys.provider.jwks.keys[0]
    if (publicJwk === undefined) throw new Error('there is a key')
    const publicPem = await exportSPKI((await importJWK(publicJwk, 'ES256')) as CryptoKey)
    const sign = (
      changes: Record<string, unknown>,
      { key = keys.provider, header: extra = {} }: { key?: typeof keys.provider; header?: object } = {},
    ) =>
      new SignJWT({ ...payload, ...changes })
        .setProtectedHeader({ alg: 'ES256', typ: 'JWT', kid: key.kid, ...extra })
        .sign(key.privateKey)
    const hmac = (key: Uint8Array) =>
      new SignJWT(payload).setProtectedHeader({ alg: 'HS256', typ: 'JWT', kid: keys.provider.kid }).sign(key)

    const forged: Record<string, string> = {
      'other claims': `${header}.${encode({ ...payload, sub: 'someone else' })}.${signature}`,
      'no algorithm': `${encode({ alg: 'none', typ: 'JWT' })}.${claims}.`,
      'no algorithm, old signature': `${encode({ alg: 'none', typ: 'JWT' })}.${claims}.${signature}`,
      'the public key as a secret': await hmac(Buffer.from(publicPem)),
      'the public JWK as a secret': await hmac(Buffer.from(JSON.stringify(publicJwk))),
      'the application key': await sign({}, { key: keys.application }),
      'the application key under our key id': await sign(
        {},
        {
          key: keys.application,
          header: { kid: keys.provider.kid },
        },
      ),
      'a key of its own': await sign({}, { key: keys.application, header: { jwk: keys.application.jwks.keys[0] } }),
      'another audience': await sign({ aud: 'wangian' }),
      'another issuer': await sign({ iss: 'wangian-identity' }),
      'another type': await sign({}, { header: { typ: 'at+jwt' } }),
      'no end': await sign({ exp: undefined }),
      'a past end': await sign({ exp: Math.floor(now.getTime() / 1000) - 10 }),
      'no session': await sign({ session_id: undefined }),
      'a session that is no id': await sign({ session_id: "' or true" }),
      'much too much text': `${header}.${encode({ ...payload, x: 'x'.repeat(9000) })}.${signature}`,
    }
    for (const [what, token] of Object.entries(forged)) {
      const response = await getUser(`Bearer ${token}`)
      expect([what, response.statusCode, response.json().code]).toEqual([what, 403, 'bad_jwt'])
    }
    expect((await getUser(`Bearer ${await sign({})}`)).statusCode).toBe(200)
  })

  it('is refused when user or session are not there any more', async () => {
    const { accessToken, authId } = await signUp(identity.app, 'vanishing')
    const { accessToken: otherToken } = await signUp(identity.app, 'other-person')
    const session = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    const { keys } = identity
    const mixed = await new SignJWT({ ...session(accessToken), session_id: session(otherToken).session_id })
      .setProtectedHeader({ alg: 'ES256', typ: 'JWT', kid: keys.provider.kid })
      .sign(keys.provider.privateKey)
    const foreign = await getUser(`Bearer ${mixed}`)
    expect(foreign.statusCode).toBe(403)
    expect(foreign.json()).toEqual({
      code: 'session_not_found',
      message: 'Session from session_id claim in JWT does not exist',
    })
    await identity.database.pool.query(sql.unsafe`delete from people where auth_id = ${authId}`)
    const gone = await getUser(`Bearer ${accessToken}`)
    expect(gone.statusCode).toBe(403)
    expect(gone.json()).toEqual({
      code: 'user_not_found',
      message: 'User from sub claim in JWT does not exist',
    })
  })

  it('is refused to the banned', async () => {
    const { accessToken } = await signUp(identity.app, 'banned-too')
    await setBanned('banned-too')
    const response = await getUser(`Bearer ${accessToken}`)
    expect(response.statusCode).toBe(403)
    expect(response.json()).toEqual({ code: 'user_banned', message: 'User is banned' })
  })
})

describe('a sign-out', () => {
  it('answers 204 without a body', async () => {
    const { accessToken } = await signUp(identity.app, 'leaver')
    const response = await post('/logout?scope=local', undefined, { authorization: `Bearer ${accessToken}` })
    expect(response.statusCode).toBe(204)
    expect(response.body).toBe('')
  })

  it('knows three scopes', async () => {
    const { accessToken } = await signUp(identity.app, 'scoped')
    const authorization = `Bearer ${accessToken}`
    const response = await post('/logout?scope=planet', undefined, { authorization })
    expect(response.statusCode).toBe(400)
    expect(response.json()).toEqual({ code: 'validation_failed', message: 'Unsupported logout scope' })
    expect((await getUser(authorization)).statusCode).toBe(200)
  })

  it('needs a token', async () => {
    expect((await post('/logout', undefined)).statusCode).toBe(401)
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

  it('are limited to ten per account and address, however the account is named', async () => {
    const alias = 'user-1@sign-in.wangian.invalid'
    const statuses = await Promise.all(
      Array.from({ length: 12 }, async (_, index) => {
        const login = index % 2 === 0 ? 'target@example.com' : alias
        return (await tryToSignIn(login, 'wrong horse', '192.0.2.1')).statusCode
      }),
    )
    expect(statuses.filter((status) => status === 400)).toHaveLength(10)
    expect(statuses.filter((status) => status === 429)).toHaveLength(2)
  })

  it('then refuse even the right password, and say when to come back', async () => {
    const response = await tryToSignIn('target@example.com', password, '192.0.2.1')
    expect(response.statusCode).toBe(429)
    expect(response.json()).toEqual({ code: 'over_request_rate_limit', message: 'Request rate limit reached' })
    // Ten tries in 15 minutes: the next one after 90 seconds.
    expect(Number(response.headers['retry-after'])).toBeGreaterThan(80)
    expect(Number(response.headers['retry-after'])).toBeLessThanOrEqual(90)
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

describe('a provider that waits for a confirmation', () => {
  let confirming: TestIdentity
  const signUpWith = (body: object) =>
    confirming.app.inject({ method: 'POST', url: '/auth/v1/signup', headers: currentVersion, payload: body })
  beforeAll(async () => {
    confirming = await createTestIdentity({ isAutoconfirmed: false })
  })
  afterAll(() => confirming.stop())

  it('answers a sign-up with the user alone, and lets nobody in', async () => {
    const body = { email: 'new@example.com', password, data: { username: 'newcomer' } }
    const response = await signUpWith(body)
    expect(response.statusCode).toBe(200)
    expect(response.json()).toMatchObject({ email: 'new@example.com', identities: [{ provider: 'email' }] })
    expect(response.json()).not.toHaveProperty('email_confirmed_at')
    expect(response.json()).not.toHaveProperty('access_token')
    const signIn = await confirming.app.inject({
      method: 'POST',
      url: '/auth/v1/token?grant_type=password',
      headers: currentVersion,
      payload: body,
    })
    expect(signIn.statusCode).toBe(400)
    expect(signIn.json()).toEqual({ code: 'email_not_confirmed', message: 'Email not confirmed' })
    const settings = await confirming.app.inject({ method: 'GET', url: '/auth/v1/settings' })
    expect(settings.json().mailer_autoconfirm).toBe(false)
  })

  it('answers a known address like a new one', async () => {
    const fresh = (await signUpWith({ email: 'one@example.com', password, data: { username: 'one.one' } })).json()
    const known = (await signUpWith({ email: 'one@example.com', password, data: { username: 'two.two' } })).json()
    const shape = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(shape)
      if (typeof value !== 'object' || value === null) return typeof value
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shape(item)]))
    }
    expect(shape(known)).toEqual(shape(fresh))
    expect(known.id).not.toBe(fresh.id)
    expect(known.user_metadata.username).toBe('two.two')
    for (const email of ['one@example.com', 'three@example.com']) {
      const taken = await signUpWith({ email, password, data: { username: 'newcomer' } })
      expect([taken.statusCode, taken.json().code]).toEqual([422, 'username_exists'])
    }
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

it('names the issuer by the public address', async () => {
  const { accessToken } = await signUp(identity.app, 'issuer')
  const claims = JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString())
  expect(claims.iss).toBe(`${PUBLIC_URL}/auth/v1`)
  expect(claims.exp - claims.iat).toBe(3600)
})

/** The command for it comes with administration; the refusals are there already. */
async function setBanned(username: string): Promise<void> {
  await identity.database.pool.query(sql.unsafe`
    update users set is_banned = true where id = (select user_id from people where username = ${username})`)
}

/** Renames the database away and cuts whoever is connected: as if the server were gone, for this service only. */
async function cutOff({ database }: TestIdentity): Promise<void> {
  const admin = await openPool({ url: testServers().databaseUrl, applicationName: 'cut-off' })
  const name = sql.identifier([new URL(database.url).pathname.slice(1)])
  await admin.query(sql.unsafe`alter database ${name} allow_connections false`)
  await admin.query(sql.unsafe`
    select pg_terminate_backend(pid) from pg_stat_activity where datname = ${new URL(database.url).pathname.slice(1)}`)
  await admin.end()
}
