import { expect } from '@playwright/test'
import { authenticatorCode } from './authenticator.ts'
import { expectNoViolations } from './axe.ts'
import { mailTo } from './mails.ts'
import { firstPassword, newPerson, signInAt } from './newcomers.ts'
import { signOut, test } from './site.ts'
import { expectToast } from './toasts.ts'

test('an app and recovery codes are asked for beside the password, until the app is removed', async ({ guest }) => {
  const page = await guest()
  const { username } = await newPerson(page)
  const part = page.getByRole('region', { name: 'Two-step sign-in' })
  const settings = '/account/settings'
  await signInAt(page, settings, username, firstPassword)
  await expect(part.getByText('Two-step sign-in is off.')).toBeVisible()

  await part.getByRole('button', { name: 'Set up two-step sign-in' }).click()
  const setUp = page.getByRole('dialog', { name: 'Connect your app' })
  const picture = setUp.getByRole('img', { name: 'QR code for your authenticator app' })
  await expect(picture).toBeVisible()
  expect(await picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0)
  await expectNoViolations(page, 'setting up')
  const secret = (await setUp.getByText(/^[A-Z2-7]{4}( [A-Z2-7]{4}){7}$/).textContent()) ?? ''
  await setUp.getByLabel('Code of the app').fill('000000')
  await setUp.getByRole('button', { name: 'Turn on' }).click()
  await expect(setUp.getByRole('alert')).toContainText('This code is not right')
  await setUp.getByLabel('Code of the app').fill(authenticatorCode(secret))
  await setUp.getByRole('button', { name: 'Turn on' }).click()
  await expectToast(page, 'Two-step sign-in is on')
  const codes = page.getByRole('dialog', { name: 'Recovery codes' })
  await expect(codes.getByRole('listitem')).toHaveCount(10)
  await expectNoViolations(page, 'recovery codes')
  const [recoveryCode = ''] = await codes.getByRole('listitem').allTextContents()
  const download = page.waitForEvent('download')
  await codes.getByRole('button', { name: 'Download' }).click()
  expect((await download).suggestedFilename()).toBe('wangian-recovery-codes.txt')
  // One that goes over two lines is easily taken for two; no code is as wide as this.
  const heightsPx = await codes.getByRole('listitem').evaluateAll((all) =>
    all.map((each) => {
      each.textContent = 'wwww-wwww-wwww-wwww'
      return each.clientHeight
    }),
  )
  expect(Math.max(...heightsPx)).toBeLessThan(32)
  await codes.getByRole('button', { name: 'I have kept them' }).click()
  await expect(part.getByText('10 codes left')).toBeVisible()

  const question = page.getByRole('heading', { name: 'Two-step sign-in', level: 1 })
  await signOut(page)
  await signInAt(page, settings, username, firstPassword)
  await expect(question).toBeVisible()
  await expectNoViolations(page, 'the question for a code')
  // Nobody is in before that, whatever page they open.
  await page.goto('/messages')
  await expect(question).toBeVisible()
  await page.goto(`/login?redirect=${encodeURIComponent(settings)}`)
  await page.getByLabel('6-digit code').fill('000000')
  await page.getByRole('button', { name: 'Sign In', exact: true }).click()
  await expect(page.getByRole('alert')).toContainText('This code is not right')
  await page.getByLabel('6-digit code').fill(authenticatorCode(secret, 1))
  await page.getByRole('button', { name: 'Sign In', exact: true }).click()
  await expect(page).toHaveURL(settings)

  await signOut(page)
  await signInAt(page, settings, username, firstPassword)
  await page.getByRole('button', { name: 'Use a recovery code instead' }).click()
  await page.getByLabel('Recovery code').fill(recoveryCode.toUpperCase())
  await page.getByRole('button', { name: 'Sign In', exact: true }).click()
  await expect(part.getByText('9 codes left')).toBeVisible()

  await part.getByRole('button', { name: 'Remove Authenticator app' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove', exact: true }).click()
  await expect(part.getByText('Two-step sign-in is off.')).toBeVisible()
  await signOut(page)
  await signInAt(page, settings, username, firstPassword)
  await expect(part.getByText('Two-step sign-in is off.')).toBeVisible()
})

test('a forgotten password takes the code as well', async ({ guest }) => {
  const page = await guest()
  const { username, email } = await newPerson(page)
  await signInAt(page, '/account/settings', username, firstPassword)
  await page.getByRole('button', { name: 'Set up two-step sign-in' }).click()
  const setUp = page.getByRole('dialog', { name: 'Connect your app' })
  const secret = (await setUp.getByText(/^[A-Z2-7]{4}( [A-Z2-7]{4}){7}$/).textContent()) ?? ''
  await setUp.getByLabel('Code of the app').fill(authenticatorCode(secret))
  await setUp.getByRole('button', { name: 'Turn on' }).click()
  const codes = page.getByRole('dialog', { name: 'Recovery codes' })
  await expect(codes.getByRole('listitem')).toHaveCount(10)
  const [recoveryCode = ''] = await codes.getByRole('listitem').allTextContents()
  await codes.getByRole('button', { name: 'I have kept them' }).click()
  await signOut(page)

  await page.goto('/login')
  await page.getByRole('button', { name: 'Forgot password?' }).click()
  await page.getByLabel('Email').fill(email)
  // The one about the app, so that the next is the newest.
  await mailTo(email, 2)
  await page.getByRole('button', { name: 'Send Reset Link' }).click()
  await page.goto((await mailTo(email, 3)).link)
  await page.getByLabel('New Password', { exact: true }).fill('cedar-and-smoke')
  await page.getByLabel('Confirm Password').fill('cedar-and-smoke')
  const submit = page.getByRole('button', { name: 'Reset Password' })
  await submit.click()
  await page.getByLabel('Code', { exact: true }).fill(recoveryCode)
  await submit.click()
  await expect(page).toHaveURL(/\/auth$/)
  await signInAt(page, '/messages', username, 'cedar-and-smoke')
  await page.getByLabel('6-digit code').fill(authenticatorCode(secret, 1))
  await page.getByRole('button', { name: 'Sign In', exact: true }).click()
  await expect(page).toHaveURL('/messages')
})
