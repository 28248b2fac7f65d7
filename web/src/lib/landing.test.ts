import { afterEach, expect, it, vi } from 'vitest'
import { forgetLanding, landingAt, takeLanding } from './landing.ts'

afterEach(forgetLanding)

const secret = '#access_token=secret&refresh_token=more'
const cases = [
  { opens: `/reset-password${secret}&type=recovery`, at: '/reset-password', shows: '/reset-password' },
  { opens: '/auth/verify?token_hash=secret&type=signup', at: '/auth/verify', shows: '/auth/verify' },
  { opens: '/auth/verify/?token_hash=secret&type=signup', at: '/auth/verify', shows: '/auth/verify' },
  { opens: '/auth-callback?code=secret', at: '/auth-callback', shows: '/auth-callback' },
  { opens: `/${secret}&type=signup`, at: '/auth/verify', shows: '/auth/verify' },
  { opens: `/${secret}&type=recovery`, at: '/reset-password', shows: '/reset-password' },
  { opens: `/${secret}`, at: '/auth-callback', shows: '/auth-callback' },
  { opens: '/#error=access_denied&error_code=bad_oauth_state', at: '/auth-callback', shows: '/auth-callback' },
]

it.each(cases)('takes the secrets out of $opens', ({ opens, at, shows }) => {
  const replaceAddress = vi.fn()
  const address = new URL(opens, 'http://localhost')
  takeLanding(address, replaceAddress)
  expect(replaceAddress.mock.calls).toEqual([[shows]])
  const { hash, query } = landingAt(at)
  expect(hash.toString() + query.toString()).toBe(
    address.hash.slice(1) + new URL(opens, 'http://localhost').search.slice(1),
  )
})

it.each(['/', '/products?search=code', '/auth?redirect=%2Fmessages', '/#content', '/verify-email'])(
  'leaves %s as it is',
  (opens) => {
    const replaceAddress = vi.fn()
    takeLanding(new URL(opens, 'http://localhost'), replaceAddress)
    expect(replaceAddress).not.toHaveBeenCalled()
  },
)

it('gives what came to the page that it came to, and only until it has been used', () => {
  takeLanding(new URL('/verify-email?token=secret', 'http://localhost'), () => {})
  expect(landingAt('/reset-password').query.has('token')).toBe(false)
  expect(landingAt('/verify-email').query.get('token')).toBe('secret')
  forgetLanding()
  expect(landingAt('/verify-email').query.has('token')).toBe(false)
})
