import { createHash, randomBytes, randomInt, randomUUID, timingSafeEqual } from 'node:crypto'
import type { DatabasePool, Executor } from '@wangian/kit/database/postgres.ts'
import {
  deleteExpiredTokens,
  deleteSurplusTokens,
  deleteUnusedTokens,
  findTokenByEmail,
  findTokenByHash,
  insertOneTimeToken,
  markTokenUsed,
  type OneTimeToken,
  type SignUpNames,
  type TokenKind,
  takeCodeTry,
} from './one-time-token-store.ts'

const MINUTE_MS = 60 * 1000
const TOKEN_BYTES = 32
const CODE_DIGITS = 6
/** A code is one of a million: this often somebody may guess it. The link, which nobody can guess, lives on. */
const CODE_TRIES_MAX = 5
/** Whoever asks for another mail may still open the one before. */
const UNUSED_KEPT_MAX = 5
const DELETED_AT_ONCE_MAX = 100
/** Says that the client which asked holds the secret of a flow; `GET /verify` decides by it. */
export const PKCE_PREFIX = 'pkce_'

const ttlMs: Readonly<Record<TokenKind, number>> = {
  signup: 24 * 60 * MINUTE_MS,
  recovery: 30 * MINUTE_MS,
  email_change: 24 * 60 * MINUTE_MS,
}

/** What is mailed; neither is stored. */
export interface IssuedToken {
  readonly token: string
  /** Six digits. */
  readonly code: string
}

export interface TokenRequest {
  readonly userId: number
  readonly kind: TokenKind
  /** The address that it is mailed to, in lower case. */
  readonly email: string
  /** The flow of a client that asked with PKCE, see `beginFlow`. */
  readonly flowId?: string | null
  readonly passwordHash?: string | null
  readonly names?: SignUpNames | null
  readonly now: Date
}

/** Makes a token that proves, once and for a while, that its bearer reads this address. */
export async function issueOneTimeToken(executor: Executor, wanted: TokenRequest): Promise<IssuedToken> {
  const { userId, kind, email, flowId = null, passwordHash = null, names = null, now } = wanted
  const id = randomUUID()
  const token = `${flowId === null ? '' : PKCE_PREFIX}${randomBytes(TOKEN_BYTES).toString('base64url')}`
  const code = String(randomInt(10 ** CODE_DIGITS)).padStart(CODE_DIGITS, '0')
  const createdAt = now.toISOString()
  const expiresAt = new Date(now.getTime() + ttlMs[kind]).toISOString()
  const hashes = { tokenHash: sha256(token), codeHash: codeHash(id, code) }
  const kept = { flowId, passwordHash, names, createdAt, expiresAt }
  await insertOneTimeToken(executor, { id, userId, kind, email, ...kept, ...hashes })
  await deleteSurplusTokens(executor, { userId, kind, keptMax: UNUSED_KEPT_MAX })
  await deleteExpiredTokens(executor, createdAt, DELETED_AT_ONCE_MAX)
  return { token, code }
}

/** The link's token, or the code with the address that it was mailed to. */
export type TokenProof =
  | { readonly kind: TokenKind; readonly token: string }
  | { readonly kind: TokenKind; readonly email: string; readonly code: string }

/**
 * The token that is proven, not used up by that; `null` when there is none, it has expired or the code is wrong. A code
 * costs one of its tries, which is why this takes the pool: a transaction that fails must not give the try back. By its
 * token one is also found that was used, with `usedAt`.
 */
export async function findOneTimeToken(pool: DatabasePool, proof: TokenProof, now: Date): Promise<OneTimeToken | null> {
  const at = now.toISOString()
  const { kind } = proof
  if ('token' in proof) return findTokenByHash(pool, { kind, tokenHash: sha256(proof.token), at })
  const newest = await findTokenByEmail(pool, { kind, email: proof.email, at })
  if (newest === null) return null
  const expected = await takeCodeTry(pool, newest.id, CODE_TRIES_MAX)
  if (expected === null) return null
  const isRight = timingSafeEqual(Buffer.from(expected), Buffer.from(codeHash(newest.id, proof.code)))
  return isRight ? newest : null
}

/**
 * Uses a token up, and with it the others of its kind that the person was mailed.
 * @returns `false` when somebody was faster, or it has expired
 */
export async function useOneTimeToken(executor: Executor, token: OneTimeToken, now: Date): Promise<boolean> {
  if (!(await markTokenUsed(executor, token.id, now.toISOString()))) return false
  await deleteUnusedTokens(executor, token.userId, [token.kind])
  return true
}

function codeHash(tokenId: string, code: string): string {
  return sha256(`${tokenId}:${code}`)
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
