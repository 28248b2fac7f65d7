import { expect, it } from 'vitest'
import { later, nowMs } from '../../../testing/fixtures.ts'
import { boostType, hoursLeft, shownStatus, stockLevel } from './facts.ts'

it.each([
  [0, 'low'],
  [5, 'low'],
  [6, 'medium'],
  [20, 'medium'],
  [21, 'good'],
] as const)('a stock of %i is %s', (stock, level) => {
  expect(stockLevel(stock)).toBe(level)
})

it.each([
  ['pending', 'pending'],
  ['archived', 'archived'],
  [undefined, 'active'],
  [null, 'active'],
  ['something else', 'active'],
] as const)('the status %s is shown as %s', (status, shown) => {
  expect(shownStatus(status)).toBe(shown)
})

it.each([
  [null, 'standard'],
  [4, 'standard'],
  [5, 'premium'],
] as const)('package %s is a %s boost', (packageId, type) => {
  expect(boostType(packageId)).toBe(type)
})

it.each([
  [7_200_000, 2],
  [7_260_000, 2],
  [7_260_001, 3],
  [1, 1],
  [0, 0],
  [-1, 0],
])('%i ms of a boost are %i hours', (leftMs, hours) => {
  expect(hoursLeft(later(leftMs), nowMs)).toBe(hours)
})
