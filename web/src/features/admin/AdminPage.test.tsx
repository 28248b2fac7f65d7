import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { type AdminOrder, type AdminUser, adminRoutes } from '@wangian/contracts/admin.ts'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { handedOverConversation } from '../../contact/handed-over-conversation.ts'
import { formatMoment } from '../../lib/dates.ts'
import { hearServerTime } from '../../lib/server-clock.ts'
import { mockApi, refusal } from '../../testing/mock-api.ts'
import { renderAt } from '../../testing/render.tsx'
import AdminPage from './AdminPage.tsx'
import {
  activity,
  adminListing,
  adminOrder,
  adminUser,
  details,
  lim,
  serveAdmin,
  service,
} from './testing/admin-server.ts'

let api: ReturnType<typeof mockApi>
let view: ReturnType<typeof renderAt>

beforeEach(() => {
  api = mockApi()
  serveAdmin(api)
})
afterEach(() => {
  view?.end()
  api.restore()
  vi.restoreAllMocks()
})

async function open(address = '/admin/dashboard') {
  view = renderAt(address, <AdminPage />, lim)
  await screen.findByRole('heading', { name: 'Admin Dashboard' })
}

const press = (name: string, place: HTMLElement = document.body) =>
  fireEvent.click(within(place).getByRole('button', { name }))

async function actionsOf(name: string) {
  fireEvent.click(await screen.findByRole('button', { name: `Actions for ${name}` }))
  return await screen.findAllByRole('menuitem')
}

async function choose(name: string, action: string) {
  const item = (await actionsOf(name)).find((each) => each.textContent === action)
  fireEvent.click(item as HTMLElement)
  return await screen.findByRole('dialog')
}

const heads = () => screen.getAllByRole('columnheader').map((head) => head.textContent)
const cells = () =>
  screen
    .getAllByRole('row')
    .slice(1)
    .map((row) => within(row).getAllByRole('cell').map(wordsOf))
/** Of a cell, without the head that phones show in it. */
const wordsOf = (cell: HTMLElement) => cell.lastElementChild?.textContent ?? ''
const lastQuery = (path: string) =>
  api.received.findLast(({ url }) => url.pathname === path && url.searchParams.get('limit') !== '1')?.url.searchParams
const lastBody = (path: string) => api.received.findLast(({ url }) => url.pathname === path)?.body

describe('the head', () => {
  it('counts users, sellers and orders by asking for one row of each', async () => {
    api.answer(adminRoutes.listUsers, ({ url }) =>
      Response.json([], { headers: { 'x-total-count': url.searchParams.get('role') === 'seller' ? '4' : '1203' } }),
    )
    api.answer(adminRoutes.listOrders, () => [], { 'x-total-count': '77' })
    await open()
    expect(screen.getByText('Manage users, products, and orders')).toBeInTheDocument()
    await waitFor(() => expect(screen.getByText('Total Users').nextElementSibling).toHaveTextContent('1,203'))
    await waitFor(() => expect(screen.getByText('Sellers').nextElementSibling).toHaveTextContent('4'))
    await waitFor(() => expect(screen.getByText('Total Orders').nextElementSibling).toHaveTextContent('77'))
  })

  it('leaves out what cannot be counted', async () => {
    api.answer(adminRoutes.listOrders, () => refusal('unavailable'))
    await open()
    await waitFor(() => expect(screen.getByText('Total Orders').nextElementSibling).toHaveTextContent('—'))
  })
})

describe('the tabs', () => {
  it('have addresses, and forget what another one was narrowed to', async () => {
    await open('/admin/dashboard?search=bala&status=banned')
    for (const [name, address] of [
      ['Orders', '/admin/dashboard?tab=orders'],
      ['Listings', '/admin/dashboard?tab=listings'],
      ['Bidders', '/admin/dashboard?tab=bidders'],
      ['Activity', '/admin/dashboard?tab=activity'],
      ['Users', '/admin/dashboard'],
    ] as const) {
      fireEvent.click(screen.getByRole('tab', { name }))
      await waitFor(() => expect(view.whereabouts()).toBe(address))
      expect(screen.getByRole('tab', { selected: true })).toHaveTextContent(name)
    }
  })
})

