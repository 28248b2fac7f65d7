import { expect, type Page } from '@playwright/test'
import { moveTimeOf } from '../../infra/rig/testing/moved-time.ts'
import { expectNoViolations } from './axe.ts'
import { orderBoost, payBoost } from './boost-orders.ts'
import { readJourneyConfig } from './config.ts'
import { isOnShelf, listBottle, readProduct, removeBottle, test } from './site.ts'
import { expectToast, toast } from './toasts.ts'

/** The service looks for what is due every ten seconds. */
const DUE_WITHIN_MS = 25_000

/** The list of what is featured is remembered for less than that: of two answers so far apart the second one knows what was so before the first. */
const SHELF_KNOWS_AFTER_MS = 1_000

let made = 0

/** So many fresh bottles of sarah's, whose names nobody else's hold. */
async function listBottles(count: 1 | 2 | 3) {
  made += 1
  const stem = `Kemboja ${Date.now() % 1_000_000}${made}`
  const names = Array.from({ length: count }, (_, index) => `${stem} ${'ABC'[index]}`)
  const ids = []
  for (const name of names) ids.push((await listBottle({ name, price: 80, listingType: 'fixed' })).id)
  return { stem, names, ids }
}

/** It is featured soon after it was paid, and whoever looks at the first page then sees it. */
async function expectOnShelf(productId: number): Promise<void> {
  await expect.poll(async () => (await readProduct(productId)).isFeatured).toBe(true)
  let looks = 0
  const look = async () => {
    looks += 1
    return await isOnShelf(productId)
  }
  // Looks and no time: a busy machine may need longer for each.
  await expect.poll(look, { intervals: [SHELF_KNOWS_AFTER_MS] }).toBe(true)
  expect(looks).toBeLessThanOrEqual(2)
}

/** Does something to the time that the system has stored. */
async function moveTime<Result>(
  move: (time: Awaited<ReturnType<typeof moveTimeOf>>) => Promise<Result>,
): Promise<Result> {
  const { adminDatabaseUrl } = readJourneyConfig()
  if (!adminDatabaseUrl) throw new Error('No database: the set-up announces it')
  const time = await moveTimeOf(adminDatabaseUrl)
  try {
    return await move(time)
  } finally {
    await time.close()
  }
}

async function findAndTick(page: Page, stem: string, names: readonly string[], count = names.length): Promise<void> {
  await page.goto('/seller/dashboard')
  await page.getByRole('searchbox', { name: 'Search your products' }).fill(stem)
  await expect(page.getByRole('table', { name: 'Your products' }).getByRole('link')).toHaveCount(names.length)
  for (const name of names.slice(0, count)) {
    await page.getByRole('checkbox', { name: `Boost ${name}`, exact: true }).check()
  }
}

const summary = (page: Page) => page.getByRole('heading', { name: 'Order Summary' })
const payment = (page: Page, name: string) =>
  page.getByRole('table', { name: 'Payments' }).getByRole('row').filter({ hasText: name })
const boosted = (page: Page, name: string) =>
  page.getByRole('table', { name: 'Boosted Products' }).getByRole('row').filter({ hasText: name })

test('three ticked products are paid together and lead the home page', async ({ as, guest }) => {
  const page = await as('sarah')
  const { stem, names, ids } = await listBottles(3)
  await findAndTick(page, stem, names, 2)
  await page.getByRole('button', { name: 'Boost Selected (2)' }).click()
  await expect(page.getByText('No matching packages')).toBeVisible()
  await page.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('checkbox', { name: `Boost ${names[2]}`, exact: true }).check()
  await page.getByRole('button', { name: 'Boost Selected (3)' }).click()
  await page.getByRole('link', { name: 'Choose Premium Boost for 3' }).click()

  await expect(summary(page)).toBeVisible()
  await expect(page.getByText('RM 54.00')).toBeVisible()
  await page.reload()
  await expect(summary(page)).toBeVisible()
  for (const name of names) await expect(page.getByText(name)).toBeVisible()
  await page.getByRole('button', { name: 'Proceed to Payment' }).click()
  await page.getByRole('button', { name: 'Pay', exact: true }).click()

  await expectToast(page, 'Payment Successful')
  for (const id of ids) await expectOnShelf(id)
  await expect(page).toHaveURL('/seller/dashboard?tab=boosted')
  for (const name of names) {
    await expect(boosted(page, name)).toContainText('Premium')
    await expect(boosted(page, name)).toContainText('336 hours')
  }
  await page.reload()
  await expect(payment(page, stem)).toContainText('Paid')
  await expect(toast(page)).not.toContainText('Payment')

  const visitor = await guest()
  await visitor.goto('/')
  const shelf = visitor.getByRole('region', { name: 'Featured' })
  await expect(shelf.getByRole('link', { name: stem }).first()).toBeVisible()
  await expect(shelf.getByText('Featured', { exact: true }).first()).toBeVisible()

  await payment(page, stem)
    .getByRole('link', { name: /^Receipt/ })
    .click()
  await expect(page.getByRole('heading', { name: 'Receipt' })).toBeVisible()
  await expect(page.getByRole('cell', { name: 'RM 18.00' })).toHaveCount(3)
  await expectNoViolations(page, 'the receipt of a boost')
})

