import { expect, type Locator, type Page } from '@playwright/test'
import { expectNoViolations } from './axe.ts'
import { addPictures, openAuction, placeBid, test } from './site.ts'
import { expectToast } from './toasts.ts'

/** States of pages. As most people see them, the journey that visits every page looks at them. */
const states = [
  ['/products?search=nothing-smells-like-this', 'No products found'],
  ['/products?category=4&type=auction&minPrice=10&brand=Byredo', 'Niche'],
  ['/products?search=sauvge', 'Search Results'],
  ['/products/999999', 'Product Not Found'],
  ['/auctions/999999', 'Auction Not Found'],
  ['/sellers/2?tab=active', 'Seller Information'],
  ['/sellers/2?tab=reviews', 'Seller Information'],
  ['/sellers/999999', 'Seller Not Found'],
  ['/no/such/page', '404 Page Not Found'],
] as const

test('no state of a page has an accessibility violation', async ({ guest }) => {
  const page = await guest()
  for (const [address, sign] of states) await expectInOrder(page, address, sign)
})

test('neither form of a listing has one', async ({ as }) => {
  const page = await as('sarah')
  await expectInOrder(page, '/seller/products/new?type=auction', 'Create an auction')
  await expectInOrder(page, '/seller/products/new?type=fixed', 'List a perfume')
})

test('the form of bids, a toast and the menu have none either', async ({ as }) => {
  const auction = await openAuction({ name: 'Bidden', startingPrice: 10, bidIncrement: 1 })
  const buyer = await as('bala')
  await buyer.goto(`/auctions/${auction.id}`)
  await placeBid(buyer)
  await buyer.getByRole('button', { name: 'My Account' }).click()
  await expect(buyer.getByRole('menuitem', { name: 'Logout' })).toBeVisible()
  await expectNoViolations(buyer, 'the form, a toast and the menu')
})

test('no primitive has an accessibility violation, light or dark', async ({ guest }) => {
  const page = await guest()
  await page.goto('/dev/ui')
  await expect(page.getByRole('heading', { name: 'Facts and states' })).toBeVisible()
  await expectNoViolations(page, '/dev/ui')
})

