import type { BoostOrderEvent } from '@wangian/contracts/events/boost.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { invariant } from '@wangian/kit/invariant.ts'
import type { Decider } from '@wangian/kit/log/decider.ts'

/** What does not change after an order was placed. */
export interface OrderFacts {
  readonly orderId: string
  readonly paymentId: number
  readonly userId: number
  readonly packageId: number
  readonly packageName: string
  readonly packageType: 'standard' | 'premium'
  readonly durationHours: number
  readonly amountSen: number
  /** The parts together are the amount. */
  readonly products: { readonly productId: number; readonly name: string; readonly amountSen: number }[]
}

export interface Bill {
  readonly billId: string
  readonly url: string
}

/** What became of a product, or of what was chosen in its place: until when it is featured, or with which code that was refused. */
export type Outcome = { readonly boostedUntil: string } | { readonly reason: string }

export interface Case {
  readonly caseId: number
  readonly productId: number
  readonly productName: string
  readonly amountSen: number
  readonly state: 'open' | 'chosen' | 'boosted' | 'refunded'
  readonly chosenProductId: number | null
  /** How it was paid back. */
  readonly refundNote: string | null
  readonly expiresAt: string
}

export type Order =
  | { readonly status: 'absent' }
  | {
      readonly status: 'pending' | 'settled' | 'failed' | 'cancelled'
      readonly facts: OrderFacts
      readonly expiresAt: string
      readonly bill: Bill | null
      readonly channel: string | null
      /** Of which it is known what became of them. */
      readonly doneProductIds: readonly number[]
      readonly cases: readonly Case[]
    }

export type OrderCommand =
  | {
      readonly type: 'PlaceOrder'
      readonly facts: OrderFacts
      readonly requestKey: string | null
      readonly at: string
      readonly expiresAt: string
    }
  /** The first bill is the one. */
  | { readonly type: 'RecordBill'; readonly bill: Bill; readonly at: string }
  | {
      readonly type: 'SettleOrder'
      readonly billId: string
      readonly paidSen: number
      readonly transactionId: string | null
      readonly paidAt: string
      readonly at: string
    }
  | { readonly type: 'DeclineOrder'; readonly at: string }
  | { readonly type: 'ExpireOrder'; readonly at: string }
  /** The provider has made no bill. */
  | { readonly type: 'AbandonOrder'; readonly at: string }
  | { readonly type: 'CancelOrder'; readonly actorId: number; readonly at: string }
  | { readonly type: 'RecordChannel'; readonly channel: string; readonly at: string }
  /** `caseId` is for a product that cannot be boosted, drawn for each. */
  | {
      readonly type: 'RecordOutcomes'
      readonly outcomes: readonly {
        readonly productId: number
        readonly outcome: Outcome
        readonly caseId: number
      }[]
      readonly at: string
      readonly caseExpiresAt: string
    }
  | {
      readonly type: 'ChooseProduct'
      readonly actorId: number
      readonly caseId: number
      readonly productId: number
      readonly at: string
    }
  | {
      readonly type: 'RecordChoice'
      readonly caseId: number
      readonly productId: number
      readonly outcome: Outcome
      readonly at: string
    }
  /** By an administrator, who has paid it back by hand. */
  | { readonly type: 'RefundCase'; readonly caseId: number; readonly note: string; readonly at: string }

type Of<Type extends OrderCommand['type']> = Extract<OrderCommand, { type: Type }>
type Events = readonly BoostOrderEvent[]
type PlacedOrder = Exclude<Order, { status: 'absent' }>

export function orderStream(orderId: string): string {
  return `boost-order-${orderId}`
}

/** An amount in as many parts as there are products: evenly, and the rest of the sen on the first ones. */
export function sharesOf(amountSen: number, count: number): readonly number[] {
  const rest = amountSen % count
  return Array.from({ length: count }, (_, index) => Math.floor(amountSen / count) + (index < rest ? 1 : 0))
}

