import { catalogueRequests } from '@wangian/contracts/catalogue.ts'
import { MESSAGES_AT_ONCE_MAX, messagingRequests } from '@wangian/contracts/messaging.ts'
import type { NatsConnection } from '@wangian/kit/bus/nats.ts'
import { createRequestServer, type RequestServer, request } from '@wangian/kit/bus/requests.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import type { Logger } from '@wangian/kit/service/logger.ts'
import { markRead } from './conversations/commands.ts'
import { type Limits, limitsFor } from './conversations/domain.ts'
import { createMessageBatches } from './conversations/message-batches.ts'
import { listBetween } from './conversations/message-store.ts'
import { presentMessage } from './conversations/presenter.ts'
import type { SentRows } from './conversations/sent-rows.ts'
import { answerDeals } from './deals/deal-requests.ts'
import { findProduct, saveProductUnlessKnown } from './people-store.ts'
import { listDecisionReasons } from './reports/report-store.ts'

/** One frame holds so many of the longest messages. */
const MESSAGES_PER_FRAME = 50

export interface RequestDependencies {
  readonly nats: NatsConnection
  readonly pool: DatabasePool
  /** Called after something was appended to the log. */
  readonly onAppended: () => void
  readonly rateLimitFactor?: number
  readonly nowMs?: () => number
  readonly log?: Logger
}

/** What every request is served with. */
export interface Serving extends Required<Pick<RequestDependencies, 'nats' | 'pool' | 'onAppended' | 'nowMs'>> {
  readonly requests: RequestServer
  readonly limits: Limits
}

/** Answers what sockets ask for; the gateway has seen to it that they are who they say. */
export function serveMessaging(dependencies: RequestDependencies & { readonly sentRows: SentRows }): {
  stop(): Promise<void>
} {
  const { nats, pool, onAppended, sentRows, rateLimitFactor = 1, nowMs = Date.now, log } = dependencies
  const limits = limitsFor(rateLimitFactor)
  const batches = createMessageBatches({ pool, limits, onAppended, sentRows })
  const requests = createRequestServer(nats, 'messaging', log)
  answerDeals({ requests, nats, pool, onAppended, limits, nowMs })
  requests.answer(messagingRequests.sendMessage, async ({ clientMessageId: commandId, requestId, ...sending }) => {
    if (sending.productId !== null) await learnProduct(dependencies, { ...sending, productId: sending.productId })
    const metadata = { actorId: sending.senderId, correlationId: requestId, causationId: null }
    const row = await batches.send({ ...sending, commandId, nowMs: nowMs(), isAutomatic: false, metadata })
    return { message: presentMessage(row) }
  })
  requests.answer(messagingRequests.markRead, async ({ readerId, what, requestId }) => {
    const metadata = { actorId: readerId, correlationId: requestId, causationId: null, commandId: null }
    const readSome = async () => {
      const some = await pool.transaction((transaction) =>
        markRead(transaction, { readerId, what, nowMs: nowMs() }, metadata),
      )
      if (some.length > 0) onAppended()
      return some
    }
    const messageIds = await readSome()
    // A transaction that is open for long keeps everybody's messages from being shown.
    for (let some = messageIds; some.length === MESSAGES_AT_ONCE_MAX; ) some = await readSome()
    return { messageIds: [...messageIds] }
  })
  requests.answer(messagingRequests.getConversation, async ({ readerId, userId, productId }) => {
    const { rows } = await listBetween(pool, readerId, userId, {
      limit: MESSAGES_PER_FRAME,
      beforeId: null,
      productId,
    })
    return { messages: rows.map(presentMessage).reverse() }
  })
  requests.answer(messagingRequests.listDecisionReasons, async ({ reportIds }) => ({
    reasons: [...(await listDecisionReasons(pool, reportIds))],
  }))
  return requests
}

/**
 * A listing may be spoken of before its event has come: then catalogue is asked. One that was taken away is known only to those who have
 * written about it.
 */
export async function learnProduct(
  { nats, pool }: Pick<RequestDependencies, 'nats' | 'pool'>,
  about: { readonly senderId: number; readonly receiverId: number; readonly productId: number },
): Promise<void> {
  const { senderId, receiverId, productId } = about
  const product = await findProduct(pool, productId)
  if (product?.isRemoved) {
    const { total } = await listBetween(pool, senderId, receiverId, { limit: 1, beforeId: null, productId })
    if (total === 0) throw new Rejection('product-not-found')
  }
  if (product !== null) return
  const { listing } = await request(nats, 'catalogue', catalogueRequests.getListing, { productId })
  if (listing === null) throw new Rejection('product-not-found')
  await saveProductUnlessKnown(pool, { ...listing, imageUrl: listing.imageUrls[0] ?? listing.imageUrl })
}
