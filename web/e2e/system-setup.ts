import { execFileSync } from 'node:child_process'
import { chmodSync, lstatSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSystem } from '../../infra/local/system.ts'
import { announceSystem, readJourneyConfig } from './config.ts'

/** Starts the whole system with demo data for all journeys, unless the environment names one that runs. */
export default async function startForJourneys(): Promise<(() => Promise<void>) | undefined> {
  const { systemUrl, demoData } = readJourneyConfig()
  if (systemUrl) return undefined
  const dataDir = mkdtempSync(join(tmpdir(), 'wangian-journeys-'))
  // The user who runs Postgres when we are root has to get in.
  chmodSync(dataDir, 0o755)
  const remove = () => rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 })
  try {
    if (demoData !== undefined) copyDataDirectory(demoData, dataDir)
    const system = await startSystem({
      dataDir,
      seed: 'demo',
      environment: { gateway: { ANALYTICS_ID: 'G-JOURNEYS' } },
    })
    const { url, adminDatabaseUrl, databaseUrls } = system
    announceSystem({ url, adminDatabaseUrl, messagingDatabaseUrl: databaseUrls.get('messaging') ?? '' })
    return async () => {
      await system.stop()
      remove()
    }
  } catch (error) {
    remove()
    throw error
  }
}

/** Files keep their owners, of whom Postgres is one. A database that lies elsewhere would be shared: then nothing is copied. */
function copyDataDirectory(from: string, to: string): void {
  if (lstatSync(join(from, 'postgres')).isSymbolicLink()) return
  execFileSync('cp', ['-a', `${from}/.`, to])
}
