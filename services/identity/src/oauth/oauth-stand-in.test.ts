import type { AddressInfo } from 'node:net'
import { sql } from '@wangian/kit/database/postgres.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ensureDemoAccounts } from '../accounts/first-accounts.ts'
import { findAccountByEmail, listIdentities } from '../store.ts'
import { createTestBrowser, type Page } from '../testing/test-browser.ts'
import { createTestIdentity, currentVersion, PUBLIC_URL, signUp, type TestIdentity } from '../testing/test-identity.ts'
import { oauthProviders } from './oauth-providers.ts'

const facebookAddresses = {
  authExternalFacebookEnabled: true,
  publicUrl: PUBLIC_URL,
  facebookDialogUrl: 'https://www.facebook.com/dialog/oauth',
  facebookGraphUrl: 'https://graph.facebook.com',
}
const none = { facebookAppId: undefined, facebookAppSecret: undefined }
let identity: TestIdentity
let serviceUrl: string

beforeAll(async () => {
  identity = await createTestIdentity({
    oauthProviders: oauthProviders({
      ...facebookAddresses,
      ...none,
      nodeEnv: 'development',
    }),
  })
  await ensureDemoAccounts(identity.database.pool, new Date())
  await identity.app.listen({ host: '127.0.0.1', port: 0 })
  serviceUrl = `http://127.0.0.1:${(identity.app.server.address() as AddressInfo).port}`
})
afterAll(() => identity.stop())

const browser = () => createTestBrowser(serviceUrl)

async function signIn(fields: Record<string, string>) {
  const tab = browser()
  const page = await tab.consent(await tab.visit(await tab.facebookUrl()), fields)
  const { data, error } = await tab.client.exchangeCodeForSession(page.url.searchParams.get('code') ?? '')
  if (error) throw error
  return data
}

const codeOf = ({ url }: Page) => url.searchParams.get('error_code')

describe('the page that stands for Facebook', () => {
  it('is a form that works without script', async () => {
    const tab = browser()
    const page = await tab.visit(await tab.facebookUrl())
    expect(page.status).toBe(200)
    expect(page.url.pathname).toBe('/auth/v1/stand-in/facebook')
    expect(page.body).not.toContain('<script')
    const names = [...page.body.matchAll(/<(?:input|button)[^>]* name="(\w+)"/g)].map(([, name]) => name)
    expect(new Set(names)).toEqual(new Set(['state', 'person', 'name', 'email', 'id', 'decision']))
    const people = [...page.body.matchAll(/name="person" value="(\w+)"/g)].map(([, person]) => person)
    expect(people).toContain('bala')
    expect(people).not.toContain('admin')
  })

  it('lets the browser run nothing, and send the form nowhere but to us and the app', async () => {
    const response = await fetch(await standInUrl())
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'unsafe-inline'; form-action 'self' https://wangian.test; frame-ancestors 'none'; base-uri 'none'",
    )
  })

  it('signs in somebody who is typed', async () => {
    const person = { name: 'Siti Hajar', email: 'Siti@Example.com', id: 'fb-77' }
    const first = await signIn(person)
    expect(first.user).toMatchObject({
      email: 'siti@example.com',
      user_metadata: { username: 'siti.hajar', first_name: 'Siti', last_name: 'Hajar' },
      identities: [{ id: 'fb-77', provider: 'facebook' }],
    })
    expect((await signIn(person)).user.id).toBe(first.user.id)
  })

  it('signs in somebody who is chosen from the demo people', async () => {
    const { user } = await signIn({ person: 'bala' })
    expect(user).toMatchObject({ email: 'bala@wangian.test', user_metadata: { username: 'bala' } })
  })

  it('gives the same id to the same address, when none is typed', async () => {
    const first = await signIn({ name: 'First', email: 'same@example.com' })
    const second = await signIn({ name: 'Second', email: 'SAME@example.com' })
    expect(second.user.identities).toEqual(first.user.identities?.map((one) => expect.objectContaining({ id: one.id })))
  })

  it('signs in to the account with the typed address', async () => {
    const { authId } = await signUp(identity.app, 'typed')
    const { user } = await signIn({ name: 'Typed', email: 'typed@example.com' })
    expect(user.id).toBe(authId)
    expect(user.app_metadata.providers).toEqual(['email', 'facebook'])
  })

  it('signs no administrator in', async () => {
    const tab = browser()
    const dialog = await tab.visit(await tab.facebookUrl())
    const page = await tab.consent(dialog, { name: 'Aminah', email: 'admin@wangian.test' })
    expect(codeOf(page)).toBe('access_denied')
    const { pool } = identity.database
    const admin = await findAccountByEmail(pool, 'admin@wangian.test')
    expect((await listIdentities(pool, admin?.userId ?? 0)).map(({ provider }) => provider)).toEqual(['email'])
  })

  it('says that the person cancelled', async () => {
    const tab = browser()
    const page = await tab.consent(await tab.visit(await tab.facebookUrl()), { decision: 'cancel' })
    expect(page.url.pathname).toBe('/auth-callback')
    expect(page.url.searchParams.get('error_description')).toBe('You cancelled the sign-in with Facebook')
  })

  it('can show no address, which a new person needs', async () => {
    const tab = browser()
    const page = await tab.consent(await tab.visit(await tab.facebookUrl()), { name: 'No Address' })
    expect(codeOf(page)).toBe('provider_email_needs_verification')
  })

  it.each([
    ['no name', { email: 'x@example.com' }],
    ['no address but a word', { name: 'X', email: 'x' }],
    ['somebody who is not on the list', { person: 'admin' }],
  ])('asks again for %s, and keeps what was typed', async (_name, fields) => {
    const tab = browser()
    const page = await tab.consent(await tab.visit(await tab.facebookUrl()), { id: '"><b>', ...fields })
    expect(page.status).toBe(422)
    expect(page.body).toContain('role="alert"')
    expect(page.body).toContain('value="&quot;&gt;&lt;b&gt;"')
    expect(page.body).not.toContain('"><b>')
    const next = await tab.consent(page, { name: 'Now Right', email: 'now.right@example.com', id: '' })
    expect(next.url.searchParams.has('code')).toBe(true)
  })

  it.each(['', 'x', '0f4e7d0e-9d5c-4f6e-8a53-5d8b3f0f2a11'])('is not there for the state %j', async (state) => {
    const tab = browser()
    expect(codeOf(await tab.visit(`${PUBLIC_URL}/auth/v1/stand-in/facebook?state=${state}`))).toBe('bad_oauth_state')
    const form = { state, decision: 'allow', person: 'bala' }
    expect(codeOf(await tab.visit(`${PUBLIC_URL}/auth/v1/stand-in/facebook`, form))).toBe('bad_oauth_state')
  })

  it('is good once', async () => {
    const tab = browser()
    const dialog = await tab.visit(await tab.facebookUrl())
    expect((await tab.consent(dialog, { person: 'bala' })).url.searchParams.has('code')).toBe(true)
    expect(codeOf(await tab.consent(dialog, { person: 'mei' }))).toBe('flow_state_already_used')
  })

  async function standInUrl(): Promise<string> {
    const tab = browser()
    const { url } = await tab.visit(await tab.facebookUrl())
    return `${serviceUrl}${url.pathname}${url.search}`
  }
})

