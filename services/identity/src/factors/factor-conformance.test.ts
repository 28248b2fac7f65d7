import type { AddressInfo } from 'node:net'
import { AuthClient, type AuthError } from '@supabase/auth-js'
import { sql } from '@wangian/kit/database/postgres.ts'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { codeOf, secretBytes } from '../testing/test-apps.ts'
import { createTestIdentity, type TestIdentity } from '../testing/test-identity.ts'

const password = 'correct horse'
const STEP_MS = 30_000
const MINUTE_MS = 60_000
let identity: TestIdentity
let url: string
let now = new Date()
let peopleCount = 0

beforeAll(async () => {
  identity = await createTestIdentity({ now: () => now })
  await identity.app.listen({ host: '127.0.0.1', port: 0 })
  url = `http://127.0.0.1:${(identity.app.server.address() as AddressInfo).port}/auth/v1`
})
afterAll(() => identity.stop())
beforeEach(() => {
  now = new Date()
})
const pass = (durationMs: number) => {
  now = new Date(now.getTime() + durationMs)
}

type Client = InstanceType<typeof AuthClient>

/** The published client with a storage of its own: one browser. */
function browser(): Client {
  const values = new Map<string, string>()
  return new AuthClient({
    url,
    headers: { apikey: 'embedded' },
    flowType: 'pkce',
    storageKey: `test-${Math.random()}`,
    detectSessionInUrl: false,
    autoRefreshToken: false,
    experimental: { recoveryCodes: true },
    storage: {
      getItem: (key) => values.get(key) ?? null,
      setItem: (key, value) => void values.set(key, value),
      removeItem: (key) => void values.delete(key),
    },
  })
}

async function newcomer() {
  peopleCount += 1
  const username = `person-${peopleCount}`
  const email = `${username}@example.com`
  const client = browser()
  granted(await client.signUp({ email, password, options: { data: { username } } }))
  return { client, email, username }
}

/** Somebody with an app that has shown its first code, which `code` follows. */
async function withApp() {
  const person = await newcomer()
  const { id, totp } = granted(await person.client.mfa.enroll({ factorType: 'totp' }))
  const code = () => codeOf(totp.secret, now)
  granted(await person.client.mfa.challengeAndVerify({ factorId: id, code: code() }))
  pass(STEP_MS)
  return { ...person, factorId: id, code }
}

async function signIn(email: string): Promise<Client> {
  const client = browser()
  granted(await client.signInWithPassword({ email, password }))
  return client
}

function granted<Result extends { data: unknown; error: AuthError | null }>(result: Result) {
  if (result.error) throw result.error
  return result.data as Extract<Result, { error: null }>['data']
}

async function levels(client: Client) {
  const { currentLevel, nextLevel } = granted(await client.mfa.getAuthenticatorAssuranceLevel())
  return [currentLevel, nextLevel]
}

async function isSignedIn(client: Client): Promise<boolean> {
  return (await client.getUser()).error === null
}

async function exchange(client: Client) {
  const { session } = granted(await client.getSession())
  const response = await identity.app.inject({
    method: 'POST',
    url: '/api/v1/auth/session',
    payload: { supabaseToken: session?.access_token },
  })
  return { status: response.statusCode, ...response.json() }
}

