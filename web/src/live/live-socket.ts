import { type clientFrames, closeCodes, ServerFrame } from '@wangian/contracts/frames.ts'
import type { z } from 'zod'
import { hearServerTime } from '../lib/server-clock.ts'

type ClientFrames = typeof clientFrames
export type ClientFrame = { [Type in keyof ClientFrames]: z.input<ClientFrames[Type]> }[keyof ClientFrames]

/** `connected` means that frames flow both ways; what was missed in between has to be asked for. */
export type LiveStatus = 'connected' | 'disconnected'

/**
 * Whom the server takes this connection for: somebody signed in from the moment that it has taken their token. `refused` is who has a
 * token that it does not take, and no fresh one that it would.
 */
export type LiveStanding = 'guest' | 'signed-in' | 'refused'

export interface LiveSocketOptions {
  readonly openSocket: () => WebSocket
  /** The application token of the signed-in person, `null` for a guest. */
  readonly token: () => string | null
  /** A fresh one after a refusal, `null` when nobody is signed in any more. */
  readonly renewToken: () => Promise<string | null>
}

/** Fast at first, since an auction does not wait, and for ever. */
const reconnectDelaysMs = [500, 1_000, 2_000, 4_000, 8_000, 10_000] as const
/** The same while no auction is watched. */
const calmReconnectDelaysMs = [2_000, 4_000, 8_000, 10_000] as const
/** After so much silence we ask, and after so much more we take the connection for dead. */
const silenceMs = 30_000
const answerTimeoutMs = 6_000
/** Kept open this long after the last use, so that the next page finds it open. */
const lingerMs = 2_000
const renewalsMax = 2

/**
 * The one socket of a browser tab, for auctions and messages alike. It is open while anybody is signed in, watches an auction or waits
 * for an answer, authenticates by itself, comes back after every interruption, and joins again what was joined.
 */
export class LiveSocket {
  readonly #options: LiveSocketOptions
  readonly #rooms = new Map<number, number>()
  /** The rooms of which this connection brings news. */
  readonly #joined = new Set<number>()
  #connectingSinceMs = 0
  /** Since when the snapshot of a room is waited for, by this device's clock. */
  readonly #askedAtMs = new Map<number, number>()
  readonly #frameListeners = new Set<(frame: ServerFrame) => void>()
  readonly #statusListeners = new Set<() => void>()
  #socket: WebSocket | undefined
  #status: LiveStatus = 'disconnected'
  #standing: LiveStanding = 'guest'
  #holds = 0
  #failures = 0
  /** How many connections in a row were given up because the server let nobody into a room. */
  #refusals = 0
  #renewals = 0
  #authenticating = false
  #reconnectTimer: ReturnType<typeof setTimeout> | undefined
  #silenceTimer: ReturnType<typeof setTimeout> | undefined
  #lingerTimer: ReturnType<typeof setTimeout> | undefined

  constructor(options: LiveSocketOptions) {
    this.#options = options
  }

  /** Follows the network and the visibility of the page. @returns a function that stops that and closes the socket */
  start(): () => void {
    const online = () => this.#retryNow()
    const offline = () => this.#drop()
    const visible = () => {
      if (document.visibilityState === 'visible') this.#retryNow()
    }
    window.addEventListener('online', online)
    window.addEventListener('offline', offline)
    document.addEventListener('visibilitychange', visible)
    return () => {
      window.removeEventListener('online', online)
      window.removeEventListener('offline', offline)
      document.removeEventListener('visibilitychange', visible)
      this.#close()
    }
  }

  readonly status = (): LiveStatus => this.#status
  /** How often in a row no connection came about. */
  readonly failures = (): number => this.#failures
  readonly standing = (): LiveStanding => this.#standing

