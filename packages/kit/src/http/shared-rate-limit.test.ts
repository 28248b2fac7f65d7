import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DatabasePool, sql } from '../database/postgres.ts'
import { Rejection } from '../errors.ts'
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
}: {
  name: string
  limit?: number
  windowMs?: number
  rateLimitFactor?: number
}) {
  return [0, 1].map(() => createSharedRateLimiter({ pool, rateLimitFactor }, { name, limit, windowMs })) as [
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
    await expect.poll(() => outcomes([one.take('mei')]), { interval: 10 }).toEqual([true])
  })

  it('is given back to whoever did it right', async () => {
    const [one, other] = copies({ name: 'forgiven', limit: 1 })
    await one.take('mei')
    await other.forget('mei')
    await one.take('mei')
    expect(await outcomes([other.take('mei')])).toEqual([false])
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
