import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { type Notice, NoticeKind, noticeRoutes } from '@wangian/contracts/notices.ts'
import { SWRConfig } from 'swr'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { i18n } from '../../i18n/i18n.ts'
import { FakeSocket } from '../../testing/fake-socket.ts'
import { mockApi, refusal } from '../../testing/mock-api.ts'
import { renderAt } from '../../testing/render.tsx'
import { NoticeBell } from './NoticeBell.tsx'
import { noticeTarget, noticeWords } from './notice-words.ts'

const bala = { id: 10, username: 'bala' }
const sarah = { id: 3, username: 'sarah', profileImage: null }
const product = { id: 7, name: 'Oud Wood', price: 50, imageUrl: null, isRemoved: false }
const outbid: Notice = {
  id: 12,
  key: 'auction-1',
  kind: 'outbid',
  at: '2026-11-21T08:00:00.000Z',
  isRead: false,
  user: null,
  product,
  auction: { id: 1, amount: 60, endsAt: '2026-11-22T08:00:00.000Z', isLeading: false, outcome: null },
  deal: null,
  price: null,
  unreadMessages: null,
}
const message: Notice = {
  ...outbid,
  id: 11,
  key: 'conversation-3',
  kind: 'message',
  isRead: true,
  user: sarah,
  auction: null,
  unreadMessages: 2,
}

let view: ReturnType<typeof renderAt>
let api: ReturnType<typeof mockApi>
beforeAll(() => import('./NoticePanel.tsx'))
beforeEach(() => {
  api = mockApi()
  api.answer(noticeRoutes.countNotices, () => ({ count: 1 }))
  api.answer(noticeRoutes.listNotices, () => [outbid, message])
  api.answer(noticeRoutes.readNotices, () => ({ count: 0 }))
})
afterEach(() => {
  view.end()
  api.restore()
})

async function open(bell = <NoticeBell />) {
  view = renderAt('/', bell, bala)
  fireEvent.click(await screen.findByRole('button', { name: /^Notices/ }))
  return within(await screen.findByRole('dialog', { name: 'Notices' }))
}
const bodies = () => api.received.filter(({ route }) => route === 'POST /api/notices/read').map(({ body }) => body)

describe('the bell', () => {
  it('says how many notices are new', async () => {
    view = renderAt('/', <NoticeBell />, bala)
    expect(await screen.findByRole('button', { name: 'Notices, 1 unread' })).toBeInTheDocument()
  })

  it('counts and tells what comes, at once', async () => {
    api.answer(noticeRoutes.countNotices, () => ({ count: 0 }))
    view = renderAt('/', <NoticeBell />, bala)
    await waitFor(() => expect(api.countOf(noticeRoutes.countNotices)).toBe(1))
    act(() => {
      FakeSocket.newest().accept()
      FakeSocket.newest().receive({ type: 'notice', notice: outbid, unread: 3 })
    })
    expect(await screen.findByRole('button', { name: 'Notices, 3 unread' })).toBeInTheDocument()
    expect(screen.getByRole('status')).toHaveTextContent('You have been outbid: Oud Wood')
    act(() => FakeSocket.newest().receive({ type: 'notices_read', unread: 0 }))
    expect(await screen.findByRole('button', { name: 'Notices' })).toBeInTheDocument()
  })

  it('tells of what came while it was not connected', async () => {
    view = renderAt('/', <NoticeBell />, bala)
    await screen.findByRole('button', { name: 'Notices, 1 unread' })
    const connect = () => act(() => FakeSocket.newest().receive({ type: 'auth_success', userId: bala.id }))
    connect()
    await waitFor(() => expect(api.countOf(noticeRoutes.countNotices)).toBe(2))
    expect(api.countOf(noticeRoutes.listNotices)).toBe(0)
    expect(screen.getByRole('status')).toBeEmptyDOMElement()
    api.answer(noticeRoutes.countNotices, () => ({ count: 2 }))
    connect()
    await waitFor(() => expect(screen.getByRole('status')).toHaveTextContent('You have been outbid: Oud Wood'))
    expect(screen.getByRole('button', { name: 'Notices, 2 unread' })).toBeInTheDocument()
  })
})

