import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

/** Where `vite dev` finds a running system. */
const gateway = process.env['GATEWAY_URL'] ?? 'http://localhost:8080'

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

/** Compressed once here instead of at every request; the gateway sends what the browser takes. */
function compressAssets(): Plugin {
  return {
    name: 'compress-assets',
    apply: 'build',
    async generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) {
        const content = Buffer.from(file.type === 'chunk' ? file.code : file.source)
        if (!compressible.test(file.fileName) || content.length < compressedMinBytes) continue
        const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } }
        const [brotli, gzipped] = await Promise.all([
          promisify(brotliCompress)(content, quality),
          promisify(gzip)(content, { level: constants.Z_BEST_COMPRESSION }),
        ])
        this.emitFile({ type: 'asset', fileName: `${file.fileName}.br`, source: brotli })
        this.emitFile({ type: 'asset', fileName: `${file.fileName}.gz`, source: gzipped })
      }
    },
  }
}

export default defineConfig({
  plugins: [react(), preloadFonts(), compressAssets()],
  build: { outDir: 'dist', emptyOutDir: true, sourcemap: false, target: 'es2022', assetsInlineLimit: 0 },
  server: {
    port: 5173,
    proxy: {
      '/api': gateway,
      '/auth/v1': gateway,
      '/ws': { target: gateway, ws: true },
    },
  },
})
