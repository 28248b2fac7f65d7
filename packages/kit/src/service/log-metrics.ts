import type { EventSource } from '@wangian/contracts/events/by-service.ts'
import { withinMs } from '../bus/nats.ts'
import type { DatabasePool } from '../database/postgres.ts'
import { countLetters } from '../log/dead-letters.ts'
import type { Relay } from '../log/relay.ts'
import { counter, gauge } from './metrics.ts'
import type { RunningConsumer } from './serve-status.ts'

const MS_PER_S = 1000
/** A scrape is answered in time, also when the database hangs: what is not known then is left out. */
const DATABASE_TIMEOUT_MS = 1_000

/** What an operator watches of how events leave a service. Of several processes one publishes, and only that one knows of a lag. */
export function watchRelay(relay: Pick<Relay, 'stats'>): void {
  gauge({
    name: 'wangian_relay_active',
    help: 'Whether this process publishes the log: 1 for one process of a service',
    collect() {
      this.set(relay.stats().isActive ? 1 : 0)
    },
  })
  gauge({
    name: 'wangian_relay_lag_seconds',
    help: 'How long the oldest event that is not published has waited',
    collect() {
      this.set(relay.stats().lagMs / MS_PER_S)
    },
  })
  counter({
    name: 'wangian_relay_published_total',
    help: 'Events that this process has published',
    collect() {
      this.reset()
      this.inc(relay.stats().publishedCount)
    },
  })
}

type NamedConsumer = Pick<RunningConsumer, 'name'> & { readonly source: EventSource }

const keyOf = ({ source, name }: NamedConsumer) => ({ consumer: `${source}-${name}` })

/** What an operator watches of how a service hears the others. Of several processes one consumes, and only that one says how it is. */
export function watchConsumers(consumers: readonly (NamedConsumer & Pick<RunningConsumer, 'stats'>)[]): void {
  const labelNames = ['consumer'] as const
  gauge({
    name: 'wangian_consumer_active',
    help: 'Whether this process consumes: 1 for one process of a service',
    labelNames,
    collect() {
      for (const consumer of consumers) this.set(keyOf(consumer), consumer.stats().isActive ? 1 : 0)
    },
  })
  gauge({
    name: 'wangian_consumer_lag_seconds',
    help: 'How long ago the process that consumes last knew that it had everything; up to 5 in peace',
    labelNames,
    collect() {
      this.reset()
      for (const consumer of consumers) {
        const { isActive, lagMs } = consumer.stats()
        if (isActive) this.set(keyOf(consumer), lagMs / MS_PER_S)
      }
    },
  })
  gauge({
    name: 'wangian_consumer_waiting_events',
    help: 'Events that failed and are tried again, and those behind them',
    labelNames,
    collect() {
      this.reset()
      for (const consumer of consumers) {
        const { isActive, waitingCount } = consumer.stats()
        if (isActive) this.set(keyOf(consumer), waitingCount)
      }
    },
  })
  counter({
    name: 'wangian_consumer_handled_total',
    help: 'Events that this process has handled',
    labelNames,
    collect() {
      this.reset()
      for (const consumer of consumers) this.inc(keyOf(consumer), consumer.stats().handledCount)
    },
  })
}

/** The events that wait for a person, of these consumers and of any that are no more. Every process of a service says the same. */
export function watchParked(pool: DatabasePool, consumers: readonly NamedConsumer[]): void {
  gauge({
    name: 'wangian_parked_events',
    help: 'Events that were put aside and wait for a person',
    labelNames: ['consumer'],
    async collect() {
      this.reset()
      const counting = countLetters(pool).then((letters) => {
        for (const consumer of consumers) this.set(keyOf(consumer), 0)
        for (const { consumer, parkedCount } of letters.values()) this.set({ consumer }, parkedCount)
      })
      await withinMs(DATABASE_TIMEOUT_MS, counting)
    },
  })
}

/** How busy the service's pool is. */
export function watchPool(pool: DatabasePool): void {
  gauge({
    name: 'wangian_database_connections',
    help: 'Connections of the pool: in use, idle, or callers that wait for one',
    labelNames: ['state'],
    collect() {
      const { acquiredConnections, idleConnections, waitingClients } = pool.state()
      this.set({ state: 'used' }, acquiredConnections)
      this.set({ state: 'idle' }, idleConnections)
      this.set({ state: 'awaited' }, waitingClients)
    },
  })
}
