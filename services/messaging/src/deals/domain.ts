import { orderMoves } from '@wangian/contracts/admin.ts'
import type { DealTerms } from '@wangian/contracts/catalogue.ts'
import type { StoredData } from '@wangian/contracts/events/definition.ts'
import type { MessagingEvent, messagingEvents } from '@wangian/contracts/events/messaging.ts'
import type { ActionType, OrderStatus } from '@wangian/contracts/messaging.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { invariant } from '@wangian/kit/invariant.ts'
import type { Decider } from '@wangian/kit/log/decider.ts'

/** What does not change after a deal has started. */
export interface DealFacts {
  readonly transactionId: number
  readonly productId: number
  readonly productName: string
  readonly sellerId: number
  readonly buyerId: number
  readonly amountSen: number
  /** Whose winner buys; `null` for everything but a won lot. */
  readonly auctionId: number | null
}

/** The steps of a deal in their order; each has a card that asks for it. */
export const steps = ['purchase', 'payment', 'delivery', 'review'] as const
export type Step = (typeof steps)[number]
/** The steps that are confirmed; a review is written. */
export type ConfirmedStep = Exclude<Step, 'review'>

export const actionOf = {
  purchase: 'INITIATE',
  payment: 'CONFIRM_PAYMENT',
  delivery: 'CONFIRM_DELIVERY',
  review: 'REVIEW',
} as const satisfies Record<Step, ActionType>

export function stepOf(action: ActionType): Step {
  const step = steps.find((each) => actionOf[each] === action)
  invariant(step, 'every action is a step')
  return step
}

/** The card after this one; `null` after the last. */
export function nextStep(step: Step): Step | null {
  return steps[steps.indexOf(step) + 1] ?? null
}

/** Who has the card of a step. The other one waits. */
export function actorOf(step: Step, { sellerId, buyerId }: Pick<DealFacts, 'sellerId' | 'buyerId'>): number {
  return step === 'payment' ? sellerId : buyerId
}

/** What a deal waits for, or how it has ended. */
export type Stage = Step | 'completed' | 'cancelled'

export type Deal =
  | { readonly stage: 'absent' }
  | {
      readonly stage: Stage
      readonly facts: DealFacts
      /** `null` before the purchase is confirmed. */
      readonly orderStatus: OrderStatus | null
      /** Of the step that is waited for. */
      readonly reminders: number
    }

export type DealCommand =
  | { readonly type: 'StartDeal'; readonly facts: DealFacts; readonly at: string }
  | { readonly type: 'ConfirmStep'; readonly step: ConfirmedStep; readonly actorId: number; readonly at: string }
  | { readonly type: 'CancelDeal'; readonly actorId: number; readonly at: string }
  /** An administrator takes a step in the place of whoever is waited for, or calls the deal off, also when it is paid. */
  | {
      readonly type: 'MoveOrder'
      readonly status: OrderStatus
      readonly actorId: number
      readonly reason: string | null
      readonly at: string
    }
  /** Its listing was taken away. What is paid goes on. */
  | { readonly type: 'EndWithListing'; readonly by: 'seller' | 'removal'; readonly at: string }
  | {
      readonly type: 'SubmitReview'
      readonly actorId: number
      readonly rating: number
      readonly comment: string | null
      readonly at: string
    }
  /** `reminder` is the last one that is due by the clock; none is sent again, nor one before it any more. */
  | { readonly type: 'RemindDeal'; readonly step: ConfirmedStep; readonly reminder: number; readonly at: string }

/** What somebody does about a deal that has begun. */
export type DealMove = Exclude<DealCommand, { type: 'StartDeal' | 'RemindDeal' }>

type Of<Type extends DealCommand['type']> = Extract<DealCommand, { type: Type }>
type Events = readonly MessagingEvent[]
type StartedDeal = Exclude<Deal, { stage: 'absent' }>

export function dealStream(transactionId: number): string {
  return `deal-${transactionId}`
}

