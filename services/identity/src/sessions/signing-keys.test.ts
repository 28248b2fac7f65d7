import type { TestDatabase } from '@wangian/kit/testing/test-database.ts'
import { calculateJwkThumbprint } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createIdentityDatabase } from '../testing/test-identity.ts'
import { loadSigningKeys } from './signing-keys.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createIdentityDatabase()
})
afterAll(() => database.drop())

describe('the signing keys', () => {
  it('are made once, though several instances start at once', async () => {
    const loaded = await Promise.all([1, 2, 3, 4].map(() => loadSigningKeys(database.pool)))
    expect(new Set(loaded.map(({ application }) => application.kid)).size).toBe(1)
    expect(new Set(loaded.map(({ provider }) => provider.kid)).size).toBe(1)
  })

  it('are the same after a restart, and named by their thumbprints', async () => {
    const first = await loadSigningKeys(database.pool)
    const second = await loadSigningKeys(database.pool)
    expect(second.application.jwks).toEqual(first.application.jwks)
    const [jwk] = first.application.jwks.keys
    expect(first.application.kid).toBe(await calculateJwkThumbprint(jwk ?? {}))
    expect(first.application.kid).not.toBe(first.provider.kid)
  })
})
