import { identityRoutes } from '@wangian/contracts/identity.ts'
import { sql } from '@wangian/kit/database/postgres.ts'
import { createTestTokens } from '@wangian/kit/testing/test-app.ts'
import type { CryptoKey } from 'jose'
import { decodeProtectedHeader, exportSPKI, importJWK, jwtVerify, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createTestIdentity, signUp, type TestIdentity } from './testing/test-identity.ts'

let identity: TestIdentity

beforeAll(async () => {
  identity = await createTestIdentity()
})
afterAll(() => identity.stop())

function exchange(supabaseToken: unknown, { app } = identity) {
  return app.inject({ method: 'POST', url: '/api/v1/auth/session', payload: { supabaseToken } })
}

function me(authorization?: string) {
  return identity.app.inject({
    method: 'GET',
    url: '/api/v1/auth/me',
    ...(authorization !== undefined && { headers: { authorization } }),
  })
}

async function signedIn(username: string) {
  const { accessToken, refreshToken } = await signUp(identity.app, username)
  const { token } = (await exchange(accessToken)).json()
  return { accessToken, refreshToken, token: token as string, authorization: `Bearer ${token}` }
}

/** Signs any claims as an application token, with the right key unless told otherwise. */
function signAppToken(claims: Record<string, unknown>, { header = {}, key = identity.keys.application } = {}) {
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: key.kid, ...header })
    .sign(key.privateKey)
}

/** No attempt is given back meanwhile, however long the machine takes. */
function stopClock(): void {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
}

describe('the exchange of a provider token', () => {
  it('gives an application token and the person', async () => {
    const { accessToken } = await signUp(identity.app, 'exchanger')
    const response = await exchange(accessToken)
    expect(response.statusCode).toBe(200)
    const { token, user } = response.json()
    expect(user).toEqual({
      id: expect.any(Number),
      username: 'exchanger',
      email: 'exchanger@example.com',
      firstName: null,
      lastName: null,
      address: null,
      profileImage: null,
      avatarUrl: null,
      coverPhoto: null,
      shopName: null,
      location: null,
      bio: null,
      isSeller: true,
      isAdmin: false,
      needsSecondFactor: false,
      isBanned: false,
      isVerified: true,
      hasPassword: true,
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    })
    const { application, provider } = identity.keys
    expect(decodeProtectedHeader(token)).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: application.kid })
    const { payload } = await jwtVerify(token, application.verificationKeys, {
      issuer: 'wangian-identity',
      audience: 'wangian',
    })
    expect(payload).toMatchObject({
      sub: String(user.id),
      username: 'exchanger',
      isSeller: true,
      isAdmin: false,
      sid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      jti: expect.any(String),
    })
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(15 * 60)
    await expect(jwtVerify(token, provider.verificationKeys)).rejects.toThrow()
  })

  it('is refused for anything but a live provider token', async () => {
    const { accessToken, token } = await signedIn('misuser')
    const stranger = await createTestTokens()
    const refused: Record<string, string> = {
      'an application token': token,
      'a stranger’s token': await stranger.tokenFor({ id: 1 }),
      'no token at all': 'x',
      nothing: '',
      'a token without a signature': `${accessToken.split('.').slice(0, 2).join('.')}.`,
    }
    for (const [what, supabaseToken] of Object.entries(refused)) {
      const response = await exchange(supabaseToken)
      expect([what, response.statusCode, response.json()]).toMatchObject([
        what,
        401,
        { code: 'invalid-session', message: 'Invalid session' },
      ])
    }
    expect((await exchange(accessToken)).statusCode).toBe(200)
  })

  it('is refused when the session has ended', async () => {
    const { accessToken, authorization } = await signedIn('ended')
    await identity.app.inject({ method: 'POST', url: '/api/v1/auth/logout', headers: { authorization } })
    expect((await exchange(accessToken)).json().code).toBe('invalid-session')
  })

  it('is refused to the erased and the unconfirmed', async () => {
    const { accessToken, authId } = await signUp(identity.app, 'unconfirmed')
    await identity.database.pool.query(
      sql.unsafe`update people set email_confirmed_at = null where auth_id = ${authId}`,
    )
    expect((await exchange(accessToken)).json().code).toBe('invalid-session')
    await identity.database.pool.query(sql.unsafe`delete from people where auth_id = ${authId}`)
    expect((await exchange(accessToken)).json().code).toBe('invalid-session')
  })

  it('is refused to the banned', async () => {
    const { accessToken } = await signUp(identity.app, 'banned')
    await setBanned('banned')
    const response = await exchange(accessToken)
    expect(response.statusCode).toBe(403)
    expect(response.json()).toMatchObject({ code: 'account-suspended', message: 'Account suspended' })
  })

  it.each([{}, { supabaseToken: 7 }, { supabaseToken: null }, { supabaseToken: 'x'.repeat(8193) }, [], 'text'])(
    'of %j is refused with 400',
    async (payload) => {
      const response = await identity.app.inject({
        method: 'POST',
        url: '/api/v1/auth/session',
        headers: { 'content-type': 'application/json' },
        payload: JSON.stringify(payload),
      })
      expect(response.statusCode).toBe(400)
      expect(response.json().code).toBe('bad-request')
    },
  )

  it('is limited to 30 a minute from one address', async () => {
    stopClock()
    const limited = await createTestIdentity({ rateLimitFactor: 1 })
    try {
      const { accessToken } = await signUp(limited.app, 'busy')
      for (let index = 0; index < 30; index += 1) expect((await exchange(accessToken, limited)).statusCode).toBe(200)
      const response = await exchange(accessToken, limited)
      expect(response.statusCode).toBe(429)
      expect(response.json().code).toBe('rate-limited')
      expect(Number(response.headers['retry-after'])).toBeGreaterThan(0)
    } finally {
      await limited.stop()
    }
  })

  it('is not kept from anybody by what a neighbour sends', async () => {
    stopClock()
    const limited = await createTestIdentity({ rateLimitFactor: 1 })
    try {
      const { accessToken } = await signUp(limited.app, 'neighbour')
      const sync = () => limited.app.inject({ method: 'POST', url: '/api/auth/sync-oauth-user', payload: claim })
      const claim = { email: 'neighbour@example.com', provider: 'facebook', providerId: '1' }
      const statuses = []
      for (let index = 0; index < 16; index += 1) {
        statuses.push((await exchange(`no token ${index}`, limited)).statusCode, (await sync()).statusCode)
      }
      expect(statuses).toEqual([...Array(30).fill(401), 429, 429])
      expect((await exchange(accessToken, limited)).statusCode).toBe(200)
    } finally {
      await limited.stop()
    }
  })
})

