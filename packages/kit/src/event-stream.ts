import {
  DiscardPolicy,
  JetStreamApiError,
  type JetStreamManager,
  RetentionPolicy,
  StorageType,
  type StreamInfo,
} from '@nats-io/jetstream'
import { nanos } from '@nats-io/transport-node'
import { eventStreamName, eventSubject, type LoggingService } from '@wangian/contracts/subjects.ts'
import type { NatsConnection } from './nats.ts'

/** How long an event stays in JetStream, and how far back a stream that was lost is filled again, in days. */
export const EVENT_RETENTION_DAYS = 7

const DAY_MS = 24 * 60 * 60 * 1000
const DUPLICATE_WINDOW_MS = 2 * 60 * 1000
/** JetStream's own numbers of what is missing. */
const STREAM_NOT_FOUND = 10059
const CONSUMER_NOT_FOUND = 10014

/** The stream of a service's events, created when it is missing. Its relay and each of its consumers may come first. */
export async function ensureEventStream(manager: JetStreamManager, service: LoggingService): Promise<StreamInfo> {
  const name = eventStreamName(service)
  try {
    return await manager.streams.info(name)
  } catch (error) {
    if (!isApiError(error, STREAM_NOT_FOUND)) throw error
  }
  return await manager.streams.add({
    name,
    subjects: [eventSubject(service, '*')],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    discard: DiscardPolicy.Old,
    max_age: nanos(EVENT_RETENTION_DAYS * DAY_MS),
    duplicate_window: nanos(DUPLICATE_WINDOW_MS),
  })
}

export function isConsumerNotFound(error: unknown): boolean {
  return isApiError(error, CONSUMER_NOT_FOUND)
}

function isApiError(error: unknown, code: number): boolean {
  return error instanceof JetStreamApiError && error.code === code
}

/**
 * Counts how often the connection was lost or made anew: after each, a stream may be another and messages may be lost.
 * @param onChange called after each change of the count
 * @returns the count so far
 */
export function countConnections(nats: NatsConnection, onChange: () => void): () => number {
  let count = 0
  void (async () => {
    for await (const { type } of nats.status()) {
      if (type !== 'disconnect' && type !== 'reconnect') continue
      count += 1
      onChange()
    }
  })()
  return () => count
}
