import { CountRow, sql } from '@wangian/kit/database/postgres.ts'
import { storeOnDisk } from '@wangian/kit/files/image-storage.ts'
import { createPictureFiles } from '@wangian/kit/files/picture-files.ts'
import { silentLogger } from '@wangian/kit/service/logger.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { closeAccount } from '../leaving/closing.ts'
import { CONFIRMED_WITHIN_MS } from '../leaving/erasure.ts'
import { keepUp } from '../leaving/upkeep.ts'
import { findAccountByEmail, findApplicant } from '../store.ts'
import { createTestIdentity, currentVersion, type TestIdentity } from '../testing/test-identity.ts'
import { createUser, queuedMails, tokenIn } from '../testing/test-people.ts'

/** Tokens are checked by the clock on the wall, so this is where it all begins. */
const start = new Date()
const HOUR_MS = 60 * 60 * 1000
const password = 'amber and oud'
let identity: TestIdentity
let now = start

beforeAll(async () => {
  identity = await createTestIdentity({ isAutoconfirmed: false, now: () => now })
})
afterAll(() => identity.stop())

const pool = () => identity.database.pool
const post = (url: string, payload: object, { app } = identity, remoteAddress = '192.0.2.1') =>
  app.inject({ method: 'POST', url, headers: currentVersion, remoteAddress, payload })
const signUp = (email: string, username: string, chosen = password, from = identity) =>
  post('/auth/v1/signup', { email, password: chosen, data: { username } }, from)
const signIn = (email: string, tried = password, from = identity) =>
  post('/auth/v1/token?grant_type=password', { email, password: tried }, from)
const lookUp = (username: string, from = identity) => post('/api/v1/auth/lookup-email', { username }, from)
const upkeepAt = (ms: number) => {
  now = new Date(start.getTime() + ms)
  const files = createPictureFiles(storeOnDisk(identity.filesDirectory))
  return keepUp({ pool: pool(), files, log: silentLogger }, now)
}

