import { Agent } from 'node:http'
import { parentPort } from 'node:worker_threads'
import { statusOf } from './answer-status.ts'
import type { RequestLoop, Signed } from './request-loop.ts'

parentPort?.on('message', async (loop: RequestLoop) => parentPort?.postMessage(await run(loop)))

/** Asks as {@link RequestLoop} says. @returns how long each took, ms */
async function run({ urls, inParallel, durationMs, requestsMin }: RequestLoop): Promise<readonly number[]> {
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
