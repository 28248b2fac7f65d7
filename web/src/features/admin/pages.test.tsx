import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { adminRoutes, TIMELINE_ENTRIES_MAX, type TimelineEntry } from '@wangian/contracts/admin.ts'
import { reportRoutes } from '@wangian/contracts/reports.ts'
import { Route, Routes } from 'react-router-dom'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { handOffKey } from '../../contact/conversation-hand-off.ts'
import { later, now } from '../../testing/fixtures.ts'
import { mockApi, refusal } from '../../testing/mock-api.ts'
import { renderAt } from '../../testing/render.tsx'
import ListingPage from './ListingPage.tsx'
import OrderPage from './OrderPage.tsx'
import {
  activity,
  adminListing,
  adminOrder,
  adminReport,
  adminUser,
  details,
  lim,
  serveAdmin,
} from './testing/admin-server.ts'
import UserPage from './UserPage.tsx'

let api: ReturnType<typeof mockApi>
let view: ReturnType<typeof renderAt>

beforeEach(() => {
  api = mockApi()
  serveAdmin(api)
})
afterEach(() => {
  view.end()
  api.restore()
})

function open(address: string) {
  view = renderAt(
    address,
    <Routes>
      <Route path="admin/users/:userId" element={<UserPage />} />
      <Route path="admin/orders/:orderId" element={<OrderPage />} />
      <Route path="admin/listings/:productId" element={<ListingPage />} />
      <Route path="*" element={null} />
    </Routes>,
    lim,
  )
}

const asked = (path: string) => api.received.filter(({ url }) => url.pathname === path).map(({ url }) => url.search)
const press = (name: string, place: HTMLElement = document.body) =>
  fireEvent.click(within(place).getByRole('button', { name }))

it('shows all that is known of somebody, with what belongs to them', async () => {
  api.answer(adminRoutes.getUser, () => ({
    ...adminUser({ isBanned: true, status: 'banned' }),
    ...details,
    address: '1 Jalan Bukit',
    banReason: 'Sells fakes',
  }))
  open('/admin/users/10')
  await screen.findByRole('heading', { level: 1, name: 'bala' })
  const facts = Object.fromEntries(
    screen.getAllByRole('term').map((term) => [term.textContent, term.nextElementSibling?.textContent]),
  )
  expect(facts).toMatchObject({
    'Reason of the ban': 'Sells fakes',
    Email: 'bala@wangian.test',
    Address: '1 Jalan Bukit',
    'Email confirmed': 'Yes',
    'Second factor': 'No',
    Joined: '21 Nov 2026, 4:00 pm',
  })
  await screen.findByRole('link', { name: '#5' })
  expect(asked('/api/admin/orders')).toEqual(['?userId=10&limit=5'])
  expect(asked('/api/products/all')).toEqual(['?sellerId=10&limit=5'])
  expect(asked('/api/admin/payments')).toEqual(['?userId=10&limit=5'])
  expect(asked('/api/admin/activity')).toEqual(['?targetKind=user&targetId=10&limit=5'])
  expect(asked('/api/admin/timeline/user/10')).toHaveLength(1)
})

it.each([
  ['active', true],
  ['banned', false],
  ['closed', false],
] as const)('leads to the shop of somebody while there is one: %s', async (status, isThere) => {
  api.answer(adminRoutes.getUser, () => ({
    ...adminUser({ isSeller: true, isBanned: status === 'banned', status }),
    ...details,
  }))
  open('/admin/users/10')
  await screen.findByRole('heading', { level: 1, name: 'bala' })
  expect(screen.queryByRole('link', { name: 'See the shop' }) !== null).toBe(isThere)
})

it('shows the reports about somebody, and those by them', async () => {
  api.answer(reportRoutes.listReports, ({ url }) =>
    url.searchParams.has('reportedId')
      ? [adminReport(1, { reported: { id: 10, username: 'bala' }, reporter: { id: 3, username: 'sarah' } })]
      : [adminReport(2, { kind: 'person', targetId: 3, status: 'upheld' })],
  )
  open('/admin/users/10')
  const about = await screen.findByRole('table', { name: 'Reports about this person' })
  const by = await screen.findByRole('table', { name: 'Reports by this person' })
  expect(asked('/api/admin/reports')).toEqual(['?reportedId=10&limit=5', '?reporterId=10&limit=5'])
  expect(within(about).getByRole('link', { name: '#1 Listing' })).toHaveAttribute('href', '/admin/listings/7')
  expect(within(about).getByRole('link', { name: 'sarah' })).toHaveAttribute('href', '/admin/users/3')
  expect(within(about).getByText('Open')).toBeInTheDocument()
  expect(within(by).getByRole('link', { name: '#2 Person' })).toHaveAttribute('href', '/admin/users/3')
  expect(within(by).getByText('Upheld')).toBeInTheDocument()
})

it('leads to all reports by somebody, of which it shows the latest', async () => {
  api.answer(reportRoutes.listReports, ({ url }) => (url.searchParams.has('reporterId') ? [adminReport(2)] : []), {
    'x-total-count': '12',
    link: '</api/admin/reports?cursor=2>; rel="next"',
  })
  open('/admin/users/10')
  const all = await screen.findAllByRole('link', { name: 'See all 12' })
  expect(all.map((link) => link.getAttribute('href'))).toContain('/admin/dashboard?tab=reports&reporter=10')
})

it('says of a record that it shows the latest entries only', async () => {
  api.answer(adminRoutes.listActivity, () => [activity()], {
    'x-total-count': '6',
    link: '</api/admin/activity?cursor=a>; rel="next"',
  })
  open('/admin/orders/5')
  await screen.findByText('Only the latest 5 are shown.')
})

