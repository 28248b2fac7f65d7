import { randomUUID } from 'node:crypto'
import { catalogueRequests, type DealTerms } from '@wangian/contracts/catalogue.ts'
import { type Message, messagingRequests, type OrderStatus } from '@wangian/contracts/messaging.ts'
import { decodeUserLive } from '@wangian/contracts/messaging-wire.ts'
import { userLiveSubject } from '@wangian/contracts/subjects.ts'
import { request, serveRequests } from '@wangian/kit/bus/requests.ts'
import { sql } from '@wangian/kit/database/postgres.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import type { App } from '@wangian/kit/http/http.ts'
import { type EventConsumer, startConsumer } from '@wangian/kit/log/consumer.ts'
import { readStream } from '@wangian/kit/log/event-store.ts'
import { startPublishing } from '@wangian/kit/log/publishing.ts'
import type { Relay } from '@wangian/kit/log/relay.ts'
import { saveBans, saveClosings } from '@wangian/kit/people/people-store.ts'
import { dumpRows } from '@wangian/kit/testing/dump.ts'
import { emptyTables } from '@wangian/kit/testing/empty-tables.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { react } from '@wangian/kit/testing/react.ts'
import { rebuildTables } from '@wangian/kit/testing/rebuild-tables.ts'
import { createTestTokens, type TestTokens } from '@wangian/kit/testing/test-app.ts'
import { createTestDatabase, type TestDatabase } from '@wangian/kit/testing/test-database.ts'
import { startTestNats, type TestNats } from '@wangian/kit/testing/test-nats.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { buildApp } from '../app.ts'
import { conversationStream, productionLimits } from '../conversations/domain.ts'
import { liveHandlers } from '../conversations/live.ts'
import { lockToSend } from '../conversations/sending-store.ts'
import { createSentRows } from '../conversations/sent-rows.ts'
import { setSoldOut } from '../people-store.ts'
import { conversationsProjection } from '../projections.ts'
import { serveMessaging } from '../requests.ts'
import {
  ADMIN,
  BALA,
  introducePeople,
  MEI,
  migrationsDirectory,
  PRODUCT,
  SARAH,
  testAttachments,
} from '../testing/fixtures.ts'
import { startDeal } from './commands.ts'
import { removalReactions } from './deal-reactions.ts'
import { nextTransactionId } from './deal-store.ts'
import { sendReminders } from './reminders.ts'

const STRANGER = MEI
const HOUR_MS = 3_600_000

let database: TestDatabase
let nats: TestNats
let tokens: TestTokens
let app: App
let relay: Relay
let showing: EventConsumer
const stops: { stop(): Promise<void> }[] = []
/** What catalogue says, and what it was asked to keep. */
let terms: DealTerms
let onTermsAsked: () => void | Promise<void>
let reserve: (transactionId: number) => void | Promise<void>
const kept: number[] = []
let offered: z.infer<typeof catalogueRequests.reserveBottle.body> | null

beforeAll(async () => {
  database = await createTestDatabase({ service: 'messaging', migrationsDirectory })
  nats = await startTestNats()
  tokens = await createTestTokens()
  const { pool, url: databaseUrl } = database
  const { connection } = nats
  relay = startPublishing({ service: 'messaging', databaseUrl, nats: connection })
  const onAppended = () => relay.nudge()
  const sentRows = createSentRows()
  app = buildApp({
    pool,
    nats: connection,
    onAppended,
    attachments: testAttachments('/nowhere'),
    auth: tokens.authenticator,
  })
  stops.push(
    serveMessaging({ nats: connection, pool, onAppended, sentRows, rateLimitFactor: 1000 }),
    serveRequests(connection, 'catalogue', catalogueRequests.getDealTerms, async ({ productId }) => {
      const asked = { terms: productId === PRODUCT ? terms : null }
      await onTermsAsked()
      return asked
    }),
    serveRequests(connection, 'catalogue', catalogueRequests.reserveBottle, async (deal) => {
      offered = deal
      await reserve(deal.transactionId)
      kept.push(deal.transactionId)
      return {}
    }),
  )
  showing = startConsumer({
    service: 'messaging',
    source: 'messaging',
    name: 'live',
    nats: connection,
    pool,
    bulkHandlers: liveHandlers(connection, sentRows),
  })
})
afterAll(async () => {
  await showing.stop()
  for (const each of stops) await each.stop()
  await app.close()
  await relay.stop()
  await nats.stop()
  await database.drop()
})
beforeEach(async () => {
  await emptyTables(database.pool, 'messages, message_texts, conversations, deals, known_people, products')
  await introducePeople(database.pool)
  terms = {
    productId: PRODUCT,
    sellerId: SARAH,
    name: 'Santal 33',
    imageUrl: null,
    listingType: 'negotiable',
    priceSen: 68_050,
    available: 1,
    lot: null,
    auction: null,
  }
  onTermsAsked = () => {}
  reserve = () => {}
  kept.length = 0
  offered = null
})

