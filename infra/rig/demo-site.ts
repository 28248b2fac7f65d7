import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type System, startSystem } from '../local/system.ts'

/** A site with demo data, for a browser. */
export interface DemoSite {
  readonly url: string
  /** Undefined for one that ran already. */
  readonly system: System | undefined
  stop(): Promise<void>
}

/** @param url of one that runs already and is left as it is; without it one is started and thrown away afterwards */
export async function openDemoSite(url: string | undefined): Promise<DemoSite> {
  if (url !== undefined) return { url, system: undefined, stop: async () => {} }
  const dataDir = mkdtempSync(join(tmpdir(), 'wangian-demo-'))
  // The user who runs Postgres when we are root has to get in.
  chmodSync(dataDir, 0o755)
  const system = await startSystem({ dataDir, seed: 'demo' })
  return {
    url: system.url,
    system,
    stop: async () => {
      await system.stop()
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
