import type { AdminUser } from '@wangian/contracts/admin.ts'
import type { FindPeople } from '@wangian/contracts/identity-requests.ts'
import { sql } from '@wangian/kit/database/postgres.ts'
import type { TestDatabase } from '@wangian/kit/testing/test-database.ts'
import { Totals } from '@wangian/kit/totals.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createIdentityDatabase } from '../testing/test-identity.ts'
import { type Registration, registerAccount } from './accounts.ts'
import { setBanned } from './moderation.ts'
import { findPeople, findPersonDetails, listModerationReasons } from './people-table-store.ts'

let database: TestDatabase
const now = new Date('2026-11-21T08:00:00.000Z')

async function register(username: string, registration: Partial<Registration>): Promise<number> {
  const result = await registerAccount(database.pool, {
    email: `${username.toLowerCase()}@example.com`,
    passwordHash: null,
    username,
    firstName: null,
    lastName: null,
    isSeller: false,
    isAdmin: false,
    isEmailConfirmed: true,
    now,
    correlationId: 'test',
    ...registration,
  })
  if (result.outcome !== 'registered') throw new Error(result.outcome)
  return result.account.userId
}

let admin: number
let mallory: number
beforeAll(async () => {
  database = await createIdentityDatabase()
  admin = await register('Aminah', { isAdmin: true, isSeller: true, firstName: 'Aminah', lastName: 'Yusof' })
  await register('zoë', { username: 'zoe', firstName: 'Zoë', lastName: 'Lim', isSeller: true })
  await register('rose_100', { firstName: 'Rosé', lastName: 'Tan', isSeller: true, email: 'tea.rose@example.org' })
  await register('rosex100', { firstName: 'Ros', lastName: '50% Tan' })
  await register('new_here', { isEmailConfirmed: false })
  mallory = await register('mallory', { firstName: 'Mal', isSeller: true })
  await setBanned(
    database.pool,
    { userId: mallory, isBanned: true, actorId: admin, reason: 'Sells fakes.', requestId: 'test' },
    now,
  )
  const left = await register('left', {})
  await database.pool.query(sql.unsafe`update users set closed_at = ${now.toISOString()} where id = ${left}`)
})
afterAll(() => database.drop())

const asked: FindPeople = { search: '', status: null, role: null, sort: 'username-asc', limit: 100, after: null }
const namesOf = (people: readonly AdminUser[]) => people.map(({ username }) => username)
const find = async (wanted: Partial<FindPeople>) =>
  namesOf((await findPeople(database.pool, new Totals(), { ...asked, ...wanted })).people)

describe('the table of people', () => {
  const all = ['Aminah', 'left', 'mallory', 'new_here', 'rose_100', 'rosex100', 'zoe']

  it.each([
    ['aminah', ['Aminah']],
    ['ZOE', ['zoe']],
    ['zoë lim', ['zoe']],
    ['lim zoe', ['zoe']],
    ['rose', ['rose_100', 'rosex100']],
    ['rosé', ['rose_100', 'rosex100']],
    ['tea.rose', ['rose_100']],
    ['example.org', ['rose_100']],
    ['rose_', ['rose_100']],
    ['e_1', ['rose_100']],
    ['50%', ['rosex100']],
    ['%', ['rosex100']],
    ['%%', []],
    ['@', ['Aminah', 'left', 'mallory', 'new_here', 'rose_100', 'rosex100', 'zoe']],
    ['_', ['new_here', 'rose_100']],
    ['ta', ['rose_100', 'rosex100']],
    ['m', ['mallory']],
    ['\\', []],
    ['nobody', []],
    ['   ', all],
  ])('finds %j', async (search, found) => {
    expect(await find({ search })).toEqual(found)
    expect((await findPeople(database.pool, new Totals(), { ...asked, search })).total).toBe(found.length)
  })

  it.each([
    ['active', ['Aminah', 'rose_100', 'rosex100', 'zoe']],
    ['banned', ['mallory']],
    ['unconfirmed', ['new_here']],
    ['closed', ['left']],
  ] as const)('has those who are %s', async (status, found) => {
    const page = await findPeople(database.pool, new Totals(), { ...asked, status })
    expect([namesOf(page.people), page.total]).toEqual([found, found.length])
    expect(page.people.every((person) => person.status === status)).toBe(true)
  })

  it.each([
    ['admin', ['Aminah']],
    ['seller', ['mallory', 'rose_100', 'zoe']],
    ['customer', ['left', 'new_here', 'rosex100']],
  ] as const)('has everybody once as %s', async (role, found) => {
    expect(await find({ role })).toEqual(found)
  })

  it.each([
    ['newest', ['left', 'mallory', 'new_here', 'rosex100', 'rose_100', 'zoe', 'Aminah']],
    ['username-asc', all],
    ['username-desc', all.toReversed()],
    ['email-asc', ['Aminah', 'left', 'mallory', 'new_here', 'rosex100', 'rose_100', 'zoe']],
    ['email-desc', ['zoe', 'rose_100', 'rosex100', 'new_here', 'mallory', 'left', 'Aminah']],
    ['name-asc', ['new_here', 'left', 'Aminah', 'mallory', 'rosex100', 'rose_100', 'zoe']],
    ['name-desc', ['zoe', 'rose_100', 'rosex100', 'mallory', 'Aminah', 'left', 'new_here']],
  ] as const)('is sorted by %s, on one page and on several', async (sort, sorted) => {
    expect(await find({ sort })).toEqual(sorted)
    const walked: string[] = []
    for (let after: FindPeople['after'] = null; ; ) {
      const page = await findPeople(database.pool, new Totals(), { ...asked, sort, limit: 2, after })
      walked.push(...namesOf(page.people))
      if (page.next === null) break
      after = page.next
    }
    expect(walked).toEqual(sorted)
  })

  it('says who has a second factor, once it is verified', async () => {
    const has = async () => (await findPersonDetails(database.pool, mallory))?.hasSecondFactor
    await database.pool.query(sql.unsafe`
      insert into factors (id, user_id, kind, friendly_name, secret, created_at, updated_at)
      values (gen_random_uuid(), ${mallory}, 'totp', '', 'secret', now(), now())`)
    expect(await has()).toBe(false)
    await database.pool.query(sql.unsafe`update factors set verified_at = now() where user_id = ${mallory}`)
    expect(await has()).toBe(true)
  })

  it('says why somebody is banned, on their own page and for the record', async () => {
    expect(await findPersonDetails(database.pool, mallory)).toMatchObject({
      status: 'banned',
      banReason: 'Sells fakes.',
    })
    expect(await findPersonDetails(database.pool, admin)).toMatchObject({ status: 'active', banReason: null })
    expect(await findPersonDetails(database.pool, 999_999)).toBeNull()
    const at = now.toISOString()
    const moments = [mallory, admin].map((userId) => ({ userId, at }))
    expect(await listModerationReasons(database.pool, moments)).toEqual([
      { userId: mallory, at, reason: 'Sells fakes.' },
    ])
    expect(await listModerationReasons(database.pool, [])).toEqual([])
  })
})

