import { holdLocks } from '@wangian/kit/database/exclusive-session.ts'
import { sql } from '@wangian/kit/database/postgres.ts'
import { storeOnDisk } from '@wangian/kit/files/image-storage.ts'
import { createPictureFiles } from '@wangian/kit/files/picture-files.ts'
import { queueMail } from '@wangian/kit/mail/mail.ts'
import { createLogger, silentLogger } from '@wangian/kit/service/logger.ts'
import { dumpTables, listFiles } from '@wangian/kit/testing/dump.ts'
import { emptyTables } from '@wangian/kit/testing/empty-tables.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { putAside } from '@wangian/kit/testing/letters.ts'
import { picture, uploadForm } from '@wangian/kit/testing/pictures.ts'
import { rebuildTables } from '@wangian/kit/testing/rebuild-tables.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { notePurchase } from '../mails/deal-pair-store.ts'
import { issueOneTimeToken } from '../mails/one-time-token.ts'
import { beginFlow } from '../oauth/flow-state.ts'
import { usersProjection } from '../projections.ts'
import { listPublicPeople } from '../store.ts'
import { createTestIdentity, signUp, type TestIdentity } from '../testing/test-identity.ts'
import { ERASED_AFTER_MS } from './closing.ts'
import { keepUp, startUpkeep } from './upkeep.ts'

/** Tokens are checked by the clock on the wall, so this is where it all begins. */
const start = new Date()
const password = 'correct horse'
const HOUR_MS = 60 * 60 * 1000

let identity: TestIdentity
let now = start
let upkeep: Parameters<typeof keepUp>[0]
beforeAll(async () => {
  identity = await createTestIdentity({ now: () => now })
  const files = createPictureFiles(storeOnDisk(identity.filesDirectory))
  upkeep = { pool: identity.database.pool, files, log: silentLogger }
})
afterAll(() => identity.stop())
beforeEach(() => {
  now = start
})

const after = (ms: number) => new Date(start.getTime() + ms)

async function arrive(username: string) {
  const { accessToken } = await signUp(identity.app, username, password)
  const exchange = await call('POST', '/api/v1/auth/session', { supabaseToken: accessToken })
  const { token, user } = exchange.json()
  return { userId: user.id as number, token: token as string, email: `${username}@example.com` }
}

function call(method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', url: string, payload?: object, token?: string) {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  return identity.app.inject({ method, url, headers, ...(payload && { payload }) })
}

async function leave({ userId, token }: { readonly userId: number; readonly token: string }): Promise<void> {
  const response = await call('DELETE', `/api/user/${userId}`, { currentPassword: password }, token)
  expect(response.statusCode, response.body).toBe(200)
}

const erasedIds = () =>
  identity.database.pool.anyFirst(sql.type(z.object({ id: z.number() }))`
    select (data ->> 'userId')::bigint as id from events where type = 'UserErased' order by position`)

