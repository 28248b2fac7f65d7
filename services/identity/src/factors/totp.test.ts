import { describe, expect, it } from 'vitest'
import { findStep, newSecret, readCode, secretText, stepAt, totpCode, totpUri } from './totp.ts'

/** Of RFC 6238, appendix B; its codes have eight digits, of which the last six are ours. */
const rfcSecret = Buffer.from('12345678901234567890')

describe('a code', () => {
  it.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('is that of RFC 6238 after %d seconds', (afterS, code) => {
    expect(totpCode(rfcSecret, stepAt(new Date(afterS * 1000)))).toBe(code)
  })

  it.each([
    ['287082', '287082'],
    [' 287 082 ', '287082'],
    ['28708', null],
    ['2870820', null],
    ['28708a', null],
    ['２８７０８２', null],
    ['', null],
  ])('that somebody types as “%s” is read as %s', (typed, code) => {
    expect(readCode(typed)).toBe(code)
  })

  it.each([
    [-2, false],
    [-1, true],
    [0, true],
    [1, true],
    [2, false],
  ])('of a clock that is %d steps off counts: %s', (stepsOff, counts) => {
    const now = new Date('2026-11-23T08:00:00Z')
    const step = stepAt(now) + stepsOff
    expect(findStep(rfcSecret, totpCode(rfcSecret, step), { now, usedStep: 0 })).toBe(counts ? step : null)
  })

  it('counts once, and those before it no more', () => {
    const now = new Date('2026-11-23T08:00:00Z')
    const current = stepAt(now)
    const find = (step: number) => findStep(rfcSecret, totpCode(rfcSecret, step), { now, usedStep: current })
    expect([find(current - 1), find(current), find(current + 1)]).toEqual([null, null, current + 1])
  })
})

describe('a secret', () => {
  it('is written in base32 (RFC 4648)', () => {
    expect(secretText(rfcSecret)).toBe('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ')
    expect(secretText(Buffer.from('foob'))).toBe('MZXW6YQ')
    expect(secretText(newSecret())).toMatch(/^[A-Z2-7]{32}$/)
  })

  it('is told to an app with the name of the site and the address', () => {
    const uri = new URL(totpUri(rfcSecret, { issuer: 'Wangian & Co', email: 'mei@example.com' }))
    expect(decodeURIComponent(uri.pathname)).toContain('Wangian & Co:mei@example.com')
    expect(Object.fromEntries(uri.searchParams)).toEqual({
      secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
      issuer: 'Wangian & Co',
      algorithm: 'SHA1',
      digits: '6',
      period: '30',
    })
  })
})
