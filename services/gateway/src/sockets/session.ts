import type { NatsConnection } from '@nats-io/transport-node'
import { INVALID_AMOUNT_SEN } from '@wangian/contracts/auction-wire.ts'
import { type ErrorCode, errorCatalogue } from '@wangian/contracts/errors.ts'
import { clientFrames, closeCodes, type serverFrames } from '@wangian/contracts/frames.ts'
import { plainMessage } from '@wangian/contracts/messages.ts'
import { formatRinggit, ringgitFromSen, senFromRinggit } from '@wangian/contracts/money.ts'
import type { RevocationReason } from '@wangian/contracts/revocations.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import type { Authenticator, Caller } from '@wangian/kit/http/auth.ts'
import { Allowance, type RateLimiter } from '@wangian/kit/http/rate-limit.ts'
import type { Revocations } from '@wangian/kit/http/revocations.ts'
import type { Logger } from '@wangian/kit/service/logger.ts'
import { parse as secureJsonParse } from 'secure-json-parse'
import type { z } from 'zod'
import type { KeyedCounts } from '../limits.ts'
import { countFrame } from '../metrics.ts'
import type { BidRouter } from './bid-router.ts'
import { Correspondence } from './correspondence.ts'
import type { Rooms, Watcher } from './rooms.ts'
import { type SocketWriter, textFrame } from './socket-writer.ts'
import type { UserChannels, UserSocket } from './user-channels.ts'

/** What a socket may do in `production`; all are multiplied by the rate limit factor. */
export const sessionLimits = {
  /** Of one socket. */
  frames: { limit: 60, windowMs: 3000 },
  /** Of one person in one auction. */
  bids: { limit: 5, windowMs: 1000 },
  rooms: 50,
  /** Joins of one socket, those that are refused included: each costs a question to the auction service. */
  joins: { limit: 100, windowMs: 60_000 },
  /** Of all sockets of one address. */
  joinsPerAddress: { limit: 600, windowMs: 60_000 },
  /** Of all sockets of one person: a conversation of the longest messages is more than a megabyte, which is read and written four times on its way. */
  conversations: { limit: 30, windowMs: 30_000 },
  socketsPerUser: 20,
  socketsPerAddress: 200,
  /** Of one address, beyond as many at once as it may have sockets. */
  upgradesPerSecond: 20,
} as const

const BAD_FRAMES_IN_A_ROW_MAX = 5
const AUTH_TRIES_MAX = 3
/** Frames and joins over the limit that are still answered before the socket is closed; each is forgiven after a while. */
const FLOOD_WARNINGS = { limit: 5, windowMs: 60_000 } as const

/** What all sockets of this gateway share. */
export interface SessionShared {
  readonly nats: NatsConnection
  readonly auth: Authenticator
  readonly revocations: Pick<Revocations, 'reasonOf'>
  readonly rooms: Rooms
  readonly bids: BidRouter
  readonly channels: UserChannels
  readonly bidLimit: RateLimiter
  /** By address. */
  readonly joinLimit: RateLimiter
  /** By person. */
  readonly conversationLimit: RateLimiter
  readonly socketsOfUser: KeyedCounts
  readonly rateLimitFactor: number
  readonly log: Logger
}

type ClientFrame = { [Type in keyof typeof clientFrames]: z.infer<(typeof clientFrames)[Type]> }

/** One socket: who it is, which rooms it is in, and what it may do. Answers every frame that asks for something. */
export class Session implements Watcher, UserSocket {
  readonly writer: SocketWriter
  readonly #shared: SessionShared
  readonly #close: (code: number, reason: string) => void
  readonly #onSession: (before: string | null) => void
  readonly #address: string
  /** By auction; who has left a room and is back is on another visit. */
  readonly #visits = new Map<number, symbol>()
  readonly #frames: Allowance
  readonly #joins: Allowance
  readonly #floodWarnings = new Allowance(FLOOD_WARNINGS)
  readonly #correspondence: Correspondence
  #caller: Caller | null = null
  #badFrames = 0
  #authFailures = 0
  #isBanned = false
  #isClosed = false

