import { fireEvent, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { nowMs } from '../../testing/fixtures.ts'
import { renderAt } from '../../testing/render.tsx'
import { forgetBegun, rememberBegun, wasBegun } from './begun.ts'
import { FacebookButton } from './FacebookButton.tsx'
import { RegisterForm, useRegistration } from './RegisterForm.tsx'

describe('what somebody has begun here', () => {
  beforeEach(() => {
    localStorage.clear()
    vi.useFakeTimers({ now: nowMs })
  })
  afterEach(() => vi.useRealTimers())

  const minuteMs = 60_000

  it('is remembered of an address, however it is written, until it comes to its end', () => {
    expect(wasBegun('sign-up', 'nadia@wangian.test')).toBe(false)
    rememberBegun('sign-up', 'Nadia@Wangian.test')
    expect(wasBegun('sign-up', 'nadia@wangian.test')).toBe(true)
    expect(wasBegun('sign-up', 'mallory@wangian.test')).toBe(false)
    expect(wasBegun('social')).toBe(false)
    forgetBegun('sign-up')
    expect(wasBegun('sign-up', 'nadia@wangian.test')).toBe(false)
  })

  it.each([
    ['sign-up', 24 * 60],
    ['social', 10],
  ] as const)('%s is forgotten after %i minutes', (begun, minutes) => {
    rememberBegun(begun, 'nadia@wangian.test')
    vi.setSystemTime(nowMs + minutes * minuteMs - 1)
    expect(wasBegun(begun, 'nadia@wangian.test')).toBe(true)
    vi.setSystemTime(nowMs + minutes * minuteMs)
    expect(wasBegun(begun, 'nadia@wangian.test')).toBe(false)
    // Of a clock that was wrong.
    vi.setSystemTime(nowMs - 1)
    expect(wasBegun(begun, 'nadia@wangian.test')).toBe(false)
  })

  it('is not known from what is no mark of ours', () => {
    localStorage.setItem('wangian-begun-social', '{')
    expect(wasBegun('social')).toBe(false)
  })
})

function Register() {
  return <RegisterForm form={useRegistration()} redirect={null} />
}

it('begins with signing up', async () => {
  renderAt('/register', <Register />, undefined, { signUp: async () => null })
  const typed = {
    Email: 'nadia@wangian.test',
    Username: 'nadia',
    Password: 'rose-oud-amber',
    'Confirm Password': 'rose-oud-amber',
  }
  for (const [field, value] of Object.entries(typed)) {
    fireEvent.change(screen.getByLabelText(field), { target: { value } })
  }
  fireEvent.click(screen.getByLabelText('I agree to the terms and conditions'))
  fireEvent.click(screen.getByRole('button', { name: 'Create Account with Email Verification' }))
  await vi.waitFor(() => expect(wasBegun('sign-up', 'nadia@wangian.test')).toBe(true))
})

it('begins with leaving for Facebook', async () => {
  const provider = { isFacebookConfigured: async () => true, facebookUrl: async () => '#facebook' }
  renderAt('/auth', <FacebookButton redirect={null} />, undefined, provider)
  fireEvent.click(screen.getByRole('button', { name: 'Continue with Facebook' }))
  await vi.waitFor(() => expect(wasBegun('social')).toBe(true))
})
