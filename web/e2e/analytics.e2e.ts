import { expect, type Page } from '@playwright/test'
import { expectNoViolations } from './axe.ts'
import { listBottle, openAuction, placeBid, siteUrl, test } from './site.ts'

const question = (page: Page) => page.getByRole('region', { name: 'Counting visits' })
const namesOf = (told: readonly { name: string }[]) => told.map(({ name }) => name)

test('whoever looks, chooses, bids and writes is told of, step by step', async ({ guest, as, told }) => {
  const name = `Told Of ${Date.now()}`
  const bottle = await listBottle({ name, price: 40, listingType: 'fixed' })
  const visitor = await guest()
  await visitor.goto('/products')
  await visitor.getByRole('main').getByRole('searchbox', { name: 'Search perfumes' }).fill(name)
  await visitor.keyboard.press('Enter')
  // Until the answer is there the list before the search is shown, which may have it too.
  await expect(visitor.getByRole('main').getByRole('article')).toHaveCount(1)
  await visitor.getByRole('link', { name }).click()
  await expect(visitor.getByRole('heading', { level: 1, name })).toBeVisible()
  await expect.poll(() => namesOf(told)).toContain('view_item')
  const [selected] = told.filter(({ name }) => name === 'select_item')
  expect(selected?.parameters).toEqual({
    items: [
      {
        item_id: bottle.id,
        item_name: name,
        item_category: 'Niche',
        price: 40,
        item_brand: 'Maison Journey',
        quantity: 1,
        item_list_name: 'Product list',
        index: 0,
      },
    ],
  })
  expect(told.find(({ name }) => name === 'search')?.parameters).toEqual({
    search_term: name,
    search_results_count: 1,
  })
  // Once the page says what it is about, which may be after it is there.
  const views = () => told.filter(({ name }) => name === 'page_view').map(({ parameters }) => parameters)
  await expect.poll(views).toEqual([
    { page_path: '/products', page_title: expect.any(String), page_location: `${siteUrl()}/products` },
    {
      page_path: `/products/${bottle.id}`,
      page_title: `${name} · Maison Journey · Wangian`,
      page_location: `${siteUrl()}/products/${bottle.id}`,
    },
  ])
  await expect.poll(() => namesOf(told)).toContain('timing_complete')

  const auction = await openAuction({ name: 'Told Bids', startingPrice: 10, bidIncrement: 1 })
  told.length = 0
  const buyer = await as('bala')
  await buyer.goto(`/auctions/${auction.id}`)
  await placeBid(buyer)
  await expect
    .poll(() => told.find(({ name }) => name === 'place_bid')?.parameters)
    .toEqual({
      auction_id: auction.id,
      bid_amount: 11,
      currency: 'MYR',
    })
})

test('nobody is counted who has not agreed, and who has can take it back', async ({ browser }) => {
  const context = await browser.newContext({ baseURL: siteUrl(), viewport: { width: 390, height: 844 } })
  const asked: string[] = []
  // Google is told nothing by a test: this takes up what waits, and keeps a cookie, as its tag does.
  await context.route(/googletagmanager|google-analytics/, async (route) => {
    asked.push(route.request().url())
    const body = 'document.cookie = "_ga=GA1.1.2; path=/"; window.tagHasRun = true'
    await route.fulfill({ contentType: 'text/javascript', body })
  })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  const commands = () =>
    page.evaluate(() => (window.dataLayer ?? []).map((each) => JSON.parse(JSON.stringify([...(each as IArguments)]))))

  await page.goto('/')
  await expect(question(page)).toBeVisible()
  await expectNoViolations(page, 'the question')
  expect(asked).toEqual([])
  expect(await commands()).toEqual([])
  await page.goto('/login')
  await expect(page.getByRole('button', { name: 'Sign In', exact: true })).toBeVisible()
  await expect(question(page)).toBeHidden()

  // By keyboard: it comes between the header and the page.
  await page.goto('/products')
  await expect(question(page)).toBeVisible()
  await page.getByRole('link', { name: 'Sign In' }).focus()
  await page.keyboard.press('Tab')
  await expect(question(page).getByRole('link', { name: 'Privacy Policy' })).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(question(page).getByRole('button', { name: 'Yes, count it' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(question(page)).toBeHidden()
  await expect.poll(() => asked).toEqual(['https://www.googletagmanager.com/gtag/js?id=G-JOURNEYS'])
  await page.reload()
  await expect(question(page)).toBeHidden()
  await expect
    .poll(async () => (await commands()).map(([command, name]) => [command, name]))
    .toEqual(
      expect.arrayContaining([
        ['consent', 'default'],
        ['config', 'G-JOURNEYS'],
        ['event', 'page_view'],
        ['event', 'timing_complete'],
      ]),
    )
  await expect.poll(() => page.evaluate(() => document.cookie)).toContain('_ga=')

  await page.goto('/privacy-policy')
  await expect(page.getByRole('radio', { name: 'Yes, count them' })).toBeChecked()
  // One that is still on its way keeps its cookie whatever is chosen meanwhile.
  await page.waitForFunction(() => 'tagHasRun' in window)
  await page.getByRole('radio', { name: 'No, do not count them' }).check()
  expect(await page.evaluate(() => [typeof window.gtag, document.cookie])).toEqual(['undefined', ''])
  asked.length = 0
  await page.goto('/')
  await expect(page.getByRole('region', { name: 'Recent Listings' }).getByRole('article')).toHaveCount(6)
  await expect(question(page)).toBeHidden()
  expect(asked).toEqual([])
  expect(complaints).toEqual([])
  await context.close()
})
