import { identityRoutes } from '@wangian/contracts/identity.ts'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { forgetServerClock, hearServerTime } from '../lib/server-clock.ts'
import { providerStorageKey } from './auth-provider.ts'
import { loadSupabaseProvider } from './supabase-provider.ts'

const key = 'the-anon-key'
const url = 'https://project.test/auth/v1'
const bala = { email: 'bala@wangian.test', currentPassword: 'demo-buyer', factor: undefined }
const factor = {
  id: 'an-app',
  status: 'verified',
  factor_type: 'totp',
  friendly_name: 'App',
  created_at: '',
  updated_at: '',
}
const person = { id: 'a-person', aud: 'authenticated', email: bala.email, identities: [], factors: [factor] }
const version = { 'x-supabase-api-version': '2024-01-01' }
const refuse = (status: number, code: string) => Response.json({ code, message: code }, { status, headers: version })

const part = (value: object) => btoa(JSON.stringify(value)).replaceAll('=', '')
/** As the client reads it. */
const tokenUntil = (exp: number) => `${part({ alg: 'none' })}.${part({ exp: Math.floor(exp) })}.c2ln`

let requests: { readonly call: string; readonly body: unknown; readonly token: string | null }[]
/** Whom the provider takes the next one for. */
let user: Omit<typeof person, 'identities'> & { readonly identities: readonly object[] }
let isPasswordRight: boolean
/** Whether the provider asks for a second factor, and whether it was shown. */
let isFactorAsked: boolean
let isFactorShown: boolean
let isNewPasswordRefused: boolean
let kind: 'hosted' | 'embedded'
let mock: ReturnType<typeof vi.spyOn>

beforeEach(() => {
  localStorage.clear()
  requests = []
  user = person
  isPasswordRight = true
  isFactorAsked = false
  isFactorShown = false
  isNewPasswordRefused = false
  kind = 'hosted'
  mock = vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const address = new URL(String(input), location.origin)
    if (address.pathname === identityRoutes.provider.path) return Response.json({ kind, url, key })
    const token = new Headers(init?.headers).get('authorization')?.replace('Bearer ', '') ?? null
    requests.push({
      call: `${init?.method} ${address.pathname}${address.search}`,
      body: JSON.parse(String(init?.body ?? null)),
      token,
    })
    if (address.pathname.endsWith('/challenge')) return Response.json({ id: 'c', type: 'totp', expires_at: 0 })
    if (address.pathname.endsWith('/verify') && !address.pathname.endsWith('/v1/verify')) {
      isFactorShown = JSON.parse(String(init?.body)).code === '123456'
      if (!isFactorShown) return refuse(422, 'mfa_verification_failed')
    }
    if (init?.method === 'PUT' && isFactorAsked && !isFactorShown) return refuse(401, 'insufficient_aal')
    if (init?.method === 'PUT' && isNewPasswordRefused) return refuse(422, 'same_password')
    if (address.pathname.endsWith('/user')) return Response.json(user)
    if (address.pathname.endsWith('/logout')) return new Response(null, { status: 204 })
    if (isPasswordRight) {
      // Each its own.
      const access_token = tokenUntil(Date.now() / 1000 + 900 + requests.length)
      return Response.json({ access_token, refresh_token: 'r', expires_in: 900, token_type: 'bearer', user })
    }
    return refuse(400, 'invalid_credentials')
  })
})
afterEach(() => mock.mockRestore())

describe('the client of a hosted provider', () => {
  const change = () => requests.find(({ call }) => call.startsWith('PUT'))
  const calls = () => requests.map(({ call }) => call.replace('/auth/v1', ''))

  it('changes the password with a sign-in of just now', async () => {
    const provider = await loadSupabaseProvider('https://wangian.test')
    const token = await provider.changePassword({ ...bala, newPassword: 'amber and oud' })
    expect(calls().slice(0, 2)).toEqual(['POST /token?grant_type=password', 'PUT /user'])
    expect(requests[0]?.body).toMatchObject({ email: bala.email, password: 'demo-buyer' })
    expect(change()).toMatchObject({
      token,
      body: { password: 'amber and oud', current_password: 'demo-buyer' },
    })
    expect(await provider.currentToken()).toBe(token)
  })

  it('changes the address likewise, and leads back to us', async () => {
    const provider = await loadSupabaseProvider('https://wangian.test')
    const token = await provider.changeEmail({ ...bala, newEmail: 'new@wangian.test' })
    const back = encodeURIComponent('https://wangian.test/verify-email')
    expect(change()).toMatchObject({
      call: `PUT /auth/v1/user?redirect_to=${back}`,
      token,
      body: { email: 'new@wangian.test' },
    })
  })

  it('changes the password with a second factor where one is asked for, and leaves the session alone until then', async () => {
    isFactorAsked = true
    const provider = await loadSupabaseProvider('https://wangian.test')
    const before = await provider.signIn(bala.email, bala.currentPassword)
    const heard: (string | null)[] = []
    provider.onChange((token) => heard.push(token))
    const wanted = { ...bala, newPassword: 'amber and oud' }
    await expect(provider.changePassword(wanted)).rejects.toMatchObject({ code: 'insufficient_aal' })
    const wrong = { code: 'mfa_verification_failed' }
    await expect(provider.changePassword({ ...wanted, factor: '000000' })).rejects.toMatchObject(wrong)
    expect(await provider.currentToken()).toBe(before)
    expect(heard).toEqual([])
    // What was opened for it is not left behind.
    expect(calls().filter((call) => call.startsWith('POST /logout'))).toHaveLength(2)
    const token = await provider.changePassword({ ...wanted, factor: ' 123 456' })
    expect(await provider.currentToken()).toBe(token)
    expect(heard).toContain(token)
  })

  it('changes nothing with a wrong password', async () => {
    isPasswordRight = false
    const provider = await loadSupabaseProvider('https://wangian.test')
    const wrong = { code: 'invalid_credentials' }
    await expect(provider.changePassword({ ...bala, newPassword: 'amber and oud' })).rejects.toMatchObject(wrong)
    await expect(provider.changeEmail({ ...bala, newEmail: 'new@wangian.test' })).rejects.toMatchObject(wrong)
    expect(requests.map(({ call }) => call)).not.toContain('PUT /auth/v1/user')
  })
})

