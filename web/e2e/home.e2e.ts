import { expect, type Page } from '@playwright/test'
import { complaintsOf, holdScript, openRendered, siteUrl, test, untilAtWork } from './site.ts'

// What moves is measured.
test.use({ contextOptions: { reducedMotion: 'no-preference' } })

const firstScript = '**/assets/first-*.js'
const headline = (page: Page) => page.getByRole('heading', { level: 1 })
const search = (page: Page) => page.getByRole('main').getByRole('searchbox')

/** What the page asks the catalogue, and what it complains of in the console. */
function follow(page: Page): { readonly asked: string[]; readonly complaints: string[] } {
  const asked: string[] = []
  page.on('request', (request) => {
    const { pathname, search: query } = new URL(request.url())
    if (pathname.startsWith('/api/products')) asked.push(pathname + query)
  })
  return { asked, complaints: complaintsOf(page) }
}

async function expectListings(page: Page): Promise<void> {
  await expect(page.getByRole('region', { name: 'Recent Listings' }).getByRole('article')).toHaveCount(6)
}

test('the home page can be read and searched before its script runs', async ({ browser }) => {
  const context = await browser.newContext({ baseURL: siteUrl(), javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto('/')
  await expect(headline(page)).toBeVisible()
  await search(page).fill('oud')
  await page.getByRole('button', { name: 'Start Shopping' }).click()
  await expect(page).toHaveURL('/products?search=oud')
  await context.close()
})

test('its script takes it over as it is, and asks nothing twice', async ({ guest, as }) => {
  for (const page of [await guest(), await as('bala')]) {
    const { asked, complaints } = follow(page)
    await page.route(firstScript, async (route) => {
      await search(page).fill('oud')
      await headline(page).evaluate((element) => element.setAttribute('data-was-there', ''))
      await route.continue()
    })
    await page.goto('/')
    await expectListings(page)
    await expect(headline(page)).toHaveAttribute('data-was-there')
    await expect(search(page)).toHaveValue('oud')
    // Of the shelves one may still be on its way.
    await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
    expect(asked.toSorted()).toEqual([
      '/api/products/featured',
      '/api/products/live?limit=6',
      '/api/products?type=fixed&type=negotiable&limit=24',
    ])
    // Who was there before has left some that are sold, which lead nowhere.
    const bottles = await page
      .getByRole('main')
      .getByRole('article')
      .locator('a[href^="/products/"], a[href^="/auctions/"]')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href')))
    expect(await page.getByRole('main').getByRole('article').count()).toBeGreaterThan(6)
    expect(new Set(bottles).size, 'each bottle once').toBe(bottles.length)
    await page.getByRole('button', { name: 'Start Shopping' }).click()
    await expect(page.getByRole('heading', { name: 'Search Results for “oud”' })).toBeVisible()
    await expect(page.getByRole('banner')).toBeVisible()
    expect(complaints).toEqual([])
    await page.unrouteAll()
  }
})

test('it knows before that who is signed in, and which colours they chose', async ({ as, guest }) => {
  const member = await as('bala')
  await member.emulateMedia({ colorScheme: 'light' })
  await member.goto('/')
  const background = () => member.evaluate(() => getComputedStyle(document.body).backgroundColor)
  const light = await background()
  await member.getByRole('contentinfo').getByText('Dark', { exact: true }).click()
  const dark = await background()
  expect(dark).not.toBe(light)
  const visitor = await guest()
  for (const page of [member, visitor]) {
    await page.route(firstScript, (route) => route.abort())
    await page.goto('/', { waitUntil: 'load' })
  }
  expect(await background()).toBe(dark)
  await expect(member.getByText('Sign In')).toBeHidden()
  await expect(visitor.getByText('Sign In')).toBeVisible()
  await member.unrouteAll()
  await member.goto('/')
  await member.getByRole('contentinfo').getByText('System', { exact: true }).click()
})

test('the picture of a product comes while the page still loads, and once', async ({ guest }) => {
  const page = await guest()
  const pictures: string[] = []
  page.on('request', (request) => {
    // A page that was not rendered in time is opened again.
    if (request.isNavigationRequest()) pictures.length = 0
    if (request.url().includes('/api/images/')) pictures.push(request.url())
  })
  await page.goto('/products?type=fixed')
  // Others are the placeholder, or from elsewhere.
  const stored = page.getByRole('article').filter({ has: page.locator('img[src*="/api/images/"]') })
  const path = await stored.first().getByRole('link').getAttribute('href')
  for (const width of [390, 1440]) {
    // The page before would ask for its picture in the new width.
    await page.goto('about:blank')
    await page.setViewportSize({ width, height: 844 })
    const letGo = await holdScript(page)
    await openRendered(page, path ?? '')
    await expect.poll(() => pictures).toHaveLength(1)
    letGo()
    await untilAtWork(page)
    const picture = page.getByRole('main').getByRole('img').first()
    await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.currentSrc)).toBe(pictures[0])
    expect(pictures.filter((url) => url === pictures[0])).toHaveLength(1)
    await page.unrouteAll()
  }
})

