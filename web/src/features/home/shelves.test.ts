import { expect, it } from 'vitest'
import { product } from '../../testing/fixtures.ts'
import { shelvesOf } from './shelves.ts'

const bottle = (id: number, imageUrl: string | null = '/a.webp') => ({ ...product, id, images: [], imageUrl })
const bottles = (...ids: readonly number[]) => ids.map((id) => bottle(id))
const idsOf = (products: readonly { id: number }[] | undefined) => products?.map(({ id }) => id)

it('shows each bottle once where there are enough', () => {
  const recent = [...bottles(9, 8, 7, 6, 5, 4, 3, 2), bottle(1, null), ...bottles(11, 12)]
  const { auctions, listings, hero } = shelvesOf(bottles(8, 20), bottles(20, 21, 22, 23, 24), recent)
  expect(idsOf(auctions)).toEqual([21, 22, 23])
  expect(idsOf(listings)).toEqual([9, 7, 6, 5, 4, 3])
  // Those without a picture are left out.
  expect(idsOf(hero)).toEqual([2, 11, 12])
})

it('fills the places that are left with what is featured, behind all else', () => {
  const { auctions, listings } = shelvesOf(bottles(20, 21, 7, 6), bottles(20, 21, 22), bottles(9, 8, 7, 6, 5, 4, 3))
  expect(idsOf(auctions)).toEqual([22, 20, 21])
  expect(idsOf(listings)).toEqual([9, 8, 5, 4, 3, 7])
})

it('keeps the place of the hero where few have a picture', () => {
  const plain = (...ids: readonly number[]) => ids.map((id) => bottle(id, null))
  const heroOf = (recent: Parameters<typeof shelvesOf>[2]) => idsOf(shelvesOf([], [], recent).hero)
  expect(heroOf([...bottles(1), ...plain(2, 3, 4, 5, 6, 7), ...bottles(8)])).toEqual([8, 1, 7])
  expect(heroOf(plain(1, 2, 3, 4, 5, 6, 7, 8, 9))).toEqual([7, 8, 9])
})

it('never says that there is nothing while something is featured', () => {
  const { auctions, listings, hero } = shelvesOf(bottles(1, 20), bottles(20), bottles(1))
  expect(idsOf(auctions)).toEqual([20])
  expect(idsOf(listings)).toEqual([1])
  expect(hero).toEqual([])
})

it('waits for what decides', () => {
  expect(shelvesOf(undefined, bottles(1), bottles(2))).toEqual({
    auctions: undefined,
    listings: undefined,
    hero: undefined,
  })
  expect(idsOf(shelvesOf([], undefined, bottles(2)).listings)).toEqual([2])
})
