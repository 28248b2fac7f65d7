import type { AuctionOutcome } from '@wangian/contracts/catalogue.ts'
import { formatRinggit, ringgitFromSen } from '@wangian/contracts/money.ts'
import type { ReportDecision, ReportKind } from '@wangian/contracts/reports.ts'
import type { Mail } from '@wangian/kit/mail/mail.ts'
import { type MailContent, mailLayout } from './mail-layout.ts'

/*
 * News that people can do without, and one that they cannot. What strangers chose is in them, a listing's name and a username: they go to
 * people who dealt with each other here, and never to an address that somebody has typed.
 */

/** Whose mail it is; with an address that is theirs. */
export interface Reader {
  readonly userId: number
  readonly email: string
}

interface Notice {
  readonly publicUrl: string
  readonly productId: number
  /** Of the listing. */
  readonly name: string
}

/** To the seller of an auction that has a winner. @param winner `null` for somebody who has left since */
export function auctionSoldMail(
  reader: Reader,
  notice: Notice & { readonly amountSen: number; readonly winnerId: number; readonly winner: string | null },
): Mail {
  const { publicUrl, productId, name, winnerId } = notice
  const price = formatRinggit(ringgitFromSen(notice.amountSen))
  const winner = notice.winner ?? 'a member who has left Wangian since'
  return sellerMail(reader, publicUrl, 'sale', `Sold for ${price}: ${name}`, {
    title: `${name} is sold for ${price}`,
    paragraphs: [
      `Your auction has ended, and ${winner} won it with ${price}.`,
      'The bottle is reserved for the winner. Agree on payment and delivery in your conversation, and start the transaction there: only the two of you can.',
    ],
    button: { label: 'Open the conversation', url: conversationUrl(publicUrl, winnerId, productId) },
    footer: 'You get this mail because you sell at Wangian and want to hear of your sales.',
  })
}

/** To the seller of an auction that has none. */
export function auctionUnsoldMail(
  reader: Reader,
  notice: Notice & { readonly reason: Exclude<AuctionOutcome, 'won'> },
): Mail {
  const { publicUrl, productId, name } = notice
  const why = {
    'no-bids': 'It got no bids. A lower starting price or another picture may help.',
    'reserve-not-met': 'Its highest bid stayed below your reserve price, so nobody won it.',
    'winner-unavailable': 'Whoever made the highest bid is suspended or has left Wangian, so nobody won it.',
  }[notice.reason]
  return sellerMail(reader, publicUrl, 'unsold', `Not sold: ${name}`, {
    title: `${name} was not sold`,
    paragraphs: [
      `Your auction has ended without a winner. ${why}`,
      'The listing is yours to sell again: open another auction for it with the same pictures and words.',
    ],
    button: { label: 'Relist it', url: `${publicUrl}/seller/products/${productId}/relist` },
    footer: 'You get this mail because you sell at Wangian and want to hear how your auctions end.',
  })
}

/** To whoever has won an auction. No setting stops it. @param seller `null` for somebody who has left since */
export function auctionWonMail(
  { userId, email }: Reader,
  notice: Notice & { readonly amountSen: number; readonly sellerId: number; readonly seller: string | null },
): Mail {
  const { publicUrl, productId, name, sellerId } = notice
  const price = formatRinggit(ringgitFromSen(notice.amountSen))
  const seller = notice.seller ?? 'the seller'
  return {
    to: email,
    personId: userId,
    kind: 'auction-won',
    subject: `You won ${name}`,
    ...mailLayout({
      title: `You won ${name}`,
      paragraphs: [
        `The auction has ended, and your bid of ${price} is the highest.`,
        `The bottle is reserved for you. Agree on payment and delivery with ${seller} in your conversation; pay only after the transaction was started there.`,
      ],
      button: { label: 'Open the conversation', url: conversationUrl(publicUrl, sellerId, productId) },
      footer: 'You get this mail because you have bought something: it cannot be turned off.',
      settings: { label: 'Your account settings', url: `${publicUrl}/account/settings` },
    }),
  }
}

/** To whoever led an auction at its end and could not win it, being banned. No setting stops it. */
export function bidVoidMail({ userId, email }: Reader, name: string): Mail {
  return {
    to: email,
    personId: userId,
    kind: 'bid-void',
    subject: `Your bid on ${name} no longer counts`,
    ...mailLayout({
      title: `Your bid on ${name} no longer counts`,
      paragraphs: [
        'The auction has ended, and your bid was the highest. Your account was suspended before the end, so nobody won it.',
        'You owe nothing for it, and the listing went back to its seller.',
      ],
      footer: 'You get this mail because you bid on it: it cannot be turned off.',
    }),
  }
}

