import { expect, type Page } from '@playwright/test'
import { expectNoViolations } from './axe.ts'
import { openAuction, test, toast } from './site.ts'

test('no page has an accessibility violation, light or dark', async ({ guest, as }) => {
  test.setTimeout(120_000)
  const auction = await openAuction({ name: 'Plain', endsInS: 600, startingPrice: 10, bidIncrement: 1 })
  const visitor = await guest()
  const seller = await as('sarah')
  const buyer = await as('bala')
  const views: readonly (readonly [page: Page, address: string, sign: string])[] = [
    [visitor, '/', 'Recent Listings'],
    [visitor, '/products', 'Explore Our Collection'],
    [visitor, `/products/${auction.productId}`, 'Plain'],
    [visitor, '/products?search=nothing-smells-like-this', 'No products found'],
    [visitor, '/products?category=4&type=auction&minPrice=10&brand=Byredo', 'Niche'],
    [visitor, '/products?search=sauvge', 'Search Results'],
    [visitor, `/auctions/${auction.id}`, 'Plain'],
    [visitor, '/auctions/999999', 'Auction Not Found'],
    [visitor, `/sellers/${auction.sellerId}?tab=active`, 'Seller Information'],
    [visitor, `/sellers/${auction.sellerId}?tab=reviews`, 'Seller Information'],
    [visitor, '/sellers/999999', 'Seller Not Found'],
    [visitor, '/auth', 'Sign In'],
    [visitor, '/register', 'Register'],
    [visitor, '/terms-of-service', 'Terms of Service'],
    [visitor, '/no/such/page', '404 Page Not Found'],
    [buyer, '/messages', 'Messages'],
    [seller, `/auctions/${auction.id}`, 'Plain'],
    [seller, '/seller/products/new?type=auction', 'Create an auction'],
    [seller, '/seller/products/new?type=fixed', 'List a perfume'],
  ]
  for (const [page, address, sign] of views) {
    await page.goto(address)
    await expect(page.getByRole('heading', { name: sign }).first()).toBeVisible()
    await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
    await expectNoViolations(page, address)
  }

  await buyer.goto(`/auctions/${auction.id}`)
  await expect(buyer.getByText('Connected', { exact: true })).toBeVisible()
  await buyer.getByRole('button', { name: 'Place Bid' }).click()
  await expect(toast(buyer)).toContainText('Bid Placed!')
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

test('filters, pictures and favourites have none either', async ({ guest, as }) => {
  test.setTimeout(120_000)
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
  await expect(toast(buyer)).toContainText('Removed from your wishlist')
  await expectNoViolations(buyer, 'a favourite that can be brought back')
})

test('an auction can be followed and bid on with the keyboard alone', async ({ as }) => {
  const auction = await openAuction({ name: 'Keys', endsInS: 600, startingPrice: 10, bidIncrement: 1 })
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
