import { identityRoutes } from '@wangian/contracts/identity.ts'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ApiError } from '../../api/api-error.ts'
import { ProviderError } from '../../session/auth-provider.ts'
import type { Session } from '../../session/session.ts'
import { mockApi, refusal } from '../../testing/mock-api.ts'
import { rememberBegun } from './begun.ts'
import { finishSocialSignIn } from './social-sign-in.ts'

const person = { email: 'nadia@wangian.test', provider: 'facebook', providerId: '1234' }
const provider = { acceptSession: vi.fn(), exchangeCode: vi.fn(), socialPerson: vi.fn() }
const exchange = vi.fn()
const knownUser = vi.fn()
const session = {
  knownUser,
  signInThrough: async (work: (each: typeof provider) => Promise<string>) => exchange(await work(provider)),
} as unknown as Session

let api: ReturnType<typeof mockApi>
beforeEach(() => {
  vi.resetAllMocks()
  api = mockApi()
  api.answer(identityRoutes.syncOAuthUser, () => ({ success: true as const }))
  provider.acceptSession.mockResolvedValue('provider-token')
  provider.exchangeCode.mockResolvedValue('provider-token')
  provider.socialPerson.mockResolvedValue(person)
  exchange.mockResolvedValue(true)
  knownUser.mockResolvedValue(null)
  localStorage.clear()
})
afterEach(() => api.restore())

const onSession = vi.fn()
function finish(query: string, hash = '') {
  return finishSocialSignIn({ query: new URLSearchParams(query), hash: new URLSearchParams(hash) }, session, onSession)
}

it('tells our server who came, with the token of the provider, before it signs them in', async () => {
  expect(await finish('code=c')).toBeNull()
  expect(provider.exchangeCode).toHaveBeenCalledWith('c')
  expect(onSession).toHaveBeenCalledOnce()
  expect(api.received).toMatchObject([{ body: person, token: 'provider-token' }])
  expect(exchange).toHaveBeenCalledWith('provider-token')
})

const tokensOfSomebody = 'access_token=a&refresh_token=r'

it('takes tokens from the hash first where somebody has left for them, and once', async () => {
  rememberBegun('social')
  expect(await finish('code=c', tokensOfSomebody)).toBeNull()
  expect(provider.acceptSession).toHaveBeenCalledWith({ accessToken: 'a', refreshToken: 'r' })
  expect(provider.exchangeCode).not.toHaveBeenCalled()
  expect(await finish('', tokensOfSomebody)).toEqual({ kind: 'notBegun', reason: '' })
})

it('takes no tokens where nobody has left for them', async () => {
  expect(await finish('code=c', tokensOfSomebody)).toEqual({ kind: 'notBegun', reason: '' })
  expect(provider.acceptSession).not.toHaveBeenCalled()
})

it('takes no tokens in place of somebody who is signed in', async () => {
  rememberBegun('social')
  knownUser.mockResolvedValue({ id: 10 })
  expect(await finish('', tokensOfSomebody)).toEqual({ kind: 'notBegun', reason: '' })
  expect(provider.acceptSession).not.toHaveBeenCalled()
})

it('says nothing of an address that was emptied, by the page that was loaded before, to whoever it has let in', async () => {
  knownUser.mockResolvedValue({ id: 10 })
  expect(await finish('')).toBeNull()
  expect(exchange).not.toHaveBeenCalled()
})

const refused = new ProviderError('refused', 'some_code')
const failures: readonly (readonly [what: string, prepare: () => void, query: string, failure: object])[] = [
  ['a denied consent', () => {}, 'error=access_denied&error_description=Denied', { kind: 'failed', reason: 'Denied' }],
  ['an error without words', () => {}, 'error=access_denied', { kind: 'failed', reason: 'access_denied' }],
  ['an empty address', () => {}, '', { kind: 'nothing', reason: '' }],
  ['tokens in the query', () => {}, 'access_token=a', { kind: 'nothing', reason: '' }],
  [
    'no session',
    () => provider.exchangeCode.mockRejectedValue(refused),
    'code=c',
    { kind: 'noSession', reason: 'refused' },
  ],
  ['no user', () => provider.socialPerson.mockRejectedValue(refused), 'code=c', { kind: 'noUser', reason: 'refused' }],
  [
    'a user whom our server refuses',
    () => api.answer(identityRoutes.syncOAuthUser, () => refusal('account-suspended')),
    'code=c',
    { kind: 'noSync', reason: 'Account suspended' },
  ],
  [
    'no application token',
    () => exchange.mockRejectedValue(new ApiError(401, '{}')),
    'code=c',
    { kind: 'noSync', reason: 'Something went wrong on our side. Please try again.' },
  ],
  [
    'a bug',
    () => exchange.mockRejectedValue(new TypeError('broken')),
    'code=c',
    { kind: 'unexpected', reason: 'broken' },
  ],
]

it.each(failures)('says what failed: %s', async (_what, prepare, query, failure) => {
  prepare()
  expect(await finish(query)).toEqual(failure)
})
