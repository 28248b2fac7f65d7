import type { BoostPackage } from '@wangian/contracts/boost.ts'
import { PREMIUM_PACKAGE_ID_MIN } from '@wangian/contracts/boost.ts'
import type { App } from '@wangian/kit/http/http.ts'
import { createTestTokens } from '@wangian/kit/testing/test-app.ts'
import { createTestDatabase, type TestDatabase } from '@wangian/kit/testing/test-database.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildApp } from './app.ts'
import { migrationsDirectory } from './testing/fixtures.ts'

let database: TestDatabase
let app: App
beforeAll(async () => {
  database = await createTestDatabase({ service: 'boost', migrationsDirectory })
  app = buildApp({ pool: database.pool, auth: (await createTestTokens()).authenticator })
})
afterAll(async () => {
  await app.close()
  await database.drop()
})

const packages = async (query = '') => {
  const response = await app.inject(`/api/boost/packages${query}`)
  return { status: response.statusCode, body: response.json() as BoostPackage[] }
}

describe('the packages', () => {
  it('are four standard ones and four premium ones, for 1, 3, 5 and 10 products', async () => {
    const { body } = await packages()
    expect(body.map(({ id, item_count }) => [id, item_count])).toEqual([
      [1, 1],
      [2, 3],
      [3, 5],
      [4, 10],
      [5, 1],
      [6, 3],
      [7, 5],
      [8, 10],
    ])
    for (const { id, package_type, price, item_count, effective_price } of body) {
      expect(package_type).toBe(id >= PREMIUM_PACKAGE_ID_MIN ? 'premium' : 'standard')
      expect(effective_price * item_count).toBe(price)
    }
  })

  it('are asked for one by one', async () => {
    expect((await packages('?id=2')).body).toEqual([
      {
        id: 2,
        name: 'Standard Boost for 3',
        package_type: 'standard',
        item_count: 3,
        price: 2700,
        effective_price: 900,
        duration_hours: 168,
        duration_formatted: '7 days',
      },
    ])
    expect((await packages('?id=99')).body).toEqual([])
    for (const id of ['0', '-1', '1e3', '01', 'x']) expect((await packages(`?id=${id}`)).status).toBe(400)
  })
})
