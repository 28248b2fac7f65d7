import { sql } from '@wangian/kit/database/postgres.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { issueOneTimeToken } from '../mails/one-time-token.ts'
import type { TokenKind } from '../mails/one-time-token-store.ts'
import { beginFlow, issueAuthCode } from '../oauth/flow-state.ts'
import { findAccount } from '../store.ts'
import { createTestIdentity, type TestIdentity } from '../testing/test-identity.ts'
import { createUser, stateOf, type TestUser } from '../testing/test-people.ts'
import { setBanned } from './moderation.ts'

const HOUR_MS = 60 * 60 * 1000

let time = new Date()
let identity: TestIdentity
let sarah: TestUser
let count = 0

beforeAll(async () => {
  identity = await createTestIdentity({ now: () => time })
})
afterAll(() => identity.stop())
beforeEach(async () => {
  count += 1
  time = new Date()
  sarah = await createUser(identity, `sarah-${count}`)
  await identity.database.pool.query(
    sql.unsafe`update people set email_confirmed_at = null where user_id = ${sarah.id}`,
  )
})

const verify = (query: string, { app } = identity) => app.inject({ url: `/api/verify-email?${query}` })
const issued = async (kind: TokenKind = 'signup', email = sarah.email) =>
  (await issueOneTimeToken(identity.database.pool, { userId: sarah.id, kind, email, now: time })).token
const account = () => findAccount(identity.database.pool, sarah.id)
const sessions = () => identity.database.pool.oneFirst(sql.unsafe`select count(*) from sessions`)

async function expectRefused(query: string): Promise<void> {
  const before = await stateOf(identity)
  const response = await verify(query)
  expect([response.statusCode, response.json()]).toMatchObject([
    400,
    { code: 'invalid-verification-link', message: 'Invalid verification link or missing parameters' },
  ])
  expect(await stateOf(identity)).toBe(before)
}

describe('GET /api/verify-email', () => {
  it('confirms the address by the token of the mail, and signs nobody in', async () => {
    const token = await issued()
    const sessionsBefore = await sessions()
    const response = await verify(`token=${token}`)
    expect([response.statusCode, response.json()]).toEqual([200, { requiresSignIn: true }])
    expect(response.headers['set-cookie']).toBeUndefined()
    expect((await account())?.emailConfirmedAt).not.toBeNull()
    expect(await sessions()).toBe(sessionsBefore)
  })

  it('answers the same to whoever comes after a program that followed the link', async () => {
    const token = await issued()
    await verify(`token=${token}`)
    const before = await stateOf(identity)
    const again = await verify(`token=${token}`)
    expect([again.statusCode, again.json()]).toEqual([200, { requiresSignIn: true }])
    expect(await stateOf(identity)).toBe(before)
  })

  it('answers the same to several at once', async () => {
    const token = await issued()
    const answers = await Promise.all([1, 2, 3].map(() => verify(`token=${token}`)))
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200])
  })

  it('confirms a new address', async () => {
    const token = await issued('email_change', `new-${sarah.email}`)
    expect((await verify(`token=${token}`)).statusCode).toBe(200)
    expect((await account())?.email).toBe(`new-${sarah.email}`)
    expect((await verify(`token=${token}`)).statusCode).toBe(200)
  })

  it('knows the code that whoever opened the link was given, and leaves it to its client', async () => {
    const { pool } = identity.database
    const flowId = await beginFlow(pool, { kind: 'signup', challenge: 'c'.repeat(43), userId: sarah.id }, time)
    const code = await issueAuthCode(pool, flowId, sarah.id, time)
    await expectRefused(`code=${code}`)
    await pool.query(sql.unsafe`update people set email_confirmed_at = now() where user_id = ${sarah.id}`)
    const before = await stateOf(identity)
    for (let index = 0; index < 2; index += 1) {
      const response = await verify(`code=${code}`)
      expect([response.statusCode, response.json()]).toEqual([200, { requiresSignIn: true }])
    }
    expect(await stateOf(identity)).toBe(before)
    expect(await pool.oneFirst(sql.unsafe`select count(*) from flow_states where id = ${flowId}`)).toBe(1)
  })

  it.each([
    ['nothing', () => ''],
    ['an empty token', () => 'token='],
    ['a token of nobody', () => `token=${'x'.repeat(43)}`],
    ['a code of nobody', () => 'code=3f2a0c11-0000-4000-8000-000000000001'],
    ['a token as a code', async () => `code=${await issued()}`],
    ['the token of a reset', async () => `token=${await issued('recovery')}`],
    [
      'a token that is too old',
      async () => {
        const token = await issued()
        time = new Date(time.getTime() + 24 * HOUR_MS)
        return `token=${token}`
      },
    ],
    [
      'a token of somebody who is banned',
      async () => {
        const admin = await createUser(identity, `admin-${count}`, { isAdmin: true })
        const command = { userId: sarah.id, isBanned: true, actorId: admin.id, reason: 'fakes', requestId: 'test' }
        await setBanned(identity.database.pool, command, time)
        return `token=${await issued()}`
      },
    ],
  ])('refuses %s', async (_what, make) => {
    await expectRefused(await make())
  })

  it.each(['token=a&token=b', `token=${'x'.repeat(257)}`, 'token=%00'])('refuses %s', async (query) => {
    expect((await verify(query)).statusCode).toBe(400)
  })

  it('is limited per address', async () => {
    const strict = await createTestIdentity({ rateLimitFactor: 1 })
    // Twice as many as a minute allows: on the slowest machine some are too many.
    const answers = await Promise.all(Array.from({ length: 60 }, () => verify('token=x', strict)))
    const refused = answers.filter(({ statusCode }) => statusCode === 429).length
    expect(refused).toBeGreaterThan(0)
    expect(refused).toBeLessThanOrEqual(30)
    await strict.stop()
  })
})
