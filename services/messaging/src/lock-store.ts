import { NoRow, sql, type Transaction } from '@wangian/kit/database/postgres.ts'

/**
 * Lets one transaction at a time do what is meant by the keys, until it ends; they are taken in the order as given. It writes nothing, so an append
 * may follow as the transaction's first write.
 */
export async function lock(transaction: Transaction, ...keys: readonly string[]): Promise<void> {
  await transaction.query(sql.prepared('lock', NoRow)`
    select pg_advisory_xact_lock(hashtextextended(key, 0)) from unnest(${sql.array([...keys], 'text')}) as key`)
}
