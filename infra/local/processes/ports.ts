import { randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type ListenOptions, type Server } from 'node:net'

const firstPort = 15_000
const attemptsMax = 200
/** What listening on ::1 ends with on a machine that has no IPv6. */
const withoutIpv6 = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT'])
/** What listening on an address or a name of another machine ends with. */
const notOfThisMachine = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'ENOTFOUND', 'EAI_AGAIN'])

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

/**
 * Makes sure that the port the person asked for can be listened on.
 * @throws an error that says what to do instead
 */
export async function requirePort(port: number, host: string): Promise<void> {
  const hosts = host === 'localhost' ? ['127.0.0.1', '::1'] : [host]
  const problems = await Promise.all(hosts.map((name) => tryListening(port, name)))
  const isMissed = (code: string) => host !== 'localhost' || !withoutIpv6.has(code)
  const problem = problems.find((code) => code !== undefined && isMissed(code))
  if (problem === undefined) return
  if (notOfThisMachine.has(problem)) {
    throw new Error(`HOST=${host} cannot be listened on (${problem}): it has to be an address of this machine.`)
  }
  const other = port < 1024 ? 8080 : port + 1
  throw new Error(
    problem === 'EADDRINUSE'
      ? `Port ${port} is in use by another program. Stop it, or choose another port: PORT=${other} npm start`
      : `Port ${port} cannot be listened on (${problem}). Choose another port: PORT=${other} npm start`,
  )
}

async function isPortFree(port: number, host: string): Promise<boolean> {
  return (await tryListening(port, host)) === undefined
}

/** The code of what goes wrong, undefined when nothing does. */
async function tryListening(port: number, host: string): Promise<string | undefined> {
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
