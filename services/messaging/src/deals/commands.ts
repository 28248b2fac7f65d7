import type { EventMetadata } from '@wangian/contracts/envelope.ts'
import type { MessagingEvent } from '@wangian/contracts/events/messaging.ts'
import type { Executor, Transaction } from '@wangian/kit/database/postgres.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { fold } from '@wangian/kit/log/decider.ts'
import { readStream } from '@wangian/kit/log/event-store.ts'
import { append, type Happening, type Sending, sendMessage } from '../conversations/commands.ts'
import { conversationStream, DEALS_WINDOW_MS, type Limits } from '../conversations/domain.ts'
import { lockToSend, nextMessageId } from '../conversations/sending-store.ts'
import { lock } from '../lock-store.ts'
import { findProduct, listStandings, setRemoved } from '../people-store.ts'
import { countDealsSince, type DueRow, findOpenDeal, listUnpaid } from './deal-store.ts'
import {
  actionOf,
  actorOf,
  type Deal,
  type DealCommand,
  type DealFacts,
  type DealMove,
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
 * @param start.facts their `transactionId` was drawn before the transaction, for drawing it is a write
 * @returns the card's id
 * @throws Rejection when the buyer may not be written to, is buying this product already, or too many deals about it have begun
 */
export async function startDeal(
  transaction: Transaction,
  start: Pick<Sending, 'senderName' | 'commandId' | 'nowMs' | 'metadata'> & { readonly facts: DealFacts },
  limits: Limits,
): Promise<number> {
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
        // Taken away since catalogue was asked for the terms.
        if ((await findProduct(transaction, productId))?.isRemoved) throw new Rejection('product-not-found')
        if ((await findOpenDeal(transaction, productId, buyerId)) !== null) throw new Rejection('deal-open')
        const begun = await countDealsSince(
          transaction,
          productId,
          new Date(start.nowMs - DEALS_WINDOW_MS).toISOString(),
        )
        if (begun >= limits.dealsOfProduct) throw new Rejection('rate-limited')
        const { events } = await decide(transaction, transactionId, { type: 'StartDeal', facts, at })
        return { stream: dealStream(transactionId), events, metadata: { ...start.metadata, commandId: null } }
      },
    },
    limits,
  )
}

/**
 * Carries a deal on, in a transaction that has not written yet, with the card that follows.
 * @param asked.note what an administrator says of it
 * @returns what happened; empty when it had happened before
 * @throws Rejection when it may not be done
 */
export async function continueDeal(
  transaction: Transaction,
  asked: {
    readonly transactionId: number
    readonly parties: Pick<DealFacts, 'sellerId' | 'buyerId'>
    readonly command: DealMove
    readonly note?: Note
  },
  metadata: Metadata,
): Promise<readonly MessagingEvent[]> {
  const { transactionId, parties, command, note } = asked
  const stream = conversationStream(parties.sellerId, parties.buyerId)
  await lockToSend(transaction, stream)
  if ('actorId' in command) await requireWelcome(transaction, command.actorId)
  const { events, deal } = await decide(transaction, transactionId, command)
  if (events.length === 0 || deal.stage === 'absent') return events
  const step = { stream: dealStream(transactionId), events, metadata: { ...metadata, commandId: null } }
  const confirmed = events.find((event) => event.type === 'TransactionStepConfirmed')
  if (confirmed?.data.step === 'purchase') await requireSeller(transaction, parties.sellerId)
  const next = confirmed === undefined ? null : nextStep(confirmed.data.step)
  const sent: MessagingEvent[] = []
  const texts = new Map<number, string>()
  let messageId = await nextMessageId(transaction)
  if (note !== undefined) {
    sent.push(noteOf(deal.facts, note, { messageId, sentAt: command.at }))
    texts.set(messageId, note.content)
    messageId += 1
  }
  if (next !== null) {
    sent.push(cardOf(deal.facts, next, { messageId, sentAt: command.at }))
    texts.set(messageId, contents[next](deal.facts.productName))
  }
  // A note and a card may have the same sender, who says one thing by one command.
  const commandId = note === undefined && next !== null ? `deal-${transactionId}-${actionOf[next]}` : null
  const said = { stream, events: sent, metadata: { ...metadata, commandId } }
  await append(transaction, sent.length > 0 ? [step, said] : [step], texts)
  return events
}

