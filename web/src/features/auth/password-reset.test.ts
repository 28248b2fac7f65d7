import { describe, expect, it } from 'vitest'
import { ApiError } from '../../api/api-error.ts'
import { ProviderError } from '../../session/auth-provider.ts'
import { accountOf, failureOf, proofOf, proofOfCode, refusalOf } from './password-reset.ts'

const landing = (query: string, hash = '') => ({ query: new URLSearchParams(query), hash: new URLSearchParams(hash) })

describe('the proof in a link', () => {
  it.each([
    ['', 'type=recovery&access_token=a&refresh_token=r', { kind: 'session', accessToken: 'a', refreshToken: 'r' }],
    [
      'code=c',
      'type=recovery&access_token=a&refresh_token=r',
      { kind: 'session', accessToken: 'a', refreshToken: 'r' },
    ],
    ['', 'type=signup&access_token=a&refresh_token=r', null],
    ['', 'type=recovery&access_token=a', null],
    ['code=c&token_hash=h', '', { kind: 'code', code: 'c' }],
    ['token_hash=h&type=recovery&token=t', '', { kind: 'link', tokenHash: 'h' }],
    ['token=t', '', { kind: 'legacy', token: 't' }],
    ['', '', null],
    ['', 'error=access_denied', null],
  ])('%s #%s', (query, hash, proof) => {
    expect(proofOf(landing(query, hash))).toEqual(proof)
  })

  it('may be the code of the mail', () => {
    const typed = { email: 'nadia@wangian.test', digits: '012345' }
    expect(proofOfCode(typed)).toEqual({ kind: 'digits', ...typed })
    expect(proofOfCode(null)).toBeNull()
  })

  it.each([
    [{ kind: 'digits', email: 'nadia@wangian.test', digits: '012345' }, 'nadia@wangian.test'],
    [
      { kind: 'session', accessToken: `e30.${btoa('{"email":"nadia@wangian.test"}')}.c2ln`, refreshToken: 'r' },
      'nadia@wangian.test',
    ],
    [{ kind: 'session', accessToken: 'nothing', refreshToken: 'r' }, null],
    [{ kind: 'link', tokenHash: 'h' }, null],
    [null, null],
  ] as const)('%j says whose password it is: %s', (proof, account) => {
    expect(accountOf(proof)).toBe(account)
  })

  it('may be missing for a reason', () => {
    expect(refusalOf(landing('', 'error=access_denied&error_description=Expired'))).toBe('Expired')
    expect(refusalOf(landing('error=access_denied'))).toBe('access_denied')
    expect(refusalOf(landing('token_hash=h'))).toBeNull()
  })
})

describe('a failure', () => {
  const body = (code: string, message: string) => JSON.stringify({ code, message, requestId: 'r' })
  it.each([
    [new ProviderError('Too weak.', 'weak_password'), { kind: 'password', message: 'Too weak.' }],
    [new ProviderError('The same.', 'same_password'), { kind: 'password', message: 'The same.' }],
    [new ProviderError('Link has expired.', 'otp_expired'), { kind: 'failed', message: 'Link has expired' }],
    [new ProviderError('Not available', 'unreachable'), { kind: 'serverFailed' }],
    [
      new ApiError(400, body('bad-request', 'Invalid or expired token')),
      { kind: 'failed', message: 'Invalid or expired token' },
    ],
    [new ApiError(503, body('unavailable', 'Away')), { kind: 'serverFailed' }],
    [new ApiError(0, 'No answer'), { kind: 'serverFailed' }],
    [new TypeError('broken'), { kind: 'unexpected' }],
  ])('%s', (error, failure) => {
    expect(failureOf(error)).toEqual(failure)
  })
})
