import { randomUUID } from 'node:crypto'
import type { BoostOrderPlaced } from '@wangian/contracts/boost.ts'
import { identityRequests } from '@wangian/contracts/identity-requests.ts'
import type { NatsConnection } from '@wangian/kit/bus/nats.ts'
import { request as ask } from '@wangian/kit/bus/requests.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { invariant } from '@wangian/kit/invariant.ts'
import type { Logger } from '@wangian/kit/service/logger.ts'
import { sharesOf } from '../domain.ts'
import { askIfPossible, type PaymentProvider } from '../payment/provider.ts'
import { listPackages, type PackageRow } from '../store.ts'
import {
  findCase,
  findOrderOfKey,
  findPayment,
  isAnyPending,
  lockSeller,
  nextPaymentId,
  type PaymentRow,
} from './order-store.ts'
import { getBoostable } from './products.ts'
import { runOrder, runOrderIn } from './run-order.ts'

/** So long an order waits for its payment, and the key of a request leads to it. */
const PAYABLE_MS = 24 * 60 * 60 * 1000

export interface Ordering {
  readonly pool: DatabasePool
  readonly nats: NatsConnection
  /** `null` where no payment is configured. */
  readonly provider: PaymentProvider | null
  readonly log: Logger
  /** Called after something was appended to the log. */
  readonly onAppended: () => void
}

/** Who asks, in which request, and when. */
export interface Asking {
  readonly userId: number
  readonly requestId: string
  readonly nowMs: number
}

/**
 * Orders a package for own products. The same key leads to the same order, as long as that can be paid.
 * @throws Rejection when there is no such package, when it is for another number of products, or when one of them cannot be boosted
 */
export async function placeOrder(
  ordering: Ordering,
  form: {
    readonly boostPackageId: number
    readonly productIds: readonly number[]
    readonly requestKey?: string | undefined
  },
  asking: Asking,
): Promise<BoostOrderPlaced> {
  const { pool, nats, provider, onAppended } = ordering
  const { userId, nowMs } = asking
  const chosen = await getPackage(pool, form.boostPackageId, form.productIds)
  if (provider === null) throw new Rejection('payment-not-configured')
  const products = await getBoostable(nats, userId, form.productIds)
  const [orderId, paymentId, requestKey] = [randomUUID(), await nextPaymentId(pool), form.requestKey ?? null]
  const at = new Date(nowMs).toISOString()
  const shares = sharesOf(chosen.priceSen, products.length)
  const facts = {
    ...{ orderId, paymentId, userId, packageId: chosen.id, packageName: chosen.name, packageType: chosen.packageType },
    ...{ durationHours: chosen.durationHours, amountSen: chosen.priceSen },
    products: products.map((product, index) => ({ ...product, amountSen: shares[index] ?? 0 })),
  }
  const known = await pool.transaction(async (transaction) => {
    // Two requests of one seller wait for each other: a key has one order, and a product waits for one payment.
    await lockSeller(transaction, userId)
    if (requestKey !== null) {
      const since = new Date(nowMs - PAYABLE_MS).toISOString()
      const before = await findOrderOfKey(transaction, { userId, requestKey, since })
      if (before !== null && (before.status === 'pending' || before.status === 'paid')) return before
    }
    if (await isAnyPending(transaction, form.productIds)) throw new Rejection('boost-pending')
    const expiresAt = new Date(nowMs + PAYABLE_MS).toISOString()
    await runOrderIn(transaction, orderId, { type: 'PlaceOrder', facts, requestKey, at, expiresAt }, causeOf(asking))
    return null
  })
  if (known !== null) return payOrder(ordering, known, asking)
  onAppended()
  try {
    return await payOrder(ordering, await getPayment(pool, orderId), asking)
  } catch (error) {
    // Nobody has seen a bill: the products are free again.
    await runOrder(pool, orderId, { type: 'AbandonOrder', at }, causeOf(asking))
    onAppended()
    throw error
  }
}

/**
 * Where an order is paid. Its bill is made when it has none.
 * @throws Rejection when it waits for no payment any more
 */
