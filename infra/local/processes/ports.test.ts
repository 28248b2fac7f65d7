import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { createInterface } from 'node:readline'
import { afterEach, describe, expect, it } from 'vitest'
import { findFreePort, requirePort } from './ports.ts'

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

describe('a free port', () => {
  const MANY = 400
  const findMany = async () => {
    const ports: number[] = []
    for (let count = 0; count < MANY; count++) ports.push(await findFreePort())
    return ports
  }

  it('is given to nobody else, in this process or another one', async () => {
    const script = `
      import { findFreePort } from ${JSON.stringify(new URL('./ports.ts', import.meta.url).href)}
      for (let count = 0; count < ${MANY}; count++) console.log(await findFreePort())
      process.stdin.resume()`
    const other = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: 'pipe' })
    const ended = once(other, 'exit')
    const theirs: number[] = []
    for await (const line of createInterface(other.stdout)) if (theirs.push(Number(line)) === MANY) break
    const ours = await findMany()
    other.kill()
    await ended
    expect(new Set([...ours, ...theirs]).size).toBe(2 * MANY)
  })
})
