import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/**
 * Below the range from which Linux takes the ports of outgoing connections: while the server is down for a restart, one of them could take
 * its port, even a client's that tries to reach this very server.
 */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(15_000, 32_768)
    const server = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false))
      server.listen({ port, host: '127.0.0.1', exclusive: true }, () => resolve(true))
    })
    await new Promise((resolve) => server.close(resolve))
    if (isFree) return port
  }
}
