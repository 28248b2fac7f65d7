import { setTimeout as wait } from 'node:timers/promises'
import { adminRoutes, orderMoves } from '@wangian/contracts/admin.ts'
import { catalogueRequests } from '@wangian/contracts/catalogue.ts'
import { messagingRequests, type OrderStatus } from '@wangian/contracts/messaging.ts'
import type { NatsConnection } from '@wangian/kit/bus/nats.ts'
import { request as ask } from '@wangian/kit/bus/requests.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { Failure } from '@wangian/kit/errors.ts'
import { type App, handle } from '@wangian/kit/http/http.ts'
import { requireAdministrator } from '@wangian/kit/people/administrators.ts'
import { presentOrder } from '../tables/presenter.ts'
import { findListings, findOrders, type OrderRow } from '../tables/rows-store.ts'

/** Catalogue asks the auction's writer before it answers. */
const REMOVAL_WITHIN_MS = 6_000

/**
 * How long a table may take to hear of what its owner has done, and how often it is looked for. The consumer that fills it waits 3 s for a
 * page of the log that it has asked of a process which was killed meanwhile, and begins again.
 */
const HEARD_WITHIN_MS = 8_000
const LOOKED_EVERY_MS = 25

export interface CommandDependencies {
  readonly pool: DatabasePool
  /** Where the owners are asked. */
  readonly nats: NatsConnection
}

/** What administrators do to orders and listings. Their owners decide, and say no. */
export function addCommandRoutes(app: App, { pool, nats }: CommandDependencies): void {
  handle(
    app,
    adminRoutes.moveOrder,
    async ({ params: { orderId }, body: { status, reason = null }, user, request }) => {
      await requireAdministrator(nats, user.id)
      const by = { actorId: user.id, actorName: user.username }
      await ask(nats, 'messaging', messagingRequests.moveOrder, {
        orderId,
        status,
        reason,
        requestId: request.id,
        ...by,
      })
      // Orders only move on, so one that may still become so is where it was, or where it was before that.
      const isMoved = (order: OrderRow) => !mayBecome(order.status, status)
      const row = await heard(() => findOrders(pool, [orderId]), isMoved)
      // It is moved all the same.
      if (row === undefined) throw new Failure(`no table has heard of order ${orderId}, which was moved`)
      return { status: 200, body: presentOrder(isMoved(row) ? row : { ...row, status }) }
    },
  )

  handle(app, adminRoutes.removeListing, async ({ params: { productId }, body, user, request }) => {
    await requireAdministrator(nats, user.id)
    const command = { productId, actorId: user.id, reason: body.reason, requestId: request.id }
    await ask(nats, 'catalogue', catalogueRequests.removeListing, command, { timeoutMs: REMOVAL_WITHIN_MS })
    await heard(
      () => findListings(pool, [productId]),
      (listing) => listing.status === 'removed',
    )
    return { status: 200, body: { success: true } }
  })
}

function mayBecome(from: OrderStatus, to: OrderStatus): boolean {
  return orderMoves[from].some((next) => next === to || mayBecome(next, to))
}

/**
 * Waits until a table has what was done: whoever reads it next must not see it as it was before.
 * @returns the row; as it was, or `undefined`, when the table has not heard of it in time
 */
async function heard<Row>(
  find: () => Promise<readonly Row[]>,
  isDone: (row: Row) => boolean,
): Promise<Row | undefined> {
  for (const untilMs = performance.now() + HEARD_WITHIN_MS; ; await wait(LOOKED_EVERY_MS)) {
    const [row] = await find()
    if ((row !== undefined && isDone(row)) || performance.now() > untilMs) return row
  }
}
