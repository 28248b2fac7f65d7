import type { EventMetadata } from '@wangian/contracts/envelope.ts'
import type { EventSource } from '@wangian/contracts/events/by-service.ts'
import type { NatsConnection } from '../bus/nats.ts'
import { appendEvents, type NewEvent, type RecordedEvent, readStream } from '../log/event-store.ts'
import type { Complete } from '../log/published-events.ts'
import { startPublishing } from '../log/publishing.ts'
import { createTestDatabase, type TestDatabase } from './test-database.ts'

const bySystem: EventMetadata = { actorId: null, correlationId: 'test', causationId: null, commandId: null }

/** A service that has a log and nothing else: what is appended is published, and its pages can be read. */
export interface TestLog {
  readonly database: TestDatabase
  nudge(): void
  stopPublishing(): Promise<void>
  append(stream: string, ...events: readonly NewEvent[]): Promise<RecordedEvent[]>
  /** The same by somebody. */
  appendBy(actorId: number, stream: string, ...events: readonly NewEvent[]): Promise<RecordedEvent[]>
  stop(): Promise<void>
}

export async function startTestLog(options: {
  readonly service: EventSource
  readonly nats: NatsConnection
  readonly complete?: Complete
}): Promise<TestLog> {
  const { service, nats } = options
  const database = await createTestDatabase({ service })
  const relay = startPublishing({ service, databaseUrl: database.url, nats, complete: options.complete })
  let stopping: Promise<void> | undefined
  const stopPublishing = () => {
    stopping ??= relay.stop()
    return stopping
  }
  async function append(metadata: EventMetadata, stream: string, events: readonly NewEvent[]) {
    const expectedVersion = (await readStream(database.pool, service, stream)).length
    const appended = await database.pool.transaction((transaction) =>
      appendEvents(transaction, { service, stream, expectedVersion, events, metadata }),
    )
    relay.nudge()
    return appended
  }
  return {
    database,
    nudge: () => relay.nudge(),
    stopPublishing,
    append: (stream, ...events) => append(bySystem, stream, events),
    appendBy: (actorId, stream, ...events) => append({ ...bySystem, actorId }, stream, events),
    async stop() {
      await stopPublishing()
      await database.drop()
    },
  }
}
