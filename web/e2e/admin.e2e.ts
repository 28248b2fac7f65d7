import { readFile } from 'node:fs/promises'
import { expect, type Page } from '@playwright/test'
import { expectNoViolations } from './axe.ts'
import { confirmPurchase, contact, start } from './deal-steps.ts'
import { firstPassword, newPerson, signInAt } from './newcomers.ts'
import { listBottle, openAuction, reportListing, test } from './site.ts'
import { expectToast, toast } from './toasts.ts'

let made = 0
const newName = (kind: string) => {
  made += 1
  return `${kind} ${Date.now() % 1_000_000}${made}`
}

/** Searches a table of the dashboard for the one row with these words. */
async function find(page: Page, address: string, words: string) {
  await page.goto(address)
  await page.getByRole('main').getByRole('searchbox').fill(words)
  // What was there before may have the row as well. It is pale until what was searched for is there.
  await expect(page).toHaveURL((url) => url.searchParams.get('search') === words)
  await expect(page.locator('[aria-busy]')).toHaveCount(0)
  const row = page.getByRole('row').filter({ hasText: words })
  await expect(row).toHaveCount(1)
  return row
}

async function choose(page: Page, name: string, action: string) {
  // It may be above the menu; and may go by itself, which a press would wait for in vain.
  const close = toast(page).getByRole('button', { name: 'Close' })
  await close.evaluateAll((buttons: HTMLElement[]) => {
    for (const button of buttons) button.click()
  })
  await page.getByRole('button', { name: `Actions for ${name}` }).click()
  await page.getByRole('menuitem', { name: action, exact: true }).click()
  return page.getByRole('dialog')
}

/** Waits for what is made of the events of others: the page reads it anew a second after an action, which may be too early, and then no more. */
async function expectSoon(page: Page, words: string | RegExp) {
  const said = page.getByText(words).first()
  await expect(async () => {
    if (!(await said.isVisible())) await page.reload()
    await expect(said).toBeVisible({ timeout: 5000 })
  }).toPass()
}

test('an administrator finds their way around, and the address keeps what is shown', async ({ as }) => {
  test.setTimeout(180_000)
  const page = await as('admin')
  await page.goto('/')
  await page.getByRole('button', { name: 'My Account' }).click()
  await page.getByRole('menuitem', { name: 'Admin Dashboard' }).click()
  await expect(page.getByText('Manage users, products, and orders')).toBeVisible()
  for (const figure of ['Total Users', 'Sellers', 'Total Orders']) {
    await expect(page.getByText(figure, { exact: true }).locator('+ dd')).toHaveText(/^\d/)
  }
  await page.getByRole('main').getByRole('searchbox').fill('SARAH')
  await expect(page.getByRole('row').filter({ hasText: 'sarah@wangian.test' })).toHaveCount(1)
  await expect(page).toHaveURL('/admin/dashboard?search=SARAH')
  await page.getByRole('combobox', { name: 'Role' }).click()
  await page.getByRole('option', { name: 'Admin' }).click()
  await expect(page.getByRole('heading', { name: 'Nothing found' })).toBeVisible()
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Nothing found' })).toBeVisible()
  await page.goBack()
  await expect(page.getByRole('link', { name: 'sarah', exact: true })).toBeVisible()

  for (const tab of ['Orders', 'Listings', 'Payments', 'Reports', 'Bidders', 'Activity', 'System']) {
    await page.getByRole('tab', { name: tab }).click()
    await expect(page.getByRole('tab', { name: tab })).toHaveAttribute('aria-selected', 'true')
    await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
    // As cards on a phone, the journey that visits every page looks at them.
    await expectNoViolations(page, tab)
  }
})

test('the pages of listings go on and back', async ({ as }) => {
  const page = await as('admin')
  await page.goto('/admin/dashboard?tab=listings&sort=name-asc')
  const first = page.getByRole('row').nth(1).getByRole('link').first()
  await expect(first).toBeVisible()
  const name = await first.textContent()
  await page.getByRole('link', { name: 'Next' }).click()
  await expect(page.getByText('26 to')).toBeVisible()
  await page.reload()
  await expect(page.getByText('26 to')).toBeVisible()
  await page.getByRole('link', { name: 'Previous' }).click()
  await expect(first).toHaveText(name ?? '')
  await page.goBack()
  await expect(page.getByText('26 to')).toBeVisible()
})

