import { build, type Plugin, type ResolvedConfig, type Rolldown } from 'vite'
import { leanZod } from './vite-plugins.ts'

/** Where browsers find the service worker: its name never changes, and from there it may speak for the whole site. */
const FILE = 'push-worker.js'

/** Builds the service worker as one script of its own, which shares nothing with the pages and is loaded only by who asks for notices. */
export function buildPushWorker(): Plugin {
  let config: ResolvedConfig
  return {
    name: 'push-worker',
    apply: 'build',
    configResolved(resolved) {
      config = resolved
    },
    async generateBundle() {
      const built = (await build({
        root: config.root,
        configFile: false,
        logLevel: 'error',
        plugins: [leanZod()],
        build: {
          write: false,
          target: config.build.target || 'es2022',
          rolldownOptions: {
            input: 'src/push/push-worker.ts',
            output: { format: 'iife', codeSplitting: false },
          },
        },
      })) as Rolldown.RolldownOutput
      this.emitFile({ type: 'asset', fileName: FILE, source: built.output[0].code })
    },
  }
}
