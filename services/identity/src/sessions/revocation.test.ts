import { randomUUID } from 'node:crypto'
import { identityRequests } from '@wangian/contracts/identity-requests.ts'
import { SESSIONS_REVOKED_SUBJECT } from '@wangian/contracts/revocations.ts'
import { request } from '@wangian/kit/bus/requests.ts'
import { sql } from '@wangian/kit/database/postgres.ts'
import { readStream } from '@wangian/kit/log/event-store.ts'
import { silentLogger } from '@wangian/kit/service/logger.ts'
import { dumpTables } from '@wangian/kit/testing/dump.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { startTestNats, type TestNats } from '@wangian/kit/testing/test-nats.ts'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { setBanned } from '../accounts/moderation.ts'
import { findAccountByAuthId } from '../store.ts'
import { createTestIdentity, signUp, type TestIdentity } from '../testing/test-identity.ts'
import { refreshToken } from './refresh-token.ts'
import { endSessions } from './revocation.ts'
import { startRevocationRelay } from './revocation-relay.ts'
import { serveRevocations } from './revocation-requests.ts'
import { openSession, refreshSession } from './sessions.ts'

let identity: TestIdentity
let nats: TestNats
const heard: { userId: number; sessionIds: string[]; reason: string }[] = []
const stops: (() => Promise<void>)[] = []

beforeAll(async () => {
  identity = await createTestIdentity()
  nats = await startTestNats()
  const { pool, url: databaseUrl } = identity.database
  nats.connection.subscribe(SESSIONS_REVOKED_SUBJECT, {
    callback: (_error, message) => void heard.push(message.json()),
  })
  for (let instance = 0; instance < 2; instance++) {
    const relay = startRevocationRelay({ databaseUrl, pool, nats: nats.connection, log: silentLogger })
    stops.push(() => relay.stop())
  }
  const answers = serveRevocations({ nats: nats.connection, pool, log: silentLogger })
  stops.push(() => answers.stop())
  const { userId } = await user('warm-up')
  await eventually(async () => {
    await openAndEnd(userId)
    return heard.length > 0
  })
})

afterAll(async () => {
  for (const stop of stops) await stop()
  await nats.stop()
  await identity.stop()
})

const heardOf = (userId: number) => heard.filter((message) => message.userId === userId)

async function user(username: string) {
  const { authId, ...tokens } = await signUp(identity.app, username)
  const account = await findAccountByAuthId(identity.database.pool, authId)
  if (account === null) throw new Error('was registered just now')
  return { userId: account.userId, ...tokens }
}

function open(userId: number) {
  return openSession(identity.database.pool, { userId, method: 'password', provider: 'email' }, new Date())
}

async function openAndEnd(userId: number): Promise<void> {
  const { id } = await open(userId)
  await identity.database.pool.transaction((transaction) =>
    endSessions(transaction, { userId, sessionIds: [id], reason: 'signed-out' }),
  )
}

async function revoked(userId: number) {
  const { revocations } = await request(nats.connection, 'identity', identityRequests.listRevocations, { afterId: 0 })
  return revocations.filter((each) => each.userId === userId)
}

async function appToken(supabaseToken: string): Promise<string> {
  const answer = await identity.app.inject({ method: 'POST', url: '/api/v1/auth/session', payload: { supabaseToken } })
  expect(answer.statusCode).toBe(200)
  return answer.json().token
}

function me(token: string) {
  return identity.app.inject({ url: '/api/v1/auth/me', headers: { authorization: `Bearer ${token}` } })
}

/** Nobody else hears of them in this file. */
async function administrator(): Promise<number> {
  const { userId } = await user(`admin-${randomUUID().slice(0, 8)}`)
  await identity.database.pool.query(sql.unsafe`update users set is_admin = true where id = ${userId}`)
  return userId
}

