import type { Transaction } from '@wangian/kit/database/postgres.ts'
import { landingPage, mailedLink } from '../mails/mailed-links.ts'
import { issueOneTimeToken } from '../mails/one-time-token.ts'
import { deleteUnusedTokens } from '../mails/one-time-token-store.ts'
import { mailEmailChange, mailEmailChangeNotice, mailKnownAddress } from '../mails/provider-mails.ts'
import type { Recipient } from '../mails/text-mail.ts'
import type { Redirects } from '../oauth/redirects.ts'
import { findAccountByEmail } from '../store.ts'

/**
 * Begins to change somebody's address: a mail to the new one, with which it is confirmed, and one to the present one,
 * which says so. An address that belongs to somebody else is answered the same; its owner gets another mail.
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
  if (owner !== null) {
    await mailKnownAddress(transaction, owner, links.publicUrl)
    return
  }
  const url = mailedLink(landingPage(links, 'email_change', redirectTo), 'email_change', token)
  await mailEmailChange(transaction, { ...account, email: newEmail }, { url, code })
}
