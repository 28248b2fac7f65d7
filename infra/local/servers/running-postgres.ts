import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isRunning } from '../processes/predecessor.ts'
import { clusterOf } from './postgres-directory.ts'

/** Where Postgres says in its lock file which port it has. */
const PORT_LINE = 3

/** The superuser's address of the Postgres that runs with this data directory; `null` when none does. */
export function findRunningPostgres(dataDir: string, password: string): string | null {
  const cluster = clusterOf(dataDir)
  let lines: string[]
  try {
    lines = readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
  const [pid, port] = [Number(lines[0]), Number(lines[PORT_LINE])]
  if (!Number.isInteger(pid) || !Number.isInteger(port) || !isRunning(pid, 'postgres', cluster)) return null
  return `postgres://postgres:${password}@127.0.0.1:${port}/postgres`
}
