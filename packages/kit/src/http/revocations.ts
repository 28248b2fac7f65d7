import { identityRequests, REVOCATIONS_PER_PAGE } from '@wangian/contracts/identity-requests.ts'
import {
  REVOCATION_MEMORY_MS,
  type RevocationReason,
  SESSIONS_REVOKED_SUBJECT,
  SessionsRevoked,
} from '@wangian/contracts/revocations.ts'
import { createBell, untilTick } from '../bell.ts'
import { type NatsConnection, subscribe } from '../bus/nats.ts'
import { request } from '../bus/requests.ts'
import { Failure } from '../errors.ts'
import { watchConnection } from '../log/event-stream.ts'
import type { Logger } from '../service/logger.ts'
import { Outage } from '../service/outage.ts'

/** A message that was lost is made up for within this. */
const RECONCILE_EVERY_MS = 2000
/** After a failure: while nothing is known yet no token is taken, and when the bus is back identity is back a moment later. */
const RETRY_MS = 200
const QUICK_RETRIES_MAX = 50

export interface Revocations {
  /**
   * Why a session has ended before its tokens; `null` for one that has not.
   * @throws Failure as long as nothing is known, i.e. until identity has answered once
   */
  reasonOf(sessionId: string): RevocationReason | null
  isRevoked(sessionId: string): boolean
  /** Called once for each session that has ended, when it becomes known here. @returns how to stop that */
  onRevoked(listener: RevocationListener): () => void
  stop(): Promise<void>
}

export type RevocationListener = (sessionId: string, reason: RevocationReason, userId: number) => void

interface Ended {
  readonly reason: RevocationReason
  readonly knownSinceMs: number
}

/**
 * Knows which sessions have ended although their tokens have not run out: from identity's messages as they come, and by asking at the
 * start, whenever the bus was away, and every 2 s for what was lost. Each is forgotten when no token of it can be good any more.
 */
export function followRevocations(
  nats: NatsConnection,
  log: Logger,
  { reconcileEveryMs = RECONCILE_EVERY_MS } = {},
): Revocations {
  const sessions = new EndedSessions(log)
  const bell = createBell()
  const stopping = new AbortController()
  const subscription = subscribe(
    nats,
    SESSIONS_REVOKED_SUBJECT,
    (message) => {
      const { userId, sessionIds, reason } = SessionsRevoked.parse(message.json())
      for (const sessionId of sessionIds) sessions.learn(sessionId, reason, userId)
    },
    { log },
  )
  const connection = watchConnection(nats, () => bell.ring())

  async function run(): Promise<void> {
    const outage = new Outage(log, 'cannot ask which sessions have ended')
    /** Everything up to this number is known. */
    let knownId = 0
    while (!stopping.signal.aborted) {
      try {
        if (connection.isUp()) {
          knownId = await learnSince(knownId, nats, sessions)
          sessions.isLoaded = true
          outage.end()
        }
      } catch (error) {
        outage.note(error)
      }
      sessions.forgetOld()
      // While nothing is known yet no token is taken, and an outage may soon be over.
      const isHasty = !sessions.isLoaded || (outage.failures > 0 && outage.failures <= QUICK_RETRIES_MAX)
      await bell.wait(isHasty ? RETRY_MS : untilTick(reconcileEveryMs), stopping.signal)
    }
  }
  const running = run()

  return {
    reasonOf: (sessionId) => sessions.reasonOf(sessionId),
    isRevoked: (sessionId) => sessions.reasonOf(sessionId) !== null,
    onRevoked: (listener) => sessions.onRevoked(listener),
    async stop() {
      stopping.abort()
      if (!nats.isClosed()) subscription.unsubscribe()
      await running
    },
  }
}

/**
 * Asks identity for all that ended after the one with this number.
 * @returns up to which number everything is known now
 */
async function learnSince(knownId: number, nats: NatsConnection, sessions: EndedSessions): Promise<number> {
  let settledId: number | null = null
  for (let afterId = knownId; ; ) {
    const page = await request(nats, 'identity', identityRequests.listRevocations, { afterId })
    // The first page's: what was settled then is on this page or on one that follows.
    settledId ??= page.settledId
    for (const { sessionId, reason, userId } of page.revocations) sessions.learn(sessionId, reason, userId)
    const last = page.revocations.at(-1)
    if (last === undefined || page.revocations.length < REVOCATIONS_PER_PAGE) return Math.max(knownId, settledId)
    afterId = last.id
  }
}

/** What is known, and who is told of it. */
class EndedSessions {
  /** Whether identity has answered, so that a session which is not here has not ended. */
  isLoaded = false
  readonly #log: Logger
  /** The oldest come first. */
  readonly #ended = new Map<string, Ended>()
  readonly #listeners = new Set<RevocationListener>()

  constructor(log: Logger) {
    this.#log = log
  }

  learn(sessionId: string, reason: RevocationReason, userId: number): void {
    if (this.#ended.has(sessionId)) return
    this.#ended.set(sessionId, { reason, knownSinceMs: performance.now() })
    for (const listener of this.#listeners) {
      try {
        listener(sessionId, reason, userId)
      } catch (error) {
        // It must not keep the others, or the next sessions, from being told.
        this.#log.error({ err: error }, 'a listener to ended sessions failed')
      }
    }
  }

  forgetOld(): void {
    const bound = performance.now() - REVOCATION_MEMORY_MS
    for (const [sessionId, { knownSinceMs }] of this.#ended) {
      if (knownSinceMs >= bound) return
      this.#ended.delete(sessionId)
    }
  }

  reasonOf(sessionId: string): RevocationReason | null {
    const known = this.#ended.get(sessionId)
    if (known === undefined && !this.isLoaded) throw new Failure('it is not known yet which sessions have ended')
    return known?.reason ?? null
  }

  onRevoked(listener: RevocationListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
