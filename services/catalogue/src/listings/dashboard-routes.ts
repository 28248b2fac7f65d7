import { ringgitFromSen } from '@wangian/contracts/money.ts'
import { type BoostableProduct, sellingRoutes } from '@wangian/contracts/selling.ts'
import type { NatsConnection } from '@wangian/kit/bus/nats.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { type App, handle, requireSelf } from '@wangian/kit/http/http.ts'
import { nextPageUrl, pageHeaders, readCursor } from '@wangian/kit/http/page-cursor.ts'
import { z } from 'zod'
import type { Place } from '../search/domain/place.ts'
import { findOpenAuction } from './auction-hold.ts'
import { presentOwnProduct } from './presenter.ts'
import { getOwn } from './selling-routes.ts'
import {
  countOwnProducts,
  findDeletionEffects,
  findOwnProduct,
  findSummary,
  listBoostable,
  listOwnProducts,
} from './selling-store.ts'

/** How many come when no limit is asked for. */
const PAGE_PRODUCTS = 100
const PlaceCursor = z.object({ key: z.int(), id: z.int().positive() })

export interface DashboardDependencies {
  readonly pool: DatabasePool
  /** Where the auction service is asked. */
  readonly nats: NatsConnection
}

/** What sellers see of their own listings; what is deleted is not among them. */
export function addDashboardRoutes(app: App, { pool, nats }: DashboardDependencies): void {
  handle(app, sellingRoutes.listOwnProducts, async ({ query, user, request }) => {
    requireSelf(user, query.sellerId)
    const filter = { sellerId: user.id, search: query.search || undefined, status: query.status }
    if (query.sellerId === undefined) {
      const rows = await listBoostable(pool, filter)
      const body: BoostableProduct[] = rows.map(({ imageUrl, images, isFeatured, ...same }) => ({
        ...same,
        image_url: images[0]?.imageUrl ?? imageUrl,
        is_featured: isFeatured,
      }))
      return { status: 200, body, headers: { 'x-total-count': String(rows.length) } }
    }
    const limit = query.limit ?? PAGE_PRODUCTS
    const after = query.cursor === undefined ? null : readCursor(PlaceCursor, query.cursor)
    // One more than asked for tells whether there is another page.
    const [rows, total] = await Promise.all([
      listOwnProducts(pool, filter, { limit: limit + 1, after }),
      countOwnProducts(pool, filter),
    ])
    const page = rows.slice(0, limit)
    const last = page.at(-1)
    const next =
      rows.length > limit && last !== undefined
        ? nextPageUrl(request.url, { key: last.place, id: last.id } satisfies Place)
        : null
    return { status: 200, body: page.map(presentOwnProduct), headers: pageHeaders({ total, next }) }
  })

  handle(app, sellingRoutes.getOwnProduct, async ({ params: { productId }, user }) => {
    await getOwn(pool, productId, user.id)
    const row = await findOwnProduct(pool, productId)
    if (row === null) throw new Rejection('product-not-found')
    return { status: 200, body: presentOwnProduct(row) }
  })

  handle(app, sellingRoutes.getDeletionEffects, async ({ params: { productId }, user }) => {
    const { listingType, reservedQuantity } = await getOwn(pool, productId, user.id)
    const [effects, { auction, isReserved }] = await Promise.all([
      findDeletionEffects(pool, productId),
      listingType === 'auction' ? findOpenAuction(nats, productId) : { auction: null, isReserved: false },
    ])
    return {
      status: 200,
      body: {
        ...effects,
        auction: auction && { id: auction.auctionId, bidCount: auction.bidCount, endsAt: auction.endsAt },
        isReserved: isReserved || reservedQuantity > 0,
      },
    }
  })

  handle(app, sellingRoutes.getSummary, async ({ user }) => {
    const { averagePriceSen, ...summary } = await findSummary(pool, user.id)
    return {
      status: 200,
      body: { ...summary, averagePrice: averagePriceSen === null ? null : ringgitFromSen(averagePriceSen) },
    }
  })
}
