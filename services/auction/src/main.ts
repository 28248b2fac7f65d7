import { setPriority } from 'node:os'
import { surroundingsOf } from '@wangian/kit/service/service-app.ts'
import { startService } from '@wangian/kit/service/start-service.ts'
import { serveAuctionsOfProducts } from './api/requests.ts'
import { serveSnapshots } from './api/snapshots.ts'
import { buildApp } from './app.ts'
import { readConfig } from './config.ts'
import { blanks, projections, reactions } from './consumers.ts'
import { RelayPace } from './log/relay-pace.ts'
import { type Owning, startOwning } from './owning.ts'

/** Of a process that only answers: what it reads at once (`routes.ts`, `snapshots.ts`), and two for orders and what catalogue asks. */
const PAGES_CONNECTIONS_MAX = 8
/** Of 19: where processors are few, whoever reads waits for those who bid. */
const PAGES_NICENESS = 10

const config = readConfig()
const ownsAuctions = config.auctionRole !== 'pages'
const answersReaders = config.auctionRole !== 'owner'
if (!ownsAuctions) setPriority(PAGES_NICENESS)
const pace = new RelayPace()
const absent = { stop: () => {} }
const ownsNothing: Owning = { ...absent, isSharing: () => true, share: async () => {} }

startService({
  name: 'auction',
  config,
  migrations: new URL('../migrations', import.meta.url),
  connectionsMax: ownsAuctions ? undefined : PAGES_CONNECTIONS_MAX,
  onlyAnswers: !ownsAuctions,
  pace: () => pace.waitMs(),
  projections,
  reactions,
  blanks,
  parts: {
    owner: (context) => (ownsAuctions ? startOwning(context, pace) : ownsNothing),
    snapshots: (context) => (answersReaders ? serveSnapshots(context) : absent),
    requests: (context) => (answersReaders ? serveAuctionsOfProducts(context) : absent),
  },
  app: (context, { owner }) => {
    const { pool, nats } = context
    const readiness = async () => ({ ...(await context.readiness()), partitions: owner.isSharing() })
    return buildApp({ pool, nats, ...surroundingsOf(context), readiness })
  },
  afterListen: (_, { owner }) => owner.share(),
})
