import { Failure, Rejection } from '@wangian/kit/errors.ts'
import { z } from 'zod'

const TIMEOUT_MS = 10_000

const Granted = z.object({ access_token: z.string(), user: z.object({ id: z.string() }) })
const Refused = z.object({ code: z.string() })

/**
 * Whether this is somebody's password at the hosted provider. There is one way to find out: to sign in with it. The session that this
 * opens is ended again.
 * @throws Rejection('recent-sign-in-required') when the provider does not say, e.g. because it wants to see a captcha first
 */
export async function isHostedPassword(
  { url, anonKey }: { readonly url: string; readonly anonKey: string },
  { authId, email }: { readonly authId: string; readonly email: string },
  password: string,
): Promise<boolean> {
  const headers = { apikey: anonKey, 'x-supabase-api-version': '2024-01-01' }
  const { status, body } = await post(`${url}/token?grant_type=password`, headers, { email, password })
  if (status === 429) throw new Rejection('rate-limited')
  if (status >= 500) throw new Failure(`the hosted auth provider answers ${status}`)
  const granted = Granted.safeParse(body)
  if (status === 200 && granted.success) {
    const authorization = `Bearer ${granted.data.access_token}`
    // It ends by itself when this fails.
    await post(`${url}/logout?scope=local`, { ...headers, authorization }).catch(() => {})
    return granted.data.user.id === authId
  }
  if (Refused.safeParse(body).data?.code === 'invalid_credentials') return false
  throw new Rejection('recent-sign-in-required')
}

async function post(url: string, headers: Readonly<Record<string, string>>, json?: object) {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      ...(json !== undefined && { body: JSON.stringify(json) }),
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const text = await response.text()
    return { status: response.status, body: parsed(text) }
  } catch (error) {
    throw new Failure('the hosted auth provider does not answer', { cause: error })
  }
}

/** What a proxy before it answers may be no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
