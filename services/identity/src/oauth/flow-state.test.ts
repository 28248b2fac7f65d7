import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { CountRow, sql, type Transaction } from '@wangian/kit/database/postgres.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { issueOneTimeToken } from '../mails/one-time-token.ts'
import { redeemMailedToken } from '../mails/token-redemption.ts'
import { endSessions } from '../sessions/revocation.ts'
import { findAccount, insertIdentity } from '../store.ts'
import { createTestIdentity, currentVersion, PUBLIC_URL, signUp, type TestIdentity } from '../testing/test-identity.ts'
import {
  beginFlow,
  findAuthCode,
  findOpenFlow,
  issueAuthCode,
  readChallenge,
  takeAnswer,
  useAuthCode,
} from './flow-state.ts'
import { unlinkIdentity } from './oauth-unlink.ts'

const start = new Date('2026-11-21T08:00:00.000Z')
const minute = 60_000
let identity: TestIdentity
let userId: number
let nowMs = start.getTime()

beforeAll(async () => {
  identity = await createTestIdentity({ now: () => new Date(nowMs) })
  const { accessToken } = await signUp(identity.app, 'mei')
  const exchange = { method: 'POST', url: '/api/v1/auth/session', payload: { supabaseToken: accessToken } } as const
  userId = (await identity.app.inject(exchange)).json().user.id
})
afterAll(() => identity.stop())

