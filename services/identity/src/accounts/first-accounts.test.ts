import { sql } from '@wangian/kit/database/postgres.ts'
import { silentLogger } from '@wangian/kit/service/logger.ts'
import type { TestDatabase } from '@wangian/kit/testing/test-database.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { verifyPassword } from '../passwords/passwords.ts'
import { findAccountByEmail, findClaimant, findPasswordHash, listIdentities } from '../store.ts'
import { createIdentityDatabase } from '../testing/test-identity.ts'
import { registerAccount } from './accounts.ts'
import { demoSellers } from './demo-accounts.ts'
import { ensureAdministrator, ensureDemoAccounts } from './first-accounts.ts'

const now = new Date('2026-11-21T08:00:00.000Z')

describe('the demo accounts', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await createIdentityDatabase()
  })
  afterAll(() => database.drop())

  it('are made once, though several instances start at once', async () => {
    const counts = await Promise.all([1, 2].map(() => ensureDemoAccounts(database.pool, now)))
    expect(counts.reduce((sum, count) => sum + count)).toBe(11)
    expect(await ensureDemoAccounts(database.pool, now)).toBe(0)
  })

  it.each([
    ['admin', 'demo-admin', { isAdmin: true, isSeller: false }],
    ['sarah', 'demo-seller', { isAdmin: false, isSeller: true }],
    ['hafiz', 'demo-seller', { isAdmin: false, isSeller: true }],
    ['bala', 'demo-buyer', { isAdmin: false, isSeller: false }],
    ['mei', 'demo-buyer', { isAdmin: false, isSeller: false }],
  ])('%s signs in with %s', async (username, password, rights) => {
    const account = await findAccountByEmail(database.pool, `${username}@wangian.test`)
    expect(account).toMatchObject({ username, ...rights, emailConfirmedAt: now.toISOString() })
    const userId = account?.userId ?? 0
    expect(await verifyPassword(await findPasswordHash(database.pool, userId), password)).toBe(true)
    expect(await listIdentities(database.pool, userId)).toHaveLength(1)
  })

  it('are eight sellers with a shop within the limits of a profile', async () => {
    expect(demoSellers).toHaveLength(8)
    for (const seller of demoSellers) {
      const account = await findAccountByEmail(database.pool, `${seller.username}@wangian.test`)
      expect(account).toMatchObject({ ...seller, isSeller: true })
      expect(seller.shopName.length).toBeLessThanOrEqual(50)
      expect(seller.location.length).toBeLessThanOrEqual(100)
      expect(seller.bio.length).toBeLessThanOrEqual(500)
    }
  })
})

describe('the first administrator', () => {
  let database: TestDatabase
  const boss = { email: 'boss@example.com', password: 'a long secret' }
  const ensure = (administrator = boss) => ensureAdministrator(database.pool, administrator, now, silentLogger)
  beforeAll(async () => {
    database = await createIdentityDatabase()
    await ensureDemoAccounts(database.pool, now)
  })
  afterAll(() => database.drop())

  it('is made beside the demo’s, once, though several instances start at once', async () => {
    await Promise.all([ensure(), ensure()])
    await ensure()
    expect(await findAccountByEmail(database.pool, boss.email)).toMatchObject({
      username: 'administrator',
      isAdmin: true,
      isSeller: false,
      emailConfirmedAt: now.toISOString(),
    })
    expect(await listAdministrators()).toEqual(['admin@wangian.test', 'boss@example.com'])
  })

  it('is not made again under another address', async () => {
    await ensure({ ...boss, email: 'other@example.com' })
    expect(await listAdministrators()).toEqual(['admin@wangian.test', 'boss@example.com'])
  })

  it('takes the address from a stranger who registered with it and confirmed nothing', async () => {
    const { pool, drop } = await createIdentityDatabase()
    const nobody = { passwordHash: null, firstName: null, lastName: null, isSeller: true, isAdmin: false, now }
    const stranger = { ...nobody, email: boss.email, username: 'stranger', correlationId: 'test' }
    await registerAccount(pool, { ...stranger, isEmailConfirmed: false })
    await ensureAdministrator(pool, boss, now, silentLogger)
    expect(await findAccountByEmail(pool, boss.email)).toMatchObject({ isAdmin: true })
    expect(await findClaimant(pool, boss.email)).toMatchObject({ username: 'stranger', isAdmin: false })
    await drop()
  })

  function listAdministrators() {
    return database.pool.anyFirst(sql.type(z.object({ email: z.string() }))`
      select p.email from users u join people p on p.user_id = u.id where u.is_admin order by p.email`)
  }
})
