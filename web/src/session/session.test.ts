import { identityRoutes } from '@wangian/contracts/identity.ts'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { appToken } from '../api/app-token.ts'
import { call } from '../api/client.ts'
import { currentUser, nowMs, tokenFor } from '../testing/fixtures.ts'
import { mockApi, refusal } from '../testing/mock-api.ts'
import { type AuthProvider, ProviderError, providerStorageKey } from './auth-provider.ts'
import { Session } from './session.ts'

const user = currentUser

/** An auth provider as far as a session itself uses it, with one account. */
class FakeProvider implements Pick<AuthProvider, 'signIn' | 'signUp' | 'signOut' | 'currentToken' | 'onChange'> {
  token: string | null = 'provider-1'
  listener: (token: string | null) => void = () => {}
  refusal: ProviderError | null = null
  readonly ended: string[] = []

  async signIn(): Promise<string> {
    localStorage.setItem(providerStorageKey, 'a session')
    this.token = 'provider-1'
    return this.token
  }
  async signUp(): Promise<string | null> {
    return null
  }
  async signOut(stored: string): Promise<void> {
    this.token = null
    this.ended.push(stored)
  }
  async currentToken(): Promise<string | null> {
    if (this.refusal) {
      localStorage.removeItem(providerStorageKey)
      throw this.refusal
    }
    return this.token
  }
  onChange(listener: (token: string | null) => void): void {
    this.listener = listener
  }
}

let api: ReturnType<typeof mockApi>
let provider: FakeProvider
let session: Session
let stop: () => void
let issued: number
const loadProvider = vi.fn(async () => provider as unknown as AuthProvider)
const onSuspended = vi.fn()

/** A token that has `livesMs` to live; every one is different. */
function issue(livesMs = 900_000): string {
  issued += 1
  return tokenFor({ id: 10, username: 'bala' }, Date.now() + livesMs + issued)
}

function start(): void {
  session = new Session(loadProvider, onSuspended)
  stop = session.start()
}

const pass = (durationMs: number) => vi.advanceTimersByTimeAsync(durationMs)

beforeEach(() => {
  vi.useFakeTimers({ now: nowMs })
  localStorage.clear()
  issued = 0
  api = mockApi()
  api.answer(identityRoutes.me, () => user)
  api.answer(identityRoutes.lookupEmail, () => ({ email: 'user-10@sign-in.wangian.invalid' }))
  api.answer(identityRoutes.exchangeSession, () => ({ token: issue(), user }))
  api.answer(identityRoutes.logout, () => ({ success: true as const }))
  provider = new FakeProvider()
  loadProvider.mockClear()
  onSuspended.mockClear()
})
afterEach(() => {
  stop()
  api.restore()
  vi.useRealTimers()
})