export async function payOrder(
  { pool, nats, provider, log, onAppended }: Ordering,
  payment: PaymentRow,
  asking: Asking,
): Promise<BoostOrderPlaced> {
  const { orderId, status, expiresAt, amountSen, metadata, products } = payment
  if (status === 'paid') throw new Rejection('boost-paid')
  if (status !== 'pending' || Date.parse(expiresAt) <= asking.nowMs) throw new Rejection('boost-closed')
  if (metadata.paymentUrl !== undefined) return { orderId, paymentUrl: metadata.paymentUrl }
  if (provider === null) throw new Rejection('payment-not-configured')
  const { payer } = await ask(nats, 'identity', identityRequests.getPayer, { userId: payment.userId })
  if (payer === null) throw new Rejection('forbidden')
  const description = `${metadata.packageName}: ${products.map(({ name }) => name).join(', ')}`
  const bill = await provider.createBill({ orderId, amountSen, payer, description })
  const command = { type: 'RecordBill', bill, at: new Date(asking.nowMs).toISOString() } as const
  const { state } = await runOrder(pool, orderId, command, causeOf(asking))
  onAppended()
  invariant(state.status !== 'absent' && state.bill !== null, 'an order has the bill that was recorded')
  if (state.status !== 'pending') {
    // It ended while the bill was made. The bill is recorded all the same, for money that comes late must find its order.
    await askIfPossible(log, provider, (asked) => asked.deleteBill(bill.billId))
    throw new Rejection(state.status === 'settled' ? 'boost-paid' : 'boost-closed')
  }
  return { orderId, paymentUrl: state.bill.url }
}

/** Gives up an own order. @throws Rejection when it is not there or paid */
export async function cancelOrder({ pool, onAppended }: Ordering, orderId: string, asking: Asking): Promise<void> {
  const command = { type: 'CancelOrder', actorId: asking.userId, at: new Date(asking.nowMs).toISOString() } as const
  const { events } = await runOrder(pool, orderId, command, causeOf(asking))
  if (events.length > 0) onAppended()
}

/**
 * Chooses another own product for a case.
 * @throws Rejection when there is none, when it is closed, or when the product cannot be boosted
 */
export async function chooseProduct(
  { pool, nats, onAppended }: Ordering,
  { caseId, productId }: { readonly caseId: number; readonly productId: number },
  asking: Asking,
): Promise<void> {
  const { userId } = asking
  const one = await findCase(pool, caseId)
  if (one === null || one.user.id !== userId) throw new Rejection('case-not-found')
  await getBoostable(nats, userId, [productId])
  const at = new Date(asking.nowMs).toISOString()
  const command = { type: 'ChooseProduct', actorId: userId, caseId, productId, at } as const
  const { events } = await runOrder(pool, one.orderId, command, causeOf(asking), async (transaction) => {
    await lockSeller(transaction, userId)
    if (await isAnyPending(transaction, [productId])) throw new Rejection('boost-pending')
  })
  if (events.length > 0) onAppended()
}

/**
 * Notes that an administrator has paid a share back.
 * @throws Rejection when there is no such case, or when its share is spent
 */
export async function refundCase(
  { pool, onAppended }: Ordering,
  { caseId, note }: { readonly caseId: number; readonly note: string },
  asking: Asking,
): Promise<void> {
  const one = await findCase(pool, caseId)
  if (one === null) throw new Rejection('case-not-found')
  const command = { type: 'RefundCase', caseId, note, at: new Date(asking.nowMs).toISOString() } as const
  const { events } = await runOrder(pool, one.orderId, command, causeOf(asking))
  if (events.length > 0) onAppended()
}

async function getPackage(pool: DatabasePool, id: number, productIds: readonly number[]): Promise<PackageRow> {
  if (productIds.length === 0) throw new Rejection('no-products-selected')
  const [chosen] = await listPackages(pool, id)
  if (chosen === undefined) throw new Rejection('invalid-package')
  const [required, selected] = [chosen.itemCount, productIds.length]
  const what = 'Product count mismatch.'
  if (new Set(productIds).size !== selected)
    throw new Rejection('product-count-mismatch', `${what} A product can be selected once only.`)
  if (required !== selected) {
    const products = required === 1 ? '1 product' : `${required} products`
    const text = `${what} This package requires exactly ${products}. You have selected ${selected}.`
    throw new Rejection('product-count-mismatch', text, { required, selected })
  }
  return chosen
}

async function getPayment(pool: DatabasePool, orderId: string): Promise<PaymentRow> {
  const payment = await findPayment(pool, orderId)
  invariant(payment, 'an order that was placed is there')
  return payment
}

function causeOf({ userId, requestId }: Asking) {
  return { actorId: userId, correlationId: requestId, causationId: null }
}
