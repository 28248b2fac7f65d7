import { sql } from '@wangian/kit/database/postgres.ts'
import { storeOnDisk } from '@wangian/kit/files/image-storage.ts'
import { createPictureFiles } from '@wangian/kit/files/picture-files.ts'
import { silentLogger } from '@wangian/kit/service/logger.ts'
import { dumpTables } from '@wangian/kit/testing/dump.ts'
import { rebuildTables } from '@wangian/kit/testing/rebuild-tables.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { setBanned } from '../accounts/moderation.ts'
import { usersProjection } from '../projections.ts'
import { findAccountByEmail } from '../store.ts'
import { createTestIdentity, currentVersion, type TestIdentity } from '../testing/test-identity.ts'
import { createUser, queuedMails, tokenIn } from '../testing/test-people.ts'
import { CONFIRMED_WITHIN_MS } from './erasure.ts'
import { keepUp } from './upkeep.ts'

/** Tokens are checked by the clock on the wall, so this is where it all begins. */
const start = new Date()
const HOUR_MS = 60 * 60 * 1000
const after = (ms: number) => new Date(start.getTime() + ms)

let identity: TestIdentity
let now = start
beforeAll(async () => {
  identity = await createTestIdentity({ isAutoconfirmed: false, now: () => now })
})
afterAll(() => identity.stop())
beforeEach(() => {
  now = start
})

function post(url: string, payload: object) {
  return identity.app.inject({ method: 'POST', url: `/auth/v1${url}`, headers: currentVersion, payload })
}
async function register(name: string) {
  const email = `${name}@example.com`
  const response = await post('/signup', {
    email,
    password: 'correct horse',
    data: { username: name, first_name: `${name}-first` },
  })
  expect(response.statusCode, response.body).toBe(200)
  return { email, userId: (await findAccountByEmail(identity.database.pool, email))?.userId ?? 0 }
}
const upkeepAt = (ms: number) => {
  now = after(ms)
  const files = createPictureFiles(storeOnDisk(identity.filesDirectory))
  return keepUp({ pool: identity.database.pool, files, log: silentLogger }, now)
}
const isThere = async (email: string) => (await findAccountByEmail(identity.database.pool, email)) !== null
const typesOf = (userId: number) =>
  identity.database.pool.anyFirst(sql.type(z.object({ type: z.string() }))`
    select type from events where stream = ${`user-${userId}`} order by version`)

describe('an account whose address nobody confirms', () => {
  it('is gone after a week with all that is personal, and its name and address are free', async () => {
    const { pool } = identity.database
    const { email, userId } = await register('mk-nobody')
    expect(await upkeepAt(CONFIRMED_WITHIN_MS - 1)).toBe(0)
    expect(await isThere(email)).toBe(true)
    expect(await upkeepAt(CONFIRMED_WITHIN_MS)).toBe(1)
    const traces = [...(await dumpTables(pool))].flatMap(([table, rows]) => (/mk-nobody/i.test(rows) ? [table] : []))
    expect(traces).toEqual([])
    expect(await typesOf(userId)).toEqual(['UserRegistered', 'UserErased'])
    expect(await upkeepAt(CONFIRMED_WITHIN_MS + HOUR_MS)).toBe(0)
    expect(await typesOf(userId)).toEqual(['UserRegistered', 'UserErased'])
    await rebuildTables(pool, 'identity', usersProjection)

    now = start
    const heir = await register('mk-nobody')
    expect(heir.userId).toBeGreaterThan(userId)
    expect((await findAccountByEmail(pool, email))?.username).toBe('mk-nobody')
  })

  it('stays while a mail that was sent again can still confirm it', async () => {
    const { email, userId } = await register('slow')
    now = after(CONFIRMED_WITHIN_MS - HOUR_MS)
    expect((await post('/resend', { type: 'signup', email })).statusCode).toBe(200)
    await upkeepAt(CONFIRMED_WITHIN_MS)
    expect(await isThere(email)).toBe(true)
    const mail = (await queuedMails(identity)).findLast(({ recipient }) => recipient === email)
    expect((await post('/verify', { type: 'signup', token_hash: tokenIn(mail) })).statusCode).toBe(200)
    await upkeepAt(4 * CONFIRMED_WITHIN_MS)
    expect(await isThere(email)).toBe(true)
    expect(await typesOf(userId)).toEqual(['UserRegistered', 'EmailVerified'])
  })

  it('stays when its owner is banned, so that the ban does', async () => {
    const { email, userId } = await register('barred')
    const admin = await createUser(identity, 'admin', { isAdmin: true })
    const command = { userId, actorId: admin.id, isBanned: true, reason: 'fakes', requestId: 'test' }
    await setBanned(identity.database.pool, command, now)
    await upkeepAt(2 * CONFIRMED_WITHIN_MS)
    expect(await isThere(email)).toBe(true)
  })

  it('is no reason for others to go', async () => {
    const confirmed = await createUser(identity, 'confirmed')
    await upkeepAt(2 * CONFIRMED_WITHIN_MS)
    expect(await isThere(confirmed.email)).toBe(true)
  })
})
