import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** When everybody begins, in ms since 1970, and what to add to our time to get the server's. */
export interface Start {
  readonly startAtMs: number
  readonly offsetMs: number
}

export interface StartLine {
  readonly url: string
  /** Resolves when all have come. */
  readonly started: Promise<Start>
  close(): Promise<void>
}

/**
 * Where processes of k6 wait for each other: whoever asks (`?offsetMs=&leadMs=`) is answered when all have asked, with the time at which all begin. That is
 * as late as the one that needs longest to open its sockets wants it.
 */
export async function openStartLine(count: number): Promise<StartLine> {
  const { promise: started, resolve } = Promise.withResolvers<Start>()
  const waiting: { readonly response: ServerResponse; readonly offsetMs: number; readonly leadMs: number }[] = []
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '/', 'http://start-line')
    const given = (name: string) => Number(searchParams.get(name)) || 0
    waiting.push({ response, offsetMs: given('offsetMs'), leadMs: given('leadMs') })
    if (waiting.length < count) return
    const startAtMs = Date.now() + Math.max(...waiting.map(({ leadMs }) => leadMs))
    for (const { response } of waiting) {
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ startAtMs }))
    }
    resolve({ startAtMs, offsetMs: waiting[0]?.offsetMs ?? 0 })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    started,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