describe('a search of very many people', () => {
  const many = Array.from({ length: 2_400 }, (_, index) => ({
    id: 10_000 + index,
    username: `${index < 40 ? 'lim' : 'person'}_${(index * 7_919) % 10_007}`,
    email: `p${(index * 31) % 2_400}@example.com`,
  }))
  let crowded: TestDatabase
  beforeAll(async () => {
    crowded = await createIdentityDatabase()
    const said = sql.fragment`jsonb_to_recordset(${JSON.stringify(many)}::jsonb) as said (id bigint, username text, email text)`
    await crowded.pool.query(sql.unsafe`
      insert into people (user_id, auth_id, email, username, created_at, updated_at)
      select id, gen_random_uuid(), email, username, now(), now() from ${said}`)
    await crowded.pool.query(sql.unsafe`
      insert into users (id, is_seller, is_admin, registered_at) select id, false, false, now() from ${said}`)
  })
  afterAll(() => crowded.drop())

  const sorts = {
    newest: (one: (typeof many)[number], other: (typeof many)[number]) => other.id - one.id,
    'username-asc': (one: (typeof many)[number], other: (typeof many)[number]) =>
      one.username < other.username ? -1 : 1,
    'email-desc': (one: (typeof many)[number], other: (typeof many)[number]) => (one.email < other.email ? 1 : -1),
  } as const

  it.each(['person', 'person 17', '17 person', 'person 1234', 'lim', 'lim person', 'example p', '_99', 'nobody'])(
    'finds the first two pages of %s in every order',
    async (search) => {
      const found = many.filter(({ username, email }) =>
        search
          .split(' ')
          .every((word) => ` ${username} ${email}`.includes(word.length < 3 && /\w/.test(word) ? ` ${word}` : word)),
      )
      for (const [sort, compare] of Object.entries(sorts)) {
        const sorted = found.toSorted(compare).map(({ id }) => id)
        const wanted = { ...asked, search, sort: sort as FindPeople['sort'], limit: 30 }
        const first = await findPeople(crowded.pool, new Totals(), wanted)
        expect([first.people.map(({ id }) => id), first.total]).toEqual([
          sorted.slice(0, 30),
          // One more says that they are too many.
          Math.min(found.length, 1_001),
        ])
        if (first.next === null) continue
        const second = await findPeople(crowded.pool, new Totals(), { ...wanted, after: first.next })
        expect(second.people.map(({ id }) => id)).toEqual(sorted.slice(30, 60))
      }
    },
  )
})

const ReadRow = z.object({ rows: z.number() })

describe('a page of very many people', () => {
  let large: TestDatabase
  beforeAll(async () => {
    large = await createIdentityDatabase()
    // What a rare word is found by takes longest to write, and is not asked here.
    await large.pool.query(sql.unsafe`drop index people_by_search, people_by_marks`)
    await large.pool.query(sql.unsafe`
      insert into people (user_id, auth_id, email, username, created_at, updated_at)
      select id, gen_random_uuid(), id || '@example.net', 'one_of_' || id, now(), now() from generate_series(1, 40000) as id`)
    await large.pool.query(sql.unsafe`
      insert into users (id, is_seller, is_admin, registered_at, is_verified, is_banned)
      select id, false, false, now(), true, id % 1000 = 0 from generate_series(1, 40000) as id`)
    await large.pool.query(sql.unsafe`analyze people, users`)
  })
  afterAll(() => large.drop())

  it.each([
    ['the few with a status', { status: 'banned' }, 100],
    // With those of whom it is known how frequent a word is, and those up to whom they are counted.
    ['those who have frequent words', { search: 'example one' }, 3_000],
  ] as const)('has %s, in every order without a look at everybody', async (_, wanted, readMax) => {
    for (const sort of ['newest', 'username-asc', 'email-desc', 'name-asc'] as const) {
      const read = await large.pool.transaction(async (transaction) => {
        const peopleRead = () =>
          transaction.oneFirst(sql.type(ReadRow)`
            select seq_tup_read + idx_tup_fetch as rows from pg_stat_xact_user_tables where relid = 'people'::regclass`)
        const before = await peopleRead()
        const { people } = await findPeople(transaction, new Totals(), { ...asked, ...wanted, sort, limit: 1 })
        expect(people).toHaveLength(1)
        return (await peopleRead()) - before
      })
      expect(read, sort).toBeLessThan(readMax)
    }
  })
})
