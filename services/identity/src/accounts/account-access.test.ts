import { accountRoutes } from '@wangian/contracts/account.ts'
import type { ErrorCode } from '@wangian/contracts/errors.ts'
import { ErrorBody, statusOf } from '@wangian/contracts/errors.ts'
import { APP_TOKEN_AUDIENCE, APP_TOKEN_ISSUER } from '@wangian/contracts/identity.ts'
import { picture, uploadForm } from '@wangian/kit/testing/pictures.ts'
import { createTestTokens } from '@wangian/kit/testing/test-app.ts'
import { type CryptoKey, exportSPKI, importJWK, SignJWT } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { deleteSessions } from '../sessions/revocation-store.ts'
import { createTestIdentity, type TestIdentity } from '../testing/test-identity.ts'
import { createUser, PASSWORD, stateOf, type TestUser } from '../testing/test-people.ts'
import { setBanned } from './moderation.ts'

const now = () => new Date()

let identity: TestIdentity
let admin: TestUser
let other: TestUser
let self: TestUser
let count = 0

beforeAll(async () => {
  identity = await createTestIdentity()
  admin = await createUser(identity, 'admin', { isAdmin: true })
  other = await createUser(identity, 'other')
})
afterAll(() => identity.stop())
beforeEach(async () => {
  count += 1
  self = await createUser(identity, `self-${count}`)
})

/** Claims of `self`'s token, signed as a test wants it. */
async function forged(header: { alg?: string; typ?: string }, claims: Record<string, unknown> = {}): Promise<string> {
  const { application } = identity.keys
  const jwt = new SignJWT({ username: self.username, isSeller: true, isAdmin: true, sid: self.sessionId, ...claims })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: application.kid, ...header })
    .setSubject(String(self.id))
    .setIssuer(APP_TOKEN_ISSUER)
    .setAudience(String(claims['aud'] ?? APP_TOKEN_AUDIENCE))
    .setExpirationTime(Number(claims['exp'] ?? Math.floor(Date.now() / 1000) + 600))
  if (header.alg !== 'HS256') return jwt.sign(application.privateKey)
  const [publicKey] = application.jwks.keys
  const spki = await exportSPKI((await importJWK({ ...publicKey, alg: 'ES256' })) as CryptoKey)
  return jwt.sign(new TextEncoder().encode(spki))
}

function unsigned(signature: string): string {
  const header = Buffer.from(JSON.stringify({ alg: 'none', typ: 'at+jwt' })).toString('base64url')
  return `${header}.${self.token.split('.')[1]}.${signature}`
}

/** Everybody who must not get in, with how they are told. */
const strangers: readonly [string, () => Promise<string | null> | string | null, ErrorCode][] = [
  ['a guest', () => null, 'authentication-required'],
  ['another scheme', () => 'Basic c2VsZjpwYXNz', 'authentication-required'],
  ['no token at all', () => 'Bearer', 'invalid-token'],
  ['noise', () => 'Bearer a.b.c', 'invalid-token'],
  ['an expired token', async () => `Bearer ${await forged({}, { exp: Date.now() / 1000 - 60 })}`, 'invalid-token'],
  ['alg=none', () => `Bearer ${unsigned('')}`, 'invalid-token'],
  ['alg=none with a signature', () => `Bearer ${unsigned(self.token.split('.')[2] ?? '')}`, 'invalid-token'],
  ['HS256 with the public key', async () => `Bearer ${await forged({ alg: 'HS256' })}`, 'invalid-token'],
  ['another audience', async () => `Bearer ${await forged({}, { aud: 'authenticated' })}`, 'invalid-token'],
  ['another type of token', async () => `Bearer ${await forged({ typ: 'JWT' })}`, 'invalid-token'],
  ['a key of their own', async () => `Bearer ${await (await createTestTokens()).tokenFor(self)}`, 'invalid-token'],
  ['a session that has ended', () => withoutSession(), 'invalid-token'],
  ['a banned person', () => whenBanned(), 'account-suspended'],
]

async function withoutSession(): Promise<string> {
  await identity.database.pool.transaction((transaction) =>
    deleteSessions(transaction, { userId: self.id, sessionIds: [self.sessionId] }),
  )
  return self.headers.authorization
}

