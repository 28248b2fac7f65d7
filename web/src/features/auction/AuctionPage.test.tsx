import { act, fireEvent, screen, within } from '@testing-library/react'
import { type AuctionPage as Auction, auctionRoutes } from '@wangian/contracts/auction.ts'
import type { ServerFrame } from '@wangian/contracts/frames.ts'
import { identityRoutes } from '@wangian/contracts/identity.ts'
import { shopRoutes } from '@wangian/contracts/shop.ts'
import { Route, Routes } from 'react-router-dom'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { appToken } from '../../api/app-token.ts'
import { showLanguage } from '../../i18n/i18n.ts'
import { FakeSocket } from '../../testing/fake-socket.ts'
import {
  auctionPage,
  bid,
  ended,
  joined,
  later,
  liveAfter,
  newBid,
  nowMs,
  product,
  seller,
  tokenFor,
} from '../../testing/fixtures.ts'
import { mockApi, refusal } from '../../testing/mock-api.ts'
import { renderAt } from '../../testing/render.tsx'
import AuctionPage from './AuctionPage.tsx'

const bala = { id: 10, username: 'bala' }
const sarah = { id: 3, username: 'sarah', isSeller: true }
let api: ReturnType<typeof mockApi>
let page: ReturnType<typeof renderAt>

