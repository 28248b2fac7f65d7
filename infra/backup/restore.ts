import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { lockDataDirectory } from '../local/data-directory-lock.ts'
import { launchPostgres, type PostgresServer } from '../local/servers/postgres.ts'
import {
  CLUSTER_FOLDER,
  clearPredecessor,
  clusterDirectory,
  clusterOf,
  makeDataDirectory,
  unfinishedRestoreOf,
} from '../local/servers/postgres-directory.ts'
import { type UnprivilegedUser, unprivilegedUser } from '../local/servers/unprivileged-user.ts'
import { databaseServices } from '../local/services.ts'
import { DATABASE, withDatabase } from '../postgres/roles.ts'
import { partsOfBackup, recoverySettings } from './archive.ts'
import { type CopyFacts, listCopies } from './back-up.ts'
import { chooseTimeline, includes } from './timelines.ts'

/** Ids that were given after the time that is gone back to are not given again: links, tokens and bills that name them are about nothing now. */
const ID_GAP = 100_000
const LAST_TRANSACTION = /last completed transaction was at log time (.+)/

/**
 * Makes a data directory from a backup, as everything was at a time. JetStream's store is not in a backup: services hear from the logs what they
 * have not heard. Nothing is written into the backup: what is restored takes it over when it is started with it.
 * @param options.until `null` for everything that was archived
 * @throws when the directory has a database already, or the backup does not reach that time
 */
export async function restore(options: {
  readonly backupDir: string
  readonly dataDir: string
  readonly until: Date | null
  readonly log?: (line: string) => void
}): Promise<CopyFacts> {
  const { backupDir, dataDir, until, log = () => {} } = options
  const timeline = chooseTimeline(backupDir, until)
  const copy = chooseCopy(backupDir, timeline, until)
  if (existsSync(join(dataDir, 'postgres'))) {
    throw new Error(
      `${dataDir} has a database already. Restore to a new DATA_DIR, and keep that one until you have seen the other.`,
    )
  }
  const unlock = lockDataDirectory(dataDir, 'a restore')
  const unfinished = unfinishedRestoreOf(dataDir)
  try {
    await remove(unfinished)
    copyInto(unfinished, backupDir, copy, log)
    log(`Reading what was written since ${copy.startedAt} …`)
    await recover({ ...options, dataDir: unfinished }, timeline.id)
    const { files } = partsOfBackup(backupDir)
    if (existsSync(files)) cpSync(files, dataDir, { recursive: true })
    // The database at last: what has its name is whole, whenever we are killed.
    for (const name of ['secrets.json', 'postgres']) renameSync(join(unfinished, name), join(dataDir, name))
    return copy
  } finally {
    // Half a database is worse than none: the next try begins anew.
    await remove(unfinished)
    unlock()
  }
}

/** Removes what there is of a restore. One that was killed may have left a Postgres that is just ending. */
async function remove(unfinished: string): Promise<void> {
  const cluster = clusterOf(unfinished)
  await clearPredecessor(cluster)
  // The first may be elsewhere, behind a link.
  for (const made of [cluster, unfinished]) rmSync(made, { recursive: true, force: true })
}

function copyInto(unfinished: string, backupDir: string, copy: CopyFacts, log: (line: string) => void): void {
  makeDataDirectory(unfinished)
  copyFileSync(partsOfBackup(backupDir).secrets, join(unfinished, 'secrets.json'))
  chmodSync(join(unfinished, 'secrets.json'), 0o600)
  const user = unprivilegedUser()
  const cluster = join(clusterDirectory(unfinished, user, log), CLUSTER_FOLDER)
  cpSync(join(copy.directory, 'cluster'), cluster, { recursive: true })
  writeFileSync(join(cluster, 'recovery.signal'), '')
  own(cluster, user)
}

/** The newest one that was whole at that time, of what led there. */
function chooseCopy(backupDir: string, timeline: ReturnType<typeof chooseTimeline>, until: Date | null): CopyFacts {
  const copies = listCopies(backupDir).filter((copy) => includes(timeline, copy))
  const chosen = copies.find(({ finishedAt }) => until === null || Date.parse(finishedAt) <= until.getTime())
  if (chosen !== undefined) return chosen
  const oldest = copies.at(-1)
  if (oldest === undefined) throw new Error(`There is no copy in ${backupDir}: npm run backup makes one.`)
  throw new Error(`The oldest copy in ${backupDir} is of ${oldest.finishedAt}; nothing before that can be restored.`)
}

/** Runs Postgres until it has read the archive up to that time. From then on it writes a timeline of its own. */
async function recover(
  { dataDir, backupDir, until, log = () => {} }: Parameters<typeof restore>[0],
  timeline: number,
): Promise<void> {
  const settings = recoverySettings(backupDir, timeline, until)
  const said: string[] = []
  const server = await launchPostgres({ dataDir, settings, log: (line) => said.push(line) })
  try {
    await server.ready
  } catch (cause) {
    const isTooLate = said.some((line) => line.includes('recovery ended before configured recovery target'))
    if (!isTooLate) throw cause
    throw new Error(
      `The archive in ${backupDir} ends before ${until?.toISOString()}. Without a time everything that it has is restored.`,
      { cause },
    )
  }
  const last = said.findLast((line) => LAST_TRANSACTION.test(line))
  if (last !== undefined) log(`The last transaction that was read is of ${LAST_TRANSACTION.exec(last)?.[1]}.`)
  try {
    await startAfresh(server)
  } finally {
    await server.stop()
  }
}

/** What happened after that time has happened for others, who may still come with it. */
async function startAfresh(server: PostgresServer): Promise<void> {
  const client = new Client({ connectionString: withDatabase(server.url, DATABASE) })
  // The queries fail as well; an error that nobody listens to would end this process before it has cleared away.
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query(
      `select setval(format('%I.%I', schemaname, sequencename), coalesce(last_value, 0) + $1)
         from pg_sequences where schemaname = any ($2)`,
      [ID_GAP, [...databaseServices]],
    )
    // Tokens of what people were allowed then. Everybody gets new ones with the next request, without signing in.
    await client.query(`delete from identity.signing_keys where purpose = 'application'`)
  } finally {
    await client.end()
  }
}

function own(path: string, user: UnprivilegedUser | undefined): void {
  if (user) chownSync(path, user.uid, user.gid)
  chmodSync(path, 0o700)
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const child = join(path, entry.name)
    if (entry.isDirectory()) own(child, user)
    else if (user) chownSync(child, user.uid, user.gid)
  }
}
