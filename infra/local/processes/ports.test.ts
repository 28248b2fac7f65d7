import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { findFreePort } from '@wangian/kit/free-port.ts'
import { afterEach, describe, expect, it } from 'vitest'
import { requirePort } from './ports.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

async function occupy(host: string): Promise<number> {
  const server = createServer().listen(await findFreePort(), host)
  servers.push(server)
  await once(server, 'listening')
  return (server.address() as { port: number }).port
}

describe('a port that somebody asked for', () => {
  it('is accepted when it is free', async () => {
    await requirePort(await findFreePort(), 'localhost')
  })

  it.each(['127.0.0.1', '0.0.0.0'])('is refused with advice when another program has it on %s', async (host) => {
    const port = await occupy(host)
    await expect(requirePort(port, 'localhost')).rejects.toThrow(
      `Port ${port} is in use by another program. Stop it, or choose another port: PORT=${port + 1} npm start`,
    )
  })
})

it.each(['192.0.2.1', 'nowhere.invalid'])('a HOST that is not of this machine is told as such: %s', async (host) => {
  await expect(requirePort(await findFreePort(), host)).rejects.toThrow(
    new RegExp(`^HOST=${host} cannot be listened on \\(E[A-Z]+\\)`),
  )
})
