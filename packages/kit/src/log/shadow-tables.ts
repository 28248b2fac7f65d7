import { z } from 'zod'
import { type Executor, sql, type Transaction } from '../database/postgres.ts'
import { invariant } from '../invariant.ts'

/** A table that is filled a second time, beside the real one, in a temporary table of the same name. */
export interface ShadowTable {
  readonly name: string
  /** Columns that are not from the log: they are neither compared nor written. */
  readonly except?: readonly string[]
  /**
   * Not taken over. `hidden`: what is written to it while the log is read counts nothing, and `finish` brings the real one up to date.
   * `locked`: there is the real one only, of which handlers lock rows before they write the others.
   */
  readonly only?: 'hidden' | 'locked'
}

/** Makes empty temporary tables, which hide the real ones from whatever this connection does from now on. */
export async function createShadows(executor: Executor, tables: readonly ShadowTable[]): Promise<void> {
  for (const { name, only } of tables) {
    if (only === 'locked') continue
    await executor.query(sql.unsafe`
      create temporary table ${sql.identifier([name])} (like ${await realTable(executor, name)} including all)`)
  }
}

/** Longer than others need for what they do with a few rows; shorter than Postgres waits before it ends one of two that wait for each other. */
const LOCK_TIMEOUT_MS = 300

/**
 * Keeps everybody else from writing the real tables, and from locking rows of them, until the end of the transaction. Reading goes on. Once
 * all are locked, whoever waits for one has nothing in any other, so this transaction waits for nobody any more.
 * @throws when somebody does not let go of one of them soon (`isLockTimeout`): they may be waiting for another of them
 */
export async function lockTables(transaction: Transaction, tables: readonly ShadowTable[]): Promise<void> {
  await transaction.query(sql.unsafe`select set_config('lock_timeout', ${String(LOCK_TIMEOUT_MS)}, true)`)
  for (const { name } of tables) {
    await transaction.query(sql.unsafe`
      lock table ${await realTable(transaction, name)} in exclusive mode`)
  }
  await transaction.query(sql.unsafe`set local lock_timeout to default`)
}

const ColumnRow = z.object({ name: z.string(), isKey: z.boolean() })

/** Takes over into the real tables what differs from the temporary ones. @returns how many rows of each table that were */
export async function mergeShadows(
  transaction: Transaction,
  tables: readonly ShadowTable[],
): Promise<Record<string, number>> {
  const changed: Record<string, number> = {}
  for (const table of tables) if (table.only === undefined) changed[table.name] = await mergeShadow(transaction, table)
  return changed
}

async function mergeShadow(transaction: Transaction, { name, except = [] }: ShadowTable): Promise<number> {
  const real = await realTable(transaction, name)
  const shadow = sql.identifier(['pg_temp', name])
  const schema = await schemaName(transaction)
  const found = await transaction.any(sql.type(ColumnRow)`
    select a.attname as name, coalesce(a.attnum = any (i.indkey), false) as "isKey"
      from pg_attribute a
           left join pg_index i on i.indrelid = a.attrelid and i.indisprimary
     where a.attrelid = to_regclass(quote_ident(${schema}) || '.' || quote_ident(${name}))
       and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''`)
  const columns = found.filter((column) => !except.includes(column.name))
  const keys = columns.filter(({ isKey }) => isKey)
  invariant(keys.length > 0, `${name} has a primary key`)
  const list = (of: readonly { readonly name: string }[], alias?: string) =>
    sql.join(
      of.map((column) => sql.identifier(alias === undefined ? [column.name] : [alias, column.name])),
      sql.fragment`, `,
    )
  const isSame = sql.fragment`(${list(keys, 'r')}) = (${list(keys, 's')})`
  const values = columns.filter(({ isKey }) => !isKey)
  const deleted = await transaction.query(sql.unsafe`
    delete from ${real} r where not exists (select from ${shadow} s where ${isSame})`)
  const updated =
    values.length === 0
      ? { rowCount: 0 }
      : await transaction.query(sql.unsafe`
          update ${real} r set (${list(values)}) = row(${list(values, 's')}) from ${shadow} s
           where ${isSame} and row(${list(values, 'r')}) is distinct from row(${list(values, 's')})`)
  const inserted = await transaction.query(sql.unsafe`
    insert into ${real} (${list(columns)}) overriding system value
    select ${list(columns, 's')} from ${shadow} s where not exists (select from ${real} r where ${isSame})`)
  return deleted.rowCount + updated.rowCount + inserted.rowCount
}

async function realTable(executor: Executor, name: string) {
  return sql.identifier([await schemaName(executor), name])
}

const SchemaRow = z.object({ schema: z.string() })

function schemaName(executor: Executor): Promise<string> {
  return executor.oneFirst(sql.type(SchemaRow)`select current_schema() as schema`)
}
