import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { identityRoutes } from '@wangian/contracts/identity.ts'
import { messagingRoutes } from '@wangian/contracts/messaging.ts'
import { Route, Routes } from 'react-router-dom'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { useMessageNews } from '../../live/use-message-news.ts'
import { FakeSocket } from '../../testing/fake-socket.ts'
import { card, currentUser, now, order } from '../../testing/fixtures.ts'
import { mockApi, refusal } from '../../testing/mock-api.ts'
import { renderAt } from '../../testing/render.tsx'
import OrdersPage from './OrdersPage.tsx'
import OverviewPage from './OverviewPage.tsx'
import ReceiptPage from './ReceiptPage.tsx'

const bala = { id: 10, username: 'bala' }
const sarah = { id: 3, username: 'sarah', isSeller: true }
const people = {
  bala: { id: 10, username: 'bala', profileImage: null },
  sarah: { id: 3, username: 'sarah', profileImage: null },
}
const paid = order({
  status: 'processing',
  paidAt: now,
  transactionStatus: 'WAITING_DELIVERY',
  isCancellable: false,
  waiting: { for: 'buyer', actionType: 'CONFIRM_DELIVERY', messageId: 5, since: now },
})
const done = order({
  status: 'delivered',
  transactionStatus: 'COMPLETED',
  rating: 4.5,
  waiting: null,
  paidAt: now,
  deliveredAt: now,
})

let view: ReturnType<typeof renderAt>
let api: ReturnType<typeof mockApi>
beforeEach(() => {
  api = mockApi()
  api.answer(identityRoutes.me, () => currentUser)
  api.answer(messagingRoutes.countUnread, () => ({ count: 0 }))
  api.answer(messagingRoutes.listOrders, () => [order()])
  api.answer(messagingRoutes.listSales, () => [])
})
afterEach(() => {
  view.end()
  api.restore()
})

function open(address: string, holder: typeof bala | typeof sarah = bala) {
  view = renderAt(
    address,
    <Routes>
      <Route path="/account" element={<Overview />} />
      <Route path="/account/orders" element={<OrdersPage />} />
      <Route path="/account/orders/:orderId" element={<ReceiptPage />} />
    </Routes>,
    holder,
  )
}

/** With what keeps the socket open. */
function Overview() {
  useMessageNews()
  return <OverviewPage />
}

const handedOver = () => JSON.parse(sessionStorage.getItem('selectedConversation') ?? 'null')

