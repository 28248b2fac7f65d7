import { type IdentityEvent, identityEvents } from '@wangian/contracts/events/identity.ts'
import { sql } from '@wangian/kit/database/postgres.ts'
import { appendEvents, readStream } from '@wangian/kit/log/event-store.ts'
import { rebuildTables } from '@wangian/kit/testing/rebuild-tables.ts'
import type { TestDatabase } from '@wangian/kit/testing/test-database.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { registerAccount } from './accounts/accounts.ts'
import { hashPassword } from './passwords/passwords.ts'
import { projectUser, usersProjection } from './projections.ts'
import { createIdentityDatabase } from './testing/test-identity.ts'

let database: TestDatabase
const now = new Date('2026-11-21T08:00:00.000Z')
const sarah = {
  email: 'sarah@example.com',
  passwordHash: await hashPassword('correct horse'),
  username: 'Sarah',
  firstName: 'Sarah',
  lastName: 'Lim',
  isSeller: true,
  isAdmin: false,
  isEmailConfirmed: true,
  now,
  correlationId: 'test',
} as const

beforeAll(async () => {
  database = await createIdentityDatabase()
})
afterAll(() => database.drop())

describe('somebody registers', () => {
  it('makes a row of users, a stream, and rows that only identity reads', async () => {
    const result = await registerAccount(database.pool, sarah)
    expect(result).toMatchObject({
      outcome: 'registered',
      account: {
        userId: 1,
        username: 'Sarah',
        isSeller: true,
        isAdmin: false,
        isBanned: false,
        email: 'sarah@example.com',
        emailConfirmedAt: now.toISOString(),
        firstName: 'Sarah',
        lastSignInAt: null,
        createdAt: now.toISOString(),
      },
    })
    expect(await listUsers()).toEqual([{ id: 1, isSeller: true, isAdmin: false, registeredAt: now.toISOString() }])
    const [event, ...others] = await readStream(database.pool, 'identity', 'user-1')
    expect(others).toMatchObject([{ type: 'EmailVerified', version: 2 }])
    expect(event).toMatchObject({
      type: 'UserRegistered',
      version: 1,
      metadata: { actorId: 1, correlationId: 'test', causationId: null, commandId: null },
    })
  })

  it('leaves no personal data in the log', async () => {
    const log = await database.pool.oneFirst(
      sql.type(z.object({ log: z.string() }))`select string_agg(events::text, ' ') as log from events`,
    )
    expect(log).toContain('UserRegistered')
    expect(log).not.toMatch(/Sarah|@example|Lim|argon2|correct horse/)
  })

  it('is refused with an address or a name that is taken, and leaves nothing behind', async () => {
    const before = await listUsers()
    expect(await registerAccount(database.pool, { ...sarah, username: 'other' })).toMatchObject({
      outcome: 'email-taken',
    })
    expect(await registerAccount(database.pool, { ...sarah, email: 'other@example.com', username: 'SARAH' })).toEqual({
      outcome: 'username-taken',
    })
    expect(await listUsers()).toEqual(before)
  })

  it('succeeds once when the same person or name arrives several times at once', async () => {
    const people = await Promise.all(
      [1, 2, 3, 4].map((number) =>
        registerAccount(database.pool, { ...sarah, email: 'race@example.com', username: `race${number}` }),
      ),
    )
    expect(people.map(({ outcome }) => outcome).sort()).toEqual([
      'email-taken',
      'email-taken',
      'email-taken',
      'registered',
    ])
    const names = await Promise.all(
      [1, 2, 3, 4].map((number) =>
        registerAccount(database.pool, { ...sarah, email: `name${number}@example.com`, username: 'one-name' }),
      ),
    )
    expect(names.filter(({ outcome }) => outcome === 'registered')).toHaveLength(1)
    expect(names.filter(({ outcome }) => outcome === 'username-taken')).toHaveLength(3)
  })

  it('gets a username when they give none', async () => {
    const result = await registerAccount(database.pool, { ...sarah, email: 'nameless@example.com', username: null })
    if (result.outcome !== 'registered') throw new Error(result.outcome)
    expect(result.account.username).toBe(`user-${result.account.userId}`)
  })

  it('gets another username when somebody chose the one that would have been made', async () => {
    const [{ id } = { id: 0 }] = (await listUsers()).slice(-1)
    // Two ids on: this registration takes the next one itself.
    const squatter = { ...sarah, email: 'squatter@example.com', username: `user-${id + 2}` }
    expect((await registerAccount(database.pool, squatter)).outcome).toBe('registered')
    const result = await registerAccount(database.pool, { ...sarah, email: 'nameless2@example.com', username: null })
    if (result.outcome !== 'registered') throw new Error(result.outcome)
    expect(result.account.userId).toBe(id + 2)
    expect(result.account.username).toMatch(new RegExp(`^user-${id + 2}-[0-9a-f]{6}$`))
  })
})

