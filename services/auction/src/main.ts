import { checkTokens, startService } from '@wangian/kit/service/start-service.ts'
import { buildApp } from './app.ts'
import { readConfig } from './config.ts'
import { projections, reactions } from './consumers.ts'
import { startOwning } from './owning.ts'
import { RelayPace } from './relay-pace.ts'
import { serveAuctionsOfProducts } from './requests.ts'
import { serveSnapshots } from './snapshots.ts'

const pace = new RelayPace()

startService({
  name: 'auction',
  config: readConfig(),
  migrations: new URL('../migrations', import.meta.url),
  pace: () => pace.waitMs(),
  projections,
  reactions,
  parts: {
    owner: (context) => startOwning(context, pace),
    snapshots: serveSnapshots,
    requests: serveAuctionsOfProducts,
  },
  app: (context, { owner }) => {
    const { pool, nats, log: logger } = context
    const readiness = async () => ({ ...(await context.readiness()), partitions: owner.isSharing() })
    return buildApp({ pool, nats, auth: checkTokens(context), readiness, logger })
  },
  afterListen: (_, { owner }) => owner.share(),
})
