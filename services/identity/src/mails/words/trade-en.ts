import type { AuctionOutcome } from '@wangian/contracts/catalogue.ts'
import type { ReportDecision, ReportKind } from '@wangian/contracts/reports.ts'

/** What a mail about a listing names. */
interface Named {
  readonly name: string
}

/** With an amount as people write it. */
interface Priced extends Named {
  readonly price: string
}

/** `null` for somebody who has left since. */
type Somebody = string | null

const gone = 'a member who has left Wangian since'
const selling = 'You get this mail because you sell at Wangian and want to hear'
const alwaysSent = 'it cannot be turned off.'

/** What mails about buying and selling say in English. */
export const tradeWordsEn = {
  /** For a listing of which no name was kept. */
  aListing: 'a listing',
  accountSettings: 'Your account settings',
  mailSettings: 'Choose which mails you get',

  auctionSold: ({ name, price, winner }: Priced & { readonly winner: Somebody }) => ({
    subject: `Sold for ${price}: ${name}`,
    title: `${name} is sold for ${price}`,
    paragraphs: [
      `Your auction has ended, and ${winner ?? gone} won it with ${price}.`,
      'The bottle is reserved for the winner. Agree on payment and delivery in your conversation, and start the transaction there: only the two of you can.',
    ],
    button: 'Open the conversation',
    footer: `${selling} of your sales.`,
  }),
  auctionUnsold: ({ name, reason }: Named & { readonly reason: Exclude<AuctionOutcome, 'won'> }) => ({
    subject: `Not sold: ${name}`,
    title: `${name} was not sold`,
    paragraphs: [
      `Your auction has ended without a winner. ${
        {
          'no-bids': 'It got no bids. A lower starting price or another picture may help.',
          'reserve-not-met': 'Its highest bid stayed below your reserve price, so nobody won it.',
          'winner-unavailable': 'Whoever made the highest bid is suspended or has left Wangian, so nobody won it.',
        }[reason]
      }`,
      'The listing is yours to sell again: open another auction for it with the same pictures and words.',
    ],
    button: 'Relist it',
    footer: `${selling} how your auctions end.`,
  }),
  auctionWon: ({ name, price, seller }: Priced & { readonly seller: Somebody }) => ({
    title: `You won ${name}`,
    paragraphs: [
      `The auction has ended, and your bid of ${price} is the highest.`,
      `The bottle is reserved for you. Agree on payment and delivery with ${seller ?? 'the seller'} in your conversation; pay only after the transaction was started there.`,
    ],
    button: 'Open the conversation',
    footer: `You get this mail because you have bought something: ${alwaysSent}`,
  }),
  bidVoid: ({ name }: Named) => ({
    title: `Your bid on ${name} no longer counts`,
    paragraphs: [
      'The auction has ended, and your bid was the highest. Your account was suspended before the end, so nobody won it.',
      'You owe nothing for it, and the listing went back to its seller.',
    ],
    footer: `You get this mail because you bid on it: ${alwaysSent}`,
  }),
  auctionRemoved: ({ name }: Named) => ({
    title: `The auction of ${name} is void`,
    paragraphs: [
      `An administrator has removed ${name}, which you have bid on. Its auction is void, and nobody wins it.`,
      'You owe nothing for your bids.',
    ],
    footer: `You get this mail because you bid on it: ${alwaysSent}`,
  }),

  soldOut: ({ name }: Named) => ({
    title: `${name} is sold out`,
    paragraphs: [
      'The last bottle of this listing is sold, and buyers cannot order it any more.',
      'If you have more of it, raise the stock in the listing.',
    ],
    button: 'Edit the listing',
    footer: `${selling} when your stock runs low.`,
  }),
  stockLow: ({ name, left }: Named & { readonly left: number }) => ({
    title: `Only ${left} left of ${name}`,
    paragraphs: [
      `This listing has ${left} ${left === 1 ? 'bottle' : 'bottles'} in stock. At zero it counts as sold.`,
      'If you have more of it, raise the stock in the listing.',
    ],
    button: 'Edit the listing',
    footer: `${selling} when your stock runs low.`,
  }),
  newReview: ({
    name,
    rating,
    buyer,
    hasComment,
  }: Named & { readonly rating: number; readonly buyer: Somebody; readonly hasComment: boolean }) => ({
    subject: `New review: ${rating} of 5 stars`,
    title: `A review with ${rating} of 5 stars`,
    paragraphs: [
      `${buyer ?? 'A member who has left Wangian since'} reviewed the purchase of ${name}.`,
      hasComment
        ? 'They wrote a few words with it, which you read on your profile.'
        : 'It counts towards your average, which everybody sees on your profile.',
    ],
    button: 'See your reviews',
    footer: `${selling} of new reviews.`,
  }),
  listingRemoved: ({ name, reason }: Named & { readonly reason: string }) => ({
    title: `Your listing ${name} was removed`,
    paragraphs: [
      'An administrator has removed your listing. Nobody sees it any more, and it cannot be bought.',
      `The reason: ${reason}`,
      'An auction of it is cancelled, and so are transactions that are not paid. Those that are paid go on.',
    ],
    button: 'Open your messages',
    footer: `You get this mail because you sell at Wangian: ${alwaysSent}`,
  }),
  reportDecided: ({ kind, decision }: { readonly kind: ReportKind; readonly decision: ReportDecision }) => ({
    title: `Your report of a ${kind}`,
    paragraphs: [
      `Thank you for telling us. We have looked at the ${kind} that you reported.`,
      {
        upheld: 'It breaks our rules, and we take care of it.',
        dismissed: 'We have found nothing that breaks our rules.',
      }[decision],
    ],
    footer: `You get this mail because you have reported something: ${alwaysSent}`,
  }),

  boostPaid: ({
    price,
    packageName,
    number,
  }: {
    readonly price: string
    readonly packageName: string
    readonly number: number
  }) => ({
    title: `Your payment of ${price} has arrived`,
    paragraphs: [
      `You have paid ${price} for ${packageName}. Your receipt has the number ${number}.`,
      'Your products come into the first places within a moment.',
    ],
    button: 'Open your boosts',
    footer: `You get this mail because you have paid for something: ${alwaysSent}`,
  }),
  boostCase: ({ name, price }: Priced) => ({
    title: `${name} could not be boosted`,
    paragraphs: [
      `Your payment has arrived, but ${name} can no longer be boosted: it is sold, reserved or removed. ${price} of your payment was for it.`,
      'Choose another of your products within 30 days, and it is boosted for the same time.',
    ],
    button: 'Open your boosts',
    footer: `You get this mail because you have paid for something: ${alwaysSent}`,
  }),
  boostRefund: ({ name, price }: Priced) => ({
    title: `${price} is paid back to you`,
    paragraphs: [
      `${name} could not be boosted, and no other product was chosen. ${price} of your payment is paid back.`,
    ],
    button: 'Open your boosts',
    footer: `You get this mail because you have paid for something: ${alwaysSent}`,
  }),
}
