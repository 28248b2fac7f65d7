import { expect, type Page } from '@playwright/test'
import { expectNoViolations } from './axe.ts'
import { mailTo, openConfirmation } from './mails.ts'
import { people, siteUrl, test } from './site.ts'
import { expectToast } from './toasts.ts'

const password = 'rose-oud-amber'
let made = 0

/** Somebody whom nobody knows yet. */
function newPerson(name: string) {
  made += 1
  const username = `${name}${Date.now() % 10_000_000}${made}`
  return { username, email: `${username}@wangian.test` }
}
type Person = ReturnType<typeof newPerson>

async function register(page: Page, { username, email }: Person): Promise<void> {
  await page.goto('/register')
  await page.getByLabel('First Name').fill('Nadia')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByLabel('Confirm Password').fill(password)
  await page.getByLabel('I agree to the terms and conditions').check()
  await page.getByRole('button', { name: 'Create Account with Email Verification' }).click()
  await expect(page.getByRole('heading', { name: 'Check your email' })).toBeVisible()
}

async function signInAs(page: Page, username: string, tried: string): Promise<void> {
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Password').fill(tried)
  await page.getByRole('button', { name: 'Sign In', exact: true }).click()
}

const accountMenu = (page: Page) => page.getByRole('button', { name: 'My Account' })

/** Registers and verifies, in a browser that is signed in then. */
async function verified(page: Page, name: string): Promise<Person> {
  const person = newPerson(name)
  await register(page, person)
  await page.getByLabel('6-digit code').fill((await mailTo(person.email)).code)
  await page.getByRole('button', { name: 'Verify' }).click()
  await expect(accountMenu(page)).toBeVisible()
  return person
}

test('the link in the mail opens a new account and signs in', async ({ guest }) => {
  const page = await guest()
  const nadia = newPerson('nadia')
  await register(page, nadia)
  await expect(page).toHaveURL('/auth?registration=success')
  await expect(page.getByRole('button', { name: /^Send again in/ })).toBeDisabled()
  const { subject, link } = await mailTo(nadia.email)
  expect(subject).toBe('Confirm your email address')

  // Programs look at links in mails before people do, which must not use them up.
  expect((await page.request.get(link)).ok()).toBe(true)
  await openConfirmation(page, link)
  await expect(page).toHaveURL('/')
  await expect(accountMenu(page)).toBeVisible()

  const other = await guest()
  await other.goto(link)
  await expect(other.getByRole('heading', { name: 'Verification failed' })).toBeVisible()
  await expect(other.getByText('Email link is invalid or has expired')).toBeVisible()
  expect(other.url()).not.toContain('token')
  await other.getByRole('link', { name: 'Return to Sign In' }).click()
  await signInAs(other, nadia.username, password)
  await expect(accountMenu(other)).toBeVisible()
})

test('the link in the mail signs in nobody who did not ask for it', async ({ guest }) => {
  const maker = await guest()
  const person = newPerson('maker')
  await register(maker, person)
  const page = await guest()
  await openConfirmation(page, (await mailTo(person.email)).link)
  await expect(page).toHaveURL('/auth?verified=true')
  await expect(page.getByText('Sign in to go on.')).toBeVisible()
  await signInAs(page, person.username, password)
  await expect(accountMenu(page)).toBeVisible()
})

test('the code in the mail opens a new account where it was made', async ({ guest }) => {
  const page = await guest()
  const person = newPerson('coder')
  await register(page, person)
  const { code } = await mailTo(person.email)
  const field = page.getByLabel('6-digit code')
  await field.fill('12')
  await page.getByRole('button', { name: 'Verify' }).click()
  await expect(page.getByText('Please enter the six digits from the email')).toBeVisible()
  await field.fill(code === '000000' ? '000001' : '000000')
  await page.getByRole('button', { name: 'Verify' }).click()
  await expect(page.getByText('This code is not right, or it has expired')).toBeVisible()
  await expect(field).toBeFocused()
  await field.fill(`${code.slice(0, 3)} ${code.slice(3)}`)
  await page.getByRole('button', { name: 'Verify' }).click()
  await expect(accountMenu(page)).toBeVisible()
  await expect(page).toHaveURL('/')
})

test('whoever has not verified is told, and gets the mail again', async ({ guest }) => {
  const page = await guest()
  const person = newPerson('late')
  await register(page, person)
  await mailTo(person.email)
  await page.goto('/auth')
  await signInAs(page, person.username, password)
  await expectToast(page, 'Login failed')
  await expect(page.getByRole('heading', { name: 'Email not confirmed' })).toBeVisible()
  await page.getByRole('button', { name: 'Send again' }).click()
  await expectToast(page, 'Verification email sent')
  await page.getByLabel('6-digit code').fill((await mailTo(person.email, 2)).code)
  await page.getByRole('button', { name: 'Verify' }).click()
  await expect(accountMenu(page)).toBeVisible()
})

