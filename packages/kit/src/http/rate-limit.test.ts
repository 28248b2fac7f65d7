import { describe, expect, it } from 'vitest'
import { Allowance, createRateLimiter, KEYS_MAX } from './rate-limit.ts'

function limiter({ limit = 3, windowMs = 60_000, rateLimitFactor = 1 } = {}) {
  const clock = { nowMs: 1000 }
  const rule = { limit, windowMs, now: () => clock.nowMs }
  const { allows, ...rest } = createRateLimiter({ rateLimitFactor }, rule)
  return { clock, ...rest, isAllowed: allows }
}

describe('an allowance', () => {
  const takes = (allowance: Allowance, count: number, nowMs: number) =>
    Array.from({ length: count }, () => allowance.take(nowMs)).filter((waitMs) => waitMs === 0).length

  it('gives its limit at once and then so many a second, in parts of a second too', () => {
    const allowance = new Allowance({ limit: 60, windowMs: 3000 })
    expect(takes(allowance, 100, 0)).toBe(60)
    expect(takes(allowance, 100, 49)).toBe(0)
    expect(takes(allowance, 100, 50)).toBe(1)
    expect(takes(allowance, 100, 1050)).toBe(20)
  })

  it('never gives more than its limit, however long it rests', () => {
    const allowance = new Allowance({ limit: 5, windowMs: 1000 })
    expect(takes(allowance, 3, 0)).toBe(3)
    expect(takes(allowance, 100, 1e9)).toBe(5)
  })

  it('loses nothing to being asked often', () => {
    const allowance = new Allowance({ limit: 1, windowMs: 100 })
    let taken = 0
    for (let nowMs = 0; nowMs <= 10_000; nowMs += 7) taken += takes(allowance, 1, nowMs)
    expect(taken).toBeGreaterThan(90)
    expect(taken).toBeLessThanOrEqual(101)
  })
})

describe('a key', () => {
  it('may spend its attempts at once, and no more', () => {
    const { isAllowed } = limiter()
    expect([1, 2, 3, 4].map(() => isAllowed('a'))).toEqual([true, true, true, false])
    expect(isAllowed('b')).toBe(true)
  })

  it('gets one attempt back after its share of the window', () => {
    const { clock, isAllowed } = limiter()
    for (let index = 0; index < 4; index += 1) isAllowed('a')
    clock.nowMs += 20_000
    expect([1, 2].map(() => isAllowed('a'))).toEqual([true, false])
    clock.nowMs += 60_000
    expect([1, 2, 3, 4].map(() => isAllowed('a'))).toEqual([true, true, true, false])
  })

  it('is told when to come back', () => {
    const { clock, take } = limiter()
    for (let index = 0; index < 3; index += 1) take('a')
    expect(() => take('a')).toThrow(expect.objectContaining({ code: 'rate-limited', details: { retryAfterS: 20 } }))
    clock.nowMs += 19_000
    expect(() => take('a')).toThrow(expect.objectContaining({ details: { retryAfterS: 1 } }))
    clock.nowMs += 1000
    take('a')
  })

  it('loses no attempt to fractions', () => {
    for (const limit of [7, 10, 30, 60]) {
      const { isAllowed } = limiter({ limit, windowMs: 3_600_000 })
      const allowed = Array.from({ length: limit + 5 }, () => isAllowed(1)).filter(Boolean)
      expect(allowed).toHaveLength(limit)
    }
  })

  it('gets all attempts back when they are forgiven', () => {
    const { isAllowed, forget } = limiter()
    for (let index = 0; index < 4; index += 1) isAllowed('a')
    forget('a')
    expect([1, 2, 3, 4].map(() => isAllowed('a'))).toEqual([true, true, true, false])
  })

  it('may do more where the environment says so', () => {
    const { isAllowed } = limiter({ rateLimitFactor: 2 })
    expect(Array.from({ length: 8 }, () => isAllowed('a')).filter(Boolean)).toHaveLength(6)
  })
})

describe('many keys', () => {
  it('push out the one that was idle longest, and no other', () => {
    const { isAllowed } = limiter({ limit: 2 })
    for (const key of ['busy', 'idle', 'busy']) isAllowed(key)
    for (let key = 2; key < KEYS_MAX; key += 1) isAllowed(key)
    expect(isAllowed('busy')).toBe(false)
    isAllowed('one too many')
    expect(isAllowed('busy')).toBe(false)
    expect([isAllowed('idle'), isAllowed('idle'), isAllowed('idle')]).toEqual([true, true, false])
  })
})
