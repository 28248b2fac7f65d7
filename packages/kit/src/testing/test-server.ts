import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

export interface TestServer {
  /** Without a slash at its end. */
  readonly url: string
  /** Ends all connections; may be called twice. */
  stop(): Promise<void>
}

/**
 * Stands for somebody else's server, on a free port of this machine. It answers what has come whole: whoever breaks off while they write is no failure,
 * for tests stop their own services at any moment. What `answer` throws fails the test run.
 */
export async function startTestServer(
  answer: (request: IncomingMessage, response: ServerResponse, body: Buffer) => unknown,
): Promise<TestServer> {
  const server = createServer(async (request, response) => {
    const body = await buffer(request).catch(() => null)
    if (body !== null) await answer(request, response, body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
