import { APP_TOKEN_AUDIENCE, APP_TOKEN_ISSUER } from '@wangian/contracts/identity.ts'
import { createLocalJWKSet, exportJWK, type GenerateKeyPairResult, generateKeyPair, type JWK, SignJWT } from 'jose'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { Failure, Rejection } from '../errors.ts'
import { createTestTokens, type TestTokens } from '../testing/test-app.ts'
import { startTestServer, type TestServer } from '../testing/test-server.ts'
import { type Authenticator, authenticatorWithKeys, bearerToken, createAuthenticator } from './auth.ts'

const now = Date.UTC(2026, 10, 21, 8)
const nowS = now / 1000

let privateKey: PrivateKey
let publicJwk: JWK
let strangerKey: PrivateKey
let strangerJwk: JWK
beforeAll(async () => {
  const pair = await generateKeyPair('ES256')
  privateKey = pair.privateKey
  publicJwk = { ...(await exportJWK(pair.publicKey)), kid: 'one', alg: 'ES256', use: 'sig' }
  const stranger = await generateKeyPair('ES256')
  strangerKey = stranger.privateKey
  strangerJwk = await exportJWK(stranger.publicKey)
})

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now })
})
afterEach(() => {
  vi.useRealTimers()
})

type PrivateKey = GenerateKeyPairResult['privateKey']

interface TokenParts {
  readonly header?: Record<string, unknown>
  readonly claims?: Record<string, unknown>
  readonly key?: PrivateKey | Uint8Array
}

/** A good token except for what is given; `undefined` takes a part out. */
function sign({ header = {}, claims = {}, key = privateKey }: TokenParts = {}): Promise<string> {
  const payload = {
    sub: '12',
    username: 'aina',
    isSeller: true,
    isAdmin: false,
    sid: 'session-12',
    iss: APP_TOKEN_ISSUER,
    aud: APP_TOKEN_AUDIENCE,
    exp: nowS + 900,
    ...claims,
  }
  return new SignJWT(payload)
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'one', ...header })
    .sign(key, { crit: { exp2: true } })
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

const authenticator = (options = {}): Authenticator =>
  authenticatorWithKeys(createLocalJWKSet({ keys: [publicJwk] }), options)

const invalid = expect.objectContaining({ name: 'Rejection', code: 'invalid-token' })

describe('a good token', () => {
  it('says who is calling', async () => {
    expect(await authenticator().verify(await sign())).toEqual({
      id: 12,
      username: 'aina',
      isSeller: true,
      isAdmin: false,
      needsSecondFactor: false,
      sessionId: 'session-12',
      expiresAt: now + 900_000,
    })
  })

  it('is good until 5 s after its end, also when it was seen before', async () => {
    const checker = authenticator()
    const token = await sign({ claims: { exp: nowS + 60 } })
    await checker.verify(token)
    vi.setSystemTime(now + 64_000)
    await checker.verify(token)
    vi.setSystemTime(now + 65_000)
    await expect(checker.verify(token)).rejects.toEqual(invalid)
  })

  it.each([
    ['signed-out', 'invalid-token'],
    ['password-changed', 'invalid-token'],
    ['closed', 'invalid-token'],
    ['token-reused', 'invalid-token'],
    ['banned', 'account-suspended'],
  ] as const)('is refused as soon as its session is revoked: %s', async (reason, code) => {
    const revoked = new Map<string, typeof reason>()
    const checker = authenticator({
      revocationOf: (sessionId: string, userId: number) => (userId === 12 ? (revoked.get(sessionId) ?? null) : null),
    })
    const token = await sign()
    await checker.verify(token)
    revoked.set('session-12', reason)
    await expect(checker.verify(token)).rejects.toEqual(new Rejection(code))
  })

  it('costs one check of its signature, however often it comes', async () => {
    const keys = vi.fn(createLocalJWKSet({ keys: [publicJwk] }))
    const checker = authenticatorWithKeys(keys)
    const token = await sign()
    await checker.verify(token)
    await checker.verify(token)
    expect(keys).toHaveBeenCalledTimes(1)
  })
})

