import { randomUUID } from 'node:crypto'
import { identityRequests } from '@wangian/contracts/identity-requests.ts'
import { request } from '@wangian/kit/bus/requests.ts'
import { CountRow, sql } from '@wangian/kit/database/postgres.ts'
import { readStream } from '@wangian/kit/log/event-store.ts'
import { silentLogger } from '@wangian/kit/service/logger.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { startTestNats, type TestNats } from '@wangian/kit/testing/test-nats.ts'
import { decodeJwt } from 'jose'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { serveModeration } from '../accounts/moderation.ts'
import { issueOneTimeToken } from '../mails/one-time-token.ts'
import { ageTries } from '../testing/provider-calls.ts'
import { codeOf } from '../testing/test-apps.ts'
import { createTestIdentity, currentVersion, PUBLIC_URL, type TestIdentity } from '../testing/test-identity.ts'
import { createUser, PASSWORD, stateOf, type TestUser } from '../testing/test-people.ts'
import { hasVerifiedFactor } from './factor-store.ts'

const STEP_MS = 30_000
let identity: TestIdentity
let nats: TestNats
let served: { stop(): Promise<void> }
let now = new Date()
let count = 0
let appended = 0
let admin: TestUser
let mei: TestUser

beforeAll(async () => {
  nats = await startTestNats()
  identity = await createTestIdentity({ isFactorRequired: true, now: () => now })
  const onAppended = () => {
    appended += 1
  }
  const { pool } = identity.database
  served = serveModeration({
    nats: nats.connection,
    pool,
    config: { publicUrl: PUBLIC_URL },
    onAppended,
    log: silentLogger,
  })
  await nats.connection.flush()
})
afterAll(async () => {
  await served.stop()
  await nats.stop()
  await identity.stop()
})
beforeEach(async () => {
  count += 1
  now = new Date()
  appended = 0
  admin = await createUser(identity, `admin-${count}`, { isAdmin: true })
  mei = await createUser(identity, `mei-${count}`)
})

async function post(path: string, payload: object, token?: string) {
  const headers = { ...currentVersion, ...(token !== undefined && { authorization: `Bearer ${token}` }) }
  const response = await identity.app.inject({ method: 'POST', url: path, headers, payload })
  return { status: response.statusCode, ...response.json() }
}
const signIn = ({ email }: TestUser) => post('/auth/v1/token?grant_type=password', { email, password: PASSWORD })
const exchange = (supabaseToken: string) => post('/api/v1/auth/session', { supabaseToken })
const me = async (token: string) => {
  const response = await identity.app.inject({ url: '/api/v1/auth/me', headers: { authorization: `Bearer ${token}` } })
  return { status: response.statusCode, ...response.json() }
}

/** Gives somebody an authenticator app. @returns the provider's token of the session that has shown it */
async function addApp(person: TestUser): Promise<{ token: string; factorId: string }> {
  const { access_token } = await signIn(person)
  const { id, totp } = await post('/auth/v1/factors', { factor_type: 'totp' }, access_token)
  const challenge = await post(`/auth/v1/factors/${id}/challenge`, {}, access_token)
  const proof = { challenge_id: challenge.id, code: codeOf(totp.secret, now) }
  const verified = await post(`/auth/v1/factors/${id}/verify`, proof, access_token)
  now = new Date(now.getTime() + STEP_MS)
  return { token: verified.access_token, factorId: id }
}

const remove = (more: object = {}) =>
  request(nats.connection, 'identity', identityRequests.removeFactors, {
    userId: mei.id,
    actorId: admin.id,
    reason: 'Lost the phone, and showed a passport.',
    requestId: 'a-request',
    ...more,
  })
const isProtected = () => hasVerifiedFactor(identity.database.pool, mei.id)

describe('an administrator takes a second factor off', () => {
  it('and ends all sessions, in the log by its own name, once', async () => {
    const { token } = await addApp(mei)
    const { token: appToken } = await exchange(token)
    expect(await remove()).toEqual({ hasChanged: true })
    expect(await isProtected()).toBe(false)
    expect((await me(appToken)).status).toBe(401)
    expect(await exchange((await signIn(mei)).access_token)).toMatchObject({ status: 200 })
    expect(await remove()).toEqual({ hasChanged: false })
    expect(appended).toBe(1)
    const reasons = sql.type(z.object({ reason: z.string() }))`
      select reason from moderation_reasons where user_id = ${mei.id}`
    expect(await identity.database.pool.anyFirst(reasons)).toEqual(['Lost the phone, and showed a passport.'])
    expect((await readStream(identity.database.pool, 'identity', `user-${mei.id}`)).slice(-2)).toMatchObject([
      { type: 'SecondFactorAdded', metadata: { actorId: mei.id } },
      {
        type: 'SecondFactorRemoved',
        data: { userId: mei.id, by: 'admin' },
        metadata: { actorId: admin.id, correlationId: 'a-request' },
      },
    ])
  })

  it.each<[string, () => object, string]>([
    ['by somebody who is none', () => ({ actorId: mei.id, userId: admin.id }), 'admin-access-required'],
    ['by nobody', () => ({ actorId: 999_999 }), 'admin-access-required'],
    ['of nobody', () => ({ userId: 999_999 }), 'not-found'],
    ['of their own', () => ({ userId: admin.id }), 'conflict'],
  ])('but not %s', async (_who, more, code) => {
    await addApp(mei)
    const before = await stateOf(identity)
    await expect(remove(more())).rejects.toMatchObject({ code })
    expect(await stateOf(identity)).toBe(before)
  })
})

