import { setTimeout as delay } from 'node:timers/promises'
import type { z } from 'zod'

const TIMEOUT_MS = 15_000
const TRIES_MAX = 8
/** The longest that the site may ask us to wait before we give up. */
const WAIT_MAX_MS = 65_000
const RETRY_DELAY_MS = 500

/** The system under load over HTTP, as its users reach it. Calls wait when the site asks them to. */
export interface Site {
  readonly url: string
  get<Schema extends z.ZodType>(path: string, schema: Schema): Promise<z.infer<Schema>>
  post<Schema extends z.ZodType>(path: string, body: object, schema: Schema, token?: string): Promise<z.infer<Schema>>
}

/** @param log told when the site makes us wait */
export function siteAt(url: string, log: (line: string) => void): Site {
  return {
    url,
    get: async (path, schema) => schema.parse(await call(url, path, {}, log)),
    async post(path, body, schema, token) {
      const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) }
      return schema.parse(await call(url, path, { method: 'POST', headers, body: JSON.stringify(body) }, log))
    },
  }
}

/** @throws what the site said when it refuses, or goes on refusing for now */
async function call(url: string, path: string, init: RequestInit, log: (line: string) => void): Promise<unknown> {
  for (let attempt = 1; ; attempt++) {
    const response = await reach(new URL(path, url), init)
    const text = await response.text()
    if (response.ok) return JSON.parse(text)
    const waitMs = waitBeforeRetryMs(response)
    if (waitMs === undefined || waitMs > WAIT_MAX_MS || attempt === TRIES_MAX) {
      throw new Error(`${init.method ?? 'GET'} ${path} answered ${response.status}: ${text.slice(0, 300)}`)
    }
    if (waitMs > RETRY_DELAY_MS) log(`${path} has to wait for ${Math.ceil(waitMs / 1000)} s (${response.status})`)
    await delay(waitMs)
  }
}

async function reach(address: URL, init: RequestInit): Promise<Response> {
  try {
    return await fetch(address, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) })
  } catch (error) {
    // fetch itself only says "fetch failed"; the reason is in the cause.
    const { cause, message } = error as Error
    throw new Error(`${address.href}: ${cause instanceof Error ? cause.message : message}`, { cause: error })
  }
}

function waitBeforeRetryMs({ status, headers }: Response): number | undefined {
  if (status !== 429 && status !== 503) return undefined
  const seconds = Number(headers.get('retry-after'))
  return Math.max(Number.isFinite(seconds) ? seconds * 1000 : 0, RETRY_DELAY_MS)
}
