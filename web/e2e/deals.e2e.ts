import { expect, type Page } from '@playwright/test'
import { expectNoViolations } from './axe.ts'
import { listBottle, test, toast } from './site.ts'

/** The latest card of the conversation that is open. */
const card = (page: Page, title: string) =>
  page
    .getByRole('article')
    .filter({ has: page.getByRole('heading', { name: title }) })
    .last()
const field = (page: Page) => page.getByLabel('Message', { exact: true })
const phone = { width: 390, height: 844 }

/** Bala asks sarah for a bottle at once, and sarah opens the conversation. */
async function contact(bala: Page, sarah: Page, productId: number): Promise<void> {
  await bala.goto(`/products/${productId}`)
  await bala.getByRole('button', { name: /^Buy Now for/ }).click()
  await expect(bala).toHaveURL(/\/messages$/)
  await field(bala).press('Enter')
  await expect(field(bala)).toHaveValue('')
  await sarah.goto('/messages')
  // On a phone the list opens by itself, since nothing is chosen.
  await sarah
    .getByRole('button', { name: /^(B )?bala/ })
    .first()
    .click()
  await expect(sarah.getByRole('log', { name: 'Messages with bala' })).toBeVisible()
}

/** Sarah offers the bottle that the conversation is about. */
async function start(sarah: Page, name: string, amount?: string): Promise<void> {
  await sarah.getByRole('button', { name: 'Create Transaction' }).click()
  const dialog = sarah.getByRole('dialog', { name: 'Create Transaction' })
  await expect(dialog.getByRole('radio', { name: new RegExp(`^${name}`) })).toBeChecked()
  if (amount) await dialog.getByLabel('Amount in ringgit').fill(amount)
  await dialog.getByRole('button', { name: 'Send to Buyer' }).click()
  await expect(toast(sarah)).toContainText('Transaction Created')
  await expect(card(sarah, 'Confirm Purchase')).toContainText('Waiting for bala to confirm the purchase')
}

async function press(page: Page, title: string, button: string, done: string): Promise<void> {
  await card(page, title).getByRole('button', { name: button }).click()
  await expect(toast(page)).toContainText(done)
}
const confirmPurchase = (page: Page) => press(page, 'Confirm Purchase', 'Confirm Purchase', 'Purchase Confirmed')
const confirmPayment = (page: Page) => press(page, 'Confirm Payment', 'Confirm Payment Received', 'Payment Confirmed')
const confirmDelivery = (page: Page) => press(page, 'Confirm Delivery', 'Confirm Delivery', 'Delivery Confirmed')