describe('whoever has stolen a session with a factor, and is under way while it ends,', () => {
  type Stolen = { readonly token: string; readonly factorId: string }
  const ask = (method: 'POST' | 'DELETE', path: string) => async (stolen: Stolen) => {
    const url = `/auth/v1/factors${path.replace(':id', stolen.factorId)}`
    const headers = { ...currentVersion, authorization: `Bearer ${stolen.token}` }
    const payload = path === '' ? { factor_type: 'totp', friendly_name: 'mine' } : {}
    const { statusCode, body } = await identity.app.inject({ method, url, headers, payload })
    return { status: statusCode, ...JSON.parse(body) }
  }

  it.each<[string, (stolen: Stolen) => Promise<{ status: number }>]>([
    ['adds no app', ask('POST', '')],
    ['takes no app off', ask('DELETE', '/:id')],
    ['gets no recovery codes', ask('POST', '/recovery-codes')],
  ])('%s', async (_what, steal) => {
    const stolen = await addApp(mei)
    const before = await factorsOf(mei)
    const holder = new pg.Client({ connectionString: identity.database.url })
    await holder.connect()
    await holder.query('begin')
    await holder.query('select from people where user_id = $1 for update', [mei.id])
    const stealing = steal(stolen)
    await eventually(async () => {
      const waiting = await identity.database.pool.oneFirst(sql.type(CountRow)`
        select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
      return waiting === 1
    })
    await holder.query('delete from sessions where user_id = $1', [mei.id])
    await holder.query('commit')
    await holder.end()
    expect(await stealing).toMatchObject({ status: 403, code: 'session_not_found' })
    expect(await factorsOf(mei)).toEqual(before)
  })

  const factorsOf = ({ id }: TestUser) =>
    identity.database.pool.anyFirst(sql.unsafe`select id from factors where user_id = ${id}`)
})

describe('two apps that are taken off at once', () => {
  it('are the last one each time: the second is not taken off as one of two', async () => {
    const { token, factorId } = await addApp(mei)
    const { pool, url } = identity.database
    const otherId = randomUUID()
    await pool.query(sql.unsafe`
      insert into factors (id, user_id, kind, friendly_name, secret, verified_at, created_at, updated_at)
      select ${otherId}, user_id, kind, 'other', secret, verified_at, created_at, updated_at
        from factors where id = ${factorId}`)
    const takeOff = (id: string) =>
      identity.app.inject({
        method: 'DELETE',
        url: `/auth/v1/factors/${id}`,
        headers: { ...currentVersion, authorization: `Bearer ${token}` },
      })
    const holder = new pg.Client({ connectionString: url })
    await holder.connect()
    await holder.query('begin')
    await holder.query('select from people where user_id = $1 for update', [mei.id])
    const takingOff: ReturnType<typeof takeOff>[] = []
    // In this order: without the app that it has shown the session may take nothing off any more.
    for (const id of [otherId, factorId]) {
      takingOff.push(takeOff(id))
      await eventually(async () => {
        const waiting = await pool.oneFirst(sql.type(CountRow)`
          select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
        expect(waiting).toBe(takingOff.length)
      })
    }
    await holder.query('commit')
    await holder.end()
    const answers = await Promise.all(takingOff)
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 409])
    expect(await hasVerifiedFactor(pool, mei.id)).toBe(true)
  })
})

describe('an administrator who must have a second factor', () => {
  it('and has none is an ordinary person until one is verified', async () => {
    const { access_token } = await signIn(admin)
    const { token, user } = await exchange(access_token)
    expect(user).toMatchObject({ isAdmin: false, needsSecondFactor: true })
    expect(decodeJwt(token)).toMatchObject({ isAdmin: false, needsSecondFactor: true })
    expect(await me(token)).toMatchObject({ isAdmin: false, needsSecondFactor: true })
    const raised = await exchange((await addApp(admin)).token)
    expect(raised.user).toMatchObject({ isAdmin: true, needsSecondFactor: false })
    expect(decodeJwt(raised.token)).toMatchObject({ isAdmin: true, needsSecondFactor: false })
    expect(await me(raised.token)).toMatchObject({ isAdmin: true, needsSecondFactor: false })
    // Whoever has the password only is not let in at all.
    expect(await exchange((await signIn(admin)).access_token)).toMatchObject({ code: 'second-factor-required' })
  })

  it('and takes it off is signed out, so that no token of theirs says more than it should', async () => {
    const { token, factorId } = await addApp(admin)
    const { token: appToken } = await exchange(token)
    const headers = { authorization: `Bearer ${token}` }
    const removed = await identity.app.inject({ method: 'DELETE', url: `/auth/v1/factors/${factorId}`, headers })
    expect(removed.statusCode).toBe(200)
    expect((await me(appToken)).status).toBe(401)
    expect((await exchange((await signIn(admin)).access_token)).user).toMatchObject({ needsSecondFactor: true })
  })

  it('is told of nobody else', async () => {
    expect((await exchange((await signIn(mei)).access_token)).user).toMatchObject({
      isAdmin: false,
      needsSecondFactor: false,
    })
  })

  it('is one at once where none is needed', async () => {
    const demo = await createTestIdentity({ isFactorRequired: false })
    const boss = await createUser(demo, 'boss', { isAdmin: true })
    const response = await demo.app.inject({ url: '/api/v1/auth/me', headers: boss.headers })
    await demo.stop()
    expect(response.json()).toMatchObject({ isAdmin: true, needsSecondFactor: false })
  })
})