describe('me', () => {
  it('is the person of the token', async () => {
    const { authorization } = await signedIn('myself')
    const response = await me(authorization)
    expect(response.statusCode).toBe(200)
    expect(response.json()).toMatchObject({ username: 'myself', email: 'myself@example.com', isVerified: true })
    expect(response.headers['cache-control']).toBe('no-store')
    expect(response.body).not.toMatch(/argon2|password|authId|auth_id/)
  })

  it('obeys the same rule when asked by HEAD', async () => {
    const { authorization } = await signedIn('header')
    const asked = (headers: Record<string, string>) =>
      identity.app.inject({ method: 'HEAD', url: '/api/v1/auth/me', headers })
    expect((await asked({})).statusCode).toBe(401)
    expect((await asked({ authorization })).statusCode).toBe(200)
  })

  it('is refused to guests', async () => {
    const response = await me()
    expect(response.statusCode).toBe(401)
    expect(response.json()).toMatchObject({ code: 'authentication-required', message: 'Authentication required' })
  })

  it('is refused to the banned', async () => {
    const { authorization } = await signedIn('banned-me')
    await setBanned('banned-me')
    const response = await me(authorization)
    expect(response.statusCode).toBe(403)
    expect(response.json()).toMatchObject({ code: 'account-suspended', message: 'Account suspended' })
  })

  it('is refused when the session has ended, though the token has not', async () => {
    const { accessToken, authorization } = await signedIn('signed-out')
    expect((await me(authorization)).statusCode).toBe(200)
    await identity.app.inject({
      method: 'POST',
      url: '/auth/v1/logout?scope=local',
      headers: { authorization: `Bearer ${accessToken}` },
    })
    const response = await me(authorization)
    expect(response.statusCode).toBe(401)
    expect(response.json().code).toBe('invalid-token')
  })

  it('is refused when the session ended because a refresh token was used twice', async () => {
    const { refreshToken, authorization } = await signedIn('robbed')
    const refresh = (token: string) =>
      identity.app.inject({
        method: 'POST',
        url: '/auth/v1/token?grant_type=refresh_token',
        payload: { refresh_token: token },
      })
    const second = (await refresh(refreshToken)).json().refresh_token
    await refresh(second)
    expect((await me(authorization)).statusCode).toBe(200)
    await refresh(refreshToken)
    expect((await me(authorization)).statusCode).toBe(401)
  })

  it('is refused to tokens that were tampered with', async () => {
    const { token, accessToken } = await signedIn('tampered')
    const [header = '', body = '', signature = ''] = token.split('.')
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString())
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const { application, provider } = identity.keys
    const publicKey = (await importJWK(application.jwks.keys[0] ?? {}, 'ES256')) as CryptoKey
    const publicPem = Buffer.from(await exportSPKI(publicKey))
    const forged: Record<string, string> = {
      'a provider token': accessToken,
      'other claims': `${header}.${encode({ ...claims, isAdmin: true })}.${signature}`,
      'no algorithm': `${encode({ alg: 'none', typ: 'at+jwt' })}.${body}.${signature}`,
      'the public key as a secret': await new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid: application.kid })
        .sign(publicPem),
      'the provider’s key': await signAppToken(claims, { key: provider }),
      'the provider’s key under our id': await signAppToken(claims, {
        key: provider,
        header: { kid: application.kid },
      }),
      'another audience': await signAppToken({ ...claims, aud: 'authenticated' }),
      'another issuer': await signAppToken({ ...claims, iss: 'https://wangian.test/auth/v1' }),
      'another type': await signAppToken(claims, { header: { typ: 'JWT' } }),
      'a past end': await signAppToken({ ...claims, exp: Math.floor(Date.now() / 1000) - 10 }),
      'somebody else’s session': await signAppToken({ ...claims, sub: '999999' }),
    }
    for (const [what, forgedToken] of Object.entries(forged)) {
      const response = await me(`Bearer ${forgedToken}`)
      expect([what, response.statusCode, response.json().code]).toEqual([what, 401, 'invalid-token'])
    }
    expect((await me(`Bearer ${await signAppToken(claims)}`)).statusCode).toBe(200)
  })
})

