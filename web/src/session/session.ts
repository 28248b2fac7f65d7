import { identityRoutes } from '@wangian/contracts/identity.ts'
import { ApiError } from '../api/api-error.ts'
import { appToken, type TokenHolder } from '../api/app-token.ts'
import { call, onRefusal } from '../api/client.ts'
import { readStored, writeStored } from '../lib/browser-storage.ts'
import { exclusively } from '../lib/exclusively.ts'
import {
  type AuthProvider,
  type NewAccount,
  ProviderError,
  providerStorageKey,
  providerStorageKeys,
} from './auth-provider.ts'

export type SessionState =
  | { readonly status: 'loading' }
  /**
   * `hasLeft`: by their own wish and in this tab, so that nobody asks them to sign in again. `needsCode`: half way in, for the password was
   * right, and a second factor has to be shown, see `SecondFactors.show`.
   */
  | { readonly status: 'signed-out'; readonly hasLeft?: true; readonly needsCode?: true }
  | { readonly status: 'signed-in'; readonly user: TokenHolder }

/** A token is renewed when it has this long to live. */
const renewBeforeMs = 60_000
/** Also when tokens live shorter than that. */
const renewPauseMs = 5_000
const retryDelaysMs = [2_000, 5_000, 15_000, 30_000, 60_000] as const

/**
 * Who is signed in. The provider's session is exchanged for our application token, which lives in browser storage, is
 * the same in all tabs, and is renewed before it ends.
 */
export class Session {
  readonly #loadProvider: () => Promise<AuthProvider>
  readonly #onSuspended: () => void
  readonly #listeners = new Set<() => void>()
  /** Nothing is known before `start`, and nobody must be sent to sign in meanwhile. */
  #state: SessionState = { status: 'loading' }
  #provider: Promise<AuthProvider> | undefined
  #renewal: Promise<string | null> | undefined
  #exchange: { from: string; result: Promise<string | null> } | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #failures = 0
  #signOuts = 0
  #signIns = 0
  #isSuspended = false

  constructor(loadProvider: () => Promise<AuthProvider>, onSuspended: () => void = () => {}) {
    this.#loadProvider = loadProvider
    this.#onSuspended = onSuspended
  }