describe('Facebook', () => {
  const app = { facebookAppId: '1', facebookAppSecret: 'x' }
  it.each([
    ['itself, with an app', app, 'production', false],
    ['itself, with an app, elsewhere too', app, 'development', false],
    ['a page that stands for it, without', none, 'development', true],
    ['a page that stands for it, in tests', none, 'test', true],
  ] as const)('is %s', (_name, settings, nodeEnv, isStandIn) => {
    const provider = oauthProviders({ ...facebookAddresses, ...settings, nodeEnv }).get('facebook')
    expect(provider?.isStandIn).toBe(isStandIn)
  })

  it('is not there without an app in production', async () => {
    const providers = oauthProviders({ ...facebookAddresses, ...none, nodeEnv: 'production' })
    expect(providers.size).toBe(0)
    const production = await createTestIdentity({ oauthProviders: providers })
    const query = new URLSearchParams({
      provider: 'facebook',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 's256',
    })
    const get = (url: string) => production.app.inject({ method: 'GET', url, headers: currentVersion })
    const refused = await get(`/auth/v1/authorize?${query}`)
    const settings = await get('/auth/v1/settings')
    const standIn = await get('/auth/v1/stand-in/facebook?state=x')
    await production.stop()
    expect(refused.statusCode).toBe(400)
    expect(refused.json()).toEqual({
      code: 'validation_failed',
      message: 'Unsupported provider: provider is not enabled',
    })
    expect(settings.json().external.facebook).toBe(false)
    expect(standIn.statusCode).toBe(404)
  })
})

describe('sync-oauth-user', () => {
  const sync = (body: unknown, token?: string) =>
    identity.app.inject({
      method: 'POST',
      url: '/api/auth/sync-oauth-user',
      payload: body as object,
      ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
    })

  async function someone(number: number) {
    const email = `sync${number}@example.com`
    const { session, user } = await signIn({ name: 'Sync', email, id: `fb-sync-${number}` })
    return { token: session.access_token, userId: user.id, email }
  }

  it('agrees with who came from Facebook', async () => {
    const { token, email, userId } = await someone(1)
    const body = { email: email.toUpperCase(), provider: 'facebook', providerId: 'fb-sync-1' }
    const response = await sync(body, token)
    expect(response.statusCode).toBe(200)
    expect(response.json()).toEqual({ success: true })
    expect((await sync({ ...body, providerId: userId }, token)).statusCode).toBe(200)
  })

  it.each([
    ['another address', { email: 'bala@wangian.test' }],
    ['no address', { email: '' }],
    ['another id', { providerId: 'fb-sync-1' }],
    ['another site', { provider: 'google' }],
    ['a site with which this person does not sign in', { provider: 'email' }],
  ])('refuses %s', async (_name, claim) => {
    const { token, email } = await someone(2)
    const response = await sync({ email, provider: 'facebook', providerId: 'fb-sync-2', ...claim }, token)
    expect(response.statusCode).toBe(403)
    expect(response.json()).toMatchObject({ code: 'identity-mismatch', message: 'Identity mismatch' })
  })

  it('refuses whoever has no good token of the provider', async () => {
    const { token, email } = await someone(3)
    const body = { email, provider: 'facebook', providerId: 'fb-sync-3' }
    const exchanged = await identity.app.inject({
      method: 'POST',
      url: '/api/v1/auth/session',
      payload: { supabaseToken: token },
    })
    for (const bad of [undefined, 'x', `${token}x`, exchanged.json().token]) {
      const response = await sync(body, bad)
      expect(response.statusCode).toBe(401)
      expect(response.json().message).toBe('Invalid session')
    }
    await identity.database.pool.query(sql.unsafe`
      update users set is_banned = true from people p where p.user_id = id and p.email = ${email}`)
    const banned = await sync(body, token)
    expect(banned.statusCode).toBe(403)
    expect(banned.json().message).toBe('Account suspended')
  })

  it.each([{}, { email: 'x@example.com' }, { email: 1, provider: 'facebook', providerId: 'x' }])(
    'refuses a body such as %j',
    async (body) => {
      expect((await sync(body, 'x')).statusCode).toBe(400)
    },
  )
})