describe('ended sessions', () => {
  it('are told to everybody with the commit, and listed for whoever missed it', async () => {
    const { userId } = await user('told')
    const session = await open(userId)
    await identity.database.pool.transaction(async (transaction) => {
      await endSessions(transaction, { userId, sessionIds: [session.id], reason: 'signed-out' })
      expect(heardOf(userId)).toEqual([])
    })
    await eventually(() => {
      expect(heardOf(userId)).toEqual([{ userId, sessionIds: [session.id], reason: 'signed-out' }])
    })
    expect(await revoked(userId)).toMatchObject([{ sessionId: session.id, reason: 'signed-out' }])
  })

  it('are known as such however long ago they ended, for whoever has missed it for longer', async () => {
    const { userId } = await user('missed')
    const [live, signedOut, banned] = [await open(userId), await open(userId), await open(userId)]
    const { pool } = identity.database
    await pool.transaction((transaction) =>
      endSessions(transaction, { userId, sessionIds: [signedOut.id], reason: 'signed-out' }),
    )
    await pool.transaction((transaction) =>
      endSessions(transaction, { userId, sessionIds: [banned.id], reason: 'banned' }),
    )
    await pool.query(sql.unsafe`delete from revoked_sessions where user_id = ${userId}`)
    const sessionIds = [live, signedOut, banned].map(({ id }) => id)
    const answer = await request(nats.connection, 'identity', identityRequests.listEndedSessions, { sessionIds })
    expect(answer.endedIds.toSorted()).toEqual([signedOut.id, banned.id].toSorted())
  })

  it('are settled when no transaction is older, so that one that was written before and committed later is asked for', async () => {
    const { userId } = await user('settled')
    const ask = () => request(nats.connection, 'identity', identityRequests.listRevocations, { afterId: 0 })
    await openAndEnd(userId)
    const { revocations, settledId } = await ask()
    const last = revocations.at(-1)
    expect(last).toMatchObject({ userId })
    expect(settledId).toBeLessThan(last?.id ?? 0)
    await identity.database.pool.query(sql.unsafe`
      update revoked_sessions set revoked_at = revoked_at - interval '31 seconds' where user_id = ${userId}`)
    expect((await ask()).settledId).toBe(last?.id)
  })

  it('are not told of when the transaction is rolled back', async () => {
    const { userId } = await user('kept')
    const session = await open(userId)
    const ending = identity.database.pool.transaction(async (transaction) => {
      await endSessions(transaction, { userId, reason: 'closed' })
      throw new Error('undone')
    })
    await expect(ending).rejects.toThrow('undone')
    await openAndEnd(userId)
    await eventually(() => heardOf(userId).length > 0)
    expect(heardOf(userId)).toHaveLength(1)
    expect(heardOf(userId)[0]?.sessionIds).not.toContain(session.id)
  })

  it('can be all but one, and never somebody else’s', async () => {
    const { userId } = await user('chooser')
    const stranger = await user('bystander')
    const [first, second] = [await open(userId), await open(userId)]
    const theirs = await open(stranger.userId)
    await identity.database.pool.transaction((transaction) =>
      endSessions(transaction, { userId, sessionIds: [theirs.id], reason: 'signed-out' }),
    )
    expect(await revoked(stranger.userId)).toEqual([])
    await identity.database.pool.transaction((transaction) =>
      endSessions(transaction, { userId, exceptId: second.id, reason: 'password-changed' }),
    )
    const ids = (await revoked(userId)).map(({ sessionId }) => sessionId)
    expect(ids).toContain(first.id)
    expect(ids).not.toContain(second.id)
  })

  it('hold in more than one notification', async () => {
    const { userId } = await user('many')
    for (let index = 0; index < 99; index++) await open(userId)
    await identity.database.pool.query(sql.unsafe`
      insert into sessions (id, user_id, method, authenticated_at, refresh_key, refresh_number, refreshed_at)
      select gen_random_uuid(), user_id, method, authenticated_at, refresh_key, refresh_number, refreshed_at
        from sessions where user_id = ${userId}`)
    await identity.database.pool.transaction((transaction) => endSessions(transaction, { userId, reason: 'banned' }))
    await eventually(() => heardOf(userId).flatMap(({ sessionIds }) => sessionIds).length === 200)
    expect(heardOf(userId)).toHaveLength(2)
  })
})

