import { sql } from '@wangian/kit/database/postgres.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { markBanned } from '../testing/provider-calls.ts'
import { createTestBrowser } from '../testing/test-browser.ts'
import { createTestIdentity, currentVersion, PUBLIC_URL, signUp } from '../testing/test-identity.ts'
import { createMailedIdentity, type MailedIdentity } from '../testing/test-mails.ts'

const password = 'correct horse'
const MINUTE_MS = 60 * 1000
let mailed: MailedIdentity
let movedMs = 0

beforeAll(async () => {
  mailed = await createMailedIdentity({ now: () => new Date(Date.now() + movedMs) })
})
afterAll(() => mailed.stop())

const browser = () => createTestBrowser(mailed.serviceUrl)
type Client = ReturnType<typeof browser>['client']

/** Somebody who has confirmed their address and is signed in. */
async function member(username: string) {
  const email = `${username}@example.com`
  const { client } = browser()
  await client.signUp({ email, password, options: { data: { username, first_name: 'Mei', last_name: 'Chong' } } })
  const { token } = await mailed.mailTo(email)
  const { data, error } = await client.verifyOtp({ type: 'signup', token_hash: token })
  if (error || !data.session) throw error ?? new Error('a verification gives a session')
  return { client, email, session: data.session }
}

const signIn = async (email: string, tried = password) =>
  (await browser().client.signInWithPassword({ email, password: tried })).error?.code ?? 'signed in'

describe('updateUser with a password', () => {
  it('sets it, keeps this session, ends the others and tells by mail', async () => {
    const { client, email } = await member('changer')
    const other = browser().client
    await other.signInWithPassword({ email, password })
    const { data, error } = await client.updateUser({ password: 'better horse' })
    expect(error).toBeNull()
    expect(data.user?.email).toBe(email)
    expect((await client.refreshSession()).error).toBeNull()
    expect((await other.getUser()).error?.name).toBe('AuthSessionMissingError')
    expect((await other.refreshSession()).error).not.toBeNull()
    expect(await signIn(email)).toBe('invalid_credentials')
    expect(await signIn(email, 'better horse')).toBe('signed in')
    expect((await mailed.mailTo(email, 2)).subject).toBe('Your password was changed')
    const event = await mailed.identity.database.pool.one(
      sql.unsafe`select type, data ->> 'reason' as reason from events order by position desc limit 1`,
    )
    expect(event).toEqual({ type: 'SessionRevoked', reason: 'password-changed' })
  })

  it.each([
    ['the same one', password, 422, 'same_password', 'New password should be different from the old password.'],
    ['a short one', 'short', 422, 'weak_password', 'Password should be at least 6 characters.'],
    [
      'a common one',
      'iloveyou',
      422,
      'weak_password',
      'Password is known to be weak and easy to guess, please choose a different one.',
    ],
    ['an endless one', 'x'.repeat(73), 400, 'validation_failed', 'Password cannot be longer than 72 characters'],
  ])('refuses %s', async (what, tried, status, code, message) => {
    const { client, email } = await member(`refused-${what.replaceAll(' ', '-')}`)
    const { error } = await client.updateUser({ password: tried })
    expect(error).toMatchObject({ status, code, message })
    expect(await signIn(email)).toBe('signed in')
  })

  it('wants the present one when the sign-in was long ago', async () => {
    const { client, email } = await member('long-ago')
    movedMs = 11 * MINUTE_MS
    const required = await client.updateUser({ password: 'better horse' })
    expect(required.error).toMatchObject({ status: 400, code: 'current_password_required' })
    const wrong = await client.updateUser({ password: 'better horse', current_password: 'wrong horse' })
    expect(wrong.error).toMatchObject({ status: 400, code: 'current_password_invalid' })
    const right = await client.updateUser({ password: 'better horse', current_password: password })
    movedMs = 0
    expect(right.error).toBeNull()
    expect(await signIn(email, 'better horse')).toBe('signed in')
  })

  it('does not want it from a session that began with a recovery, once', async () => {
    const { email } = await member('recovering')
    const { client } = browser()
    await client.resetPasswordForEmail(email)
    const { token } = await mailed.mailTo(email, 2)
    await client.verifyOtp({ type: 'recovery', token_hash: token })
    movedMs = 40 * MINUTE_MS
    expect((await client.updateUser({ password: 'better horse' })).error).toBeNull()
    expect((await client.updateUser({ password: 'best horse' })).error?.code).toBe('current_password_required')
    movedMs = 0
  })

  it('sends people without a password back to where they sign in', async () => {
    const { client } = await member('passwordless')
    await mailed.identity.database.pool.query(sql.unsafe`
      delete from credentials where user_id = (select user_id from people where username = 'passwordless')`)
    movedMs = 11 * MINUTE_MS
    const { error } = await client.updateUser({ password: 'better horse' })
    movedMs = 0
    expect(error).toMatchObject({ status: 400, code: 'reauthentication_needed' })
  })

  it('makes a recovery mail worthless that is on its way', async () => {
    const { client, email } = await member('two-ways')
    await client.resetPasswordForEmail(email)
    const { token } = await mailed.mailTo(email, 2)
    await client.updateUser({ password: 'better horse' })
    const { error } = await browser().client.verifyOtp({ type: 'recovery', token_hash: token })
    expect(error?.code).toBe('otp_expired')
  })
})

