import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts'
import { findClockDifference } from './clock-difference.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase({ service: 'catalogue' })
})
afterAll(() => database.drop())

it.each([
  ['behind', -86_400_000, /^the clock of this machine is 864\d\d s behind that of Postgres/],
  ['ahead', 86_400_000, /^the clock of this machine is 86[34]\d\d s ahead of that of Postgres/],
])('a clock that is far %s is told of', async (_, offMs, said) => {
  expect(await findClockDifference(database.pool, () => Date.now() + offMs)).toMatch(said)
})

it('what tokens allow is no difference', async () => {
  expect(await findClockDifference(database.pool)).toBeNull()
})
