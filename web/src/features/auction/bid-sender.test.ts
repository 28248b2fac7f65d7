import type { ErrorCode } from '@wangian/contracts/errors.ts'
import type { ServerFrame } from '@wangian/contracts/frames.ts'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { LiveSocket } from '../../live/live-socket.ts'
import { FakeSocket } from '../../testing/fake-socket.ts'
import { joined } from '../../testing/fixtures.ts'
import { type BidAnswer, BidSender } from './bid-sender.ts'

const order = { auctionId: 1, userId: 10, amount: 55 }
const renewToken = vi.fn(async () => 'token-2')
let sender: BidSender
let answer: BidAnswer | undefined

/** The server takes the newest connection and knows who it is. */
function connect(): void {
  FakeSocket.newest().accept()
  FakeSocket.newest().receive({ type: 'auth_success', userId: 10 })
  FakeSocket.newest().receive(joined(0))
}

/** @returns the id of the bid that was sent */
function place(): string {
  void sender.place(order).then((given) => {
    answer = given
  })
  return String(FakeSocket.newest().sentOf('placeBid').at(-1)?.['bidId'])
}

const accepted = (bidId: string): ServerFrame => ({
  type: 'bidAccepted',
  message: 'Bid Accepted',
  auctionId: 1,
  bidId,
  amount: 55,
  seq: 1,
})
const refused = (code: ErrorCode, bidId?: string): ServerFrame => ({
  type: 'error',
  code,
  message: 'No',
  auctionId: 1,
  ...(bidId && { bidId }),
})
const settled = () => vi.advanceTimersByTimeAsync(0)

