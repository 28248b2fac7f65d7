import { SignJWT } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { setBanned } from '../accounts/moderation.ts'
import { createFacebookStandIn } from '../oauth/oauth-stand-in.ts'
import { deleteSessions } from '../sessions/revocation-store.ts'
import { findLiveSession } from '../sessions/session-store.ts'
import { issueProviderToken, PROVIDER_TOKEN_TTL_S, providerUrl } from '../sessions/tokens.ts'
import { createTestIdentity, currentVersion, PUBLIC_URL, type TestIdentity } from '../testing/test-identity.ts'
import { createUser, stateOf, type TestUser } from '../testing/test-people.ts'

/*
 * Who may call what of the auth provider, as `infra/access` has it for our own calls: its endpoints are those of another protocol and not
 * in the contracts. An endpoint without a row fails.
 */

interface Row {
  readonly query?: string
  readonly payload?: object
  /** What somebody gets who is signed in, and a guest. Without `guest` it is for those who are signed in. */
  readonly self: number
  readonly guest?: number
}

const NO_ID = '00000000-0000-4000-8000-000000000000'
const nobody = { email: 'nobody@example.com' }
const page = encodeURIComponent(`${PUBLIC_URL}/auth-callback`)
const challenge = `code_challenge=${'c'.repeat(43)}&code_challenge_method=s256`
/** Where a token is looked at nowhere, a bad one makes no difference. */
const everybody = (status: number, call: Pick<Row, 'query' | 'payload'> = {}): Row => ({
  ...call,
  self: status,
  guest: status,
})

const rows: Readonly<Record<string, Row>> = {
  'GET /health': everybody(200),
  'GET /settings': everybody(200),
  'GET /.well-known/jwks.json': everybody(200),
  'POST /signup': everybody(400, { payload: nobody }),
  'POST /token': everybody(400, { query: 'grant_type=password', payload: { ...nobody, password: 'wrong horse' } }),
  'POST /recover': everybody(200, { payload: nobody }),
  'POST /resend': everybody(200, { payload: { ...nobody, type: 'signup' } }),
  'POST /verify': everybody(403, { payload: { type: 'signup', token_hash: 'x' } }),
  'GET /verify': everybody(303, { query: 'type=signup&token=x' }),
  'GET /authorize': everybody(302, { query: `provider=facebook&redirect_to=${page}&${challenge}` }),
  'GET /callback': everybody(302, { query: 'state=x&code=y' }),
  'POST /callback': everybody(302, { payload: { state: 'x', code: 'y' } }),
  'GET /stand-in/facebook': everybody(302, { query: 'state=x' }),
  'POST /stand-in/facebook': everybody(303, { payload: { state: 'x' } }),
  'GET /user': { self: 200 },
  'PUT /user': { payload: { data: { first_name: 'Mei' } }, self: 200 },
  'DELETE /user/identities/:identityId': { self: 404 },
  'POST /factors': { payload: { factor_type: 'totp' }, self: 200 },
  'DELETE /factors/:factorId': { self: 404 },
  'POST /factors/:factorId/challenge': { self: 404 },
  'POST /factors/:factorId/verify': { payload: { challenge_id: NO_ID, code: '123456' }, self: 404 },
  'GET /factors/recovery-codes': { self: 404 },
  'POST /factors/recovery-codes': { self: 403 },
  'DELETE /factors/recovery-codes': { self: 403 },
  'POST /factors/recovery-codes/regenerate': { self: 403 },
  'POST /factors/recovery-codes/verify': { payload: { code: '2'.repeat(16) }, self: 422 },
  'POST /logout': { query: 'scope=local', self: 204 },
}

let identity: TestIdentity
let self: TestUser
let admin: TestUser
let count = 0

beforeAll(async () => {
  const standIn = createFacebookStandIn(providerUrl(PUBLIC_URL))
  identity = await createTestIdentity({ oauthProviders: new Map([[standIn.name, standIn]]) })
  await identity.app.ready()
  admin = await createUser(identity, 'admin', { isAdmin: true })
})
afterAll(() => identity.stop())
beforeEach(async () => {
  count += 1
  self = await createUser(identity, `self-${count}`)
})

