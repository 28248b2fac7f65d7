import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { isRunning } from '../processes/predecessor.ts'
import { makeEnterable, type PostgresBinaries, sharedStateDirectory } from './postgres-binaries.ts'
import { canUse, type UnprivilegedUser } from './unprivileged-user.ts'

/** English messages and no time zone of the machine's, whatever the person who starts it prefers. */
export const postgresEnvironment = { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/local/bin:/usr/bin:/bin' }

/**
 * The builtin provider sorts; some extensions still ask the C library what a letter is, so it has to know UTF-8. Under
 * which name it does differs; with the last, which is always there, such an extension overlooks letters with accents.
 */
const characterLocales = ['C.UTF-8', 'en_US.UTF-8', 'C']

/** Of the cluster, within the directory that is chosen for it. */
export const CLUSTER_FOLDER = 'cluster-18'

/** Where the cluster of a data directory is, once it has one. */
export const clusterOf = (dataDir: string): string => join(resolve(dataDir), 'postgres', CLUSTER_FOLDER)

/**
 * For what only works with a database that is there: whoever looks for the passwords, or starts Postgres, makes one where there is none.
 * @throws when the data directory has none
 */
export function requireDatabase(dataDir: string): void {
  if (existsSync(clusterOf(dataDir))) return
  throw new Error(`DATA_DIR=${dataDir} has no database. Set DATA_DIR to the folder that Wangian was started with.`)
}

/** Of a data directory that is being restored: its cluster and passwords, until they are whole. */
export const unfinishedRestoreOf = (dataDir: string): string => join(resolve(dataDir), 'restore.unfinished')

const predecessorTimeoutMs = 15_000
const pollMs = 50

/**
 * Chooses the directory that holds the cluster: `<dataDir>/postgres`, or, when the unprivileged user cannot get there, a new one
 * in a shared place that a link of that name points to.
 * @throws when neither can be made, or there was a database that is not there any more, or half of a restore is there
 */
export function clusterDirectory(
  dataDir: string,
  user: UnprivilegedUser | undefined,
  log: (line: string) => void,
): string {
  const directory = join(resolve(dataDir), 'postgres')
  makeDataDirectory(dataDir)
  if (existsSync(directory)) return directory
  const elsewhereBefore = readLink(directory)
  if (elsewhereBefore !== undefined) {
    throw new Error(
      `The database of ${dataDir} (DATA_DIR) is in ${elsewhereBefore}, and that is not there. If DATA_DIR comes from another machine, bring that ` +
        `folder along, to the same place or in the place of ${directory}. To begin with nothing, remove ${directory}.`,
    )
  }
  if (existsSync(unfinishedRestoreOf(dataDir))) {
    throw new Error(
      `A restore to ${dataDir} was broken off, and nothing can start there. Run it once more, or remove ${unfinishedRestoreOf(dataDir)} to begin with nothing.`,
    )
  }
  if (canUse(user, 'x', dataDir)) {
    makeOwned(directory, user)
    return directory
  }
  const elsewhere = join(sharedStateDirectory, 'clusters', randomBytes(8).toString('hex'))
  makeEnterable(join(sharedStateDirectory, 'clusters'))
  makeOwned(elsewhere, user)
  if (!canUse(user, 'w', elsewhere)) {
    throw new Error(
      `Postgres runs as the user "${user?.name}", who can write neither below ${dataDir} nor below ${sharedStateDirectory}. ` +
        'Set DATA_DIR to a folder that every user may enter (for example DATA_DIR=/var/lib/wangian/data).',
    )
  }
  symlinkSync(elsewhere, directory)
  log(`NOTICE:  the user "${user?.name}" cannot enter ${dataDir}: the database is in ${elsewhere}`)
  return directory
}

/** Where a link leads; `undefined` where there is none. */
function readLink(path: string): string | undefined {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(path) : undefined
}

/**
 * Makes DATA_DIR so that others may pass through it and read nothing in it. One that exists is changed only while it is
 * empty and ours (a fresh temporary folder); what somebody has put to use keeps its permissions.
 */
export function makeDataDirectory(dataDir: string): void {
  makeFolder(dataDir)
  if (readdirSync(dataDir).length === 0 && statSync(dataDir).uid === process.getuid?.()) chmodSync(dataDir, 0o711)
}

/** With its parents. Node's own way to do that never ends where no folder can be made though the parent is there, as below /proc. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return
  makeFolder(dirname(folder))
  try {
    mkdirSync(folder)
  } catch (error) {
    // Another start was faster.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/**
 * Creates the cluster below `directory` when there is none yet, UTF-8 and ordered by code point on every platform alike.
 * @returns the cluster's own directory
 * @throws with initdb's own words when it fails
 */
export function initialiseCluster(
  binaries: PostgresBinaries,
  directory: string,
  password: string,
  user: UnprivilegedUser | undefined,
): string {
  const container = realpathSync(directory)
  const cluster = join(container, CLUSTER_FOLDER)
  if (existsSync(cluster)) return cluster
  // Renamed when complete, so that an interrupted initdb is never mistaken for a cluster.
  const unfinished = `${cluster}.unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  const passwordFile = join(container, 'initial-password')
  writeFileSync(passwordFile, password, { mode: 0o600 })
  if (user) chownSync(passwordFile, user.uid, user.gid)
  try {
    let problem: string | undefined
    for (const locale of characterLocales) {
      problem = runInitdb(binaries, unfinished, passwordFile, locale, user)
      if (problem === undefined) break
    }
    if (problem !== undefined) throw new Error(`initdb failed in ${directory}: ${problem}`)
    renameSync(unfinished, cluster)
  } finally {
    rmSync(passwordFile, { force: true })
  }
  return cluster
}

/**
 * Clears the way after a server that was killed: waits for the last of its processes, ends a server that still runs
 * in this directory (its supervisor must be dead, since the data directory is locked by us), and removes the lock file,
 * whose process id may by now belong to another program.
 * @throws when an earlier server does not end
 */
export async function clearPredecessor(directory: string): Promise<void> {
  const lockFile = join(directory, 'postmaster.pid')
  const deadline = Date.now() + predecessorTimeoutMs
  let told = false
  while (existsSync(lockFile)) {
    const lines = readFileSync(lockFile, 'utf8').split('\n')
    const pid = Number(lines[0])
    const sharedMemoryId = lines[6]?.trim().split(/\s+/)[1]
    const running = isRunning(pid, 'postgres', directory)
    if (!running && !isSharedMemoryInUse(sharedMemoryId)) {
      rmSync(lockFile)
      return
    }
    if (Date.now() > deadline) throw new Error(`Another Postgres (process ${pid}) still runs in ${directory}.`)
    // SIGINT is the fast stop: no waiting for clients, everything written.
    if (running && !told) process.kill(pid, 'SIGINT')
    told = true
    await wait(pollMs)
  }
}

function makeOwned(directory: string, user: UnprivilegedUser | undefined): void {
  mkdirSync(directory, { mode: 0o700 })
  if (user) chownSync(directory, user.uid, user.gid)
}

/** What goes wrong, undefined when nothing does. */
function runInitdb(
  binaries: PostgresBinaries,
  cluster: string,
  passwordFile: string,
  characterLocale: string,
  user: UnprivilegedUser | undefined,
): string | undefined {
  const args = [
    `--pgdata=${cluster}`,
    '--username=postgres',
    '--auth=scram-sha-256',
    `--pwfile=${passwordFile}`,
    '--encoding=UTF8',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
    `--lc-ctype=${characterLocale}`,
    '--no-instructions',
  ]
  const ids = user && { uid: user.uid, gid: user.gid }
  const result = spawnSync(binaries.initdb, args, { cwd: '/', encoding: 'utf8', env: postgresEnvironment, ...ids })
  return result.status === 0 ? undefined : (result.error?.message ?? result.stderr)
}

/** The processes of a killed server end a moment after it; until then a new one refuses to start. */
function isSharedMemoryInUse(id: string | undefined): boolean {
  if (!id || !existsSync('/proc/sysvipc/shm')) return false
  const rows = readFileSync('/proc/sysvipc/shm', 'utf8').trim().split('\n')
  // Columns: key shmid perms size cpid lpid nattch …
  return rows.some((row) => {
    const columns = row.trim().split(/\s+/)
    return columns[1] === id && Number(columns[6]) > 0
  })
}
