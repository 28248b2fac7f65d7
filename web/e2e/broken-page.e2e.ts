import { expect, type Page } from '@playwright/test'
import { test } from './site.ts'

const headline = (page: Page) => page.getByRole('heading', { level: 1 })
const file = '**/assets/BuyingGuidePage-*.js'

test('a page that breaks says so, and all around it goes on', async ({ guest }) => {
  const page = await guest()
  await page.route(file, (route) =>
    route.fulfill({
      contentType: 'text/javascript',
      body: "export default function Broken() { throw new Error('broken') }",
    }),
  )
  await page.goto('/about')
  await page.getByRole('contentinfo').getByRole('link', { name: 'Buying Guide' }).click()

  await expect(headline(page)).toHaveText('This page could not be shown')
  await expect(page).toHaveTitle('This page could not be shown · Wangian')
  await expect(page.locator('#content')).toBeFocused()
  await expect(page.getByRole('contentinfo')).toBeVisible()

  await page.getByRole('banner').getByRole('link', { name: 'Shop' }).click()
  await expect(headline(page)).toHaveText('Explore Our Collection')
  await expect(page).not.toHaveTitle(/could not be shown/)

  await page.goBack()
  await expect(headline(page)).toHaveText('This page could not be shown')
  await page.unroute(file)
  await page.getByRole('button', { name: 'Try Again' }).click()
  await expect(headline(page)).toHaveText('Buying Guide')
})

test('a page that cannot come without a network says so, and comes with it', async ({ guest }) => {
  const page = await guest()
  await page.goto('/about')
  await page.context().setOffline(true)
  await page.getByRole('contentinfo').getByRole('link', { name: 'Buying Guide' }).click()
  await expect(headline(page)).toHaveText('This could not be loaded')
  await expect(page.getByText('This is not available right now. Please try again in a moment.')).toBeVisible()

  await page.context().setOffline(false)
  await expect(headline(page)).toHaveText('Buying Guide')
})
