import { catalogueRoutes } from '@wangian/contracts/catalogue.ts'
import { ringgitFromSen } from '@wangian/contracts/money.ts'
import { ANALYTICS_LISTINGS_MAX, type SellerAnalytics, sellingRoutes } from '@wangian/contracts/selling.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { addressKey } from '@wangian/kit/http/client-address.ts'
import { type App, handle } from '@wangian/kit/http/http.ts'
import { createRateLimiter } from '@wangian/kit/http/rate-limit.ts'
import { listBoosts } from '../featured/boost-store.ts'
import { listListingFigures, listSalesDays, listSellerDays, listTopRated } from './analytics-store.ts'
import { lastMalaysianDays, malaysianDay } from './malaysian-day.ts'
import { Views } from './views.ts'

const BOOSTS_MAX = 50
const TOP_RATED_MAX = 3
const VIEWS_PER_HOUR_MAX = 300

export interface AnalyticsDependencies {
  readonly pool: DatabasePool
  /** Where views are gathered; by default they are written when the app closes, at the latest. */
  readonly views?: Views
  readonly nowMs?: () => number
}

/**
 * Who looks at what, and what became of it. A sale is an order whose payment the seller has confirmed, once, on the day of that, also of
 * what was won in an auction: while it is only reserved nobody has paid. One that is cancelled after all does not count, and a favourite
 * counts on the day on which it was kept, as long as it is.
 */
export function addAnalyticsRoutes(app: App, { pool, nowMs = Date.now, ...given }: AnalyticsDependencies): void {
  const views = given.views ?? new Views({ pool, nowMs, log: app.log })
  const looks = createRateLimiter(app, {
    limit: VIEWS_PER_HOUR_MAX,
    windowMs: 60 * 60 * 1000,
    now: nowMs,
  })
  app.addHook('onClose', () => views.stop())

  handle(app, catalogueRoutes.recordView, async ({ params: { productId }, user, request }) => {
    const address = addressKey(request.ip)
    looks.take(user?.id ?? address)
    views.record(productId, user === null ? { address } : { userId: user.id })
    return { status: 204, body: undefined }
  })

  handle(app, sellingRoutes.listBoostResults, async ({ user }) => {
    const rows = await listBoosts(pool, user.id, malaysianDay(nowMs()), BOOSTS_MAX)
    return {
      status: 200,
      body: rows.map(({ viewsBefore, contactsBefore, viewsDuring, contactsDuring, ...boost }) => ({
        ...boost,
        before: { views: viewsBefore, contacts: contactsBefore },
        during: { views: viewsDuring, contacts: contactsDuring },
      })),
    }
  })

  handle(app, sellingRoutes.getAnalytics, async ({ query, user }) => {
    const dates = lastMalaysianDays(nowMs(), Number(query.days))
    const [firstDay = ''] = dates
    const [days, sales, listings, topRated] = await Promise.all([
      listSellerDays(pool, user.id, firstDay),
      listSalesDays(pool, user.id, firstDay),
      listListingFigures(pool, user.id, firstDay, ANALYTICS_LISTINGS_MAX),
      listTopRated(pool, user.id, TOP_RATED_MAX),
    ])
    const happenedOn = new Map(days.map((day) => [day.date, day]))
    const soldOn = new Map(sales.map((day) => [day.date, day]))
    const series = dates.map((date) => {
      const { views: seen = 0, favorites = 0, messages = 0, bids = 0 } = happenedOn.get(date) ?? {}
      return { date, views: seen, favorites, messages, bids, sales: soldOn.get(date)?.sales ?? 0 }
    })
    const revenueSen = sales.reduce((sum, day) => sum + day.revenueSen, 0)
    return {
      status: 200,
      body: {
        days: dates.length,
        totals: { ...totalsOf(series), revenue: ringgitFromSen(revenueSen) },
        series,
        listings: [...listings],
        topRated: [...topRated],
      },
    }
  })
}

function totalsOf(series: SellerAnalytics['series']): Omit<SellerAnalytics['totals'], 'revenue'> {
  const totals = { views: 0, favorites: 0, messages: 0, bids: 0, sales: 0 }
  for (const day of series) {
    totals.views += day.views
    totals.favorites += day.favorites
    totals.messages += day.messages
    totals.bids += day.bids
    totals.sales += day.sales
  }
  return totals
}
