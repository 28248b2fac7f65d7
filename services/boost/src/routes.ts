import { boostRoutes, type PaymentOutcome, paymentOutcomes } from '@wangian/contracts/boost.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { type App, handle } from '@wangian/kit/http/http.ts'
import { nextPageUrl, olderPageUrl, pageHeaders, readCursor } from '@wangian/kit/http/page-cursor.ts'
import { createRateLimiter } from '@wangian/kit/http/rate-limit.ts'
import { requireAdministrator } from '@wangian/kit/people/administrators.ts'
import { silentLogger } from '@wangian/kit/service/logger.ts'
import { z } from 'zod'
import {
  countAllCases,
  countCases,
  countPayments,
  findCase,
  findPayment,
  listAllCases,
  listCases,
  listPayments,
  type PaymentRow,
} from './orders/order-store.ts'
import {
  type Asking,
  cancelOrder,
  chooseProduct,
  type Ordering,
  payOrder,
  placeOrder,
  refundCase,
} from './orders/ordering.ts'
import { closeAlert } from './payment/alerts.ts'
import { countAlerts, listAlerts } from './payment/payment-store.ts'
import type { SignedFields } from './payment/provider.ts'
import { takeNotice } from './payment/settlement.ts'
import { presentCase, presentCaseToAdmin, presentPackage, presentPayment } from './presenter.ts'
import { listPackages } from './store.ts'

/** Each makes a bill at the provider. */
const ORDERS_PER_HOUR_MAX = 60
const PAYMENTS_AT_ONCE_MAX = 100
/** Anybody may send a callback, and all of it is sorted and signed before anybody knows who did. Those of providers take some hundred bytes. */
const CALLBACK_MAX_BYTES = 16 * 1024
/** Up to here totals are counted. */
const EXACT_COUNT_MAX = 10_000

export interface RouteDependencies extends Omit<Ordering, 'log'> {
  readonly log?: Ordering['log']
  readonly nowMs?: () => number
}

/** What the handlers of all routes share. */
interface Context {
  readonly ordering: Ordering
  readonly nowMs: () => number
}

export function addRoutes(app: App, { nowMs = Date.now, log = silentLogger, ...rest }: RouteDependencies): void {
  const context: Context = { ordering: { ...rest, log }, nowMs }
  handle(app, boostRoutes.listPackages, async ({ query }) => {
    const rows = await listPackages(rest.pool, query.id ?? null)
    return { status: 200, body: rows.map(presentPackage) }
  })
  addOrderRoutes(app, context)
  addProviderRoutes(app, context)
  addCaseRoutes(app, context)
  addAlertRoutes(app, context)
}

/** What sellers order, and how it stands. */
function addOrderRoutes(app: App, { ordering, nowMs }: Context): void {
  const { pool } = ordering
  const orders = createRateLimiter(app, { limit: ORDERS_PER_HOUR_MAX, windowMs: 60 * 60 * 1000 })
  const getOwn = async (orderId: string, userId: number): Promise<PaymentRow> => {
    const payment = await findPayment(pool, orderId)
    if (payment === null || payment.userId !== userId) throw new Rejection('order-not-found')
    return payment
  }

  handle(app, boostRoutes.createOrder, async (input) => {
    orders.take(input.user.id)
    return { status: 201, body: await placeOrder(ordering, input.body, askingOf(input, nowMs)) }
  })

  handle(app, boostRoutes.payOrder, async (input) => {
    const payment = await getOwn(input.params.orderId, input.user.id)
    orders.take(input.user.id)
    return { status: 200, body: await payOrder(ordering, payment, askingOf(input, nowMs)) }
  })

  handle(app, boostRoutes.cancelOrder, async (input) => {
    await cancelOrder(ordering, input.params.orderId, askingOf(input, nowMs))
    return { status: 204, body: undefined }
  })

  handle(app, boostRoutes.listPayments, async ({ query, user, request }) => {
    const { rows, next } = await pageOf(request.url, query, (page) => listPayments(pool, user.id, page))
    const total = await countPayments(pool, user.id, EXACT_COUNT_MAX)
    return { status: 200, body: rows.map(presentPayment), headers: pageHeaders({ total, next }) }
  })

  handle(app, boostRoutes.getPayment, async ({ params, user }) => {
    return { status: 200, body: presentPayment(await getOwn(params.orderId, user.id)) }
  })
}

/** What the provider says, to us and by the browser of whoever has paid. */
function addProviderRoutes(app: App, { ordering, nowMs }: Context): void {
  const { pool, provider, log, onAppended } = ordering

  app.register(async (scope) => {
    acceptForms(scope)
    scope.addHook('onRoute', (route) => {
      route.bodyLimit = CALLBACK_MAX_BYTES
    })
    handle(scope, boostRoutes.receiveCallback, async ({ body, request }) => {
      if (provider === null) throw new Rejection('invalid-signature')
      const notice = provider.readCallback(body)
      const settling = { pool, collectionId: provider.collectionId, log }
      const cause = { nowMs: nowMs(), correlationId: request.id, causationId: null }
      if (await takeNotice(settling, notice, cause)) onAppended()
      return { status: 200, body: { success: true } }
    })
  })

  handle(app, boostRoutes.returnFromPayment, ({ query }) => {
    const payment = outcomeOf(query)
    const told = { tab: 'boosted', payment, message: paymentOutcomes[payment] }
    return { status: 303, body: undefined, headers: { location: `/seller/dashboard?${new URLSearchParams(told)}` } }
  })

  /** What the provider has signed; nothing rests on it. */
  function outcomeOf(query: SignedFields): PaymentOutcome {
    try {
      if (provider !== null) {
        const { isPaid, isUndecided } = provider.readReturn(query)
        return isPaid ? 'success' : isUndecided ? 'pending' : 'failed'
      }
    } catch (error) {
      if (!(error instanceof Rejection)) throw error
    }
    return 'error'
  }
}

