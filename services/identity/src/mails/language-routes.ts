import { accountRoutes } from '@wangian/contracts/account.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { type App, handle } from '@wangian/kit/http/http.ts'
import { createRateLimiter } from '@wangian/kit/http/rate-limit.ts'
import { getActiveAccount } from '../accounts/active-account.ts'
import { updateLanguage } from '../accounts/person-store.ts'

const MINUTE_MS = 60 * 1000
const CHANGES_PER_MINUTE_MAX = 60

/** In which language people are mailed. */
export function addLanguageRoutes(
  app: App,
  { pool, now }: { readonly pool: DatabasePool; readonly now: () => Date },
): void {
  const changes = createRateLimiter(app, { limit: CHANGES_PER_MINUTE_MAX, windowMs: MINUTE_MS })

  handle(app, accountRoutes.setLanguage, async ({ body: { language }, user }) => {
    changes.take(user.id)
    const account = await getActiveAccount(pool, user.id)
    if (account.language !== language) {
      await updateLanguage(pool, { userId: user.id, language, at: now().toISOString() })
    }
    return { status: 200, body: { language } }
  })
}
