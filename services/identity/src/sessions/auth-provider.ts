import { Rejection } from '@wangian/kit/errors.ts'
import type { Account } from '../store.ts'

/** Somebody whom the auth provider knows to be signed in, and in which session. */
export interface SignIn {
  readonly account: Account
  readonly sessionId: string
  /** `missing`: the account has one, and this session has not shown it. */
  readonly secondFactor: 'none' | 'missing' | 'shown'
}

/** The embedded or the hosted auth provider, as far as the product's own calls need it. */
export type AuthProvider = EmbeddedProvider | HostedProvider

export interface EmbeddedProvider extends AnyProvider {
  readonly kind: 'embedded'
}

/** It keeps the passwords and addresses of people: they are changed there, and nowhere here. */
export interface HostedProvider extends AnyProvider {
  readonly kind: 'hosted'
  /**
   * Whether this is the person's password.
   * @throws Rejection('rate-limited'); Rejection('recent-sign-in-required') when it does not say; Failure when it is away
   */
  isPassword(account: Account, password: string): Promise<boolean>
}

interface AnyProvider {
  /** Where its clients find it; relative to the site's own address when it is embedded. */
  readonly url: string
  /** The public key that its clients send. */
  readonly key: string
  /** Whether an administrator without a second factor is an ordinary person: everywhere but on a system with demo data. */
  readonly isFactorRequired: boolean
  /**
   * Whose access token of the provider this is.
   * @throws Rejection('invalid-session'), ('account-suspended') or ('account-exists'); Failure when it cannot be checked now
   */
  signInOf(token: string): Promise<SignIn>
  /**
   * Whether this is who the holder of the token is at another site.
   * @throws Rejection('account-exists') when that is somebody else here
   */
  isSamePerson(
    signIn: SignIn,
    token: string,
    claimed: { readonly provider: string; readonly providerId: string },
  ): Promise<boolean>
  /** What somebody with this username signs in with; `null` when there is nobody. */
  loginOf(username: string): Promise<string | null>
}

/** Passwords and addresses that are kept elsewhere are not changed here. @throws Rejection('provider-managed') */
export function requireEmbedded({ kind }: AuthProvider): void {
  if (kind === 'hosted') throw new Rejection('provider-managed')
}