describe('users', () => {
  it('have the columns of the specification, their role and how they stand', async () => {
    const people: AdminUser[] = [
      adminUser({ id: 1, username: 'lim', isAdmin: true, isSeller: true }),
      adminUser({ id: 3, username: 'sarah', isSeller: true, isBanned: true, status: 'banned', firstName: null }),
      adminUser({ firstName: null, lastName: null, status: 'unconfirmed' }),
    ]
    api.answer(adminRoutes.listUsers, () => people, { 'x-total-count': '3' })
    await open()
    await screen.findByRole('link', { name: 'sarah' })
    expect(heads()).toEqual(['ID', 'Username', 'Email', 'Name', 'Role', 'Status', 'Actions'])
    expect(cells().map((row) => row.slice(0, 6))).toEqual([
      ['1', 'lim', 'bala@wangian.test', 'Bala Krishnan', 'Admin', 'Active'],
      ['3', 'sarah', 'bala@wangian.test', 'Krishnan', 'Seller', 'Banned'],
      ['10', 'bala', 'bala@wangian.test', '—', 'Customer', 'Not confirmed'],
    ])
    expect(screen.getByText('3 users')).toBeInTheDocument()
  })

  it('are searched, filtered and sorted by what the address says', async () => {
    await open('/admin/dashboard?search=ba&status=banned&role=seller&sort=email-asc&cursor=abc&page=3')
    await screen.findByRole('link', { name: 'bala' })
    expect(Object.fromEntries(lastQuery('/api/admin/users') ?? [])).toEqual({
      search: 'ba',
      status: 'banned',
      role: 'seller',
      sort: 'email-asc',
      cursor: 'abc',
      limit: '25',
    })
    fireEvent.change(screen.getByRole('searchbox'), { target: { value: 'bala ' } })
    await waitFor(() =>
      expect(view.whereabouts()).toBe('/admin/dashboard?search=bala&status=banned&role=seller&sort=email-asc'),
    )
  })

  it('are not counted when a search finds very many', async () => {
    api.answer(adminRoutes.listUsers, () => [adminUser()])
    await open('/admin/dashboard?search=a')
    await screen.findByText('More than 1,000 found')
  })

  it('come page by page', async () => {
    api.answer(adminRoutes.listUsers, ({ url }) => {
      const isSecond = url.searchParams.get('cursor') === 'two'
      const headers = new Headers({ 'x-total-count': '26' })
      if (!isSecond) headers.set('link', '</api/admin/users?cursor=two>; rel="next"')
      return Response.json([adminUser(isSecond ? { id: 11, username: 'mei' } : {})], { headers })
    })
    await open()
    fireEvent.click(await screen.findByRole('link', { name: 'Next' }))
    await screen.findByRole('link', { name: 'mei' })
    expect(view.whereabouts()).toBe('/admin/dashboard?page=2&cursor=two')
    expect(screen.getByText('26 to 26')).toBeInTheDocument()
    expect(screen.getByRole('heading', { name: 'Users' })).toHaveFocus()
    fireEvent.click(screen.getByRole('link', { name: 'Previous' }))
    await screen.findByRole('link', { name: 'bala' })
    expect(view.whereabouts()).toBe('/admin/dashboard')
  })

  it('say that nothing was found, and show everybody again', async () => {
    api.answer(adminRoutes.listUsers, ({ url }) => (url.searchParams.has('search') ? [] : [adminUser()]))
    await open('/admin/dashboard?search=nobody')
    await screen.findByRole('heading', { name: 'Nothing found' })
    press('Show all')
    await screen.findByRole('link', { name: 'bala' })
    expect(view.whereabouts()).toBe('/admin/dashboard')
    expect(screen.getByRole('heading', { name: 'Users' })).toHaveFocus()
    expect(screen.getByRole('searchbox')).toHaveValue('')
  })

  it('can be asked for again when they did not come', async () => {
    api.answer(adminRoutes.listUsers, () => refusal('unavailable'))
    await open()
    await screen.findByRole('heading', { name: 'This could not be loaded' })
    serveAdmin(api)
    press('Try Again')
    await screen.findByRole('link', { name: 'bala' })
  })

  it.each([
    ['Ban User', false, 'The user can no longer make purchases.', 'Banned', 'banned'],
    ['Unban User', true, 'The user can use the platform again.', 'Active', 'unbanned'],
  ] as const)('have %s in their menu', async (action, isBanned, words, standing, done) => {
    const stands = (now: boolean) => adminUser({ isBanned: now, status: now ? 'banned' : 'active' })
    api.answer(adminRoutes.listUsers, () => [stands(isBanned)])
    api.answer(adminRoutes.setBanned, () => stands(!isBanned))
    await open()
    const dialog = await choose('bala', action)
    expect(dialog).toHaveTextContent(words)
    expect(within(dialog).getByLabelText('Reason')).toHaveFocus()
    press(action, dialog)
    await screen.findByText(standing)
    expect(lastBody('/api/admin/users/10/ban')).toEqual({ isBanned: !isBanned })
    expect(view.toasts.at(-1)).toEqual({ title: 'Success', description: `User bala has been ${done}` })
  })

  it('are banned for a reason, where one is given', async () => {
    api.answer(adminRoutes.setBanned, () => adminUser({ isBanned: true, status: 'banned' }))
    await open()
    const dialog = await choose('bala', 'Ban User')
    fireEvent.change(within(dialog).getByLabelText('Reason'), { target: { value: ' Sells fakes ' } })
    press('Ban User', dialog)
    await screen.findByText('Banned')
    expect(lastBody('/api/admin/users/10/ban')).toEqual({ isBanned: true, reason: 'Sells fakes' })
  })

  it('are not banned when they are administrators, and nobody dismisses themselves', async () => {
    api.answer(adminRoutes.listUsers, () => [
      adminUser({ id: 1, username: 'lim', isAdmin: true, hasSecondFactor: true }),
    ])
    await open()
    const items = await actionsOf('lim')
    const disabled = items
      .filter((item) => item.getAttribute('aria-disabled') === 'true')
      .map((item) => item.textContent)
    expect(disabled).toEqual(['Message User', 'Ban User', 'Dismiss Administrator', 'Remove Second Factor'])
  })

  it.each([
    [{ isBanned: true }, ['Message User', 'Unban User', 'Make Administrator']],
    [
      { isAdmin: true, hasSecondFactor: true },
      ['Message User', 'Ban User', 'Dismiss Administrator', 'Remove Second Factor'],
    ],
  ] as const)('are left as they are once they have closed their account: %o', async (changes, refused) => {
    api.answer(adminRoutes.listUsers, () => [adminUser({ ...changes, status: 'closed' })])
    await open()
    const disabled = (await actionsOf('bala')).filter((item) => item.getAttribute('aria-disabled') === 'true')
    expect(disabled.map((item) => item.textContent)).toEqual(refused)
  })

  it.each([
    ['Make Administrator', { isAdmin: true, reason: 'Asked us' }],
    ['Remove Second Factor', { reason: 'Asked us' }],
  ] as const)('have %s in their menu, with a reason', async (action, body) => {
    api.answer(adminRoutes.listUsers, () => [adminUser({ hasSecondFactor: true })])
    api.answer(adminRoutes.setAdministrator, () => adminUser({ isAdmin: true }))
    api.answer(adminRoutes.removeFactors, () => adminUser())
    await open()
    const dialog = await choose('bala', action)
    press(action, dialog)
    await within(dialog).findByText('Reason is required')
    fireEvent.change(within(dialog).getByLabelText('Reason'), { target: { value: 'Asked us' } })
    press(action, dialog)
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
    expect(api.received.at(-1)?.body).toEqual(body)
  })

  it('show what a faster administrator has done', async () => {
    api.answer(adminRoutes.setAdministrator, () => refusal('conflict'))
    api.answer(adminRoutes.getUser, () => ({ ...adminUser({ isBanned: true, status: 'banned' }), ...details }))
    await open()
    const dialog = await choose('bala', 'Make Administrator')
    fireEvent.change(within(dialog).getByLabelText('Reason'), { target: { value: 'Helps us' } })
    press('Make Administrator', dialog)
    await screen.findByText('Banned')
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
    expect(view.toasts.at(-1)).toMatchObject({
      title: 'Error',
      description: expect.stringContaining('Somebody else was faster.'),
      tone: 'destructive',
    })
  })

  it('blame nobody else for what an earlier try may have done', async () => {
    api.answer(adminRoutes.setAdministrator, () => refusal('unavailable'))
    await open()
    const dialog = await choose('bala', 'Make Administrator')
    fireEvent.change(within(dialog).getByLabelText('Reason'), { target: { value: 'Helps us' } })
    press('Make Administrator', dialog)
    await within(dialog).findByRole('alert')
    api.answer(adminRoutes.setAdministrator, () => refusal('conflict'))
    api.answer(adminRoutes.getUser, () => ({ ...adminUser({ isAdmin: true }), ...details }))
    press('Make Administrator', dialog)
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
    expect(view.toasts.at(-1)?.description).toBe('Your first try may have worked. You now see how it stands.')
  })

  it('keep the question open when it may work in a moment', async () => {
    api.answer(adminRoutes.setBanned, () => refusal('unavailable'))
    await open()
    const dialog = await choose('bala', 'Ban User')
    press('Ban User', dialog)
    await within(dialog).findByRole('alert')
    expect(view.toasts.at(-1)).toMatchObject({
      title: 'Error',
      description: 'This is not available right now. Please try again in a moment.',
    })
  })

  it('are written to', async () => {
    await open()
    const items = await actionsOf('bala')
    fireEvent.click(items.find((item) => item.textContent === 'Message User') as HTMLElement)
    await waitFor(() => expect(view.whereabouts()).toBe('/messages'))
    expect(handedOverConversation(lim.id)).toMatchObject({ userId: 10, username: 'bala', productId: null })
  })
})