it('says of a timeline that it begins later than what it is about', async () => {
  const entry = (number: number): TimelineEntry => ({
    id: `0b6ed3a8-6b3e-4a7c-9f57-${String(number).padStart(12, '0')}`,
    service: 'auction',
    actor: null,
    at: now,
    type: 'BidPlaced',
    data: {},
  })
  api.answer(adminRoutes.getTimeline, () => Array.from({ length: TIMELINE_ENTRIES_MAX }, (_, number) => entry(number)))
  open('/admin/listings/7')
  await screen.findByText('Only the latest 200 are shown.')
})

it('bans and unbans in place', async () => {
  let isBanned = false
  const stands = () => adminUser({ isBanned, status: isBanned ? 'banned' : 'active' })
  api.answer(adminRoutes.getUser, () => ({ ...stands(), ...details }))
  api.answer(adminRoutes.setBanned, () => {
    isBanned = true
    return stands()
  })
  open('/admin/users/10')
  await screen.findByRole('heading', { level: 1, name: 'bala' })
  press('Ban User')
  press('Ban User', await screen.findByRole('dialog'))
  await screen.findByRole('button', { name: 'Unban User' })
})

it('tells what has happened day by day, the latest first', async () => {
  const entry = { service: 'messaging', actor: null }
  const id = (last: number) => `0b6ed3a8-6b3e-4a7c-9f57-6a3e3c7a9d1${last}`
  api.answer(adminRoutes.getTimeline, () => [
    {
      ...entry,
      id: id(2),
      at: later(86_400_000),
      type: 'OrderStatusChanged',
      actor: { id: 1, username: 'lim' },
      data: { status: 'processing', admin: { id: 1, from: 'pending', reason: 'Paid in cash' } },
    },
    { ...entry, id: id(1), at: now, type: 'OrderPlaced', data: { buyerId: 10, totalSen: 125_000 } },
  ])
  open('/admin/orders/5')
  const days = await screen.findAllByRole('heading', { level: 3 })
  expect(days.map((day) => day.textContent)).toEqual(['22 November 2026', '21 November 2026'])
  const entries = days.map((day) => within(day.parentElement as HTMLElement).getByRole('listitem').textContent)
  expect(entries).toEqual([
    expect.stringContaining('The order is now processing.Paid in cashby lim'),
    expect.stringContaining('The order was placed by bala for RM\u00a01,250.00.'),
  ])
})

it('moves an order in place', async () => {
  api.answer(adminRoutes.moveOrder, () => adminOrder({ status: 'processing' }))
  open('/admin/orders/5')
  await screen.findByRole('heading', { level: 1, name: 'Order #5' })
  press('Process')
  press('Process', await screen.findByRole('dialog'))
  await screen.findByRole('button', { name: 'Ship' })
  expect(screen.queryByRole('button', { name: 'Process' })).not.toBeInTheDocument()
})

it('lets administrators write to both people of an order, but not to themselves', async () => {
  api.answer(adminRoutes.getOrder, () => adminOrder({ user: { id: lim.id, username: lim.username } }))
  open('/admin/orders/5')
  expect(await screen.findByRole('button', { name: 'Contact Buyer' })).toBeDisabled()
  expect(screen.getByRole('button', { name: 'Contact Seller' })).toBeEnabled()
})

it.each([
  ['Contact Buyer', 10, 'Hi, I am writing about your order of Oud Wood.'],
  ['Contact Seller', 3, 'Hi, I am writing about your listing Oud Wood.'],
])('begins what administrators write to the people of an order: %s', async (action, userId, templateMessage) => {
  open('/admin/orders/5')
  fireEvent.click(await screen.findByRole('button', { name: action }))
  const handedOver = JSON.parse(sessionStorage.getItem(handOffKey) ?? 'null')
  expect(handedOver).toMatchObject({ userId, productId: 7, templateMessage })
})

it('says of an auction that its price is the one it starts at', async () => {
  api.answer(adminRoutes.getListing, () => adminListing({ listingType: 'auction' }))
  open('/admin/listings/7')
  expect((await screen.findByText('Starting price')).nextElementSibling).toHaveTextContent('RM 50.00')
  expect(screen.queryByText('Price')).not.toBeInTheDocument()
})

it('shows a listing that was removed, and why', async () => {
  const removal = { at: now, by: 'admin', reason: 'A fake' } as const
  api.answer(adminRoutes.getListing, () => adminListing({ status: 'removed', removal }))
  open('/admin/listings/7')
  await screen.findByRole('heading', { level: 1, name: 'Oud Wood' })
  expect(screen.getByText('A fake')).toBeInTheDocument()
  expect(screen.getByText('an administrator')).toBeInTheDocument()
  expect(screen.queryByRole('button', { name: 'Remove' })).not.toBeInTheDocument()
  await waitFor(() => expect(asked('/api/admin/orders')).toEqual(['?productId=7&limit=5']))
})

it.each([
  ['/admin/users/10', 'user-not-found', 'User Not Found'],
  ['/admin/orders/5', 'order-not-found', 'Order Not Found'],
  ['/admin/listings/7', 'product-not-found', 'Listing Not Found'],
  ['/admin/users/10', 'unavailable', 'This could not be loaded'],
] as const)('%s says when there is %s', async (address, code, title) => {
  for (const route of [adminRoutes.getUser, adminRoutes.getOrder, adminRoutes.getListing]) {
    api.answer(route, () => refusal(code))
  }
  open(address)
  await screen.findByRole('heading', { level: 1, name: title })
})
