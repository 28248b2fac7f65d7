import type { Factor } from '../factors/factor-store.ts'
import type { OneTimeToken, TokenKind } from '../mails/one-time-token-store.ts'
import type { Account, Identity } from '../store.ts'

/** The one way of signing in that the provider has by itself. */
export const EMAIL_PROVIDER = 'email'

/** What the protocol shows of a person. */
type ProviderUser = Pick<
  Account,
  | 'authId'
  | 'email'
  | 'emailConfirmedAt'
  | 'username'
  | 'firstName'
  | 'lastName'
  | 'lastSignInAt'
  | 'createdAt'
  | 'updatedAt'
  | 'metadata'
>

/** What was mailed to a person and can still be used. */
type SentToken = Pick<OneTimeToken, 'kind' | 'email' | 'createdAt'>

/** A person as the provider's protocol shows them to themselves; absent fields are left out as the protocol does. */
export function userJson(
  account: ProviderUser,
  identities: readonly Identity[],
  { sent = [], factors = [] }: { readonly sent?: readonly SentToken[]; readonly factors?: readonly Factor[] } = {},
) {
  const sentOf = (kind: TokenKind) => sent.find((token) => token.kind === kind)
  const [signUp, recovery, change] = [sentOf('signup'), sentOf('recovery'), sentOf('email_change')]
  return {
    id: account.authId,
    aud: 'authenticated',
    role: 'authenticated',
    email: account.email,
    ...(account.emailConfirmedAt !== null && { email_confirmed_at: account.emailConfirmedAt }),
    phone: '',
    ...(account.emailConfirmedAt !== null && { confirmed_at: account.emailConfirmedAt }),
    ...(signUp !== undefined && { confirmation_sent_at: signUp.createdAt }),
    ...(recovery !== undefined && { recovery_sent_at: recovery.createdAt }),
    ...(change !== undefined && { new_email: change.email, email_change_sent_at: change.createdAt }),
    ...(account.lastSignInAt !== null && { last_sign_in_at: account.lastSignInAt }),
    app_metadata: appMetadata(identities),
    user_metadata: userMetadata(account),
    identities: identities.map((identity) => identityJson(account, identity)),
    ...(factors.length > 0 && { factors: factors.map(factorJson) }),
    created_at: account.createdAt,
    updated_at: account.updatedAt,
    is_anonymous: false,
  }
}

export function appMetadata(identities: readonly Identity[]) {
  const providers = [...new Set(identities.map(({ provider }) => provider))]
  return { provider: providers[0] ?? EMAIL_PROVIDER, providers }
}

/** The names of what we know ourselves; a client's own data has others. */
export const knownMetadata: ReadonlySet<string> = new Set([
  'email',
  'email_verified',
  'phone_verified',
  'sub',
  'username',
  'first_name',
  'last_name',
])

export function userMetadata(account: ProviderUser) {
  return { ...account.metadata, ...ownMetadata(account) }
}

function ownMetadata(account: ProviderUser) {
  return {
    email: account.email,
    email_verified: account.emailConfirmedAt !== null,
    phone_verified: false,
    sub: account.authId,
    username: account.username,
    ...(account.firstName !== null && { first_name: account.firstName }),
    ...(account.lastName !== null && { last_name: account.lastName }),
  }
}

function factorJson({ id, kind, friendlyName, verifiedAt, createdAt, updatedAt }: Factor) {
  return {
    id,
    ...(friendlyName !== '' && { friendly_name: friendlyName }),
    factor_type: kind,
    status: verifiedAt === null ? 'unverified' : 'verified',
    created_at: createdAt,
    updated_at: updatedAt,
  }
}

function identityJson(account: ProviderUser, identity: Identity) {
  return {
    identity_id: identity.id,
    id: identity.subject,
    user_id: account.authId,
    identity_data: { ...ownMetadata(account), sub: identity.subject },
    provider: identity.provider,
    ...(identity.lastSignInAt !== null && { last_sign_in_at: identity.lastSignInAt }),
    created_at: identity.createdAt,
    updated_at: identity.updatedAt,
    email: account.email,
  }
}
