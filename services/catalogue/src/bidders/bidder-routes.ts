import { ADMIN_ROWS_DEFAULT } from '@wangian/contracts/admin.ts'
import { bidderRoutes, SUSPECTED_BIDS_MIN, SUSPECTED_SHARE_PERCENT } from '@wangian/contracts/bidders.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { type App, handle } from '@wangian/kit/http/http.ts'
import { nextPageUrl, pageHeaders, readCursor } from '@wangian/kit/http/page-cursor.ts'
import { z } from 'zod'
import { listSuspects } from './bidder-store.ts'

const suspicion = { bidsMin: SUSPECTED_BIDS_MIN, sharePercent: SUSPECTED_SHARE_PERCENT }

/** Behind whom a page begins. */
const Place = z.object({ bids: z.int(), bidderId: z.int() })

/** Shows administrators who may bid to drive up prices. Nothing follows from it by itself. */
export function addBidderRoutes(app: App, { pool }: { readonly pool: DatabasePool }): void {
  handle(app, bidderRoutes.listSuspectedBidders, async ({ query, request }) => {
    const limit = query.limit ?? ADMIN_ROWS_DEFAULT
    const after = query.cursor === undefined ? null : readCursor(Place, query.cursor)
    // One more than asked for tells whether there is another page.
    const found = await listSuspects(pool, suspicion, { limit: limit + 1, after })
    const rows = found.slice(0, limit)
    const last = rows.at(-1)
    const place = last && { bids: last.bidsOnSeller, bidderId: last.bidder.id }
    const next = found.length > limit ? nextPageUrl(request.url, place) : null
    // An empty page behind others does not say how many there are.
    const total = last?.total ?? (after === null ? 0 : null)
    const body = rows.map(({ total: _, ...row }) => ({ ...row, sharePercent: percentOf(row) }))
    return { status: 200, body, headers: pageHeaders({ total, next }) }
  })
}

function percentOf({ bidsOnSeller, bidsInAll }: { readonly bidsOnSeller: number; readonly bidsInAll: number }): number {
  return Math.round((1_000 * bidsOnSeller) / bidsInAll) / 10
}
