import { describe, expect, it } from 'vitest'
import { isAliasDomain, signInAlias, userIdOfAlias } from './sign-in-alias.ts'

describe('a sign-in alias', () => {
  it('stands for one user', () => {
    expect(userIdOfAlias(signInAlias(17))).toBe(17)
    expect(isAliasDomain(signInAlias(17))).toBe(true)
  })

  it.each([
    'user-17@example.com',
    'user-0@sign-in.wangian.invalid',
    'user-1e3@sign-in.wangian.invalid',
    'user-01@sign-in.wangian.invalid',
    'user-99999999999999999@sign-in.wangian.invalid',
    'sarah@sign-in.wangian.invalid',
    'xuser-17@sign-in.wangian.invalid',
    'user-17@sign-in.wangian.invalid.example.com',
  ])('is not %s', (login) => {
    expect(userIdOfAlias(login)).toBeNull()
  })
})