describe('enroll', () => {
  it('gives a picture, a secret and an address for an app, which counts for nothing yet', async () => {
    const { client, email } = await newcomer()
    const factor = granted(await client.mfa.enroll({ factorType: 'totp', friendlyName: 'My phone', issuer: 'Wangian' }))
    expect(factor).toMatchObject({ type: 'totp', friendly_name: 'My phone' })
    const { qr_code, secret, uri } = factor.totp
    expect(secret).toMatch(/^[A-Z2-7]{32}$/)
    expect(uri).toBe(
      `otpauth://totp/Wangian:${encodeURIComponent(email)}?secret=${secret}&issuer=Wangian&algorithm=SHA1&digits=6&period=30`,
    )
    expect(qr_code).toMatch(/^data:image\/svg\+xml;utf-8,<svg [^#]*<\/svg>$/)
    expect(granted(await client.mfa.listFactors())).toMatchObject({
      all: [{ id: factor.id, friendly_name: 'My phone', factor_type: 'totp', status: 'unverified' }],
      totp: [],
    })
    expect(await levels(client)).toEqual(['aal1', 'aal1'])
    expect(await exchange(client)).toMatchObject({ status: 200 })
  })

  it('keeps no secret that could be read from its table', async () => {
    const { client } = await newcomer()
    const { id, totp } = granted(await client.mfa.enroll({ factorType: 'totp' }))
    const rows = await identity.database.pool.any(sql.unsafe`select * from factors where id = ${id}`)
    const kept = Buffer.from((rows[0] as { secret: string }).secret, 'base64url')
    expect(kept.includes(secretBytes(totp.secret))).toBe(false)
    expect(JSON.stringify(rows)).not.toContain(totp.secret)
  })

  it('refuses a name that another factor has, other kinds, and the eleventh', async () => {
    const { client } = await newcomer()
    const enroll = () => client.mfa.enroll({ factorType: 'totp', friendlyName: 'My phone' })
    granted(await enroll())
    expect((await enroll()).error).toMatchObject({ status: 422, code: 'mfa_factor_name_conflict' })
    const phone = await client.mfa.enroll({ factorType: 'phone', phone: '60123456789' })
    expect(phone.error).toMatchObject({ status: 400, code: 'validation_failed' })
    const nameless = () => client.mfa.enroll({ factorType: 'totp' })
    for (let count = 1; count < 10; count += 1) granted(await nameless())
    expect((await nameless()).error).toMatchObject({ status: 403, code: 'too_many_enrolled_mfa_factors' })
  })

  it('of another app is refused to whoever knows the password only', async () => {
    const { email, client } = await withApp()
    const refused = await (await signIn(email)).mfa.enroll({ factorType: 'totp' })
    expect(refused.error).toMatchObject({
      status: 403,
      code: 'insufficient_aal',
      message: 'AAL2 required to enroll a new factor',
    })
    expect((await client.mfa.enroll({ factorType: 'totp', friendlyName: 'Another' })).error).toBeNull()
  })

  it('that was begun with the password only cannot be ended once there is an app', async () => {
    const { email, client } = await newcomer()
    const thief = await signIn(email)
    const { id, totp } = granted(await client.mfa.enroll({ factorType: 'totp', friendlyName: 'Mine' }))
    const theirs = granted(await thief.mfa.enroll({ factorType: 'totp', friendlyName: 'Theirs' }))
    granted(await client.mfa.challengeAndVerify({ factorId: id, code: codeOf(totp.secret, now) }))
    const again = await signIn(email)
    const code = codeOf(theirs.totp.secret, now)
    const refused = await again.mfa.challengeAndVerify({ factorId: theirs.id, code })
    expect(refused.error).toMatchObject({ status: 404, code: 'mfa_factor_not_found' })
    expect(granted(await again.mfa.listFactors()).all.map(({ friendly_name }) => friendly_name)).toEqual(['Mine'])
  })
})

describe('challenge and verify', () => {
  it('raise the session, and end the others of the person that are not', async () => {
    const { client, email } = await newcomer()
    const elsewhere = await signIn(email)
    const stranger = (await newcomer()).client
    const { id, totp } = granted(await client.mfa.enroll({ factorType: 'totp' }))
    const challenge = granted(await client.mfa.challenge({ factorId: id }))
    expect(challenge).toMatchObject({ type: 'totp', expires_at: Math.floor((now.getTime() + 5 * MINUTE_MS) / 1000) })
    const code = codeOf(totp.secret, now)
    const verified = granted(await client.mfa.verify({ factorId: id, challengeId: challenge.id, code }))
    expect(verified).toMatchObject({ token_type: 'bearer', user: { email, factors: [{ id, status: 'verified' }] } })
    const claims = decodeJwt(verified.access_token)
    const atS = Math.floor(now.getTime() / 1000)
    expect(claims).toMatchObject({ aal: 'aal2', amr: [{ method: 'totp', timestamp: atS }, { method: 'password' }] })
    expect(await levels(client)).toEqual(['aal2', 'aal2'])
    expect([await isSignedIn(elsewhere), await isSignedIn(stranger)]).toEqual([false, true])
    granted(await client.refreshSession())
    expect(await levels(client)).toEqual(['aal2', 'aal2'])
  })

  it('sign in from then on: without the code the product’s own token is refused', async () => {
    const { email, factorId, code } = await withApp()
    const client = await signIn(email)
    expect(await levels(client)).toEqual(['aal1', 'aal2'])
    expect(await exchange(client)).toMatchObject({
      status: 403,
      code: 'second-factor-required',
      message: 'Second factor required',
    })
    granted(await client.mfa.challengeAndVerify({ factorId, code: code() }))
    expect(await exchange(client)).toMatchObject({ status: 200, user: { email, needsSecondFactor: false } })
  })

  it.each([
    ['a wrong code', '000000', 422, 'mfa_verification_failed', 'Invalid TOTP code entered'],
    ['what is no code', '12345', 422, 'mfa_verification_failed', 'Invalid TOTP code entered'],
    ['letters', 'abcdef', 422, 'mfa_verification_failed', 'Invalid TOTP code entered'],
    ['nothing', '', 400, 'validation_failed', 'Code needs to be non-empty'],
  ])('refuse %s', async (_what, code, status, errorCode, message) => {
    const { email, factorId } = await withApp()
    const client = await signIn(email)
    const { error } = await client.mfa.challengeAndVerify({ factorId, code })
    expect(error).toMatchObject({ status, code: errorCode, message })
    expect(await levels(client)).toEqual(['aal1', 'aal2'])
  })

  it('take a code once, with whatever challenge and in whatever session', async () => {
    const { email, factorId, code } = await withApp()
    const [first, second] = [await signIn(email), await signIn(email)]
    granted(await first.mfa.challengeAndVerify({ factorId, code: code() }))
    const again = await first.mfa.challengeAndVerify({ factorId, code: code() })
    expect(again.error).toMatchObject({ status: 422, code: 'mfa_verification_failed' })
    expect(await isSignedIn(second)).toBe(false)
  })

  it('take a code of any app of the person, whichever it was asked of', async () => {
    const { client, email, factorId } = await withApp()
    const tablet = granted(await client.mfa.enroll({ factorType: 'totp', friendlyName: 'Tablet' }))
    const code = () => codeOf(tablet.totp.secret, now)
    granted(await client.mfa.challengeAndVerify({ factorId: tablet.id, code: code() }))
    pass(STEP_MS)
    const elsewhere = await signIn(email)
    granted(await elsewhere.mfa.challengeAndVerify({ factorId, code: code() }))
    expect(await exchange(elsewhere)).toMatchObject({ status: 200 })
    const again = await elsewhere.mfa.challengeAndVerify({ factorId: tablet.id, code: code() })
    expect(again.error).toMatchObject({ code: 'mfa_verification_failed' })
    // It was the tablet that was shown.
    granted(await client.mfa.unenroll({ factorId: tablet.id }))
    granted(await elsewhere.refreshSession())
    expect(await levels(elsewhere)).toEqual(['aal1', 'aal2'])
  })

  it.each([
    [-2 * STEP_MS, false],
    [-STEP_MS, true],
    [STEP_MS, true],
    [2 * STEP_MS, false],
  ])('take the code of a phone whose clock is %d ms off: %s', async (offMs, isTaken) => {
    const { email, factorId, code } = await withApp()
    pass(10 * MINUTE_MS)
    const client = await signIn(email)
    pass(offMs)
    const typed = code()
    pass(-offMs)
    const { error } = await client.mfa.challengeAndVerify({ factorId, code: typed })
    expect(error === null).toBe(isTaken)
  })

  it('refuse a challenge after five minutes, and one that was met', async () => {
    const { client, factorId, code } = await withApp()
    const late = granted(await client.mfa.challenge({ factorId }))
    pass(5 * MINUTE_MS)
    const expired = await client.mfa.verify({ factorId, challengeId: late.id, code: code() })
    expect(expired.error).toMatchObject({ status: 422, code: 'mfa_challenge_expired' })
    const { id: challengeId } = granted(await client.mfa.challenge({ factorId }))
    granted(await client.mfa.verify({ factorId, challengeId, code: code() }))
    pass(STEP_MS)
    const again = await client.mfa.verify({ factorId, challengeId, code: code() })
    expect(again.error).toMatchObject({ status: 404, code: 'mfa_factor_not_found' })
  })

  it.each(['f7f0c6a4-1f3d-4f3e-9a4e-3f0f4a1c2b3d', 'nothing', '1'])('know no factor %s', async (factorId) => {
    const { client } = await newcomer()
    const notFound = { status: 404, code: 'mfa_factor_not_found' }
    expect((await client.mfa.challenge({ factorId })).error).toMatchObject(notFound)
    expect((await client.mfa.unenroll({ factorId })).error).toMatchObject(notFound)
  })

  it('know no factor of somebody else', async () => {
    const { factorId, code } = await withApp()
    const { client } = await newcomer()
    const notFound = { status: 404, code: 'mfa_factor_not_found' }
    expect((await client.mfa.challengeAndVerify({ factorId, code: code() })).error).toMatchObject(notFound)
    expect((await client.mfa.unenroll({ factorId })).error).toMatchObject(notFound)
  })
})

describe('50 who verify at once with one code', () => {
  it.each(['the first of an app', 'a later one'])('are one who is let in, and 49 who are not: %s', async (which) => {
    const { client, email } = await newcomer()
    const { id: factorId, totp } = granted(await client.mfa.enroll({ factorType: 'totp' }))
    const code = () => codeOf(totp.secret, now)
    if (which === 'a later one') {
      granted(await client.mfa.challengeAndVerify({ factorId, code: code() }))
      pass(STEP_MS)
    }
    const token = granted(await (await signIn(email)).getSession()).session?.access_token
    const headers = { authorization: `Bearer ${token}`, 'x-supabase-api-version': '2024-01-01' }
    const post = async (path: string, payload: object) => {
      const target = `/auth/v1/factors/${factorId}/${path}`
      const response = await identity.app.inject({ method: 'POST', url: target, headers, payload })
      return { status: response.statusCode, ...response.json() }
    }
    const challenges = await Promise.all(Array.from({ length: 50 }, () => post('challenge', {})))
    const answers = await Promise.all(challenges.map(({ id }) => post('verify', { challenge_id: id, code: code() })))
    const codes = answers.map(({ status, code: refusal }) => `${status} ${refusal ?? 'in'}`).sort()
    expect(codes).toEqual(['200 in', ...Array.from({ length: 49 }, () => '422 mfa_verification_failed')])
    const events = await eventsOf(email)
    expect(events.filter((type) => type === 'SecondFactorAdded')).toHaveLength(1)
  })
})

describe('unenroll', () => {
  it('of the last app leaves a password that is enough, and sessions that are ordinary ones', async () => {
    const { client, email, factorId } = await withApp()
    granted(await client.mfa.recoveryCodes.generate())
    expect(granted(await client.mfa.unenroll({ factorId }))).toEqual({ id: factorId })
    granted(await client.refreshSession())
    expect(await levels(client)).toEqual(['aal1', 'aal1'])
    expect(granted(await client.mfa.listFactors()).all).toEqual([])
    expect(await exchange(await signIn(email))).toMatchObject({ status: 200 })
    expect((await eventsOf(email)).slice(-2)).toEqual(['SecondFactorAdded', 'SecondFactorRemoved'])
  })

  it('of one of two apps keeps the other, and lowers the sessions that showed it', async () => {
    const { client, email, factorId } = await withApp()
    const other = granted(await client.mfa.enroll({ factorType: 'totp', friendlyName: 'Tablet' }))
    const elsewhere = await signIn(email)
    granted(await client.mfa.challengeAndVerify({ factorId: other.id, code: codeOf(other.totp.secret, now) }))
    expect(await isSignedIn(elsewhere)).toBe(false)
    granted(await client.mfa.unenroll({ factorId }))
    granted(await client.refreshSession())
    expect(await levels(client)).toEqual(['aal2', 'aal2'])
    expect(await eventsOf(email)).not.toContain('SecondFactorRemoved')
    expect(await exchange(await signIn(email))).toMatchObject({ status: 403 })
  })

  it('is refused to whoever knows the password only, unless the app never counted', async () => {
    const { email, client, factorId } = await withApp()
    const refused = await (await signIn(email)).mfa.unenroll({ factorId })
    expect(refused.error).toMatchObject({
      status: 422,
      code: 'insufficient_aal',
      message: 'AAL2 required to unenroll verified factor',
    })
    const { id } = granted(await client.mfa.enroll({ factorType: 'totp', friendlyName: 'Never used' }))
    expect((await (await signIn(email)).mfa.unenroll({ factorId: id })).error).toBeNull()
  })
})

describe('recovery codes', () => {
  it('are ten, and each lets its owner in once, however it is typed', async () => {
    const { client, email } = await withApp()
    const { codes, ...set } = granted(await client.mfa.recoveryCodes.generate())
    expect(set).toMatchObject({ type: 'recovery_code', friendly_name: 'Recovery codes', total: 10 })
    expect(new Set(codes).size).toBe(10)
    for (const code of codes) expect(code).toMatch(/^[2-9a-hj-km-np-z]{16}$/)
    const [first = ''] = codes
    const lost = await signIn(email)
    const elsewhere = await signIn(email)
    const typed = ` ${(first.toUpperCase().match(/.{4}/g) ?? []).join('-')} `
    const { access_token } = granted(await lost.mfa.recoveryCodes.verify({ code: typed }))
    expect(decodeJwt(access_token)).toMatchObject({
      aal: 'aal2',
      amr: [{ method: 'mfa/recovery_code' }, { method: 'password' }],
    })
    expect(await isSignedIn(elsewhere)).toBe(false)
    expect(await exchange(lost)).toMatchObject({ status: 200 })
    const again = await (await signIn(email)).mfa.recoveryCodes.verify({ code: first })
    expect(again.error).toMatchObject({ status: 422, code: 'mfa_verification_failed' })
    expect(granted(await client.mfa.recoveryCodes.getStatus())).toMatchObject({ total: 10, remaining: 9 })
    expect(granted(await client.mfa.listFactors()).recovery_code).toHaveLength(1)
  })

  it('let somebody who lost their app set up another', async () => {
    const { client, email, factorId } = await withApp()
    const { codes } = granted(await client.mfa.recoveryCodes.generate())
    const lost = await signIn(email)
    granted(await lost.mfa.recoveryCodes.verify({ code: codes[0] ?? '' }))
    granted(await lost.mfa.unenroll({ factorId }))
    const { id, totp } = granted(await lost.mfa.enroll({ factorType: 'totp' }))
    granted(await lost.mfa.challengeAndVerify({ factorId: id, code: codeOf(totp.secret, now) }))
    expect(await levels(lost)).toEqual(['aal2', 'aal2'])
    expect((await lost.mfa.recoveryCodes.getStatus()).error).toMatchObject({ code: 'mfa_factor_not_found' })
  })

  it('are used by one of 20 who try the same at once', async () => {
    const { client, email } = await withApp()
    const { codes } = granted(await client.mfa.recoveryCodes.generate())
    const token = granted(await (await signIn(email)).getSession()).session?.access_token
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        identity.app.inject({
          method: 'POST',
          url: '/auth/v1/factors/recovery-codes/verify',
          headers: { authorization: `Bearer ${token}` },
          payload: { code: codes[0] },
        }),
      ),
    )
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1)
  })

  it('are made anew, after which the old ones count no more', async () => {
    const { client, email } = await withApp()
    const { id, codes } = granted(await client.mfa.recoveryCodes.generate())
    const renewed = granted(await client.mfa.recoveryCodes.regenerate())
    expect(renewed.id).toBe(id)
    const lost = await signIn(email)
    const old = await lost.mfa.recoveryCodes.verify({ code: codes[0] ?? '' })
    expect(old.error).toMatchObject({ code: 'mfa_verification_failed' })
    expect((await lost.mfa.recoveryCodes.verify({ code: renewed.codes[0] ?? '' })).error).toBeNull()
  })

  it('are taken away without the app', async () => {
    const { client, email } = await withApp()
    const { id } = granted(await client.mfa.recoveryCodes.generate())
    expect(granted(await client.mfa.recoveryCodes.unenroll())).toEqual({ id })
    expect((await client.mfa.recoveryCodes.unenroll()).error).toMatchObject({ code: 'mfa_factor_not_found' })
    expect(await exchange(await signIn(email))).toMatchObject({ status: 403 })
  })

  it('are refused without an app, twice, and to whoever knows the password only', async () => {
    const { client, email } = await withApp()
    const low = await signIn(email)
    const insufficient = { status: 403, code: 'insufficient_aal' }
    expect((await low.mfa.recoveryCodes.generate()).error).toMatchObject(insufficient)
    expect((await (await newcomer()).client.mfa.recoveryCodes.generate()).error).toMatchObject(insufficient)
    expect((await client.mfa.recoveryCodes.regenerate()).error).toMatchObject({ code: 'mfa_factor_not_found' })
    granted(await client.mfa.recoveryCodes.generate())
    const exists = { status: 422, code: 'mfa_verified_factor_exists' }
    expect((await client.mfa.recoveryCodes.generate()).error).toMatchObject(exists)
    expect((await low.mfa.recoveryCodes.regenerate()).error).toMatchObject(insufficient)
    expect((await low.mfa.recoveryCodes.unenroll()).error).toMatchObject(insufficient)
    const wrong = await low.mfa.recoveryCodes.verify({ code: '2'.repeat(16) })
    expect(wrong.error).toMatchObject({ status: 422, code: 'mfa_verification_failed' })
  })
})

describe('whoever knows the password only, of somebody with an app', () => {
  it.each(['password', 'email'] as const)('does not change the %s', async (what) => {
    const { email } = await withApp()
    const client = await signIn(email)
    const { error } = await client.updateUser({ [what]: what === 'email' ? 'thief@example.com' : 'amber and oud' })
    expect(error).toMatchObject({
      status: 401,
      code: 'insufficient_aal',
      message: 'AAL2 session is required to update email or password when MFA is enabled.',
    })
  })

  it('changes them with the code', async () => {
    const { email, factorId, code } = await withApp()
    const client = await signIn(email)
    granted(await client.mfa.challengeAndVerify({ factorId, code: code() }))
    expect((await client.updateUser({ password: 'amber and oud' })).error).toBeNull()
  })
})

async function eventsOf(email: string): Promise<string[]> {
  const rows = await identity.database.pool.any(sql.unsafe`
    select e.type from events e join people p on e.stream = 'user-' || p.user_id
     where p.email = ${email} order by e.version`)
  return rows.map((row) => (row as { type: string }).type)
}
