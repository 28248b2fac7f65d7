import type { StoredData } from '@wangian/contracts/events/definition.ts'
import type { messagingEvents } from '@wangian/contracts/events/messaging.ts'
import { ActionType, OrderStatus } from '@wangian/contracts/messaging.ts'
import {
  CountRow,
  type Executor,
  type Fragment,
  IdRow,
  NoRow,
  sql,
  type Transaction,
} from '@wangian/kit/database/postgres.ts'
import { invariant } from '@wangian/kit/invariant.ts'
import { z } from 'zod'
import { steps } from './deals/domain.ts'
import { CONVERSATIONS_WINDOW_MS, LONGER_WINDOW_MS, MESSAGES_WINDOW_MS, NEWCOMER_MS } from './domain.ts'

/** Every statement about messages and conversations; those about people and products are in `people-store.ts`. */

type Sent = StoredData<typeof messagingEvents.MessageSent>
type Read = StoredData<typeof messagingEvents.MessagesRead>

export const PersonRow = z.object({
  id: z.number(),
  username: z.string().nullable(),
  profileImage: z.string().nullable(),
})
export const ProductRow = z.object({
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

/** Columns of a group of this name. */
const columnsOf = (group: string, columns: Readonly<Record<string, Fragment>>) =>
  sql.join(
    Object.entries(columns).map(([field, value]) => sql.fragment`${value} as ${sql.identifier([`${group}.${field}`])}`),
    sql.fragment`, `,
  )

/**
 * Somebody as others see them: without a name when they have gone, with one made of the id while identity has not told theirs, and nobody when the
 * id is null.
 */
export const personOf = (group: string, alias: string, id: Fragment) => {
  const person = sql.identifier([alias])
  return columnsOf(group, {
    id,
    username: sql.fragment`case when ${person}.user_id is null then 'User ' || ${id} else ${person}.username end`,
    profileImage: sql.fragment`${person}.profile_image`,
  })
}

/** `null` without one, and as long as nothing is known of it. */
export const productOf = (group: string, alias: string) => {
  const product = sql.identifier([alias])
  return columnsOf(group, {
    id: sql.fragment`${product}.id`,
    name: sql.fragment`${product}.name`,
    priceSen: sql.fragment`${product}.price_sen`,
    imageUrl: sql.fragment`coalesce(${product}.picture, ${product}.given_image_url)`,
    isRemoved: sql.fragment`${product}.is_removed`,
  })
}

const messageColumns = sql.fragment`
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
const whatMessagesNeed = sql.fragment`
    left join message_texts t on t.message_id = m.id
    left join known_people sender on sender.user_id = m.sender_id
    left join known_people receiver on receiver.user_id = m.receiver_id
    left join known_people author on author.user_id = m.author_id
    left join products p on p.id = m.product_id
    left join deals d on d.id = m.transaction_id
    left join message_files f on f.message_id = m.id`

/** A page of a list, and how long that is. */
export interface Listed<Row> {
  readonly rows: readonly Row[]
  readonly total: number
}

/** Up to here the rows of a list are counted of which nothing else says how many there are. */
export const EXACT_COUNT_MAX = 10_000

/**
 * The rows of a page say how long the list is, for less than it costs to ask for that; where there is none it is asked for. They keep saying it, as a
 * copy of each without costs more than it hides.
 */
export async function listed<Row extends { readonly total: number }>(
  found: Promise<readonly Row[]>,
  count: () => Promise<number>,
): Promise<Listed<Omit<Row, 'total'>>> {
  const rows = await found
  return { rows, total: rows[0]?.total ?? (await count()) }
}

export interface Page {
  readonly limit: number
  /** Only what is older than this message. */
  readonly beforeId: number | null
}

/** A page without a beginning begins at the end: with one condition for both, a statement is prepared once. */
export const before = ({ beforeId }: Pick<Page, 'beforeId'>) => beforeId ?? Number.MAX_SAFE_INTEGER

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

const ConversationSide = z.object({
  unreadCount: z.number(),
  isBlocked: z.boolean(),
  about: ProductRow.nullable(),
  total: z.number(),
})
const ListedConversationRow = MessageRow.extend(ConversationSide.shape)
export interface ConversationRow extends Pick<z.infer<typeof ConversationSide>, 'unreadCount' | 'isBlocked'> {
  /** The other one. */
  readonly user: z.infer<typeof PersonRow>
  readonly product: z.infer<typeof ProductRow> | null
  readonly lastMessage: MessageRow
}

const sideColumns = sql.fragment`
  c.unread_count as "unreadCount",
  exists (select from blocks where user_id = c.user_id and blocked_id = c.other_id) as "isBlocked",
  ${productOf('about', 'about')}`

/** Somebody's conversations, the latest first; `beforeId` is the last message of the page before. */
export async function listConversations(
  executor: Executor,
  userId: number,
  { limit, beforeId }: Page,
): Promise<Listed<ConversationRow>> {
  const count = sql.fragment`select count(*) as count from conversations where user_id = ${userId}`
  const { rows, total } = await listed(
    executor.any(sql.prepared('conversations', ListedConversationRow)`
      with page as materialized (
        select * from conversations
         where user_id = ${userId} and last_message_id < ${before({ beforeId })}
         order by last_message_id desc
         limit ${limit})
      select ${messageColumns}, ${sideColumns}, (${count}) as total
        from page c join messages m on m.id = c.last_message_id ${whatMessagesNeed}
          left join products about on about.id = c.product_id
       order by c.last_message_id desc`),
    () => executor.oneFirst(sql.prepared('conversations-count', CountRow)`${count}`),
  )
  return {
    rows: rows.map((row) => ({
      user: row.senderId === userId ? row.receiver : row.sender,
      unreadCount: row.unreadCount,
      isBlocked: row.isBlocked,
      product: row.about,
      lastMessage: row,
    })),
    total,
  }
}

export async function countUnread(executor: Executor, userId: number): Promise<number> {
  return executor.oneFirst(sql.prepared('unread-count', CountRow)`
    select coalesce(sum(unread_count), 0)::bigint as count from conversations where user_id = ${userId}`)
}

const UserCountRow = CountRow.extend({ userId: z.number() })

/** The same of many. Whoever has no conversation is left out. */
export async function countUnreadOf(
  executor: Executor,
  userIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const rows = await executor.any(sql.prepared('unread-counts-of', UserCountRow)`
    select user_id as "userId", sum(unread_count)::bigint as count from conversations
     where user_id = any (${sql.array([...userIds], 'int8')})
     group by 1`)
  return new Map(rows.map(({ userId, count }) => [userId, count]))
}

/** How many messages somebody has not read of somebody else; for each pair, in their order. */
export async function listUnreadCounts(
  executor: Executor,
  sides: readonly { readonly userId: number; readonly otherId: number }[],
): Promise<readonly number[]> {
  return executor.anyFirst(sql.prepared('unread-counts', CountRow)`
    select coalesce(c.unread_count, 0) as count
      from jsonb_to_recordset(${JSON.stringify(sides.map((side, place) => ({ ...side, place })))}::jsonb)
             as asked ("userId" bigint, "otherId" bigint, place integer)
        left join conversations c on c.user_id = asked."userId" and c.other_id = asked."otherId"
     order by asked.place`)
}

/**
 * The id that the next message has. Only for who may add messages alone ({@link lockToSend}), so that messages are committed in the order of their
 * ids: whoever has seen one has not missed an earlier one.
 */
export async function nextMessageId(transaction: Transaction): Promise<number> {
  return transaction.oneFirst(sql.prepared('next-message-id', IdRow)`${nextId}`)
}

const nextId = sql.fragment`select coalesce(max(id), 0) + 1 as id from messages`

/**
 * Lets one transaction at a time do what is meant by the keys, until it ends; they are taken in the order as given. It writes nothing, so an append
 * may follow as the transaction's first write.
 */
export async function lock(transaction: Transaction, ...keys: readonly string[]): Promise<void> {
  await transaction.query(sql.prepared('lock', NoRow)`
    select pg_advisory_xact_lock(hashtextextended(key, 0)) from unnest(${sql.array([...keys], 'text')}) as key`)
}

/** The same for who adds messages to conversations: one transaction at a time in all of the service, so they have many in one where they can. */
export async function lockToSend(transaction: Transaction, ...streams: readonly string[]): Promise<void> {
  await lock(transaction, 'messages', ...streams.toSorted())
}

const VersionRow = z.object({ version: z.number() })

const versionOf = (stream: Fragment) =>
  sql.fragment`coalesce((select max(version) from events where stream = ${stream} collate "C"), 0)`

/** The versions of these streams, in their order. */
export async function listVersions(executor: Executor, streams: readonly string[]): Promise<readonly number[]> {
  return executor.anyFirst(sql.prepared('versions', VersionRow)`
    select ${versionOf(sql.fragment`asked.stream`)} as version
      from unnest(${sql.array([...streams], 'text')}) with ordinality as asked (stream, place)
     order by place`)
}

const ExchangeRow = z.object({
  /** The message that the command has led to before. */
  knownId: z.number().nullable(),
  sender: z.object({ isBanned: z.boolean(), isClosed: z.boolean(), registeredAt: z.string().nullable() }).nullable(),
  receiver: z.object({ isClosed: z.boolean() }).nullable(),
  isBlocked: z.boolean(),
  isOpen: z.boolean(),
  sentLately: z.number(),
  sentInMinute: z.number(),
  openedLately: z.number(),
  /** Of the stream of their conversation. */
  version: z.number(),
  /** The id that the next message has, see {@link nextMessageId}. */
  nextMessageId: z.number(),
})
export type ExchangeRow = z.infer<typeof ExchangeRow>

/** What people send has a `RequestKey` of theirs; what the product says in their names is called by what it is about, or nothing. */
const isOwn = sql.fragment`command_id ~ '^[0-9A-Fa-f-]{36}$'`

/**
 * Who two people are to each other, how much the one who writes has sent and begun lately, whether it was sent before, and where a message would
 * come; for each question, in their order. Only for who may add messages alone ({@link lockToSend}): everybody waits for it, so `offset 0` has the first
 * message of each new conversation looked up, where a join may read all messages that there are.
 */
export async function listExchanges(
  executor: Executor,
  questions: readonly {
    readonly senderId: number
    readonly receiverId: number
    readonly commandId: string
    /** Of their conversation. */
    readonly stream: string
    readonly nowMs: number
  }[],
): Promise<readonly ExchangeRow[]> {
  const of = (column: 'senderId' | 'receiverId' | 'commandId' | 'stream', type: string) =>
    sql.array(
      questions.map((question) => question[column]),
      type,
    )
  const nows = questions.map(({ nowMs }) => new Date(nowMs).toISOString())
  const since = (windowMs: number) => sql.fragment`asked.at - make_interval(secs => ${windowMs / 1000})`
  return executor.any(sql.prepared('exchanges', ExchangeRow)`
    select (select id from messages
             where sender_id = asked.sender_id and command_id = asked.command_id collate "C") as "knownId",
           (select jsonb_build_object('isBanned', is_banned, 'isClosed', is_closed, 'registeredAt', registered_at)
              from known_people where user_id = asked.sender_id) as sender,
           (select jsonb_build_object('isClosed', is_closed) from known_people where user_id = asked.receiver_id) as receiver,
           exists (select from blocks where user_id = asked.sender_id and blocked_id = asked.receiver_id)
             or exists (select from blocks where user_id = asked.receiver_id and blocked_id = asked.sender_id) as "isBlocked",
           exists (select from conversations where user_id = asked.sender_id and other_id = asked.receiver_id) as "isOpen",
           (select count(*) from messages
             where sender_id = asked.sender_id and sent_at > ${since(MESSAGES_WINDOW_MS)} and ${isOwn}) as "sentLately",
           (select count(*) from messages
             where sender_id = asked.sender_id and sent_at > ${since(LONGER_WINDOW_MS)} and ${isOwn}) as "sentInMinute",
           (select count(*) from conversations c
             where user_id = asked.sender_id and opened_by = asked.sender_id
               and opened_at > ${since(CONVERSATIONS_WINDOW_MS)}
               and exists (select from messages
                            where sender_id = c.user_id and receiver_id = c.other_id and sent_at = c.opened_at
                              and ${isOwn} offset 0)) as "openedLately",
           ${versionOf(sql.fragment`asked.stream`)} as version,
           (${nextId}) as "nextMessageId"
      from unnest(${of('senderId', 'int8')}, ${of('receiverId', 'int8')}, ${of('commandId', 'text')},
                  ${of('stream', 'text')}, ${sql.array(nows, 'timestamptz')})
             with ordinality as asked (sender_id, receiver_id, command_id, stream, at, place)
     order by place`)
}

/** Those that somebody has got from somebody and not read, the oldest first; so many of all, or just the one. */
export async function listUnread(
  executor: Executor,
  {
    readerId,
    senderId,
    messageId,
    limit,
  }: {
    readonly readerId: number
    readonly senderId: number
    readonly messageId: number | null
    readonly limit: number
  },
): Promise<readonly number[]> {
  return executor.anyFirst(sql.type(IdRow)`
    select id from messages
     where receiver_id = ${readerId} and sender_id = ${senderId} and read_at is null
       ${messageId === null ? sql.fragment`` : sql.fragment`and id = ${messageId}`}
     order by id
     limit ${limit}`)
}

const SenderIdRow = z.object({ senderId: z.number() })

/** Who sent somebody this message; `null` when it is none of theirs. */
export async function findSender(executor: Executor, receiverId: number, messageId: number): Promise<number | null> {
  return executor.maybeOneFirst(sql.type(SenderIdRow)`
    select sender_id as "senderId" from messages where id = ${messageId} and receiver_id = ${receiverId}`)
}

/** A message as it is sent. `content` is `null` where its text is there already: when the tables are made anew. */
export interface NewMessage {
  readonly sent: Sent
  readonly commandId: string | null
  readonly content: string | null
}

/** Adds messages to both sides of their conversations, each once. */
export async function insertMessages(executor: Executor, messages: readonly NewMessage[]): Promise<void> {
  const column = (value: (message: NewMessage) => string | number | null, type: string) =>
    sql.array(messages.map(value), type)
  await executor.query(sql.prepared('insert-messages', NoRow)`
    with given as materialized (
      select * from unnest(
        ${column(({ sent }) => sent.messageId, 'int8')}, ${column(({ sent }) => sent.senderId, 'int8')},
        ${column(({ sent }) => sent.receiverId, 'int8')}, ${column(({ sent }) => sent.productId, 'int8')},
        ${column(({ sent }) => sent.kind, 'text')}, ${column(({ sent }) => sent.transactionId, 'int8')},
        ${column(({ sent }) => sent.actionType, 'text')}, ${column(({ sent }) => sent.sentAt, 'timestamptz')},
        ${column(({ commandId }) => commandId, 'text')}, ${column(({ sent }) => sent.authorId ?? null, 'int8')},
        ${column(({ content }) => content, 'text')}
      ) as given (id, sender_id, receiver_id, product_id, kind, transaction_id, action_type, sent_at, command_id, author_id, content)
    ), sent as (
      insert into messages (id, sender_id, receiver_id, product_id, kind, transaction_id, action_type, sent_at, command_id, author_id)
      select id, sender_id, receiver_id, product_id, kind, transaction_id, action_type, sent_at, command_id, author_id from given
      on conflict (id) do nothing
      returning *
    ), texts as (
      insert into message_texts (message_id, content) select id, content from given where content is not null
    )
    insert into conversations as c
           (user_id, other_id, last_message_id, product_id, message_count, unread_count, opened_by, opened_at)
    select side.user_id, side.other_id, max(sent.id),
           (array_agg(sent.product_id order by sent.id desc) filter (where sent.product_id is not null))[1],
           count(*), sum(side.unread), (array_agg(sent.sender_id order by sent.id))[1], min(sent.sent_at)
      from sent, lateral (values (sent.sender_id, sent.receiver_id, 0), (sent.receiver_id, sent.sender_id, 1))
        as side (user_id, other_id, unread)
     group by 1, 2
     order by 1, 2
    on conflict (user_id, other_id) do update
       set last_message_id = greatest(c.last_message_id, excluded.last_message_id),
           product_id = coalesce(excluded.product_id, c.product_id),
           message_count = c.message_count + excluded.message_count,
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

const UserIdRow = z.object({ userId: z.number() })

/** These people are erased: what they wrote goes where the others are, too. */
export async function insertErasedReaders(executor: Executor, userIds: readonly number[]): Promise<void> {
  await executor.query(sql.unsafe`
    insert into erased_readers (user_id) select distinct unnest(${sql.array([...userIds], 'int8')}) order by 1
    on conflict do nothing`)
}

/** Those whose conversations were not looked through yet, so many at most. */
export async function listErasedReaders(executor: Executor, limit: number): Promise<readonly number[]> {
  return executor.anyFirst(sql.type(UserIdRow)`
    select user_id as "userId" from erased_readers order by user_id limit ${limit}`)
}

export async function forgetErasedReader(executor: Executor, userId: number): Promise<void> {
  await executor.query(sql.unsafe`delete from erased_readers where user_id = ${userId}`)
}

const LastIdRow = z.object({ id: z.number().nullable() })

/**
 * Looks through some messages of somebody who is erased, and deletes the texts that nobody is left to read, because the other one is erased, too. Their
 * files belong to no message any more, and are removed as such.
 * @returns the last message that was looked at, `null` when there is none after `afterId`
 */
export async function deleteTextsWithoutReaders(
  executor: Executor,
  { userId, afterId, limit }: { readonly userId: number; readonly afterId: number; readonly limit: number },
): Promise<number | null> {
  const own = (column: Fragment) => sql.fragment`
    (select id, sender_id, receiver_id from messages where ${column} = ${userId} and id > ${afterId} order by id limit ${limit})`
  return executor.oneFirst(sql.type(LastIdRow)`
    with page as materialized (
      select * from (${own(sender)} union all ${own(receiver)}) own order by id limit ${limit}
    ), unread as materialized (
      select page.id from page join known_people other on other.user_id = page.sender_id + page.receiver_id - ${userId}
       where other.is_erased
    ), texts as (
      delete from message_texts where message_id in (select id from unread)
    ), files as (
      update message_files set message_id = null, name = '', created_at = '-infinity'
       where message_id in (select id from unread)
    )
    select max(id) as id from page`)
}
