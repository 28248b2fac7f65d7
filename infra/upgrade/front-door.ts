import { Agent, type IncomingMessage, request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { Answer } from '../rig/market.ts'

/** A load balancer keeps no connection that nothing went through for longer, as its documentation asks for. */
const KEPT_UNUSED_MS = 1000
const AVOID_MS = 1000
const AGAIN_AFTER_MS = 20
const GIVE_UP_AFTER_MS = 10_000

/** Whatever stands before several gateways, as it should behave: the gateways in turn, and another one when nobody was there. */
export interface FrontDoor {
  /** @throws when a request was lost: it had reached a gateway, and there was no answer */
  call(
    method: string,
    path: string,
    token?: string,
    body?: object | Blob,
  ): Promise<Answer & { readonly tookMs: number }>
  /** Of a gateway that takes sockets. */
  socketUrl(): string
  close(): void
}

export function openFrontDoor(urls: readonly string[]): FrontDoor {
  const agent = new Agent({ keepAlive: true, timeout: KEPT_UNUSED_MS })
  const avoidedUntilMs = new Map<string, number>()
  let turn = 0

  function take(): string {
    const inTurn = urls.map((_, offset) => urls[(turn + offset) % urls.length] ?? '')
    turn += 1
    return inTurn.find((url) => (avoidedUntilMs.get(url) ?? 0) <= performance.now()) ?? inTurn[0] ?? ''
  }
  const avoid = (url: string) => avoidedUntilMs.set(url, performance.now() + AVOID_MS)

  return {
    async call(method, path, token, body) {
      const startedAtMs = performance.now()
      for (;;) {
        const url = take()
        try {
          const answer = await send(agent, { url: url + path, method, token, body })
          if (answer.isClosing) avoid(url)
          return { ...answer, tookMs: performance.now() - startedAtMs }
        } catch (error) {
          const isRefused = error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED'
          if (!isRefused || performance.now() - startedAtMs > GIVE_UP_AFTER_MS) throw error
          avoid(url)
          await wait(AGAIN_AFTER_MS)
        }
      }
    },
    socketUrl: () => `${take().replace('http', 'ws')}/ws`,
    close: () => agent.destroy(),
  }
}

async function send(
  agent: Agent,
  { url, method, token, body }: { url: string; method: string; token?: string | undefined; body?: object | undefined },
): Promise<Answer & { readonly isClosing: boolean }> {
  const payload =
    body instanceof Blob
      ? { bytes: Buffer.from(await body.arrayBuffer()), type: body.type }
      : body && { bytes: Buffer.from(JSON.stringify(body)), type: 'application/json' }
  const headers = {
    ...(payload && { 'content-type': payload.type, 'content-length': payload.bytes.length }),
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  }
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { agent, method, headers }, (response: IncomingMessage) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        const isJson = response.headers['content-type']?.includes('json') === true
        resolve({
          status: response.statusCode ?? 0,
          text,
          body: isJson ? JSON.parse(text) : null,
          isClosing: response.headers.connection === 'close',
        })
      })
    })
    outgoing.on('error', reject)
    outgoing.end(payload?.bytes)
  })
}
