import { describe, expect, it } from 'vitest'
import { createRateLimiter } from './rate-limit.ts'

function limiter({ limit = 3, windowMs = 60_000, rateLimitFactor = 1 } = {}) {
  const clock = { nowMs: 1000 }
  const { take, forget } = createRateLimiter({ rateLimitFactor }, { limit, windowMs, now: () => clock.nowMs })
  const isAllowed = (key: string | number) => {
    try {
      take(key)
      return true
    } catch {
      return false
    }
  }
  return { clock, take, forget, isAllowed }
}

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
    const { take } = limiter()
    for (let index = 0; index < 3; index += 1) take('a')
    expect(() => take('a')).toThrow(expect.objectContaining({ code: 'rate-limited', details: { retryAfterS: 20 } }))
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