/** What an administrator tells the two of a deal. */
export interface Note {
  readonly authorId: number
  readonly content: string
}

/**
 * Ends the deals of a listing that is gone, but for those that are paid, in a transaction that has not written yet. None is begun afterwards.
 * @param listing.note goes with the end of each; `null` without one
 */
export async function endWithListing(
  transaction: Transaction,
  { productId, note }: { readonly productId: number; readonly note: Note | null },
  command: Extract<DealCommand, { type: 'EndWithListing' }>,
  metadata: Metadata,
): Promise<void> {
  await lockToSend(transaction)
  const deals = await listUnpaid(transaction, productId)
  await lockToSend(transaction, ...deals.map(({ sellerId, buyerId }) => conversationStream(sellerId, buyerId)))
  const ends: Happening[] = []
  const texts = new Map<number, string>()
  let messageId = await nextMessageId(transaction)
  for (const { transactionId } of deals) {
    const { events, deal } = await decide(transaction, transactionId, command)
    if (events.length === 0 || deal.stage === 'absent') continue
    const quiet = { ...metadata, commandId: null }
    ends.push({ stream: dealStream(transactionId), events, metadata: quiet })
    if (note === null) continue
    // One buyer has one open deal about a listing, so no conversation comes twice.
    const stream = conversationStream(deal.facts.sellerId, deal.facts.buyerId)
    const said = noteOf(deal.facts, note, { messageId, sentAt: command.at })
    ends.push({ stream, events: [said], metadata: quiet })
    texts.set(messageId, note.content)
    messageId += 1
  }
  await append(transaction, ends, texts)
  // Its own consumer may say so later: whoever begins a deal looks under the same lock.
  await setRemoved(transaction, [productId])
}

/**
 * Reminds of deals, in a transaction that has not written yet. It sends no message, so only the people of these deals wait for it.
 * @returns how many reminders were due still
 */
export async function remindOf(
  transaction: Transaction,
  due: readonly DueRow[],
  at: string,
  metadata: Metadata,
): Promise<number> {
  const streams = due.map(({ sellerId, buyerId }) => conversationStream(sellerId, buyerId))
  await lock(transaction, ...streams.toSorted())
  const reminders: Happening[] = []
  for (const { transactionId, step, reminder } of due) {
    const { events } = await decide(transaction, transactionId, { type: 'RemindDeal', step, reminder, at })
    if (events.length === 0) continue
    reminders.push({ stream: dealStream(transactionId), events, metadata: { ...metadata, commandId: null } })
  }
  await append(transaction, reminders)
  return reminders.length
}

/** A line of an administrator in the conversation of the two. */
function noteOf(
  { productId, sellerId, buyerId }: DealFacts,
  { authorId }: Note,
  sent: { readonly messageId: number; readonly sentAt: string },
): MessagingEvent {
  const who = { senderId: sellerId, receiverId: buyerId, authorId }
  const data = { ...sent, ...who, productId, kind: 'text', transactionId: null, actionType: null } as const
  return { type: 'MessageSent', data }
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

/**
 * Nobody begins to buy from somebody who is banned or has left.
 * @throws Rejection('product-not-found'), for their listings are hidden; Rejection('user-gone')
 */
export async function requireSeller(executor: Executor, sellerId: number): Promise<void> {
  const [standing] = await listStandings(executor, [sellerId])
  if (standing?.isClosed) throw new Rejection('user-gone')
  if (standing?.isBanned) throw new Rejection('product-not-found')
}

/** Somebody who is banned takes no step; what they have begun, the other one or an administrator ends. */
async function requireWelcome(transaction: Transaction, actorId: number): Promise<void> {
  const [standing] = await listStandings(transaction, [actorId])
  if (standing?.isBanned) throw new Rejection('account-suspended')
  if (standing?.isClosed) throw new Rejection('forbidden')
}