const start = (
  fields: { buyerId?: number; sellerId?: number; amountSen?: number | null; clientMessageId?: string } = {},
) =>
  request(nats.connection, 'messaging', messagingRequests.startDeal, {
    sellerId: SARAH,
    sellerName: 'sarah',
    buyerId: BALA,
    productId: PRODUCT,
    amountSen: 60_000,
    clientMessageId: randomUUID(),
    requestId: 'test',
    ...fields,
  })

async function call(method: 'GET' | 'POST', url: string, id: number, body?: object) {
  const response = await app.inject({
    method,
    url,
    headers: await tokens.bearer({ id }),
    ...(body !== undefined && { payload: body }),
  })
  return { status: response.statusCode, body: response.json() }
}
const confirm = (messageId: number, id: number) => call('POST', '/api/messages/action/confirm', id, { messageId })
const cancel = (transactionId: number, id: number) =>
  call('POST', `/api/messages/transactions/${transactionId}/cancel`, id)
const review = (messageId: number, id: number, body: object = { rating: 4.5, comment: 'Well packed.' }) =>
  call('POST', `/api/messages/submit-review/${messageId}`, id, body)

/** Who takes each step that is confirmed, in the order of the cards. */
const takers = [BALA, SARAH, BALA] as const

/** A deal after so many steps; @returns its cards, the last of which is waiting */
async function dealAfter(stepCount: number) {
  const { message } = await start()
  const cards = [message]
  for (const taker of takers.slice(0, stepCount)) {
    const { status, body } = await confirm(cards.at(-1)?.id ?? 0, taker)
    expect(status).toBe(200)
    cards.push(body.next)
  }
  const transactionId = message.transaction?.id ?? 0
  return { transactionId, cards, cardId: cards.at(-1)?.id ?? 0 }
}

const typesOf = async (transactionId: number) =>
  (await readStream(database.pool, 'messaging', `deal-${transactionId}`)).map(({ type }) => type)

describe('the chain from the first card to the review', () => {
  // The first one, for the log is not emptied between tests.
  it('is what a rebuild makes of the log', async () => {
    const { cardId } = await dealAfter(3)
    await review(cardId, BALA)
    const tables = ['messages', 'conversations', 'deals'].map((table) => `messaging.${table}`)
    const before = await dumpRows(database.pool, tables)
    await rebuildTables(database.pool, 'messaging', conversationsProjection)
    expect(await dumpRows(database.pool, tables)).toEqual(before)
  })

  it('is taken card by card', async () => {
    const { message } = await start()
    expect(message).toMatchObject({
      senderId: SARAH,
      receiverId: BALA,
      messageType: 'ACTION',
      actionType: 'INITIATE',
      isClicked: false,
      transaction: { status: 'WAITING_PAYMENT', amount: 600, isCancellable: true, rating: null },
      product: { id: PRODUCT, name: 'Santal 33' },
    })
    const transactionId = message.transaction?.id ?? 0
    expect((await call('GET', '/api/orders/user', BALA)).body).toEqual([])
    expect((await call('GET', '/api/orders/waiting', BALA)).body).toMatchObject([
      { messageId: message.id, actionType: 'INITIATE', amount: 600, user: { username: 'sarah' } },
    ])

    const purchase = await confirm(message.id, BALA)
    expect(purchase.body).toMatchObject({
      success: true,
      message: { id: message.id, isClicked: true },
      next: { actionType: 'CONFIRM_PAYMENT', senderId: BALA, receiverId: SARAH, isClicked: false },
    })
    expect(kept).toEqual([transactionId])
    const [order] = (await call('GET', '/api/orders/user', BALA)).body
    expect(order).toMatchObject({
      id: transactionId,
      transactionId,
      userId: BALA,
      total: 600,
      status: 'pending',
      items: [{ productId: PRODUCT, name: 'Santal 33', quantity: 1, price: 600 }],
      waiting: { for: 'seller', actionType: 'CONFIRM_PAYMENT', messageId: purchase.body.next.id },
    })
    expect((await call('GET', '/api/orders/waiting', SARAH)).body).toHaveLength(1)

    const payment = await confirm(purchase.body.next.id, SARAH)
    expect(payment.body.next).toMatchObject({
      actionType: 'CONFIRM_DELIVERY',
      receiverId: BALA,
      transaction: { status: 'WAITING_DELIVERY', isCancellable: false, isShipped: false },
    })
    const delivery = await confirm(payment.body.next.id, BALA)
    expect(delivery.body.next).toMatchObject({
      actionType: 'REVIEW',
      receiverId: BALA,
      transaction: { status: 'WAITING_REVIEW' },
    })
    const reviewed = await review(delivery.body.next.id, BALA, {
      rating: 4.5,
      comment: 'Well packed.',
      productId: PRODUCT,
      sellerId: SARAH,
    })
    expect(reviewed.body.message).toMatchObject({ isClicked: true, transaction: { status: 'COMPLETED', rating: 4.5 } })
    expect((await call('GET', '/api/orders/sales', SARAH)).body).toMatchObject([
      { id: transactionId, status: 'delivered', rating: 4.5, waiting: null, transactionStatus: 'COMPLETED' },
    ])
    expect(await typesOf(transactionId)).toEqual([
      'TransactionStarted',
      'TransactionStepConfirmed',
      'OrderPlaced',
      'TransactionStepConfirmed',
      'OrderStatusChanged',
      'TransactionStepConfirmed',
      'OrderStatusChanged',
      'ReviewSubmitted',
    ])
    expect((await call('GET', '/api/orders/waiting', BALA)).body).toEqual([])
  })

  it('is shown to both as it happens', async () => {
    const shown: { to: number; type: string; actionType?: string; next?: string }[] = []
    const subscriptions = [SARAH, BALA].map((to) =>
      nats.connection.subscribe(userLiveSubject(to), {
        callback: (_, message) => {
          for (const frame of decodeUserLive(message.string()).frames.map((text) => JSON.parse(text)))
            if (frame.type === 'action_confirmed')
              shown.push({
                to,
                type: frame.message.transaction.status,
                actionType: frame.message.actionType,
                next: frame.next?.actionType,
              })
        },
      }),
    )
    await nats.connection.flush()
    const { transactionId } = await dealAfter(1)
    await cancel(transactionId, SARAH)
    await eventually(() =>
      expect(shown.toSorted((one, other) => one.to - other.to)).toMatchObject(
        [SARAH, BALA].flatMap((to) => [
          { to, actionType: 'INITIATE', next: 'CONFIRM_PAYMENT' },
          { to, actionType: 'CONFIRM_PAYMENT', type: 'CANCELLED' },
        ]),
      ),
    )
    for (const subscription of subscriptions) subscription.unsubscribe()
  })
})

