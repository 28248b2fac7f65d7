import { type Executor, sql } from '@wangian/kit/database/postgres.ts'
import { z } from 'zod'

/** What a flow leads to: a sign-in at another site, or one of the mails with a link. */
export const flowKinds = ['oauth', 'signup', 'recovery', 'email_change'] as const
export type FlowKind = (typeof flowKinds)[number]

const FlowState = z.object({
  id: z.string(),
  kind: z.enum(flowKinds),
  codeChallenge: z.string(),
  provider: z.string().nullable(),
  redirectTo: z.string().nullable(),
  browserHash: z.string().nullable(),
  userId: z.number().nullable(),
  createdAt: z.string(),
  answeredAt: z.string().nullable(),
  codeIssuedAt: z.string().nullable(),
})
export type FlowState = z.infer<typeof FlowState>

const flowColumns = sql.fragment`
  id, kind, code_challenge as "codeChallenge", provider, redirect_to as "redirectTo", browser_hash as "browserHash",
  user_id as "userId", created_at as "createdAt", answered_at as "answeredAt", code_issued_at as "codeIssuedAt"`

export async function insertFlow(
  executor: Executor,
  flow: Omit<FlowState, 'answeredAt' | 'codeIssuedAt'>,
): Promise<void> {
  await executor.query(sql.unsafe`
    insert into flow_states (id, kind, code_challenge, provider, redirect_to, browser_hash, user_id, created_at)
    values (${flow.id}, ${flow.kind}, ${flow.codeChallenge}, ${flow.provider}, ${flow.redirectTo}, ${flow.browserHash},
            ${flow.userId}, ${flow.createdAt})`)
}

export function findFlow(executor: Executor, flowId: string): Promise<FlowState | null> {
  return executor.maybeOne(sql.type(FlowState)`select ${flowColumns} from flow_states where id = ${flowId}`)
}

/** @returns whether this was the first answer */
export async function markAnswered(executor: Executor, flowId: string, at: string): Promise<boolean> {
  const { rowCount } = await executor.query(sql.unsafe`
    update flow_states set answered_at = ${at} where id = ${flowId} and answered_at is null`)
  return rowCount === 1
}

/** Replaces a code that was issued before. @returns whether there is such a flow */
export async function updateCode(
  executor: Executor,
  code: { readonly flowId: string; readonly userId: number; readonly hash: string; readonly at: string },
): Promise<boolean> {
  const { rowCount } = await executor.query(sql.unsafe`
    update flow_states set user_id = ${code.userId}, code_hash = ${code.hash}, code_issued_at = ${code.at}
     where id = ${code.flowId}`)
  return rowCount === 1
}

export function findFlowByCode(executor: Executor, codeHash: string): Promise<FlowState | null> {
  return executor.maybeOne(sql.type(FlowState)`select ${flowColumns} from flow_states where code_hash = ${codeHash}`)
}

/** @returns whether it was still there: of two who redeem a code at once, one does */
export async function deleteFlow(executor: Executor, flowId: string): Promise<boolean> {
  const { rowCount } = await executor.query(sql.unsafe`delete from flow_states where id = ${flowId}`)
  return rowCount === 1
}

/** Codes that were given out for somebody, and that nobody has exchanged, are good no more. Flows that have not come to one go on. */
export async function deleteIssuedCodes(executor: Executor, userId: number): Promise<void> {
  await executor.query(sql.unsafe`delete from flow_states where user_id = ${userId} and code_hash is not null`)
}

/** Deletes the oldest `countMax` of those that began before `before`. */
export async function deleteOldFlows(executor: Executor, before: string, countMax: number): Promise<void> {
  await executor.query(sql.unsafe`
    delete from flow_states where id in (
      select id from flow_states where created_at < ${before} order by created_at limit ${countMax}
         for update skip locked)`)
}
