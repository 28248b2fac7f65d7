import { type Executor, NoRow, sql } from '../database/postgres.ts'

/**
 * Empties tables for the next test. Of the few rows that a test makes it takes a sixth of the time of `truncate`, which gives every table and
 * every index new files. In one statement, so that foreign keys do not mind the order. Ids that a table draws go on.
 * @param tables their names, with commas in between
 */
export async function emptyTables(executor: Executor, tables: string): Promise<void> {
  const deletions = tables.split(',').map((name, index) => {
    const table = sql.identifier([name.trim()])
    return sql.fragment`${sql.identifier([`emptied_${index}`])} as (delete from ${table})`
  })
  await executor.query(sql.type(NoRow)`with ${sql.join(deletions, sql.fragment`, `)} select where false`)
}
