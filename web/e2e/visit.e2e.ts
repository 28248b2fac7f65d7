import { expect, type Page } from '@playwright/test'
import type { Language } from '@wangian/contracts/languages.ts'
import { pagePaths } from '@wangian/contracts/page-paths.ts'
import { en } from '../src/i18n/en.ts'
import { adminWords } from '../src/i18n/en-admin.ts'
import { firstWords } from '../src/i18n/en-first.ts'
import { guides as guideWords } from '../src/i18n/en-guides.ts'
import { expectNoViolations } from './axe.ts'
import { listBottle, openAuction, siteUrl, test, tokenOf, type Who } from './site.ts'

const guides = [
  '/terms-of-service',
  '/privacy-policy',
  '/buying-guide',
  '/authentication-guide',
  '/shipping-guidelines',
  '/return-policy',
  '/about',
]
const account = ['/account', '/account/orders', '/account/favorites', '/account/settings', '/messages']

/** What each role has of its own; what is public looks alike for all. */
async function pagesOf(who: Who | 'guest'): Promise<readonly string[]> {
  const { productId, id } = await openAuction({ name: 'Visited Lot', startingPrice: 10, bidIncrement: 1 })
  const bottle = await listBottle({ name: 'Visited Bottle', price: 40, listingType: 'fixed' })
  const id0 = (JSON.parse(atob((await tokenOf('sarah')).split('.')[1] ?? '')) as { sub: string }).sub
  switch (who) {
    case 'guest':
      return [
        ...['/', '/products', '/products?type=auction', `/products/${bottle.id}`, `/products/${productId}`],
        ...[`/auctions/${id}`, `/auction/${id}`, `/sellers/${id0}`, '/auth', '/login', '/register', '/auth-callback'],
        ...['/verify-email', '/auth-verify', '/auth/verify', '/reset-password', ...guides],
      ]
    case 'bala':
      return ['/', `/auctions/${id}`, `/products/${bottle.id}`, '/profile', ...account, '/boost-checkout']
    case 'sarah':
      return [
        ...[`/auctions/${id}`, `/products/${bottle.id}`, '/seller/dashboard', '/seller/dashboard?tab=boosted'],
        ...['/seller/dashboard?tab=analytics', '/seller/dashboard?tab=settings', '/seller/products/new'],
        ...[`/seller/products/${bottle.id}/edit`, '/seller/auctions/new', '/boost-checkout', '/messages'],
      ]
    default:
      return [
        ...['users', 'orders', 'listings', 'reports', 'bidders', 'payments', 'activity', 'system'].map(
          (tab) => `/admin/dashboard?tab=${tab}`,
        ),
        ...[`/admin/users/${id0}`, `/admin/listings/${bottle.id}`],
      ]
  }
}

// The last two look at what the others have found.
test.describe.configure({ mode: 'serial' })

const phone = { width: 390, height: 844 }
const wider = [
  { width: 768, height: 1024 },
  { width: 1440, height: 900 },
]
/** Whatever the machine does, a page has followed a new width or language by then. */
const FOLLOWS_WITHIN_MS = 5_000
/** What the names of words begin with; one that nobody has translated is shown by its name. */
const wordGroups = new Set([en, adminWords, firstWords, guideWords].flatMap((words) => Object.keys(words)))
const links = new Set<string>()
const visited = new Set<string>()
/** Those that need a past: other journeys look at them. */
const visitedElsewhere = [
  '/account/orders/:orderId',
  '/account/boosts/:orderId',
  '/seller/products/:productId/relist',
  '/admin/orders/:orderId',
  '/dev/ui',
]