describe('a person who has left', () => {
  const marks = {
    username: 'Mk.username',
    email: 'mk.username@example.com',
    newEmail: 'mk-new-address@example.com',
    firstName: 'Mk-first-name',
    lastName: 'Mk-last-name',
    address: 'Mk-street 1, Ipoh',
    shopName: 'Mk-shop',
    location: 'Mk-town',
    bio: 'Mk-bio',
  }
  const traces = async () =>
    [...(await dumpTables(identity.database.pool))].flatMap(([table, rows]) => (/mk[.-]/i.test(rows) ? [table] : []))

  it('is in no table and no file once a week has passed, and is to be found again nowhere', async () => {
    const { pool } = identity.database
    const before = await listFiles(identity.filesDirectory)
    const person = await arrive(marks.username)
    const { username: _, email: __, newEmail, ...profile } = marks
    const changes = { ...profile, email: newEmail, currentPassword: password }
    const changed = await call('PATCH', `/api/user/${person.userId}`, changes, person.token)
    expect(changed.statusCode, changed.body).toBe(200)
    for (const kind of ['avatar', 'cover']) {
      const { payload, headers } = uploadForm(await picture())
      const response = await identity.app.inject({
        method: 'POST',
        url: `/api/user/${kind}`,
        headers: { ...headers, authorization: `Bearer ${person.token}` },
        payload,
      })
      expect(response.statusCode, response.body).toBe(200)
    }
    const image = (await call('GET', '/api/v1/auth/me', undefined, person.token)).json().profileImage
    expect((await call('GET', `/api/profile-images/${image}?w=480`)).statusCode).toBe(200)
    const wishes = { sales: false, newReviews: true, lowStock: false }
    expect((await call('PUT', '/api/user/notifications', wishes, person.token)).statusCode).toBe(200)
    await beginFlow(pool, { kind: 'recovery', challenge: 'c'.repeat(43), userId: person.userId }, now)
    await notePurchase(pool, { sellerId: person.userId, buyerId: 999_999 })
    await notePurchase(pool, { sellerId: 999_999, buyerId: person.userId })
    const stream = `user-${person.userId}`
    await putAside(pool, 'relay', { stream, data: { person: { username: marks.username } } })
    const isAside = () => pool.exists(sql.unsafe`select from dead_letters where stream = ${stream}`)
    expect(await isAside()).toBe(true)
    // What is put aside has no words of anybody.
    expect((await traces()).toSorted()).toEqual(['identity.mails', 'identity.one_time_tokens', 'identity.people'])
    expect((await listFiles(identity.filesDirectory)).length).toBeGreaterThanOrEqual(before.length + 2)

    await leave(person)
    expect((await call('GET', `/api/profile-images/${image}?w=480`)).statusCode).toBe(404)
    // The mail that confirms it could not be sent; nor could one to an address that the person had in mind.
    await queueMail(pool, {
      to: newEmail,
      personId: person.userId,
      kind: 'test',
      subject: 'x',
      text: 'x',
      html: 'x',
    })

    expect(await keepUp(upkeep, after(ERASED_AFTER_MS - 1))).toBe(0)
    // Told to stop, it leaves them for the next time.
    expect(await keepUp({ ...upkeep, signal: AbortSignal.abort() }, after(ERASED_AFTER_MS))).toBe(0)
    expect(await traces()).toContain('identity.people')
    expect(await keepUp(upkeep, after(ERASED_AFTER_MS))).toBe(1)
    expect(await traces()).toEqual([])
    expect(await isAside()).toBe(false)
    expect(await pool.any(sql.unsafe`select * from notification_settings`)).toEqual([])
    expect(await pool.any(sql.unsafe`select * from deal_pairs`)).toEqual([])
    expect(await listFiles(identity.filesDirectory)).toEqual(before)
    expect(await erasedIds()).toEqual([person.userId])
    expect(await keepUp(upkeep, after(ERASED_AFTER_MS + HOUR_MS))).toBe(0)
    expect(await erasedIds()).toEqual([person.userId])

    await rebuildTables(pool, 'identity', usersProjection)
    expect(await traces()).toEqual([])
    expect((await listPublicPeople(pool, [person.userId])).size).toBe(0)
    expect((await call('GET', `/api/profile-images/${image}`)).statusCode).toBe(404)
    expect(await keepUp(upkeep, after(ERASED_AFTER_MS + HOUR_MS))).toBe(0)
  })

  it('leaves the name and the address to others, who are other people', async () => {
    const first = await arrive('heir')
    await leave(first)
    await keepUp(upkeep, after(ERASED_AFTER_MS))
    const second = await arrive('heir')
    expect(second.userId).toBeGreaterThan(first.userId)
    const people = await listPublicPeople(identity.database.pool, [first.userId, second.userId])
    expect([...people].map(([userId, { username }]) => [userId, username])).toEqual([[second.userId, 'heir']])
  })

  it('is in no line of the log of the service, even when erasing fails', async () => {
    const { pool } = identity.database
    const lines: string[] = []
    const log = createLogger({ name: 'identity', stream: { write: (line) => lines.push(line) } })
    const [stuck, free] = [await arrive('mk.stuck'), await arrive('mk.free')]
    await leave(stuck)
    await leave(free)
    await pool.query(sql.unsafe`
      create function refuse() returns trigger language plpgsql as $$ begin raise exception 'not now'; end $$`)
    await pool.query(sql.unsafe`
      create trigger refuse before delete on people for each row when (old.username = 'mk.stuck') execute function refuse()`)
    expect(await keepUp({ ...upkeep, log }, after(ERASED_AFTER_MS))).toBe(1)
    expect(await erasedIds()).toContain(free.userId)
    expect(await erasedIds()).not.toContain(stuck.userId)
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ level: 'error', userId: stuck.userId }])
    expect(lines.join()).not.toContain('mk.')
    await pool.query(sql.unsafe`drop trigger refuse on people`)
    expect(await keepUp(upkeep, after(ERASED_AFTER_MS + HOUR_MS))).toBe(1)
    expect(await traces()).toEqual([])
  })
})

