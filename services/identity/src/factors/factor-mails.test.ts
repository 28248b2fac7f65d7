import { randomUUID } from 'node:crypto'
import { sql } from '@wangian/kit/database/postgres.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { removeFactors } from '../accounts/moderation.ts'
import { codeOf } from '../testing/test-apps.ts'
import { createTestIdentity, currentVersion, PUBLIC_URL, type TestIdentity } from '../testing/test-identity.ts'
import { createUser, PASSWORD, type TestUser } from '../testing/test-people.ts'

const STEP_MS = 30_000
let identity: TestIdentity
let now = new Date()
let person: TestUser

beforeAll(async () => {
  identity = await createTestIdentity({ now: () => now })
})
afterAll(() => identity.stop())
beforeEach(async () => {
  now = new Date()
  person = await createUser(identity, `person-${randomUUID().slice(0, 8)}`)
})

async function send(method: 'POST' | 'DELETE', path: string, token: string, payload: object = {}) {
  const headers = { ...currentVersion, ...(token !== '' && { authorization: `Bearer ${token}` }) }
  const response = await identity.app.inject({ method, url: `/auth/v1${path}`, headers, payload })
  return { status: response.statusCode, ...response.json() }
}
const signIn = async (): Promise<string> =>
  (await send('POST', '/token?grant_type=password', '', { email: person.email, password: PASSWORD })).access_token

interface Enrolled {
  readonly id: string
  readonly secret: string
}
async function enroll(token: string, name: string): Promise<Enrolled> {
  const { id, totp } = await send('POST', '/factors', token, { factor_type: 'totp', friendly_name: name })
  return { id, secret: totp.secret }
}
/** @returns the token of the session that has shown it */
async function show(token: string, { id, secret }: Enrolled): Promise<string> {
  const challenge = await send('POST', `/factors/${id}/challenge`, token)
  const proof = { challenge_id: challenge.id, code: codeOf(secret, now) }
  now = new Date(now.getTime() + STEP_MS)
  return (await send('POST', `/factors/${id}/verify`, token, proof)).access_token
}
async function addApp(): Promise<{ readonly token: string; readonly app: Enrolled }> {
  const low = await signIn()
  const app = await enroll(low, 'One')
  return { token: await show(low, app), app }
}

const Row = z.object({ kind: z.string(), subject: z.string(), text: z.string() })
/** All to this person, the latest last. */
const mails = () =>
  identity.database.pool.any(
    sql.type(Row)`select kind, subject, text from mails where recipient = ${person.email} order by id`,
  )
const kinds = async () => (await mails()).map(({ kind, subject }) => [kind, subject])

const on = ['factor-added', 'Two-step sign-in is on'] as const

describe('a mail tells of a second factor', () => {
  it('that was added, the first and another one, and not of an app that has shown no code', async () => {
    const { token, app } = await addApp()
    expect(await kinds()).toEqual([on])
    const other = await enroll(token, 'Two')
    expect(await kinds()).toHaveLength(1)
    await show(token, other)
    expect(await kinds()).toEqual([on, ['factor-added', 'Another authenticator app was connected']])
    // To sign in with it is no news.
    await show(await signIn(), app)
    expect(await kinds()).toHaveLength(2)
    for (const { text } of await mails()) expect(text).toContain(`${PUBLIC_URL}/account/settings`)
  })

  it('that its owner has removed, one of two and the last', async () => {
    const { token, app } = await addApp()
    const [other, unproven] = [await enroll(token, 'Two'), await enroll(token, 'Three')]
    await send('DELETE', `/factors/${unproven.id}`, token)
    const raised = await show(token, other)
    await send('DELETE', `/factors/${app.id}`, raised)
    await send('DELETE', `/factors/${other.id}`, await show(await signIn(), other))
    expect((await kinds()).slice(2)).toEqual([
      ['factor-removed', 'An authenticator app was removed'],
      ['factor-removed', 'Two-step sign-in is off'],
    ])
  })

  it('that an administrator has taken off, once', async () => {
    await addApp()
    const admin = await createUser(identity, `admin-${randomUUID().slice(0, 8)}`, { isAdmin: true })
    const command = { userId: person.id, actorId: admin.id, reason: 'Lost the phone', requestId: 'test' }
    const site = { pool: identity.database.pool, publicUrl: PUBLIC_URL }
    expect(await removeFactors(site, command, now)).toBe(true)
    expect(await removeFactors(site, command, now)).toBe(false)
    expect(await kinds()).toEqual([on, ['factor-taken-off', 'Two-step sign-in was turned off for you']])
    // Why is between the administrators.
    expect((await mails()).at(-1)?.text).not.toContain('Lost the phone')
  })

  it('of which a recovery code was used, and how many are left', async () => {
    const { token } = await addApp()
    const { codes } = await send('POST', '/factors/recovery-codes', token)
    const use = async (code: string) => send('POST', '/factors/recovery-codes/verify', await signIn(), { code })
    expect(await use(codes[0])).toMatchObject({ status: 200 })
    expect(await use(codes[0])).toMatchObject({ status: 422 })
    expect(await kinds()).toEqual([on, ['recovery-code-used', 'A recovery code was used']])
    expect((await mails()).at(-1)?.text).toContain('9 codes are left.')
  })
})
