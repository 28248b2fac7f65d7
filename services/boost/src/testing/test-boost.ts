import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { catalogueRequests, type ProductStatus } from '@wangian/contracts/catalogue.ts'
import { identityRequests } from '@wangian/contracts/identity-requests.ts'
import { serveRequests } from '@wangian/kit/bus/requests.ts'
import { Failure, Rejection } from '@wangian/kit/errors.ts'
import type { App } from '@wangian/kit/http/http.ts'
import { type EventConsumer, startConsumer } from '@wangian/kit/log/consumer.ts'
import { startPublishing } from '@wangian/kit/log/publishing.ts'
import { silentLogger } from '@wangian/kit/service/logger.ts'
import { createTestTokens } from '@wangian/kit/testing/test-app.ts'
import { createTestDatabase, type TestDatabase } from '@wangian/kit/testing/test-database.ts'
import { startTestNats, type TestNats } from '@wangian/kit/testing/test-nats.ts'
import type { z } from 'zod'
import { buildApp } from '../app.ts'
import { reactions } from '../consumers.ts'
import { createBillplz } from '../payment/billplz.ts'
import type { GivenFields, PaymentProvider } from '../payment/provider.ts'
import { signFields } from '../payment/x-signature.ts'
import { serveBoost } from '../requests.ts'
import { type PaymentSandbox, startPaymentSandbox } from '../sandbox/payment-sandbox.ts'
import { sandboxKeys } from '../sandbox/sandbox-keys.ts'

export const SARAH = 7
export const RANI = 8
/** The administrator. */
export const ADMIN = 9001
/** Whose token does not know that they are dismissed. */
export const DISMISSED_ADMIN = 9002
const HOUR_MS = 60 * 60 * 1000

/** What stands in for catalogue: whose a product is, what it is, and until when it is featured by whom. */
export interface Shelf {
  readonly products: Map<number, { sellerId: number; name: string; status: z.infer<typeof ProductStatus> }>
  readonly featuredUntilMs: Map<number, number>
  /** The commands that featured something, with their product. */
  readonly commands: Map<string, number>
  /** How often it was asked to feature something. */
  asked: number
  /** Asked each time: whether catalogue is away. */
  isAway: () => boolean
}

export interface TestBoost {
  readonly app: App
  readonly database: TestDatabase
  readonly sandbox: PaymentSandbox
  readonly nats: TestNats
  readonly provider: PaymentProvider
  readonly shelf: Shelf
  readonly url: string
  /** By which the orders' clock is ahead. */
  aheadMs: number
  call(method: 'GET' | 'POST' | 'DELETE', url: string, options?: { by?: number; body?: unknown }): Promise<Answer>
  /** Puts so many products of somebody's on the shelf. */
  list(count: number, sellerId?: number): number[]
  order(
    productIds: readonly number[],
    options?: { by?: number; packageId?: number; requestKey?: string },
  ): Promise<Answer>
  /** As the provider tells it, signed. */
  /** A field with several values comes as often. */
  callback(fields: GivenFields, key?: string): Promise<Answer>
  stopConsumers(): Promise<unknown>
  restartConsumers(): Promise<void>
  stop(): Promise<void>
}

export interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: each test knows what it asks for
  readonly body: any
  readonly headers: Readonly<Record<string, unknown>>
}

