import { expect, type Page } from '@playwright/test'
import { expectNoViolations } from './axe.ts'
import { send } from './chat-steps.ts'
import { changePrice, listBottle, openAuction, openLive, placeBid, test } from './site.ts'
import { expectToast } from './toasts.ts'

const bell = (page: Page) => page.getByRole('button', { name: /^Notices/ })
const panel = (page: Page) => page.getByRole('dialog', { name: 'Notices' })

async function bid(page: Page, auctionId: number): Promise<void> {
  await page.goto(`/auctions/${auctionId}`)
  await placeBid(page)
}

test('whoever is outbid hears of it wherever they are, and gets from there to the auction', async ({ as }) => {
  const name = `Outbid ${Date.now()}`
  const auction = await openAuction({ name, startingPrice: 50, bidIncrement: 5 })
  const [bala, mei] = [await as('bala'), await as('mei')]
  await bid(bala, auction.id)
  await openLive(bala, '/products')
  await bid(mei, auction.id)
  await expect(bala.getByRole('status').filter({ hasText: name })).toHaveText(`You have been outbid: ${name}`)
  await expect(bell(bala)).toHaveAccessibleName(/^Notices, \d+ unread$/)

  await bell(bala).press('Enter')
  const notice = panel(bala).getByRole('link', { name })
  await expect(notice).toContainText('Unread: You have been outbid')
  await expect(notice).toContainText('Now at RM\u00A060.00.')
  await expectNoViolations(bala, 'the notices')
  // The same with the keyboard alone, there and back.
  await bala.keyboard.press('Escape')
  await expect(panel(bala)).toBeHidden()
  await expect(bell(bala)).toBeFocused()
  await bala.keyboard.press('Enter')
  await notice.press('Enter')
  await expect(bala).toHaveURL(new RegExp(`/auctions/${auction.id}$`))
  await expect(panel(bala)).toBeHidden()

  // Leading again there is nothing to read of it.
  await bid(bala, auction.id)
  await bell(bala).click()
  const back = panel(bala).getByRole('link', { name: `You lead again: ${name}` })
  await expect(back).toBeVisible()
  await expect(back).not.toContainText('Unread')
})

test('messages are notices until they are read, in all tabs alike', async ({ as }) => {
  const { productId } = await openAuction({ name: `Asked ${Date.now()}`, startingPrice: 50, bidIncrement: 5 })
  const [bala, sarah] = [await as('bala'), await as('sarah')]
  await openLive(sarah, '/products')
  await sarah.setViewportSize({ width: 390, height: 844 })
  await bala.goto(`/products/${productId}`)
  await bala.getByRole('button', { name: 'Contact Seller', exact: true }).first().click()
  await send(bala)

  await expect(sarah.getByRole('status').filter({ hasText: 'bala has written to you' })).toBeAttached()
  await bell(sarah).click()
  await panel(sarah)
    .getByRole('link', { name: /^Unread: bala has written to you/ })
    .click()
  await expect(sarah.getByRole('log', { name: 'Messages with bala' })).toBeVisible()
  await bell(sarah).click()
  const read = panel(sarah).getByRole('link', { name: /bala has written to you/ })
  await expect(read).not.toContainText('Unread')

  const markAll = panel(sarah).getByRole('button', { name: 'Mark all as read' })
  await expect(async () => {
    if (await markAll.isVisible()) await markAll.click({ timeout: 1000 })
    await expect(markAll).toBeHidden({ timeout: 1000 })
  }).toPass()
  await sarah.keyboard.press('Escape')
  await expect(bell(sarah)).toHaveAccessibleName('Notices')
})

test('an auction is watched from its page, and a favourite that costs less is told of', async ({ as }) => {
  const auction = await openAuction({ name: `Watched ${Date.now()}`, startingPrice: 50, bidIncrement: 5 })
  const bottle = await listBottle({ name: `Cheaper ${Date.now()}`, price: 80, listingType: 'fixed' })
  const mei = await as('mei')
  await mei.goto(`/auctions/${auction.id}`)
  await mei.getByRole('button', { name: 'Watch this auction' }).click()
  await expectToast(mei, 'You are told an hour before it ends.')
  await mei.reload()
  await mei.getByRole('button', { name: 'Stop watching' }).click()
  await expect(mei.getByRole('button', { name: 'Watch this auction' })).toBeVisible()

  await openLive(mei, `/products/${bottle.id}`)
  const saved = mei.waitForResponse((response) => response.url().endsWith(`/api/favorites/${bottle.id}`))
  await mei
    .getByRole('button', { name: `Save ${bottle.name} to your wishlist` })
    .first()
    .click()
  await saved
  await changePrice(bottle.id, 60)
  await expect(mei.getByRole('status').filter({ hasText: bottle.name })).toHaveText(`${bottle.name} costs less now`)
  await bell(mei).click()
  await expect(panel(mei).getByRole('link', { name: bottle.name })).toContainText(
    'RM\u00A060.00 instead of RM\u00A080.00',
  )
})