/** To a seller who has few left of something, or nothing. */
export function stockLowMail(reader: Reader, notice: Notice & { readonly stockQuantity: number }): Mail {
  const { publicUrl, productId, name, stockQuantity } = notice
  const isOut = stockQuantity === 0
  const left = isOut ? `${name} is sold out` : `Only ${stockQuantity} left of ${name}`
  return sellerMail(reader, publicUrl, 'low-stock', left, {
    title: left,
    paragraphs: [
      isOut
        ? 'The last bottle of this listing is sold, and buyers cannot order it any more.'
        : `This listing has ${stockQuantity} ${stockQuantity === 1 ? 'bottle' : 'bottles'} in stock. At zero it counts as sold.`,
      'If you have more of it, raise the stock in the listing.',
    ],
    button: { label: 'Edit the listing', url: `${publicUrl}/seller/products/${productId}/edit` },
    footer: 'You get this mail because you sell at Wangian and want to hear when your stock runs low.',
  })
}

/** To a seller of whom somebody has said something. @param buyer `null` for somebody who has left since */
export function newReviewMail(
  reader: Reader,
  notice: Notice & { readonly rating: number; readonly hasComment: boolean; readonly buyer: string | null },
): Mail {
  const { publicUrl, name, rating, hasComment } = notice
  const buyer = notice.buyer ?? 'A member who has left Wangian since'
  return sellerMail(reader, publicUrl, 'new-review', `New review: ${rating} of 5 stars`, {
    title: `A review with ${rating} of 5 stars`,
    paragraphs: [
      `${buyer} reviewed the purchase of ${name}.`,
      // What they wrote is left to the page: mailboxes turn addresses in it into links.
      hasComment
        ? 'They wrote a few words with it, which you read on your profile.'
        : 'It counts towards your average, which everybody sees on your profile.',
    ],
    button: { label: 'See your reviews', url: `${publicUrl}/sellers/${reader.userId}` },
    footer: 'You get this mail because you sell at Wangian and want to hear of new reviews.',
  })
}

/** To a seller whose listing an administrator has taken away. No setting stops it. */
export function listingRemovedMail(
  { userId, email }: Reader,
  removed: { readonly publicUrl: string; readonly name: string; readonly reason: string },
): Mail {
  const { publicUrl, name, reason } = removed
  const title = `Your listing ${name} was removed`
  return {
    to: email,
    personId: userId,
    kind: 'listing-removed',
    subject: title,
    ...mailLayout({
      title,
      paragraphs: [
        'An administrator has removed your listing. Nobody sees it any more, and it cannot be bought.',
        `The reason: ${reason}`,
        'An auction of it is cancelled, and so are transactions that are not paid. Those that are paid go on.',
      ],
      button: { label: 'Open your messages', url: `${publicUrl}/messages` },
      footer: 'You get this mail because you sell at Wangian: it cannot be turned off.',
      settings: { label: 'Your account settings', url: `${publicUrl}/account/settings` },
    }),
  }
}

/** To somebody who has bid on what an administrator has taken away, or has won it. No setting stops it. */
export function auctionRemovedMail({ userId, email }: Reader, { publicUrl, name }: Omit<Notice, 'productId'>): Mail {
  const title = `The auction of ${name} is void`
  return {
    to: email,
    personId: userId,
    kind: 'auction-removed',
    subject: title,
    ...mailLayout({
      title,
      paragraphs: [
        `An administrator has removed ${name}, which you have bid on. Its auction is void, and nobody wins it.`,
        'You owe nothing for your bids.',
      ],
      footer: 'You get this mail because you bid on it: it cannot be turned off.',
      settings: { label: 'Your account settings', url: `${publicUrl}/account/settings` },
    }),
  }
}

/** To somebody who has reported something. No setting stops it. What it was is not said in their words or anybody's. */
export function reportDecidedMail(
  { userId, email }: Reader,
  decided: { readonly publicUrl: string; readonly kind: ReportKind; readonly decision: ReportDecision },
): Mail {
  const title = `Your report of a ${decided.kind}`
  const outcome = {
    upheld: 'It breaks our rules, and we take care of it.',
    dismissed: 'We have found nothing that breaks our rules.',
  }[decided.decision]
  return {
    to: email,
    personId: userId,
    kind: `report-${decided.decision}`,
    subject: title,
    ...mailLayout({
      title,
      paragraphs: [`Thank you for telling us. We have looked at the ${decided.kind} that you reported.`, outcome],
      footer: 'You get this mail because you have reported something: it cannot be turned off.',
      settings: { label: 'Your account settings', url: `${decided.publicUrl}/account/settings` },
    }),
  }
}

