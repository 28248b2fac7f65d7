import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { newestMailIn } from '../rig/mailpit.ts'

const Inbox = z.array(z.object({ text: z.string() }))
const TIMEOUT_MS = 15_000
/** How long a call may be put off altogether before we give up: others of ours may be served first again and again. */
const PATIENCE_MS = 180_000
const RETRY_DELAY_MIN_MS = 500

/** The system under load over HTTP, as its users reach it. Calls wait when the site asks them to. */
export interface Site {
  readonly url: string
  get<Schema extends z.ZodType>(path: string, schema: Schema, token?: string): Promise<z.infer<Schema>>
  /** The text of the newest mail to an address, where mails are caught. */
  mailTo(email: string): Promise<string | undefined>
  post<Schema extends z.ZodType>(path: string, body: object, schema: Schema, token?: string): Promise<z.infer<Schema>>
}

/**
 * @param mailpitUrl where mails are shown; at `/dev/inbox` when not given
 * @param log told when the site makes us wait
 * @param signal gives up whatever is being asked
 */
export function siteAt(
  { url, mailpitUrl }: { readonly url: string; readonly mailpitUrl?: string | undefined },
  log: (line: string) => void,
  signal: AbortSignal,
): Site {
  const saidToWait = new Set<string>()
  const onWait = (path: string, status: number) => {
    if (!saidToWait.has(path)) log(`${path} makes us wait (${status}) …`)
    saidToWait.add(path)
  }
  const call = (path: string, init: RequestInit = {}) => callUntilAnswered(new URL(path, url), init, onWait, signal)
  return {
    url,
    async mailTo(email) {
      if (mailpitUrl !== undefined) return newestMailIn(mailpitUrl, email)
      const [mail] = Inbox.parse(await call(`/dev/inbox/messages?to=${encodeURIComponent(email)}`))
      return mail?.text
    },
    get: async (path, schema, token) => schema.parse(await call(path, { headers: signedBy(token) })),
    async post(path, body, schema, token) {
      const headers = { 'content-type': 'application/json', ...signedBy(token) }
      return schema.parse(await call(path, { method: 'POST', headers, body: JSON.stringify(body) }))
    },
  }
}

function signedBy(token: string | undefined): Record<string, string> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` }
}

/** @throws what the site said when it refuses, or goes on refusing for now */
async function callUntilAnswered(
  address: URL,
  init: RequestInit,
  onWait: (path: string, status: number) => void,
  signal: AbortSignal,
): Promise<unknown> {
  const giveUpAtMs = Date.now() + PATIENCE_MS
  for (;;) {
    const response = await reach(address, {
      ...init,
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    })
    const text = await response.text()
    if (response.ok) return JSON.parse(text)
    const waitMs = waitBeforeRetryMs(response)
    if (waitMs === undefined || Date.now() + waitMs > giveUpAtMs) {
      throw new Error(`${init.method ?? 'GET'} ${address.href} answered ${response.status}: ${text.slice(0, 300)}`)
    }
    onWait(address.pathname, response.status)
    await delay(waitMs, undefined, { signal })
  }
}

async function reach(address: URL, init: RequestInit): Promise<Response> {
  try {
    return await fetch(address, init)
  } catch (error) {
    // fetch itself only says "fetch failed"; the reason is in the cause.
    const { cause, message } = error as Error
    throw new Error(`${address.href}: ${cause instanceof Error ? cause.message : message}`, { cause: error })
  }
}

function waitBeforeRetryMs({ status, headers }: Response): number | undefined {
  if (status !== 429 && status !== 503) return undefined
  const seconds = Number(headers.get('retry-after'))
  const askedMs = Math.max(Number.isFinite(seconds) ? seconds * 1000 : 0, RETRY_DELAY_MIN_MS)
  // Those who were put off together should not all come back together.
  return askedMs * (1 + Math.random() / 2)
}