describe('an order that an administrator moves', () => {
  const move = (orderId: number, status: OrderStatus, reason: string | null = 'As they agreed.') =>
    request(nats.connection, 'messaging', messagingRequests.moveOrder, {
      orderId,
      status,
      actorId: ADMIN,
      actorName: 'admin',
      reason,
      requestId: 'move',
    })
  const conversation = async (reader: number, other: number) =>
    (await call('GET', `/api/messages/conversation/${other}`, reader)).body as Message[]
  const orderOf = async (id: number) => (await call('GET', `/api/orders/${id}`, BALA)).body

  it('goes the whole way, with a note and the next card in the conversation of the two', async () => {
    const { transactionId, cardId } = await dealAfter(1)
    await move(transactionId, 'processing')
    expect(await orderOf(transactionId)).toMatchObject({ status: 'processing', transactionStatus: 'WAITING_DELIVERY' })
    await move(transactionId, 'shipped', null)
    expect(await orderOf(transactionId)).toMatchObject({ status: 'shipped', transactionStatus: 'WAITING_DELIVERY' })
    const shown = (await conversation(BALA, SARAH)).find(({ actionType }) => actionType === 'CONFIRM_DELIVERY')
    expect(shown?.transaction).toMatchObject({ status: 'WAITING_DELIVERY', isShipped: true })
    await move(transactionId, 'delivered')
    expect(await orderOf(transactionId)).toMatchObject({ status: 'delivered', transactionStatus: 'WAITING_REVIEW' })
    for (const [reader, other] of [
      [SARAH, BALA],
      [BALA, SARAH],
    ] as const) {
      const messages = await conversation(reader, other)
      expect(messages.map(({ content, actionType, author }) => [actionType ?? content, author?.username])).toEqual([
        ['INITIATE', undefined],
        ['CONFIRM_PAYMENT', undefined],
        ['The payment for Santal 33 is confirmed. Reason: As they agreed.', 'admin'],
        ['CONFIRM_DELIVERY', undefined],
        ['Santal 33 is shipped.', 'admin'],
        ['Santal 33 is delivered. Reason: As they agreed.', 'admin'],
        ['REVIEW', undefined],
      ])
      expect(messages.find(({ id }) => id === cardId)).toMatchObject({ isClicked: true })
    }
    const card = (await conversation(BALA, SARAH)).at(-1)
    expect(await review(card?.id ?? 0, BALA)).toMatchObject({ status: 200 })
    const said = await readStream(database.pool, 'messaging', `deal-${transactionId}`)
    expect(said.filter(({ type }) => type === 'OrderStatusChanged').map(({ data }) => data)).toMatchObject([
      { status: 'processing', admin: { id: ADMIN, from: 'pending', reason: 'As they agreed.' } },
      { status: 'shipped', admin: { id: ADMIN, from: 'processing', reason: null } },
      { status: 'delivered', admin: { id: ADMIN, from: 'shipped', reason: 'As they agreed.' } },
    ])
    expect(said.at(-2)?.metadata).toMatchObject({ actorId: ADMIN, correlationId: 'move' })
  })

  it.each([
    [1, 'purchase'],
    [2, 'payment'],
  ] as const)('is called off after %i steps, whoever of the two is banned or gone', async (stepCount, after) => {
    const { transactionId, cardId } = await dealAfter(stepCount)
    await database.pool.query(sql.unsafe`update known_people set is_banned = true where user_id = ${SARAH}`)
    await database.pool.query(sql.unsafe`update known_people set is_closed = true where user_id = ${BALA}`)
    await move(transactionId, 'cancelled')
    expect(await readStream(database.pool, 'messaging', `deal-${transactionId}`)).toContainEqual(
      expect.objectContaining({
        type: 'TransactionCancelled',
        data: expect.objectContaining({ by: 'admin', after }),
      }),
    )
    await database.pool.query(sql.unsafe`update known_people set is_banned = false, is_closed = false`)
    const messages = await conversation(SARAH, BALA)
    expect(messages.at(-1)).toMatchObject({
      content: 'The transaction about Santal 33 is cancelled. Reason: As they agreed.',
      author: { id: ADMIN },
    })
    expect(messages.find(({ id }) => id === cardId)).toMatchObject({ transaction: { status: 'CANCELLED' } })
    expect(await orderOf(transactionId)).toMatchObject({ status: 'cancelled', transactionStatus: 'CANCELLED' })
  })

  it('is moved by one of two at once', async () => {
    const { transactionId } = await dealAfter(1)
    const both = await Promise.allSettled([move(transactionId, 'processing'), move(transactionId, 'processing')])
    expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(both.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'order-move', message: 'Cannot move from processing to processing' },
    })
    const notes = (await conversation(SARAH, BALA)).filter(({ author }) => author !== undefined)
    expect(notes).toHaveLength(1)
  })

  it('is one that is there', async () => {
    await expect(move(999_999, 'cancelled')).rejects.toMatchObject({ code: 'order-not-found' })
    const { transactionId } = await dealAfter(0)
    await expect(move(transactionId, 'cancelled')).rejects.toMatchObject({
      code: 'order-not-found',
      message: 'Order not found',
    })
  })
})

