import type { Executor } from '@wangian/kit/database/postgres.ts'
import { queueMail } from '@wangian/kit/mail/mail.ts'
import { type Recipient, textMail } from './text-mail.ts'
import { type MailText, mailWords } from './words/mail-words.ts'

// Whoever knows a password and can change these is the owner of an account: the owner hears of each change.

/** To somebody who has connected an authenticator app. @param isFirst whether a password alone was enough until now */
export async function mailFactorAdded(
  transaction: Executor,
  recipient: Recipient,
  { isFirst, publicUrl }: { readonly isFirst: boolean; readonly publicUrl: string },
) {
  const text = mailWords(recipient.language).factorAdded(isFirst)
  await sendFactorMail(transaction, recipient, publicUrl, 'factor-added', text)
}

/** To somebody who has removed an authenticator app. @param isLast whether a password alone is enough again */
export async function mailFactorRemoved(
  transaction: Executor,
  recipient: Recipient,
  { isLast, publicUrl }: { readonly isLast: boolean; readonly publicUrl: string },
) {
  const text = mailWords(recipient.language).factorRemoved(isLast)
  await sendFactorMail(transaction, recipient, publicUrl, 'factor-removed', text)
}

/** To somebody whose second factor an administrator has taken off. */
export async function mailFactorTakenOff(transaction: Executor, recipient: Recipient, publicUrl: string) {
  const text = mailWords(recipient.language).factorTakenOff
  await sendFactorMail(transaction, recipient, publicUrl, 'factor-taken-off', text)
}

/** To somebody who has signed in with a recovery code. */
export async function mailRecoveryCodeUsed(
  transaction: Executor,
  recipient: Recipient,
  { left, publicUrl }: { readonly left: number; readonly publicUrl: string },
) {
  const text = mailWords(recipient.language).recoveryCodeUsed(left)
  await sendFactorMail(transaction, recipient, publicUrl, 'recovery-code-used', text)
}

async function sendFactorMail(
  transaction: Executor,
  recipient: Recipient,
  publicUrl: string,
  kind: string,
  text: MailText,
): Promise<void> {
  await queueMail(transaction, textMail(recipient, kind, text, { url: `${publicUrl}/account/settings` }))
}
