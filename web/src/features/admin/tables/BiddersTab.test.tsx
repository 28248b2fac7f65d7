import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { bidderRoutes, type SuspectedBidder } from '@wangian/contracts/bidders.ts'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { handedOverConversation } from '../../../contact/handed-over-conversation.ts'
import { now } from '../../../testing/fixtures.ts'
import { mockApi, refusal } from '../../../testing/mock-api.ts'
import { renderAt } from '../../../testing/render.tsx'
import { lim } from '../testing/admin-server.ts'
import { BiddersTab } from './BiddersTab.tsx'

const suspect: SuspectedBidder = {
  bidder: { id: 10, username: 'bala' },
  seller: { id: 3, username: 'sarah' },
  bidsOnSeller: 1_108,
  bidsInAll: 1_211,
  sharePercent: 91.5,
  lastBidAt: now,
}
const another: SuspectedBidder = { ...suspect, bidder: { id: 11, username: null }, sharePercent: 100 }

let api: ReturnType<typeof mockApi>
let view: ReturnType<typeof renderAt>

beforeEach(() => {
  api = mockApi()
})
afterEach(() => {
  view.end()
  api.restore()
})

const open = () => {
  view = renderAt('/admin/dashboard?tab=bidders', <BiddersTab />, lim)
}
const rows = () => screen.getAllByRole('row').slice(1)
const wordsOf = (row: HTMLElement) =>
  within(row)
    .getAllByRole('cell')
    .slice(0, 5)
    .map((cell) => cell.lastElementChild?.textContent)

it('shows who bids on whom, how often and how much of all that is, and says that it proves nothing', async () => {
  api.answer(bidderRoutes.listSuspectedBidders, () => [suspect, another], { 'x-total-count': '2' })
  open()
  expect(await screen.findByRole('link', { name: 'bala' })).toHaveAttribute('href', '/admin/users/10')
  expect(rows().map(wordsOf)).toEqual([
    ['bala', 'sarah', '1,108', '1,211', '91.5%'],
    ['Deleted user', 'sarah', '1,108', '1,211', '100.0%'],
  ])
  expect(screen.getByRole('heading', { name: 'Suspected bidders' })).toBeInTheDocument()
  expect(
    screen.getByText(/^Bidders who bid on one seller nearly always.* It proves nothing by itself\.$/),
  ).toBeVisible()
  expect(screen.getByText('2 bidders')).toBeInTheDocument()
})

it('leads to the shop, and to a word with one of the two', async () => {
  api.answer(bidderRoutes.listSuspectedBidders, () => [suspect, another])
  open()
  const actionsOf = async (name: string) => {
    fireEvent.click(await screen.findByRole('button', { name: `Actions for ${name}` }))
    return await screen.findAllByRole('menuitem')
  }
  const [shop, bidder, seller] = await actionsOf('Deleted user')
  expect(shop).toHaveAttribute('href', '/sellers/3')
  expect(bidder).toHaveAttribute('aria-disabled', 'true')
  expect(seller).toHaveTextContent('Contact Seller')
  fireEvent.keyDown(seller as HTMLElement, { key: 'Escape' })
  const written = (await actionsOf('bala')).find((action) => action.textContent === 'Contact Bidder')
  fireEvent.click(written as HTMLElement)
  await waitFor(() => expect(view.whereabouts()).toBe('/messages'))
  expect(handedOverConversation(lim.id)).toMatchObject({ userId: 10, username: 'bala', productId: null })
})

it('goes on to the next page', async () => {
  api.answer(bidderRoutes.listSuspectedBidders, ({ url }) =>
    url.searchParams.get('cursor') === 'two'
      ? Response.json([another])
      : Response.json([suspect], { headers: { link: '</api/admin/suspected-bidders?cursor=two>; rel="next"' } }),
  )
  open()
  fireEvent.click(await screen.findByRole('link', { name: 'Next' }))
  await screen.findByRole('link', { name: 'Deleted user' })
  expect(view.whereabouts()).toBe('/admin/dashboard?tab=bidders&page=2&cursor=two')
})

it('says who would be there where nobody is', async () => {
  api.answer(bidderRoutes.listSuspectedBidders, () => [], { 'x-total-count': '0' })
  open()
  await screen.findByRole('heading', { name: 'Nobody is suspected' })
  expect(screen.getByText(/10 times or more, over 70% of it on one seller/)).toBeInTheDocument()
})

it('is asked for again where it could not be read', async () => {
  api.answer(bidderRoutes.listSuspectedBidders, () => refusal('unavailable'))
  open()
  const again = await screen.findByRole('button', { name: 'Try Again' })
  api.answer(bidderRoutes.listSuspectedBidders, () => [suspect])
  fireEvent.click(again)
  await screen.findByRole('link', { name: 'bala' })
})
