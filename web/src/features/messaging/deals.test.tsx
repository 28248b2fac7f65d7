import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { auctionRoutes } from '@wangian/contracts/auction.ts'
import type { ServerFrame } from '@wangian/contracts/frames.ts'
import { type ActionType, type Message, messagingRoutes } from '@wangian/contracts/messaging.ts'
import { type OwnProduct, sellingRoutes } from '@wangian/contracts/selling.ts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { handOverConversation } from '../../contact/conversation-hand-off.ts'
import { useMessageNews } from '../../live/use-message-news.ts'
import { FakeSocket } from '../../testing/fake-socket.ts'
import { auctionPage, card, conversation, message, ownProduct, transaction } from '../../testing/fixtures.ts'
import { mockApi, type Received, refusal } from '../../testing/mock-api.ts'
import { renderAt } from '../../testing/render.tsx'
import { keptReview } from './drafts.ts'
import MessagesPage from './MessagesPage.tsx'

let view: ReturnType<typeof renderAt>
let api: ReturnType<typeof mockApi>
beforeEach(() => {
  api = mockApi()
  api.answer(messagingRoutes.countUnread, () => ({ count: 0 }))
  api.answer(messagingRoutes.listConversations, () => [conversation(message(2))])
})
afterEach(() => {
  view.end()
  api.restore()
})

/** The conversation with sarah, as bala sees it. */
async function open(messages: readonly Message[], isSeller = false) {
  api.answer(messagingRoutes.getConversation, () => [...messages])
  view = renderAt('/messages', <Opener />, { id: 10, username: 'bala', isSeller })
  await waitFor(() => expect(FakeSocket.opened.length).toBeGreaterThan(0))
  act(() => {
    FakeSocket.newest().accept()
    FakeSocket.newest().receive({ type: 'auth_success', userId: 10 })
  })
  return await screen.findByRole('log')
}

/** Rendering begins with empty storage. */
function Opener() {
  useMessageNews()
  if (sessionStorage.length === 0) {
    handOverConversation(10, {
      userId: 3,
      username: 'sarah',
      profileImage: null,
      productId: 7,
      productName: 'Oud Wood',
      templateMessage: '',
    })
  }
  return <MessagesPage />
}

const receive = (frame: ServerFrame) => act(() => FakeSocket.newest().receive(frame))
/** The card at the bottom. */
const newest = () => screen.getAllByRole('article').at(-1) as HTMLElement
const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }))
const fromBala = { senderId: 10 }

describe('a card', () => {
  it('says what is sold, for how much, and which deal it is', async () => {
    await open([card(4, 'INITIATE')])
    expect(newest()).toHaveTextContent('Confirm Purchase')
    expect(newest()).toHaveTextContent('Listed at $60.00')
    expect(newest()).toHaveTextContent('Amount$1,250.00')
    expect(newest()).toHaveTextContent('No. 5')
    expect(within(newest()).getByRole('link', { name: 'Oud Wood' })).toHaveAttribute('href', '/products/7')
  })

  it.each<[ActionType, string, string]>([
    ['INITIATE', 'Waiting for sarah to confirm the purchase', 'Purchase confirmed'],
    ['CONFIRM_PAYMENT', 'Waiting for sarah to confirm the payment', 'Payment received - Transaction complete'],
    ['CONFIRM_DELIVERY', 'Waiting for sarah to confirm the delivery', 'Delivery confirmed'],
    ['REVIEW', 'Waiting for sarah to leave a review', 'Review submitted - Thank you!'],
  ])(
    '%s has nothing to press for who sent it, and says what it waits for and that it is done',
    async (type, waiting, done) => {
      await open([card(4, type, fromBala)])
      expect(newest()).toHaveTextContent(waiting)
      expect(
        within(newest())
          .getAllByRole('button')
          .map(({ textContent }) => textContent),
      ).toEqual(['Cancel Transaction'])
      receive({ type: 'action_confirmed', message: card(4, type, { ...fromBala, isClicked: true }), next: null })
      expect(newest()).toHaveTextContent(done)
      expect(within(newest()).queryByRole('button')).toBeNull()
    },
  )

  it('of a deal that was called off says so, and cannot be acted on', async () => {
    await open([card(4, 'INITIATE', { transaction: transaction({ status: 'CANCELLED', isCancellable: false }) })])
    expect(newest()).toHaveTextContent('Transaction cancelled')
    expect(within(newest()).queryByRole('button')).toBeNull()
  })

  it('says that it is on its way, until it has arrived', async () => {
    const shipped = transaction({ status: 'WAITING_DELIVERY', isCancellable: false, isShipped: true })
    await open([card(4, 'CONFIRM_DELIVERY', { transaction: shipped })])
    expect(newest()).toHaveTextContent('On its way')
    const done = { isClicked: true, transaction: { ...shipped, status: 'WAITING_REVIEW' as const, isShipped: false } }
    receive({ type: 'action_confirmed', message: card(4, 'CONFIRM_DELIVERY', done), next: null })
    expect(newest()).toHaveTextContent('Delivery confirmed')
    expect(newest()).not.toHaveTextContent('On its way')
  })

  it('says what was given in a review', async () => {
    const done = transaction({ status: 'COMPLETED', isCancellable: false, rating: 4.5 })
    await open([card(4, 'REVIEW', { isClicked: true, transaction: done })])
    expect(newest()).toHaveTextContent('Review submitted - Thank you!4.5 of 5 stars')
  })

  it('keeps its place, and shows where another bottle is spoken of', async () => {
    const other = { id: 8, name: 'Aventus', price: 80, imageUrl: null, isRemoved: true }
    const product = card(1, 'INITIATE').product
    const log = await open([
      message(1, { product }),
      message(2),
      message(3, { product }),
      message(4, { product: other }),
      message(5, { product }),
    ])
    const dividers = [...log.querySelectorAll('p')].map(({ textContent }) => textContent)
    expect(dividers.filter((words) => words?.startsWith('Regarding'))).toEqual([
      'Regarding: Oud Wood',
      'Regarding: Aventus (removed)',
      'Regarding: Oud Wood',
    ])
  })
})

