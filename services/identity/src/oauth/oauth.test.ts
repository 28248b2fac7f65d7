import type { AddressInfo } from 'node:net'
import { CountRow, sql } from '@wangian/kit/database/postgres.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { decodeJwt } from 'jose'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { issueOneTimeToken } from '../mails/one-time-token.ts'
import { providerUrl } from '../sessions/tokens.ts'
import { type Account, findAccountByEmail, findPasswordHash, listIdentities } from '../store.ts'
import { type FakeFacebook, startFakeFacebook } from '../testing/fake-facebook.ts'
import { createTestBrowser, type Page, type TestBrowser } from '../testing/test-browser.ts'
import { createTestIdentity, currentVersion, PUBLIC_URL, signUp, type TestIdentity } from '../testing/test-identity.ts'
import { queuedMails, tokenIn } from '../testing/test-people.ts'
import { createFacebook } from './oauth-facebook.ts'

const minute = 60_000
const startMs = Date.parse('2026-11-21T08:00:00.000Z')
let facebook: FakeFacebook
let identity: TestIdentity
let serviceUrl: string
let nowMs = startMs

beforeAll(async () => {
  facebook = await startFakeFacebook()
  const provider = createFacebook({ ...facebook, callbackUrl: `${providerUrl(PUBLIC_URL)}/callback` })
  identity = await createTestIdentity({
    oauthProviders: new Map([[provider.name, provider]]),
    now: () => new Date(nowMs),
  })
  await identity.app.listen({ host: '127.0.0.1', port: 0 })
  serviceUrl = `http://127.0.0.1:${(identity.app.server.address() as AddressInfo).port}`
})
afterAll(async () => {
  await identity.stop()
  await facebook.stop()
})
beforeEach(() => {
  nowMs = startMs
  facebook.fault = null
  facebook.refused.length = 0
})

const browser = () => createTestBrowser(serviceUrl)

/** Goes to Facebook as this person and comes back. */
async function goAndComeBack(person: FakeFacebook['person'], tab: TestBrowser = browser()): Promise<Page> {
  facebook.person = person
  return tab.visit(await tab.facebookUrl())
}

async function signIn(person: NonNullable<FakeFacebook['person']>, tab: TestBrowser = browser()) {
  const page = await goAndComeBack(person, tab)
  const { data, error } = await tab.client.exchangeCodeForSession(page.url.searchParams.get('code') ?? '')
  if (error) throw error
  return data
}

