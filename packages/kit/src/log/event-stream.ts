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
import { type NatsConnection, streamReplicasOf } from '../bus/nats.ts'
import { Failure } from '../errors.ts'

/** How long an event stays in JetStream at most, in days. */
const EVENT_RETENTION_DAYS = 7
/**
 * Then the oldest events go. Without a bound of their own all streams together would fill what a server has for them (`max_file_store`), and it would
 * take nothing more until they are old enough: forty bids a second do that within the week. Who has not heard something reads the log.
 */
const STREAM_BYTES_MAX = 512 * 1024 * 1024

const DAY_MS = 24 * 60 * 60 * 1000
const DUPLICATE_WINDOW_MS = 2 * 60 * 1000
/** JetStream's own numbers of what is missing. */
const STREAM_NOT_FOUND = 10059
const CONSUMER_NOT_FOUND = 10014
/** Of a bound that one server, or none of a cluster, has room for. */
const NO_ROOM = [10047, 10005]

/** The stream of a service's events, created when it is missing. Its relay and each of its consumers may come first. */
export async function ensureEventStream(
  nats: NatsConnection,
  manager: JetStreamManager,
  service: LoggingService,
): Promise<StreamInfo> {
  const name = eventStreamName(service)
  try {
    return await manager.streams.info(name)
  } catch (error) {
    if (!isApiError(error, STREAM_NOT_FOUND)) throw error
  }
  const config = {
    name,
    subjects: [eventSubject(service, '*')],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    num_replicas: streamReplicasOf(nats),
    discard: DiscardPolicy.Old,
    max_age: nanos(EVENT_RETENTION_DAYS * DAY_MS),
    duplicate_window: nanos(DUPLICATE_WINDOW_MS),
  }
  try {
    return await manager.streams.add({ ...config, max_bytes: STREAM_BYTES_MAX })
  } catch (error) {
    // As much is set aside at once, and a small server has it not.
    if (!NO_ROOM.some((code) => isApiError(error, code))) throw error
    return await manager.streams.add(config)
  }
}

export function isConsumerNotFound(error: unknown): boolean {
  return isApiError(error, CONSUMER_NOT_FOUND)
}

function isApiError(error: unknown, code: number): boolean {
  return error instanceof JetStreamApiError && error.code === code
}

export interface ConnectionWatch {
  /** Counts how often the connection was lost or made anew: after each, a stream may be another, messages may be lost. */
  readonly changes: () => number
  readonly isUp: () => boolean
  /** Settles as `answer` does, but rejects as soon as the connection changes: an answer may then never come. */
  guard<T>(answer: Promise<T>): Promise<T>
}

/** @param onChange called after each change of the connection */
export function watchConnection(nats: NatsConnection, onChange: () => void): ConnectionWatch {
  let changes = 0
  let isUp = true
  const waiting = new Set<(error: Error) => void>()
  void (async () => {
    for await (const { type } of nats.status()) {
      if (type !== 'disconnect' && type !== 'reconnect') continue
      changes += 1
      isUp = type === 'reconnect'
      for (const reject of waiting) reject(new Failure('the connection to NATS was lost'))
      waiting.clear()
      onChange()
    }
  })()
  return {
    changes: () => changes,
    isUp: () => isUp,
    guard(answer) {
      return new Promise((resolve, reject) => {
        waiting.add(reject)
        answer.then(resolve, reject).finally(() => waiting.delete(reject))
      })
    },
  }
}