describe('a step', () => {
  it.each([0, 1, 2])('that is pressed fifty times at once is taken once: %i', async (stepCount) => {
    const { transactionId, cardId } = await dealAfter(stepCount)
    const before = (await typesOf(transactionId)).length
    const answers = await Promise.all(Array.from({ length: 50 }, () => confirm(cardId, takers[stepCount] ?? 0)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(answers.map(({ body }) => body.next.id)).size).toBe(1)
    expect((await typesOf(transactionId)).length).toBe(before + 2)
  })

  it('of the review is taken once', async () => {
    const { transactionId, cardId } = await dealAfter(3)
    const answers = await Promise.all(Array.from({ length: 50 }, () => review(cardId, BALA)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ body }) => body.code === 'review-exists')).toHaveLength(49)
    expect((await typesOf(transactionId)).filter((type) => type === 'ReviewSubmitted')).toHaveLength(1)
  })

  it('is the first card once, with the same id of the seller', async () => {
    const clientMessageId = randomUUID()
    const answers = await Promise.all(Array.from({ length: 20 }, () => start({ clientMessageId })))
    expect(new Set(answers.map(({ message }) => message.id)).size).toBe(1)
    await expect(start()).rejects.toMatchObject({ code: 'deal-open' })
    // Also when nothing more is to be had: the answer was lost, and the card was sent.
    terms = { ...terms, available: 0 }
    expect((await start({ clientMessageId })).message.id).toBe(answers[0]?.message.id)
  })

  it('is no first card of another deal before what was paid has arrived', async () => {
    const { cardId } = await dealAfter(2)
    await expect(start()).rejects.toMatchObject({ code: 'deal-open' })
    await confirm(cardId, BALA)
    await start()
  })

  it('asks for no bottle when it is tried by who has sent the card', async () => {
    const { cardId } = await dealAfter(0)
    expect(await confirm(cardId, SARAH)).toMatchObject({ status: 403, body: { code: 'action-not-allowed' } })
    expect(kept).toEqual([])
  })

  it('asks for the bottle that was offered', async () => {
    const fixed = await dealAfter(1)
    expect(offered).toMatchObject({ transactionId: fixed.transactionId, amountSen: 60_000, auctionId: null })
    terms = { ...terms, lot: { auctionId: 5, winnerId: MEI, amountSen: 26_000 } }
    const { message } = await start({ buyerId: MEI, amountSen: null })
    await confirm(message.id, MEI)
    expect(offered).toMatchObject({ amountSen: 26_000, auctionId: 5 })
  })

  it('is the first card of a hundred deals of one product a day', async () => {
    const { pool } = database
    const nowMs = Date.now()
    await pool.query(sql.unsafe`
      insert into deals (id, product_id, product_name, seller_id, buyer_id, amount_sen, stage, started_at, waiting_since, updated_at)
      select 900000 + n, ${PRODUCT}, 'Santal 33', ${SARAH}, ${BALA}, 60000, 'cancelled', at, at, at
        from generate_series(1, 100) n,
             lateral (select ${new Date(nowMs).toISOString()}::timestamptz - make_interval(hours => 23 + n / 100) as at) began`)
    const begin = async (buyerId: number, productId = PRODUCT) => {
      const transactionId = await nextTransactionId(pool)
      const deal = { transactionId, productId, productName: 'Santal 33', sellerId: SARAH, buyerId }
      const facts = { ...deal, amountSen: 60_000, auctionId: null }
      const metadata = { actorId: SARAH, correlationId: 'test', causationId: null }
      const first = { facts, senderName: 'sarah', commandId: randomUUID(), nowMs, metadata }
      return pool.transaction((transaction) => startDeal(transaction, first, productionLimits))
    }
    await begin(BALA)
    await expect(begin(MEI)).rejects.toMatchObject({ code: 'rate-limited' })
    await begin(MEI, PRODUCT + 1)
  })

  it('waits for a bottle', async () => {
    reserve = () => {
      throw new Rejection('product-sold')
    }
    const { cardId, transactionId } = await dealAfter(0)
    expect(await confirm(cardId, BALA)).toMatchObject({ status: 409, body: { code: 'product-sold' } })
    expect(await typesOf(transactionId)).toEqual(['TransactionStarted'])
    reserve = () => {}
    expect(await confirm(cardId, BALA)).toMatchObject({ status: 200 })
  })

  it('is not taken by who is banned', async () => {
    const { cardId } = await dealAfter(0)
    await saveBans(database.pool, [{ userId: BALA, version: 2, bannedAt: '2026-11-22T08:00:00.000Z' }])
    expect(await confirm(cardId, BALA)).toMatchObject({ status: 403, body: { code: 'account-suspended' } })
  })
})

