import { NewAuction } from '@wangian/contracts/auction.ts'
import { categories, NewProduct } from '@wangian/contracts/catalogue.ts'
import { describe, expect, it } from 'vitest'
import { missingLetters } from './bottle/lettering.ts'
import { drawBottle } from './bottle.ts'
import { factsOf, lookOf } from './perfume.ts'
import { perfumes } from './perfumes.ts'

describe('the demo shelf', () => {
  it('has at least 60 perfumes, some of each category and each kind', () => {
    expect(perfumes.length).toBeGreaterThanOrEqual(60)
    for (const { id } of categories) {
      expect(perfumes.filter(({ categoryId }) => categoryId === id).length).toBeGreaterThanOrEqual(10)
    }
    expect(new Set(perfumes.map(({ type }) => type))).toEqual(new Set(['fixed', 'negotiable', 'auction']))
  })

  it('has eight sellers with something to sell each', () => {
    const counts = Map.groupBy(perfumes, ({ seller }) => seller)
    expect(counts.size).toBe(8)
    for (const list of counts.values()) expect(list.length).toBeGreaterThanOrEqual(4)
  })

  it('has auctions that end within minutes, hours and days', () => {
    const minutes = perfumes.flatMap(({ auction }) => auction?.minutes ?? []).sort((one, other) => one - other)
    expect(minutes.length).toBeGreaterThanOrEqual(12)
    expect(minutes.at(0)).toBe(10)
    expect(minutes.at(-1)).toBeGreaterThanOrEqual(3 * 24 * 60)
    expect(new Set(minutes).size).toBe(minutes.length)
  })

  it('shows no two alike', () => {
    expect(new Set(perfumes.map(({ house, name }) => `${house} ${name}`)).size).toBe(perfumes.length)
    expect(new Set(perfumes.map(({ description }) => description)).size).toBe(perfumes.length)
    expect(new Set(perfumes.map((perfume) => drawBottle(factsOf(perfume), lookOf(perfume)))).size).toBe(perfumes.length)
    expect(new Set(perfumes.map((perfume) => lookOf(perfume).shape)).size).toBeGreaterThanOrEqual(8)
  })

  it.each(perfumes.map((perfume) => [`${perfume.house} ${perfume.name}`, perfume] as const))(
    '%s can be listed, drawn and auctioned',
    (_name, perfume) => {
      const form = NewProduct.safeParse({
        name: perfume.name,
        brand: perfume.house,
        description: perfume.description,
        price: perfume.price,
        categoryId: perfume.categoryId,
        stockQuantity: perfume.stock,
        remainingPercentage: perfume.fullnessPercent,
        purchaseYear: perfume.year,
        boxCondition: perfume.box,
        batchCode: perfume.batch,
        listingType: perfume.type,
        volume: perfume.volumeMl,
      })
      expect(form.error).toBeUndefined()
      expect(missingLetters(`${perfume.house}${perfume.house.toUpperCase()}${perfume.name}`)).toEqual([])
      expect(drawBottle(factsOf(perfume), lookOf(perfume))).not.toMatch(/NaN|undefined/)
      expect(perfume.type === 'auction').toBe(perfume.auction !== undefined)
      if (perfume.auction === undefined) return
      const { incrementRinggit, reserve, buyNow } = perfume.auction
      const terms = {
        productId: 1,
        startingPrice: perfume.price,
        reservePrice: reserve,
        buyNowPrice: buyNow,
        bidIncrement: incrementRinggit,
        endsAt: '2100-01-01T00:00:00.000Z',
      }
      expect(NewAuction.safeParse(terms).error).toBeUndefined()
      expect(Math.min(reserve ?? Infinity, buyNow ?? Infinity)).toBeGreaterThanOrEqual(perfume.price)
    },
  )
})
