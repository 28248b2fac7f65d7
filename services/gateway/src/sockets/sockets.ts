import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { closeCodes, FRAME_MAX_BYTES } from '@wangian/contracts/frames.ts'
import type { RevocationReason } from '@wangian/contracts/revocations.ts'
import { withinMs } from '@wangian/kit/bus/nats.ts'
import { addressKey, clientAddressBehind } from '@wangian/kit/http/client-address.ts'
import { isGone } from '@wangian/kit/http/connection-guard.ts'
import type { Logger } from '@wangian/kit/service/logger.ts'
import { type WebSocket, WebSocketServer } from 'ws'
import { KeyedCounts } from '../limits.ts'
import { Turns } from '../turns.ts'
import { Rounds } from './rounds.ts'
import { Session, type SessionShared, sessionLimits } from './session.ts'
import { SocketWriter } from './socket-writer.ts'

const PATH = '/ws'
/** How often the hub does what; tests cannot wait that long. */
export const hubTimings = {
  /** A socket that has not answered a ping after this long is gone. */
  pingEveryMs: 20_000,
  /** A token that runs out, or a reader that stalls, is noticed within about this. */
  sweepEveryMs: 1000,
} as const
/** How long a closed socket may take to say goodbye before its connection is cut. */
const CLOSE_GRACE_MS = 1000
/** How long what closed sockets have asked for may still take when we stop. */
const FINISH_GRACE_MS = 2000

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
  // Each costs as much as a frame of its own, and only whole frames are counted.
  maxFragments: 256,
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
  readonly #turns: Turns
  /** Those that wait for their turn. */
  readonly #waiting = new Set<Socket>()
  readonly #sockets = new Map<WebSocket, Session>()
  readonly #clientAddress: (request: IncomingMessage) => string
  readonly #socketsOfSession = new Map<string, Set<Session>>()
  /** When those were pinged that have not answered yet, on the monotonic clock. */
  readonly #pingedAtMs = new WeakMap<WebSocket, number>()
  /** Of sockets that are closed: what they have asked for is done all the same. */
  readonly #unfinished = new Set<Promise<void>>()
  readonly #rounds: readonly { stop(): void }[]
  #isStopping = false

  constructor(options: SocketHubOptions) {
    this.#options = options
    this.#log = options.log
    this.#clientAddress = clientAddressBehind(options.trustedProxies ?? [])
    const { socketsPerAddress, upgradesPerSecond } = sessionLimits
    const socketsMax = socketsPerAddress * options.rateLimitFactor
    this.#socketsOfAddress = new KeyedCounts(socketsMax)
    // All sockets of an address may come back at once; whoever opens and closes one on and on takes the processor from nobody.
    this.#turns = new Turns({
      underWayMax: Number.POSITIVE_INFINITY,
      burst: socketsMax,
      perSecond: upgradesPerSecond * options.rateLimitFactor,
      waitingMax: socketsMax,
    })
    const { pingEveryMs, sweepEveryMs } = options.timings ?? hubTimings
    this.#rounds = [
      new Rounds(this.#sockets, pingEveryMs, (ws) => this.#ping(ws, pingEveryMs)),
      new Rounds(this.#sockets, sweepEveryMs, (ws) => this.#sweep(ws)),
    ]
  }

  get size(): number {
    return this.#sockets.size
  }

  /** Closes the sockets of a session that has ended. */
  revoke(sessionId: string, reason: RevocationReason): void {
    for (const session of [...(this.#socketsOfSession.get(sessionId) ?? [])]) session.onRevoked(sessionId, reason)
  }

  /** Takes over the upgrades of an HTTP server. */
  attach(server: Server): void {
    server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) =>
      this.#upgrade(request, socket, head),
    )
  }

  /**
   * Closes every socket with "restarting", so that clients come back elsewhere. Waits for their goodbyes a moment, and for what they have asked for:
   * nobody answers them any more, but a message that was sent has to go out.
   */
  async stop(): Promise<void> {
    this.#isStopping = true
    for (const rounds of this.#rounds) rounds.stop()
    this.#turns.stop()
    for (const socket of this.#waiting) socket.destroy()
    const closed = [...this.#sockets.keys()].map(
      (ws) => new Promise<void>((resolve) => ws.once('close', () => resolve())),
    )
    for (const ws of this.#sockets.keys()) this.#close(ws, closeCodes.restarting, 'Restarting')
    await Promise.all(closed)
    await withinMs(FINISH_GRACE_MS, Promise.all(this.#unfinished))
  }

  #upgrade(request: IncomingMessage, socket: Socket, head: Buffer): void {
    // Until the handshake is done a reset would otherwise end the process.
    socket.on('error', () => socket.destroy())
    if (isGone(socket)) return void socket.destroy()
    if (this.#isStopping) return refuseUpgrade(socket, '503 Service Unavailable')
    const address = addressKey(this.#clientAddress(request))
    this.#waiting.add(socket)
    socket.once('close', () => this.#waiting.delete(socket))
    this.#turns.begin(address, socket, () => {
      this.#waiting.delete(socket)
      this.#answer(request, socket, head, address)
    })
  }

  #answer(request: IncomingMessage, socket: Socket, head: Buffer, address: string): void {
    const path = (request.url ?? '').split('?')[0]
    if (path !== PATH) return refuseUpgrade(socket, '404 Not Found')
    const { origin, host } = request.headers
    if (origin !== undefined && !this.#options.isAllowedOrigin(origin, host ?? ''))
      return refuseUpgrade(socket, '403 Forbidden')
    if (!this.#socketsOfAddress.acquire(address)) return refuseUpgrade(socket, '429 Too Many Requests')
    socket.once('close', () => this.#socketsOfAddress.release(address))
    this.#server.handleUpgrade(request, socket, head, (ws) => this.#open(ws, socket, address))
  }

  #open(ws: WebSocket, socket: Socket, address: string): void {
    socket.setNoDelay(true)
    const session = new Session({
      shared: this.#options,
      writer: new SocketWriter(socket),
      address,
      close: (code, reason) => this.#close(ws, code, reason),
      onSession: (before) => this.#file(session, before, session.sessionId),
    })
    this.#sockets.set(ws, session)
    ws.on('message', (data: Buffer, isBinary) => {
      // What was on its way when the socket was closed is not for us any more.
      if (ws.readyState === ws.OPEN) session.receive(data, isBinary)
    })
    ws.on('pong', () => {
      if (!this.#pingedAtMs.delete(ws)) session.receiveControl()
    })
    ws.on('ping', () => session.receiveControl())
    ws.on('error', (error) => this.#log.debug({ err: error }, 'a socket failed'))
    ws.on('close', () => {
      this.#sockets.delete(ws)
      this.#file(session, session.sessionId, null)
      const finished = session.end().finally(() => this.#unfinished.delete(finished))
      this.#unfinished.add(finished)
    })
  }

  #close(ws: WebSocket, code: number, reason: string): void {
    if (ws.readyState !== ws.OPEN) return
    this.#sockets.get(ws)?.writer.flush()
    ws.close(code, reason)
  }

  /** So that a session that ends finds its sockets without a look at all of them. */
  #file(session: Session, before: string | null, now: string | null): void {
    if (before === now) return
    if (before !== null) {
      const left = this.#socketsOfSession.get(before)
      left?.delete(session)
      if (left?.size === 0) this.#socketsOfSession.delete(before)
    }
    if (now === null) return
    const sockets = this.#socketsOfSession.get(now)
    if (sockets === undefined) this.#socketsOfSession.set(now, new Set([session]))
    else sockets.add(session)
  }

  #ping(ws: WebSocket, withinMs: number): void {
    const nowMs = performance.now()
    const pingedAtMs = this.#pingedAtMs.get(ws)
    if (pingedAtMs === undefined) this.#pingedAtMs.set(ws, nowMs)
    else if (nowMs - pingedAtMs >= withinMs) return ws.terminate()
    ws.ping()
  }

  #sweep(ws: WebSocket): void {
    const session = this.#sockets.get(ws)
    if (session?.writer.backlog === 'stalled') session.onStalled()
    else session?.expire(Date.now())
  }
}

function refuseUpgrade(socket: Socket, status: string): void {
  // Otherwise a client that keeps its side open would keep the connection, which nothing counts any more.
  socket.once('finish', () => socket.destroy())
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}
