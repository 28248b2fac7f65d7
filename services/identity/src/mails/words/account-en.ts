const ownAccount = 'You get this mail because this is the address of your account at Wangian.'

/** What mails about somebody's own account say in English. */
export const accountWordsEn = {
  signUp: {
    title: 'Confirm your email address',
    paragraphs: [
      'Welcome to Wangian. Confirm that this address is yours, and you can sign in.',
      'The link and the code work once, within 24 hours.',
    ],
    button: 'Confirm email address',
    footer:
      'You get this mail because somebody registered at Wangian with your address. If it was not you, do nothing: the account cannot be used.',
  },
  knownAddress: {
    title: 'You already have an account',
    paragraphs: [
      'Somebody tried to register at Wangian with your address, or to move another account to it. It belongs to your account already, so nothing was changed.',
      'If it was you, sign in. If you do not know your password any more, choose ‘Forgot password?’ there.',
    ],
    button: 'Sign in',
    footer: 'You get this mail because you have an account at Wangian. If it was not you, there is nothing to do.',
  },
  recovery: {
    title: 'Reset your password',
    paragraphs: [
      'Choose a new password for your account at Wangian. All your devices are signed out then.',
      'The link and the code work once, within 30 minutes.',
    ],
    button: 'Choose a new password',
    footer:
      'You get this mail because somebody asked for a new password for your account. If it was not you, do nothing: your password stays as it is.',
  },
  emailChange: {
    title: 'Confirm your new email address',
    paragraphs: [
      'Confirm that this address is yours, and your account at Wangian uses it from then on.',
      'The link and the code work once, within 24 hours.',
    ],
    button: 'Confirm new address',
    footer:
      'You get this mail because somebody wants to use your address for their account at Wangian. If it was not you, do nothing: nothing will change.',
  },
  emailChangeNotice: (newEmail: string) => ({
    title: 'Your email address is to be changed',
    paragraphs: [
      `Somebody who is signed in to your account at Wangian asked to change its email address to ${newEmail}. It changes as soon as that address is confirmed.`,
      'If it was not you, change your password at once: it ends all other sessions.',
    ],
    footer: ownAccount,
  }),
  passwordChanged: {
    title: 'Your password was changed',
    paragraphs: [
      'The password of your account at Wangian was changed just now, and your other devices were signed out.',
      'If it was not you, choose a new password at once: ‘Forgot password?’ on the sign-in page sends you a link.',
    ],
    button: 'Go to the sign-in page',
    footer: ownAccount,
  },
  passwordSet: {
    title: 'Your account has a password now',
    paragraphs: [
      'A password was set for your account at Wangian. You can sign in with it and your email address, besides the ways that you have used so far.',
      'If it was not you, choose a new one at once: ‘Forgot password?’ on the sign-in page sends you a link.',
    ],
    button: 'Go to the sign-in page',
    footer: ownAccount,
  },
  identityLinked: (site: string) => ({
    title: `You can now sign in with ${site}`,
    paragraphs: [
      `Somebody signed in to Wangian with a ${site} account that has your email address. From now on that ${site} account opens your account here.`,
      `If it was not you, secure your ${site} account, and disconnect it in the settings of your account here.`,
    ],
    button: 'Open your settings',
    footer: ownAccount,
  }),
  identityUnlinked: (site: string) => ({
    title: `${site} was disconnected from your account`,
    paragraphs: [
      `Your ${site} account does not open your account at Wangian any more. You sign in with your email address and your password.`,
      'If it was not you, change your password at once: it ends all other sessions.',
    ],
    button: 'Go to the sign-in page',
    footer: ownAccount,
  }),
  factorAdded: (isFirst: boolean) => ({
    title: isFirst ? 'Two-step sign-in is on' : 'Another authenticator app was connected',
    paragraphs: [
      isFirst
        ? 'An authenticator app was connected to your account at Wangian. From now on you need your password and a code of the app to sign in.'
        : 'Another authenticator app was connected to your account at Wangian. Its codes sign you in, as those of your other app do.',
      'If it was not you, somebody knows your password. Write to us at once: we can remove the app after we have made sure that the account is yours.',
    ],
    button: 'Open your settings',
    footer: ownAccount,
  }),
  factorRemoved: (isLast: boolean) => ({
    title: isLast ? 'Two-step sign-in is off' : 'An authenticator app was removed',
    paragraphs: [
      isLast
        ? 'Somebody who is signed in to your account at Wangian removed its authenticator app and its recovery codes. Your password alone signs you in again.'
        : 'Somebody who is signed in to your account at Wangian removed one of its authenticator apps. Codes of the other one are still asked for.',
      'If it was not you, change your password at once: it ends all other sessions. Then set up two-step sign-in again.',
    ],
    button: 'Open your settings',
    footer: ownAccount,
  }),
  factorTakenOff: {
    title: 'Two-step sign-in was turned off for you',
    paragraphs: [
      'An administrator of Wangian removed the authenticator app and the recovery codes of your account. You are signed out everywhere, and your password alone signs you in again.',
      'Set up two-step sign-in again with your new app. If you did not ask for this, change your password at once, and write to us.',
    ],
    button: 'Open your settings',
    footer: ownAccount,
  },
  recoveryCodeUsed: (left: number) => ({
    title: 'A recovery code was used',
    paragraphs: [
      `Somebody confirmed a sign-in to your account at Wangian with your password and one of your recovery codes. ${left === 1 ? '1 code is' : `${left} codes are`} left.`,
      'If it was not you, change your password at once: it ends all other sessions. Then make new recovery codes.',
    ],
    button: 'Open your settings',
    footer: ownAccount,
  }),
  accountClosed: ({ username, day }: { readonly username: string; readonly day: string }) => ({
    subject: 'Your Wangian account was deleted',
    title: 'Your account was deleted',
    paragraphs: [
      `Hello ${username},`,
      'Your Wangian account was deleted as you asked. You are signed out everywhere, and nobody sees your profile or your listings any more.',
      `On ${day} your personal data will be erased for good. What others need stays without your name: your bids, and your side of conversations and orders.`,
      `If you did not ask for this, or think better of it, tell our support before ${day}. Until then they can bring your account back.`,
    ],
    footer: 'You get this mail because the account with this address was deleted. There will be no further one.',
  }),
}