describe('orders', () => {
  it('keep their amounts whole, however long the names are', async () => {
    await open('/admin/dashboard?tab=orders')
    await screen.findByRole('link', { name: '#5' })
    const wraps = screen.getAllByRole('cell').map((cell) => getComputedStyle(cell).overflowWrap)
    expect(wraps.slice(0, 5)).toEqual(['anywhere', 'anywhere', 'normal', 'normal', 'normal'])
  })

  it('have the columns of the specification, with a dollar sign', async () => {
    await open('/admin/dashboard?tab=orders')
    await screen.findByRole('link', { name: '#5' })
    expect(heads()).toEqual(['Order ID', 'User', 'Total', 'Date', 'Status', 'Actions'])
    expect(cells()[0]?.slice(0, 5)).toEqual(['#5Oud Wood', 'balaID 10', '$1,250.00', '21 Nov 2026, 4:00 pm', 'Pending'])
  })

  it.each([
    ['pending', ['Process', 'Cancel']],
    ['processing', ['Ship', 'Cancel']],
    ['shipped', ['Deliver']],
    ['delivered', []],
    ['cancelled', []],
  ] as const)('that are %s are offered %j', async (status, moves) => {
    api.answer(adminRoutes.listOrders, () => [adminOrder({ status })])
    await open('/admin/dashboard?tab=orders')
    expect((await actionsOf('Order #5')).map((item) => item.textContent)).toEqual(['View details', ...moves])
  })

  it('are moved', async () => {
    api.answer(adminRoutes.moveOrder, () => adminOrder({ status: 'processing' }))
    await open('/admin/dashboard?tab=orders')
    const dialog = await choose('Order #5', 'Process')
    press('Process', dialog)
    await screen.findByText('Processing')
    expect(lastBody('/api/admin/orders/5/status')).toEqual({ status: 'processing' })
    expect(view.toasts.at(-1)?.title).toBe('Success')
  })

  it('are moved while a search for them has no answer yet', async () => {
    const late = Promise.withResolvers<AdminOrder[]>()
    api.answer(adminRoutes.moveOrder, () => adminOrder({ status: 'processing' }))
    await open('/admin/dashboard?tab=orders')
    const search = await screen.findByRole('searchbox')
    await screen.findByText('Pending')
    api.answer(adminRoutes.listOrders, () => late.promise)
    fireEvent.change(search, { target: { value: 'oud' } })
    await waitFor(() => expect(lastQuery('/api/admin/orders')?.get('search')).toBe('oud'))
    const dialog = await choose('Order #5', 'Process')
    api.answer(adminRoutes.listOrders, () => [adminOrder()])
    press('Process', dialog)
    await waitFor(() => expect(view.toasts.at(-1)?.title).toBe('Success'))
    late.resolve([adminOrder()])
    await screen.findByText('Processing')
    await waitFor(() => expect(document.querySelector('[aria-busy]')).toBeNull())
  })

  it('are of one person or product when the address says so', async () => {
    await open('/admin/dashboard?tab=orders&user=10')
    await screen.findByText('Of user 10')
    expect(lastQuery('/api/admin/orders')?.get('userId')).toBe('10')
    screen.getByRole('button', { name: 'Show all' }).focus()
    press('Show all')
    await waitFor(() => expect(view.whereabouts()).toBe('/admin/dashboard?tab=orders'))
    expect(screen.getByRole('heading', { name: 'Orders' })).toHaveFocus()
  })
})