describe('a bad token', () => {
  const cases: [string, () => Promise<string> | string][] = [
    [
      'without a signature',
      () => `${encode({ alg: 'none', typ: 'at+jwt' })}.${encode({ sub: '12', exp: nowS + 900 })}.`,
    ],
    [
      'signed with a shared secret',
      () => sign({ header: { alg: 'HS256' }, key: new TextEncoder().encode(JSON.stringify(publicJwk)) }),
    ],
    ['signed by somebody else', () => sign({ key: strangerKey })],
    ['with a key of its own', () => sign({ key: strangerKey, header: { jwk: strangerJwk, kid: undefined } })],
    ['with an unknown key id', () => sign({ header: { kid: 'two' } })],
    ['for another audience', () => sign({ claims: { aud: 'wangian-internal' } })],
    ['without audience', () => sign({ claims: { aud: undefined } })],
    ['of another issuer', () => sign({ claims: { iss: 'somebody' } })],
    ['of another type', () => sign({ header: { typ: 'JWT' } })],
    ['without a type', () => sign({ header: { typ: undefined } })],
    ['that has expired', () => sign({ claims: { exp: nowS - 6 } })],
    ['without an end', () => sign({ claims: { exp: undefined } })],
    ['that is not good yet', () => sign({ claims: { nbf: nowS + 6 } })],
    ['without a subject', () => sign({ claims: { sub: undefined } })],
    ['with a subject that is no id', () => sign({ claims: { sub: '012' } })],
    ['with a subject that is too large', () => sign({ claims: { sub: '9007199254740993' } })],
    ['with a role of another type', () => sign({ claims: { isAdmin: 'true' } })],
    ['without a session', () => sign({ claims: { sid: undefined } })],
    ['with a critical header that we do not know', () => sign({ header: { crit: ['exp2'], exp2: 1 } })],
    [
      'that was changed',
      async () => {
        const [header, , signature] = (await sign()).split('.')
        return `${header}.${encode({ sub: '1', exp: nowS + 900 })}.${signature}`
      },
    ],
    ['that is no token', () => 'a.b.c'],
    ['that is empty', () => ''],
    ['that is too long', async () => `${await sign()}${'x'.repeat(8192)}`],
  ]
  it.each(cases)('%s is refused', async (_, make) => {
    const checker = authenticator()
    const token = await make()
    await expect(checker.verify(token)).rejects.toEqual(invalid)
    await expect(checker.verify(token)).rejects.toEqual(invalid)
  })
})

describe('an Authorization header', () => {
  it.each([
    ['none', undefined, null],
    ['another scheme', 'Basic YTpi', null],
    ['a token', 'Bearer a.b-_.c', 'a.b-_.c'],
    ['a token with the scheme in lower case', 'bearer a.b.c', 'a.b.c'],
  ])('with %s', (_, header, token) => {
    expect(bearerToken(header)).toBe(token)
  })

  it.each([
    'Bearer',
    'Bearer ',
    'Bearer  a.b.c',
    'Bearer a.b',
    'Bearer a.b.c ',
    'Bearer a.b.c, Bearer d.e.f',
    'Bearer\ta.b.c',
    'Bearer a.b.c.d',
  ])('that is "%s" is refused', (header) => {
    expect(() => bearerToken(header)).toThrow(Rejection)
  })
})

