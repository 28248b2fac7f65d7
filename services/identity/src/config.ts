import { Password } from '@wangian/contracts/credentials.ts'
import {
  address,
  databaseAddress,
  flag,
  hasWholeBucket,
  loadConfig,
  mailSettings,
  pictureSettings,
  serviceEnvironment,
  wholeBucketAdvice,
} from '@wangian/kit/service/config.ts'
import { z } from 'zod'

const environment = serviceEnvironment
  .omit({ identityUrl: true })
  .extend({
    databaseUrl: databaseAddress,
    ...mailSettings,
    ...pictureSettings,
    /** Whether a new account counts as confirmed without a mail; the auth server's own setting of this name. */
    authMailerAutoconfirm: flag.default(false),
    /** Nobody can register any more; whoever has an account signs in as before. */
    authDisableSignup: flag.default(false),
    /** Whether people can register and sign in with an address and a password, and whether with Facebook. */
    authExternalEmailEnabled: flag.default(true),
    authExternalFacebookEnabled: flag.default(true),
    /** Where `redirect_to` may lead besides the site itself: patterns with `*` and `**`, separated by commas. */
    uriAllowList: z
      .string()
      .default('')
      .transform((value) => value.split(',').map((part) => part.trim()))
      .transform((patterns) => patterns.filter((pattern) => pattern !== '')),
    /** With the secret: sign-in with Facebook. */
    facebookAppId: z.string().regex(/^\d+$/, 'must be a number').optional(),
    facebookAppSecret: z.string().optional(),
    /** Where Facebook is, for tests. */
    facebookDialogUrl: address('http:', 'https:').default('https://www.facebook.com/dialog/oauth'),
    facebookGraphUrl: address('http:', 'https:').default('https://graph.facebook.com'),
    /** A hosted auth provider instead of the embedded one: its address, e.g. `https://ref.supabase.co/auth/v1`. */
    authUrl: address('http:', 'https:').optional(),
    /** The public key that its clients send. */
    authAnonKey: z.string().optional(),
    /** Where its public keys are, by default below its address; or the secret with which it signs (HS256). */
    authJwksUrl: address('http:', 'https:').optional(),
    authJwtSecret: z.string().min(32, 'must be at least 32 characters long').optional(),
    /** With the password: the administrator that is made when there is none yet. With a hosted provider: who becomes it. */
    adminEmail: z.email('must be an email address').toLowerCase().optional(),
    adminPassword: Password.optional(),
  })
  .refine(hasWholeBucket, wholeBucketAdvice)
  .refine(({ adminEmail, adminPassword }) => adminEmail !== undefined || adminPassword === undefined, {
    path: ['adminEmail'],
  })
  .refine(
    // At a hosted provider everybody has their password there.
    ({ adminEmail, adminPassword, authUrl }) =>
      adminPassword !== undefined || adminEmail === undefined || authUrl !== undefined,
    { path: ['adminPassword'] },
  )
  .refine((values) => (values.facebookAppId === undefined) === (values.facebookAppSecret === undefined), {
    path: ['facebookAppSecret'],
    message: 'is needed together with FACEBOOK_APP_ID',
  })
  .refine(({ authUrl, authAnonKey }) => (authUrl === undefined) === (authAnonKey === undefined), {
    path: ['authAnonKey'],
    message: 'is needed together with AUTH_URL',
  })
  .refine(({ authUrl, authJwksUrl }) => authUrl !== undefined || authJwksUrl === undefined, { path: ['authUrl'] })
  .refine(({ authUrl, authJwtSecret }) => authUrl !== undefined || authJwtSecret === undefined, { path: ['authUrl'] })
  .refine(({ authJwksUrl, authJwtSecret }) => authJwksUrl === undefined || authJwtSecret === undefined, {
    path: ['authJwtSecret'],
    message: 'cannot be used together with AUTH_JWKS_URL',
  })
export type Config = z.infer<typeof environment>

/** @throws ConfigError when `variables` other than the process's cannot be used, see `loadConfig` of the kit */
export function readConfig(variables?: Readonly<Record<string, string | undefined>>): Config {
  return loadConfig(environment, variables)
}
