import type { EventSource } from '@wangian/contracts/events/by-service.ts'
import type { NatsConnection } from '../bus/nats.ts'
import type { Logger } from '../service/logger.ts'
import { serveLogPages } from './log-pages.ts'
import type { Complete } from './published-events.ts'
import { type Relay, startRelay } from './relay.ts'

/**
 * Everything by which others learn of a service's events: the relay, and pages of the log.
 * @param options.complete adds to events, as they leave, what must not be in a log
 * @param options.pace asked after each batch of the relay: how many ms to leave the machine to others
 */
export function startPublishing(options: {
  readonly service: EventSource
  readonly databaseUrl: string
  readonly nats: NatsConnection
  readonly complete?: Complete | undefined
  readonly pace?: (() => number) | undefined
  readonly log?: Logger
}): Relay {
  const relay = startRelay(options)
  const pages = serveLogPages(options)
  return {
    nudge: () => relay.nudge(),
    stats: () => relay.stats(),
    async stop() {
      await Promise.all([relay.stop(), pages.stop()])
    },
  }
}