describe('the panel', () => {
  it('lists what has happened, each the way to where one goes on', async () => {
    const panel = await open()
    const links = await panel.findAllByRole('link')
    expect(links.map((link) => link.getAttribute('href'))).toEqual(['/auctions/1', '/messages?with=3&product=7'])
    expect(links[0]).toHaveTextContent('Unread: You have been outbid: Oud Wood')
    expect(links[0]).toHaveTextContent('Now at RM 60.00. Ends on 22 Nov 2026, 4:00 pm.')
    expect(links[1]).toHaveTextContent('sarah has written to you2 unread messages · About Oud Wood')
  })

  it('is closed by following a notice, which is read then', async () => {
    const panel = await open()
    const [first] = await panel.findAllByRole('link')
    fireEvent.click(first as HTMLElement)
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(view.whereabouts()).toBe('/auctions/1')
    expect(bodies()).toEqual([{ id: 12 }])
    // Also when the page is left before the server has heard it.
    const read = vi.mocked(fetch).mock.calls.find(([, init]) => init?.body === JSON.stringify({ id: 12 }))
    expect(read?.[1]?.keepalive).toBe(true)
    expect(await screen.findByRole('button', { name: 'Notices' })).toBeInTheDocument()
  })

  it('shows as read what was followed, also to who opens it again at once', async () => {
    // Answers are taken for fresh as long as in the app.
    const panel = await open(
      <SWRConfig value={{ dedupingInterval: 2_000 }}>
        <NoticeBell />
      </SWRConfig>,
    )
    const [first] = await panel.findAllByRole('link')
    api.answer(noticeRoutes.listNotices, () => [{ ...outbid, isRead: true }, message])
    fireEvent.click(first as HTMLElement)
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    fireEvent.click(await screen.findByRole('button', { name: /^Notices/ }))
    const again = within(await screen.findByRole('dialog', { name: 'Notices' }))
    await waitFor(() => expect(again.getAllByRole('link')[0]).not.toHaveTextContent('Unread'))
  })

  it('marks all as read that it shows', async () => {
    const panel = await open()
    await panel.findAllByRole('link')
    api.answer(noticeRoutes.listNotices, () => [{ ...outbid, isRead: true }, message])
    fireEvent.click(panel.getByRole('button', { name: 'Mark all as read' }))
    await waitFor(() => expect(panel.queryByRole('button', { name: 'Mark all as read' })).toBeNull())
    expect(bodies()).toEqual([{ upTo: 12 }])
    await waitFor(() => expect(panel.queryByText(/Unread/)).toBeNull())
  })

  it('shows what comes in the place of what was told of the same', async () => {
    const panel = await open()
    await panel.findAllByRole('link')
    act(() => {
      FakeSocket.newest().accept()
      FakeSocket.newest().receive({
        type: 'notice',
        notice: { ...message, id: 13, isRead: false, unreadMessages: 3 },
        unread: 2,
      })
    })
    await waitFor(() => expect(panel.getAllByRole('link')[0]).toHaveTextContent('3 unread messages'))
    expect(panel.getAllByRole('link')).toHaveLength(2)
  })

  it('keeps what comes while the list is read again', async () => {
    const panel = await open()
    await panel.findAllByRole('link')
    const { promise, resolve } = Promise.withResolvers<Notice[]>()
    api.answer(noticeRoutes.listNotices, () => promise)
    act(() => {
      FakeSocket.newest().accept()
      FakeSocket.newest().receive({ type: 'notices_read', unread: 0 })
      FakeSocket.newest().receive({ type: 'notice', notice: { ...outbid, id: 13, key: 'auction-2' }, unread: 1 })
    })
    await act(async () => resolve([{ ...outbid, isRead: true }, message]))
    await waitFor(() => expect(panel.getAllByText(/Unread/)).toHaveLength(1))
    expect(panel.getAllByRole('link')).toHaveLength(3)
  })

  it('brings more on request', async () => {
    api.answer(noticeRoutes.listNotices, ({ url }) =>
      url.searchParams.has('cursor')
        ? [message]
        : Response.json([outbid], { headers: { link: '</api/notices?limit=20&cursor=12>; rel="next"' } }),
    )
    const panel = await open()
    fireEvent.click(await panel.findByRole('button', { name: 'Show more' }))
    await waitFor(() => expect(panel.getAllByRole('link')).toHaveLength(2))
  })

  it('says that nothing has happened, and where to go', async () => {
    api.answer(noticeRoutes.listNotices, () => [])
    const panel = await open()
    expect(await panel.findByRole('heading', { name: 'Nothing has happened yet' })).toBeInTheDocument()
    expect(panel.getByRole('link', { name: 'See the auctions' })).toHaveAttribute('href', '/products?type=auction')
  })

  it('says when it cannot be read, and tries again', async () => {
    api.answer(noticeRoutes.listNotices, () => refusal('unavailable'))
    const panel = await open()
    const again = await panel.findByRole('button', { name: 'Try Again' })
    api.answer(noticeRoutes.listNotices, () => [message])
    fireEvent.click(again)
    expect(await panel.findAllByRole('link')).toHaveLength(1)
  })
})