describe('keys at an address', () => {
  let server: TestServer
  let keys: JWK[]
  let requests: number
  let isDown: boolean
  let url: string
  beforeEach(async () => {
    keys = [publicJwk]
    requests = 0
    isDown = false
    server = await startTestServer((_request, response) => {
      requests += 1
      response.writeHead(isDown ? 500 : 200, { 'content-type': 'application/json' }).end(JSON.stringify({ keys }))
    })
    url = `${server.url}/jwks.json`
  })
  afterEach(() => server.stop())

  it('are fetched once', async () => {
    const checker = createAuthenticator({ jwksUrls: [url] })
    await checker.verify(await sign())
    await checker.verify(await sign({ claims: { sub: '13' } }))
    expect(requests).toBe(1)
  })

  it('are fetched again for a new key, at most once a second', async () => {
    const checker = createAuthenticator({ jwksUrls: [url] })
    await checker.verify(await sign())
    const next = await generateKeyPair('ES256')
    keys = [{ ...(await exportJWK(next.publicKey)), kid: 'two', alg: 'ES256', use: 'sig' }, publicJwk]
    const token = await sign({ key: next.privateKey, header: { kid: 'two' } })
    await expect(checker.verify(token)).rejects.toEqual(invalid)
    vi.setSystemTime(now + 1001)
    expect(await checker.verify(token)).toMatchObject({ id: 12 })
    await expect(checker.verify(await sign({ header: { kid: 'three' } }))).rejects.toEqual(invalid)
    expect(requests).toBe(2)
  })

  it('of a new key come from a copy that knows it, while another has only the old one', async () => {
    const next = await generateKeyPair('ES256')
    const nextJwk = { ...(await exportJWK(next.publicKey)), kid: 'two', alg: 'ES256', use: 'sig' }
    const other = await startTestServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ keys: [nextJwk] }))
    })
    const checker = createAuthenticator({ jwksUrls: [url, `${other.url}/jwks.json`] })
    expect(await checker.verify(await sign({ key: next.privateKey, header: { kid: 'two' } }))).toMatchObject({ id: 12 })
    await expect(checker.verify(await sign({ header: { kid: 'three' } }))).rejects.toEqual(invalid)
    await other.stop()
  })

  it('are missed as a failure, not blamed on the token', async () => {
    isDown = true
    const checker = createAuthenticator({ jwksUrls: [url] })
    await expect(checker.verify(await sign())).rejects.toBeInstanceOf(Failure)
    isDown = false
    expect(await checker.verify(await sign())).toMatchObject({ id: 12 })
  })

  it('stay good while the address is away', async () => {
    const checker = createAuthenticator({ jwksUrls: [url] })
    await checker.verify(await sign())
    isDown = true
    vi.setSystemTime(now + 3_600_000)
    const token = await sign({ claims: { exp: nowS + 7200 } })
    expect(await checker.verify(token)).toMatchObject({ id: 12 })
    expect(requests).toBe(2)
  })
})

describe('keys of several copies', () => {
  it('come from one that answers', async () => {
    const { jwksUrl, stop } = await (await createTestTokens()).serveKeys()
    await stop()
    const tokens = await createTestTokens()
    const other = await tokens.serveKeys()
    const checker = createAuthenticator({ jwksUrls: [jwksUrl, other.jwksUrl] })
    const token = await tokens.tokenFor({ id: 7 })
    expect(await checker.verify(token)).toMatchObject({ id: 7 })
    await other.stop()
    const both = createAuthenticator({ jwksUrls: [jwksUrl, other.jwksUrl] })
    await expect(both.verify(token)).rejects.toBeInstanceOf(Failure)
  })
})

describe('tokens for tests', () => {
  let tokens: TestTokens
  beforeAll(async () => {
    tokens = await createTestTokens()
  })

  it('are good in the process and by address', async () => {
    const token = await tokens.tokenFor({ id: 7, username: 'badrul', isAdmin: true })
    expect(await tokens.authenticator.verify(token)).toMatchObject({
      id: 7,
      username: 'badrul',
      isAdmin: true,
      isSeller: true,
    })
    const { jwksUrl, stop } = await tokens.serveKeys()
    expect(await createAuthenticator({ jwksUrls: [jwksUrl] }).verify(token)).toMatchObject({ id: 7 })
    await stop()
  })
})
