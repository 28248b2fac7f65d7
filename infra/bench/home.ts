// npm run bench:home [-- --url http://localhost:8080] [--runs 5] [--width 412] [--compare]
import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import type { ListingType, Product } from '@wangian/contracts/catalogue.ts'
import { type Browser, type BrowserContext, chromium } from 'playwright-core'
import { type DemoSite, openDemoSite } from '../rig/demo-site.ts'
import { ensureChromium } from '../test/chromium.ts'
import { readTestConfig } from '../test/config.ts'
import { tellFigure } from './figures.ts'
import { median } from './statistics.ts'

/*
 * How soon somebody with a slow phone sees the pages that visits begin with, and what that costs them: the median of some first visits, with
 * an empty cache, in a Chromium slowed down as Lighthouse does it. The server runs on the same machine, and makes it slower still.
 */

const { values: flags } = parseArgs({
  options: {
    /** Of a system that runs with demo data; without one, one is started for this. */
    url: { type: 'string' },
    runs: { type: 'string', default: '5' },
    width: { type: 'string', default: '412' },
    /** Also with pages that only browsers render, in turn; not of a system that runs already. */
    compare: { type: 'boolean', default: false },
  },
})
const widthPx = Number(flags.width)
const SLOWER_CPU = 4
const network = {
  offline: false,
  latency: 150,
  downloadThroughput: (1.6 * 1024 * 1024) / 8,
  uploadThroughput: (750 * 1024) / 8,
}
/** Long after everything has come. */
const VISIT_MS = 7_000
const VISIT_TIMEOUT_MS = 60_000

interface Visit {
  readonly fcpMs: number
  readonly lcpMs: number
  readonly shift: number
  /** What the largest paint was of. */
  readonly largest: string
  readonly scriptKb: number
  readonly allKb: number
}

async function main(): Promise<void> {
  const found = await ensureChromium(readTestConfig())
  if ('missing' in found) throw new Error(found.missing)
  const site = await openDemoSite(flags.url)
  const browser = await chromium.launch({
    executablePath: found.path,
    args: ['--no-sandbox', '--disable-background-networking', '--disable-quic'],
  })
  try {
    const account = await signIn(browser, site.url)
    const pages = [
      ...['/', '/products', ...(await somePages(site.url))].map((path) => ({ path })),
      { path: '/messages', account },
    ]
    const modes = flags.compare && site.system ? (['no', 'yes'] as const) : (['yes'] as const)
    const visits = new Map<string, Visit[]>()
    // In turn, so that what else the machine does meets all of them.
    for (let run = 0; run < Number(flags.runs); run++) {
      for (const mode of modes) {
        await prepare(site, mode, pages)
        for (const page of pages) {
          const row = page.path + (mode === 'no' ? byBrowsers : '')
          visits.set(row, [...(visits.get(row) ?? []), await visit(browser, site.url, page)])
        }
      }
    }
    for (const [row, those] of visits) {
      if (row.endsWith(byBrowsers)) continue
      const kind = row.replace(/\d+$/, ':id')
      const value = median(those.map(({ lcpMs }) => lcpMs)) / 1000
      tellFigure({ name: `home: ${kind}, largest paint`, value, unit: 's', isMore: false })
    }
    console.log(
      `Median of ${flags.runs} first visits, ${widthPx} px wide, 4x slower processor, 1.6 Mbit/s, 150 ms, at a load of ${loadavg()[0]?.toFixed(1)}`,
    )
    console.table(Object.fromEntries([...visits].map(([row, those]) => [row, rowOf(those)])))
  } finally {
    await browser.close()
    await site.stop()
  }
}

/** Follows the path of a page that the gateway has not rendered. */
const byBrowsers = ' by browsers'

interface PageToVisit {
  readonly path: string
  /** Whoever is signed in. */
  readonly account?: Account
}

type Account = Awaited<ReturnType<BrowserContext['storageState']>>

/** Has the gateway render pages, or not, where that is compared. It has served each once then: the first of all would wait for what renders. */
async function prepare({ url, system }: DemoSite, mode: 'yes' | 'no', pages: readonly PageToVisit[]): Promise<void> {
  const gateway = system?.services.get('gateway')
  if (flags.compare && gateway) {
    gateway.environment['RENDER_PAGES'] = mode
    await gateway.restart()
  }
  for (const { path } of pages) await (await fetch(new URL(path, url), { headers: { accept: 'text/html' } })).text()
}

