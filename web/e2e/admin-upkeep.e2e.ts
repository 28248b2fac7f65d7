import { expect, type Page } from '@playwright/test'
import { appendBrokenEvent } from '../../infra/faults/broken-event.ts'
import { authenticatorCode } from './authenticator.ts'
import { orderBoost, tellOfWrongAmount } from './boost-orders.ts'
import { readJourneyConfig } from './config.ts'
import { mailTo } from './mails.ts'
import { firstPassword, newPerson, signInAt } from './newcomers.ts'
import { listBottle, removeBottle, test } from './site.ts'
import { expectToast } from './toasts.ts'

/** Answers the question that is open, which wants a reason. */
async function confirm(page: Page, label: string, words: string, button: string): Promise<void> {
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(label).fill(words)
  await dialog.getByRole('button', { name: button }).click()
}

/** The entry of the record with this reason. */
async function recorded(page: Page, reason: string) {
  const entry = page.getByRole('row').filter({ hasText: reason })
  await expect(async () => {
    await page.goto('/admin/dashboard?tab=activity')
    await expect(entry).toHaveCount(1)
  }).toPass()
  return entry
}

test('a lost second factor is taken off', async ({ as, guest }) => {
  const visitor = await guest()
  await visitor.goto('/')
  const { username, email } = await newPerson(visitor)
  const post = async (path: string, data: object, token?: string) => {
    const headers = { apikey: 'journeys', ...(token && { authorization: `Bearer ${token}` }) }
    return await (await visitor.request.post(`/auth/v1/${path}`, { data, headers })).json()
  }
  const { access_token } = await post('token?grant_type=password', { email, password: firstPassword })
  const { id, totp } = await post('factors', { factor_type: 'totp' }, access_token)
  const { id: challenge_id } = await post(`factors/${id}/challenge`, {}, access_token)
  await post(`factors/${id}/verify`, { challenge_id, code: authenticatorCode(totp.secret) }, access_token)
  await signInAt(visitor, '/account', username, firstPassword)
  await expect(visitor.getByLabel('6-digit code')).toBeVisible()

  const page = await as('admin')
  await page.goto(`/admin/dashboard?search=${username}`)
  await page.getByRole('link', { name: username, exact: true }).click()
  // The one that says that it was turned on, so that the next is the newest.
  await mailTo(email, 2)
  await page.getByRole('button', { name: 'Remove Second Factor' }).click()
  await confirm(page, 'Reason', `${username} has lost the phone`, 'Remove Second Factor')
  await expectToast(page, `The second factor of ${username} has been removed`)
  await expect(page.getByRole('button', { name: 'Remove Second Factor' })).toHaveCount(0)
  await signInAt(visitor, '/account', username, firstPassword)
  await expect(visitor.getByRole('button', { name: 'My Account' })).toBeVisible()
  expect((await mailTo(email, 3)).subject).toBe('Two-step sign-in was turned off for you')
  await expect(await recorded(page, `${username} has lost the phone`)).toContainText('Removed a second factor')
})

test('a share is paid back, and a payment that fits no order is closed', async ({ as }) => {
  const [page, sarah] = [await as('admin'), await as('sarah')]
  const stamp = Date.now() % 10_000_000
  const [lost, kept] = [`Gone ${stamp}`, `Kept ${stamp}`]
  const [{ id: lostId }, { id: keptId }] = [
    await listBottle({ name: lost, price: 80, listingType: 'fixed' }),
    await listBottle({ name: kept, price: 80, listingType: 'fixed' }),
  ]
  const { paymentUrl } = await orderBoost(lostId)
  await removeBottle(lostId)
  await sarah.goto(paymentUrl)
  await sarah.getByRole('button', { name: 'Pay', exact: true }).click()
  await expectToast(sarah, 'Payment Successful')
  const billId = await tellOfWrongAmount((await orderBoost(keptId)).paymentUrl)

  const share = page.getByRole('table', { name: 'Shares to pay back' }).getByRole('row').filter({ hasText: lost })
  await expect(async () => {
    await page.goto('/admin/dashboard?tab=payments')
    await expect(share).toHaveCount(1)
  }).toPass()
  await expect(share.getByRole('link', { name: 'sarah' })).toBeVisible()
  await share.getByRole('button', { name: 'Refund' }).click()
  await confirm(page, 'How was it paid back?', `Bank transfer ${stamp}`, 'Note Refund')
  await expectToast(page, 'The refund has been noted')
  await expect(share).toContainText('Paid back')

  const alert = page.getByRole('row').filter({ hasText: billId }).filter({ hasText: 'Not what the order costs' })
  await expect(alert.getByRole('link', { name: 'sarah' })).toBeVisible()
  await alert.getByRole('button', { name: 'Close' }).click()
  await confirm(page, 'How was it dealt with?', `Sent back ${stamp}`, 'Close Alert')
  await expect(alert).toHaveCount(0)
  await expect(await recorded(page, `Bank transfer ${stamp}`)).toContainText('Noted a refund')
  await expect(await recorded(page, `Sent back ${stamp}`)).toContainText('Closed a payment alert')
})

test('an event that cannot be handled is tried again, and given up', async ({ as }) => {
  const { messagingDatabaseUrl } = readJourneyConfig()
  if (!messagingDatabaseUrl) throw new Error('No database: the set-up announces it')
  const stream = await appendBrokenEvent(messagingDatabaseUrl)
  const page = await as('admin')
  await page.goto('/admin/dashboard?tab=system')
  const parked = page.getByRole('row').filter({ hasText: stream }).filter({ hasText: 'messaging-record' })
  await expect(parked).toHaveCount(1, { timeout: 40_000 })
  await parked.getByRole('button', { name: 'Retry' }).click()
  await confirm(page, 'Reason', `Again ${stream}`, 'Retry')
  await expectToast(page, 'The event is tried again')
  await parked.getByRole('button', { name: 'Discard' }).click()
  await confirm(page, 'Reason', `Useless ${stream}`, 'Discard')
  await expectToast(page, 'The event has been discarded')
  await expect(parked).toHaveCount(0)
  await expect(await recorded(page, `Useless ${stream}`)).toContainText('Discarded an event')
})