for (const [where, size] of [
  ['', null],
  [' on phones', phone],
] as const) {
  test(`a bottle goes from contact to review${where}, and both see each step as it is taken`, async ({ as }) => {
    test.setTimeout(180_000)
    const name = `Dealt ${Date.now()}`
    const { id: productId } = await listBottle({ name, price: 320, listingType: 'negotiable' })
    const [bala, sarah] = [await as('bala'), await as('sarah')]
    if (size) await Promise.all([bala, sarah].map((page) => page.setViewportSize(size)))
    await contact(bala, sarah, productId)
    await start(sarah, name, '300.50')

    await expect(card(bala, 'Confirm Purchase')).toContainText('Amount$300.50')
    await expect(card(bala, 'Confirm Purchase')).toContainText('Waiting for you')
    await confirmPurchase(bala)
    for (const page of [bala, sarah]) await expect(card(page, 'Confirm Purchase')).toContainText('Purchase confirmed')
    await expect(card(bala, 'Confirm Payment')).toContainText('Waiting for sarah to confirm the payment')
    if (size === null) for (const page of [bala, sarah]) await expectNoViolations(page, 'a card')

    await confirmPayment(sarah)
    for (const page of [bala, sarah]) {
      await expect(card(page, 'Confirm Payment')).toContainText('Payment received - Transaction complete')
      await expect(card(page, 'Confirm Payment').getByRole('button')).toHaveCount(0)
    }
    await confirmDelivery(bala)
    await expect(card(sarah, 'Leave a Review')).toContainText('Waiting for bala to leave a review')

    const stars = card(bala, 'Leave a Review').getByRole('slider', { name: 'Your rating' })
    await stars.press('ArrowLeft')
    await expect(stars).toHaveAttribute('aria-valuetext', '4.5 of 5 stars')
    const comment = `As described, ${name}.`
    await card(bala, 'Leave a Review').getByLabel('Your comment').fill(comment)
    await press(bala, 'Leave a Review', 'Submit Review', 'Thank you!')
    for (const page of [bala, sarah]) {
      await expect(card(page, 'Leave a Review')).toContainText('Review submitted - Thank you!')
      await expect(card(page, 'Leave a Review')).toContainText('4.5 of 5 stars')
      expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBe(0)
    }

    // Everybody sees that it is sold, and what bala says of sarah.
    await bala.goto(`/products/${productId}`)
    await expect(bala.getByText('SOLD').first()).toBeVisible()
    await expect(bala.getByRole('button', { name: /^Buy Now for/ })).toBeHidden()
    await bala.getByRole('link', { name: 'View Seller' }).first().click()
    await bala.getByRole('tab', { name: 'Reviews' }).click()
    await expect(bala.getByText(comment)).toBeVisible()

    // Both have it among their orders, with a receipt.
    await bala.goto('/account/orders')
    const order = bala.getByRole('listitem').filter({ hasText: name })
    await expect(order).toContainText('Delivered')
    await expect(order).toContainText('Reviewed with 4.5 of 5 stars.')
    if (size === null) await expectNoViolations(bala, 'the orders')
    await order.getByRole('link', { name: /^Receipt/ }).click()
    await expect(bala.getByRole('article')).toContainText(`${name}1`)
    await expect(bala.getByRole('article')).toContainText('300.50')
    if (size === null) await expectNoViolations(bala, 'a receipt')
    await bala.emulateMedia({ media: 'print' })
    await expect(bala.getByRole('banner')).toBeHidden()
    await expect(bala.getByRole('button', { name: 'Print' })).toBeHidden()
    await sarah.goto('/account/orders?show=sold')
    await expect(sarah.getByRole('listitem').filter({ hasText: name })).toContainText('bought by bala')
  })
}

const steps = ['purchase', 'payment'] as const
for (const step of steps) {
  for (const who of ['buyer', 'seller'] as const) {
    test(`a ${who} calls a deal off before its ${step} is confirmed, and the bottle can be sold again`, async ({
      as,
    }) => {
      test.setTimeout(120_000)
      const name = `Called Off ${Date.now()}`
      const { id: productId } = await listBottle({ name, price: 80, listingType: 'fixed' })
      const [bala, sarah] = [await as('bala'), await as('sarah')]
      await contact(bala, sarah, productId)
      await start(sarah, name)
      if (step === 'payment') await confirmPurchase(bala)
      const title = step === 'purchase' ? 'Confirm Purchase' : 'Confirm Payment'
      const page = who === 'buyer' ? bala : sarah
      await card(page, title).getByRole('button', { name: 'Cancel Transaction' }).click()
      await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel Transaction' }).click()
      await expect(toast(page)).toContainText('Transaction Cancelled')
      for (const each of [bala, sarah]) {
        await expect(card(each, title)).toContainText('Transaction cancelled')
        await expect(card(each, title).getByRole('button')).toHaveCount(0)
      }
      if (step === 'payment') {
        await bala.goto('/account/orders')
        await expect(bala.getByRole('listitem').filter({ hasText: name })).toContainText('Cancelled')
        await bala.goBack()
      }
      await start(sarah, name)
      await confirmPurchase(bala)
      await expect(card(sarah, 'Confirm Payment')).toContainText('Waiting for you')
    })
  }
}

test('what waits for somebody is in their account, and leads to the chat', async ({ as }) => {
  const name = `Waits ${Date.now()}`
  const { id: productId } = await listBottle({ name, price: 80, listingType: 'fixed' })
  const [bala, sarah] = [await as('bala'), await as('sarah')]
  await contact(bala, sarah, productId)
  await start(sarah, name)
  await bala.goto('/account')
  const waiting = bala.getByRole('listitem').filter({ hasText: `Confirm the purchase of ${name}` })
  await expect(waiting).toContainText('sarah')
  await expectNoViolations(bala, 'what needs somebody')
  await waiting.getByRole('link', { name: 'Open Chat' }).click()
  await expect(card(bala, 'Confirm Purchase').getByRole('button', { name: 'Confirm Purchase' })).toBeVisible()
})
