import type { Mail } from '@wangian/kit/mail/mail.ts'
import { mailLayout } from './mail-layout.ts'

/** Where most people are who read it. */
const TIME_ZONE = 'Asia/Kuala_Lumpur'

/** Says that an account is closed, and until when it can be had back. */
export function accountClosedMail(
  { userId, email, username }: { readonly userId: number; readonly email: string; readonly username: string },
  erasedFrom: Date,
): Mail {
  const day = erasedFrom.toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: TIME_ZONE })
  const content = mailLayout({
    title: 'Your account was deleted',
    paragraphs: [
      `Hello ${username},`,
      'Your Wangian account was deleted as you asked. You are signed out everywhere, and nobody sees your profile or your listings any more.',
      `On ${day} your personal data will be erased for good. What others need stays without your name: your bids, and your side of conversations and orders.`,
      `If you did not ask for this, or think better of it, tell our support before ${day}. Until then they can bring your account back.`,
    ],
    footer: 'You get this mail because the account with this address was deleted. There will be no further one.',
  })
  return {
    to: email,
    subject: 'Your Wangian account was deleted',
    kind: 'account-deleted',
    personId: userId,
    ...content,
  }
}
