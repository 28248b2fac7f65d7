import type { Executor } from '@wangian/kit/database/postgres.ts'
import { queueMail } from '@wangian/kit/mail/mail.ts'
import { mailLayout } from './mail-layout.ts'

export const ACCOUNT_FOOTER = 'You get this mail because this is the address of your account at Wangian.'

// Nothing that a stranger chose is in these mails, a name least of all: they go to addresses that anybody may have typed.

export interface Recipient {
  readonly to: string
  /** Whose mail it is, for their erasure. */
  readonly userId: number
}

interface Proof {
  readonly url: string
  readonly code: string
}

/** To somebody who registers. */
export async function mailSignUp(transaction: Executor, { to, userId }: Recipient, { url, code }: Proof) {
  await sendAccountMail(
    transaction,
    { to, userId, kind: 'verify-email', subject: 'Confirm your email address' },
    {
      title: 'Confirm your email address',
      paragraphs: [
        'Welcome to Wangian. Confirm that this address is yours, and you can sign in.',
        'The link and the code work once, within 24 hours.',
      ],
      button: { label: 'Confirm email address', url },
      code,
      footer:
        'You get this mail because somebody registered at Wangian with your address. If it was not you, do nothing: the account cannot be used.',
    },
  )
}

/** To the owner of an address with which somebody, perhaps the owner, registers again. */
export async function mailKnownAddress(transaction: Executor, { to, userId }: Recipient, publicUrl: string) {
  await sendAccountMail(
    transaction,
    { to, userId, kind: 'address-known', subject: 'You already have an account' },
    {
      title: 'You already have an account',
      paragraphs: [
        'Somebody tried to register at Wangian with your address. It belongs to your account already, so nothing was changed.',
        'If it was you, sign in. If you do not know your password any more, choose ‘Forgot password?’ there.',
      ],
      button: { label: 'Sign in', url: `${publicUrl}/auth` },
      footer: 'You get this mail because you have an account at Wangian. If it was not you, there is nothing to do.',
    },
  )
}

/** To somebody who has forgotten their password, or says so. */
export async function mailRecovery(transaction: Executor, { to, userId }: Recipient, { url, code }: Proof) {
  await sendAccountMail(
    transaction,
    { to, userId, kind: 'reset-password', subject: 'Reset your password' },
    {
      title: 'Reset your password',
      paragraphs: [
        'Choose a new password for your account at Wangian. All your devices are signed out then.',
        'The link and the code work once, within 30 minutes.',
      ],
      button: { label: 'Choose a new password', url },
      code,
      footer:
        'You get this mail because somebody asked for a new password for your account. If it was not you, do nothing: your password stays as it is.',
    },
  )
}

/** To the new address of somebody who wants another one. */
export async function mailEmailChange(transaction: Executor, { to, userId }: Recipient, { url, code }: Proof) {
  await sendAccountMail(
    transaction,
    { to, userId, kind: 'change-email', subject: 'Confirm your new email address' },
    {
      title: 'Confirm your new email address',
      paragraphs: [
        'Confirm that this address is yours, and your account at Wangian uses it from then on.',
        'The link and the code work once, within 24 hours.',
      ],
      button: { label: 'Confirm new address', url },
      code,
      footer:
        'You get this mail because somebody wants to use your address for their account at Wangian. If it was not you, do nothing: nothing will change.',
    },
  )
}

/** To the present address of somebody who wants another one. */
export async function mailEmailChangeNotice(transaction: Executor, { to, userId }: Recipient, newEmail: string) {
  await sendAccountMail(
    transaction,
    { to, userId, kind: 'email-change-notice', subject: 'Your email address is to be changed' },
    {
      title: 'Your email address is to be changed',
      paragraphs: [
        `Somebody who is signed in to your account at Wangian asked to change its email address to ${newEmail}. It changes as soon as that address is confirmed.`,
        'If it was not you, change your password at once: it ends all other sessions.',
      ],
      footer: ACCOUNT_FOOTER,
    },
  )
}

/** To somebody whose password has just been changed. */
export async function mailPasswordChanged(transaction: Executor, { to, userId }: Recipient, publicUrl: string) {
  await sendAccountMail(
    transaction,
    { to, userId, kind: 'password-changed', subject: 'Your password was changed' },
    {
      title: 'Your password was changed',
      paragraphs: [
        'The password of your account at Wangian was changed just now, and your other devices were signed out.',
        'If it was not you, choose a new password at once: ‘Forgot password?’ on the sign-in page sends you a link.',
      ],
      button: { label: 'Go to the sign-in page', url: `${publicUrl}/auth` },
      footer: ACCOUNT_FOOTER,
    },
  )
}

/** To somebody who has set a password for the first time. */
export async function mailPasswordSet(transaction: Executor, { to, userId }: Recipient, publicUrl: string) {
  await sendAccountMail(
    transaction,
    { to, userId, kind: 'password-set', subject: 'Your account has a password now' },
    {
      title: 'Your account has a password now',
      paragraphs: [
        'A password was set for your account at Wangian. You can sign in with it and your email address, besides the ways that you have used so far.',
        'If it was not you, choose a new one at once: ‘Forgot password?’ on the sign-in page sends you a link.',
      ],
      button: { label: 'Go to the sign-in page', url: `${publicUrl}/auth` },
      footer: ACCOUNT_FOOTER,
    },
  )
}

/** To somebody whose account can be entered by way of another site from now on. */
export async function mailIdentityLinked(
  transaction: Executor,
  { to, userId }: Recipient,
  provider: string,
  publicUrl: string,
) {
  const site = siteName(provider)
  await sendAccountMail(
    transaction,
    { to, userId, kind: 'identity-linked', subject: `You can now sign in with ${site}` },
    {
      title: `You can now sign in with ${site}`,
      paragraphs: [
        `Somebody signed in to Wangian with a ${site} account that has your email address. From now on that ${site} account opens your account here.`,
        `If it was not you, secure your ${site} account, and disconnect it in the settings of your account here.`,
      ],
      button: { label: 'Open your settings', url: `${publicUrl}/account/settings` },
      footer: ACCOUNT_FOOTER,
    },
  )
}

/** To somebody whose account cannot be entered by way of that site any more. */
export async function mailIdentityUnlinked(
  transaction: Executor,
  { to, userId }: Recipient,
  provider: string,
  publicUrl: string,
) {
  const site = siteName(provider)
  await sendAccountMail(
    transaction,
    { to, userId, kind: 'identity-unlinked', subject: `${site} was disconnected from your account` },
    {
      title: `${site} was disconnected from your account`,
      paragraphs: [
        `Your ${site} account does not open your account at Wangian any more. You sign in with your email address and your password.`,
        'If it was not you, change your password at once: it ends all other sessions.',
      ],
      button: { label: 'Go to the sign-in page', url: `${publicUrl}/auth` },
      footer: ACCOUNT_FOOTER,
    },
  )
}

/** As people write it. */
function siteName(provider: string): string {
  return provider.charAt(0).toUpperCase() + provider.slice(1)
}

/** Queues a mail about somebody's own account. */
export async function sendAccountMail(
  transaction: Executor,
  mail: Recipient & { readonly kind: string; readonly subject: string },
  content: Parameters<typeof mailLayout>[0],
): Promise<void> {
  const { to, userId, kind, subject } = mail
  await queueMail(transaction, { to, subject, ...mailLayout(content), kind, personId: userId })
}
