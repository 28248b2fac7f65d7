import { type ElementHandle, expect, type Page } from '@playwright/test'
import { openBidding } from './bidding.ts'
import { openAuction, people, readAuction, readBids, test } from './site.ts'
import { expectToast } from './toasts.ts'

const bidField = (page: Page) => page.getByRole('spinbutton')
const history = (page: Page) => page.getByRole('region', { name: 'Bids, newest first' })

async function pressBid(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Place Bid' }).click()
}

test('steps of millions fit on every screen', async ({ as }) => {
  const auction = await openAuction({ name: 'Huge Steps', startingPrice: 1_000_000, bidIncrement: 1_999_999.99 })
  const bala = await as('bala')
  for (const width of [360, 390, 768, 1024]) {
    await bala.setViewportSize({ width, height: 860 })
    await bala.goto(`/auctions/${auction.id}`)
    await expect(bala.getByRole('button', { name: 'Place Bid' })).toBeInViewport({ ratio: 1 })
    await expect(bala.getByRole('button', { name: /^Add RM/ }).last()).toBeInViewport({ ratio: 1 })
    expect(await bala.evaluate(() => document.documentElement.scrollWidth - window.innerWidth), `${width} px`).toBe(0)
  }
})

test('on a phone nothing stands empty where the bar at the bottom has been taken from', async ({ guest }) => {
  const auction = await openAuction({ name: 'Barred', startingPrice: 10, bidIncrement: 1 })
  const page = await guest()
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(`/auctions/${auction.id}`)
  const head = page.locator('header', { has: page.getByRole('heading', { name: 'Barred' }) })
  const price = page.getByText('Starting Price')
  // Both at one moment, for the page may still move.
  const gap = async () =>
    head.evaluate(
      (above, below) => below.getBoundingClientRect().top - above.getBoundingClientRect().bottom,
      (await price.elementHandle()) as ElementHandle<HTMLElement>,
    )
  await expect.poll(gap).toBeLessThan(60)
})

test('an amount that somebody types is kept when another bid overtakes it', async ({ as }) => {
  const auction = await openAuction({ name: 'Overtaken', startingPrice: 20, bidIncrement: 1 })
  const [bala, mei] = [await as('bala'), await as('mei')]
  await Promise.all([bala, mei].map((page) => page.goto(`/auction/${auction.id}`)))
  for (const page of [bala, mei]) await expect(page.getByText('Connected', { exact: true })).toBeVisible()
  await bidField(bala).fill('22')
  await bidField(mei).fill('30')
  await pressBid(mei)
  await expect(bala.getByText('Somebody bid more: the minimum is now RM\u00A031.00.')).toBeVisible()
  await expect(bidField(bala)).toHaveValue('22')
  await pressBid(bala)
  await expectToast(bala, ['Bid Too Low', 'Your bid must be at least RM\u00A031.00.'])
  await bala.getByRole('button', { name: 'Use RM\u00A031.00' }).click()
  await expect(bidField(bala)).toHaveValue('31.00')
  await bidField(bala).fill('')
  await pressBid(bala)
  await expectToast(bala, 'Invalid Bid Amount')
  await bidField(bala).fill('31')
  await pressBid(bala)
  await expectToast(bala, 'Bid Placed!')
})

test('a refused amount is explained in the order of the rules', async ({ as }) => {
  const auction = await openAuction({ name: 'Refusals', startingPrice: 20, bidIncrement: 1 })
  const bala = await as('bala')
  await bala.goto(`/auctions/${auction.id}`)
  await expect(bala.getByText('Connected', { exact: true })).toBeVisible()
  await bidField(bala).fill('21.005')
  await pressBid(bala)
  await expectToast(bala, ['Invalid Bid Amount', 'Please enter a valid number.'])
  await bidField(bala).fill('20.99')
  await pressBid(bala)
  await expectToast(bala, 'Bid Too Low')
  expect(await readBids(auction.id)).toEqual([])
})

