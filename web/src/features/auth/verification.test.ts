import { accountRoutes } from '@wangian/contracts/account.ts'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ApiError } from '../../api/api-error.ts'
import { ProviderError } from '../../session/auth-provider.ts'
import type { Session } from '../../session/session.ts'
import { mockApi, refusal } from '../../testing/mock-api.ts'
import { forgetBegun, rememberBegun, wasBegun } from './begun.ts'
import { verifyByLanding } from './verification.ts'

let api: ReturnType<typeof mockApi>
beforeEach(() => {
  api = mockApi()
  api.answer(accountRoutes.verifyEmail, () => ({ requiresSignIn: true as const }))
})
afterEach(() => api.restore())

const nadia = 'nadia@wangian.test'
const accept = vi.fn(async () => 'token')
const drop = vi.fn(async () => {})
const openLink = vi.fn(async (..._parameters: unknown[]) => ({ email: nadia, isOwn: false, accept, drop }))
const exchange = vi.fn(async (): Promise<boolean> => true)
const knownUser = vi.fn(async (): Promise<object | null> => null)
const session = {
  provider: async () => ({ openLink }),
  knownUser,
  signInThrough: async (work: () => Promise<string>) => (await work()) !== '' && exchange(),
} as unknown as Session

beforeEach(() => {
  vi.clearAllMocks()
  localStorage.clear()
  accept.mockResolvedValue('token')
  openLink.mockResolvedValue({ email: nadia, isOwn: false, accept, drop })
  exchange.mockResolvedValue(true)
  knownUser.mockResolvedValue(null)
  rememberBegun('sign-up', 'Nadia@wangian.test')
})

function verify(query: string, hash = '') {
  return verifyByLanding({ query: new URLSearchParams(query), hash: new URLSearchParams(hash) }, session)
}

const signUpHash = 'type=signup&access_token=a&refresh_token=r'

const tokens = { kind: 'session', accessToken: 'a', refreshToken: 'r' }

describe('what is in a link', () => {
  it.each([
    ['', signUpHash, ['signup', tokens]],
    [signUpHash, '', ['signup', tokens]],
    ['code=c&token_hash=h&token=t', signUpHash, ['signup', tokens]],
    ['code=c&token_hash=h&token=t', '', ['signup', { kind: 'code', code: 'c' }]],
    ['code=c', 'type=signup&access_token=a', ['signup', { kind: 'code', code: 'c' }]],
    ['token_hash=h&type=signup&token=t', '', ['signup', { kind: 'link', tokenHash: 'h' }]],
  ] as const)('%s #%s is opened once, and signs in who signed up here', async (query, hash, parameters) => {
    expect(await verify(query, hash)).toEqual({ outcome: 'signed-in' })
    expect(openLink.mock.calls).toEqual([parameters])
    expect([accept.mock.calls.length, drop.mock.calls.length]).toEqual([1, 0])
    expect(wasBegun('sign-up', nadia)).toBe(false)
  })

  it('may be the token of an older mail, which signs nobody in', async () => {
    expect(await verify('token=t')).toEqual({ outcome: 'requires-sign-in' })
    expect(api.received.map(({ url }) => url.search)).toEqual(['?token=t'])
  })

  it('may be a code that another browser asked for, which signs nobody in', async () => {
    openLink.mockRejectedValue(new ProviderError('No verifier', 'pkce_code_verifier_not_found'))
    expect(await verify('code=c')).toEqual({ outcome: 'requires-sign-in' })
    expect(api.received.map(({ url }) => url.search)).toEqual(['?code=c'])
  })

  it.each([
    ['', '', { reason: 'missing' }],
    ['', 'type=recovery&access_token=a&refresh_token=r', { reason: 'missing' }],
    ['', 'error=access_denied&error_description=Email+link+is+invalid', { message: 'Email link is invalid' }],
    ['error=access_denied', '', { message: 'access_denied' }],
  ])('may be nothing to go on with: %s #%s', async (query, hash, failure) => {
    expect(await verify(query, hash)).toEqual({ outcome: 'failed', ...failure })
  })
})

describe('a link that was not asked for here', () => {
  const links = [
    ['', signUpHash],
    ['token_hash=h&type=signup', ''],
  ] as const

  it.each(links)('%s #%s verifies, and has its reader sign in themselves', async (query, hash) => {
    forgetBegun('sign-up')
    expect(await verify(query, hash)).toEqual({ outcome: 'requires-sign-in' })
    expect([accept.mock.calls.length, drop.mock.calls.length]).toEqual([0, 1])
  })

  it.each(links)('%s #%s is of another address than the one that signed up here', async (query, hash) => {
    openLink.mockResolvedValue({ email: 'mallory@wangian.test', isOwn: false, accept, drop })
    expect(await verify(query, hash)).toEqual({ outcome: 'requires-sign-in' })
    expect(accept).not.toHaveBeenCalled()
    expect(wasBegun('sign-up', nadia)).toBe(true)
  })

  it.each(links)('%s #%s never takes the place of another person', async (query, hash) => {
    knownUser.mockResolvedValue({ id: 10 })
    expect(await verify(query, hash)).toEqual({ outcome: 'signed-in' })
    expect([accept.mock.calls.length, drop.mock.calls.length]).toEqual([0, 1])
  })

  it('may name the address of who signs up here as the new one of somebody else', async () => {
    expect(await verify('token_hash=h&type=email_change')).toEqual({ outcome: 'requires-sign-in' })
    expect(accept).not.toHaveBeenCalled()
  })
})

it('is of a new address where its person is signed in, and goes on with what knows that', async () => {
  knownUser.mockResolvedValue({ id: 10 })
  openLink.mockResolvedValue({ email: nadia, isOwn: true, accept, drop })
  expect(await verify('token_hash=h&type=email_change')).toEqual({ outcome: 'signed-in' })
  expect(openLink.mock.calls).toEqual([['email_change', { kind: 'link', tokenHash: 'h' }]])
  expect([accept.mock.calls.length, drop.mock.calls.length]).toEqual([1, 0])
})

it('signs in by a code without more, which no other browser can use', async () => {
  forgetBegun('sign-up')
  expect(await verify('code=c')).toEqual({ outcome: 'signed-in' })
})

describe('what fails', () => {
  it.each([
    [
      new ProviderError('Email link is invalid or has expired', 'otp_expired'),
      { message: 'Email link is invalid or has expired' },
    ],
    [new ProviderError('', undefined), { reason: 'failed' }],
    [new ProviderError('Not available', 'unreachable'), { reason: 'unable' }],
    [new TypeError('broken'), { reason: 'unexpected' }],
  ])('at the provider with %s', async (error, failure) => {
    openLink.mockRejectedValue(error)
    expect(await verify('token_hash=h')).toEqual({ outcome: 'failed', ...failure })
  })

  it('after the address was verified', async () => {
    exchange.mockRejectedValue(new ApiError(500, ''))
    expect(await verify('token_hash=h')).toEqual({ outcome: 'failed', reason: 'noProfile' })
  })

  it.each([
    [() => refusal('bad-request', 'Invalid or expired token'), { message: 'Invalid or expired token' }],
    [() => refusal('unavailable'), { reason: 'unable' }],
    [() => new Response('', { status: 400 }), { reason: 'failed' }],
    [
      () => {
        throw new TypeError('offline')
      },
      { reason: 'unable' },
    ],
  ])('at our own server: %#', async (answer, failure) => {
    api.answer(accountRoutes.verifyEmail, answer)
    expect(await verify('token=t')).toEqual({ outcome: 'failed', ...failure })
  })
})