describe('a guest', () => {
  it('is not taken for one before it is known', async () => {
    session = new Session(loadProvider, onSuspended)
    expect(session.state()).toEqual({ status: 'loading' })
    const known = session.knownUser()
    stop = session.start()
    expect(session.state()).toEqual({ status: 'signed-out' })
    expect(await known).toBeNull()
  })

  it('is known as one without loading the provider or asking anybody', async () => {
    start()
    await pass(0)
    expect(session.state()).toEqual({ status: 'signed-out' })
    expect(loadProvider).not.toHaveBeenCalled()
    expect(api.received).toEqual([])
  })

  it('signs in by username: the email is looked up, and the provider token exchanged', async () => {
    start()
    await session.signIn({ username: 'bala' }, 'demo-buyer')
    expect(api.received.map(({ url, body }) => [url.pathname, body])).toEqual([
      ['/api/v1/auth/lookup-email', { username: 'bala' }],
      ['/api/v1/auth/session', { supabaseToken: 'provider-1' }],
    ])
    expect(session.state()).toMatchObject({ status: 'signed-in', user: { id: 10, username: 'bala' } })
    expect(localStorage.getItem('app_token')).not.toBeNull()
  })

  it('is told by the form, and only there, when the account is suspended', async () => {
    start()
    api.answer(identityRoutes.exchangeSession, () => refusal('account-suspended'))
    await expect(session.signIn({ email: user.email }, 'secret')).rejects.toMatchObject({ code: 'account-suspended' })
    expect(onSuspended).not.toHaveBeenCalled()
    expect(localStorage).toHaveLength(0)
  })

  it('who has a second factor is half way in until it is shown, and stays so in the next page', async () => {
    start()
    api.answer(identityRoutes.exchangeSession, () => refusal('second-factor-required'))
    const wanted = { code: 'second-factor-required' }
    await expect(session.signIn({ email: user.email }, 'secret')).rejects.toMatchObject(wanted)
    expect(session.state()).toEqual({ status: 'signed-out', needsCode: true })
    expect(provider.ended).toEqual([])
    stop()
    start()
    await pass(0)
    expect(session.state()).toEqual({ status: 'signed-out', needsCode: true })
    api.answer(identityRoutes.exchangeSession, () => ({ token: issue(), user }))
    await session.signInThrough(async () => 'provider-2')
    expect(session.state()).toMatchObject({ status: 'signed-in' })
  })

  it('who has a second factor can give up, here or in another tab', async () => {
    start()
    api.answer(identityRoutes.exchangeSession, () => refusal('second-factor-required'))
    await expect(session.signIn({ email: user.email }, 'secret')).rejects.toThrow()
    await session.signOut()
    expect(session.state()).toEqual({ status: 'signed-out', hasLeft: true })
    expect(provider.ended).toEqual(['a session'])
    await expect(session.signIn({ email: user.email }, 'secret')).rejects.toThrow()
    localStorage.removeItem(providerStorageKey)
    provider.listener(null)
    expect(session.state()).toEqual({ status: 'signed-out' })
  })

  it('signs in through whatever the provider has to offer', async () => {
    start()
    expect(await session.signInThrough(async () => null)).toBe(false)
    expect(await session.signInThrough(async () => 'provider-2')).toBe(true)
    expect(api.received.map(({ body }) => body)).toEqual([{ supabaseToken: 'provider-2' }])
    expect(session.state()).toMatchObject({ status: 'signed-in' })
  })

  it('is told when the username is not known', async () => {
    start()
    api.answer(identityRoutes.lookupEmail, () => refusal('username-not-found'))
    await expect(session.signIn({ username: 'nobody' }, 'secret')).rejects.toMatchObject({ code: 'username-not-found' })
    expect(session.state()).toEqual({ status: 'signed-out' })
  })
})

describe('a stored token', () => {
  it('signs in at once, without asking anybody', async () => {
    appToken.store(issue())
    start()
    expect(session.state()).toMatchObject({ status: 'signed-in' })
    await pass(0)
    expect(api.received).toEqual([])
  })

  it('that the server refuses is over when there is no provider session to renew it from', async () => {
    appToken.store(issue())
    api.answer(identityRoutes.me, () => refusal('invalid-token'))
    start()
    await expect(call(identityRoutes.me, {})).rejects.toMatchObject({ status: 401 })
    expect(session.state()).toEqual({ status: 'signed-out' })
    expect(localStorage.getItem('app_token')).toBeNull()
  })

  it('that has run out is renewed from the provider session before anybody counts as signed in', async () => {
    localStorage.setItem('app_token', issue(-1_000))
    localStorage.setItem(providerStorageKey, 'a session')
    start()
    expect(session.state()).toEqual({ status: 'loading' })
    const known = session.knownUser()
    await pass(0)
    expect(session.state()).toMatchObject({ status: 'signed-in' })
    expect(await known).toMatchObject({ id: 10 })
  })

  it('that has run out is renewed later, and nobody waits for it, while too many others renew theirs', async () => {
    localStorage.setItem('app_token', issue(-1_000))
    localStorage.setItem(providerStorageKey, 'a session')
    api.answer(identityRoutes.exchangeSession, () => refusal('rate-limited'))
    start()
    await pass(30_000)
    expect(session.state()).toEqual({ status: 'signed-out' })
    api.answer(identityRoutes.exchangeSession, () => ({ token: issue(), user }))
    await pass(60_000)
    expect(session.state()).toMatchObject({ status: 'signed-in' })
  })

  it('of somebody suspended is over, and says so', async () => {
    appToken.store(issue())
    api.answer(identityRoutes.me, () => refusal('account-suspended'))
    start()
    await expect(call(identityRoutes.me, {})).rejects.toMatchObject({ status: 403 })
    expect(session.state()).toEqual({ status: 'signed-out' })
    expect(onSuspended).toHaveBeenCalledOnce()
  })
})

