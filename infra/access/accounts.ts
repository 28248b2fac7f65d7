export interface SignedIn {
  readonly id: number
  readonly token: string
  readonly providerToken: string
  readonly refreshToken: string
}

/** Signing in and out over HTTP, as a browser does it. */
export function accountsAt(url: string) {
  async function post(path: string, body: unknown, token?: string) {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify(body),
    })
    const text = await response.text()
    if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${text}`)
    return JSON.parse(text)
  }
  return {
    async signIn(email: string, password: string): Promise<SignedIn> {
      const session = await post('/auth/v1/token?grant_type=password', { email, password })
      const { token, user } = await post('/api/v1/auth/session', { supabaseToken: session.access_token })
      return { id: user.id, token, providerToken: session.access_token, refreshToken: session.refresh_token }
    },
    signOut: (token: string) => post('/api/v1/auth/logout', {}, token),
  }
}
