import type { Executor } from '@wangian/kit/database/postgres.ts'
import { queueMail } from '@wangian/kit/mail/mail.ts'
import { type Recipient, textMail } from './text-mail.ts'
import { mailWords } from './words/mail-words.ts'

// Nothing that a stranger chose is in these mails, a name least of all: they go to addresses that anybody may have typed.

interface Proof {
  readonly url: string
  readonly code: string
}

/** To somebody who registers. */
export async function mailSignUp(transaction: Executor, recipient: Recipient, proof: Proof) {
  const text = mailWords(recipient.language).signUp
  await queueMail(transaction, textMail(recipient, 'verify-email', text, proof))
}

/** To the owner of an address with which somebody, perhaps the owner, registers again, or which they want for another account. */
export async function mailKnownAddress(transaction: Executor, recipient: Recipient, publicUrl: string) {
  const text = mailWords(recipient.language).knownAddress
  await queueMail(transaction, textMail(recipient, 'address-known', text, { url: `${publicUrl}/auth` }))
}

/** To somebody who has forgotten their password, or says so. */
export async function mailRecovery(transaction: Executor, recipient: Recipient, proof: Proof) {
  const text = mailWords(recipient.language).recovery
  await queueMail(transaction, textMail(recipient, 'reset-password', text, proof))
}

/** To the new address of somebody who wants another one. */
export async function mailEmailChange(transaction: Executor, recipient: Recipient, proof: Proof) {
  const text = mailWords(recipient.language).emailChange
  await queueMail(transaction, textMail(recipient, 'change-email', text, proof))
}

/** To the present address of somebody who wants another one. */
export async function mailEmailChangeNotice(transaction: Executor, recipient: Recipient, newEmail: string) {
  const text = mailWords(recipient.language).emailChangeNotice(newEmail)
  await queueMail(transaction, textMail(recipient, 'email-change-notice', text))
}

/** To somebody whose password has just been changed. */
export async function mailPasswordChanged(transaction: Executor, recipient: Recipient, publicUrl: string) {
  const text = mailWords(recipient.language).passwordChanged
  await queueMail(transaction, textMail(recipient, 'password-changed', text, { url: `${publicUrl}/auth` }))
}

/** To somebody who has set a password for the first time. */
export async function mailPasswordSet(transaction: Executor, recipient: Recipient, publicUrl: string) {
  const text = mailWords(recipient.language).passwordSet
  await queueMail(transaction, textMail(recipient, 'password-set', text, { url: `${publicUrl}/auth` }))
}

/** To somebody whose account can be entered by way of another site from now on. */
export async function mailIdentityLinked(
  transaction: Executor,
  recipient: Recipient,
  provider: string,
  publicUrl: string,
) {
  const text = mailWords(recipient.language).identityLinked(siteName(provider))
  const url = `${publicUrl}/account/settings`
  await queueMail(transaction, textMail(recipient, 'identity-linked', text, { url }))
}

/** To somebody whose account cannot be entered by way of that site any more. */
export async function mailIdentityUnlinked(
  transaction: Executor,
  recipient: Recipient,
  provider: string,
  publicUrl: string,
) {
  const text = mailWords(recipient.language).identityUnlinked(siteName(provider))
  await queueMail(transaction, textMail(recipient, 'identity-unlinked', text, { url: `${publicUrl}/auth` }))
}

/** As people write it. */
function siteName(provider: string): string {
  return provider.charAt(0).toUpperCase() + provider.slice(1)
}
