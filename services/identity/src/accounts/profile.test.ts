import { BIO_LENGTH_MAX, LOCATION_LENGTH_MAX, SHOP_NAME_LENGTH_MAX } from '@wangian/contracts/account.ts'
import { CurrentUser } from '@wangian/contracts/identity.ts'
import { sql } from '@wangian/kit/database/postgres.ts'
import { readStream } from '@wangian/kit/log/event-store.ts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { redeemMailedToken } from '../mails/token-redemption.ts'
import { completeWithPeople } from '../people/published-people.ts'
import { findAccount } from '../store.ts'
import { ageTries } from '../testing/provider-calls.ts'
import { createTestIdentity, type TestIdentity } from '../testing/test-identity.ts'
import {
  createUser,
  PASSWORD,
  queuedMails,
  signInAgain,
  stateOf,
  type TestUser,
  tokenIn,
} from '../testing/test-people.ts'

let identity: TestIdentity
let sarah: TestUser
let count = 0

beforeAll(async () => {
  identity = await createTestIdentity()
})
afterAll(() => identity.stop())
beforeEach(async () => {
  count += 1
  sarah = await createUser(identity, `sarah-${count}`)
})

const patch = (body: object, { id, headers } = sarah, { app } = identity) =>
  app.inject({ method: 'PATCH', url: `/api/user/${id}`, headers: { ...headers }, payload: body })
/** What came after registering, with an address that was known to be theirs. */
const eventsOf = async ({ id } = sarah) => (await readStream(identity.database.pool, 'identity', `user-${id}`)).slice(2)
const mailsTo = async (address: string) =>
  (await queuedMails(identity)).filter(({ recipient }) => recipient === address)

describe('a profile', () => {
  it('takes what the person says of themselves, and tells who can see it', async () => {
    const profile = {
      firstName: 'Sarah',
      lastName: 'Lim',
      address: '1, Jalan Ampang',
      shopName: 'Oud & Rose',
      location: 'Penang',
      bio: 'Collecting since 2009. 🌹',
    }
    const response = await patch(profile)
    expect(response.statusCode).toBe(200)
    expect(CurrentUser.parse(response.json())).toMatchObject({ ...profile, id: sarah.id, username: sarah.username })
    const [event, ...more] = await eventsOf()
    expect(more).toEqual([])
    expect(event).toMatchObject({ type: 'ProfileUpdated', data: { userId: sarah.id } })
    const { shopName, location, bio } = profile
    const raw = { id: event?.id ?? '', type: 'ProfileUpdated', data: JSON.stringify(event?.data) }
    const complete = await completeWithPeople(identity.database.pool)([raw] as never)
    expect([...complete.values()]).toEqual([{ person: expect.objectContaining({ shopName, location, bio }) }])
  })

  it('keeps what is not named, and takes back what is emptied', async () => {
    await patch({ firstName: 'Sarah', bio: 'Roses', location: 'Ipoh' })
    expect((await patch({ bio: '  ', location: null })).json()).toMatchObject({
      firstName: 'Sarah',
      bio: null,
      location: null,
    })
  })

  it('is trimmed', async () => {
    expect((await patch({ shopName: '  Oud  ' })).json()).toMatchObject({ shopName: 'Oud' })
  })

  it('says nothing in the log where nothing is new, or nobody sees it', async () => {
    await patch({ bio: 'Roses' })
    const before = await stateOf(identity)
    expect((await patch({ bio: 'Roses', email: sarah.email.toUpperCase() })).statusCode).toBe(200)
    expect((await patch({})).statusCode).toBe(200)
    expect(await stateOf(identity)).toBe(before)
    expect((await patch({ address: '2, Jalan Ampang' })).json()).toMatchObject({ address: '2, Jalan Ampang' })
    expect(await eventsOf()).toHaveLength(1)
  })

  it('takes two changes at once', async () => {
    await Promise.all([patch({ bio: 'Roses' }), patch({ location: 'Ipoh' }), patch({ address: 'x' })])
    expect(await findAccount(identity.database.pool, sarah.id)).toMatchObject({
      bio: 'Roses',
      location: 'Ipoh',
      address: 'x',
    })
  })

  it.each([
    [{ isAdmin: true, isSeller: false, isBanned: true, isVerified: false, id: 1, username: 'admin' }],
    [{ avatarUrl: 'x', profileImage: 'x', coverPhoto: 'x', walletBalance: 100, authId: 'x', createdAt: 'x' }],
    [{ password: 'x', passwordHash: 'x', emailConfirmedAt: null, email_confirmed_at: null, closed_at: null }],
  ])('drops what is not the person’s to change: %j', async (body) => {
    const before = await stateOf(identity)
    expect((await patch(body)).statusCode).toBe(200)
    expect(await stateOf(identity)).toBe(before)
  })

  it.each([
    [{ shopName: 'x'.repeat(SHOP_NAME_LENGTH_MAX + 1) }, 'Shop name must be 50 characters or less'],
    [{ location: 'x'.repeat(LOCATION_LENGTH_MAX + 1) }, 'Location must be 100 characters or less'],
    [{ bio: 'x'.repeat(BIO_LENGTH_MAX + 1) }, 'Bio must be 500 characters or less'],
    [{ firstName: 'x'.repeat(101) }, 'First name must be 100 characters or less'],
    [{ lastName: 'x'.repeat(101) }, 'Last name must be 100 characters or less'],
    [{ address: 'x'.repeat(501) }, 'Address must be 500 characters or less'],
    [{ email: 'nobody' }, 'Please enter a valid email address'],
    [{ email: `${'x'.repeat(250)}@example.com` }, 'Please enter a valid email address'],
    [{ bio: 7 }, 'Bio is not valid'],
    [{ bio: ['x'] }, 'Bio is not valid'],
    [{ bio: 'a\u0000b' }, 'The request is not valid.'],
    [{ bio: '\ud800' }, 'The request is not valid.'],
    [{ email: null }, 'Email is not valid'],
  ])('refuses %j', async (body, message) => {
    const before = await stateOf(identity)
    const response = await patch({ location: 'Ipoh', ...body })
    expect([response.statusCode, response.json().message]).toEqual([400, message])
    expect(await stateOf(identity)).toBe(before)
  })

  it.each(['0', '01', '1e3', 'x', '%00', '9'.repeat(17)])('is not at /api/user/%s', async (id) => {
    const url = `/api/user/${id}`
    const response = await identity.app.inject({ method: 'PATCH', url, headers: { ...sarah.headers }, payload: {} })
    expect(response.statusCode).toBe(400)
  })

  it('takes texts of full length', async () => {
    const profile = { shopName: 'x'.repeat(50), location: 'x'.repeat(100), bio: 'x'.repeat(500) }
    expect((await patch(profile)).json()).toMatchObject(profile)
  })
})

