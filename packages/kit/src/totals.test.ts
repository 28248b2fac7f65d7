import { beforeEach, expect, it } from 'vitest'
import { Totals } from './totals.ts'

let nowMs: number
let asked: number
let totals: Totals
beforeEach(() => {
  nowMs = 1
  asked = 0
  totals = new Totals({ monotonicMs: () => nowMs })
})

const get = (total: number | null, ...question: unknown[]) =>
  totals.get(question, async () => {
    asked += 1
    return total
  })

it.each([1_000, null])('are remembered for 5 s when they are many: %s', async (many) => {
  expect(await get(many, 'orders')).toBe(many)
  nowMs += 4_999
  expect(await get(2_000, 'orders')).toBe(many)
  expect(asked).toBe(1)
  nowMs += 2
  expect(await get(2_000, 'orders')).toBe(2_000)
})

it('are counted each time when they are few', async () => {
  expect([await get(999, 'orders'), await get(998, 'orders')]).toEqual([999, 998])
})

it('are those of what is asked for', async () => {
  expect([await get(1_000, 'orders', 'sold'), await get(2_000, 'orders', 'open')]).toEqual([1_000, 2_000])
})

it('are known while they are remembered', async () => {
  expect(totals.known(['orders'])).toBeUndefined()
  await get(999, 'orders')
  expect(totals.known(['orders'])).toBeUndefined()
  totals.remember(['orders'], null)
  expect([totals.known(['orders']), await get(7, 'orders')]).toEqual([null, null])
  nowMs += 5_001
  expect(totals.known(['orders'])).toBeUndefined()
})