describe('a seller who is banned or has left', () => {
  const since = '2026-11-22T08:00:00.000Z'
  it.each([
    [
      'banned',
      404,
      'product-not-found',
      () => saveBans(database.pool, [{ userId: SARAH, version: 2, bannedAt: since }]),
    ],
    ['gone', 410, 'user-gone', () => saveClosings(database.pool, [{ userId: SARAH, version: 2, closedAt: since }])],
  ] as const)('sells nothing more when %s, and nobody is reminded of it', async (_, status, code, leave) => {
    const { cardId, transactionId } = await dealAfter(0)
    await leave()
    expect(await confirm(cardId, BALA)).toMatchObject({ status, body: { code } })
    expect(kept).toEqual([])
    expect(await sendReminders(database.pool, Date.now() + 25 * HOUR_MS)).toBe(0)
    expect(await typesOf(transactionId)).toEqual(['TransactionStarted'])
    expect(await cancel(transactionId, BALA)).toMatchObject({ status: 200 })
  })

  it('sells nothing more while the bottle is asked for', async () => {
    const { cardId, transactionId } = await dealAfter(0)
    reserve = () => saveBans(database.pool, [{ userId: SARAH, version: 2, bannedAt: since }])
    expect(await confirm(cardId, BALA)).toMatchObject({ status: 404 })
    expect(kept).toEqual([transactionId])
    expect(await typesOf(transactionId)).toEqual(['TransactionStarted'])
  })

  it('leaves what was confirmed before as it was', async () => {
    const { cards } = await dealAfter(1)
    await saveBans(database.pool, [{ userId: SARAH, version: 2, bannedAt: since }])
    expect(await confirm(cards[0]?.id ?? 0, BALA)).toMatchObject({ status: 200 })
  })
})

