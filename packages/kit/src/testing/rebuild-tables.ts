import type { EventSource } from '@wangian/contracts/events/by-service.ts'
import type { DatabasePool } from '../database/postgres.ts'
import { type Projection, rebuild } from '../log/rebuild.ts'

/** Makes the tables of a projection of the service's own log anew. @returns how many events were read */
export async function rebuildTables<Service extends EventSource>(
  pool: DatabasePool,
  service: Service,
  projection: Projection<Service>,
): Promise<number> {
  const nats = () => Promise.reject(new Error('its own log is read without NATS'))
  const { eventCount } = await rebuild({ service, projection, databaseUrl: pool.configuration.connectionUri, nats })
  return eventCount
}