/** What happened to a deal, as it is mailed to one of the two. */
export type DealNews =
  | 'offered'
  | 'purchase-confirmed'
  | 'payment-confirmed'
  | 'delivery-confirmed'
  | 'cancelled'
  | 'remind-purchase'
  | 'remind-payment'
  | 'remind-delivery'

/**
 * To one of the two people of a deal. What they must do next is a card in their conversation, where the mail leads.
 * @param notice.other `null` for somebody who has left since
 */
export function dealMail(
  reader: Reader,
  news: DealNews,
  notice: Notice & {
    readonly amountSen: number
    readonly otherId: number
    readonly other: string | null
    readonly isSeller: boolean
    /** An administrator did it, in the place of one of the two. */
    readonly isByAdmin: boolean
  },
): Mail {
  const { publicUrl, productId, name, otherId, isSeller } = notice
  const price = formatRinggit(ringgitFromSen(notice.amountSen))
  const other = notice.other ?? 'a member who has left Wangian'
  const { subject, paragraphs } = notice.isByAdmin
    ? adminTexts(news, { name, price, other, isSeller })
    : dealTexts(news, { name, price, other })
  const button = { label: 'Open the conversation', url: conversationUrl(publicUrl, otherId, productId) }
  const content = { title: subject, paragraphs, button }
  if (isSeller) {
    const footer = 'You get this mail because you sell at Wangian and want to hear of your sales.'
    return sellerMail(reader, publicUrl, `deal-${news}`, subject, { ...content, footer })
  }
  const footer = 'You get this mail because you are buying something: it cannot be turned off.'
  const settings = { label: 'Your account settings', url: `${publicUrl}/account/settings` }
  const mail = mailLayout({ ...content, footer, settings })
  return { to: reader.email, personId: reader.userId, kind: `deal-${news}`, subject, ...mail }
}

interface DealWords {
  readonly name: string
  readonly price: string
  readonly other: string
}

interface DealTexts {
  readonly subject: string
  readonly paragraphs: readonly string[]
}

/** What an administrator did to a deal, as both are told. */
function adminTexts(news: DealNews, { isSeller, ...words }: DealWords & { readonly isSeller: boolean }): DealTexts {
  const { name, price, other } = words
  switch (news) {
    case 'payment-confirmed':
      return {
        subject: `Payment confirmed: ${name}`,
        paragraphs: [
          `An administrator has confirmed the payment of ${price} for ${name}.`,
          isSeller
            ? `Send it to ${other}, who confirms in your conversation when it has arrived.`
            : 'Confirm in your conversation when it has arrived.',
        ],
      }
    case 'delivery-confirmed':
      return {
        subject: `Delivered: ${name}`,
        paragraphs: [
          `An administrator has confirmed that ${name} has arrived. The ${isSeller ? 'sale' : 'purchase'} is complete.`,
        ],
      }
    case 'cancelled':
      return {
        subject: `Cancelled: ${name}`,
        paragraphs: [
          `An administrator has cancelled the transaction with ${other} for ${name}. The bottle is not kept any more.`,
          'If it was paid already, write to each other about it in your conversation.',
        ],
      }
    default:
      return dealTexts(news, words)
  }
}