describe('calling it off', () => {
  it.each([
    [0, SARAH],
    [0, BALA],
    [1, SARAH],
    [1, BALA],
  ])('after %i steps, by %i', async (stepCount, actorId) => {
    const { transactionId, cardId } = await dealAfter(stepCount)
    for (const each of [actorId, actorId, SARAH, BALA])
      expect(await cancel(transactionId, each)).toMatchObject({
        status: 200,
        body: { success: true, transaction: { status: 'CANCELLED', isCancellable: false } },
      })
    expect(await confirm(cardId, takers[stepCount] ?? 0)).toMatchObject({
      status: 409,
      body: { code: 'deal-cancelled' },
    })
    expect((await typesOf(transactionId)).filter((type) => type === 'TransactionCancelled')).toHaveLength(1)
    const orders = (await call('GET', '/api/orders/user', BALA)).body
    expect(orders.map(({ status }: { status: string }) => status)).toEqual(stepCount === 0 ? [] : ['cancelled'])
    // Another one may be begun.
    await start()
  })

  it('is too late when it is paid', async () => {
    const { transactionId } = await dealAfter(2)
    for (const id of [SARAH, BALA])
      expect(await cancel(transactionId, id)).toMatchObject({ status: 409, body: { code: 'deal-paid' } })
  })

  it('or confirming: one of the two, when both are pressed at once', async () => {
    const { transactionId, cardId } = await dealAfter(1)
    const [confirmed, cancelled] = await Promise.all([confirm(cardId, SARAH), cancel(transactionId, BALA)])
    expect([confirmed.status, cancelled.status].toSorted()).toEqual([200, 409])
  })

  const removal = {
    type: 'ListingRemoved',
    id: randomUUID(),
    stream: `listing-${PRODUCT}`,
    version: 9,
    at: '2026-11-22T09:00:00.000Z',
    metadata: { actorId: ADMIN, correlationId: 'removal' },
    data: { productId: PRODUCT, sellerId: SARAH, by: 'admin', reason: 'Fake', removedAt: '2026-11-22T09:00:00.000Z' },
  }
  const hearRemoval = () => react(database.pool, { handlers: removalReactions }, removal as never)

  it('happens by itself when the listing is taken away, unless it is paid', async () => {
    const unpaid = await dealAfter(1)
    for (const _ of ['once', 'twice']) await hearRemoval()
    expect((await typesOf(unpaid.transactionId)).slice(-2)).toEqual(['TransactionCancelled', 'OrderStatusChanged'])
    for (const [reader, other] of [
      [SARAH, BALA],
      [BALA, SARAH],
    ] as const) {
      const { body } = await call('GET', `/api/messages/conversation/${other}`, reader)
      expect(body.filter(({ author }: { author?: object }) => author !== undefined)).toMatchObject([
        {
          messageType: 'text',
          content: 'An administrator has removed this listing. The transaction is cancelled.',
          author: { id: ADMIN },
        },
      ])
    }
    await database.pool.query(sql.unsafe`update products set is_removed = false`)
    const paid = await dealAfter(2)
    await hearRemoval()
    expect(await typesOf(paid.transactionId)).not.toContain('TransactionCancelled')
  })

  it('happens by itself also to a deal that begins while the listing is taken away', async () => {
    const { pool } = database
    const transactionId = await nextTransactionId(pool)
    const facts = { transactionId, productId: PRODUCT, productName: 'Santal 33', sellerId: SARAH, buyerId: BALA }
    const metadata = { actorId: SARAH, correlationId: 'test', causationId: null }
    const [begun, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const beginning = pool.transaction(async (transaction) => {
      const sending = { senderName: 'sarah', commandId: randomUUID(), nowMs: Date.now(), metadata }
      await startDeal(
        transaction,
        { ...sending, facts: { ...facts, amountSen: 60_000, auctionId: null } },
        productionLimits,
      )
      begun.resolve()
      await done.promise
    })
    await begun.promise
    const removing = hearRemoval()
    await eventually(() => pool.exists(sql.unsafe`select from pg_locks where locktype = 'advisory' and not granted`))
    done.resolve()
    await Promise.all([beginning, removing])
    expect(await typesOf(transactionId)).toEqual(['TransactionStarted', 'TransactionCancelled'])
  })

  it('happens by itself when the seller gives up on the winner who was offered the lot', async () => {
    terms = { ...terms, listingType: 'auction', lot: { auctionId: 5, winnerId: BALA, amountSen: 26_000 } }
    const offered = await start({ amountSen: null })
    const of = (data: object) => ({
      ...removal,
      type: 'ListingReleased',
      data: { productId: PRODUCT, sellerId: SARAH, buyerId: BALA, auctionId: 5, transactionId: null, ...data },
    })
    const hear = (data: object) => react(database.pool, { handlers: removalReactions }, of(data) as never)
    const releasedAt = '2026-11-26T09:00:00.000Z'
    // Of another auction, or called off by one of the two, it goes on as it is.
    await hear({ reason: 'released', auctionId: 4, releasedAt })
    await hear({ reason: 'cancelled', isKept: true, releasedAt })
    expect((await call('GET', '/api/orders/waiting', BALA)).body).toHaveLength(1)
    for (const _ of ['once', 'twice']) await hear({ reason: 'released', releasedAt })
    const transactionId = offered.message.transaction?.id ?? 0
    expect(await typesOf(transactionId)).toEqual(['TransactionStarted', 'TransactionCancelled'])
    expect((await call('GET', '/api/orders/waiting', BALA)).body).toEqual([])
    expect(await confirm(offered.message.id, BALA)).toMatchObject({ status: 409, body: { code: 'deal-cancelled' } })
    // Released, it is dealt like what was not sold.
    terms = { ...terms, lot: null }
    await start()
  })

  it('is not needed where the listing is taken away while a deal about it begins', async () => {
    onTermsAsked = hearRemoval
    await expect(start()).rejects.toMatchObject({ code: 'product-not-found' })
    expect((await call('GET', '/api/orders/waiting', BALA)).body).toEqual([])
  })

  it('is not needed either where nothing but that was heard of the listing', async () => {
    await emptyTables(database.pool, 'products')
    onTermsAsked = hearRemoval
    await expect(start()).rejects.toMatchObject({ code: 'product-not-found' })
    expect((await call('GET', '/api/orders/waiting', BALA)).body).toEqual([])
  })
})

/** What a stranger tries with ids that they have from somewhere, and gets. */
const doors: readonly [method: 'GET' | 'POST', path: string, gets: unknown, body?: object][] = [
  ['GET', '/api/messages', []],
  ['GET', '/api/messages?cursor={after card}', []],
  ['GET', '/api/messages?after={before card}', []],
  ['GET', '/api/messages/conversations', []],
  ['GET', '/api/messages/conversations?cursor={after card}', []],
  ['GET', `/api/messages/conversation/${SARAH}`, []],
  ['GET', `/api/messages/conversation/${BALA}?productId=${PRODUCT}`, []],
  ['GET', `/api/messages/conversation/${SARAH}?cursor={after card}`, []],
  ['GET', '/api/messages/unread-count', { count: 0 }],
  ['POST', '/api/messages/action/confirm', 'message-not-found', { messageId: '{card}' }],
  ['POST', '/api/messages/submit-review/{card}', 'message-not-found', { rating: 1 }],
  [
    'POST',
    '/api/messages/submit-review/{card}',
    'message-not-found',
    { rating: 1, sellerId: SARAH, productId: PRODUCT },
  ],
  ['POST', '/api/messages/transactions/{deal}/cancel', 'transaction-not-found'],
  ['GET', '/api/orders/user', []],
  ['GET', '/api/orders/user?cursor={after deal}', []],
  ['GET', '/api/orders/sales', []],
  ['GET', '/api/orders/waiting', []],
  ['GET', '/api/orders/{deal}', 'order-not-found'],
]

describe('somebody else', () => {
  it('gets nothing of it, by any door, and changes nothing', async () => {
    const { transactionId, cardId } = await dealAfter(1)
    const ids: Record<string, number> = {
      card: cardId,
      'before card': cardId - 1,
      'after card': cardId + 1,
      deal: transactionId,
      'after deal': transactionId + 1,
    }
    const filled = (text: string) => text.replace(/"?\{([a-z ]+)\}"?/g, (_, name) => String(ids[name]))
    const before = await dumpRows(database.pool, ['messaging.messages', 'messaging.conversations', 'messaging.deals'])
    for (const [method, path, gets, body] of doors) {
      const asked = body === undefined ? undefined : JSON.parse(filled(JSON.stringify(body)))
      const answer = await call(method, filled(path), STRANGER, asked)
      const got = typeof gets === 'string' ? { status: 404, body: { code: gets } } : { status: 200, body: gets }
      expect([path, answer], path).toMatchObject([path, got])
    }
    for (const what of [{ messageId: cardId }, { messageId: cardId - 1 }])
      await expect(
        request(nats.connection, 'messaging', messagingRequests.markRead, { readerId: STRANGER, what, requestId: 'x' }),
      ).rejects.toMatchObject({ code: 'message-not-found' })
    for (const userId of [SARAH, BALA]) {
      const asked = { readerId: STRANGER, userId, productId: null }
      expect(await request(nats.connection, 'messaging', messagingRequests.getConversation, asked)).toEqual({
        messages: [],
      })
    }
    expect(await dumpRows(database.pool, ['messaging.messages', 'messaging.conversations', 'messaging.deals'])).toEqual(
      before,
    )
  })

  it('of the two may look, and not press', async () => {
    const { transactionId, cardId } = await dealAfter(1)
    expect(await confirm(cardId, BALA)).toMatchObject({ status: 403, body: { code: 'action-not-allowed' } })
    for (const id of [SARAH, BALA])
      expect(await call('GET', `/api/orders/${transactionId}`, id)).toMatchObject({ status: 200 })
  })

  it('sells nothing of somebody’s', async () => {
    await expect(start({ sellerId: MEI })).rejects.toMatchObject({ code: 'action-not-allowed' })
    await expect(start({ buyerId: SARAH })).rejects.toMatchObject({ code: 'own-message' })
  })
})

it.each([
  [{ rating: 5.5 }, 400],
  [{ rating: 4.3 }, 400],
  [{ rating: -1 }, 400],
  [{}, 400],
  [{ rating: 5, comment: 'x'.repeat(1001) }, 400],
  [{ rating: 5, productId: 999 }, 403],
  [{ rating: 5, sellerId: BALA }, 403],
  [{ rating: 0 }, 200],
])('a review %j gets %i', async (body, status) => {
  const { cardId } = await dealAfter(3)
  expect((await review(cardId, BALA, body)).status).toBe(status)
})

it.each(['\u200b'.repeat(50), ' \u2800\n\u2063', ''])(
  'a review says nothing in words that nobody sees (%j)',
  async (comment) => {
    const { transactionId, cardId } = await dealAfter(3)
    expect((await review(cardId, BALA, { rating: 5, comment })).status).toBe(200)
    const said = await database.pool.oneFirst(sql.unsafe`
    select data -> 'comment' as comment from events
     where stream = ${`deal-${transactionId}`} and type = 'ReviewSubmitted'`)
    expect(said).toBeNull()
  },
)

it('reminds by the clock, each time once', async () => {
  const { pool } = database
  const { transactionId, cardId } = await dealAfter(0)
  const fromNow = (hours: number) => Date.now() + hours * HOUR_MS
  expect(await sendReminders(pool, fromNow(23))).toBe(0)
  for (const hours of [25, 49]) {
    const sent = await Promise.all([1, 2, 3].map(() => sendReminders(pool, fromNow(hours))))
    expect(sent.toSorted()).toEqual([0, 0, 1])
  }
  expect(await sendReminders(pool, fromNow(500))).toBe(0)
  expect((await typesOf(transactionId)).filter((type) => type === 'TransactionReminded')).toHaveLength(2)
  await confirm(cardId, BALA)
  expect(await sendReminders(pool, fromNow(25))).toBe(1)
})

it('reminds of no offer while all bottles are sold', async () => {
  const { pool } = database
  const { transactionId } = await dealAfter(0)
  const { message: other } = await start({ buyerId: MEI })
  await confirm(other.id, MEI)
  await setSoldOut(pool, [{ productId: PRODUCT, stockQuantity: 0 }])
  const at = Date.now() + 25 * HOUR_MS
  expect(await sendReminders(pool, at)).toBe(1)
  expect([await typesOf(transactionId), await typesOf(other.transaction?.id ?? 0)]).toMatchObject([
    ['TransactionStarted'],
    expect.arrayContaining(['TransactionReminded']),
  ])
  // An administrator has called the other deal off.
  await setSoldOut(pool, [{ productId: PRODUCT, stockQuantity: 1 }])
  expect(await sendReminders(pool, at)).toBe(1)
  expect(await typesOf(transactionId)).toEqual(['TransactionStarted', 'TransactionReminded'])
})

it('reminds once of what was due twice while it could not', async () => {
  const { pool } = database
  const { transactionId } = await dealAfter(0)
  const at = Date.now() + 49 * HOUR_MS
  expect([await sendReminders(pool, at), await sendReminders(pool, at + 60_000)]).toEqual([1, 0])
  expect((await readStream(pool, 'messaging', `deal-${transactionId}`)).at(-1)?.data).toMatchObject({ reminder: 2 })
})

it('reminds of other deals when one cannot be read', async () => {
  const { pool } = database
  const broken = await dealAfter(0)
  const { message } = await start({ buyerId: MEI })
  await pool.query(sql.unsafe`update events set data = '{}' where stream = ${`deal-${broken.transactionId}`}`)
  await expect(sendReminders(pool, Date.now() + 25 * HOUR_MS)).rejects.toThrow()
  expect(await typesOf(message.transaction?.id ?? 0)).toContain('TransactionReminded')
})

it('reminds while somebody sends messages for long', async () => {
  const { pool } = database
  await dealAfter(0)
  const [locked, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const sending = pool.transaction(async (transaction) => {
    await lockToSend(transaction, conversationStream(MEI, SARAH))
    locked.resolve()
    await done.promise
  })
  await locked.promise
  try {
    expect(await sendReminders(pool, Date.now() + 25 * HOUR_MS)).toBe(1)
  } finally {
    done.resolve()
    await sending
  }
})

it('says what became of deals that hold a bottle', async () => {
  const open = await dealAfter(0)
  const standings = (transactionIds: number[]) =>
    request(nats.connection, 'messaging', messagingRequests.getDealStandings, { transactionIds })
  const standing = async () => (await standings([open.transactionId, 4711])).standings.map((each) => each.standing)
  expect(await standing()).toEqual(['open', 'unknown'])
  const { body } = await confirm(open.cardId, BALA)
  expect(await standing()).toEqual(['confirmed', 'unknown'])
  const paid = await confirm(body.next.id, SARAH)
  expect(await standing()).toEqual(['paid', 'unknown'])
  await confirm(paid.body.next.id, BALA)
  expect(await standing()).toEqual(['paid', 'unknown'])
})
