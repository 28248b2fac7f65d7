import { randomUUID } from 'node:crypto'
import { sql } from '@wangian/kit/database/postgres.ts'
import { exportSPKI, generateKeyPair, SignJWT } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ANON_KEY, type FakeHostedProject, startFakeHostedProject } from '../testing/fake-hosted-project.ts'
import { createTestIdentity, type TestIdentity } from '../testing/test-identity.ts'
import { hostedSettings } from './hosted-provider.ts'

const settings = { authJwksUrl: undefined, authJwtSecret: undefined, adminEmail: 'boss@example.com' }
let project: FakeHostedProject
let identity: TestIdentity

beforeAll(async () => {
  project = await startFakeHostedProject()
  const hosted = hostedSettings({ ...settings, authUrl: project.url, authAnonKey: ANON_KEY })
  if (hosted === null) throw new Error('it is set up')
  identity = await createTestIdentity({ hosted })
})
afterAll(async () => {
  await identity.stop()
  await project.stop()
})
afterEach(() => {
  project.isAway = false
})

function exchange(supabaseToken: string, { app } = identity) {
  return app.inject({ method: 'POST', url: '/api/v1/auth/session', payload: { supabaseToken } })
}

const me = (token: string) =>
  identity.app.inject({ method: 'GET', url: '/api/v1/auth/me', headers: { authorization: `Bearer ${token}` } })

/** Somebody of the hosted project with a session there. */
function person(name: string) {
  const claims = { sub: randomUUID(), session_id: randomUUID(), email: `${name}@example.com` }
  return { ...claims, token: (more = {}) => project.token({ ...claims, ...more }) }
}

