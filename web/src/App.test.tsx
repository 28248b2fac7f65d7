import { act, render, screen } from '@testing-library/react'
import { boostRoutes } from '@wangian/contracts/boost.ts'
import { identityRoutes } from '@wangian/contracts/identity.ts'
import { messagingRoutes } from '@wangian/contracts/messaging.ts'
import { type Notice, noticeRoutes } from '@wangian/contracts/notices.ts'
import { sellingRoutes } from '@wangian/contracts/selling.ts'
import { expect, it, onTestFinished, vi } from 'vitest'
import { App } from './App.tsx'
import { appToken } from './api/app-token.ts'
import { call } from './api/client.ts'
import { servedAnswers } from './api/served-answers.ts'
import { useOrders } from './features/account/orders.ts'
import { keepUnsent, readUnsent } from './features/messaging/unsent.ts'
import { useBoostableProducts, usePayments } from './features/selling/boost/api.ts'
import { useNotices } from './layouts/notices/use-notices.ts'
import { providerStorageKey } from './session/auth-provider.ts'
import { useSessionState } from './session/use-session.ts'
import { boostPayment, now, order, tokenFor } from './testing/fixtures.ts'
import { mockApi, refusal } from './testing/mock-api.ts'
import { listenToToasts, type ToastMessage } from './ui/toast-store.ts'

it('forgets what somebody has not sent when they leave, on whatever page that is', async () => {
  appToken.store(tokenFor({ id: 10, username: 'bala' }, Date.now() + 900_000))
  keepUnsent({ files: [{ clientMessageId: '1', senderId: 10, receiverId: 3, name: 'receipt.pdf' }] })
  render(<App served={servedAnswers()}>A page</App>)
  expect(readUnsent().files).toHaveLength(1)
  await act(async () => appToken.clear())
  expect(readUnsent().files).toEqual([])
})

it('keeps what somebody has not sent while their session cannot be renewed, and for nobody else', async () => {
  // What the session loads first.
  await import('./session/supabase-provider.ts')
  vi.useFakeTimers({ shouldAdvanceTime: true })
  onTestFinished(() => void vi.useRealTimers())
  const api = mockApi()
  onTestFinished(api.restore)
  localStorage.setItem(providerStorageKey, '{}')
  localStorage.setItem('app_token', tokenFor({ id: 10, username: 'bala' }, Date.now() - 1_000))
  keepUnsent({ files: [{ clientMessageId: '1', senderId: 10, receiverId: 3, name: 'receipt.pdf' }] })
  render(
    <App served={servedAnswers()}>
      <Status />
    </App>,
  )
  for (let tries = 0; screen.queryByText('signed-out') === null && tries < 20; tries += 1) {
    await act(() => vi.advanceTimersByTimeAsync(2_000))
  }
  expect(screen.getByText('signed-out')).toBeInTheDocument()
  expect(readUnsent().files).toHaveLength(1)
  await act(async () => appToken.store(tokenFor({ id: 10, username: 'bala' }, Date.now() + 900_000)))
  expect(screen.getByText('signed-in')).toBeInTheDocument()
  expect(readUnsent().files).toHaveLength(1)
  await act(async () => appToken.store(tokenFor({ id: 11, username: 'mei' }, Date.now() + 900_000)))
  expect(readUnsent().files).toEqual([])
})

function Status() {
  return useSessionState().status
}

it('tells somebody once that they are suspended', async () => {
  const api = mockApi()
  const toasts: ToastMessage[] = []
  onTestFinished(api.restore)
  onTestFinished(listenToToasts((toast) => toasts.push(toast)))
  api.answer(identityRoutes.me, () => refusal('account-suspended'))
  appToken.store(tokenFor({ id: 10, username: 'bala' }, Date.now() + 900_000))
  render(<App served={servedAnswers()}>A page</App>)
  await act(async () => expect(call(identityRoutes.me, {})).rejects.toMatchObject({ status: 403 }))
  expect(toasts).toEqual([{ title: 'Account suspended', tone: 'destructive' }])
})

const boostable = {
  id: 7,
  name: 'Oud Wood',
  price: 5_000,
  status: 'active',
  image_url: null,
  is_featured: false,
} as const
const notice: Notice = {
  id: 12,
  key: 'conversation-3',
  kind: 'message',
  at: now,
  isRead: false,
  user: { id: 3, username: 'sarah', profileImage: null },
  product: null,
  auction: null,
  deal: null,
  price: null,
  unreadMessages: 1,
}
const useBought = () => useOrders('bought').orders
const useToldNotices = () => useNotices().notices
const useOwnPayments = () => usePayments().payments
const useBoostables = () => useBoostableProducts('').products

function List({ useList }: { useList: () => readonly unknown[] | undefined }) {
  return useList()?.length ?? 'Nothing yet'
}

it.each([
  ['orders', messagingRoutes.listOrders, [order()], useBought],
  ['notices', noticeRoutes.listNotices, [notice], useToldNotices],
  ['payments', boostRoutes.listPayments, [boostPayment()], useOwnPayments],
  ['products to boost', sellingRoutes.listOwnProducts, [boostable], useBoostables],
] as const)('shows nobody the %s of whoever was signed in before them', async (_, route, answer, useList) => {
  const api = mockApi()
  onTestFinished(api.restore)
  api.answer(route, () => Response.json(answer))
  const served = servedAnswers()
  appToken.store(tokenFor({ id: 10, username: 'bala' }, Date.now() + 900_000))
  const { rerender } = render(
    <App served={served}>
      <List useList={useList} />
    </App>,
  )
  expect(await screen.findByText('1')).toBeInTheDocument()
  await act(async () => appToken.clear())
  rerender(<App served={served}>A page for guests</App>)
  api.answer(route, () => new Promise(() => {}))
  await act(async () => appToken.store(tokenFor({ id: 11, username: 'mei' }, Date.now() + 900_000)))
  rerender(
    <App served={served}>
      <List useList={useList} />
    </App>,
  )
  expect(screen.getByText('Nothing yet')).toBeInTheDocument()
})
