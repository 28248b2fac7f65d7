import { createHash } from 'node:crypto'
import { z } from 'zod'
import { type DatabasePool, sql } from '../database/postgres.ts'
import { Rejection } from '../errors.ts'
import type { RateLimit } from './rate-limit.ts'

/** A limit per key that all copies of a service count together. */
export interface SharedRateLimiter {
  /**
   * Counts one attempt of `key` (an address, a user id).
   * @throws Rejection('rate-limited') with `retryAfterS` in its details when there were too many; that one is not counted
   */
  take(key: string | number): Promise<void>
  /** The same where nobody is to be told. @returns false when there were too many */
  allows(key: string | number): Promise<boolean>
  /** Gives back all attempts of `key`, where only failed ones are to count. */
  forget(key: string | number): Promise<void>
}

/** After so many attempts that this process counted, what has run out is removed. */
const PURGE_EVERY = 1000
/** A sum of fractions must not cost the last attempt. */
const TOLERANCE = 0.01

/**
 * The same rule as of `createRateLimiter`, counted in the database: for what guards a secret or makes somebody else a mail, so that a second copy of the
 * service is no second set of tries. Costs a small write per attempt; the clock is the database's.
 * @param rule.name tells the limits of a service apart
 * @param rule.isExact lets no more than `limit` through in any `windowMs`, so that each comes back when it is as old as that; what is refilled
 * evenly lets nearly twice as many through in the first one. For tries of a secret: it keeps the time of each attempt
 */
export function createSharedRateLimiter(
  app: { readonly pool: DatabasePool; readonly rateLimitFactor: number },
  rule: RateLimit & { readonly name: string; readonly isExact?: boolean },
): SharedRateLimiter {
  const { pool } = app
  const limit = rule.limit * app.rateLimitFactor
  const intervalMs = rule.windowMs / limit
  const windowMs = rule.isExact ? rule.windowMs : rule.windowMs + intervalMs * TOLERANCE
  const [spend, findWaitMs] = rule.isExact ? [spendExactly, findExactWaitMs] : [spendEvenly, findEvenWaitMs]
  let taken = 0

  const attemptOf = (key: string | number) => ({ rule: rule.name, key: hashOf(key), limit, intervalMs, windowMs })
  async function allows(key: string | number): Promise<boolean> {
    taken += 1
    if (taken % PURGE_EVERY === 0) await purge(pool)
    return spend(pool, attemptOf(key))
  }

  return {
    allows,
    async take(key) {
      if (await allows(key)) return
      const waitMs = await findWaitMs(pool, attemptOf(key))
      throw new Rejection('rate-limited', undefined, { retryAfterS: Math.max(1, Math.ceil(waitMs / 1000)) })
    },
    async forget(key) {
      await pool.query(sql.unsafe`delete from shared_limits where rule = ${rule.name} and key = ${hashOf(key)}`)
    },
  }
}

const Spent = z.object({ forMs: z.number() })

interface Attempt {
  readonly rule: string
  readonly key: string
  readonly limit: number
  readonly intervalMs: number
  readonly windowMs: number
}

/** @returns false when there were too many, and nothing was counted */
async function spendEvenly(pool: DatabasePool, { rule, key, intervalMs, windowMs }: Attempt): Promise<boolean> {
  const { rowCount } = await pool.query(sql.unsafe`
    insert into shared_limits as known (rule, key, spent_until)
    values (${rule}, ${key}, clock_timestamp() + ${intervalMs}::float8 * interval '1 ms')
    on conflict (rule, key) do update
      set spent_until = greatest(known.spent_until, clock_timestamp()) + ${intervalMs}::float8 * interval '1 ms'
      where greatest(known.spent_until, clock_timestamp()) + (${intervalMs}::float8 - ${windowMs}::float8) * interval '1 ms' <= clock_timestamp()
    returning true`)
  return rowCount > 0
}

async function findEvenWaitMs(pool: DatabasePool, { rule, key, intervalMs, windowMs }: Attempt): Promise<number> {
  const spent = await pool.maybeOne(sql.type(Spent)`
    select (extract(epoch from spent_until - clock_timestamp()) * 1000)::float8 as "forMs"
      from shared_limits where rule = ${rule} and key = ${key}`)
  return (spent?.forMs ?? 0) + intervalMs - windowMs
}

/** The last `limit` attempts are known: the first of them must be over. */
const firstOfLast = (limit: number) => sql.fragment`known.attempts[cardinality(known.attempts) - ${limit}::int + 1]`

/** @returns false when there were too many, and nothing was counted */
async function spendExactly(pool: DatabasePool, { rule, key, limit, windowMs }: Attempt): Promise<boolean> {
  const { rowCount } = await pool.query(sql.unsafe`
    insert into shared_limits as known (rule, key, spent_until, attempts)
    values (${rule}, ${key}, clock_timestamp() + ${windowMs}::float8 * interval '1 ms', array[clock_timestamp()])
    on conflict (rule, key) do update
      set spent_until = excluded.spent_until,
          attempts = known.attempts[greatest(1, cardinality(known.attempts) - ${limit}::int + 2):] || clock_timestamp()
      where cardinality(known.attempts) < ${limit}::int
         or ${firstOfLast(limit)} <= clock_timestamp() - ${windowMs}::float8 * interval '1 ms'
    returning true`)
  return rowCount > 0
}

async function findExactWaitMs(pool: DatabasePool, { rule, key, limit, windowMs }: Attempt): Promise<number> {
  const spent = await pool.maybeOne(sql.type(Spent)`
    select (extract(epoch from ${firstOfLast(limit)} - clock_timestamp()) * 1000)::float8 as "forMs"
      from shared_limits known where rule = ${rule} and key = ${key} and cardinality(attempts) >= ${limit}::int`)
  return (spent?.forMs ?? -windowMs) + windowMs
}

async function purge(pool: DatabasePool): Promise<void> {
  await pool.query(sql.unsafe`delete from shared_limits where spent_until < clock_timestamp()`)
}

/** The table need not say who. */
const hashOf = (key: string | number) => createHash('sha256').update(String(key)).digest('base64url')
