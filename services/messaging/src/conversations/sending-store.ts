import type { StoredData } from '@wangian/contracts/events/definition.ts'
import type { messagingEvents } from '@wangian/contracts/events/messaging.ts'
import { type Executor, type Fragment, IdRow, NoRow, sql, type Transaction } from '@wangian/kit/database/postgres.ts'
import { z } from 'zod'
import { lock } from '../lock-store.ts'
import { CONVERSATIONS_WINDOW_MS, LONGER_WINDOW_MS, MESSAGES_WINDOW_MS } from './domain.ts'

/** What is asked and written when something is sent or read. */

type Sent = StoredData<typeof messagingEvents.MessageSent>
type Read = StoredData<typeof messagingEvents.MessagesRead>

/**
 * The id that the next message has. Only for who may add messages alone ({@link lockToSend}), so that messages are committed in the order of their
 * ids: whoever has seen one has not missed an earlier one.
 */
export async function nextMessageId(transaction: Transaction): Promise<number> {
  return transaction.oneFirst(sql.prepared('next-message-id', IdRow)`${nextId}`)
}

const nextId = sql.fragment`select coalesce(max(id), 0) + 1 as id from messages`

/** For who adds messages to conversations: one transaction at a time in all of the service, so they have many in one where they can. */
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