function decide(command: OrderCommand, order: Order): Events {
  if (command.type === 'PlaceOrder') {
    if (order.status !== 'absent') return []
    const { facts, requestKey, at: placedAt, expiresAt } = command
    const shared = facts.products.reduce((sum, { amountSen }) => sum + amountSen, 0)
    invariant(shared === facts.amountSen, 'the parts of an order are its amount')
    return [{ type: 'BoostOrderPlaced', data: { ...facts, requestKey, placedAt, expiresAt } }]
  }
  if (order.status === 'absent') throw new Rejection('order-not-found')
  const { facts } = order
  switch (command.type) {
    case 'RecordBill': {
      if (order.bill !== null) return []
      return [{ type: 'BoostBillMade', data: { orderId: facts.orderId, ...command.bill, madeAt: command.at } }]
    }
    case 'SettleOrder':
      return settle(command, order)
    case 'DeclineOrder':
      return failed(order, 'declined', command.at)
    case 'ExpireOrder':
      return Date.parse(command.at) < Date.parse(order.expiresAt) ? [] : failed(order, 'unpaid', command.at)
    case 'AbandonOrder':
      return order.bill === null ? failed(order, 'no-bill', command.at) : []
    case 'CancelOrder': {
      if (command.actorId !== facts.userId) throw new Rejection('order-not-found')
      if (order.status === 'settled') throw new Rejection('boost-paid')
      if (order.status !== 'pending') return []
      return [{ type: 'BoostOrderCancelled', data: { ...facts, cancelledAt: command.at } }]
    }
    case 'RecordChannel': {
      if (order.channel !== null) return []
      const data = { orderId: facts.orderId, channel: command.channel, foundAt: command.at }
      return [{ type: 'BoostPaymentChannelFound', data }]
    }
    case 'RecordOutcomes':
      return recordOutcomes(command, order)
    case 'ChooseProduct':
      return chooseProduct(command, order)
    case 'RecordChoice':
      return recordChoice(command, order)
    case 'RefundCase':
      return refundCase(command, order)
    default:
      return command satisfies never
  }
}

function evolve(order: Order, event: BoostOrderEvent): Order {
  if (event.type === 'BoostOrderPlaced') {
    const { requestKey: _, placedAt: __, expiresAt, ...facts } = event.data
    const nothing = { bill: null, channel: null, doneProductIds: [], cases: [] }
    return { status: 'pending', facts, expiresAt, ...nothing }
  }
  invariant(order.status !== 'absent', 'an order is placed before it goes on')
  switch (event.type) {
    case 'BoostBillMade':
      return { ...order, bill: { billId: event.data.billId, url: event.data.url } }
    case 'BoostOrderSettled':
      return { ...order, status: 'settled' }
    case 'BoostOrderFailed':
      return { ...order, status: 'failed' }
    case 'BoostOrderCancelled':
      return { ...order, status: 'cancelled' }
    case 'BoostPaymentChannelFound':
      return { ...order, channel: event.data.channel }
    case 'ProductBoosted': {
      const { caseId, productId } = event.data
      return caseId === null ? withDone(order, productId) : withCase(order, caseId, { state: 'boosted' })
    }
    case 'BoostCaseOpened': {
      const { caseId, productId, productName, amountSen, expiresAt } = event.data
      const opened: Case = {
        caseId,
        productId,
        productName,
        amountSen,
        state: 'open',
        chosenProductId: null,
        refundNote: null,
        expiresAt,
      }
      return { ...withDone(order, productId), cases: [...order.cases, opened] }
    }
    case 'BoostCaseProductChosen':
      return withCase(order, event.data.caseId, { state: 'chosen', chosenProductId: event.data.productId })
    case 'BoostCaseReopened':
      return withCase(order, event.data.caseId, { state: 'open', chosenProductId: null })
    case 'BoostCaseRefunded':
      return withCase(order, event.data.caseId, { state: 'refunded', refundNote: event.data.note })
    default:
      return event satisfies never
  }
}

/** A seller pays for the first places. Money that has come counts whatever the order was before, and once. */
export const orderDecider: Decider<Order, OrderCommand, BoostOrderEvent> = {
  service: 'boost',
  initialState: { status: 'absent' },
  decide,
  evolve,
}

function settle({ billId, paidSen, transactionId, paidAt, at }: Of<'SettleOrder'>, order: PlacedOrder): Events {
  const { facts, bill } = order
  if (bill?.billId !== billId || paidSen !== facts.amountSen) throw new Rejection('payment-mismatch')
  if (order.status === 'settled') return []
  return [{ type: 'BoostOrderSettled', data: { ...facts, billId, transactionId, paidAt, settledAt: at } }]
}

