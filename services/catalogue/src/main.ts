import { createPictureFiles } from '@wangian/kit/files/picture-files.ts'
import { openPictureStorage } from '@wangian/kit/files/picture-storage.ts'
import { checkTokens, startService } from '@wangian/kit/service/start-service.ts'
import { buildApp } from './app.ts'
import { readConfig } from './config.ts'
import { projections, reactions } from './consumers.ts'
import { serveFeaturing, startFeatureExpiry } from './featured/featuring.ts'
import { discardRemoved } from './pictures/picture-routes.ts'
import { serveListings } from './requests.ts'

/** No list may take longer; a search that does is cut off rather than holding up the others. */
const STATEMENT_TIMEOUT_MS = 2_000
/** A ban takes effect within a second, and this is a part of it. */
const LIST_AGE_MAX_MS = 500
const COUNTS_AGE_MAX_MS = 5_000
/** Counting takes about a tenth of a second for 100,000 products; who comes behind others gets a page without its total. */
const TOTAL_WAIT_MAX_MS = 200
const FACETS_WAIT_MAX_MS = 2_000

startService({
  name: 'catalogue',
  config: readConfig(),
  migrations: new URL('../migrations', import.meta.url),
  statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  projections,
  reactions,
  parts: {
    requests: serveListings,
    featuring: serveFeaturing,
    'feature expiry': startFeatureExpiry,
  },
  app: (context) => {
    const { config, pool, nats, onAppended, readiness, log: logger } = context
    const files = createPictureFiles(openPictureStorage(config, 'images', logger))
    void discardRemoved({ pool, files }).catch((err) => logger.warn({ err }, 'files are left to be removed'))
    return buildApp({
      pool,
      nats,
      files,
      onAppended,
      listAgeMaxMs: LIST_AGE_MAX_MS,
      countsAgeMaxMs: COUNTS_AGE_MAX_MS,
      totalWaitMaxMs: TOTAL_WAIT_MAX_MS,
      facetsWaitMaxMs: FACETS_WAIT_MAX_MS,
      auth: checkTokens(context),
      logger,
      readiness,
      trustedProxies: config.trustedProxies,
      rateLimitFactor: config.rateLimitFactor,
    })
  },
})