/** The service with a real database, bus and sandbox, and a stand-in for catalogue and identity. */
export async function createTestBoost(): Promise<TestBoost> {
  const migrationsDirectory = fileURLToPath(new URL('../../migrations', import.meta.url))
  const database = await createTestDatabase({ service: 'boost', migrationsDirectory })
  const nats = await startTestNats()
  const shelf: Shelf = {
    products: new Map(),
    featuredUntilMs: new Map(),
    commands: new Map(),
    asked: 0,
    isAway: () => false,
  }
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const sandbox = await startPaymentSandbox({ lateMs: 50, retryAfterMs: [20, 20, 20, 20] })
  const billOrigins = [new URL(sandbox.url).origin]
  const provider = createBillplz({ ...sandboxKeys, url: sandbox.apiUrl, billOrigins, publicUrl: url })
  const relay = startPublishing({ service: 'boost', databaseUrl: database.url, nats: nats.connection })
  const { pool } = database
  const tokens = await createTestTokens()
  let aheadMs = 0
  const nowMs = () => Date.now() + aheadMs
  const surroundings = { pool, nats: nats.connection, provider, nowMs, log: silentLogger }
  const servers = [...serveOthers(nats, shelf), serveBoost(surroundings)]
  const startConsumers = (): EventConsumer[] =>
    reactions(surroundings).map((declaration) =>
      startConsumer({ service: 'boost', nats: nats.connection, pool, ...declaration }),
    )
  let consumers = startConsumers()
  const stopConsumers = () => Promise.all(consumers.map((consumer) => consumer.stop()))
  const app = buildApp({
    ...surroundings,
    onAppended: () => relay.nudge(),
    auth: tokens.authenticator,
    rateLimitFactor: 1_000_000,
  })
  await app.listen({ port, host: '127.0.0.1' })
  let listed = 100

  const boost: TestBoost = {
    ...{ app, database, nats, sandbox, provider, shelf, url },
    get aheadMs() {
      return aheadMs
    },
    set aheadMs(ms) {
      aheadMs = ms
    },
    async call(method, path, { by, body } = {}) {
      const headers =
        by === undefined ? {} : await tokens.bearer({ id: by, isAdmin: by === ADMIN || by === DISMISSED_ADMIN })
      const response = await app.inject({
        method,
        url: path,
        headers,
        ...(body !== undefined && { payload: body as object }),
      })
      return {
        status: response.statusCode,
        body: response.body === '' ? null : response.json(),
        headers: response.headers,
      }
    },
    list(count, sellerId = SARAH) {
      return Array.from({ length: count }, () => {
        listed += 1
        shelf.products.set(listed, { sellerId, name: `Perfume ${listed}`, status: 'active' })
        return listed
      })
    },
    order(productIds, { by = SARAH, packageId = productIds.length === 3 ? 2 : 1, requestKey } = {}) {
      const body = { boostPackageId: packageId, productIds, requestKey }
      return boost.call('POST', '/api/boost/create-order', { by, body })
    },
    async callback(fields, key = sandboxKeys.signatureKey) {
      const signed = Object.entries({ ...fields, x_signature: signFields(fields, key) })
      const payload = new URLSearchParams(
        signed.flatMap(([name, value]) => [value].flat().map((each): [string, string] => [name, each])),
      ).toString()
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      const response = await app.inject({ method: 'POST', url: '/api/boost/callback', headers, payload })
      return { status: response.statusCode, body: response.json(), headers: response.headers }
    },
    stopConsumers,
    async restartConsumers() {
      await stopConsumers()
      consumers = startConsumers()
    },
    async stop() {
      await stopConsumers()
      await app.close()
      await relay.stop()
      await sandbox.stop()
      await Promise.all(servers.map((server) => server.stop()))
      await nats.stop()
      await database.drop()
    },
  }
  return boost
}

function serveOthers(nats: TestNats, shelf: Shelf): { stop(): Promise<void> }[] {
  return [
    serveRequests(nats.connection, 'identity', identityRequests.getPayer, ({ userId }) => ({
      payer: { name: `Seller ${userId}`, email: `seller-${userId}@example.com` },
    })),
    serveRequests(nats.connection, 'identity', identityRequests.getAdministrator, ({ userId }) => ({
      isAdministrator: userId === ADMIN,
    })),
    serveRequests(nats.connection, 'catalogue', catalogueRequests.getListing, ({ productId }) => {
      const product = shelf.products.get(productId)
      if (product === undefined) return { listing: null }
      const rest = { priceSen: 100, listingType: 'fixed' as const, imageUrl: null, imageUrls: [] }
      return { listing: { productId, ...product, ...rest } }
    }),
    serveRequests(nats.connection, 'catalogue', catalogueRequests.featureListing, (command) => {
      const { productId, commandId, durationHours = 0 } = command
      shelf.asked += 1
      if (shelf.isAway()) throw new Failure('catalogue is away')
      const untilMs = shelf.featuredUntilMs.get(productId) ?? Date.now()
      // In catalogue's order: a command that has done it is refused nothing, whatever became of the product.
      if (!shelf.commands.has(commandId)) {
        const status = shelf.products.get(productId)?.status
        if (status === undefined) throw new Rejection('product-not-found')
        if (status !== 'active') throw new Rejection('conflict')
        shelf.commands.set(commandId, productId)
        shelf.featuredUntilMs.set(productId, untilMs + durationHours * HOUR_MS)
      }
      // It was featured, and no answer comes.
      if (shelf.isAway()) throw new Failure('catalogue is away')
      return { featuredUntil: new Date(shelf.featuredUntilMs.get(productId) ?? untilMs).toISOString() }
    }),
  ]
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
