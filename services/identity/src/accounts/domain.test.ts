import type { IdentityEvent } from '@wangian/contracts/events/identity.ts'
import { given } from '@wangian/kit/testing/decider-spec.ts'
import { describe, it } from 'vitest'
import { type RegisterUser, userDecider } from './domain.ts'

const at = '2026-11-21T08:00:00.000Z'
const later = '2026-11-22T08:00:00.000Z'
const register: RegisterUser = {
  type: 'RegisterUser',
  userId: 7,
  isSeller: true,
  isAdmin: false,
  isVerified: false,
  at,
}
const registered: IdentityEvent = {
  type: 'UserRegistered',
  data: { userId: 7, isSeller: true, isAdmin: false, registeredAt: at },
}
const administrator: IdentityEvent = { ...registered, data: { ...registered.data, isAdmin: true } }
const verified: IdentityEvent = { type: 'EmailVerified', data: { userId: 7, verifiedAt: later } }
const banned: IdentityEvent = { type: 'UserBanned', data: { userId: 7, bannedAt: later } }
const unbanned: IdentityEvent = { type: 'UserUnbanned', data: { userId: 7, unbannedAt: later } }
const closed: IdentityEvent = { type: 'AccountClosed', data: { userId: 7, closedAt: later } }
const reopened: IdentityEvent = { type: 'AccountReopened', data: { userId: 7, reopenedAt: later } }
const erased: IdentityEvent = { type: 'UserErased', data: { userId: 7, erasedAt: later } }
const ban = { type: 'BanUser', actorId: 1, at: later } as const
const unban = { type: 'UnbanUser', at: later } as const
const factorAdded: IdentityEvent = { type: 'SecondFactorAdded', data: { userId: 7, addedAt: later } }
const factorRemoved = (by: 'self' | 'admin'): IdentityEvent => ({
  type: 'SecondFactorRemoved',
  data: { userId: 7, by, removedAt: later },
})
const addFactor = { type: 'AddSecondFactor', at: later } as const
const removeFactor = { type: 'RemoveSecondFactor', by: 'self', actorId: 7, at: later } as const
const verify = { type: 'VerifyEmail', at: later } as const
const reset = { type: 'ResetPassword', at: later } as const
const update = { type: 'UpdateProfile', at: later } as const
const close = { type: 'CloseAccount', at: later } as const
const reopen = { type: 'ReopenAccount', at: later } as const
const erase = { type: 'EraseUser', at: later } as const
const eraseUnconfirmed = { type: 'EraseUnconfirmed', at: later } as const
const revoke = { type: 'RevokeSessions', reason: 'password-changed', at: later } as const

describe('a user nobody knows yet', () => {
  it('registers', () => {
    given(userDecider, []).when(register).then([registered])
  })

  it('is verified at once with an address that is known to be theirs', () => {
    given(userDecider, [])
      .when({ ...register, isVerified: true })
      .then([registered, { type: 'EmailVerified', data: { userId: 7, verifiedAt: at } }])
  })

  it('registers as what the command says', () => {
    given(userDecider, [])
      .when({ ...register, isSeller: false, isAdmin: true })
      .then([{ ...registered, data: { ...registered.data, isSeller: false, isAdmin: true } }])
  })

  it('can do nothing else', () => {
    for (const command of [verify, update, ban, unban, revoke, close, reopen, erase, addFactor, removeFactor]) {
      given(userDecider, []).when(command).thenRejects('not-found')
    }
  })
})

describe('a registered user', () => {
  it('is not registered twice', () => {
    given(userDecider, [registered]).when(register).thenNothing()
  })

  it('has an address that is verified once', () => {
    given(userDecider, [registered]).when(verify).then([verified])
    given(userDecider, [registered, verified]).when(verify).thenNothing()
  })

  it('goes by other names once an earlier form has proven the address', () => {
    const updated = { type: 'ProfileUpdated', data: { userId: 7, updatedAt: later } } as const
    const byForm = { ...verify, takesNames: true }
    given(userDecider, [registered]).when(byForm).then([verified])
    given(userDecider, [registered, updated]).when(byForm).then([verified, updated])
    given(userDecider, [registered, updated]).when(verify).then([verified])
  })

  it('changes what everybody may know, and ends all sessions, as often as they like', () => {
    given(userDecider, [registered])
      .when(update)
      .then([{ type: 'ProfileUpdated', data: { userId: 7, updatedAt: later } }])
    given(userDecider, [registered])
      .when(revoke)
      .then([{ type: 'SessionRevoked', data: { userId: 7, reason: 'password-changed', revokedAt: later } }])
  })

  it('resets the password by a mail that proves the address, too', () => {
    const revoked = {
      type: 'SessionRevoked',
      data: { userId: 7, reason: 'password-changed', revokedAt: later },
    } as const
    given(userDecider, [registered]).when(reset).then([verified, revoked])
    given(userDecider, [registered, verified]).when(reset).then([revoked])
    given(userDecider, [registered, closed]).when(reset).thenRejects('not-found')
  })

  it('is banned and unbanned, once each', () => {
    given(userDecider, [registered]).when(ban).then([banned])
    given(userDecider, [registered, banned]).when(ban).thenNothing()
    given(userDecider, [registered, banned]).when(unban).then([unbanned])
    given(userDecider, [registered, banned, unbanned]).when(unban).thenNothing()
    given(userDecider, [registered, banned, unbanned]).when(ban).then([banned])
  })

  it('has a second factor and has none, told once each', () => {
    given(userDecider, [registered]).when(removeFactor).thenNothing()
    given(userDecider, [registered]).when(addFactor).then([factorAdded])
    given(userDecider, [registered, factorAdded]).when(addFactor).thenNothing()
    given(userDecider, [registered, factorAdded])
      .when(removeFactor)
      .then([factorRemoved('self')])
    given(userDecider, [registered, factorAdded, factorRemoved('self')])
      .when(removeFactor)
      .thenNothing()
    given(userDecider, [registered, factorAdded, factorRemoved('self')])
      .when(addFactor)
      .then([factorAdded])
  })

  it('loses it to an administrator, who is somebody else', () => {
    const remove = { ...removeFactor, by: 'admin', actorId: 1 } as const
    given(userDecider, [registered, factorAdded])
      .when(remove)
      .then([factorRemoved('admin')])
    given(userDecider, [administrator, factorAdded])
      .when({ ...remove, actorId: 7 })
      .thenRejects('conflict')
  })

  it('is not banned by themselves, and not as an administrator', () => {
    given(userDecider, [registered])
      .when({ ...ban, actorId: 7 })
      .thenRejects('conflict')
    given(userDecider, [administrator]).when(ban).thenRejects('conflict')
  })
})

