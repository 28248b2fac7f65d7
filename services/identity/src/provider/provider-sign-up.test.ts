import { CountRow, sql } from '@wangian/kit/database/postgres.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { signInAlias } from '../accounts/sign-in-alias.ts'
import { findAccountByEmail } from '../store.ts'
import { createTestBrowser, type TestBrowser } from '../testing/test-browser.ts'
import { currentVersion, PUBLIC_URL } from '../testing/test-identity.ts'
import { createMailedIdentity, type MailedIdentity } from '../testing/test-mails.ts'

const password = 'correct horse'
const HOUR_MS = 60 * 60 * 1000
let mailed: MailedIdentity
let movedMs = 0

beforeAll(async () => {
  mailed = await createMailedIdentity({ now: () => new Date(Date.now() + movedMs) })
})
afterAll(() => mailed.stop())

const browser = () => createTestBrowser(mailed.serviceUrl)
const emailOf = (username: string) => `${username}@example.com`

async function register(client: TestBrowser['client'], username: string, chosen = password, email = emailOf(username)) {
  const { data, error } = await client.signUp({
    email,
    password: chosen,
    options: {
      data: { username, first_name: 'Mei', last_name: 'Chong' },
      emailRedirectTo: `${PUBLIC_URL}/auth/verify`,
    },
  })
  if (error) throw error
  return data
}

const signIn = async (email: string, tried = password) =>
  (await browser().client.signInWithPassword({ email, password: tried })).error?.code ?? 'signed in'