describe('the orders', () => {
  it('of a buyer say what, of whom, for how much, how it stands and what comes next', async () => {
    open('/account/orders')
    const item = await screen.findByRole('listitem')
    expect(within(item).getByRole('link', { name: 'Oud Wood' })).toHaveAttribute('href', '/products/7')
    expect(item).toHaveTextContent('No. 5 · 21 November 2026 · sold by sarah')
    expect(item).toHaveTextContent('RM 1,250.00')
    expect(item).toHaveTextContent('Waiting for paymentNext, sarah confirms the payment.')
    expect(within(item).getByRole('link', { name: 'Receipt of order no. 5' })).toHaveAttribute(
      'href',
      '/account/orders/5',
    )
  })

  it.each([
    [paid, 'PaidYour turn: confirm the delivery once the bottle is there.'],
    [done, 'DeliveredReviewed with 4.5 of 5 stars.'],
    [order({ status: 'cancelled', transactionStatus: 'CANCELLED', waiting: null }), 'Cancelled'],
  ])('say how they stand: %#', async (each, words) => {
    api.answer(messagingRoutes.listOrders, () => [each])
    open('/account/orders')
    expect(await screen.findByRole('listitem')).toHaveTextContent(words)
  })

  it('lead to the chat about them', async () => {
    open('/account/orders')
    fireEvent.click(await screen.findByRole('link', { name: 'Open Chat with sarah' }))
    expect(view.whereabouts()).toBe('/messages')
    expect(handedOver()).toMatchObject({ userId: 3, username: 'sarah', productId: 7, templateMessage: '' })
  })

  it('of a seller are their sales, at an address of their own', async () => {
    api.answer(messagingRoutes.listSales, () => [order()])
    open('/account/orders', sarah)
    fireEvent.click(screen.getByRole('tab', { name: 'Sold' }))
    await waitFor(() =>
      expect(screen.getByRole('listitem')).toHaveTextContent('Your turn: confirm the payment once it has arrived.'),
    )
    expect(screen.getByRole('listitem')).toHaveTextContent('bought by bala')
    expect(view.whereabouts()).toBe('/account/orders?show=sold')
  })

  it('come page after page', async () => {
    api.answer(messagingRoutes.listOrders, ({ url }) =>
      url.searchParams.get('cursor') === '6'
        ? [order()]
        : Response.json([order({ id: 6 })], { headers: { link: '</api/orders/user?cursor=6>; rel="next"' } }),
    )
    open('/account/orders')
    ;(await screen.findByRole('button', { name: 'Show more' })).click()
    await waitFor(() => expect(screen.getAllByRole('listitem')).toHaveLength(2))
  })

  it('say why the next page has not come, and bring it when it is tried again', async () => {
    let isAway = true
    api.answer(messagingRoutes.listOrders, ({ url }) => {
      if (url.searchParams.get('cursor') !== '6')
        return Response.json([order({ id: 6 })], { headers: { link: '</api/orders/user?cursor=6>; rel="next"' } })
      return isAway ? refusal('unavailable') : [order()]
    })
    open('/account/orders')
    ;(await screen.findByRole('button', { name: 'Show more' })).click()
    expect(await screen.findByRole('alert')).toHaveTextContent(/try again/i)
    isAway = false
    screen.getByRole('button', { name: 'Show more' }).click()
    await waitFor(() => expect(screen.getAllByRole('listitem')).toHaveLength(2))
    expect(screen.queryByRole('alert')).toBeNull()
  })

  it('may be none, bought or sold', async () => {
    api.answer(messagingRoutes.listOrders, () => [])
    open('/account/orders')
    expect(await screen.findByRole('heading', { name: 'No orders yet' })).toBeInTheDocument()
    fireEvent.click(screen.getByRole('tab', { name: 'Sold' }))
    expect(await screen.findByRole('heading', { name: 'No sales yet' })).toBeInTheDocument()
  })

  it('may fail to load, and be tried again', async () => {
    api.answer(messagingRoutes.listOrders, () => refusal('unavailable'))
    open('/account/orders')
    const again = await screen.findByRole('button', { name: 'Try Again' })
    api.answer(messagingRoutes.listOrders, () => [order()])
    again.click()
    expect(await screen.findByRole('listitem')).toBeInTheDocument()
  })
})

describe('a receipt', () => {
  it('says who, what, when and how much, and can be printed', async () => {
    api.answer(messagingRoutes.getOrder, () => done)
    open('/account/orders/5')
    const sheet = await screen.findByRole('article')
    for (const fact of ['No. 5', 'Buyerbala', 'Sellersarah', 'Paid21 Nov 2026', 'StateDelivered', 'TotalRM 1,250.00']) {
      expect(sheet).toHaveTextContent(fact)
    }
    const print = vi.fn()
    vi.stubGlobal('print', print)
    screen.getByRole('button', { name: 'Print' }).click()
    expect(print).toHaveBeenCalledOnce()
    vi.unstubAllGlobals()
    expect(screen.getByRole('link', { name: 'My Orders' })).toHaveAttribute('href', '/account/orders')
  })

  it('of a sale leads back to the sales and to the buyer', async () => {
    api.answer(messagingRoutes.getOrder, () => paid)
    open('/account/orders/5', sarah)
    expect(await screen.findByRole('link', { name: 'My Orders' })).toHaveAttribute('href', '/account/orders?show=sold')
    fireEvent.click(screen.getByRole('link', { name: 'Open Chat' }))
    expect(handedOver()).toMatchObject({ userId: 10 })
  })

  it.each(['5', 'x'])('of nobody or of others (%s) is not found', async (id) => {
    api.answer(messagingRoutes.getOrder, () => refusal('order-not-found'))
    open(`/account/orders/${id}`)
    expect(await screen.findByRole('heading', { name: 'Order Not Found' })).toBeInTheDocument()
  })

  it('may fail to load, and be tried again', async () => {
    api.answer(messagingRoutes.getOrder, () => refusal('unavailable'))
    open('/account/orders/5')
    const again = await screen.findByRole('button', { name: 'Try Again' })
    api.answer(messagingRoutes.getOrder, () => order())
    again.click()
    expect(await screen.findByRole('article')).toBeInTheDocument()
  })
})

