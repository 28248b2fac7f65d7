import { setTimeout as wait } from 'node:timers/promises'
import { roundRobinPlan } from './bid-plan.ts'
import { type Histogram, record, type Times, timesOf } from './histogram.ts'
import { LeanSocket } from './lean-socket.ts'
import { Ledger } from './ledger.ts'
import { openLoop } from './loops.ts'
import { type LoadUser, loadTerms, signIn } from './preparation.ts'
import type { Site } from './site.ts'
import { openSocketTarget } from './socket-target.ts'
import type { Start } from './start-line.ts'

/** Fast enough for a p99 after some seconds, and too slow to be felt. */
export const LEAN_RATE_PER_S = 40
/** Ten of them stay below what production allows one bidder on one auction. */
export const LEAN_BIDDERS = 10
const SERVER_TIME = '"serverTime":"'
const INSTANT_LENGTH = '2026-01-01T00:00:00.000Z'.length
const SEN_PER_RINGGIT = 100
/** A token is good for a quarter of an hour, of which preparing has taken some. */
const SIGN_IN_EVERY_MS = 6 * 60_000

/** What the lean client measured in the same run, through the same gateway. */
export interface LeanResult {
  /** Of bids on an auction of its own, from when each was due. */
  readonly acceptMs: { readonly count: number; readonly median: number; readonly p95: number; readonly p99: number }
  /** Of the frames of the auction that everybody else follows. */
  readonly lagMs: Times
  /** How many bids it was told are accepted, and the number of the last one. */
  readonly accepted: { readonly count: number; readonly highestSeq: number }
  readonly unanswered: number
}

/**
 * Bids beside k6 and follows what k6's people follow, with a client that costs next to nothing: what it measures is the system's, whatever k6 has to
 * wait for.
 * @param options.auctionId its own auction, on which nobody else bids
 * @param options.followedId one that k6's people bid on
 */
export async function runLeanClient(options: {
  readonly site: Site
  readonly bidders: readonly LoadUser[]
  readonly auctionId: number
  readonly followedId: number
  readonly durationMs: number
  readonly started: Promise<Start>
}): Promise<LeanResult> {
  const url = `${options.site.url.replace(/^http/, 'ws')}/ws`
  const target = await openSocketTarget({ url, tokens: options.bidders })
  const lag: Histogram = {}
  let offsetMs: number | undefined
  const follower = await LeanSocket.open(url, {
    onText(bytes, start, end) {
      const text = bytes.toString('latin1', start, end)
      if (offsetMs === undefined || !/^\{"type":"(newBid|newBids|auctionState)"/.test(text)) return
      const from = text.lastIndexOf(SERVER_TIME) + SERVER_TIME.length
      record(lag, Date.now() + offsetMs - Date.parse(text.slice(from, from + INSTANT_LENGTH)))
    },
    onClose() {},
  })
  let renewal: NodeJS.Timeout | undefined
  try {
    follower.send(JSON.stringify({ type: 'joinAuction', auctionId: options.followedId, userId: 'guest' }))
    const start = await options.started
    await wait(Math.max(0, start.startAtMs - Date.now()))
    offsetMs = start.offsetMs
    const ledger = new Ledger()
    const priceSen = loadTerms.startingPrice * SEN_PER_RINGGIT
    const { auctionId, durationMs } = options
    const plan = roundRobinPlan([{ auctionId, priceSen }], loadTerms.incrementSen)
    renewal = setInterval(async () => {
      try {
        const again = await Promise.all(options.bidders.map((bidder) => signIn(options.site, bidder)))
        target.signInAgain(again.map(({ token }) => token))
      } catch {
        // Its bids are refused then, which is seen.
      }
    }, SIGN_IN_EVERY_MS)
    const result = await openLoop({ target, plan, ledger, durationMs, ratePerS: LEAN_RATE_PER_S })
    const { count, highestSeq } = ledger.byAuction.get(auctionId) ?? { count: 0, highestSeq: 0 }
    return {
      acceptMs: { count: result.accepted, median: result.p50Ms, p95: result.p95Ms, p99: result.p99Ms },
      lagMs: timesOf(lag),
      accepted: { count, highestSeq },
      unanswered: result.unanswered,
    }
  } finally {
    clearInterval(renewal)
    await Promise.all([target.close(), follower.close()])
  }
}
