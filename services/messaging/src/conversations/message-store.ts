import { ActionType, OrderStatus } from '@wangian/contracts/messaging.ts'
import { CountRow, type Executor, type Fragment, IdRow, sql } from '@wangian/kit/database/postgres.ts'
import { invariant } from '@wangian/kit/invariant.ts'
import { z } from 'zod'
import { steps } from '../deals/domain.ts'
import {
  before,
  EXACT_COUNT_MAX,
  type Listed,
  listed,
  type Page,
  PersonRow,
  ProductRow,
  personOf,
  productOf,
} from '../list-store.ts'
import { NEWCOMER_MS } from './domain.ts'

/** Messages as people read them. */

/** The deal that a card is of. */
const DealRow = z.object({
  id: z.number(),
  stage: z.enum([...steps, 'completed', 'cancelled']),
  cancelledAfter: z.enum(['purchase', 'payment']).nullable(),
  amountSen: z.number(),
  /** `null` before the purchase is confirmed. */
  orderStatus: OrderStatus.nullable(),
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
  author: PersonRow.nullable(),
  product: ProductRow.nullable(),
  isSenderNew: z.boolean(),
})
export type MessageRow = z.infer<typeof MessageRow>

/** Of `messages m` and {@link whatMessagesNeed}, as a {@link MessageRow}. */
export const messageColumns = sql.fragment`
  m.id, m.sender_id as "senderId", m.receiver_id as "receiverId", m.product_id as "productId",
  m.kind, m.action_type as "actionType",
  d.id as "deal.id", d.stage as "deal.stage", d.cancelled_after as "deal.cancelledAfter", d.amount_sen as "deal.amountSen",
  d.order_status as "deal.orderStatus", d.rating as "deal.rating",
  f.storage_key as "file.storageKey", f.name as "file.name", f.format as "file.format", f.bytes as "file.bytes",
  f.width_px as "file.widthPx", f.height_px as "file.heightPx",
  coalesce(t.content, '') as content, m.sent_at as "sentAt", m.read_at is not null as "isRead",
  ${personOf('sender', 'sender', sql.fragment`m.sender_id`)},
  ${personOf('receiver', 'receiver', sql.fragment`m.receiver_id`)},
  ${personOf('author', 'author', sql.fragment`m.author_id`)},
  ${productOf('product', 'p')},
  -- Whose registration identity has not told yet is as new as can be.
  coalesce(sender.registered_at > m.sent_at - make_interval(secs => ${NEWCOMER_MS / 1000}), true) as "isSenderNew"`

/**
 * Behind `messages m`, which is joined to what is looked for first: Postgres reorders no more than eight tables, and would join all messages to all of
 * these before it looks for a few.
 */
export const whatMessagesNeed = sql.fragment`
    left join message_texts t on t.message_id = m.id
    left join known_people sender on sender.user_id = m.sender_id
    left join known_people receiver on receiver.user_id = m.receiver_id
    left join known_people author on author.user_id = m.author_id
    left join products p on p.id = m.product_id
    left join deals d on d.id = m.transaction_id
    left join message_files f on f.message_id = m.id`

const older = (page: Page) => sql.fragment`and m.id < ${before(page)}`

const isBetween = (userId: number, otherId: number, productId: number | null) => sql.fragment`
  least(m.sender_id, m.receiver_id) = ${Math.min(userId, otherId)}
    and greatest(m.sender_id, m.receiver_id) = ${Math.max(userId, otherId)}
    ${productId === null ? sql.fragment`` : sql.fragment`and m.product_id = ${productId}`}`

/**
 * Messages in the order of their ids as given. This and all lists are prepared statements: planning one anew took ten times longer than carrying it
 * out. Lists find a page first and look up only what that needs.
 */
export async function findMessages(executor: Executor, messageIds: readonly number[]): Promise<readonly MessageRow[]> {
  if (messageIds.length === 0) return []
  return executor.any(sql.prepared('messages-by-id', MessageRow)`
    select ${messageColumns}
      from unnest(${sql.array([...messageIds], 'int8')}) with ordinality as page (id, place)
        join messages m on m.id = page.id ${whatMessagesNeed}
     order by place`)
}