describe('updateUser with an email', () => {
  it('changes it when the new address is confirmed, and tells the old one', async () => {
    const { client, email } = await member('mover')
    const { data, error } = await client.updateUser({ email: 'Moved@Example.com' })
    expect(error).toBeNull()
    expect(data.user).toMatchObject({ email, new_email: 'moved@example.com', email_change_sent_at: expect.any(String) })
    const notice = await mailed.mailTo(email, 2)
    expect(notice.subject).toBe('Your email address is to be changed')
    expect(notice.text).toContain('moved@example.com')
    const mail = await mailed.mailTo('moved@example.com')
    expect(`${mail.link.origin}${mail.link.pathname}`).toBe(`${PUBLIC_URL}/verify-email`)
    expect(await signIn('moved@example.com')).toBe('invalid_credentials')
    const verified = await browser().client.verifyOtp({ type: 'email_change', token_hash: mail.token })
    expect(verified.error).toBeNull()
    expect(verified.data.user?.email).toBe('moved@example.com')
    expect(verified.data.user).not.toHaveProperty('new_email')
    expect(await signIn('moved@example.com')).toBe('signed in')
    expect(await signIn(email)).toBe('invalid_credentials')
    expect((await client.getUser()).data.user?.email).toBe('moved@example.com')
  })

  it.each([
    ['a password change', async (client: Client) => client.updateUser({ password: 'better horse' }), 'otp_expired'],
    ['a sign-out everywhere', async (client: Client) => client.signOut({ scope: 'global' }), 'otp_expired'],
    ['a sign-out everywhere else', async (client: Client) => client.signOut({ scope: 'others' }), 'otp_expired'],
    ['a sign-out here', async (client: Client) => client.signOut({ scope: 'local' }), undefined],
  ])('is confirmed after %s, or not', async (what, act, code) => {
    const name = what.replaceAll(' ', '-')
    const { client } = await member(name)
    await client.updateUser({ email: `to-${name}@example.com` })
    const { token } = await mailed.mailTo(`to-${name}@example.com`)
    expect((await act(client)).error).toBeNull()
    const { error } = await browser().client.verifyOtp({ type: 'email_change', token_hash: token })
    expect(error?.code).toBe(code)
  })

  it('can be confirmed with the code, and mailed again', async () => {
    const { client, email } = await member('mover-by-code')
    await client.updateUser({ email: 'coded@example.com' })
    const first = await mailed.mailTo('coded@example.com')
    for (const known of [email, 'coded@example.com']) {
      expect((await client.resend({ type: 'email_change', email: known })).error).toBeNull()
    }
    const newest = await mailed.mailTo('coded@example.com', 3)
    expect((await client.verifyOtp({ type: 'email_change', token_hash: first.token })).error?.code).toBe('otp_expired')
    const { error } = await client.verifyOtp({ type: 'email_change', email: 'coded@example.com', token: newest.code })
    expect(error).toBeNull()
    expect((await client.resend({ type: 'email_change', email: 'coded@example.com' })).error).toBeNull()
    expect(await mailed.mailsTo('coded@example.com', 3)).toHaveLength(3)
  })

  it('to an address that somebody has is answered the same; the owner is told', async () => {
    const { client } = await member('wisher')
    const { email: taken } = await member('holder')
    const { data, error } = await client.updateUser({ email: taken })
    expect(error).toBeNull()
    expect(data.user).toMatchObject({ new_email: taken })
    expect(await mailed.mailTo(taken, 2)).toMatchObject({
      subject: 'You already have an account',
      text: expect.stringContaining('or to move another account to it'),
      token: '',
      code: '',
    })
  })

  it.each(['before', 'after'])(
    'takes it from a stranger who registered with it %s and confirmed nothing',
    async (when) => {
      const { client } = await member(`prover-${when}`)
      const email = `typed-${when}@example.com`
      const register = () =>
        browser().client.signUp({
          email,
          password: 'stranger horse',
          options: { data: { username: `typist-${when}` } },
        })
      if (when === 'before') {
        await register()
        await mailed.mailTo(email)
      }
      const before = await signIn(email, 'stranger horse')
      await client.updateUser({ email })
      const { token } = await mailed.mailTo(email, when === 'before' ? 2 : 1)
      if (when === 'after') await register()
      const { data, error } = await client.verifyOtp({ type: 'email_change', token_hash: token })
      expect([error, data.user?.email]).toEqual([null, email])
      expect(await signIn(email)).toBe('signed in')
      // The stranger sees what they saw before, and their own mails are worth nothing.
      if (when === 'before') expect(before).toBe('email_not_confirmed')
      expect(await signIn(email, 'stranger horse')).toBe('email_not_confirmed')
      const mails = await mailed.mailsTo(email, 2)
      const [signUp] = mails.filter(({ link }) => link.searchParams.get('type') === 'signup')
      const late = await browser().client.verifyOtp({ type: 'signup', token_hash: signUp?.token ?? '' })
      expect([signUp?.token, late.error?.code]).toEqual([expect.stringMatching(/./), 'otp_expired'])
      expect((await browser().client.resend({ type: 'signup', email })).error).toBeNull()
      expect((await mailed.mailTo(email, 3)).subject).toBe('You already have an account')
    },
  )

  it('stays with a stranger who is banned', async () => {
    const { client } = await member('late-prover')
    await browser().client.signUp({ email: 'barred@example.com', password, options: { data: { username: 'barred' } } })
    await mailed.mailTo('barred@example.com')
    await client.updateUser({ email: 'barred@example.com' })
    const { token } = await mailed.mailTo('barred@example.com', 2)
    await markBanned(mailed.identity, 'barred')
    const { error } = await client.verifyOtp({ type: 'email_change', token_hash: token })
    expect(error).toMatchObject({ status: 422, code: 'email_exists' })
  })

  it('is refused at the end when somebody else was faster', async () => {
    const { client } = await member('slow-mover')
    await client.updateUser({ email: 'contested@example.com' })
    const { token } = await mailed.mailTo('contested@example.com')
    await browser().client.signUp({ email: 'contested@example.com', password })
    const faster = await mailed.mailTo('contested@example.com', 2)
    await browser().client.verifyOtp({ type: 'signup', token_hash: faster.token })
    const { error } = await client.verifyOtp({ type: 'email_change', token_hash: token })
    expect(error).toMatchObject({
      status: 422,
      code: 'email_exists',
      message: 'A user with this email address has already been registered',
    })
  })

  it('wants the password when the sign-in was long ago', async () => {
    const { client } = await member('old-session')
    movedMs = 11 * MINUTE_MS
    const { error } = await client.updateUser({ email: 'thief@example.com' })
    movedMs = 0
    expect(error?.code).toBe('current_password_required')
  })

  it.each(['a@b', 'user-1@sign-in.wangian.invalid'])('refuses %s', async (email) => {
    const { client } = await member(`refused-${email.length}`)
    const { error } = await client.updateUser({ email })
    expect(error).toMatchObject({ status: 400, code: 'validation_failed' })
  })

  it('takes effect at once where nothing is confirmed, and is then refused for a known address', async () => {
    const open = await createTestIdentity()
    const { accessToken } = await signUp(open.app, 'open')
    await signUp(open.app, 'other')
    const put = (email: string) =>
      open.app.inject({
        method: 'PUT',
        url: '/auth/v1/user',
        headers: { ...currentVersion, authorization: `Bearer ${accessToken}` },
        payload: { email },
      })
    const taken = await put('other@example.com')
    expect([taken.statusCode, taken.json()]).toEqual([
      422,
      { code: 'email_exists', message: 'A user with this email address has already been registered' },
    ])
    expect((await put('opened@example.com')).json()).toMatchObject({ email: 'opened@example.com' })
    await open.stop()
  })
})