describe('what ends sessions', () => {
  const cases: [string, string, (tokens: { accessToken: string; app: string }) => Promise<{ statusCode: number }>][] = [
    [
      'our logout',
      'signed-out',
      ({ app }) =>
        identity.app.inject({
          method: 'POST',
          url: '/api/v1/auth/logout',
          headers: { authorization: `Bearer ${app}` },
        }),
    ],
    ...(['local', 'global'] as const).map((scope): (typeof cases)[number] => [
      `the provider's logout, ${scope}`,
      'signed-out',
      ({ accessToken }) =>
        identity.app.inject({
          method: 'POST',
          url: `/auth/v1/logout?scope=${scope}`,
          headers: { authorization: `Bearer ${accessToken}` },
        }),
    ]),
  ]
  it.each(cases)('%s', async (name, reason, act) => {
    const { userId, accessToken } = await user(`leaves-${name.replace(/\W+/g, '')}`.slice(0, 30))
    const app = await appToken(accessToken)
    expect((await me(app)).statusCode).toBe(200)
    expect((await act({ accessToken, app })).statusCode).toBeLessThan(300)
    expect((await me(app)).statusCode).toBe(401)
    expect(await revoked(userId)).toMatchObject([{ reason }])
    await eventually(() => {
      expect(heardOf(userId)).toMatchObject([{ userId, reason }])
    })
  })

  it('the reuse of an old refresh token, and its newest token with it', async () => {
    const { userId } = await user('robbed')
    const session = await open(userId)
    const { pool } = identity.database
    const bystander = await open(userId)
    const first = refreshToken(session)
    const refresh = (token: string) => refreshSession(pool, token, new Date(), 'test')
    const second = await refresh(first)
    if (second.outcome !== 'refreshed') throw new Error('is refreshed')
    const third = await refresh(refreshToken(second.session))
    if (third.outcome !== 'refreshed') throw new Error('is refreshed')
    const outcomes = await Promise.all([1, 2, 3].map(async () => (await refresh(first)).outcome))
    expect(outcomes.sort()).toEqual(['already-used', 'already-used', 'reused'])
    expect((await refresh(refreshToken(third.session))).outcome).toBe('already-used')
    expect(await revoked(userId)).toMatchObject([{ sessionId: session.id, reason: 'token-reused' }])
    expect((await refresh(refreshToken(bystander))).outcome).toBe('refreshed')

    // With the same commit, and once.
    const told = await readStream(pool, 'identity', `user-${userId}`)
    expect(told.filter(({ type }) => type === 'SessionRevoked')).toMatchObject([
      { data: { userId, reason: 'token-reused' }, metadata: { actorId: null } },
    ])
    const commits = await pool.anyFirst(sql.type(z.object({ tx: z.string() }))`
      select tx::text from events where stream = ${`user-${userId}`} and type = 'SessionRevoked'
      union select xmin::text::bigint::text from revoked_sessions where user_id = ${userId}`)
    expect(commits).toHaveLength(1)
  })
})

describe('somebody who has left', () => {
  it('begins no session, though they were found a moment before', async () => {
    const { userId } = await user('leaver')
    await identity.database.pool.query(sql.unsafe`update users set closed_at = clock_timestamp() where id = ${userId}`)
    await expect(open(userId)).rejects.toMatchObject({ code: 'account-suspended' })
  })
})

describe('a refresh', () => {
  it('waits for another one of its session, and is judged by what that has left', async () => {
    const { userId } = await user('refresher')
    const session = await open(userId)
    const { pool, url } = identity.database
    const holder = new pg.Client({ connectionString: url })
    await holder.connect()
    await holder.query('begin')
    await holder.query('update sessions set refresh_number = 3 where id = $1', [session.id])
    const refreshed = refreshSession(pool, refreshToken(session), new Date(), 'test')
    await eventually(async () => {
      const waiting = await pool.oneFirst(sql.type(z.object({ count: z.number() }))`
        select count(*) from pg_stat_activity where datname = current_database() and wait_event = 'transactionid'`)
      return waiting === 1
    })
    await holder.query('commit')
    await holder.end()
    expect((await refreshed).outcome).toBe('reused')
  })
})

