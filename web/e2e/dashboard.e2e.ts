import { expect, type Page } from '@playwright/test'
import { expectNoViolations } from './axe.ts'
import { openAuction, placeBid, test } from './site.ts'
import { expectToast } from './toasts.ts'

const listOf = (page: Page) => page.getByRole('table', { name: 'Your products' })
const rowOf = (page: Page, name: string) =>
  listOf(page)
    .getByRole('row')
    .filter({ has: page.getByRole('link', { name, exact: true }) })
let made = 0
const newName = (kind: string) => {
  made += 1
  return `${kind} ${Date.now() % 1_000_000}${made}`
}

async function choose(page: Page, name: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${name}` }).click()
  await page.getByRole('menuitem', { name: action }).click()
}

/** Opens the dashboard with one product in view, which a moment ago nobody knew. */
async function find(page: Page, name: string): Promise<void> {
  await page.goto('/seller/dashboard')
  await page.getByRole('searchbox', { name: 'Search your products' }).fill(name)
  await expect(listOf(page).getByRole('link', { name })).toHaveCount(1)
  await expect(page).toHaveURL(`/seller/dashboard?search=${name.replaceAll(' ', '+')}`)
}

test('a seller finds their way around the dashboard', async ({ as }) => {
  const page = await as('sarah')
  await page.goto('/')
  await page.getByRole('link', { name: 'Sell', exact: true }).click()
  await expect(page).toHaveURL('/seller/dashboard')
  await expect(page.getByText('Total Products')).toBeVisible()
  await expect(listOf(page).getByRole('row').nth(1)).toBeVisible()

  const search = page.getByRole('searchbox', { name: 'Search your products' })
  await search.fill('no bottle of mine')
  await expect(page.getByRole('heading', { name: 'No products found' })).toBeVisible()
  await page.getByRole('button', { name: 'Clear search' }).click()
  await expect(listOf(page).getByRole('row').nth(1)).toBeVisible()
  await expect(page).toHaveURL('/seller/dashboard')

  for (const [tab, address] of [
    ['Boosted Products', '/seller/dashboard?tab=boosted'],
    ['Analytics', '/seller/dashboard?tab=analytics'],
    ['Settings', '/seller/dashboard?tab=settings'],
  ] as const) {
    await page.getByRole('tab', { name: tab }).click()
    await expect(page).toHaveURL(address)
  }
  await page.goBack()
  await expect(page.getByRole('tab', { name: 'Analytics' })).toHaveAttribute('aria-selected', 'true')
  await expect(page.getByRole('heading', { name: 'Top rated' })).toBeVisible()

  await page.goto('/seller/dashboard?payment=failed&message=The+bank+said+no')
  await expectToast(page, ['Payment Failed', 'The bank said no'])
  await expect(page).toHaveURL('/seller/dashboard')
})

test('on a phone the open tab is in view, with the count of boosts before it', async ({ as }) => {
  const page = await as('sarah')
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto('/seller/dashboard?tab=settings')
  await expect(page.getByRole('tab', { name: /Boosted Products \d/ })).toBeAttached()
  await expect(page.getByRole('tab', { name: 'Settings' })).toBeInViewport({ ratio: 0.95 })
})

test('on a phone what a seller has earned is on one line, however much it is', async ({ as }) => {
  const page = await as('sarah')
  await page.setViewportSize({ width: 390, height: 844 })
  await page.route('**/api/seller/analytics?*', async (route) => {
    const response = await route.fetch()
    const analytics = await response.json()
    await route.fulfill({ response, json: { ...analytics, totals: { ...analytics.totals, revenue: 1_234_567.8 } } })
  })
  await page.goto('/seller/dashboard?tab=analytics')
  const figure = page.getByText('RM 1,234,567.80')
  await expect(figure).toBeVisible()
  const { lines, isInside } = await figure.evaluate((node) => {
    const { height, right } = node.getBoundingClientRect()
    return {
      lines: Math.round(height / Number.parseFloat(getComputedStyle(node).lineHeight)),
      isInside: right < innerWidth,
    }
  })
  expect({ lines, isInside }).toEqual({ lines: 1, isInside: true })
})

test('which mails a seller wants is kept', async ({ as }) => {
  const page = await as('sarah')
  await page.goto('/seller/dashboard?tab=settings')
  const toggle = page.getByRole('switch', { name: /Low stock/ })
  const wasOn = await toggle.isChecked()
  for (const isOn of [!wasOn, wasOn]) {
    const saved = page.waitForResponse(
      (response) => response.url().endsWith('/api/user/notifications') && response.request().method() === 'PUT',
    )
    await toggle.click()
    await expect(toggle).toBeChecked({ checked: isOn })
    await saved
    await page.reload()
    await expect(toggle).toBeChecked({ checked: isOn })
  }
})

for (const device of ['desktop', 'phone'] as const) {
  test(`on a ${device} an auction is cancelled, and a listing deleted`, async ({ as }) => {
    const page = await as('sarah')
    if (device === 'phone') await page.setViewportSize({ width: 390, height: 844 })
    const name = newName('Melati')
    const auction = await openAuction({ name, startingPrice: 40, bidIncrement: 1 })
    await find(page, name)
    await expect(rowOf(page, name)).toContainText('No bids · ends in')

    await choose(page, name, 'Cancel auction')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Cancel auction' }).click()
    await expect(dialog.getByText('Reason is required')).toBeVisible()
    await dialog.getByLabel('Reason').fill('The bottle broke.')
    await dialog.getByRole('button', { name: 'Cancel auction' }).click()
    await expectToast(page, 'Auction cancelled')
    await expect(rowOf(page, name)).toContainText('Auction cancelled')
    await expect(rowOf(page, name).getByRole('link', { name: 'Relist' })).toHaveAttribute(
      'href',
      `/seller/products/${auction.productId}/relist`,
    )

    await rowOf(page, name).getByRole('checkbox').check()
    await page.getByRole('button', { name: 'Boost Selected (1)' }).click()
    const picker = page.getByRole('dialog', { name: 'Choose a boost package' })
    await expect(picker).toContainText('RM10.00 per product')
    await picker.getByRole('link', { name: 'Choose Standard Boost' }).click()
    await expect(page.getByRole('heading', { name: 'Order Summary' })).toBeVisible()
    await expect(page.getByRole('listitem').filter({ hasText: name })).toBeVisible()
    await find(page, name)

    await choose(page, name, 'Delete')
    const question = page.getByRole('alertdialog')
    await expect(question).toContainText('Are you sure you want to delete this product?')
    await expect(question).toContainText('Nobody keeps it')
    await question.getByRole('button', { name: 'Delete' }).click()
    await expectToast(page, 'Product deleted')
    await expect(page.getByRole('heading', { name: 'No products found' })).toBeVisible()
    await page.reload()
    await expect(page.getByRole('heading', { name: 'No products found' })).toBeVisible()
    const answer = await page.request.get(`/api/products/${auction.productId}`)
    expect(answer.status()).toBe(404)
  })
}

test('a listing whose auction has bids is not deleted, and says why', async ({ as }) => {
  const name = newName('Cendana')
  const auction = await openAuction({ name, startingPrice: 40, bidIncrement: 1 })
  const bala = await as('bala')
  await bala.goto(`/auctions/${auction.id}`)
  await placeBid(bala)

  const page = await as('sarah')
  await expect(async () => {
    // The catalogue hears of a bid a moment later, and the dashboard does not ask again by itself.
    await find(page, name)
    await expect(rowOf(page, name)).toContainText('1 bid · ends in', { timeout: 5000 })
  }).toPass()
  await choose(page, name, 'Delete')
  const question = page.getByRole('alertdialog')
  await expect(question).toContainText('Its auction has 1 bid, so it cannot be deleted.')
  await expect(question.getByRole('button', { name: 'Delete' })).toHaveCount(0)
  await question.getByRole('button', { name: 'Close' }).click()
  await expect(question).toHaveCount(0)
})

test('the dashboard has no accessibility violation on a desktop, nor what opens above it', async ({ as }) => {
  const page = await as('sarah')
  // On a phone, the journey that visits every page looks at them.
  for (const tab of ['', '?tab=boosted', '?tab=analytics', '?tab=settings']) {
    await page.goto(`/seller/dashboard${tab}`)
    await expect(page.getByRole('tabpanel')).toBeVisible()
    await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
    await expectNoViolations(page, `/seller/dashboard${tab}`)
  }
  await page.goto('/seller/dashboard')
  await page.getByRole('button', { name: 'Add New Product' }).click()
  await expect(page.getByRole('dialog', { name: 'Select Listing Type' })).toBeVisible()
  await expectNoViolations(page, 'the choice of a type')
  await page.keyboard.press('Escape')
  await listOf(page).getByRole('checkbox').and(page.locator(':enabled')).first().check()
  await page
    .getByRole('button', { name: /^Actions for/ })
    .first()
    .click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await expect(page.getByRole('alertdialog')).toBeVisible()
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
  await expectNoViolations(page, 'the question before deleting')
})
