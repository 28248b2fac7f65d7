import { ringgitFromSen } from '@wangian/contracts/money.ts'
import { sellingRoutes } from '@wangian/contracts/selling.ts'
import type { NatsConnection } from '@wangian/kit/bus/nats.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { type App, handle, requireSelf } from '@wangian/kit/http/http.ts'
import { nextPageUrl, pageHeaders, readCursor } from '@wangian/kit/http/page-cursor.ts'
import { z } from 'zod'
import type { Place } from '../search/domain/place.ts'
import { findOpenAuction } from './auction-hold.ts'
import { presentBoostable, presentOwnProduct } from './presenter.ts'
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
    const { search, status, productId: productIds } = query
    const filter = { sellerId: user.id, search: search || undefined, status, productIds }
    const limit = query.limit ?? PAGE_PRODUCTS
    const after = query.cursor === undefined ? null : readCursor(PlaceCursor, query.cursor)
    // One more than asked for tells whether there is another page.
    const asked = { limit: limit + 1, after }
    const counting = countOwnProducts(pool, filter)
    if (query.sellerId === undefined) {
      const [rows, total] = await Promise.all([listBoostable(pool, filter, asked), counting])
      const { page, next } = pageOf(rows, limit, request.url)
      return { status: 200, body: page.map(presentBoostable), headers: pageHeaders({ total, next }) }
    }
    const [rows, total] = await Promise.all([listOwnProducts(pool, filter, asked), counting])
    const { page, next } = pageOf(rows, limit, request.url)
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

/** What was read without the row that was read beyond the page, and where the next page is; `null` on the last one. */
function pageOf<Row extends { readonly id: number; readonly place: number }>(
  rows: readonly Row[],
  limit: number,
  url: string,
) {
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  const hasMore = rows.length > limit && last !== undefined
  return { page, next: hasMore ? nextPageUrl(url, { key: last.place, id: last.id } satisfies Place) : null }
}