describe('the exchange of a hosted token', () => {
  it('makes an account of somebody new', async () => {
    const user_metadata = { username: 'Mei_Hosted', first_name: 'Mei', last_name: 'Chong', email_verified: true }
    const response = await exchange(await person('mei').token({ email: 'Mei@Example.com', user_metadata }))
    expect(response.statusCode).toBe(200)
    const { token, user } = response.json()
    expect(user).toMatchObject({
      username: 'Mei_Hosted',
      email: 'mei@example.com',
      firstName: 'Mei',
      lastName: 'Chong',
      isSeller: true,
      isAdmin: false,
      isVerified: true,
    })
    expect((await me(token)).json()).toEqual(user)
  })

  it('finds the account again by the id, and follows the address', async () => {
    const { token } = person('moving')
    const first = (await exchange(await token())).json().user
    const second = (await exchange(await token({ email: 'moved@example.com' }))).json().user
    expect(second).toEqual({ ...first, email: 'moved@example.com' })
  })

  it('leaves the address as it is when somebody else has the new one', async () => {
    await exchange(await person('holder').token())
    const { token } = person('wisher')
    await exchange(await token())
    expect((await exchange(await token({ email: 'holder@example.com' }))).json().user.email).toBe('wisher@example.com')
  })

  it.each([
    [{ username: 'taken' }, 'taken'],
    [{ username: 'TAKEN' }, 'TAKEN2'],
    [{ username: 'no spaces', full_name: 'Ta Ken' }, 'ta.ken'],
    [{ name: 'Ta Ken' }, 'ta.ken2'],
    [{ username: 'x', first_name: '明' }, expect.stringMatching(/^user-\d+$/)],
    [{}, expect.stringMatching(/^user-\d+$/)],
  ])('names somebody with %j as is still free', async (user_metadata, username) => {
    const response = await exchange(await person(`named-${randomUUID()}`).token({ user_metadata }))
    expect(response.json().user.username).toEqual(username)
  })

  it('takes no name over that is not as it looks', async () => {
    const user_metadata = { username: 'turned', first_name: '\u202EieM', last_name: 'Chong' }
    const { user } = (await exchange(await person('turned').token({ user_metadata }))).json()
    expect(user).toMatchObject({ firstName: null, lastName: 'Chong' })
  })

  it('makes one account of somebody with two tabs', async () => {
    const { token } = person('tabs')
    const responses = await Promise.all([1, 2, 3].map(async () => exchange(await token())))
    expect(responses.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200])
    expect(new Set(responses.map((response) => response.json().user.id)).size).toBe(1)
  })

  it('gives nobody an account for its address', async () => {
    await exchange(await person('owner').token())
    const response = await exchange(await person('thief').token({ email: 'owner@example.com' }))
    expect(response.statusCode).toBe(409)
    expect(response.json()).toMatchObject({ code: 'account-exists', message: 'Account exists, sign in to link' })
  })

  it('makes the administrator of whoever has the configured address, once', async () => {
    const { user } = (await exchange(await person('boss').token())).json()
    expect(user).toMatchObject({ isAdmin: true, isSeller: false })
    await identity.database.pool.query(sql.unsafe`
      update people set email = 'old.boss@example.com' where email = 'boss@example.com'`)
    const second = (await exchange(await person('boss').token())).json()
    expect(second.user).toMatchObject({ isAdmin: false, isSeller: true })
  })

  it('takes a token without a session for a session of its own', async () => {
    const token = await person('older').token({ session_id: null })
    expect((await exchange(token)).statusCode).toBe(200)
    expect((await exchange(token)).statusCode).toBe(200)
  })

  it('is refused to somebody who is banned', async () => {
    const { token } = person('banned')
    const { user } = (await exchange(await token())).json()
    await identity.database.pool.query(sql.unsafe`update users set is_banned = true where id = ${user.id}`)
    const response = await exchange(await token())
    expect(response.statusCode).toBe(403)
    expect(response.json().message).toBe('Account suspended')
  })

  const aMinuteAgo = Math.floor(Date.now() / 1000) - 60
  it.each<[string, Record<string, unknown>]>([
    ['another issuer', { iss: 'https://evil.test/auth/v1' }],
    ['no issuer', { iss: null }],
    ['another audience', { aud: 'anon' }],
    ['no audience', { aud: null }],
    ['a time that is over', { exp: aMinuteAgo }],
    ['no end', { exp: null }],
    ['nobody', { sub: null }],
    ['somebody without an id of theirs', { sub: 'service_role' }],
    ['no address', { email: null }],
    ['an empty address', { email: '' }],
    ['an address that is not confirmed', { user_metadata: { email_verified: false } }],
    ['an anonymous person', { is_anonymous: true }],
    ['an alias of ours', { email: 'user-1@sign-in.wangian.invalid' }],
  ])('is refused for %s', async (_name, claims) => {
    const response = await exchange(await person(`bad-${randomUUID()}`).token(claims))
    expect(response.statusCode).toBe(401)
    expect(response.json()).toMatchObject({ code: 'invalid-session', message: 'Invalid session' })
  })

  it('is refused for a token that somebody else signed, or nobody', async () => {
    const good = await person('forged').token()
    const [header = '', payload = ''] = good.split('.')
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
    const unsigned = `${Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')}.${payload}.`
    const stranger = await generateKeyPair('ES256')
    const asHosted = { alg: 'ES256', typ: 'JWT', kid: 'hosted' }
    const publicKey = new TextEncoder().encode(await exportSPKI(stranger.publicKey))
    const forged = {
      'another key': await new SignJWT(claims).setProtectedHeader(asHosted).sign(stranger.privateKey),
      'an unknown key': await new SignJWT(claims)
        .setProtectedHeader({ ...asHosted, kid: 'x' })
        .sign(stranger.privateKey),
      'a public key as a secret': await new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256', kid: 'hosted' })
        .sign(publicKey),
      'no signature': unsigned,
      'half a token': `${header}.${payload}`,
      nothing: 'x',
      'too much': `${good}${'x'.repeat(8192)}`.slice(0, 8192),
    }
    for (const [name, token] of Object.entries(forged)) {
      expect((await exchange(token)).statusCode, name).toBe(401)
    }
    expect((await exchange(good)).statusCode).toBe(200)
  })

  it('waits for a provider that is away, and is no reason to sign out', async () => {
    const elsewhere = await startFakeHostedProject()
    elsewhere.isAway = true
    const hosted = hostedSettings({ ...settings, authUrl: elsewhere.url, authAnonKey: ANON_KEY })
    const other = await createTestIdentity({ ...(hosted !== null && { hosted }) })
    const away = await exchange(await elsewhere.token(), other)
    elsewhere.isAway = false
    const back = await exchange(await elsewhere.token(), other)
    await other.stop()
    await elsewhere.stop()
    expect(away.statusCode).toBe(503)
    expect(back.statusCode).toBe(200)
  })

  it('knows projects that sign with a secret', async () => {
    const secret = 'a secret that has more than 32 characters'
    const older = await startFakeHostedProject(secret)
    const stranger = await startFakeHostedProject('another secret of more than 32 characters')
    const hosted = hostedSettings({
      ...settings,
      authUrl: older.url,
      authAnonKey: ANON_KEY,
      authJwtSecret: secret,
    })
    const other = await createTestIdentity({ ...(hosted !== null && { hosted }) })
    const good = await exchange(await older.token(), other)
    const bad = await exchange(await stranger.token({ iss: older.url }), other)
    const published = await exchange(await project.token({ iss: older.url }), other)
    await Promise.all([other.stop(), older.stop(), stranger.stop()])
    expect(good.statusCode).toBe(200)
    expect(bad.statusCode).toBe(401)
    expect(published.statusCode).toBe(401)
  })
})

