import { accountRoutes } from '@wangian/contracts/account.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { type App, handle } from '@wangian/kit/http/http.ts'
import { createRateLimiter } from '@wangian/kit/http/rate-limit.ts'
import { getActiveAccount } from '../accounts/active-account.ts'
import { getNotificationSettings, saveNotificationSettings } from './notification-store.ts'

const MINUTE_MS = 60 * 1000
const CHANGES_PER_MINUTE_MAX = 60

/** Which mails people want. */
export function addNotificationRoutes(
  app: App,
  { pool, now }: { readonly pool: DatabasePool; readonly now: () => Date },
): void {
  const changes = createRateLimiter(app, { limit: CHANGES_PER_MINUTE_MAX, windowMs: MINUTE_MS })

  handle(app, accountRoutes.getNotifications, async ({ user }) => {
    await getActiveAccount(pool, user.id)
    return { status: 200, body: await getNotificationSettings(pool, user.id) }
  })

  handle(app, accountRoutes.setNotifications, async ({ body, user }) => {
    changes.take(user.id)
    await getActiveAccount(pool, user.id)
    await saveNotificationSettings(pool, user.id, body, now().toISOString())
    return { status: 200, body }
  })
}
