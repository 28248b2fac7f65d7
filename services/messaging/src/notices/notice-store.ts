import { NoticeKind } from '@wangian/contracts/notices.ts'
import { CountRow, type Executor, IdRow, sql, type Transaction } from '@wangian/kit/database/postgres.ts'
import { z } from 'zod'
import { before, type Listed, listed, type Page, PersonRow, ProductRow, personOf, productOf } from '../list-store.ts'
import { lock } from '../lock-store.ts'

/** Every statement about notices. */

/** What a notice is about: of each somebody has one notice. The id is that of the other one, the auction, the deal or the product. */
export type Topic = 'auction' | 'conversation' | 'deal' | 'listing' | 'favorite'

/** Something to tell somebody. */
export interface Telling {
  readonly userId: number
  readonly topic: Topic
  readonly topicId: number
  readonly kind: NoticeKind
  /** Who has done it, where they are told of; whoever has blocked them hears nothing of it. */
  readonly otherId: number | null
  readonly productId: number | null
  /** Of a favourite that costs less. */
  readonly price?: { readonly priceSen: number; readonly formerPriceSen: number }
  readonly at: string
}

export type Subject = Pick<Telling, 'userId' | 'topic' | 'topicId'>

/** One transaction at a time writes notices of many, so that none waits for another, and they become visible in the order of their ids. */
export function lockNotices(transaction: Transaction): Promise<void> {
  return lock(transaction, 'notices')
}

/**
 * Writes what is told, of each subject one. What is older than what was told of it, or the same, changes nothing, and who has left is told nothing. Of
 * one instant the lower price is told.
 * @returns the ids of what is new
 */
export async function saveNotices(executor: Executor, tellings: readonly Telling[]): Promise<readonly number[]> {
  return executor.anyFirst(sql.prepared('save-notices', IdRow)`
    insert into notices as known (user_id, topic, topic_id, id, kind, other_id, product_id, price_sen, former_price_sen, happened_at)
    select "userId", topic, "topicId", nextval('notice_ids'), kind, "otherId", "productId",
           (price ->> 'priceSen')::bigint, (price ->> 'formerPriceSen')::bigint, at
      from (select *
              from jsonb_to_recordset(${JSON.stringify(tellings)}::jsonb)
                     as said ("userId" bigint, topic text, "topicId" bigint, kind text, "otherId" bigint, "productId" bigint,
                              price jsonb, at timestamptz)
             where not exists (select from known_people where user_id = said."userId" and is_closed)
             order by at) as said
    on conflict (user_id, topic, topic_id) do update
       set id = excluded.id, kind = excluded.kind, other_id = excluded.other_id, product_id = excluded.product_id,
           price_sen = excluded.price_sen, former_price_sen = excluded.former_price_sen,
           happened_at = excluded.happened_at, read_at = null
     where known.happened_at <= excluded.happened_at
       and ((known.kind, known.happened_at) is distinct from (excluded.kind, excluded.happened_at)
            or excluded.price_sen < known.price_sen)
    returning id`)
}

/** Marks as read what is of no concern any more, if it says so. @returns the ids of what was unread until now */
export async function settleNotices(
  executor: Executor,
  subjects: readonly Subject[],
  kinds: readonly NoticeKind[] | null,
): Promise<readonly number[]> {
  return executor.anyFirst(sql.prepared('settle-notices', IdRow)`
    update notices n set read_at = now()
      from jsonb_to_recordset(${JSON.stringify(subjects)}::jsonb)
             as said ("userId" bigint, topic text, "topicId" bigint)
     where n.user_id = said."userId" and n.topic = said.topic and n.topic_id = said."topicId"
       and n.read_at is null
       and (${kinds === null} or n.kind = any (${sql.array([...(kinds ?? [])], 'text')}))
    returning n.id`)
}

/** Marks as read what somebody has seen: the one, or all up to it. @returns whether anything was unread until now */
export async function setNoticesRead(
  executor: Executor,
  userId: number,
  what: { readonly id: number } | { readonly upTo: number },
): Promise<boolean> {
  const isMeant = 'id' in what ? sql.fragment`id = ${what.id}` : sql.fragment`id <= ${what.upTo}`
  const { rowCount } = await executor.query(sql.unsafe`
    update notices set read_at = now() where user_id = ${userId} and read_at is null and ${isMeant}`)
  return rowCount > 0
}