/** A buyer of the demo data. */
async function signIn(browser: Browser, url: string): Promise<Account> {
  const context = await browser.newContext()
  try {
    const page = await context.newPage()
    await page.goto(new URL('/login', url).href)
    await page.getByLabel('Username').fill('bala')
    await page.getByLabel('Password').fill('demo-buyer')
    await page.getByRole('button', { name: 'Sign In', exact: true }).click()
    await page.getByRole('button', { name: 'My Account' }).waitFor()
    return await context.storageState()
  } finally {
    await context.close()
  }
}

function rowOf(visits: readonly Visit[]) {
  const middle = (of: (visit: Visit) => number) => median(visits.map(of))
  return {
    'scripts, kB': Math.round(middle((visit) => visit.scriptKb)),
    'all, kB': Math.round(middle((visit) => visit.allKb)),
    'first paint, s': (middle((visit) => visit.fcpMs) / 1000).toFixed(2),
    'largest paint, s': (middle((visit) => visit.lcpMs) / 1000).toFixed(2),
    'from, s': (Math.min(...visits.map((visit) => visit.lcpMs)) / 1000).toFixed(2),
    'to, s': (Math.max(...visits.map((visit) => visit.lcpMs)) / 1000).toFixed(2),
    shift: middle((visit) => visit.shift).toFixed(3),
    'of what': visits[0]?.largest,
  }
}

async function visit(browser: Browser, url: string, { path, account }: PageToVisit): Promise<Visit> {
  const isPhone = widthPx < 768
  const context = await browser.newContext({
    viewport: { width: widthPx, height: isPhone ? 823 : 900 },
    deviceScaleFactor: isPhone ? 1.75 : 1,
    isMobile: isPhone,
    hasTouch: isPhone,
    ...(account && { storageState: account }),
  })
  try {
    const page = await context.newPage()
    const devTools = await context.newCDPSession(page)
    await devTools.send('Network.enable')
    await devTools.send('Network.emulateNetworkConditions', network)
    await devTools.send('Emulation.setCPUThrottlingRate', { rate: SLOWER_CPU })
    const scripts = new Set<string>()
    let scriptBytes = 0
    let allBytes = 0
    devTools.on('Network.responseReceived', ({ requestId, type }) => {
      if (type === 'Script') scripts.add(requestId)
    })
    devTools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      allBytes += encodedDataLength
      if (scripts.has(requestId)) scriptBytes += encodedDataLength
    })
    await page.addInitScript({ content: observePaints })
    await page.goto(new URL(path, url).href, { waitUntil: 'load', timeout: VISIT_TIMEOUT_MS })
    await page.waitForTimeout(VISIT_MS)
    const seen = await page.evaluate<Seen>('window.seen')
    return { ...seen, scriptKb: scriptBytes / 1000, allKb: allBytes / 1000 }
  } finally {
    await context.close()
  }
}

type Seen = Pick<Visit, 'fcpMs' | 'lcpMs' | 'shift' | 'largest'>

/** Runs in the page, before anything else does. Text, because this side knows no browser's types. */
const observePaints = `
  const seen = { fcpMs: NaN, lcpMs: NaN, shift: 0, largest: '' }
  window.seen = seen
  const follow = (type, take) =>
    new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true })
  follow('paint', ({ name, startTime }) => {
    if (name === 'first-contentful-paint') seen.fcpMs = startTime
  })
  follow('largest-contentful-paint', ({ startTime, element }) => {
    seen.lcpMs = startTime
    seen.largest = element?.tagName ?? ''
  })
  follow('layout-shift', ({ value, hadRecentInput }) => {
    if (!hadRecentInput) seen.shift += value
  })
`

/** A product at a fixed price, the shop that it is of, and an auction. */
async function somePages(url: string): Promise<string[]> {
  const [product, lot] = await Promise.all([aProduct(url, 'fixed'), aProduct(url, 'auction')])
  return [`/products/${product.id}`, `/sellers/${product.sellerId}`, `/auctions/${lot.auction?.id}`]
}

async function aProduct(url: string, type: ListingType): Promise<Product> {
  const response = await fetch(new URL(`/api/products?type=${type}&limit=1`, url))
  const [product] = (await response.json()) as Product[]
  if (product === undefined) throw new Error(`The system has no products of the type ${type}`)
  return product
}

await main()
