import { type Executor, sql } from '@wangian/kit/database/postgres.ts'
import { z } from 'zod'

/** Every statement about packages. */

const PackageRow = z.object({
  id: z.number(),
  name: z.string(),
  packageType: z.enum(['standard', 'premium']),
  itemCount: z.number(),
  priceSen: z.number(),
  durationHours: z.number(),
})
export type PackageRow = z.infer<typeof PackageRow>

/** What can be bought now, all or the one with that id. */
export async function listPackages(executor: Executor, id: number | null): Promise<readonly PackageRow[]> {
  return executor.any(sql.type(PackageRow)`
    select id, name, package_type as "packageType", item_count as "itemCount", price as "priceSen", duration_hours as "durationHours"
      from boost_packages
     where is_active and ${id === null ? sql.fragment`true` : sql.fragment`id = ${id}`}
     order by id`)
}
