import { createHash } from 'node:crypto'
import { CountRow, sql } from '@wangian/kit/database/postgres.ts'
import { readStream } from '@wangian/kit/log/event-store.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { decodeJwt } from 'jose'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { setBanned } from '../accounts/moderation.ts'
import { updateEmail } from '../accounts/person-store.ts'
import { issueOneTimeToken } from '../mails/one-time-token.ts'
import type { TokenKind } from '../mails/one-time-token-store.ts'
import { beginFlow } from '../oauth/flow-state.ts'
import { findAccount, findPasswordHash } from '../store.ts'
import { ageTries } from '../testing/provider-calls.ts'
import { createTestIdentity, currentVersion, type TestIdentity } from '../testing/test-identity.ts'
import { createUser, PASSWORD, queuedMails, signInAgain, stateOf, type TestUser } from '../testing/test-people.ts'
import { verifyPassword } from './passwords.ts'

const NEW_PASSWORD = 'another horse'
const MINUTE_MS = 60 * 1000

let time = new Date()
let identity: TestIdentity
let sarah: TestUser
let count = 0

beforeAll(async () => {
  identity = await createTestIdentity({ now: () => time })
})
afterAll(() => identity.stop())
beforeEach(async () => {
  count += 1
  time = new Date()
  sarah = await createUser(identity, `sarah-${count}`)
})

const post = (url: string, payload: object, headers: object = {}, { app } = identity) =>
  app.inject({ method: 'POST', url, payload, headers: { ...headers } })
const change = (body: object = {}, { headers } = sarah, at = identity) =>
  post('/api/user/change-password', { currentPassword: PASSWORD, newPassword: NEW_PASSWORD, ...body }, headers, at)
const reset = (body: object, at = identity) => post('/api/update-password', { password: NEW_PASSWORD, ...body }, {}, at)
const me = async ({ headers }: Pick<TestUser, 'headers'>) =>
  (await identity.app.inject({ url: '/api/v1/auth/me', headers: { ...headers } })).statusCode
const hasPassword = async (password: string, { id } = sarah) =>
  verifyPassword(await findPasswordHash(identity.database.pool, id), password)
const signIn = (password: string) =>
  post('/auth/v1/token?grant_type=password', { email: sarah.email, password }, currentVersion)
const issued = async (kind: TokenKind = 'recovery', { id, email } = sarah) =>
  (await issueOneTimeToken(identity.database.pool, { userId: id, kind, email, now: time })).token
