import type { StoredData } from '@wangian/contracts/events/definition.ts'
import type { messagingEvents } from '@wangian/contracts/events/messaging.ts'
import { ActionType } from '@wangian/contracts/messaging.ts'
import { type Executor, sql, type Transaction } from '@wangian/kit/database/postgres.ts'
import { z } from 'zod'
import { steps } from './deals/domain.ts'
import { NEWCOMER_MS } from './domain.ts'

/** Every statement about messages and conversations; those about people and products are in `people-store.ts`. */

type Sent = StoredData<typeof messagingEvents.MessageSent>
type Read = StoredData<typeof messagingEvents.MessagesRead>

export const PersonRow = z.object({
  id: z.number(),
  username: z.string().nullable(),
  profileImage: z.string().nullable(),
})
const ProductRow = z.object({
  id: z.number(),
  name: z.string(),
  priceSen: z.number(),
  imageUrl: z.string().nullable(),
  isRemoved: z.boolean(),
})

/** The deal that a card is of. */
const DealRow = z.object({
  id: z.number(),
  stage: z.enum([...steps, 'completed', 'cancelled']),
  cancelledAfter: z.enum(['purchase', 'payment']).nullable(),
  amountSen: z.number(),
  rating: z.number().nullable(),
})
export type DealRow = z.infer<typeof DealRow>

const FileRow = z.object({
  storageKey: z.string(),
  name: z.string(),
  format: z.enum(['webp', 'pdf', 'doc', 'docx']),
  bytes: z.number(),
  widthPx: z.number().nullable(),
  heightPx: z.number().nullable(),
})
export type FileRow = z.infer<typeof FileRow>

export const MessageRow = z.object({
  id: z.number(),
  senderId: z.number(),
  receiverId: z.number(),
  productId: z.number().nullable(),
  kind: z.enum(['text', 'file', 'action']),
  actionType: ActionType.nullable(),
  deal: DealRow.nullable(),
  file: FileRow.nullable(),
  content: z.string(),
  sentAt: z.string(),
  isRead: z.boolean(),
  sender: PersonRow,
  receiver: PersonRow,
  product: ProductRow.nullable(),
  isSenderNew: z.boolean(),
})
export type MessageRow = z.infer<typeof MessageRow>

/** Somebody as others see them; without a name when they have gone, with one made of the id while identity has not told theirs. */
export const personOf = (alias: string, id: ReturnType<typeof sql.fragment>) => {
  const person = sql.identifier([alias])
  return sql.fragment`jsonb_build_object(
    'id', ${id},
    'username', case when ${person}.user_id is null then 'User ' || ${id} else ${person}.username end,
    'profileImage', ${person}.profile_image)`
}

/** `null` without one, and as long as nothing is known of it. */
const productOf = (alias: string) => {
  const product = sql.identifier([alias])
  return sql.fragment`case when ${product}.id is not null then jsonb_build_object(
    'id', ${product}.id, 'name', ${product}.name, 'priceSen', ${product}.price_sen,
    'imageUrl', coalesce(${product}.picture, ${product}.given_image_url), 'isRemoved', ${product}.is_removed) end`
}

const messageColumns = sql.fragment`
  m.id, m.sender_id as "senderId", m.receiver_id as "receiverId", m.product_id as "productId",
  m.kind, m.action_type as "actionType",
  case when d.id is not null then jsonb_build_object(
    'id', d.id, 'stage', d.stage, 'cancelledAfter', d.cancelled_after, 'amountSen', d.amount_sen, 'rating', d.rating) end as deal,
  case when f.storage_key is not null then jsonb_build_object(
    'storageKey', f.storage_key, 'name', f.name, 'format', f.format, 'bytes', f.bytes, 'widthPx', f.width_px,
    'heightPx', f.height_px) end as file,
  coalesce(t.content, '') as content, m.sent_at as "sentAt", m.read_at is not null as "isRead",
  ${personOf('sender', sql.fragment`m.sender_id`)} as sender,
  ${personOf('receiver', sql.fragment`m.receiver_id`)} as receiver,
  ${productOf('p')} as product,
  -- Whose registration identity has not told yet is as new as can be.
  coalesce(sender.registered_at > m.sent_at - make_interval(secs => ${NEWCOMER_MS / 1000}), true) as "isSenderNew"`

const messageTables = sql.fragment`
  messages m
    left join message_texts t on t.message_id = m.id
    left join known_people sender on sender.user_id = m.sender_id
    left join known_people receiver on receiver.user_id = m.receiver_id
    left join products p on p.id = m.product_id
    left join deals d on d.id = m.transaction_id
    left join message_files f on f.message_id = m.id`

export interface Page {
  readonly limit: number
  /** Only what is older than this message. */
  readonly beforeId: number | null
}

