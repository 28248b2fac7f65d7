import { expect, type Page } from '@playwright/test'
import { Product } from '@wangian/contracts/catalogue.ts'
import { z } from 'zod'
import { signIn, siteUrl, test } from './site.ts'
import { expectToast, toast } from './toasts.ts'

const cards = (page: Page) => page.getByRole('region', { name: /Perfumes|Search Results|Niche/ }).getByRole('article')
const scrollY = (page: Page) => page.evaluate(() => window.scrollY)

test('a result is narrowed, shared, and come back to at the same place', async ({ guest, browser }) => {
  const page = await guest()
  await page.goto('/')
  await page.getByRole('main').getByRole('searchbox').fill('eau')
  await page.getByRole('button', { name: 'Start Shopping' }).click()
  await expect(page.getByRole('heading', { name: 'Search Results for “eau”' })).toBeVisible()
  await page.goto('/products?category=4')

  const filters = page.getByRole('complementary', { name: 'Filters' })
  await filters.getByRole('slider', { name: 'Lowest price' }).focus()
  for (let presses = 0; presses < 5; presses += 1) await page.keyboard.press('ArrowRight')
  await expect(filters.getByText('RM 50 – RM 500+')).toBeVisible()
  await filters.getByRole('checkbox').first().check()
  await filters.getByRole('button', { name: 'Apply Filters' }).click()
  await expect(page).toHaveURL(/\/products\?category=4&minPrice=50&brand=[^&]+$/)
  // The chip comes together with the skeletons of the new list, so the first name after it is one of the new list.
  await expect(page.getByRole('button', { name: /Remove the filter RM 50/ })).toBeVisible()
  await expect(cards(page).getByRole('heading').first()).toBeVisible()
  const names = await cards(page).getByRole('heading').allTextContents()

  const context = await browser.newContext({ baseURL: siteUrl() })
  const friend = await context.newPage()
  await friend.goto(page.url())
  await expect(cards(friend).getByRole('heading')).toHaveText(names)
  // It need not be the first one any more: the brands are in the order of the narrowed list.
  const brand = new URL(page.url()).searchParams.get('brand') ?? ''
  const ticked = friend.getByRole('complementary', { name: 'Filters' }).getByRole('checkbox', { checked: true })
  await expect(ticked.and(friend.getByRole('checkbox', { name: brand }))).toHaveCount(1)
  await context.close()

  await page.getByRole('button', { name: /Remove the filter RM 50/ }).click()
  await expect(page).toHaveURL(/\/products\?category=4&brand=[^&]+$/)
  await page.getByRole('complementary', { name: 'Filters' }).getByRole('button', { name: 'Reset' }).click()
  await expect(page).toHaveURL('/products')

  await page.getByRole('button', { name: 'Show more' }).click()
  await expect(cards(page)).toHaveCount(48)
  const link = cards(page).nth(40).getByRole('link')
  const name = await link.textContent()
  await link.scrollIntoViewIfNeeded()
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
  const before = await scrollY(page)
  expect(before).toBeGreaterThan(1000)
  await link.click()
  await expect(page.getByRole('heading', { name: name ?? '', level: 1 })).toBeVisible()
  await expect.poll(() => scrollY(page)).toBe(0)

  // From memory: nothing is asked for again.
  let listings = 0
  page.on('request', (request) => {
    if (/\/api\/products\?/.test(request.url()) && request.url().includes('sort=featured')) listings += 1
  })
  await page.goBack()
  await expect(cards(page)).toHaveCount(48)
  expect(listings).toBe(0)
  await expect.poll(() => scrollY(page)).toBe(before)
  await expect(link).toBeFocused()

  await page.reload()
  await expect(cards(page)).toHaveCount(48)
  await expect.poll(() => scrollY(page)).toBe(before)
})

test('misspelt words are understood, and a list can be sorted', async ({ guest }) => {
  const page = await guest()
  await page.goto('/products?search=sauvge')
  await expect(page.getByText('Showing results for “sauvage”')).toBeVisible()
  await page.goto('/products')
  await page.getByRole('combobox', { name: /Sort by/ }).click()
  // Until the sorted list is there the button belongs to the one before.
  const sorted = page.waitForResponse(/\/api\/products\?.*sort=price-asc/)
  await page.getByRole('option', { name: 'Price: Low to High' }).click()
  await expect(page).toHaveURL('/products?sort=price-asc')
  await sorted
  await page.getByRole('button', { name: 'Show more' }).press('Enter')
  await expect(cards(page)).toHaveCount(48)
  // What is sold leads nowhere.
  const focused = () => cards(page).evaluateAll((all) => all.findIndex((card) => card.contains(document.activeElement)))
  await expect.poll(focused).toBeGreaterThanOrEqual(24)
})

test('on a phone the filters are in a drawer that says how much they find', async ({ browser }) => {
  const context = await browser.newContext({
    baseURL: siteUrl(),
    viewport: { width: 390, height: 844 },
    hasTouch: true,
  })
  const page = await context.newPage()
  await page.goto('/products?type=auction')
  await expect(page.getByRole('button', { name: 'Remove the filter Auction' })).toBeVisible()
  await page.getByRole('button', { name: 'Filters (1)', exact: true }).click()
  const drawer = page.getByRole('dialog', { name: 'Filters' })
  await drawer.getByRole('radio', { name: 'Any type' }).check()
  await drawer.getByRole('radio', { name: 'Local' }).check()
  const local = await page.evaluate(async () => {
    const response = await fetch('/api/products?category=2&limit=1')
    return response.headers.get('x-total-count')
  })
  await drawer.getByRole('button', { name: `Apply Filters (${local})` }).click()
  await expect(drawer).toBeHidden()
  await expect(page).toHaveURL('/products?category=2')
  await expect(page.getByText(`${local} perfumes`)).toBeVisible()
  await expect(page.getByRole('button', { name: 'Filters (1)', exact: true })).toBeFocused()
  await context.close()
})

