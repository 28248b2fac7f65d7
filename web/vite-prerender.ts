import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { DEFAULT_LANGUAGE, type Language, languages, pageFileOf } from '@wangian/contracts/languages.ts'
import { build, type Plugin, type ResolvedConfig, type Rolldown } from 'vite'
import type { PrerenderedHome } from './src/prerender.tsx'

/** What `prerender.tsx` exports. */
interface Rendering {
  prerenderHome(language: Language): Promise<PrerenderedHome>
}

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
 * what it is going to read. The script takes over from there. Both are written for each language, with a request for its first words.
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
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle = {} }) => [
        {
          tag: 'link',
          attrs: { rel: 'modulepreload', crossorigin: '', href: `/${wordsIn(bundle, DEFAULT_LANGUAGE)}` },
          injectTo: 'head',
        },
      ],
    },
    async writeBundle({ dir = config.build.outDir }, bundle) {
      const template = await readFile(join(dir, 'index.html'), 'utf8')
      const script = `<script src="/${this.getFileName(beforePaint)}"></script>`
      const homes = await renderHomes(config)
      for (const language of languages) {
        const page = inLanguage(template, language, bundle)
        await writeFile(join(dir, pageFileOf('index', language)), page)
        await writeFile(join(dir, pageFileOf('home', language)), withHome(page, script, homes[language]))
      }
    },
  }
}

/** The file with the words that the first page needs. */
function wordsIn(bundle: Rolldown.OutputBundle, language: Language): string {
  const words = Object.values(bundle).find(
    (file) => file.type === 'chunk' && file.moduleIds.some((id) => id.endsWith(`/i18n/${language}-first.ts`)),
  )
  if (words === undefined) throw new Error(`The first words of ${language} have no file of their own`)
  return words.fileName
}

function inLanguage(template: string, language: Language, bundle: Rolldown.OutputBundle): string {
  if (language === DEFAULT_LANGUAGE) return template
  let page = template
  const replacements = {
    [`<html lang="${DEFAULT_LANGUAGE}">`]: `<html lang="${language}">`,
    [wordsIn(bundle, DEFAULT_LANGUAGE)]: wordsIn(bundle, language),
    ...ownWords[language],
  }
  for (const [own, other] of Object.entries(replacements)) {
    if (!page.includes(own)) throw new Error(`index.html does not say: ${own}`)
    page = page.replace(own, () => other)
  }
  return page
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

async function renderHomes({ root, mode, configFile }: ResolvedConfig): Promise<Record<Language, PrerenderedHome>> {
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
    // One after the other: a language is shown by the whole app at once.
    const en = await prerenderHome('en')
    return { en, ms: await prerenderHome('ms') }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
