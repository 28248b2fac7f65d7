import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { webBuildEnvironment } from '../config.ts'
import { fingerprintOf } from './fingerprint.ts'
import { runBuild } from './run-build.ts'

const BUILD_TIMEOUT_MS = 300_000

/** What a build may have beyond the app. */
interface WebBuild {
  /** Pages for those who work on it, such as `/dev/ui`. */
  readonly withDevPages: boolean
}

/**
 * Builds the web app into `web/dist`, unless what is there was built from the same sources with the same variables.
 * @throws with the build's own output when it fails
 */
export async function buildWeb(repositoryRoot: string, build: WebBuild, log: (line: string) => void): Promise<void> {
  const web = join(repositoryRoot, 'web')
  const dist = join(web, 'dist')
  if (!existsSync(join(web, 'index.html'))) return
  const env = webBuildEnvironment(build.withDevPages)
  const stamp = fingerprintOf(repositoryRoot, ['web', 'packages/contracts/src'], { ...build, told: toldBy(env) })
  if (stampOf(dist) === stamp) return

  log('Building the web app …')
  // Built beside and moved into place, so that another instance goes on serving the old one meanwhile.
  const fresh = join(web, 'node_modules', `.build-${process.pid}`)
  try {
    await runVite(web, fresh, env)
    writeFileSync(join(fresh, '.stamp'), stamp)
    rmSync(dist, { recursive: true, force: true })
    renameSync(fresh, dist)
  } catch (error) {
    // Another start built the same at the same moment.
    if (stampOf(dist) !== stamp) throw error
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}

function stampOf(dist: string): string | undefined {
  const file = join(dist, '.stamp')
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}

/** What of the environment goes into the app; what is empty counts as absent. */
function toldBy(env: NodeJS.ProcessEnv): readonly [string, string][] {
  const told = Object.entries(env).flatMap(([name, value]): [string, string][] => (value ? [[name, value]] : []))
  return told.filter(([name]) => name.startsWith('VITE_')).sort()
}

function runVite(web: string, outDir: string, env: NodeJS.ProcessEnv): Promise<void> {
  const vite = join(dirname(createRequire(join(web, 'package.json')).resolve('vite/package.json')), 'bin', 'vite.js')
  const args = [vite, 'build', '--outDir', outDir, '--emptyOutDir', '--logLevel', 'warn']
  return runBuild('The web app', args, { cwd: web, env, timeoutMs: BUILD_TIMEOUT_MS })
}
