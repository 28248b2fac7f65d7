import { randomUUID } from 'node:crypto'
import { sql } from '@wangian/kit/database/postgres.ts'
import type { TestDatabase } from '@wangian/kit/testing/test-database.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { registerAccount } from '../accounts/accounts.ts'
import { createIdentityDatabase } from '../testing/test-identity.ts'
import { findOneTimeToken, type IssuedToken, issueOneTimeToken, useOneTimeToken } from './one-time-token.ts'
import type { TokenKind } from './one-time-token-store.ts'

const now = new Date('2026-11-21T08:00:00.000Z')
const later = (ms: number) => new Date(now.getTime() + ms)
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const email = 'reader@example.com'
let database: TestDatabase
let userId: number

beforeAll(async () => {
  database = await createIdentityDatabase()
  const result = await registerAccount(database.pool, {
    email,
    passwordHash: null,
    username: 'reader',
    firstName: null,
    lastName: null,
    isSeller: true,
    isAdmin: false,
    isEmailConfirmed: false,
    now,
    correlationId: 'test',
  })
  if (result.outcome !== 'registered') throw new Error('the reader is new')
  userId = result.account.userId
})
afterAll(() => database.drop())
beforeEach(() => database.pool.query(sql.unsafe`delete from one_time_tokens`))

const issue = (kind: TokenKind = 'signup', at = now, flowId: string | null = null) =>
  issueOneTimeToken(database.pool, { userId, kind, email, flowId, now: at })
const find = (token: string, kind: TokenKind = 'signup', at = now) =>
  findOneTimeToken(database.pool, { kind, token }, at)
const findByCode = (code: string, kind: TokenKind = 'signup') =>
  findOneTimeToken(database.pool, { kind, email, code }, now)
const wrongFor = ({ code }: IssuedToken) => String((Number(code) + 1) % 1_000_000).padStart(6, '0')

describe('a one-time token', () => {
  it('is 256 bits for the link and six digits to type, neither of which is stored', async () => {
    const { token, code } = await issue()
    expect(token).toMatch(/^[\w-]{43}$/)
    expect(code).toMatch(/^\d{6}$/)
    const row = JSON.stringify(await database.pool.one(sql.unsafe`select * from one_time_tokens`))
    expect(row).not.toContain(token)
    expect(row).not.toContain(`"${code}"`)
  })

  it('says in the link that it was asked for with PKCE', async () => {
    const flowId = randomUUID()
    const { token } = await issue('recovery', now, flowId)
    expect(token).toMatch(/^pkce_[\w-]{43}$/)
    expect(await find(token, 'recovery')).toMatchObject({ flowId, userId, email })
  })

  it.each([
    ['signup', 24 * HOUR_MS],
    ['recovery', 30 * MINUTE_MS],
    ['email_change', 24 * HOUR_MS],
  ] as const)('for %s is good for %i ms, and for nothing else', async (kind, ttlMs) => {
    const { token, code } = await issue(kind)
    expect(await find(token, kind, later(ttlMs - 1))).toMatchObject({ userId, kind, usedAt: null })
    expect(await find(token, kind, later(ttlMs))).toBeNull()
    for (const other of (['signup', 'recovery', 'email_change'] as const).filter((one) => one !== kind)) {
      expect(await find(token, other)).toBeNull()
      expect(await findByCode(code, other)).toBeNull()
    }
  })

  it('can be used once, also by two at the same moment, and is still known afterwards', async () => {
    const { token, code } = await issue()
    const found = await find(token)
    if (found === null) throw new Error('it is there')
    const uses = await Promise.all([1, 2].map(() => useOneTimeToken(database.pool, found, now)))
    expect(uses.sort()).toEqual([false, true])
    expect(await find(token)).toMatchObject({ usedAt: now.toISOString() })
    expect(await findByCode(code)).toBeNull()
  })

  it('uses up the others of its kind that were mailed', async () => {
    const first = await issue()
    const second = await issue('signup', later(1))
    const recovery = await issue('recovery')
    const found = await find(first.token)
    if (found === null) throw new Error('it is there')
    await useOneTimeToken(database.pool, found, now)
    expect(await find(second.token)).toBeNull()
    expect(await find(recovery.token, 'recovery')).not.toBeNull()
  })

  it('leaves the ones before it good for a while, but only five', async () => {
    const issued: IssuedToken[] = []
    for (let index = 0; index < 6; index += 1) issued.push(await issue('signup', later(index)))
    const found = await Promise.all(issued.map(({ token }) => find(token)))
    expect(found.map((token) => token !== null)).toEqual([false, true, true, true, true, true])
  })

  it('is swept away when it has expired', async () => {
    await issue()
    await issue('signup', later(25 * HOUR_MS))
    expect(await database.pool.oneFirst(sql.unsafe`select count(*) from one_time_tokens`)).toBe(1)
  })
})

describe('a code', () => {
  it('proves the newest token of its address', async () => {
    const old = await issue()
    const newest = await issue('signup', later(1))
    if (old.code !== newest.code) expect(await findByCode(old.code)).toBeNull()
    expect(await findByCode(newest.code)).toMatchObject({ userId, kind: 'signup' })
    expect(
      await findOneTimeToken(database.pool, { kind: 'signup', email: 'x@example.com', code: newest.code }, now),
    ).toBe(null)
  })

  it('still works at the fifth try', async () => {
    const issued = await issue()
    for (let index = 0; index < 4; index += 1) expect(await findByCode(wrongFor(issued))).toBeNull()
    expect(await findByCode(issued.code)).not.toBeNull()
  })

  it('is dead after five wrong ones, even if they come all at once; the link is not', async () => {
    const issued = await issue()
    await Promise.all(Array.from({ length: 5 }, () => findByCode(wrongFor(issued))))
    expect(await findByCode(issued.code)).toBeNull()
    expect(await find(issued.token)).not.toBeNull()
  })
})
