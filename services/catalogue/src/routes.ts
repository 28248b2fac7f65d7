import { catalogueRoutes, type ListingFacts, type NewProduct } from '@wangian/contracts/catalogue.ts'
import { senFromRinggit } from '@wangian/contracts/money.ts'
import { sellingRoutes } from '@wangian/contracts/selling.ts'
import { runCommand } from '@wangian/kit/command.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { type App, handle, requireSelf } from '@wangian/kit/http.ts'
import type { DatabasePool } from '@wangian/kit/postgres.ts'
import { createRateLimiter } from '@wangian/kit/rate-limit.ts'
import type { z } from 'zod'
import { listingDecider, listingStream } from './domain.ts'
import { rememberSeller } from './people-store.ts'
import { presentProduct } from './presenter.ts'
import { projectListing } from './projections.ts'
import { findProduct, listCategories, nextProductId } from './store.ts'

const LISTINGS_PER_HOUR_MAX = 60

export interface RouteDependencies {
  readonly pool: DatabasePool
  /** Called after something was appended to the log. */
  readonly onAppended: () => void
  readonly nowMs?: () => number
}

export function addRoutes(app: App, { pool, onAppended, nowMs = Date.now }: RouteDependencies): void {
  const listings = createRateLimiter(app, { limit: LISTINGS_PER_HOUR_MAX, windowMs: 60 * 60 * 1000 })

  handle(app, catalogueRoutes.listCategories, async () => {
    const categories = await listCategories(pool)
    return { status: 200, body: [...categories] }
  })

  handle(app, catalogueRoutes.getProduct, async ({ params, user }) => {
    const row = await findProduct(pool, params.productId)
    const maySeeAll = user?.isAdmin || user?.id === row?.sellerId
    if (row === null || ((row.status === 'archived' || row.isSellerHidden) && !maySeeAll))
      throw new Rejection('product-not-found')
    return { status: 200, body: presentProduct(row) }
  })

  handle(app, sellingRoutes.createProduct, async ({ body, user, request }) => {
    requireSelf(user, body.sellerId)
    listings.take(user.id)
    const productId = await nextProductId(pool)
    const createdAt = new Date(nowMs()).toISOString()
    await runCommand({
      pool,
      decider: listingDecider,
      stream: listingStream(productId),
      command: { type: 'CreateListing', facts: factsOf(body, { productId, sellerId: user.id, createdAt }) },
      metadata: { actorId: user.id, correlationId: request.id, causationId: null, commandId: null },
      project: async (transaction, events) => {
        for (const event of events) await projectListing(transaction, event)
        await rememberSeller(transaction, user.id, user.username)
      },
    })
    onAppended()
    const row = await findProduct(pool, productId)
    if (row === null) throw new Rejection('product-not-found')
    return { status: 201, body: presentProduct(row) }
  })
}

/** The form as facts: only what the contract names gets here, and who sells is what the token says. */
function factsOf(
  form: z.infer<typeof NewProduct>,
  known: Pick<ListingFacts, 'productId' | 'sellerId' | 'createdAt'>,
): ListingFacts {
  const priceSen = senFromRinggit(form.price)
  if (priceSen === null) throw new Rejection('bad-request', 'Price must be greater than 0')
  return {
    ...known,
    name: form.name,
    brand: form.brand,
    description: form.description,
    priceSen,
    categoryId: form.categoryId,
    listingType: form.listingType,
    stockQuantity: form.stockQuantity,
    remainingPercentage: form.remainingPercentage,
    batchCode: form.batchCode || null,
    purchaseYear: form.purchaseYear ?? null,
    boxCondition: form.boxCondition,
    volumeMl: form.volume,
    isNew: form.isNew,
    imageUrl: form.imageUrl ?? null,
  }
}
