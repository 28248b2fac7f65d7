import type { Transaction } from '@wangian/kit/database/postgres.ts'
import { landingPage, mailedLink } from '../mails/mailed-links.ts'
import { issueOneTimeToken } from '../mails/one-time-token.ts'
import { deleteUnusedTokens } from '../mails/one-time-token-store.ts'
import { mailEmailChange, mailEmailChangeNotice, mailKnownAddress } from '../mails/provider-mails.ts'
import type { Recipient } from '../mails/text-mail.ts'
import type { Redirects } from '../oauth/redirects.ts'
import { type Account, findAccountByEmail } from '../store.ts'
import { claimOwnEmail } from './person-store.ts'
import { signInAlias } from './sign-in-alias.ts'

/**
 * Begins to change somebody's address: a mail to the new one, with which it is confirmed, and one to the present one,
 * which says so. An address that belongs to somebody else is answered the same; its owner gets another mail. One with which somebody only
 * registered goes to whoever proves it.
 * Call `onAppended` afterwards, which also sends mails.
 */
export async function requestEmailChange(
  transaction: Transaction,
  links: { readonly publicUrl: string; readonly redirects: Redirects },
  change: {
    readonly account: Recipient
    /** In lower case. */
    readonly newEmail: string
    readonly redirectTo?: unknown
    readonly flowId?: string | null
    readonly now: Date
  },
): Promise<void> {
  const { account, newEmail, redirectTo, flowId = null, now } = change
  const { userId } = account
  await deleteUnusedTokens(transaction, userId, ['email_change'])
  const { token, code } = await issueOneTimeToken(transaction, {
    userId,
    kind: 'email_change',
    email: newEmail,
    flowId,
    now,
  })
  await mailEmailChangeNotice(transaction, account, newEmail)
  const owner = await findAccountByEmail(transaction, newEmail)
  if (owner !== null && !givesWay(owner)) {
    await mailKnownAddress(transaction, owner, links.publicUrl)
    return
  }
  const url = mailedLink(landingPage(links, 'email_change', redirectTo), 'email_change', token)
  await mailEmailChange(transaction, { ...account, email: newEmail }, { url, code })
}

/**
 * Frees an address for somebody who has proven it: whoever registered with it and has not confirmed it only claims it from now on, which
 * they cannot tell.
 */
export async function freeAddress(transaction: Transaction, email: string): Promise<void> {
  const holder = await findAccountByEmail(transaction, email)
  if (holder !== null && givesWay(holder)) await claimOwnEmail(transaction, holder.userId, signInAlias(holder.userId))
}

/** A ban keeps an address. */
function givesWay({ emailConfirmedAt, isBanned }: Account): boolean {
  return emailConfirmedAt === null && !isBanned
}
