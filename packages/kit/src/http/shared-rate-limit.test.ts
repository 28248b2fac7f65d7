import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DatabasePool, sql } from '../database/postgres.ts'
import { Rejection } from '../errors.ts'
import { eventually } from '../testing/eventually.ts'
import { createTestDatabase } from '../testing/test-database.ts'
import { createSharedRateLimiter } from './shared-rate-limit.ts'

const HOUR_MS = 60 * 60 * 1000

let database: Awaited<ReturnType<typeof createTestDatabase>>
let pool: DatabasePool
beforeAll(async () => {
  database = await createTestDatabase({ service: 'identity' })
  pool = database.pool
})
afterAll(() => database.drop())

/** Two copies of a service, each with a limiter of its own. */
function copies({
  name,
  limit = 3,
  windowMs = HOUR_MS,
  rateLimitFactor = 1,
  isExact = false,
}: {
  name: string
  limit?: number
  windowMs?: number
  rateLimitFactor?: number
  isExact?: boolean
}) {
  return [0, 1].map(() => createSharedRateLimiter({ pool, rateLimitFactor }, { name, limit, windowMs, isExact })) as [
    ReturnType<typeof createSharedRateLimiter>,
    ReturnType<typeof createSharedRateLimiter>,
  ]
}

const outcomes = async (attempts: readonly Promise<void>[]) =>
  (await Promise.allSettled(attempts)).map(({ status }) => status === 'fulfilled')

describe('a shared limit', () => {
  it('is one for all copies, whoever is asked first', async () => {
    const [one, other] = copies({ name: 'turns' })
    await one.take('mei')
    await other.take('mei')
    await one.take('mei')
    const refused = await other.take('mei').catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(Rejection)
    expect(refused).toMatchObject({ code: 'rate-limited', details: { retryAfterS: expect.any(Number) } })
    const { retryAfterS } = (refused as Rejection).details as { retryAfterS: number }
    expect(retryAfterS).toBeGreaterThan(1100)
    expect(retryAfterS).toBeLessThanOrEqual(1200)
    await other.take('bala')
  })

  it('holds however many come at once', async () => {
    const [one, other] = copies({ name: 'at once', limit: 5 })
    const attempts = Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? one : other).take(7))
    expect((await outcomes(attempts)).filter(Boolean)).toHaveLength(5)
  })

  it('is told to the caller alone where nobody else is to know', async () => {
    const [one, other] = copies({ name: 'untold', limit: 2 })
    await one.take('mei')
    expect([await other.allows('mei'), await one.allows('mei')]).toEqual([true, false])
    expect(await outcomes([other.take('mei')])).toEqual([false])
  })

  it('comes back by and by', async () => {
    const [one] = copies({ name: 'soon', limit: 1, windowMs: 50 })
    await one.take('mei')
    await eventually(async () => expect(await outcomes([one.take('mei')])).toEqual([true]))
  })

  it('is given back to whoever did it right', async () => {
    const [one, other] = copies({ name: 'forgiven', limit: 1 })
    const [another] = copies({ name: 'unforgiven', limit: 1 })
    await one.take('mei')
    await another.take('mei')
    await other.forget('mei')
    await one.take('mei')
    expect(await outcomes([other.take('mei'), another.take('mei')])).toEqual([false, false])
  })

  it('is raised by the factor, and is not that of another rule', async () => {
    const [one] = copies({ name: 'raised', limit: 1, rateLimitFactor: 4 })
    const [another] = copies({ name: 'another', limit: 1 })
    const taken = await outcomes([1, 2, 3, 4, 5].map(() => one.take('mei')))
    expect(taken.filter(Boolean)).toHaveLength(4)
    await another.take('mei')
  })

  it('does not keep who it was, nor what has run out', async () => {
    const [one] = copies({ name: 'kept', limit: 1000, windowMs: 1 })
    for (let attempt = 0; attempt < 1000; attempt += 1) await one.take(attempt)
    const keys = await pool.anyFirst(sql.unsafe`select key from shared_limits where rule = 'kept'`)
    expect(keys.length).toBeLessThan(1000)
    const all = await pool.anyFirst(sql.unsafe`select key from shared_limits`)
    for (const key of all) expect(key).toMatch(/^[\w-]{43}$/)
  })
})

describe('an exact limit', () => {
  /** As if so much time had passed. */
  const wait = (name: string, ms: number) =>
    pool.query(sql.unsafe`
      update shared_limits
         set spent_until = spent_until - ${ms} * interval '1 ms',
             attempts = array(select at - ${ms} * interval '1 ms' from unnest(attempts) as t (at) order by at)
       where rule = ${name}`)
  const taken = async (attempts: readonly Promise<void>[]) => (await outcomes(attempts)).filter(Boolean).length

  it('lets no more through in any stretch of time, however they are spread', async () => {
    const [one, other] = copies({ name: 'exact', isExact: true })
    const many = () => taken(Array.from({ length: 5 }, (_, at) => (at % 2 === 0 ? one : other).take('mei')))
    await one.take('mei')
    await wait('exact', HOUR_MS / 2)
    expect(await many()).toBe(2)
    const refused = await other.take('mei').catch((error: unknown) => error)
    const { retryAfterS } = (refused as Rejection).details as { retryAfterS: number }
    expect([retryAfterS > 1790, retryAfterS <= 1800]).toEqual([true, true])
    await wait('exact', HOUR_MS / 2 - 20_000)
    expect(await many()).toBe(0)
    await wait('exact', 20_000)
    expect(await many()).toBe(1)
    await wait('exact', HOUR_MS)
    expect(await many()).toBe(3)
    await one.take('bala')
  })

  it('is given back, and raised by the factor', async () => {
    const [one] = copies({ name: 'exact and raised', limit: 1, rateLimitFactor: 4, isExact: true })
    const many = () => taken(Array.from({ length: 6 }, () => one.take('mei')))
    expect(await many()).toBe(4)
    await one.forget('mei')
    expect(await many()).toBe(4)
  })
})
