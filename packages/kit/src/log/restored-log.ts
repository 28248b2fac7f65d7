import { type Client, escapeIdentifier } from 'pg'

/**
 * Lets a log go on that was restored from a dump of another server. Its transaction numbers may be higher than those that this server gives;
 * new events would then come before old ones. An offset is added to the numbers of new transactions instead, so that every position, here and
 * with those who have read the log, stays what it is. To be called before anything is appended.
 * @returns whether the log was such a one
 */
export async function continueRestoredLog(client: Client, schema: string): Promise<boolean> {
  const events = `${escapeIdentifier(schema)}.events`
  const logState = `${escapeIdentifier(schema)}.log_state`
  await client.query('begin')
  try {
    await client.query(`lock table ${events} in share row exclusive mode`)
    const { rows } = await client.query<{ last: string; next: string }>(
      `select last.tx::text as last, (pg_snapshot_xmax(pg_current_snapshot())::text::bigint + tx_offset)::text as next
         from ${logState}, lateral (select tx from ${events} order by tx desc, position desc limit 1) as last`,
    )
    const [row] = rows
    const isForeign = row !== undefined && BigInt(row.last) >= BigInt(row.next)
    if (isForeign) {
      const offset = BigInt(row.last) + 1n
      await client.query(`update ${logState} set tx_offset = ${offset}`)
      await client.query(
        `alter table ${events} alter column tx set default ((pg_current_xact_id()::text::bigint + ${offset})::text::xid8)`,
      )
    }
    await client.query('commit')
    return isForeign
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}
