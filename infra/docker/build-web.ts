import { buildWeb } from '../local/builds/web-build.ts'
import { repositoryRoot } from '../local/config.ts'

/** The web app of the image, or with `--dev-pages` that of the journeys. */
await buildWeb(repositoryRoot, { withDevPages: process.argv.includes('--dev-pages') }, console.log)
