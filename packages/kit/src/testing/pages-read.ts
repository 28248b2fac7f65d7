import { sql, type Transaction } from '../database/postgres.ts'

/**
 * How many pages of these tables and of their indexes Postgres looks at for some work: a plan that uses the right index needs a handful, however slow
 * the machine is.
 * @param transaction in which the work is done
 */
export async function pagesRead(
  transaction: Transaction,
  tables: readonly string[],
  work: () => Promise<unknown>,
): Promise<number> {
  const before = await pagesReadSoFar(transaction, tables)
  await work()
  return (await pagesReadSoFar(transaction, tables)) - before
}

async function pagesReadSoFar(transaction: Transaction, tables: readonly string[]): Promise<number> {
  const sum = await transaction.oneFirst(sql.unsafe`
    with wanted as (select unnest(${sql.array([...tables], 'text')})::regclass::oid as part)
    select sum(pg_stat_get_xact_blocks_fetched(part))
      from (select part from wanted
            union all select indexrelid from pg_index where indrelid in (select part from wanted)) parts`)
  return Number(sum)
}