describe('a second factor at the project', () => {
  const factors = [{ id: randomUUID(), status: 'verified' }]
  const identities: { id: string; provider: string }[] = []

  it('must be shown there before a session is one here', async () => {
    const { token } = person('careful')
    const low = await token({ aal: 'aal1' })
    project.users.set(low, { identities, factors })
    const refused = await exchange(low)
    expect([refused.statusCode, refused.json().code]).toEqual([403, 'second-factor-required'])
    expect((await exchange(await token({ aal: 'aal2' }))).statusCode).toBe(200)
  })

  it('is asked for once a session, and a project that is away is no reason to sign out', async () => {
    const { token } = person('simple')
    const low = await token({ aal: 'aal1' })
    project.isAway = true
    expect((await exchange(low)).statusCode).toBe(503)
    project.isAway = false
    project.users.set(low, { identities, factors: [{ id: randomUUID(), status: 'unverified' }] })
    expect((await exchange(low)).statusCode).toBe(200)
    project.isAway = true
    expect((await exchange(low)).statusCode).toBe(200)
  })

  it('makes an administrator one', async () => {
    const hosted = hostedSettings({ ...settings, authUrl: project.url, authAnonKey: ANON_KEY })
    if (hosted === null) throw new Error('it is set up')
    const strict = await createTestIdentity({ hosted, isFactorRequired: true })
    const boss = person('boss')
    const low = await boss.token()
    const [first, second] = [await exchange(low, strict), await exchange(await boss.token({ aal: 'aal2' }), strict)]
    const asked = await strict.app.inject({
      url: '/api/v1/auth/me',
      headers: { authorization: `Bearer ${second.json().token}` },
    })
    await strict.stop()
    expect(first.json().user).toMatchObject({ isAdmin: false, needsSecondFactor: true })
    expect(second.json().user).toMatchObject({ isAdmin: true, needsSecondFactor: false })
    expect(asked.json()).toEqual(second.json().user)
  })
})

describe('a hosted session', () => {
  it('that was ended here does not come back, and another one does', async () => {
    const { token } = person('leaver')
    const first = (await exchange(await token())).json()
    const logout = { method: 'POST', url: '/api/v1/auth/logout' } as const
    await identity.app.inject({ ...logout, headers: { authorization: `Bearer ${first.token}` } })
    expect((await me(first.token)).statusCode).toBe(401)
    expect((await exchange(await token())).statusCode).toBe(401)
    const again = await exchange(await token({ session_id: randomUUID() }))
    expect(again.statusCode).toBe(200)
    expect((await me(again.json().token)).statusCode).toBe(200)
  })

  it('of somebody else is refused', async () => {
    const victim = person('victim')
    await exchange(await victim.token())
    const response = await exchange(await person('borrower').token({ session_id: victim.session_id }))
    expect(response.statusCode).toBe(401)
  })
})

