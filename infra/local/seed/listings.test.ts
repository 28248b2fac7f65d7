import type { Product } from '@wangian/contracts/catalogue.ts'
import { expect, it } from 'vitest'
import { withoutOverdue } from './listings.ts'
import { perfumes } from './perfumes.ts'

const auctioned = perfumes.filter(({ auction }) => auction !== undefined)
const fixed = perfumes.filter(({ auction }) => auction === undefined)
const found = (goneCount: number) =>
  new Map(
    [...fixed, ...auctioned].map((perfume) => {
      const isGone = fixed.includes(perfume) || auctioned.indexOf(perfume) < goneCount
      return [perfume, { status: isGone ? 'pending' : 'active' } as Product]
    }),
  )

it.each([
  [0, 0],
  [auctioned.length - 6, 0],
  [auctioned.length - 4, 2],
  [auctioned.length, 6],
])('of %i auctioned bottles that are gone, %i are listed again', (goneCount, againCount) => {
  const kept = withoutOverdue(found(goneCount))
  expect(auctioned.filter((perfume) => !kept.has(perfume))).toEqual(auctioned.slice(0, againCount))
  for (const perfume of fixed) expect(kept.has(perfume)).toBe(true)
})