describe('a new address', () => {
  const change = (email: string, more: object = { currentPassword: PASSWORD }) => patch({ email, ...more })

  it('is confirmed by a mail to it, and the old one is told', async () => {
    const newEmail = `new-${sarah.email}`
    const response = await change(newEmail.toUpperCase())
    expect(response.statusCode).toBe(200)
    expect(response.json().email).toBe(sarah.email)
    expect((await mailsTo(sarah.email)).map(({ kind }) => kind)).toEqual(['email-change-notice'])
    const [mail, ...more] = await mailsTo(newEmail)
    expect(more).toEqual([])
    expect(mail?.text).toContain(`/verify-email?token_hash=${tokenIn(mail)}&type=email_change`)
    expect((await findAccount(identity.database.pool, sarah.id))?.email).toBe(sarah.email)

    const proof = { kind: 'email_change', token: tokenIn(mail) } as const
    const redemption = await redeemMailedToken(identity.database.pool, proof, {
      now: new Date(),
      correlationId: 'test',
    })
    expect(redemption.outcome).toBe('redeemed')
    expect((await findAccount(identity.database.pool, sarah.id))?.email).toBe(newEmail)
  })

  it('looks the same when it is somebody’s, who alone learns of it', async () => {
    const hafiz = await createUser(identity, `hafiz-${count}`)
    const taken = await change(hafiz.email)
    const free = await change(`free-${sarah.email}`)
    expect(taken.statusCode).toBe(200)
    expect(taken.json()).toEqual(free.json())
    expect(Object.keys(taken.headers).sort()).toEqual(Object.keys(free.headers).sort())
    const [mail, ...more] = await mailsTo(hafiz.email)
    expect(more).toEqual([])
    expect(mail?.kind).toBe('address-known')
    expect(mail?.text).not.toContain('token_hash')
    expect((await mailsTo(sarah.email)).map(({ kind }) => kind)).toEqual(['email-change-notice', 'email-change-notice'])
  })

  it.each([
    ['no password', {}, 'bad-request', 'Enter your current password to change your email address'],
    ['an empty password', { currentPassword: '' }, 'bad-request', undefined],
    ['a wrong password', { currentPassword: 'wrong' }, 'wrong-password', 'current password is incorrect'],
  ])('is refused with %s, and nothing else is changed either', async (_what, more, code, message) => {
    const before = await stateOf(identity)
    const response = await change(`new-${sarah.email}`, { bio: 'Roses', ...more })
    expect([response.statusCode, response.json().code]).toEqual([400, code])
    if (message !== undefined) expect(response.json().message).toBe(message)
    expect(await stateOf(identity)).toBe(before)
  })

  it('is none of our sign-in aliases', async () => {
    const { email } = (
      await identity.app.inject({
        method: 'POST',
        url: '/api/v1/auth/lookup-email',
        payload: { username: sarah.username },
      })
    ).json()
    const before = await stateOf(identity)
    expect((await change(email)).json().message).toBe('Please enter a valid email address')
    expect(await stateOf(identity)).toBe(before)
  })

  it('is not needed for anything else, so no password is', async () => {
    expect((await patch({ bio: 'Roses' })).statusCode).toBe(200)
  })
})