test('what a page shows comes with it or is asked for while its script still loads, and once', async ({ guest }) => {
  const page = await guest()
  const oneOf = async (type: string) => (await (await page.request.get(`/api/products?type=${type}&limit=1`)).json())[0]
  const [bottle, lot] = [await oneOf('fixed'), await oneOf('auction')]
  const shop = `/api/sellers/${bottle.sellerId}`
  const asked: string[] = []
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url())
    asked.push(pathname + search)
  })
  for (const { path, file, reads } of [
    {
      path: '/products',
      file: 'ProductsPage',
      reads: ['/api/products?sort=featured&limit=24', '/api/products/facets'],
    },
    { path: `/products/${bottle.id}`, file: 'ProductPage', reads: [`/api/products/${bottle.id}`, shop] },
    { path: `/auctions/${lot.auction.id}`, file: 'AuctionPage', reads: [`/api/auctions/${lot.auction.id}`] },
    { path: `/sellers/${bottle.sellerId}`, file: 'ShopPage', reads: [shop] },
  ]) {
    const countOf = (address: string) => asked.filter((each) => each.replace(/-[^/]*\.js$/, '') === address).length
    const files = [...reads, `/assets/${file}`]
    asked.length = 0
    const letGo = await holdScript(page)
    const response = await page.goto(path, { waitUntil: 'commit' })
    // What was rendered has come with it, and is read again.
    const isServed = (await response?.text())?.includes('id="served"')
    await expect.poll(() => files.map(countOf)).toEqual([...reads.map(() => (isServed ? 0 : 1)), 1])
    letGo()
    await untilAtWork(page)
    await expect(headline(page)).toBeVisible()
    await page.waitForLoadState('networkidle')
    expect(files.map(countOf)).toEqual(files.map(() => 1))
  }
})

test('nothing moves while it comes', async ({ guest }) => {
  for (const width of [360, 390, 768, 1440]) {
    const page = await guest()
    await page.setViewportSize({ width, height: 844 })
    await page.addInitScript(() => {
      const shifts = { score: 0 }
      Object.assign(window, { shifts })
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) shifts.score += (entry as PerformanceEntry & { value: number }).value
      }).observe({ type: 'layout-shift', buffered: true })
    })
    // The faces and the script come long after the first paint, as they do on a phone.
    await page.route(/\.woff2$|first-.*\.js$/, async (route) => {
      await expect(headline(page)).toBeVisible()
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
      await route.continue()
    })
    await page.goto('/')
    await expectListings(page)
    await page.waitForLoadState('networkidle')
    const score = await page.evaluate(() => (window as unknown as { shifts: { score: number } }).shifts.score)
    expect(score, `at ${width} px`).toBeLessThan(0.01)
  }
})
