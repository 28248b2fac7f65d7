import { sql } from '@wangian/kit/database/postgres.ts'
import { readStream } from '@wangian/kit/log/event-store.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { accountClosedMail } from '../mails/closing-mail.ts'
import { issueOneTimeToken } from '../mails/one-time-token.ts'
import { findAccountByEmail, listPublicPeople } from '../store.ts'
import { createTestIdentity, currentVersion, signUp, type TestIdentity } from '../testing/test-identity.ts'
import { closeAccount, ERASED_AFTER_MS, reopenAccount } from './closing.ts'

/** Tokens are checked by the clock on the wall, so this is where it all begins. */
const start = new Date()
const password = 'correct horse'
const minutes = (count: number) => count * 60_000

let identity: TestIdentity
let now = start
beforeAll(async () => {
  identity = await createTestIdentity({ now: () => now })
})
afterAll(() => identity.stop())
beforeEach(() => {
  now = start
})

/** Whether others are told of somebody. */
async function isPublic(userId: number): Promise<boolean> {
  return (await listPublicPeople(identity.database.pool, [userId])).has(userId)
}

/** Signs somebody up and in. */
async function arrive(username: string) {
  const { accessToken, refreshToken } = await signUp(identity.app, username, password)
  const exchange = await identity.app.inject({
    method: 'POST',
    url: '/api/v1/auth/session',
    payload: { supabaseToken: accessToken },
  })
  const { token, user } = exchange.json()
  return {
    userId: user.id as number,
    token: token as string,
    accessToken,
    refreshToken,
    email: `${username}@example.com`,
  }
}

function leave(token: string | null, userId: number, body?: object) {
  return identity.app.inject({
    method: 'DELETE',
    url: `/api/user/${userId}`,
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
    ...(body && { payload: body }),
  })
}

const get = (url: string, token?: string) =>
  identity.app.inject({ url, headers: token === undefined ? {} : { authorization: `Bearer ${token}` } })
const post = (url: string, payload: object) =>
  identity.app.inject({ method: 'POST', url, headers: currentVersion, payload })

const Mail = z.object({ kind: z.string(), recipient: z.string(), text: z.string() })
const listMails = (email: string) =>
  identity.database.pool.any(sql.type(Mail)`select kind, recipient, text from mails where recipient = ${email}`)
const typesOf = async (userId: number) =>
  (await readStream(identity.database.pool, 'identity', `user-${userId}`)).map(({ type }) => type)

async function makeAdministrator(userId: number): Promise<void> {
  await identity.database.pool.query(sql.unsafe`update users set is_admin = true where id = ${userId}`)
}
async function keepNoAdministrators(): Promise<void> {
  await identity.database.pool.query(sql.unsafe`update users set is_admin = false`)
}

describe('deleting the own account', () => {
  it('takes effect at once, everywhere', async () => {
    const rose = await arrive('rose')
    await identity.database.pool.transaction((transaction) =>
      issueOneTimeToken(transaction, { userId: rose.userId, kind: 'recovery', email: rose.email, now }),
    )
    expect(await isPublic(rose.userId)).toBe(true)
    const before = identity.appendedCount()

    const response = await leave(rose.token, rose.userId, { currentPassword: password })
    expect([response.statusCode, response.json()]).toEqual([200, { success: true }])
    expect(identity.appendedCount()).toBe(before + 1)
    expect(await typesOf(rose.userId)).toContain('AccountClosed')

    expect((await get('/api/v1/auth/me', rose.token)).statusCode).toBe(401)
    expect(await isPublic(rose.userId)).toBe(false)
    const signIn = await post('/auth/v1/token?grant_type=password', { email: rose.email, password })
    expect(signIn.json().code).toBe('invalid_credentials')
    const refresh = await post('/auth/v1/token?grant_type=refresh_token', { refresh_token: rose.refreshToken })
    expect(refresh.statusCode).toBe(400)
    const exchange = await post('/api/v1/auth/session', { supabaseToken: rose.accessToken })
    expect(exchange.statusCode).toBe(401)
    expect((await post('/api/v1/auth/lookup-email', { username: 'rose' })).statusCode).toBe(404)
    const { pool } = identity.database
    for (const table of ['sessions', 'credentials', 'one_time_tokens']) {
      const rows = await pool.any(
        sql.unsafe`select user_id from ${sql.identifier([table])} where user_id = ${rose.userId}`,
      )
      expect(rows, table).toEqual([])
    }
    expect(await pool.anyFirst(sql.unsafe`select reason from revoked_sessions where user_id = ${rose.userId}`)).toEqual(
      ['closed'],
    )
    expect((await leave(rose.token, rose.userId, { currentPassword: password })).statusCode).toBe(401)
  })

  it('is confirmed by one mail, which says until when it can be undone', async () => {
    const lily = await arrive('lily')
    await leave(lily.token, lily.userId, { currentPassword: password })
    const { text } = accountClosedMail(
      { ...lily, username: 'lily', language: null },
      new Date(now.getTime() + ERASED_AFTER_MS),
    )
    expect(await listMails(lily.email)).toEqual([{ kind: 'account-deleted', recipient: lily.email, text }])
  })

  it('is undone until a day in the time of those who read about it', () => {
    const lily = { userId: 1, email: 'lily@example.com', username: '<lily>' }
    // Eight in the evening in London is the next morning in Malaysia.
    const { text, html } = accountClosedMail({ ...lily, language: null }, new Date('2026-11-28T20:00:00.000Z'))
    expect(text).toContain('tell our support before 29 November 2026')
    expect(html).toContain('Hello &lt;lily&gt;')
    const malay = accountClosedMail({ ...lily, language: 'ms' }, new Date('2026-11-28T20:00:00.000Z'))
    expect(malay.text).toContain('pasukan sokongan kami sebelum 29 November 2026')
  })

  it('leaves nothing to sign in with: no mail, and the name and the address are not free yet', async () => {
    const iris = await arrive('iris')
    await leave(iris.token, iris.userId, { currentPassword: password })
    await post('/auth/v1/recover', { email: iris.email })
    expect(await listMails(iris.email)).toMatchObject([{ kind: 'account-deleted' }])
    const sameName = await post('/auth/v1/signup', { email: 'else@example.com', password, data: { username: 'IRIS' } })
    expect(sameName.json().code).toBe('username_exists')
    const sameAddress = await post('/auth/v1/signup', { email: iris.email, password, data: { username: 'iris2' } })
    expect(sameAddress.json().code).toBe('user_already_exists')
  })

  it('ends the sessions of all devices, and nobody else’s', async () => {
    const fern = await arrive('fern')
    const moss = await arrive('moss')
    const other = await post('/auth/v1/token?grant_type=password', { email: fern.email, password })
    await leave(fern.token, fern.userId, { currentPassword: password })
    const refresh = { refresh_token: other.json().refresh_token }
    expect((await post('/auth/v1/token?grant_type=refresh_token', refresh)).statusCode).toBe(400)
    expect((await get('/api/v1/auth/me', moss.token)).statusCode).toBe(200)
  })
})