test('a user is banned and unbanned, and both are on the record', async ({ as, guest }) => {
  const page = await as('admin')
  const visitor = await guest()
  await visitor.goto('/')
  const { username } = await newPerson(visitor)
  await find(page, '/admin/dashboard', username)
  let dialog = await choose(page, username, 'Ban User')
  await expect(dialog).toContainText('The user can no longer make purchases.')
  await expectNoViolations(page, 'the question before a ban')
  await dialog.getByLabel('Reason').fill('Sells fakes')
  await dialog.getByRole('button', { name: 'Ban User' }).click()
  await expectToast(page, `User ${username} has been banned`)
  await expect(page.getByRole('row').filter({ hasText: username })).toContainText('Banned')
  await signInAt(visitor, '/account', username, firstPassword)
  await expectToast(visitor, 'User is banned')

  await page.getByRole('link', { name: username, exact: true }).click()
  await expect(page.getByText('Reason of the ban')).toBeVisible()
  await expect(page.getByText('Sells fakes').first()).toBeVisible()
  await page.getByRole('button', { name: 'Unban User' }).click()
  dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('The user can use the platform again.')
  await dialog.getByRole('button', { name: 'Unban User' }).click()
  await expectToast(page, `User ${username} has been unbanned`)
  await expect(page.getByRole('button', { name: 'Ban User' })).toBeEnabled()
  const record = page.getByRole('table', { name: 'Record' })
  await expect(record.getByRole('row').filter({ hasText: 'Unbanned a user' })).toContainText('Banned: Yes → No')
  await expect(record.getByRole('row').filter({ hasText: 'Sells fakes' })).toContainText('Banned: No → Yes')
  await expectSoon(page, 'Was unbanned.')
  await expectNoViolations(page, 'the page of a user')
  await signInAt(visitor, '/account', username, firstPassword)
  await expect(visitor.getByRole('button', { name: 'My Account' })).toBeVisible()
})

test('administrators cannot be banned, are appointed and dismissed', async ({ as, guest }) => {
  const page = await as('admin')
  const visitor = await guest()
  await visitor.goto('/')
  const { username } = await newPerson(visitor)
  await find(page, '/admin/dashboard', username)
  let dialog = await choose(page, username, 'Make Administrator')
  await dialog.getByRole('button', { name: 'Make Administrator' }).click()
  await expect(dialog.getByText('Reason is required')).toBeVisible()
  await dialog.getByLabel('Reason').fill('Helps with reports')
  await dialog.getByRole('button', { name: 'Make Administrator' }).click()
  await expectToast(page, `${username} is an administrator`)
  await page.getByRole('button', { name: `Actions for ${username}` }).click()
  await expect(page.getByRole('menuitem', { name: 'Ban User' })).toHaveAttribute('aria-disabled', 'true')
  await page.keyboard.press('Escape')
  dialog = await choose(page, username, 'Dismiss Administrator')
  await dialog.getByLabel('Reason').fill('Has other things to do')
  await dialog.getByRole('button', { name: 'Dismiss Administrator' }).click()
  await expectToast(page, `${username} is no administrator any more`)
})

test('an order is processed, shipped and delivered, and another one cancelled', async ({ as }) => {
  test.setTimeout(180_000)
  const [page, bala, sarah] = [await as('admin'), await as('bala'), await as('sarah')]
  for (const moves of [
    [
      ['Process', 'Processing'],
      ['Ship', 'Shipped'],
      ['Deliver', 'Delivered'],
    ],
    [['Cancel', 'Cancelled']],
  ] as const) {
    const name = newName('Moved')
    const { id: productId } = await listBottle({ name, price: 120, listingType: 'fixed' })
    await contact(bala, sarah, productId)
    await start(sarah, name)
    await confirmPurchase(bala, name)
    await expect(async () => {
      await find(page, '/admin/dashboard?tab=orders', name)
    }).toPass()
    const row = page.getByRole('row').filter({ hasText: name })
    await expect(row).toContainText('Pending')
    await expect(row).toContainText('$120.00')
    const order = (await row.getByRole('link').first().textContent()) ?? ''
    for (const [move, standing] of moves) {
      const dialog = await choose(page, `Order ${order}`, move)
      await dialog.getByRole('button', { name: new RegExp(`^${move}`) }).click()
      await expectToast(page, 'status updated')
      await expect(row).toContainText(standing)
    }
    await row.getByRole('link').first().click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(`Order ${order}`)
    await expectSoon(page, /^The order was placed by bala/)
    await expect(page.getByRole('table', { name: 'Record' }).getByText('Moved an order')).toHaveCount(moves.length)
    await expectNoViolations(page, 'the page of an order')
    await bala.goto('/account/orders')
    await expect(bala.getByRole('listitem').filter({ hasText: name })).toContainText(moves.at(-1)?.[1] ?? '')
  }
})