describe('the limits', () => {
  let strict: TestIdentity
  beforeEach(async () => {
    strict = await createTestIdentity({ rateLimitFactor: 1 })
  })
  afterEach(() => strict.stop())

  it('let nobody guess the password here', async () => {
    const user = await createUser(strict, 'user')
    const guess = (currentPassword: string) =>
      patch({ email: 'new@example.com', currentPassword }, user, strict).then(({ statusCode }) => statusCode)
    const answers = await Promise.all(Array.from({ length: 8 }, () => guess('wrong')))
    expect(answers.sort()).toEqual([400, 400, 400, 400, 400, 429, 429, 429])
    const before = await stateOf(strict)
    expect(await guess(PASSWORD)).toBe(429)
    expect(await stateOf(strict)).toBe(before)
  })

  it('keep the log from being filled', async () => {
    const user = await createUser(strict, 'user')
    const answers = []
    for (let index = 0; index < 61; index += 1)
      answers.push((await patch({ bio: `${index}` }, user, strict)).statusCode)
    expect(answers.slice(59)).toEqual([200, 429])
  })

  it('spare an address that many ask for, whichever copy of the service they ask', async () => {
    const copy = await createTestIdentity({ rateLimitFactor: 1, pool: strict.database.pool, keys: strict.keys })
    onTestFinished(() => copy.stop())
    const users = await Promise.all(['one', 'two', 'three', 'four'].map((name) => createUser(strict, name)))
    const answers = []
    for (const [index, user] of users.entries()) {
      const asked = index % 2 === 0 ? strict : copy
      answers.push((await patch({ email: 'new@example.com', currentPassword: PASSWORD }, user, asked)).statusCode)
    }
    expect(answers).toEqual([200, 200, 200, 429])
  })

  it('spare it all day, also whoever goes on every hour', async () => {
    const user = await createUser(strict, 'user')
    const answers: number[] = []
    for (let hour = 0; hour < 12; hour += 1) {
      for (let count = 0; count < 3; count += 1)
        answers.push((await patch({ email: 'new@example.com', currentPassword: PASSWORD }, user, strict)).statusCode)
      await ageTries(strict, 60)
    }
    // Twenty at once, and from then on one in 72 minutes.
    expect(answers.filter((status) => status === 200)).toHaveLength(29)
    expect(answers.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 200))
  })
})

describe('a new address of somebody without a password', () => {
  const wish = (more: object = {}) => patch({ email: `new-${sarah.email}`, ...more })
  const me = async (headers = sarah.headers) =>
    (await identity.app.inject({ url: '/api/v1/auth/me', headers: { ...headers } })).json()

  it('needs one first, which they set by mail', async () => {
    await identity.database.pool.query(sql.unsafe`delete from credentials where user_id = ${sarah.id}`)
    expect((await me()).hasPassword).toBe(false)
    const before = await stateOf(identity)
    const told = (await wish()).json()
    expect(told).toMatchObject({ code: 'bad-request', message: expect.stringContaining('Set a password first') })
    expect((await wish({ currentPassword: 'guessed' })).json()).toMatchObject({ code: 'wrong-password' })
    expect(await stateOf(identity)).toBe(before)

    await identity.app.inject({ method: 'POST', url: '/auth/v1/recover', payload: { email: sarah.email } })
    const [mail] = await mailsTo(sarah.email)
    const reset = { token: tokenIn(mail), password: 'amber and oud' }
    const set = await identity.app.inject({ method: 'POST', url: '/api/update-password', payload: reset })
    expect(set.statusCode, set.body).toBe(200)
    const { headers } = await signInAgain(identity, sarah.account)
    expect((await me(headers)).hasPassword).toBe(true)
    expect((await mailsTo(sarah.email)).map(({ kind }) => kind)).toEqual(['reset-password', 'password-set'])
    const changed = await patch(
      { email: `new-${sarah.email}`, currentPassword: 'amber and oud' },
      { ...sarah, headers },
    )
    expect(changed.statusCode, changed.body).toBe(200)
    expect(await mailsTo(`new-${sarah.email}`)).toMatchObject([{ kind: 'change-email' }])
  })
})
