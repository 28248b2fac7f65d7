// BACKUP_DIR=/var/lib/wangian/backup DATA_DIR=/var/lib/wangian/restored npm run restore -- 2026-11-23T14:00:00Z
import { z } from 'zod'
import { loadConfig } from '../local/config.ts'
import { restore } from './restore.ts'

/* Makes a new data directory from a backup, as everything was at a time; without one, as it was last. */

const Until = z.iso.datetime({ offset: true })

try {
  const { dataDir, backupDir } = loadConfig()
  if (backupDir === undefined) throw new Error('BACKUP_DIR is missing: the folder where backups are.')
  const [text] = process.argv.slice(2)
  const until = text === undefined ? null : Until.safeParse(text)
  if (until?.success === false) throw new Error(`${text} is no time such as 2026-11-23T14:00:00Z.`)
  const at = until === null ? null : new Date(until.data)
  await restore({ backupDir, dataDir, until: at, log: (line) => console.log(line) })
  console.log(
    `${dataDir} is as everything was ${at === null ? 'last' : `at ${at.toISOString()}`}. DATA_DIR=${dataDir} npm start goes on from there; with BACKUP_DIR it takes the backup over, so a rehearsal is started without.`,
  )
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