describe('a step', () => {
  const confirmed = { ...fromBala, transaction: transaction() }

  it.each<[ActionType, string, ActionType, string]>([
    ['INITIATE', 'Confirm Purchase', 'CONFIRM_PAYMENT', 'Purchase Confirmed'],
    ['CONFIRM_PAYMENT', 'Confirm Payment Received', 'CONFIRM_DELIVERY', 'Payment Confirmed'],
    ['CONFIRM_DELIVERY', 'Confirm Delivery', 'REVIEW', 'Delivery Confirmed'],
  ])('%s is taken once, however often it is pressed, and brings the next card', async (type, button, next, title) => {
    await open([card(4, type)])
    let answer = (_: unknown) => {}
    api.answer(messagingRoutes.confirmAction, () =>
      new Promise<void>((done) => {
        answer = done as typeof answer
      }).then(() => ({
        success: true as const,
        message: card(4, type, { isClicked: true }),
        next: card(5, next, confirmed),
      })),
    )
    const pressed = screen.getByRole('button', { name: button })
    act(() => {
      pressed.click()
      pressed.click()
    })
    fireEvent.click(await screen.findByRole('button', { name: 'Confirming...' }))
    await act(async () => answer(null))
    await waitFor(() => expect(screen.getAllByRole('article')).toHaveLength(2))
    expect(api.received.filter(({ body }) => body !== undefined).map(({ body }) => body)).toEqual([{ messageId: 4 }])
    expect(view.toasts.at(-1)).toMatchObject({ title })
    // The button is gone, and the focus is where it says so.
    expect(screen.getAllByRole('article')[0]).toContainElement(document.activeElement as HTMLElement)
    expect(document.activeElement).toHaveTextContent(/confirmed|Payment received/)
    // What the socket says of it changes nothing any more.
    receive({ type: 'action_confirmed', message: card(4, type, { isClicked: true }), next: card(5, next, confirmed) })
    expect(screen.getAllByRole('article')).toHaveLength(2)
  })

  it('that is refused says why in the words of the server, and may be taken again', async () => {
    await open([card(4, 'INITIATE')])
    api.answer(messagingRoutes.confirmAction, () => refusal('product-sold'))
    press('Confirm Purchase')
    await waitFor(() =>
      expect(view.toasts).toEqual([{ title: 'Error', description: 'This product is sold', tone: 'destructive' }]),
    )
    expect(screen.getByRole('button', { name: 'Confirm Purchase' })).toBeEnabled()
    // Whoever writes meanwhile goes on when it is taken elsewhere.
    screen.getByLabelText('Message').focus()
    receive({ type: 'action_confirmed', message: card(4, 'INITIATE', { isClicked: true }) })
    expect(screen.queryByRole('button', { name: 'Confirm Purchase' })).toBeNull()
    expect(screen.getByLabelText('Message')).toHaveFocus()
  })

  it('whose answer is lost is asked for once more, and said to be taken', async () => {
    await open([card(4, 'INITIATE')])
    let isTaken = false
    api.answer(messagingRoutes.confirmAction, () => {
      const message = card(4, 'INITIATE', { isClicked: true })
      if (isTaken) return { success: true as const, message, next: null }
      isTaken = true
      throw new TypeError('the answer was lost')
    })
    press('Confirm Purchase')
    await waitFor(() => expect(view.toasts).toMatchObject([{ title: 'Purchase Confirmed' }]))
    expect(newest()).toHaveTextContent('Purchase confirmed')
  })

  it('without any answer says so, and may be taken again', async () => {
    await open([card(4, 'INITIATE')])
    api.answer(messagingRoutes.confirmAction, () => {
      throw new TypeError('no network')
    })
    press('Confirm Purchase')
    await waitFor(() => expect(view.toasts).toMatchObject([{ title: 'Error', tone: 'destructive' }]))
    expect(screen.getByRole('button', { name: 'Confirm Purchase' })).toBeEnabled()
    expect(api.countOf(messagingRoutes.confirmAction)).toBe(2)
  })

  it('that came too late shows how the deal stands', async () => {
    await open([card(4, 'INITIATE')])
    const cancelled = transaction({ status: 'CANCELLED', isCancellable: false })
    api.answer(messagingRoutes.confirmAction, () => refusal('deal-cancelled'))
    api.answer(messagingRoutes.getConversation, () => [card(4, 'INITIATE', { transaction: cancelled })])
    press('Confirm Purchase')
    await waitFor(() => expect(newest()).toHaveTextContent('Transaction cancelled'))
  })
})