beforeEach(() => {
  vi.useFakeTimers({ now: nowMs })
  vi.spyOn(Math, 'random').mockReturnValue(0.5)
  api = mockApi()
  api.answer(identityRoutes.me, () => refusal('unavailable'))
})
afterEach(() => {
  page.end()
  api.restore()
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const pass = (durationMs: number) => act(() => vi.advanceTimersByTimeAsync(durationMs))

/** The server's clock goes on while the test's does. */
function serve(auction: Auction | Response): void {
  api.answer(auctionRoutes.getAuction, () =>
    auction instanceof Response ? auction.clone() : { ...auction, serverTime: new Date().toISOString() },
  )
}

async function open(auction: Auction | Response, who?: typeof bala | typeof sarah, address = '/auctions/1') {
  serve(auction)
  page = renderAt(
    address,
    <Routes>
      <Route path="/auctions/:auctionId" element={<AuctionPage />} />
      <Route path="*" element={null} />
    </Routes>,
    who,
  )
  await pass(10)
}

async function connect(seq: number, who?: { id: number }) {
  await act(async () => {
    FakeSocket.newest().accept()
    if (who) FakeSocket.newest().receive({ type: 'auth_success', userId: who.id })
    FakeSocket.newest().receive(joined(seq))
  })
  await pass(100)
}

async function receive(...frames: ServerFrame[]) {
  await act(async () => {
    for (const frame of frames) FakeSocket.newest().receive(frame)
  })
  await pass(100)
}

const field = () => screen.getByRole<HTMLInputElement>('spinbutton')
const placeBid = () => act(async () => screen.getByRole('button', { name: 'Place Bid' }).click())
const titles = () => page.toasts.map((toast) => toast.title)
/** With plain spaces, as queries see them. */
const says = (text: string) => expect(screen.queryByText(text), text).not.toBeNull()
const doesNotSay = (text: string) => expect(screen.queryByText(text), text).toBeNull()

describe('an auction that is not there', () => {
  it('says so', async () => {
    await open(refusal('auction-not-found'))
    expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Auction Not Found')
    says("The auction you're looking for does not exist or has ended.")
  })

  it('is not even asked for when the address holds no id', async () => {
    await open(auctionPage(0), undefined, '/auctions/1e3')
    says('Auction Not Found')
    expect(api.countOf(auctionRoutes.getAuction)).toBe(0)
  })
})

describe('an auction that cannot be read', () => {
  it('is tried twice more, and then again on request', async () => {
    await open(refusal('unavailable'))
    await pass(20_000)
    says('This could not be loaded')
    const tries = api.countOf(auctionRoutes.getAuction)
    expect(tries).toBeGreaterThanOrEqual(3)
    serve(auctionPage(0))
    await act(async () => screen.getByRole('button', { name: 'Try Again' }).click())
    await pass(10)
    says('Oud Wood')
  })

  it('of which only the listing is missing goes on', async () => {
    await open(auctionPage(1, { product: null }), bala)
    await connect(1, bala)
    says('Product Information Unavailable')
    says('The listing cannot be shown right now. The auction itself goes on.')
    expect(field().value).toBe('60.00')
  })

  it.each(['cancelled', 'ended'] as const)('that is %s and has lost its listing does not go on', async (status) => {
    await open(auctionPage(1, { product: null, status }))
    says('Product Information Unavailable')
    says('The listing cannot be shown.')
  })

  it('of which only the listing is missing has its seller all the same, who can be written to when they are known', async () => {
    api.answer(shopRoutes.getSeller, () => seller)
    await open(auctionPage(1, { product: null }), bala)
    await pass(10)
    expect(screen.getByRole('link', { name: 'View Seller' }).getAttribute('href')).toBe('/sellers/3')
    says('sarah')
    await act(async () => screen.getByRole('button', { name: 'Contact Seller' }).click())
    await act(() => vi.dynamicImportSettled())
    expect(page.whereabouts()).toBe('/messages')
    expect(JSON.parse(sessionStorage.getItem('selectedConversation') ?? '')).toMatchObject({
      userId: 3,
      username: 'sarah',
      productId: null,
    })
  })

  it('of which nothing can be read of catalogue leads to its seller', async () => {
    api.answer(shopRoutes.getSeller, () => refusal('unavailable'))
    await open(auctionPage(1, { product: null }), bala)
    await pass(10)
    expect(screen.getByRole('link', { name: 'View Seller' }).getAttribute('href')).toBe('/sellers/3')
    expect(screen.queryByRole('button', { name: 'Contact Seller' })).toBeNull()
  })
})

describe('a live auction', () => {
  it('shows a guest everything, and the way to take part', async () => {
    await open(auctionPage(2, { buyNowPrice: 90 }))
    await connect(2)
    for (const label of ['Starting Price', 'Current Bid', 'Bid Increment', 'Buy Now Price', 'Total Bids']) says(label)
    says('mei is the highest bidder')
    says('Connected')
    says('Real-time updates')
    says('Sign in to participate in this auction')
    expect(screen.getByRole('link', { name: 'Sign In' }).getAttribute('href')).toBe('/login?redirect=%2Fauctions%2F1')
    expect(screen.queryByRole('spinbutton')).toBeNull()
  })

  it('keeps the price, who leads and the time beside the field, in the bar that sticks to the bottom of a phone', async () => {
    await open(auctionPage(2), bala)
    const bar = field().closest<HTMLElement>('[data-bar]')
    expect(bar).not.toBeNull()
    for (const text of ['RM 60.00', 'mei is the highest bidder']) {
      expect(within(bar as HTMLElement).getByText(text)).toBeInTheDocument()
    }
    // Days stand there on the last one, too: nothing moves when they are over.
    expect(within(bar as HTMLElement).getByRole('timer', { name: 'Ends in' })).toHaveTextContent(/^0 Days/)
  })

  it('has no buy now price where the seller set none', async () => {
    await open(auctionPage(0), bala)
    doesNotSay('Buy Now Price')
    says('No bids have been placed yet.')
  })

  it('does not invite its owner to bid first', async () => {
    await open(auctionPage(0), sarah)
    says('No bids yet.')
    doesNotSay('No bids yet. Yours could be the first.')
  })

  it('shows its owner a note in place of the form', async () => {
    await open(auctionPage(1, { reservePrice: 80, hasReserve: true, reserveMet: false }), sarah)
    says('This is your own listing')
    says('Reserve Price')
    says('Reserve not met yet')
    expect(screen.queryByRole('spinbutton')).toBeNull()
    // As for everybody else: the page is the same for all until it is known who looks.
    expect(document.querySelector('[data-bar]')).toContainElement(screen.getByText('This is your own listing'))
  })

  it('takes a bid, and says that it counts only once the server has said so', async () => {
    await open(auctionPage(0), bala)
    await connect(0, bala)
    expect(screen.getByLabelText('Your bid (minimum RM 55.00)')).toBe(field())
    await placeBid()
    const [sent] = FakeSocket.newest().sentOf('placeBid')
    expect(sent).toMatchObject({ auctionId: 1, userId: 10, amount: 55 })
    says('Placing bid...')
    expect(page.toasts).toEqual([])
    await receive(newBid(1), {
      type: 'bidAccepted',
      message: 'Bid Accepted',
      auctionId: 1,
      bidId: String(sent?.['bidId']),
      amount: 55,
      seq: 1,
    })
    expect(page.toasts).toMatchObject([
      { title: 'Bid Placed!', description: 'Your bid of RM\u00A055.00 was placed successfully.' },
    ])
    says('You are the highest bidder')
    says('Bid Accepted: RM 55.00')
    // A double click is one bid, and the field does not move under the pointer.
    expect(field().value).toBe('55.00')
    await placeBid()
    expect(FakeSocket.newest().sentOf('placeBid')).toHaveLength(1)
    await pass(1_000)
    expect(field().value).toBe('60.00')
    // What somebody else has bid more than is no news any more.
    await receive(newBid(2))
    doesNotSay('Bid Accepted: RM 55.00')
  })

  it('says how many minutes are left when they are reached, and not when somebody comes later', async () => {
    await open(auctionPage(1, { endsAt: later(94_000) }))
    doesNotSay('5 minutes left')
    await pass(34_000)
    says('1 minute left')
  })

  it('asks who leads already before their own bid is raised', async () => {
    await open(auctionPage(1, { ...liveAfter(1), currentBidderId: bala.id }), bala)
    await connect(1, bala)
    await placeBid()
    says('You lead already with RM 55.00. Your bid would be RM 60.00.')
    await act(async () => screen.getByRole('button', { name: 'Keep my bid' }).click())
    expect(FakeSocket.newest().sentOf('placeBid')).toEqual([])
    await placeBid()
    await act(async () => screen.getByRole('button', { name: 'Raise to RM\u00A060.00' }).click())
    expect(FakeSocket.newest().sentOf('placeBid')).toMatchObject([{ amount: 60 }])
  })

  it('asks no more whether to raise a bid that leads no more, also when they lead again', async () => {
    const asks = () => screen.queryByRole('button', { name: /^Raise to/ }) !== null
    await open(auctionPage(1), bala)
    await connect(1, bala)
    await placeBid()
    expect(asks()).toBe(true)
    await receive(newBid(2))
    expect(asks()).toBe(false)
    await receive(newBid(3))
    says('You are the highest bidder')
    expect(asks()).toBe(false)
  })

  it('holds a press that came right after the minimum moved, and shows what it would be', async () => {
    await open(auctionPage(1), bala)
    await connect(1, bala)
    const button = screen.getByRole('button', { name: 'Place Bid' })
    fireEvent.pointerDown(button)
    await act(async () => FakeSocket.newest().receive(newBid(2)))
    await placeBid()
    says('The minimum has just risen to RM 65.00. Press again to bid that.')
    expect(FakeSocket.newest().sentOf('placeBid')).toEqual([])
    await placeBid()
    expect(FakeSocket.newest().sentOf('placeBid')).toEqual([])
    await pass(700)
    await placeBid()
    expect(FakeSocket.newest().sentOf('placeBid')).toMatchObject([{ amount: 65 }])
  })

  it('bids nothing for an empty field', async () => {
    await open(auctionPage(0), bala)
    await connect(0, bala)
    fireEvent.change(field(), { target: { value: '' } })
    fireEvent.blur(field())
    await placeBid()
    expect(page.toasts.at(-1)).toMatchObject({ title: 'Invalid Bid Amount' })
    fireEvent.submit(field().closest('form') as HTMLFormElement)
    expect(page.toasts).toHaveLength(2)
    expect(FakeSocket.newest().sentOf('placeBid')).toEqual([])
  })

  it('tells when somebody else bids, and the field follows', async () => {
    await open(auctionPage(1), bala)
    await connect(1, bala)
    expect(page.toasts).toEqual([])
    await receive(newBid(2))
    expect(page.toasts).toMatchObject([
      {
        title: 'New Bid Placed',
        description: 'You have been outbid. mei bid RM\u00A060.00.',
        action: { label: 'Bid again' },
      },
    ])
    says('You have been outbid')
    says('mei is the highest bidder')
    expect(document.title).toBe('You have been outbid · RM\u00A060.00 · Oud Wood · Wangian')
    expect(field().value).toBe('65.00')
    act(() => page.toasts.at(-1)?.action?.onAct())
    expect(field()).toHaveFocus()
  })

  it('tells it also to who was known only after the bids, as on a page that is taken over', async () => {
    await open(auctionPage(1))
    await connect(1)
    act(() => appToken.store(tokenFor(bala, nowMs + 900_000)))
    says('You are the highest bidder')
    await receive(newBid(2))
    expect(page.toasts).toMatchObject([{ action: { label: 'Bid again' } }])
  })

  it('says so also to who comes back later, and no more once they lead again', async () => {
    await open(auctionPage(2), bala)
    await connect(2, bala)
    says('You have been outbid')
    await receive(newBid(3))
    says('You are the highest bidder')
    doesNotSay('You have been outbid')
    expect(document.title).toBe('RM\u00A065.00 · Oud Wood · Wangian')
  })

  it('does not call outbid who has not bid', async () => {
    await open(auctionPage(1), { id: 12, username: 'wei' })
    says('bala is the highest bidder')
    doesNotSay('You have been outbid')
  })

  it('refuses what cannot be a bid in the order of the rules, without asking the server', async () => {
    await open(auctionPage(0), bala)
    const bidding = async (typed: string) => {
      fireEvent.change(field(), { target: { value: typed } })
      await placeBid()
      return page.toasts.at(-1)
    }
    expect(await bidding('12.345')).toMatchObject({
      title: 'Invalid Bid Amount',
      description: 'Please enter a valid number.',
    })
    expect(await bidding('54.99')).toMatchObject({
      title: 'Bid Too Low',
      description: 'Your bid must be at least RM\u00A055.00.',
    })
    expect(await bidding('55')).toMatchObject({
      title: 'Connection Error',
      description: 'Unable to place bid due to connection issues. Please refresh the page.',
    })
    expect(FakeSocket.newest().sentOf('placeBid')).toEqual([])
  })

  it.each([
    [{ code: 'bid-too-low', minimum: 70 }, 'Bid Too Low', 'Your bid must be at least RM\u00A070.00.'],
    [{ code: 'own-listing' }, 'Cannot Bid on Your Own Listing', 'This is your own product listing.'],
    [{ code: 'auction-ended' }, 'Error', 'The server says no.'],
  ] as const)("shows the server's refusal %j", async (facts, title, description) => {
    await open(auctionPage(0), bala)
    await connect(0, bala)
    await placeBid()
    const bidId = String(FakeSocket.newest().sentOf('placeBid')[0]?.['bidId'])
    await receive({ type: 'error', message: 'The server says no.', auctionId: 1, bidId, ...facts })
    expect(page.toasts.at(-1)).toMatchObject({ title, description, tone: 'destructive' })
  })

  it('says of a bid that nobody has answered that it may stand', async () => {
    await open(auctionPage(0), bala)
    await connect(0, bala)
    await placeBid()
    await pass(30_000)
    expect(page.toasts.at(-1)).toMatchObject({
      title: 'Error',
      description:
        'We could not confirm whether your bid was placed. Please check the bid history before you try again.',
    })
  })

  it('says why the server lets nobody into its room, once until it does', async () => {
    await open(auctionPage(0), bala)
    const refused: ServerFrame = { type: 'error', code: 'rate-limited', message: 'Too many requests', auctionId: 1 }
    const refuse = async () => {
      await act(async () => {
        FakeSocket.newest().accept()
        FakeSocket.newest().receive({ type: 'auth_success', userId: bala.id })
        FakeSocket.newest().receive(refused)
      })
      await pass(10_000)
    }
    await refuse()
    await refuse()
    const told = { title: 'Error', description: 'Too many requests', tone: 'destructive' }
    expect(page.toasts).toEqual([told])
    await connect(0, bala)
    await receive(refused)
    expect(page.toasts).toEqual([told, told])
  })

  it('asks for the bids that went by unseen', async () => {
    await open(auctionPage(1))
    await connect(1)
    api.answer(auctionRoutes.listBids, () => [bid(4), bid(3), bid(2)])
    await receive(newBid(5))
    await pass(1_000)
    const [asked] = api.received.filter((request) => request.route.endsWith('/bids'))
    expect(asked?.url.search).toBe('?cursor=5&limit=3')
    expect(screen.getAllByRole('listitem').map((row) => row.textContent)).toHaveLength(5)
  })

  it('fetches earlier bids on request', async () => {
    await open(auctionPage(60))
    expect(screen.getAllByRole('listitem')).toHaveLength(50)
    api.answer(auctionRoutes.listBids, () => Array.from({ length: 10 }, (_, place) => bid(10 - place)))
    await act(async () => screen.getByRole('button', { name: 'Show earlier bids' }).click())
    await pass(10)
    expect(api.received.at(-1)?.url.search).toBe('?cursor=11&limit=50')
    expect(screen.getAllByRole('listitem')).toHaveLength(60)
    expect(screen.queryByRole('button', { name: 'Show earlier bids' })).toBeNull()
  })

  it('keeps what it shows of the product when that cannot be read again, as long as it is auctioned', async () => {
    await open(auctionPage(0), bala)
    await connect(0, bala)
    const again = async (changes: Partial<Auction>) => {
      serve(auctionPage(0, { product: null, ...changes }))
      await act(async () => FakeSocket.newest().lose())
      await pass(600)
      await connect(0, bala)
    }
    await again({})
    says(product.description)
    doesNotSay('Product Information Unavailable')
    await again({ status: 'cancelled', cancelReason: 'The listing was removed by an administrator.' })
    doesNotSay(product.description)
  })

  it('says once when the live updates cannot be reached, and keeps itself up by asking', async () => {
    await open(auctionPage(0))
    for (const delayMs of [500, 1_000, 2_000]) {
      await act(async () => FakeSocket.newest().lose())
      await pass(delayMs)
    }
    expect(titles()).toEqual(['Connection Error'])
    says('Disconnected')
    serve(auctionPage(2))
    await pass(5_000)
    says('mei is the highest bidder')
  })
})

describe('an auction that its seller revises before the first bid', () => {
  const told = (type: 'auctionState' | 'auctionJoined', minimumBid: number) =>
    receive({
      ...joined(0),
      type,
      auction: { ...liveAfter(0), minimumBid },
      serverTime: new Date().toISOString(),
    } as ServerFrame)

  it('shows the new terms', async () => {
    await open(auctionPage(0, { buyNowPrice: 90 }), bala)
    await connect(0, bala)
    serve(auctionPage(0, { startingPrice: 40, bidIncrement: 8, minimumBid: 48, buyNowPrice: 80 }))
    await told('auctionState', 48)
    await pass(1_000)
    expect(screen.getAllByText('RM 40.00')).toHaveLength(2)
    says('RM 8.00')
    says('+ RM 8.00')
    says('Buy Now for RM 80.00')
    expect(field().value).toBe('48.00')
  })

  it('shows another Buy Now price, of which the state says nothing', async () => {
    await open(auctionPage(0, { buyNowPrice: 90 }), bala)
    await connect(0, bala)
    serve(auctionPage(0, { buyNowPrice: 80 }))
    await told('auctionState', 55)
    await pass(1_000)
    says('Buy Now for RM 80.00')
  })

  it('is read again once for a revision, also where it was heard of by a snapshot, and not for bids', async () => {
    await open(auctionPage(0), bala)
    await connect(0, bala)
    const reads = api.countOf(auctionRoutes.getAuction)
    serve(auctionPage(0, { startingPrice: 60, minimumBid: 65 }))
    await told('auctionJoined', 65)
    await pass(5_000)
    expect(api.countOf(auctionRoutes.getAuction)).toBe(reads + 1)
    api.answer(auctionRoutes.listBids, () => [bid(3)])
    await receive(newBid(1), newBid(2), { ...newBid(3), type: 'auctionState' } as ServerFrame)
    await pass(5_000)
    expect(api.countOf(auctionRoutes.getAuction)).toBe(reads + 1)
  })
})

describe('the end of an auction', () => {
  it('comes when it does, also for whoever is answered late', async () => {
    const short = auctionPage(1, { endsAt: later(12_000) })
    await open(short)
    await act(async () => FakeSocket.newest().accept())
    await act(async () => FakeSocket.newest().lose())
    const late = Promise.withResolvers<Auction>()
    api.answer(auctionRoutes.getAuction, () => late.promise)
    await pass(600)
    await act(async () => FakeSocket.newest().accept())
    const serverTime = new Date().toISOString()
    await pass(5_000)
    late.resolve({ ...short, serverTime })
    await pass(6_500)
    says('Auction Ended')
  })

  it('takes the form away when its time is over, and asks for the result when none comes', async () => {
    const short = { ...liveAfter(1), endsAt: later(2_000) }
    await open(auctionPage(1, short), bala)
    await act(async () => FakeSocket.newest().accept())
    await pass(1_500)
    expect(screen.queryByRole('spinbutton')).not.toBeNull()
    await pass(600)
    says('This auction has ended')
    says('Auction Ended')
    says('The result is being confirmed.')
    expect(screen.queryByRole('spinbutton')).toBeNull()
    serve(auctionPage(1, { ...short, status: 'ended', outcome: 'won', winnerId: 10 }))
    await pass(3_500)
    says('You won this auction with RM 55.00.')
  })

  it('is asked for its result when only a snapshot tells of it', async () => {
    await open(auctionPage(1), bala)
    await connect(1, bala)
    const over = liveAfter(1, 'ended')
    await receive({ ...joined(1), auction: over } as ServerFrame)
    says('The result is being confirmed.')
    expect(screen.queryByText('You are the highest bidder')).toBeNull()
    serve(auctionPage(1, { ...over, outcome: 'won', winnerId: 10 }))
    await pass(3_500)
    says('You won this auction with RM 55.00.')
  })

  it.each([0, 0.9])('is asked for by each who watches at a moment of their own (%d)', async (random) => {
    await open(auctionPage(1), bala)
    await connect(1, bala)
    vi.mocked(Math.random).mockReturnValue(random)
    await receive({ ...joined(1), auction: liveAfter(1, 'ended') } as ServerFrame)
    const reads = api.countOf(auctionRoutes.getAuction)
    await pass(2_000)
    expect(api.countOf(auctionRoutes.getAuction) - reads).toBe(random === 0 ? 1 : 0)
  })

  it('is not yet told by a page that was read before it was recorded', async () => {
    const over = liveAfter(1, 'ended')
    await open(auctionPage(1, over), bala)
    says('The result is being confirmed.')
    serve(auctionPage(1, { ...over, outcome: 'won', winnerId: 10 }))
    await connect(1, bala)
    await pass(3_500)
    says('You won this auction with RM 55.00.')
  })

  it.each([
    [1, 'You won this auction with RM 55.00.'],
    [2, 'mei won with RM 60.00.'],
    [0, 'It ended without a winner: nobody placed a bid.'],
  ])('after %i bids says who won', async (seq, words) => {
    await open(auctionPage(seq), bala)
    await connect(seq, bala)
    await receive(ended(seq))
    says(words)
    says('This auction has ended')
    // What to do next, for who has won and for who has not.
    const [name, address] =
      seq === 1 ? ['Open your messages', '/messages'] : ['See live auctions', '/products?type=auction']
    expect(screen.getByRole('link', { name }).getAttribute('href')).toBe(address)
  })

  it('says that nobody won when whoever led is gone', async () => {
    await open(auctionPage(2, { status: 'ended', outcome: 'winner-unavailable' }), bala)
    says('It ended without a winner: whoever led is not a member any more.')
  })

  it.each([
    [bala, 'You won this auction, and the sale did not come about.'],
    [{ id: 12, username: 'mei' }, 'It was won, and the sale did not come about.'],
  ])('says to %o that what was won was not sold', async (user, words) => {
    // By now it is auctioned again.
    const { currentBid, bidCount, endsAt } = liveAfter(0)
    const bids = { currentBid, bidCount, endsAt, startsAt: later(-600_000), startingPrice: 50 }
    const auction = { ...bids, id: 2, status: 'active', outcome: null, winner: null, isReleased: false } as const
    const over = { status: 'ended', outcome: 'won', winnerId: 10, isReleased: true } as const
    await open(auctionPage(2, { ...over, product: { ...product, auction } }), user)
    says(words)
    expect(screen.queryByText('Won for')).toBeNull()
    expect(screen.queryByRole('link', { name: 'Open your messages' })).toBeNull()
  })

  const cancelled = (reason: string): ServerFrame => ({
    type: 'auctionCancelled',
    auctionId: 1,
    reason,
    auction: { ...liveAfter(0), status: 'cancelled' },
    seq: 0,
    serverTime: later(1_000),
  })

  it('by the seller says why', async () => {
    await open(auctionPage(0), bala)
    await connect(0, bala)
    await receive(cancelled('The bottle broke.'))
    says('This auction was cancelled')
    says('The seller says: The bottle broke.')
    says('No bids were placed.')
    expect(screen.queryByText('Bidding starts at')).toBeNull()
    expect(screen.queryByRole('spinbutton')).toBeNull()
  })

  it('by the seller says why, too, where only a snapshot or a new owner tells of it', async () => {
    await open(auctionPage(0), bala)
    await connect(0, bala)
    const gone = { ...liveAfter(0), status: 'cancelled' } as const
    await receive({ ...joined(0), auction: gone } as ServerFrame)
    says('This auction was cancelled')
    serve(auctionPage(0, { ...gone, cancelReason: 'The bottle broke.' }))
    await pass(3_500)
    says('The seller says: The bottle broke.')
    const reads = api.countOf(auctionRoutes.getAuction)
    await pass(10_000)
    expect(api.countOf(auctionRoutes.getAuction)).toBe(reads)
  })

  it('by the seller says why to whoever comes later', async () => {
    await open(auctionPage(0, { status: 'cancelled', cancelReason: 'The bottle broke.' }), bala)
    says('The seller says: The bottle broke.')
  })

  it('that is not of the seller puts no words into their mouth, and is told in the language of the page', async () => {
    await open(auctionPage(0), bala)
    await connect(0, bala)
    await receive(cancelled('The listing was removed by an administrator.'))
    says('The listing was removed by an administrator.')
    onTestFinished(() => showLanguage('en'))
    await act(() => showLanguage('ms'))
    says('Iklan ini telah dibuang oleh pentadbir.')
  })
})

describe('an auction that has not started', () => {
  it('opens by itself', async () => {
    await open(auctionPage(0, { status: 'scheduled', startsAt: later(60_000) }), bala)
    says('Bidding opens in')
    says('Bidding has not started yet')
    await pass(60_000)
    expect(field().value).toBe('55.00')
  })
})

describe('talking to the seller', () => {
  it('is for who is signed in', async () => {
    await open(auctionPage(0))
    await act(async () => screen.getByRole('button', { name: 'Contact Seller' }).click())
    await act(() => vi.dynamicImportSettled())
    expect(page.toasts).toMatchObject([
      { title: 'Authentication Required', description: 'You need to log in to contact sellers.' },
    ])
    expect(page.whereabouts()).toBe('/auth?redirect=%2Fauctions%2F1')
  })

  it('to buy now hands the conversation over', async () => {
    await open(auctionPage(0, { buyNowPrice: 90 }), bala)
    await act(async () => screen.getByRole('button', { name: 'Buy Now for RM\u00A090.00' }).click())
    await act(() => vi.dynamicImportSettled())
    expect(titles()).toEqual(['Contacting Seller'])
    expect(page.whereabouts()).toBe('/messages')
    expect(JSON.parse(sessionStorage.getItem('selectedConversation') ?? '')).toEqual({
      ownId: 10,
      userId: 3,
      username: 'sarah',
      profileImage: null,
      productId: 7,
      productName: 'Oud Wood',
      templateMessage: 'Hi, I would like to buy Oud Wood now for RM\u00A090.00.',
      isOffer: true,
    })
  })

  it('is not for talking to oneself', async () => {
    await open(auctionPage(0), sarah)
    await act(async () => screen.getByRole('button', { name: 'Contact Seller' }).click())
    expect(titles()).toEqual(['Cannot Message Yourself'])
    page.end()
    api.answer(shopRoutes.getSeller, () => seller)
    await open(auctionPage(0, { product: null }), sarah)
    await pass(10)
    await act(async () => screen.getByRole('button', { name: 'Contact Seller' }).click())
    expect(titles()).toEqual(['Cannot Message Yourself'])
    expect(page.whereabouts()).toBe('/auctions/1')
  })
})

describe('people who have deleted their accounts', () => {
  it('are neither named in the history nor as the seller, and lead without a name', async () => {
    const gone = { ...bid(2), bidder: { name: null } }
    const { seller } = product
    await open(auctionPage(2, { bids: [gone, bid(1)], product: { ...product, seller: { ...seller, username: null } } }))
    expect(screen.getAllByText('Deleted user')).toHaveLength(2)
    expect(screen.getByText('bala')).toBeTruthy()
    expect(screen.getByText('Another bidder is the highest bidder')).toBeTruthy()
  })
})