/** What is paid, given up or failed before stays as it is. */
function failed({ status, facts }: PlacedOrder, reason: 'declined' | 'unpaid' | 'no-bill', at: string): Events {
  return status === 'pending' ? [{ type: 'BoostOrderFailed', data: { ...facts, reason, failedAt: at } }] : []
}

function recordOutcomes({ outcomes, at, caseExpiresAt }: Of<'RecordOutcomes'>, order: PlacedOrder): Events {
  const { facts, doneProductIds } = order
  invariant(order.status === 'settled', 'nothing is boosted before it is paid')
  const { orderId, userId, packageId, durationHours } = facts
  return facts.products.flatMap((product): Events => {
    const { productId, name: productName, amountSen } = product
    const found = outcomes.find((one) => one.productId === productId)
    if (found === undefined || doneProductIds.includes(productId)) return []
    const { outcome, caseId } = found
    if ('boostedUntil' in outcome) {
      const { boostedUntil } = outcome
      const data = { orderId, userId, packageId, caseId: null, productId, boostedUntil, boostedAt: at }
      return [{ type: 'ProductBoosted', data }]
    }
    const what = { caseId, orderId, userId, packageId, durationHours, productId, productName, amountSen }
    const data = { ...what, reason: outcome.reason, openedAt: at, expiresAt: caseExpiresAt }
    return [{ type: 'BoostCaseOpened', data }]
  })
}

function chooseProduct({ actorId, caseId, productId, at }: Of<'ChooseProduct'>, order: PlacedOrder): Events {
  const { orderId, userId, packageId, durationHours } = order.facts
  const one = order.cases.find((each) => each.caseId === caseId)
  if (one === undefined || actorId !== userId) throw new Rejection('case-not-found')
  if (one.chosenProductId === productId) return []
  if (one.state === 'refunded') throw new Rejection('case-refunded')
  if (one.state !== 'open' || Date.parse(at) >= Date.parse(one.expiresAt)) throw new Rejection('case-closed')
  const data = { caseId, orderId, userId, packageId, durationHours, productId, chosenAt: at }
  return [{ type: 'BoostCaseProductChosen', data }]
}

function recordChoice({ caseId, productId, outcome, at }: Of<'RecordChoice'>, order: PlacedOrder): Events {
  const { orderId, userId, packageId, durationHours } = order.facts
  const one = order.cases.find((each) => each.caseId === caseId)
  if (one?.state !== 'chosen' || one.chosenProductId !== productId) return []
  if ('boostedUntil' in outcome) {
    const { boostedUntil } = outcome
    return [
      {
        type: 'ProductBoosted',
        data: { orderId, userId, packageId, caseId, productId, boostedUntil, boostedAt: at },
      },
    ]
  }
  const data = { caseId, orderId, userId, packageId, durationHours, productId, reason: outcome.reason, reopenedAt: at }
  return [{ type: 'BoostCaseReopened', data }]
}

/** A share is spent once: what another product has got, or is about to get, is not paid back. */
function refundCase({ caseId, note, at }: Of<'RefundCase'>, order: PlacedOrder): Events {
  const { orderId, userId, packageId, durationHours } = order.facts
  const one = order.cases.find((each) => each.caseId === caseId)
  if (one === undefined) throw new Rejection('case-not-found')
  if (one.refundNote === note) return []
  if (one.state !== 'open') throw new Rejection(one.state === 'refunded' ? 'case-refunded' : 'case-spent')
  const { productId, productName, amountSen } = one
  const data = {
    caseId,
    orderId,
    userId,
    packageId,
    durationHours,
    productId,
    productName,
    amountSen,
    note,
    refundedAt: at,
  }
  return [{ type: 'BoostCaseRefunded', data }]
}

function withDone(order: PlacedOrder, productId: number): PlacedOrder {
  return { ...order, doneProductIds: [...order.doneProductIds, productId] }
}

function withCase(order: PlacedOrder, caseId: number, change: Partial<Case>): PlacedOrder {
  return { ...order, cases: order.cases.map((one) => (one.caseId === caseId ? { ...one, ...change } : one)) }
}
