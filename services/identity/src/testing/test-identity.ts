import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { storeOnDisk } from '@wangian/kit/files/image-storage.ts'
import { createPictureFiles } from '@wangian/kit/files/picture-files.ts'
import type { App } from '@wangian/kit/http/http.ts'
import { createTestDatabase, type TestDatabase } from '@wangian/kit/testing/test-database.ts'
import { type AppDependencies, buildApp } from '../app.ts'
import { loadFactorKey } from '../factors/factor-key.ts'
import { loadSigningKeys, type SigningKeys } from '../sessions/signing-keys.ts'

export const PUBLIC_URL = 'https://wangian.test'

/** What every client of the provider sends besides the body. */
export const currentVersion = { 'x-supabase-api-version': '2024-01-01' }

export interface TestIdentity {
  readonly database: TestDatabase
  readonly keys: SigningKeys
  readonly app: App
  /** Where people's pictures are. */
  readonly filesDirectory: string
  /** How often the service said that there is something new in the log. */
  readonly appendedCount: () => number
  stop(): Promise<void>
}

/** A database of its own for a test file, and the service's HTTP side on it. */
export async function createTestIdentity(options: Partial<AppDependencies> = {}): Promise<TestIdentity> {
  const database = await createIdentityDatabase()
  const keys = await loadSigningKeys(database.pool)
  const filesDirectory = await mkdtemp(join(tmpdir(), 'wangian-profiles-'))
  let appendedCount = 0
  const app = buildApp({
    pool: database.pool,
    keys,
    factorKey: await loadFactorKey(database.pool),
    // Second factors have tests of their own.
    isFactorRequired: false,
    files: createPictureFiles(storeOnDisk(filesDirectory)),
    publicUrl: PUBLIC_URL,
    isAutoconfirmed: true,
    onAppended: () => {
      appendedCount += 1
    },
    // Limits have tests of their own.
    rateLimitFactor: 1000,
    ...options,
  })
  return {
    database,
    keys,
    app,
    filesDirectory,
    appendedCount: () => appendedCount,
    async stop() {
      await app.close()
      await database.drop()
      await rm(filesDirectory, { recursive: true, force: true })
    },
  }
}

export function createIdentityDatabase(): Promise<TestDatabase> {
  const migrationsDirectory = fileURLToPath(new URL('../../migrations', import.meta.url))
  return createTestDatabase({ service: 'identity', migrationsDirectory })
}

export interface SignedUp {
  readonly accessToken: string
  readonly refreshToken: string
  readonly authId: string
}

/** Registers `<username>@example.com` over HTTP. */
export async function signUp(app: App, username: string, password = 'correct horse'): Promise<SignedUp> {
  const response = await app.inject({
    method: 'POST',
    url: '/auth/v1/signup',
    headers: currentVersion,
    payload: { email: `${username}@example.com`, password, data: { username } },
  })
  if (response.statusCode !== 200) throw new Error(`sign-up answered ${response.statusCode}: ${response.body}`)
  const { access_token: accessToken, refresh_token: refreshToken, user } = response.json()
  return { accessToken, refreshToken, authId: user.id }
}
