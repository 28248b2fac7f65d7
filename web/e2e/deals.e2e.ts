import { expect } from '@playwright/test'
import type { Auction } from '@wangian/contracts/auction.ts'
import { expectNoViolations } from './axe.ts'
import { openBidding } from './bidding.ts'
import { field, openChat, send } from './chat-steps.ts'
import { card, confirmDelivery, confirmPayment, confirmPurchase, contact, press, start } from './deal-steps.ts'
import { listBottle, openAuction, placeBid, readAuction, test } from './site.ts'
import { expectToast } from './toasts.ts'

const phone = { width: 390, height: 844 }

/**
 * Bid on by the first journey, and over by the time that what was won is dealt: nobody waits for its end. That comes in the middle of another journey, as
 * a message from sarah; none of the others is about mei.
 */
let lot: Awaited<ReturnType<typeof bidOnLot>> | undefined

test('somebody bids on a phone and leads', async ({ as }) => {
  lot = await bidOnLot()
  const mei = await as('mei')
  await mei.setViewportSize(phone)
  const auction = await openAuction({ name: 'Led', startingPrice: 50, bidIncrement: 5 })
  await mei.goto(`/auctions/${auction.id}`)
  await placeBid(mei)
  await expect(mei.getByText('You are the highest bidder')).toBeVisible()
})

async function bidOnLot(): Promise<{ name: string; auction: Auction }> {
  const name = `Won ${Date.now()}`
  const mei = await openBidding('mei')
  const auction = await openAuction({ name, endsInS: 30, startingPrice: 50, bidIncrement: 5 })
  await mei.bid(auction.id, 55)
  mei.close()
  return { name, auction }
}

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
    await start(sarah, name, { amount: '300.50' })

    await expect(card(bala, 'Confirm Purchase', name)).toContainText('Amount$300.50')
    await expect(card(bala, 'Confirm Purchase', name)).toContainText('Waiting for you')
    await confirmPurchase(bala, name)
    for (const page of [bala, sarah])
      await expect(card(page, 'Confirm Purchase', name)).toContainText('Purchase confirmed')
    await expect(card(bala, 'Confirm Payment', name)).toContainText('Waiting for sarah to confirm the payment')
    if (size === null) for (const page of [bala, sarah]) await expectNoViolations(page, 'a card')

    await confirmPayment(sarah, name)
    for (const page of [bala, sarah]) {
      await expect(card(page, 'Confirm Payment', name)).toContainText('Payment received - Transaction complete')
      await expect(card(page, 'Confirm Payment', name).getByRole('button')).toHaveCount(0)
    }
    await confirmDelivery(bala, name)
    await expect(card(sarah, 'Leave a Review', name)).toContainText('Waiting for bala to leave a review')

    const stars = card(bala, 'Leave a Review', name).getByRole('slider', { name: 'Your rating' })
    await stars.press('ArrowLeft')
    await expect(stars).toHaveAttribute('aria-valuetext', '4.5 of 5 stars')
    const comment = `As described, ${name}.`
    await card(bala, 'Leave a Review', name).getByLabel('Your comment').fill(comment)
    await press(bala, 'Leave a Review', 'Submit Review', 'Thank you!', name)
    for (const page of [bala, sarah]) {
      await expect(card(page, 'Leave a Review', name)).toContainText('Review submitted - Thank you!')
      await expect(card(page, 'Leave a Review', name)).toContainText('4.5 of 5 stars')
      expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBe(0)
    }

    // Everybody sees that it is sold, and what bala says of sarah.
    await bala.goto(`/products/${productId}`)
    await expect(bala.getByText('SOLD').first()).toBeVisible()
    await expect(bala.getByRole('button', { name: /^Buy Now for/ })).toBeHidden()
    await bala.getByRole('link', { name: 'View Seller' }).first().click()
    // The product has a tab of that name, too, and stays until the shop has come.
    const shop = bala.getByRole('tablist', { name: 'What to see of this shop' })
    await shop.getByRole('tab', { name: 'Reviews' }).click()
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
      const name = `Called Off ${Date.now()}`
      const { id: productId } = await listBottle({ name, price: 80, listingType: 'fixed' })
      const [bala, sarah] = [await as('bala'), await as('sarah')]
      await contact(bala, sarah, productId)
      await start(sarah, name)
      if (step === 'payment') await confirmPurchase(bala, name)
      const title = step === 'purchase' ? 'Confirm Purchase' : 'Confirm Payment'
      const page = who === 'buyer' ? bala : sarah
      await card(page, title, name).getByRole('button', { name: 'Cancel Transaction' }).click()
      await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel Transaction' }).click()
      await expectToast(page, 'Transaction Cancelled')
      for (const each of [bala, sarah]) {
        await expect(card(each, title, name)).toContainText('Transaction cancelled')
        await expect(card(each, title, name).getByRole('button')).toHaveCount(0)
      }
      if (step === 'payment') {
        await bala.goto('/account/orders')
        await expect(bala.getByRole('listitem').filter({ hasText: name })).toContainText('Cancelled')
        await bala.goBack()
      }
      await start(sarah, name)
      await confirmPurchase(bala, name)
      await expect(card(sarah, 'Confirm Payment', name)).toContainText('Waiting for you')
    })
  }
}