test('a listing is removed with its auction, and its seller is told why', async ({ as }) => {
  const page = await as('admin')
  const name = newName('Fake')
  const auction = await openAuction({ name, startingPrice: 40, bidIncrement: 1 })
  await expect(async () => {
    await find(page, '/admin/dashboard?tab=listings', name)
  }).toPass()
  const dialog = await choose(page, name, 'Remove')
  await dialog.getByRole('button', { name: 'Remove Listing' }).click()
  await expect(dialog.getByText('Reason is required')).toBeVisible()
  const reason = `The batch code of ${name} is wrong`
  await dialog.getByLabel('Reason').fill(reason)
  await dialog.getByRole('button', { name: 'Remove Listing' }).click()
  await expectToast(page, 'Listing has been removed and seller has been notified')
  await expect(page.getByRole('row').filter({ hasText: name })).toContainText('Removed')
  expect((await page.request.get(`/api/products/${auction.productId}`)).status()).toBe(404)

  await page.getByRole('link', { name, exact: true }).click()
  await expect(page.getByText(reason).first()).toBeVisible()
  await expectSoon(page, 'The listing was removed.')
  await expectNoViolations(page, 'the page of a listing')

  const sarah = await as('sarah')
  await sarah.goto('/messages')
  await sarah
    .getByRole('button', { name: /^(. )?admin/i })
    .first()
    .click()
  await expect(sarah.getByText(reason).last()).toBeVisible()
})

test('a seller is written to from the table of listings', async ({ as }) => {
  const page = await as('admin')
  await page.goto('/admin/dashboard?tab=listings&status=active')
  await page
    .getByRole('button', { name: /^Actions for/ })
    .first()
    .click()
  await page.getByRole('menuitem', { name: 'Contact Seller' }).click()
  await expect(page).toHaveURL('/messages')
  await expect(page.getByLabel('Message', { exact: true })).toHaveValue(/^Hi, I am writing about your listing/)
})

test('ten reports are decided by keyboard', async ({ as }) => {
  test.setTimeout(240_000)
  const words: string[] = []
  for (let number = 0; number < 10; number += 1) {
    const name = newName('Reported')
    const { id } = await listBottle({ name, price: 50, listingType: 'fixed' })
    words.push(`${name} smells of nothing`)
    await reportListing(number % 2 === 0 ? 'bala' : 'mei', id, words.at(-1) ?? '')
  }
  const page = await as('admin')
  await page.goto('/admin/dashboard?tab=reports&kind=listing')
  const report = (about: string) => page.getByRole('article').filter({ hasText: about })
  await expect(report(words[0] ?? '')).toBeVisible()
  await expectNoViolations(page, 'the queue of reports')

  // By Tab to the first report, and on with the keys of the queue.
  await page.getByRole('combobox', { name: 'Reported' }).focus()
  await page.keyboard.press('Tab')
  for (const [place, about] of words.entries()) {
    const isFocused = () => report(about).evaluate((node) => node === document.activeElement)
    for (let steps = 0; steps < 30 && !(await isFocused()); steps += 1) {
      await page.keyboard.press(place === 0 ? 'j' : 'k')
    }
    for (let steps = 0; steps < 30 && !(await isFocused()); steps += 1) await page.keyboard.press('j')
    await expect(report(about)).toBeFocused()
    if (place === 0) {
      await page.keyboard.press('Enter')
      await expect(page).toHaveURL(/\/admin\/listings\/\d+$/)
      await page.goBack()
      await expect(report(about)).toBeFocused()
    }
    await page.keyboard.press(place % 3 === 0 ? 'd' : 'u')
    await expect(page.getByRole('dialog').getByLabel('Reason')).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(report(about)).toHaveCount(0)
  }
  await page.goto('/admin/dashboard?tab=reports&status=upheld')
  await expect(report(words[1] ?? '')).toContainText('Upheld by admin')
  await page.goto('/admin/dashboard?tab=reports&status=dismissed')
  await expect(report(words[0] ?? '')).toContainText('Nothing against our rules was found')
})

test('the record is saved as a table', async ({ as }) => {
  const page = await as('admin')
  await page.goto('/admin/dashboard?tab=activity')
  await expect(page.getByRole('heading', { name: 'Activity' })).toBeVisible()
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export CSV' }).click()
  const file = await saved
  expect(file.suggestedFilename()).toBe('activity.csv')
  expect((await readFile(await file.path(), 'utf8')).split('\n')[0]).toContain('action')
})

test('the services are up', async ({ as }) => {
  const page = await as('admin')
  await page.goto('/admin/dashboard?tab=system')
  const services = page.getByRole('table', { name: 'Services' }).getByRole('row')
  for (const name of ['identity', 'catalogue', 'auction', 'messaging', 'boost', 'admin']) {
    await expect(services.filter({ has: page.getByRole('cell', { name, exact: true }) })).toContainText('Up')
  }
  await expect(page.getByText('No event is parked.')).toBeVisible()
})
