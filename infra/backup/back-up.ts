import {
  closeSync,
  copyFileSync,
  cpSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, join, relative } from 'node:path'
import { Client } from 'pg'
import { z } from 'zod'
import { clusterOf, unfinishedRestoreOf } from '../local/servers/postgres-directory.ts'
import { partsOfBackup } from './archive.ts'

/** Made anew by every server, or of no use to another one. What is in these folders is left out, the folders are not. */
const EMPTIED = new Set([
  'pg_wal',
  'pg_replslot',
  'pg_dynshmem',
  'pg_notify',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
])
const LEFT_OUT =
  /^(postmaster\.(pid|opts)|pgsql_tmp.*|pg_internal\.init.*|recovery\.signal|backup_label(\.old)?|tablespace_map)$/
/** In the data directory: what has a copy of its own, or is made anew. */
const NO_FILES = new Set(['postgres', 'nats', 'running.json', 'secrets.json', basename(unfinishedRestoreOf(''))])
/** Files seldom vanish: whatever is missing so often is missing for another reason. */
const COPY_TRIES_MAX = 100
const STOP_TIMEOUT_MS = 120_000
/** Behind the name of a copy that is not whole yet. */
const UNFINISHED = '.unfinished'
const FACTS = 'facts.json'

const Facts = z.object({
  startedAt: z.iso.datetime(),
  finishedAt: z.iso.datetime(),
  version: z.string(),
  /** Where Postgres was when it was whole. Older copies do not say so; they count as made before any restore. */
  timeline: z.number().default(1),
  position: z.string().default('0/0'),
})
/** What is known of a whole copy of the cluster. */
export type CopyFacts = z.infer<typeof Facts> & { readonly directory: string }

/**
 * Copies the cluster of a Postgres that runs, by its low-level protocol for backups, and then the files: a picture is stored before its row, so
 * the copy has every file that the database knows of. Nobody is stopped or waits. Removes what is left of a copy whose making was killed.
 * @param options.adminUrl a superuser's, of a server that archives to `backupDir` and whose data directory is on this machine
 * @throws when the server does not archive there, or another copy is being made
 */
export async function backUp(options: {
  readonly adminUrl: string
  readonly dataDir: string
  readonly backupDir: string
}): Promise<CopyFacts> {
  const { adminUrl, dataDir, backupDir } = options
  const { wal, copies } = partsOfBackup(backupDir)
  const client = new Client({ connectionString: adminUrl, statement_timeout: STOP_TIMEOUT_MS })
  // Whatever is asked fails as well; an error that nobody listens to would end this process before it has cleared away.
  client.on('error', () => {})
  await client.connect()
  let unfinished: string | undefined
  try {
    const [settings] = await rows(
      client,
      `select current_setting('archive_mode') as mode, current_setting('archive_command') as command,
              current_setting('data_directory') as cluster, current_setting('server_version') as version`,
    )
    if (settings?.['mode'] !== 'on' || !settings['command']?.includes(wal)) {
      throw new Error(`Postgres does not archive to ${wal}: start Wangian with BACKUP_DIR=${backupDir}.`)
    }
    await requireArchiving(client, wal)
    await requireAlone(client)
    removeUnfinished(copies)
    const startedAt = new Date().toISOString()
    const directory = join(copies, startedAt.replaceAll(/[-:]|\.\d+/g, ''))
    unfinished = `${directory}${UNFINISHED}`
    mkdirSync(unfinished, { recursive: true, mode: 0o700 })
    await client.query(`select pg_backup_start('wangian', fast => true)`)
    copyCluster(settings['cluster'] ?? '', join(unfinished, 'cluster'))
    // Answers when everything is archived that belongs to the copy.
    const stopping = rows(
      client,
      `select labelfile as label, lsn as position, (pg_control_checkpoint()).timeline_id as timeline
         from pg_backup_stop(wait_for_archive => true)`,
    )
    const [stop] = await stopping.catch(async (error) => {
      await requireArchiving(client, wal)
      throw error
    })
    writeFileSync(join(unfinished, 'cluster', 'backup_label'), stop?.['label'] ?? '', { mode: 0o600, flush: true })
    copyFiles(dataDir, backupDir)
    const facts = Facts.parse({
      startedAt,
      finishedAt: new Date().toISOString(),
      version: settings['version'],
      timeline: stop?.['timeline'],
      position: stop?.['position'],
    })
    writeFileSync(join(unfinished, FACTS), `${JSON.stringify(facts, null, 2)}\n`, { flush: true })
    // One that has its name is whole, and on the disk.
    renameSync(unfinished, directory)
    return { ...facts, directory }
  } catch (error) {
    if (unfinished !== undefined) rmSync(unfinished, { recursive: true, force: true })
    throw error
  } finally {
    await client.end()
  }
}

/** @throws when another copy is being made. The lock is the connection's, and goes with it however that ends. */
async function requireAlone(client: Client): Promise<void> {
  const [lock] = await rows(client, `select pg_try_advisory_lock(hashtext('wangian-backup'))::text as "isOurs"`)
  if (lock?.['isOurs'] === 'true') return
  throw new Error(
    'Another backup of this database is being made. Wait until it is whole; one that was killed is over within two minutes.',
  )
}

/** What is left of copies whose makers were killed. Nobody makes one now but us. */
function removeUnfinished(copies: string): void {
  if (!existsSync(copies)) return
  const left = readdirSync(copies).filter((name) => name.endsWith(UNFINISHED))
  for (const name of left) rmSync(join(copies, name), { recursive: true, force: true })
}

