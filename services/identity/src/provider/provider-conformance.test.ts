import type { AddressInfo } from 'node:net'
import { AuthClient } from '@supabase/auth-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestIdentity, type TestIdentity } from '../testing/test-identity.ts'

const password = 'correct horse'
let identity: TestIdentity
let url: string

beforeAll(async () => {
  identity = await createTestIdentity()
  await identity.app.listen({ host: '127.0.0.1', port: 0 })
  url = `http://127.0.0.1:${(identity.app.server.address() as AddressInfo).port}/auth/v1`
})
afterAll(() => identity.stop())

/** The published client as the web app uses it, with a storage of its own: one browser. */
function browser() {
  const values = new Map<string, string>()
  const events: string[] = []
  const client = new AuthClient({
    url,
    headers: { apikey: 'embedded' },
    flowType: 'pkce',
    storageKey: `test-${Math.random()}`,
    detectSessionInUrl: false,
    autoRefreshToken: false,
    storage: {
      getItem: (key) => values.get(key) ?? null,
      setItem: (key, value) => void values.set(key, value),
      removeItem: (key) => void values.delete(key),
    },
  })
  client.onAuthStateChange((event) => void events.push(event))
  return { client, events }
}

async function signedUp(username: string) {
  const { client, events } = browser()
  const email = `${username}@example.com`
  const { data, error } = await client.signUp({
    email,
    password,
    options: {
      data: { username, first_name: 'Mei', last_name: 'Chong' },
      emailRedirectTo: 'https://wangian.test/auth',
    },
  })
  if (error) throw error
  if (!data.session || !data.user) throw new Error('a sign-up gives a session')
  return { client, events, email, session: data.session, user: data.user }
}

describe('signUp', () => {
  it('gives a confirmed user with their data, and a session', async () => {
    const { session, user, events } = await signedUp('mei')
    expect(user).toMatchObject({
      aud: 'authenticated',
      role: 'authenticated',
      email: 'mei@example.com',
      phone: '',
      app_metadata: { provider: 'email', providers: ['email'] },
      user_metadata: { username: 'mei', first_name: 'Mei', last_name: 'Chong', email_verified: true, sub: user.id },
      is_anonymous: false,
      email_confirmed_at: expect.stringMatching(/^\d{4}-.*Z$/),
      last_sign_in_at: expect.stringMatching(/^\d{4}-.*Z$/),
    })
    expect(user.identities).toEqual([
      {
        identity_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        id: user.id,
        user_id: user.id,
        identity_data: expect.objectContaining({ sub: user.id, email: 'mei@example.com', username: 'mei' }),
        provider: 'email',
        last_sign_in_at: expect.any(String),
        created_at: expect.any(String),
        updated_at: expect.any(String),
        email: 'mei@example.com',
      },
    ])
    expect(session).toMatchObject({ token_type: 'bearer', expires_in: 3600 })
    expect(Math.abs((session.expires_at ?? 0) - Date.now() / 1000 - 3600)).toBeLessThan(30)
    expect(events).toContain('SIGNED_IN')
  })

  it('refuses a known address', async () => {
    const { email } = await signedUp('known')
    const { error } = await browser().client.signUp({ email: email.toUpperCase(), password })
    expect(error).toMatchObject({ status: 422, code: 'user_already_exists', message: 'User already registered' })
  })

  it('refuses a username that somebody has, in whatever case', async () => {
    await signedUp('taken')
    const { error } = await browser().client.signUp({
      email: 'other@example.com',
      password,
      options: { data: { username: 'TAKEN' } },
    })
    expect(error).toMatchObject({ status: 422, code: 'username_exists', message: 'Username is already taken' })
  })

  it('names what is weak about a password', async () => {
    const { error } = await browser().client.signUp({ email: 'weak@example.com', password: 'short' })
    expect(error).toMatchObject({
      name: 'AuthWeakPasswordError',
      status: 422,
      code: 'weak_password',
      message: 'Password should be at least 6 characters.',
      reasons: ['length'],
    })
  })
})

describe('signInWithPassword', () => {
  it('gives a session', async () => {
    const { email, user } = await signedUp('signer')
    const { data, error } = await browser().client.signInWithPassword({ email: ` ${email.toUpperCase()}`, password })
    expect(error).toBeNull()
    expect(data.user?.id).toBe(user.id)
    expect(data.session?.refresh_token).toBeTruthy()
  })

  it.each(['signer@example.com', 'nobody@example.com'])('refuses a wrong password for %s', async (email) => {
    const { error } = await browser().client.signInWithPassword({ email, password: 'wrong horse' })
    expect(error).toMatchObject({
      name: 'AuthApiError',
      status: 400,
      code: 'invalid_credentials',
      message: 'Invalid login credentials',
    })
  })
})

