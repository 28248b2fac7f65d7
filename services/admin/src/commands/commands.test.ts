import { orderMoves } from '@wangian/contracts/admin.ts'
import { catalogueRequests } from '@wangian/contracts/catalogue.ts'
import { messagingRequests, type OrderStatus } from '@wangian/contracts/messaging.ts'
import { serveRequests } from '@wangian/kit/bus/requests.ts'
import { sql } from '@wangian/kit/database/postgres.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { z } from 'zod'
import { at, BALA, listed, moved, placed, registered, SARAH } from '../testing/facts.ts'
import { ADMIN, createTestAdmin, OTHER_ADMIN, type TestAdmin } from '../testing/test-admin.ts'

/*
 * The owners are stand-ins here, which decide as those do: that each of them does is tested beside them, and all together in
 * `infra/faults/removal.fault.ts`.
 */

let admin: TestAdmin
let servers: { stop(): Promise<void> }[]
let orderId = 60
const [ABSENT, UNHEARD] = [999_999, 999_998]
const moves: z.infer<typeof messagingRequests.moveOrder.body>[] = []
/** Orders whose payment the seller confirms in the same moment. */
const confirming = new Set<number>()
const removals: z.infer<typeof catalogueRequests.removeListing.body>[] = []

beforeAll(async () => {
  admin = await createTestAdmin()
  const { nats, logs } = admin
  for (const userId of [SARAH, BALA]) await logs.identity.append(`user-${userId}`, registered(userId))
  const statusOf = new Map<number, OrderStatus>()
  servers = [
    serveRequests(nats.connection, 'messaging', messagingRequests.moveOrder, async (move) => {
      if (move.orderId === ABSENT) throw new Rejection('order-not-found')
      if (move.orderId === UNHEARD) await logs.messaging.append(`deal-${UNHEARD}`, placed(UNHEARD))
      if (confirming.delete(move.orderId)) {
        statusOf.set(move.orderId, 'processing')
        await logs.messaging.append(`deal-${move.orderId}`, moved(move.orderId, 'processing'))
      }
      moves.push(move)
      const { status, actorId, reason } = move
      const from = statusOf.get(move.orderId) ?? 'pending'
      if (!orderMoves[from].includes(status)) throw new Rejection('order-move', `Cannot move from ${from} to ${status}`)
      statusOf.set(move.orderId, status)
      const { data } = placed(move.orderId) as { data: { placedAt: string } }
      const { placedAt: _, ...facts } = data
      const changed = { ...facts, status, admin: { id: actorId, from, reason }, changedAt: at(30) }
      await logs.messaging.appendBy(actorId, `deal-${move.orderId}`, { type: 'OrderStatusChanged', data: changed })
      return {}
    }),
    serveRequests(nats.connection, 'catalogue', catalogueRequests.removeListing, async (removal) => {
      const { productId, actorId, reason } = removal
      removals.push(removal)
      if (removals.filter((each) => each.productId === productId).length > 1) throw new Rejection('product-not-found')
      const data = { productId, sellerId: SARAH, name: 'Santal 33', by: 'admin', reason, removedAt: at(40) } as const
      await logs.catalogue.appendBy(actorId, `listing-${productId}`, { type: 'ListingRemoved', data })
      return { hasChanged: true }
    }),
  ]
})
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()))
  await admin.stop()
})
beforeEach(async () => {
  orderId += 1
  await admin.logs.messaging.append(`deal-${orderId}`, placed(orderId))
  await eventually(async () => expect((await admin.call('GET', `/api/admin/orders/${orderId}`)).status).toBe(200))
})

const move = (status: string, { by = ADMIN as number, reason }: { by?: number; reason?: string } = {}) =>
  admin.call('PATCH', `/api/admin/orders/${orderId}/status`, { by, body: { status, reason } })
const remove = (productId: number, { by = ADMIN as number, reason = 'A fake' } = {}) =>
  admin.call('POST', `/api/admin/products/${productId}/remove`, { by, body: { reason } })