describe('with a hosted provider', () => {
  it('the web app learns its address and key', async () => {
    const response = await identity.app.inject('/api/v1/auth/provider')
    expect(response.json()).toEqual({ kind: 'hosted', url: project.url, key: ANON_KEY })
  })

  it('people are looked up with the address that the provider knows', async () => {
    const { user } = (await exchange(await person('lookup').token())).json()
    const lookup = (username: string) =>
      identity.app.inject({ method: 'POST', url: '/api/v1/auth/lookup-email', payload: { username } })
    expect((await lookup(user.username.toUpperCase())).json()).toEqual({ email: 'lookup@example.com' })
    expect((await lookup('nobody-at-all')).statusCode).toBe(404)
  })

  it.each([
    ['POST', '/auth/v1/token?grant_type=password'],
    ['POST', '/auth/v1/signup'],
    ['POST', '/auth/v1/recover'],
    ['GET', '/auth/v1/authorize?provider=facebook'],
    ['GET', '/auth/v1/callback'],
    ['GET', '/auth/v1/settings'],
    ['GET', '/auth/v1/user'],
    ['GET', '/auth/v1/.well-known/jwks.json'],
  ] as const)('the embedded one does not answer %s %s', async (method, url) => {
    const response = await identity.app.inject({ method, url, ...(method === 'POST' && { payload: {} }) })
    expect(response.statusCode).toBe(404)
  })
})

describe('sync-oauth-user', () => {
  async function fromFacebook(name: string, providerId: string) {
    const { token: sign, email, sub } = person(name)
    const token = await sign({ app_metadata: { provider: 'facebook', providers: ['facebook'] } })
    project.users.set(token, { identities: [{ id: providerId, provider: 'facebook' }] })
    const body = { email, provider: 'facebook', providerId }
    return { token, sub, body }
  }
  const sync = (token: string, body: object) =>
    identity.app.inject({
      method: 'POST',
      url: '/api/auth/sync-oauth-user',
      headers: { authorization: `Bearer ${token}` },
      payload: body,
    })

  it('makes an account of somebody new, and agrees again', async () => {
    const { token, body, sub } = await fromFacebook('synced', 'fb-1')
    expect((await sync(token, body)).statusCode).toBe(200)
    expect((await sync(token, body)).statusCode).toBe(200)
    expect((await sync(token, { ...body, providerId: sub })).statusCode).toBe(200)
    expect((await exchange(token)).json().user.email).toBe('synced@example.com')
  })

  it.each([
    ['another id', { providerId: 'fb-1' }],
    ['another address', { email: 'synced@example.com' }],
    ['another site', { provider: 'google' }],
  ])('refuses %s', async (_name, claim) => {
    const { token, body } = await fromFacebook(`liar-${randomUUID()}`, 'fb-2')
    const response = await sync(token, { ...body, ...claim })
    expect(response.statusCode).toBe(403)
    expect(response.json().message).toBe('Identity mismatch')
  })

  it('merges nobody by their address', async () => {
    await exchange(await person('merged').token())
    const { token, body } = await fromFacebook('merged', 'fb-3')
    const response = await sync(token, body)
    expect(response.statusCode).toBe(409)
    expect(response.json().message).toBe('Account exists, sign in to link')
  })

  it('gives nobody the identity of somebody else', async () => {
    const owner = await fromFacebook('fb-owner', 'fb-4')
    expect((await sync(owner.token, owner.body)).statusCode).toBe(200)
    const second = await fromFacebook('fb-second', 'fb-4')
    expect((await sync(second.token, second.body)).statusCode).toBe(409)
  })

  it('waits for a provider that is away, and ends when the provider has ended the session', async () => {
    const { token, body } = await fromFacebook('waiting', 'fb-5')
    project.isAway = true
    expect((await sync(token, body)).statusCode).toBe(503)
    project.isAway = false
    project.users.delete(token)
    expect((await sync(token, body)).statusCode).toBe(401)
  })
})
