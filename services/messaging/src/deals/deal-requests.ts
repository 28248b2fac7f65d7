import { catalogueRequests } from '@wangian/contracts/catalogue.ts'
import { messagingRequests } from '@wangian/contracts/messaging.ts'
import { request } from '@wangian/kit/bus/requests.ts'
import { findMessageOfCommand, getMessage } from '../conversations/message-store.ts'
import { presentMessage } from '../conversations/presenter.ts'
import { saveProductUnlessKnown } from '../people-store.ts'
import type { Serving } from '../requests.ts'
import { startDeal } from './commands.ts'
import { listStages, nextTransactionId } from './deal-store.ts'
import { agreeOn, type Stage } from './domain.ts'
import { moveOrder } from './order-moves.ts'

const standingOf = {
  purchase: 'open',
  payment: 'confirmed',
  delivery: 'paid',
  review: 'paid',
  completed: 'paid',
  cancelled: 'cancelled',
} as const satisfies Record<Stage, string>

/** Starts deals for sockets, and tells catalogue what became of those that hold a bottle. */
export function answerDeals({ requests, nats, pool, onAppended, limits, nowMs }: Serving): void {
  requests.answer(
    messagingRequests.startDeal,
    async ({ sellerId, sellerName, buyerId, productId, amountSen: asked, clientMessageId, requestId }) => {
      const known = await findMessageOfCommand(pool, sellerId, clientMessageId)
      if (known !== null) return { message: presentMessage(known) }
      const { terms } = await request(nats, 'catalogue', catalogueRequests.getDealTerms, { productId })
      const agreed = agreeOn(terms, { sellerId, buyerId, amountSen: asked })
      const productName = terms?.name ?? ''
      if (terms !== null) await saveProductUnlessKnown(pool, terms)
      // Drawn here, for it is a write, and the first one of the transaction must be the append.
      const transactionId = await nextTransactionId(pool)
      const facts = { transactionId, productId, productName, sellerId, buyerId, ...agreed }
      const metadata = { actorId: sellerId, correlationId: requestId, causationId: null }
      const start = { senderName: sellerName, commandId: clientMessageId, nowMs: nowMs(), metadata, facts }
      const cardId = await pool.transaction((transaction) => startDeal(transaction, start, limits))
      onAppended()
      return { message: presentMessage(await getMessage(pool, cardId)) }
    },
  )
  requests.answer(messagingRequests.moveOrder, async (move) => {
    await moveOrder(pool, move, nowMs())
    onAppended()
    return {}
  })
  requests.answer(messagingRequests.getDealStandings, async ({ transactionIds }) => {
    const stages = new Map((await listStages(pool, transactionIds)).map((row) => [row.transactionId, row.stage]))
    const standings = transactionIds.map((transactionId) => {
      const stage = stages.get(transactionId)
      return { transactionId, standing: stage === undefined ? ('unknown' as const) : standingOf[stage] }
    })
    return { standings }
  })
}