  /** Called when `status`, `failures` or `standing` changed. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#statusListeners.add(listener)
    return () => this.#statusListeners.delete(listener)
  }

  onFrame(listener: (frame: ServerFrame) => void): () => void {
    this.#frameListeners.add(listener)
    return () => this.#frameListeners.delete(listener)
  }

  /** Watches an auction until the returned function is called; every join brings a snapshot. */
  join(auctionId: number): () => void {
    const watchers = this.#rooms.get(auctionId) ?? 0
    this.#rooms.set(auctionId, watchers + 1)
    if (watchers === 0) this.send({ type: 'joinAuction', auctionId })
    const release = this.hold()
    return () => {
      const left = (this.#rooms.get(auctionId) ?? 1) - 1
      if (left > 0) this.#rooms.set(auctionId, left)
      else {
        this.#rooms.delete(auctionId)
        this.#joined.delete(auctionId)
        this.send({ type: 'leaveAuction', auctionId })
      }
      release()
    }
  }

  /** Keeps the socket open until the returned function is called. */
  hold(): () => void {
    this.#holds += 1
    clearTimeout(this.#lingerTimer)
    if (!this.#socket) this.#connect()
    return () => {
      this.#holds -= 1
      if (this.#holds === 0) this.#lingerTimer = setTimeout(() => this.#close(), lingerMs)
    }
  }

  /** @returns false when nothing was sent, because the socket is not open */
  send(frame: ClientFrame): boolean {
    if (this.#socket?.readyState !== WebSocket.OPEN) return false
    this.#socket.send(JSON.stringify(frame))
    if (frame.type === 'joinAuction' && !this.#askedAtMs.has(frame.auctionId)) {
      this.#askedAtMs.set(frame.auctionId, Date.now())
    }
    return true
  }

  /** Somebody signed in, out, or has a new token. */
  tokenChanged(): void {
    const hasLeft = this.#options.token() === null
    if (hasLeft) this.#forgetRefusals()
    if (this.#socket?.readyState !== WebSocket.OPEN) return
    if (hasLeft) this.reconnect()
    else this.#authenticate()
  }

  /** Begins anew, as if no try had failed yet. */
  retry(): void {
    this.#drop()
    this.#forgetRefusals()
    this.#setStatus('disconnected', 0)
    this.#retryNow()
  }

  /** Gives the connection up for a new one. */
  reconnect(): void {
    this.#drop()
    this.#retryNow()
  }

  #connect(): void {
    clearTimeout(this.#reconnectTimer)
    this.#authenticating = false
    this.#joined.clear()
    this.#askedAtMs.clear()
    this.#connectingSinceMs = Date.now()
    const socket = this.#options.openSocket()
    this.#socket = socket
    this.#expectFrame(answerTimeoutMs, () => this.reconnectLater())
    socket.addEventListener('open', () => {
      if (socket !== this.#socket) return
      this.#authenticate()
      for (const auctionId of this.#rooms.keys()) this.send({ type: 'joinAuction', auctionId })
    })
    socket.addEventListener('message', (event) => {
      if (socket === this.#socket) this.#receive(event.data)
    })
    socket.addEventListener('close', (event) => {
      if (socket === this.#socket) this.#closed(event.code)
    })
  }

  /** @returns false for a guest, and where the socket is not open */
  #authenticate(): boolean {
    const token = this.#options.token()
    this.#authenticating = token !== null && this.send({ type: 'auth', token })
    return this.#authenticating
  }

  #receive(data: unknown): void {
    this.#listenForSilence()
    const frame = parseFrame(data)
    if (!frame) return
    if ('serverTime' in frame) hearServerTime(frame.serverTime, this.#askedForAtMs(frame))
    if (frame.type === 'auth_success') {
      this.#authenticating = false
      this.#renewals = 0
      this.#setStanding('signed-in')
    }
    if (frame.type === 'auctionJoined') {
      this.#joined.add(frame.auctionId)
      this.#askedAtMs.delete(frame.auctionId)
      if (this.#joined.size >= this.#rooms.size) this.#refusals = 0
    }
    if (frame.type === 'error' && !isAnswer(frame) && this.#recovers(frame)) return
    // Whoever is signed in counts as connected once the server knows it, so that no bid goes out as a guest's.
    if (!this.#authenticating) this.#setStatus('connected', 0)
    this.#tell(frame)
  }

  /** `null` for what comes by itself. */
  #askedForAtMs(frame: ServerFrame): number | null {
    if (frame.type === 'connected') return this.#connectingSinceMs
    return frame.type === 'auctionJoined' ? (this.#askedAtMs.get(frame.auctionId) ?? null) : null
  }

  #tell(frame: ServerFrame): void {
    for (const listener of this.#frameListeners) listener(frame)
  }

  /** Takes care of refusals that concern the connection itself. @returns false for all others */
  #recovers(frame: Extract<ServerFrame, { type: 'error' }>): boolean {
    const { code, auctionId } = frame
    if (auctionId !== undefined) {
      // Whoever is in the room was refused something else, such as a bid. Outside no news would come.
      const isOutside = this.#rooms.has(auctionId) && !this.#joined.has(auctionId)
      if (!isOutside || (code !== 'unavailable' && code !== 'rate-limited')) return false
      this.reconnectLater()
      this.#refusals += 1
      // Whoever watches is told why nothing comes.
      this.#tell(frame)
      return true
    }
    // The connection is somebody else's: another person has signed in. They may have been confirmed once more meanwhile.
    if (code === 'forbidden') {
      this.reconnect()
      return true
    }
    if (!this.#authenticating) return false
    this.#authenticating = false
    if (code === 'invalid-token' || code === 'authentication-required') this.#renewAndAuthenticate()
    else this.reconnectLater()
    return true
  }

  #renewAndAuthenticate(): void {
    if (!this.#mayRenew()) return
    this.#options.renewToken().then(
      () => this.tokenChanged(),
      () => this.#renewLater(),
    )
  }

  #closed(code: number): void {
    const refused = code === closeCodes.tokenExpired || code === closeCodes.banned
    if (refused) this.reconnectRenewed()
    else this.reconnectLater()
  }

  /** Gives the connection up for one with a fresh token. */
  reconnectRenewed(): void {
    this.#drop()
    if (!this.#mayRenew()) {
      this.reconnectLater()
      return
    }
    this.#options.renewToken().then(
      () => this.#retryNow(),
      () => this.#renewLater(),
    )
  }

  /** No fresh token could be had just now, so none was refused. */
  #renewLater(): void {
    this.#renewals = Math.max(0, this.#renewals - 1)
    this.reconnectLater()
  }

  /** @returns false once fresh tokens are refused, too */
  #mayRenew(): boolean {
    this.#renewals += 1
    if (this.#renewals <= renewalsMax) return true
    this.#setStanding('refused')
    return false
  }

  #forgetRefusals(): void {
    this.#refusals = 0
    this.#renewals = 0
    this.#setStanding('guest')
  }

  /** Drops the connection and opens another after a pause that grows. */
  reconnectLater(): void {
    this.#drop()
    if (this.#holds === 0) return
    const delays = this.#rooms.size > 0 ? reconnectDelaysMs : calmReconnectDelaysMs
    const delayMs = delays[Math.min(Math.max(this.#failures, this.#refusals), delays.length - 1)] ?? 0
    this.#setStatus('disconnected', this.#failures + 1)
    // Spread, so that a restarted gateway is not met by all its visitors at once.
    this.#reconnectTimer = setTimeout(() => this.#connect(), delayMs * (0.8 + Math.random() * 0.4))
  }

  #retryNow(): void {
    if (this.#holds === 0) return
    if (!this.#socket) this.#connect()
    else if (this.#socket.readyState === WebSocket.OPEN) this.#probe()
  }

  /** Asks something that must be answered; a connection that lost its other end does not tell by itself. */
  #probe(): void {
    const [auctionId] = this.#rooms.keys()
    const isAsked = auctionId !== undefined ? this.send({ type: 'joinAuction', auctionId }) : this.#authenticate()
    if (!isAsked) return
    this.#expectFrame(answerTimeoutMs, () => this.reconnectLater())
  }

  #listenForSilence(): void {
    this.#expectFrame(silenceMs, () => {
      if (document.visibilityState === 'visible') this.#probe()
      else this.#listenForSilence()
    })
  }

  #expectFrame(withinMs: number, orElse: () => void): void {
    clearTimeout(this.#silenceTimer)
    this.#silenceTimer = setTimeout(orElse, withinMs)
  }

  #close(): void {
    clearTimeout(this.#reconnectTimer)
    clearTimeout(this.#lingerTimer)
    this.#drop()
    this.#failures = 0
    this.#refusals = 0
  }

  #drop(): void {
    clearTimeout(this.#silenceTimer)
    const socket = this.#socket
    this.#socket = undefined
    this.#authenticating = false
    socket?.close()
    // Who is refused stays so in the next connection, until a token is taken.
    if (this.#standing === 'signed-in') this.#setStanding('guest')
    this.#setStatus('disconnected', this.#failures)
  }

  #setStatus(status: LiveStatus, failures: number): void {
    if (status === this.#status && failures === this.#failures) return
    this.#status = status
    this.#failures = failures
    for (const listener of this.#statusListeners) listener()
  }

  #setStanding(standing: LiveStanding): void {
    if (standing === this.#standing) return
    this.#standing = standing
    for (const listener of this.#statusListeners) listener()
  }
}

/** Whether a refusal is that of a bid or a message, and no matter of the connection. */
function isAnswer({ bidId, clientMessageId, userId }: Extract<ServerFrame, { type: 'error' }>): boolean {
  return bidId !== undefined || clientMessageId !== undefined || userId !== undefined
}

/** `undefined` for what is not ours, which a newer server may send. */
function parseFrame(data: unknown): ServerFrame | undefined {
  if (typeof data !== 'string') return undefined
  try {
    return ServerFrame.safeParse(JSON.parse(data)).data
  } catch {
    return undefined
  }
}