function decide(command: DealCommand, deal: Deal): Events {
  if (command.type === 'StartDeal') {
    if (deal.stage !== 'absent') return []
    return [{ type: 'TransactionStarted', data: { ...command.facts, startedAt: command.at } }]
  }
  if (deal.stage === 'absent') throw new Rejection('transaction-not-found')
  switch (command.type) {
    case 'ConfirmStep':
      return confirmStep(command, deal)
    case 'CancelDeal':
      return cancelDeal(command, deal)
    case 'MoveOrder':
      return moveOrder(command, deal)
    case 'EndWithListing':
      return isCancellable(deal.stage) ? cancelled(deal, command.by, command.at) : []
    case 'SubmitReview':
      return submitReview(command, deal)
    case 'RemindDeal': {
      const { step, reminder, at } = command
      if (deal.stage !== step || reminder <= deal.reminders) return []
      return [{ type: 'TransactionReminded', data: { ...deal.facts, step, reminder, remindedAt: at } }]
    }
    default:
      return command satisfies never
  }
}

function evolve(deal: Deal, event: MessagingEvent): Deal {
  if (event.type === 'TransactionStarted') {
    const { startedAt: _, ...facts } = event.data
    return { stage: 'purchase', facts, orderStatus: null, reminders: 0 }
  }
  invariant(deal.stage !== 'absent', 'a deal starts before it goes on')
  switch (event.type) {
    case 'TransactionStepConfirmed':
      return { ...deal, stage: nextStep(event.data.step) ?? 'completed', reminders: 0 }
    case 'TransactionReminded':
      return { ...deal, reminders: event.data.reminder }
    case 'TransactionCancelled':
      return { ...deal, stage: 'cancelled' }
    case 'ReviewSubmitted':
      return { ...deal, stage: 'completed' }
    case 'OrderPlaced':
      return { ...deal, orderStatus: 'pending' }
    case 'OrderStatusChanged':
      return { ...deal, orderStatus: event.data.status }
    default:
      return deal
  }
}

/** A seller sells a bottle to a buyer, step by step. What was done already is done: the same command again changes nothing. */
export const dealDecider: Decider<Deal, DealCommand, MessagingEvent> = {
  service: 'messaging',
  initialState: { stage: 'absent' },
  decide,
  evolve,
}

function confirmStep({ step, actorId, at }: Of<'ConfirmStep'>, deal: StartedDeal): Events {
  if (actorId !== actorOf(step, deal.facts)) throw new Rejection('action-not-allowed')
  if (deal.stage === 'cancelled') throw new Rejection('deal-cancelled')
  if (deal.stage === 'completed' || steps.indexOf(deal.stage) > steps.indexOf(step)) return []
  if (deal.stage !== step) throw new Rejection('deal-out-of-order')
  const { facts } = deal
  const confirmed = stepConfirmed(facts, step, at)
  switch (step) {
    case 'purchase': {
      const { transactionId: orderId, productId, productName, sellerId, buyerId, amountSen: totalSen } = facts
      const order = { orderId, productId, productName, sellerId, buyerId, totalSen, placedAt: at }
      return [confirmed, { type: 'OrderPlaced', data: order }]
    }
    case 'payment':
      return [confirmed, orderMoved(facts, 'processing', at)]
    case 'delivery':
      return [confirmed, orderMoved(facts, 'delivered', at)]
    default:
      return step satisfies never
  }
}

function cancelDeal({ actorId, at }: Of<'CancelDeal'>, deal: StartedDeal): Events {
  const { sellerId, buyerId } = deal.facts
  if (actorId !== sellerId && actorId !== buyerId) throw new Rejection('transaction-not-found')
  if (deal.stage === 'cancelled') return []
  if (!isCancellable(deal.stage)) throw new Rejection('deal-paid')
  return cancelled(deal, actorId === sellerId ? 'seller' : 'buyer', at)
}

function moveOrder({ status, actorId, reason, at }: Of<'MoveOrder'>, deal: StartedDeal): Events {
  const { facts, orderStatus: from } = deal
  if (from === null) throw new Rejection('order-not-found')
  if (!orderMoves[from].includes(status)) throw new Rejection('order-move', `Cannot move from ${from} to ${status}`)
  const admin = { id: actorId, from, reason }
  switch (status) {
    case 'processing':
      return [stepConfirmed(facts, 'payment', at), orderMoved(facts, status, at, admin)]
    case 'delivered':
      return [stepConfirmed(facts, 'delivery', at), orderMoved(facts, status, at, admin)]
    case 'cancelled':
      return cancelled(deal, 'admin', at, admin)
    default:
      // Whoever is waited for is the same after it is shipped.
      return [orderMoved(facts, status, at, admin)]
  }
}