describe('listings', () => {
  it('have the columns of the specification', async () => {
    await open('/admin/dashboard?tab=listings')
    await screen.findByRole('link', { name: 'Oud Wood' })
    expect(heads()).toEqual(['ID', 'Product', 'Brand', 'Price', 'Seller', 'Status', 'Actions'])
    expect(cells()[0]?.slice(0, 6)).toEqual(['7', 'Oud Wood', 'Tom Ford', 'RM\u00a050.00', 'sarah', 'Active'])
  })

  it('are narrowed to what they may be', async () => {
    await open('/admin/dashboard?tab=listings')
    fireEvent.click(await screen.findByRole('combobox', { name: 'Status' }))
    const offered = (await screen.findAllByRole('option')).map((option) => option.textContent)
    expect(offered).toEqual(['All statuses', 'Active', 'Featured', 'Pending', 'Sold', 'Removed'])
  })

  it('say of an auction that its price is the one it starts at', async () => {
    api.answer(adminRoutes.listListings, () => [adminListing({ listingType: 'auction' })], { 'x-total-count': '1' })
    await open('/admin/dashboard?tab=listings')
    await screen.findByRole('link', { name: 'Oud Wood' })
    expect(cells()[0]?.[3]).toBe('Starts at RM\u00a050.00')
  })

  it('are removed with a reason', async () => {
    api.answer(adminRoutes.removeListing, () => ({ success: true as const }))
    await open('/admin/dashboard?tab=listings')
    const dialog = await choose('Oud Wood', 'Remove')
    fireEvent.change(within(dialog).getByLabelText('Reason'), { target: { value: '  ' } })
    press('Remove Listing', dialog)
    await within(dialog).findByText('Reason is required')
    expect(api.countOf(adminRoutes.removeListing)).toBe(0)
    fireEvent.change(within(dialog).getByLabelText('Reason'), { target: { value: 'A fake' } })
    press('Remove Listing', dialog)
    await screen.findByText('Removed')
    expect(lastBody('/api/admin/products/7/remove')).toEqual({ reason: 'A fake' })
    expect(view.toasts.at(-1)).toEqual({
      title: 'Success',
      description: 'Listing has been removed and seller has been notified',
    })
  })

  it('that are gone already are shown so', async () => {
    api.answer(adminRoutes.removeListing, () => refusal('product-not-found'))
    api.answer(adminRoutes.getListing, () => adminListing({ status: 'removed' }))
    await open('/admin/dashboard?tab=listings')
    const dialog = await choose('Oud Wood', 'Remove')
    fireEvent.change(within(dialog).getByLabelText('Reason'), { target: { value: 'A fake' } })
    press('Remove Listing', dialog)
    await screen.findByText('Removed')
    expect(view.toasts.at(-1)).toMatchObject({ title: 'Error', tone: 'destructive' })
  })

  it('lead to their sellers', async () => {
    await open('/admin/dashboard?tab=listings')
    const items = await actionsOf('Oud Wood')
    fireEvent.click(items.find((item) => item.textContent === 'Contact Seller') as HTMLElement)
    await waitFor(() => expect(view.whereabouts()).toBe('/messages'))
    expect(handedOverConversation(lim.id)).toMatchObject({ userId: 3, productId: 7, productName: 'Oud Wood' })
  })
})