describe('updateUser with data', () => {
  it('changes the names and nothing else', async () => {
    const { client } = await member('renamed')
    const data = { first_name: 'May', last_name: null, username: 'renamed', sub: 'somebody', email_verified: false }
    const { data: updated, error } = await client.updateUser({ data })
    expect(error).toBeNull()
    expect(updated.user?.role).toBe('authenticated')
    expect(updated.user?.user_metadata).toMatchObject({ first_name: 'May', username: 'renamed', email_verified: true })
    expect(updated.user?.user_metadata['sub']).toBe(updated.user?.id)
    expect(updated.user?.user_metadata).not.toHaveProperty('last_name')
    const kept = await client.updateUser({ data: { last_name: 'Tan' } })
    expect(kept.data.user?.user_metadata).toMatchObject({ first_name: 'May', last_name: 'Tan' })
  })

  it('keeps what it does not know, name by name, and reads no right from it', async () => {
    const { client } = await member('keeper')
    const own = { theme: { dark: true }, isAdmin: true, role: 'admin', list: [1, null] }
    expect((await client.updateUser({ data: { ...own, gone: 1 } })).error).toBeNull()
    const { data } = await client.updateUser({ data: { gone: null, theme: 'light' } })
    expect(data.user).toMatchObject({ role: 'authenticated', user_metadata: { ...own, theme: 'light' } })
    expect(data.user?.user_metadata).not.toHaveProperty('gone')
    expect(data.user?.identities?.[0]?.identity_data).not.toHaveProperty('isAdmin')
    const { data: refreshed } = await client.refreshSession()
    expect(refreshed.user?.user_metadata).toMatchObject({ theme: 'light' })
  })

  it('keeps 4 kB at most', async () => {
    const { client, session } = await member('hoarder')
    const fitting = { note: 'x'.repeat(4096 - '{"note":""}'.length) }
    expect((await client.updateUser({ data: fitting })).error).toBeNull()
    for (const data of [{ note: `${fitting.note}x` }, { more: 1 }]) {
      const { error } = await client.updateUser({ data })
      expect(error).toMatchObject({ status: 400, code: 'validation_failed' })
    }
    // Deeper than anybody could write it again.
    const deep = await mailed.identity.app.inject({
      method: 'PUT',
      url: '/auth/v1/user',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${session.access_token}` },
      payload: `{"data":{"deep":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`,
    })
    expect(deep.statusCode).toBe(400)
  })

  it('refuses another username, which nobody could have taken for granted', async () => {
    const { client } = await member('steady')
    const { error } = await client.updateUser({ data: { username: 'admin', first_name: 'May' } })
    expect(error).toMatchObject({ status: 422, code: 'validation_failed' })
    const { data } = await client.getUser()
    expect(data.user?.user_metadata).toMatchObject({ username: 'steady', first_name: 'Mei' })
  })

  it('refuses what is no name', async () => {
    const { client } = await member('unnamed')
    for (const data of [{ first_name: 'x'.repeat(101) }, { first_name: '\u202EieM' }, { last_name: 'Chong\u200B' }]) {
      const { error } = await client.updateUser({ data })
      expect(error).toMatchObject({ status: 400, code: 'validation_failed' })
    }
    const { data } = await client.getUser()
    expect(data.user?.user_metadata).toMatchObject({ first_name: 'Mei', last_name: 'Chong' })
  })
})

describe('updateUser of nobody', () => {
  it.each([
    ['', 401, 'no_authorization'],
    ['Bearer x.y.z', 403, 'bad_jwt'],
  ])('with %j is refused', async (authorization, status, code) => {
    const response = await mailed.identity.app.inject({
      method: 'PUT',
      url: '/auth/v1/user',
      headers: { ...currentVersion, authorization },
      payload: { password: 'better horse' },
    })
    expect([response.statusCode, response.json().code]).toEqual([status, code])
  })
})
