import type { Review } from '@wangian/contracts/catalogue.ts'
import { BADGE_ORDERS_MIN, BADGE_RATING_MIN, type Seller, shopRoutes, VOICES_MAX } from '@wangian/contracts/shop.ts'
import { Instant } from '@wangian/contracts/time.ts'
import { AnswerCache } from '@wangian/kit/answer-cache.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { type App, handle, PreparedBody } from '@wangian/kit/http/http.ts'
import { nextPageUrl, pageHeaders, readCursor } from '@wangian/kit/http/page-cursor.ts'
import { z } from 'zod'
import { jsonOfAll, type ProductDocuments } from '../listings/product-documents.ts'
import { findShop, findShopPage, listReviews, listVoices, type ReviewRow, type ShopRow } from './shop-store.ts'

export interface ShopDependencies {
  readonly pool: DatabasePool
  readonly documents: ProductDocuments
  /** How old a shop's list may be, in ms: a page that many look at is then found once. Exact when not given. */
  readonly listAgeMaxMs?: number
}

/** As JSON. */
const LISTS_BYTES_MAX = 8 * 1024 * 1024

const ReviewCursor = z.tuple([Instant, z.int().positive()])

/** People as everybody may see them, and what they sell. Who is suspended or gone is not to be found. */
export function addShopRoutes(app: App, { pool, documents, listAgeMaxMs = 0 }: ShopDependencies): void {
  const lists = new AnswerCache({ bytesMax: LISTS_BYTES_MAX })

  handle(app, shopRoutes.getSeller, async ({ params: { sellerId } }) => {
    return { status: 200, body: presentSeller(await getShop(pool, sellerId)) }
  })

  handle(app, shopRoutes.listSellerProducts, async ({ params: { sellerId }, query }) => {
    const find = async () => {
      const { status, sort, page, limit } = query
      const found = await findShopPage(pool, sellerId, { status, sort, limit, offset: (page - 1) * limit })
      if (found === null) throw new Rejection('seller-not-found')
      const { total } = found
      const pagination = { page, limit, totalProducts: total, totalPages: Math.ceil(total / limit) }
      const products = jsonOfAll(await documents.listOf(found.products))
      const json = `{"products":${products},"pagination":${JSON.stringify(pagination)}}`
      return new PreparedBody(shopRoutes.listSellerProducts, json)
    }
    const body = await lists.get([sellerId, query], { freshMs: listAgeMaxMs }, find, ({ json }) => json.length)
    return { status: 200, body }
  })

  handle(app, shopRoutes.listSellerReviews, async ({ params: { sellerId }, query, request }) => {
    const { limit } = query
    const { averageRating, reviewCount } = await getShop(pool, sellerId)
    const after = query.cursor === undefined ? null : readCursor(ReviewCursor, query.cursor)
    const place = after && { createdAt: after[0], id: after[1] }
    // One more than asked for tells whether there is another page.
    const rows = await listReviews(pool, sellerId, { limit: limit + 1, after: place })
    const page = rows.slice(0, limit)
    const last = page.at(-1)
    const next = rows.length > limit && last !== undefined ? nextPageUrl(request.url, [last.createdAt, last.id]) : null
    return {
      status: 200,
      body: { averageRating, reviewCount, reviews: page.map(presentReview) },
      headers: pageHeaders({ total: reviewCount, next }),
    }
  })

  handle(app, shopRoutes.listVoices, async () => {
    const rows = await listVoices(pool, VOICES_MAX)
    const body = rows.map(({ sellerId, shopName, ...review }) => ({
      ...presentReview(review),
      seller: { id: sellerId, shopName },
    }))
    return { status: 200, body }
  })
}

async function getShop(pool: DatabasePool, sellerId: number): Promise<ShopRow> {
  const shop = await findShop(pool, sellerId)
  if (shop === null) throw new Rejection('seller-not-found')
  return shop
}

/** The badge is for who meets all of what it stands for, as far as we know it. */
export function presentSeller({ isEmailVerified, deliveredCount, ...shop }: ShopRow): Seller {
  const badge: Seller['badge'] = [
    { criterion: 'identity-verified', isMet: isEmailVerified, measured: null },
    { criterion: 'delivered-orders', isMet: deliveredCount >= BADGE_ORDERS_MIN, measured: deliveredCount },
    { criterion: 'rating', isMet: (shop.averageRating ?? 0) >= BADGE_RATING_MIN, measured: shop.averageRating },
    // Whoever does not meet it is not shown at all.
    { criterion: 'community-guidelines', isMet: true, measured: null },
    { criterion: 'payment-methods', isMet: shop.soldCount > 0, measured: null },
  ]
  return { ...shop, badge, isVerified: badge.every(({ isMet }) => isMet) }
}

export function presentReview({
  buyerId,
  username,
  profileImage,
  productId,
  productName,
  isRemoved,
  ...review
}: ReviewRow): Review {
  return {
    ...review,
    user: { id: buyerId, username, profileImage },
    product: isRemoved ? null : { id: productId, name: productName },
  }
}
