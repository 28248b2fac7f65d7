import { expect, type Page } from '@playwright/test'
import { expectNoViolations } from './axe.ts'
import { mailTo, openConfirmation } from './mails.ts'
import { firstPassword, newPerson, signInAt } from './newcomers.ts'
import { signOut, siteUrl, test } from './site.ts'
import { expectToast } from './toasts.ts'

const accountMenu = (page: Page) => page.getByRole('button', { name: 'My Account', exact: true })
const part = (page: Page, name: string) => page.getByRole('region', { name })

test('the parts of the account have addresses, and the settings are kept', async ({ guest }) => {
  const page = await guest()
  const { username, email } = await newPerson(page)
  await page.goto('/account/settings')
  await expect(page).toHaveURL('/auth?redirect=%2Faccount%2Fsettings')
  await signInAt(page, '/account/settings', username, firstPassword)
  await expect(page).toHaveURL('/account/settings')

  await page.getByRole('link', { name: 'Profile Overview' }).click()
  await expect(page.getByText('Member since')).toBeVisible()
  await page.getByRole('link', { name: 'Account Settings', exact: true }).click()
  const details = part(page, 'Personal details')
  await details.getByLabel('First Name').fill('Rani')
  await details.getByLabel('Address').fill('Jalan Ampang 1\n50450 Kuala Lumpur')

  // What is not saved is asked about, whichever way somebody leaves.
  await page.getByRole('link', { name: 'My Orders' }).click()
  const question = page.getByRole('dialog', { name: 'Leave without saving?' })
  await question.getByRole('button', { name: 'Stay here' }).click()
  await expect(details.getByLabel('First Name')).toHaveValue('Rani')
  await page.goBack()
  await expect(question).toBeVisible()
  await question.getByRole('button', { name: 'Stay here' }).click()
  await expect(page).toHaveURL('/account/settings')

  await details.getByRole('button', { name: 'Save Changes' }).click()
  await expectToast(page, 'Profile updated')
  await page.getByRole('link', { name: 'My Orders' }).click()
  await expect(page).toHaveURL('/account/orders')
  await expect(page.getByRole('heading', { name: 'No orders yet' })).toBeVisible()
  await page.reload()
  await page.getByRole('link', { name: 'My Favorites' }).click()
  await expect(page.getByRole('heading', { name: 'No favorites yet' })).toBeVisible()
  await page.getByRole('link', { name: 'Profile Overview' }).click()
  await expect(page.getByRole('definition').filter({ hasText: 'Jalan Ampang 1' })).toBeVisible()
  await expect(page.getByRole('definition').filter({ hasText: email })).toContainText('Verified')
})

test('a new email address counts when its mail was answered', async ({ guest }) => {
  const page = await guest()
  const { username, email } = await newPerson(page)
  await signInAt(page, '/account/settings', username, firstPassword)
  const details = part(page, 'Personal details')
  await details.getByLabel('Email').fill(`new.${email}`)
  await details.getByLabel('Current Password').fill('not-the-password')
  await details.getByRole('button', { name: 'Save Changes' }).click()
  await expectToast(page, 'Update failed')
  await expect(details.getByText('This is not your current password')).toBeVisible()
  await details.getByLabel('Current Password').fill(firstPassword)
  await details.getByRole('button', { name: 'Save Changes' }).click()
  await expect(details.getByText(`A mail was sent to new.${email}`)).toBeVisible()
  await expect(details.getByLabel('Email')).toHaveValue(email)

  await openConfirmation(page, (await mailTo(`new.${email}`)).link)
  await page.goto('/account')
  await expect(page.getByRole('definition').filter({ hasText: `new.${email}` })).toBeVisible()
})

