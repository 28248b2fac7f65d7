import { identityRequests, KnownPerson, PEOPLE_PER_PAGE } from '@wangian/contracts/revocations.ts'
import { request } from '@wangian/kit/bus/requests.ts'
import { sql } from '@wangian/kit/database/postgres.ts'
import { startTestNats, type TestNats } from '@wangian/kit/testing/test-nats.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { findUserId } from '../store.ts'
import { createTestIdentity, signUp, type TestIdentity } from '../testing/test-identity.ts'
import { servePeople } from './people-requests.ts'

let nats: TestNats
let identity: TestIdentity
let serving: { stop(): Promise<void> }
beforeAll(async () => {
  nats = await startTestNats()
  identity = await createTestIdentity()
  serving = servePeople({ nats: nats.connection, pool: identity.database.pool })
})
afterAll(async () => {
  await serving.stop()
  await identity.stop()
  await nats.stop()
})

const ask = async (afterUserId: number) =>
  (await request(nats.connection, 'identity', identityRequests.listPeople, { afterUserId })).people

it('tells of everybody, those who are gone without a name', async () => {
  const { pool } = identity.database
  await signUp(identity.app, 'sarah')
  await signUp(identity.app, 'gone')
  await pool.query(sql.unsafe`
    update users set closed_at = now() where id = (select user_id from people where username = 'gone')`)
  const [sarah, gone] = await ask(0)
  expect(sarah).toEqual({
    userId: await findUserId(pool, 'sarah'),
    version: 2,
    isSeller: true,
    isEmailVerified: true,
    isBanned: false,
    isClosed: false,
    registeredAt: expect.any(String),
    person: {
      username: 'sarah',
      shopName: 'sarah',
      location: null,
      bio: null,
      profileImage: null,
      coverPhoto: null,
    },
  })
  expect(KnownPerson.parse(sarah)).toEqual(sarah)
  expect(gone).toMatchObject({ isClosed: true, person: null })
  expect(await ask(sarah?.userId ?? 0)).toEqual([gone])
  expect(PEOPLE_PER_PAGE).toBeGreaterThan(1)
})
