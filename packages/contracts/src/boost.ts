import { z } from 'zod'
import { Id, IdParam, ProductId, RequestKey, UserId } from './ids.ts'
import { Sen } from './money.ts'
import { Reason } from './reason.ts'
import { route } from './route.ts'
import { isStorableText } from './text.ts'
import { Instant } from './time.ts'

/** A package is for so many products at most. */
const ITEMS_MAX = 10

/** So many products in the first places for so long. Prices are in sen. */
export const BoostPackage = z
  .object({
    id: Id,
    name: z.string(),
    package_type: z.enum(['standard', 'premium']),
    item_count: z.int().positive(),
    price: z.int().min(0),
    /** For one product. */
    effective_price: z.int().min(0),
    duration_hours: z.int().positive(),
    /** As it is shown. */
    duration_formatted: z.string(),
  })
  .meta({ id: 'BoostPackage' })
export type BoostPackage = z.infer<typeof BoostPackage>

/** Which package for which products. The price, the count and the duration are those of the package. */
export const BoostOrderForm = z
  .object({
    boostPackageId: Id,
    /** A few more than fit into any package, so that whoever has chosen too many is told how many there may be. */
    productIds: z.array(ProductId).max(ITEMS_MAX * 10),
    /** The same one leads to the same order for a day, as long as that can still be paid. */
    requestKey: RequestKey.optional(),
  })
  .meta({ id: 'BoostOrderForm' })

/** An order that waits for its payment. The browser goes to `paymentUrl`. */
export const BoostOrderPlaced = z
  .object({ orderId: z.uuid(), paymentUrl: z.url({ protocol: /^https?$/ }) })
  .meta({ id: 'BoostOrderPlaced' })
export type BoostOrderPlaced = z.infer<typeof BoostOrderPlaced>

export const PaymentStatus = z.enum(['pending', 'paid', 'failed', 'cancelled'])
export type PaymentStatus = z.infer<typeof PaymentStatus>

/** One product of an order. */
/** How a payment went that somebody comes back from, with what they are told. */
export const paymentOutcomes = {
  success: 'Your products will be featured in a moment.',
  pending: 'Your bank has not decided yet. Your products will be featured when it has paid.',
  failed: 'The payment was not completed. Nothing was boosted.',
  error: 'The result of the payment could not be read. Please look at your payments.',
} as const
export type PaymentOutcome = keyof typeof paymentOutcomes

const BoostShare = z.object({
  productId: ProductId,
  /** As it was called when it was ordered. */
  name: z.string(),
  /** Its part of the amount, in sen. */
  amount: Sen,
  /** `waiting` until the payment has come and a moment longer; `case` when it could not be boosted. */
  state: z.enum(['waiting', 'boosted', 'case']),
  /** Until when it was boosted by this order; `null` for what was not. */
  boostedUntil: Instant.nullable(),
})

/** An order for a boost with its payment: what lists and receipts show. Amounts are in sen. */
export const BoostPayment = z
  .object({
    /** Grows from order to order; the number of the receipt. */
    id: Id,
    orderId: z.uuid(),
    /** Of the payment provider; `null` while it has made none. */
    billId: z.string().nullable(),
    amount: Sen,
    status: PaymentStatus,
    paymentType: z.literal('boost'),
    /** In hours. */
    featureDuration: z.int().positive(),
    boostOptionId: Id,
    packageName: z.string(),
    packageType: z.enum(['standard', 'premium']),
    productIds: z.array(ProductId),
    products: z.array(BoostShare),
    /** How it was paid, in the provider's word; `null` until that is known. */
    paymentChannel: z.string().nullable(),
    transactionId: z.string().nullable(),
    paidAt: Instant.nullable(),
    createdAt: Instant,
    updatedAt: Instant,
    /** Until when it can be paid. */
    expiresAt: Instant,
  })
  .meta({ id: 'BoostPayment' })
export type BoostPayment = z.infer<typeof BoostPayment>

/** A product's share of a payment that came when the product could not be boosted any more. The amount is in sen. */
export const BoostCase = z
  .object({
    id: Id,
    orderId: z.uuid(),
    /** What was paid for. */
    productId: ProductId,
    productName: z.string(),
    amount: Sen,
    /** In hours: what another product gets. */
    featureDuration: z.int().positive(),
    /** `open`: another product may be chosen. `chosen`: that is being boosted. `expired`: an administrator decides. */
    state: z.enum(['open', 'chosen', 'boosted', 'expired', 'refunded']),
    /** What is or was boosted in its place. */
    chosenProductId: ProductId.nullable(),
    createdAt: Instant,
    /** Until when another product may be chosen. */
    expiresAt: Instant,
  })
  .meta({ id: 'BoostCase' })
