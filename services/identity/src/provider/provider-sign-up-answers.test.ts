import { sql } from '@wangian/kit/database/postgres.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { providerCalls } from '../testing/provider-calls.ts'
import { createTestIdentity, currentVersion, signUp, type TestIdentity } from '../testing/test-identity.ts'

const password = 'correct horse'
let identity: TestIdentity
const now = new Date('2026-11-21T08:00:00.000Z')
const { post } = providerCalls(() => identity)

beforeAll(async () => {
  identity = await createTestIdentity({ now: () => now })
})
afterAll(() => identity.stop())

describe('a sign-up', () => {
  it.each([
    ['no password', { email: 'a@example.com' }, 'Signup requires a valid password'],
    ['an empty password', { email: 'a@example.com', password: '' }, 'Signup requires a valid password'],
    [
      'a password beyond 72 bytes',
      { email: 'a@example.com', password: 'é'.repeat(37) },
      'Password cannot be longer than 72 characters',
    ],
    ['no email', { password }, 'An email address is required'],
    ['an email that is none', { email: 'a@b', password }, 'Unable to validate email address: invalid format'],
    [
      'a sign-in alias',
      { email: 'user-1@sign-in.wangian.invalid', password },
      'Unable to validate email address: invalid format',
    ],
    ['an endless email', { email: `${'a'.repeat(250)}@example.com`, password }, 'An email address is too long'],
    ['a short username', { data: { username: 'ab' } }, 'Username must be at least 3 characters'],
    ['a long username', { data: { username: 'a'.repeat(31) } }, 'Username must be at most 30 characters'],
    [
      'a username with an @',
      { data: { username: 'a@b.c' } },
      'Username may hold letters, digits, dots, dashes and underscores',
    ],
    ['a username that is no text', { data: { username: 7 } }, 'Username is not valid'],
    ['a first name that is no text', { data: { first_name: ['x'] } }, 'First name is not valid'],
    ['an endless last name', { data: { last_name: 'x'.repeat(101) } }, 'Last name must be 100 characters or less'],
    ['a name turned around', { data: { first_name: '\u202EieM' } }, 'First name has characters that cannot be seen'],
    ['a control in a name', { data: { last_name: 'Ch\u0007ong' } }, 'Last name has characters that cannot be seen'],
  ])('with %s is refused', async (_what, body, message) => {
    const whole = 'data' in body ? { email: 'refused@example.com', password, ...body } : body
    const response = await post('/signup', whole)
    expect(response.statusCode).toBe(400)
    expect(response.json()).toEqual({ code: 'validation_failed', message })
  })

  it.each([
    ['five characters', '12345', 'Password should be at least 6 characters.', 'length'],
    ['five characters of two bytes each', 'ééééé', 'Password should be at least 6 characters.', 'length'],
    [
      'one of the commonest passwords',
      'QwErTyUiOp',
      'Password is known to be weak and easy to guess, please choose a different one.',
      'pwned',
    ],
  ])('with %s as password is refused', async (_what, weakPassword, message, reason) => {
    const response = await post('/signup', { email: 'weak@example.com', password: weakPassword })
    expect(response.statusCode).toBe(422)
    expect(response.json()).toEqual({ code: 'weak_password', message, weak_password: { reasons: [reason] } })
  })

  it('takes no rights from the user data, and keeps what it does not know', async () => {
    const data = {
      username: 'climber',
      isAdmin: true,
      is_admin: true,
      isSeller: false,
      role: 'admin',
      first_name: '  ',
    }
    const response = await post('/signup', { email: 'climber@example.com', password, data, isAdmin: true })
    const { user } = response.json()
    expect(user.role).toBe('authenticated')
    expect(Object.keys(user.user_metadata).sort()).toEqual([
      'email',
      'email_verified',
      'isAdmin',
      'isSeller',
      'is_admin',
      'phone_verified',
      'role',
      'sub',
      'username',
    ])
    const row = await identity.database.pool.one(
      sql.unsafe`
        select is_admin, is_seller from users u join people p on p.user_id = u.id where p.username = 'climber'`,
    )
    expect(row).toEqual({ is_admin: false, is_seller: true })
  })

  it('needs no user data', async () => {
    const response = await post('/signup', { email: 'plain@example.com', password, code_challenge: null })
    expect(response.statusCode).toBe(200)
    expect(response.json().user.user_metadata.username).toMatch(/^user-\d+$/)
  })

  it('tells the relay', async () => {
    const before = identity.appendedCount()
    await signUp(identity.app, 'announced')
    expect(identity.appendedCount()).toBe(before + 1)
  })

  it('is refused with legacy fields for a client that names no version', async () => {
    const headers = { 'content-type': 'application/json' }
    const taken = await identity.app.inject({
      method: 'POST',
      url: '/auth/v1/signup',
      headers,
      payload: { email: 'announced@example.com', password },
    })
    expect(taken.statusCode).toBe(422)
    expect(taken.json()).toEqual({ code: 422, error_code: 'user_already_exists', msg: 'User already registered' })
    expect(taken.headers['x-sb-error-code']).toBe('user_already_exists')
    expect(taken.headers['x-supabase-api-version']).toBeUndefined()
    const weak = await identity.app.inject({
      method: 'POST',
      url: '/auth/v1/signup',
      headers,
      payload: { email: 'weak@example.com', password: 'short' },
    })
    expect(weak.json()).toEqual({
      code: 422,
      error_code: 'weak_password',
      msg: 'Password should be at least 6 characters.',
      weak_password: { reasons: ['length'] },
    })
  })
})

