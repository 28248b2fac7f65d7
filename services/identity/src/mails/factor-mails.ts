import type { Executor } from '@wangian/kit/database/postgres.ts'
import { ACCOUNT_FOOTER, type Recipient, sendAccountMail } from './provider-mails.ts'

// Whoever knows a password and can change these is the owner of an account: the owner hears of each change.

/** To somebody who has connected an authenticator app. @param isFirst whether a password alone was enough until now */
export async function mailFactorAdded(
  transaction: Executor,
  recipient: Recipient,
  { isFirst, publicUrl }: { readonly isFirst: boolean; readonly publicUrl: string },
) {
  await sendFactorMail(transaction, recipient, publicUrl, {
    kind: 'factor-added',
    title: isFirst ? 'Two-step sign-in is on' : 'Another authenticator app was connected',
    paragraphs: [
      isFirst
        ? 'An authenticator app was connected to your account at Wangian. From now on you need your password and a code of the app to sign in.'
        : 'Another authenticator app was connected to your account at Wangian. Its codes sign you in, as those of your other app do.',
      'If it was not you, somebody knows your password. Write to us at once: we can remove the app after we have made sure that the account is yours.',
    ],
  })
}

/** To somebody who has removed an authenticator app. @param isLast whether a password alone is enough again */
export async function mailFactorRemoved(
  transaction: Executor,
  recipient: Recipient,
  { isLast, publicUrl }: { readonly isLast: boolean; readonly publicUrl: string },
) {
  await sendFactorMail(transaction, recipient, publicUrl, {
    kind: 'factor-removed',
    title: isLast ? 'Two-step sign-in is off' : 'An authenticator app was removed',
    paragraphs: [
      isLast
        ? 'Somebody who is signed in to your account at Wangian removed its authenticator app and its recovery codes. Your password alone signs you in again.'
        : 'Somebody who is signed in to your account at Wangian removed one of its authenticator apps. Codes of the other one are still asked for.',
      'If it was not you, change your password at once: it ends all other sessions. Then set up two-step sign-in again.',
    ],
  })
}

/** To somebody whose second factor an administrator has taken off. */
export async function mailFactorTakenOff(transaction: Executor, recipient: Recipient, publicUrl: string) {
  await sendFactorMail(transaction, recipient, publicUrl, {
    kind: 'factor-taken-off',
    title: 'Two-step sign-in was turned off for you',
    paragraphs: [
      'An administrator of Wangian removed the authenticator app and the recovery codes of your account. You are signed out everywhere, and your password alone signs you in again.',
      'Set up two-step sign-in again with your new app. If you did not ask for this, change your password at once, and write to us.',
    ],
  })
}

/** To somebody who has signed in with a recovery code. */
export async function mailRecoveryCodeUsed(
  transaction: Executor,
  recipient: Recipient,
  { left, publicUrl }: { readonly left: number; readonly publicUrl: string },
) {
  await sendFactorMail(transaction, recipient, publicUrl, {
    kind: 'recovery-code-used',
    title: 'A recovery code was used',
    paragraphs: [
      `Somebody confirmed a sign-in to your account at Wangian with your password and one of your recovery codes. ${left === 1 ? '1 code is' : `${left} codes are`} left.`,
      'If it was not you, change your password at once: it ends all other sessions. Then make new recovery codes.',
    ],
  })
}

async function sendFactorMail(
  transaction: Executor,
  { to, userId }: Recipient,
  publicUrl: string,
  { kind, title, paragraphs }: { readonly kind: string; readonly title: string; readonly paragraphs: string[] },
) {
  const button = { label: 'Open your settings', url: `${publicUrl}/account/settings` }
  const content = { title, paragraphs, button, footer: ACCOUNT_FOOTER }
  await sendAccountMail(transaction, { to, userId, kind, subject: title }, content)
}
