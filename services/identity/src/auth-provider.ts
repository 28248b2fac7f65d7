import type { Account } from './store.ts'

/** Somebody whom the auth provider knows to be signed in, and in which session. */
export interface SignIn {
  readonly account: Account
  readonly sessionId: string
}

/** The embedded or the hosted auth provider, as far as the product's own calls need it. */
export interface AuthProvider {
  readonly kind: 'embedded' | 'hosted'
  /** Where its clients find it; relative to the site's own address when it is embedded. */
  readonly url: string
  /** The public key that its clients send. */
  readonly key: string
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
