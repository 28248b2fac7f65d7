import { describe, expect, it } from 'vitest'
import { AMOUNT_MAX_SEN, formatRinggit, Ringgit, ringgitFrom, ringgitFromSen, senFromRinggit } from './money.ts'

describe('an amount in ringgit', () => {
  it.each([
    [0, 0],
    [0.01, 1],
    [0.29, 29],
    [1.1, 110],
    [120.5, 12_050],
    [8_388_608.01, 838_860_801],
    [9_999_999.99, AMOUNT_MAX_SEN],
  ])('%d is so many sen, and they are that amount again', (ringgit, sen) => {
    expect(senFromRinggit(ringgit)).toBe(sen)
    expect(ringgitFromSen(sen)).toBe(ringgit)
    expect(Ringgit.safeParse(ringgit).success).toBe(true)
  })

  it.each([-0.01, 0.005, 0.001, 120.505, 10_000_000, 10_000_000.01, 1e21, Number.NaN, Number.POSITIVE_INFINITY])(
    '%d is none',
    (ringgit) => {
      expect(senFromRinggit(ringgit)).toBeNull()
      expect(Ringgit.safeParse(ringgit).success).toBe(false)
    },
  )

  it('of at least so much says what is less, and what is no amount', () => {
    const Price = ringgitFrom(0.01, 'Too little')
    const messageOf = (value: unknown) => Price.safeParse(value).error?.issues.map(({ message }) => message)
    expect(Price.parse(0.01)).toBe(0.01)
    expect([messageOf(0), messageOf('1')]).toEqual([['Too little'], ['Too little']])
    expect(messageOf(0.015)).toEqual(['Please enter a valid amount'])
  })

  it('is written with its thousands and sen', () => {
    expect(formatRinggit(1234.5)).toBe('RM\u00A01,234.50')
  })
})
