import type { MessagingEvent } from '@wangian/contracts/events/messaging.ts'
import { type DatabasePool, sql } from '@wangian/kit/database/postgres.ts'
import { appendToStreams } from '@wangian/kit/log/event-store.ts'
import { rebuild } from '@wangian/kit/log/rebuild.ts'
import { saveProfiles, saveRegistrations } from '@wangian/kit/people/people-store.ts'
import { conversationStream } from '../../services/messaging/src/conversations/domain.ts'
import { actionOf, dealStream, steps } from '../../services/messaging/src/deals/domain.ts'
import { saveProducts } from '../../services/messaging/src/people-store.ts'
import { conversationsProjection, projectMessaging } from '../../services/messaging/src/projections.ts'

/** Conversations between sellers and buyers, each with a deal in it; a hundred sellers have them all, and a buyer has ten. */
export interface Amounts {
  readonly conversations: number
  readonly messagesEach: number
}

const SELLERS = 100
const PRODUCTS = 1000
const CONVERSATIONS_PER_COMMIT = 10
const CONNECTIONS = 4
const UNREAD = 3
const BEGAN_AT_MS = Date.UTC(2026, 6, 1)
const metadata = { actorId: null, correlationId: 'bench', causationId: null, commandId: null }

export const sellerOf = (index: number) => 1 + (index % SELLERS)
export const buyerOf = (index: number) => 1 + SELLERS + Math.floor(index / SELLERS) * 10 + (index % 10)

/**
 * Appends everything to the log as the service does, and writes it into the tables: deals by the projection itself, event by event, messages by one
 * statement over the log, because a million of them would take a quarter of an hour. `expectAsProjected` shows that it is the same.
 */
export async function fillConversations(pool: DatabasePool, amounts: Amounts): Promise<void> {
  await introducePeople(pool, amounts)
  const starts = Array.from({ length: amounts.conversations / CONVERSATIONS_PER_COMMIT }, (_, index) => index)
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      for (let start = starts.pop(); start !== undefined; start = starts.pop())
        await appendSome(pool, start * CONVERSATIONS_PER_COMMIT, amounts)
    }),
  )
  await projectMessages(pool)
  await pool.query(sql.unsafe`vacuum analyze`)
}

/** @throws when the tables are not as the projection makes them of the log */
export async function expectAsProjected(pool: DatabasePool): Promise<void> {
  const { eventCount, changed } = await rebuild({
    service: 'messaging',
    projection: conversationsProjection,
    databaseUrl: pool.configuration.connectionUri,
    nats: () => Promise.reject(new Error('its own log is read without NATS')),
  })
  const wrong = Object.entries(changed).filter(([, rows]) => rows > 0)
  if (wrong.length > 0 || eventCount === 0)
    throw new Error(`the tables are not as the log says: ${JSON.stringify(changed)}`)
}

/** Takes it all away again. */
export async function emptyTables(pool: DatabasePool): Promise<void> {
  await pool.query(sql.unsafe`truncate events, messages, message_texts, conversations, deals, known_people, products`)
}

async function introducePeople(pool: DatabasePool, { conversations }: Amounts): Promise<void> {
  const userIds = Array.from({ length: buyerOf(conversations - 1) + 10 }, (_, index) => index + 1)
  const person = { shopName: '', location: null, bio: null, profileImage: null, coverPhoto: null }
  await saveProfiles(
    pool,
    userIds.map((userId) => ({ userId, version: 1, person: { ...person, username: `person${userId}` } })),
  )
  const registeredAt = new Date(BEGAN_AT_MS).toISOString()
  await saveRegistrations(
    pool,
    userIds.map((userId) => ({ userId, isSeller: userId <= SELLERS, registeredAt })),
  )
  const productIds = Array.from({ length: PRODUCTS }, (_, index) => index + 1)
  await saveProducts(
    pool,
    productIds.map((productId) => ({ productId, name: `Perfume ${productId}`, priceSen: 68_050, imageUrl: null })),
  )
}

async function appendSome(pool: DatabasePool, first: number, amounts: Amounts): Promise<void> {
  const appends = Array.from({ length: CONVERSATIONS_PER_COMMIT }, (_, index) => first + index).flatMap((index) => {
    const conversation = conversationStream(sellerOf(index), buyerOf(index))
    const common = { service: 'messaging', expectedVersion: 0, metadata } as const
    return [
      { ...common, stream: dealStream(index + 1), events: dealEvents(index) },
      { ...common, stream: conversation, events: messageEvents(index, amounts) },
    ]
  })
  await pool.transaction(async (transaction) => {
    for (const event of await appendToStreams<MessagingEvent>(transaction, appends)) {
      if (event.type !== 'MessageSent' && event.type !== 'MessagesRead') await projectMessaging(transaction, event)
    }
  })
}

/** A fifth of all deals waits for each step, and a fifth is over. */
const confirmedSteps = (index: number) => index % 5

