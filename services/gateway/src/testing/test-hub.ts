import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { NatsConnection } from '@nats-io/transport-node'
import type { Authenticator } from '@wangian/kit/http/auth.ts'
import { createRateLimiter } from '@wangian/kit/http/rate-limit.ts'
import type { Revocations } from '@wangian/kit/http/revocations.ts'
import { silentLogger } from '@wangian/kit/service/logger.ts'
import { KeyedCounts } from '../limits.ts'
import { BidRouter, type BidTimings } from '../sockets/bid-router.ts'
import { originRule } from '../sockets/origins.ts'
import { Rooms, type SnapshotSource } from '../sockets/rooms.ts'
import { sessionLimits } from '../sockets/session.ts'
import { SocketHub, type SocketHubOptions } from '../sockets/sockets.ts'
import { UserChannels } from '../sockets/user-channels.ts'
import { snapshotOf } from './live-frames.ts'
import { TestSocket } from './test-socket.ts'

export interface TestHub {
  readonly url: string
  readonly server: Server
  readonly hub: SocketHub
  readonly rooms: Rooms
  readonly bids: BidRouter
  readonly channels: UserChannels
  /** Opens a socket and takes its first frame. */
  connect(options?: Parameters<typeof TestSocket.open>[1]): Promise<TestSocket>
  /** The same for somebody who is signed in. */
  connectAs(token: string): Promise<TestSocket>
  stop(): Promise<void>
}

export interface TestHubOptions {
  readonly nats: NatsConnection
  readonly auth: Authenticator
  /** Nobody's session has ended unless the test says so. */
  readonly revocations?: Pick<Revocations, 'reasonOf'>
  /** 1 by default, as in production. */
  readonly rateLimitFactor?: number
  readonly snapshots?: SnapshotSource
  readonly bidTimings?: BidTimings
  readonly timings?: NonNullable<SocketHubOptions['timings']>
  readonly trustedProxies?: readonly string[]
}

/** A socket hub that listens, put together as `main.ts` does it. Every auction exists unless `snapshots` says otherwise. */
export async function startTestHub(options: TestHubOptions): Promise<TestHub> {
  const { nats, auth, rateLimitFactor = 1 } = options
  const bids = new BidRouter({
    nats,
    log: silentLogger,
    ...(options.bidTimings !== undefined && { timings: options.bidTimings }),
  })
  const snapshots = options.snapshots ?? (async (auctionId) => snapshotOf(auctionId, 0))
  const rooms = new Rooms({ nats, log: silentLogger, snapshots })
  const channels = new UserChannels({ nats, log: silentLogger })
  const hub = new SocketHub({
    auth,
    revocations: options.revocations ?? { reasonOf: () => null },
    nats,
    rooms,
    bids,
    channels,
    bidLimit: createRateLimiter({ rateLimitFactor }, sessionLimits.bids),
    joinLimit: createRateLimiter({ rateLimitFactor }, sessionLimits.joinsPerAddress),
    conversationLimit: createRateLimiter({ rateLimitFactor }, sessionLimits.conversations),
    socketsOfUser: new KeyedCounts(sessionLimits.socketsPerUser * rateLimitFactor),
    rateLimitFactor,
    log: silentLogger,
    isAllowedOrigin: originRule('https://wangian.example'),
    ...(options.timings !== undefined && { timings: options.timings }),
    ...(options.trustedProxies !== undefined && { trustedProxies: options.trustedProxies }),
  })
  const server = createServer()
  hub.attach(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/ws`

  async function connect(socketOptions?: Parameters<typeof TestSocket.open>[1]): Promise<TestSocket> {
    const socket = await TestSocket.open(url, socketOptions)
    await socket.nextOf('connected')
    return socket
  }

  return {
    url,
    server,
    hub,
    rooms,
    bids,
    channels,
    connect,
    async connectAs(token) {
      const socket = await connect()
      socket.send({ type: 'auth', token })
      await socket.nextOf('auth_success')
      return socket
    },
    async stop() {
      await hub.stop()
      bids.stop()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