const older = ({ beforeId }: Page) => (beforeId === null ? sql.fragment`` : sql.fragment`and m.id < ${beforeId}`)

const isBetween = (userId: number, otherId: number, productId: number | null) => sql.fragment`
  least(m.sender_id, m.receiver_id) = ${Math.min(userId, otherId)}
    and greatest(m.sender_id, m.receiver_id) = ${Math.max(userId, otherId)}
    ${productId === null ? sql.fragment`` : sql.fragment`and m.product_id = ${productId}`}`

/**
 * Messages in the order of their ids as given. Lists find a page's ids first and look up only those, by a prepared statement: planning the lookup
 * anew took ten times longer than carrying it out.
 */
export async function findMessages(executor: Executor, messageIds: readonly number[]): Promise<readonly MessageRow[]> {
  if (messageIds.length === 0) return []
  return executor.any(sql.prepared('messages-by-id', MessageRow)`
    select ${messageColumns}
      from unnest(${sql.array([...messageIds], 'int8')}) with ordinality as page (id, place)
        join ${messageTables} on m.id = page.id
     order by place`)
}

/** One at a time has a statement of its own, whose plan is kept: that of several depends on how many there are. */
export async function findMessage(executor: Executor, messageId: number): Promise<MessageRow | null> {
  return executor.maybeOne(sql.prepared('message-by-id', MessageRow)`
    select ${messageColumns} from ${messageTables} where m.id = ${messageId}`)
}

async function findFirst(executor: Executor, messageIds: readonly number[]): Promise<MessageRow | null> {
  const [messageId] = messageIds
  return messageId === undefined ? null : findMessage(executor, messageId)
}

const IdRow = z.object({ id: z.number() })

/** A card of a deal. */
export async function findCard(
  executor: Executor,
  transactionId: number,
  actionType: ActionType,
): Promise<MessageRow | null> {
  const ids = await executor.anyFirst(sql.type(IdRow)`
    select id from messages where transaction_id = ${transactionId} and action_type = ${actionType}`)
  return findFirst(executor, ids)
}

/** The last card of a deal. */
export async function findLastCard(executor: Executor, transactionId: number): Promise<MessageRow | null> {
  const ids = await executor.anyFirst(sql.type(IdRow)`
    select id from messages where transaction_id = ${transactionId} order by id desc limit 1`)
  return findFirst(executor, ids)
}

/** The message that this command led to before. */
export async function findMessageOfCommand(
  executor: Executor,
  senderId: number,
  commandId: string,
): Promise<MessageRow | null> {
  const ids = await executor.anyFirst(sql.type(IdRow)`
    select id from messages where sender_id = ${senderId} and command_id = ${commandId}`)
  return findFirst(executor, ids)
}

/** Somebody's own messages, the newest first. */
export async function listMessages(executor: Executor, userId: number, page: Page): Promise<readonly MessageRow[]> {
  const own = (column: ReturnType<typeof sql.fragment>) => sql.fragment`
    (select id from messages m where ${column} = ${userId} ${older(page)} order by id desc limit ${page.limit})`
  const ids = await executor.anyFirst(sql.type(IdRow)`
    select id from (${own(sender)} union all ${own(receiver)}) own order by id desc limit ${page.limit}`)
  return findMessages(executor, ids)
}

/** The same from after a message on, in the order of their ids. */
export async function listMessagesAfter(
  executor: Executor,
  userId: number,
  { afterId, limit }: { readonly afterId: number; readonly limit: number },
): Promise<readonly MessageRow[]> {
  const own = (column: ReturnType<typeof sql.fragment>) => sql.fragment`
    (select id from messages where ${column} = ${userId} and id > ${afterId} order by id limit ${limit})`
  const ids = await executor.anyFirst(sql.type(IdRow)`
    select id from (${own(sender)} union all ${own(receiver)}) own order by id limit ${limit}`)
  return findMessages(executor, ids)
}

/** Each has an index of its own in the order of the ids, which a condition on both of them would not use. */
const sender = sql.fragment`sender_id`
const receiver = sql.fragment`receiver_id`

/** What two people have written to each other, the newest first. */
export async function listBetween(
  executor: Executor,
  userId: number,
  otherId: number,
  page: Page & { readonly productId: number | null },
): Promise<readonly MessageRow[]> {
  const ids = await executor.anyFirst(sql.type(IdRow)`
    select m.id from messages m
     where ${isBetween(userId, otherId, page.productId)} ${older(page)}
     order by m.id desc
     limit ${page.limit}`)
  return findMessages(executor, ids)
}

const ConversationSide = z.object({
  user: PersonRow,
  unreadCount: z.number(),
  isBlocked: z.boolean(),
  product: ProductRow.nullable(),
  lastMessageId: z.number(),
})
export type ConversationRow = Omit<z.infer<typeof ConversationSide>, 'lastMessageId'> & {
  readonly lastMessage: MessageRow
}

