import { chmodSync, cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { buildWeb } from '../local/builds/web-build.ts'
import { repositoryRoot } from '../local/config.ts'

/** The web app of the image in `web/dist`, or with `--dev-pages` that of the journeys. */
const dist = join(repositoryRoot, 'web', 'dist')
const built = await buildWeb(repositoryRoot, { withDevPages: process.argv.includes('--dev-pages') }, console.log)
if (built !== undefined) {
  rmSync(dist, { recursive: true, force: true })
  cpSync(built, dist, { recursive: true })
  // A build is its maker's alone, and the image is run by another user.
  chmodSync(dist, 0o755)
}
