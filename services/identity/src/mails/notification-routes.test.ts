import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestIdentity, type TestIdentity } from '../testing/test-identity.ts'
import { createUser, stateOf, type TestUser } from '../testing/test-people.ts'

const url = '/api/user/notifications'
const all = { sales: true, newReviews: true, lowStock: true }

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

const read = async ({ headers } = sarah) => {
  const response = await identity.app.inject({ url, headers: { ...headers } })
  return [response.statusCode, response.json()]
}
const save = (payload: object, { headers } = sarah, { app } = identity) =>
  app.inject({ method: 'PUT', url, headers: { ...headers }, payload })

describe('the mails that somebody wants', () => {
  it('are all of them, until they say otherwise', async () => {
    expect(await read()).toEqual([200, all])
  })

  it('are those that they chose, again and again, and nobody else gets others', async () => {
    const other = await createUser(identity, `other-${count}`)
    for (const wanted of [{ ...all, sales: false }, { sales: true, newReviews: false, lowStock: false }, all]) {
      for (const _ of ['once', 'twice']) {
        const response = await save(wanted)
        expect([response.statusCode, response.json()]).toEqual([200, wanted])
      }
      expect(await read()).toEqual([200, wanted])
      expect(await read(other)).toEqual([200, all])
    }
  })

  it.each([{}, { sales: true, newReviews: true }, { ...all, sales: 'yes' }, { ...all, lowStock: null }])(
    'are not understood from %j',
    async (body) => {
      const before = await stateOf(identity)
      expect((await save(body)).statusCode).toBe(400)
      expect(await stateOf(identity)).toBe(before)
    },
  )

  it('are chosen so many times a minute', async () => {
    const strict = await createTestIdentity({ rateLimitFactor: 1 })
    const hafiz = await createUser(strict, 'hafiz')
    const answers = await Promise.all(Array.from({ length: 120 }, () => save(all, hafiz, strict)))
    const refused = answers.filter(({ statusCode }) => statusCode === 429).length
    expect(refused).toBeGreaterThan(0)
    expect(refused).toBeLessThanOrEqual(60)
    await strict.stop()
  })
})
