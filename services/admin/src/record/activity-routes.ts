import { Readable } from 'node:stream'
import {
  ADMIN_FOUND_COUNTED_MAX,
  ADMIN_ROWS_DEFAULT,
  type AdminActivity,
  adminRoutes,
} from '@wangian/contracts/admin.ts'
import { Instant } from '@wangian/contracts/time.ts'
import type { NatsConnection } from '@wangian/kit/bus/nats.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { type App, allowOnly, handle } from '@wangian/kit/http/http.ts'
import { parsePart } from '@wangian/kit/http/http-errors.ts'
import { nextPageUrl, pageHeaders, readCursor } from '@wangian/kit/http/page-cursor.ts'
import { z } from 'zod'
import { csvHead, csvLine } from './activity-csv.ts'
import { type ActivityFilter, type ActivityPlace, countActivity, listActivity } from './activity-store.ts'
import { withReasons } from './reasons.ts'

/** Entries that an export reads at once. */
const EXPORTED_AT_ONCE = 500

const Place = z.object({ at: Instant, id: z.uuid() })

export interface ActivityDependencies {
  readonly pool: DatabasePool
  /** Where identity is asked for what is personal. */
  readonly nats: NatsConnection
}

/** What administrators have done. */
export function addActivityRoutes(app: App, dependencies: ActivityDependencies): void {
  const { pool } = dependencies
  handle(app, adminRoutes.listActivity, async ({ query, request }) => {
    const { limit = ADMIN_ROWS_DEFAULT, cursor } = query
    const after = cursor === undefined ? null : readCursor(Place, cursor)
    const [entries, total] = await Promise.all([
      // One more than asked for tells whether there is another page.
      list(dependencies, query, { limit: limit + 1, after }),
      countActivity(pool, query, ADMIN_FOUND_COUNTED_MAX + 1),
    ])
    const body = entries.slice(0, limit)
    const last = entries.length > limit ? body.at(-1) : undefined
    const next = last === undefined ? null : nextPageUrl(request.url, placeOf(last))
    return { status: 200, body, headers: pageHeaders({ total: total > ADMIN_FOUND_COUNTED_MAX ? null : total, next }) }
  })

  const route = adminRoutes.exportActivity
  app.servedRoutes.push(route)
  app.route({
    method: route.method,
    url: route.path,
    onRequest: allowOnly(app, route.access),
    handler: async (request, reply) => {
      const filter = parsePart(route.query, request.query)
      const pages = exported(dependencies, filter)
      // The first page comes before the head of the answer: whoever cannot be asked is told of as of any other call.
      const first = await pages.next()
      async function* all() {
        if (!first.done) yield first.value
        yield* pages
      }
      const headers = { 'content-disposition': 'attachment; filename="activity.csv"' }
      return reply.type('text/csv; charset=utf-8').headers(headers).send(Readable.from(all()))
    },
  })
}

async function list(
  { pool, nats }: ActivityDependencies,
  filter: ActivityFilter,
  page: { readonly limit: number; readonly after: ActivityPlace | null },
): Promise<readonly AdminActivity[]> {
  return withReasons(nats, await listActivity(pool, filter, page))
}

const placeOf = ({ at, id }: AdminActivity): ActivityPlace => ({ at, id })

/** The whole record, some lines at a time. */
async function* exported(dependencies: ActivityDependencies, filter: ActivityFilter): AsyncGenerator<string> {
  let after: ActivityPlace | null = null
  let head = csvHead
  for (;;) {
    const entries: readonly AdminActivity[] = await list(dependencies, filter, { limit: EXPORTED_AT_ONCE, after })
    yield head + entries.map(csvLine).join('')
    const last = entries.at(-1)
    if (last === undefined || entries.length < EXPORTED_AT_ONCE) return
    after = placeOf(last)
    head = ''
  }
}
