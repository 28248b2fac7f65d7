import { setTimeout as delay } from 'node:timers/promises'
import { AuctionPage, auctionRoutes } from '@wangian/contracts/auction.ts'
import { messagingRoutes } from '@wangian/contracts/messaging.ts'
import { z } from 'zod'
import type { Site } from './site.ts'

/** A bid that the system said it has accepted. */
export interface Acknowledgement {
  readonly auctionId: number
  readonly seq: number
  readonly bidId: string
}

/** What the system has of an auction afterwards. */
export interface StoredAuction {
  readonly auctionId: number
  readonly bidCount: number
  readonly bids: readonly { readonly seq: number; readonly bidId: string | null }[]
}

const PAGE_MAX = 500
const CATCH_UP_TRIES_MAX = 40
const CATCH_UP_DELAY_MS = 250

/** Reads what is stored of an auction once at least so many bids have reached what is read. */
export async function readStored(site: Site, auctionId: number, bidsMin: number): Promise<StoredAuction> {
  const pathOf = (path: string) => path.replace(':auctionId', String(auctionId))
  const page = () => site.get(pathOf(auctionRoutes.getAuction.path), AuctionPage.pick({ bidCount: true }))
  let { bidCount } = await page()
  for (let tries = 1; bidCount < bidsMin && tries < CATCH_UP_TRIES_MAX; tries++) {
    await delay(CATCH_UP_DELAY_MS)
    bidCount = (await page()).bidCount
  }
  const bids: { seq: number; bidId: string | null }[] = []
  const Bids = z.array(z.object({ seq: z.int(), bidId: z.string().nullable() }))
  for (let cursor = ''; ; cursor = `&cursor=${bids.at(-1)?.seq}`) {
    const found = await site.get(`${pathOf(auctionRoutes.listBids.path)}?limit=${PAGE_MAX}${cursor}`, Bids)
    bids.push(...found)
    if (found.length < PAGE_MAX) return { auctionId, bidCount, bids }
  }
}

/**
 * Compares what was promised with what is stored: every acknowledged bid is there under its number, and there is no other,
 * except that bids which were never answered, or with an unknown outcome, may or may not have been accepted.
 * @returns one line per contradiction
 */
export function reconcile(
  acknowledged: readonly Acknowledgement[],
  stored: readonly StoredAuction[],
  unanswered: number,
): string[] {
  const problems: string[] = []
  const byAuction = Map.groupBy(acknowledged, ({ auctionId }) => auctionId)
  let surplus = 0
  for (const { auctionId, bidCount, bids } of stored) {
    const promised = byAuction.get(auctionId) ?? []
    const bidIdOf = new Map(bids.map(({ seq, bidId }) => [seq, bidId]))
    for (const { seq, bidId } of promised) {
      if (bidIdOf.get(seq) !== bidId) problems.push(`auction ${auctionId}: acknowledged bid ${seq} is not stored`)
    }
    if (bids.length !== bidCount) {
      problems.push(`auction ${auctionId}: has ${bids.length} bids and says ${bidCount}`)
    }
    surplus += bidCount - promised.length
  }
  if (surplus > unanswered) problems.push(`${surplus - unanswered} stored bids were never acknowledged`)
  const known = new Set(stored.map(({ auctionId }) => auctionId))
  const strays = acknowledged.filter(({ auctionId }) => !known.has(auctionId)).length
  if (strays > 0) problems.push(`${strays} acknowledged bids are on auctions that were not asked for`)
  return problems
}

/** A deal that the people who made it were told is done. */
export interface DealDone {
  readonly transactionId: number
  /** Which pair's buyer. */
  readonly buyer: number
}

/** Compares deals with what the buyers find among their orders. @returns one line per contradiction */
export async function reconcileDeals(
  site: Site,
  deals: readonly DealDone[],
  tokenOf: (buyer: number) => Promise<string>,
): Promise<string[]> {
  const problems: string[] = []
  const Orders = messagingRoutes.listOrders.answers[200]
  for (const [buyer, done] of Map.groupBy(deals, (deal) => deal.buyer)) {
    const statusOf = new Map<number, string>()
    const token = await tokenOf(buyer)
    for (let cursor = ''; ; ) {
      const path = `${messagingRoutes.listOrders.path}?limit=${PAGE_MAX}${cursor}`
      const orders = await site.get(path, Orders, token)
      for (const order of orders) statusOf.set(order.transactionId, order.transactionStatus)
      if (orders.length < PAGE_MAX) break
      cursor = `&cursor=${orders.at(-1)?.id}`
    }
    for (const { transactionId } of done) {
      const status = statusOf.get(transactionId)
      if (status !== 'COMPLETED') problems.push(`deal ${transactionId} was done and is ${status ?? 'not stored'}`)
    }
  }
  return problems
}