function messageEvents(index: number, { conversations, messagesEach }: Amounts): MessagingEvent[] {
  const [sellerId, buyerId] = [sellerOf(index), buyerOf(index)]
  const cardCount = Math.min(confirmedSteps(index) + 1, steps.length)
  const events: MessagingEvent[] = []
  const unreadOf = { [sellerId]: [] as number[], [buyerId]: [] as number[] }
  for (let number = 0; number < messagesEach; number++) {
    const step = number >= messagesEach - cardCount ? steps[number - (messagesEach - cardCount)] : undefined
    const isSellers =
      step === undefined ? number % 2 === 1 : step === 'purchase' || step === 'delivery' || step === 'review'
    const [senderId, receiverId] = isSellers ? [sellerId, buyerId] : [buyerId, sellerId]
    // Everybody writes at the same time, so the messages of one are spread over all.
    const messageId = number * conversations + index + 1
    const card =
      step === undefined
        ? ({ kind: 'text', transactionId: null, actionType: null } as const)
        : ({ kind: 'action', transactionId: index + 1, actionType: actionOf[step] } as const)
    const about = { productId: 1 + (index % PRODUCTS), sentAt: new Date(BEGAN_AT_MS + messageId * 1000).toISOString() }
    events.push({ type: 'MessageSent', data: { messageId, senderId, receiverId, ...card, ...about } })
    if (number < messagesEach - UNREAD) unreadOf[receiverId]?.push(messageId)
  }
  const readAt = new Date(BEGAN_AT_MS + conversations * messagesEach * 1000).toISOString()
  for (const [readerId, senderId] of [
    [sellerId, buyerId],
    [buyerId, sellerId],
  ] as const) {
    const messageIds = unreadOf[readerId] ?? []
    if (messageIds.length > 0) events.push({ type: 'MessagesRead', data: { readerId, senderId, messageIds, readAt } })
  }
  return events
}

function dealEvents(index: number): MessagingEvent[] {
  const transactionId = index + 1
  const at = new Date(BEGAN_AT_MS + index * 1000).toISOString()
  const parties = { sellerId: sellerOf(index), buyerId: buyerOf(index) }
  const product = { productId: 1 + (index % PRODUCTS), productName: `Perfume ${1 + (index % PRODUCTS)}` }
  const deal = { transactionId, ...product, ...parties, amountSen: 60_000, auctionId: null }
  const order = { orderId: transactionId, ...product, ...parties, totalSen: 60_000 }
  const events: MessagingEvent[] = [{ type: 'TransactionStarted', data: { ...deal, startedAt: at } }]
  for (const step of steps.slice(0, confirmedSteps(index))) {
    if (step === 'review') {
      const review = { reviewId: transactionId, ...product, ...parties, rating: 4.5, comment: null, submittedAt: at }
      events.push({ type: 'ReviewSubmitted', data: review })
      continue
    }
    events.push({ type: 'TransactionStepConfirmed', data: { ...deal, step, confirmedAt: at } })
    events.push(
      step === 'purchase'
        ? { type: 'OrderPlaced', data: { ...order, placedAt: at } }
        : {
            type: 'OrderStatusChanged',
            data: { ...order, status: step === 'payment' ? 'processing' : 'delivered', changedAt: at },
          },
    )
  }
  return events
}

async function projectMessages(pool: DatabasePool): Promise<void> {
  await pool.query(sql.unsafe`
    insert into messages (id, sender_id, receiver_id, product_id, kind, transaction_id, action_type, sent_at, read_at)
    select (data ->> 'messageId')::bigint, (data ->> 'senderId')::bigint, (data ->> 'receiverId')::bigint,
           (data ->> 'productId')::bigint, data ->> 'kind', (data ->> 'transactionId')::bigint, data ->> 'actionType',
           (data ->> 'sentAt')::timestamptz, read.at
      from events
           left join (select (message_id #>> '{}')::bigint as id, (data ->> 'readAt')::timestamptz as at
                        from events, jsonb_array_elements(data -> 'messageIds') as message_id
                       where type = 'MessagesRead') read on read.id = (data ->> 'messageId')::bigint
     where type = 'MessageSent'
     order by 1`)
  await pool.query(sql.unsafe`
    insert into message_texts (message_id, content)
    select id, 'Message ' || id || ': is it still there, and would you take a little less for it?' from messages`)
  await pool.query(sql.unsafe`
    insert into conversations (user_id, other_id, last_message_id, product_id, message_count, unread_count, opened_by, opened_at)
    select side.user_id, side.other_id, max(id), max(product_id), count(*),
           count(*) filter (where side.is_received and read_at is null),
           (array_agg(sender_id order by id))[1], min(sent_at)
      from messages, lateral (values (sender_id, receiver_id, false), (receiver_id, sender_id, true))
             as side (user_id, other_id, is_received)
     group by 1, 2`)
  await pool.query(sql.unsafe`
    select setval('transaction_ids', (select max(id) from deals))`)
  // As if the relay had told of all of it, and those who follow had heard.
  await pool.query(sql.unsafe`
    update log_state set (relayed_tx, relayed_position) = (select tx, position from events order by tx desc, position desc limit 1)`)
  await pool.query(sql.unsafe`
    insert into relay_heads (type, tx, position)
    select distinct on (type) type, tx, position from events order by type, tx desc, position desc
    on conflict (type) do update set tx = excluded.tx, position = excluded.position`)
  await pool.query(sql.unsafe`
    insert into consumer_positions (consumer, type, tx, position)
    select 'messaging-live', type, tx::text::bigint, position from relay_heads
    on conflict (consumer, type) do update set tx = excluded.tx, position = excluded.position`)
}
