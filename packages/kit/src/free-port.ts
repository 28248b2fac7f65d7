import { randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type ListenOptions, type Server } from 'node:net'

const firstPort = 15_000
const attemptsMax = 200

/**
 * Finds a free port on 127.0.0.1 that is given to nobody else on this machine while this process lives, below the range from which the kernel takes the ports of outgoing connections:
 * a port from inside that range can be taken while its server is down for a restart, even by a client that keeps
 * trying to reach that very server and ends up connected to itself. Ports are chosen long before their servers listen: without the claim one in
 * two hundred systems had two servers that were told the same.
 * @throws when no port is free
 */
export async function findFreePort(): Promise<number> {
  const limit = firstOutgoingPort()
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const port = randomInt(firstPort, limit)
    if ((await isPortFree(port, '127.0.0.1')) && (await claim(port))) return port
  }
  throw new Error(`No free port between ${firstPort} and ${limit} on 127.0.0.1 in ${attemptsMax} attempts.`)
}

async function isPortFree(port: number, host: string): Promise<boolean> {
  return (await tryListening(port, host)) === undefined
}

/** @returns the code of what goes wrong, undefined when nothing does */
export async function tryListening(port: number, host: string): Promise<string | undefined> {
  const server = createServer()
  const problem = await listening(server, { port, host, exclusive: true })
  if (problem === undefined) await new Promise((resolve) => server.close(resolve))
  return problem
}

/** What this process has claimed where there are no abstract sockets. */
const claimed = new Set<number>()

/**
 * Takes a port for this process and its children: by the name of a socket in Linux' abstract namespace, which one process at a time can have and
 * which goes with it (unix(7)). @returns whether nobody else has it
 */
async function claim(port: number): Promise<boolean> {
  if (process.platform !== 'linux') return claimed.has(port) ? false : claimed.add(port).has(port)
  const problem = await listening(createServer().unref(), { path: `\0wangian-port-${port}`, exclusive: true })
  return problem === undefined
}

function listening(server: Server, where: ListenOptions): Promise<string | undefined> {
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    server.listen(where, () => resolve(undefined))
  })
}

function firstOutgoingPort(): number {
  try {
    const low = Number(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split(/\s+/)[0])
    if (low > firstPort + 1000) return low
  } catch {
    // Not Linux: the usual lower bound serves.
  }
  return 32_768
}
