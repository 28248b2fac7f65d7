import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  DEFAULT_LANGUAGE,
  type Language,
  languages,
  type PageTemplate,
  pageFileOf,
  RENDERER_FILE,
  renderedTemplates,
} from '@wangian/contracts/languages.ts'
import { build, minify, type Plugin, type ResolvedConfig, type Rolldown } from 'vite'
import type { PageInput, RenderedPage } from './src/prerender.tsx'

/** What `prerender.tsx` exports. */
type RenderPage = (page: PageInput) => Promise<RenderedPage>

/** Pages that visits begin with, by the modules that each is loaded from. */
const entrances: Readonly<Record<Exclude<PageTemplate, 'home' | 'index'>, readonly string[]>> = {
  products: ['/features/catalogue/ProductsPage.tsx'],
  'narrowed-products': ['/features/catalogue/ProductsPage.tsx'],
  product: ['/features/catalogue/ProductPage.tsx'],
  auction: ['/features/auction/AuctionPage.tsx'],
  shop: ['/features/shop/ShopPage.tsx'],
  messages: ['/layouts/GuardedPage.tsx', '/features/messaging/MessagesPage.tsx'],
  account: ['/layouts/GuardedPage.tsx', '/features/account/AccountPage.tsx', '/features/account/OverviewPage.tsx'],
  dashboard: ['/layouts/GuardedPage.tsx', '/features/selling/dashboard/DashboardPage.tsx'],
}

/** Those of somebody who is signed in, by their paths: what comes with them is what they show before it is known who looks. */
const framed: Partial<Record<PageTemplate, string>> = {
  messages: '/messages',
  account: '/account',
  dashboard: '/seller/dashboard',
}

/** One script, which the first paint waits for. */
const beforePaintFiles = ['src/theme/before-paint.js', 'src/lib/early-press.js']

/** What `index.html` says itself, which it does in the default language, in the others. */
const ownWords: Readonly<Record<Exclude<Language, typeof DEFAULT_LANGUAGE>, Readonly<Record<string, string>>>> = {
  ms: {
    'Authentic pre-owned luxury perfumes in Malaysia, at a fixed price or by live auction.':
      'Minyak wangi mewah terpakai yang tulen di Malaysia, pada harga tetap atau melalui lelongan langsung.',
    'Wangian needs JavaScript: its auctions are live.':
      'Wangian memerlukan JavaScript: lelongannya berjalan secara langsung.',
  },
}

/**
 * Writes `home.html` beside `index.html`: the same page with what the home page looks like before its script runs, and with requests for
 * what it is going to read. The script takes over from there. Pages that visits begin with have a template each, with requests for their files: the
 * browser would ask for those only when the script has run; and those of somebody who is signed in with what they look like until then. All are written for each language, with a request for its first words. What renders is kept
 * beside them: the gateway renders the pages that depend on what is in the shop.
 */
export function prerenderPages(): Plugin {
  let config: ResolvedConfig
  let beforePaint: string
  return {
    name: 'prerender-pages',
    apply: 'build',
    configResolved(resolved) {
      config = resolved
    },
    async buildStart() {
      const sources = beforePaintFiles.map((file) => readFile(join(config.root, file), 'utf8'))
      const { code } = await minify('before-paint.js', (await Promise.all(sources)).join('\n'))
      beforePaint = this.emitFile({ type: 'asset', name: 'before-paint.js', source: code })
    },
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle = {} }) => [
        {
          tag: 'link',
          attrs: { rel: 'modulepreload', crossorigin: '', href: `/${firstWordsIn(bundle, DEFAULT_LANGUAGE)}` },
          injectTo: 'head',
        },
      ],
    },
    async writeBundle({ dir = config.build.outDir }, bundle) {
      const template = await readFile(join(dir, 'index.html'), 'utf8')
      const script = `<script src="/${this.getFileName(beforePaint)}"></script>`
      const renderPage = await buildRenderer(config, join(dir, RENDERER_FILE))
      for (const language of languages) {
        const page = inLanguage(template, language, bundle)
        await writeFile(join(dir, pageFileOf('index', language)), page)
        const nothing = { language, answers: {}, renderedAtMs: Date.now() }
        const home = await renderPage({ address: '/', ...nothing })
        const requests = [script, ...home.missing.map(requestOfData)]
        await writeFile(join(dir, pageFileOf('home', language)), withRendered(page, '/', { ...home, requests }))
        const list = await renderPage({ address: '/products', ...nothing })
        for (const [name, modules] of Object.entries(entrances) as [keyof typeof entrances, readonly string[]][]) {
          const files = filesOf(bundle, [...modules, `/i18n/${language}.ts`])
          const reads = name === 'products' ? list.missing : []
          const path = framed[name]
          const before = path !== undefined || renderedTemplates.some((each) => each === name) ? [script] : []
          const requests = [...before, ...files.map(requestOfModule), ...reads.map(requestOfData)]
          const frame = path === undefined ? undefined : await renderPage({ address: path, ...nothing })
          await writeFile(
            join(dir, pageFileOf(name, language)),
            frame === undefined || path === undefined
              ? withRequests(page, requests)
              : withRendered(page, path, { ...frame, requests }),
          )
        }
      }
    },
  }
}