/** What an act comes to that waits for somebody's row, while whoever holds it does something else. */
async function whileHeld<Result>(userId: number, act: () => Promise<Result>, statements: readonly string[]) {
  const holder = new pg.Client({ connectionString: identity.database.url })
  await holder.connect()
  await holder.query('begin')
  await holder.query('select from people where user_id = $1 for update', [userId])
  const acted = act()
  await eventually(async () => {
    const waiting = await identity.database.pool.oneFirst(sql.type(CountRow)`
      select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
    return waiting === 1
  })
  for (const statement of statements) await holder.query(statement, [userId])
  await holder.query('commit')
  await holder.end()
  return acted
}

const mailsTo = async (address: string) =>
  (await queuedMails(identity)).flatMap(({ kind, recipient }) => (recipient === address ? [kind] : []))

/** What the web app is told in the query; it must be the same behind the `#`. */
function refusalIn({ url }: Page) {
  expect(url.href.startsWith(`${PUBLIC_URL}/auth-callback?`)).toBe(true)
  expect(url.searchParams.has('code')).toBe(false)
  const query = Object.fromEntries(url.searchParams)
  expect(Object.fromEntries(new URLSearchParams(url.hash.slice(1)))).toEqual({ ...query, sb: '' })
  return query
}

async function exchangeForApp(accessToken: string) {
  return identity.app.inject({ method: 'POST', url: '/api/v1/auth/session', payload: { supabaseToken: accessToken } })
}

describe('a sign-in with Facebook', () => {
  it('makes an account of somebody new', async () => {
    const person = { id: '1001', email: 'Nur.Aina@Example.com', first_name: 'Nur Aina', last_name: 'Zulkifli' }
    const { session, user } = await signIn(person)
    expect(user).toMatchObject({
      email: 'nur.aina@example.com',
      email_confirmed_at: expect.any(String),
      app_metadata: { provider: 'facebook', providers: ['facebook'] },
      user_metadata: { username: 'nur.aina.zulkifli', first_name: 'Nur Aina', last_name: 'Zulkifli' },
      identities: [{ id: '1001', provider: 'facebook', email: 'nur.aina@example.com' }],
    })
    const { user: appUser } = (await exchangeForApp(session.access_token)).json()
    expect(appUser).toMatchObject({ username: 'nur.aina.zulkifli', isSeller: true, isAdmin: false, isVerified: true })
    expect(facebook.refused).toEqual([])
  })

  it('finds the same account again by the id, whatever the address is now', async () => {
    const first = await signIn({ id: '1002', email: 'again@example.com', name: 'Again Andagain' })
    const second = await signIn({ id: '1002', email: 'changed@example.com', name: 'Again Andagain' })
    expect(second.user.id).toBe(first.user.id)
    expect(second.user.email).toBe('again@example.com')
    const third = await signIn({ id: '1002' })
    expect(third.user.id).toBe(first.user.id)
    expect(decodeJwt(third.session.access_token).amr).toEqual([{ method: 'oauth', timestamp: startMs / 1000 }])
  })

  it('gives no code to whom the site is taken away from at that moment', async () => {
    const email = 'taken.away@example.com'
    await signIn({ id: '1012', email, name: 'Taken Away' })
    const { userId } = (await findAccountByEmail(identity.database.pool, email)) as Account
    const page = await whileHeld(userId, () => goAndComeBack({ id: '1012' }), [
      'delete from identities where user_id = $1',
      'delete from flow_states where user_id = $1 and code_hash is not null',
    ])
    expect(refusalIn(page)).toMatchObject({ error_code: 'provider_email_needs_verification' })
  })

  it('gives people with one name different usernames', async () => {
    const names: unknown[] = []
    for (const id of ['1003', '1004', '1005']) {
      const { user } = await signIn({ id, email: `twin${id}@example.com`, name: 'Wong Twin' })
      names.push(user.user_metadata.username)
    }
    expect(names).toEqual(['wong.twin', 'wong.twin2', 'wong.twin3'])
  })

  it('names people by their number when nothing of their name can be a username', async () => {
    const { user } = await signIn({ id: '1006', email: 'liming@example.com', first_name: '明', last_name: '李' })
    expect(user.user_metadata).toMatchObject({
      username: expect.stringMatching(/^user-\d+$/),
      first_name: '明',
      last_name: '李',
    })
  })

  it('signs in to the account with the same address, password and all', async () => {
    const { authId } = await signUp(identity.app, 'linked')
    const { user } = await signIn({ id: '1007', email: 'Linked@example.com', name: 'Linked Person' })
    expect(user.id).toBe(authId)
    expect(user.user_metadata.username).toBe('linked')
    expect(user.app_metadata).toEqual({ provider: 'email', providers: ['email', 'facebook'] })
    const { error } = await browser().client.signInWithPassword({
      email: 'linked@example.com',
      password: 'correct horse',
    })
    expect(error).toBeNull()
  })

  it('tells the owner of an account by mail that it can be entered that way from now on, once', async () => {
    await signUp(identity.app, 'told')
    const person = { id: '1107', email: 'told@example.com', name: 'Told' }
    const before = identity.appendedCount()
    await signIn(person)
    expect(identity.appendedCount()).toBe(before + 1)
    await signIn(person)
    expect(await mailsTo('told@example.com')).toEqual(['identity-linked'])
  })

  it('tells nobody who came that way in the first place', async () => {
    await signIn({ id: '1108', email: 'first.time@example.com', name: 'First Time' })
    expect(await mailsTo('first.time@example.com')).toEqual([])
  })

  it('takes the password of an account whose address nobody had verified', async () => {
    const { pool } = identity.database
    const { accessToken } = await signUp(identity.app, 'squatted')
    const email = 'squatted@example.com'
    await pool.query(sql.unsafe`update people set email_confirmed_at = null where email = ${email}`)
    const squatter = await findAccountByEmail(pool, email)
    await pool.query(sql.unsafe`
      delete from events where type = 'EmailVerified' and stream = ${`user-${squatter?.userId}`}`)
    const mailed = await issueOneTimeToken(pool, {
      userId: squatter?.userId ?? 0,
      kind: 'signup',
      email,
      flowId: null,
      passwordHash: 'of the squatter',
      now: new Date(nowMs),
    })
    const before = identity.appendedCount()
    const { user } = await signIn({ id: '1008', email, name: 'Right Ful' })
    expect(identity.appendedCount()).toBe(before + 1)
    expect(user).toMatchObject({ email_confirmed_at: expect.any(String), app_metadata: { providers: ['facebook'] } })
    const account = await findAccountByEmail(pool, email)
    expect(await findPasswordHash(pool, account?.userId ?? 0)).toBeNull()
    expect((await exchangeForApp(accessToken)).statusCode).toBe(401)
    const redeemed = await browser().client.verifyOtp({ type: 'signup', token_hash: mailed.token })
    expect(redeemed.error).toMatchObject({ code: 'otp_expired' })
    const { error } = await browser().client.signInWithPassword({ email, password: 'correct horse' })
    expect(error).toMatchObject({ code: 'invalid_credentials' })
  })

  it('makes one account of somebody who comes twice at once', async () => {
    const person = { id: '1009', email: 'twice@example.com', name: 'Twice Atonce' }
    const both = await Promise.all([signIn(person), signIn(person)])
    expect(new Set(both.map(({ user }) => user.id)).size).toBe(1)
    const account = await findAccountByEmail(identity.database.pool, person.email)
    expect(await listIdentities(identity.database.pool, account?.userId ?? 0)).toHaveLength(1)
  })

  it('leads to the page that the app wished for, with what was in its address', async () => {
    facebook.person = { id: '1010', email: 'wished@example.com', name: 'Wished' }
    const tab = browser()
    const { url } = await tab.visit(await tab.facebookUrl(`${PUBLIC_URL}/auth-callback?next=%2Fcart`))
    expect(url.searchParams.get('next')).toBe('/cart')
    expect(url.searchParams.get('code')).toMatch(/^[0-9a-f-]{36}$/)
    expect([...url.searchParams.keys()]).toEqual(['next', 'code'])
  })

  it('never leads to a stranger', async () => {
    facebook.person = { id: '1011', email: 'stranger@example.com', name: 'Stranger' }
    const tab = browser()
    const { url } = await tab.visit(await tab.facebookUrl('https://evil.test/auth-callback'))
    expect(url.origin).toBe(PUBLIC_URL)
    expect(url.pathname).toBe('/')
  })
})

describe('a sign-in with Facebook is refused', () => {
  it('when the person says no', async () => {
    expect(refusalIn(await goAndComeBack(null))).toEqual({
      error: 'access_denied',
      error_code: 'access_denied',
      error_description: 'You cancelled the sign-in with Facebook',
    })
  })

  it.each([
    ['no address', {}],
    ['an empty one', { email: '' }],
    ['what is none', { email: 'not an address' }],
    ['a sign-in alias of ours', { email: 'user-1@sign-in.wangian.invalid' }],
  ])('to somebody new when Facebook gives %s', async (_name, given) => {
    const refusal = refusalIn(await goAndComeBack({ id: '2001', name: 'No Address', ...given }))
    expect(refusal).toMatchObject({ error: 'access_denied', error_code: 'provider_email_needs_verification' })
    expect(refusal.error_description).toContain('Error getting user email from external provider')
  })

  it.each(['by the id', 'by the address'])('to somebody who is banned, found %s', async (way) => {
    const email = `banned-${way.at(-1)}@example.com`
    const person = { id: `300${way.at(-1)}`, email, name: 'Banned' }
    await signIn(person)
    const { pool } = identity.database
    const account = await findAccountByEmail(pool, email)
    await pool.query(sql.unsafe`update users set is_banned = true where id = ${account?.userId ?? 0}`)
    const page = await goAndComeBack(way === 'by the id' ? person : { ...person, id: '3999' })
    expect(refusalIn(page)).toEqual({
      error: 'access_denied',
      error_code: 'user_banned',
      error_description: 'User is banned',
    })
    expect(await listIdentities(pool, account?.userId ?? 0)).toHaveLength(1)
  })

  it.each([
    [
      'refuses the code',
      { path: '/oauth/access_token', status: 400, body: '{"error":{"type":"x","code":1,"message":"m"}}' },
    ],
    ['fails', { path: '/oauth/access_token', status: 500, body: 'oops' }],
    ['gives no token', { path: '/oauth/access_token', status: 200, body: '{}' }],
    ['refuses the profile', { path: '/me', status: 400, body: '{}' }],
    ['gives nobody', { path: '/me', status: 200, body: '{"email":"x@example.com"}' }],
    ['leads elsewhere', { path: '/me', status: 302, body: '' }],
  ])('when Facebook %s', async (_name, fault) => {
    facebook.fault = fault
    expect(refusalIn(await goAndComeBack({ id: '2002', email: 'fault@example.com' }))).toMatchObject({
      error: 'server_error',
      error_code: 'unexpected_failure',
    })
  })

  it('with a code that Facebook did not give', async () => {
    const tab = browser()
    const dialog = await tab.visit((await tab.facebookUrl()).replace('provider=facebook', 'provider=facebook&x=1'))
    expect(dialog.url.pathname).toBe('/auth-callback')
    const state = await stateOf(tab)
    const page = await tab.visit(`${PUBLIC_URL}/auth/v1/callback?${new URLSearchParams({ state, code: 'made-up' })}`)
    expect(refusalIn(page)).toMatchObject({ error: 'server_error' })
    expect(facebook.refused).toEqual(['This authorization code has been used.'])
  })

  it('without a code', async () => {
    const tab = browser()
    const page = await tab.visit(`${PUBLIC_URL}/auth/v1/callback?state=${await stateOf(tab)}`)
    expect(refusalIn(page)).toMatchObject({ error: 'invalid_request', error_code: 'bad_oauth_callback' })
  })
})

/** Begins and stays at Facebook's dialog: the state that is awaited. */
async function stateOf(tab: TestBrowser): Promise<string> {
  const response = await fetch(await tab.facebookUrl(), {
    redirect: 'manual',
    headers: { cookie: [...tab.cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
  })
  const [, value = ''] = /^wangian-oauth=([^;]+)/.exec(response.headers.get('set-cookie') ?? '') ?? []
  tab.cookies.set('wangian-oauth', value)
  return new URL(response.headers.get('location') ?? '').searchParams.get('state') ?? ''
}

describe('the state', () => {
  const callback = (tab: TestBrowser, state: string) =>
    tab.visit(`${PUBLIC_URL}/auth/v1/callback?${new URLSearchParams({ state, error: 'access_denied' })}`)
  const badState = {
    error: 'invalid_request',
    error_code: 'bad_oauth_state',
    error_description: 'OAuth state not found or expired',
  }

  it.each(['', 'x', '0f4e7d0e-9d5c-4f6e-8a53-5d8b3f0f2a11'])('%j is refused', async (state) => {
    expect(refusalIn(await callback(browser(), state))).toEqual(badState)
  })

  it('is refused after five minutes', async () => {
    const tab = browser()
    const state = await stateOf(tab)
    nowMs += 5 * minute + 1
    expect(refusalIn(await callback(tab, state))).toEqual(badState)
  })

  it('is good once', async () => {
    const tab = browser()
    const state = await stateOf(tab)
    expect(refusalIn(await callback(tab, state))).toMatchObject({ error_code: 'access_denied' })
    expect(refusalIn(await callback(tab, state))).toEqual({
      error: 'invalid_request',
      error_code: 'flow_state_already_used',
      error_description: 'OAuth state has already been used',
    })
  })

  it('is refused to another browser, and stays good for its own', async () => {
    const tab = browser()
    const state = await stateOf(tab)
    const stranger = browser()
    expect(refusalIn(await callback(stranger, state))).toEqual(badState)
    await stateOf(stranger)
    expect(refusalIn(await callback(stranger, state))).toEqual(badState)
    expect(refusalIn(await callback(tab, state))).toMatchObject({ error_code: 'access_denied' })
  })

  it('of two tabs of one browser is good in both', async () => {
    const tab = browser()
    const states = [await stateOf(tab), await stateOf(tab)]
    for (const state of states) {
      expect(refusalIn(await callback(tab, state))).toMatchObject({ error_code: 'access_denied' })
    }
  })

  it('is taken from a form, too', async () => {
    const tab = browser()
    const state = await stateOf(tab)
    const page = await tab.visit(`${PUBLIC_URL}/auth/v1/callback`, { state, error: 'access_denied' })
    expect(refusalIn(page)).toMatchObject({ error_code: 'access_denied' })
  })
})

describe('a HEAD', () => {
  it('uses no state up, and begins nothing', async () => {
    const tab = browser()
    const state = await stateOf(tab)
    const head = (path: string) => fetch(`${serviceUrl}/auth/v1${path}`, { method: 'HEAD', redirect: 'manual' })
    const query = new URLSearchParams({ state, error: 'access_denied' })
    expect((await head(`/callback?${query}`)).status).toBeGreaterThanOrEqual(400)
    expect((await head('/authorize?provider=facebook')).status).toBeGreaterThanOrEqual(400)
    const page = await tab.visit(`${PUBLIC_URL}/auth/v1/callback?${query}`)
    expect(refusalIn(page)).toMatchObject({ error_code: 'access_denied' })
  })
})

describe('the beginning', () => {
  const authorize = (query: Record<string, string>) =>
    identity.app.inject({ method: 'GET', url: '/auth/v1/authorize', query, headers: currentVersion })
  const pkce = { code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', code_challenge_method: 's256' }

  it('asks Facebook for what was wished, and for the address', async () => {
    const response = await authorize({ provider: 'facebook', scopes: 'public_profile, email user_friends', ...pkce })
    expect(response.statusCode).toBe(302)
    const url = new URL(String(response.headers.location))
    expect(url.origin + url.pathname).toBe(facebook.dialogUrl)
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: facebook.appId,
      redirect_uri: 'https://wangian.test/auth/v1/callback',
      response_type: 'code',
      scope: 'email public_profile user_friends',
      state: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
    expect(response.headers['set-cookie']).toMatch(
      /^wangian-oauth=[\w-]{43}; Path=\/auth\/v1; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/,
    )
  })

  const disabled = 'Unsupported provider: provider is not enabled'
  it.each([
    ['an unknown site', { provider: 'myspace', ...pkce }, disabled],
    ['a site that is not set up', { provider: 'google', ...pkce }, disabled],
    ['no site', pkce, disabled],
    ['no challenge', { provider: 'facebook' }, 'Only the PKCE flow is supported'],
    [
      'half a challenge',
      { provider: 'facebook', code_challenge: pkce.code_challenge },
      'PKCE flow requires both code_challenge and code_challenge_method',
    ],
    [
      'a plain challenge',
      { provider: 'facebook', ...pkce, code_challenge_method: 'plain' },
      'code challenge method must be s256',
    ],
  ])('is refused with %s', async (_name, query, message) => {
    const response = await authorize(query)
    expect(response.statusCode).toBe(400)
    expect(response.json()).toEqual({ code: 'validation_failed', message })
  })

  it('is told of in the settings', async () => {
    const { external } = (await identity.app.inject('/auth/v1/settings')).json()
    expect(external).toMatchObject({ email: true, facebook: true, google: false })
  })
})

describe('disconnecting Facebook', () => {
  /** Somebody who is signed in by Facebook, and that way of theirs. */
  async function arrive(id: string, email: string) {
    const tab = browser()
    const { user } = await signIn({ id, email, name: 'Dis Connected' }, tab)
    const facebookIdentity = user.identities?.find(({ provider }) => provider === 'facebook')
    if (facebookIdentity === undefined) throw new Error('they came by Facebook')
    return { client: tab.client, facebookIdentity }
  }

  it('is told by mail, and leaves the password', async () => {
    const email = 'disconnects@example.com'
    await signUp(identity.app, 'disconnects')
    const { client, facebookIdentity } = await arrive('6001', email)
    expect((await client.unlinkIdentity(facebookIdentity)).error).toBeNull()
    expect(await mailsTo(email)).toEqual(['identity-linked', 'identity-unlinked'])
    const { data } = await client.getUser()
    expect(data.user?.app_metadata).toEqual({ provider: 'email', providers: ['email'] })
    expect((await client.unlinkIdentity(facebookIdentity)).error).toMatchObject({
      status: 404,
      code: 'identity_not_found',
    })
    const again = await browser().client.signInWithPassword({ email, password: 'correct horse' })
    expect(again.error).toBeNull()
  })

  it('keeps out whoever has that account of Facebook, although it has the same address', async () => {
    const email = 'taken.over@example.com'
    await signUp(identity.app, 'taken.over')
    const { client, facebookIdentity } = await arrive('6005', email)
    expect((await client.unlinkIdentity(facebookIdentity)).error).toBeNull()
    const page = await goAndComeBack({ id: '6005', email, name: 'Dis Connected' })
    expect(refusalIn(page)).toMatchObject({ error: 'access_denied' })
    expect(await mailsTo(email)).toEqual(['identity-linked', 'identity-unlinked'])
    // Another account of Facebook's proves the address anew.
    await signIn({ id: '6006', email, name: 'Dis Connected' })
  })

  it('ends what was opened by it, but not where it is asked for, nor what a password has opened', async () => {
    const email = 'intruded@example.com'
    await signUp(identity.app, 'intruded')
    const intruder = await arrive('6007', email)
    const { client, facebookIdentity } = await arrive('6007', email)
    const byPassword = browser().client
    expect((await byPassword.signInWithPassword({ email, password: 'correct horse' })).error).toBeNull()
    expect((await client.unlinkIdentity(facebookIdentity)).error).toBeNull()
    const isIn = async (one: typeof client) => (await one.getUser()).error === null
    expect([await isIn(intruder.client), await isIn(client), await isIn(byPassword)]).toEqual([false, true, true])
  })

  it('is refused while it is the only way in, and possible once there is a password', async () => {
    const email = 'only.way@example.com'
    const { client, facebookIdentity } = await arrive('6002', email)
    const refused = await client.unlinkIdentity(facebookIdentity)
    expect(refused.error).toMatchObject({ status: 422, code: 'single_identity_not_deletable' })
    await client.resetPasswordForEmail(email)
    const mail = (await queuedMails(identity)).find(({ recipient }) => recipient === email)
    await client.verifyOtp({ type: 'recovery', token_hash: tokenIn(mail) })
    expect((await client.updateUser({ password: 'amber and oud' })).error).toBeNull()
    expect((await client.unlinkIdentity(facebookIdentity)).error).toBeNull()
    expect(await mailsTo(email)).toEqual(['reset-password', 'password-set', 'identity-unlinked'])
  })

  it('is refused to a session that ends while it is asked for', async () => {
    const email = 'ended.meanwhile@example.com'
    const { pool } = identity.database
    await signUp(identity.app, 'ended.meanwhile')
    const { client, facebookIdentity } = await arrive('6005', email)
    const { userId } = (await findAccountByEmail(pool, email)) as Account
    const asked = await whileHeld(userId, () => client.unlinkIdentity(facebookIdentity), [
      'update sessions set revoked_at = now() where user_id = $1',
    ])
    expect(asked.error?.name).toBe('AuthSessionMissingError')
    expect((await listIdentities(pool, userId)).map(({ provider }) => provider)).toContain('facebook')
  })

  it('is refused for what belongs to somebody else, is a password, or is nothing', async () => {
    await signUp(identity.app, 'disconnected')
    const mine = await arrive('6003', 'disconnected@example.com')
    const theirs = await arrive('6004', 'others.identity@example.com')
    const { data } = await mine.client.getUserIdentities()
    const password = data?.identities.find(({ provider }) => provider === 'email')
    for (const identity_id of [theirs.facebookIdentity.identity_id, password?.identity_id ?? '', 'x', '%00']) {
      const { error } = await mine.client.unlinkIdentity({ ...mine.facebookIdentity, identity_id })
      expect(error?.status, identity_id).toBeGreaterThanOrEqual(400)
      expect(error?.status, identity_id).toBeLessThan(500)
    }
    expect((await theirs.client.getUserIdentities()).data?.identities).toHaveLength(1)
  })
})
