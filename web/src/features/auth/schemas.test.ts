import { unseenMessage } from '@wangian/contracts/text.ts'
import { describe, expect, it } from 'vitest'
import { EmailSignIn, Registration, UsernameSignIn } from './schemas.ts'

const messagesOf = (parsed: {
  success: boolean
  error?: { issues: readonly { path: PropertyKey[]; message: string }[] }
}) => Object.fromEntries(parsed.error?.issues.map((issue) => [issue.path.join('.'), issue.message]) ?? [])

const account = {
  firstName: '',
  lastName: '',
  email: 'nadia@wangian.test',
  username: 'nadia',
  password: 'rose-oud',
  confirmPassword: 'rose-oud',
  hasAccepted: true,
}

describe('signing in', () => {
  it('asks for what the product promises', () => {
    expect(messagesOf(UsernameSignIn.safeParse({ username: 'ab', password: '12345' }))).toEqual({
      username: 'auth.rules.username',
      password: 'auth.rules.password',
    })
    expect(messagesOf(EmailSignIn.safeParse({ email: 'bala', password: '123456' }))).toEqual({
      email: 'auth.rules.email',
    })
  })
})

describe('registering', () => {
  it('takes an account without names', () => {
    expect(Registration.safeParse(account).success).toBe(true)
  })

  it('takes the names that can be given later, and no others', () => {
    const named = (firstName: string) => messagesOf(Registration.safeParse({ ...account, firstName }))
    expect(named('N'.repeat(100))).toEqual({})
    expect(named('N'.repeat(101))).toEqual({ firstName: 'First name must be 100 characters or less' })
    expect(named('\u200b')).toEqual({ firstName: unseenMessage('First name') })
  })

  it('shows every problem at once', () => {
    const wrong = { ...account, username: 'ab', confirmPassword: 'musk', hasAccepted: false }
    expect(messagesOf(Registration.safeParse(wrong))).toEqual({
      username: 'Username must be at least 3 characters',
      confirmPassword: 'auth.rules.match',
      hasAccepted: 'auth.rules.terms',
    })
  })
})
