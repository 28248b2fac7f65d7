import { AuthClient, AuthError } from '@supabase/auth-js'
import { z } from 'zod'
import { type AuthProvider, type NewAccount, ProviderError, providerStorageKey } from './auth-provider.ts'

const StoredSession = z.object({ access_token: z.string() })

/** The provider by its official client. A module of its own, because only those who sign in need to load it. */
export function createSupabaseProvider(origin: string): AuthProvider {
  const client = new AuthClient({
    url: `${origin}/auth/v1`,
    // Our own provider takes any key; a hosted one is behind the gateway, which knows the real key.
    headers: { apikey: 'wangian' },
    flowType: 'pkce',
    storageKey: providerStorageKey,
    detectSessionInUrl: false,
    autoRefreshToken: true,
    persistSession: true,
  })
  return {
    async signIn(email, password) {
      const { data, error } = await client.signInWithPassword({ email, password })
      if (error) throw providerError(error)
      return data.session.access_token
    },
    async signUp(account) {
      const { data, error } = await client.signUp(signUpRequest(account, origin))
      if (error) throw providerError(error)
      return data.session?.access_token ?? null
    },
    async signOut(stored) {
      const { access_token } = StoredSession.parse(JSON.parse(stored))
      // Not `global`: other devices stay signed in.
      const { error } = await client.admin.signOut(access_token, 'local')
      if (error) throw providerError(error)
    },
    async currentToken() {
      const { data, error } = await client.getSession()
      if (error) throw providerError(error)
      return data.session?.access_token ?? null
    },
    onChange(listener) {
      client.onAuthStateChange((event, session) => {
        if (event === 'SIGNED_OUT') listener(null)
        else if (session && event !== 'INITIAL_SESSION') listener(session.access_token)
      })
    },
  }
}

function signUpRequest({ email, password, username, firstName, lastName }: NewAccount, origin: string) {
  return {
    email,
    password,
    options: {
      data: { username, first_name: firstName, last_name: lastName },
      emailRedirectTo: `${origin}/auth/verify`,
    },
  }
}

function providerError(error: unknown): ProviderError {
  if (error instanceof AuthError) return new ProviderError(error.message, error.code, { cause: error })
  return new ProviderError(String(error), undefined, { cause: error })
}
