import { fileURLToPath } from 'node:url'
import { identityRequests, type KnownPerson, PEOPLE_PER_PAGE } from '@wangian/contracts/revocations.ts'
import { serveRequests } from '@wangian/kit/bus/requests.ts'
import { sql } from '@wangian/kit/database/postgres.ts'
import { startPeopleFill } from '@wangian/kit/log/people-fill.ts'
import { testPerson } from '@wangian/kit/testing/people.ts'
import { createTestDatabase, type TestDatabase } from '@wangian/kit/testing/test-database.ts'
import { startTestNats, type TestNats } from '@wangian/kit/testing/test-nats.ts'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { registeredAs, tellOfPerson, verifiedEmail } from '../testing/told.ts'
import { rememberSeller, saveKnownPerson } from './people-store.ts'
import { findShop } from './shop-store.ts'

let nats: TestNats
let database: TestDatabase
beforeAll(async () => {
  nats = await startTestNats()
  const migrationsDirectory = fileURLToPath(new URL('../../migrations', import.meta.url))
  database = await createTestDatabase({ service: 'catalogue', migrationsDirectory })
})
afterAll(async () => {
  await database.drop()
  await nats.stop()
})
beforeEach(() => database.pool.query(sql.unsafe`truncate sellers, hidden_sellers, completed_fills`))

const known = (userId: number, facts: Partial<KnownPerson> = {}): KnownPerson => ({
  userId,
  version: 2,
  isSeller: true,
  isEmailVerified: true,
  isBanned: false,
  isClosed: false,
  registeredAt: '2024-01-01T00:00:00.000Z',
  person: testPerson(`person-${userId}`),
  ...facts,
})

/** Identity, knowing these people; @returns the numbers that it was asked to go on behind */
function serve(people: readonly KnownPerson[]): { readonly asked: number[]; stop(): Promise<void> } {
  const asked: number[] = []
  const server = serveRequests(nats.connection, 'identity', identityRequests.listPeople, ({ afterUserId }) => {
    asked.push(afterUserId)
    return { people: people.filter(({ userId }) => userId > afterUserId).slice(0, PEOPLE_PER_PAGE) }
  })
  return { asked, stop: () => server.stop() }
}

const fill = () => startPeopleFill({ nats: nats.connection, pool: database.pool, save: saveKnownPerson })

it('learns of everybody who registered before, once', async () => {
  const everybody = Array.from({ length: PEOPLE_PER_PAGE + 1 }, (_, index) => known(index + 1))
  const identity = serve(everybody)
  await rememberSeller(database.pool, 3, 'old-name')
  await fill().done
  expect(identity.asked).toEqual([0, PEOPLE_PER_PAGE])
  expect(await findShop(database.pool, 3)).toMatchObject({ username: 'person-3', isEmailVerified: true })
  expect(await findShop(database.pool, PEOPLE_PER_PAGE + 1)).not.toBeNull()
  await fill().done
  expect(identity.asked).toHaveLength(2)
  await identity.stop()
})

it('waits for identity', async () => {
  const filling = fill()
  const identity = serve([known(7)])
  await filling.done
  expect(await findShop(database.pool, 7)).not.toBeNull()
  await identity.stop()
})

it('ends when it is told to, whether or not anybody answered', async () => {
  await fill().stop()
  expect(await findShop(database.pool, 7)).toBeNull()
})

it('hides who is banned or gone', async () => {
  const identity = serve([known(7, { isBanned: true }), known(8, { isClosed: true, person: null }), known(9)])
  await fill().done
  expect(await findShop(database.pool, 7)).toBeNull()
  expect(await findShop(database.pool, 8)).toBeNull()
  expect(await findShop(database.pool, 9)).not.toBeNull()
  await identity.stop()
})

it('leaves what a later event has told', async () => {
  const { pool } = database
  await tellOfPerson(pool, registeredAs(7, 'sarah'), verifiedEmail(7), {
    type: 'ProfileUpdated',
    data: { userId: 7, updatedAt: '2026-11-22T08:00:00.000Z', person: testPerson('sarah-lim') },
  })
  const identity = serve([known(7, { person: testPerson('sarah') })])
  await fill().done
  expect(await findShop(pool, 7)).toMatchObject({ username: 'sarah-lim', createdAt: '2024-01-01T00:00:00.000Z' })
  await identity.stop()
})