/** Who waits for what another transaction holds. */
const countWaiting = () =>
  pool().oneFirst(sql.type(CountRow)`
    select count(*) as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)

/** What a stranger sees of a value besides the value itself. */
function shape(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shape)
  if (typeof value !== 'object' || value === null) return typeof value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shape(item)]))
}

/** Addresses of all kinds that there are. */
const kinds: Readonly<Record<string, (username: string) => Promise<unknown>>> = {
  free: async () => {},
  confirmed: (username) => createUser(identity, username),
  closed: async (username) => {
    const { account } = await createUser(identity, username)
    return closeAccount(pool(), { account, passwordHash: null, now, correlationId: 'test' })
  },
}

describe('an address with which a stranger registers', () => {
  /** Asks whatever one can ask, and says what was answered. */
  async function interrogate(kind: string): Promise<unknown[]> {
    const [email, first, second] = [`${kind}@example.com`, `${kind}-first`, `${kind}-second`]
    const answers: unknown[] = []
    const note = (response: Awaited<ReturnType<typeof post>>) => {
      const { code } = response.json()
      answers.push([response.statusCode, code ?? shape(response.json()), Object.keys(response.headers).toSorted()])
      return response
    }
    const aliasOf = async (username: string): Promise<string> => note(await lookUp(username)).json().email
    const numberOf = (alias: string) => Number(/\d+/.exec(alias)?.[0])

    await signUp(`${kind}-before@example.com`, `${kind}-before`)
    note(await signUp(email, first))
    const alias = await aliasOf(first)
    await signUp(`${kind}-after@example.com`, `${kind}-after`)
    answers.push(['ids', numberOf(alias) - numberOf(await aliasOf(`${kind}-before`))])
    answers.push(['ids', numberOf(await aliasOf(`${kind}-after`)) - numberOf(alias)])
    for (const login of [email, alias]) {
      note(await signIn(login))
      note(await signIn(login, 'wrong horse'))
      note(await post('/auth/v1/resend', { type: 'signup', email: login }))
      note(await post('/auth/v1/verify', { type: 'signup', email: login, token: '000000' }))
    }
    note(await post('/auth/v1/recover', { email }))
    note(await signUp(`${kind}-other@example.com`, first))
    note(await signUp(email, first))
    note(await signUp(email, second, 'musk and oud'))
    note(await lookUp(first))
    answers.push(['same person', (await aliasOf(second)) === alias])
    for (const tried of [password, 'musk and oud']) for (const login of [email, alias]) note(await signIn(login, tried))
    note(await signUp(email, `${kind}-before`))
    const { userId } = (await findApplicant(pool(), email)) ?? { userId: 0 }
    answers.push([
      'what others are told',
      await pool().anyFirst(sql.unsafe`select type from events where stream = ${`user-${userId}`} order by position`),
    ])
    // A week later, after mails that were asked for on its last day.
    now = new Date(start.getTime() + CONFIRMED_WITHIN_MS - HOUR_MS)
    note(await post('/auth/v1/resend', { type: 'signup', email }))
    for (const hours of [0, 22, 24]) {
      const ms = CONFIRMED_WITHIN_MS + hours * HOUR_MS
      now = new Date(start.getTime() + ms - HOUR_MS / 6)
      note(await post('/auth/v1/recover', { email }))
      await upkeepAt(ms)
      note(await lookUp(second))
    }
    now = start
    return answers
  }

  it('answers alike whether nobody has it, somebody has confirmed it, or has just left', async () => {
    const transcripts: Record<string, unknown[]> = {}
    for (const [kind, prepare] of Object.entries(kinds)) {
      await prepare(`${kind}`)
      transcripts[kind] = await interrogate(kind)
    }
    expect(transcripts['free']?.map((answer) => (answer as unknown[])[0])).toContain(422)
    expect(transcripts['confirmed']).toEqual(transcripts['free'])
    expect(transcripts['closed']).toEqual(transcripts['free'])
  })

  it('stays its owner’s, who is told of every mail that was asked for', async () => {
    const owner = await createUser(identity, 'owner')
    const to = async () => (await queuedMails(identity)).filter(({ recipient }) => recipient === owner.email)
    await signUp(owner.email, 'claimant')
    const alias = (await lookUp('claimant')).json().email
    for (const login of [owner.email, alias]) await post('/auth/v1/resend', { type: 'signup', email: login })
    await signUp(owner.email, 'claimant')
    expect((await to()).map(({ kind }) => kind)).toEqual(Array(4).fill('address-known'))
    expect((await signIn(owner.email, 'correct horse')).statusCode).toBe(200)
    expect((await signIn(owner.email)).json().code).toBe('email_not_confirmed')
    expect((await findAccountByEmail(pool(), owner.email))?.userId).toBe(owner.id)
  })

  it('cannot be confirmed with a code that was mailed to nobody', async () => {
    const owner = await createUser(identity, 'coded')
    await signUp(owner.email, 'code-guesser')
    const applicant = await findApplicant(pool(), owner.email)
    const guess = { type: 'signup', email: owner.email, token: '123456' }
    await pool().query(sql.unsafe`
      update one_time_tokens set code_hash = encode(sha256(convert_to(id || ':123456', 'utf8')), 'hex')
       where user_id = ${applicant?.userId ?? 0}`)
    const answer = await post('/auth/v1/verify', guess)
    expect([answer.statusCode, answer.json().code]).toEqual([403, 'otp_expired'])
  })

  it('is theirs to confirm once its owner has gone', async () => {
    const owner = await createUser(identity, 'mover')
    await signUp(owner.email, 'heir')
    await pool().query(sql.unsafe`update people set email = 'moved@example.com' where user_id = ${owner.id}`)
    const before = await findApplicant(pool(), owner.email)
    await post('/auth/v1/resend', { type: 'signup', email: owner.email })
    const mail = (await queuedMails(identity)).findLast(({ recipient }) => recipient === owner.email)
    expect((await post('/auth/v1/verify', { type: 'signup', token_hash: tokenIn(mail) })).statusCode).toBe(200)
    const heir = await findAccountByEmail(pool(), owner.email)
    expect(heir).toMatchObject({ userId: before?.userId, username: 'heir', isClaimant: false })
    expect((await signIn(owner.email)).statusCode).toBe(200)
    expect((await signIn('moved@example.com', 'correct horse')).statusCode).toBe(200)
  })

  it('is claimed by one account, however many come at once', async () => {
    const owner = await createUser(identity, 'crowded')
    const answers = await Promise.all([1, 2, 3, 4].map((number) => signUp(owner.email, `crowd-${number}`)))
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200])
    const found = await Promise.all([1, 2, 3, 4].map((number) => lookUp(`crowd-${number}`)))
    expect(found.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1)
  })

  it('takes no account over that is confirmed at that moment', async () => {
    const email = 'quick@example.com'
    await signUp(email, 'quick')
    const applicant = await findApplicant(pool(), email)
    const confirming = new pg.Client({ connectionString: identity.database.url })
    await confirming.connect()
    await confirming.query('begin')
    await confirming.query('update people set email_confirmed_at = now() where email = $1', [email])
    const late = signUp(email, 'intruder', 'stranger horse')
    await eventually(async () => (await countWaiting()) > 0)
    await confirming.query('commit')
    await confirming.end()
    expect((await late).statusCode).toBe(200)
    expect(await findAccountByEmail(pool(), email)).toMatchObject({ userId: applicant?.userId, username: 'quick' })
    expect((await signIn(email)).statusCode).toBe(200)
    expect((await signIn(email, 'stranger horse')).json().code).toBe('email_not_confirmed')
  })
})

describe('the tries of somebody who registered with an address', () => {
  let limited: TestIdentity
  beforeAll(async () => {
    limited = await createTestIdentity({ isAutoconfirmed: false, rateLimitFactor: 1 })
  })
  afterAll(() => limited.stop())

  async function codesOf(email: string, username: string): Promise<string[]> {
    await signUp(email, username, password, limited)
    const alias = (await lookUp(username, limited)).json().email
    const codes: string[] = []
    const tryWith = async (login: string, tried: string, count = 1) => {
      for (let index = 0; index < count; index += 1) codes.push((await signIn(login, tried, limited)).json().code)
    }
    await tryWith(email, 'wrong horse', 9)
    await tryWith(email, password)
    await tryWith(email, 'wrong horse', 3)
    await tryWith(alias, 'wrong horse', 3)
    await tryWith(email, password)
    await tryWith(email, 'wrong horse', 5)
    await tryWith(alias, 'wrong horse', 5)
    await tryWith(alias, password)
    await tryWith(email, password)
    await tryWith(email, 'wrong horse', 5)
    return codes
  }

  it('are counted alike whether it is another person’s or not, and give nobody more tries at that one', async () => {
    const owner = await createUser(limited, 'tried')
    const atOwner = await codesOf(owner.email, 'tried-claimant')
    await limited.database.pool.query(sql.unsafe`delete from shared_limits where rule = 'sign-ins as typed'`)
    // The right password of its owner, after more than ten wrong ones.
    expect((await signIn(owner.email, 'correct horse', limited)).json().code).toBe('invalid_credentials')
    expect(atOwner).toEqual(await codesOf('untried@example.com', 'untried'))
    expect(new Set(atOwner)).toEqual(new Set(['invalid_credentials', 'email_not_confirmed', 'over_request_rate_limit']))
  })
})