/** The file with the words that the first page needs. */
const firstWordsIn = (bundle: Rolldown.OutputBundle, language: Language) =>
  chunkOf(bundle, `/i18n/${language}-first.ts`).fileName

function chunkOf(bundle: Rolldown.OutputBundle, module: string): Rolldown.OutputChunk {
  for (const file of Object.values(bundle)) {
    if (file.type === 'chunk' && file.moduleIds.some((id) => id.endsWith(module))) return file
  }
  throw new Error(`${module} is in no file`)
}

/** The files that these modules are loaded with, but for those that every page loads. */
function filesOf(bundle: Rolldown.OutputBundle, modules: readonly string[]): string[] {
  const everywhere = withImports(bundle, [chunkOf(bundle, '/src/main.tsx').fileName])
  const needed = withImports(
    bundle,
    modules.map((module) => chunkOf(bundle, module).fileName),
  )
  return [...needed].filter((file) => !everywhere.has(file))
}

function withImports(bundle: Rolldown.OutputBundle, files: readonly string[]): Set<string> {
  const found = new Set(files)
  // A set goes on to what is added while it is walked through.
  for (const name of found) {
    const file = bundle[name]
    if (file?.type === 'chunk') for (const imported of file.imports) found.add(imported)
  }
  return found
}

function inLanguage(template: string, language: Language, bundle: Rolldown.OutputBundle): string {
  if (language === DEFAULT_LANGUAGE) return template
  let page = template
  const replacements = {
    [`<html lang="${DEFAULT_LANGUAGE}">`]: `<html lang="${language}">`,
    [firstWordsIn(bundle, DEFAULT_LANGUAGE)]: firstWordsIn(bundle, language),
    ...ownWords[language],
  }
  for (const [own, other] of Object.entries(replacements)) {
    if (!page.includes(own)) throw new Error(`index.html does not say: ${own}`)
    page = page.replace(own, () => other)
  }
  return page
}

function withRendered(
  template: string,
  path: string,
  { html, head, requests }: Pick<RenderedPage, 'html' | 'head'> & { readonly requests: readonly string[] },
): string {
  return withRequests(template, [...requests, head]).replace(
    '<div id="root"></div>',
    () => `<div id="root" data-prerendered="${path}">${html}</div>`,
  )
}

function withRequests(template: string, tags: readonly string[]): string {
  return template.replace('</head>', () => `  ${tags.join('\n    ')}\n  </head>`)
}

const requestOfModule = (file: string) => `<link rel="modulepreload" crossorigin href="/${file}">`

/** As `fetch` asks for it, or the browser would not take the one for the other. */
const requestOfData = (address: string) =>
  `<link rel="preload" href="${address.replaceAll('&', '&amp;')}" as="fetch" crossorigin="anonymous">`

/** Builds what renders pages into one file, which needs nothing beside it. */
async function buildRenderer({ root, mode, configFile }: ResolvedConfig, path: string): Promise<RenderPage> {
  const built = (await build({
    root,
    mode,
    ...(configFile !== undefined && { configFile }),
    logLevel: 'error',
    define: { 'process.env.NODE_ENV': JSON.stringify('production') },
    ssr: { noExternal: true },
    build: {
      ssr: 'src/prerender.tsx',
      write: false,
      minify: true,
      rolldownOptions: { output: { codeSplitting: false } },
    },
  })) as Rolldown.RolldownOutput
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, built.output[0].code)
  return ((await import(pathToFileURL(path).href)) as { renderPage: RenderPage }).renderPage
}
