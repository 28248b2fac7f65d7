import { AuthPKCECodeVerifierMissingError } from '@supabase/auth-js'
import { sql } from '@wangian/kit/database/postgres.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestBrowser } from '../testing/test-browser.ts'
import { currentVersion, PUBLIC_URL } from '../testing/test-identity.ts'
import { createMailedIdentity, type MailedIdentity, type ReadMail } from '../testing/test-mails.ts'

const password = 'correct horse'
const MINUTE_MS = 60 * 1000
let mailed: MailedIdentity
let movedMs = 0

beforeAll(async () => {
  mailed = await createMailedIdentity({ now: () => new Date(Date.now() + movedMs) })
})
afterAll(() => mailed.stop())

const browser = () => createTestBrowser(mailed.serviceUrl)

/** Somebody who has confirmed their address and is signed in. */
async function member(username: string) {
  const email = `${username}@example.com`
  const { client, visit } = browser()
  await client.signUp({ email, password, options: { data: { username } } })
  const { token } = await mailed.mailTo(email)
  const { data, error } = await client.verifyOtp({ type: 'signup', token_hash: token })
  if (error || !data.session || !data.user) throw error ?? new Error('a verification gives a session')
  return { client, visit, email, session: data.session, user: data.user }
}

/** The mail that answers `resetPasswordForEmail`, the second to a member. */
async function recoveryMail(client: ReturnType<typeof browser>['client'], email: string, redirectTo?: string) {
  const { data, error } = await client.resetPasswordForEmail(email, redirectTo === undefined ? {} : { redirectTo })
  expect(error).toBeNull()
  expect(data).toEqual({})
  return mailed.mailTo(email, 2)
}

const signIn = async (email: string, tried: string) =>
  (await browser().client.signInWithPassword({ email, password: tried })).error?.code ?? 'signed in'

const ban = (username: string) =>
  mailed.identity.database.pool.query(sql.unsafe`
    update users set is_banned = true where id = (select user_id from people where username = ${username})`)

function post(path: string, payload: object, headers: Record<string, string> = currentVersion) {
  return mailed.identity.app.inject({ method: 'POST', url: `/auth/v1${path}`, headers, payload })
}

/** The protocol's own link, as the mails of a hosted project have it. */
const protocolLink = ({ token }: Pick<ReadMail, 'token'>, type: string, redirectTo?: string) =>
  `${PUBLIC_URL}/auth/v1/verify?${new URLSearchParams({ token, type, ...(redirectTo && { redirect_to: redirectTo }) })}`

const hashOf = (url: URL) => Object.fromEntries(new URLSearchParams(url.hash.slice(1)))

describe('a forgotten password', () => {
  it('is replaced over the mailed link, in any browser, and ends all other sessions', async () => {
    const { client: old, email } = await member('forgetful')
    const mail = await recoveryMail(browser().client, email, `${PUBLIC_URL}/reset-password`)
    expect(mail.subject).toBe('Reset your password')
    expect(`${mail.link.origin}${mail.link.pathname}`).toBe(`${PUBLIC_URL}/reset-password`)
    const { client } = browser()
    const events: string[] = []
    client.onAuthStateChange((event) => void events.push(event))
    const verified = await client.verifyOtp({ type: 'recovery', token_hash: mail.token })
    expect(verified.error).toBeNull()
    expect(events).toContain('PASSWORD_RECOVERY')
    // The link alone changes nothing.
    expect((await old.getUser()).error).toBeNull()
    const updated = await client.updateUser({ password: 'better horse' })
    expect(updated.error).toBeNull()
    expect((await old.getUser()).error?.name).toBe('AuthSessionMissingError')
    expect((await client.getUser()).error).toBeNull()
    expect(await signIn(email, password)).toBe('invalid_credentials')
    expect(await signIn(email, 'better horse')).toBe('signed in')
    const notice = await mailed.mailTo(email, 3)
    expect(notice).toMatchObject({ subject: 'Your password was changed', token: '', code: '' })
  })

  it('is replaced with the code from the mail', async () => {
    const { email } = await member('typist')
    const { code } = await recoveryMail(browser().client, email)
    const { client } = browser()
    expect((await client.verifyOtp({ type: 'recovery', email, token: code })).error).toBeNull()
    expect((await client.updateUser({ password: 'better horse' })).error).toBeNull()
    expect(await signIn(email, 'better horse')).toBe('signed in')
  })

  it('is answered the same for an address that nobody has, and nothing is mailed', async () => {
    const { client } = browser()
    const startMs = performance.now()
    const { data, error } = await client.resetPasswordForEmail('nobody@example.com')
    expect([data, error]).toEqual([{}, null])
    // As long as it takes to mail somebody.
    expect(performance.now() - startMs).toBeGreaterThan(95)
    expect(await mailed.mailsTo('nobody@example.com', 0)).toHaveLength(0)
  })

  it('confirms the address of a new account, and drops the password that anybody may have set', async () => {
    const email = 'early@example.com'
    await browser().client.signUp({ email, password, options: { data: { username: 'early' } } })
    const { token } = await recoveryMail(browser().client, email)
    const { client } = browser()
    const { data } = await client.verifyOtp({ type: 'recovery', token_hash: token })
    expect(data.user?.email_confirmed_at).toBeTruthy()
    expect(await signIn(email, password)).toBe('invalid_credentials')
    expect((await client.updateUser({ password })).error).toBeNull()
    expect(await signIn(email, password)).toBe('signed in')
  })

  it('has a link for 30 minutes and once', async () => {
    const { email } = await member('slow')
    const { token } = await recoveryMail(browser().client, email)
    const refused = { status: 403, code: 'otp_expired', message: 'Email link is invalid or has expired' }
    const redeem = async () => (await browser().client.verifyOtp({ type: 'recovery', token_hash: token })).error
    movedMs = 30 * MINUTE_MS
    expect(await redeem()).toMatchObject(refused)
    movedMs = 29 * MINUTE_MS
    expect(await redeem()).toBeNull()
    movedMs = 0
    expect(await redeem()).toMatchObject(refused)
    // Nor is it good for something else.
    expect((await browser().client.verifyOtp({ type: 'signup', token_hash: token })).error).toMatchObject(refused)
  })

  it.each([
    [{}, 'Password recovery requires an email'],
    [{ email: 'a@b' }, 'Unable to validate email address: invalid format'],
    [
      { email: 'a@example.com', code_challenge: 'x' },
      'PKCE flow requires both code_challenge and code_challenge_method',
    ],
  ])('cannot be asked for with %j', async (payload, message) => {
    const response = await post('/recover', payload)
    expect(response.statusCode).toBe(400)
    expect(response.json()).toEqual({ code: 'validation_failed', message })
  })
})

