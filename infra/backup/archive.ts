import { chownSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { makeDataDirectory } from '../local/servers/postgres-directory.ts'
import { canUse, unprivilegedUser } from '../local/servers/unprivileged-user.ts'

/** What is not full after this long is archived all the same: no more than that is lost with the whole disk. */
const ARCHIVE_TIMEOUT_S = 60

/** Where a backup has what; all below `BACKUP_DIR`. */
export function partsOfBackup(backupDir: string) {
  return {
    /** What Postgres has written since the oldest copy, piece by piece. */
    wal: join(backupDir, 'wal'),
    /** Copies of the whole cluster, named after the time when they were begun. */
    copies: join(backupDir, 'copies'),
    /** Pictures and the files of messages, as they are in the data directory. */
    files: join(backupDir, 'files'),
    /** Without these nobody gets into a restored database. */
    secrets: join(backupDir, 'secrets.json'),
  }
}

/**
 * The settings by which our own Postgres archives what it writes. Makes the folder where it goes.
 * @throws when Postgres' user cannot write there
 */
export function archiveSettings(backupDir: string): Readonly<Record<string, string>> {
  const wal = archiveFolder(backupDir)
  const target = `'${wal}/%f'`
  // A piece that is there already was archived before a crash. It gets its name only once it is on the disk.
  const command = `if test -e ${target}; then cmp -s %p ${target}; else cp %p ${target}.part && sync ${target}.part && mv ${target}.part ${target}; fi`
  return { archive_mode: 'on', archive_command: command, archive_timeout: String(ARCHIVE_TIMEOUT_S) }
}

/** The settings by which a restored Postgres reads what was archived of a timeline. */
export function recoverySettings(
  backupDir: string,
  timeline: number,
  until: Date | null,
): Readonly<Record<string, string>> {
  return {
    // It may be a rehearsal beside what goes on. Without a command it keeps what it would archive until it is started with BACKUP_DIR.
    archive_mode: 'on',
    archive_command: '',
    restore_command: `cp '${archiveFolder(backupDir)}/%f' %p`,
    recovery_target_timeline: String(timeline),
    // Names of time zones, Z among them, are not known yet when Postgres reads this.
    ...(until !== null && {
      recovery_target_time: until.toISOString().replace('Z', '+00'),
      recovery_target_action: 'promote',
    }),
    // Whoever connects meanwhile would see the database of an earlier time.
    hot_standby: 'off',
  }
}

function archiveFolder(backupDir: string): string {
  if (/['%\\\n]/.test(backupDir)) throw new Error(`BACKUP_DIR=${backupDir}: a quote, % or \\ cannot be in it.`)
  const { wal } = partsOfBackup(backupDir)
  const user = unprivilegedUser()
  makeDataDirectory(backupDir)
  if (!existsSync(wal)) {
    mkdirSync(wal, { mode: 0o700 })
    if (user) chownSync(wal, user.uid, user.gid)
  }
  if (!canUse(user, 'w', wal)) {
    throw new Error(
      `Postgres runs as the user "${user?.name}", who cannot write to ${wal}. Set BACKUP_DIR to a folder that this user may enter, ` +
        'for example /var/lib/wangian/backup.',
    )
  }
  return wal
}
