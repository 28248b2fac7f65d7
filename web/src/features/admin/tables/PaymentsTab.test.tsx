import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { adminRoutes } from '@wangian/contracts/admin.ts'
import { type AdminBoostCase, boostRoutes, type PaymentAlert } from '@wangian/contracts/boost.ts'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { later, now } from '../../../testing/fixtures.ts'
import { mockApi, refusal } from '../../../testing/mock-api.ts'
import { renderAt } from '../../../testing/render.tsx'
import { lim } from '../testing/admin-server.ts'
import { PaymentsTab } from './PaymentsTab.tsx'

const orderId = '0b6ed3a8-6b3e-4a7c-9f57-6a3e3c7a9d10'
const expired: AdminBoostCase = {
  id: 4,
  orderId,
  productId: 7,
  productName: 'Oud Wood',
  amount: 900,
  featureDuration: 72,
  state: 'expired',
  chosenProductId: null,
  createdAt: now,
  expiresAt: later(1000),
  user: { id: 3, username: 'sarah' },
  note: null,
  refundedAt: null,
}
const refunded: AdminBoostCase = { ...expired, state: 'refunded', note: 'Transfer 81', refundedAt: now }
const alert: PaymentAlert = {
  id: 2,
  kind: 'wrong-amount',
  billId: 'zq0tm2wc',
  user: { id: 3, username: 'sarah' },
  amount: 950,
  isPaid: true,
  transactionId: null,
  firstAt: now,
  lastAt: now,
  closedAt: null,
  closedBy: null,
  reason: null,
}

let api: ReturnType<typeof mockApi>
let view: ReturnType<typeof renderAt>

beforeEach(() => {
  api = mockApi()
  api.answer(adminRoutes.listPayments, () => [], { 'x-total-count': '0' })
  api.answer(boostRoutes.listAllCases, ({ url }) => (url.searchParams.get('state') === 'expired' ? [expired] : []))
  api.answer(boostRoutes.listPaymentAlerts, () => [alert])
  view = renderAt('/admin/dashboard?tab=payments', <PaymentsTab />, lim)
})
afterEach(() => {
  view.end()
  api.restore()
})

async function ask(button: string, words: string): Promise<void> {
  fireEvent.click(await screen.findByRole('button', { name: button }))
  const dialog = await screen.findByRole('dialog')
  const field = within(dialog).getByRole('textbox')
  fireEvent.submit(field.closest('form') as HTMLFormElement)
  await within(dialog).findByText('Reason is required')
  fireEvent.change(field, { target: { value: words } })
  fireEvent.submit(field.closest('form') as HTMLFormElement)
}

it('notes that a share was paid back, and how', async () => {
  api.answer(boostRoutes.refundCase, () => refunded)
  const row = (await screen.findByRole('button', { name: 'Refund case #4' })).closest('tr') as HTMLElement
  expect(within(row).getByRole('link', { name: 'sarah' })).toHaveAttribute('href', '/admin/users/3')
  await ask('Refund case #4', ' Transfer 81 ')
  await screen.findByText('Paid back')
  expect(api.received.at(-1)?.body).toEqual({ reason: 'Transfer 81' })
  expect(screen.queryByRole('button', { name: 'Refund case #4' })).not.toBeInTheDocument()
})

it('shows what another administrator has paid back already', async () => {
  api.answer(boostRoutes.refundCase, () => refusal('case-refunded'))
  await screen.findByRole('button', { name: 'Refund case #4' })
  api.answer(boostRoutes.listAllCases, () => [refunded])
  await ask('Refund case #4', 'Transfer 81')
  await screen.findByText('Paid back')
  expect(view.toasts.at(-1)?.description).toContain('Somebody else was faster.')
})

it('closes an alert', async () => {
  api.answer(boostRoutes.closePaymentAlert, () => ({ ...alert, closedAt: later(1), closedBy: 1, reason: 'Paid back' }))
  const row = (await screen.findByText('#2 Not what the order costs')).closest('tr') as HTMLElement
  expect(row).toHaveTextContent('RM 9.50')
  expect(within(row).getByRole('link', { name: 'sarah' })).toHaveAttribute('href', '/admin/users/3')
  await ask('Close payment alert #2', 'Paid back')
  await screen.findByText('No alert waits for anybody.')
  await waitFor(() => expect(api.received.at(-1)?.body).toEqual({ reason: 'Paid back' }))
})

it('goes on with the alerts behind those that are closed', async () => {
  view.end()
  const headers = { link: '</api/admin/payment-alerts?cursor=next>; rel="next"' }
  api.answer(boostRoutes.listPaymentAlerts, () => Response.json([alert], { headers }))
  api.answer(boostRoutes.closePaymentAlert, () => {
    api.answer(boostRoutes.listPaymentAlerts, () => [{ ...alert, id: 3 }])
    return { ...alert, closedAt: later(1), closedBy: 1, reason: 'Paid back' }
  })
  view = renderAt('/admin/dashboard?tab=payments', <PaymentsTab />, lim)
  await ask('Close payment alert #2', 'Paid back')
  await screen.findByText('#3 Not what the order costs')
  expect(screen.queryByText('#2 Not what the order costs')).not.toBeInTheDocument()
})