  /** Reads what is stored and keeps it fresh from then on. @returns a function that stops that */
  start(): () => void {
    onRefusal({ ofToken: () => this.renew(), ofPerson: () => this.#suspended() })
    const unsubscribe = appToken.subscribe(() => this.#tokenChanged())
    const wake = () => {
      if (document.visibilityState !== 'visible') return
      // A browser that goes back shows the page as it was left, and tells it nothing of what other tabs did meanwhile.
      if (this.#state.status !== 'loading') this.#tokenChanged()
      this.#renewIfDue()
    }
    document.addEventListener('visibilitychange', wake)
    window.addEventListener('pageshow', wake)
    window.addEventListener('online', wake)
    const token = appToken.read()
    const hasEnded = token === null || appToken.lifeLeftMs(token) <= 0
    if (hasEnded && this.#isProviderStored()) this.#set({ status: 'loading' })
    else if (token && hasEnded) this.#end()
    else this.#tokenChanged()
    this.#renewIfDue()
    return () => {
      unsubscribe()
      clearTimeout(this.#timer)
      document.removeEventListener('visibilitychange', wake)
      window.removeEventListener('pageshow', wake)
      window.removeEventListener('online', wake)
    }
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly state = (): SessionState => this.#state

  /**
   * Who is signed in, `null` for a guest, once that is known. What somebody does in the first moment of a visit, while their token is renewed, is not taken
   * for a guest's.
   */
  async knownUser(): Promise<TokenHolder | null> {
    if (this.#state.status === 'loading') {
      await new Promise<void>((known) => {
        const unsubscribe = this.subscribe(() => {
          if (this.#state.status === 'loading') return
          unsubscribe()
          known()
        })
      })
    }
    return this.#state.status === 'signed-in' ? this.#state.user : null
  }

  /** @throws {ApiError} `username-not-found` @throws {ProviderError} when the provider refuses */
  async signIn(name: { email: string } | { username: string }, password: string): Promise<void> {
    const email =
      'email' in name
        ? name.email
        : (await call(identityRoutes.lookupEmail, { body: { username: name.username } })).email
    await this.signInThrough((provider) => provider.signIn(email, password))
  }

  /** `true` when that signed the person in, `false` when the address must be verified first. @throws {ProviderError} */
  async signUp(account: NewAccount): Promise<boolean> {
    return await this.signInThrough((provider) => provider.signUp(account))
  }

  /**
   * Lets the auth provider do `work` that may end in a token of its own (a password, a mailed link, a code) and signs its
   * owner in. @returns false when there was no token @throws {ProviderError} @throws {ApiError}
   */
  async signInThrough(work: (provider: AuthProvider) => Promise<string | null>): Promise<boolean> {
    this.#signIns += 1
    try {
      const providerToken = await work(await this.provider())
      if (providerToken === null) return false
      return (await this.#exchangeToken(providerToken)) !== null
    } finally {
      this.#signIns -= 1
    }
  }

  /** The auth provider, for what signs nobody in. It is loaded when somebody first needs it. */
  provider(): Promise<AuthProvider> {
    this.#provider ??= this.#loadProvider().then(
      (provider) => {
        provider.onChange((token) => this.#providerChanged(token))
        return provider
      },
      (error: unknown) => {
        this.#provider = undefined
        throw error
      },
    )
    return this.#provider
  }

  /** Ends the session here at once, and at the servers as soon as they can be reached; never fails. */
  async signOut(): Promise<void> {
    this.#signOuts += 1
    const isKnown = appToken.read() !== null
    const told = isKnown ? call(identityRoutes.logout, { body: undefined }, { outlivesPage: true }) : Promise.resolve()
    const providerEnded = this.#endProviderSession()
    this.#set({ status: 'signed-out', hasLeft: true })
    appToken.clear()
    // Unreachable servers: their sessions run out by themselves.
    await Promise.allSettled([told, providerEnded])
  }

  /**
   * A fresh application token, or `null` when nobody is signed in any more.
   * @throws {Error} when that cannot be found out right now
   */
  renew(): Promise<string | null> {
    this.#renewal ??= this.#renewOnce(appToken.read()).finally(() => {
      this.#renewal = undefined
    })
    return this.#renewal
  }

  async #renewOnce(stale: string | null): Promise<string | null> {
    return await exclusively('wangian-renew', async () => {
      const stored = appToken.read()
      // Another tab has just done it.
      if (stored && stored !== stale && appToken.lifeLeftMs(stored) > renewBeforeMs) return stored
      if (!this.#isProviderStored()) return this.#end()
      const providerToken = await this.#providerToken()
      return (providerToken && (await this.#exchangeToken(providerToken))) ?? this.#end()
    })
  }

  /** @returns null when the provider has ended the session @throws {Error} when it cannot be reached */
  async #providerToken(): Promise<string | null> {
    try {
      return await (await this.provider()).currentToken()
    } catch (error) {
      // What it refuses to refresh, its client has dropped already.
      if (!(error instanceof ProviderError) || this.#isProviderStored()) throw error
      if (error.code === 'user_banned') this.#suspended()
      return null
    }
  }

  /** Several callers with one provider token share one exchange. */
  #exchangeToken(providerToken: string): Promise<string | null> {
    if (this.#exchange?.from !== providerToken) {
      const result = this.#exchangeOnce(providerToken).finally(() => {
        this.#exchange = undefined
      })
      this.#exchange = { from: providerToken, result }
    }
    return this.#exchange.result
  }

  async #exchangeOnce(providerToken: string): Promise<string | null> {
    try {
      const signOuts = this.#signOuts
      const wasStored = this.#isProviderStored()
      // Without the token at hand: if that were refused, the renewal that this is part of would wait for itself.
      const exchange = { body: { supabaseToken: providerToken } }
      const { token } = await call(identityRoutes.exchangeSession, exchange, { bearer: null })
      // The person left while the answer was on its way, here or in another tab.
      if (signOuts !== this.#signOuts || (wasStored && !this.#isProviderStored())) return null
      this.#failures = 0
      this.#isSuspended = false
      appToken.store(token)
      return token
    } catch (error) {
      if (!(error instanceof ApiError) || (error.status !== 401 && error.status !== 403)) throw error
      if (error.code === 'second-factor-required') {
        appToken.clear()
        this.#set({ status: 'signed-out', needsCode: true })
        throw error
      }
      void this.#endProviderSession()
      this.#end()
      throw error
    }
  }

  /** An answer said so. Whoever is signing in just now gets the answer in the form. */
  #suspended(): void {
    if (this.#signIns > 0) return
    void this.#endProviderSession()
    this.#end()
    if (!this.#isSuspended) this.#onSuspended()
    this.#isSuspended = true
  }

  /** Forgets the provider's session at once, and tells the provider if it can be reached. */
  async #endProviderSession(): Promise<void> {
    const stored = readStored('localStorage', providerStorageKey)
    for (const key of providerStorageKeys) writeStored('localStorage', key, null)
    if (stored === null) return
    try {
      await (await this.provider()).signOut(stored)
    } catch {
      // It runs out by itself.
    }
  }

  #end(): null {
    appToken.clear()
    this.#tokenChanged()
    return null
  }

  #tokenChanged(): void {
    const user = appToken.readHolder()
    // The provider's session still waits for a second factor.
    if (!user && isHalfIn(this.#state) && this.#isProviderStored()) return
    if (!user) this.#set({ status: 'signed-out' })
    else if (this.#state.status !== 'signed-in' || !isSame(this.#state.user, user)) {
      this.#set({ status: 'signed-in', user })
    }
    this.#schedule()
  }

  #schedule(): void {
    clearTimeout(this.#timer)
    const token = appToken.read()
    if (!token) return
    const dueInMs = Math.max(renewPauseMs, appToken.lifeLeftMs(token) - renewBeforeMs)
    this.#timer = setTimeout(() => this.#renewIfDue(), dueInMs)
  }

  #renewIfDue(): void {
    const token = appToken.read()
    if (token ? appToken.lifeLeftMs(token) > renewBeforeMs : this.#state.status !== 'loading') return
    this.renew().catch((error: unknown) => this.#suspect(error))
  }

  /** After a failure: a session that was refused is over, and everything else, such as too many of one address at once, is tried again. */
  #suspect(error: unknown): void {
    if (error instanceof ApiError && (error.status === 401 || error.status === 403)) {
      this.#end()
      return
    }
    const delayMs = retryDelaysMs[Math.min(this.#failures, retryDelaysMs.length - 1)]
    this.#failures += 1
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#renewIfDue(), delayMs)
    // Nothing is known yet: better a page for guests than a spinner for as long as the outage lasts.
    if (this.#state.status === 'loading' && this.#failures > 2) this.#set({ status: 'signed-out' })
  }

  #isProviderStored(): boolean {
    return readStored('localStorage', providerStorageKey) !== null
  }

  #providerChanged(providerToken: string | null): void {
    if (providerToken === null) {
      this.#end()
      return
    }
    // The client says "signed in" at every return to the tab as well.
    const token = appToken.read()
    if (token && appToken.lifeLeftMs(token) > renewBeforeMs) return
    this.#exchangeToken(providerToken).catch((error: unknown) => this.#suspect(error))
  }

  #set(state: SessionState): void {
    const isSame = state.status === this.#state.status && isHalfIn(state) === isHalfIn(this.#state)
    if (isSame && state.status !== 'signed-in') return
    this.#state = state
    for (const listener of this.#listeners) listener()
  }
}

function isSame(one: TokenHolder, other: TokenHolder): boolean {
  return (
    one.id === other.id &&
    one.username === other.username &&
    one.isSeller === other.isSeller &&
    one.isAdmin === other.isAdmin
  )
}

/** Whether somebody has still to show a second factor. */
export function isHalfIn(state: SessionState): boolean {
  return state.status === 'signed-out' && state.needsCode === true
}
