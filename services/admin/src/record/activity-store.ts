import { AdminAction, AdminActivity } from '@wangian/contracts/admin.ts'
import { CountRow, type Executor, sql, type Transaction } from '@wangian/kit/database/postgres.ts'
import { named } from '@wangian/kit/people/people-store.ts'
import { z } from 'zod'
import type { Action } from './domain.ts'

export async function insertAction(transaction: Transaction, action: Action): Promise<void> {
  const { sourceId, actorId, targetKind, targetId, reason, before, after, takenAt } = action
  await transaction.query(sql.unsafe`
    insert into activity (id, taken_at, actor_id, action, target_kind, target_id, reason, before, after)
    values (${sourceId}, ${takenAt}, ${actorId}, ${action.action}, ${targetKind}, ${targetId}, ${reason},
            ${JSON.stringify(before)}::jsonb, ${JSON.stringify(after)}::jsonb)`)
}

const { kind } = AdminActivity.shape.target.shape
const ActivityRow = z.object({
  id: z.string(),
  at: z.string(),
  actor: z.object({ id: z.number(), username: z.string().nullable() }),
  action: AdminAction,
  target: z.object({ kind, id: z.string(), name: z.string().nullable() }),
  reason: z.string().nullable(),
  before: AdminActivity.shape.before,
  after: AdminActivity.shape.after,
})
export type ActivityRow = z.infer<typeof ActivityRow>

export interface ActivityFilter {
  readonly actorId?: number | undefined
  readonly action?: string | undefined
  readonly targetKind?: string | undefined
  readonly targetId?: string | undefined
}

/** Behind this entry. */
export interface ActivityPlace {
  readonly at: string
  readonly id: string
}

function conditionOf({ actorId, action, targetKind, targetId }: ActivityFilter) {
  const conditions = [sql.fragment`true`]
  if (actorId !== undefined) conditions.push(sql.fragment`t.actor_id = ${actorId}`)
  if (action !== undefined) conditions.push(sql.fragment`t.action = ${action}`)
  if (targetKind !== undefined) conditions.push(sql.fragment`t.target_kind = ${targetKind}`)
  if (targetId !== undefined) conditions.push(sql.fragment`t.target_id = ${targetId}`)
  return sql.join(conditions, sql.fragment` and `)
}

/** The latest first. Targets have the names that they have now. */
export function listActivity(
  executor: Executor,
  filter: ActivityFilter,
  { limit, after }: { readonly limit: number; readonly after: ActivityPlace | null },
): Promise<readonly ActivityRow[]> {
  const behind =
    after === null
      ? sql.fragment`true`
      : sql.fragment`(t.taken_at, t.id) < (${after.at}::timestamptz, ${after.id}::uuid)`
  return executor.any(sql.type(ActivityRow)`
    select t.id, t.taken_at as at, ${named('t', 'actor_id')} as actor, t.action,
           jsonb_build_object('kind', t.target_kind, 'id', t.target_id, 'name',
             case t.target_kind
               when 'user' then (select k.username from known_people k where k.user_id = t.target_id::bigint)
               when 'order' then (select o.product_name from orders o where o.id = t.target_id::bigint)
               when 'listing' then (select l.name from listings l where l.id = t.target_id::bigint)
             end) as target,
           t.reason, t.before, t.after
      from activity t
     where ${conditionOf(filter)} and ${behind}
     order by t.taken_at desc, t.id desc
     limit ${limit}`)
}

export function countActivity(executor: Executor, filter: ActivityFilter, countMax: number): Promise<number> {
  return executor.oneFirst(sql.type(CountRow)`
    select count(*) as count from (select from activity t where ${conditionOf(filter)} limit ${countMax}) found`)
}
