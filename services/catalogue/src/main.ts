import { surroundingsOf } from '@wangian/kit/service/service-app.ts'
import { startService } from '@wangian/kit/service/start-service.ts'
import { buildApp } from './app.ts'
import { readConfig } from './config.ts'
import { blanks, projections, reactions } from './consumers.ts'
import { startFavoriteRemoval } from './favorites/favorite-removal.ts'
import { serveFeaturing, startFeatureExpiry } from './featured/featuring.ts'
import { startPricing } from './listings/pricing.ts'
import { startReconciliation } from './listings/reconciliation.ts'
import { openPictures, startPictureRemoval } from './pictures/picture-routes.ts'
import { serveListings } from './requests.ts'
import { IndexedListings } from './search/indexed-listings.ts'
import { searchTimings } from './search/product-search.ts'

/** No list may take longer; a search that does is cut off rather than holding up the others. */
const STATEMENT_TIMEOUT_MS = 2_000

startService({
  name: 'catalogue',
  config: readConfig(),
  migrations: new URL('../migrations', import.meta.url),
  statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  projections,
  reactions,
  blanks,
  parts: {
    requests: serveListings,
    featuring: serveFeaturing,
    'feature expiry': startFeatureExpiry,
    'favorite removal': startFavoriteRemoval,
    pricing: startPricing,
    'bottle reconciliation': startReconciliation,
  },
  app: async (context) => {
    const { pool, nats, onAppended } = context
    const listings = new IndexedListings({ pool, ageMaxMs: searchTimings.listAgeMaxMs })
    // Whoever reaches this process finds everything.
    await listings.current()
    const files = openPictures(context)
    // No part of its own, for it removes files of those that the app keeps.
    const removal = startPictureRemoval({ ...context, files })
    context.onStop(() => removal.stop(), 'picture removal')
    return buildApp({ pool, nats, files, onAppended, listings, ...searchTimings, ...surroundingsOf(context) })
  },
})