  constructor(options: {
    shared: SessionShared
    writer: SocketWriter
    /** What limits per address count by. */
    address: string
    close: (code: number, reason: string) => void
    /** Somebody has signed in, or goes on in another session than `before`. */
    onSession: (before: string | null) => void
  }) {
    this.#shared = options.shared
    this.writer = options.writer
    this.#close = options.close
    this.#onSession = options.onSession
    this.#address = options.address
    const { rateLimitFactor } = options.shared
    const { frames, joins } = sessionLimits
    this.#frames = new Allowance({ limit: frames.limit * rateLimitFactor, windowMs: frames.windowMs })
    this.#joins = new Allowance({ limit: joins.limit * rateLimitFactor, windowMs: joins.windowMs })
    this.#correspondence = new Correspondence({
      nats: options.shared.nats,
      log: options.shared.log,
      caller: () => this.#caller,
      send: (type, fields) => this.#send(type, fields as never),
      refuse: (code, facts) => this.#refuse(code, facts),
      show: (frames) => this.#show(frames),
    })
    this.#send('connected', { serverTime: new Date().toISOString() })
  }

  /** Of whoever is signed in. */
  get sessionId(): string | null {
    return this.#caller?.sessionId ?? null
  }

  get userId(): number | null {
    return this.#caller?.id ?? null
  }

  /** Takes a frame as it came. */
  receive(data: Buffer, isBinary: boolean): void {
    const nowMs = performance.now()
    if (this.#isTooMany(nowMs)) return
    const frame = isBinary ? null : parseObject(data)
    if (frame === null) return this.#receiveBad()
    switch (frame.type) {
      case 'placeBid':
        return this.#parsed('placeBid', frame, (bid) => this.#placeBid(bid, nowMs))
      case 'joinAuction':
        return this.#parsed('joinAuction', frame, (join) => void this.#join(join.auctionId, nowMs))
      case 'leaveAuction':
        return this.#parsed('leaveAuction', frame, (leave) => this.#leave(leave.auctionId))
      case 'auth':
        return this.#parsed('auth', frame, (auth) => void this.#authenticate(auth.token))
      case 'send_message':
        return this.#parsed('send_message', frame, (message) => this.#correspondence.send(message))
      case 'mark_read':
        return this.#parsed('mark_read', frame, (read) => this.#correspondence.markRead(read))
      case 'send_action_message':
        return this.#parsed('send_action_message', frame, (action) => this.#correspondence.sendAction(action))
      case 'get_conversation':
        return this.#parsed('get_conversation', frame, (wanted) => this.#getConversation(wanted))
      default:
        this.#receiveBad()
    }
  }

  /** The token has run out: whoever cannot renew it is signed out of the channel. */
  expire(nowMs: number): void {
    if (this.#caller !== null && this.#caller.expiresAt <= nowMs) this.#close(closeCodes.tokenExpired, 'Token expired')
  }

  /** A session has ended before its token: if it is this socket's, nothing more is taken from it. */
  onRevoked(sessionId: string, reason: RevocationReason): void {
    if (this.#caller?.sessionId !== sessionId) return
    if (reason !== 'banned') return this.#close(closeCodes.tokenExpired, 'Session ended')
    this.#isBanned = true
    this.#closeAsBanned()
  }

  onLive(frames: readonly Buffer[], commandId: string | null): void {
    if (commandId === null || !this.#correspondence.takes(commandId, frames)) this.#show(frames)
  }

  /** Browsers take it for a connection that is back, and read again what they show. */
  onMissed(): void {
    if (this.#caller !== null) this.#send('auth_success', { userId: this.#caller.id })
  }

  onStalled(): void {
    this.#close(closeCodes.tooSlow, 'Too slow')
  }

  /** The socket is gone. @returns when all that it has asked for is done */
  end(): Promise<void> {
    this.#isClosed = true
    for (const auctionId of this.#visits.keys()) this.#shared.rooms.leave(auctionId, this)
    this.#visits.clear()
    if (this.#caller !== null) {
      this.#shared.socketsOfUser.release(String(this.#caller.id))
      this.#shared.channels.leave(this.#caller.id, this)
    }
    this.#caller = null
    return this.#correspondence.settled
  }

  #parsed<Type extends keyof ClientFrame>(
    type: Type,
    frame: object,
    handle: (parsed: ClientFrame[Type]) => void,
  ): void {
    const parsed = clientFrames[type].safeParse(frame, { error: plainMessage })
    if (!parsed.success) return this.#receiveBad(parsed.error.issues[0]?.message)
    this.#badFrames = 0
    countFrame(type)
    handle(parsed.data as ClientFrame[Type])
  }

  #receiveBad(message: string = errorCatalogue['bad-request'].message): void {
    this.#badFrames++
    countFrame('bad')
    this.#refuse('bad-request', { message })
    if (this.#badFrames >= BAD_FRAMES_IN_A_ROW_MAX) this.#close(closeCodes.policyViolation, 'Too many bad frames')
  }

  /** A ping, which is answered already, or a pong that answers none of ours: a frame like any other, though there is nothing to do. */
  receiveControl(): void {
    this.#isTooMany(performance.now())
  }

  #isTooMany(nowMs: number): boolean {
    if (this.#frames.take(nowMs) === 0) return false
    countFrame('too many')
    this.#warnFlood(nowMs)
    return true
  }

  #warnFlood(nowMs: number, about: { readonly auctionId?: number } = {}): void {
    if (this.#floodWarnings.take(nowMs) === 0) this.#refuse('rate-limited', about)
    else this.#close(closeCodes.policyViolation, errorCatalogue['rate-limited'].message)
  }

  async #authenticate(token: string): Promise<void> {
    let caller: Caller
    try {
      caller = await this.#shared.auth.verify(token)
    } catch (error) {
      if (error instanceof Rejection) return this.#rejectToken(error)
      this.#shared.log.warn({ err: error }, 'a token could not be checked')
      return this.#refuse('unavailable')
    }
    if (this.#isClosed) return
    if (this.#caller !== null && this.#caller.id !== caller.id) {
      return this.#refuse('forbidden', { message: 'This connection belongs to another account' })
    }
    if (this.#caller === null && !this.#shared.socketsOfUser.acquire(String(caller.id))) {
      this.#refuse('rate-limited')
      return this.#close(closeCodes.policyViolation, 'Too many connections')
    }
    const before = this.sessionId
    this.#caller = caller
    this.#onSession(before)
    this.#authFailures = 0
    // It may have ended while its signature was being checked, when this socket could not be told.
    const reason = this.#shared.revocations.reasonOf(caller.sessionId)
    if (reason !== null) return this.onRevoked(caller.sessionId, reason)
    this.#shared.channels.join(caller.id, this)
    this.#send('auth_success', { userId: caller.id })
  }

  #rejectToken(rejection: Rejection): void {
    if (rejection.code === 'account-suspended') return this.#closeAsBanned()
    this.#authFailures++
    this.#refuse(rejection.code, { message: rejection.message })
    if (this.#authFailures >= AUTH_TRIES_MAX) this.#close(closeCodes.policyViolation, 'Too many invalid tokens')
  }

  #closeAsBanned(): void {
    this.#refuse('account-suspended')
    this.#close(closeCodes.banned, errorCatalogue['account-suspended'].message)
  }

  async #join(auctionId: number, nowMs: number): Promise<void> {
    const { rooms, rateLimitFactor, joinLimit, log } = this.#shared
    if (this.#joins.take(nowMs) > 0) return this.#warnFlood(nowMs, { auctionId })
    if (!joinLimit.allows(this.#address)) return this.#refuse('rate-limited', { auctionId })
    const before = this.#visits.get(auctionId)
    if (before === undefined && this.#visits.size >= sessionLimits.rooms * rateLimitFactor) {
      return this.#refuse('rate-limited', { auctionId })
    }
    const visit = before ?? Symbol('visit')
    this.#visits.set(auctionId, visit)
    try {
      if (await rooms.join(auctionId, this)) return
      if (this.#visits.get(auctionId) === visit) this.#visits.delete(auctionId)
      this.#refuse('auction-not-found', { auctionId })
    } catch (error) {
      log.warn({ err: error, auctionId }, 'no snapshot for a joining socket')
      const now = this.#visits.get(auctionId)
      // Whoever is back meanwhile has asked anew, and hears of that.
      if (now !== undefined && now !== visit) return
      // Whoever was in the room before takes it for granted that news still come.
      if (before === undefined) this.#leave(auctionId)
      this.#refuse('unavailable', { auctionId })
    }
  }

  #leave(auctionId: number): void {
    if (this.#visits.delete(auctionId)) this.#shared.rooms.leave(auctionId, this)
  }

  #getConversation(wanted: ClientFrame['get_conversation']): void {
    if (this.#caller !== null && !this.#shared.conversationLimit.allows(this.#caller.id))
      return this.#refuse('rate-limited', { userId: wanted.userId })
    this.#correspondence.getConversation(wanted)
  }

  #placeBid(bid: ClientFrame['placeBid'], nowMs: number): void {
    const { auctionId, bidId } = bid
    const about = bidId === undefined ? { auctionId } : { auctionId, bidId }
    const caller = this.#caller
    if (caller === null)
      return this.#refuse('authentication-required', { ...about, message: 'Authentication Required' })
    if (bid.userId !== undefined && bid.userId !== caller.id) return this.#refuse('forbidden', about)
    if (!this.#shared.bidLimit.allows(`${caller.id}:${auctionId}`)) return this.#refuse('rate-limited', about)
    const amountSen =
      typeof bid.amount === 'number' ? (senFromRinggit(bid.amount) ?? INVALID_AMOUNT_SEN) : INVALID_AMOUNT_SEN
    this.#shared.bids.place({
      auctionId,
      bidderId: caller.id,
      bidderName: caller.username,
      amountSen,
      bidId: bidId ?? null,
      receivedAtMs: nowMs,
      mayBeTaken: false,
      isBarred: () => this.#isBanned,
      onAccepted: (seq, acceptedSen) =>
        this.#send('bidAccepted', { message: 'Bid Accepted', ...about, amount: ringgitFromSen(acceptedSen), seq }),
      onRefused: (code, minimumSen) => this.#refuse(code, { ...about, ...refusalText(code, minimumSen) }),
    })
  }

  #show(frames: readonly Buffer[]): void {
    for (const frame of frames) this.writer.queue(frame)
  }

  #refuse(code: ErrorCode, facts: Partial<z.infer<typeof serverFrames.error>> = {}): void {
    this.#send('error', { message: errorCatalogue[code].message, code, ...facts })
  }

  #send<Type extends keyof typeof serverFrames>(
    type: Type,
    fields: Omit<z.infer<(typeof serverFrames)[Type]>, 'type'>,
  ): void {
    if (!this.#isClosed) this.writer.queue(textFrame(JSON.stringify({ type, ...fields })))
  }
}

function refusalText(code: ErrorCode, minimumSen: number): { message?: string; minimum?: number } {
  if (code !== 'bid-too-low') return {}
  const minimum = ringgitFromSen(minimumSen)
  return { message: `Your bid must be at least ${formatRinggit(minimum)}.`, minimum }
}

/** Keys that reach for a prototype make it no frame, as they make no request. */
function parseObject(data: Buffer): { type?: unknown } | null {
  try {
    const parsed: unknown = secureJsonParse(data.toString())
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? parsed : null
  } catch {
    return null
  }
}
