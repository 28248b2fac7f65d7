import { screen, waitFor } from '@testing-library/react'
import { shopRoutes } from '@wangian/contracts/shop.ts'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { now } from '../../testing/fixtures.ts'
import { mockApi } from '../../testing/mock-api.ts'
import { renderAt } from '../../testing/render.tsx'
import { Story } from './Story.tsx'

let api: ReturnType<typeof mockApi>
let view: ReturnType<typeof renderAt>
const onWhole = vi.fn()
beforeEach(() => {
  api = mockApi()
  onWhole.mockClear()
})
afterEach(() => {
  view.end()
  api.restore()
})

it('tells what comes next, what people have said, and where they meet', async () => {
  const comment = 'It arrived exactly as full as the gauge said.'
  api.answer(shopRoutes.listVoices, () => [
    {
      id: 1,
      rating: 5,
      comment,
      createdAt: now,
      user: { id: 10, username: 'bala', profileImage: null },
      product: { id: 7, name: 'Oud Wood' },
      seller: { id: 3, shopName: 'Scent Cabinet' },
    },
  ])
  view = renderAt('/', <Story onWhole={onWhole} />)
  for (const name of ['Swap Market', 'Secure Escrow Payments', 'Authentication Guide']) {
    expect(screen.getByRole('heading', { name })).toBeInTheDocument()
  }
  expect(await screen.findByText(comment)).toBeInTheDocument()
  expect(screen.getByRole('figure')).toHaveTextContent('bala, of Scent Cabinet')
  expect(screen.getByRole('link', { name: 'Scent Cabinet' })).toHaveAttribute('href', '/sellers/3')
  expect(screen.getByRole('link', { name: 'Join Our Community' })).toHaveAttribute('target', '_blank')
})

it('makes nothing up where nobody has said anything', async () => {
  api.answer(shopRoutes.listVoices, () => [])
  view = renderAt('/', <Story onWhole={onWhole} />)
  expect(screen.getByRole('heading', { name: 'Swap Market' })).toBeInTheDocument()
  expect(screen.queryByText('Heard in our community')).toBeNull()
  // So that nobody keeps room for it.
  await waitFor(() => expect(onWhole).toHaveBeenCalledOnce())
})
