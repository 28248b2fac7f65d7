import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** An address, and whose token it is asked with. */
export interface Signed {
  readonly url: string
  readonly token: string
}

/** Which addresses are asked in turn, again and again, so many requests at a time, for so long and at least so many. */
export interface RequestLoop {
  readonly urls: readonly (string | Signed)[]
  readonly inParallel: number
  readonly durationMs: number
  readonly requestsMin: number
}

/**
 * Of whoever asks. What comes lies outside the heap, and V8 collects all that is old to be rid of it, ten times for 10 ms in three seconds, unless what
 * is young is collected first.
 */
const YOUNG_MB = 24

let worker: Worker | undefined

/**
 * Asks these addresses from a thread of its own, one loop after the other, so that what the process holds besides is nothing to wait for.
 * @returns how long each took, ms
 * @throws when an answer is no 200
 */
export async function requestLoop(
  urls: RequestLoop['urls'],
  { requestsMin = 0, ...limits }: Omit<RequestLoop, 'urls' | 'requestsMin'> & { readonly requestsMin?: number },
): Promise<number[]> {
  worker ??= startWorker()
  worker.postMessage({ urls, requestsMin, ...limits } satisfies RequestLoop)
  const [tookMs] = await once(worker, 'message')
  return tookMs
}

function startWorker(): Worker {
  const started = new Worker(new URL('./request-worker.ts', import.meta.url), {
    name: 'requests',
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
  })
  started.unref()
  return started
}