test('what was missed without a network is there after it comes back', async ({ as }) => {
  const auction = await openAuction({ name: 'Tunnel', startingPrice: 10, bidIncrement: 1 })
  const [bala, mei] = [await as('bala'), await as('mei')]
  await Promise.all([bala, mei].map((page) => page.goto(`/auctions/${auction.id}`)))
  for (const page of [bala, mei]) await expect(page.getByText('Connected', { exact: true })).toBeVisible()

  await bala.waitForLoadState('networkidle')
  await bala.context().setOffline(true)
  await expect(bala.getByText('Disconnected', { exact: true })).toBeVisible()
  await pressBid(bala)
  await expectToast(bala, [
    'Connection Error',
    'Unable to place bid due to connection issues. Please refresh the page.',
  ])
  for (const [index, amount] of ['11', '12', '13'].entries()) {
    // The field goes back to the minimum a second after a bid was accepted, and takes none before.
    await expect(bidField(mei)).toHaveValue(`${amount}.00`)
    await bidField(mei).fill(amount)
    await pressBid(mei)
    if (index > 0) await mei.getByRole('button', { name: `Raise to RM\u00A0${amount}.00` }).click()
    await expect(mei.getByText(`Bid Accepted: RM\u00A0${amount}.00`)).toBeVisible()
  }
  await bala.context().setOffline(false)
  await expect(bala.getByText('Connected', { exact: true })).toBeVisible()
  await expect(history(bala).getByRole('listitem')).toHaveCount(3)
  await expect(bala.getByText('mei is the highest bidder')).toBeVisible()
  await expect(bidField(bala)).toHaveValue('14.00')
})

test('a guest is led to sign in and back, and the owner cannot bid', async ({ guest, as }) => {
  const auction = await openAuction({
    name: 'Whose Is It',
    startingPrice: 10,
    bidIncrement: 1,
    buyNowPrice: 90,
  })
  const page = await guest()
  await page.goto(`/auctions/${auction.id}`)
  await expect(page.getByText('Sign in to participate in this auction')).toBeVisible()
  const link = page.getByRole('main').getByRole('link', { name: 'Sign In' })
  await expect(link).toHaveAttribute('href', `/login?redirect=${encodeURIComponent(`/auctions/${auction.id}`)}`)
  await link.click()
  await page.getByLabel('Username').fill(people.mei.username)
  await page.getByLabel('Password').fill(people.mei.password)
  await page.getByRole('button', { name: 'Sign In', exact: true }).click()
  await expect(page).toHaveURL(`/auctions/${auction.id}`)
  await expect(bidField(page)).toBeVisible()

  await page.getByRole('button', { name: 'Buy Now for RM\u00A090.00' }).click()
  await expect(page).toHaveURL('/messages')
  await expectToast(page, 'Contacting Seller')
  await expect(page.getByRole('heading', { name: 'sarah' })).toBeVisible()
  await expect(page.getByRole('main').getByRole('link', { name: 'Whose Is It' })).toBeVisible()
  const handedOver = await page.evaluate(() => sessionStorage.getItem('selectedConversation'))
  expect(JSON.parse(handedOver ?? '{}')).toMatchObject({ username: 'sarah', productName: 'Whose Is It' })

  const sarah = await as('sarah')
  await sarah.goto(`/auctions/${auction.id}`)
  await expect(sarah.getByText('This is your own listing')).toBeVisible()
  await expect(bidField(sarah)).toHaveCount(0)
  await sarah.getByRole('button', { name: 'Contact Seller', exact: true }).click()
  await expectToast(sarah, 'Cannot Message Yourself')
})

test('an auction that is not there is said not to be', async ({ guest }) => {
  const page = await guest()
  for (const address of ['/auctions/999999', '/auctions/none']) {
    await page.goto(address)
    await expect(page.getByRole('heading', { name: 'Auction Not Found' })).toBeVisible()
    await expect(
      page.getByText("The auction you're looking for does not exist or has ended.", { exact: true }),
    ).toBeVisible()
  }
  await page.getByRole('link', { name: 'Return to home' }).click()
  await expect(page).toHaveURL('/')
})