describe('the record', () => {
  it('says who did what to what, why, and what it changed', async () => {
    await open('/admin/dashboard?tab=activity')
    await screen.findByText('Sells fakes')
    expect(heads()).toEqual(['When', 'Administrator', 'Action', 'Target', 'Reason', 'Change'])
    expect(cells()[0]).toEqual([
      '21 Nov 2026, 4:00 pm',
      'lim',
      'Banned a user',
      'bala',
      'Sells fakes',
      'Banned: No → Yes',
    ])
    expect(screen.getByRole('link', { name: 'bala' })).toHaveAttribute('href', '/admin/users/10')
  })

  it('is saved as a file, of what is shown', async () => {
    api.answer(adminRoutes.exportActivity, () => new Response('at,actor'))
    api.answer(adminRoutes.listActivity, () => [activity()])
    const saved: string[] = []
    Object.assign(URL, { createObjectURL: () => 'blob:record', revokeObjectURL: () => {} })
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
      saved.push(`${this.download} ${this.href}`)
    })
    await open('/admin/dashboard?tab=activity&action=ban-user&kind=user&user=1')
    press('Export CSV')
    await waitFor(() => expect(saved).toEqual(['activity.csv blob:record']))
    expect(api.received.at(-1)?.url.search).toBe('?action=ban-user&actorId=1&targetKind=user')
    expect(api.received.at(-1)?.token).not.toBeNull()
  })
})

