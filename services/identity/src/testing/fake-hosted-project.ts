import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'

/** A stand-in for a hosted auth project: it publishes its keys, signs tokens, and tells people who they are. */
export interface FakeHostedProject {
  readonly url: string
  /** Away: it answers nothing but 503. */
  isAway: boolean
  /** By the token, what `GET /user` answers. */
  readonly users: Map<string, { identities: { id: string; provider: string }[] }>
  /** A token with the claims of a usual one and these; `null` leaves one out. */
  token(claims?: Readonly<Record<string, unknown>>): Promise<string>
  stop(): Promise<void>
}

export const ANON_KEY = 'the-anon-key'

/** @param secret signs with it (HS256) instead of with the published key */
export async function startFakeHostedProject(secret?: string): Promise<FakeHostedProject> {
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'hosted', alg: 'ES256', use: 'sig' }] }

  const server = createServer((request, response) => {
    const json = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (project.isAway) return json(503, {})
    if (request.url === '/auth/v1/.well-known/jwks.json') return json(200, jwks)
    if (request.url !== '/auth/v1/user' || request.headers.apikey !== ANON_KEY) return json(404, {})
    const user = project.users.get(request.headers.authorization?.replace('Bearer ', '') ?? '')
    return user === undefined ? json(403, { code: 'bad_jwt' }) : json(200, user)
  })
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/auth/v1`

  const project: FakeHostedProject = {
    url,
    isAway: false,
    users: new Map(),
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
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  }
  return project
}