test('a new password ends the sessions on other devices, and the old one is no good any more', async ({ guest }) => {
  const here = await guest()
  const { username } = await newPerson(here)
  await signInAt(here, '/account/settings', username, firstPassword)
  const elsewhere = await guest()
  await signInAt(elsewhere, '/messages', username, firstPassword)
  await expect(elsewhere.getByText('No messages yet')).toBeVisible()

  const password = part(here, 'Password')
  await password.getByLabel('Current Password').fill(firstPassword)
  await password.getByLabel('New Password', { exact: true }).fill('cedar-and-smoke')
  await password.getByLabel('Confirm New Password').fill('cedar-and-smog')
  await password.getByRole('button', { name: 'Change Password' }).click()
  await expectToast(here, ["Passwords don't match", 'New password and confirmation password must match'])
  await password.getByLabel('Confirm New Password').fill('cedar-and-smoke')
  await password.getByLabel('Current Password').fill('not-the-password')
  await password.getByRole('button', { name: 'Change Password' }).click()
  await expectToast(here, 'Password change failed')
  await password.getByLabel('Current Password').fill(firstPassword)
  await password.getByRole('button', { name: 'Change Password' }).click()
  await expectToast(here, 'Password changed')
  await expect(accountMenu(here)).toBeVisible()

  await elsewhere.reload()
  await expect(elsewhere).toHaveURL('/auth?redirect=%2Fmessages')
  await signInAt(elsewhere, '/', username, firstPassword)
  await expectToast(elsewhere, 'Login failed')
  await signInAt(elsewhere, '/', username, 'cedar-and-smoke')
  await expect(accountMenu(elsewhere)).toBeVisible()
})

test('tabs sign in and out together, and forget whose data they showed', async ({ guest }) => {
  const first = await guest()
  const { username } = await newPerson(first)
  const second = await first.context().newPage()
  await second.goto(`${siteUrl()}/account`)
  await expect(second).toHaveURL(/\/auth\?redirect=/)
  await first.goto('/')
  await first.evaluate(() => localStorage.setItem('supabase_token', 'of an earlier version'))
  await signInAt(first, '/', username, firstPassword)
  await expect(accountMenu(first)).toBeVisible()
  // The other tab goes on to where it was going.
  await expect(second.getByRole('heading', { name: username })).toBeVisible()
  const stored = () => first.evaluate(() => Object.keys(localStorage).toSorted())
  // The last one says which language the server was told of.
  await expect.poll(stored).toEqual(['app_token', 'wangian-session', 'wangian-told-language'])

  // Also when no server can be reached.
  await second.route(/logout/, (route) => route.abort())
  await signOut(second)
  await expectToast(second, 'You have been logged out.')
  await expect(second).toHaveURL('/')
  await expect(first.getByRole('link', { name: 'Sign In' })).toBeVisible()
  await expect.poll(stored).toEqual([])
  await second.reload()
  await expect(second.getByRole('link', { name: 'Sign In' })).toBeVisible()
})

test('somebody deletes their account', async ({ guest }) => {
  const page = await guest()
  const { username, email } = await newPerson(page)
  await signInAt(page, '/account/settings', username, firstPassword)
  await page.getByRole('button', { name: 'Delete My Account' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete your account?' })
  const confirm = dialog.getByRole('button', { name: 'Delete My Account' })
  await confirm.click()
  await expect(dialog.getByText(`Please type ${username} exactly like this`)).toBeVisible()
  await dialog.getByLabel(`Type ${username} to confirm`).fill(username)
  await dialog.getByLabel('Current Password').fill('not-the-password')
  await confirm.click()
  await expect(dialog.getByText('This is not your current password')).toBeVisible()
  await dialog.getByLabel('Current Password').fill(firstPassword)
  await confirm.click()
  await expectToast(page, 'Account deleted')
  await expect(page).toHaveURL('/')
  await expect(page.getByRole('link', { name: 'Sign In' })).toBeVisible()
  await expect.poll(() => page.evaluate(() => Object.keys(localStorage))).toEqual([])
  expect((await mailTo(email, 2)).subject).toBe('Your Wangian account was deleted')

  await signInAt(page, '/', username, firstPassword)
  await expectToast(page, /Username not found|Login failed/)
  await expect(page.getByRole('link', { name: 'Sign In' })).toBeVisible()
})

test('no view of a new account has an accessibility violation, light or dark', async ({ guest }) => {
  const page = await guest()
  const { username } = await newPerson(page)
  await signInAt(page, '/account', username, firstPassword)
  await expect(accountMenu(page)).toBeVisible()
  // With something in them, the journey that visits every page looks at them.
  for (const view of ['', '/orders', '/favorites', '/settings']) {
    await page.goto(`/account${view}`)
    await expect(page.getByRole('heading', { level: 1 }).first()).toBeAttached()
    await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
    if (view !== '/settings') await expectNoViolations(page, view)
  }
  await page.getByRole('button', { name: 'Delete My Account' }).click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await expectNoViolations(page, 'the question before deleting')
})