export type BoostCase = z.infer<typeof BoostCase>

const CaseState = BoostCase.shape.state

/** A seller as administrators see them. */
const Named = z.object({
  id: UserId,
  /** `null` for somebody who has deleted their account. */
  username: z.string().nullable(),
})

/** A case as administrators see it. */
export const AdminBoostCase = BoostCase.extend({
  /** Whose it is. */
  user: Named,
  /** How it was paid back; `null` while it is not. */
  note: z.string().nullable(),
  refundedAt: Instant.nullable(),
}).meta({ id: 'AdminBoostCase' })
export type AdminBoostCase = z.infer<typeof AdminBoostCase>

/** What the payment provider has signed and fits no order, as administrators see it. Amounts are in sen. */
export const PaymentAlert = z
  .object({
    id: Id,
    /** `unknown-bill`: no order has this bill. `wrong-collection`: the bill is not of our collection. `wrong-amount`: not what the order costs. `unreadable`: it says something else than it should. */
    kind: z.enum(['unknown-bill', 'wrong-collection', 'wrong-amount', 'unreadable']),
    billId: z.string(),
    /** Whose order has the bill; `null` when none has. */
    user: Named.nullable(),
    /** As the provider says it. */
    amount: z.int(),
    isPaid: z.boolean(),
    /** Of the provider, when it was told. */
    transactionId: z.string().nullable(),
    firstAt: Instant,
    /** When it was told last. */
    lastAt: Instant,
    closedAt: Instant.nullable(),
    /** Who has dealt with it, and how. */
    closedBy: UserId.nullable(),
    reason: z.string().nullable(),
  })
  .meta({ id: 'PaymentAlert' })
export type PaymentAlert = z.infer<typeof PaymentAlert>

/** How a share was paid back, e.g. by which transfer. */
const RefundNote = z
  .string()
  .trim()
  .min(1, 'Please say how it was paid back')
  .max(500, 'Please use at most 500 characters')
  .refine(isStorableText, 'Please say how it was paid back')

/** The fields of a form or a query, decoded, by their names. Which there are is the provider's to say, and its signature covers all of them. */
const SignedFields = z.record(z.string().max(100), z.string().max(2_000))
/** The same however they come: what is too long or comes several times is signed, too, and somebody has to look at it. */
const GivenFields = z.record(z.string(), z.union([z.string(), z.array(z.string())]))

const orderParams = z.object({ orderId: z.uuid() })

