import { z } from 'zod'
import { UserId } from './ids.ts'
import { route } from './route.ts'
import { Instant } from './time.ts'

/** What everybody may know of somebody, as it stands when it is told. */
export const PublicPerson = z.object({
  username: z.string(),
  /** Their own name for their shop, or one made of their name. */
  shopName: z.string(),
  location: z.string().nullable(),
  bio: z.string().nullable(),
  profileImage: z.string().nullable(),
  coverPhoto: z.string().nullable(),
})
export type PublicPerson = z.infer<typeof PublicPerson>

/** The claims of our application token (`typ: at+jwt`). `sub` is the user id as text. */
export const AppTokenClaims = z.object({
  sub: z.string().regex(/^[1-9]\d*$/),
  username: z.string(),
  isSeller: z.boolean(),
  isAdmin: z.boolean(),
  /** An administrator who has not shown a second factor; `isAdmin` is `false` until then. */
  needsSecondFactor: z.boolean().default(false),
  /** The session that the token was issued for; revoking it ends the token. */
  sid: z.string(),
  exp: z.number(),
})
export type AppTokenClaims = z.infer<typeof AppTokenClaims>

export const APP_TOKEN_AUDIENCE = 'wangian'
export const APP_TOKEN_ISSUER = 'wangian-identity'

/** The signed-in person, as only the person sees it. */
export const CurrentUser = z
  .object({
    id: UserId,
    username: z.string(),
    email: z.string(),
    firstName: z.string().nullable(),
    lastName: z.string().nullable(),
    address: z.string().nullable(),
    profileImage: z.string().nullable(),
    avatarUrl: z.string().nullable(),
    coverPhoto: z.string().nullable(),
    shopName: z.string().nullable(),
    location: z.string().nullable(),
    bio: z.string().nullable(),
    isSeller: z.boolean(),
    /** Whether they may administer now, see `needsSecondFactor`. */
    isAdmin: z.boolean(),
    /** An administrator who has not shown a second factor, and is an ordinary person until then. */
    needsSecondFactor: z.boolean(),
    isBanned: z.boolean(),
    isVerified: z.boolean(),
    /** `false` for somebody who signs in elsewhere only; `null` when a hosted provider keeps passwords. */
    hasPassword: z.boolean().nullable(),
    createdAt: Instant,
  })
  .meta({ id: 'CurrentUser' })
export type CurrentUser = z.infer<typeof CurrentUser>

export const identityRoutes = {
  me: route({
    method: 'GET',
    path: '/api/v1/auth/me',
    access: 'signed-in',
    summary: 'The signed-in person',
    answers: { 200: CurrentUser },
    refusals: ['account-suspended'],
  }),
  exchangeSession: route({
    method: 'POST',
    path: '/api/v1/auth/session',
    access: 'public',
    summary: "Exchanges the auth provider's access token for an application token",
    body: z.object({ supabaseToken: z.string().max(8192) }),
    answers: { 200: z.object({ token: z.string(), user: CurrentUser }) },
    // `account-exists` comes from a hosted provider only: the address belongs to somebody whom it knows by another id.
    refusals: ['invalid-session', 'account-suspended', 'second-factor-required', 'account-exists', 'rate-limited'],
  }),
  provider: route({
    method: 'GET',
    path: '/api/v1/auth/provider',
    access: 'public',
    summary: 'Where the auth provider is: the embedded one, or a hosted project',
    answers: {
      200: z.object({
        kind: z.enum(['embedded', 'hosted']),
        /** Relative to the site's own address for the embedded one; without a slash at the end. */
        url: z.string(),
        /** The public key that its client sends as `apikey`. */
        key: z.string(),
      }),
    },
  }),
  syncOAuthUser: route({
    method: 'POST',
    path: '/api/auth/sync-oauth-user',
    // The bearer is an access token of the auth provider, not one of ours.
    access: 'public',
    summary: "Makes sure that whoever came from another site is known here; the bearer is the auth provider's token",
    body: z.object({
      email: z.string().max(255),
      /** The person's id at `provider`, or at the auth provider itself. */
      providerId: z.string().max(255),
      provider: z.string().max(50),
    }),
    answers: { 200: z.object({ success: z.literal(true) }) },
    refusals: ['invalid-session', 'account-suspended', 'identity-mismatch', 'account-exists', 'rate-limited'],
  }),
  lookupEmail: route({
    method: 'POST',
    path: '/api/v1/auth/lookup-email',
    access: 'public',
    summary: 'The name to sign in with for a username; never discloses an address',
    body: z.object({ username: z.string().trim().min(1).max(64) }),
    answers: { 200: z.object({ email: z.string() }) },
    refusals: ['username-not-found', 'rate-limited'],
  }),
  logout: route({
    method: 'POST',
    path: '/api/v1/auth/logout',
    // Whoever wants out must not be kept in by a token that is no longer good, so it is looked at but not demanded.
    access: 'public',
    summary: 'Ends the session of the bearer token, or all others of its owner, if it is good; always succeeds',
    body: z.object({ scope: z.enum(['local', 'others']).default('local') }).optional(),
    answers: { 200: z.object({ success: z.literal(true) }) },
  }),
} as const