test('what was won at an auction is dealt at the winning price, on phones', async ({ as }) => {
  test.setTimeout(180_000)
  const [mei, sarah] = [await as('mei'), await as('sarah')]
  const { name, auction } = lot ?? (await bidOnLot())
  await Promise.all([mei, sarah].map((page) => page.setViewportSize(phone)))
  await mei.goto(`/auctions/${auction.id}`)
  await expect(mei.getByText('You won this auction with RM\u00A055.00.')).toBeVisible({ timeout: 45_000 })

  // She is told where she is, and too early to give him up.
  const actions = sarah.getByRole('button', { name: `Actions for ${name}` })
  await expect(async () => {
    // The catalogue hears of it a moment later, and the dashboard does not ask again by itself.
    await sarah.goto(`/seller/dashboard?tab=products&search=${encodeURIComponent(name)}`)
    await expect(sarah.getByText('Ended: won by @mei at RM\u00A055.00')).toBeVisible({ timeout: 5000 })
  }).toPass()
  await actions.click()
  await sarah.getByRole('menuitem', { name: 'Release from winner' }).click()
  const dialog = sarah.getByRole('dialog', { name: `Release ${name} from its winner?` })
  await dialog.getByRole('button', { name: 'Release', exact: true }).click()
  await expect(dialog.getByRole('alert')).toContainText('The winner has until')
  await dialog.getByRole('button', { name: 'Keep it for the winner' }).click()
  await sarah.getByRole('button', { name: 'Contact winner' }).click()
  await expect(sarah.getByRole('log', { name: 'Messages with mei' })).toContainText('Congratulations, you won')
  await start(sarah, name, { buyer: 'mei' })

  await openChat(mei, 'sarah')
  await expect(card(mei, 'Confirm Purchase', name)).toContainText('Amount$55.00')
  await confirmPurchase(mei, name)
  await confirmPayment(sarah, name)
  await confirmDelivery(mei, name)
  await press(mei, 'Leave a Review', 'Submit Review', 'Thank you!', name)
  await expect(card(sarah, 'Leave a Review', name)).toContainText('5 of 5 stars')
  await mei.goto(`/products/${auction.productId}`)
  await expect(mei.getByText('SOLD').first()).toBeVisible()
})

test('an auction without bids is bought at its buy-now price, and is over with that', async ({ as }) => {
  const name = `At Once ${Date.now()}`
  const [bala, sarah] = [await as('bala'), await as('sarah')]
  const auction = await openAuction({ name, startingPrice: 50, bidIncrement: 5, buyNowPrice: 120 })
  await contact(bala, sarah, auction.productId, `/auctions/${auction.id}`)
  await start(sarah, name)
  await expect(card(bala, 'Confirm Purchase', name)).toContainText('Amount$120.00')
  await confirmPurchase(bala, name)
  await expect.poll(async () => (await readAuction(auction.id)).status).toBe('cancelled')
  await confirmPayment(sarah, name)
  await bala.goto(`/products/${auction.productId}`)
  await expect(bala.getByText('SOLD').first()).toBeVisible()
})

test('a person is reported from the menu of the chat by keyboard, once', async ({ as }) => {
  const name = `Reported ${Date.now()}`
  const { id: productId } = await listBottle({ name, price: 80, listingType: 'fixed' })
  const [bala, sarah] = [await as('bala'), await as('sarah')]
  await bala.setViewportSize(phone)
  await contact(bala, sarah, productId)
  await field(sarah).fill('Call me: 012-345 6789')
  await send(sarah)
  for (const page of [bala, sarah]) {
    await expect(
      page
        .getByRole('log')
        .getByText(/This message has a phone number/)
        .last(),
    ).toBeVisible()
  }
  for (const outcome of ['Report sent', 'You have reported this already.']) {
    await bala.getByRole('button', { name: 'Actions for the conversation with sarah' }).press('Enter')
    await bala.getByRole('menuitem', { name: 'Report' }).press('Enter')
    const dialog = bala.getByRole('dialog', { name: 'Report' })
    await dialog.getByLabel('What is it about?').selectOption({ label: 'Message: Call me: 012-345 6789' })
    await dialog.getByLabel('Spam').press('Space')
    await expectNoViolations(bala, 'the dialog of a report')
    expect(await bala.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBe(0)
    await dialog.getByRole('button', { name: 'Send report' }).press('Enter')
    if (outcome === 'Report sent') await expectToast(bala, outcome)
    else await expect(dialog).toContainText(outcome)
  }
})

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
  await expect(card(bala, 'Confirm Purchase', name).getByRole('button', { name: 'Confirm Purchase' })).toBeVisible()
})