export const boostRoutes = {
  listPackages: route({
    method: 'GET',
    path: '/api/boost/packages',
    access: 'public',
    summary: 'What can be bought, or the one with that id',
    query: z.object({ id: IdParam.optional() }),
    answers: { 200: z.array(BoostPackage) },
  }),
  createOrder: route({
    method: 'POST',
    path: '/api/boost/create-order',
    access: 'seller',
    summary: 'Orders a boost of own products; the browser goes on to `paymentUrl`',
    body: BoostOrderForm,
    answers: { 201: BoostOrderPlaced },
    refusals: [
      'no-products-selected',
      'invalid-package',
      'product-count-mismatch',
      'product-not-found',
      'product-sold',
      'product-reserved',
      'boost-pending',
      'boost-paid',
      'boost-closed',
      'payment-not-configured',
      'unavailable',
    ],
  }),
  payOrder: route({
    method: 'POST',
    path: '/api/boost/orders/:orderId/pay',
    access: 'signed-in',
    summary: 'Where an own order that waits for its payment is paid',
    params: orderParams,
    answers: { 200: BoostOrderPlaced },
    refusals: ['order-not-found', 'boost-paid', 'boost-closed', 'payment-not-configured', 'unavailable'],
  }),
  cancelOrder: route({
    method: 'DELETE',
    path: '/api/boost/orders/:orderId',
    access: 'signed-in',
    summary: 'Gives up an own order that waits for its payment. Given up twice is given up once',
    params: orderParams,
    answers: { 204: z.undefined() },
    refusals: ['order-not-found', 'boost-paid'],
  }),
  listPayments: route({
    method: 'GET',
    path: '/api/boost/payments',
    access: 'signed-in',
    summary: "The caller's orders with their payments, the latest first",
    query: z.object({ limit: z.coerce.number().int().min(1).max(100).optional(), cursor: IdParam.optional() }),
    answers: { 200: z.array(BoostPayment) },
  }),
  getPayment: route({
    method: 'GET',
    path: '/api/boost/payments/:orderId',
    access: 'signed-in',
    summary: 'One own order with its payment: what a receipt shows',
    params: orderParams,
    answers: { 200: BoostPayment },
    refusals: ['order-not-found'],
  }),
  /** By the payment provider alone, whose signature is its word. The same one again changes nothing. */
  receiveCallback: route({
    method: 'POST',
    path: '/api/boost/callback',
    access: 'public',
    summary: 'What became of a bill, signed by the payment provider',
    body: GivenFields,
    answers: { 200: z.object({ success: z.literal(true) }) },
    refusals: ['invalid-signature', 'payment-mismatch'],
  }),
  /** Shows a result and changes nothing. */
  returnFromPayment: route({
    method: 'GET',
    path: '/api/boost/return',
    access: 'public',
    summary: 'Where the payment provider sends the browser, which goes on to the dashboard',
    query: SignedFields,
    answers: { 303: z.undefined() },
  }),
  listCases: route({
    method: 'GET',
    path: '/api/boost/cases',
    access: 'signed-in',
    summary:
      'What the caller has paid for and could not be boosted, all of it or what is not settled, the latest first',
    query: z.object({
      state: z.literal('unsettled').optional(),
      limit: z.coerce.number().int().min(1).max(100).optional(),
      cursor: IdParam.optional(),
    }),
    answers: { 200: z.array(BoostCase) },
  }),
  chooseProduct: route({
    method: 'POST',
    path: '/api/boost/cases/:caseId/product',
    access: 'seller',
    summary: 'Another own product to boost in place of the one that could not be',
    params: z.object({ caseId: IdParam }),
    body: z.object({ productId: ProductId }),
    answers: { 200: BoostCase },
    refusals: [
      'case-not-found',
      'case-closed',
      'case-refunded',
      'product-not-found',
      'product-sold',
      'product-reserved',
      'boost-pending',
      'unavailable',
    ],
  }),
  listAllCases: route({
    method: 'GET',
    path: '/api/admin/cases',
    access: 'admin',
    summary: 'What was paid for and could not be boosted, of all sellers or in one state, the latest first',
    query: z.object({
      state: CaseState.optional(),
      limit: z.coerce.number().int().min(1).max(100).optional(),
      cursor: IdParam.optional(),
    }),
    answers: { 200: z.array(AdminBoostCase) },
  }),
  refundCase: route({
    method: 'POST',
    path: '/api/admin/cases/:caseId/refund',
    access: 'admin',
    summary: 'Notes that a share was paid back by hand, once; another note is refused',
    params: z.object({ caseId: IdParam }),
    body: z.object({ reason: RefundNote }),
    answers: { 200: AdminBoostCase },
    refusals: ['case-not-found', 'case-refunded', 'case-spent', 'unavailable'],
  }),
  listPaymentAlerts: route({
    method: 'GET',
    path: '/api/admin/payment-alerts',
    access: 'admin',
    summary: 'What the payment provider has signed and fits no order: what is open first, then the latest first',
    query: z.object({
      state: z.enum(['open', 'closed']).optional(),
      limit: z.coerce.number().int().min(1).max(100).optional(),
      /** Of the page before. */
      cursor: z.string().max(200).optional(),
    }),
    answers: { 200: z.array(PaymentAlert) },
  }),
  /** The same call again changes nothing. */
  closePaymentAlert: route({
    method: 'POST',
    path: '/api/admin/payment-alerts/:alertId/close',
    access: 'admin',
    summary: 'Says how a payment that fits no order was dealt with, once',
    params: z.object({ alertId: IdParam }),
    body: z.object({ reason: Reason }),
    answers: { 200: PaymentAlert },
    refusals: ['not-found', 'unavailable'],
  }),
} as const

/** Questions that boost answers on the bus. */
export const boostRequests = {
  /** How administrators paid the shares of these cases back. Notes speak of people: they are asked for when they are shown. */
  listRefundNotes: {
    name: 'list-refund-notes',
    body: z.object({ caseIds: z.array(Id).max(500) }),
    answer: z.object({ notes: z.array(z.object({ caseId: Id, note: z.string() })) }),
  },
} as const