describe('what else a second factor guards', () => {
  it('is a password that is set with an older link, which nobody asks a code for', async () => {
    await addApp(mei)
    const wanted = { userId: mei.id, kind: 'recovery', email: mei.email, now } as const
    const { token } = await issueOneTimeToken(identity.database.pool, wanted)
    const answer = await post('/api/update-password', { token, password: 'another horse' })
    expect(answer).toMatchObject({ status: 403, code: 'second-factor-required' })
    expect((await signIn(mei)).status).toBe(200)
  })

  it('is a password, an address and the account itself, in a session that has lost the factor that it showed', async () => {
    const one = await addApp(mei)
    const { id, totp } = await post('/auth/v1/factors', { factor_type: 'totp', friendly_name: 'Tablet' }, one.token)
    const challenge = await post(`/auth/v1/factors/${id}/challenge`, {}, one.token)
    const proof = { challenge_id: challenge.id, code: codeOf(totp.secret, now) }
    expect(await post(`/auth/v1/factors/${id}/verify`, proof, one.token)).toMatchObject({ status: 200 })
    const { token } = await exchange(one.token)
    const send = async (method: 'POST' | 'PATCH' | 'DELETE', url: string, payload: object, bearer = token) => {
      const headers = { authorization: `Bearer ${bearer}` }
      const response = await identity.app.inject({ method, url, headers, payload })
      return { status: response.statusCode, ...response.json() }
    }
    expect(await send('DELETE', `/auth/v1/factors/${id}`, {}, one.token)).toMatchObject({ status: 200 })
    const before = await stateOf(identity)
    const refused = { status: 403, message: 'Second factor required' }
    const [own, currentPassword] = [`/api/user/${mei.id}`, PASSWORD]
    const change = { currentPassword, newPassword: 'another horse' }
    expect(await send('POST', '/api/user/change-password', change)).toMatchObject(refused)
    expect(await send('PATCH', own, { email: 'thief@example.com', currentPassword })).toMatchObject(refused)
    expect(await send('DELETE', own, { currentPassword })).toMatchObject(refused)
    expect(await stateOf(identity)).toBe(before)
  })

  it('is a change of address that was begun before there was one', async () => {
    const wanted = { userId: mei.id, kind: 'email_change', email: 'thief@example.com', now } as const
    await issueOneTimeToken(identity.database.pool, wanted)
    await addApp(mei)
    const left = await identity.database.pool.oneFirst(
      sql.unsafe`select count(*) from one_time_tokens where user_id = ${mei.id}`,
    )
    expect(left).toBe(0)
  })
})

describe('guessing', () => {
  let strict: TestIdentity
  beforeEach(async () => {
    strict = await createTestIdentity({ rateLimitFactor: 1 })
  })
  afterEach(() => strict.stop())

  it('ends after five codes, those of all kinds counted together, and what is no code does not count', async () => {
    const person = await createUser(strict, 'person')
    const inject = async (url: string, payload: object, token = '') => {
      const headers = { ...currentVersion, ...(token !== '' && { authorization: `Bearer ${token}` }) }
      const response = await strict.app.inject({ method: 'POST', url: `/auth/v1${url}`, headers, payload })
      return { status: response.statusCode, ...response.json() }
    }
    const { access_token: token } = await inject('/token?grant_type=password', {
      email: person.email,
      password: PASSWORD,
    })
    const { id } = await inject('/factors', { factor_type: 'totp' }, token)
    const challenge = await inject(`/factors/${id}/challenge`, {}, token)
    const guess = (code: string) => inject(`/factors/${id}/verify`, { challenge_id: challenge.id, code }, token)
    for (let tries = 0; tries < 15; tries += 1) expect((await guess('12345')).status).toBe(422)
    for (let tries = 0; tries < 4; tries += 1) expect((await guess('000000')).status).toBe(422)
    expect((await inject('/factors/recovery-codes/verify', { code: '2'.repeat(16) }, token)).status).toBe(422)
    expect(await guess('000000')).toMatchObject({ status: 429, code: 'over_request_rate_limit' })
    await ageTries(strict, 14)
    expect((await guess('000000')).status).toBe(429)
    await ageTries(strict, 1)
    expect((await guess('000000')).status).toBe(422)
  })
})
