import { ReportKind } from '@wangian/contracts/reports.ts'
import { describe, expect, it } from 'vitest'
import type { DealNews } from './deal-news.ts'
import { type MailText, mailWordsByLanguage } from './mail-words.ts'

type Words = (typeof mailWordsByLanguage)['en']

const [name, price, seller, buyer] = ['Oud Wood', 'RM 120.00', 'sarah', 'bala']
const news: DealNews[] = [
  'offered',
  'purchase-confirmed',
  'payment-confirmed',
  'delivery-confirmed',
  'cancelled',
  'remind-purchase',
  'remind-payment',
  'remind-delivery',
]

/** Every mail, with what may differ in it, said of the same things. */
function allOf(
  words: Words,
): Record<Exclude<keyof Words, 'aListing' | 'accountSettings' | 'mailSettings'>, MailText[]> {
  const sides = [
    { name, price, other: buyer, isSeller: true, isStranger: false },
    { name, price, other: seller, isSeller: false, isStranger: false },
    { name, price, other: seller, isSeller: false, isStranger: true },
    { name, price, other: null, isSeller: true, isStranger: false },
  ]
  return {
    signUp: [words.signUp],
    knownAddress: [words.knownAddress],
    recovery: [words.recovery],
    emailChange: [words.emailChange],
    emailChangeNotice: [words.emailChangeNotice('new@example.com')],
    passwordChanged: [words.passwordChanged],
    passwordSet: [words.passwordSet],
    identityLinked: [words.identityLinked('Facebook')],
    identityUnlinked: [words.identityUnlinked('Facebook')],
    factorAdded: [words.factorAdded(true), words.factorAdded(false)],
    factorRemoved: [words.factorRemoved(true), words.factorRemoved(false)],
    factorTakenOff: [words.factorTakenOff],
    recoveryCodeUsed: [words.recoveryCodeUsed(9), words.recoveryCodeUsed(1)],
    accountClosed: [words.accountClosed({ username: buyer, day: '28' })],
    auctionSold: [buyer, null].map((winner) => words.auctionSold({ name, price, winner })),
    auctionUnsold: (['no-bids', 'reserve-not-met', 'winner-unavailable'] as const).map((reason) =>
      words.auctionUnsold({ name, reason }),
    ),
    auctionWon: [seller, null].map((each) => words.auctionWon({ name, price, seller: each })),
    bidVoid: [words.bidVoid({ name })],
    auctionRemoved: [words.auctionRemoved({ name })],
    soldOut: [words.soldOut({ name })],
    stockLow: [words.stockLow({ name, left: 3 }), words.stockLow({ name, left: 1 })],
    newReview: [
      words.newReview({ name, rating: 4.5, buyer, hasComment: true }),
      words.newReview({ name, rating: 4.5, buyer: null, hasComment: false }),
    ],
    listingRemoved: [words.listingRemoved({ name, reason: 'Counterfeit' })],
    reportDecided: ReportKind.options.flatMap((kind) =>
      (['upheld', 'dismissed'] as const).map((decision) => words.reportDecided({ kind, decision })),
    ),
    boostPaid: [words.boostPaid({ price, packageName: 'Five products', number: 12 })],
    boostCase: [words.boostCase({ name, price })],
    boostRefund: [words.boostRefund({ name, price })],
    deal: news.flatMap((each) => sides.map((facts) => words.deal(each, facts))),
    dealByAdmin: news.flatMap((each) => sides.map((facts) => words.dealByAdmin(each, facts))),
  }
}

/** What a mail names, each once. */
function namedIn({ subject = '', title, paragraphs }: MailText): string[] {
  const text = [subject, title, ...paragraphs].join('\n')
  const facts = [
    name,
    price,
    seller,
    buyer,
    'new@example.com',
    'Facebook',
    'Counterfeit',
    'Five products',
    '4.5',
    '28',
    '12',
  ]
  return facts.filter((fact) => text.includes(fact))
}

const shapeOf = ({ paragraphs, button, subject }: MailText) => [
  paragraphs.length,
  button !== undefined,
  subject !== undefined,
]

const sentencesOf = ({ subject, title, paragraphs, button, footer }: MailText) =>
  [subject, title, ...paragraphs, button, footer].filter((sentence) => sentence !== undefined)

const english = allOf(mailWordsByLanguage.en)
const malay = allOf(mailWordsByLanguage.ms)

describe('the words of mails', () => {
  it.each(['en', 'ms'] as const)('do not put what a stranger calls a listing into the subject: %s', (language) => {
    const facts = { name, price, other: seller, isSeller: false, isStranger: true }
    for (const each of ['offered', 'remind-purchase', 'cancelled'] as const) {
      const { title, paragraphs } = mailWordsByLanguage[language].deal(each, facts)
      expect(title).not.toContain(name)
      expect(paragraphs.join()).toContain(name)
    }
  })

  it.each(Object.keys(english) as (keyof typeof english)[])(
    'name the same in both languages, and say it in their own words: %s',
    (key) => {
      expect(malay[key].map(shapeOf)).toEqual(english[key].map(shapeOf))
      expect(malay[key].map(namedIn)).toEqual(english[key].map(namedIn))
      const said = english[key].flatMap(sentencesOf)
      for (const sentence of malay[key].flatMap(sentencesOf)) {
        expect(sentence).not.toMatch(/undefined|null/)
        expect(said).not.toContain(sentence)
      }
    },
  )
})
