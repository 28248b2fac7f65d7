import { LISTING_REMOVED_REASON } from '@wangian/contracts/auction.ts'
import type { catalogueRequests } from '@wangian/contracts/catalogue.ts'
import type { Transaction } from '@wangian/kit/database/postgres.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import type { z } from 'zod'
import { markPicturesOfProductRemoved } from '../pictures/picture-store.ts'
import { withdrawAuction } from './auction-hold.ts'
import { runListing } from './listing-run.ts'
import type { SellingDependencies } from './selling-routes.ts'
import { findOwnership } from './selling-store.ts'

/**
 * Takes a listing away for an administrator, after its auction was cancelled by its owner. No picture of it is shown any more, for one may be why.
 * @returns whether anything changed
 * @throws Rejection('product-not-found') when it is gone; Failure when the auction service does not answer: nothing is removed then
 */
export async function removeListing(
  dependencies: SellingDependencies,
  { productId, actorId, reason, requestId }: z.infer<typeof catalogueRequests.removeListing.body>,
): Promise<boolean> {
  const { pool, nats, nowMs = Date.now } = dependencies
  const ownership = await findOwnership(pool, productId)
  if (ownership === null || ownership.isDeleted) throw new Rejection('product-not-found')
  if (ownership.listingType === 'auction') {
    await withdrawAuction(nats, { productId, actorId, by: 'admin', reason: LISTING_REMOVED_REASON, requestId })
  }
  const command = { type: 'RemoveListing', reason, at: new Date(nowMs()).toISOString() } as const
  const also = (transaction: Transaction) =>
    markPicturesOfProductRemoved(transaction, productId, { keepsLeading: false })
  const { events } = await runListing(dependencies, { productId, command, actorId, requestId, also })
  return events.length > 0
}