it('moves an order by its owner, and shows where it is now', async () => {
  expect(await move('processing', { reason: ' Receipt shown ' })).toMatchObject({
    status: 200,
    body: { id: orderId, status: 'processing', user: { id: BALA } },
  })
  const by = { actorId: ADMIN, actorName: `user${ADMIN}` }
  expect(moves.at(-1)).toEqual({
    ...by,
    orderId,
    status: 'processing',
    reason: 'Receipt shown',
    requestId: expect.any(String),
  })
  await eventually(async () => {
    expect((await admin.call('GET', `/api/admin/orders/${orderId}`)).body.status).toBe('processing')
    expect((await admin.call('GET', `/api/admin/activity?targetKind=order&targetId=${orderId}`)).body).toMatchObject([
      {
        action: 'move-order',
        actor: { id: ADMIN },
        target: { kind: 'order', id: String(orderId), name: 'Santal 33' },
        reason: 'Receipt shown',
        before: { status: 'pending' },
        after: { status: 'processing' },
      },
    ])
  })
})

it('answers when the table has the move, so that whoever reads it next does not see the order where it was', async () => {
  for (const status of ['processing', 'shipped', 'delivered']) {
    expect((await move(status)).body.status).toBe(status)
    expect((await admin.call('GET', `/api/admin/orders/${orderId}`)).body.status).toBe(status)
  }
})

it('has one outcome for two administrators at once', async () => {
  const both = await Promise.all([move('processing'), move('processing', { by: OTHER_ADMIN })])
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409])
  const [refused] = both.filter(({ status }) => status === 409)
  expect(refused?.body.message).toBe('Cannot move from processing to processing')
})

it('says what the owner says of a move that is not offered', async () => {
  expect(await move('shipped')).toMatchObject({
    status: 409,
    body: { message: 'Cannot move from pending to shipped', code: 'order-move' },
  })
  expect((await move('lost')).status).toBe(400)
  orderId = ABSENT
  expect(await move('processing')).toMatchObject({ status: 404, body: { message: 'Order not found' } })
})

it('moves an order that has gone further than the table has heard', async () => {
  confirming.add(orderId)
  const { pool } = admin.database
  const [held, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const holding = pool.transaction(async (transaction) => {
    await transaction.query(sql.unsafe`lock table orders in share mode`)
    held.resolve()
    await release.promise
  })
  await held.promise
  const moving = move('shipped')
  await eventually(() =>
    pool.exists(sql.unsafe`select from pg_locks where relation = 'orders'::regclass and not granted`),
  )
  release.resolve()
  await holding
  expect(await moving).toMatchObject({ status: 200, body: { status: 'shipped' } })
  expect((await admin.call('GET', `/api/admin/orders/${orderId}`)).body.status).toBe('shipped')
})

it('moves an order that the table has not heard of yet', async () => {
  orderId = UNHEARD
  expect(await move('processing')).toMatchObject({ status: 200, body: { id: UNHEARD, status: 'processing' } })
})

it('has a listing removed, once, and answers when the table has it', async () => {
  await admin.logs.catalogue.append('listing-1', listed())
  const both = await Promise.all([remove(1), remove(1, { by: OTHER_ADMIN })])
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 404])
  expect(removals[0]).toMatchObject({ productId: 1, reason: 'A fake' })
  expect(both.find(({ status }) => status === 200)?.body).toEqual({ success: true })
  expect((await admin.call('GET', '/api/admin/listings/1')).body.status).toBe('removed')
  expect(await remove(1, { reason: ' ' })).toMatchObject({ status: 400, body: { message: 'Reason is required' } })
})

it('asks nobody for those who are no administrators any more', async () => {
  const before = [moves.length, removals.length]
  expect((await move('processing', { by: 9_003 })).status).toBe(403)
  expect((await remove(2, { by: 9_003 })).status).toBe(403)
  expect([moves.length, removals.length]).toEqual(before)
})

it('says that an owner is away', async () => {
  await servers[1]?.stop()
  expect(await remove(3)).toMatchObject({ status: 503, body: { code: 'unavailable' } })
})
