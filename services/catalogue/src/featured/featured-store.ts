import { type Executor, sql } from '@wangian/kit/database/postgres.ts'
import { z } from 'zod'
import { isPublic, ProductIdRow } from '../store.ts'

/** What is shown in the first places, by the database's clock. */

/** The products that are featured now, those that were featured last first. */
export function listFeatured(executor: Executor, limit: number): Promise<readonly number[]> {
  return executor.anyFirst(sql.type(ProductIdRow)`
    select p.id from products p
     where p.is_featured and p.featured_until > now() and ${isPublic}
     order by p.featured_at desc, p.id desc
     limit ${limit}`)
}

const DueRow = z.object({ at: z.string(), productIds: z.array(z.number()), nextInMs: z.number().nullable() })

/** Whose time is over, and how long until that of the next one is. */
export function findFeaturedDue(executor: Executor, limit: number): Promise<z.infer<typeof DueRow>> {
  return executor.one(sql.type(DueRow)`
    select now() as at,
           array(select id from products where is_featured and featured_until <= now()
                  order by featured_until limit ${limit}) as "productIds",
           (select ceil(extract(epoch from min(featured_until) - now()) * 1000)
              from products where is_featured and featured_until > now()) as "nextInMs"`)
}

const NowRow = z.object({ now: z.string() })

export function readClock(executor: Executor): Promise<string> {
  return executor.oneFirst(sql.type(NowRow)`select clock_timestamp() as now`)
}
