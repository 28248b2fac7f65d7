import { randomBytes, randomUUID } from 'node:crypto'
import type { DatabasePool, Transaction } from '@wangian/kit/database/postgres.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { runCommand } from '@wangian/kit/log/command.ts'
import { userDecider, userStream } from '../accounts/domain.ts'
import { projectUser } from '../projections.ts'
import { updateLastSignIn } from '../store.ts'
import { isSignedBy, type RefreshToken, readRefreshToken } from './refresh-token.ts'
import { endSessions } from './revocation.ts'
import {
  findSessionForUpdate,
  insertSession,
  isUserWelcome,
  listStaleSessions,
  type Session,
  updateRefreshNumber,
} from './session-store.ts'

const DAY_MS = 24 * 60 * 60 * 1000
/** A session that nobody refreshes ends, and so the table cannot grow for ever. */
const SESSION_IDLE_MAX_MS = 60 * DAY_MS
const SESSIONS_PER_USER_MAX = 100
const REFRESH_KEY_BYTES = 32

/** How somebody has just proven to be this user. */
export interface SignInProof {
  readonly userId: number
  readonly method: string
  readonly provider: string
  /** Looks, with the person locked, whether the proof still is one; throwing undoes all. */
  readonly within?: (transaction: Transaction) => Promise<void>
}

/**
 * Begins a session for somebody who has just proven to be this user.
 * @throws Rejection('account-suspended') for somebody who is banned or gone
 */
export function openSession(pool: DatabasePool, proof: SignInProof, now: Date): Promise<Session> {
  return pool.transaction((transaction) => openSessionIn(transaction, proof, now))
}

/** The same within the transaction that uses the proof up. */
export async function openSessionIn(transaction: Transaction, proof: SignInProof, now: Date): Promise<Session> {
  const { userId, method, provider, within } = proof
  const at = now.toISOString()
  const session: Session = {
    id: randomUUID(),
    userId,
    method,
    authenticatedAt: at,
    refreshKey: randomBytes(REFRESH_KEY_BYTES).toString('base64url'),
    refreshNumber: 1,
    refreshedAt: at,
    revokedAt: null,
    factorAt: null,
    factorMethod: null,
  }
  // Looked at here, under a lock: a ban that comes at the same moment either sees this session or is seen by it.
  if (!(await isUserWelcome(transaction, userId))) throw new Rejection('account-suspended')
  // This locks the person: sessions that all end later end with this one.
  await updateLastSignIn(transaction, { userId, provider, at })
  await within?.(transaction)
  await insertSession(transaction, session)
  await endStaleSessions(transaction, userId, now)
  return session
}

/** Ends what nobody has refreshed for too long, and the oldest of too many. Whoever keeps something for such a session, as where to push notices, is told. */
export async function endStaleSessions(transaction: Transaction, userId: number, now: Date): Promise<void> {
  const refreshedBefore = idleSince(now)
  const stale = await listStaleSessions(transaction, { userId, refreshedBefore, keptMax: SESSIONS_PER_USER_MAX })
  if (stale.length > 0) await endSessions(transaction, { userId, sessionIds: stale, reason: 'signed-out' })
}

/** A session that was refreshed before this has ended. */
export function idleSince(now: Date): string {
  return new Date(now.getTime() - SESSION_IDLE_MAX_MS).toISOString()
}

export type Refresh =
  /** `session.refreshNumber` is that of the token to give out. */
  | { readonly outcome: 'refreshed'; readonly session: Session }
  | { readonly outcome: 'unknown' }
  /** The token is older than tolerated, which has just ended its session: all tokens of it are refused from now on. */
  | { readonly outcome: 'reused'; readonly userId: number }
  /** The session has ended before. */
  | { readonly outcome: 'already-used'; readonly userId: number }
  | { readonly outcome: 'expired' }

/**
 * Exchanges a refresh token. The active one is replaced by the next; the one before it gets the active one again,
 * because tabs that share a session may both have tried; with any older one somebody has a copy, and the session ends.
 * Call `onAppended` when it was `reused`.
 */
export async function refreshSession(
  pool: DatabasePool,
  token: string,
  now: Date,
  correlationId: string,
): Promise<Refresh> {
  const used = readRefreshToken(token)
  if (used === null) return { outcome: 'unknown' }
  const refresh = await exchangeToken(pool, used, now)
  if (refresh.outcome !== 'reused') return refresh
  const { userId } = refresh
  const isFirst = await endFamily(pool, { userId, sessionId: used.sessionId, now, correlationId })
  return { outcome: isFirst ? 'reused' : 'already-used', userId }
}

function exchangeToken(pool: DatabasePool, used: RefreshToken, now: Date): Promise<Refresh> {
  return pool.transaction(async (transaction): Promise<Refresh> => {
    const session = await findSessionForUpdate(transaction, used.sessionId)
    if (session === null || !isSignedBy(used, session) || used.number > session.refreshNumber) {
      return { outcome: 'unknown' }
    }
    if (session.revokedAt !== null) return { outcome: 'already-used', userId: session.userId }
    if (now.getTime() - Date.parse(session.refreshedAt) > SESSION_IDLE_MAX_MS) return { outcome: 'expired' }
    if (used.number === session.refreshNumber) {
      const next = { ...session, refreshNumber: session.refreshNumber + 1, refreshedAt: now.toISOString() }
      await updateRefreshNumber(transaction, next)
      return { outcome: 'refreshed', session: next }
    }
    if (used.number === session.refreshNumber - 1) return { outcome: 'refreshed', session }
    // Ended in a transaction of its own, for there the log comes first.
    return { outcome: 'reused', userId: session.userId }
  })
}

/** @returns whether the session had not ended before */
async function endFamily(
  pool: DatabasePool,
  family: { readonly userId: number; readonly sessionId: string; readonly now: Date; readonly correlationId: string },
): Promise<boolean> {
  const { userId, sessionId, now, correlationId } = family
  try {
    await runCommand({
      pool,
      decider: userDecider,
      stream: userStream(userId),
      command: { type: 'RevokeSessions', reason: 'token-reused', at: now.toISOString() },
      metadata: { actorId: null, correlationId, causationId: null, commandId: null },
      project: async (transaction, events) => {
        for (const event of events) await projectUser(transaction, event)
        const session = await findSessionForUpdate(transaction, sessionId)
        if (session === null || session.revokedAt !== null) throw new HasEnded()
        await endSessions(transaction, { userId, sessionIds: [sessionId], reason: 'token-reused' })
      },
    })
    return true
  } catch (error) {
    // A person who is gone has no sessions.
    if (error instanceof HasEnded || (error instanceof Rejection && error.code === 'not-found')) return false
    throw error
  }
}

/** Somebody else ended the session, so that nothing is to be said of it. */
class HasEnded extends Error {
  override readonly name = 'HasEnded'
}
