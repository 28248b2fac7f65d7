import type { IdentityEvent } from '@wangian/contracts/events/identity.ts'
import type { Transaction } from '@wangian/kit/database/postgres.ts'
import type { RecordedEvent } from '@wangian/kit/log/event-store.ts'
import type { OwnProjection } from '@wangian/kit/log/rebuild.ts'
import { insertUser, updateBan, updateClosedAt, updateErasedAt, updateIsAdmin, updateIsVerified } from './store.ts'

/** Writes what one event of the log means for the `users` table. */
export async function projectUser(transaction: Transaction, event: RecordedEvent<IdentityEvent>): Promise<void> {
  switch (event.type) {
    case 'UserRegistered':
      return insertUser(transaction, event.data)
    case 'UserBanned':
      return updateBan(transaction, event.data.userId, event.data.bannedAt)
    case 'UserUnbanned':
      return updateBan(transaction, event.data.userId, null)
    case 'AccountClosed':
      return updateClosedAt(transaction, event.data.userId, event.data.closedAt)
    case 'AccountReopened':
      return updateClosedAt(transaction, event.data.userId, null)
    case 'UserErased':
      return updateErasedAt(transaction, event.data.userId, event.data.erasedAt)
    case 'EmailVerified':
      return updateIsVerified(transaction, event.data.userId)
    case 'AdministratorAppointed':
      return updateIsAdmin(transaction, event.data.userId, true)
    case 'AdministratorDismissed':
      return updateIsAdmin(transaction, event.data.userId, false)
    case 'ProfileUpdated':
    case 'SessionRevoked':
    case 'SecondFactorAdded':
    case 'SecondFactorRemoved':
      return
    default:
      event satisfies never
  }
}

/** The `users` table. */
export const usersProjection: OwnProjection<'identity'> = {
  name: 'users',
  tables: [{ name: 'users' }],
  replay: () => ({ project: projectUser }),
}
