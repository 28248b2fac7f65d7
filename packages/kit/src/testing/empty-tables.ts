import { type Executor, NoRow, sql } from '../database/postgres.ts'

/**
 * Empties tables for the next test. Of the few rows that a test makes it takes a sixth of the time of `truncate`, which gives every table and
 * every index new files. In one statement, so that foreign keys do not mind the order.
 * @param tables their names, with commas in between
 */
export async function emptyTables(executor: Executor, tables: string): Promise<void> {
  const deletions = tables.split(',').map((name) => sql.fragment`delete from ${sql.identifier([name.trim()])}`)
  const last = deletions.pop() ?? sql.fragment``
  const others = deletions.map(
    (deletion, index) => sql.fragment`${sql.identifier([`emptied_${index}`])} as (${deletion})`,
  )
  await executor.query(
    others.length === 0
      ? sql.type(NoRow)`${last}`
      : sql.type(NoRow)`with ${sql.join(others, sql.fragment`, `)} ${last}`,
  )
}
