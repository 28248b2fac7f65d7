import { type Executor, sql, type Transaction } from '@wangian/kit/database/postgres.ts'
import { z } from 'zod'

const Session = z.object({
  id: z.string(),
  userId: z.number(),
  /** How the person proved to be themselves, e.g. `password`. */
  method: z.string(),
  authenticatedAt: z.string(),
  /** Signs the refresh tokens of this session. */
  refreshKey: z.string(),
  /** The number of the refresh token that is good now; the first is 1. */
  refreshNumber: z.number(),
  refreshedAt: z.string(),
  revokedAt: z.string().nullable(),
  /** When a second factor was shown in this session, and how, e.g. `totp`. */
  factorAt: z.string().nullable(),
  factorMethod: z.string().nullable(),
})
export type Session = z.infer<typeof Session>

const sessionColumns = sql.fragment`
  id, user_id as "userId", method, authenticated_at as "authenticatedAt", refresh_key as "refreshKey",
  refresh_number as "refreshNumber", refreshed_at as "refreshedAt", revoked_at as "revokedAt",
  factor_at as "factorAt", factor_method as "factorMethod"`

export async function insertSession(executor: Executor, session: Session): Promise<void> {
  await executor.query(sql.unsafe`
    insert into sessions (id, user_id, method, authenticated_at, refresh_key, refresh_number, refreshed_at, factor_at,
                          factor_method)
    values (${session.id}, ${session.userId}, ${session.method}, ${session.authenticatedAt}, ${session.refreshKey},
            ${session.refreshNumber}, ${session.refreshedAt}, ${session.factorAt}, ${session.factorMethod})`)
}

/** A second factor was shown in it. @returns the session as it is now; `null` when it has ended */
export function raiseSession(
  transaction: Transaction,
  raised: { readonly id: string; readonly factorId: string; readonly method: string; readonly at: string },
): Promise<Session | null> {
  return transaction.maybeOne(sql.type(Session)`
    update sessions set factor_id = ${raised.factorId}, factor_method = ${raised.method}, factor_at = ${raised.at}
     where id = ${raised.id} and revoked_at is null
    returning ${sessionColumns}`)
}

/** The sessions in which this factor, or any, was shown are as if it had not been. */
export async function lowerSessions(
  transaction: Transaction,
  { userId, factorId }: { readonly userId: number; readonly factorId?: string },
): Promise<void> {
  await transaction.query(sql.unsafe`
    update sessions set factor_id = null, factor_method = null, factor_at = null
     where user_id = ${userId} and factor_at is not null
       and (${factorId ?? null}::uuid is null or factor_id = ${factorId ?? null}::uuid)`)
}

/** The other sessions of the user in which no second factor was shown. */
export function listLowSessions(
  executor: Executor,
  { userId, exceptId }: { readonly userId: number; readonly exceptId: string },
): Promise<readonly string[]> {
  return executor.anyFirst(sql.type(IdRow)`
    select id from sessions where user_id = ${userId} and id <> ${exceptId} and factor_at is null`)
}

/** The other sessions of the user that another site has opened. */
export function listSessionsFromElsewhere(
  executor: Executor,
  { userId, exceptId }: { readonly userId: number; readonly exceptId: string },
): Promise<readonly string[]> {
  return executor.anyFirst(sql.type(IdRow)`
    select id from sessions where user_id = ${userId} and id <> ${exceptId} and method = 'oauth' and revoked_at is null`)
}

/** Others who want to refresh the same session wait until the transaction ends. */
export function findSessionForUpdate(transaction: Transaction, sessionId: string): Promise<Session | null> {
  return transaction.maybeOne(sql.type(Session)`
    select ${sessionColumns} from sessions where id = ${sessionId} for update`)
}

/** The session if it is this user's and has not ended. */
export function findLiveSession(executor: Executor, sessionId: string, userId: number): Promise<Session | null> {
  return executor.maybeOne(sql.type(Session)`
    select ${sessionColumns} from sessions
     where id = ${sessionId} and user_id = ${userId} and revoked_at is null`)
}

/** Whether this session has not ended; whoever wants to end it waits until the transaction ends. */
export async function isSessionLive(transaction: Transaction, sessionId: string): Promise<boolean> {
  const { rowCount } = await transaction.query(sql.unsafe`
    select from sessions where id = ${sessionId} and revoked_at is null for share`)
  return rowCount === 1
}

export async function updateRefreshNumber(
  transaction: Transaction,
  session: { readonly id: string; readonly refreshNumber: number; readonly refreshedAt: string },
): Promise<void> {
  await transaction.query(sql.unsafe`
    update sessions set refresh_number = ${session.refreshNumber}, refreshed_at = ${session.refreshedAt}
     where id = ${session.id}`)
}

/** A session in which a forgotten password was replaced is one like others then. */
export async function endRecovery(executor: Executor, sessionId: string): Promise<void> {
  await executor.query(sql.unsafe`update sessions set method = 'otp' where id = ${sessionId} and method = 'recovery'`)
}

const WelcomeRow = z.object({ isWelcome: z.boolean() })

/** Whether the user is neither banned nor gone; whoever wants to change that waits until the transaction ends. */
export async function isUserWelcome(transaction: Transaction, userId: number): Promise<boolean> {
  const isWelcome = await transaction.maybeOneFirst(sql.type(WelcomeRow)`
    select not is_banned and closed_at is null and erased_at is null as "isWelcome"
      from users where id = ${userId} for share`)
  return isWelcome ?? false
}

const IdRow = z.object({ id: z.string() })

/** Those that nobody has refreshed since, and of the others all but the newest `keptMax`. */
export function listStaleSessions(
  executor: Executor,
  stale: { readonly userId: number; readonly refreshedBefore: string; readonly keptMax: number },
): Promise<readonly string[]> {
  return executor.anyFirst(sql.type(IdRow)`
    select id from sessions
     where user_id = ${stale.userId}
       and (refreshed_at < ${stale.refreshedBefore}
            or id in (select id from sessions where user_id = ${stale.userId}
                       order by refreshed_at desc, id offset ${stale.keptMax}))`)
}