type Ended = StoredData<typeof messagingEvents.TransactionCancelled>
type Admin = StoredData<typeof messagingEvents.OrderStatusChanged>['admin']

function cancelled({ facts, stage }: StartedDeal, by: Ended['by'], at: string, admin?: Admin): Events {
  const after = stage === 'delivery' ? 'payment' : stage === 'payment' ? 'purchase' : null
  const end: MessagingEvent = { type: 'TransactionCancelled', data: { ...facts, by, after, cancelledAt: at } }
  return after === null ? [end] : [end, orderMoved(facts, 'cancelled', at, admin)]
}

function submitReview({ actorId, rating, comment, at }: Of<'SubmitReview'>, deal: StartedDeal): Events {
  const { transactionId: reviewId, productId, productName, sellerId, buyerId } = deal.facts
  if (actorId !== buyerId) throw new Rejection('action-not-allowed')
  if (deal.stage === 'completed') throw new Rejection('review-exists')
  if (deal.stage === 'cancelled') throw new Rejection('deal-cancelled')
  if (deal.stage !== 'review') throw new Rejection('deal-out-of-order')
  const review = { reviewId, productId, productName, sellerId, buyerId, rating, comment, submittedAt: at }
  return [{ type: 'ReviewSubmitted', data: review }]
}

function stepConfirmed(facts: DealFacts, step: ConfirmedStep, at: string): MessagingEvent {
  return { type: 'TransactionStepConfirmed', data: { ...facts, step, confirmedAt: at } }
}

function orderMoved(facts: DealFacts, status: OrderStatus, at: string, admin?: Admin): MessagingEvent {
  const { transactionId: orderId, productId, productName, sellerId, buyerId, amountSen: totalSen } = facts
  const order = { orderId, productId, productName, sellerId, buyerId, totalSen, status }
  return { type: 'OrderStatusChanged', data: { ...order, ...(admin && { admin }), changedAt: at } }
}

/** Until the payment is confirmed. */
export function isCancellable(stage: Stage): stage is 'purchase' | 'payment' {
  return stage === 'purchase' || stage === 'payment'
}

/**
 * What a seller may sell to a buyer, and for how much: what is listed, what was won, what a running auction asks to be bought at once, or what the
 * two have agreed on where the price may be agreed on.
 * @param asked.amountSen what the seller says was agreed on; `null` without
 * @throws Rejection when it is not the seller's to sell, or not to this buyer
 */
export function agreeOn(
  terms: DealTerms | null,
  asked: { readonly sellerId: number; readonly buyerId: number; readonly amountSen: number | null },
): { readonly amountSen: number; readonly auctionId: number | null } {
  if (terms === null) throw new Rejection('product-not-found')
  if (terms.sellerId !== asked.sellerId) throw new Rejection('action-not-allowed')
  const { lot, auction } = terms
  if (lot !== null) {
    if (lot.winnerId !== asked.buyerId) throw new Rejection('product-reserved')
    return { amountSen: fixedAmount(lot.amountSen, asked.amountSen), auctionId: lot.auctionId }
  }
  if (terms.available < 1) throw new Rejection('product-sold', 'No bottle of this product is left.')
  if (auction !== null) {
    if (auction.hasBids) throw new Rejection('auction-has-bids')
    if (auction.buyNowSen === null) throw new Rejection('bad-request', 'This auction has no Buy Now price.')
    return { amountSen: fixedAmount(auction.buyNowSen, asked.amountSen), auctionId: null }
  }
  // What was not sold in its auction is dealt like a negotiable listing.
  const isNegotiable = terms.listingType !== 'fixed'
  return {
    amountSen: isNegotiable ? (asked.amountSen ?? terms.priceSen) : fixedAmount(terms.priceSen, asked.amountSen),
    auctionId: null,
  }
}

function fixedAmount(amountSen: number, askedSen: number | null): number {
  if (askedSen !== null && askedSen !== amountSen) {
    throw new Rejection('bad-request', 'The price of this product is fixed.')
  }
  return amountSen
}

/** Hours after which whoever is waited for is reminded, by the step; counted from its card. */
export const remindAfterHours = {
  purchase: [24, 48],
  payment: [24, 48],
  delivery: [7 * 24],
} as const satisfies Record<ConfirmedStep, readonly number[]>
