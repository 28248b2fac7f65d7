import { shopRoutes } from '@wangian/contracts/shop.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { type App, handle } from '@wangian/kit/http/http.ts'
import { nextPageUrl, pageHeaders, readCursor } from '@wangian/kit/http/page-cursor.ts'
import { z } from 'zod'
import { presentProduct } from '../listings/presenter.ts'
import { canBeSeen } from '../store.ts'
import { addFavorites, hasFavorite, listFavoriteIds, listFavorites, removeFavorites } from './favorite-store.ts'

const PAGE_PRODUCTS_MAX = 100

/** What people keep for later. */
export function addFavoriteRoutes(app: App, { pool }: { readonly pool: DatabasePool }): void {
  handle(app, shopRoutes.listFavorites, async ({ query, user, request }) => {
    const limit = query.limit ?? PAGE_PRODUCTS_MAX
    const beforePlace = query.cursor === undefined ? null : readCursor(z.int().positive(), query.cursor)
    // One more than asked for tells whether there is another page.
    const [rows, ids] = await Promise.all([
      listFavorites(pool, user.id, { limit: limit + 1, beforePlace }),
      listFavoriteIds(pool, user.id),
    ])
    const page = rows.slice(0, limit)
    const last = page.at(-1)
    const next = rows.length > limit && last !== undefined ? nextPageUrl(request.url, last.place) : null
    return { status: 200, body: page.map(presentProduct), headers: pageHeaders({ total: ids.length, next }) }
  })

  handle(app, shopRoutes.listFavoriteIds, async ({ user }) => ({
    status: 200,
    body: [...(await listFavoriteIds(pool, user.id))],
  }))

  handle(app, shopRoutes.mergeFavorites, async ({ body, user }) => {
    await pool.transaction((transaction) => addFavorites(transaction, user.id, body.productIds))
    return { status: 200, body: [...(await listFavoriteIds(pool, user.id))] }
  })

  handle(app, shopRoutes.addFavorite, async ({ params: { productId }, user }) => {
    // Asked within: a moment later it may be kept no longer, and that is no reason to refuse.
    await pool.transaction(async (transaction) => {
      const added = await addFavorites(transaction, user.id, [productId])
      if (added.length > 0) return
      if (!(await canBeSeen(transaction, productId))) throw new Rejection('product-not-found')
      if (!(await hasFavorite(transaction, user.id, productId))) throw new Rejection('favorites-full')
    })
    return { status: 204, body: undefined }
  })

  handle(app, shopRoutes.removeFavorite, async ({ params: { productId }, user }) => {
    await pool.transaction((transaction) => removeFavorites(transaction, user.id, [productId]))
    return { status: 204, body: undefined }
  })
}