describe('every event of a user', () => {
  const userId = 700
  const fresh = {
    id: userId,
    isSeller: true,
    isAdmin: false,
    registeredAt: now.toISOString(),
    isBanned: false,
    isVerified: false,
    bannedAt: null,
    closedAt: null,
    erasedAt: null,
  }
  const verified = { ...fresh, isVerified: true }
  const metadata = { actorId: null, correlationId: 'test', causationId: null, commandId: null }
  const moment = (minute: number) => new Date(now.getTime() + minute * 60_000).toISOString()
  /** In the order of a life; each with what the row is after it. */
  const story: readonly (readonly [IdentityEvent, object])[] = [
    [
      {
        type: 'UserRegistered',
        data: { userId, isSeller: true, isAdmin: false, registeredAt: now.toISOString() },
      },
      fresh,
    ],
    [{ type: 'EmailVerified', data: { userId, verifiedAt: moment(1) } }, verified],
    [{ type: 'ProfileUpdated', data: { userId, updatedAt: moment(2) } }, verified],
    [
      { type: 'AdministratorAppointed', data: { userId, appointedAt: moment(2) } },
      { ...verified, isAdmin: true },
    ],
    [{ type: 'AdministratorDismissed', data: { userId, dismissedAt: moment(2) } }, verified],
    [
      { type: 'UserBanned', data: { userId, bannedAt: moment(3) } },
      { ...verified, isBanned: true, bannedAt: moment(3) },
    ],
    [{ type: 'UserUnbanned', data: { userId, unbannedAt: moment(4) } }, verified],
    [{ type: 'SessionRevoked', data: { userId, reason: 'token-reused', revokedAt: moment(5) } }, verified],
    [{ type: 'SecondFactorAdded', data: { userId, addedAt: moment(5) } }, verified],
    [{ type: 'SecondFactorRemoved', data: { userId, by: 'self', removedAt: moment(5) } }, verified],
    [
      { type: 'AccountClosed', data: { userId, closedAt: moment(6) } },
      { ...verified, closedAt: moment(6) },
    ],
    [{ type: 'AccountReopened', data: { userId, reopenedAt: moment(6) } }, verified],
    [
      { type: 'AccountClosed', data: { userId, closedAt: moment(6) } },
      { ...verified, closedAt: moment(6) },
    ],
    [
      { type: 'UserErased', data: { userId, erasedAt: moment(7) } },
      { ...verified, closedAt: moment(6), erasedAt: moment(7) },
    ],
  ]

  it('is in the story', () => {
    expect([...new Set(story.map(([event]) => event.type))].sort()).toEqual(Object.keys(identityEvents).sort())
  })

  it('is shown in the row of the user, now and after the table was made anew', async () => {
    for (const [index, [event, row]] of story.entries()) {
      await database.pool.transaction(async (transaction) => {
        const append = {
          service: 'identity',
          stream: `user-${userId}`,
          expectedVersion: index,
          events: [event],
          metadata,
        } as const
        for (const recorded of await appendEvents(transaction, append)) await projectUser(transaction, recorded)
      })
      expect(await findRow(), event.type).toEqual(row)
      await database.pool.query(
        sql.unsafe`update users set is_banned = not is_banned, is_verified = false, closed_at = null`,
      )
      await rebuildTables(database.pool, 'identity', usersProjection)
      expect(await findRow(), `${event.type}, made anew`).toEqual(row)
    }
  })

  function findRow() {
    return database.pool.one(sql.unsafe`
      select id, is_seller as "isSeller", is_admin as "isAdmin", is_banned as "isBanned",
             is_verified as "isVerified", banned_at as "bannedAt", registered_at as "registeredAt", closed_at as "closedAt", erased_at as "erasedAt"
        from users where id = ${userId}`)
  }
})

describe('the users table', () => {
  it('is the same after it was dropped and made again from the log', async () => {
    const before = await listUsers()
    await database.pool.query(sql.unsafe`delete from users`)
    expect(await rebuildTables(database.pool, 'identity', usersProjection)).toBe(
      await database.pool.oneFirst(sql.unsafe`select count(*) from events`),
    )
    expect(await listUsers()).toEqual(before)
  })

  it('is written in the transaction of the append, or not at all', async () => {
    const event = {
      type: 'UserRegistered' as const,
      data: { userId: 900, isSeller: true, isAdmin: false, registeredAt: now.toISOString() },
    }
    const metadata = { actorId: null, correlationId: 'test', causationId: null, commandId: null }
    const failing = database.pool.transaction(async (transaction) => {
      const append = { service: 'identity', stream: 'user-900', expectedVersion: 0, events: [event], metadata } as const
      for (const recorded of await appendEvents(transaction, append)) await projectUser(transaction, recorded)
      throw new Error('the process dies here')
    })
    await expect(failing).rejects.toThrow('the process dies here')
    expect((await listUsers()).filter(({ id }) => id === 900)).toEqual([])
    expect(await readStream(database.pool, 'identity', 'user-900')).toEqual([])
  })
})

function listUsers() {
  const row = z.object({
    id: z.number(),
    isSeller: z.boolean(),
    isAdmin: z.boolean(),
    registeredAt: z.string(),
  })
  return database.pool.any(sql.type(row)`
    select id, is_seller as "isSeller", is_admin as "isAdmin", registered_at as "registeredAt"
      from users order by id`)
}
