import type { PublishedIdentityEvent } from '@wangian/contracts/events/identity.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { sql } from '../database/postgres.ts'
import { emptyTables } from '../testing/empty-tables.ts'
import { registeredAs, tellOfPerson, testPerson, verifiedEmail } from '../testing/people.ts'
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts'
import { peopleHandlers } from './known-people.ts'
import { rememberPerson } from './people-store.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase({ service: 'catalogue' })
})
afterAll(() => database.drop())
beforeEach(() => emptyTables(database.pool, 'known_people'))

const at = '2026-11-22T08:00:00.000Z'
const registered = registeredAs(7, 'sarah')
const renamed: PublishedIdentityEvent = {
  type: 'ProfileUpdated',
  data: { userId: 7, updatedAt: at, person: { ...testPerson('sarah.new'), bio: 'Oud.' } },
}
const banned: PublishedIdentityEvent = { type: 'UserBanned', data: { userId: 7, bannedAt: at } }
const unbanned: PublishedIdentityEvent = { type: 'UserUnbanned', data: { userId: 7, unbannedAt: at } }
const closed: PublishedIdentityEvent = { type: 'AccountClosed', data: { userId: 7, closedAt: at } }
const reopened: PublishedIdentityEvent = {
  type: 'AccountReopened',
  data: { userId: 7, reopenedAt: at, person: testPerson('sarah') },
}
const erased: PublishedIdentityEvent = { type: 'UserErased', data: { userId: 7, erasedAt: at } }

const known = () =>
  database.pool.maybeOne(sql.unsafe`
    select username, bio, is_banned, is_closed, is_erased, is_seller, is_email_verified from known_people where user_id = 7`)

/** All orders of these. */
function orders<Of>(of: readonly Of[]): Of[][] {
  if (of.length === 0) return [[]]
  return of.flatMap((one, index) => orders(of.toSpliced(index, 1)).map((rest) => [one, ...rest]))
}

describe('somebody', () => {
  it.each<readonly [string, readonly PublishedIdentityEvent[], object]>([
    ['registers', [registered], { username: 'sarah', is_seller: true }],
    ['confirms the address', [registered, verifiedEmail(7)], { username: 'sarah', is_email_verified: true }],
    ['changes the profile', [registered, renamed], { username: 'sarah.new', bio: 'Oud.' }],
    ['is banned', [registered, banned], { username: 'sarah', is_banned: true }],
    ['is not banned any more', [registered, banned, unbanned], { is_banned: false }],
    ['goes', [renamed, closed], { username: null, bio: null, is_closed: true, is_erased: false }],
    ['comes back', [registered, closed, reopened], { username: 'sarah', is_closed: false }],
    ['is erased', [registered, closed, erased], { username: null, is_closed: true, is_erased: true }],
    ['was banned before anything else was told', [banned], { username: 'User 7', is_banned: true }],
  ])('%s', async (_what, events, expected) => {
    await tellOfPerson(database.pool, events)
    expect(await known()).toMatchObject(expected)
  })

  it('is as the newest events say, in whatever order they come, and how often', async () => {
    const told = [renamed, banned, unbanned, closed, reopened].map((event, index) => ({ event, version: index + 2 }))
    await tellOfPerson(database.pool, registered)
    await tellOfPerson(database.pool, [renamed, banned, unbanned, closed, reopened], { version: 2 })
    const inOrder = await known()
    for (const order of orders(told)) {
      await emptyTables(database.pool, 'known_people')
      await tellOfPerson(database.pool, registered)
      for (const { event, version } of [...order, ...order]) await tellOfPerson(database.pool, event, { version })
      expect(await known()).toEqual(inOrder)
    }
  })

  it('is banned and gone since the events say, and erased since it went', async () => {
    const later = '2026-11-29T08:00:00.000Z'
    const since = () =>
      database.pool.maybeOne(sql.unsafe`select banned_at, closed_at from known_people where user_id = 7`)
    await tellOfPerson(database.pool, [registered, banned, closed])
    await tellOfPerson(database.pool, { type: 'UserErased', data: { userId: 7, erasedAt: later } }, { version: 4 })
    expect(await since()).toEqual({ banned_at: at, closed_at: at })
    await tellOfPerson(database.pool, unbanned, { version: 5 })
    expect(await since()).toEqual({ banned_at: null, closed_at: at })
  })

  it('is gone since the last time, in whatever order and batches that is told', async () => {
    const closedAt = (day: number) => `2026-11-${day}T08:00:00.000Z`
    const closing = (day: number) => ({ type: 'AccountClosed', data: { userId: 7, closedAt: closedAt(day) } }) as const
    const erasure = { type: 'UserErased', data: { userId: 7, erasedAt: closedAt(29) } } as const
    const since = () =>
      database.pool.maybeOne(sql.unsafe`select is_closed, is_erased, closed_at from known_people where user_id = 7`)
    const told = [closing(10), reopened, closing(20), erasure].map((event, index) => ({ event, version: index + 2 }))
    for (const order of orders(told)) {
      await emptyTables(database.pool, 'known_people')
      await tellOfPerson(database.pool, registered)
      for (const { event, version } of order) await tellOfPerson(database.pool, event, { version })
      expect(await since()).toEqual({ is_closed: true, is_erased: true, closed_at: closedAt(20) })
    }
    await emptyTables(database.pool, 'known_people')
    await tellOfPerson(database.pool, registered)
    const closings = [told[0], told[2]].map((one) => ({ ...one?.event, version: one?.version }))
    await database.pool.transaction((transaction) => peopleHandlers.AccountClosed(transaction, closings as never))
    expect(await since()).toMatchObject({ is_closed: true, closed_at: closedAt(20) })
  })

  it('may be told of several times in one batch', async () => {
    const events = [registered, registeredAs(8, 'hafiz'), registered].map((event, index) => ({
      ...event,
      version: index + 1,
    }))
    await database.pool.transaction((transaction) => peopleHandlers.UserRegistered(transaction, events as never))
    const names = await database.pool.anyFirst(sql.unsafe`select username from known_people order by user_id`)
    expect(names).toEqual(['sarah', 'hafiz'])
  })

  it('has the name of a token until identity tells, and not after having gone', async () => {
    await rememberPerson(database.pool, 7, 'old-name')
    expect(await known()).toMatchObject({ username: 'old-name' })
    await tellOfPerson(database.pool, registered)
    await rememberPerson(database.pool, 7, 'old-name')
    expect(await known()).toMatchObject({ username: 'sarah' })
    await tellOfPerson(database.pool, closed, { version: 2 })
    await rememberPerson(database.pool, 7, 'sarah')
    expect(await known()).toMatchObject({ username: null })
  })
})
