import { auctionRequests } from '@wangian/contracts/auction.ts'
import { closeNats, connectNats } from '@wangian/kit/bus/nats.ts'
import { request } from '@wangian/kit/bus/requests.ts'
import { createAuthenticator, keysUrls } from '@wangian/kit/http/auth.ts'
import { createRateLimiter } from '@wangian/kit/http/rate-limit.ts'
import { followRevocations } from '@wangian/kit/http/revocations.ts'
import { runService } from '@wangian/kit/service/lifecycle.ts'
import { createLogger } from '@wangian/kit/service/logger.ts'
import { collectProcessMetrics, serveMetrics } from '@wangian/kit/service/metrics.ts'
import { startTracing, tracingOf } from '@wangian/kit/service/tracing.ts'
import { buildApp } from './app.ts'
import { readConfig } from './config.ts'
import { followConnection } from './connection.ts'
import { KeyedCounts } from './limits.ts'
import { watchGateway } from './metrics.ts'
import { askForPageFacts } from './pages/page-facts.ts'
import { BidRouter } from './sockets/bid-router.ts'
import { originRule } from './sockets/origins.ts'
import { Rooms } from './sockets/rooms.ts'
import { sessionLimits } from './sockets/session.ts'
import { SocketHub } from './sockets/sockets.ts'
import { UserChannels } from './sockets/user-channels.ts'

const config = readConfig()
const log = createLogger({ name: config.instanceId, level: config.logLevel })

runService({
  name: 'gateway',
  log,
  async start(onStop) {
    const { rateLimitFactor } = config
    const tracing = await startTracing(tracingOf('gateway', config))
    onStop(() => tracing.stop(), 'traces')
    const nats = await connectNats({ url: config.natsUrl, name: config.instanceId, log })
    onStop(() => closeNats(nats), 'nats')

    const bids = new BidRouter({ nats, log })
    onStop(() => bids.stop(), 'bids')
    const rooms = new Rooms({
      nats,
      log,
      snapshots: async (auctionId) => {
        const { snapshot } = await request(nats, 'auction', auctionRequests.getSnapshot, { auctionId })
        return snapshot === null ? null : JSON.stringify({ type: 'auctionJoined', ...snapshot })
      },
    })
    const channels = new UserChannels({ nats, log })
    let isConnected = true
    void followConnection(nats, (isUp) => {
      isConnected = isUp
      bids.setConnected(isUp)
      if (!isUp) return
      void rooms.resync()
      void channels.resync()
    })

    const revocations = followRevocations(nats, log)
    onStop(() => revocations.stop(), 'revocations')
    const hub = new SocketHub({
      auth: createAuthenticator({
        jwksUrls: keysUrls(config.identityUrl),
        revocationOf: revocations.reasonOf,
      }),
      revocations,
      nats,
      rooms,
      bids,
      channels,
      bidLimit: createRateLimiter({ rateLimitFactor }, sessionLimits.bids),
      joinLimit: createRateLimiter({ rateLimitFactor }, sessionLimits.joinsPerAddress),
      conversationLimit: createRateLimiter({ rateLimitFactor }, sessionLimits.conversations),
      socketsOfUser: new KeyedCounts(sessionLimits.socketsPerUser * rateLimitFactor),
      trustedProxies: config.trustedProxies,
      rateLimitFactor,
      log,
      isAllowedOrigin: originRule(config.publicUrl),
    })
    revocations.onRevoked((sessionId, reason) => hub.revoke(sessionId, reason))

    const app = await buildApp({
      upstreams: {
        identity: config.identityUrl,
        catalogue: config.catalogueUrl,
        auction: config.auctionUrls,
        messaging: config.messagingUrl,
        boost: config.boostUrl,
        admin: config.adminUrl,
      },
      webDist: config.webDist,
      pages: { site: config.publicUrl, facts: askForPageFacts(nats) },
      mailInboxUrl: config.mailInboxUrl,
      paymentSandboxUrl: config.paymentSandboxUrl,
      authUrl: config.authUrl,
      analyticsId: config.analyticsId,
      rendersPages: config.renderPages === 'yes',
      trustedProxies: config.trustedProxies,
      rateLimitFactor,
      isHttps: new URL(config.publicUrl).protocol === 'https:',
      readiness: async () => ({ nats: isConnected }),
      drainMs: config.drainMs,
      logger: log,
    })
    hub.attach(app.server)
    watchGateway({ sockets: () => hub.size, rooms: () => rooms.size, people: () => channels.size })
    if (config.metricsPort !== 0) {
      collectProcessMetrics('gateway')
      const metrics = await serveMetrics({ host: config.serviceHost, port: config.metricsPort })
      onStop(() => metrics.stop(), 'metrics')
    }
    // When whatever stands in front of us has noticed: clients that come back then get to another gateway.
    app.addHook('preClose', () => hub.stop())
    await app.listen({ host: config.host, port: config.port })
    onStop(() => app.close(), 'http and sockets')
  },
})