test('two people bid against each other, and both see what it has come to', async ({ as }) => {
  const [bala, mei] = [await as('bala'), await as('mei')]
  const auction = await openAuction({ name: 'Two Bidders', startingPrice: 50, bidIncrement: 5 })
  await Promise.all([bala, mei].map((page) => page.goto(`/auctions/${auction.id}`)))
  for (const page of [bala, mei]) {
    await expect(page.getByRole('heading', { name: 'Two Bidders' })).toBeVisible()
    await expect(page.getByText('Connected', { exact: true })).toBeVisible()
    await expect(page.getByText('No bids have been placed yet.')).toBeVisible()
    await expect(bidField(page)).toHaveValue('55.00')
  }

  await pressBid(bala)
  await expectToast(bala, ['Bid Placed!', 'Your bid of RM\u00A055.00 was placed successfully.'])
  await expect(bala.getByText('You are the highest bidder')).toBeVisible()
  await expectToast(mei, 'New Bid Placed')
  await expect(mei.getByText('bala is the highest bidder')).toBeVisible()
  await expect(bidField(mei)).toHaveValue('60.00')

  await mei.getByRole('button', { name: 'Add RM\u00A010.00 to your bid' }).click()
  await expect(bidField(mei)).toHaveValue('70.00')
  await pressBid(mei)
  await expectToast(mei, 'Bid Placed!')
  await expectToast(bala, 'New Bid Placed')
  await expect(bala.getByText('mei is the highest bidder')).toBeVisible()
  await expect(bala.getByText('You have been outbid', { exact: true })).toBeVisible()
  await expect(bala).toHaveTitle(/^You have been outbid · RM\u00A070\.00 · Two Bidders/)
  const elsewhere = await bala.context().newPage()
  await elsewhere.goto('/products')
  await expect(elsewhere).toHaveTitle('You have been outbid · Two Bidders · Wangian')
  await expect(bala.getByLabel(/minimum RM\u00A075\.00/)).toHaveValue('75.00')
  await expect(history(bala).getByRole('listitem')).toHaveCount(2)
  await expect(history(bala).getByRole('listitem').first()).toContainText('RM\u00A070.00')
})

// The last one here: when it waits for the end of its auction, the other half of the journeys has enough to do.
test('an auction ends with one winner, before the eyes of whoever looks', async ({ as }) => {
  const [bala, mei] = [await as('bala'), await as('mei')]
  const bidders = [await openBidding('bala'), await openBidding('mei')] as const
  const auction = await openAuction({ name: 'One Winner', endsInS: 20, startingPrice: 50, bidIncrement: 5 })
  for (const [place, bidder] of bidders.entries()) await bidder.bid(auction.id, [55, 70][place] ?? 0)
  for (const bidder of bidders) bidder.close()
  const elsewhere = await bala.context().newPage()
  await Promise.all([bala, mei].map((page) => page.goto(`/auctions/${auction.id}`)))
  await elsewhere.goto('/products')

  for (const page of [bala, mei]) {
    await expect(page.getByText('This auction has ended')).toBeVisible({ timeout: 45_000 })
    await expect(page.getByText('Auction Ended')).toBeVisible()
    await expect(bidField(page)).toHaveCount(0)
  }
  await expect(elsewhere).toHaveTitle('All Perfumes · Wangian')
  await expect(mei.getByText('You won this auction with RM\u00A070.00.')).toBeVisible()
  await expect(bala.getByText('mei won with RM\u00A070.00.')).toBeVisible()

  const ended = await readAuction(auction.id)
  expect(ended).toMatchObject({ status: 'ended', currentBid: 70, bidCount: 2 })
  const bids = await readBids(auction.id)
  expect(bids.map((bid) => [bid.bidder.name, bid.amount])).toEqual([
    ['mei', 70],
    ['bala', 55],
  ])
  expect(ended.winnerId).toBe(bids[0]?.bidderId)
})
