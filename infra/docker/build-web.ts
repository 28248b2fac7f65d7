import { repositoryRoot } from '../local/config.ts'
import { buildWeb } from '../local/web-build.ts'

/** The web app of the image. */
await buildWeb(repositoryRoot, { withDevPages: false }, console.log)
