import { sql } from '@wangian/kit/database/postgres.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { openSession } from '../sessions/sessions.ts'
import { createTestIdentity, type TestIdentity } from '../testing/test-identity.ts'
import { registerAccount } from './accounts.ts'
import { setAdministrator } from './moderation.ts'
import { isAdministrator } from './person-store.ts'

let identity: TestIdentity
beforeAll(async () => {
  identity = await createTestIdentity()
})
afterAll(() => identity.stop())

let people = 0
async function person({ isAdmin = false, isEmailConfirmed = true } = {}): Promise<number> {
  people += 1
  const result = await registerAccount(identity.database.pool, {
    email: `person-${people}@example.com`,
    passwordHash: null,
    username: null,
    firstName: null,
    lastName: null,
    isSeller: false,
    isAdmin,
    isEmailConfirmed,
    now: new Date(),
    correlationId: 'test',
  })
  if (result.outcome !== 'registered') throw new Error(result.outcome)
  return result.account.userId
}

const set = (userId: number, isAdmin: boolean, actorId: number) =>
  setAdministrator(
    identity.database.pool,
    { userId, isAdmin, actorId, reason: 'She asked for it.', requestId: 'test' },
    new Date(),
  )
const isOne = (userId: number) => isAdministrator(identity.database.pool, userId)

describe('an administrator', () => {
  it('appoints another one and dismisses them, each once, with the reason', async () => {
    const [actorId, userId] = [await person({ isAdmin: true }), await person()]
    expect([await set(userId, true, actorId), await set(userId, true, actorId)]).toEqual([true, false])
    expect(await isOne(userId)).toBe(true)
    expect([await set(userId, false, actorId), await set(userId, false, actorId)]).toEqual([true, false])
    expect(await isOne(userId)).toBe(false)
    const reasons = await identity.database.pool.anyFirst(sql.type(z.object({ reason: z.string() }))`
      select reason from moderation_reasons where user_id = ${userId}`)
    expect(reasons).toEqual(['She asked for it.', 'She asked for it.'])
  })

  it('is signed out by being dismissed, and can do nothing more', async () => {
    const [actorId, userId, other] = [await person({ isAdmin: true }), await person({ isAdmin: true }), await person()]
    await openSession(identity.database.pool, { userId, method: 'password', provider: 'email' }, new Date())
    await set(userId, false, actorId)
    const open = await identity.database.pool.anyFirst(sql.type(z.object({ id: z.string() }))`
      select id from sessions where user_id = ${userId} and revoked_at is null`)
    expect(open).toEqual([])
    await expect(set(other, true, userId)).rejects.toMatchObject({ code: 'admin-access-required' })
  })

  it('does it neither to themselves, nor to strangers, nor to the unconfirmed', async () => {
    const actorId = await person({ isAdmin: true })
    await expect(set(actorId, false, actorId)).rejects.toMatchObject({ code: 'conflict' })
    await expect(set(999_999, true, actorId)).rejects.toMatchObject({ code: 'not-found' })
    await expect(set(await person({ isEmailConfirmed: false }), true, actorId)).rejects.toMatchObject({
      code: 'conflict',
    })
  })

  it('stays when two dismiss each other at once', async () => {
    for (let round = 0; round < 10; round += 1) {
      const [one, other] = [await person({ isAdmin: true }), await person({ isAdmin: true })]
      const results = await Promise.allSettled([set(one, false, other), set(other, false, one)])
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      expect([await isOne(one), await isOne(other)].filter(Boolean)).toHaveLength(1)
    }
  })
})
