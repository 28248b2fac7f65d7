import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { type Executor, sql } from '../database/postgres.ts'
import { invariant } from '../invariant.ts'

/** Everything that the tables of all schemas hold, one row a line, by `schema.table`. */
export async function dumpTables(executor: Executor): Promise<ReadonlyMap<string, string>> {
  const tables = await executor.any(sql.type(z.object({ schema: z.string(), name: z.string() }))`
    select schemaname as schema, tablename as name from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema')`)
  const dump = new Map<string, string>()
  for (const { schema, name } of tables) {
    const rows = await executor.anyFirst(sql.type(z.object({ row: z.string() }))`
      select t::text as row from ${sql.identifier([schema, name])} t`)
    dump.set(`${schema}.${name}`, rows.join('\n'))
  }
  return dump
}

/**
 * The rows of these tables (`schema.table`), in whatever order they were written.
 * @throws when there is no such table
 */
export async function dumpRows(executor: Executor, tables: readonly string[]): Promise<Record<string, string[]>> {
  const dump = await dumpTables(executor)
  return Object.fromEntries(
    tables.map((table) => {
      const rows = dump.get(table)
      invariant(rows !== undefined, `${table} is a table`)
      return [table, rows.split('\n').toSorted()]
    }),
  )
}

/** The paths of all files below a directory; none when it is not there. */
export async function listFiles(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}

/** The content of these files, as bytes are written: one character each. */
export async function dumpFiles(paths: readonly string[]): Promise<string> {
  return (await Promise.all(paths.map((path) => readFile(path, 'latin1')))).join('\n')
}
