import { expect } from '@playwright/test'
import { people, signIn, signOut, siteUrl, test } from './site.ts'
import { expectToast } from './toasts.ts'

test('signing in by username, out, and in again by email', async ({ guest }) => {
  const page = await guest()
  await page.goto('/')
  await page.getByRole('link', { name: 'Sign In' }).click()
  await expect(page).toHaveURL('/auth')
  await signIn(page, 'bala')
  await expect(page).toHaveURL('/')
  await page.reload()
  await expect(page.getByRole('button', { name: 'My Account' })).toBeVisible()
  await signOut(page)
  await expectToast(page, 'You have been logged out.')
  await expect(page.getByRole('link', { name: 'Sign In' })).toBeVisible()
  expect(await page.evaluate(() => localStorage.getItem('app_token'))).toBeNull()

  await page.goto('/login')
  await page.getByRole('button', { name: 'Sign in with email instead' }).click()
  await page.getByLabel('Email').fill(people.bala.email)
  await page.getByLabel('Password').fill(people.bala.password)
  await page.getByRole('button', { name: 'Sign In', exact: true }).click()
  await expect(page.getByRole('button', { name: 'My Account' })).toBeVisible()
})

test('what is wrong with a sign-in is said', async ({ guest }) => {
  const page = await guest()
  await page.goto('/auth')
  await page.getByLabel('Username').fill('ba')
  await page.getByLabel('Password').fill('short')
  await page.getByRole('button', { name: 'Sign In', exact: true }).click()
  await expect(page.getByText('Username must be at least 3 characters')).toBeVisible()
  await expect(page.getByText('Password must be at least 6 characters')).toBeVisible()
  await page.getByLabel('Username').fill('bala')
  await page.getByLabel('Password').fill('not-the-password')
  await page.getByRole('button', { name: 'Sign In', exact: true }).click()
  await expectToast(page, ['Login failed', 'Invalid login credentials'])
  await expect(page).toHaveURL('/auth')
})

test('signing in leads on to where a person was going, and never elsewhere', async ({ guest }) => {
  const page = await guest()
  await page.goto('/messages')
  await expect(page).toHaveURL('/auth?redirect=%2Fmessages')
  await expectToast(page, 'Authentication Required')
  await signIn(page, 'mei')
  await expect(page).toHaveURL('/messages')
  await expect(page.getByRole('region', { name: 'Conversations' })).toBeVisible()
  await signOut(page)
  await expect(page.getByRole('link', { name: 'Sign In' })).toBeVisible()

  await page.goto(`/login?redirect=${encodeURIComponent('//example.com/take-over')}`)
  await signIn(page, 'mei')
  await expect(page.getByRole('button', { name: 'My Account' })).toBeVisible()
  await expect(page).toHaveURL('/')
})

test('signing out in one tab signs out in the other', async ({ guest }) => {
  const first = await guest()
  await first.goto('/login')
  await signIn(first, 'bala')
  await expect(first.getByRole('button', { name: 'My Account' })).toBeVisible()
  const second = await first.context().newPage()
  await second.goto(`${siteUrl()}/products`)
  await expect(second.getByRole('button', { name: 'My Account' })).toBeVisible()
  await signOut(first)
  await expect(second.getByRole('link', { name: 'Sign In' })).toBeVisible()
})

test('a new person registers', async ({ guest }) => {
  const page = await guest()
  await page.goto('/register')
  const create = page.getByRole('button', { name: 'Create Account with Email Verification' })
  await create.click()
  for (const error of [
    'Please enter a valid email address',
    'Username must be at least 3 characters',
    'Password must be at least 6 characters',
    'You must accept the terms and conditions',
  ]) {
    await expect(page.getByText(error)).toBeVisible()
  }
  const username = `nadia${Date.now() % 1_000_000}`
  await page.getByLabel('First Name').fill('Nadia')
  await page.getByLabel('Email').fill(`${username}@wangian.test`)
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Password', { exact: true }).fill('rose-oud-amber')
  await page.getByLabel('Confirm Password').fill('rose-oud-musk')
  await page.getByLabel('I agree to the terms and conditions').check()
  await create.click()
  await expect(page.getByText('Passwords do not match')).toBeVisible()
  await page.getByLabel('Confirm Password').fill('rose-oud-amber')
  await create.click()
  await expect(page.getByText('Passwords do not match')).toBeHidden()
  // What the mail leads to is in sign-in.e2e.ts.
  await expect(page.getByRole('heading', { name: 'Check your email' })).toBeVisible()
})

test('the header fits the narrowest screens', async ({ as }) => {
  const page = await as('bala')
  for (const width of [320, 360]) {
    await page.setViewportSize({ width, height: 640 })
    await page.goto('/buying-guide')
    await expect(page.getByRole('banner').getByRole('link', { name: 'Wangian' })).toBeInViewport({ ratio: 1 })
    await expect(page.getByRole('button', { name: 'My Account' })).toBeInViewport({ ratio: 1 })
  }
})

test('a buyer is told what a seller page needs', async ({ as }) => {
  const page = await as('bala')
  await page.goto('/')
  await page.getByRole('link', { name: 'Sell', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Seller Account Required' })).toBeVisible()
  await expect(page.getByText('You need a seller account to access this page.')).toBeVisible()
})

test('an address that leads nowhere says so', async ({ guest }) => {
  const page = await guest()
  expect((await page.goto('/no/such/page'))?.status()).toBe(404)
  await expect(page.getByRole('heading', { name: '404 Page Not Found' })).toBeVisible()
  await expect(page.getByText('Did you forget to add the page to the router?')).toBeVisible()
})
