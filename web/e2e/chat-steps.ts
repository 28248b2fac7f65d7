import { expect, type Page } from '@playwright/test'

/** What is being written to the other one. */
export const field = (page: Page) => page.getByLabel('Message', { exact: true })

/**
 * Sends what is typed, and waits until it is stored: what others see is made of that. A chat that was opened a moment ago may say that it is not connected
 * yet: then, and only then, it is tried again.
 */
export async function send(page: Page): Promise<void> {
  await field(page).press('Enter')
  await expect(async () => {
    if (await page.getByText('Not connected to messaging server.').first().isVisible()) await field(page).press('Enter')
    await expect(field(page)).toHaveValue('', { timeout: 1000 })
  }).toPass()
  await expect(page.getByRole('log').getByRole('article').last()).toContainText(/Sent|Read/)
}

export async function openChat(page: Page, other: 'bala' | 'sarah'): Promise<void> {
  await page.goto('/messages')
  // On a phone the list opens by itself, since nothing is chosen.
  await page
    .getByRole('button', { name: new RegExp(`^(. )?${other}`, 'i') })
    .first()
    .click()
  await expect(page.getByRole('log', { name: `Messages with ${other}` })).toBeVisible()
}
