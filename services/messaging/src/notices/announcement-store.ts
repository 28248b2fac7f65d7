import { ENDING_NOTICE_MS, NoticeKind } from '@wangian/contracts/notices.ts'
import { type Executor, NoRow, sql } from '@wangian/kit/database/postgres.ts'
import { z } from 'zod'

/** What is told to many, some at a time: who is told next, and up to whom it was told. */

const Audience = z.enum(['watchers', 'early-watchers', 'favorers'])

const AnnouncementRow = z.object({
  topic: z.enum(['auction', 'favorite']),
  topicId: z.number(),
  /** Who watches the auction, who did before it was about to end, or who keeps the product. */
  audience: Audience,
  kind: NoticeKind,
  otherId: z.number().nullable(),
  productId: z.number(),
  /** Of a favourite that costs less. */
  price: z.object({ priceSen: z.number(), formerPriceSen: z.number() }).nullable(),
  at: z.string(),
  /** Who is told otherwise, or nothing. */
  exceptIds: z.array(z.number()).readonly(),
})
export type Announcement = Readonly<z.infer<typeof AnnouncementRow>>
const BegunRow = AnnouncementRow.extend({
  /** Whoever comes up to this one is told. */
  toldUserId: z.number(),
})
export type BegunAnnouncement = Readonly<z.infer<typeof BegunRow>>

const columns = sql.fragment`
  topic, topic_id as "topicId", audience, kind, other_id as "otherId", product_id as "productId",
  case when price_sen is not null then jsonb_build_object('priceSen', price_sen, 'formerPriceSen', former_price_sen) end as price,
  happened_at as at, except_ids as "exceptIds", told_user_id as "toldUserId"`

/** From the first one on; what was being told of the same before is told no more. Of each subject one, of one instant the lower price. */
export async function saveAnnouncements(executor: Executor, announcements: readonly Announcement[]): Promise<void> {
  await executor.query(sql.prepared('save-announcements', NoRow)`
    insert into announcements as known
           (topic, topic_id, audience, kind, other_id, product_id, price_sen, former_price_sen, happened_at, except_ids, told_user_id)
    select topic, "topicId", audience, kind, "otherId", "productId",
           (price ->> 'priceSen')::bigint, (price ->> 'formerPriceSen')::bigint, at, "exceptIds", 0
      from jsonb_to_recordset(${JSON.stringify(announcements)}::jsonb)
             as said (topic text, "topicId" bigint, audience text, kind text, "otherId" bigint, "productId" bigint, price jsonb,
                      at timestamptz, "exceptIds" bigint[])
     order by 1, 2
    on conflict (topic, topic_id) do update
       set audience = excluded.audience, kind = excluded.kind, other_id = excluded.other_id, product_id = excluded.product_id,
           price_sen = excluded.price_sen, former_price_sen = excluded.former_price_sen, happened_at = excluded.happened_at,
           except_ids = excluded.except_ids, told_user_id = 0
     where known.happened_at < excluded.happened_at
        or (known.happened_at = excluded.happened_at and excluded.price_sen < known.price_sen)`)
}

/** Those of these auctions, or of so many, that are not told to all; nobody else goes on with them meanwhile. */
export async function takeWatchersAnnouncements(
  executor: Executor,
  those: { readonly auctionIds: readonly number[] } | { readonly limit: number },
): Promise<readonly BegunAnnouncement[]> {
  const which =
    'auctionIds' in those
      ? sql.fragment`and topic_id = any (${sql.array([...those.auctionIds], 'int8')}) order by topic_id`
      : sql.fragment`order by topic_id limit ${those.limit}`
  return executor.any(sql.type(BegunRow)`
    select ${columns} from announcements where topic = 'auction' ${which} for update`)
}

const IsAnyRow = z.object({ isAny: z.boolean() })

/** Whether somebody has something to be told of yet. */
export function hasAnnouncements(executor: Executor): Promise<boolean> {
  return executor.oneFirst(sql.type(IsAnyRow)`select exists (select from announcements) as "isAny"`)
}

export async function listFavorersAnnouncements(
  executor: Executor,
  limit: number,
): Promise<readonly BegunAnnouncement[]> {
  return executor.any(sql.type(BegunRow)`
    select ${columns} from announcements where topic = 'favorite' order by topic_id limit ${limit}`)
}

const WatcherRow = z.object({ auctionId: z.number(), userId: z.number() })

/**
 * Who is told next of these auctions, in the order of the auctions and then of people, so many of all of them: who says that they watch, and who has
 * bid and does not say otherwise. Each is read in the order of its key and no further than that.
 */
export async function listNextWatchers(
  executor: Executor,
  announcements: readonly BegunAnnouncement[],
  limit: number,
): Promise<readonly z.infer<typeof WatcherRow>[]> {
  const isNext = sql.fragment`
    auction_id = a.id and user_id > told."toldUserId"
      and (told.audience = 'watchers' or since < a.ends_at - make_interval(secs => ${ENDING_NOTICE_MS / 1000}))
    order by user_id
    limit ${limit}`
  return executor.any(sql.type(WatcherRow)`
    select told."topicId" as "auctionId", next.user_id as "userId"
      from (select * from jsonb_to_recordset(${JSON.stringify(announcements)}::jsonb)
                       as told ("topicId" bigint, audience text, "toldUserId" bigint)
             order by 1) told
      join auctions a on a.id = told."topicId"
     cross join lateral (
       (select user_id from auction_watches where is_watching and ${isNext})
       union all
       (select user_id from auction_bidders b
         where not exists (select from auction_watches w where w.auction_id = b.auction_id and w.user_id = b.user_id) and ${isNext})
     ) next
     order by 1, 2
     limit ${limit}`)
}

/** Remembers up to whom it is told now, `null` for all. @returns whether nobody else has gone on with it meanwhile */
export async function moveAnnouncement(
  executor: Executor,
  { topic, topicId, at, toldUserId }: BegunAnnouncement,
  nextUserId: number | null,
): Promise<boolean> {
  const isMeant = sql.fragment`
    topic = ${topic} and topic_id = ${topicId} and happened_at = ${at} and told_user_id = ${toldUserId}`
  const { rowCount } = await executor.query(
    nextUserId === null
      ? sql.unsafe`delete from announcements where ${isMeant}`
      : sql.unsafe`update announcements set told_user_id = ${nextUserId} where ${isMeant}`,
  )
  return rowCount === 1
}

/** These are told to all. */
export async function endAnnouncements(executor: Executor, auctionIds: readonly number[]): Promise<void> {
  await executor.query(sql.unsafe`
    delete from announcements where topic = 'auction' and topic_id = any (${sql.array([...auctionIds], 'int8')})`)
}