describe('somebody who never confirmed their address', () => {
  it('is erased once, and nobody else is', () => {
    given(userDecider, [registered]).when(eraseUnconfirmed).then([erased])
    given(userDecider, [registered, erased]).when(eraseUnconfirmed).thenNothing()
    given(userDecider, [registered, verified]).when(eraseUnconfirmed).thenNothing()
    given(userDecider, [registered, closed]).when(eraseUnconfirmed).thenNothing()
    given(userDecider, [administrator]).when(eraseUnconfirmed).thenNothing()
    given(userDecider, [registered, erased]).when(verify).thenRejects('not-found')
  })
})

describe('somebody who leaves', () => {
  it('closes the account once and is erased once, in that order', () => {
    given(userDecider, [registered]).when(erase).thenRejects('conflict')
    given(userDecider, [registered]).when(close).then([closed])
    given(userDecider, [registered, closed]).when(close).thenNothing()
    given(userDecider, [registered, closed]).when(erase).then([erased])
    given(userDecider, [registered, closed, erased]).when(erase).thenNothing()
  })

  it('is brought back once, before they are erased, and can leave again', () => {
    given(userDecider, [registered]).when(reopen).thenNothing()
    given(userDecider, [registered, closed]).when(reopen).then([reopened])
    given(userDecider, [registered, closed, reopened]).when(reopen).thenNothing()
    given(userDecider, [registered, closed, reopened]).when(erase).thenRejects('conflict')
    given(userDecider, [registered, closed, reopened]).when(close).then([closed])
    given(userDecider, [registered, banned, closed, reopened]).when(unban).then([unbanned])
    given(userDecider, [registered, closed, erased]).when(reopen).thenRejects('not-found')
  })

  it('does nothing else any more', () => {
    for (const command of [verify, update, ban, unban, revoke, addFactor, removeFactor]) {
      given(userDecider, [registered, closed]).when(command).thenRejects('not-found')
      given(userDecider, [registered, closed, erased]).when(command).thenRejects('not-found')
    }
  })
})

describe('an administrator', () => {
  const appointed: IdentityEvent = { type: 'AdministratorAppointed', data: { userId: 7, appointedAt: later } }
  const dismissed: IdentityEvent = { type: 'AdministratorDismissed', data: { userId: 7, dismissedAt: later } }
  const appoint = { type: 'AppointAdministrator', actorId: 1, at: later } as const
  const dismiss = { type: 'DismissAdministrator', actorId: 1, at: later } as const

  it('is appointed once, and dismissed once', () => {
    given(userDecider, [registered, verified]).when(appoint).then([appointed])
    given(userDecider, [registered, verified, appointed]).when(appoint).thenNothing()
    given(userDecider, [registered, verified, appointed]).when(dismiss).then([dismissed])
    given(userDecider, [registered, verified, appointed, dismissed]).when(dismiss).thenNothing()
    given(userDecider, [registered, verified, appointed, dismissed]).when(appoint).then([appointed])
  })

  it('cannot be somebody who is banned, or who has not confirmed their address', () => {
    given(userDecider, [registered, verified, banned]).when(appoint).thenRejects('conflict')
    given(userDecider, [registered]).when(appoint).thenRejects('conflict')
  })

  it('dismisses nobody who is not there, and not themselves', () => {
    given(userDecider, [administrator])
      .when({ ...dismiss, actorId: 7 })
      .thenRejects('conflict')
    given(userDecider, [registered, closed]).when(dismiss).thenRejects('not-found')
    given(userDecider, []).when(appoint).thenRejects('not-found')
  })

  it('cannot be banned until dismissed', () => {
    given(userDecider, [registered, verified, appointed]).when(ban).thenRejects('conflict')
    given(userDecider, [registered, verified, appointed, dismissed]).when(ban).then([banned])
  })
})
