import { randomUUID } from 'node:crypto'
import { expect, type Page } from '@playwright/test'
import { expectNoViolations } from './axe.ts'
import { siteUrl, test } from './site.ts'

/** Registers somebody, who gets a mail. */
async function register(): Promise<string> {
  const username = `inbox_${randomUUID().slice(0, 8)}`
  const email = `${username}@example.com`
  const response = await fetch(new URL('/auth/v1/signup', siteUrl()), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: 'a-long-secret-7', data: { username } }),
  })
  expect(response.status, await response.text()).toBe(200)
  return email
}

async function expectInOrder(page: Page, place: string, rulesLeftOut: readonly string[] = []): Promise<void> {
  await expectNoViolations(page, place, rulesLeftOut)
  expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBe(0)
}

test('a caught mail shows up while somebody looks, and its link is opened beside it', async ({ guest }) => {
  const page = await guest()
  const email = await register()
  await page.goto(`/dev/inbox?to=${email}`)
  // It may take a moment to arrive; the page finds out by itself.
  await expect(page.getByRole('listitem')).toHaveCount(1)
  await expectInOrder(page, 'the list of mails')

  await page.getByRole('link', { name: 'Confirm your email address' }).click()
  await expect(page.getByRole('heading', { name: 'Confirm your email address' })).toBeVisible()
  await page.getByText('As text').click()
  await expect(page.getByText('Or enter this code:')).toBeVisible()
  await expectInOrder(page, 'a mail')

  const letter = page.frameLocator('iframe')
  const opened = page.context().waitForEvent('page')
  await letter.getByRole('link', { name: 'Confirm email address' }).click()
  await expect(await opened).toHaveURL(/\/auth\/verify/)
})

test('the list and a mail fit a phone', async ({ guest }) => {
  const page = await guest()
  await page.setViewportSize({ width: 360, height: 740 })
  const email = await register()
  await page.goto(`/dev/inbox?to=${email}`)
  const item = page.getByRole('link', { name: 'Confirm your email address' })
  await expect(item).toBeVisible()
  await expectInOrder(page, 'the list of mails on a phone')

  await item.click()
  await expect(page.locator('iframe')).toBeVisible()
  await expectInOrder(page, 'a mail on a phone')
  const source = await page.locator('iframe').getAttribute('src')

  // Where scripts may not run, the check cannot either.
  const letter = await (await page.request.get(source ?? '')).text()
  await page.goto('about:blank')
  await page.setContent(letter)
  await expect(page.getByRole('heading', { name: 'Confirm your email address' })).toBeVisible()
  await expectInOrder(page, 'the letter', ['landmark-one-main', 'region'])
})
