import { REVOCATION_MEMORY_MS, RevocationReason } from '@wangian/contracts/revocations.ts'
import { type Executor, sql, type Transaction } from '@wangian/kit/database/postgres.ts'
import { z } from 'zod'

/** Postgres tells this channel of ended sessions at each commit; see revocation-relay.ts. */
export const REVOCATION_CHANNEL = 'sessions_revoked'

const IdRow = z.object({ id: z.string() })

/** Which sessions: these, or all of the user but one, or simply all. */
export interface SessionChoice {
  readonly userId: number
  readonly sessionIds?: readonly string[]
  readonly exceptId?: string
}

/** @returns the ids of those that were there */
export function deleteSessions(transaction: Transaction, choice: SessionChoice): Promise<readonly string[]> {
  return transaction.anyFirst(sql.type(IdRow)`delete from sessions where ${chosen(choice)} returning id`)
}

/** Keeps them, so that their refresh tokens are still recognised. @returns the ids of those that had not ended before */
export function markSessionsRevoked(transaction: Transaction, choice: SessionChoice): Promise<readonly string[]> {
  return transaction.anyFirst(sql.type(IdRow)`
    update sessions set revoked_at = clock_timestamp() where ${chosen(choice)} and revoked_at is null returning id`)
}

function chosen({ userId, sessionIds, exceptId }: SessionChoice) {
  const ids = sessionIds === undefined ? sql.fragment`true` : sql.fragment`id = any (${sql.array(sessionIds, 'uuid')})`
  return sql.fragment`user_id = ${userId} and ${ids} and id is distinct from ${exceptId ?? null}::uuid`
}

export async function insertRevocations(
  transaction: Transaction,
  revoked: { readonly userId: number; readonly sessionIds: readonly string[]; readonly reason: RevocationReason },
): Promise<void> {
  await transaction.query(sql.unsafe`
    insert into revoked_sessions (session_id, user_id, reason)
    select session_id, ${revoked.userId}, ${revoked.reason}
      from unnest(${sql.array(revoked.sessionIds, 'uuid')}) as session (session_id)`)
}

/** Postgres passes it on when the transaction commits, and only then. */
export async function notifyOnCommit(transaction: Transaction, payload: string): Promise<void> {
  await transaction.query(sql.unsafe`select pg_notify(${REVOCATION_CHANNEL}, ${payload})`)
}

const ReasonRow = z.object({ reason: RevocationReason })

/** Why a session ended, of those that ended lately. */
export function findRevocationReason(executor: Executor, sessionId: string): Promise<RevocationReason | null> {
  return executor.maybeOneFirst(sql.type(ReasonRow)`
    select reason from revoked_sessions where session_id = ${sessionId} order by id desc limit 1`)
}

/** Which of these sessions are over, or were never there. */
export function listEndedSessions(executor: Executor, sessionIds: readonly string[]): Promise<readonly string[]> {
  return executor.anyFirst(sql.type(IdRow)`
    select id from unnest(${sql.array([...sessionIds], 'uuid')}) as asked (id)
     where not exists (select from sessions s where s.id = asked.id and s.revoked_at is null)`)
}

const RevocationRow = z.object({
  id: z.number(),
  sessionId: z.string(),
  userId: z.number(),
  reason: RevocationReason,
  revokedAt: z.string(),
})
export type RevocationRow = z.infer<typeof RevocationRow>

const PageRow = z.object({ settledId: z.number(), revocation: RevocationRow.nullable() })

/**
 * Those above a number in their order, as of one moment. `settledId` is the highest number that is older than any transaction can be: what is settled is
 * on this page or on one after it.
 */
export async function readRevocations(
  executor: Executor,
  page: { readonly afterId: number; readonly limit: number; readonly transactionMaxS: number },
): Promise<{ readonly revocations: readonly RevocationRow[]; readonly settledId: number }> {
  const rows = await executor.many(sql.type(PageRow)`
    select settled.id as "settledId",
           revoked.id as "revocation.id", session_id as "revocation.sessionId", user_id as "revocation.userId",
           reason as "revocation.reason", revoked_at as "revocation.revokedAt"
      from (select coalesce(max(id), 0) as id from revoked_sessions
             where revoked_at < now() - make_interval(secs => ${page.transactionMaxS})) settled
      left join (select * from revoked_sessions
                  where id > ${page.afterId}
                  order by id
                  limit ${page.limit}) revoked on true
     order by revoked.id`)
  return {
    revocations: rows.flatMap(({ revocation }) => revocation ?? []),
    settledId: rows[0]?.settledId ?? 0,
  }
}

/** As old as that, no token of theirs is good any more. */
export async function deleteOldRevocations(executor: Executor): Promise<void> {
  await executor.query(sql.unsafe`
    delete from revoked_sessions where revoked_at < now() - make_interval(secs => ${REVOCATION_MEMORY_MS / 1000})`)
}

/** Notifications of the channel come over this connection from now on. */
export async function listen(
  client: { query(statement: string): Promise<unknown> },
  channel: typeof REVOCATION_CHANNEL,
): Promise<void> {
  await client.query(`listen ${channel}`)
}