/** Until so many statements wait for somebody else's lock. */
const waiting = (wanted: number) =>
  eventually(async () => {
    const count = await identity.database.pool.oneFirst(sql.type(CountRow)`
      select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
    return count === wanted
  })
const countOf = (table: 'sessions' | 'one_time_tokens') =>
  identity.database.pool.oneFirst(
    sql.unsafe`select count(*) from ${sql.identifier([table])} where user_id = ${sarah.id}`,
  )

describe('a changed password', () => {
  it('is the one from now on, ends the other sessions, and is told by mail', async () => {
    const phone = await signInAgain(identity, sarah.account)
    const token = await issued()
    const response = await change()
    expect([response.statusCode, response.json()]).toEqual([200, { success: true }])
    expect([await hasPassword(PASSWORD), await hasPassword(NEW_PASSWORD)]).toEqual([false, true])
    expect([await me(sarah), await me(phone)]).toEqual([200, 401])
    expect((await signIn(PASSWORD)).statusCode).toBe(400)
    expect((await signIn(NEW_PASSWORD)).statusCode).toBe(200)
    expect((await readStream(identity.database.pool, 'identity', `user-${sarah.id}`)).at(-1)).toMatchObject({
      type: 'SessionRevoked',
      data: { userId: sarah.id, reason: 'password-changed' },
    })
    const mails = (await queuedMails(identity)).filter(({ recipient }) => recipient === sarah.email)
    expect(mails.map(({ kind }) => kind)).toEqual(['password-changed'])
    // Whoever had asked for a reset before has lost the way in.
    expect((await reset({ token })).statusCode).toBe(400)
  })

  it.each([
    [{ currentPassword: 'wrong' }, 'wrong-password', 'current password is incorrect'],
    [{ currentPassword: '' }, 'wrong-password', 'current password is incorrect'],
    [{ currentPassword: undefined }, 'bad-request', 'Current password is required'],
    [{ newPassword: undefined }, 'bad-request', 'New password is required'],
    [{ newPassword: 'short' }, 'bad-request', 'Password must be at least 6 characters'],
    [{ newPassword: 'x'.repeat(73) }, 'bad-request', 'Password must be at most 72 characters'],
    [{ newPassword: 'é'.repeat(37) }, 'bad-request', 'Password must be at most 72 characters'],
    [{ newPassword: 'Password1' }, 'bad-request', undefined],
    [{ newPassword: PASSWORD }, 'bad-request', 'New password should be different from the old password.'],
  ])('cannot be %j', async (body, code, message) => {
    const phone = await signInAgain(identity, sarah.account)
    const before = await stateOf(identity)
    const response = await change(body)
    expect([response.statusCode, response.json().code]).toEqual([400, code])
    if (message !== undefined) expect(response.json().message).toBe(message)
    expect(await stateOf(identity)).toBe(before)
    expect(await me(phone)).toBe(200)
  })

  it('is one of several that come at once', async () => {
    const passwords = ['first horse', 'second horse', 'third horse']
    const answers = await Promise.all(passwords.map((newPassword) => change({ newPassword })))
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 400, 400])
    const winner = passwords[answers.findIndex(({ statusCode }) => statusCode === 200)] ?? ''
    expect(await hasPassword(winner)).toBe(true)
  })

  it('needs one that was there before', async () => {
    await identity.database.pool.query(sql.unsafe`delete from credentials where user_id = ${sarah.id}`)
    expect((await change()).json().code).toBe('wrong-password')
  })
})

describe('a password that changes while somebody who knows the old one', () => {
  type Call = () => ReturnType<typeof post>
  /** A session of the sign-in page, with the tokens for the provider's calls and for ours. */
  async function signedIn() {
    const { access_token: provider } = (await signIn(PASSWORD)).json()
    const { token: application } = (await post('/api/v1/auth/session', { supabaseToken: provider })).json()
    return { id: String(decodeJwt(provider)['session_id']), provider, application }
  }
  type Session = Awaited<ReturnType<typeof signedIn>>
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  const put = (payload: object, { provider }: Session) =>
    identity.app.inject({ method: 'PUT', url: '/auth/v1/user', payload, headers: bearer(provider) })
  const patch = (payload: object, { application }: Session) =>
    identity.app.inject({ method: 'PATCH', url: `/api/user/${sarah.id}`, payload, headers: bearer(application) })
  const move = () => ({ email: `thief-of-${sarah.email}` })

  /** The change has written the password, and waits for a session that it ends, while the theft begins. */
  async function race(endingId: string, changing: Call, stealing: Call) {
    const holder = new pg.Client({ connectionString: identity.database.url })
    await holder.connect()
    await holder.query('begin')
    await holder.query('select from sessions where id = $1 for update', [endingId])
    // An injected call begins when somebody waits for it.
    const changed = Promise.resolve(changing())
    await waiting(1)
    const stolen = Promise.resolve(stealing())
    await Promise.race([stolen, waiting(2)])
    await holder.query('commit')
    await holder.end()
    expect((await changed).statusCode).toBe(200)
    const { statusCode, ...response } = await stolen
    expect((await findAccount(identity.database.pool, sarah.id))?.email).toBe(sarah.email)
    expect(await hasPassword(NEW_PASSWORD)).toBe(true)
    return [statusCode, JSON.parse(response.body)]
  }

  it.each<[string, (thief: Session) => ReturnType<typeof post>, number, string]>([
    ['signs in', () => signIn(PASSWORD), 400, 'Invalid login credentials'],
    ['sets another', (thief) => put({ password: 'thief horse' }, thief), 403, 'session_not_found'],
    ['moves the account', (thief) => put(move(), thief), 403, 'session_not_found'],
    [
      'moves the account from the settings',
      (thief) => patch({ ...move(), currentPassword: PASSWORD }, thief),
      401,
      'invalid-token',
    ],
    [
      'is mailed again what moves the account',
      () => post('/auth/v1/resend', { type: 'email_change', email: sarah.email }, currentVersion),
      200,
      '{}',
    ],
  ])('%s lets them in no more', async (_what, steal, status, reason) => {
    const thief = await signedIn()
    await issued('email_change')
    const answer = await race(
      thief.id,
      () => change(),
      () => steal(thief),
    )
    expect(answer).toMatchObject([status, {}])
    expect(JSON.stringify(answer)).toContain(reason)
    expect([await countOf('sessions'), await countOf('one_time_tokens')]).toEqual([1, 0])
  })

  it.each<[string, (kept: Session) => ReturnType<typeof post>, string]>([
    ['PUT', (kept) => put({ ...move(), current_password: PASSWORD }, kept), 'current_password_invalid'],
    ['PATCH', (kept) => patch({ ...move(), currentPassword: PASSWORD }, kept), 'wrong-password'],
  ])('shows it by %s in the session that stays is wrong', async (_method, steal, reason) => {
    const kept = await signedIn()
    const answer = await race(
      sarah.sessionId,
      () => put({ password: NEW_PASSWORD, current_password: PASSWORD }, kept),
      () => steal(kept),
    )
    expect(answer).toMatchObject([400, {}])
    expect(JSON.stringify(answer)).toContain(reason)
  })
})

describe('a password that changes while somebody opens a link that was mailed', () => {
  const verifier = 'v'.repeat(43)
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  const get = (token: string) => identity.app.inject({ url: `/auth/v1/verify?type=recovery&token=${token}` })

  it.each<[string, string, boolean, (token: string) => ReturnType<typeof post>]>([
    [
      'from a page',
      'users where id',
      false,
      (token) => post('/auth/v1/verify', { type: 'recovery', token_hash: token }, currentVersion),
    ],
    ['itself', 'users where id', false, get],
    ['for a client with PKCE', 'flow_states where user_id', true, get],
  ])('%s lets them in no more', async (_how, held, isPkce, open) => {
    const { pool } = identity.database
    const mailed = { userId: sarah.id, kind: 'recovery', email: sarah.email, now: time } as const
    const flowId = isPkce ? await beginFlow(pool, { kind: 'recovery', challenge, userId: sarah.id }, time) : null
    const { token } = await issueOneTimeToken(pool, { ...mailed, flowId })
    const holder = new pg.Client({ connectionString: identity.database.url })
    await holder.connect()
    await holder.query('begin')
    await holder.query(`select from ${held} = $1 for update`, [sarah.id])
    const opened = Promise.resolve(open(token))
    await waiting(1)
    const changed = Promise.resolve(change())
    await Promise.race([changed, waiting(2)])
    await holder.query('commit')
    await holder.end()
    expect((await changed).statusCode).toBe(200)
    const code = /[?&]code=([^#]+)/.exec(String((await opened).headers.location))?.[1]
    await post('/auth/v1/token?grant_type=pkce', { auth_code: code ?? 'none', code_verifier: verifier }, currentVersion)
    expect(await countOf('sessions')).toBe(1)
  })
})

describe('a reset password', () => {
  it('takes a mailed token once, ends all sessions, and is told by mail', async () => {
    const token = await issued()
    const response = await reset({ token })
    expect([response.statusCode, response.json()]).toEqual([200, { success: true }])
    expect([await hasPassword(PASSWORD), await hasPassword(NEW_PASSWORD)]).toEqual([false, true])
    expect(await me(sarah)).toBe(401)
    const mails = (await queuedMails(identity)).filter(({ recipient }) => recipient === sarah.email)
    expect(mails.map(({ kind }) => kind)).toEqual(['password-changed'])
    const before = await stateOf(identity)
    expect((await reset({ token, password: 'third horse' })).statusCode).toBe(400)
    expect(await stateOf(identity)).toBe(before)
  })

  it('is set by one of several that come at once', async () => {
    const token = await issued()
    const answers = await Promise.all(
      ['first horse', 'second horse', 'third horse'].map((password) => reset({ token, password })),
    )
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 400, 400])
  })

  it('proves the address, and is no way in for whoever registered with it before', async () => {
    sarah = await createUser(identity, `unproven-${count}`)
    await identity.database.pool.query(
      sql.unsafe`update people set email_confirmed_at = null where user_id = ${sarah.id}`,
    )
    expect((await reset({ token: await issued() })).statusCode).toBe(200)
    expect((await findAccount(identity.database.pool, sarah.id))?.emailConfirmedAt).not.toBeNull()
    expect((await signIn(PASSWORD)).statusCode).toBe(400)
    expect((await signIn(NEW_PASSWORD)).statusCode).toBe(200)
  })

  it('leaves everything as it was when it cannot be set', async () => {
    const { pool } = identity.database
    sarah = await createUser(identity, `unproven-${count}`)
    await pool.query(sql.unsafe`update people set email_confirmed_at = null where user_id = ${sarah.id}`)
    const token = await issued()
    const before = await stateOf(identity)
    await pool.query(
      sql.unsafe`alter table credentials add constraint is_full check (user_id <> ${sql.literalValue(String(sarah.id))}) not valid`,
    )
    expect((await reset({ token })).statusCode).toBe(500)
    await pool.query(sql.unsafe`alter table credentials drop constraint is_full`)
    expect(await stateOf(identity)).toBe(before)
    expect((await reset({ token })).statusCode).toBe(200)
    expect((await signIn(NEW_PASSWORD)).statusCode).toBe(200)
  })

  it('does not use the token up when the password is no good', async () => {
    const token = await issued()
    expect((await reset({ token, password: 'short' })).json().message).toBe('Password must be at least 6 characters')
    expect((await reset({ token, password: 'password1' })).statusCode).toBe(400)
    expect((await reset({ token })).statusCode).toBe(200)
  })

  it.each<[string, () => Promise<string> | string]>([
    ['of nobody', () => 'x'.repeat(43)],
    ['of another kind', () => issued('signup')],
    ['of an address that was to be confirmed', () => issued('email_change')],
    [
      'that is too old',
      async () => {
        const token = await issued()
        time = new Date(time.getTime() + 30 * MINUTE_MS)
        return token
      },
    ],
    [
      'of somebody who is banned',
      async () => {
        const admin = await createUser(identity, `admin-${count}`, { isAdmin: true })
        const command = { userId: sarah.id, isBanned: true, actorId: admin.id, reason: 'fakes', requestId: 'test' }
        const token = await issued()
        await setBanned(identity.database.pool, command, time)
        return token
      },
    ],
    [
      'that was mailed to an address of before',
      async () => {
        const token = await issued()
        const person = { userId: sarah.id, email: `new-${sarah.email}`, at: time.toISOString() }
        await updateEmail(identity.database.pool, person)
        return token
      },
    ],
  ])('takes no token %s, and does not say why', async (_what, make) => {
    const token = await make()
    const before = await stateOf(identity)
    const response = await reset({ token })
    expect([response.statusCode, response.json()]).toMatchObject([
      400,
      { code: 'invalid-reset-token', message: 'Invalid or expired token' },
    ])
    expect(await stateOf(identity)).toBe(before)
  })
})

describe('the limits', () => {
  let strict: TestIdentity
  beforeEach(async () => {
    strict = await createTestIdentity({ rateLimitFactor: 1 })
  })
  afterEach(() => strict.stop())

  it('let nobody guess the current password', async () => {
    const user = await createUser(strict, 'user')
    const tries = Array.from({ length: 7 }, () => change({ currentPassword: 'wrong' }, user, strict))
    expect((await Promise.all(tries)).map(({ statusCode }) => statusCode).sort()).toEqual([
      400, 400, 400, 400, 400, 429, 429,
    ])
    const last = await change({}, user, strict)
    expect([last.statusCode, last.json().message]).toEqual([429, 'Too many requests'])
    expect(Number(last.headers['retry-after'])).toBeGreaterThan(0)
    await ageTries(strict, 14)
    expect((await change({}, user, strict)).statusCode).toBe(429)
    await ageTries(strict, 1)
    expect((await change({}, user, strict)).statusCode).toBe(200)
  })

  it('let an address reset five passwords an hour', async () => {
    const answers = []
    for (let index = 0; index < 6; index += 1) answers.push((await reset({ token: 'x' }, strict)).statusCode)
    expect(answers).toEqual([400, 400, 400, 400, 400, 429])
  })
})