describe('looking up a username', () => {
  const lookUp = (payload: unknown, { app } = identity) =>
    app.inject({ method: 'POST', url: '/api/v1/auth/lookup-email', payload: payload as object })

  it('answers a name to sign in with, and never the address', async () => {
    await signUp(identity.app, 'Findable')
    for (const username of ['Findable', 'findable', ' FINDABLE ']) {
      const response = await lookUp({ username })
      expect(response.statusCode).toBe(200)
      expect(response.json()).toEqual({ email: expect.stringMatching(/^user-\d+@sign-in\.wangian\.invalid$/) })
    }
  })

  it.each(['nobody', 'find_ble', 'findabl%', "'; drop table users --"])('of %j finds nobody', async (username) => {
    const response = await lookUp({ username })
    expect(response.statusCode).toBe(404)
    expect(response.json()).toMatchObject({ code: 'username-not-found', message: 'Username not found' })
  })

  it.each([
    {},
    { username: '' },
    { username: ' ' },
    { username: ['x'] },
    { username: 'x'.repeat(65) },
    { username: 'a\0b' },
  ])('of %j is refused with 400', async (payload) => {
    const response = await lookUp(payload)
    expect(response.statusCode).toBe(400)
    expect(response.json().code).toBe('bad-request')
  })

  it('is limited to ten a minute from one address, found or not', async () => {
    const limited = await createTestIdentity({ rateLimitFactor: 1 })
    try {
      // All at once: one is given back every six seconds.
      const answers = await Promise.all(Array.from({ length: 11 }, () => lookUp({ username: 'nobody' }, limited)))
      const refused = answers.filter(({ statusCode }) => statusCode !== 404)
      expect(refused.map((response) => [response.statusCode, response.json().code])).toEqual([[429, 'rate-limited']])
    } finally {
      await limited.stop()
    }
  })
})

describe('logging out', () => {
  const logOut = (headers: Record<string, string> = {}) =>
    identity.app.inject({ method: 'POST', url: '/api/v1/auth/logout', headers })

  it('ends the session with its refresh tokens', async () => {
    const { authorization, refreshToken } = await signedIn('goer')
    const response = await logOut({ authorization })
    expect(response.statusCode).toBe(200)
    expect(response.json()).toEqual({ success: true })
    const refresh = await identity.app.inject({
      method: 'POST',
      url: '/auth/v1/token?grant_type=refresh_token',
      payload: { refresh_token: refreshToken },
    })
    expect(refresh.json().error_code).toBe('refresh_token_not_found')
    expect((await me(authorization)).statusCode).toBe(401)
  })

  it('leaves other sessions of the person alone', async () => {
    const { authorization } = await signedIn('two-places')
    const elsewhere = await identity.app.inject({
      method: 'POST',
      url: '/auth/v1/token?grant_type=password',
      payload: { email: 'two-places@example.com', password: 'correct horse' },
    })
    await logOut({ authorization })
    expect((await exchange(elsewhere.json().access_token)).statusCode).toBe(200)
  })

  it('succeeds for everybody, and twice', async () => {
    const { authorization, token } = await signedIn('twice')
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    const expired = await signAppToken({ ...claims, exp: 1_700_000_000 })
    for (const headers of [
      { authorization: 'Bearer' },
      { authorization: 'Bearer x.y.z' },
      { authorization: `Bearer ${expired}` },
      { authorization },
      { authorization },
      undefined,
    ]) {
      const response = await logOut(headers)
      expect(response.statusCode).toBe(200)
      expect(response.json()).toEqual({ success: true })
    }
  })
})

describe('every route of the contract', () => {
  it.each(Object.values(identityRoutes))('$method $path is served, and with no other method', async (route) => {
    const response = await identity.app.inject({ method: 'DELETE', url: route.path })
    expect(response.statusCode).toBe(405)
    expect(response.headers.allow?.split(', ')).toContain(route.method)
  })
})

describe('the keys', () => {
  it('are published without their private half', async () => {
    const response = await identity.app.inject({ method: 'GET', url: '/.well-known/jwks.json' })
    expect(response.json()).toEqual(identity.keys.application.jwks)
    expect(response.body).not.toContain('"d"')
    expect(response.json().keys[0].kid).not.toBe(identity.keys.provider.kid)
  })
})

async function setBanned(username: string): Promise<void> {
  await identity.database.pool.query(sql.unsafe`
    update users set is_banned = true where id = (select user_id from people where username = ${username})`)
}
