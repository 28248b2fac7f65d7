import type { ProfileChanges } from '@wangian/contracts/account.ts'
import type { DatabasePool, Transaction } from '@wangian/kit/database/postgres.ts'
import { runCommand } from '@wangian/kit/log/command.ts'
import { lockPerson } from '../leaving/closing-store.ts'
import type { Redirects } from '../oauth/redirects.ts'
import type { Account } from '../store.ts'
import { userDecider, userStream } from './domain.ts'
import { requestEmailChange } from './email-change.ts'
import { type ProfileField, type ProfileFields, updateProfile } from './profile-store.ts'

/** What everybody sees, or what the name of a shop is made of. */
const publicFields: readonly ProfileField[] = ['firstName', 'lastName', 'shopName', 'location', 'bio']
const privateFields: readonly ProfileField[] = ['address']

export interface ProfileChange {
  readonly account: Account
  readonly fields: ProfileFields
  /** An address to be confirmed; `null` when it stays as it is. */
  readonly newEmail: string | null
  readonly now: Date
  readonly correlationId: string
  /** Looks, with the person locked, whether they still may; throwing undoes all. */
  readonly within?: ((transaction: Transaction) => Promise<void>) | undefined
}

/** Those of the changes that change something. */
export function changedFields(account: Account, changes: ProfileChanges): ProfileFields {
  return Object.fromEntries(
    [...publicFields, ...privateFields].flatMap((field) => {
      const value = changes[field]
      return value === undefined || value === account[field] ? [] : [[field, value]]
    }),
  )
}

/** Changes somebody's profile, and tells of it if others can see it. Changes nothing where there is nothing to change. */
export async function changeProfile(
  pool: DatabasePool,
  links: { readonly publicUrl: string; readonly redirects: Redirects },
  change: ProfileChange,
): Promise<void> {
  const { account, fields, newEmail, now } = change
  const { userId } = account
  const at = now.toISOString()
  const write = async (transaction: Transaction) => {
    await lockPerson(transaction, userId)
    await change.within?.(transaction)
    if (Object.keys(fields).length > 0) await updateProfile(transaction, userId, fields, at)
    if (newEmail !== null) await requestEmailChange(transaction, links, { account, newEmail, now })
  }
  if (publicFields.some((field) => field in fields)) {
    await runCommand({
      pool,
      decider: userDecider,
      stream: userStream(userId),
      command: { type: 'UpdateProfile', at },
      metadata: { actorId: userId, correlationId: change.correlationId, causationId: null, commandId: null },
      project: write,
    })
  } else if (Object.keys(fields).length > 0 || newEmail !== null) {
    await pool.transaction(write)
  }
}
