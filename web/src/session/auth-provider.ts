/** What the auth provider answers when it refuses; `message` is its own sentence. */
export class ProviderError extends Error {
  readonly code: string | undefined

  constructor(message: string, code: string | undefined, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ProviderError'
    this.code = code
  }
}

export interface NewAccount {
  readonly email: string
  readonly password: string
  readonly username: string
  readonly firstName: string
  readonly lastName: string
}

/** The hosted or embedded auth provider, as far as a session needs it. All its tokens are access tokens of its own. */
export interface AuthProvider {
  /** @throws {ProviderError} */
  signIn(email: string, password: string): Promise<string>
  /** `null` when the address must be verified before its owner can sign in. @throws {ProviderError} */
  signUp(account: NewAccount): Promise<string | null>
  /** Ends a session at the provider. @param stored what its client kept of it @throws {ProviderError} */
  signOut(stored: string): Promise<void>
  /** A token that is still valid, refreshed when needed; `null` when the session has ended. @throws {ProviderError} when the provider cannot be reached */
  currentToken(): Promise<string | null>
  /** Called when this or another tab signed in, refreshed (`token`) or out (`null`). */
  onChange(listener: (token: string | null) => void): void
}

/** Where the provider's client keeps its session. That something is there is known without loading the client. */
export const providerStorageKey = 'wangian-session'
/** All that its client keeps: the session, and the secret of a sign-in that is under way. */
export const providerStorageKeys = [providerStorageKey, `${providerStorageKey}-code-verifier`] as const