describe('calling a deal off', () => {
  it('is asked first, and shows on all of its cards', async () => {
    await open([card(4, 'INITIATE', { isClicked: true }), card(5, 'CONFIRM_PAYMENT', fromBala)])
    const cancelled = transaction({ status: 'CANCELLED', isCancellable: false })
    api.answer(messagingRoutes.cancelTransaction, () => ({ success: true as const, transaction: cancelled }))
    press('Cancel Transaction')
    const question = await screen.findByRole('alertdialog', { name: 'Cancel this transaction?' })
    within(question).getByRole('button', { name: 'Keep it' }).click()
    await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull())
    expect(api.countOf(messagingRoutes.cancelTransaction)).toBe(0)
    press('Cancel Transaction')
    within(await screen.findByRole('alertdialog'))
      .getByRole('button', { name: 'Cancel Transaction' })
      .click()
    await waitFor(() => expect(view.toasts.at(-1)).toMatchObject({ title: 'Transaction Cancelled' }))
    for (const each of screen.getAllByRole('article')) expect(each).toHaveTextContent('Transaction cancelled')
    expect(api.received.at(-1)?.url.pathname).toBe('/api/messages/transactions/5/cancel')
  })

  it('by the other one is seen at once', async () => {
    await open([card(4, 'INITIATE')])
    const cancelled = transaction({ status: 'CANCELLED', isCancellable: false })
    receive({ type: 'action_confirmed', message: card(4, 'INITIATE', { transaction: cancelled }) })
    expect(newest()).toHaveTextContent('Transaction cancelled')
    expect(screen.queryByRole('button', { name: 'Confirm Purchase' })).toBeNull()
  })

  it('is not offered while the step is being taken', async () => {
    await open([card(4, 'INITIATE')])
    const answer = Promise.withResolvers<void>()
    api.answer(messagingRoutes.confirmAction, () => answer.promise.then(() => refusal('product-sold')))
    press('Confirm Purchase')
    expect(await screen.findByRole('button', { name: 'Cancel Transaction' })).toBeDisabled()
    await act(async () => answer.resolve())
    await waitFor(() => expect(screen.getByRole('button', { name: 'Cancel Transaction' })).toBeEnabled())
  })

  it('is not offered once the payment is confirmed', async () => {
    const paid = transaction({ status: 'WAITING_DELIVERY', isCancellable: false })
    await open([card(6, 'CONFIRM_DELIVERY', { transaction: paid })])
    expect(screen.queryByRole('button', { name: 'Cancel Transaction' })).toBeNull()
  })
})