describe('a ban', () => {
  it('ends all sessions, is in the log, and keeps the person out everywhere until it is lifted', async () => {
    const { userId, accessToken, refreshToken: refresh } = await user('banned')
    const app = await appToken(accessToken)
    const actorId = await administrator()
    const command = { userId, actorId, reason: 'Sells fakes.', requestId: 'test' }
    const { pool } = identity.database
    expect(await setBanned(pool, { ...command, isBanned: true }, new Date())).toBe(true)
    expect(await setBanned(pool, { ...command, isBanned: true }, new Date())).toBe(false)
    await eventually(() => {
      expect(heardOf(userId)).toMatchObject([{ userId, reason: 'banned' }])
    })

    const answer = await me(app)
    expect([answer.statusCode, answer.json().message]).toEqual([403, 'Account suspended'])
    const provider = (url: string, payload: object) =>
      identity.app.inject({
        method: 'POST',
        url: `/auth/v1${url}`,
        headers: { 'x-supabase-api-version': '2024-01-01' },
        payload,
      })
    const password = { email: 'banned@example.com', password: 'correct horse' }
    const signIn = await provider('/token?grant_type=password', password)
    expect([signIn.statusCode, signIn.json().code]).toEqual([400, 'user_banned'])
    const refreshed = await provider('/token?grant_type=refresh_token', { refresh_token: refresh })
    expect([refreshed.statusCode, refreshed.json().code]).toEqual([400, 'user_banned'])
    const asked = await identity.app.inject({
      url: '/auth/v1/user',
      headers: { authorization: `Bearer ${accessToken}`, 'x-supabase-api-version': '2024-01-01' },
    })
    expect([asked.statusCode, asked.json().code]).toEqual([403, 'user_banned'])
    const exchange = await identity.app.inject({
      method: 'POST',
      url: '/api/v1/auth/session',
      payload: { supabaseToken: accessToken },
    })
    expect([exchange.statusCode, exchange.json().message]).toEqual([403, 'Account suspended'])
    await expect(open(userId)).rejects.toMatchObject({ code: 'account-suspended' })

    expect(await setBanned(pool, { ...command, isBanned: false }, new Date())).toBe(true)
    // What a ban has ended stays ended.
    const again = await provider('/token?grant_type=refresh_token', { refresh_token: refresh })
    expect([again.statusCode, again.json().code]).toEqual([400, 'refresh_token_already_used'])
    expect((await provider('/token?grant_type=password', password)).statusCode).toBe(200)
    const types = await pool.anyFirst(sql.type(z.object({ type: z.string() }))`
      select type from events where stream = ${`user-${userId}`} order by version`)
    expect(types).toEqual(['UserRegistered', 'EmailVerified', 'UserBanned', 'UserUnbanned'])
    // Why is kept where it goes with the person.
    const reasons = sql.unsafe`select reason from moderation_reasons where user_id = ${userId}`
    expect(await pool.any(reasons)).toEqual([{ reason: command.reason }, { reason: command.reason }])
    const tables = await dumpTables(pool)
    expect([...tables].flatMap(([table, rows]) => (rows.includes(command.reason) ? [table] : []))).toEqual([
      expect.stringMatching(/\.moderation_reasons$/),
    ])
  })

  it('leaves no session behind that was opened at the same moment', async () => {
    const actorId = await administrator()
    for (let round = 0; round < 10; round++) {
      const { userId } = await user(`racer-${round}`)
      const command = { userId, isBanned: true, actorId, reason: 'Race', requestId: 'test' }
      const opening = Array.from({ length: 4 }, () => open(userId).catch(() => null))
      await Promise.all([setBanned(identity.database.pool, command, new Date()), ...opening])
      const left = await identity.database.pool.oneFirst(sql.type(z.object({ count: z.number() }))`
        select count(*) as count from sessions where user_id = ${userId} and revoked_at is null`)
      expect(left).toBe(0)
    }
  })

  it('is ordered by administrators alone, as the database has it, and never on one', async () => {
    const { pool } = identity.database
    const seller = await user('no-admin')
    const victim = await user('victim')
    const actorId = await administrator()
    const command = { isBanned: true, reason: 'Because', requestId: 'test' }
    const ban = (userId: number, by: number) => setBanned(pool, { ...command, userId, actorId: by }, new Date())
    await expect(ban(victim.userId, seller.userId)).rejects.toMatchObject({ code: 'admin-access-required' })
    await expect(ban(actorId, actorId)).rejects.toMatchObject({ code: 'conflict' })
    await expect(ban(999_999, actorId)).rejects.toMatchObject({ code: 'not-found' })
    expect(await revoked(victim.userId)).toEqual([])
  })
})
