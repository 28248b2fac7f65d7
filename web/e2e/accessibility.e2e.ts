import { expect, type Page } from '@playwright/test'
import { expectNoViolations } from './axe.ts'
import { addPictures, openAuction, test, toast } from './site.ts'

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
    [visitor, '/products/999999', 'Product Not Found'],
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

test('what opens above a page has none either', async ({ guest, as }) => {
  test.setTimeout(120_000)
  const { productId, sellerId } = await openAuction({
    name: 'Layers',
    endsInS: 600,
    startingPrice: 10,
    bidIncrement: 1,
  })
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
  await seller.goto(`/sellers/${sellerId}`)
  const layers = [
    ['Edit Profile', 'dialog', 'Edit Profile'],
    ['Add Cover Photo', 'dialog', 'Change your cover photo'],
    ['Change picture', 'dialog', 'Change your picture'],
    ['Not verified yet', 'dialog', 'The verified badge'],
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

test('what is on its way, or does not come, has none either', async ({ guest }) => {
  test.setTimeout(120_000)
  const page = await guest()
  const places = [
    ['/products', '**/api/products?*', 'Try Again'],
    ['/products/1', '**/api/products/1', 'Try Again'],
    ['/sellers/2', '**/api/sellers/2', 'Try Again'],
    ['/sellers/2?tab=active', '**/api/sellers/2/products?*', 'Retry'],
    ['/sellers/2?tab=reviews', '**/api/sellers/2/reviews*', 'Retry'],
  ] as const
  for (const [address, asked, button] of places) {
    const { promise: isLooked, resolve: wasLooked } = Promise.withResolvers<void>()
    await page.route(asked, async (route) => {
      await isLooked
      await route.abort()
    })
    await page.goto(address, { waitUntil: 'domcontentloaded' })
    await expect(page.locator('[aria-busy="true"]').first()).toBeVisible()
    await expectNoViolations(page, `${address}, on its way`)
    wasLooked()
    await expect(page.getByRole('button', { name: button })).toBeVisible()
    await expectNoViolations(page, `${address}, not there`)
    await page.unroute(asked)
  }
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
