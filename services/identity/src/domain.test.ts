import type { IdentityEvent } from '@wangian/contracts/identity.ts'
import { given } from '@wangian/kit/testing/decider-spec.ts'
import { describe, it } from 'vitest'
import { type RegisterUser, userDecider } from './domain.ts'

const register: RegisterUser = {
  type: 'RegisterUser',
  userId: 7,
  username: 'sarah',
  isSeller: true,
  isAdmin: false,
  at: '2026-11-21T08:00:00.000Z',
}
const registered: IdentityEvent = {
  type: 'UserRegistered',
  data: { userId: 7, username: 'sarah', isSeller: true, isAdmin: false, registeredAt: '2026-11-21T08:00:00.000Z' },
}

describe('a user nobody knows yet', () => {
  it('registers', () => {
    given(userDecider, []).when(register).then([registered])
  })

  it('registers as what the command says', () => {
    given(userDecider, [])
      .when({ ...register, isSeller: false, isAdmin: true })
      .then([{ ...registered, data: { ...registered.data, isSeller: false, isAdmin: true } }])
  })
})

describe('a registered user', () => {
  it('is not registered twice', () => {
    given(userDecider, [registered]).when(register).thenNothing()
  })

  it('does not become somebody else', () => {
    given(userDecider, [registered])
      .when({ ...register, username: 'hafiz' })
      .thenRejects('conflict')
  })
})
