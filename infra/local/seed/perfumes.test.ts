import { readdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { NewAuction } from '@wangian/contracts/auction.ts'
import { categories, NewProduct } from '@wangian/contracts/catalogue.ts'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { perfumes, picturePath, requireTimeOf } from './perfumes.ts'

const PICTURE_BYTES_MAX = 60 * 1024

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

  it('is for a clock that is not before what was bought last', () => {
    requireTimeOf(perfumes, Date.UTC(2024, 0, 2))
    expect(() => requireTimeOf(perfumes, 0)).toThrow(
      'The clock of this machine says 1970-01-01, and the demo has perfumes that were bought in 2024. Set the clock, or start with SEED=none.',
    )
  })

  it('has auctions that end within minutes, hours and days', () => {
    const minutes = perfumes.flatMap(({ auction }) => auction?.minutes ?? []).sort((one, other) => one - other)
    expect(minutes.length).toBeGreaterThanOrEqual(12)
    expect(minutes.at(0)).toBe(10)
    expect(minutes.at(-1)).toBeGreaterThanOrEqual(3 * 24 * 60)
    expect(new Set(minutes).size).toBe(minutes.length)
  })

  it('shows no two alike', () => {
    expect(new Set(perfumes.map(({ seller, name }) => `${seller} ${name}`)).size).toBe(perfumes.length)
    expect(new Set(perfumes.map(({ description }) => description)).size).toBe(perfumes.length)
    // The same perfume looks the same, whoever sells it.
    const pictures = perfumes.map((perfume) => readFileSync(picturePath(perfume), 'base64'))
    expect(new Set(pictures).size).toBe(new Set(perfumes.map(({ house, name }) => `${house} ${name}`)).size)
  })

  it('keeps no picture that nothing shows', () => {
    const [first] = perfumes
    const kept = first === undefined ? [] : readdirSync(dirname(picturePath(first)))
    expect(kept.sort()).toEqual([...new Set(perfumes.map(({ picture }) => picture))].sort())
  })

  it.each(perfumes.map((perfume) => [`${perfume.house} ${perfume.name}`, perfume] as const))(
    '%s can be listed, pictured and auctioned',
    async (_name, perfume) => {
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
      const picture = readFileSync(picturePath(perfume))
      expect(picture.length).toBeLessThanOrEqual(PICTURE_BYTES_MAX)
      expect(await sharp(picture).metadata()).toMatchObject({ format: 'webp', width: 1200, height: 1500 })
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
