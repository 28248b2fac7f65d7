import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin, type ResolvedConfig, type Rolldown } from 'vite'
import type { PrerenderedHome } from './src/prerender.tsx'

/** What `prerender.tsx` exports. */
interface Rendering {
  prerenderHome(): PrerenderedHome
}

/**
 * Writes `home.html` beside `index.html`: the same page with what the home page looks like before its script runs, and with requests for
 * what it is going to read. The script takes over from there.
 */
export function prerenderHome(): Plugin {
  let config: ResolvedConfig
  let beforePaint: string
  return {
    name: 'prerender-home',
    apply: 'build',
    configResolved(resolved) {
      config = resolved
    },
    async buildStart() {
      beforePaint = this.emitFile({
        type: 'asset',
        name: 'before-paint.js',
        source: await readFile(join(config.root, 'src/theme/before-paint.js'), 'utf8'),
      })
    },
    async writeBundle({ dir = config.build.outDir }) {
      const template = await readFile(join(dir, 'index.html'), 'utf8')
      const script = `<script src="/${this.getFileName(beforePaint)}"></script>`
      await writeFile(join(dir, 'home.html'), withHome(template, script, await renderHome(config)))
    },
  }
}

function withHome(template: string, script: string, { html, styles, reads }: PrerenderedHome): string {
  // As `fetch` asks for them, or the browser would not take the one for the other.
  const requests = reads.map(
    (address) => `<link rel="preload" href="${address.replaceAll('&', '&amp;')}" as="fetch" crossorigin="anonymous">`,
  )
  return template
    .replace('</head>', () => `  ${[script, ...requests, styles].join('\n    ')}\n  </head>`)
    .replace('<div id="root"></div>', () => `<div id="root" data-prerendered="/">${html}</div>`)
}

async function renderHome({ root, mode, configFile }: ResolvedConfig): Promise<PrerenderedHome> {
  const built = (await build({
    root,
    mode,
    ...(configFile !== undefined && { configFile }),
    logLevel: 'error',
    build: { ssr: 'src/prerender.tsx', write: false, rolldownOptions: { output: { codeSplitting: false } } },
  })) as Rolldown.RolldownOutput
  // Beside the packages that it imports.
  const folder = await mkdtemp(join(root, 'node_modules', '.prerender-'))
  try {
    const file = join(folder, 'prerender.mjs')
    await writeFile(file, built.output[0].code)
    const { prerenderHome } = (await import(pathToFileURL(file).href)) as Rendering
    return prerenderHome()
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