function secret() {
  const verifier = randomBytes(56).toString('hex')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

/** A flow that has come to its code at `start`. */
async function codeIssued() {
  const { pool } = identity.database
  const { verifier, challenge } = secret()
  const flowId = await beginFlow(pool, { kind: 'recovery', challenge }, new Date(start.getTime() - 60 * minute))
  return { verifier, flowId, code: await issueAuthCode(pool, flowId, userId, start) }
}

function exchange(body: unknown, atMs = start.getTime()) {
  nowMs = atMs
  return identity.app.inject({
    method: 'POST',
    url: '/auth/v1/token?grant_type=pkce',
    headers: currentVersion,
    payload: body as object,
  })
}

const notFound = {
  status: 404,
  body: { code: 'flow_state_not_found', message: 'invalid flow state, no valid flow state found' },
}

describe('the exchange of an auth code', () => {
  it('gives a session, however long ago the flow began', async () => {
    const { code, verifier } = await codeIssued()
    const response = await exchange({ auth_code: code, code_verifier: verifier }, start.getTime() + 5 * minute)
    expect(response.statusCode).toBe(200)
    expect(response.json()).toMatchObject({
      token_type: 'bearer',
      expires_in: 3600,
      user: { email: 'mei@example.com' },
    })
  })

  it('is possible once', async () => {
    const { code, verifier } = await codeIssued()
    const body = { auth_code: code, code_verifier: verifier }
    expect((await exchange(body)).statusCode).toBe(200)
    const again = await exchange(body)
    expect({ status: again.statusCode, body: again.json() }).toEqual(notFound)
  })

  it('is possible for one of two who come at the same moment', async () => {
    const { pool } = identity.database
    const { code, verifier } = await codeIssued()
    const [first, second] = [1, 2].map(() => findAuthCode(pool, { code, verifier }, start))
    const use = async (flow: typeof first) => {
      const id = (await flow)?.id ?? ''
      await pool.transaction((transaction) => useAuthCode(transaction, id))
    }
    await use(first)
    await expect(use(second)).rejects.toMatchObject({ status: 404, code: 'flow_state_not_found' })
  })

  it('is refused after five minutes', async () => {
    const { code, verifier } = await codeIssued()
    const response = await exchange({ auth_code: code, code_verifier: verifier }, start.getTime() + 5 * minute + 1)
    expect(response.statusCode).toBe(422)
    expect(response.json()).toEqual({
      code: 'flow_state_expired',
      message: 'invalid flow state, flow state has expired',
    })
  })

  it('is refused with another verifier, and then still possible with the right one', async () => {
    const { code, verifier } = await codeIssued()
    const response = await exchange({ auth_code: code, code_verifier: secret().verifier })
    expect(response.statusCode).toBe(400)
    expect(response.json()).toEqual({
      code: 'bad_code_verifier',
      message: 'code challenge does not match previously saved code verifier',
    })
    expect((await exchange({ auth_code: code, code_verifier: verifier })).statusCode).toBe(200)
  })

  it('is refused with a code that another replaced', async () => {
    const { code, flowId, verifier } = await codeIssued()
    await issueAuthCode(identity.database.pool, flowId, userId, start)
    expect((await exchange({ auth_code: code, code_verifier: verifier })).json()).toEqual(notFound.body)
  })

  it.each<[string, object, object]>([
    ['an unknown code', { auth_code: '0f4e7d0e-9d5c-4f6e-8a53-5d8b3f0f2a11', code_verifier: 'x' }, notFound],
    ['what is no code', { auth_code: "' or 1=1", code_verifier: 'x' }, notFound],
    ...[
      {},
      { auth_code: 'x' },
      { code_verifier: 'x' },
      { auth_code: null, code_verifier: null },
      { auth_code: '', code_verifier: '' },
    ].map((body) => {
      const message = 'invalid request: both auth code and code verifier should be non-empty'
      return [JSON.stringify(body), body, { status: 400, body: { code: 'validation_failed', message } }] as [
        string,
        object,
        object,
      ]
    }),
  ])('is refused with %s', async (_name, body, refusal) => {
    const response = await exchange(body)
    expect({ status: response.statusCode, body: response.json() }).toEqual(refusal)
  })

  it('is refused to somebody who is banned', async () => {
    const { code, verifier } = await codeIssued()
    await identity.database.pool.query(sql.unsafe`update users set is_banned = true where id = ${userId}`)
    const response = await exchange({ auth_code: code, code_verifier: verifier })
    await identity.database.pool.query(sql.unsafe`update users set is_banned = false where id = ${userId}`)
    expect(response.statusCode).toBe(400)
    expect(response.json()).toEqual({ code: 'user_banned', message: 'User is banned' })
  })

  it('keeps neither code nor verifier in the database', async () => {
    const { code, verifier } = await codeIssued()
    const rows = await identity.database.pool.any(
      sql.type(z.object({ row: z.string() }))`select to_jsonb(f)::text as row from flow_states f`,
    )
    const text = rows.map(({ row }) => row).join('\n')
    expect(text).not.toContain(code)
    expect(text).not.toContain(verifier)
  })
})

describe('a code that nobody has exchanged yet', () => {
  const end = (ended: object) =>
    identity.database.pool.transaction((transaction: Transaction) =>
      endSessions(transaction, { userId, reason: 'signed-out', ...ended }),
    )

  it.each<[string, () => Promise<unknown>, number]>([
    ['all sessions', () => end({}), 404],
    ['all sessions but one', () => end({ exceptId: randomUUID() }), 404],
    ['one session', () => end({ sessionIds: [randomUUID()] }), 200],
    [
      'a change of address',
      async () => {
        const { pool } = identity.database
        const kind = 'email_change'
        const { token } = await issueOneTimeToken(pool, { userId, kind, email: 'moved@example.com', now: start })
        return redeemMailedToken(pool, { kind, token }, { now: start, correlationId: 'test' })
      },
      404,
    ],
    [
      'another way of signing in, which is taken away',
      async () => {
        const { pool } = identity.database
        const id = randomUUID()
        const facebook = { id, userId, provider: 'facebook', subject: '1', at: start.toISOString() }
        await pool.transaction((transaction) => insertIdentity(transaction, facebook))
        const account = await findAccount(pool, userId)
        const within = async () => {}
        return (
          account &&
          unlinkIdentity({ pool, publicUrl: PUBLIC_URL }, { account, sessionId: randomUUID(), identityId: id, within })
        )
      },
      404,
    ],
  ])('ends, or not, with %s', async (_what, act, status) => {
    const { code, verifier } = await codeIssued()
    await act()
    expect((await exchange({ auth_code: code, code_verifier: verifier })).statusCode).toBe(status)
  })

  it('gives no session when it ends at that moment', async () => {
    const { code, verifier } = await codeIssued()
    const holder = new pg.Client({ connectionString: identity.database.url })
    await holder.connect()
    await holder.query('begin')
    await holder.query('select from people where user_id = $1 for update', [userId])
    const exchanged = Promise.resolve(exchange({ auth_code: code, code_verifier: verifier }))
    await eventually(async () => {
      const waiting = await identity.database.pool.oneFirst(sql.type(CountRow)`
        select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
      return waiting === 1
    })
    await holder.query('delete from flow_states where user_id = $1', [userId])
    await holder.query('commit')
    await holder.end()
    expect((await exchanged).json()).toEqual(notFound.body)
  })

  it('which has not been given out goes on', async () => {
    const { pool } = identity.database
    const { verifier, challenge } = secret()
    const flowId = await beginFlow(pool, { kind: 'recovery', challenge, userId }, start)
    await end({})
    const code = await issueAuthCode(pool, flowId, userId, start)
    expect((await exchange({ auth_code: code, code_verifier: verifier })).statusCode).toBe(200)
  })
})

describe('the state of a sign-in at another site', () => {
  const oauth = { provider: 'facebook', redirectTo: 'https://wangian.test/auth-callback', browserHash: 'x' }
  const begin = () => beginFlow(identity.database.pool, { kind: 'oauth', challenge: secret().challenge, oauth }, start)
  const find = (state: unknown, afterMs = 0) =>
    findOpenFlow(identity.database.pool, state, new Date(start.getTime() + afterMs))

  it('is good for five minutes', async () => {
    const state = await begin()
    expect(await find(state, 5 * minute)).toMatchObject({ outcome: 'open', flow: { id: state, ...oauth } })
    expect(await find(state, 5 * minute + 1)).toEqual({ outcome: 'expired' })
  })

  it('takes one answer', async () => {
    const { pool } = identity.database
    const state = await begin()
    const taken = await Promise.all([takeAnswer(pool, state, start), takeAnswer(pool, state, start)])
    expect(taken.sort()).toEqual([false, true])
    expect(await find(state)).toEqual({ outcome: 'already-used' })
  })

  it('is none that was not given out for this', async () => {
    const { flowId } = await codeIssued()
    for (const state of [flowId, '0f4e7d0e-9d5c-4f6e-8a53-5d8b3f0f2a11', 'x', '', undefined, ['x']]) {
      expect(await find(state)).toEqual({ outcome: 'unknown' })
    }
  })

  it('is forgotten after a day, when the next one begins', async () => {
    const state = await begin()
    const { challenge } = secret()
    await beginFlow(identity.database.pool, { kind: 'signup', challenge }, new Date(start.getTime() + 27 * 60 * minute))
    expect(await find(state)).toEqual({ outcome: 'unknown' })
  })
})

describe('a challenge', () => {
  const { challenge } = secret()
  it('is read, in whatever case its method is written', () => {
    expect(readChallenge({ code_challenge: challenge, code_challenge_method: 's256' })).toBe(challenge)
    expect(readChallenge({ code_challenge: challenge, code_challenge_method: 'S256' })).toBe(challenge)
  })

  it('is absent when it is null, empty or not there', () => {
    expect(readChallenge({})).toBeNull()
    expect(readChallenge({ code_challenge: null, code_challenge_method: null })).toBeNull()
    expect(readChallenge({ code_challenge: '', code_challenge_method: '' })).toBeNull()
  })

  it.each([
    [{ code_challenge: challenge }],
    [{ code_challenge_method: 's256' }],
    [{ code_challenge: challenge, code_challenge_method: 'plain' }],
    [{ code_challenge: `${challenge}=`, code_challenge_method: 's256' }],
    [{ code_challenge: [challenge], code_challenge_method: 's256' }],
    [{ code_challenge: 'short', code_challenge_method: 's256' }],
  ])('is refused as %j', (given) => {
    expect(() => readChallenge(given)).toThrow(expect.objectContaining({ status: 400, code: 'validation_failed' }))
  })
})
