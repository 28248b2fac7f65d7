import { isAuthRetryableFetchError, type User, type UserIdentity, type UserResponse } from '@supabase/auth-js'
import { identityRoutes } from '@wangian/contracts/identity.ts'
import { z } from 'zod'
import { call } from '../api/client.ts'
import { serverNow } from '../lib/server-clock.ts'
import {
  type AuthProvider,
  type NewAccount,
  type PasswordChange,
  ProviderError,
  providerStorageKey,
} from './auth-provider.ts'
import {
  createSupabaseClient,
  granted,
  memoryStorage,
  type ProviderEndpoint,
  providerError,
  type SupabaseClient,
} from './supabase-client.ts'
import { showFactor, supabaseFactors } from './supabase-factors.ts'
import { openSupabaseLink } from './supabase-link.ts'
import { openSupabaseReset } from './supabase-reset.ts'

const StoredSession = z.object({ access_token: z.string() })
const Settings = z.object({ external: z.object({ facebook: z.boolean().default(false) }) })

const facebook = 'facebook'
const changeStorageKey = 'wangian-change'

/**
 * The provider by its official client, the embedded one or a hosted project. A module of its own, because only those who
 * sign in need to load it.
 */
export async function loadSupabaseProvider(origin: string): Promise<AuthProvider> {
  // Without a token: renewing one is what somebody may be waiting for this for.
  const { kind, url, key } = await call(identityRoutes.provider, {}, { bearer: null })
  return createSupabaseProvider(origin, { url: new URL(url, origin).href, key, isEmbedded: kind === 'embedded' })
}

function createSupabaseProvider(origin: string, endpoint: ProviderEndpoint): AuthProvider {
  const client = createSupabaseClient(endpoint, { storageKey: providerStorageKey, autoRefreshToken: true })
  return {
    async signIn(email, password) {
      return tokenOf(granted(await client.signInWithPassword({ email, password })))
    },
    async signUp(account) {
      const { session } = granted(await client.signUp(signUpRequest(account, origin)))
      return session?.access_token ?? null
    },
    async resendSignUpMail(email) {
      granted(await client.resend({ type: 'signup', email, options: { emailRedirectTo: `${origin}/auth/verify` } }))
    },
    async verifyDigits(email, digits) {
      return tokenOf(granted(await client.verifyOtp({ type: 'signup', email, token: digits })))
    },
    openLink: (kind, proof) => openSupabaseLink({ endpoint, accepting: client }, kind, proof),
    async acceptSession({ accessToken, refreshToken }) {
      return tokenOf(granted(await client.setSession({ access_token: accessToken, refresh_token: refreshToken })))
    },
    async exchangeCode(code) {
      return tokenOf(granted(await client.exchangeCodeForSession(code)))
    },
    async isFacebookConfigured() {
      const response = await fetch(`${endpoint.url}/settings`, { headers: { apikey: endpoint.key } })
      if (!response.ok) throw new ProviderError(response.statusText, 'unreachable')
      return Settings.parse(await response.json()).external.facebook
    },
    async facebookUrl() {
      const options = {
        scopes: 'email,public_profile',
        redirectTo: `${origin}/auth-callback`,
        skipBrowserRedirect: true,
      }
      return granted(await client.signInWithOAuth({ provider: facebook, options })).url
    },
    async socialPerson() {
      return socialPersonOf(granted(await client.getUser()).user)
    },
    async isFacebookLinked() {
      return (await facebookIdentities(client)).length > 0
    },
    async unlinkFacebook() {
      for (const identity of await facebookIdentities(client)) granted(await client.unlinkIdentity(identity))
    },
    async requestReset(email) {
      granted(await client.resetPasswordForEmail(email, { redirectTo: `${origin}/reset-password` }))
    },
    changePassword({ newPassword, ...login }) {
      const change = { password: newPassword, current_password: login.currentPassword }
      return changeLogin({ endpoint, client }, login, (signedIn) => signedIn.updateUser(change))
    },
    changeEmail({ newEmail, ...login }) {
      const options = { emailRedirectTo: `${origin}/verify-email` }
      return changeLogin({ endpoint, client }, login, (signedIn) => signedIn.updateUser({ email: newEmail }, options))
    },
    secondFactors: supabaseFactors(client, endpoint),
    openReset: (proof) => openSupabaseReset(endpoint, proof),
    async signOut(stored) {
      const { access_token } = StoredSession.parse(JSON.parse(stored))
      // Not `global`: other devices stay signed in.
      const { error } = await client.admin.signOut(access_token, 'local')
      if (error) throw providerError(error)
    },
    async currentToken() {
      const { data, error } = await client.getSession()
      if (error) throw providerError(error)
      if (!data.session || !hasEnded(data.session)) return data.session?.access_token ?? null
      // The client goes by the clock of this device, which is behind.
      const refreshed = await client.refreshSession()
      if (isAuthRetryableFetchError(refreshed.error)) throw providerError(refreshed.error)
      // What is not refreshed is over, which whoever takes the old one says.
      return (refreshed.data.session ?? data.session).access_token
    },
    onChange(listener) {
      client.onAuthStateChange((event, session) => {
        if (event === 'SIGNED_OUT') listener(null)
        else if (session && event !== 'INITIAL_SESSION' && !hasEnded(session)) listener(session.access_token)
      })
    },
  }
}

/**
 * Signs in again for a change, and takes that session over once it is made. Until then it has a client of its own: a sign-in
 * that has not shown a second factor must not take the place of a session that has.
 */
async function changeLogin(
  { endpoint, client }: { readonly endpoint: ProviderEndpoint; readonly client: SupabaseClient },
  { email, currentPassword, factor }: Pick<PasswordChange, 'email' | 'currentPassword' | 'factor'>,
  change: (signedIn: SupabaseClient) => Promise<UserResponse>,
): Promise<string> {
  const options = { storageKey: changeStorageKey, storage: memoryStorage(), autoRefreshToken: false }
  const signedIn = createSupabaseClient(endpoint, options)
  granted(await signedIn.signInWithPassword({ email, password: currentPassword }))
  try {
    if (factor) await showFactor(signedIn, endpoint, factor)
    granted(await change(signedIn))
  } catch (error) {
    await signedIn.signOut({ scope: 'local' })
    throw error
  }
  const { session } = granted(await signedIn.getSession())
  if (!session) throw new ProviderError('The provider opened no session', undefined)
  return tokenOf(granted(await client.setSession(session)))
}

/** There may be several: each account of Facebook's that had the address of this one when somebody came with it. */
async function facebookIdentities(client: SupabaseClient): Promise<readonly UserIdentity[]> {
  const { identities } = granted(await client.getUserIdentities())
  return identities.filter(({ provider }) => provider === facebook)
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

function hasEnded({ expires_at: endsAtS }: { readonly expires_at?: number }): boolean {
  return endsAtS !== undefined && endsAtS * 1000 <= serverNow()
}

function tokenOf({ session }: { session: { access_token: string } | null }): string {
  if (!session) throw new ProviderError('The provider opened no session', undefined)
  return session.access_token
}

function socialPersonOf({ email = '', id, identities = [] }: User) {
  const identity = identities.find(({ provider }) => provider === facebook)
  return { email, provider: facebook, providerId: identity?.id ?? id }
}