describe('what needs somebody', () => {
  const waiting = {
    messageId: 5,
    transactionId: 5,
    actionType: 'CONFIRM_DELIVERY' as const,
    amount: 1250,
    since: now,
    user: people.sarah,
    product: { id: 7, name: 'Oud Wood', price: 60, imageUrl: null, isRemoved: false },
  }

  it('is each card that waits for them, and leads to its chat', async () => {
    api.answer(messagingRoutes.listWaiting, () => [waiting])
    open('/account')
    const line = await screen.findByRole('listitem')
    expect(line).toHaveTextContent('Confirm the delivery of Oud Wood')
    expect(line).toHaveTextContent('sarah · RM 1,250.00 · since 21 Nov 2026')
    fireEvent.click(within(line).getByRole('link', { name: 'Open Chat' }))
    expect(handedOver()).toMatchObject({ userId: 3, productId: 7 })
  })

  it('does not push down who they are, which comes after it', async () => {
    const told = Promise.withResolvers<never[]>()
    api.answer(messagingRoutes.listWaiting, () => told.promise)
    open('/account')
    await waitFor(() => expect(api.countOf(messagingRoutes.listWaiting)).toBe(1))
    expect(screen.queryByText('Loading')).toBeNull()
    expect(screen.queryByRole('heading', { name: 'bala' })).toBeNull()
    await act(async () => told.resolve([]))
    expect(await screen.findByRole('heading', { name: 'bala' })).toBeInTheDocument()
  })

  it('may be nothing, until a card comes', async () => {
    api.answer(messagingRoutes.listWaiting, () => [])
    open('/account')
    expect(await screen.findByText('Nothing waits for you.')).toBeInTheDocument()
    api.answer(messagingRoutes.listWaiting, () => [waiting])
    act(() => {
      FakeSocket.newest().accept()
      FakeSocket.newest().receive({ type: 'new_message', message: card(5, 'CONFIRM_DELIVERY') })
    })
    expect(await screen.findByRole('listitem')).toBeInTheDocument()
  })

  it('are read again after an interruption, which may have taken a card along', async () => {
    api.answer(messagingRoutes.listWaiting, () => [])
    open('/account')
    expect(await screen.findByText('Nothing waits for you.')).toBeInTheDocument()
    api.answer(messagingRoutes.listWaiting, () => [waiting])
    act(() => {
      FakeSocket.newest().accept()
      FakeSocket.newest().receive({ type: 'auth_success', userId: 10 })
    })
    expect(await screen.findByRole('listitem')).toBeInTheDocument()
  })

  it('may fail to load, and be tried again', async () => {
    api.answer(messagingRoutes.listWaiting, () => refusal('unavailable'))
    open('/account')
    const again = await screen.findByRole('button', { name: 'Try Again' })
    api.answer(messagingRoutes.listWaiting, () => [])
    again.click()
    expect(await screen.findByText('Nothing waits for you.')).toBeInTheDocument()
  })
})