beforeEach(() => {
  vi.useFakeTimers()
  vi.spyOn(Math, 'random').mockReturnValue(0.5)
  FakeSocket.opened.length = 0
  answer = undefined
  renewToken.mockClear()
  const socket = new LiveSocket({
    token: () => 'token-1',
    renewToken,
    openSocket: () => FakeSocket.open(),
  })
  sender = new BidSender(socket)
  socket.join(1)
  connect()
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

describe('a bid', () => {
  it('is sent with an id of its own and gets its answer', async () => {
    const bidId = place()
    expect(FakeSocket.newest().sentOf('placeBid')).toMatchObject([{ auctionId: 1, userId: 10, amount: 55, bidId }])
    FakeSocket.newest().receive(accepted('00000000-0000-4000-8000-000000000000'))
    await settled()
    expect(answer).toBeUndefined()
    FakeSocket.newest().receive(accepted(bidId))
    await settled()
    expect(answer).toMatchObject({ kind: 'accepted', amount: 55 })
  })

  it('is refused with the code and the minimum', async () => {
    const bidId = place()
    FakeSocket.newest().receive({ ...refused('bid-too-low', bidId), minimum: 60 } as ServerFrame)
    await settled()
    expect(answer).toEqual({ kind: 'refused', code: 'bid-too-low', message: 'No', minimum: 60 })
  })

  it('goes out again under the same id after the connection was lost', async () => {
    const bidId = place()
    FakeSocket.newest().lose()
    await vi.advanceTimersByTimeAsync(500)
    expect(FakeSocket.opened).toHaveLength(2)
    connect()
    expect(FakeSocket.newest().sentOf('placeBid')).toMatchObject([{ bidId }])
    FakeSocket.newest().receive(accepted(bidId))
    await settled()
    expect(answer).toMatchObject({ kind: 'accepted' })
  })

  it('takes another connection when the one at hand does not answer', async () => {
    const bidId = place()
    await vi.advanceTimersByTimeAsync(8_000)
    expect(FakeSocket.opened).toHaveLength(2)
    connect()
    expect(FakeSocket.newest().sentOf('placeBid')).toMatchObject([{ bidId }])
  })

  it.each(['busy', 'unavailable', 'outcome-unknown'] as const)('is tried again when the answer is %s', async (code) => {
    const bidId = place()
    for (const delayMs of [300, 800, 2_000]) {
      FakeSocket.newest().receive(refused(code, bidId))
      await vi.advanceTimersByTimeAsync(delayMs)
    }
    expect(FakeSocket.newest().sentOf('placeBid')).toHaveLength(4)
    expect(answer).toBeUndefined()
    FakeSocket.newest().receive(refused(code, bidId))
    await settled()
    expect(answer).toMatchObject({ kind: 'refused', code })
  })

  it.each(['busy', 'unavailable'] as const)(
    'that may stand is not said to be refused when later answers are %s',
    async (code) => {
      const bidId = place()
      FakeSocket.newest().receive(refused('outcome-unknown', bidId))
      for (const delayMs of [300, 800, 2_000]) {
        await vi.advanceTimersByTimeAsync(delayMs)
        FakeSocket.newest().receive(refused(code, bidId))
      }
      await settled()
      expect(answer).toEqual({ kind: 'unanswered' })
    },
  )

  it('that went out before the connection was lost may stand, too, until its owner says what became of it', async () => {
    const bidId = place()
    const reconnect = async () => {
      FakeSocket.newest().lose()
      await vi.advanceTimersByTimeAsync(500)
      connect()
    }
    await reconnect()
    for (const delayMs of [300, 800, 2_000]) {
      FakeSocket.newest().receive(refused('unavailable', bidId))
      await vi.advanceTimersByTimeAsync(delayMs)
    }
    FakeSocket.newest().receive(refused('unavailable', bidId))
    await settled()
    expect(answer).toEqual({ kind: 'unanswered' })
    const other = place()
    await reconnect()
    FakeSocket.newest().receive({ ...refused('bid-too-low', other), minimum: 60 } as ServerFrame)
    await settled()
    expect(answer).toMatchObject({ kind: 'refused', code: 'bid-too-low' })
  })

  it.each(['rate-limited', 'authentication-required', 'invalid-token', 'forbidden'] as const)(
    'that went out before the connection was lost is not said to be refused when it is not passed on now: %s',
    async (code) => {
      const bidId = place()
      for (const _ of ['once', 'again with a fresh token']) {
        FakeSocket.newest().lose()
        await vi.advanceTimersByTimeAsync(500)
        connect()
        FakeSocket.newest().receive(refused(code, bidId))
        await settled()
        if (answer) break
      }
      expect(answer).toEqual({ kind: 'unanswered' })
    },
  )

  it('that nobody has taken is not said to be unknown when the connection stays away', async () => {
    const bidId = place()
    FakeSocket.newest().receive(refused('unavailable', bidId))
    FakeSocket.newest().lose()
    await vi.advanceTimersByTimeAsync(30_000)
    expect(answer).toEqual({ kind: 'unsent' })
  })

  it('gets a fresh token when the old one ran out in between', async () => {
    const bidId = place()
    FakeSocket.newest().receive(refused('authentication-required', bidId))
    await settled()
    expect(renewToken).toHaveBeenCalledOnce()
    expect(FakeSocket.opened).toHaveLength(2)
    connect()
    expect(FakeSocket.newest().sentOf('placeBid')).toMatchObject([{ bidId }])
  })

  it('takes a refusal that names no bid for its own when it is the only one', async () => {
    place()
    FakeSocket.newest().receive({ type: 'error', code: 'rate-limited', message: 'No' })
    await settled()
    expect(answer).toMatchObject({ kind: 'refused', code: 'rate-limited' })
  })

  it('is not meant by what is refused to its room', async () => {
    place()
    FakeSocket.newest().receive(refused('rate-limited'))
    await settled()
    expect(answer).toBeUndefined()
  })

  it('is given up after half a minute without any answer', async () => {
    place()
    await vi.advanceTimersByTimeAsync(30_000)
    expect(answer).toEqual({ kind: 'unanswered' })
  })
})