describe('deleting an account is refused', () => {
  it.each([
    ['with a wrong password', { currentPassword: 'wrong horse' }, 400, 'wrong-password'],
    ['with an empty password', { currentPassword: '' }, 400, 'wrong-password'],
    ['without a password', {}, 400, 'wrong-password'],
    ['without a body', undefined, 400, 'wrong-password'],
    ['with a password that is none', { currentPassword: 7 }, 400, 'bad-request'],
  ])('%s', async (what, body, status, code) => {
    const somebody = await arrive(what.replaceAll(' ', '.'))
    const response = await leave(somebody.token, somebody.userId, body)
    expect([response.statusCode, response.json().code]).toEqual([status, code])
    if (code === 'wrong-password') expect(response.json().message).toBe('current password is incorrect')
    expect(await typesOf(somebody.userId)).not.toContain('AccountClosed')
    expect((await get('/api/v1/auth/me', somebody.token)).statusCode).toBe(200)
  })

  it('to guests, to others, to administrators for others, and to the banned', async () => {
    const owner = await arrive('owner')
    const other = await arrive('other')
    expect((await leave(null, owner.userId, { currentPassword: password })).statusCode).toBe(401)
    expect((await leave(other.token, owner.userId, { currentPassword: password })).statusCode).toBe(403)
    await makeAdministrator(other.userId)
    expect((await leave(other.token, owner.userId, { currentPassword: password })).statusCode).toBe(403)
    await keepNoAdministrators()
    await identity.database.pool.query(sql.unsafe`update users set is_banned = true where id = ${owner.userId}`)
    const banned = await leave(owner.token, owner.userId, { currentPassword: password })
    expect([banned.statusCode, banned.json().code]).toEqual([403, 'account-suspended'])
    expect(await typesOf(owner.userId)).not.toContain('AccountClosed')
  })

  it('after the password has been changed by somebody else in between', async () => {
    const slow = await arrive('slow')
    const account = await findAccountByEmail(identity.database.pool, slow.email)
    if (account === null) throw new Error('nobody')
    const closing = closeAccount(identity.database.pool, {
      account,
      passwordHash: 'the one before',
      now,
      correlationId: 'test',
    })
    await expect(closing).rejects.toMatchObject({ code: 'wrong-password' })
    expect((await get('/api/v1/auth/me', slow.token)).statusCode).toBe(200)
  })

  it('when too many passwords were tried', async () => {
    const limited = await createTestIdentity({ now: () => now, rateLimitFactor: 1 })
    const { accessToken } = await signUp(limited.app, 'guess')
    const exchange = await limited.app.inject({
      method: 'POST',
      url: '/api/v1/auth/session',
      payload: { supabaseToken: accessToken },
    })
    const { token, user } = exchange.json()
    const statuses: number[] = []
    for (let attempt = 1; attempt <= 6; attempt += 1) {
      const response = await limited.app.inject({
        method: 'DELETE',
        url: `/api/user/${user.id}`,
        headers: { authorization: `Bearer ${token}` },
        payload: { currentPassword: attempt === 6 ? 'correct horse' : `guess ${attempt}` },
      })
      statuses.push(response.statusCode)
    }
    expect(statuses).toEqual([400, 400, 400, 400, 400, 429])
    await limited.stop()
  })
})