describe('a sign-up', () => {
  it('leads over the mailed link to a session, and only then to a sign-in', async () => {
    const { client } = browser()
    const { user, session } = await register(client, 'walker')
    expect(session).toBeNull()
    expect(user).toMatchObject({ email: 'walker@example.com', confirmation_sent_at: expect.any(String) })
    expect(user).not.toHaveProperty('email_confirmed_at')
    expect(user?.identities).toHaveLength(1)
    expect(await signIn('walker@example.com', 'wrong horse')).toBe('invalid_credentials')
    expect(await signIn('walker@example.com')).toBe('email_not_confirmed')

    const mail = await mailed.mailTo('walker@example.com')
    expect(mail.subject).toBe('Confirm your email address')
    expect(`${mail.link.origin}${mail.link.pathname}`).toBe(`${PUBLIC_URL}/auth/verify`)
    expect([...mail.link.searchParams.keys()]).toEqual(['token_hash', 'type'])
    const verified = await client.verifyOtp({ type: 'signup', token_hash: mail.token })
    expect(verified.error).toBeNull()
    expect(verified.data.user).toMatchObject({ id: user?.id, email_confirmed_at: expect.any(String) })
    expect((await client.getUser()).data.user?.id).toBe(user?.id)
    expect(await signIn('walker@example.com')).toBe('signed in')
    const types = await mailed.identity.database.pool.anyFirst(
      sql.unsafe`select type from events order by position desc`,
    )
    expect(types[0]).toBe('EmailVerified')
  })

  it('can be confirmed in another browser, with the code', async () => {
    await register(browser().client, 'coder')
    const { code } = await mailed.mailTo('coder@example.com')
    const { client } = browser()
    const { data, error } = await client.verifyOtp({ type: 'email', email: ' Coder@Example.com', token: code })
    expect(error).toBeNull()
    expect(data.session?.access_token).toBeTruthy()
  })

  it('is confirmed by the link after programs have looked at it', async () => {
    const visitor = browser()
    await register(visitor.client, 'scanned')
    const { link, token } = await mailed.mailTo('scanned@example.com')
    for (let index = 0; index < 3; index += 1) {
      // The link leads to the web app: what a scanner fetches is a page, at the service there is nothing.
      const answer = await fetch(`${mailed.serviceUrl}${link.pathname}${link.search}`)
      expect(answer.status).toBe(404)
    }
    const head = await fetch(`${mailed.serviceUrl}/auth/v1/verify?token=${token}&type=signup`, { method: 'HEAD' })
    expect(head.status).not.toBe(303)
    const { error } = await visitor.client.verifyOtp({ type: 'signup', token_hash: token })
    expect(error).toBeNull()
  })

  it('with the same unconfirmed address mails again and takes the newer data', async () => {
    await register(browser().client, 'again')
    const { data } = await browser().client.signUp({
      email: 'again@example.com',
      password: 'better horse',
      options: { data: { username: 'again', first_name: 'Anew' } },
    })
    expect(data.user).not.toHaveProperty('email_confirmed_at')
    const [newest] = await mailed.mailsTo('again@example.com', 2)
    const { client } = browser()
    const verified = await client.verifyOtp({ type: 'signup', token_hash: newest?.token ?? '' })
    expect(verified.data.user?.user_metadata).toMatchObject({ username: 'again', first_name: 'Anew' })
    expect(await signIn('again@example.com', 'better horse')).toBe('signed in')
    expect(await signIn('again@example.com')).toBe('invalid_credentials')
  })

  it('takes the names and the password of the form whose link was opened, not those of a stranger who came later', async () => {
    await register(browser().client, 'owner')
    const { token } = await mailed.mailTo('owner@example.com')
    await browser().client.signUp({
      email: 'owner@example.com',
      password: 'stranger horse',
      options: { data: { username: 'hijacker', first_name: 'Stranger', from: 'nowhere' } },
    })
    await mailed.mailsTo('owner@example.com', 2)
    const { data } = await browser().client.verifyOtp({ type: 'signup', token_hash: token })
    expect(data.user?.user_metadata).toMatchObject({ username: 'owner', first_name: 'Mei', last_name: 'Chong' })
    expect(data.user?.user_metadata).not.toHaveProperty('from')
    // Others have heard of the stranger's names.
    const [newest] = await mailed.identity.database.pool.anyFirst(
      sql.unsafe`select type from events order by position desc`,
    )
    expect(newest).toBe('ProfileUpdated')
    expect(await signIn('owner@example.com')).toBe('signed in')
    expect(await signIn('owner@example.com', 'stranger horse')).toBe('invalid_credentials')
  })

  it('tells others so, too, when the stranger came while the link was opened', async () => {
    const { pool } = mailed.identity.database
    await register(browser().client, 'opener')
    const { token } = await mailed.mailTo('opener@example.com')
    const waiting = (count: number) =>
      eventually(async () => {
        const locked = sql.type(CountRow)`
          select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
        expect(await pool.oneFirst(locked)).toBe(count)
      })
    const holder = new pg.Client({ connectionString: mailed.identity.database.url })
    await holder.connect()
    await holder.query('begin')
    await holder.query("select from people where username = 'opener' for update")
    const stranger = register(browser().client, 'latecomer', 'stranger horse', 'opener@example.com')
    await waiting(1)
    const verified = browser().client.verifyOtp({ type: 'signup', token_hash: token })
    await waiting(2)
    await holder.query('commit')
    await holder.end()
    await stranger
    expect((await verified).data.user?.user_metadata).toMatchObject({ username: 'opener' })
    const types = await pool.anyFirst(sql.unsafe`select type from events order by position desc limit 3`)
    expect(types).toEqual(['ProfileUpdated', 'EmailVerified', 'ProfileUpdated'])
  })

  it('leaves a username that somebody else has taken meanwhile to them', async () => {
    await register(browser().client, 'wanted')
    const { token } = await mailed.mailTo('wanted@example.com')
    await register(browser().client, 'unwanted', 'stranger horse', 'wanted@example.com')
    await register(browser().client, 'wanted', password, 'faster@example.com')
    const { data } = await browser().client.verifyOtp({ type: 'signup', token_hash: token })
    expect(data.user?.user_metadata).toMatchObject({ username: 'unwanted' })
    expect(await signIn('wanted@example.com')).toBe('signed in')
  })

  it('sets no password when the address was proven in another way before', async () => {
    await register(browser().client, 'hijacked', 'stranger horse')
    const { token } = await mailed.mailTo('hijacked@example.com')
    await mailed.identity.database.pool.query(sql.unsafe`
      with person as (
        update people set email_confirmed_at = now() where username = 'hijacked' returning user_id
      )
      delete from credentials where user_id in (select user_id from person)`)
    expect((await browser().client.verifyOtp({ type: 'signup', token_hash: token })).error).toBeNull()
    expect(await signIn('hijacked@example.com', 'stranger horse')).toBe('invalid_credentials')
  })

  it('with a confirmed address looks like any other, and its owner is told', async () => {
    const { client } = browser()
    const first = await register(client, 'known')
    const again = await register(browser().client, 'known-again', password, 'known@example.com')
    const { token } = await mailed.mailTo('known@example.com', 2)
    await client.verifyOtp({ type: 'signup', token_hash: token })
    const known = await register(browser().client, 'stranger', password, 'known@example.com')
    const shapes = [first, again, known].map(({ user }) => shape(user))
    expect(shapes[1]).toEqual(shapes[0])
    expect(shapes[2]).toEqual(shapes[0])
    expect(new Set([first, again, known].map(({ user }) => user?.id)).size).toBe(3)
    expect(known.user?.user_metadata.username).toBe('stranger')
    const told = await mailed.mailTo('known@example.com', 3)
    expect(told).toMatchObject({ subject: 'You already have an account', token: '', code: '' })
    expect(told.text).toContain('tried to register')
    expect(await signIn('known@example.com')).toBe('signed in')
  })

  it('without a username gets one of the same kind for a known address', async () => {
    const usernameOf = async () => {
      const { data } = await browser().client.signUp({ email: 'nameless@example.com', password })
      return data.user?.user_metadata.username
    }
    expect(await usernameOf()).toMatch(/^user-\d+$/)
    expect(await usernameOf()).toMatch(/^user-\d+$/)
  })

  it.each([
    ['another site', 'https://evil.test/steal', `${PUBLIC_URL}/auth/verify`],
    ['the site as a name at another', `${PUBLIC_URL}@evil.test/`, `${PUBLIC_URL}/auth/verify`],
    ['another page of ours', `${PUBLIC_URL}/welcome?from=mail#part`, `${PUBLIC_URL}/welcome?from=mail`],
  ])('whose redirect is %s leads where it may', async (_what, emailRedirectTo, expected) => {
    const email = `redirect-${crypto.randomUUID()}@example.com`
    await browser().client.signUp({ email, password, options: { emailRedirectTo } })
    const { link } = await mailed.mailTo(email)
    expect(link.href.startsWith(expected)).toBe(true)
    expect(link.origin).toBe(PUBLIC_URL)
    expect(link.hash).toBe('')
  })
})

describe('resend', () => {
  it('mails another link, which sets the same password; the first still works', async () => {
    const { client } = browser()
    await register(client, 'impatient')
    const { error } = await client.resend({ type: 'signup', email: 'impatient@example.com' })
    expect(error).toBeNull()
    const [second, first] = await mailed.mailsTo('impatient@example.com', 2)
    expect(second?.token).not.toBe(first?.token)
    expect((await client.verifyOtp({ type: 'signup', token_hash: first?.token ?? '' })).error).toBeNull()
    expect((await client.verifyOtp({ type: 'signup', token_hash: second?.token ?? '' })).error?.code).toBe(
      'otp_expired',
    )
    expect(await signIn('impatient@example.com')).toBe('signed in')
  })

  it('answers the same for an address that nobody has, and mails nothing to one that is confirmed', async () => {
    const { client } = browser()
    expect((await client.resend({ type: 'signup', email: 'nobody@example.com' })).error).toBeNull()
    expect((await client.resend({ type: 'signup', email: 'walker@example.com' })).error).toBeNull()
    await register(client, 'after-walker')
    await mailed.mailTo('after-walker@example.com')
    expect(await mailed.mailsTo('walker@example.com', 1)).toHaveLength(1)
    expect(await mailed.mailsTo('nobody@example.com', 0)).toHaveLength(0)
  })

  it.each([
    [{ type: 'signup' }, 'Type provided requires an email address'],
    [{ email: 'a@example.com' }, 'Missing one of these types: signup, email_change'],
    [{ type: 'sms', phone: '1' }, 'Unsupported resend type'],
    [{ type: 'signup', email: 'a@b' }, 'Unable to validate email address: invalid format'],
  ])('refuses %j', async (payload, message) => {
    const response = await mailed.identity.app.inject({
      method: 'POST',
      url: '/auth/v1/resend',
      headers: currentVersion,
      payload,
    })
    expect(response.statusCode).toBe(400)
    expect(response.json()).toEqual({ code: 'validation_failed', message })
  })
})

describe('a link that is too late', () => {
  it('is refused after 24 hours, and another one can be had', async () => {
    const { client } = browser()
    await register(client, 'sleeper')
    const { token, code } = await mailed.mailTo('sleeper@example.com')
    movedMs = 24 * HOUR_MS
    const late = await client.verifyOtp({ type: 'signup', token_hash: token })
    expect(late.error).toMatchObject({
      status: 403,
      code: 'otp_expired',
      message: 'Email link is invalid or has expired',
    })
    const byCode = await client.verifyOtp({ type: 'signup', email: 'sleeper@example.com', token: code })
    expect(byCode.error).toMatchObject({ status: 403, code: 'otp_expired', message: 'Token has expired or is invalid' })
    await client.resend({ type: 'signup', email: 'sleeper@example.com' })
    const second = await mailed.mailTo('sleeper@example.com', 2)
    expect((await client.verifyOtp({ type: 'signup', token_hash: second.token })).error).toBeNull()
    movedMs = 0
  })
})

describe('mails that are sent again', () => {
  let limited: MailedIdentity
  beforeAll(async () => {
    limited = await createMailedIdentity({ rateLimitFactor: 1 })
  })
  afterAll(() => limited.stop())

  const resend = (email: string) =>
    limited.identity.app.inject({
      method: 'POST',
      url: '/auth/v1/resend',
      headers: currentVersion,
      payload: { type: 'signup', email },
    })

  it('do not tell whose address it is: one for an alias is no limit to the address behind it', async () => {
    await createTestBrowser(limited.serviceUrl).client.signUp({ email: 'behind@example.com', password })
    const alias = signInAlias(1)
    // Also of somebody who registered a moment ago: they are told that it was sent.
    expect((await resend(alias)).statusCode).toBe(200)
    await limited.mailsTo('behind@example.com', 2)
    expect((await resend(alias)).statusCode).toBe(429)
    // The address was typed a moment ago, by whoever registered.
    expect((await resend('behind@example.com')).statusCode).toBe(429)
    await limited.identity.database.pool.query(sql.unsafe`delete from shared_limits where rule like 'mails%'`)
    expect((await resend(alias)).statusCode).toBe(200)
    for (const guess of ['behind@example.com', 'somebody@example.com']) {
      const answer = await resend(guess)
      expect([answer.statusCode, answer.json()]).toEqual([200, {}])
    }
  })

  it('are six an hour to one address, in whichever way it is named, and nobody is told of the limit', async () => {
    const email = 'flooded@example.com'
    await createTestBrowser(limited.serviceUrl).client.signUp({ email, password })
    const alias = signInAlias((await findAccountByEmail(limited.identity.database.pool, email))?.userId ?? 0)
    for (let round = 0; round < 5; round += 1) {
      await limited.identity.database.pool.query(sql.unsafe`delete from shared_limits where rule like 'mails%'`)
      for (const login of [alias, email]) expect((await resend(login)).statusCode).toBe(200)
    }
    await createTestBrowser(limited.serviceUrl).client.signUp({ email: 'after-flood@example.com', password })
    await limited.mailTo('after-flood@example.com')
    expect(await limited.mailsTo(email, 7)).toHaveLength(7)
  })
})

describe('mails to one address', () => {
  it('are limited by kind, whether somebody has the address or not', async () => {
    const limited = await createMailedIdentity({ rateLimitFactor: 1 })
    const { client } = createTestBrowser(limited.serviceUrl)
    const codes = async (ask: () => Promise<{ error: { code?: string | undefined; message: string } | null }>) => {
      const first = (await ask()).error
      const second = (await ask()).error
      expect(second?.message).toMatch(/^For security purposes, you can only request this after \d+ seconds\.$/)
      return [first?.code, second?.code]
    }
    const refusal = [undefined, 'over_email_send_rate_limit']
    expect(await codes(() => client.signUp({ email: 'one@example.com', password }))).toEqual(refusal)
    for (const email of ['one@example.com', 'two@example.com']) {
      expect(await codes(() => client.resetPasswordForEmail(email))).toEqual(refusal)
    }
    expect(await codes(() => client.resend({ type: 'signup', email: 'two@example.com' }))).toEqual(refusal)
    // A name that is taken is found out without a mail, so it costs none.
    const options = { data: { username: 'user-1' } }
    for (let index = 0; index < 2; index += 1) {
      const { error } = await client.signUp({ email: 'three@example.com', password, options })
      expect(error?.code).toBe('username_exists')
    }
    const response = await fetch(`${limited.serviceUrl}/auth/v1/recover`, {
      method: 'POST',
      headers: { ...currentVersion, 'content-type': 'application/json' },
      body: '{"email":"one@example.com"}',
    })
    expect(response.status).toBe(429)
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(30)
    await limited.stop()
  })
})

/** What a stranger sees of a value besides the value itself. */
function shape(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shape)
  if (typeof value !== 'object' || value === null) return typeof value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shape(item)]))
}
