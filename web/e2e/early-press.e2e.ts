import { expect, type Page } from '@playwright/test'
import { addPictures, holdScript, listBottle, openAuction, openRendered, readBids, test, untilAtWork } from './site.ts'

/** Opens a page as it is before its script has come, which then comes when it is let go. */
async function openWithoutScript(page: Page, address: string): Promise<() => Promise<void>> {
  const letGo = await holdScript(page)
  await openRendered(page, address)
  return async () => {
    letGo()
    await untilAtWork(page)
  }
}

test('what a guest presses before the script has come happens once it has, and once', async ({ guest }) => {
  const page = await guest()
  const bottle = await listBottle({ name: 'Early Press', price: 45, listingType: 'fixed' })
  const address = `/products/${bottle.id}`
  const letGo = await openWithoutScript(page, address)
  const save = page.getByRole('button', { name: 'Save Early Press to your wishlist' })
  // Nothing seems to happen, so that one presses again.
  await save.click()
  await save.click()
  await letGo()
  await expect(page.getByRole('button', { name: 'Remove Early Press from your wishlist' })).toHaveAttribute(
    'aria-pressed',
    'true',
  )
  expect(await page.evaluate(() => localStorage.getItem('wangian-wishlist'))).toBe(JSON.stringify([bottle.id]))
  await expect(page).toHaveURL(address)
})

test('keys count as presses do, and the last one is what somebody wanted', async ({ guest }) => {
  const page = await guest()
  await page.setViewportSize({ width: 390, height: 844 })
  const letGoList = await openWithoutScript(page, '/products')
  await page.getByRole('button', { name: 'Filters' }).focus()
  await page.keyboard.press('Enter')
  await letGoList()
  await expect(page.getByRole('dialog', { name: 'Filters' })).toBeVisible()

  const bottle = await listBottle({ name: 'Early Keys', price: 45, listingType: 'fixed' })
  await addPictures(bottle.id, 3)
  const letGoProduct = await openWithoutScript(page, `/products/${bottle.id}`)
  await page.getByRole('button', { name: 'Share' }).click()
  const second = page.getByRole('button', { name: 'Show picture 2' })
  await second.focus()
  await page.keyboard.press('ArrowRight')
  await letGoProduct()
  await expect(second).toHaveAttribute('aria-current', 'true')
  await expect(page.getByText('Link copied')).toHaveCount(0)
})

test('whoever is signed in is known before what they pressed is repeated', async ({ as }) => {
  const page = await as('bala')
  const bottle = await listBottle({ name: 'Early Question', price: 45, listingType: 'fixed' })
  const letGo = await openWithoutScript(page, `/products/${bottle.id}`)
  await page.getByRole('button', { name: 'Contact Seller' }).click()
  await letGo()
  await expect(page).toHaveURL(/\/messages/)
})

test('whoever comes back is known before what they press in the first moment is done', async ({ as }) => {
  const page = await as('bala')
  const bottle = await listBottle({ name: 'Returning Question', price: 45, listingType: 'fixed' })
  // Whenever they open a page their token has ended, and a new one takes its time. The page before may write one until it is left.
  await page.addInitScript(() => localStorage.removeItem('app_token'))
  for (const press of ['Contact Seller', 'Report this listing']) {
    const renewed = Promise.withResolvers<void>()
    await page.route('**/api/v1/auth/session', async (route) => {
      await renewed.promise
      await route.continue()
    })
    await page.goto(`/products/${bottle.id}`)
    await page.getByRole('button', { name: press, exact: true }).dblclick()
    await expect(page).toHaveURL(/\/products\//)
    renewed.resolve()
    if (press === 'Contact Seller') await expect(page).toHaveURL(/\/messages$/)
    else await expect(page.getByRole('dialog', { name: 'Report' })).toBeVisible()
    await page.unrouteAll()
  }
})

test('what is typed and chosen before the script has come stays', async ({ guest }) => {
  const page = await guest()
  await page.emulateMedia({ colorScheme: 'light' })
  await listBottle({ name: 'Early Words', price: 45, listingType: 'fixed' })
  const letGo = await openWithoutScript(page, '/products?type=fixed')
  const words = page.getByRole('main').getByRole('search').getByRole('searchbox')
  await words.fill('early wo')
  await page.getByRole('contentinfo').getByText('Dark', { exact: true }).click()
  await words.focus()
  await words.press('End')
  await letGo()
  await expect(page.locator('html')).toHaveAttribute('data-scheme', 'dark')
  await expect(page.getByRole('radio', { name: 'Dark' })).toBeChecked()
  await expect(words).toBeFocused()
  await page.keyboard.type('rds')
  await expect(words).toHaveValue('early words')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/products?type=fixed&search=early+words')
  await expect(page.getByRole('article').first()).toContainText('Early Words')
})

test('a list can be searched before its script runs, with all that it is narrowed by', async ({ guest }) => {
  const page = await guest()
  await openWithoutScript(page, '/products?type=fixed&sort=newest')
  const words = page.getByRole('main').getByRole('search').getByRole('searchbox')
  await words.fill('oud')
  await words.press('Enter')
  await expect(page).toHaveURL('/products?type=fixed&sort=newest&search=oud')
})

test('nothing is bid before the script has come', async ({ as }) => {
  const page = await as('bala')
  const lot = await openAuction({ name: 'Early Lot', startingPrice: 70, bidIncrement: 5 })
  const letGo = await openWithoutScript(page, `/auctions/${lot.id}`)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Early Lot')
  // It stands there already, so that nothing moves, and cannot be reached.
  const form = page.getByRole('main').locator('[inert] form')
  await expect(form).toBeVisible()
  await form.locator('[type=submit]').click({ force: true })
  await page.keyboard.press('Enter')
  await letGo()
  await expect(page.getByRole('button', { name: 'Place Bid' })).toBeVisible()
  await expect(page).toHaveURL(`/auctions/${lot.id}`)
  expect(await readBids(lot.id)).toEqual([])
})