describe('a review', () => {
  const delivered = transaction({ status: 'WAITING_REVIEW', isCancellable: false })
  const done = transaction({ status: 'COMPLETED', isCancellable: false, rating: 3.5 })

  it('begins with five stars, and is sent in half stars with a comment', async () => {
    await open([card(7, 'REVIEW', { transaction: delivered })])
    const stars = screen.getByRole('slider', { name: 'Your rating' })
    expect(stars).toHaveValue('5')
    expect(stars).toHaveAttribute('aria-valuetext', '5 of 5 stars')
    for (const [name, limit] of Object.entries({ min: '0', max: '5', step: '0.5' })) {
      expect(stars).toHaveAttribute(name, limit)
    }
    fireEvent.change(stars, { target: { value: '3.5' } })
    fireEvent.change(screen.getByLabelText('Your comment'), { target: { value: ' As described. ' } })
    let received: Received | undefined
    api.answer(messagingRoutes.submitReview, (request) => {
      received = request
      return { success: true as const, message: card(7, 'REVIEW', { isClicked: true, transaction: done }) }
    })
    press('Submit Review')
    await waitFor(() => expect(newest()).toHaveTextContent('Review submitted - Thank you!3.5 of 5 stars'))
    expect(view.toasts.at(-1)).toMatchObject({ title: 'Thank you!' })
    expect([received?.url.pathname, received?.body]).toEqual([
      '/api/messages/submit-review/7',
      { rating: 3.5, comment: 'As described.' },
    ])
  })

  it('that fails says so, and is kept', async () => {
    await open([card(7, 'REVIEW', { transaction: delivered })])
    api.answer(messagingRoutes.submitReview, () => refusal('unavailable'))
    fireEvent.change(screen.getByLabelText('Your comment'), { target: { value: 'As described.' } })
    press('Submit Review')
    await waitFor(() =>
      expect(view.toasts).toEqual([
        { title: 'Error', description: 'Failed to submit review. Please try again.', tone: 'destructive' },
      ]),
    )
    expect(screen.getByLabelText('Your comment')).toHaveValue('As described.')
  })

  it('that is half written is kept while another conversation is open, until it is sent', async () => {
    const mei = { id: 4, username: 'mei', profileImage: null }
    api.answer(messagingRoutes.listConversations, () => [
      conversation(message(3), { user: mei }),
      conversation(message(2)),
    ])
    await open([card(7, 'REVIEW', { transaction: delivered })])
    fireEvent.change(screen.getByRole('slider', { name: 'Your rating' }), { target: { value: '3.5' } })
    fireEvent.change(screen.getByLabelText('Your comment'), { target: { value: 'As described.' } })
    api.answer(messagingRoutes.getConversation, ({ url }) =>
      url.pathname.endsWith('/4') ? [] : [card(7, 'REVIEW', { transaction: delivered })],
    )
    fireEvent.click(await screen.findByRole('button', { name: /^mei/ }))
    await waitFor(() => expect(screen.queryByRole('slider')).toBeNull())
    fireEvent.click(screen.getByRole('button', { name: /^sarah/ }))
    expect(await screen.findByLabelText('Your comment')).toHaveValue('As described.')
    expect(screen.getByRole('slider', { name: 'Your rating' })).toHaveValue('3.5')
    expect(keptReview(11, 7)).toBeNull()
    api.answer(messagingRoutes.submitReview, () => ({
      success: true as const,
      message: card(7, 'REVIEW', { isClicked: true, transaction: done }),
    }))
    press('Submit Review')
    await waitFor(() => expect(newest()).toHaveTextContent('Review submitted'))
    expect(keptReview(10, 7)).toBeNull()
  })

  it('that is there already, since the answer to it was lost, is not to be tried again', async () => {
    await open([card(7, 'REVIEW', { transaction: delivered })])
    api.answer(messagingRoutes.submitReview, () => refusal('review-exists'))
    press('Submit Review')
    await waitFor(() =>
      expect(view.toasts).toEqual([{ title: 'Error', description: 'Review already submitted', tone: 'destructive' }]),
    )
  })
})

