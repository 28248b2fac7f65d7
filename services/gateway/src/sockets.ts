import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { closeCodes, FRAME_MAX_BYTES } from '@wangian/contracts/frames.ts'
import type { RevocationReason } from '@wangian/contracts/revocations.ts'
import { addressKey, clientAddressBehind } from '@wangian/kit/http/client-address.ts'
import type { Logger } from '@wangian/kit/service/logger.ts'
import { type WebSocket, WebSocketServer } from 'ws'
import { KeyedCounts } from './limits.ts'
import { Session, type SessionShared, sessionLimits } from './session.ts'
import { SocketWriter } from './socket-writer.ts'

const PATH = '/ws'
/** How often the hub does what; tests cannot wait that long. */
export const hubTimings = {
  /** A socket that has not answered a ping by the next one is gone. */
  pingEveryMs: 20_000,
  /** A token that runs out, or a reader that stalls, is noticed within this. */
  sweepEveryMs: 1000,
} as const
/** How long a closed socket may take to say goodbye before its connection is cut. */
const CLOSE_GRACE_MS = 1000

export interface SocketHubOptions extends SessionShared {
  /** Pages from elsewhere may not open a socket; a client that is no browser sends no origin. */
  readonly isAllowedOrigin: (origin: string, host: string) => boolean
  /** What ends TLS in front of us; nobody by default. */
  readonly trustedProxies?: readonly string[]
  readonly timings?: { readonly [Name in keyof typeof hubTimings]: number }
}

const serverOptions = {
  noServer: true,
  maxPayload: FRAME_MAX_BYTES,
  perMessageDeflate: false,
  clientTracking: false,
  // A reader that stalled never sees the close frame: its connection is cut and its buffer freed.
  closeTimeout: CLOSE_GRACE_MS,
}

/** All WebSockets of this gateway. */
export class SocketHub {
  readonly #options: SocketHubOptions
  readonly #log: Logger
  readonly #server = new WebSocketServer(serverOptions)
  readonly #socketsOfAddress: KeyedCounts
  readonly #sockets = new Map<WebSocket, Session>()
  readonly #answeredPing = new WeakSet<WebSocket>()
  readonly #clientAddress: (request: IncomingMessage) => string
  readonly #timers: NodeJS.Timeout[]
  #isStopping = false

  constructor(options: SocketHubOptions) {
    this.#options = options
    this.#log = options.log
    this.#clientAddress = clientAddressBehind(options.trustedProxies ?? [])
    this.#socketsOfAddress = new KeyedCounts(sessionLimits.socketsPerAddress * options.rateLimitFactor)
    const { pingEveryMs, sweepEveryMs } = options.timings ?? hubTimings
    this.#timers = [setInterval(() => this.#ping(), pingEveryMs), setInterval(() => this.#sweep(), sweepEveryMs)]
    for (const timer of this.#timers) timer.unref()
  }

  get size(): number {
    return this.#sockets.size
  }

  /** Closes the sockets of a session that has ended. */
  revoke(sessionId: string, reason: RevocationReason): void {
    for (const session of this.#sockets.values()) session.onRevoked(sessionId, reason)
  }

  /** Takes over the upgrades of an HTTP server. */
  attach(server: Server): void {
    server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) =>
      this.#upgrade(request, socket, head),
    )
  }

  /** Closes every socket with "restarting", so that clients come back elsewhere, and waits for their goodbyes a moment. */
  async stop(): Promise<void> {
    this.#isStopping = true
    for (const timer of this.#timers) clearInterval(timer)
    const closed = [...this.#sockets.keys()].map(
      (ws) => new Promise<void>((resolve) => ws.once('close', () => resolve())),
    )
    for (const ws of this.#sockets.keys()) this.#close(ws, closeCodes.restarting, 'Restarting')
    await Promise.all(closed)
  }

  #upgrade(request: IncomingMessage, socket: Socket, head: Buffer): void {
    // Until the handshake is done a reset would otherwise end the process.
    socket.on('error', () => socket.destroy())
    const path = (request.url ?? '').split('?')[0]
    if (path !== PATH) return refuseUpgrade(socket, '404 Not Found')
    if (this.#isStopping) return refuseUpgrade(socket, '503 Service Unavailable')
    const { origin, host } = request.headers
    if (origin !== undefined && !this.#options.isAllowedOrigin(origin, host ?? ''))
      return refuseUpgrade(socket, '403 Forbidden')
    const address = addressKey(this.#clientAddress(request))
    if (!this.#socketsOfAddress.acquire(address)) return refuseUpgrade(socket, '429 Too Many Requests')
    socket.once('close', () => this.#socketsOfAddress.release(address))
    this.#server.handleUpgrade(request, socket, head, (ws) => this.#open(ws, socket))
  }

  #open(ws: WebSocket, socket: Socket): void {
    socket.setNoDelay(true)
    const session = new Session({
      shared: this.#options,
      writer: new SocketWriter(socket),
      close: (code, reason) => this.#close(ws, code, reason),
    })
    this.#sockets.set(ws, session)
    this.#answeredPing.add(ws)
    ws.on('message', (data: Buffer, isBinary) => {
      // What was on its way when the socket was closed is not for us any more.
      if (ws.readyState === ws.OPEN) session.receive(data, isBinary)
    })
    ws.on('pong', () => this.#answeredPing.add(ws))
    ws.on('error', (error) => this.#log.debug({ err: error }, 'a socket failed'))
    ws.on('close', () => {
      this.#sockets.delete(ws)
      session.end()
    })
  }

  #close(ws: WebSocket, code: number, reason: string): void {
    if (ws.readyState !== ws.OPEN) return
    this.#sockets.get(ws)?.writer.flush()
    ws.close(code, reason)
  }

  #ping(): void {
    for (const ws of this.#sockets.keys()) {
      if (!this.#answeredPing.delete(ws)) ws.terminate()
      else ws.ping()
    }
  }

  #sweep(): void {
    const nowMs = Date.now()
    for (const session of this.#sockets.values()) {
      if (session.writer.backlog === 'stalled') session.onStalled()
      else session.expire(nowMs)
    }
  }
}

function refuseUpgrade(socket: Socket, status: string): void {
  // Otherwise a client that keeps its side open would keep the connection, which nothing counts any more.
  socket.once('finish', () => socket.destroy())
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}
