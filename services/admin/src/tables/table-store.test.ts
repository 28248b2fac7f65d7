import { fileURLToPath } from 'node:url'
import { sql } from '@wangian/kit/database/postgres.ts'
import { hasMark } from '@wangian/kit/database/search-words.ts'
import { saveProfiles } from '@wangian/kit/people/people-store.ts'
import { testPerson } from '@wangian/kit/testing/people.ts'
import { createTestDatabase, type TestDatabase } from '@wangian/kit/testing/test-database.ts'
import { Totals } from '@wangian/kit/totals.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { at } from '../testing/facts.ts'
import { saveOrders } from './order-store.ts'
import { ordersTable } from './rows-store.ts'
import { byNumber, byTime, findPage, findWords, type Order, type Place } from './table-store.ts'

const migrationsDirectory = fileURLToPath(new URL('../../migrations', import.meta.url))

/** Enough for every way of finding them: in their order, by their indexes, and those of people whom very many are like. */
const numbers = Array.from({ length: 3_000 }, (_, index) => index + 1)
const people = numbers.map((userId) => ({
  userId,
  username: `${userId <= 100 ? 'lim' : userId <= 120 ? 'tan' : 'person'}_${(userId * 7) % 1_000}`,
}))
const orders = numbers.map((orderId) => ({
  orderId,
  productId: 1,
  productName: `${orderId <= 1_000 ? 'Old' : 'New'}${orderId <= 1_001 ? ' Spilt' : ''}${orderId <= 1_600 ? ' Dull' : ''} ${['Oud', 'Rose', 'Iris'][orderId % 3]} ${(orderId * 11) % 1_000}`,
  buyerId: orderId <= 500 ? 1 + (orderId % 250) : 200 + ((orderId * 31) % 2_700),
  sellerId: orderId <= 600 ? 1 + (orderId % 60) : 500,
  totalSen: 100 + ((orderId * 7_919) % 1_000),
  status: orderId % 10 === 0 ? ('pending' as const) : ('shipped' as const),
  at: at(orderId),
}))

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase({ service: 'admin', migrationsDirectory })
  await saveProfiles(
    database.pool,
    people.map(({ userId, username }) => ({ userId, version: 1, person: testPerson(username) })),
  )
  await database.pool.transaction((transaction) => saveOrders(transaction, orders))
})
afterAll(() => database.drop())

/** What a search says, row by row. */
function isFound({ orderId, productName, buyerId, sellerId }: (typeof orders)[number], search: string): boolean {
  const names = [buyerId, sellerId].map((id) => people[id - 1]?.username)
  const texts = [`${orderId} ${productName.toLowerCase()}`, ...names].map((text) => ` ${text}`)
  return search.split(' ').every((word) => texts.some((text) => text.includes(word.length < 3 ? ` ${word}` : word)))
}

/** The first page of a search, the same once more with what is remembered, and the second; and how many rows each says there are. */
async function pagesOf(search: string, status: 'pending' | undefined, order: Order) {
  const found = await findWords(database.pool, search)
  const totals = new Totals()
  const pageBehind = (after: Place | null) =>
    findPage(
      database.pool,
      { ...ordersTable({ status }), search: found, order, after, limit: 20 },
      { totals, question: [] },
    )
  const first = await pageBehind(null)
  const again = await pageBehind(null)
  const second = await pageBehind(first.places.at(-1) ?? null)
  return [first, again, second].map(({ places, total }) => ({ ids: places.map(({ id }) => id), total }))
}

describe.each([
  ['person', null],
  ['person new', null],
  ['spilt', null],
  ['dull', null],
  ['old', 1_000],
  ['old person', 760],
  ['person 17', 139],
  ['person 710', 9],
  ['lim', 600],
  ['lim rose', 200],
  ['lim person', 360],
  ['lim_7 old', 35],
  ['lim_7 rose', 12],
  ['tan', 40],
  ['tan_7 tan', 28],
  ['tan lim', 40],
  ['oud rose', 0],
  ['oud nobody', 0],
] as const)('a search of many orders for %s', (search, total) => {
  const found = orders.filter((order) => isFound(order, search))

  it('counts them up to a limit', async () => {
    expect(found.length > 1_000 ? null : found.length).toBe(total)
    expect((await pagesOf(search, undefined, byTime('placed_at', 'desc'))).map((page) => page.total)).toEqual([
      total,
      total,
      total,
    ])
  })

  it.each(['pending', undefined] as const)('has all of them in order, of the status %s', async (wanted) => {
    const narrowed = found.filter(({ status }) => wanted === undefined || status === wanted)
    for (const { order, sorted } of [
      { order: byTime('placed_at', 'desc'), sorted: narrowed.toReversed() },
      {
        order: byNumber('total_sen', 'asc'),
        sorted: narrowed.toSorted((one, other) => one.totalSen - other.totalSen || one.orderId - other.orderId),
      },
    ]) {
      const ids = sorted.map(({ orderId }) => orderId)
      const pages = await pagesOf(search, wanted, order)
      expect(pages.map((page) => page.ids)).toEqual([ids.slice(0, 20), ids.slice(0, 20), ids.slice(20, 40)])
    }
  })
})

it('makes no letters of marks, by which rows without any are left out of their index', async () => {
  const characters = Array.from({ length: 0x11_0000 }, (_, code) => code)
    .filter((code) => code < 0xd800 || code > 0xdfff)
    .map((code) => String.fromCodePoint(code))
  const marks = characters.filter(hasMark)
  const lost = await database.pool.anyFirst(sql.type(z.object({ mark: z.string() }))`
    select mark from unnest(${sql.array(marks, 'text')}) mark where search_text(mark) !~ '[^[:alnum:][:space:]]'`)
  expect(marks.length).toBeGreaterThan(800)
  expect(lost).toEqual([])
})