describe('a provider that waits for a confirmation', () => {
  let confirming: TestIdentity
  const signUpWith = (body: object) =>
    confirming.app.inject({ method: 'POST', url: '/auth/v1/signup', headers: currentVersion, payload: body })
  beforeAll(async () => {
    confirming = await createTestIdentity({ isAutoconfirmed: false })
  })
  afterAll(() => confirming.stop())

  it('answers a sign-up with the user alone, and lets nobody in', async () => {
    const body = { email: 'new@example.com', password, data: { username: 'newcomer' } }
    const response = await signUpWith(body)
    expect(response.statusCode).toBe(200)
    expect(response.json()).toMatchObject({ email: 'new@example.com', identities: [{ provider: 'email' }] })
    expect(response.json()).not.toHaveProperty('email_confirmed_at')
    expect(response.json()).not.toHaveProperty('access_token')
    const signIn = await confirming.app.inject({
      method: 'POST',
      url: '/auth/v1/token?grant_type=password',
      headers: currentVersion,
      payload: body,
    })
    expect(signIn.statusCode).toBe(400)
    expect(signIn.json()).toEqual({ code: 'email_not_confirmed', message: 'Email not confirmed' })
    const settings = await confirming.app.inject({ method: 'GET', url: '/auth/v1/settings' })
    expect(settings.json().mailer_autoconfirm).toBe(false)
  })

  it('answers a known address like a new one', async () => {
    const fresh = (await signUpWith({ email: 'one@example.com', password, data: { username: 'one.one', a: 1 } })).json()
    const known = (await signUpWith({ email: 'one@example.com', password, data: { username: 'two.two', a: 1 } })).json()
    const shape = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(shape)
      if (typeof value !== 'object' || value === null) return typeof value
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shape(item)]))
    }
    expect(shape(known)).toEqual(shape(fresh))
    expect(known.id).not.toBe(fresh.id)
    expect(known.user_metadata.username).toBe('two.two')
    for (const email of ['one@example.com', 'three@example.com']) {
      const taken = await signUpWith({ email, password, data: { username: 'newcomer' } })
      expect([taken.statusCode, taken.json().code]).toEqual([422, 'username_exists'])
    }
  })
})
