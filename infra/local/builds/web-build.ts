import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { webBuildEnvironment } from '../config.ts'
import { fingerprintOf } from './fingerprint.ts'
import { keptBuild } from './kept-builds.ts'
import { runBuild } from './run-build.ts'

const BUILD_TIMEOUT_MS = 300_000

/** What a build may have beyond the app. */
interface WebBuild {
  /** Pages for those who work on it, such as `/dev/ui`. */
  readonly withDevPages: boolean
}

/**
 * Builds the web app, unless that was done from the same sources with the same variables. One that is served beside, of another start with other
 * settings, stays as it is: its pages name files that only it has.
 * @returns the folder that has it; `undefined` where there is no web app
 * @throws with the build's own output when it fails
 */
export async function buildWeb(
  repositoryRoot: string,
  build: WebBuild,
  log: (line: string) => void,
): Promise<string | undefined> {
  const web = join(repositoryRoot, 'web')
  if (!existsSync(join(web, 'index.html'))) return undefined
  const env = webBuildEnvironment(build.withDevPages)
  const fingerprint = fingerprintOf(repositoryRoot, ['web', 'packages/contracts/src'], { ...build, told: toldBy(env) })
  return keptBuild(join(web, 'node_modules', '.builds'), fingerprint, async (fresh) => {
    log('Building the web app …')
    await runVite(web, fresh, env)
  })
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
