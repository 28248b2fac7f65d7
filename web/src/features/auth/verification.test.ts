import { accountRoutes } from '@wangian/contracts/account.ts'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ApiError } from '../../api/api-error.ts'
import { ProviderError } from '../../session/auth-provider.ts'
import type { Session } from '../../session/session.ts'
import { mockApi, refusal } from '../../testing/mock-api.ts'
import { verifyByLanding } from './verification.ts'

let api: ReturnType<typeof mockApi>
beforeEach(() => {
  api = mockApi()
  api.answer(accountRoutes.verifyEmail, () => ({ requiresSignIn: true as const }))
})
afterEach(() => api.restore())

const provider = {
  acceptSession: vi.fn(async () => 'token'),
  exchangeCode: vi.fn(async () => 'token'),
  verifyLink: vi.fn(async () => 'token'),
}
const exchange = vi.fn(async (): Promise<boolean> => true)
const session = {
  signInThrough: async (work: (each: typeof provider) => Promise<string>) =>
    (await work(provider)) !== '' && exchange(),
} as unknown as Session

beforeEach(() => {
  vi.clearAllMocks()
  provider.acceptSession.mockImplementation(async () => 'token')
  provider.exchangeCode.mockImplementation(async () => 'token')
  provider.verifyLink.mockImplementation(async () => 'token')
  exchange.mockImplementation(async () => true)
})

function verify(query: string, hash = '') {
  return verifyByLanding({ query: new URLSearchParams(query), hash: new URLSearchParams(hash) }, session)
}

const signUpHash = 'type=signup&access_token=a&refresh_token=r'

describe('what is in a link', () => {
  it.each([
    ['', signUpHash, 'acceptSession', [{ accessToken: 'a', refreshToken: 'r' }]],
    [signUpHash, '', 'acceptSession', [{ accessToken: 'a', refreshToken: 'r' }]],
    ['code=c&token_hash=h&token=t', signUpHash, 'acceptSession', [{ accessToken: 'a', refreshToken: 'r' }]],
    ['code=c&token_hash=h&token=t', '', 'exchangeCode', ['c']],
    ['code=c', 'type=signup&access_token=a', 'exchangeCode', ['c']],
    ['token_hash=h&type=signup&token=t', '', 'verifyLink', ['signup', 'h']],
    ['token_hash=h&type=email_change', '', 'verifyLink', ['email_change', 'h']],
  ] as const)('%s #%s is used by %s', async (query, hash, method, parameters) => {
    expect(await verify(query, hash)).toEqual({ outcome: 'signed-in' })
    expect(provider[method].mock.calls).toEqual([parameters])
    const used = Object.values(provider).flatMap((each) => each.mock.calls)
    expect(used).toHaveLength(1)
  })

  it('may be the token of an older mail, which signs nobody in', async () => {
    expect(await verify('token=t')).toEqual({ outcome: 'requires-sign-in' })
    expect(api.received.map(({ url }) => url.search)).toEqual(['?token=t'])
  })

  it('may be a code that another browser asked for, which signs nobody in', async () => {
    provider.exchangeCode.mockRejectedValue(new ProviderError('No verifier', 'pkce_code_verifier_not_found'))
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
    provider.verifyLink.mockRejectedValue(error)
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
