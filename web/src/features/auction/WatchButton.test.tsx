import { fireEvent, screen, waitFor } from '@testing-library/react'
import { noticeRoutes } from '@wangian/contracts/notices.ts'
import { useState } from 'react'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { mockApi, refusal } from '../../testing/mock-api.ts'
import { renderAt } from '../../testing/render.tsx'
import { WatchButton } from './WatchButton.tsx'

const bala = { id: 10, username: 'bala' }
let view: ReturnType<typeof renderAt>
let api: ReturnType<typeof mockApi>
beforeEach(() => {
  api = mockApi()
  api.answer(noticeRoutes.getWatch, () => ({ isWatching: false }))
  api.answer(noticeRoutes.watchAuction, () => ({ isWatching: true }))
  api.answer(noticeRoutes.unwatchAuction, () => ({ isWatching: false }))
})
afterEach(() => {
  view.end()
  api.restore()
})

const press = async (name: string) => fireEvent.click(await screen.findByRole('button', { name }))

it('watches an auction, and watches it no longer', async () => {
  view = renderAt('/', <WatchButton auctionId={1} leads={false} />, bala)
  await press('Watch this auction')
  await press('Stop watching')
  expect(await screen.findByRole('button', { name: 'Watch this auction' })).toBeInTheDocument()
  expect(api.received.map(({ route, url }) => `${route.split(' ')[0]} ${url.pathname}`)).toEqual([
    'GET /api/watches/1',
    'PUT /api/watches/1',
    'DELETE /api/watches/1',
  ])
  expect(view.toasts).toEqual([
    { title: 'You are watching this auction', description: 'You are told an hour before it ends.' },
    { title: 'You no longer watch this auction' },
  ])
})

it('is pressed already for whoever leads, until they press it', async () => {
  view = renderAt('/', <WatchButton auctionId={1} leads />, bala)
  await press('Stop watching')
  expect(await screen.findByRole('button', { name: 'Watch this auction' })).toBeInTheDocument()
})

/** Somebody who leads and does not, in turns. */
function Bidding() {
  const [leads, setLeads] = useState(false)
  return (
    <>
      <WatchButton auctionId={1} leads={leads} />
      <button type="button" onClick={() => setLeads(!leads)}>
        Somebody bids
      </button>
    </>
  )
}

it('stays pressed for whoever has led and is outbid', async () => {
  view = renderAt('/', <Bidding />, bala)
  await screen.findByRole('button', { name: 'Watch this auction' })
  await press('Somebody bids')
  expect(screen.getByRole('button', { name: 'Stop watching' })).toBeInTheDocument()
  await press('Somebody bids')
  expect(screen.getByRole('button', { name: 'Stop watching' })).toBeInTheDocument()
})

it('says when it did not work', async () => {
  api.answer(noticeRoutes.watchAuction, () => refusal('watches-full'))
  view = renderAt('/', <WatchButton auctionId={1} leads={false} />, bala)
  await press('Watch this auction')
  await waitFor(() =>
    expect(view.toasts).toEqual([
      { title: 'Error', description: 'You cannot watch any more auctions', tone: 'destructive' },
    ]),
  )
  expect(screen.getByRole('button', { name: 'Watch this auction' })).toBeInTheDocument()
})