for (const who of ['guest', 'bala', 'sarah', 'admin'] as const) {
  test(`every page that ${who} sees is whole, in both languages and all widths`, async ({ guest, as }) => {
    test.setTimeout(300_000)
    const addresses = await pagesOf(who)
    const page = who === 'guest' ? await guest() : await as(who)
    await page.setViewportSize(phone)
    const found: string[] = []
    let address = ''
    page.on('console', (message) => message.type() === 'error' && found.push(`${address}: ${message.text()}`))
    page.on('pageerror', (error) => found.push(`${address}: ${error}`))
    // What the site's own policy forbids, such as to run text as a script, browsers may only count.
    await page.exposeFunction('policyBroken', (what: string) => found.push(`${address}: ${what} breaks the policy`))
    await page.addInitScript(() => {
      addEventListener('securitypolicyviolation', ({ blockedURI, violatedDirective }) => {
        void Reflect.get(window, 'policyBroken')(`${blockedURI} of ${violatedDirective}`)
      })
    })
    page.on('response', (response) => {
      if (response.status() >= 400) found.push(`${address}: ${response.status()} ${response.url()}`)
    })
    for (address of addresses) {
      await page.goto(address)
      visited.add(address.split('?')[0] ?? '')
      await expect(page.locator('h1').first()).toBeAttached()
      await page.waitForLoadState('networkidle')
      await expectNoViolations(page, address)
      found.push(...(await lasting(() => faultsOf(page))).map((fault) => `${address}: ${fault}`))
      for (const href of await page
        .locator('a[href^="/"]')
        .evaluateAll((all) => all.map((a) => a.getAttribute('href'))))
        links.add(href ?? '')
      await chooseLanguage(page, 'ms')
      for (const size of [phone, ...wider]) {
        await page.setViewportSize(size)
        const faults = await lasting(() => faultsOf(page))
        found.push(...faults.map((fault) => `${address} in Malay at ${size.width}: ${fault}`))
      }
      await page.setViewportSize(phone)
      for (const language of ['ms', 'en'] as const) {
        await chooseLanguage(page, language)
        const [over] = await withLargeText(page, () => lasting(() => widerThanWindow(page)))
        if (over) found.push(`${address} in ${language} with text at twice its size: ${over}`)
      }
    }
    expect(found).toEqual([])
  })
}

test('no page is left out', () => {
  const paths = pagePaths.filter((path) => !visitedElsewhere.includes(path))
  const isVisited = (path: string) =>
    [...visited].some((address) => new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`).test(address))
  expect(paths.filter((path) => !isVisited(path))).toEqual([])
})

test('every link on these pages is alive', async ({ guest }) => {
  const page = await guest()
  const dead: string[] = []
  for (const href of links) {
    const answer = await page.request.get(new URL(href, siteUrl()).href, { headers: { accept: 'text/html' } })
    if (!answer.ok()) dead.push(`${answer.status()} ${href}`)
  }
  expect(dead).toEqual([])
  expect(links.size).toBeGreaterThan(30)
})

/** Without loading the page again. */
async function chooseLanguage(page: Page, language: Language): Promise<void> {
  // A drawer that is open, and what a page keeps at the bottom of a phone, may be above it.
  await page.locator(`footer label[lang="${language}"] input`).evaluate((choice: HTMLInputElement) => choice.click())
  await expect(page.locator('html')).toHaveAttribute('lang', language)
}

/** What nobody should see, whatever the language and the width. */
async function faultsOf(page: Page): Promise<string[]> {
  const cut = (await cutOff(page)).map((what) => `cut off: ${what}`)
  const dotted = await page.getByText(/^[a-z]\w*(\.[\w-]+)+$/).allTextContents()
  // People may be called something with a dot, too.
  const keys = dotted.filter((text) => wordGroups.has(text.slice(0, text.indexOf('.'))))
  return [...cut, ...keys.map((key) => `words are missing: ${key}`)]
}

/** What is found again and again: a page may need a moment to follow a new width or language. */
async function lasting(look: () => Promise<string[]>): Promise<string[]> {
  try {
    await expect.poll(look, { timeout: FOLLOWS_WITHIN_MS }).toEqual([])
    return []
  } catch {
    return await look()
  }
}

/** As for people who have set their browser so. */
async function withLargeText<Result>(page: Page, look: () => Promise<Result>): Promise<Result> {
  const setSize = (fontSize: string) =>
    page.evaluate((size) => {
      document.documentElement.style.fontSize = size
    }, fontSize)
  await setSize('200%')
  const seen = await look()
  await setSize('')
  return seen
}

/** A page that has to be scrolled sideways. */
async function widerThanWindow(page: Page): Promise<string[]> {
  return await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement
    return scrollWidth > clientWidth ? [`the page, ${scrollWidth} px`] : []
  })
}

/** Words that do not fit where they are, and that do not say so by three dots; and a page that is wider than the window. */
async function cutOff(page: Page): Promise<string[]> {
  const cut = await page.evaluate(() => {
    const elements = [...document.querySelectorAll<HTMLElement>('main *')].filter((element) => {
      const { overflowX, textOverflow, webkitLineClamp, clipPath, position } = getComputedStyle(element)
      if (overflowX !== 'hidden' && overflowX !== 'clip') return false
      if (textOverflow === 'ellipsis' || webkitLineClamp !== 'none' || clipPath !== 'none' || position === 'absolute')
        return false
      const hasWords = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim())
      return hasWords && element.clientWidth > 1 && element.scrollWidth > element.clientWidth + 1
    })
    return elements.map((element) => `${element.tagName} ${element.textContent?.slice(0, 60)}`)
  })
  return [...(await widerThanWindow(page)), ...cut]
}