/** Somebody's conversations, the latest first; `beforeId` is the last message of the page before. */
export async function listConversations(
  executor: Executor,
  userId: number,
  { limit, beforeId }: Page,
): Promise<readonly ConversationRow[]> {
  const sides = await executor.any(sql.type(ConversationSide)`
    select ${personOf('other', sql.fragment`c.other_id`)} as "user", c.unread_count as "unreadCount",
           exists (select from blocks where user_id = c.user_id and blocked_id = c.other_id) as "isBlocked",
           ${productOf('about')} as product, c.last_message_id as "lastMessageId"
      from conversations c
        left join known_people other on other.user_id = c.other_id
        left join products about on about.id = c.product_id
     where c.user_id = ${userId}
       ${beforeId === null ? sql.fragment`` : sql.fragment`and c.last_message_id < ${beforeId}`}
     order by c.last_message_id desc
     limit ${limit}`)
  const messages = await findMessages(
    executor,
    sides.map(({ lastMessageId }) => lastMessageId),
  )
  const byId = new Map(messages.map((message) => [message.id, message]))
  return sides.flatMap(({ lastMessageId, ...side }) => {
    const lastMessage = byId.get(lastMessageId)
    return lastMessage === undefined ? [] : [{ ...side, lastMessage }]
  })
}

const Count = z.object({ count: z.number() })

/** Counted up to `max`. */
export async function countMessages(executor: Executor, userId: number, max: number): Promise<number> {
  return executor.oneFirst(sql.type(Count)`
    select count(*) from (
      (select from messages where sender_id = ${userId} limit ${max}) union all
      (select from messages where receiver_id = ${userId} limit ${max}) limit ${max}) counted`)
}

export async function countBetween(
  executor: Executor,
  userId: number,
  otherId: number,
  { productId, max }: { readonly productId: number | null; readonly max: number },
): Promise<number> {
  return executor.oneFirst(sql.type(Count)`
    select count(*) from (
      select from messages m where ${isBetween(userId, otherId, productId)} limit ${max}) counted`)
}

export async function countConversations(executor: Executor, userId: number, max: number): Promise<number> {
  return executor.oneFirst(sql.type(Count)`
    select count(*) from (select from conversations where user_id = ${userId} limit ${max}) counted`)
}

export async function countUnread(executor: Executor, userId: number): Promise<number> {
  return executor.oneFirst(sql.type(Count)`
    select coalesce(sum(unread_count), 0)::bigint as count from conversations where user_id = ${userId}`)
}

/** The same of many. Whoever has no conversation is left out. */
export async function countUnreadOf(
  executor: Executor,
  userIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const rows = await executor.any(sql.type(Count.extend({ userId: z.number() }))`
    select user_id as "userId", sum(unread_count)::bigint as count from conversations
     where user_id = any (${sql.array([...userIds], 'int8')})
     group by 1`)
  return new Map(rows.map(({ userId, count }) => [userId, count]))
}

export async function nextMessageId(executor: Executor): Promise<number> {
  return executor.oneFirst(sql.type(z.object({ id: z.number() }))`select nextval('message_ids') as id`)
}

/**
 * Lets one transaction at a time do what is meant by the keys, until it ends; they are taken in the order as given. It writes nothing, so an append
 * may follow as the transaction's first write.
 */
export async function lock(transaction: Transaction, ...keys: readonly string[]): Promise<void> {
  const locks = keys.map((key) => sql.fragment`pg_advisory_xact_lock(hashtextextended(${key}, 0))`)
  await transaction.query(sql.unsafe`select ${sql.join(locks, sql.fragment`, `)}`)
}

export async function findVersion(executor: Executor, stream: string): Promise<number> {
  return executor.oneFirst(sql.type(z.object({ version: z.number() }))`
    select coalesce(max(version), 0) as version from events where stream = ${stream}`)
}

const ExchangeRow = z.object({
  sender: z.object({ isBanned: z.boolean(), isClosed: z.boolean(), registeredAt: z.string().nullable() }).nullable(),
  receiver: z.object({ isClosed: z.boolean() }).nullable(),
  isBlocked: z.boolean(),
  isOpen: z.boolean(),
  sentLately: z.number(),
  sentInMinute: z.number(),
  openedLately: z.number(),
})