describe('creating a transaction', () => {
  const mine = (id: number, name: string, changes: Partial<OwnProduct> = {}) =>
    ownProduct({ id, name, listingType: 'fixed', sellerId: 10, ...changes })
  const boostable = (id: number, name: string) => ({
    id,
    name,
    price: 8000,
    status: 'active' as const,
    image_url: null,
    is_featured: false,
  })
  const ended = {
    id: 1,
    status: 'ended',
    startsAt: '2026-11-20T08:00:00.000Z',
    endsAt: '2026-11-21T08:00:00.000Z',
    startingPrice: 50,
    currentBid: 300,
    bidCount: 2,
    outcome: 'won',
    winner: null,
    isReleased: false,
  } as const
  const won = { buyerId: 3, username: 'sarah', amount: 300 }
  beforeEach(() => {
    api.answer(sellingRoutes.getOwnProduct, () => refusal('product-not-found'))
    api.answer(sellingRoutes.listOwnProducts, ({ url }) => {
      // Without its seller the list has the shape of the boost flow.
      if (url.searchParams.get('sellerId') !== '10') return [boostable(11, 'Aventus')]
      return url.searchParams.get('status') === 'pending'
        ? [
            mine(21, 'Won', { status: 'pending', reservation: won, listingType: 'auction', auction: ended }),
            mine(22, 'Won by others', { status: 'pending', reservation: { ...won, buyerId: 4 } }),
          ]
        : [
            mine(11, 'Aventus', { listingType: 'negotiable', price: 80 }),
            mine(12, 'Santal 33', { price: 90 }),
            mine(13, 'Bid on', { listingType: 'auction', auction: { ...ended, status: 'active', outcome: null } }),
          ].filter(({ name }) => name.toLowerCase().includes((url.searchParams.get('search') ?? '').toLowerCase()))
    })
  })
  const openDialog = async () => {
    await open([message(1)], true)
    press('Create Transaction')
    const dialog = await screen.findByRole('dialog', { name: 'Create Transaction' })
    await within(dialog).findAllByRole('radio')
    return dialog
  }
  const sent = () => FakeSocket.newest().sentOf('send_action_message')
  const send = () => press('Send to Buyer')
  /** Nobody waits for an answer any more when the test is over. */
  const store = () =>
    receive({
      type: 'message_sent',
      message: card(9, 'INITIATE', { senderId: 10 }),
      clientMessageId: String(sent().at(-1)?.['clientMessageId']),
    })

  it('is for sellers', async () => {
    await open([message(1)])
    expect(screen.queryByRole('button', { name: 'Create Transaction' })).toBeNull()
  })

  it('offers what is for sale and what the buyer has won, and nothing that others bid on', async () => {
    const dialog = await openDialog()
    expect(
      within(dialog)
        .getAllByRole('radio')
        .map((radio) => radio.closest('label')?.textContent?.replace('\u00A0', ' ').replace('No photo yet', '')),
    ).toEqual(['WonWon by this buyer · RM 300.00', 'AventusNegotiable · RM 80.00', 'Santal 33Fixed Price · RM 90.00'])
    expect(screen.getByRole('button', { name: 'Send to Buyer' })).toBeDisabled()
    fireEvent.change(screen.getByLabelText('Search your listings'), { target: { value: 'sant' } })
    await waitFor(() => expect(within(dialog).getAllByRole('radio')).toHaveLength(2))
    fireEvent.change(screen.getByLabelText('Search your listings'), { target: { value: 'zz' } })
  })

  it('offers an auction only for its buy-now price, as long as nobody bids', async () => {
    let page = auctionPage(0)
    api.answer(auctionRoutes.getAuction, () => page)
    const running = { ...ended, id: 5, status: 'active', outcome: null, bidCount: 0, currentBid: null } as const
    api.answer(sellingRoutes.listOwnProducts, ({ url }) =>
      url.searchParams.get('status') === 'pending'
        ? []
        : [5, 6, 7].map((id) => mine(id, `Lot ${id}`, { listingType: 'auction', auction: { ...running, id } })),
    )
    await openDialog()
    const choose = (id: number) => fireEvent.click(screen.getByRole('radio', { name: new RegExp(`Lot ${id}`) }))
    choose(5)
    expect(await screen.findByText(/has no buy-now price/)).toBeInTheDocument()
    expect(screen.getByRole('button', { name: 'Send to Buyer' })).toBeDisabled()
    page = auctionPage(1, { buyNowPrice: 400 })
    choose(6)
    expect(await screen.findByText(/has bids by now/)).toBeInTheDocument()
    expect(screen.getByRole('button', { name: 'Send to Buyer' })).toBeDisabled()
    page = auctionPage(0, { buyNowPrice: 400 })
    choose(7)
    expect(await screen.findByText('It is offered for RM 400.00.')).toBeInTheDocument()
    send()
    await waitFor(() => expect(sent()).toMatchObject([{ productId: 7 }]))
    expect(sent()[0]).not.toHaveProperty('amount')
    store()
  })

  it('sends the amount that was agreed on, and is done when it is stored', async () => {
    await openDialog()
    fireEvent.click(screen.getByRole('radio', { name: /Aventus/ }))
    const amount = screen.getByLabelText('Amount in ringgit')
    expect(amount).toHaveValue('80.00')
    fireEvent.change(amount, { target: { value: '0' } })
    send()
    expect(screen.getByText('Please enter a valid amount')).toBeInTheDocument()
    expect(sent()).toEqual([])
    fireEvent.change(amount, { target: { value: '75.50' } })
    send()
    await waitFor(() => expect(sent()).toHaveLength(1))
    const [frame] = sent()
    expect(frame).toEqual({
      type: 'send_action_message',
      receiverId: 3,
      productId: 11,
      actionType: 'INITIATE',
      amount: 75.5,
      clientMessageId: expect.any(String),
    })
    press('Sending')
    receive({
      type: 'message_sent',
      message: card(9, 'INITIATE', fromBala),
      clientMessageId: String(frame?.['clientMessageId']),
    })
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(sent()).toHaveLength(1)
    expect(view.toasts.at(-1)).toEqual({
      title: 'Transaction Created',
      description: 'Your purchase confirmation has been sent.',
    })
    expect(newest()).toHaveTextContent('Waiting for sarah to confirm the purchase')
  })

  it('begins with what the conversation is about, at its price where that is fixed', async () => {
    api.answer(sellingRoutes.getOwnProduct, () => mine(7, 'Oud Wood'))
    await openDialog()
    expect(screen.getAllByRole('radio')[0]).toBeChecked()
    expect(screen.getByRole('radio', { name: /Oud Wood/ })).toBeChecked()
    expect(screen.queryByLabelText('Amount in ringgit')).toBeNull()
    send()
    await waitFor(() => expect(sent()).toHaveLength(1))
    expect(sent()[0]).not.toHaveProperty('amount')
  })

  it('offers nothing that a search hides', async () => {
    api.answer(sellingRoutes.getOwnProduct, () => mine(7, 'Oud Wood'))
    await openDialog()
    const search = screen.getByLabelText('Search your listings')
    fireEvent.change(search, { target: { value: 'sant' } })
    // Enter sends a form, unless it is kept from it.
    expect(fireEvent.keyDown(search, { key: 'Enter' })).toBe(false)
    await waitFor(() => expect(screen.queryByRole('radio', { name: /Oud Wood/ })).toBeNull())
    expect(screen.getByRole('button', { name: 'Send to Buyer' })).toBeDisabled()
    fireEvent.click(screen.getByRole('radio', { name: /Santal/ }))
    expect(screen.getByRole('button', { name: 'Send to Buyer' })).toBeEnabled()
    fireEvent.change(search, { target: { value: '' } })
    expect(await screen.findByRole('radio', { name: /Santal/ })).toBeChecked()
  })

  it.each([
    [
      { code: 'action-not-allowed', message: 'Action Not Allowed' } as const,
      {
        title: 'Action Not Allowed',
        description: 'You must be a seller and have a selected conversation to create a transaction.',
      },
    ],
    [
      { code: 'deal-open', message: 'You have an open transaction.' } as const,
      { title: 'Messaging Error', description: 'You have an open transaction.' },
    ],
  ])('says why it was refused, and tries the same again: %o', async (error, told) => {
    await openDialog()
    fireEvent.click(screen.getByRole('radio', { name: /Santal/ }))
    send()
    await waitFor(() => expect(sent()).toHaveLength(1))
    receive({ type: 'error', ...error, clientMessageId: String(sent()[0]?.['clientMessageId']) })
    await waitFor(() => expect(view.toasts.at(-1)).toEqual({ ...told, tone: 'destructive' }))
    await waitFor(() => expect(screen.getByRole('button', { name: 'Send to Buyer' })).toBeEnabled())
    send()
    await waitFor(() => expect(sent()).toHaveLength(2))
    expect(sent()[1]).toEqual(sent()[0])
    store()
  })

  it('may find nothing to offer', async () => {
    api.answer(sellingRoutes.listOwnProducts, () => [])
    await open([message(1)], true)
    press('Create Transaction')
    expect(await screen.findByRole('heading', { name: 'Nothing to offer' })).toBeInTheDocument()
  })

  it('may fail to load the listings', async () => {
    api.answer(sellingRoutes.listOwnProducts, () => refusal('unavailable'))
    await open([message(1)], true)
    press('Create Transaction')
    expect(await screen.findByRole('heading', { name: 'This could not be loaded' })).toBeInTheDocument()
  })
})