async function whenBanned(): Promise<string> {
  const command = { userId: self.id, isBanned: true, actorId: admin.id, reason: 'fakes', requestId: 'test' }
  await setBanned(identity.database.pool, command, now())
  return self.headers.authorization
}

type Call = (headers: Record<string, string>) => Promise<{ statusCode: number; json(): unknown }>

const inject = (
  method: 'PATCH' | 'POST' | 'PUT',
  url: string,
  payload: object | Buffer,
  headers: Record<string, string>,
) => identity.app.inject({ method, url, payload, headers })

async function upload(kind: string, headers: Record<string, string>, fields: Record<string, string> = {}) {
  const { payload, headers: form } = uploadForm(await picture(), { fields })
  return inject('POST', `/api/user/${kind}`, payload, { ...form, ...headers })
}

/** Each of them as `self` would call it, with everything right. */
const calls: readonly [keyof typeof accountRoutes, Call][] = [
  ['updateUser', (headers) => inject('PATCH', `/api/user/${self.id}`, { bio: 'I was here', address: 'x' }, headers)],
  [
    'changePassword',
    (headers) =>
      inject('POST', '/api/user/change-password', { currentPassword: PASSWORD, newPassword: 'another horse' }, headers),
  ],
  ['getNotifications', (headers) => identity.app.inject({ url: '/api/user/notifications', headers })],
  [
    'setNotifications',
    (headers) => inject('PUT', '/api/user/notifications', { sales: false, newReviews: true, lowStock: true }, headers),
  ],
  ['uploadAvatar', (headers) => upload('avatar', headers)],
  ['uploadCover', (headers) => upload('cover', headers)],
]

describe.each(calls)('%s', (name, call) => {
  it('is a call for people who are signed in', () => {
    expect(accountRoutes[name].access).toBe('signed-in')
  })

  it('answers the person', async () => {
    expect((await call({ ...self.headers })).statusCode).toBe(200)
  })

  it.each(strangers)('refuses %s, and changes nothing', async (_who, authorizationOf, code) => {
    const authorization = await authorizationOf()
    const before = await stateOf(identity)
    const response = await call(authorization === null ? {} : { authorization })
    const body = ErrorBody.parse(response.json())
    expect({ status: response.statusCode, code: body.code }).toEqual({ status: statusOf(code), code })
    expect(await stateOf(identity)).toBe(before)
  })
})

/** Those who are signed in, and act for somebody else. */
const claims: readonly [string, Call][] = [
  ['PATCH of another', (headers) => inject('PATCH', `/api/user/${self.id}`, { bio: 'mine now' }, headers)],
  [
    'PATCH that names another',
    (headers) => inject('PATCH', `/api/user/${self.id + 1}`, { bio: 'x', userId: self.id }, headers),
  ],
  ['an avatar for another', (headers) => upload('avatar', headers, { userId: String(self.id) })],
  ['a cover for another', (headers) => upload('cover', headers, { userId: String(self.id) })],
]

describe.each(claims)('%s', (_name, call) => {
  it.each([
    ['somebody', () => other],
    ['an administrator', () => admin],
  ])('is refused to %s', async (_who, caller) => {
    const before = await stateOf(identity)
    const response = await call({ ...caller().headers })
    expect({ status: response.statusCode, ...ErrorBody.parse(response.json()) }).toMatchObject({
      status: 403,
      code: 'forbidden',
    })
    expect(await stateOf(identity)).toBe(before)
  })
})

it('PATCH by the person that names another in its body is refused', async () => {
  const before = await stateOf(identity)
  const response = await inject('PATCH', `/api/user/${self.id}`, { bio: 'x', userId: other.id }, { ...self.headers })
  expect(response.statusCode).toBe(403)
  expect(await stateOf(identity)).toBe(before)
})

describe('what anybody may call', () => {
  it.each(['updatePassword', 'verifyEmail', 'getProfileImage'] as const)('is %s', (name) => {
    expect(accountRoutes[name].access).toBe('public')
  })

  it('does not care for a token that is not good', async () => {
    const headers = { authorization: 'Bearer a.b.c' }
    const reset = { token: 'x'.repeat(43), password: 'another horse' }
    const answers = [
      await inject('POST', '/api/update-password', reset, headers),
      await identity.app.inject({ url: '/api/verify-email?token=x', headers }),
      await identity.app.inject({ url: '/api/profile-images/nobody-has-this', headers }),
    ]
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([400, 400, 404])
  })
})