test('a forgotten password is replaced, and what was signed in before is out', async ({ guest }) => {
  const before = await guest()
  const person = await verified(before, 'forgetful')
  const page = await guest()
  await page.goto('/auth?redirect=/products')
  await page.getByRole('button', { name: 'Forgot password?' }).click()
  await page.getByRole('button', { name: 'Send Reset Link' }).click()
  await expect(page.getByText('Please enter a valid email address')).toBeVisible()
  await page.getByLabel('Email').fill(person.email)
  await page.getByRole('button', { name: 'Send Reset Link' }).click()
  await expect(page.getByRole('heading', { name: 'Password reset email sent' })).toBeVisible()
  await expect(page).toHaveURL('/auth?reset=requested&redirect=%2Fproducts')

  // The link works in another browser than the one that asked for it.
  const { link } = await mailTo(person.email, 2)
  const other = await guest()
  await other.goto(link)
  await expect(other).toHaveURL('/reset-password')
  await expect(other.getByText('token_hash')).toBeVisible()
  await other.getByLabel('New Password').fill('fig-musk-cedar')
  await other.getByLabel('Confirm Password').fill('fig-musk')
  await other.getByRole('button', { name: 'Reset Password' }).click()
  await expect(other.getByText('Passwords do not match')).toBeVisible()
  await other.getByLabel('Confirm Password').fill('fig-musk-cedar')
  await other.getByRole('button', { name: 'Reset Password' }).click()
  await expectToast(other, 'Your password has been reset successfully')
  await expect(other).toHaveURL('/auth')

  await before.reload()
  await expect(before.getByRole('link', { name: 'Sign In' })).toBeVisible()
  await signInAs(other, person.username, password)
  await expectToast(other, 'Invalid login credentials')
  await signInAs(other, person.username, 'fig-musk-cedar')
  await expect(accountMenu(other)).toBeVisible()

  await page.goto(link)
  await page.getByLabel('New Password').fill('another-cedar')
  await page.getByLabel('Confirm Password').fill('another-cedar')
  await page.getByRole('button', { name: 'Reset Password' }).click()
  await expectToast(
    page,
    'Password reset failed: Email link is invalid or has expired. Please request a new reset link.',
  )
})

test('the code of a reset mail takes the place of its link', async ({ guest }) => {
  const page = await guest()
  const person = await verified(await guest(), 'typist')
  await page.goto('/auth')
  await page.getByRole('button', { name: 'Sign in with email instead' }).click()
  await page.getByLabel('Email').fill(person.email)
  await page.getByRole('button', { name: 'Forgot password?' }).click()
  await expect(page.getByLabel('Email')).toHaveValue(person.email)
  await page.getByRole('button', { name: 'Send Reset Link' }).click()
  await page.getByLabel('6-digit code').fill((await mailTo(person.email, 2)).code)
  await page.getByRole('button', { name: 'Use code' }).click()
  await page.getByLabel('New Password').fill('fig-musk-cedar')
  await page.getByLabel('Confirm Password').fill('fig-musk-cedar')
  await page.getByRole('button', { name: 'Reset Password' }).click()
  await expectToast(page, 'Your password has been reset successfully')
})

test('Facebook lets somebody in, or says why not', async ({ guest }) => {
  const page = await guest()
  await page.goto('/auth?redirect=/products')
  await page.getByRole('button', { name: 'Continue with Facebook' }).click()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByRole('heading', { name: 'Authentication Error' })).toBeVisible()
  await expect(page.getByText(/^Authentication failed: /)).toBeVisible()
  await page.getByRole('link', { name: 'Back to Login' }).click()
  await page.goto('/auth?redirect=/products')
  await page.getByRole('button', { name: 'Continue with Facebook' }).click()
  // Not the username of the page before, which is there until the other one is.
  await page.getByLabel('Name', { exact: true }).fill('Aisyah Karim')
  await page.getByLabel('E-mail', { exact: true }).fill(newPerson('aisyah').email)
  await page.getByRole('button', { name: 'Allow' }).click()
  await expectToast(page, 'You have been successfully signed in with Facebook')
  await expect(page).toHaveURL('/products')
  await expect(accountMenu(page)).toBeVisible()
  await page.reload()
  await expect(accountMenu(page)).toBeVisible()
})

test('no redirect leads away from here', async ({ guest }) => {
  const page = await guest()
  for (const redirect of ['https://example.com/', '//example.com', '/\\example.com', 'javascript:alert(1)']) {
    await page.goto(`/login?redirect=${encodeURIComponent(redirect)}`)
    await page.evaluate(() => localStorage.clear())
    await signInAs(page, people.mei.username, people.mei.password)
    await expect(accountMenu(page)).toBeVisible()
    expect(new URL(page.url()).origin).toBe(new URL(siteUrl()).origin)
    await expect(page).toHaveURL('/')
    await page.evaluate(() => localStorage.clear())
  }
})

test('a link without anything in it says so', async ({ guest }) => {
  const page = await guest()
  const pages = [
    ['/reset-password', 'Error: Missing reset token. Please use the link from your email.'],
    ['/auth/verify', 'Invalid verification link or missing parameters'],
    ['/auth-verify', 'Invalid verification link or missing parameters'],
    ['/verify-email?token=nothing', 'Verification failed'],
    ['/auth-callback', 'No authentication data found in the URL'],
  ] as const
  for (const [address, sign] of pages) {
    await page.goto(address)
    await expect(page.getByText(sign)).toBeVisible()
    // Without a parameter, the journey that visits every page looks at them.
    if (address.includes('?')) await expectNoViolations(page, address)
  }
  await page.goto('/reset-password')
  await expect(page.getByRole('button', { name: 'Reset Password' })).toBeDisabled()
})
