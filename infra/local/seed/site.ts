import type { z } from 'zod'

/** The site as its users reach it: HTTP with JSON, and a token once they have signed in. */
export interface Site {
  readonly url: string
  get<Schema extends z.ZodType>(path: string, schema: Schema): Promise<z.infer<Schema>>
}

/** Somebody who has signed in. */
export interface Person {
  readonly userId: number
  readonly username: string
  readonly token: string
  get<Schema extends z.ZodType>(path: string, schema: Schema): Promise<z.infer<Schema>>
  post<Schema extends z.ZodType>(path: string, body: object, schema: Schema): Promise<z.infer<Schema>>
}

/** A call that the site refused; `code` is the catalogue's, where the answer had one. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly status: number
  readonly code: string | undefined

  constructor(what: string, status: number, body: string) {
    super(`${what} answered ${status}: ${body.slice(0, 300)}`)
    this.status = status
    this.code = /"code":"([a-z-]+)"/.exec(body)?.[1]
  }
}

const TIMEOUT_MS = 15_000

export function visit(url: string): Site {
  return { url, get: (path, schema) => call(url, path, {}, schema) }
}

/**
 * Signs in as the web app does: the provider's token for an application token.
 * @throws Refusal when the account is not there or has another password
 */
export async function signIn(url: string, username: string, password: string, schemas: SignInSchemas): Promise<Person> {
  const provider = await call(
    url,
    '/auth/v1/token?grant_type=password',
    { body: { email: `${username}@wangian.test`, password }, headers: { apikey: 'wangian' } },
    schemas.provider,
  )
  const session = await call(
    url,
    '/api/v1/auth/session',
    { body: { supabaseToken: provider.access_token } },
    schemas.session,
  )
  const headers = { authorization: `Bearer ${session.token}` }
  return {
    userId: session.user.id,
    username,
    token: session.token,
    get: (path, schema) => call(url, path, { headers }, schema),
    post: (path, body, schema) => call(url, path, { body, headers }, schema),
  }
}

export interface SignInSchemas {
  readonly provider: z.ZodType<{ access_token: string }>
  readonly session: z.ZodType<{ token: string; user: { id: number } }>
}

interface Given {
  /** A form is sent as one, everything else as JSON. */
  readonly body?: object
  readonly headers?: Record<string, string>
}

async function call<Schema extends z.ZodType>(
  url: string,
  path: string,
  { body, headers = {} }: Given,
  schema: Schema,
): Promise<z.infer<Schema>> {
  const method = body === undefined ? 'GET' : 'POST'
  const isForm = body instanceof FormData
  const response = await fetch(new URL(path, url), {
    method,
    headers: { ...headers, ...(body !== undefined && !isForm && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  const text = await response.text()
  if (!response.ok) throw new Refusal(`${method} ${path}`, response.status, text)
  return schema.parse(JSON.parse(text))
}
