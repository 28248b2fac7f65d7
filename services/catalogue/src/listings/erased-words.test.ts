import { sql } from '@wangian/kit/database/postgres.ts'
import { fold } from '@wangian/kit/log/decider.ts'
import { readStream } from '@wangian/kit/log/event-store.ts'
import { rebuild } from '@wangian/kit/log/rebuild.ts'
import { blankWords } from '@wangian/kit/people/erased-words.ts'
import { emptyTables } from '@wangian/kit/testing/empty-tables.ts'
import { registeredAs, tellOfPerson } from '@wangian/kit/testing/people.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { blanks } from '../consumers.ts'
import { productsProjection } from '../projections.ts'
import { listingFacts } from '../testing/fixtures.ts'
import { createTestShop, type TestShop } from '../testing/test-shop.ts'
import { type ListingCommand, listingDecider, listingStream } from './domain.ts'
import { blankListings } from './erased-words-store.ts'
import { runListing } from './listing-run.ts'

const [seller, other, winner] = [7, 8, 21]
const at = '2026-11-22T08:00:00.000Z'
const description = 'Call Siti, 012-345 6789.'

let shop: TestShop
beforeAll(async () => {
  shop = await createTestShop()
})
afterAll(() => shop.stop())
beforeEach(async () => {
  await emptyTables(shop.pool, 'products, bottles, released_lots, known_people, erased_people, events')
  for (const userId of [seller, other, winner]) await tellOfPerson(shop.pool, registeredAs(userId, `person-${userId}`))
})

const run = (productId: number, command: ListingCommand) =>
  runListing({ pool: shop.pool, onAppended: () => {} }, { productId, command, actorId: seller, requestId: 'r' })
const list = (productId: number, sellerId = seller, facts: Partial<ReturnType<typeof listingFacts>> = {}) =>
  run(productId, { type: 'CreateListing', facts: listingFacts({ productId, sellerId, description, ...facts }) })
const describeAs = (productId: number, words: string) =>
  run(productId, { type: 'UpdateListing', actorId: seller, changes: { description: words }, hold: 'none', at })
const remove = (productId: number) => run(productId, { type: 'RemoveListing', reason: 'Siti sells copies.', at })

/** Lists what is auctioned, has it won, and gives the winner up. */
async function giveUp(productId: number, sellerId = seller): Promise<void> {
  await list(productId, sellerId, { listingType: 'auction', description: 'Iris.' })
  const end = { outcome: 'won', winnerId: winner, amountSen: 26_000 } as const
  await run(productId, { type: 'SettleAuction', auctionId: productId, end, at })
  const note = 'Siti never answered.'
  await run(productId, { type: 'ReleaseLot', actorId: sellerId, auctionId: productId, isWinnerGone: true, note, at })
}

const erase = (userId: number) => tellOfPerson(shop.pool, { type: 'UserErased', data: { userId, erasedAt: at } })
const blank = () => blankWords(shop.pool, blanks)
/** The products whose events, and those whose rows, say something about Siti. */
async function left(): Promise<unknown[]> {
  const named = '%Siti%'
  return [
    await shop.pool.anyFirst(sql.unsafe`
      select distinct (data ->> 'productId')::int from events where data::text like ${named} order by 1`),
    await shop.pool.anyFirst(sql.unsafe`select id from products p where p::text like ${named} order by id`),
  ]
}
const rebuilt = async () => {
  const nats = () => Promise.reject(new Error('its own log is read without NATS'))
  return rebuild({ service: 'catalogue', projection: productsProjection, databaseUrl: shop.database.url, nats })
}

describe('somebody who is erased', () => {
  it('leaves no description of what they sold, and none of why it was removed', async () => {
    await list(1)
    await describeAs(1, `${description} Or Siti’s brother.`)
    await remove(1)
    await list(2, other)
    await erase(winner)
    await blank()
    expect(await left()).toEqual([
      [1, 2],
      [1, 2],
    ])
    for (const _ of ['once', 'twice']) await erase(seller)
    for (const _ of ['once', 'twice']) await blank()
    expect(await left()).toEqual([[2], [2]])
    const events = await readStream(shop.pool, 'catalogue', listingStream(1))
    expect(events.map(({ type }) => type)).toEqual(['ListingCreated', 'ListingUpdated', 'ListingRemoved'])
    expect(events.at(-1)).toMatchObject({ data: { by: 'admin', reason: null, removedAt: at } })
    expect(fold(listingDecider, events)).toMatchObject({ status: 'deleted' })
    expect((await rebuilt()).changed).toMatchObject({ products: 0 })
  })

  it.each([seller, winner])('leaves no word of a lot that was given up: %i', async (userId) => {
    await giveUp(1)
    await giveUp(2, other)
    expect(await left()).toEqual([[1, 2], []])
    await erase(userId)
    await blank()
    expect(await left()).toEqual([userId === seller ? [2] : [], []])
    const [last] = (await readStream(shop.pool, 'catalogue', listingStream(1))).slice(-1)
    expect(last).toMatchObject({ type: 'ListingReleased', data: { buyerId: winner, reason: 'released' } })
    expect((await rebuilt()).changed).toMatchObject({ products: 0, bottles: 0, released_lots: 0 })
  })

  it('leaves none that is written afterwards', async () => {
    await list(1)
    for (const userId of [seller, winner]) await erase(userId)
    await blank()
    await remove(1)
    await giveUp(2, other)
    expect(await left()).toEqual([[1, 2], []])
    await blank()
    expect(await left()).toEqual([[], []])
  })

  it('leaves very much to go some at a time', async () => {
    const { pool } = shop
    for (const id of [1, 3]) await list(id)
    for (const time of [1, 2, 3]) await describeAs(3, `${description} Again: ${time}.`)
    await erase(seller)
    const count = () => pool.oneFirst(sql.unsafe`select count(*)::int from events where data::text like '%Siti%'`)
    const places: unknown[] = []
    for (let afterId: number | null = 0; afterId !== null; ) {
      afterId = await blankListings(pool, { userId: seller, afterId, limit: 2 })
      places.push([afterId, await count()])
    }
    expect(places).toEqual([
      [1, 4],
      [2, 2],
      [2, 0],
      [3, 0],
      [null, 0],
    ])
  })

  it('has no description again by a rebuild that has read it before', async () => {
    await list(1)
    await erase(seller)
    // As if it had been blanked in the table only, after the rebuild had read the log.
    await shop.pool.query(sql.unsafe`update products set description = ''`)
    expect((await rebuilt()).changed).toMatchObject({ products: 0 })
  })
})
