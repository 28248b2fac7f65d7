import { fileURLToPath } from 'node:url'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { storeOnDisk } from '@wangian/kit/files/image-storage.ts'
import { createPictureFiles } from '@wangian/kit/files/picture-files.ts'
import type { AuthenticatorOptions } from '@wangian/kit/http/auth.ts'
import type { App } from '@wangian/kit/http/http.ts'
import { createTestTokens, type TestPerson, type TestTokens } from '@wangian/kit/testing/test-app.ts'
import { createTestDatabase, type TestDatabase } from '@wangian/kit/testing/test-database.ts'
import { type AppDependencies, buildApp } from '../app.ts'
import { projectListing } from '../projections.ts'
import { listingFacts } from './fixtures.ts'

export interface TestShop {
  readonly database: TestDatabase
  readonly pool: DatabasePool
  readonly app: App
  readonly tokens: TestTokens
  call(
    method: 'GET' | 'PUT' | 'POST' | 'DELETE',
    url: string,
    options?: { readonly by?: TestPerson; readonly body?: object; readonly from?: string },
  ): Promise<{ readonly status: number; readonly body: unknown; readonly headers: Record<string, unknown> }>
  /** Lists products, each with these facts. */
  list(...products: readonly Partial<ReturnType<typeof listingFacts>>[]): Promise<void>
  stop(): Promise<void>
}

/** The service's HTTP side on a database of its own. */
export async function createTestShop(
  options: Partial<AppDependencies> = {},
  authenticatorOptions: AuthenticatorOptions = {},
): Promise<TestShop> {
  const migrationsDirectory = fileURLToPath(new URL('../../migrations', import.meta.url))
  const database = await createTestDatabase({ service: 'catalogue', migrationsDirectory })
  const { pool } = database
  const tokens = await createTestTokens()
  const app = buildApp({
    // Whoever asks about auctions brings a bus.
    nats: undefined as never,
    pool,
    files: createPictureFiles(storeOnDisk('/dev/null/no-pictures-here')),
    onAppended: () => {},
    auth: tokens.authenticatorWith(authenticatorOptions),
    rateLimitFactor: 1000,
    ...options,
  })
  return {
    database,
    pool,
    app,
    tokens,
    async call(method, url, { by, body, from } = {}) {
      const headers = {
        ...(by !== undefined && (await tokens.bearer(by))),
        ...(from !== undefined && { 'x-forwarded-for': from }),
      }
      const response = await app.inject({ method, url, headers, ...(body !== undefined && { payload: body }) })
      const { statusCode: status } = response
      return { status, body: response.body === '' ? null : response.json(), headers: response.headers }
    },
    async list(...products) {
      await pool.transaction(async (transaction) => {
        for (const facts of products) {
          await projectListing(transaction, { type: 'ListingCreated', data: listingFacts(facts) })
        }
      })
    },
    async stop() {
      await app.close()
      await database.drop()
    },
  }
}