describe('the upkeep', () => {
  const countRows = (table: string) =>
    identity.database.pool.oneFirst(sql.type(z.object({ count: z.number() }))`
      select count(*) as count from ${sql.identifier([table])}`)

  it('forgets what nobody can use any more, and nothing else', async () => {
    const { pool } = identity.database
    const { userId, email } = await arrive('tidy')
    const tables = ['one_time_tokens', 'flow_states', 'sessions']
    const counts = () => Promise.all(tables.map(countRows))
    await emptyTables(pool, 'one_time_tokens, flow_states, sessions')
    await issueOneTimeToken(pool, { userId, kind: 'signup', email, now })
    await beginFlow(pool, { kind: 'oauth', challenge: 'c'.repeat(43) }, now)
    await pool.query(sql.unsafe`
      insert into sessions (id, user_id, method, authenticated_at, refresh_key, refresh_number, refreshed_at)
      values (gen_random_uuid(), ${userId}, 'password', ${now.toISOString()}, 'x', 1, ${now.toISOString()})`)
    await keepUp(upkeep, after(23 * HOUR_MS))
    expect(await counts()).toEqual([1, 1, 1])
    await keepUp(upkeep, after(25 * HOUR_MS))
    expect(await counts()).toEqual([0, 1, 1])
    await keepUp(upkeep, after(27 * HOUR_MS))
    expect(await counts()).toEqual([0, 0, 1])
    await keepUp(upkeep, after(60 * 24 * HOUR_MS))
    expect(await counts()).toEqual([0, 0, 1])
    await keepUp(upkeep, after(60 * 24 * HOUR_MS + 1))
    expect(await counts()).toEqual([0, 0, 0])
  })

  it('tells whoever keeps something for a session that it has ended, for nobody has refreshed it', async () => {
    const { pool } = identity.database
    const { userId } = await arrive('idle')
    await emptyTables(pool, 'revoked_sessions')
    await keepUp(upkeep, after(60 * 24 * HOUR_MS + 1))
    const ended = await pool.any(sql.unsafe`select user_id, reason from revoked_sessions where user_id = ${userId}`)
    expect(ended).toEqual([{ user_id: userId, reason: 'signed-out' }])
  })

  it('ends all sessions that nobody has refreshed, however many people have some, but for those that it cannot', async () => {
    const { pool } = identity.database
    await emptyTables(pool, 'sessions')
    const { userId } = await arrive('stubborn')
    await pool.query(sql.unsafe`
      insert into people (user_id, username, auth_id, email, created_at, updated_at)
      select id, 'gone-' || id, gen_random_uuid(), 'gone-' || id || '@example.com', now(), now()
        from generate_series(100001, 100120) as person (id)`)
    await pool.query(sql.unsafe`
      insert into sessions (id, user_id, method, authenticated_at, refresh_key, refresh_number, refreshed_at)
      select gen_random_uuid(), id, 'password', now(), 'x', 1, ${start.toISOString()}
        from generate_series(100001, 100120) as person (id)`)
    await pool.query(sql.unsafe`
      create function refuse_end() returns trigger language plpgsql as $$ begin raise exception 'not now'; end $$`)
    await pool.query(
      sql.unsafe`create trigger refuse before delete on sessions for each row when (old.user_id < 100001) execute function refuse_end()`,
    )
    await keepUp(upkeep, after(60 * 24 * HOUR_MS + 1))
    await pool.query(sql.unsafe`drop trigger refuse on sessions`)
    expect(await pool.anyFirst(sql.unsafe`select user_id from sessions`)).toEqual([userId])
    await pool.query(sql.unsafe`delete from people where user_id > 100000`)
  })

  it('is done at the start and again and again, by one of several processes, who says so', async () => {
    const [early, late] = [await arrive('early'), await arrive('late')]
    await leave(early)
    now = after(HOUR_MS)
    await leave(late)
    let clock = after(ERASED_AFTER_MS)
    let told = 0
    const options = () => ({
      ...upkeep,
      locks: holdLocks({ url: identity.database.url, applicationName: 'upkeep' }),
      now: () => clock,
      intervalMs: 20,
      onAppended: () => {
        told += 1
      },
    })
    const running = [startUpkeep(options()), startUpkeep(options())]
    await eventually(async () => (await erasedIds()).includes(early.userId))
    expect(await erasedIds()).not.toContain(late.userId)
    clock = after(ERASED_AFTER_MS + HOUR_MS)
    await eventually(async () => (await erasedIds()).includes(late.userId))
    await Promise.all(running.map((one) => one.stop()))
    expect(told).toBe(2)
    expect((await erasedIds()).filter((id) => id === early.userId || id === late.userId)).toHaveLength(2)
  })
})
