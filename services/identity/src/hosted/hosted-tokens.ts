import { createHash } from 'node:crypto'
import { Failure, Rejection } from '@wangian/kit/errors.ts'
import type { JWTPayload } from 'jose'
import * as errors from 'jose/errors'
import { createRemoteJWKSet } from 'jose/jwks/remote'
import { jwtVerify } from 'jose/jwt/verify'
import { z } from 'zod'

const AUDIENCE = 'authenticated'
const ASYMMETRIC_ALGORITHMS = ['ES256', 'RS256', 'EdDSA']
const CLOCK_SKEW_S = 5
const TOKEN_LENGTH_MAX = 8192
const KEYS_TIMEOUT_MS = 5_000
const KEYS_COOLDOWN_MS = 1_000

/** With what the hosted provider signs: a key pair whose public half it publishes, or a secret that both know (HS256). */
export type HostedKeys = { readonly jwksUrl: string } | { readonly secret: string }

const Claims = z.object({
  sub: z.uuid(),
  email: z.email().toLowerCase().max(255),
  session_id: z.uuid().optional(),
  /** When and how the person has proven to be themselves. */
  amr: z
    .array(z.object({ timestamp: z.int().positive() }))
    .optional()
    .catch(undefined),
  /** Whether a second factor was shown; some servers know none, and do not say. */
  aal: z.enum(['aal1', 'aal2']).optional().catch(undefined),
  is_anonymous: z.literal(false).optional(),
  // What people can write there themselves: it proves nothing about them, but the provider says `false` until an address
  // is confirmed.
  user_metadata: z
    .object({
      email_verified: z.unknown(),
      username: z.unknown(),
      first_name: z.unknown(),
      last_name: z.unknown(),
      full_name: z.unknown(),
      name: z.unknown(),
    })
    .partial()
    .default({}),
})

/** What a token of the hosted provider says of its holder. */
export type HostedClaims = z.infer<typeof Claims> & { readonly session_id: string }

/**
 * Checks access tokens of a hosted provider.
 * @throws Rejection('invalid-session') when a token is not one, or has expired; Failure when the keys cannot be fetched now
 */
export function createHostedTokens(options: {
  readonly issuer: string
  readonly keys: HostedKeys
  readonly now: () => Date
}): (token: string) => Promise<HostedClaims> {
  const { issuer, keys, now } = options
  const rules = () => ({
    issuer,
    audience: AUDIENCE,
    requiredClaims: ['exp', 'sub', 'email'],
    clockTolerance: CLOCK_SKEW_S,
    currentDate: now(),
  })

  // One kind of key each: with a list of both, the public key of one would be the secret of the other.
  const verify = ((): ((token: string) => Promise<{ payload: JWTPayload }>) => {
    if ('secret' in keys) {
      const secret = new TextEncoder().encode(keys.secret)
      return (token) => jwtVerify(token, secret, { ...rules(), algorithms: ['HS256'] })
    }
    const limits = { timeoutDuration: KEYS_TIMEOUT_MS, cooldownDuration: KEYS_COOLDOWN_MS }
    const published = createRemoteJWKSet(new URL(keys.jwksUrl), limits)
    return (token) => jwtVerify(token, published, { ...rules(), algorithms: ASYMMETRIC_ALGORITHMS })
  })()

  return async (token) => {
    if (token.length > TOKEN_LENGTH_MAX) throw new Rejection('invalid-session')
    const claims = Claims.safeParse((await verified(() => verify(token))).payload)
    if (!claims.success || claims.data.user_metadata.email_verified === false) throw new Rejection('invalid-session')
    return { ...claims.data, session_id: claims.data.session_id ?? idOf(token) }
  }
}

async function verified<T>(verify: () => Promise<T>): Promise<T> {
  try {
    return await verify()
  } catch (error) {
    if (isAboutToken(error)) throw new Rejection('invalid-session')
    throw new Failure('the keys of the hosted auth provider cannot be fetched', { cause: error })
  }
}

function isAboutToken(error: unknown): boolean {
  return (
    error instanceof errors.JOSEAlgNotAllowed ||
    error instanceof errors.JOSENotSupported ||
    error instanceof errors.JWKSMultipleMatchingKeys ||
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWSInvalid ||
    error instanceof errors.JWSSignatureVerificationFailed ||
    error instanceof errors.JWTClaimValidationFailed ||
    error instanceof errors.JWTExpired ||
    error instanceof errors.JWTInvalid
  )
}

/** Of a token that names no session: it is one by itself. */
function idOf(token: string): string {
  const hex = createHash('sha256').update(token).digest('hex')
  return hex.slice(0, 32).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-8$3-8$4-$5')
}
