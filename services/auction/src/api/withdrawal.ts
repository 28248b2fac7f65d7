import type { NatsConnection } from '@nats-io/transport-node'
import { statusOf } from '@wangian/contracts/errors.ts'
import type { Executor } from '@wangian/kit/database/postgres.ts'
import { Failure, Rejection } from '@wangian/kit/errors.ts'
import { findAuctionOfProduct, isReserved } from '../store.ts'
import { sendCommand } from './send-command.ts'

export interface Withdrawal {
  readonly executor: Executor
  readonly nats: NatsConnection
}

interface Removal {
  readonly productId: number
  readonly actorId: number
  /** An administrator takes the listing away, whatever was bid. */
  readonly by: 'seller' | 'admin'
  readonly requestId: string
}

/**
 * Cancels the auction of a product that is about to go, by its owner as all commands. @returns whether there was one
 * @throws Rejection to its seller: `auction-has-bids`; `product-reserved` when somebody has won it; `unavailable` while nobody knows
 */
export async function withdrawAuction(
  { executor, nats }: Withdrawal,
  { reason, productId, ...who }: Removal & { readonly reason: string },
): Promise<boolean> {
  const auction = await findAuctionOfProduct(executor, productId)
  if (auction?.status === 'open') {
    try {
      await sendCommand(nats, { kind: 'cancel', auctionId: auction.auctionId, reason, ...who })
      return true
    } catch (error) {
      if (!(error instanceof Rejection) || error.code !== 'auction-ended') throw error
      // Its end was written meanwhile. Before that an administrator's command is carried out.
      if (who.by === 'admin') return false
      // Its time is over, and its end is being written just now; before it there may be a bid that is not written yet, either.
      const ending = await findAuctionOfProduct(executor, productId)
      if (ending?.status === 'open') throw new Rejection(ending.bidCount > 0 ? 'auction-has-bids' : 'unavailable')
    }
  }
  if (who.by === 'seller' && (await isReserved(executor, productId))) throw new Rejection('product-reserved')
  return false
}

/**
 * Cancels what was opened while its listing, or its last bottle, went away. An auction that took a bid in that moment goes on to its end, unless an
 * administrator took the listing away.
 */
export async function withdrawOpened(withdrawal: Withdrawal, removal: Removal, reason: string): Promise<void> {
  try {
    await withdrawAuction(withdrawal, { ...removal, reason })
  } catch (error) {
    if (!(error instanceof Rejection)) throw error
    if (statusOf(error.code) >= 500) throw new Failure('the auction cannot be withdrawn just now', { cause: error })
  }
}