/** What is paid for and cannot be featured, for its seller and for administrators. */
function addCaseRoutes(app: App, { ordering, nowMs }: Context): void {
  const { pool } = ordering

  handle(app, boostRoutes.listCases, async ({ query, user, request }) => {
    const own = { userId: user.id, isUnsettled: query.state === 'unsettled' }
    const { rows, next } = await pageOf(request.url, query, (page) => listCases(pool, own, page))
    const total = await countCases(pool, own, EXACT_COUNT_MAX)
    const body = rows.map((row) => presentCase(row, nowMs()))
    return { status: 200, body, headers: pageHeaders({ total, next }) }
  })

  handle(app, boostRoutes.chooseProduct, async (input) => {
    const { caseId } = input.params
    await chooseProduct(ordering, { caseId, productId: input.body.productId }, askingOf(input, nowMs))
    const row = await findCase(pool, caseId)
    if (row === null) throw new Rejection('case-not-found')
    return { status: 200, body: presentCase(row, nowMs()) }
  })

  handle(app, boostRoutes.listAllCases, async ({ query, request }) => {
    const filter = { state: query.state ?? null, at: new Date(nowMs()).toISOString() }
    const { rows, next } = await pageOf(request.url, query, (page) => listAllCases(pool, filter, page))
    const total = await countAllCases(pool, filter, EXACT_COUNT_MAX)
    const body = rows.map((row) => presentCaseToAdmin(row, nowMs()))
    return { status: 200, body, headers: pageHeaders({ total, next }) }
  })

  handle(app, boostRoutes.refundCase, async (input) => {
    const { caseId } = input.params
    await requireAdministrator(ordering.nats, input.user.id)
    await refundCase(ordering, { caseId, note: input.body.reason }, askingOf(input, nowMs))
    const row = await findCase(pool, caseId)
    if (row === null) throw new Rejection('case-not-found')
    return { status: 200, body: presentCaseToAdmin(row, nowMs()) }
  })
}

/** What the provider has signed and fits no order, for administrators. */
function addAlertRoutes(app: App, { ordering, nowMs }: Context): void {
  const { pool } = ordering

  handle(app, boostRoutes.listPaymentAlerts, async ({ query, request }) => {
    const filter = { isClosed: query.state === undefined ? null : query.state === 'closed' }
    const limit = query.limit ?? PAYMENTS_AT_ONCE_MAX
    const after = query.cursor === undefined ? null : readCursor(AlertPlace, query.cursor)
    const found = await listAlerts(pool, filter, { limit: limit + 1, after })
    const rows = found.slice(0, limit)
    const last = rows.at(-1)
    const place = last && { isClosed: last.closedAt !== null, id: last.id }
    const next = found.length > limit ? nextPageUrl(request.url, place) : null
    const headers = pageHeaders({ total: await countAlerts(pool, filter, EXACT_COUNT_MAX), next })
    return { status: 200, body: rows, headers }
  })

  handle(app, boostRoutes.closePaymentAlert, async (input) => {
    await requireAdministrator(ordering.nats, input.user.id)
    const closing = { alertId: input.params.alertId, reason: input.body.reason }
    return { status: 200, body: await closeAlert(ordering, closing, askingOf(input, nowMs)) }
  })
}

/** Who asks, with which request and when. */
function askingOf(
  { user, request }: { readonly user: { readonly id: number }; readonly request: { readonly id: string } },
  nowMs: () => number,
): Asking {
  return { userId: user.id, requestId: request.id, nowMs: nowMs() }
}

/** Behind which alert a page begins. */
const AlertPlace = z.object({ isClosed: z.boolean(), id: z.int() })

/** A page of what is listed, the latest first, with the address of the next one. */
async function pageOf<Row extends { readonly id: number }>(
  url: string,
  query: { readonly limit?: number | undefined; readonly cursor?: number | undefined },
  list: (page: { readonly limit: number; readonly beforeId: number | null }) => Promise<readonly Row[]>,
): Promise<{ readonly rows: readonly Row[]; readonly next: string | null }> {
  const limit = query.limit ?? PAYMENTS_AT_ONCE_MAX
  // One more than asked for tells whether there is another page.
  const found = await list({ limit: limit + 1, beforeId: query.cursor ?? null })
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  const hasMore = found.length > limit && last !== undefined
  return { rows, next: hasMore ? olderPageUrl(url, last.id) : null }
}

/** The provider answers with forms. A field that comes twice has all its values: it could be signed as one and read as the other. */
function acceptForms(scope: App): void {
  scope.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) => {
    const byName = Map.groupBy(new URLSearchParams(body as string), ([name]) => name)
    const fields = [...byName].map(([name, pairs]) => {
      const values = pairs.map(([, value]) => value)
      return [name, values.length > 1 ? values : values[0]]
    })
    done(null, Object.fromEntries(fields))
  })
}
