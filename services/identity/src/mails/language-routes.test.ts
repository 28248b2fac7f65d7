import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { findAccount } from '../store.ts'
import { createTestIdentity, type TestIdentity } from '../testing/test-identity.ts'
import { createUser, queuedMails, stateOf, type TestUser } from '../testing/test-people.ts'

const url = '/api/user/language'

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

const save = (payload: object, { headers } = sarah, { app } = identity) =>
  app.inject({ method: 'PUT', url, headers: { ...headers }, payload })
const languageOf = async ({ id } = sarah) => (await findAccount(identity.database.pool, id))?.language

describe('the language of mails', () => {
  it('is not known until somebody says so', async () => {
    expect(await languageOf()).toBeNull()
  })

  it('is what the person reads, said again and again, and changes for nobody else', async () => {
    const other = await createUser(identity, `other-${count}`)
    for (const language of ['ms', 'en', 'ms']) {
      for (const _ of ['once', 'twice']) {
        const response = await save({ language })
        expect([response.statusCode, response.json()]).toEqual([200, { language }])
      }
      expect(await languageOf()).toBe(language)
      expect(await languageOf(other)).toBeNull()
    }
  })

  it('is seen by nobody, not even in what one is told of oneself', async () => {
    await save({ language: 'ms' })
    const me = await identity.app.inject({ url: '/api/v1/auth/me', headers: { ...sarah.headers } })
    expect(me.statusCode).toBe(200)
    expect(me.json()).not.toHaveProperty('language')
  })

  it('is that of the next mail', async () => {
    const { authorization } = sarah.headers
    await save({ language: 'ms' })
    const payload = { currentPassword: 'correct horse', newPassword: 'battery staple now' }
    const changed = await identity.app.inject({
      method: 'POST',
      url: '/api/user/change-password',
      headers: { authorization },
      payload,
    })
    expect(changed.statusCode).toBe(200)
    const mails = (await queuedMails(identity)).filter(({ recipient }) => recipient === sarah.email)
    expect(mails.map(({ text }) => text.split('\n')[0])).toEqual(['Kata laluan anda telah ditukar'])
  })

  it.each([{}, { language: 'xx' }, { language: null }, { language: ['ms'] }])(
    'is not understood from %j',
    async (body) => {
      const before = await stateOf(identity)
      expect((await save(body)).statusCode).toBe(400)
      expect(await stateOf(identity)).toBe(before)
    },
  )

  it('is chosen so many times a minute', async () => {
    const strict = await createTestIdentity({ rateLimitFactor: 1 })
    const hafiz = await createUser(strict, 'hafiz')
    const answers = await Promise.all(Array.from({ length: 120 }, () => save({ language: 'ms' }, hafiz, strict)))
    const refused = answers.filter(({ statusCode }) => statusCode === 429).length
    expect(refused).toBeGreaterThan(0)
    expect(refused).toBeLessThanOrEqual(60)
    await strict.stop()
  })
})