it('disconnects every account of Facebook’s that somebody can come in by', async () => {
  const provider = await loadSupabaseProvider('https://wangian.test')
  await provider.signIn(bala.email, bala.currentPassword)
  const identity = (id: string, provider: string) => ({ identity_id: id, id, user_id: person.id, provider })
  user = { ...person, identities: [identity('e', 'email'), identity('f1', 'facebook'), identity('f2', 'facebook')] }
  await provider.unlinkFacebook()
  const deletions = requests.flatMap(({ call }) => (call.startsWith('DELETE') ? [call] : []))
  expect(deletions).toEqual(['DELETE /auth/v1/user/identities/f1', 'DELETE /auth/v1/user/identities/f2'])
})

describe('the token at hand', () => {
  const refreshes = () => requests.filter(({ call }) => call.endsWith('grant_type=refresh_token')).length
  afterEach(() => forgetServerClock())

  it('is a new one when the old one has run out, also where the clock of the device is behind', async () => {
    const provider = await loadSupabaseProvider('https://wangian.test')
    const before = await provider.signIn(bala.email, bala.currentPassword)
    expect(await provider.currentToken()).toBe(before)
    hearServerTime(new Date(Date.now() + 60 * 60_000).toISOString(), null)
    const after = await provider.currentToken()
    expect(after).not.toBe(before)
    expect(refreshes()).toBe(1)
    // A session that has ended: the server says so to whoever shows the token.
    isPasswordRight = false
    expect(await provider.currentToken()).toBe(after)
  })
})

describe('a code of an app', () => {
  const tried = () => requests.flatMap(({ call }) => /factors\/([^/]+)\/verify/.exec(call)?.slice(1) ?? [])

  it.each([
    ['hosted', ['an-app', 'another-app']],
    ['embedded', ['an-app']],
  ] as const)('is shown to a provider that is %s for %j', async (provider, apps) => {
    kind = provider
    user = { ...person, factors: [factor, { ...factor, id: 'another-app' }] }
    const { secondFactors, signIn } = await loadSupabaseProvider('https://wangian.test')
    await signIn(bala.email, bala.currentPassword)
    await expect(secondFactors.show('000000')).rejects.toMatchObject({ code: 'mfa_verification_failed' })
    expect(tried()).toEqual(apps)
  })

  it('is shown once for a new password, also when another one has to be chosen', async () => {
    isFactorAsked = true
    const provider = await loadSupabaseProvider('https://wangian.test')
    const reset = await provider.openReset({ kind: 'link', tokenHash: 'h' })
    await expect(reset.setPassword('amber and oud')).rejects.toMatchObject({ code: 'insufficient_aal' })
    await expect(reset.setPassword('amber and oud', '000000')).rejects.toMatchObject({
      code: 'mfa_verification_failed',
    })
    isNewPasswordRefused = true
    await expect(reset.setPassword('amber and oud', '123456')).rejects.toMatchObject({ code: 'same_password' })
    isNewPasswordRefused = false
    expect(await reset.setPassword('oud and amber', '123456')).toBe(true)
    expect(tried()).toHaveLength(2)
  })
})

describe('a link', () => {
  const mallory = { ...person, id: 'another-person', email: 'mallory@wangian.test' }
  const proofs = [
    { kind: 'session', accessToken: tokenUntil(4_000_000_000), refreshToken: 'r' },
    { kind: 'link', tokenHash: 'h' },
  ] as const

  it.each(proofs)('is opened apart from the session that is there, and ends apart: %j', async (proof) => {
    const provider = await loadSupabaseProvider('https://wangian.test')
    const before = await provider.signIn(bala.email, bala.currentPassword)
    const stored = localStorage.getItem(providerStorageKey)
    user = mallory
    const link = await provider.openLink('signup', proof)
    expect(link).toMatchObject({ email: mallory.email, isOwn: false })
    await link.drop()
    expect(requests.at(-1)).toMatchObject({ call: 'POST /auth/v1/logout?scope=local' })
    expect(requests.at(-1)?.token).not.toBe(before)
    expect(await provider.currentToken()).toBe(before)
    expect(localStorage.getItem(providerStorageKey)).toBe(stored)
  })

  it.each(proofs)('takes the place of the session that is there when it is accepted: %j', async (proof) => {
    const provider = await loadSupabaseProvider('https://wangian.test')
    const before = await provider.signIn(bala.email, bala.currentPassword)
    const link = await provider.openLink('email_change', proof)
    expect(link.isOwn).toBe(true)
    const token = await link.accept()
    expect(token).not.toBe(before)
    expect(await provider.currentToken()).toBe(token)
  })

  it('for a new password ends no session of another person', async () => {
    const provider = await loadSupabaseProvider('https://wangian.test')
    const reset = () => provider.openReset({ kind: 'link', tokenHash: 'h' })
    expect(await (await reset()).setPassword('amber and oud')).toBe(true)
    await provider.signIn(bala.email, bala.currentPassword)
    expect(await (await reset()).setPassword('amber and oud')).toBe(true)
    user = mallory
    expect(await (await reset()).setPassword('amber and oud')).toBe(false)
  })
})
