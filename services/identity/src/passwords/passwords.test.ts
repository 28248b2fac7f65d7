import { describe, expect, it } from 'vitest'
import { hashPassword, isCommonPassword, verifyPassword } from './passwords.ts'

describe('a password', () => {
  it('is hashed with argon2id, 19 MiB, two passes, and its own salt', async () => {
    const [first, second] = await Promise.all([hashPassword('correct horse'), hashPassword('correct horse')])
    expect(first).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    expect(second).not.toBe(first)
  })

  it('is recognised, and no other', async () => {
    const hash = await hashPassword('correct horse')
    expect(await verifyPassword(hash, 'correct horse')).toBe(true)
    expect(await verifyPassword(hash, 'correct Horse')).toBe(false)
    expect(await verifyPassword(hash, '')).toBe(false)
  })

  it('of nobody is never right, and takes as long to find out', async () => {
    const hash = await hashPassword('correct horse')
    const timeMs = async (passwordHash: string | null) => {
      const times: number[] = []
      for (let round = 0; round < 7; round += 1) {
        const startMs = performance.now()
        expect(await verifyPassword(passwordHash, 'wrong horse')).toBe(false)
        times.push(performance.now() - startMs)
      }
      return Math.min(...times)
    }
    const [known, unknown] = [await timeMs(hash), await timeMs(null)]
    // Without the dummy hash it is a thousandth.
    expect(unknown).toBeGreaterThan(known / 3)
  })

  it('is turned away when too many are being checked', async () => {
    const hash = await hashPassword('correct horse')
    const checks = await Promise.allSettled(Array.from({ length: 130 }, () => verifyPassword(hash, 'correct horse')))
    expect(checks.filter(({ status }) => status === 'rejected')).toHaveLength(2)
    expect(await verifyPassword(hash, 'correct horse')).toBe(true)
  }, 30_000)
})

describe('the commonest passwords', () => {
  it.each(['123456', 'password', 'Password123', 'iloveyou'])('have %s', (password) => {
    expect(isCommonPassword(password)).toBe(true)
  })

  it.each(['correct horse', 'demo-seller', 'demo-buyer', 'demo-admin', ''])('have not %j', (password) => {
    expect(isCommonPassword(password)).toBe(false)
  })
})
