import { type Executor, type Fragment, sql } from '@wangian/kit/database/postgres.ts'
import { z } from 'zod'

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
      select * from (${own(sql.fragment`sender_id`)} union all ${own(sql.fragment`receiver_id`)}) own order by id limit ${limit}
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
