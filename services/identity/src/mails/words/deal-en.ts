import type { DealNews } from './deal-news.ts'

/** What the mails of a deal name. @property other `null` for somebody who has left since */
export interface DealFacts {
  readonly name: string
  readonly price: string
  readonly other: string | null
  readonly isSeller: boolean
  /** Then no subject names what the other one has called a listing. */
  readonly isStranger: boolean
}

const gone = 'a member who has left Wangian'
const footers = {
  seller: 'You get this mail because you sell at Wangian and want to hear of your sales.',
  buyer: 'You get this mail because you are buying something: it cannot be turned off.',
}

/** What mails about a deal say in English. */
export const dealWordsEn = {
  deal: (news: DealNews, facts: DealFacts) => textOf(ofDeal(news, facts), facts),
  /** An administrator did it, in the place of one of the two. */
  dealByAdmin: (news: DealNews, facts: DealFacts) => textOf(ofAdmin(news, facts) ?? ofDeal(news, facts), facts),
}

function textOf({ title, paragraphs }: { title: string; paragraphs: string[] }, { isSeller }: DealFacts) {
  return { title, paragraphs, button: 'Open the conversation', footer: isSeller ? footers.seller : footers.buyer }
}

function ofAdmin(news: DealNews, { name, price, other, isSeller }: DealFacts) {
  switch (news) {
    case 'payment-confirmed':
      return {
        title: `Payment confirmed: ${name}`,
        paragraphs: [
          `An administrator has confirmed the payment of ${price} for ${name}.`,
          isSeller
            ? `Send it to ${other ?? gone}, who confirms in your conversation when it has arrived.`
            : 'Confirm in your conversation when it has arrived.',
        ],
      }
    case 'delivery-confirmed':
      return {
        title: `Delivered: ${name}`,
        paragraphs: [
          `An administrator has confirmed that ${name} has arrived. The ${isSeller ? 'sale' : 'purchase'} is complete.`,
        ],
      }
    case 'cancelled':
      return {
        title: `Cancelled: ${name}`,
        paragraphs: [
          `An administrator has cancelled the transaction with ${other ?? gone} for ${name}. The bottle is not kept any more.`,
          'If it was paid already, write to each other about it in your conversation.',
        ],
      }
    default:
      return null
  }
}

function ofDeal(news: DealNews, { name, price, other: somebody, isStranger }: DealFacts) {
  const other = somebody ?? gone
  switch (news) {
    case 'offered':
      return {
        title: isStranger ? 'A seller offers you a perfume' : `Please confirm your purchase of ${name}`,
        paragraphs: [
          `${other} offers you ${name} for ${price}.`,
          'If that is what you agreed on, confirm the purchase in your conversation. Nothing is bought before you do.',
        ],
      }
    case 'purchase-confirmed':
      return {
        title: `Purchase confirmed: ${name}`,
        paragraphs: [
          `${other} confirmed the purchase of ${name} for ${price}. The bottle is kept for them.`,
          'Agree on the payment in your conversation, and confirm there when you have received it.',
        ],
      }
    case 'payment-confirmed':
      return {
        title: `Payment received: ${name}`,
        paragraphs: [
          `${other} has received your payment of ${price} for ${name}.`,
          'Confirm in your conversation when it has arrived.',
        ],
      }
    case 'delivery-confirmed':
      return {
        title: `Delivered: ${name}`,
        paragraphs: [`${other} confirmed that ${name} has arrived. The sale is complete.`],
      }
    case 'cancelled':
      return {
        title: isStranger ? 'A transaction was cancelled' : `Cancelled: ${name}`,
        paragraphs: [
          `The transaction with ${other} for ${name} was cancelled. The bottle is not kept any more.`,
          'If you have paid already, write to each other about it in your conversation.',
        ],
      }
    case 'remind-purchase':
      return {
        title: isStranger ? 'Reminder: a seller waits for your answer' : `Reminder: confirm your purchase of ${name}`,
        paragraphs: [
          `${other} offered you ${name} for ${price} and waits for your answer.`,
          'Confirm the purchase in your conversation, or cancel it there.',
        ],
      }
    case 'remind-payment':
      return {
        title: `Reminder: the payment for ${name}`,
        paragraphs: [
          `You confirmed the purchase of ${name} for ${price}, and ${other} has not confirmed your payment yet.`,
          'Pay as you agreed on. If you have paid, ask for the confirmation in your conversation.',
        ],
      }
    case 'remind-delivery':
      return {
        title: `Has ${name} arrived?`,
        paragraphs: [
          `Your payment for ${name} was confirmed a week ago.`,
          'If it has arrived, confirm that in your conversation. If not, write to the seller there.',
        ],
      }
    default:
      return news satisfies never
  }
}
