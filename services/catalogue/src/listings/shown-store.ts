import { SHOWN_PER_PAGE } from '@wangian/contracts/shop.ts'
import { CountRow, type Executor, sql } from '@wangian/kit/database/postgres.ts'
import { z } from 'zod'
import { isPublic } from '../store.ts'

const EntryRow = z.object({ id: z.number(), changedAt: z.string().nullable() })
/** A page of what search engines may know: those of one range of ids, so that a page costs the same wherever it is, and stays what it is. */
export async function listShown(
  executor: Executor,
  kind: 'products' | 'shops',
  page: number,
): Promise<{ readonly pageCount: number; readonly entries: readonly z.infer<typeof EntryRow>[] }> {
  const first = (page - 1) * SHOWN_PER_PAGE
  const last = page * SHOWN_PER_PAGE
  const isOnPage = (id: ReturnType<typeof sql.fragment>) => sql.fragment`${id} > ${first} and ${id} <= ${last}`
  if (kind === 'products') {
    const highest = await executor.oneFirst(sql.type(CountRow)`select coalesce(max(id), 0) as count from products`)
    const entries = await executor.any(sql.type(EntryRow)`
      select p.id, p.updated_at as "changedAt" from products p
       where ${isOnPage(sql.fragment`p.id`)} and ${isPublic} order by p.id`)
    return { pageCount: Math.ceil(highest / SHOWN_PER_PAGE), entries }
  }
  const highest = await executor.oneFirst(sql.type(CountRow)`select coalesce(max(seller_id), 0) as count from products`)
  const entries = await executor.any(sql.type(EntryRow)`
    select s.user_id as id, null as "changedAt" from known_people s
     where ${isOnPage(sql.fragment`s.user_id`)} and s.shop_name is not null
       and exists (select from products p where p.seller_id = s.user_id and ${isPublic})
     order by s.user_id`)
  return { pageCount: Math.ceil(highest / SHOWN_PER_PAGE), entries }
}
