import { AuthClient, AuthError, isAuthRetryableFetchError } from '@supabase/auth-js'
import { ownErrors } from '@wangian/contracts/received-error.ts'
import { ProviderError } from './auth-provider.ts'

export type SupabaseClient = InstanceType<typeof AuthClient>
type SupabaseOptions = ConstructorParameters<typeof AuthClient>[0]

/** Where the provider is, and the public key that goes with every request. */
export interface ProviderEndpoint {
  readonly url: string
  readonly key: string
  /** Whether it is our own. */
  readonly isEmbedded: boolean
}

/** The official client. What comes in an address is left to the pages, which know what it is for. */
export function createSupabaseClient({ url, key }: ProviderEndpoint, options: SupabaseOptions): SupabaseClient {
  return new AuthClient({
    url,
    headers: { apikey: key },
    flowType: 'pkce',
    detectSessionInUrl: false,
    persistSession: true,
    experimental: { recoveryCodes: true },
    ...options,
  })
}

/** What a session is kept in that ends with the page. */
export function memoryStorage() {
  const kept = new Map<string, string>()
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  }
}

/** Gives back what the client got, or throws what it was refused. */
export function granted<Result extends { data: unknown; error: AuthError | null }>(
  result: Result,
): Extract<Result, { error: null }>['data'] {
  if (result.error) throw providerError(result.error)
  return result.data as Extract<Result, { error: null }>['data']
}

export function providerError(error: unknown): ProviderError {
  // Its message is for developers: "Failed to fetch".
  if (isAuthRetryableFetchError(error)) {
    return new ProviderError(ownErrors.unavailable.message, 'unreachable', { cause: error })
  }
  if (error instanceof AuthError) return new ProviderError(error.message, error.code, { cause: error })
  return new ProviderError(String(error), undefined, { cause: error })
}
