import { catalogueRoutes, PRODUCT_REVIEWS_MAX } from '@wangian/contracts/catalogue.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { type App, handle } from '@wangian/kit/http/http.ts'
import { presentReview } from '../shops/shop-routes.ts'
import { listProductReviews } from '../shops/shop-store.ts'
import { findProduct, listCategories } from '../store.ts'
import { presentProduct } from './presenter.ts'

export interface RouteDependencies {
  readonly pool: DatabasePool
}

export function addRoutes(app: App, { pool }: RouteDependencies): void {
  handle(app, catalogueRoutes.listCategories, async () => {
    const categories = await listCategories(pool)
    return { status: 200, body: [...categories] }
  })

  handle(app, catalogueRoutes.getProduct, async ({ params, user }) => {
    const row = await findProduct(pool, params.productId)
    const maySeeAll = user?.isAdmin || user?.id === row?.sellerId
    if (row === null || ((row.status === 'archived' || row.isSellerHidden) && !maySeeAll))
      throw new Rejection('product-not-found')
    // Most have none yet.
    const reviews = row.reviewCount > 0 ? await listProductReviews(pool, row.id, PRODUCT_REVIEWS_MAX) : []
    return { status: 200, body: { ...presentProduct(row), reviews: reviews.map(presentReview) } }
  })
}
