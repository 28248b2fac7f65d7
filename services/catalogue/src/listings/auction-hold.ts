import { auctionRequests } from '@wangian/contracts/auction.ts'
import type { NatsConnection } from '@wangian/kit/bus/nats.ts'
import { request } from '@wangian/kit/bus/requests.ts'
import type { z } from 'zod'
import type { AuctionHold } from './domain/listing.ts'

/** A command waits for an owner of the auction, who may be changing just now. */
const WITHDRAW_TIMEOUT_MS = 8_000

/**
 * What holds a product back, asked from the auction service because its events come later than bids. A bid that is placed while a change is
 * under way was placed on what the page showed until then.
 * @throws Failure when it cannot be asked: nothing is changed then
 */
export async function findHold(
  nats: NatsConnection,
  listing: { readonly productId: number; readonly listingType: string },
): Promise<AuctionHold> {
  if (listing.listingType !== 'auction') return 'none'
  const found = await findOpenAuction(nats, listing.productId)
  const hold = holdOf(found)
  // Its opening has looked at the listing already.
  return hold === 'none' && found.isBeingOpened ? 'open' : hold
}

export function holdOf({ auction, isReserved }: z.infer<typeof auctionRequests.findOpenAuction.answer>): AuctionHold {
  if (auction !== null) return auction.bidCount > 0 ? 'has-bids' : 'open'
  return isReserved ? 'won' : 'none'
}

export function findOpenAuction(nats: NatsConnection, productId: number) {
  return request(nats, 'auction', auctionRequests.findOpenAuction, { productId })
}

/** @throws Rejection('auction-has-bids' or 'product-reserved') to its seller; Failure as above */
export async function withdrawAuction(
  nats: NatsConnection,
  withdrawal: z.input<typeof auctionRequests.withdrawAuction.body>,
): Promise<void> {
  const { withdrawAuction: contract } = auctionRequests
  await request(nats, 'auction', contract, withdrawal, { timeoutMs: WITHDRAW_TIMEOUT_MS })
}
