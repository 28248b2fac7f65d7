import {
  identityRequests,
  REVOCATION_MEMORY_MS,
  REVOCATIONS_PER_PAGE,
  type RevocationReason,
  SESSIONS_REVOKED_SUBJECT,
  SessionsRevoked,
} from '@wangian/contracts/revocations.ts'
import { createBell } from '../bell.ts'
import { type NatsConnection, subscribe } from '../bus/nats.ts'
import { request } from '../bus/requests.ts'
import { Failure } from '../errors.ts'
import { watchConnection } from '../log/event-stream.ts'
import type { Logger } from '../service/logger.ts'

/** A message that was lost is made up for within this. */
const RECONCILE_EVERY_MS = 2000
/** After a failure: while nothing is known yet no token is taken, and when the bus is back identity is back a moment later. */
const RETRY_MS = 200
const WARN_AFTER_MS = 3000
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
  const ended = new Map<string, Ended>()
  const listeners = new Set<RevocationListener>()
  const bell = createBell()
  const stopping = new AbortController()
  let isLoaded = false
  /** Everything up to this number is known. */
  let knownId = 0

  function learn(sessionId: string, reason: RevocationReason, userId: number): void {
    if (ended.has(sessionId)) return
    ended.set(sessionId, { reason, knownSinceMs: Date.now() })
    for (const listener of listeners) {
      try {
        listener(sessionId, reason, userId)
      } catch (error) {
        // It must not keep the others, or the next sessions, from being told.
        log.error({ err: error }, 'a listener to ended sessions failed')
      }
    }
  }

  /** The oldest come first in a map. */
  function forgetOld(): void {
    const bound = Date.now() - REVOCATION_MEMORY_MS
    for (const [sessionId, { knownSinceMs }] of ended) {
      if (knownSinceMs >= bound) return
      ended.delete(sessionId)
    }
  }

  async function reconcile(): Promise<void> {
    let settledId: number | null = null
    for (let afterId = knownId; ; ) {
      const page = await request(nats, 'identity', identityRequests.listRevocations, { afterId })
      // The first page's: what was settled then is on this page or on one that follows.
      settledId ??= page.settledId
      for (const { sessionId, reason, userId } of page.revocations) learn(sessionId, reason, userId)
      const last = page.revocations.at(-1)
      if (last === undefined || page.revocations.length < REVOCATIONS_PER_PAGE) break
      afterId = last.id
    }
    knownId = Math.max(knownId, settledId)
  }

  const subscription = subscribe(
    nats,
    SESSIONS_REVOKED_SUBJECT,
    (message) => {
      const { userId, sessionIds, reason } = SessionsRevoked.parse(message.json())
      for (const sessionId of sessionIds) learn(sessionId, reason, userId)
    },
    { log },
  )
  const connection = watchConnection(nats, () => bell.ring())

  async function run(): Promise<void> {
    let failures = 0
    let failingSinceMs = 0
    let hasWarned = false
    while (!stopping.signal.aborted) {
      try {
        if (connection.isUp()) {
          await reconcile()
          isLoaded = true
          failures = 0
          hasWarned = false
        }
      } catch (error) {
        if (failures === 0) failingSinceMs = performance.now()
        failures += 1
        // Once per outage, and not while identity is merely starting beside us.
        if (!hasWarned && performance.now() - failingSinceMs >= WARN_AFTER_MS) {
          hasWarned = true
          log.warn({ err: error }, 'cannot ask which sessions have ended')
        }
      }
      forgetOld()
      const isHasty = !isLoaded || (failures > 0 && failures <= QUICK_RETRIES_MAX)
      await bell.wait(isHasty ? RETRY_MS : reconcileEveryMs, stopping.signal)
    }
  }
  const running = run()

  function reasonOf(sessionId: string): RevocationReason | null {
    const known = ended.get(sessionId)
    if (known === undefined && !isLoaded) throw new Failure('it is not known yet which sessions have ended')
    return known?.reason ?? null
  }

  return {
    reasonOf,
    isRevoked: (sessionId) => reasonOf(sessionId) !== null,
    onRevoked(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async stop() {
      stopping.abort()
      if (!nats.isClosed()) subscription.unsubscribe()
      await running
    },
  }
}