describe('a signed-in person', () => {
  beforeEach(async () => {
    start()
    await session.signIn({ email: user.email }, 'demo-buyer')
  })

  it('gets a new token a minute before the old one ends, again and again', async () => {
    const first = appToken.read()
    await pass(839_000)
    expect(appToken.read()).toBe(first)
    await pass(2_000)
    const second = appToken.read()
    expect(second).not.toBe(first)
    await pass(841_000)
    expect(appToken.read()).not.toBe(second)
    expect(session.state()).toMatchObject({ status: 'signed-in' })
  })

  it.each([
    ['an outage', 'unavailable'],
    ['a moment with too many others at one address', 'rate-limited'],
  ] as const)('stays signed in through %s and is renewed after it', async (_what, code) => {
    api.answer(identityRoutes.exchangeSession, () => refusal(code))
    await pass(845_000)
    expect(session.state()).toMatchObject({ status: 'signed-in' })
    api.answer(identityRoutes.exchangeSession, () => ({ token: issue(), user }))
    const before = appToken.read()
    await pass(60_000)
    expect(appToken.read()).not.toBe(before)
  })

  it('is signed out when the provider has ended the session', async () => {
    provider.token = null
    await pass(845_000)
    expect(session.state()).toEqual({ status: 'signed-out' })
  })

  it('is signed out when the session was ended elsewhere', async () => {
    api.answer(identityRoutes.me, () => refusal('invalid-token'))
    api.answer(identityRoutes.exchangeSession, () => refusal('invalid-session'))
    await expect(call(identityRoutes.me, {})).rejects.toMatchObject({ code: 'invalid-session' })
    expect(session.state()).toEqual({ status: 'signed-out' })
    expect(localStorage).toHaveLength(0)
  })

  it('asks once, however many need a new token at the same time', async () => {
    const asked = api.countOf(identityRoutes.exchangeSession)
    await Promise.all([session.renew(), session.renew(), session.renew()])
    expect(api.countOf(identityRoutes.exchangeSession)).toBe(asked + 1)
  })

  it('is signed out everywhere here, also when the server cannot be reached', async () => {
    api.answer(identityRoutes.logout, () => {
      throw new TypeError('offline')
    })
    localStorage.setItem('supabase_token', 'of an earlier version')
    await session.signOut()
    expect(session.state()).toEqual({ status: 'signed-out', hasLeft: true })
    expect(provider.ended).toEqual(['a session'])
    expect(localStorage).toHaveLength(0)
  })

  it('is signed out here before any server has answered', () => {
    api.answer(identityRoutes.logout, () => new Promise<never>(() => {}))
    const token = appToken.read()
    void session.signOut()
    expect(session.state()).toEqual({ status: 'signed-out', hasLeft: true })
    expect(localStorage).toHaveLength(0)
    expect(api.received.at(-1)).toMatchObject({ url: { pathname: '/api/v1/auth/logout' }, token })
  })

  it('is out for good when the provider cannot even be loaded', async () => {
    stop()
    loadProvider.mockRejectedValueOnce(new TypeError('offline'))
    start()
    await session.signOut()
    expect(localStorage).toHaveLength(0)
    expect(await session.renew()).toBeNull()
  })

  it('is told once that they are suspended, whichever call finds it out', async () => {
    api.answer(identityRoutes.exchangeSession, () => refusal('account-suspended'))
    await Promise.allSettled([session.renew(), call(identityRoutes.me, {})])
    api.answer(identityRoutes.me, () => refusal('account-suspended'))
    await expect(call(identityRoutes.me, {})).rejects.toMatchObject({ code: 'account-suspended' })
    expect(onSuspended).toHaveBeenCalledOnce()
    expect(session.state()).toEqual({ status: 'signed-out' })
    expect(localStorage).toHaveLength(0)
    expect(provider.ended).toEqual(['a session'])
  })

  it('is told that they are suspended when the provider does not refresh', async () => {
    provider.refusal = new ProviderError('User is banned', 'user_banned')
    expect(await session.renew()).toBeNull()
    expect(onSuspended).toHaveBeenCalledOnce()
    expect(session.state()).toEqual({ status: 'signed-out' })
  })

  it('is signed out when the provider does not refresh', async () => {
    provider.refusal = new ProviderError('Invalid Refresh Token: Already Used', 'refresh_token_already_used')
    expect(await session.renew()).toBeNull()
    expect(onSuspended).not.toHaveBeenCalled()
    expect(session.state()).toEqual({ status: 'signed-out' })
  })

  it('is signed out when its session was ended elsewhere, which the renewal finds out', async () => {
    api.answer(identityRoutes.me, () => refusal('invalid-token'))
    api.answer(identityRoutes.exchangeSession, () => refusal('invalid-session'))
    await expect(call(identityRoutes.me, {})).rejects.toMatchObject({ status: 401 })
    expect(api.received.at(-1)).toMatchObject({ url: { pathname: '/api/v1/auth/session' }, token: null })
    expect(session.state()).toEqual({ status: 'signed-out' })
    expect(localStorage).toHaveLength(0)
  })

  it('stays signed out when another tab signed out while a renewal was on its way', async () => {
    const gate = Promise.withResolvers<void>()
    api.answer(identityRoutes.exchangeSession, async () => {
      await gate.promise
      return { token: issue(), user }
    })
    const renewal = session.renew()
    await pass(0)
    localStorage.clear()
    gate.resolve()
    expect(await renewal).toBeNull()
    expect(localStorage).toHaveLength(0)
  })

  it('stays signed out when a renewal was on its way', async () => {
    const gate = Promise.withResolvers<void>()
    api.answer(identityRoutes.exchangeSession, async () => {
      await gate.promise
      return { token: issue(), user }
    })
    const renewal = session.renew()
    await pass(0)
    await session.signOut()
    gate.resolve()
    expect(await renewal).toBeNull()
    expect(session.state()).toEqual({ status: 'signed-out', hasLeft: true })
    expect(appToken.read()).toBeNull()
  })

  const mei = { id: 11, username: 'mei' }
  it.each([
    ['out', () => localStorage.clear(), { status: 'signed-out' }],
    ['over to mei', () => localStorage.setItem('app_token', tokenFor(mei, nowMs + 900_000)), { user: mei }],
  ])('is seen to have gone %s when a page is shown again that heard nothing meanwhile', (_where, leave, state) => {
    leave()
    document.dispatchEvent(new Event('visibilitychange'))
    expect(session.state()).toMatchObject(state)
  })

  it('follows another tab out and in', () => {
    localStorage.removeItem('app_token')
    window.dispatchEvent(new StorageEvent('storage', { key: 'app_token' }))
    expect(session.state()).toEqual({ status: 'signed-out' })
    localStorage.setItem('app_token', tokenFor({ id: 11, username: 'mei' }, Date.now() + 900_000))
    window.dispatchEvent(new StorageEvent('storage', { key: 'app_token' }))
    expect(session.state()).toMatchObject({ status: 'signed-in', user: { username: 'mei' } })
  })

  it('takes a word of the provider that it is signed in for no reason to ask again', async () => {
    const asked = api.countOf(identityRoutes.exchangeSession)
    provider.listener('provider-1')
    await pass(0)
    expect(api.countOf(identityRoutes.exchangeSession)).toBe(asked)
    provider.listener(null)
    expect(session.state()).toEqual({ status: 'signed-out' })
  })
})
