import type { DatabasePool, Transaction } from '@wangian/kit/database/postgres.ts'
import { lockPerson } from '../leaving/closing-store.ts'
import { mailIdentityUnlinked } from '../mails/provider-mails.ts'
import { EMAIL_PROVIDER } from '../provider/provider-json.ts'
import { endSessions } from '../sessions/revocation.ts'
import { listSessionsFromElsewhere } from '../sessions/session-store.ts'
import { type Account, findPasswordHash, listIdentities } from '../store.ts'
import { deleteIssuedCodes } from './flow-state-store.ts'
import { deleteIdentity } from './oauth-store.ts'

/**
 * Takes away a way of signing in at another site, with the sessions that somebody else may have opened by it, and tells the person by mail. Call
 * `onAppended` afterwards.
 * @param within what is to be looked at in its transaction, with the person locked; throwing undoes all
 * @returns `last-way-in` when nobody could sign in to the account without it
 */
export function unlinkIdentity(
  { pool, publicUrl }: { readonly pool: DatabasePool; readonly publicUrl: string },
  {
    account,
    sessionId,
    identityId,
    within,
  }: {
    readonly account: Account
    /** Of whoever asks, which stays. */
    readonly sessionId: string
    readonly identityId: string
    readonly within: (transaction: Transaction) => Promise<void>
  },
): Promise<'unlinked' | 'unknown' | 'last-way-in'> {
  const { userId } = account
  return pool.transaction(async (transaction) => {
    // Of two at once each would count on the other's.
    await lockPerson(transaction, userId)
    await within(transaction)
    const elsewhere = (await listIdentities(transaction, userId)).filter(({ provider }) => provider !== EMAIL_PROVIDER)
    const identity = elsewhere.find(({ id }) => id === identityId)
    if (identity === undefined) return 'unknown'
    const hasPassword = (await findPasswordHash(transaction, userId)) !== null
    if (!hasPassword && elsewhere.length === 1) return 'last-way-in'
    await deleteIdentity(transaction, identityId)
    await deleteIssuedCodes(transaction, userId)
    const sessionIds = await listSessionsFromElsewhere(transaction, { userId, exceptId: sessionId })
    await endSessions(transaction, { userId, sessionIds, reason: 'signed-out' })
    await mailIdentityUnlinked(transaction, account, identity.provider, publicUrl)
    return 'unlinked'
  })
}