/** Who two people are to each other, and how much the one who writes has sent and begun since: one question, for it is asked with each message. */
export async function findExchange(
  executor: Executor,
  { senderId, receiverId }: { readonly senderId: number; readonly receiverId: number },
  since: { readonly messages: string; readonly minute: string; readonly conversations: string },
): Promise<z.infer<typeof ExchangeRow>> {
  return executor.one(sql.prepared('exchange', ExchangeRow)`
    select (select jsonb_build_object('isBanned', is_banned, 'isClosed', is_closed, 'registeredAt', registered_at)
              from known_people where user_id = ${senderId}) as sender,
           (select jsonb_build_object('isClosed', is_closed) from known_people where user_id = ${receiverId}) as receiver,
           exists (select from blocks
                    where user_id = ${senderId} and blocked_id = ${receiverId}
                       or user_id = ${receiverId} and blocked_id = ${senderId}) as "isBlocked",
           exists (select from conversations where user_id = ${senderId} and other_id = ${receiverId}) as "isOpen",
           (select count(*) from messages where sender_id = ${senderId} and sent_at > ${since.messages}) as "sentLately",
           (select count(*) from messages where sender_id = ${senderId} and sent_at > ${since.minute}) as "sentInMinute",
           (select count(*) from conversations
             where user_id = ${senderId} and opened_by = ${senderId} and opened_at > ${since.conversations}) as "openedLately"`)
}

/** Those that somebody has got from somebody and not read; of all, or just the one. */
export async function listUnread(
  executor: Executor,
  {
    readerId,
    senderId,
    messageId,
  }: { readonly readerId: number; readonly senderId: number; readonly messageId: number | null },
): Promise<readonly number[]> {
  return executor.anyFirst(sql.type(z.object({ id: z.number() }))`
    select id from messages
     where receiver_id = ${readerId} and sender_id = ${senderId} and read_at is null
       ${messageId === null ? sql.fragment`` : sql.fragment`and id = ${messageId}`}
     order by id`)
}

/** Who sent somebody this message; `null` when it is none of theirs. */
export async function findSender(executor: Executor, receiverId: number, messageId: number): Promise<number | null> {
  return executor.maybeOneFirst(sql.type(z.object({ senderId: z.number() }))`
    select sender_id as "senderId" from messages where id = ${messageId} and receiver_id = ${receiverId}`)
}

export async function insertText(executor: Executor, messageId: number, content: string): Promise<void> {
  await executor.query(sql.unsafe`insert into message_texts (message_id, content) values (${messageId}, ${content})`)
}

/** Adds a message to both sides of its conversation, once. */
export async function insertMessage(executor: Executor, sent: Sent, commandId: string | null): Promise<void> {
  await executor.query(sql.unsafe`
    with sent as (
      insert into messages (id, sender_id, receiver_id, product_id, kind, transaction_id, action_type, sent_at, command_id)
      values (${sent.messageId}, ${sent.senderId}, ${sent.receiverId}, ${sent.productId}, ${sent.kind}, ${sent.transactionId},
              ${sent.actionType}, ${sent.sentAt}, ${commandId})
      on conflict (id) do nothing
      returning *
    )
    insert into conversations as c (user_id, other_id, last_message_id, product_id, unread_count, opened_by, opened_at)
    select side.user_id, side.other_id, sent.id, sent.product_id, side.unread, sent.sender_id, sent.sent_at
      from sent, lateral (values (sent.sender_id, sent.receiver_id, 0), (sent.receiver_id, sent.sender_id, 1))
        as side (user_id, other_id, unread)
    on conflict (user_id, other_id) do update
       set last_message_id = greatest(c.last_message_id, excluded.last_message_id),
           product_id = coalesce(excluded.product_id, c.product_id),
           unread_count = c.unread_count + excluded.unread_count`)
}

/** Marks messages as read, once. */
export async function setRead(executor: Executor, { readerId, senderId, messageIds, readAt }: Read): Promise<void> {
  await executor.query(sql.unsafe`
    with read as (
      update messages set read_at = ${readAt}
       where id = any (${sql.array([...messageIds], 'int8')}) and receiver_id = ${readerId} and sender_id = ${senderId}
         and read_at is null
      returning id
    )
    update conversations set unread_count = unread_count - (select count(*) from read)
     where user_id = ${readerId} and other_id = ${senderId}`)
}

/**
 * Nobody is left who could read what two people wrote to each other, one of them being one of these, who are erased. Their files belong to no
 * message any more, and are removed as such.
 */
export async function deleteTextsWithoutReaders(executor: Executor, userIds: readonly number[]): Promise<void> {
  const unread = sql.fragment`
    select m.id
      from unnest(${sql.array([...userIds], 'int8')}) as gone (user_id), messages m, known_people other
     where (m.sender_id = gone.user_id or m.receiver_id = gone.user_id)
       and other.user_id = m.sender_id + m.receiver_id - gone.user_id and other.is_erased`
  await executor.query(sql.unsafe`delete from message_texts where message_id in (${unread})`)
  await executor.query(sql.unsafe`
    update message_files set message_id = null, name = '', created_at = '-infinity' where message_id in (${unread})`)
}
