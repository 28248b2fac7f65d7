import { noticeRoutes } from '@wangian/contracts/notices.ts'
import type { NatsConnection } from '@wangian/kit/bus/nats.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { type App, handle } from '@wangian/kit/http/http.ts'
import { page } from '../paging.ts'
import { countUnreadNotices, listNotices, lockNotices, setNoticesRead } from './notice-store.ts'
import { presentNotice } from './presenter.ts'
import { publishNoticesRead } from './teller.ts'

/** A panel holds so many, unless it asks for more or less. */
const PAGE_NOTICES = 30

export interface NoticeDependencies {
  readonly pool: DatabasePool
  readonly nats: NatsConnection
}

/** What people were told, each of them for themselves alone. */
export function addNoticeRoutes(app: App, { pool, nats }: NoticeDependencies): void {
  handle(app, noticeRoutes.listNotices, async ({ query, user, request }) => {
    const asked = { ...query, limit: query.limit ?? PAGE_NOTICES }
    const { rows, headers } = await page({ query: asked, url: request.url }, (one) => listNotices(pool, user.id, one))
    return { status: 200, body: rows.map(presentNotice), headers }
  })

  handle(app, noticeRoutes.countNotices, async ({ user }) => {
    return { status: 200, body: { count: await countUnreadNotices(pool, user.id) } }
  })

  handle(app, noticeRoutes.readNotices, async ({ body, user }) => {
    const isNew = await pool.transaction(async (transaction) => {
      await lockNotices(transaction)
      return setNoticesRead(transaction, user.id, body)
    })
    const count = await countUnreadNotices(pool, user.id)
    if (isNew) publishNoticesRead(nats, user.id, count)
    return { status: 200, body: { count } }
  })
}