describe('the system', () => {
  const parked = {
    service: 'catalogue',
    consumer: 'identity-people',
    eventId: 'e1',
    type: 'UserBanned',
    stream: 'user-10',
    error: 'TypeError: nothing there',
    tries: 5,
    parkedAt: '2026-11-21T08:00:00.000Z',
    dueAt: null,
  }

  beforeEach(() => {
    api.answer(adminRoutes.getSystem, () => ({
      at: '2026-11-21T08:00:00.000Z',
      services: [
        service('identity'),
        service('catalogue', { lags: [{ consumer: 'identity-people', source: 'identity', events: 12 }] }),
        service('boost', { status: null }),
      ],
    }))
    api.answer(adminRoutes.listParked, () => [parked])
  })

  it('goes by the server’s clock', async () => {
    hearServerTime('2026-11-21T10:00:00.000Z', Date.now())
    await open('/admin/dashboard?tab=system')
    const since = formatMoment('2026-11-21T08:00:00.000Z', Date.parse('2026-11-21T10:00:00.000Z'))
    expect(await screen.findAllByText(since)).toHaveLength(2)
  })

  it('shows which services answer, and how far they are behind', async () => {
    await open('/admin/dashboard?tab=system')
    await screen.findByText('No answer')
    const table = screen.getByRole('table', { name: 'Services' })
    const rows = within(table).getAllByRole('row').slice(1)
    expect(rows.map((row) => within(row).getAllByRole('cell').slice(0, 5).map(wordsOf))).toEqual([
      ['identity', 'Up', '0 events', '—', '0'],
      ['catalogue', 'Up', '0 events', '12 events', '0'],
      ['boost', 'No answer', '—', '—', '—'],
    ])
  })

  it.each([
    ['No event is parked.', [service('identity')]],
    [
      'Not every service says what it has parked. The others have nothing.',
      [service('identity'), service('boost', { status: null })],
    ],
  ])('says of services that have parked nothing: %s', async (words, services) => {
    api.answer(adminRoutes.listParked, () => [])
    api.answer(adminRoutes.getSystem, () => ({ at: '2026-11-21T08:00:00.000Z', services }))
    await open('/admin/dashboard?tab=system')
    await screen.findByText(words)
  })

  it('does not say that nothing is parked before it is known who says so', async () => {
    const silent = Promise.withResolvers<Response>()
    api.answer(adminRoutes.listParked, () => [])
    api.answer(adminRoutes.getSystem, () => silent.promise)
    await open('/admin/dashboard?tab=system')
    await waitFor(() => expect(api.countOf(adminRoutes.listParked)).toBe(1))
    await act(async () => {})
    expect(screen.queryByText('No event is parked.')).toBeNull()
    expect(screen.getByRole('table', { name: 'Parked events' })).toBeInTheDocument()
    silent.resolve(refusal('unavailable'))
    await screen.findByText('Not every service says what it has parked. The others have nothing.')
  })

  it('says of an event that somebody else was faster only when it is gone', async () => {
    api.answer(adminRoutes.retryParked, () => refusal('conflict'))
    await open('/admin/dashboard?tab=system')
    const retry = async () => {
      fireEvent.click(await screen.findByRole('button', { name: 'Retry UserBanned of user-10' }))
      press('Retry', await screen.findByRole('dialog'))
      await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
      return view.toasts.at(-1)?.description
    }
    expect(await retry()).not.toContain('Somebody else was faster.')
    api.answer(adminRoutes.listParked, () => [])
    expect(await retry()).toContain('Somebody else was faster.')
  })

  it('has an event retried, and discarded with a reason', async () => {
    api.answer(adminRoutes.retryParked, () => ({ success: true as const }))
    api.answer(adminRoutes.discardParked, () => ({ success: true as const }))
    await open('/admin/dashboard?tab=system')
    const key = { service: 'catalogue', consumer: 'identity-people', eventId: 'e1' }
    fireEvent.click(await screen.findByRole('button', { name: 'Retry UserBanned of user-10' }))
    press('Retry', await screen.findByRole('dialog'))
    await waitFor(() => expect(lastBody('/api/admin/system/parked/retry')).toEqual(key))
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
    fireEvent.click(await screen.findByRole('button', { name: 'Discard UserBanned of user-10' }))
    const dialog = await screen.findByRole('dialog')
    press('Discard', dialog)
    await within(dialog).findByText('Reason is required')
    fireEvent.change(within(dialog).getByLabelText('Reason'), { target: { value: 'Of a test' } })
    press('Discard', dialog)
    await waitFor(() => expect(lastBody('/api/admin/system/parked/discard')).toEqual({ ...key, reason: 'Of a test' }))
  })
})
