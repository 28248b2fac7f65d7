import { Agent, get, type RequestOptions } from 'node:http'

/** An address, and whose token it is asked with. */
export interface Signed {
  readonly url: string
  readonly token: string
}

/**
 * Asks addresses in turn, again and again, so many requests at a time, for so long and at least so many.
 * @returns how long each took, ms
 * @throws when an answer is no 200
 */
export async function requestLoop(
  urls: readonly (string | Signed)[],
  {
    inParallel,
    durationMs,
    requestsMin = 0,
  }: { readonly inParallel: number; readonly durationMs: number; readonly requestsMin?: number },
): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: inParallel })
  const tookMs: number[] = []
  const endsAtMs = performance.now() + durationMs
  let asked = 0
  async function ask(): Promise<void> {
    while (performance.now() < endsAtMs || asked < requestsMin) {
      const startedAtMs = performance.now()
      await once(urls[asked++ % urls.length] ?? '', agent)
      tookMs.push(performance.now() - startedAtMs)
    }
  }
  try {
    await Promise.all(Array.from({ length: inParallel }, ask))
  } finally {
    agent.destroy()
  }
  return tookMs
}

async function once(asked: string | Signed, agent: Agent): Promise<void> {
  const { url, headers } =
    typeof asked === 'string'
      ? { url: asked, headers: {} }
      : { url: asked.url, headers: { authorization: `Bearer ${asked.token}` } }
  const status = await statusOf(url, { agent, headers })
  if (status !== 200) throw new Error(`${url} answered ${status}`)
}

/** The status of an answer that has come whole. For less than `fetch` costs whoever asks, who shares the processors with whom they ask. */
export function statusOf(url: string, options: RequestOptions): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get(url, options, (response) => {
      response.on('end', () => resolve(response.statusCode))
      response.on('error', reject)
      response.resume()
    }).on('error', reject)
  })
}
