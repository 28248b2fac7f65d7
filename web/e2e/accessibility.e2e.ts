import AxeBuilder from '@axe-core/playwright'
import { expect, type Page } from '@playwright/test'
import { openAuction, test } from './site.ts'

async function violations(page: Page): Promise<string[]> {
  const { violations: found } = await new AxeBuilder({ page }).analyze()
  return found.flatMap((rule) => rule.nodes.map((node) => `${rule.id}: ${node.target.join(' ')}`))
}

for (const colorScheme of ['light', 'dark'] as const) {
  test(`no page has an accessibility violation (${colorScheme})`, async ({ guest, as }) => {
    test.setTimeout(120_000)
    const auction = await openAuction({ name: 'Plain', endsInS: 600, startingPrice: 10, bidIncrement: 1 })
    const visitor = await guest()
    const seller = await as('sarah')
    const buyer = await as('bala')
    const views: readonly (readonly [Page, string])[] = [
      [visitor, '/'],
      [visitor, '/products'],
      [visitor, `/products/${auction.productId}`],
      [visitor, '/products?search=nothing-smells-like-this'],
      [visitor, `/auctions/${auction.id}`],
      [visitor, '/auctions/999999'],
      [visitor, '/auth'],
      [visitor, '/register'],
      [visitor, '/no/such/page'],
      [buyer, `/auctions/${auction.id}`],
      [buyer, '/messages'],
      [seller, '/seller/auctions/new'],
    ]
    for (const page of [visitor, seller, buyer]) await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    for (const [page, address] of views) {
      await page.goto(address)
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      await page.waitForLoadState('networkidle')
      expect(await violations(page), address).toEqual([])
    }
    await buyer.goto(`/auctions/${auction.id}`)
    await buyer.getByRole('button', { name: 'Place Bid' }).click()
    await expect(buyer.getByText('You are the highest bidder')).toBeVisible()
    await buyer.getByRole('button', { name: 'My Account' }).click()
    await expect(buyer.getByRole('menuitem', { name: 'Logout' })).toBeVisible()
    expect(await violations(buyer), 'with a toast and the menu open').toEqual([])
  })
}

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
