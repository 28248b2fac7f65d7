import { comparePositions, LOG_START, type LogPosition } from '@wangian/contracts/envelope.ts'
import type { EventSource } from '@wangian/contracts/events/by-service.ts'
import type { NatsConnection } from '@wangian/kit/bus/nats.ts'
import { type DatabasePool, openPool, sql } from '@wangian/kit/database/postgres.ts'
import { loadPositions } from '@wangian/kit/log/positions.ts'
import { type Projection, rebuild } from '@wangian/kit/log/rebuild.ts'
import { dumpRows } from '@wangian/kit/testing/dump.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { z } from 'zod'
import { projections as adminProjections } from '../../services/admin/src/consumers.ts'
import { activityProjection } from '../../services/admin/src/projections.ts'
import { projections as auctionProjections } from '../../services/auction/src/consumers.ts'
import { auctionsProjection } from '../../services/auction/src/log/projections.ts'
import { ordersProjection } from '../../services/boost/src/projections.ts'
import { projections as catalogueProjections } from '../../services/catalogue/src/consumers.ts'
import { productsProjection } from '../../services/catalogue/src/projections.ts'
import { usersProjection } from '../../services/identity/src/projections.ts'
import { projections as messagingProjections } from '../../services/messaging/src/consumers.ts'
import { conversationsProjection } from '../../services/messaging/src/projections.ts'
import type { System } from '../local/system.ts'

/** The services that have a log and tables that are read from logs. */
export const loggingServices = ['identity', 'catalogue', 'auction', 'messaging', 'boost', 'admin'] as const

const projectionsOf: Readonly<Record<EventSource, readonly Projection[]>> = {
  identity: [usersProjection as Projection],
  catalogue: [productsProjection as Projection, ...catalogueProjections],
  auction: [auctionsProjection as Projection, ...auctionProjections],
  messaging: [conversationsProjection as Projection, ...messagingProjections],
  boost: [ordersProjection as Projection],
  admin: [activityProjection as Projection, ...adminProjections],
}
const HEARD_WITHIN_MS = 20_000
const EndRow = z.object({ type: z.string(), tx: z.number(), position: z.number() })

/** Where the last event of each type stands, by `<service> <type>`. */
export type LogEnds = ReadonlyMap<string, LogPosition>

/** The tables of all services that are read from logs, as a running system has them. */
export interface ReadModels {
  /** Of each service's own role. */
  readonly pools: Readonly<Record<EventSource, DatabasePool>>
  logEnds(): Promise<LogEnds>
  /** Resolves when every consumer that fills tables has handled what is in the logs now, and nothing waits for another try. */
  untilHeard(): Promise<void>
  /** Makes all tables of all services anew from the logs. @returns those that were otherwise, with the number of rows */
  rebuildAll(): Promise<readonly string[]>
  /** The rows of all tables. */
  dump(): Promise<Record<string, string[]>>
  close(): Promise<void>
}

export async function openReadModels(
  { databaseUrls, adminDatabaseUrl }: Pick<System, 'databaseUrls' | 'adminDatabaseUrl'>,
  nats: NatsConnection,
): Promise<ReadModels> {
  const open = (url = '') => openPool({ url, applicationName: 'read-models' })
  const all = await open(adminDatabaseUrl)
  const opened = await Promise.all(
    loggingServices.map(async (service) => [service, await open(databaseUrls.get(service))] as const),
  )
  const pools = Object.fromEntries(opened) as Record<EventSource, DatabasePool>

  async function logEnds(): Promise<LogEnds> {
    const ends = new Map<string, LogPosition>()
    for (const service of loggingServices) {
      const rows = await pools[service].any(sql.type(EndRow)`
        select distinct on (type) type, tx::text::bigint as tx, position from events
         order by type, events.tx desc, position desc`)
      for (const { type, tx, position } of rows) ends.set(`${service} ${type}`, [tx, position])
    }
    return ends
  }

  /** The types of which a service has not handled everything up to there. */
  async function listUnheard(service: EventSource, ends: LogEnds): Promise<string[]> {
    const unheard: string[] = []
    for (const projection of projectionsOf[service]) {
      if ('replay' in projection) continue
      const { source, name, bulkHandlers } = projection
      const types = Object.keys(bulkHandlers)
      const { positions } = await loadPositions(pools[service], `${source}-${name}`, types)
      for (const [type, position] of positions) {
        const end = ends.get(`${source} ${type}`) ?? LOG_START
        if (comparePositions(position, end) < 0) unheard.push(`${service} has not heard ${source}'s ${type}`)
      }
    }
    return unheard
  }

  async function deadLetters(): Promise<readonly unknown[]> {
    const letters = loggingServices.map((service) =>
      pools[service].any(sql.unsafe`select consumer, event_id, tries, error from dead_letters`),
    )
    return (await Promise.all(letters)).flat()
  }

  return {
    pools,
    logEnds,
    async untilHeard() {
      const ends = await logEnds()
      const check = async () => {
        const unheard = await Promise.all(loggingServices.map((service) => listUnheard(service, ends)))
        if (unheard.flat().length > 0) throw new Error(unheard.flat().join(', '))
        const letters = await deadLetters()
        if (letters.length > 0) throw new Error(JSON.stringify(letters))
        // The prices that lists sort by come a moment after what they follow from.
        const stale = await pools.catalogue.anyFirst(sql.unsafe`select product_id from stale_prices`)
        if (stale.length > 0) throw new Error(`catalogue has not written the prices of ${stale}`)
      }
      await eventually(check, { timeoutMs: HEARD_WITHIN_MS })
    },
    async rebuildAll() {
      const wrong: string[] = []
      for (const service of loggingServices) {
        const databaseUrl = databaseUrls.get(service) ?? ''
        for (const projection of projectionsOf[service]) {
          const { changed } = await rebuild({ service, projection, databaseUrl, nats: async () => nats })
          for (const [table, count] of Object.entries(changed))
            if (count > 0) wrong.push(`${service} ${projection.name}: ${count} rows of ${table}`)
        }
      }
      return wrong
    },
    dump() {
      const tables = loggingServices.flatMap((service) =>
        projectionsOf[service].flatMap((projection) => projection.tables.map(({ name }) => `${service}.${name}`)),
      )
      return dumpRows(all, [...new Set(tables)])
    },
    close: async () => {
      await Promise.all([all, ...Object.values(pools)].map((pool) => pool.end()))
    },
  }
}