describe('one token', () => {
  it('of two who redeem it at once serves one', async () => {
    const { email } = await member('twice')
    const { token } = await recoveryMail(browser().client, email)
    const results = await Promise.all(
      [1, 2, 3].map(() => browser().client.verifyOtp({ type: 'recovery', token_hash: token })),
    )
    expect(results.map(({ error }) => error?.code ?? 'redeemed').sort()).toEqual([
      'otp_expired',
      'otp_expired',
      'redeemed',
    ])
  })
})

describe('a code', () => {
  it('is dead after five wrong ones, and the link lives', async () => {
    const { email } = await member('guessed')
    const { client } = browser()
    const { code, token } = await recoveryMail(client, email)
    const wrong = code === '000000' ? '000001' : '000000'
    for (let index = 0; index < 5; index += 1) {
      const { error } = await client.verifyOtp({ type: 'recovery', email, token: wrong })
      expect(error).toMatchObject({ status: 403, code: 'otp_expired', message: 'Token has expired or is invalid' })
    }
    expect((await client.verifyOtp({ type: 'recovery', email, token: code })).error?.code).toBe('otp_expired')
    expect((await client.verifyOtp({ type: 'recovery', token_hash: token })).error).toBeNull()
  })

  it('of an address that nobody has is refused in the same words', async () => {
    const { error } = await browser().client.verifyOtp({ type: 'recovery', email: 'no@example.com', token: '123456' })
    expect(error).toMatchObject({ status: 403, code: 'otp_expired', message: 'Token has expired or is invalid' })
  })
})

describe('POST /verify', () => {
  it.each([
    [{ token_hash: 'x' }, 400, 'validation_failed', 'Verify requires a verification type'],
    [{ type: 'constructor', token_hash: 'x' }, 400, 'validation_failed', 'Unsupported verification type'],
    [{ type: 'signup' }, 400, 'validation_failed', 'Verify requires either a token or a token hash'],
    [
      { type: 'signup', token_hash: 'x', email: 'a@example.com' },
      400,
      'validation_failed',
      'Only the token_hash and type should be provided',
    ],
    [
      { type: 'signup', token: '123456' },
      400,
      'validation_failed',
      'Only an email address or phone number should be provided on verify',
    ],
    [{ type: 'magiclink', token_hash: 'x' }, 403, 'otp_expired', 'Email link is invalid or has expired'],
    [{ type: 'signup', token_hash: 'x', options: {} }, 403, 'otp_expired', 'Email link is invalid or has expired'],
  ])('refuses %j in both shapes', async (payload, status, code, message) => {
    const current = await post('/verify', payload)
    expect([current.statusCode, current.json()]).toEqual([status, { code, message }])
    expect(current.headers['x-supabase-api-version']).toBe('2024-01-01')
    const legacy = await post('/verify', payload, {})
    expect([legacy.statusCode, legacy.json()]).toEqual([status, { code: status, error_code: code, msg: message }])
    expect(legacy.headers['x-supabase-api-version']).toBeUndefined()
    expect(legacy.headers['x-sb-error-code']).toBe(code)
  })

  it('refuses the banned, and leaves their token', async () => {
    const { email } = await member('banned')
    const { token } = await recoveryMail(browser().client, email)
    await ban('banned')
    const { error } = await browser().client.verifyOtp({ type: 'recovery', token_hash: token })
    expect(error).toMatchObject({ status: 403, code: 'user_banned', message: 'User is banned' })
  })
})

