import { paths } from '../../paths.ts'
import { GuidePage } from './GuidePage.tsx'
import type { Guide } from './guide.ts'

export const privacy: Guide = {
  title: 'Privacy Policy',
  intro: 'What we know about you, what for, and how you get rid of it.',
  updated: '26 April 2025',
  sections: [
    {
      id: 'data',
      title: 'The data we collect',
      paragraphs: ['We keep what the marketplace needs to work, and nothing for the sake of having it.'],
      points: [
        'Your account: username, e-mail address, name, and your address if you give one.',
        'What you show of yourself: shop name, location, a text about you, your pictures.',
        'What you do: listings, bids, favourites, messages and the files in them, purchases and reviews.',
        'What machines say when they connect: network address, browser, time.',
      ],
    },
    {
      id: 'use',
      title: 'How we use it',
      paragraphs: ['We use your data to run the marketplace:'],
      points: [
        'to sign you in and keep your account safe,',
        'to show your listings and your bids to others, under your username,',
        'to send you mails that you need, and those notices that you have switched on,',
        'to find and stop abuse, and to understand which parts of Wangian are used.',
      ],
    },
    {
      id: 'no-selling',
      title: 'We do not sell your data',
      paragraphs: [
        'We do not sell your personal data, and we do not rent it out. Nobody pays us for it in any other way.',
      ],
    },
    {
      id: 'deletion',
      title: 'When you leave',
      paragraphs: [
        'You can delete your account under ‘Delete My Account’ in your account settings. You and your listings disappear at once. Your personal data is removed within 14 days of the deletion of your account.',
        'What others need of what they did with you stays with them without your name: a conversation is then one with a deleted user, and a bid one of a deleted user.',
      ],
      links: [{ to: paths.account('settings'), label: 'Go to your account settings' }],
    },
    {
      id: 'rights',
      title: 'Your rights',
      paragraphs: ['You have the right'],
      points: [
        'to know which data we keep about you, and to get a copy of it,',
        'to have it corrected; most of it you can change yourself in your account,',
        'to have it deleted,',
        'to object to a use of it, and to withdraw a consent that you gave.',
      ],
    },
    {
      id: 'security',
      title: 'Security',
      paragraphs: [
        'Connections are encrypted. Passwords are stored only as salted hashes, so that nobody can read them, we included. Each part of our system can reach only the data that it needs. The location that a camera writes into a photograph is removed when you upload it.',
      ],
    },
    {
      id: 'third-parties',
      title: 'Third parties',
      paragraphs: ['We pass on only what these need for their part:'],
      points: [
        'payment providers, when you pay for a boost,',
        'authentication providers, when you sign in through one,',
        'analytics providers, which learn what pages are used and not who you are.',
      ],
    },
    {
      id: 'social-login',
      title: 'Social login',
      paragraphs: [
        'If you sign in with Facebook, we receive your name, your e-mail address and an identifier from there, and nothing that you post. We post nothing in your name. You can unlink it at any time by setting a password and removing Wangian from your apps there.',
      ],
    },
  ],
}

export default function PrivacyPage() {
  return <GuidePage guide={privacy} />
}
