import { startTestServer } from '@wangian/kit/testing/test-server.ts'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'

/** A stand-in for a hosted auth project: it publishes its keys, signs tokens, and tells people who they are. */
export interface FakeHostedProject {
  readonly url: string
  /** Away: it answers nothing but 503. */
  isAway: boolean
  /** By the token, what `GET /user` answers. */
  readonly users: Map<
    string,
    { identities: { id: string; provider: string }[]; factors?: { id: string; status: string }[] }
  >
  /** By the address, whose password is what; how a sign-in with it is answered when that is something else. */
  readonly passwords: Map<string, { id: string; password: string; refusal?: { status: number; code: string } }>
  /** The tokens of sign-ins with a password, and those of them whose session was ended. */
  readonly signIns: string[]
  readonly signOuts: string[]
  /** A token with the claims of a usual one and these; `null` leaves one out. */
  token(claims?: Readonly<Record<string, unknown>>): Promise<string>
  stop(): Promise<void>
}

export const ANON_KEY = 'the-anon-key'

/** @param secret signs with it (HS256) instead of with the published key */
export async function startFakeHostedProject(secret?: string): Promise<FakeHostedProject> {
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'hosted', alg: 'ES256', use: 'sig' }] }

  const { url: origin, stop } = await startTestServer((request, response, body) => {
    const json = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (project.isAway) return json(503, {})
    if (request.url === '/auth/v1/.well-known/jwks.json') return json(200, jwks)
    if (request.headers.apikey !== ANON_KEY) return json(401, {})
    if (request.url === '/auth/v1/token?grant_type=password') return json(...signIn(body.toString()))
    if (request.url === '/auth/v1/logout?scope=local') {
      project.signOuts.push(request.headers.authorization ?? '')
      return response.writeHead(204).end()
    }
    if (request.url !== '/auth/v1/user') return json(404, {})
    const user = project.users.get(request.headers.authorization?.replace('Bearer ', '') ?? '')
    return user === undefined ? json(403, { code: 'bad_jwt' }) : json(200, user)
  })

  function signIn(form: string): [number, object] {
    const { email, password } = JSON.parse(form)
    const owner = project.passwords.get(email)
    if (owner?.refusal !== undefined) return [owner.refusal.status, { code: owner.refusal.code }]
    if (owner?.password !== password)
      return [400, { code: 'invalid_credentials', message: 'Invalid login credentials' }]
    const token = crypto.randomUUID()
    project.signIns.push(`Bearer ${token}`)
    return [200, { access_token: token, user: { id: owner?.id } }]
  }
  const url = `${origin}/auth/v1`

  const project: FakeHostedProject = {
    url,
    isAway: false,
    users: new Map(),
    passwords: new Map(),
    signIns: [],
    signOuts: [],
    token(claims = {}) {
      const nowS = Math.floor(Date.now() / 1000)
      const all = {
        iss: url,
        aud: 'authenticated',
        role: 'authenticated',
        iat: nowS,
        exp: nowS + 3600,
        sub: crypto.randomUUID(),
        session_id: crypto.randomUUID(),
        email: 'somebody@example.com',
        app_metadata: { provider: 'email', providers: ['email'] },
        user_metadata: { email_verified: true },
        is_anonymous: false,
        ...claims,
      }
      const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null))
      if (secret !== undefined) {
        return new SignJWT(given)
          .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
          .sign(new TextEncoder().encode(secret))
      }
      return new SignJWT(given).setProtectedHeader({ alg: 'ES256', typ: 'JWT', kid: 'hosted' }).sign(privateKey)
    },
    stop,
  }
  return project
}