describe('the protocol’s own link', () => {
  it('of a client with PKCE gives a code, which is exchanged where it was asked for', async () => {
    const { client, visit } = browser()
    const { email } = await member('pkce')
    const mail = await recoveryMail(client, email)
    expect(mail.token).toMatch(/^pkce_/)
    const { url } = await visit(protocolLink(mail, 'recovery', `${PUBLIC_URL}/reset-password?from=mail`))
    expect(`${url.origin}${url.pathname}`).toBe(`${PUBLIC_URL}/reset-password`)
    expect(url.searchParams.get('from')).toBe('mail')
    const code = url.searchParams.get('code') ?? ''
    expect(code).toMatch(/^[0-9a-f-]{36}$/)
    expect(url.hash).toBe('')
    const elsewhere = await browser().client.exchangeCodeForSession(code)
    expect(elsewhere.error).toBeInstanceOf(AuthPKCECodeVerifierMissingError)
    const { data, error } = await client.exchangeCodeForSession(code)
    expect(error).toBeNull()
    expect(data.user?.email).toBe(email)
    expect((await client.exchangeCodeForSession(code)).error).not.toBeNull()
  })

  it('of a client with PKCE works long after it was asked for', async () => {
    const { client, visit } = browser()
    const { email } = await member('late-pkce')
    const mail = await recoveryMail(client, email)
    movedMs = 20 * MINUTE_MS
    const { url } = await visit(protocolLink(mail, 'recovery'))
    const { error } = await client.exchangeCodeForSession(url.searchParams.get('code') ?? '')
    movedMs = 0
    expect(error).toBeNull()
  })

  it('of another client gives tokens in the fragment', async () => {
    const { email } = await member('implicit')
    await post('/recover', { email })
    const mail = await mailed.mailTo(email, 2)
    expect(mail.token).not.toMatch(/^pkce_/)
    const { client, visit } = browser()
    const { url } = await visit(protocolLink(mail, 'recovery'))
    expect(`${url.origin}${url.pathname}${url.search}`).toBe(`${PUBLIC_URL}/reset-password`)
    const hash = hashOf(url)
    expect(Object.keys(hash)).toEqual([
      'access_token',
      'expires_at',
      'expires_in',
      'refresh_token',
      'sb',
      'token_type',
      'type',
    ])
    expect(hash).toMatchObject({ type: 'recovery', token_type: 'bearer', expires_in: '3600' })
    const { access_token = '', refresh_token = '' } = hash
    expect((await client.setSession({ access_token, refresh_token })).error).toBeNull()
    expect((await client.updateUser({ password: 'better horse' })).error).toBeNull()
  })

  it.each([
    ['x', false],
    ['pkce_x', true],
  ])('that is dead (%s) says so to the app', async (token, isInQuery) => {
    const { url } = await browser().visit(protocolLink({ token }, 'signup', `${PUBLIC_URL}/auth/verify`))
    expect(`${url.origin}${url.pathname}`).toBe(`${PUBLIC_URL}/auth/verify`)
    const fields = {
      error: 'access_denied',
      error_code: 'otp_expired',
      error_description: 'Email link is invalid or has expired',
    }
    expect(hashOf(url)).toEqual({ ...fields, sb: '' })
    expect(url.hash).toContain('Email+link+is+invalid+or+has+expired')
    expect(Object.fromEntries(url.searchParams)).toEqual(isInQuery ? fields : {})
  })

  it('of somebody who is banned says so', async () => {
    const { email } = await member('banned-too')
    const mail = await recoveryMail(browser().client, email)
    await ban('banned-too')
    const { url } = await browser().visit(protocolLink(mail, 'recovery'))
    expect(hashOf(url)).toMatchObject({ error: 'access_denied', error_code: 'user_banned' })
  })

  it('leads nowhere but to us', async () => {
    for (const redirectTo of ['https://evil.test/', `${PUBLIC_URL}.evil.test/`, '//evil.test', 'javascript:alert(1)']) {
      const { url } = await browser().visit(protocolLink({ token: 'x' }, 'signup', redirectTo))
      expect(url.origin).toBe(PUBLIC_URL)
    }
  })

  it.each([
    ['?type=signup', 'Verify requires a token or a token hash'],
    ['?token=x', 'Verify requires a verification type'],
    ['?token=x&type=sms', 'Unsupported verification type'],
  ])('without all of it (%s) is refused', async (query, message) => {
    const response = await mailed.identity.app.inject({ url: `/auth/v1/verify${query}`, headers: currentVersion })
    expect(response.statusCode).toBe(400)
    expect(response.json()).toEqual({ code: 'validation_failed', message })
  })
})
