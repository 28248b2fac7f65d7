import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin, type Rolldown } from 'vite'
import {
  directImports,
  leanRouter,
  leanZod,
  smallPreload,
  withoutDocumentation,
  withoutStoreShim,
  withoutVendorPrefixes,
} from './vite-plugins.ts'
import { prerenderPages } from './vite-prerender.ts'
import { buildPushWorker } from './vite-push-worker.ts'

/** Where `vite dev` finds a running system. */
const gateway = process.env['GATEWAY_URL'] ?? 'http://localhost:8080'

/** Pages for those who work on the app; what is built without asking for them, such as for production, has none. */
const withDevPages = process.env['DEV_PAGES'] === 'yes'

/** The two faces that every page is set in start loading with the page, so that text does not change under the reader. */
const preloadedFonts = /(figtree-latin-wght-normal|fraunces-latin-opsz-normal).*\.woff2$/

function preloadFonts(): Plugin {
  return {
    name: 'preload-fonts',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle }) =>
        Object.keys(bundle ?? {})
          .filter((file) => preloadedFonts.test(file))
          .map((file) => ({
            tag: 'link',
            attrs: { rel: 'preload', href: `/${file}`, as: 'font', type: 'font/woff2', crossorigin: '' },
            injectTo: 'head' as const,
          })),
    },
  }
}

const compressible = /\.(js|css|svg|html)$/
const compressedMinBytes = 1024

/**
 * Compressed once here instead of at every request; the gateway sends what the browser takes. Read from the disk when everything is
 * written: before that Vite still replaces text in its chunks.
 */
function compressAssets(): Plugin {
  return {
    name: 'compress-assets',
    apply: 'build',
    async writeBundle({ dir = 'dist' }, bundle) {
      for (const fileName of Object.keys(bundle)) {
        if (!compressible.test(fileName)) continue
        const path = join(dir, fileName)
        const content = await readFile(path)
        if (content.length < compressedMinBytes) continue
        const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } }
        await writeFile(`${path}.br`, await promisify(brotliCompress)(content, quality))
        await writeFile(`${path}.gz`, await promisify(gzip)(content, { level: constants.Z_BEST_COMPRESSION }))
      }
    },
  }
}

/** What every page needs, which changes only with our dependencies. */
const vendor =
  /node_modules\/(react|react-dom|scheduler|react-router|react-router-dom|styled-components|stylis|swr|dequal|use-sync-external-store|zod)\//

/** What the first page needs, by the modules that it begins with. */
const firstPage = [fileURLToPath(new URL('./src/main.tsx', import.meta.url))]

/**
 * Puts what the first page needs in two files, one of which changes with our dependencies only, since a file for each part that it shares
 * with other pages would cost more requests than it saves bytes; and nothing else, whatever else those share.
 */
function firstPageFiles(): { name: Rolldown.CodeSplittingNameFunction; debugName: string; priority: number }[] {
  let modules: Set<string> | undefined
  const nameOf =
    (name: string, isIn: (id: string) => boolean): Rolldown.CodeSplittingNameFunction =>
    (id, context) => {
      modules ??= withImports(firstPage, (each) => context.getModuleInfo(each)?.importedIds ?? [])
      return modules.has(id) && isIn(id) ? name : null
    }
  return [
    { name: nameOf('vendor', (id) => vendor.test(id)), debugName: 'vendor', priority: 2 },
    { name: nameOf('first', () => true), debugName: 'first', priority: 1 },
  ]
}

function withImports(ids: readonly string[], importsOf: (id: string) => readonly string[]): Set<string> {
  const found = new Set(ids)
  // A set goes on to what is added while it is walked through.
  for (const id of found) for (const imported of importsOf(id)) found.add(imported)
  return found
}

/** What makes the app small and fast to load; what the build itself runs (`prerender.tsx`) may be as large as it likes. */
const forBrowsers = [
  directImports(['lucide-react']),
  withoutDocumentation(),
  leanRouter(),
  withoutStoreShim(),
  leanZod(),
  withoutVendorPrefixes(),
  smallPreload(),
  preloadFonts(),
  buildPushWorker(),
  compressAssets(),
  prerenderPages(),
]

export default defineConfig(({ isSsrBuild = false }) => ({
  plugins: [react(), ...(isSsrBuild ? [] : forBrowsers)],
  // Gives every styled component the same name in the app as in the page that was prerendered, and leaves its styles as they are.
  oxc: { plugins: { styledComponents: { displayName: false, fileName: false, minify: false } } },
  define: {
    'import.meta.env.WITH_DEV_PAGES': JSON.stringify(withDevPages),
  },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    sourcemap: false,
    target: 'es2022',
    // Every browser that knows es2022 knows modulepreload.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    ...(!isSsrBuild && { rolldownOptions: { output: { codeSplitting: { groups: firstPageFiles() } } } }),
  },
  server: {
    port: 5173,
    proxy: {
      '/api': gateway,
      '/auth/v1': gateway,
      '/dev/inbox': gateway,
      '/ws': { target: gateway, ws: true },
    },
  },
}))
