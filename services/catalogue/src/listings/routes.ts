import { catalogueRoutes, PRODUCT_REVIEWS_MAX, Review } from '@wangian/contracts/catalogue.ts'
import { AnswerCache } from '@wangian/kit/answer-cache.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { type App, handle, PreparedBody, prepareBody } from '@wangian/kit/http/http.ts'
import { z } from 'zod'
import { presentReview } from '../shops/shop-routes.ts'
import { listProductReviews } from '../shops/shop-store.ts'
import { listCategories } from '../store.ts'
import type { ProductDocuments } from './product-documents.ts'

export interface RouteDependencies {
  readonly pool: DatabasePool
  readonly documents: ProductDocuments
  /** How old what guests look at may be, in ms: what many look at is then found once. Exact when not given. */
  readonly listAgeMaxMs?: number
}

/** As JSON. */
const PRODUCTS_BYTES_MAX = 8 * 1024 * 1024

const Reviews = z.array(Review)

export function addRoutes(app: App, { pool, documents, listAgeMaxMs = 0 }: RouteDependencies): void {
  const answers = new AnswerCache({ bytesMax: PRODUCTS_BYTES_MAX })

  const find = async (productId: number) => {
    const document = await documents.find(productId)
    if (document === null) throw new Rejection('product-not-found')
    // Most have none yet.
    const rows = document.reviewCount > 0 ? await listProductReviews(pool, productId, PRODUCT_REVIEWS_MAX) : []
    const reviews = JSON.stringify(Reviews.parse(rows.map(presentReview)))
    const body = new PreparedBody(catalogueRoutes.getProduct, `${document.json.slice(0, -1)},"reviews":${reviews}}`)
    const isHidden = document.status === 'archived' || document.isSellerHidden
    return { sellerId: document.sellerId, isHidden, body }
  }

  handle(app, catalogueRoutes.listCategories, async () => {
    const find = async () => prepareBody(catalogueRoutes.listCategories, [...(await listCategories(pool))])
    const body = await answers.get(['categories'], { freshMs: listAgeMaxMs }, find, ({ json }) => json.length)
    return { status: 200, body }
  })

  handle(app, catalogueRoutes.getProduct, async ({ params: { productId }, user }) => {
    // Whoever has just changed something is signed in, and sees it at once.
    const age = { freshMs: user === null ? listAgeMaxMs : 0 }
    const found = await answers.get(
      ['product', productId],
      age,
      () => find(productId),
      ({ body }) => body.json.length,
    )
    const maySeeAll = user?.isAdmin || user?.id === found.sellerId
    if (found.isHidden && !maySeeAll) throw new Rejection('product-not-found')
    return { status: 200, body: found.body }
  })
}
