import type { EventMetadata } from '@wangian/contracts/envelope.ts'
import type { MessagingEvent } from '@wangian/contracts/events/messaging.ts'
import type { Transaction } from '@wangian/kit/database/postgres.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { fold } from '@wangian/kit/log/decider.ts'
import { readStream } from '@wangian/kit/log/event-store.ts'
import { append, type Sending, sendMessage } from '../commands.ts'
import { conversationStream, type Limits } from '../domain.ts'
import { listStandings } from '../people-store.ts'
import { insertText, lock, type MessageRow } from '../store.ts'
import { findOpenDeal } from './deal-store.ts'
import {
  actionOf,
  actorOf,
  type Deal,
  type DealCommand,
  type DealFacts,
  dealDecider,
  dealStream,
  nextStep,
  type Step,
} from './domain.ts'

type Metadata = Omit<EventMetadata, 'commandId'>

/** What a card says to those who read it as a line of text. */
const contents: Readonly<Record<Step, (productName: string) => string>> = {
  purchase: (name) => `Please confirm your purchase of ${name}.`,
  payment: (name) => `The purchase of ${name} is confirmed. Please confirm when you have received the payment.`,
  delivery: (name) => `The payment for ${name} is confirmed. Please confirm when it has arrived.`,
  review: (name) => `${name} has arrived. How was it?`,
}

/**
 * Starts a deal with its first card, in a transaction that has not written yet. The same command id leads to the same card.
 * @param start.messageId drawn before the transaction, as `facts.transactionId`
 * @throws Rejection when the buyer may not be written to, or is buying this product already
 */
export async function startDeal(
  transaction: Transaction,
  start: Pick<Sending, 'messageId' | 'senderName' | 'commandId' | 'nowMs'> & { readonly facts: DealFacts },
  { limits, metadata }: { readonly limits: Limits; readonly metadata: Metadata },
): Promise<MessageRow> {
  const { facts, ...sending } = start
  const { transactionId, productId, productName, sellerId, buyerId } = facts
  const at = new Date(start.nowMs).toISOString()
  return sendMessage(
    transaction,
    {
      ...sending,
      senderId: sellerId,
      receiverId: buyerId,
      productId,
      content: contents.purchase(productName),
      card: { transactionId, actionType: actionOf.purchase },
      isAutomatic: false,
      async together() {
        if ((await findOpenDeal(transaction, productId, buyerId)) !== null) throw new Rejection('deal-open')
        const { events } = await decide(transaction, transactionId, { type: 'StartDeal', facts, at })
        return { stream: dealStream(transactionId), events, metadata: { ...metadata, commandId: null } }
      },
    },
    { limits, metadata },
  )
}

/**
 * Carries a deal on, in a transaction that has not written yet, with the card that follows.
 * @param asked.cardId the message that the next card will be, drawn before the transaction; `null` where none follows
 * @returns what happened; empty when it had happened before
 * @throws Rejection when it may not be done
 */
export async function continueDeal(
  transaction: Transaction,
  asked: {
    readonly transactionId: number
    readonly parties: Pick<DealFacts, 'sellerId' | 'buyerId'>
    readonly command: Exclude<DealCommand, { type: 'StartDeal' }>
    readonly cardId: number | null
  },
  metadata: Metadata,
): Promise<readonly MessagingEvent[]> {
  const { transactionId, parties, command, cardId } = asked
  const stream = conversationStream(parties.sellerId, parties.buyerId)
  await lock(transaction, stream)
  if ('actorId' in command) await requireWelcome(transaction, command.actorId)
  const { events, deal } = await decide(transaction, transactionId, command)
  if (events.length === 0) return events
  const step = { stream: dealStream(transactionId), events, metadata: { ...metadata, commandId: null } }
  const confirmed = events.find((event) => event.type === 'TransactionStepConfirmed')
  const next = confirmed === undefined ? null : nextStep(confirmed.data.step)
  if (next === null || cardId === null || deal.stage === 'absent') {
    await append(transaction, [step])
    return events
  }
  const { productName } = deal.facts
  const card = cardOf(deal.facts, next, { messageId: cardId, sentAt: command.at })
  const commandId = `deal-${transactionId}-${actionOf[next]}`
  await append(transaction, [step, { stream, events: [card], metadata: { ...metadata, commandId } }])
  await insertText(transaction, cardId, contents[next](productName))
  return events
}

/** Ends the deals of a listing that is gone, but for those that are paid, in a transaction that has not written yet. */
export async function endWithListing(
  transaction: Transaction,
  deals: readonly Pick<DealFacts, 'transactionId' | 'sellerId' | 'buyerId'>[],
  command: Extract<DealCommand, { type: 'EndWithListing' }>,
  metadata: Metadata,
): Promise<void> {
  for (const stream of deals.map(({ sellerId, buyerId }) => conversationStream(sellerId, buyerId)).toSorted())
    await lock(transaction, stream)
  const ends = []
  for (const { transactionId } of deals) {
    const { events } = await decide(transaction, transactionId, command)
    ends.push({ stream: dealStream(transactionId), events, metadata: { ...metadata, commandId: null } })
  }
  await append(transaction, ends)
}

/** The card of a step, from the one who waits to the one who acts. */
function cardOf(
  { transactionId, productId, sellerId, buyerId, ...facts }: DealFacts,
  step: Step,
  sent: { readonly messageId: number; readonly sentAt: string },
): MessagingEvent {
  const receiverId = actorOf(step, { ...facts, sellerId, buyerId })
  const senderId = receiverId === sellerId ? buyerId : sellerId
  const data = {
    ...sent,
    senderId,
    receiverId,
    productId,
    kind: 'action',
    transactionId,
    actionType: actionOf[step],
  } as const
  return { type: 'MessageSent', data }
}

async function decide(
  transaction: Transaction,
  transactionId: number,
  command: DealCommand,
): Promise<{ readonly events: readonly MessagingEvent[]; readonly deal: Deal }> {
  const before = fold(dealDecider, await readStream(transaction, 'messaging', dealStream(transactionId)))
  const events = dealDecider.decide(command, before)
  return { events, deal: fold(dealDecider, events, before) }
}

/** Somebody who is banned takes no step; what they have begun, the other one or an administrator ends. */
async function requireWelcome(transaction: Transaction, actorId: number): Promise<void> {
  const [standing] = await listStandings(transaction, [actorId])
  if (standing?.isBanned) throw new Rejection('account-suspended')
  if (standing?.isClosed) throw new Rejection('forbidden')
}