/** One at a time has a statement of its own, whose plan is kept: that of several depends on how many there are. */
export async function findMessage(executor: Executor, messageId: number): Promise<MessageRow | null> {
  return executor.maybeOne(sql.prepared('message-by-id', MessageRow)`
    select ${messageColumns} from messages m ${whatMessagesNeed} where m.id = ${messageId}`)
}

/** One that was sent: messages stay. */
export async function getMessage(executor: Executor, messageId: number): Promise<MessageRow> {
  const message = await findMessage(executor, messageId)
  invariant(message, 'messages stay')
  return message
}

async function findFirst(executor: Executor, messageIds: readonly number[]): Promise<MessageRow | null> {
  const [messageId] = messageIds
  return messageId === undefined ? null : findMessage(executor, messageId)
}

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

const ListedMessageRow = MessageRow.extend({ total: z.number() })

/** Somebody's own messages, the newest first. */
export async function listMessages(executor: Executor, userId: number, page: Page): Promise<Listed<MessageRow>> {
  const own = (column: Fragment) => sql.fragment`
    (select * from messages m where ${column} = ${userId} ${older(page)} order by id desc limit ${page.limit})`
  return listed(
    executor.any(sql.prepared('messages-of', ListedMessageRow)`
      with page as materialized (
        select * from (${own(sender)} union all ${own(receiver)}) own order by id desc limit ${page.limit})
      select ${messageColumns}, (${messageCount(userId)}) as total from page m ${whatMessagesNeed} order by m.id desc`),
    () => countMessages(executor, userId),
  )
}

/** The same from after a message on, in the order of their ids. */
export async function listMessagesAfter(
  executor: Executor,
  userId: number,
  { afterId, limit }: { readonly afterId: number; readonly limit: number },
): Promise<Listed<MessageRow>> {
  const own = (column: Fragment) => sql.fragment`
    (select * from messages where ${column} = ${userId} and id > ${afterId} order by id limit ${limit})`
  return listed(
    executor.any(sql.prepared('messages-after', ListedMessageRow)`
      with page as materialized (
        select * from (${own(sender)} union all ${own(receiver)}) own order by id limit ${limit})
      select ${messageColumns}, (${messageCount(userId)}) as total from page m ${whatMessagesNeed} order by m.id`),
    () => countMessages(executor, userId),
  )
}

/** Everything that somebody has written or got. */
const messageCount = (userId: number) => sql.fragment`
  select coalesce(sum(message_count), 0)::bigint as count from conversations where user_id = ${userId}`

const countMessages = (executor: Executor, userId: number): Promise<number> =>
  executor.oneFirst(sql.prepared('messages-count', CountRow)`${messageCount(userId)}`)

/** Each has an index of its own in the order of the ids, which a condition on both of them would not use. */
const sender = sql.fragment`sender_id`
const receiver = sql.fragment`receiver_id`

/** What two people have written to each other, or about a product, the newest first; the latter is counted up to a maximum. */
export async function listBetween(
  executor: Executor,
  userId: number,
  otherId: number,
  { productId, ...page }: Page & { readonly productId: number | null },
): Promise<Listed<MessageRow>> {
  const [name, count] =
    productId === null
      ? ['messages-between', messagesBetween(userId, otherId)]
      : ['messages-between-about', messagesAbout(userId, otherId, productId)]
  return listed(
    executor.any(sql.prepared(name, ListedMessageRow)`
      with page as materialized (
        select * from messages m
         where ${isBetween(userId, otherId, productId)} ${older(page)}
         order by id desc
         limit ${page.limit})
      select ${messageColumns}, (${count}) as total from page m ${whatMessagesNeed} order by m.id desc`),
    () => executor.oneFirst(sql.prepared(`${name}-count`, CountRow)`${count}`),
  )
}

const messagesBetween = (userId: number, otherId: number) => sql.fragment`
  select coalesce(sum(message_count), 0)::bigint as count from conversations where user_id = ${userId} and other_id = ${otherId}`

const messagesAbout = (userId: number, otherId: number, productId: number) => sql.fragment`
  select count(*) from (
    select from messages m where ${isBetween(userId, otherId, productId)} limit ${EXACT_COUNT_MAX}) counted`
