import { sql } from '@wangian/kit/database/postgres.ts'
import { type CryptoKey, exportSPKI, importJWK, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { markBanned, providerCalls } from '../testing/provider-calls.ts'
import { createTestIdentity, PUBLIC_URL, signUp, type TestIdentity } from '../testing/test-identity.ts'

let identity: TestIdentity
let now = new Date('2026-11-21T08:00:00.000Z')
const { getUser, post } = providerCalls(() => identity)

beforeAll(async () => {
  identity = await createTestIdentity({ now: () => now })
})
afterAll(() => identity.stop())

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
    await markBanned(identity, 'banned-too')
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

it('names the issuer by the public address', async () => {
  const { accessToken } = await signUp(identity.app, 'issuer')
  const claims = JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString())
  expect(claims.iss).toBe(`${PUBLIC_URL}/auth/v1`)
  expect(claims.exp - claims.iat).toBe(3600)
})
