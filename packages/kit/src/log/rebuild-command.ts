import type { EventSource } from '@wangian/contracts/events/by-service.ts'
import { closeNats, connectNats, type NatsConnection } from '../bus/nats.ts'
import { type Projection, rebuild } from './rebuild.ts'

/**
 * What the command `rebuild.ts` of a service does: makes the tables of its projections, or of the one that is named, anew from the logs, says
 * how far it is, and which rows were not as the logs say. The service may go on running; it must, with those whose logs are read, for tables
 * that are filled from other services.
 */
export async function runRebuild<Service extends EventSource>(options: {
  readonly service: Service
  readonly databaseUrl: string
  readonly natsUrl: string
  readonly projections: readonly Projection<Service>[]
}): Promise<void> {
  const { service, databaseUrl, natsUrl, projections } = options
  const [wanted] = process.argv.slice(2)
  const chosen = projections.filter(({ name }) => wanted === undefined || name === wanted)
  if (chosen.length === 0) {
    process.stderr.write(`${service} has no ${wanted}; it has ${projections.map(({ name }) => name).join(', ')}\n`)
    process.exitCode = 2
    return
  }
  let connection: NatsConnection | undefined
  const nats = async () => {
    connection ??= await connectNats({ url: natsUrl, name: `rebuild-${service}`, isPatient: false })
    return connection
  }
  try {
    for (const projection of chosen) {
      const problem = 'replay' in projection ? null : await nats().then(() => null, String)
      if (problem !== null) {
        process.stderr.write(
          `${projection.name} is filled from a log that is asked for over NATS (${problem}): start the system first\n`,
        )
        process.exitCode = 1
        return
      }
      const onProgress = (count: number) => process.stdout.write(`\r${projection.name}: ${count} events`)
      const { eventCount, changed } = await rebuild({ service, projection, databaseUrl, nats, onProgress })
      const tables = Object.entries(changed).map(([table, count]) => `${table} (${count} rows were otherwise)`)
      process.stdout.write(`\r${projection.name}: ${eventCount} events, ${tables.join(', ')}\n`)
    }
  } finally {
    if (connection !== undefined) await closeNats(connection)
  }
}
