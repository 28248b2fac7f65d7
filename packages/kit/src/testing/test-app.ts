import { APP_TOKEN_AUDIENCE, APP_TOKEN_ISSUER } from '@wangian/contracts/identity.ts'
import { createLocalJWKSet, exportJWK, generateKeyPair, type JSONWebKeySet, SignJWT } from 'jose'
import { type Authenticator, type AuthenticatorOptions, authenticatorWithKeys, type Caller } from '../http/auth.ts'
import { startTestServer } from './test-server.ts'

/** What a test says about somebody; the rest gets fixed values. */
export type TestPerson = Partial<Omit<Caller, 'expiresAt'>> & { readonly expiresAt?: number }

/** A caller as handlers get it: a seller, not an admin, with a token that ends in 2100. */
export function testCaller(person: TestPerson = {}): Caller {
  const id = person.id ?? 1
  return {
    id,
    username: person.username ?? `user${id}`,
    isSeller: person.isSeller ?? true,
    isAdmin: person.isAdmin ?? false,
    needsSecondFactor: person.needsSecondFactor ?? false,
    sessionId: person.sessionId ?? `session-${id}`,
    expiresAt: person.expiresAt ?? Date.UTC(2100, 0, 1),
  }
}

export interface TestTokens {
  /** Accepts what `tokenFor` signs; for `createApp({ auth })`. */
  readonly authenticator: Authenticator
  /** The same with options, e.g. which sessions have ended. */
  authenticatorWith(options: AuthenticatorOptions): Authenticator
  readonly jwks: JSONWebKeySet
  /** A token as identity issues it. */
  tokenFor(person?: TestPerson): Promise<string>
  /** The same as request headers. */
  bearer(person?: TestPerson): Promise<{ authorization: string }>
  /** Serves the public key like identity does, for processes that only know an address. */
  serveKeys(): Promise<{ readonly jwksUrl: string; stop(): Promise<void> }>
}

/** A key pair of the test's own with everything that is needed to sign in with it. */
export async function createTestTokens(): Promise<TestTokens> {
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'test', alg: 'ES256', use: 'sig' }] }

  async function tokenFor(person: TestPerson = {}): Promise<string> {
    const { id, username, isSeller, isAdmin, needsSecondFactor, sessionId, expiresAt } = testCaller(person)
    return new SignJWT({ username, isSeller, isAdmin, needsSecondFactor, sid: sessionId })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'test' })
      .setSubject(String(id))
      .setIssuer(APP_TOKEN_ISSUER)
      .setAudience(APP_TOKEN_AUDIENCE)
      .setExpirationTime(Math.floor(expiresAt / 1000))
      .sign(privateKey)
  }

  return {
    authenticator: authenticatorWithKeys(createLocalJWKSet(jwks)),
    authenticatorWith: (options) => authenticatorWithKeys(createLocalJWKSet(jwks), options),
    jwks,
    tokenFor,
    bearer: async (person) => ({ authorization: `Bearer ${await tokenFor(person)}` }),
    async serveKeys() {
      const { url, stop } = await startTestServer((_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(jwks))
      })
      return { jwksUrl: `${url}/.well-known/jwks.json`, stop }
    },
  }
}
