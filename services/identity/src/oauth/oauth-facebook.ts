import { createHmac } from 'node:crypto'
import { Failure } from '@wangian/kit/errors.ts'
import { z } from 'zod'
import { namesOf, type OAuthProvider } from './oauth.ts'

const TIMEOUT_MS = 10_000

const TokenAnswer = z.object({ access_token: z.string().min(1) })
const MeAnswer = z.object({
  id: z.string().regex(/^\w{1,64}$/),
  email: z.string().optional(),
  first_name: z.string().optional(),
  last_name: z.string().optional(),
  name: z.string().optional(),
})

/** Sign-in with Facebook: its dialog, then from server to server the token and who it belongs to. */
export function createFacebook(app: {
  readonly appId: string
  readonly appSecret: string
  readonly dialogUrl: string
  readonly graphUrl: string
  /** Where it sends people back to; the app's settings at Facebook must have it. */
  readonly callbackUrl: string
}): OAuthProvider {
  return {
    name: 'facebook',
    isStandIn: false,

    dialogUrl({ state, scopes }) {
      const url = new URL(app.dialogUrl)
      url.search = new URLSearchParams({
        client_id: app.appId,
        redirect_uri: app.callbackUrl,
        response_type: 'code',
        scope: scopes.join(' '),
        state,
      }).toString()
      return url.href
    },

    async fetchProfile(code) {
      const { access_token: token } = await ask(TokenAnswer, `${app.graphUrl}/oauth/access_token`, {
        method: 'POST',
        // In the body: addresses end up in logs.
        body: new URLSearchParams({
          client_id: app.appId,
          client_secret: app.appSecret,
          redirect_uri: app.callbackUrl,
          code,
        }),
      })
      // Proves that the token comes from our server: one that was stolen elsewhere is worth nothing with it.
      const proof = createHmac('sha256', app.appSecret).update(token).digest('hex')
      const query = new URLSearchParams({ fields: 'id,email,first_name,last_name,name', appsecret_proof: proof })
      const me = await ask(MeAnswer, `${app.graphUrl}/me?${query}`, { headers: { authorization: `Bearer ${token}` } })
      const names = namesOf({ firstName: me.first_name, lastName: me.last_name, name: me.name })
      return { subject: me.id, email: me.email ?? null, ...names }
    },
  }
}

async function ask<Schema extends z.ZodType>(schema: Schema, url: string, init: RequestInit): Promise<z.infer<Schema>> {
  const { pathname } = new URL(url)
  let response: Response
  let body: unknown
  try {
    response = await fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) })
    body = await response.json()
  } catch (error) {
    throw new Failure(`Facebook does not answer ${pathname}`, { cause: error })
  }
  if (!response.ok) throw new Failure(`Facebook answers ${pathname} with ${response.status}: ${refusalOf(body)}`)
  const parsed = schema.safeParse(body)
  if (!parsed.success) throw new Failure(`Facebook's answer to ${pathname} is not understood`, { cause: parsed.error })
  return parsed.data
}

const RefusalAnswer = z.object({ error: z.object({ type: z.string(), code: z.number(), message: z.string() }) })

function refusalOf(body: unknown): string {
  const parsed = RefusalAnswer.safeParse(body)
  if (!parsed.success) return 'no reason given'
  const { type, code, message } = parsed.data.error
  return `${type} ${code}: ${message}`.slice(0, 300)
}