test('filters and the details of a product have none either', async ({ guest }) => {
  const visitor = await guest()
  await visitor.setViewportSize({ width: 390, height: 844 })
  await visitor.goto('/products?category=1&type=fixed')
  await visitor.getByRole('button', { name: 'Filters (2)' }).click()
  const drawer = visitor.getByRole('dialog', { name: 'Filters' })
  await expect(drawer.getByRole('button', { name: /Apply Filters \(/ })).toBeVisible()
  await expectNoViolations(visitor, 'the drawer of filters')
  await visitor.keyboard.press('Escape')
  await visitor.getByRole('article').first().getByRole('link').click()
  await visitor.getByRole('tab', { name: 'Details' }).click()
  await expect(visitor.locator('[aria-busy="true"]')).toHaveCount(0)
  await expectNoViolations(visitor, 'the details of a product')
})

test('favourites have none either', async ({ as }) => {
  const buyer = await as('bala')
  await buyer.goto('/products?type=fixed')
  const heart = buyer.getByRole('article').first().getByRole('button', { name: 'wishlist' })
  await expect(buyer.locator('[aria-busy="true"]')).toHaveCount(0)
  if ((await heart.getAttribute('aria-pressed')) === 'false') await heart.click()
  await expect(heart).toHaveAttribute('aria-pressed', 'true')
  await buyer.goto('/account/favorites')
  await expect(buyer.getByRole('article').first()).toBeVisible()
  await expectNoViolations(buyer, 'the favourites')
  await buyer.getByRole('article').first().getByRole('button', { name: 'from your wishlist' }).click()
  await expectToast(buyer, 'Removed from your wishlist')
  await expectNoViolations(buyer, 'a favourite that can be brought back')
})

test('what opens above a page has none either', async ({ guest, as }) => {
  const { productId } = await openAuction({ name: 'Layers', startingPrice: 10, bidIncrement: 1 })
  await addPictures(productId, 3)
  const visitor = await guest()
  await visitor.goto('/products')
  await visitor.getByRole('combobox', { name: 'Sort by' }).click()
  await expect(visitor.getByRole('option', { name: 'Best Selling' })).toBeVisible()
  await expectNoViolations(visitor, 'the menu of sorts')
  await visitor.goto(`/products/${productId}`)
  await expect(visitor.getByText('1 / 3')).toBeVisible()
  await expect(visitor.locator('[aria-busy="true"]')).toHaveCount(0)
  await expectNoViolations(visitor, 'a gallery of several pictures')
  await visitor.getByRole('button', { name: /Enlarge the picture/ }).click()
  await expect(visitor.getByRole('dialog', { name: 'Pictures of Layers' }).getByText('1 / 3')).toBeVisible()
  await expectNoViolations(visitor, 'the enlarged pictures')

  const seller = await as('sarah')
  await seller.goto(`/products/${productId}`)
  await expect(seller.getByRole('link', { name: 'Edit listing' })).toBeVisible()
  await expectNoViolations(seller, "a seller's own product")
})

test("what opens above a seller's own page has none either", async ({ as }) => {
  const seller = await as('sarah')
  await seller.goto('/profile')
  const layers = [
    ['Edit Profile', 'dialog', 'Edit Profile'],
    ['Add Cover Photo', 'dialog', 'Change your cover photo'],
    ['Change picture', 'dialog', 'Change your picture'],
    [/^(Verified Seller|Not verified yet)$/, 'dialog', 'The verified badge'],
  ] as const
  for (const [button, role, name] of layers) {
    await seller.getByRole('button', { name: button }).click()
    await expect(seller.getByRole(role, { name })).toBeVisible()
    await expect(seller.locator('[data-starting-style]')).toHaveCount(0)
    await expectNoViolations(seller, name)
    await seller.keyboard.press('Escape')
    await expect(seller.getByRole(role, { name })).toBeHidden()
  }
})

const failing = [
  ['/products', '**/api/products?*', 'Try Again'],
  ['/products/1', '**/api/products/1', 'Try Again'],
  ['/sellers/2', '**/api/sellers/2', 'Try Again'],
  ['/sellers/2?tab=active', '**/api/sellers/2/products?*', 'Retry'],
  ['/sellers/2?tab=reviews', '**/api/sellers/2/reviews*', 'Retry'],
] as const

test('nor has a page that is on its way, or does not come', async ({ guest }) => {
  const page = await guest()
  for (const [address, asked, button] of failing) {
    const { promise: isLooked, resolve: wasLooked } = Promise.withResolvers<void>()
    const { promise: isAsked, resolve: wasAsked } = Promise.withResolvers<void>()
    await page.route(asked, async (route) => {
      wasAsked()
      await isLooked
      await route.abort()
    })
    // Nothing waits where the gateway has rendered the page, which it does not for an address without end.
    const endless = `${address}${address.includes('?') ? '&' : '?'}from=${'a'.repeat(1_000)}`
    await page.goto(endless, { waitUntil: 'domcontentloaded' })
    // Before that it is the page's script that is on its way, and not yet the page.
    await isAsked
    await expect(page.locator('[aria-busy="true"]').first()).toBeVisible()
    await expectNoViolations(page, `${address} on its way`)
    wasLooked()
    await expect(page.getByRole('button', { name: button })).toBeVisible()
    await expectNoViolations(page, `${address}, not there`)
    await page.unroute(asked)
  }
})

test('the prices that a list is narrowed to can be read in letters twice as large', async ({ guest }) => {
  const page = await guest()
  await page.goto('/products?minPrice=450')
  await page.addStyleTag({ content: 'html { font-size: 200% }' })
  const filters = page.getByRole('complementary', { name: 'Filters' })
  await expect(filters.locator('output')).toHaveText(/^RM/)
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
  const rightOf = async (element: Locator) => {
    const box = await element.boundingBox()
    return box ? box.x + box.width : Number.NaN
  }
  expect(await rightOf(filters.locator('output'))).toBeLessThanOrEqual(await rightOf(filters))
})

test('an auction can be followed and bid on with the keyboard alone', async ({ as }) => {
  const auction = await openAuction({ name: 'Keys', startingPrice: 10, bidIncrement: 1 })
  const page = await as('bala')
  await page.goto(`/auctions/${auction.id}`)
  await expect(page.getByText('Connected', { exact: true })).toBeVisible()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused()
  await page.keyboard.press('Enter')
  const field = page.getByRole('spinbutton')
  for (
    let presses = 0;
    presses < 10 && !(await field.evaluate((node) => node === document.activeElement));
    presses += 1
  ) {
    await page.keyboard.press('Tab')
  }
  await expect(field).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByText('You are the highest bidder')).toBeVisible()
  await page.getByRole('tab', { name: 'Bid History' }).focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('tab', { name: 'Product Details' })).toHaveAttribute('aria-selected', 'true')
})

async function expectInOrder(page: Page, address: string, sign: string): Promise<void> {
  await page.goto(address)
  await expect(page.getByRole('heading', { name: sign }).first()).toBeVisible()
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
  await expectNoViolations(page, address)
}

test('what is chosen can be told from what is not in a contrast theme', async ({ guest }) => {
  const page = await guest()
  await page.emulateMedia({ forcedColors: 'active' })
  await page.goto('/dev/ui')
  await expectSeen(page.getByRole('radio', { name: 'designer' }), (radio) => radio.check())
  await expectSeen(page.getByRole('switch', { name: 'Off' }), (knob) => knob.check())
  await expectSeen(page.getByRole('checkbox', { name: 'Maison Francis Kurkdjian' }), (box) => box.check())
  await expectSeen(page.getByRole('tab', { name: 'Sold' }), (tab) => tab.click())
  await page.getByRole('button', { name: 'Actions for Oud Wood' }).first().click()
  await expectSeen(page.getByRole('menuitem').last(), (item) => item.hover())
})

/** Looks different when it is chosen, with neither the pointer nor the focus beside it to show it. */
async function expectSeen(element: Locator, choose: (element: Locator) => Promise<void>): Promise<void> {
  const before = await element.screenshot()
  await choose(element)
  expect((await element.screenshot()).equals(before), String(element)).toBe(false)
}