describe('the words of a notice', () => {
  it.each(NoticeKind.options)('of the kind %s are all there', (kind) => {
    view = renderAt('/', null)
    const deal = { id: 8, amount: 50, role: 'buyer', rating: 4.5 } as const
    for (const role of ['buyer', 'seller'] as const) {
      const { title, detail } = noticeWords({ ...outbid, kind, user: sarah, deal: { ...deal, role } }, i18n.t)
      expect(`${title} ${detail}`).not.toMatch(/notices\.|\{\{|undefined/)
    }
  })

  it('say that one leads again, who has won and why nobody has', () => {
    view = renderAt('/', null)
    const words = (changes: Partial<Notice>, auction: Partial<Notice['auction'] & object> = {}) =>
      noticeWords({ ...outbid, ...changes, auction: outbid.auction && { ...outbid.auction, ...auction } }, i18n.t)
    expect(words({}, { isLeading: true }).title).toBe('You lead again: Oud Wood')
    expect(words({ kind: 'auction-lost' }, { outcome: 'won' }).detail).toBe('Somebody else won it with RM\u00A060.00.')
    expect(words({ kind: 'auction-lost' }, { outcome: 'reserve-not-met' }).detail).toBe('Nobody won it.')
    expect(words({ kind: 'lot-released' }, { outcome: 'won' })).toEqual({
      title: 'Oud Wood is kept for you no longer',
      detail: 'You won it, and the sale did not come about.',
    })
    expect(words({ kind: 'auction-unsold' }, { outcome: 'no-bids' }).detail).toBe(
      'Nobody has bid on it. You can list it again.',
    )
    const ends = 'Ends on 22 Nov 2026, 4:00 pm.'
    const ending = (auction: Partial<Notice['auction'] & object>) => words({ kind: 'auction-ending' }, auction).detail
    expect(ending({})).toBe(`Now at RM\u00A060.00. ${ends}`)
    expect(ending({ isLeading: true })).toBe(`You lead with RM\u00A060.00. ${ends}`)
    expect(ending({ amount: null })).toBe(`Nobody has bid yet. ${ends}`)
    const price = { now: 40, before: 50 }
    expect(words({ kind: 'price-drop', price }).detail).toBe('RM\u00A040.00 instead of RM\u00A050.00')
    expect(words({ product: null }).title).toBe('You have been outbid: a listing')
  })

  it.each<[string, Partial<Notice>, string]>([
    ['an auction without a winner is listed again', { kind: 'auction-unsold' }, '/seller/products/7/relist'],
    ['what was removed is not', { kind: 'auction-unsold', product: { ...product, isRemoved: true } }, '/auctions/1'],
    [
      'a review is on the receipt',
      { kind: 'review', auction: null, deal: { id: 8, amount: 5, role: 'seller', rating: 4 } },
      '/account/orders/8',
    ],
    ['a favourite that costs less', { kind: 'price-drop', auction: null, user: sarah }, '/products/7'],
    [
      'a removed listing leads to whoever removed it',
      { kind: 'listing-removed', auction: null, user: sarah, product: { ...product, isRemoved: true } },
      '/messages?with=3',
    ],
  ])('lead where one goes on: %s', (_, changes, target) => {
    view = renderAt('/', null)
    expect(noticeTarget({ ...outbid, ...changes })).toBe(target)
  })
})