describe('somebody without a password', () => {
  async function arriveWithoutPassword(username: string) {
    const somebody = await arrive(username)
    await identity.database.pool.query(sql.unsafe`delete from credentials where user_id = ${somebody.userId}`)
    return somebody
  }

  it('deletes their account within ten minutes after signing in', async () => {
    const quick = await arriveWithoutPassword('quick')
    now = new Date(start.getTime() + minutes(10))
    expect((await leave(quick.token, quick.userId)).statusCode).toBe(200)
  })

  it('has to sign in again when it is longer ago, whatever password they give', async () => {
    const late = await arriveWithoutPassword('late')
    now = new Date(start.getTime() + minutes(10) + 1)
    for (const body of [{}, { currentPassword: password }, undefined]) {
      const response = await leave(late.token, late.userId, body)
      expect([response.statusCode, response.json().code]).toEqual([403, 'recent-sign-in-required'])
    }
    expect(await typesOf(late.userId)).not.toContain('AccountClosed')
  })
})

describe('administrators', () => {
  it('may leave while there is another', async () => {
    await keepNoAdministrators()
    const [first, second] = [await arrive('admin.one'), await arrive('admin.two')]
    await makeAdministrator(first.userId)
    await makeAdministrator(second.userId)
    expect((await leave(first.token, first.userId, { currentPassword: password })).statusCode).toBe(200)
    const last = await leave(second.token, second.userId, { currentPassword: password })
    expect([last.statusCode, last.json().code]).toEqual([409, 'last-administrator'])
    expect(await typesOf(second.userId)).not.toContain('AccountClosed')
    expect((await get('/api/v1/auth/me', second.token)).statusCode).toBe(200)
    expect(await listMails(second.email)).toEqual([])
  })

  it('cannot leave as the last one when appointed after their account was read', async () => {
    const { pool } = identity.database
    await keepNoAdministrators()
    const { userId, email } = await arrive('just.appointed')
    const account = await findAccountByEmail(pool, email)
    if (account === null) throw new Error('nobody')
    await makeAdministrator(userId)
    const closing = closeAccount(pool, { account, passwordHash: null, now, correlationId: 'test' })
    await expect(closing).rejects.toMatchObject({ code: 'last-administrator' })
    expect(await typesOf(userId)).not.toContain('AccountClosed')
  })

  it('cannot all leave at once', async () => {
    const { pool } = identity.database
    for (const round of [1, 2, 3]) {
      await keepNoAdministrators()
      const accounts = []
      for (const name of ['boss.one', 'boss.two', 'boss.three']) {
        const { userId, email } = await arrive(`${name}.${round}`)
        await makeAdministrator(userId)
        const account = await findAccountByEmail(pool, email)
        if (account !== null) accounts.push(account)
      }
      const closings = await Promise.allSettled(
        accounts.map((account) => closeAccount(pool, { account, passwordHash: null, now, correlationId: 'test' })),
      )
      const refused = closings.filter(({ status }) => status === 'rejected')
      expect(refused).toMatchObject([{ reason: { code: 'last-administrator' } }])
    }
  })
})

describe('support', () => {
  it.each(['anna@example.com', ' ANNA '])('brings an account back that was closed, by %j', async (name) => {
    const anna = await arrive('anna').catch(() => null)
    if (anna !== null) await leave(anna.token, anna.userId, { currentPassword: password })
    expect(await reopenAccount(identity.database.pool, name, now)).toBe(true)
    expect(await reopenAccount(identity.database.pool, name, now)).toBe(false)
    const account = await findAccountByEmail(identity.database.pool, 'anna@example.com')
    expect(account).toMatchObject({ username: 'anna' })
    expect(await isPublic(account?.userId ?? 0)).toBe(true)
    // For the next round.
    if (account === null) throw new Error('nobody')
    await closeAccount(identity.database.pool, { account, passwordHash: null, now, correlationId: 'test' })
  })

  it('gives the person a way in again by a mail, and by nothing else', async () => {
    const back = await arrive('back')
    await leave(back.token, back.userId, { currentPassword: password })
    await reopenAccount(identity.database.pool, 'back', now)
    const signIn = await post('/auth/v1/token?grant_type=password', { email: back.email, password })
    expect(signIn.json().code).toBe('invalid_credentials')
    await post('/auth/v1/recover', { email: back.email })
    expect(await listMails(back.email)).toContainEqual(
      expect.objectContaining({ kind: expect.stringMatching(/recover|reset/) }),
    )
  })

  it('finds nobody who has not left', async () => {
    await arrive('here')
    for (const name of ['here', 'nobody', '']) {
      expect(await reopenAccount(identity.database.pool, name, now), name).toBe(false)
    }
  })
})

it('erases well within the 14 days that we promise, JetStream included', () => {
  const JETSTREAM_KEEPS_DAYS = 7
  expect(ERASED_AFTER_MS + JETSTREAM_KEEPS_DAYS * 24 * 60 * minutes(1)).toBeLessThanOrEqual(14 * 24 * 60 * minutes(1))
})
