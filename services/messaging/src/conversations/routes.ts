import { MESSAGES_AT_ONCE_MAX, messagingRoutes } from '@wangian/contracts/messaging.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { FairGate, type FairGateLimits, timesAsMuch } from '@wangian/kit/fair-gate.ts'
import type { Caller } from '@wangian/kit/http/auth.ts'
import { type App, handle, prepareBody } from '@wangian/kit/http/http.ts'
import { createRateLimiter } from '@wangian/kit/http/rate-limit.ts'
import { page } from '../paging.ts'
import { changeBlock } from './commands.ts'
import { countUnread, listConversations } from './conversation-store.ts'
import { listBetween, listMessages, listMessagesAfter, type MessageRow } from './message-store.ts'
import { presentConversation, presentMessage } from './presenter.ts'

/**
 * Of reading: a page of the longest messages is more than a megabyte, which takes a tenth of a second of the process that everybody's messages go
 * through. People who read need hundredths of that.
 */
const READING: FairGateLimits = {
  runningMax: 4,
  runningPerKeyMax: 1,
  waitingPerKeyMax: 100,
  waitingMax: 1_000,
  burstMs: 1_000,
  msPerS: 250,
}
/** Each is kept in the log for ever. */
const BLOCK_CHANGES_PER_HOUR_MAX = 100

export interface RouteDependencies {
  readonly pool: DatabasePool
  /** Called after something was appended to the log. */
  readonly onAppended: () => void
  readonly nowMs?: () => number
}

/** What people have written to each other, each of them for themselves alone. */
export function addRoutes(app: App, { pool, onAppended, nowMs = Date.now }: RouteDependencies): void {
  const reading = new FairGate(timesAsMuch(READING, app.rateLimitFactor))
  // What is read is also written down in its reader's turn.
  handle(app, messagingRoutes.listMessages, ({ query, user, request }) =>
    reading.run(String(user.id), async () => {
      const written = (rows: readonly MessageRow[]) =>
        prepareBody(messagingRoutes.listMessages, rows.map(presentMessage))
      if (query.after !== undefined) {
        const since = { afterId: query.after, limit: query.limit ?? MESSAGES_AT_ONCE_MAX }
        const { rows, total } = await listMessagesAfter(pool, user.id, since)
        return { status: 200, body: written(rows), headers: { 'x-total-count': String(total) } } as const
      }
      const { rows, headers } = await page({ query, url: request.url }, (one) => listMessages(pool, user.id, one))
      return { status: 200, body: written(rows), headers } as const
    }),
  )

  handle(app, messagingRoutes.listConversations, ({ query, user, request }) =>
    reading.run(String(user.id), async () => {
      const { rows, headers } = await page(
        { query, url: request.url },
        (one) => listConversations(pool, user.id, one),
        ({ lastMessage }) => lastMessage.id,
      )
      const body = prepareBody(messagingRoutes.listConversations, rows.map(presentConversation))
      return { status: 200, body, headers } as const
    }),
  )

  handle(app, messagingRoutes.getConversation, ({ params, query, user, request }) =>
    reading.run(String(user.id), async () => {
      const productId = query.productId ?? null
      const { rows, headers } = await page({ query, url: request.url }, (one) =>
        listBetween(pool, user.id, params.userId, { ...one, productId }),
      )
      const body = prepareBody(messagingRoutes.getConversation, rows.map(presentMessage).reverse())
      return { status: 200, body, headers } as const
    }),
  )

  handle(app, messagingRoutes.countUnread, async ({ user }) => {
    return { status: 200, body: { count: await countUnread(pool, user.id) } }
  })

  const changes = createRateLimiter(app, { limit: BLOCK_CHANGES_PER_HOUR_MAX, windowMs: 60 * 60 * 1000 })
  async function setBlocked(user: Caller, blockedId: number, isWanted: boolean, requestId: string) {
    changes.take(user.id)
    const metadata = { actorId: user.id, correlationId: requestId, causationId: null, commandId: null }
    const wanted = { userId: user.id, blockedId, isWanted, nowMs: nowMs() }
    if (await pool.transaction((transaction) => changeBlock(transaction, wanted, metadata))) onAppended()
    return { status: 200, body: { success: true } } as const
  }
  handle(app, messagingRoutes.blockUser, ({ params, user, request }) =>
    setBlocked(user, params.userId, true, request.id),
  )
  handle(app, messagingRoutes.unblockUser, ({ params, user, request }) =>
    setBlocked(user, params.userId, false, request.id),
  )
}
