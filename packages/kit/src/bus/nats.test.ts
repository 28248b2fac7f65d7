import { connect, createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../testing/eventually.ts'
import { startTestNats, type TestNats } from '../testing/test-nats.ts'
import { closeNats, connectNats, isReachable, streamReplicasOf, subscribe } from './nats.ts'

let server: TestNats
beforeAll(async () => {
  server = await startTestNats()
})
afterAll(() => server.stop())

const echo = async (from: Awaited<ReturnType<typeof connectNats>>) => {
  await from.flush()
  return (await from.request('nats-test.echo', 'hello', { timeout: 30_000 })).string()
}

describe('a connection to NATS', () => {
  it('waits for a server that is not there yet', async () => {
    await server.kill()
    const connecting = connectNats({ url: server.url, name: 'early' })
    await server.restart()
    const connection = await connecting
    expect(connection.isClosed()).toBe(false)
    await closeNats(connection)
  })

  it('comes back with its subscriptions when the server restarts', async () => {
    const connection = await connectNats({ url: server.url, name: 'patient' })
    connection.subscribe('nats-test.echo', { callback: (_error, message) => void message.respond(message.data) })
    expect(await echo(connection)).toBe('hello')
    const reconnected = waitFor(connection, 'reconnect')
    await server.kill()
    await server.restart()
    await reconnected
    expect(await echo(connection)).toBe('hello')
    await closeNats(connection)
  })

  it('tells no password to a server that speaks no TLS where the address wants it', async () => {
    const url = server.url.replace(/^nats:/, 'tls:')
    const connecting = connectNats({ url, name: 'confidential', isPatient: false })
    await expect(connecting).rejects.toThrow("server does not support 'tls'")
  })

  it('makes streams with three copies when it was given three servers, else with one', async () => {
    for (const [servers, copies] of [
      [1, 1],
      [2, 1],
      [3, 3],
      [5, 3],
    ] as const) {
      const connection = await connectNats({ url: Array(servers).fill(server.url).join(','), name: 'many' })
      expect(streamReplicasOf(connection), `${servers} servers`).toBe(copies)
      await closeNats(connection)
    }
  })

  it('reads on after a handler that threw', async () => {
    const connection = await connectNats({ url: server.url, name: 'careless' })
    const heard: string[] = []
    subscribe(connection, 'nats-test.careless', (message) => {
      heard.push(message.string())
      throw new Error('a bug')
    })
    connection.subscribe('nats-test.echo', { callback: (_error, message) => void message.respond(message.data) })
    connection.publish('nats-test.careless', 'first')
    connection.publish('nats-test.careless', 'second')
    expect(await echo(connection)).toBe('hello')
    expect(heard).toEqual(['first', 'second'])
    await closeNats(connection)
  })

  it('asks again for what the server has refused, until nobody wants it any more', async () => {
    const line = await silenceableLine(new URL(server.url))
    const connection = await connectNats({ url: line.url, name: 'refused' })
    const heard: string[] = []
    const refusals: Error[] = []
    const listening = ['one', 'other'].map((name) =>
      subscribe(connection, `nats-test.${name}`, (message) => heard.push(message.string()), {
        onError: (error) => refusals.push(error),
        refusedWaitMs: 100,
      }),
    )
    await connection.flush()
    for (const name of ['one', 'other']) {
      line.say(`-ERR 'Permissions Violation for Subscription to "nats-test.${name}"'\r\n`)
    }
    await eventually(() => expect(refusals).toHaveLength(2))
    await listening[1]?.drain()
    await eventually(async () => {
      server.connection.publish('nats-test.one', 'again')
      server.connection.publish('nats-test.other', 'no more')
      await Promise.all([server.connection.flush(), connection.flush()])
      expect(heard.length).toBeGreaterThan(0)
    })
    expect(new Set(heard)).toEqual(new Set(['again']))
    await closeNats(connection)
    await line.stop()
  })

  it('notices within seconds that the server has gone silent', async () => {
    const line = await silenceableLine(new URL(server.url))
    const connection = await connectNats({ url: line.url, name: 'wary' })
    const stale = waitFor(connection, 'disconnect')
    line.silence()
    await stale
    await closeNats(connection)
    await line.stop()
  })

  it('says whether the server answers', async () => {
    const connection = await connectNats({ url: server.url, name: 'asking' })
    expect(await isReachable(connection)).toBe(true)
    const disconnected = waitFor(connection, 'disconnect')
    await server.kill()
    await disconnected
    expect(await isReachable(connection)).toBe(false)
    const reconnected = waitFor(connection, 'reconnect')
    await server.restart()
    await reconnected
    expect(await isReachable(connection)).toBe(true)
    await closeNats(connection)
    expect(await isReachable(connection)).toBe(false)
  })

  it('can be closed while the server is away', async () => {
    const connection = await connectNats({ url: server.url, name: 'leaving' })
    const disconnected = waitFor(connection, 'disconnect')
    await server.kill()
    await disconnected
    await closeNats(connection)
    expect(connection.isClosed()).toBe(true)
    await server.restart()
  })
})

async function waitFor(connection: Awaited<ReturnType<typeof connectNats>>, type: string): Promise<void> {
  for await (const status of connection.status()) {
    if (status.type === type) return
  }
}

/** A way to the server that can stop carrying anything while its connections stay open, as a frozen machine does. */
async function silenceableLine(
  target: URL,
): Promise<{ url: string; silence(): void; say(text: string): void; stop(): Promise<void> }> {
  const sockets: Socket[] = []
  const clients: Socket[] = []
  let isSilent = false
  const line = createServer((near) => {
    const far = connect(Number(target.port), target.hostname)
    sockets.push(near, far)
    clients.push(near)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('data', (bytes) => {
        if (!isSilent) to.write(bytes)
      })
      from.on('error', () => {})
      from.on('close', () => to.destroy())
    }
  })
  await new Promise<void>((resolve) => line.listen(0, '127.0.0.1', resolve))
  const address = line.address()
  if (address === null || typeof address === 'string') throw new Error('no TCP address')
  return {
    url: `nats://127.0.0.1:${address.port}`,
    silence() {
      isSilent = true
    },
    /** As if the server had said it. */
    say(text) {
      for (const client of clients) client.write(text)
    },
    async stop() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => line.close(resolve))
    },
  }
}