/** @throws when the last thing that Postgres has done about archiving since it was started is to fail */
async function requireArchiving(client: Client, wal: string): Promise<void> {
  const [failure] = await rows(
    client,
    `select last_failed_wal as piece, last_failed_time::timestamptz(0)::text as at from pg_stat_archiver
      where last_failed_time > greatest(last_archived_time, pg_postmaster_start_time())`,
  )
  if (failure === undefined) return
  throw new Error(
    `Postgres cannot archive to ${wal}: it failed with ${failure['piece']} at ${failure['at']}. See that there is room, that the user "postgres" ` +
      'may write there and that no other database archives there. Postgres tries again every minute; then run this once more.',
  )
}

/** The whole copies of a backup, the newest first. */
export function listCopies(backupDir: string): readonly CopyFacts[] {
  const { copies } = partsOfBackup(backupDir)
  if (!existsSync(copies)) return []
  return readdirSync(copies)
    .filter((name) => !name.endsWith(UNFINISHED))
    .flatMap((name) => readFacts(join(copies, name)) ?? [])
    .sort((one, other) => other.finishedAt.localeCompare(one.finishedAt))
}

/** One without facts is just being deleted, or what is left of one that was, or that a machine lost its power over. */
function readFacts(directory: string): CopyFacts | undefined {
  try {
    return { ...Facts.parse(JSON.parse(readFileSync(join(directory, FACTS), 'utf8'))), directory }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined || ['ENOENT', 'ENOTDIR'].includes(code)) return undefined
    throw error
  }
}

/**
 * Two databases that archive to one folder spoil it for both.
 * @throws when the copies of a backup are of another cluster than the data directory has, or would get
 */
export function requireSameCluster(dataDir: string, backupDir: string): void {
  const [copy] = listCopies(backupDir)
  const cluster = clusterOf(dataDir)
  if (copy === undefined) return
  if (existsSync(cluster) && clusterNumber(cluster) === clusterNumber(join(copy.directory, 'cluster'))) return
  throw new Error(
    `BACKUP_DIR=${backupDir} is the backup of another database than that of DATA_DIR=${dataDir}. ` +
      'Set DATA_DIR to the one that it is of, or BACKUP_DIR to a folder for this one alone; npm run restore makes a DATA_DIR from a backup.',
  )
}

/** Postgres gives every new cluster a number, and begins this file with it. A copy keeps it. */
function clusterNumber(cluster: string): bigint {
  return readFileSync(join(cluster, 'global', 'pg_control')).readBigUInt64LE()
}

/**
 * Copies what is in the data directory besides the servers' own: pictures, files of messages, and the secrets. Files never change, so only new ones
 * are copied; those that were deleted since stay, for an earlier time may need them.
 */
export function copyFiles(dataDir: string, backupDir: string): void {
  const { files, secrets } = partsOfBackup(backupDir)
  mkdirSync(files, { recursive: true, mode: 0o700 })
  for (const name of readdirSync(dataDir)) {
    if (NO_FILES.has(name)) continue
    const [from, to] = [join(dataDir, name), join(files, name)]
    // The backup may be there, too.
    if (`${backupDir}/`.startsWith(`${from}/`)) continue
    copyNew(from, to)
  }
  // The former ones stay until the others are whole: without any nobody gets into a copy.
  copyToDisk(join(dataDir, 'secrets.json'), `${secrets}.new`)
  renameSync(`${secrets}.new`, secrets)
}

/** A file that vanishes just when it is its turn breaks a copy off. The next one passes over what is copied. */
function copyNew(from: string, to: string): void {
  for (let tries = 1; ; tries += 1) {
    try {
      return cpSync(from, to, {
        recursive: true,
        filter: (source) => !isCopied(source, join(to, relative(from, source))),
      })
    } catch (error) {
      if (!isAboutGone(error) || tries === COPY_TRIES_MAX) throw error
    }
  }
}

function isCopied(source: string, copy: string): boolean {
  const [is, was] = [statSync(source, { throwIfNoEntry: false }), statSync(copy, { throwIfNoEntry: false })]
  // One that went away meanwhile cannot be copied any more.
  if (is === undefined) return true
  return is.isFile() && was?.size === is.size
}

/** While the server goes on, files grow, shrink and vanish: what the copy then lacks is in the archive. */
function copyCluster(from: string, to: string): void {
  mkdirSync(to, { recursive: true, mode: 0o700 })
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const { name } = entry
    if (LEFT_OUT.test(name)) continue
    const [source, copy] = [join(from, name), join(to, name)]
    if (entry.isDirectory() && EMPTIED.has(name)) mkdirSync(copy, { mode: 0o700 })
    else if (entry.isDirectory()) copyCluster(source, copy)
    else if (entry.isFile()) unlessGone(() => copyToDisk(source, copy))
    else throw new Error(`${source} is neither a file nor a folder: a cluster of ours has no tablespaces.`)
  }
}

/** What is only in memory yet is gone with the power. */
function copyToDisk(from: string, to: string): void {
  copyFileSync(from, to)
  const file = openSync(to, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

function unlessGone(work: () => void): void {
  try {
    work()
  } catch (error) {
    if (!isAboutGone(error)) throw error
  }
}

function isAboutGone(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT'
}

async function rows(client: Client, statement: string): Promise<Record<string, string>[]> {
  return (await client.query<Record<string, string>>(statement)).rows
}
