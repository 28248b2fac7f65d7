import { randomUUID } from 'node:crypto'
import { APP_TOKEN_AUDIENCE, APP_TOKEN_ISSUER, type CurrentUser } from '@wangian/contracts/identity.ts'
import { APP_TOKEN_TTL_S } from '@wangian/contracts/time.ts'
import { JOSEError, JWTExpired } from 'jose/errors'
import { SignJWT } from 'jose/jwt/sign'
import { jwtVerify } from 'jose/jwt/verify'
import { z } from 'zod'
import { appMetadata, userMetadata } from '../provider/provider-json.ts'
import type { Account, Identity } from '../store.ts'
import type { Session } from './session-store.ts'
import { SIGNING_ALGORITHM, type SigningKey } from './signing-keys.ts'

export const PROVIDER_TOKEN_TTL_S = 3600
const PROVIDER_AUDIENCE = 'authenticated'
const CLOCK_SKEW_S = 5
const TOKEN_LENGTH_MAX = 8192

/** Where the provider is for browsers, which is also what its tokens name as their issuer. */
export function providerUrl(publicUrl: string): string {
  return `${publicUrl}/auth/v1`
}

/** The token that the product's own calls take. */
export function issueAppToken(
  key: SigningKey,
  holder: Pick<CurrentUser, 'id' | 'username' | 'isSeller' | 'isAdmin' | 'needsSecondFactor'>,
  sessionId: string,
  now: Date,
): Promise<string> {
  const nowS = seconds(now)
  const { username, isSeller, isAdmin, needsSecondFactor } = holder
  return new SignJWT({ username, isSeller, isAdmin, needsSecondFactor, sid: sessionId })
    .setProtectedHeader({ alg: SIGNING_ALGORITHM, typ: 'at+jwt', kid: key.kid })
    .setSubject(String(holder.id))
    .setIssuer(APP_TOKEN_ISSUER)
    .setAudience(APP_TOKEN_AUDIENCE)
    .setJti(randomUUID())
    .setIssuedAt(nowS)
    .setExpirationTime(nowS + APP_TOKEN_TTL_S)
    .sign(key.privateKey)
}

/** The access token of the provider's protocol, with its claims. */
export function issueProviderToken(
  provider: { readonly key: SigningKey; readonly issuer: string },
  account: Account,
  identities: readonly Identity[],
  session: Session,
  now: Date,
): Promise<string> {
  const nowS = seconds(now)
  const claims = {
    email: account.email,
    phone: '',
    app_metadata: appMetadata(identities),
    user_metadata: userMetadata(account),
    role: PROVIDER_AUDIENCE,
    aal: session.factorAt === null ? 'aal1' : 'aal2',
    amr: methodsOf(session),
    session_id: session.id,
    is_anonymous: false,
  }
  return new SignJWT(claims)
    .setProtectedHeader({ alg: SIGNING_ALGORITHM, typ: 'JWT', kid: provider.key.kid })
    .setSubject(account.authId)
    .setIssuer(provider.issuer)
    .setAudience(PROVIDER_AUDIENCE)
    .setIssuedAt(nowS)
    .setExpirationTime(nowS + PROVIDER_TOKEN_TTL_S)
    .sign(provider.key.privateKey)
}

/** How somebody has proven to be themselves, the newest proof first. */
function methodsOf({ method, authenticatedAt, factorAt, factorMethod }: Session) {
  // The protocol knows no `recovery` here: to it, that was a one-time password.
  const first = { method: method === 'recovery' ? 'otp' : method, timestamp: seconds(new Date(authenticatedAt)) }
  if (factorAt === null) return [first]
  return [{ method: factorMethod, timestamp: seconds(new Date(factorAt)) }, first]
}

const ProviderClaims = z.object({ sub: z.uuid(), session_id: z.uuid() })

/** Whose token it is, by the provider's id, and of which session; or why it is none of ours. */
export type ProviderTokenCheck =
  | { readonly isValid: true; readonly authId: string; readonly sessionId: string }
  | { readonly isValid: false; readonly reason: string }

export async function checkProviderToken(
  provider: { readonly key: SigningKey; readonly issuer: string },
  token: string,
  now: Date,
): Promise<ProviderTokenCheck> {
  if (token.length > TOKEN_LENGTH_MAX) return { isValid: false, reason: 'token is too long' }
  try {
    const { payload } = await jwtVerify(token, provider.key.verificationKeys, {
      // Without this list jose takes every algorithm that fits the key.
      algorithms: [SIGNING_ALGORITHM],
      // An application token is `at+jwt`; it must not pass here even if both had one key.
      typ: 'JWT',
      issuer: provider.issuer,
      audience: PROVIDER_AUDIENCE,
      requiredClaims: ['exp', 'sub', 'session_id'],
      clockTolerance: CLOCK_SKEW_S,
      currentDate: now,
    })
    const claims = ProviderClaims.safeParse(payload)
    if (!claims.success) return { isValid: false, reason: 'claims are malformed' }
    return { isValid: true, authId: claims.data.sub, sessionId: claims.data.session_id }
  } catch (error) {
    if (error instanceof JWTExpired) return { isValid: false, reason: 'token is expired' }
    if (error instanceof JOSEError) {
      return { isValid: false, reason: 'unable to parse or verify signature' }
    }
    throw error
  }
}

export function seconds(date: Date): number {
  return Math.floor(date.getTime() / 1000)
}