export const NoticeRow = z.object({
  userId: z.number(),
  id: z.number(),
  key: z.string(),
  kind: NoticeKind,
  at: z.string(),
  isRead: z.boolean(),
  user: PersonRow.nullable(),
  product: ProductRow.nullable(),
  auctionId: z.number().nullable(),
  auctionAmountSen: z.number().nullable(),
  endsAt: z.string().nullable(),
  leaderId: z.number().nullable(),
  outcome: z.enum(['won', 'no-bids', 'reserve-not-met', 'winner-unavailable', 'cancelled']).nullable(),
  dealId: z.number().nullable(),
  dealAmountSen: z.number().nullable(),
  sellerId: z.number().nullable(),
  rating: z.number().nullable(),
  priceSen: z.number().nullable(),
  formerPriceSen: z.number().nullable(),
  unreadMessages: z.number().nullable(),
})
export type NoticeRow = z.infer<typeof NoticeRow>
const ListedNoticeRow = NoticeRow.extend({ total: z.number() })

const noticeColumns = sql.fragment`
  n.user_id as "userId", n.id, n.topic || '-' || n.topic_id as key, n.kind, n.happened_at as at, n.read_at is not null as "isRead",
  ${personOf('user', 'other', sql.fragment`n.other_id`)},
  ${productOf('product', 'p')},
  a.id as "auctionId", a.amount_sen as "auctionAmountSen", a.ends_at as "endsAt", a.leader_id as "leaderId", a.outcome,
  d.id as "dealId", d.amount_sen as "dealAmountSen", d.seller_id as "sellerId", d.rating::float8 as rating,
  n.price_sen as "priceSen", n.former_price_sen as "formerPriceSen", c.unread_count as "unreadMessages"`

/** What a notice says is how things are now, so it is looked up when it is shown. */
const whatNoticesSay = sql.fragment`
    left join known_people other on other.user_id = n.other_id
    left join products p on p.id = n.product_id
    left join auctions a on n.topic = 'auction' and a.id = n.topic_id
    left join deals d on n.topic = 'deal' and d.id = n.topic_id
    left join conversations c on n.topic = 'conversation' and c.user_id = n.user_id and c.other_id = n.topic_id`

/** Whoever has blocked somebody hears nothing of them, but always that an administrator has removed a listing of theirs. */
const isHeard = sql.fragment`
  (n.topic = 'listing' or not exists (select from blocks b where b.user_id = n.user_id and b.blocked_id = n.other_id))`

/** The notices with these ids, in their order; by a prepared statement as messages are. */
export async function findNotices(executor: Executor, ids: readonly number[]): Promise<readonly NoticeRow[]> {
  return executor.any(sql.prepared('notices-by-id', NoticeRow)`
    select ${noticeColumns}
      from notices n ${whatNoticesSay}
     where n.id = any (${sql.array([...ids], 'int8')}) and ${isHeard}
     order by n.id`)
}

/** Somebody's notices, the latest first. */
export async function listNotices(executor: Executor, userId: number, page: Page): Promise<Listed<NoticeRow>> {
  const own = sql.fragment`from notices n where n.user_id = ${userId} and ${isHeard}`
  return listed(
    executor.any(sql.prepared('notices', ListedNoticeRow)`
      select ${noticeColumns}, (select count(*) ${own}) as total
        from (select * ${own} and n.id < ${before(page)} order by n.id desc limit ${page.limit}) n
             ${whatNoticesSay}
       order by n.id desc`),
    () => executor.oneFirst(sql.prepared('notices-count', CountRow)`select count(*) ${own}`),
  )
}

export async function countUnreadNotices(executor: Executor, userId: number): Promise<number> {
  return (await countUnreadNoticesOf(executor, [userId])).get(userId) ?? 0
}

const UserCountRow = CountRow.extend({ userId: z.number() })

/** The same of many. Whoever has none is left out. */
export async function countUnreadNoticesOf(
  executor: Executor,
  userIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const rows = await executor.any(sql.prepared('unread-notices-count', UserCountRow)`
    select n.user_id as "userId", count(*) as count from notices n
     where n.user_id = any (${sql.array([...userIds], 'int8')}) and n.read_at is null and ${isHeard}
     group by 1`)
  return new Map(rows.map(({ userId, count }) => [userId, count]))
}

/** Of people who are erased nothing is kept. */
export async function deleteNoticesOf(executor: Executor, userIds: readonly number[]): Promise<void> {
  await executor.query(sql.unsafe`
    delete from notices where user_id = any (${sql.array([...userIds], 'int8')})`)
}

/**
 * Removes what is older, so many at once: their ids are a value, for joined with how many there may be Postgres would read all notices to find them.
 * @returns how many were removed
 */
export async function deleteOldNotices(
  executor: Executor,
  { before, limit }: { readonly before: string; readonly limit: number },
): Promise<number> {
  const { rowCount } = await executor.query(sql.unsafe`
    delete from notices where id = any (array(
      select id from notices where happened_at < ${before} order by happened_at limit ${limit}))`)
  return rowCount
}
