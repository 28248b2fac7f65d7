import { CountRow, type Executor, sql } from '@wangian/kit/database/postgres.ts'
import { z } from 'zod'
import { before, type Listed, listed, type Page, type PersonRow, ProductRow, productOf } from '../list-store.ts'
import { MessageRow, messageColumns, whatMessagesNeed } from './message-store.ts'

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
