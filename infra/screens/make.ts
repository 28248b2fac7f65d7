// npm run screens [-- --url http://localhost:8080] [-- --all some/folder --only admin,chat]
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { LANGUAGE_COOKIE, type Language, languages } from '@wangian/contracts/languages.ts'
import type { Browser, BrowserContext } from 'playwright-core'
import sharp from 'sharp'
import { launchBrowser, type Session, signInAs } from '../rig/demo-browser.ts'
import { openDemoSite } from '../rig/demo-site.ts'
import { findPages, type ShownPage } from './pages.ts'

/*
 * Pictures of the site with its demo data: those of `docs/screens`, or, for somebody who wants to look at what they have changed, every page
 * in three widths, both schemes and both languages in a folder of their own.
 */

const { values: flags } = parseArgs({
  options: {
    /** Of a system that runs with demo data; without one, one is started for this. */
    url: { type: 'string' },
    /** Where all pictures go, in place of the few of the documentation. */
    all: { type: 'string' },
    /** Names of pages, separated by commas: the others are left out. */
    only: { type: 'string' },
  },
})

const documented = fileURLToPath(new URL('../../docs/screens/', import.meta.url))
const WEBP_QUALITY = 72
/** Pictures and news come after the page. */
const SETTLED_TIMEOUT_MS = 15_000

const sizes = {
  phone: { width: 390, height: 844 },
  tablet: { width: 768, height: 1024 },
  wide: { width: 1440, height: 900 },
} as const

interface View {
  readonly size: keyof typeof sizes
  readonly scheme: 'light' | 'dark'
  readonly language: Language
}

const documentedViews: readonly View[] = [
  { size: 'wide', scheme: 'light', language: 'en' },
  { size: 'phone', scheme: 'light', language: 'en' },
]

const allViews: readonly View[] = (['phone', 'tablet', 'wide'] as const).flatMap((size) =>
  (['light', 'dark'] as const).flatMap((scheme) => languages.map((language) => ({ size, scheme, language }))),
)

async function main(): Promise<void> {
  const browser = await launchBrowser()
  const site = await openDemoSite(flags.url)
  try {
    const only = flags.only?.split(',')
    const pages = (await findPages(site.url)).filter(
      ({ name, isDocumented }) => (flags.all !== undefined || isDocumented) && (only?.includes(name) ?? true),
    )
    const folder = flags.all ?? documented
    mkdirSync(folder, { recursive: true })
    const sessions = await signInAll(browser, site.url, pages)
    for (const view of flags.all === undefined ? documentedViews : allViews) {
      for (const [visitor, session] of sessions) {
        const context = await contextOf(browser, site.url, view, session)
        for (const page of pages.filter((each) => each.visitor === visitor)) await shoot(context, page, view, folder)
        await context.close()
      }
    }
  } finally {
    await browser.close()
    await site.stop()
  }
}

/** Each visitor of these pages signs in once. */
async function signInAll(
  browser: Browser,
  url: string,
  pages: readonly ShownPage[],
): Promise<ReadonlyMap<ShownPage['visitor'], Session | undefined>> {
  const sessions = new Map<ShownPage['visitor'], Session | undefined>()
  for (const { visitor } of pages) {
    if (sessions.has(visitor)) continue
    sessions.set(visitor, visitor === 'guest' ? undefined : await signInAs(browser, url, visitor))
  }
  return sessions
}

async function contextOf(
  browser: Browser,
  url: string,
  { size, scheme, language }: View,
  session: Session | undefined,
): Promise<BrowserContext> {
  const context = await browser.newContext({
    baseURL: url,
    viewport: sizes[size],
    deviceScaleFactor: size === 'phone' ? 2 : 1,
    colorScheme: scheme,
    reducedMotion: 'reduce',
    locale: 'en-MY',
    ...(session !== undefined && { storageState: session }),
  })
  await context.addCookies([{ name: LANGUAGE_COOKIE, value: language, url }])
  return context
}

async function shoot(context: BrowserContext, shown: ShownPage, view: View, folder: string): Promise<void> {
  const page = await context.newPage()
  await page.goto(shown.path)
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await page.waitForLoadState('networkidle', { timeout: SETTLED_TIMEOUT_MS })
  await page.evaluate(waitForPictures)
  const { size, scheme, language } = view
  if (flags.all === undefined) {
    const taken = await page.screenshot()
    const picture = await sharp(taken).webp({ quality: WEBP_QUALITY }).toBuffer()
    writeFileSync(join(folder, `${shown.name}-${size}.webp`), picture)
  } else {
    // Of the whole page, which WebP may be too small for.
    await page.screenshot({
      path: join(folder, `${[shown.name, size, scheme, language].join('-')}.png`),
      fullPage: true,
    })
  }
  await page.close()
}

/**
 * Runs in the page. Text, because this side knows no browser's types. Pictures that are scrolled away may not come before they are needed.
 */
const waitForPictures = `
  Promise.race([
    Promise.allSettled([...document.images].map((image) => image.decode())),
    new Promise((settled) => setTimeout(settled, 3_000)),
  ]).then(() => undefined)
`

await main()
