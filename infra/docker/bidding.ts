import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import type { PublicSite } from '../production/journey.ts'
import type { Seat, Trader } from '../rig/market.ts'

/** Below what one person may bid. */
const BID_EVERY_MS = 250
/** How long a bid may wait for its answer before it is sent again, with its own id. */
const ANSWER_TIMEOUT_MS = 3000
/** How long it may go without one altogether. */
const SILENCE_MAX_MS = 3 * 60_000
/** Good for a little longer. */
const TOKEN_USED_MS = 10 * 60_000

/**
 * Bids one ringgit more, again and again; a bid without an answer is sent again with its own id.
 * @param signIn who bids, with a token that is still good
 */
export function keepBidding({ market }: PublicSite, signIn: () => Promise<Trader>, auctionId: number) {
  const stopping = new AbortController()
  const acknowledged: number[] = []
  let silenceMaxMs = 0
  let buyer: Trader | undefined
  let signedInAtMs = 0
  let seat: Seat | undefined

  async function answerTo(bid: { readonly bidId: string; readonly amount: number }): Promise<boolean> {
    if (!seat?.isOpen()) {
      // With the token at hand, as a page does: signing in waits for more than a bid, and would count as a part of its wait.
      if (buyer === undefined || performance.now() - signedInAtMs > TOKEN_USED_MS) {
        buyer = await signIn()
        signedInAtMs = performance.now()
      }
      seat = await market.sitDown(buyer)
    }
    const { frames, send, isOpen } = seat
    const from = frames.length
    send({ type: 'placeBid', auctionId, userId: buyer?.userId, ...bid })
    const answer = await eventually(
      () => {
        const found = frames.slice(from).find((frame) => (frame as { bidId?: string }).bidId === bid.bidId)
        return found ?? (isOpen() ? false : null)
      },
      { timeoutMs: ANSWER_TIMEOUT_MS },
    )
    if (answer === null) return false
    if (answer.type === 'bidAccepted') return true
    assert.match(answer.code ?? '', /^(unavailable|busy|outcome-unknown|rate-limited)$/)
    return false
  }

  async function bidOn(): Promise<void> {
    for (let amount = 13; !stopping.signal.aborted; amount++) {
      const bid = { bidId: randomUUID(), amount }
      const sinceMs = performance.now()
      // While the way to the owner is cut, asking fails in many ways; what counts is how long.
      while (!(await answerTo(bid).catch(() => false))) {
        assert.ok(performance.now() - sinceMs < SILENCE_MAX_MS, `no answer to the bid of ${amount}`)
        if (seat?.isOpen()) seat.leave()
        await wait(BID_EVERY_MS)
      }
      silenceMaxMs = Math.max(silenceMaxMs, Math.round(performance.now() - sinceMs))
      acknowledged.push(amount)
      await wait(BID_EVERY_MS)
    }
    seat?.leave()
  }

  const done = bidOn()
  done.catch(() => {})
  return {
    async stop() {
      stopping.abort()
      await done
      return { acknowledged, silenceMaxMs }
    },
  }
}

/** The history has each bid that was acknowledged, once, after that of 12 with which the auction began. */
export async function expectBids(
  { market, publicUrl }: PublicSite,
  auctionId: number,
  acknowledged: readonly number[],
): Promise<void> {
  const amounts: number[] = []
  let next: string | undefined = `/api/auctions/${auctionId}/bids?limit=100`
  while (next !== undefined) {
    const answer: Response = await fetch(`${publicUrl}${next}`)
    for (const bid of (await answer.json()) as { amount: number }[]) amounts.push(bid.amount)
    next = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1]?.replace(publicUrl, '')
  }
  assert.deepEqual(amounts.reverse(), [12, ...acknowledged])
  const auction = await market.succeed('GET', `/api/auctions/${auctionId}`)
  assert.equal(auction.currentBid, acknowledged.at(-1))
}