test('what a guest keeps is kept after signing in, and in another browser', async ({ guest }) => {
  const page = await guest()
  await page.goto('/products?category=3')
  const card = page.getByRole('article').nth(1)
  const name = await card.getByRole('heading').textContent()
  await card.getByRole('button', { name: 'to your wishlist' }).click()
  await expect(card.getByRole('button', { name: 'from your wishlist' })).toHaveAttribute('aria-pressed', 'true')
  await page.reload()
  await expect(card.getByRole('button', { name: 'from your wishlist' })).toBeVisible()

  const merged = page.waitForResponse((response) => response.url().endsWith('/api/favorites/merge'))
  await page.getByRole('link', { name: 'Sign In' }).click()
  await signIn(page, 'mei')
  expect((await merged).status()).toBe(200)
  await expect(page).toHaveURL('/products?category=3')
  await expect(card.getByRole('button', { name: 'from your wishlist' })).toBeVisible()
  await expect.poll(() => page.evaluate(() => localStorage.getItem('wangian-wishlist'))).toBeNull()

  const elsewhere = await guest()
  await elsewhere.goto('/login')
  await signIn(elsewhere, 'mei')
  await expect(elsewhere.getByRole('button', { name: 'My Account' })).toBeVisible()
  await elsewhere.goto('/account/favorites')
  const favorite = elsewhere.getByRole('article').filter({ hasText: name ?? '' })
  await expect(favorite).toBeVisible()
  await favorite.getByRole('button', { name: 'from your wishlist' }).click()
  // At once: it goes by itself.
  await toast(elsewhere).getByRole('button', { name: 'Undo' }).click()
  await expectToast(elsewhere, 'Removed from your wishlist')
  await expect(favorite).toBeVisible()
  const removed = elsewhere.waitForResponse((response) => response.request().method() === 'DELETE')
  await favorite.getByRole('button', { name: 'from your wishlist' }).click()
  await expect(favorite).toBeHidden()
  expect((await removed).status()).toBe(204)
})

test('the pictures of a product are turned, enlarged and closed with the keyboard', async ({ guest }) => {
  const page = await guest()
  await page.goto('/products')
  await page
    .getByRole('article')
    .filter({ hasNot: page.getByRole('button', { name: 'Place Bid' }) })
    .filter({ has: page.locator('img') })
    .getByRole('link')
    .first()
    .click()
  await expect(page.getByRole('tab', { name: 'Description' })).toHaveAttribute('aria-selected', 'true')
  await page.getByRole('tab', { name: 'Details' }).click()
  await expect(page.getByText('Original purchase year')).toBeVisible()
  const enlarge = page.getByRole('button', { name: /Enlarge the picture/ })
  await enlarge.focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog', { name: /Pictures of/ })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toBeHidden()
  await expect(enlarge).toBeFocused()
})

test('a guest who writes to a seller signs in first, and comes back', async ({ guest }) => {
  const page = await guest()
  await page.goto('/products?sort=newest&type=fixed')
  await page
    .getByRole('article')
    .first()
    .getByRole('button', { name: /Contact seller/ })
    .click()
  await expectToast(page, ['Authentication Required', 'You need to log in to contact sellers.'])
  await signIn(page, 'bala')
  await expect(page).toHaveURL(/\/products\/\d+$/)
  await page.getByRole('button', { name: 'Contact Seller', exact: true }).click()
  await expect(page).toHaveURL('/messages')
})

test('auctions can be seen in the order in which they end', async ({ guest }) => {
  const page = await guest()
  await page.goto('/products?type=auction')
  await page.getByRole('combobox', { name: /Sort by/ }).click()
  const sorted = page.waitForResponse(/\/api\/products\?.*sort=ending-soonest/)
  await page.getByRole('option', { name: 'Ending Soonest' }).click()
  await expect(page).toHaveURL('/products?type=auction&sort=ending-soonest')
  const auctions = z.array(Product).parse(await (await sorted).json())
  const ends = auctions.flatMap(({ auction }) => (auction?.status === 'active' ? [auction.endsAt] : []))
  expect(ends.length).toBeGreaterThan(3)
  expect(ends).toEqual(ends.toSorted())
  // Those that have ended come after all that run.
  expect(auctions.findLastIndex(({ auction }) => auction?.status === 'active')).toBe(ends.length - 1)
  await page.goto('/products')
  await page.getByRole('combobox', { name: /Sort by/ }).click()
  await expect(page.getByRole('option', { name: 'Best Selling' })).toBeVisible()
  await expect(page.getByRole('option', { name: 'Ending Soonest' })).toHaveCount(0)
})

test('a row that was left is come back to, below the tabs of a page', async ({ as }) => {
  for (const [who, address, link] of [
    ['sarah', '/seller/dashboard', 'a[href^="/products/"]'],
    ['bala', '/account/orders', 'a[href^="/account/orders/"]'],
    ['admin', '/admin/dashboard?tab=listings', 'a[href^="/admin/listings/"]'],
  ] as const) {
    const page = await as(who)
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto(address)
    const last = page.getByRole('main').locator(link).last()
    // Whatever comes above it would move it.
    await expect(last).toBeVisible()
    await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
    await last.scrollIntoViewIfNeeded()
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
    const before = await scrollY(page)
    expect(before, address).toBeGreaterThan(500)
    await last.click()
    await expect.poll(() => scrollY(page), address).toBe(0)
    await page.goBack()
    await expect.poll(() => scrollY(page), address).toBe(before)
    await expect(last).toBeFocused()
  }
})
