// BACKUP_DIR=/var/lib/wangian/backup npm run backup
import { loadConfig } from '../local/config.ts'
import { lockDataDirectory } from '../local/data-directory-lock.ts'
import { loadSecrets } from '../local/secrets.ts'
import { launchPostgres } from '../local/servers/postgres.ts'
import { requireDatabase } from '../local/servers/postgres-directory.ts'
import { findRunningPostgres } from '../local/servers/running-postgres.ts'
import { archiveSettings } from './archive.ts'
import { backUp, copyFiles, requireSameCluster } from './back-up.ts'

/*
 * Copies the database and the files of the system that runs with this DATA_DIR, or, when none does, of the directory alone. What runs needs
 * BACKUP_DIR, too: it archives there what is written from then on.
 */

try {
  const { dataDir, backupDir, databaseUrl, port } = loadConfig()
  if (backupDir === undefined) throw new Error('BACKUP_DIR is missing: the folder where backups go.')
  if (databaseUrl !== undefined) {
    copyFiles(dataDir, backupDir)
    console.log(
      `The files are in ${backupDir}. The database of DATABASE_URL is its own operator's to back up, see docs/backup.md.`,
    )
  } else {
    const copy = await copyOf(dataDir, backupDir, port)
    console.log(`${copy.directory} is whole. Any time from ${copy.finishedAt} on can be restored.`)
  }
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}

async function copyOf(dataDir: string, backupDir: string, port: number) {
  requireDatabase(dataDir)
  requireSameCluster(dataDir, backupDir)
  const { postgres: password } = loadSecrets(dataDir, ['postgres'])
  const running = findRunningPostgres(dataDir, password)
  if (running !== null) return backUp({ adminUrl: running, dataDir, backupDir })
  const unlock = lockDataDirectory(dataDir, `http://localhost:${port}`)
  try {
    const postgres = await launchPostgres({ dataDir, settings: archiveSettings(backupDir) })
    try {
      await postgres.ready
      return await backUp({ adminUrl: postgres.url, dataDir, backupDir })
    } finally {
      await postgres.stop()
    }
  } finally {
    unlock()
  }
}
