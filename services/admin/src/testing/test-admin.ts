import { fileURLToPath } from 'node:url'
import type { EventSource } from '@wangian/contracts/events/by-service.ts'
import type { NatsConnection } from '@wangian/kit/bus/nats.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import type { App } from '@wangian/kit/http/http.ts'
import { startConsumer } from '@wangian/kit/log/consumer.ts'
import type { Complete } from '@wangian/kit/log/published-events.ts'
import { startPublishing } from '@wangian/kit/log/publishing.ts'
import { silentLogger } from '@wangian/kit/service/logger.ts'
import { type RunningConsumer, serveStatus } from '@wangian/kit/service/serve-status.ts'
import { untilHeard } from '@wangian/kit/testing/heard.ts'
import { testPerson } from '@wangian/kit/testing/people.ts'
import { createTestTokens } from '@wangian/kit/testing/test-app.ts'
import { createTestDatabase, type TestDatabase } from '@wangian/kit/testing/test-database.ts'
import { startTestLog, type TestLog } from '@wangian/kit/testing/test-log.ts'
import { startTestNats, type TestNats } from '@wangian/kit/testing/test-nats.ts'
import { buildApp } from '../app.ts'
import { projections, reactions } from '../consumers.ts'
import { type IdentityStandIn, standInForIdentity } from './identity-stand-in.ts'

export const [ADMIN, OTHER_ADMIN] = [9001, 9002] as const
const sources = ['identity', 'catalogue', 'auction', 'messaging', 'boost'] as const

export interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: each test knows what it asks for
  readonly body: any
  readonly headers: Readonly<Record<string, unknown>>
}

export interface TestAdmin {
  readonly app: App
  readonly database: TestDatabase
  readonly nats: TestNats
  /** Of the services that it hears. */
  readonly logs: Readonly<Record<(typeof sources)[number], TestLog>>
  /** Names that people have who are told of by the log of identity; others are `person-<id>`, and `null` is somebody who is gone. */
  readonly names: Map<number, string | null>
  readonly identity: IdentityStandIn
  /** What the services say of themselves; one that is stopped is down. */
  readonly statuses: ReadonlyMap<EventSource, { stop(): Promise<void> }>
  /** As an administrator, unless `by` says otherwise; `null` is a guest. */
  call(
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    url: string,
    options?: { by?: number | null; body?: object },
  ): Promise<Answer>
  /** Waits until everything in the logs is known here. */
  hear(): Promise<void>
  stop(): Promise<void>
}

/** The service with a real database and bus, and the logs of the services that it hears, without those services. */
export async function createTestAdmin({ rateLimitFactor = 1_000_000 } = {}): Promise<TestAdmin> {
  const migrationsDirectory = fileURLToPath(new URL('../../migrations', import.meta.url))
  const [database, nats, tokens] = await Promise.all([
    createTestDatabase({ service: 'admin', migrationsDirectory }),
    startTestNats(),
    createTestTokens(),
  ])
  const names = new Map<number, string | null>()
  const complete: Complete = async (events) =>
    new Map(events.map(({ id, data }) => [id, { person: personOf(names, JSON.parse(data).userId) }]))
  const logs = Object.fromEntries(
    await Promise.all(
      sources.map(async (service) => [
        service,
        await startTestLog({ service, nats: nats.connection, ...(service === 'identity' && { complete }) }),
      ]),
    ),
  ) as TestAdmin['logs']
  const { pool } = database
  const consumers = [...projections, ...reactions].map((declaration) => {
    const { source, name } = declaration
    const types = Object.keys('handlers' in declaration ? declaration.handlers : declaration.bulkHandlers)
    const consumer = startConsumer<EventSource>({ service: 'admin', nats: nats.connection, pool, ...declaration })
    return { source, name, types, ...consumer }
  })
  const identity = standInForIdentity(nats.connection, logs.identity)
  identity.administrators.add(ADMIN).add(OTHER_ADMIN)
  const statuses = new Map(
    [...sources, 'admin' as const].map((service) => {
      const known = service === 'admin' ? pool : logs[service].database.pool
      const running = service === 'admin' ? consumers : []
      return [service, serveTestStatus(nats.connection, service, known, running)]
    }),
  )
  const relay = startPublishing({ service: 'admin', databaseUrl: database.url, nats: nats.connection })
  const onAppended = () => relay.nudge()
  const app = buildApp({
    pool,
    nats: nats.connection,
    onAppended,
    auth: tokens.authenticator,
    rateLimitFactor,
  })
  return {
    ...{ app, database, nats, logs, names, identity, statuses },
    async call(method, url, { by = ADMIN, body } = {}) {
      const headers = by === null ? {} : await tokens.bearer({ id: by, isAdmin: by >= ADMIN })
      const response = await app.inject({ method, url, headers, ...(body !== undefined && { payload: body }) })
      const isJson = String(response.headers['content-type']).startsWith('application/json')
      return {
        status: response.statusCode,
        body: isJson ? response.json() : response.body,
        headers: response.headers,
      }
    },
    hear: () => untilHeard(nats.connection, [...sources, 'admin'], { sources }),
    async stop() {
      await Promise.all(consumers.map((consumer) => consumer.stop()))
      await app.close()
      await identity.stop()
      await Promise.all([...statuses.values()].map((status) => status.stop()))
      await relay.stop()
      await Promise.all(Object.values(logs).map((log) => log.stop()))
      await nats.stop()
      await database.drop()
    },
  }
}

function personOf(names: ReadonlyMap<number, string | null>, userId: number) {
  const name = names.get(userId)
  return name === null ? null : testPerson(name ?? `person-${userId}`)
}

function serveTestStatus(
  nats: NatsConnection,
  service: EventSource,
  pool: DatabasePool,
  consumers: readonly RunningConsumer[],
) {
  const config = { instanceId: service } as Parameters<typeof serveStatus>[0]['context']['config']
  const context = { nats, pool, log: silentLogger, config }
  return serveStatus({ service, startedAt: new Date(), consumers, complete: undefined, context })
}
