import { ADMIN_ROWS_DEFAULT, adminRoutes } from '@wangian/contracts/admin.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { type App, handle } from '@wangian/kit/http/http.ts'
import { nextPageUrl, pageHeaders, readCursor } from '@wangian/kit/http/page-cursor.ts'
import { Totals } from '@wangian/kit/totals.ts'
import { z } from 'zod'
import { presentListing, presentOrder } from './presenter.ts'
import { findListings, findOrders, findPayments, listingsTable, ordersTable, paymentsTable } from './rows-store.ts'
import { type Asked, byNumber, byText, byTime, findPage, findWords, type Order } from './table-store.ts'

export interface TableDependencies {
  readonly pool: DatabasePool
}

const orderSorts = {
  newest: byTime('placed_at', 'desc'),
  'total-asc': byNumber('total_sen', 'asc'),
  'total-desc': byNumber('total_sen', 'desc'),
}
const paymentSorts = {
  newest: byNumber('id', 'desc'),
  'total-asc': byNumber('amount_sen', 'asc'),
  'total-desc': byNumber('amount_sen', 'desc'),
}
const listingSorts = {
  newest: byNumber('id', 'desc'),
  'name-asc': byText('name_key', 'asc'),
  'name-desc': byText('name_key', 'desc'),
  'price-asc': byNumber('price_sen', 'asc'),
  'price-desc': byNumber('price_sen', 'desc'),
}

/** The tables of what is public of orders and listings, as the logs of their owners tell it. */
export function addTableRoutes(app: App, { pool }: TableDependencies): void {
  const tables = { pool, totals: new Totals() }
  handle(app, adminRoutes.listOrders, async ({ query, request }) => {
    const { ids, headers } = await pageOf(
      tables,
      ordersTable(query),
      orderSorts[query.sort ?? 'newest'],
      query,
      request.url,
    )
    return { status: 200, body: (await findOrders(pool, ids)).map(presentOrder), headers }
  })

  handle(app, adminRoutes.getOrder, async ({ params }) => {
    const [row] = await findOrders(pool, [params.orderId])
    if (row === undefined) throw new Rejection('order-not-found')
    return { status: 200, body: presentOrder(row) }
  })

  handle(app, adminRoutes.listListings, async ({ query, request }) => {
    const { ids, headers } = await pageOf(
      tables,
      listingsTable(query),
      listingSorts[query.sort ?? 'newest'],
      query,
      request.url,
    )
    return { status: 200, body: (await findListings(pool, ids)).map(presentListing), headers }
  })

  handle(app, adminRoutes.getListing, async ({ params }) => {
    const [row] = await findListings(pool, [params.productId])
    if (row === undefined) throw new Rejection('product-not-found')
    return { status: 200, body: presentListing(row) }
  })

  handle(app, adminRoutes.listPayments, async ({ query, request }) => {
    const sort = paymentSorts[query.sort ?? 'newest']
    const { ids, headers } = await pageOf(tables, paymentsTable(query), sort, query, request.url)
    return { status: 200, body: await findPayments(pool, ids), headers }
  })
}

/** The ids of a page, how many rows there are, and the address of the next page. */
async function pageOf(
  { pool, totals }: { readonly pool: DatabasePool; readonly totals: Totals },
  table: Omit<Asked, 'search'>,
  order: Order,
  query: {
    readonly search?: string | undefined
    readonly limit?: number | undefined
    readonly cursor?: string | undefined
    readonly sort?: string | undefined
  },
  url: string,
): Promise<{ readonly ids: readonly number[]; readonly headers: Record<string, string> }> {
  const { search: text = '', limit = ADMIN_ROWS_DEFAULT, cursor, sort: _, ...narrowed } = query
  const Place = z.object({ by: z.literal(order.column), key: order.Key, id: z.int().positive() })
  const after = cursor === undefined ? null : readCursor(Place, cursor)
  const search = await findWords(pool, text)
  // One more than asked for tells whether there is another page.
  const asked = { ...table, search, order, after, limit: limit + 1 }
  const { places, total } = await findPage(pool, asked, { totals, question: [table.table, text, narrowed] })
  const page = places.slice(0, limit)
  const last = places.length > limit ? page.at(-1) : undefined
  const next = last === undefined ? null : nextPageUrl(url, { by: order.column, ...last })
  return { ids: page.map(({ id }) => id), headers: pageHeaders({ total, next }) }
}