test('a failed payment says so, and leaves the product to another order', async ({ as }) => {
  const page = await as('sarah')
  const { stem, names } = await listBottles(1)
  await page.goto('/seller/dashboard')
  await page.getByRole('link', { name: 'Boost Products' }).click()
  await page.getByRole('button', { name: 'Select Package: Standard Boost', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Select 1 Product to Boost' })).toBeVisible()
  await page.getByRole('checkbox', { name: names[0] ?? stem }).check()
  await page.getByRole('button', { name: 'Continue' }).click()
  // Both Backs lead the same way, and what was chosen is kept.
  await expect(summary(page)).toBeVisible()
  await page.getByRole('button', { name: 'Back' }).click()
  await expect(page.getByRole('checkbox', { name: stem })).toBeChecked()
  await page.goBack()
  await page.getByRole('button', { name: 'Back' }).click()
  await expect(page).toHaveURL('/seller/dashboard')
  await page.goForward()
  await page.getByRole('button', { name: 'Select Package: Standard Boost', exact: true }).click()
  await expect(page.getByRole('checkbox', { name: stem })).toBeChecked()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('button', { name: 'Proceed to Payment' }).click()
  await page.getByRole('button', { name: 'Fail', exact: true }).click()
  await expectToast(page, 'Payment Failed')
  await expect(payment(page, stem)).toContainText('Failed')
  await expect(boosted(page, stem)).toHaveCount(0)
})

test('an order that is left is paid once, from wherever', async ({ as }) => {
  const page = await as('sarah')
  const { stem, names } = await listBottles(1)
  await findAndTick(page, stem, names)
  await page.getByRole('button', { name: 'Boost Selected (1)' }).click()
  await page.getByRole('link', { name: 'Choose Standard Boost' }).click()
  const pay = page.getByRole('button', { name: 'Proceed to Payment' })
  await pay.dblclick()
  const bill = page.getByRole('button', { name: 'Pay', exact: true })
  await expect(bill).toBeVisible()
  const address = page.url()

  await page.goBack()
  await expect(page.getByText('You have ordered this already')).toBeVisible()
  await pay.click()
  await expect(bill).toBeVisible()
  expect(page.url()).toBe(address)

  await page.getByRole('link', { name: 'Pay later' }).click()
  await expect(payment(page, stem)).toHaveCount(1)
  await expect(payment(page, stem)).toContainText('Waiting for payment')
  await payment(page, stem)
    .getByRole('button', { name: /^Pay Now/ })
    .click()
  await bill.click()
  await expectToast(page, 'Payment Successful')
  await expect(boosted(page, stem)).toContainText('168 hours')

  await boosted(page, stem)
    .getByRole('link', { name: /^Renew Boost/ })
    .click()
  await page.getByRole('button', { name: 'Select Package: Standard Boost', exact: true }).click()
  await expect(page.getByRole('checkbox', { name: stem })).toBeChecked()
  await page.getByRole('button', { name: 'Continue' }).click()
  await pay.click()
  await page.getByRole('link', { name: 'Pay later' }).click()
  const renewal = payment(page, stem).filter({ hasText: 'Waiting for payment' })
  await renewal.getByRole('button', { name: /^Give Up/ }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Give Up' }).click()
  await expect(payment(page, stem).filter({ hasText: 'Given up' })).toHaveCount(1)
})

test('a payment that the shop is never told of is found', async ({ as }) => {
  const { stem, names } = await listBottles(1)
  const paying = await as('sarah')
  await findAndTick(paying, stem, names)
  await paying.getByRole('button', { name: 'Boost Selected (1)' }).click()
  await paying.getByRole('link', { name: 'Choose Standard Boost' }).click()
  await paying.getByRole('button', { name: 'Proceed to Payment' }).click()
  const pay = paying.getByRole('button', { name: 'Pay, and never tell the shop' })
  await expect(pay).toBeVisible()
  const billId = new URL(paying.url()).pathname.split('/').at(-1) ?? ''
  await paying.route('**/api/boost/return*', (route) => route.abort())
  const left = paying.waitForRequest('**/api/boost/return*')
  await pay.click()
  await left
  await paying.context().close()

  const page = await as('sarah')
  await page.goto('/seller/dashboard?tab=boosted')
  await expect(payment(page, stem)).toContainText('Waiting for payment')
  await moveTime((time) => time.ageBill(billId, 11))
  await expect(payment(page, stem)).toContainText('Paid', { timeout: DUE_WITHIN_MS })
  // What was found late is boosted by an event of its own, which the page asks after every few seconds.
  await expect(boosted(page, stem)).toContainText('168 hours', { timeout: DUE_WITHIN_MS })
})

test('what is boosted comes first, until its time is over', async ({ guest }) => {
  const { stem, names, ids } = await listBottles(2)
  const [older = '', newer = ''] = names
  const [olderId = 0] = ids
  const visitor = await guest()
  const found = visitor
    .getByRole('region', { name: /Search Results/ })
    .getByRole('article')
    .getByRole('heading')
  const search = `/products?search=${encodeURIComponent(stem)}`
  // The list of what is featured is remembered for a moment.
  const untilFeatured = (isFeatured: boolean) =>
    expect
      .poll(async () => [(await readProduct(olderId)).isFeatured, await isOnShelf(olderId)], { timeout: DUE_WITHIN_MS })
      .toEqual([isFeatured, isFeatured])
  await visitor.goto(search)
  await expect(found).toHaveText([newer, older])
  await payBoost(await orderBoost(olderId))
  await untilFeatured(true)
  await visitor.goto(search)
  await expect(found).toHaveText([older, newer])
  await visitor.goto(`${search}&sort=newest`)
  await expect(found).toHaveText([newer, older])
  await visitor.getByRole('combobox', { name: /Sort by/ }).click()
  await visitor.getByRole('option', { name: 'Featured' }).click()
  await expect(found).toHaveText([older, newer])
  const shelf = visitor.getByRole('region', { name: 'Featured Products' })
  await visitor.goto('/')
  await expect(shelf.getByRole('link', { name: older }).first()).toBeVisible()

  await moveTime((time) => time.endBoost(olderId))
  await untilFeatured(false)
  await visitor.goto('/')
  await expect(visitor.getByRole('region', { name: 'Recent Listings' }).getByRole('article')).toHaveCount(6)
  await expect(shelf.getByRole('link', { name: older })).toHaveCount(0)
  await visitor.goto(search)
  await expect(found).toHaveText([newer, older])
})

test('what can no longer be boosted when it is paid is exchanged', async ({ as }) => {
  const { names, ids } = await listBottles(2)
  const [gone = '', other = ''] = names
  const [goneId = 0] = ids
  const page = await as('sarah')
  await page.goto((await orderBoost(goneId)).paymentUrl)
  await removeBottle(goneId)
  await page.getByRole('button', { name: 'Pay', exact: true }).click()
  await page.getByRole('button', { name: `Choose a Product in place of ${gone}` }).click()
  const dialog = page.getByRole('dialog', { name: 'Choose a product to boost' })
  await dialog.getByRole('radio', { name: other }).check()
  await dialog.getByRole('button', { name: 'Boost It' }).click()
  await expectToast(page, 'Product boosted')
  await expect(boosted(page, other)).toContainText('168 hours')
  await expect(page.getByRole('region', { name: 'Could not be boosted' })).toHaveCount(0)
})

test('the steps of the checkout have no accessibility violation, light or dark', async ({ as }) => {
  const page = await as('sarah')
  // Before a package is chosen, the journey that visits every page looks at it.
  await page.goto('/boost-checkout?package=2')
  await expect(page.getByRole('heading', { name: 'Select 3 Products to Boost', exact: true })).toBeVisible()
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
  await expectNoViolations(page, 'the choice of products')
  const boxes = page.getByRole('checkbox')
  for (const index of [0, 1, 2]) await boxes.and(page.locator(':enabled')).nth(index).check()
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(summary(page)).toBeVisible()
  await expectNoViolations(page, 'the summary')
})
