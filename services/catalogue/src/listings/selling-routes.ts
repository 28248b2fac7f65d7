import { LISTING_DELETED_REASON } from '@wangian/contracts/auction.ts'
import { type catalogueRequests, IMAGE_URL_MESSAGE, ImageName } from '@wangian/contracts/catalogue.ts'
import { CHANGES_PER_DAY_MAX, sellingRoutes } from '@wangian/contracts/selling.ts'
import type { NatsConnection } from '@wangian/kit/bus/nats.ts'
import type { DatabasePool, Transaction } from '@wangian/kit/database/postgres.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { type App, handle, requireSelf } from '@wangian/kit/http/http.ts'
import { createRateLimiter } from '@wangian/kit/http/rate-limit.ts'
import { rememberPerson } from '@wangian/kit/people/people-store.ts'
import type { z } from 'zod'
import { hasPicture, markPicturesOfProductRemoved } from '../pictures/picture-store.ts'
import { findProduct, nextProductId } from '../store.ts'
import { findHold, withdrawAuction } from './auction-hold.ts'
import { changesOf, factsOf } from './listing-form.ts'
import { checkListing, type ListingRun, runListing } from './listing-run.ts'
import { presentOwnProduct, presentProduct } from './presenter.ts'
import { findOwnership, findOwnProduct, findRequested, saveRequest } from './selling-store.ts'

const LISTINGS_PER_HOUR_MAX = 60
const DAY_MS = 24 * 60 * 60 * 1000

/**
 * How often a seller may change one listing, its pictures included. Each change is an event of some kB, and whatever is done with the listing reads
 * all of them.
 */
export function createChangeLimiter(app: App) {
  const changes = createRateLimiter(app, { limit: CHANGES_PER_DAY_MAX, windowMs: DAY_MS })
  return { take: (sellerId: number, productId: number) => changes.take(`${sellerId} ${productId}`) }
}
export type ChangeLimiter = ReturnType<typeof createChangeLimiter>

export interface SellingDependencies extends ListingRun {
  /** Where the auction service is asked. */
  readonly nats: NatsConnection
  readonly nowMs?: () => number
}

/** What sellers do with their listings; their pictures are in `pictures/picture-routes.ts`. */
export function addSellingRoutes(app: App, dependencies: SellingDependencies, changes: ChangeLimiter): void {
  const { pool, nats, nowMs = Date.now } = dependencies
  const listings = createRateLimiter(app, { limit: LISTINGS_PER_HOUR_MAX, windowMs: 60 * 60 * 1000 })
  const now = () => new Date(nowMs()).toISOString()

  handle(app, sellingRoutes.createProduct, async ({ body, user, request }) => {
    requireSelf(user, body.sellerId)
    const { requestKey } = body
    const asked = requestKey && { sellerId: user.id, requestKey }
    const known = asked && (await findRequested(pool, asked))
    if (known) return { status: 201, body: await getProduct(pool, known) }
    await requireOwnPicture(pool, user.id, body.imageUrl)
    listings.take(user.id)
    const productId = await nextProductId(pool)
    const also = async (transaction: Transaction) => {
      await rememberPerson(transaction, user.id, user.username)
      if (asked && !(await saveRequest(transaction, asked, productId))) throw new RequestTaken()
    }
    const facts = factsOf(body, { productId, sellerId: user.id, createdAt: now() })
    const creation = { productId, command: { type: 'CreateListing', facts } as const, actorId: user.id, also }
    try {
      await runListing(dependencies, { ...creation, requestId: request.id })
    } catch (error) {
      if (!(error instanceof RequestTaken) || !asked) throw error
      const first = await findRequested(pool, asked)
      if (first === null) throw error
      return { status: 201, body: await getProduct(pool, first) }
    }
    return { status: 201, body: await getProduct(pool, productId) }
  })

  handle(app, sellingRoutes.updateProduct, async ({ params: { productId }, body, user, request }) => {
    requireSelf(user, body.sellerId)
    changes.take(user.id, productId)
    await changeListing(dependencies, { productId, actorId: user.id, changes: body, requestId: request.id })
    const row = await findOwnProduct(pool, productId)
    if (row === null) throw new Rejection('product-not-found')
    return { status: 200, body: presentOwnProduct(row) }
  })

  handle(app, sellingRoutes.deleteProduct, async ({ params: { productId }, query, user, request }) => {
    requireSelf(user, query.sellerId)
    const ownership = await findOwnership(pool, productId)
    // Asked for once more, perhaps because the answer was lost: it is gone.
    if (ownership?.isDeleted && ownership.sellerId === user.id) return { status: 204, body: undefined }
    const { listingType, reservedQuantity } = await getOwn(pool, productId, user.id)
    if (reservedQuantity > 0) throw new Rejection('product-reserved')
    if (listingType === 'auction') {
      const withdrawal = { productId, actorId: user.id, requestId: request.id, reason: LISTING_DELETED_REASON }
      await withdrawAuction(nats, withdrawal)
    }
    await runListing(dependencies, {
      productId,
      command: { type: 'DeleteListing', actorId: user.id, at: now() },
      actorId: user.id,
      requestId: request.id,
      also: (transaction) => markPicturesOfProductRemoved(transaction, productId, { keepsLeading: true }),
    })
    return { status: 204, body: undefined }
  })
}

/** Changes a listing of this seller, as far as its auction leaves it to be changed. What the steps are is said where the request is declared. */
export async function changeListing(
  dependencies: SellingDependencies,
  { productId, actorId, changes, requestId, step }: z.infer<typeof catalogueRequests.changeListing.body>,
): Promise<void> {
  const { pool, nats, nowMs = Date.now } = dependencies
  const { listingType, imageUrl } = await getOwn(pool, productId, actorId)
  if (changes.imageUrl !== imageUrl) await requireOwnPicture(pool, actorId, changes.imageUrl)
  const hold = step === 'checked' ? 'none' : await findHold(nats, { productId, listingType })
  const at = new Date(nowMs()).toISOString()
  const command = { type: 'UpdateListing', actorId, changes: changesOf(changes), hold, at } as const
  if (step === 'check') return checkListing(pool, productId, command)
  await runListing(dependencies, { productId, command, actorId, requestId })
}

/** Another request with the same key was faster; its product is the answer, and this one's is rolled back. */
class RequestTaken extends Error {
  override readonly name = 'RequestTaken'
}

/**
 * A listing of this seller, for whatever only they may do with it.
 * @throws Rejection('product-not-found'); Rejection('forbidden') when it is somebody else's
 */
export async function getOwn(pool: DatabasePool, productId: number, sellerId: number) {
  const ownership = await findOwnership(pool, productId)
  if (ownership === null || ownership.isDeleted) throw new Rejection('product-not-found')
  if (ownership.sellerId !== sellerId) throw new Rejection('forbidden')
  return ownership
}

/** What is no address elsewhere is the name of a picture here: any other shows nothing, or somebody else's. */
async function requireOwnPicture(
  pool: DatabasePool,
  sellerId: number,
  given: string | null | undefined,
): Promise<void> {
  if (!given || !ImageName.safeParse(given).success) return
  if (!(await hasPicture(pool, sellerId, given))) throw new Rejection('bad-request', IMAGE_URL_MESSAGE)
}

async function getProduct(pool: DatabasePool, productId: number) {
  const row = await findProduct(pool, productId)
  if (row === null) throw new Rejection('product-not-found')
  return presentProduct(row)
}
