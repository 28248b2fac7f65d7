import { screen } from '@testing-library/react'
import { boostRoutes } from '@wangian/contracts/boost.ts'
import { identityRoutes } from '@wangian/contracts/identity.ts'
import { Route, Routes } from 'react-router-dom'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { boostPayment, currentUser, later } from '../../../testing/fixtures.ts'
import { mockApi, refusal } from '../../../testing/mock-api.ts'
import { renderAt } from '../../../testing/render.tsx'
import BoostReceiptPage from './BoostReceiptPage.tsx'

let api: ReturnType<typeof mockApi>
let view: ReturnType<typeof renderAt>

beforeEach(() => {
  api = mockApi()
  api.answer(identityRoutes.me, () => currentUser)
})
afterEach(() => {
  view.end()
  api.restore()
})

function open(orderId = boostPayment().orderId): void {
  const page = (
    <Routes>
      <Route path="account/boosts/:orderId" element={<BoostReceiptPage />} />
    </Routes>
  )
  view = renderAt(`/account/boosts/${orderId}`, page, { id: 10, username: 'bala', isSeller: true })
}

it('says what was paid, how, and what came of it', async () => {
  api.answer(boostRoutes.getPayment, () =>
    boostPayment({
      status: 'paid',
      amount: 1801,
      paidAt: later(60_000),
      paymentChannel: 'FPX',
      transactionId: 'T-1',
      products: [
        { productId: 7, name: 'Oud Wood', amount: 901, state: 'boosted', boostedUntil: later(86_400_000) },
        { productId: 8, name: 'Rose 31', amount: 900, state: 'case', boostedUntil: null },
      ],
    }),
  )
  open()
  expect(await screen.findByRole('heading', { name: 'Receipt' })).toBeInTheDocument()
  for (const [label, value] of [
    ['Bill', 'zq0tm2wc'],
    ['Transaction', 'T-1'],
    ['Account', 'bala'],
    ['Duration', '72 hours'],
    ['Paid', '21 Nov 2026, 4:01 pm'],
    ['Paid by', 'FPX'],
  ] as const) {
    expect(screen.getByText(label, { selector: 'dt' }).nextElementSibling).toHaveTextContent(value)
  }
  const rows = screen.getAllByRole('row').map((row) => row.textContent?.replaceAll('\u00A0', ' '))
  expect(rows.slice(1)).toEqual([
    'Oud Wood22 Nov 2026, 4:00 pmRM 9.01',
    'Rose 31Could not be boostedRM 9.00',
    'TotalRM 18.01',
  ])
})

it('is no receipt before it is paid', async () => {
  api.answer(boostRoutes.getPayment, () => boostPayment())
  open()
  expect(await screen.findByRole('heading', { name: 'Order' })).toBeInTheDocument()
  expect(screen.getByText(/This order is not paid/)).toBeInTheDocument()
})

it('is not found for an order of somebody else, or for none', async () => {
  api.answer(boostRoutes.getPayment, () => refusal('order-not-found'))
  open()
  expect(await screen.findByText('Order Not Found')).toBeInTheDocument()
  view.end()
  open('41')
  expect(await screen.findByText('Order Not Found')).toBeInTheDocument()
})
