import { APP_TOKEN_AUDIENCE, APP_TOKEN_ISSUER, AppTokenClaims } from '@wangian/contracts/identity.ts'
import type { RevocationReason } from '@wangian/contracts/revocations.ts'
import type { JWTVerifyGetKey } from 'jose'
import { JOSEError, JOSENotSupported, JWKSNoMatchingKey } from 'jose/errors'
import { createLocalJWKSet } from 'jose/jwks/local'
import { createRemoteJWKSet } from 'jose/jwks/remote'
import { jwtVerify } from 'jose/jwt/verify'
import { LRUCache } from 'lru-cache'
import { Failure, Rejection } from '../errors.ts'

/** The signed-in person behind a request or socket, from a verified token and nothing else. */
export interface Caller {
  readonly id: number
  readonly username: string
  readonly isSeller: boolean
  readonly isAdmin: boolean
  /** They are an administrator, but for the second factor. */
  readonly needsSecondFactor: boolean
  readonly sessionId: string
  /** When the token ends, in milliseconds since the epoch. */
  readonly expiresAt: number
}

export interface Authenticator {
  /**
   * Who holds this token.
   * @throws Rejection('invalid-token') when it is not one of ours, has expired or was revoked
   * @throws Rejection('account-suspended') when it was revoked by a ban
   * @throws Failure when it cannot be checked right now: without the keys, or without what was revoked
   */
  verify(token: string): Promise<Caller>
}

/** Why a session has ended although the token is still good; `null` for one that has not. */
export type RevocationCheck = (
  sessionId: string,
  userId: number,
) => RevocationReason | null | Promise<RevocationReason | null>

export interface AuthenticatorOptions {
  readonly issuer?: string
  readonly audience?: string
  readonly revocationOf?: RevocationCheck
}

const CLOCK_SKEW_S = 5
const TOKEN_LENGTH_MAX = 8192
/** Sockets and requests bring the same tokens again and again; a signature costs 0.2 ms to check. */
const VERIFIED_TOKENS_MAX = 10_000
/** An unknown key id makes us ask for the keys again, at most this often: identity may have a new key since. */
const KEYS_COOLDOWN_MS = 1000
const KEYS_TIMEOUT_MS = 2000

/** Where each copy of identity publishes the keys of our tokens. */
export const keysUrls = (identityUrls: readonly string[]): string[] =>
  identityUrls.map((url) => `${url}/.well-known/jwks.json`)

/** Checks tokens with the keys published at any of these addresses; the first fetch happens with the first token. */
export function createAuthenticator(
  options: AuthenticatorOptions & { readonly jwksUrls: readonly string[] },
): Authenticator {
  return authenticatorWithKeys(keysOfAny(options.jwksUrls.map(remoteKeys)), options)
}

/** The same with keys from elsewhere: tests, and identity itself, which has them at hand. */
export function authenticatorWithKeys(keys: JWTVerifyGetKey, options: AuthenticatorOptions = {}): Authenticator {
  const verified = new LRUCache<string, Caller>({ max: VERIFIED_TOKENS_MAX })
  const revocationOf = options.revocationOf ?? (() => null)

  async function check(token: string): Promise<Caller> {
    const known = verified.get(token)
    if (known !== undefined) {
      if (Date.now() < known.expiresAt + CLOCK_SKEW_S * 1000) return known
      verified.delete(token)
    }
    const caller = await verifyToken(token, keys, options)
    verified.set(token, caller)
    return caller
  }

  return {
    async verify(token) {
      if (token.length > TOKEN_LENGTH_MAX) throw new Rejection('invalid-token')
      const caller = await check(token)
      const reason = await revocationOf(caller.sessionId, caller.id)
      if (reason !== null) throw new Rejection(reason === 'banned' ? 'account-suspended' : 'invalid-token')
      return caller
    },
  }
}

/**
 * The token in an `Authorization` header. `null` when there is none or it uses another scheme.
 * @throws Rejection('invalid-token') when the scheme is Bearer but what follows is no token
 */
export function bearerToken(header: string | undefined): string | null {
  if (header === undefined || !/^bearer(\s|$)/i.test(header)) return null
  const match = /^bearer ([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(header)
  if (match?.[1] === undefined) throw new Rejection('invalid-token')
  return match[1]
}

async function verifyToken(token: string, keys: JWTVerifyGetKey, options: AuthenticatorOptions): Promise<Caller> {
  let payload: unknown
  try {
    const verification = await jwtVerify(token, keys, {
      // Without this list jose takes every algorithm that fits the key.
      algorithms: ['ES256'],
      typ: 'at+jwt',
      issuer: options.issuer ?? APP_TOKEN_ISSUER,
      audience: options.audience ?? APP_TOKEN_AUDIENCE,
      requiredClaims: ['exp', 'sub'],
      clockTolerance: CLOCK_SKEW_S,
    })
    payload = verification.payload
  } catch (error) {
    if (error instanceof Failure) throw error
    if (error instanceof JOSEError) throw new Rejection('invalid-token')
    throw error
  }
  const claims = AppTokenClaims.safeParse(payload)
  if (!claims.success) throw new Rejection('invalid-token')
  const id = Number(claims.data.sub)
  if (!Number.isSafeInteger(id)) throw new Rejection('invalid-token')
  return {
    id,
    username: claims.data.username,
    isSeller: claims.data.isSeller,
    isAdmin: claims.data.isAdmin,
    needsSecondFactor: claims.data.needsSecondFactor,
    sessionId: claims.data.sid,
    expiresAt: claims.data.exp * 1000,
  }
}

/** All copies of identity have the same keys: the first one that knows the key is as good as any. One that is away may not know of a new one. */
function keysOfAny(copies: readonly JWTVerifyGetKey[]): JWTVerifyGetKey {
  return async (header, token) => {
    let problem: unknown
    for (const keys of copies) {
      try {
        return await keys(header, token)
      } catch (error) {
        problem = error instanceof Failure ? (problem ?? error) : error
      }
    }
    throw problem
  }
}

/**
 * Keys from an address, fetched when needed. While identity is away the last known keys stay good, and without any
 * the caller gets a Failure: nobody is signed out because identity restarts.
 */
function remoteKeys(jwksUrl: string): JWTVerifyGetKey {
  let made: ReturnType<typeof createRemoteJWKSet> | undefined
  return async (header, token) => {
    // With the first token, for it loads Node's second HTTP client: 15 to 25 ms of a start.
    made ??= createRemoteJWKSet(new URL(jwksUrl), {
      cooldownDuration: KEYS_COOLDOWN_MS,
      timeoutDuration: KEYS_TIMEOUT_MS,
    })
    const remote = made
    try {
      return await remote(header, token)
    } catch (cause) {
      // These speak about the token; everything else about the fetch.
      if (cause instanceof JWKSNoMatchingKey || cause instanceof JOSENotSupported) throw cause
      const lastKnown = remote.jwks()
      if (lastKnown === undefined) throw new Failure('the keys of identity cannot be fetched', { cause })
      return await createLocalJWKSet(lastKnown)(header, token)
    }
  }
}
