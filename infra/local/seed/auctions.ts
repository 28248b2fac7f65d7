import { setTimeout as delay } from 'node:timers/promises'
import { Auction, auctionRoutes } from '@wangian/contracts/auction.ts'
import { inParallel } from './in-parallel.ts'
import type { Listed } from './listings.ts'
import type { People } from './people.ts'
import type { DemoAuction } from './perfumes.ts'
import { type Person, Refusal } from './site.ts'

/** An auction that was opened just now. */
export interface Opened {
  readonly auction: Auction
  readonly plan: DemoAuction
}

const OPENING_MAX = 4
const TRIES_MAX = 4
const RETRY_DELAY_MS = 400
/** Shortly after a start an auction whose time is over may not have been ended yet, and a service may still be loading what it needs. */
const passing: ReadonlySet<string | undefined> = new Set(['auction-exists', 'unavailable'])
const MINUTE_MS = 60_000

/** Opens an auction for every auction listing that has none now: the first time, and whenever one has ended since. */
export async function openAuctions(people: People, listed: readonly Listed[], nowMs: number): Promise<Opened[]> {
  const opened: Opened[] = []
  const idle = listed.filter(({ product, perfume }) => {
    const isRunning = product.auction?.status === 'active' || product.auction?.status === 'scheduled'
    return perfume.auction !== undefined && product.status === 'active' && !isRunning
  })
  await inParallel(OPENING_MAX, idle, async ({ perfume, product }) => {
    const seller = await people.find(perfume.seller)
    if (seller === null || perfume.auction === undefined) return
    const auction = await open(seller, product.id, perfume.price, perfume.auction, nowMs)
    if (auction !== null) opened.push({ auction, plan: perfume.auction })
  })
  return opened
}

async function open(
  seller: Person,
  productId: number,
  startingPrice: number,
  plan: DemoAuction,
  nowMs: number,
): Promise<Auction | null> {
  const startsInMinutes = plan.startsInMinutes ?? 0
  const form = {
    productId,
    startingPrice,
    reservePrice: plan.reserve ?? null,
    buyNowPrice: plan.buyNow ?? null,
    bidIncrement: plan.incrementRinggit,
    startsAt: startsInMinutes > 0 ? new Date(nowMs + startsInMinutes * MINUTE_MS).toISOString() : null,
    endsAt: new Date(nowMs + (startsInMinutes + plan.minutes) * MINUTE_MS).toISOString(),
  }
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await seller.post(auctionRoutes.createAuction.path, form, Auction)
    } catch (error) {
      if (!(error instanceof Refusal) || !passing.has(error.code)) throw error
      if (attempt === TRIES_MAX) {
        if (error.code === 'auction-exists') return null
        throw error
      }
      await delay(RETRY_DELAY_MS)
    }
  }
}
