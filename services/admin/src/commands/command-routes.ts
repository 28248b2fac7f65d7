import { setTimeout as wait } from 'node:timers/promises'
import { adminRoutes, orderMoves } from '@wangian/contracts/admin.ts'
import { catalogueRequests } from '@wangian/contracts/catalogue.ts'
import { messagingRequests, type OrderStatus } from '@wangian/contracts/messaging.ts'
import type { NatsConnection } from '@wangian/kit/bus/nats.ts'
import { request as ask } from '@wangian/kit/bus/requests.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { Failure } from '@wangian/kit/errors.ts'
import { type App, handle } from '@wangian/kit/http/http.ts'
import { requireAdministrator } from '../administrators.ts'
import { presentOrder } from '../tables/presenter.ts'
import { findOrders, type OrderRow } from '../tables/rows-store.ts'

/** Catalogue asks the auction's writer before it answers. */
const REMOVAL_WITHIN_MS = 6_000

/**
 * How long the table may take to hear of an order that its owner knows, and of its move, and how often it is looked for. The consumer that fills it waits 3 s for a
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
      return { status: 200, body: presentOrder(await movedOrder(pool, orderId, status)) }
    },
  )

  handle(app, adminRoutes.removeListing, async ({ params: { productId }, body, user, request }) => {
    await requireAdministrator(nats, user.id)
    const command = { productId, actorId: user.id, reason: body.reason, requestId: request.id }
    await ask(nats, 'catalogue', catalogueRequests.removeListing, command, { timeoutMs: REMOVAL_WITHIN_MS })
    return { status: 200, body: { success: true } }
  })
}

/**
 * An order that was moved, when the table has the move: whoever reads the table next must not see it where it was. Orders only move on, so one that
 * may still be moved so is where it was.
 * @throws Failure when the table does not even hear of the order: it is moved all the same
 */
async function movedOrder(pool: DatabasePool, orderId: number, status: OrderStatus): Promise<OrderRow> {
  for (const untilMs = performance.now() + HEARD_WITHIN_MS; ; await wait(LOOKED_EVERY_MS)) {
    const [row] = await findOrders(pool, [orderId])
    if (row !== undefined && !orderMoves[row.status].includes(status)) return row
    if (performance.now() <= untilMs) continue
    if (row === undefined) throw new Failure(`no table has heard of order ${orderId}, which was moved`)
    return { ...row, status }
  }
}
