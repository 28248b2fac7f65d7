import { AuthClient } from '@supabase/auth-js'
import { PUBLIC_URL } from './test-identity.ts'

const REDIRECTS_MAX = 10

/** What a browser shows at the end of all redirects; `body` is empty for an address of the web app. */
export interface Page {
  readonly url: URL
  readonly status: number
  readonly body: string
}

export type TestBrowser = ReturnType<typeof createTestBrowser>

/**
 * A browser as far as signing in needs one: the published auth client with a storage of its own, cookies, redirects, and
 * forms. It stops at the web app, which is not there.
 * @param serviceUrl where what is at `PUBLIC_URL` for browsers really is
 */
export function createTestBrowser(serviceUrl: string) {
  const values = new Map<string, string>()
  const cookies = new Map<string, string>()
  const client = new AuthClient({
    url: `${serviceUrl}/auth/v1`,
    headers: { apikey: 'embedded' },
    flowType: 'pkce',
    storageKey: `test-${Math.random()}`,
    detectSessionInUrl: false,
    autoRefreshToken: false,
    storage: {
      getItem: (key) => values.get(key) ?? null,
      setItem: (key, value) => void values.set(key, value),
      removeItem: (key) => void values.delete(key),
    },
  })

  async function visit(address: string, form?: Readonly<Record<string, string>>): Promise<Page> {
    let url = new URL(address)
    let body = form === undefined ? undefined : new URLSearchParams(form)
    for (let count = 0; count < REDIRECTS_MAX; count += 1) {
      if (url.origin === PUBLIC_URL && !url.pathname.startsWith('/auth/v1/')) return { url, status: 200, body: '' }
      const isOurs = url.origin === PUBLIC_URL || url.origin === serviceUrl
      const response = await fetch(url.origin === PUBLIC_URL ? `${serviceUrl}${url.pathname}${url.search}` : url, {
        redirect: 'manual',
        ...(body !== undefined && { method: 'POST', body }),
        ...(isOurs && { headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') } }),
      })
      for (const given of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(given) ?? []
        cookies.set(name, value)
      }
      const location = response.headers.get('location')
      if (location === null) return { url, status: response.status, body: await response.text() }
      url = new URL(location, url)
      body = undefined
    }
    throw new Error(`more than ${REDIRECTS_MAX} redirects`)
  }

  return {
    client,
    cookies,
    visit,
    /** Where the client would send the browser to sign in with Facebook. */
    async facebookUrl(redirectTo = `${PUBLIC_URL}/auth-callback`): Promise<string> {
      const { data, error } = await client.signInWithOAuth({
        provider: 'facebook',
        options: { redirectTo, scopes: 'email,public_profile', skipBrowserRedirect: true },
      })
      if (error) throw error
      return data.url
    },
    /** Fills in and sends the form of the stand-in that a page shows. */
    consent(page: Page, fields: Readonly<Record<string, string>>): Promise<Page> {
      const action = /<form method="post" action="([^"]+)">/.exec(page.body)?.[1]
      const state = /name="state" value="([^"]+)"/.exec(page.body)?.[1]
      if (action === undefined || state === undefined) throw new Error(`no form at ${page.url}: ${page.body}`)
      return visit(action, { state, person: 'other', decision: 'allow', ...fields })
    },
  }
}
