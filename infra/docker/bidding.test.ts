import { expect, it } from 'vitest'
import type { PublicSite } from '../production/journey.ts'
import type { Seat, Trader } from '../rig/market.ts'
import { keepBidding } from './bidding.ts'

/** A seat that answers each bid, or one that is closed instead of an answer. */
function seatThat(answers: boolean, told: unknown[]): Seat {
  const frames: object[] = []
  let isOpen = true
  const seat = {
    frames,
    isOpen: () => isOpen,
    leave: () => {
      isOpen = false
    },
    send({ bidId, amount }: { bidId: string; amount: number }) {
      told.push(amount)
      if (answers) frames.push({ type: 'bidAccepted', bidId })
      else isOpen = false
    },
  }
  return seat as unknown as Seat
}

it('whoever bids sends a bid again as soon as the socket is closed, and does not sign in for that', async () => {
  const told: unknown[] = []
  const seats = [seatThat(false, told), seatThat(true, told)]
  let signInsCount = 0
  const market = { sitDown: async () => seats.shift() }
  const bidding = keepBidding(
    { market } as unknown as PublicSite,
    async () => {
      signInsCount += 1
      return { userId: 1 } as Trader
    },
    7,
  )
  await expect.poll(() => seats.length, { timeout: 10_000 }).toBe(0)
  const { acknowledged, silenceMaxMs } = await bidding.stop()
  expect([acknowledged.slice(0, 1), told.slice(0, 2), signInsCount]).toEqual([[13], [13, 13], 1])
  expect(silenceMaxMs).toBeLessThan(3000)
})
