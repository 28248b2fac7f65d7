import { createHash, randomUUID, timingSafeEqual } from 'node:crypto'
import type { Executor, Transaction } from '@wangian/kit/database/postgres.ts'
import { invariant } from '@wangian/kit/invariant.ts'
import { z } from 'zod'
import { ProviderRefusal } from '../provider/provider-errors.ts'
import {
  deleteFlow,
  deleteOldFlows,
  type FlowKind,
  type FlowState,
  findFlow,
  findFlowByCode,
  insertFlow,
  markAnswered,
  updateCode,
} from './flow-state-store.ts'

const AUTH_CODE_TTL_MS = 5 * 60 * 1000
const STATE_TTL_MS = 5 * 60 * 1000
/** The link in a mail is good for a day, and its code for a while after; who is later learns no reason. */
const FLOW_KEPT_MS = 26 * 60 * 60 * 1000
const DELETED_AT_ONCE_MAX = 100

/** A SHA-256 in base64url: what the client hashed from its secret. */
const CHALLENGE = /^[\w-]{43}$/

/**
 * The challenge of a request that began with PKCE, for its query or its body; `null` without one.
 * @throws ProviderRefusal `validation_failed` when it is half there, or made in another way than S256
 */
export function readChallenge(given: {
  readonly code_challenge?: unknown
  readonly code_challenge_method?: unknown
}): string | null {
  const { code_challenge: challenge, code_challenge_method: method } = given
  if (isAbsent(challenge) && isAbsent(method)) return null
  if (isAbsent(challenge) || isAbsent(method)) {
    throw invalid('PKCE flow requires both code_challenge and code_challenge_method')
  }
  if (typeof method !== 'string' || method.toLowerCase() !== 's256') throw invalid('code challenge method must be s256')
  if (typeof challenge !== 'string' || !CHALLENGE.test(challenge)) throw invalid('code challenge is not valid')
  return challenge
}

export interface NewFlow {
  readonly kind: FlowKind
  /** From {@link readChallenge}. */
  readonly challenge: string
  /** Whom it will sign in, where that is known. */
  readonly userId?: number
  /** Of sign-ins at another site: which one, where to go at the end, and the hash of what the browser keeps. */
  readonly oauth?: { readonly provider: string; readonly redirectTo: string; readonly browserHash: string }
}

/** Deletes some of the flows that lead nowhere any more. */
export async function forgetOldFlows(executor: Executor, now: Date): Promise<void> {
  await deleteOldFlows(executor, new Date(now.getTime() - FLOW_KEPT_MS).toISOString(), DELETED_AT_ONCE_MAX)
}

/**
 * Remembers that a client began to sign in with PKCE.
 * @returns the flow's id, which also is the `state` of a sign-in at another site
 */
export async function beginFlow(executor: Executor, flow: NewFlow, now: Date): Promise<string> {
  const id = randomUUID()
  await insertFlow(executor, {
    id,
    kind: flow.kind,
    codeChallenge: flow.challenge,
    provider: flow.oauth?.provider ?? null,
    redirectTo: flow.oauth?.redirectTo ?? null,
    browserHash: flow.oauth?.browserHash ?? null,
    userId: flow.userId ?? null,
    createdAt: now.toISOString(),
  })
  // Not before: the new one may wait for its person, and must hold no flow of theirs then.
  await forgetOldFlows(executor, now)
  return id
}

/**
 * The code with which the client that began the flow gets a session of this user, once and within 5 minutes from now.
 * A code that was issued before is good no more.
 */
export async function issueAuthCode(executor: Executor, flowId: string, userId: number, now: Date): Promise<string> {
  const code = randomUUID()
  const isKnown = await updateCode(executor, { flowId, userId, hash: sha256(code), at: now.toISOString() })
  invariant(isKnown, 'a code is issued for a flow that began')
  return code
}

export type FlowLookup =
  | { readonly outcome: 'open'; readonly flow: FlowState & { readonly redirectTo: string } }
  | { readonly outcome: 'unknown' | 'expired' | 'already-used' }

/** The sign-in at another site with this `state`, while its answer is awaited. */
export async function findOpenFlow(executor: Executor, state: unknown, now: Date): Promise<FlowLookup> {
  const flowId = z.uuid().safeParse(state)
  const flow = flowId.success ? await findFlow(executor, flowId.data) : null
  if (flow === null || flow.kind !== 'oauth') return { outcome: 'unknown' }
  if (flow.answeredAt !== null) return { outcome: 'already-used' }
  if (isOlder(flow.createdAt, STATE_TTL_MS, now)) return { outcome: 'expired' }
  invariant(flow.redirectTo !== null, 'a sign-in at another site knows where it ends')
  return { outcome: 'open', flow: { ...flow, redirectTo: flow.redirectTo } }
}

/** Takes the answer of the other site. @returns whether it is the first, and so the one that counts */
export function takeAnswer(executor: Executor, flowId: string, now: Date): Promise<boolean> {
  return markAnswered(executor, flowId, now.toISOString())
}

/**
 * What a code leads to, for the client that proves to have begun; {@link useAuthCode} uses it up.
 * @throws ProviderRefusal in the protocol's order of reasons
 */
export async function findAuthCode(
  executor: Executor,
  given: { readonly code: string | null | undefined; readonly verifier: string | null | undefined },
  now: Date,
): Promise<Pick<FlowState, 'id' | 'kind' | 'provider'> & { readonly userId: number }> {
  const { code, verifier } = given
  if (!code || !verifier) throw invalid('invalid request: both auth code and code verifier should be non-empty')
  const flow = await findFlowByCode(executor, sha256(code))
  if (flow === null || flow.userId === null || flow.codeIssuedAt === null) throw notFound()
  if (isOlder(flow.codeIssuedAt, AUTH_CODE_TTL_MS, now)) {
    throw new ProviderRefusal(422, 'flow_state_expired', 'invalid flow state, flow state has expired')
  }
  if (!isVerifierOf(flow.codeChallenge, verifier)) {
    const reason = 'code challenge does not match previously saved code verifier'
    throw new ProviderRefusal(400, 'bad_code_verifier', reason)
  }
  return { ...flow, userId: flow.userId }
}

/** A code is good once. @throws ProviderRefusal when it was used, or has ended, in the meantime */
export async function useAuthCode(transaction: Transaction, flowId: string): Promise<void> {
  if (!(await deleteFlow(transaction, flowId))) throw notFound()
}

/** Of secrets that are long and random, so that a fast hash does. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function isVerifierOf(challenge: string, verifier: string): boolean {
  const hash = createHash('sha256').update(verifier).digest('base64url')
  return timingSafeEqual(Buffer.from(hash), Buffer.from(challenge))
}

function isOlder(at: string, ttlMs: number, now: Date): boolean {
  return now.getTime() - Date.parse(at) > ttlMs
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === ''
}

function notFound(): ProviderRefusal {
  return new ProviderRefusal(404, 'flow_state_not_found', 'invalid flow state, no valid flow state found')
}

function invalid(message: string): ProviderRefusal {
  return new ProviderRefusal(400, 'validation_failed', message)
}