describe('refreshSession', () => {
  it('rotates the refresh token', async () => {
    const { client, session, user } = await signedUp('rotating')
    const first = await client.refreshSession()
    expect(first.error).toBeNull()
    expect(first.data.session?.refresh_token).not.toBe(session.refresh_token)
    const second = await client.refreshSession()
    expect(second.error).toBeNull()
    expect(second.data.user?.id).toBe(user.id)
    expect((await client.getUser()).data.user?.id).toBe(user.id)
  })

  it('gives the active token to whoever has the one before it', async () => {
    const { client, session } = await signedUp('two-tabs')
    const { data } = await client.refreshSession()
    const otherTab = await browser().client.refreshSession({ refresh_token: session.refresh_token })
    expect(otherTab.error).toBeNull()
    expect(otherTab.data.session?.refresh_token).toBe(data.session?.refresh_token)
    expect((await client.refreshSession()).error).toBeNull()
  })

  it('gives both of two who refresh at the same moment the same next token', async () => {
    const { session } = await signedUp('same-moment')
    const refreshes = await Promise.all(
      [1, 2].map(() => browser().client.refreshSession({ refresh_token: session.refresh_token })),
    )
    const [first, second] = refreshes.map(({ data, error }) => error ?? data.session?.refresh_token)
    expect(first).toEqual(expect.any(String))
    expect(second).toBe(first)
  })

  it('ends the session, newest token included, when an older one is used', async () => {
    const { client, session, email } = await signedUp('stolen')
    const bystander = browser().client
    await bystander.signInWithPassword({ email, password })
    await client.refreshSession()
    const newest = await client.refreshSession()
    const refused = { status: 400, code: 'refresh_token_already_used', message: 'Invalid Refresh Token: Already Used' }

    const thief = await browser().client.refreshSession({ refresh_token: session.refresh_token })
    expect(thief.error).toMatchObject(refused)
    const owner = await browser().client.refreshSession({ refresh_token: newest.data.session?.refresh_token ?? '' })
    expect(owner.error).toMatchObject(refused)
    expect((await client.getUser()).error?.name).toBe('AuthSessionMissingError')
    // The other session of the same person is none of the thief's.
    expect((await bystander.refreshSession()).error).toBeNull()
  })

  it('refuses what is no refresh token', async () => {
    const { error } = await browser().client.refreshSession({ refresh_token: 'v1.MrJ2sdSUmCCkHGkqlMXNBw' })
    expect(error).toMatchObject({
      status: 400,
      code: 'refresh_token_not_found',
      message: 'Invalid Refresh Token: Refresh Token Not Found',
    })
  })
})

describe('getUser, setSession and getClaims', () => {
  it('answer from a session of another place', async () => {
    const { session, user } = await signedUp('carrier')
    const { client } = browser()
    const { access_token, refresh_token } = session
    const set = await client.setSession({ access_token, refresh_token })
    expect(set.error).toBeNull()
    expect((await client.getUser()).data.user).toEqual(user)
  })

  it('verify the token in the client with our published key', async () => {
    const { client, user, session } = await signedUp('claimant')
    const { data, error } = await client.getClaims(session.access_token)
    expect(error).toBeNull()
    expect(data?.header).toMatchObject({ alg: 'ES256', typ: 'JWT' })
    expect(data?.claims).toMatchObject({
      iss: 'https://wangian.test/auth/v1',
      sub: user.id,
      aud: 'authenticated',
      role: 'authenticated',
      email: 'claimant@example.com',
      phone: '',
      aal: 'aal1',
      amr: [{ method: 'password', timestamp: expect.any(Number) }],
      session_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      is_anonymous: false,
    })
    expect(data?.claims.user_metadata).toMatchObject({ username: 'claimant' })
  })

  it('refuse a token that is none', async () => {
    const { error } = await browser().client.getUser('not.a.token')
    expect(error).toMatchObject({ status: 403, code: 'bad_jwt' })
  })
})

describe('signOut', () => {
  it('ends this session only, with scope local', async () => {
    const { client, email, session, events } = await signedUp('leaver')
    const elsewhere = browser().client
    await elsewhere.signInWithPassword({ email, password })
    expect((await client.signOut({ scope: 'local' })).error).toBeNull()
    expect(events).toContain('SIGNED_OUT')
    expect((await browser().client.getUser(session.access_token)).error?.name).toBe('AuthSessionMissingError')
    const { error } = await browser().client.refreshSession({ refresh_token: session.refresh_token })
    expect(error).toMatchObject({ status: 400, code: 'refresh_token_not_found' })
    expect((await elsewhere.getUser()).error).toBeNull()
  })

  it('ends the other sessions only, with scope others', async () => {
    const { client, email } = await signedUp('only-one')
    const elsewhere = browser().client
    await elsewhere.signInWithPassword({ email, password })
    expect((await client.signOut({ scope: 'others' })).error).toBeNull()
    expect((await client.getUser()).error).toBeNull()
    expect((await elsewhere.getUser()).error?.name).toBe('AuthSessionMissingError')
  })

  it('ends all sessions without a scope', async () => {
    const { client, email } = await signedUp('everywhere')
    const elsewhere = browser().client
    await elsewhere.signInWithPassword({ email, password })
    expect((await client.signOut()).error).toBeNull()
    expect((await elsewhere.getUser()).error?.name).toBe('AuthSessionMissingError')
  })
})