function dealTexts(news: DealNews, { name, price, other }: DealWords): DealTexts {
  switch (news) {
    case 'offered':
      return {
        subject: `Please confirm your purchase of ${name}`,
        paragraphs: [
          `${other} offers you ${name} for ${price}.`,
          'If that is what you agreed on, confirm the purchase in your conversation. Nothing is bought before you do.',
        ],
      }
    case 'purchase-confirmed':
      return {
        subject: `Purchase confirmed: ${name}`,
        paragraphs: [
          `${other} confirmed the purchase of ${name} for ${price}. The bottle is kept for them.`,
          'Agree on the payment in your conversation, and confirm there when you have received it.',
        ],
      }
    case 'payment-confirmed':
      return {
        subject: `Payment received: ${name}`,
        paragraphs: [
          `${other} has received your payment of ${price} for ${name}.`,
          'Confirm in your conversation when it has arrived.',
        ],
      }
    case 'delivery-confirmed':
      return {
        subject: `Delivered: ${name}`,
        paragraphs: [`${other} confirmed that ${name} has arrived. The sale is complete.`],
      }
    case 'cancelled':
      return {
        subject: `Cancelled: ${name}`,
        paragraphs: [
          `The transaction with ${other} for ${name} was cancelled. The bottle is not kept any more.`,
          'If you have paid already, write to each other about it in your conversation.',
        ],
      }
    case 'remind-purchase':
      return {
        subject: `Reminder: confirm your purchase of ${name}`,
        paragraphs: [
          `${other} offered you ${name} for ${price} and waits for your answer.`,
          'Confirm the purchase in your conversation, or cancel it there.',
        ],
      }
    case 'remind-payment':
      return {
        subject: `Reminder: the payment for ${name}`,
        paragraphs: [
          `You confirmed the purchase of ${name} for ${price}, and ${other} has not confirmed your payment yet.`,
          'Pay as you agreed on. If you have paid, ask for the confirmation in your conversation.',
        ],
      }
    case 'remind-delivery':
      return {
        subject: `Has ${name} arrived?`,
        paragraphs: [
          `Your payment for ${name} was confirmed a week ago.`,
          'If it has arrived, confirm that in your conversation. If not, write to the seller there.',
        ],
      }
    default:
      return news satisfies never
  }
}

/** One of those that the three settings of the seller dashboard are about. */
/** To a seller whose payment for a boost has come. No setting stops it. */
export function boostPaidMail(
  reader: Reader,
  paid: {
    readonly publicUrl: string
    readonly packageName: string
    readonly amountSen: number
    readonly number: number
  },
): Mail {
  const price = formatRinggit(ringgitFromSen(paid.amountSen))
  return paymentMail(reader, paid.publicUrl, 'boost-paid', {
    title: `Your payment of ${price} has arrived`,
    paragraphs: [
      `You have paid ${price} for ${paid.packageName}. Your receipt has the number ${paid.number}.`,
      'Your products come into the first places within a moment.',
    ],
  })
}

/** To a seller who has paid for what can no longer be boosted. No setting stops it. */
export function boostCaseMail(
  reader: Reader,
  opened: { readonly publicUrl: string; readonly name: string; readonly amountSen: number },
): Mail {
  const price = formatRinggit(ringgitFromSen(opened.amountSen))
  return paymentMail(reader, opened.publicUrl, 'boost-case', {
    title: `${opened.name} could not be boosted`,
    paragraphs: [
      `Your payment has arrived, but ${opened.name} can no longer be boosted: it is sold, reserved or removed. ${price} of your payment was for it.`,
      'Choose another of your products within 30 days, and it is boosted for the same time.',
    ],
  })
}

/** To a seller whose share of a payment was paid back. No setting stops it. */
export function boostRefundMail(
  reader: Reader,
  refunded: { readonly publicUrl: string; readonly name: string; readonly amountSen: number },
): Mail {
  const price = formatRinggit(ringgitFromSen(refunded.amountSen))
  return paymentMail(reader, refunded.publicUrl, 'boost-refund', {
    title: `${price} is paid back to you`,
    paragraphs: [
      `${refunded.name} could not be boosted, and no other product was chosen. ${price} of your payment is paid back.`,
    ],
  })
}

function paymentMail(
  { userId, email }: Reader,
  publicUrl: string,
  kind: string,
  content: Pick<MailContent, 'paragraphs'> & { readonly title: string },
): Mail {
  const mail = mailLayout({
    ...content,
    button: { label: 'Open your boosts', url: `${publicUrl}/seller/dashboard?tab=boosted` },
    footer: 'You get this mail because you have paid for something: it cannot be turned off.',
    settings: { label: 'Your account settings', url: `${publicUrl}/account/settings` },
  })
  return { to: email, personId: userId, kind, subject: content.title, ...mail }
}

function sellerMail(
  { userId, email }: Reader,
  publicUrl: string,
  kind: string,
  subject: string,
  content: MailContent,
): Mail {
  const settings = { label: 'Choose which mails you get', url: `${publicUrl}/seller/dashboard?tab=settings` }
  return { to: email, personId: userId, kind, subject, ...mailLayout({ ...content, settings }) }
}

function conversationUrl(publicUrl: string, userId: number, productId: number): string {
  return `${publicUrl}/messages?with=${userId}&product=${productId}`
}
