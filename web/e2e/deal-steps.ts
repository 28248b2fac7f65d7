import { expect, type Page } from '@playwright/test'
import { openChat, send } from './chat-steps.ts'
import type { Who } from './site.ts'
import { expectToast } from './toasts.ts'

/** The latest card about this bottle in the conversation that is open: the last of all may be an older deal's until that one comes. */
export const card = (page: Page, title: string, bottle: string) =>
  page
    .getByRole('article')
    .filter({ has: page.getByRole('heading', { name: title }) })
    .filter({ hasText: bottle })
    .last()

/** Bala asks sarah for a bottle at once, and sarah opens the conversation. */
export async function contact(
  bala: Page,
  sarah: Page,
  productId: number,
  address = `/products/${productId}`,
): Promise<void> {
  await bala.goto(address)
  await bala.getByRole('button', { name: /^Buy Now for/ }).click()
  await expect(bala).toHaveURL(/\/messages$/)
  await send(bala)
  await openChat(sarah, 'bala')
}

/** Sarah offers the bottle that the conversation is about, for an amount in ringgit where it is not its price. */
export async function start(
  sarah: Page,
  name: string,
  { amount, buyer = 'bala' }: { amount?: string; buyer?: Who } = {},
): Promise<void> {
  await sarah.getByRole('button', { name: 'Create Transaction' }).click()
  const dialog = sarah.getByRole('dialog', { name: 'Create Transaction' })
  await expect(dialog.getByRole('radio', { name: new RegExp(`^${name}`) })).toBeChecked()
  if (amount) await dialog.getByLabel('Amount in ringgit').fill(amount)
  await dialog.getByRole('button', { name: 'Send to Buyer' }).click()
  await expectToast(sarah, 'Transaction Created')
  await expect(card(sarah, 'Confirm Purchase', name)).toContainText(`Waiting for ${buyer} to confirm the purchase`)
}

export async function press(page: Page, title: string, button: string, done: string, bottle: string): Promise<void> {
  await card(page, title, bottle).getByRole('button', { name: button }).click()
  await expectToast(page, done)
}
export const confirmPurchase = (page: Page, bottle: string) =>
  press(page, 'Confirm Purchase', 'Confirm Purchase', 'Purchase Confirmed', bottle)
export const confirmPayment = (page: Page, bottle: string) =>
  press(page, 'Confirm Payment', 'Confirm Payment Received', 'Payment Confirmed', bottle)
export const confirmDelivery = (page: Page, bottle: string) =>
  press(page, 'Confirm Delivery', 'Confirm Delivery', 'Delivery Confirmed', bottle)
