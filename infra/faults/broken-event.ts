import { randomUUID } from 'node:crypto'
import { Client } from 'pg'

/**
 * Puts an event into messaging's log that the record of administration can never take: it happened at a time that is none. Everybody else can.
 * @param databaseUrl messaging's own
 * @returns its stream
 */
export async function appendBrokenEvent(databaseUrl: string): Promise<string> {
  const stream = `report-broken-${randomUUID()}`
  const nobody = { reportId: 999_999_999, reporterId: 999_999_999, reportedId: 999_999_999, targetId: 999_999_999 }
  const data = { ...nobody, kind: 'person', decision: 'upheld', decidedAt: 'never' }
  const metadata = { actorId: 999_999_999, correlationId: 'broken', causationId: null, commandId: null }
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await client.query(
      `insert into events (stream, version, event_id, type, schema_version, data, metadata)
       values ($1, 1, gen_random_uuid(), 'ReportDecided', 1, $2, $3)`,
      [stream, JSON.stringify(data), JSON.stringify(metadata)],
    )
  } finally {
    await client.end()
  }
  return stream
}