/** The endpoints below `/auth/v1`, as `METHOD /path`; a HEAD is a GET. */
function endpoints(): string[] {
  const above: string[] = []
  return identity.app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const found = /^([│ ]*)[├└]── (\S+)(?: \((.+)\))?$/.exec(line)
      if (found === null) return []
      const [, indent = '', part = '', methods = ''] = found
      const depth = indent.length / 4
      above.length = depth
      above.push(part)
      const path = above.join('')
      if (!path.startsWith('/auth/v1/')) return []
      return methods
        .split(', ')
        .filter((method) => method !== '' && method !== 'HEAD')
        .map((method) => `${method} ${path.slice('/auth/v1'.length)}`)
    })
}

const issuer = providerUrl(PUBLIC_URL)

async function goodToken(now = new Date()): Promise<string> {
  const { database, keys } = identity
  const session = await findLiveSession(database.pool, self.sessionId, self.id)
  if (session === null) throw new Error('they are signed in')
  return issueProviderToken({ key: keys.provider, issuer }, self.account, [], session, now)
}

async function forged(claims: Record<string, unknown>): Promise<string> {
  const { provider } = identity.keys
  const nowS = Math.floor(Date.now() / 1000)
  const usual = {
    aud: 'authenticated',
    iss: issuer,
    sub: self.account.authId,
    session_id: self.sessionId,
    exp: nowS + 600,
  }
  return new SignJWT({ ...usual, ...claims })
    .setProtectedHeader({ alg: 'ES256', typ: 'JWT', kid: provider.kid })
    .sign(provider.privateKey)
}

/** Everybody who is not let in where a token is demanded, and how they are told. */
const strangers: readonly [string, () => Promise<string | null>, number, string][] = [
  ['a guest', async () => null, 401, 'no_authorization'],
  ['a banned person', () => whenBanned(), 403, 'user_banned'],
  ['a session that has ended', () => whenSignedOut(), 403, 'session_not_found'],
  ['an expired token', () => goodToken(new Date(Date.now() - (PROVIDER_TOKEN_TTL_S + 60) * 1000)), 403, 'bad_jwt'],
  ['alg=none', async () => unsigned(await goodToken()), 403, 'bad_jwt'],
  ['another audience', () => forged({ aud: 'wangian' }), 403, 'bad_jwt'],
  ['another issuer', () => forged({ iss: 'https://evil.test/auth/v1' }), 403, 'bad_jwt'],
  ['an application token', async () => self.token, 403, 'bad_jwt'],
  ['noise', async () => 'a.b.c', 403, 'bad_jwt'],
]

function unsigned(token: string): string {
  const header = Buffer.from(JSON.stringify({ alg: 'none', typ: 'JWT' })).toString('base64url')
  return `${header}.${token.split('.')[1]}.`
}

async function whenBanned(): Promise<string> {
  const token = await goodToken()
  const command = { userId: self.id, isBanned: true, actorId: admin.id, reason: 'fakes', requestId: 'test' }
  await setBanned(identity.database.pool, command, new Date())
  return token
}

async function whenSignedOut(): Promise<string> {
  const token = await goodToken()
  await identity.database.pool.transaction((transaction) =>
    deleteSessions(transaction, { userId: self.id, sessionIds: [self.sessionId] }),
  )
  return token
}

async function call(endpoint: string, { query, payload }: Row, token: string | null) {
  const [method, path = ''] = endpoint.split(' ')
  const url = `/auth/v1${path.replace(':identityId', crypto.randomUUID())}${query === undefined ? '' : `?${query}`}`
  const response = await identity.app.inject({
    method: method as 'GET',
    url,
    headers: { ...currentVersion, ...(token !== null && { authorization: `Bearer ${token}` }) },
    ...(payload !== undefined && { payload }),
  })
  return { status: response.statusCode, code: response.headers['x-sb-error-code'] }
}

it('has a row for every endpoint of the auth provider, and for nothing else', () => {
  expect(endpoints().sort()).toEqual(Object.keys(rows).sort())
})

describe.each(Object.entries(rows))('%s', (endpoint, row) => {
  it('answers somebody who is signed in', async () => {
    expect((await call(endpoint, row, await goodToken())).status).toBe(row.self)
  })

  it.each(strangers)('%s', async (_who, tokenOf, status, code) => {
    const token = await tokenOf()
    if (row.guest !== undefined) {
      expect((await call(endpoint, row, token)).status).toBe(row.guest)
      return
    }
    const before = await stateOf(identity)
    expect(await call(endpoint, row, token)).toEqual({ status, code })
    expect(await stateOf(identity)).toBe(before)
  })
})
