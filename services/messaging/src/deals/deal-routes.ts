import { catalogueRequests } from '@wangian/contracts/catalogue.ts'
import { MESSAGES_AT_ONCE_MAX, messagingRoutes } from '@wangian/contracts/messaging.ts'
import type { NatsConnection } from '@wangian/kit/bus/nats.ts'
import { request as ask } from '@wangian/kit/bus/requests.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import type { Caller } from '@wangian/kit/http/auth.ts'
import { type App, handle } from '@wangian/kit/http/http.ts'
import { invariant } from '@wangian/kit/invariant.ts'
import { findCard, findMessage, getMessage } from '../conversations/message-store.ts'
import { presentMessage } from '../conversations/presenter.ts'
import { type PageRequest, page } from '../paging.ts'
import { continueDeal, requireSeller } from './commands.ts'
import { findDeal, findOrder, listOrders, listWaiting, type Party } from './deal-store.ts'
import { actionOf, type DealMove, nextStep, stepOf } from './domain.ts'
import { presentOrder, presentTransaction, presentWaiting } from './presenter.ts'

/** A running auction is withdrawn on the way, whose owner may be changing just now. */
const RESERVE_TIMEOUT_MS = 10_000

export interface DealDependencies {
  readonly pool: DatabasePool
  /** Where catalogue is asked for bottles. */
  readonly nats: NatsConnection
  /** Called after something was appended to the log. */
  readonly onAppended: () => void
  readonly nowMs?: () => number
}

/** The steps of deals, and the orders that came of them. */
export function addDealRoutes(app: App, { pool, nats, onAppended, nowMs = Date.now }: DealDependencies): void {
  const now = () => new Date(nowMs()).toISOString()

  async function goOn(
    transactionId: number,
    parties: { readonly sellerId: number; readonly buyerId: number },
    command: DealMove,
    { actorId, requestId }: { readonly actorId: number; readonly requestId: string },
  ): Promise<void> {
    const asked = { transactionId, parties, command }
    const metadata = { actorId, correlationId: requestId, causationId: null }
    const events = await pool.transaction((transaction) => continueDeal(transaction, asked, metadata))
    if (events.length > 0) onAppended()
  }

  handle(app, messagingRoutes.confirmAction, async ({ body: { messageId }, user, request }) => {
    const { card, deal } = await getCard(pool, messageId, user.id)
    const step = stepOf(card.actionType)
    if (step === 'review') throw new Rejection('action-not-allowed')
    const transactionId = deal.id
    const parties = await getParties(pool, transactionId)
    if (step === 'purchase' && parties.stage === 'purchase') {
      const { productId, sellerId, buyerId, amountSen, auctionId } = parties
      await requireSeller(pool, sellerId)
      const bottle = { productId, transactionId, sellerId, buyerId, amountSen, auctionId, requestId: request.id }
      await ask(nats, 'catalogue', catalogueRequests.reserveBottle, bottle, { timeoutMs: RESERVE_TIMEOUT_MS })
    }
    const command = { type: 'ConfirmStep', step, actorId: user.id, at: now() } as const
    await goOn(transactionId, parties, command, { actorId: user.id, requestId: request.id })
    const following = nextStep(step)
    const next = following === null ? null : await findCard(pool, transactionId, actionOf[following])
    const message = presentMessage(await getMessage(pool, messageId))
    return { status: 200, body: { success: true, message, next: next && presentMessage(next) } }
  })

  handle(app, messagingRoutes.submitReview, async ({ params: { messageId }, body, user, request }) => {
    const { card, deal } = await getCard(pool, messageId, user.id)
    if (card.actionType !== actionOf.review) throw new Rejection('action-not-allowed')
    const parties = await getParties(pool, deal.id)
    if (body.productId !== undefined && body.productId !== parties.productId) throw new Rejection('forbidden')
    if (body.sellerId !== undefined && body.sellerId !== parties.sellerId) throw new Rejection('forbidden')
    const { rating, comment } = body
    const command = { type: 'SubmitReview', actorId: user.id, rating, comment: comment || null, at: now() } as const
    await goOn(deal.id, parties, command, { actorId: user.id, requestId: request.id })
    return { status: 200, body: { success: true, message: presentMessage(await getMessage(pool, messageId)) } }
  })

  handle(app, messagingRoutes.cancelTransaction, async ({ params: { transactionId }, user, request }) => {
    const parties = await findDeal(pool, transactionId)
    if (parties === null || ![parties.sellerId, parties.buyerId].includes(user.id))
      throw new Rejection('transaction-not-found')
    const command = { type: 'CancelDeal', actorId: user.id, at: now() } as const
    await goOn(transactionId, parties, command, { actorId: user.id, requestId: request.id })
    const after = await getParties(pool, transactionId)
    const transaction = presentTransaction({ id: transactionId, ...after, orderStatus: null, rating: null })
    return { status: 200, body: { success: true, transaction } }
  })

  const orders = async (
    as: Party,
    { query, user, request }: { query: PageRequest['query']; user: Caller; request: { url: string } },
  ) => {
    const whose = { userId: user.id, as }
    const { rows, headers } = await page({ query, url: request.url }, (one) => listOrders(pool, whose, one))
    return { status: 200, body: rows.map(presentOrder), headers } as const
  }
  handle(app, messagingRoutes.listOrders, (asked) => orders('buyer', asked))
  handle(app, messagingRoutes.listSales, (asked) => orders('seller', asked))

  handle(app, messagingRoutes.listWaiting, async ({ query, user }) => {
    const rows = await listWaiting(pool, user.id, query.limit ?? MESSAGES_AT_ONCE_MAX)
    return { status: 200, body: rows.map(presentWaiting) }
  })

  handle(app, messagingRoutes.getOrder, async ({ params, user }) => {
    const order = await findOrder(pool, params.orderId, user.id)
    if (order === null) throw new Rejection('order-not-found')
    return { status: 200, body: presentOrder(order) }
  })
}

/**
 * A card for whoever has got it.
 * @throws Rejection('message-not-found') for strangers; Rejection('action-not-allowed') for the other one, and where it is no card
 */
async function getCard(pool: DatabasePool, messageId: number, userId: number) {
  const message = await findMessage(pool, messageId)
  if (message === null || ![message.senderId, message.receiverId].includes(userId))
    throw new Rejection('message-not-found')
  const { actionType, deal } = message
  if (actionType === null || deal === null || message.receiverId !== userId) throw new Rejection('action-not-allowed')
  return { card: { ...message, actionType }, deal }
}

async function getParties(pool: DatabasePool, transactionId: number) {
  const parties = await findDeal(pool, transactionId)
  invariant(parties, 'a card has a deal')
  return parties
}
