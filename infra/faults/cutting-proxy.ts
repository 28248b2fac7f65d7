import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A TCP proxy in front of Postgres that can lose an answer: the statement is carried out, and nobody is told. */
export interface CuttingProxy {
  readonly port: number
  /**
   * Cuts the connection of a program (its application_name) at the moment when the server next answers on it, in place of passing the
   * answer on. Resolves when that has happened.
   */
  loseNextAnswer(applicationName: string): Promise<void>
  stop(): Promise<void>
}

interface Loss {
  readonly applicationName: string
  readonly onLost: () => void
}

/** Starts a proxy on a free port of this machine for a server on another. */
export async function startCuttingProxy(serverPort: number): Promise<CuttingProxy> {
  const open = new Set<Socket>()
  let loss: Loss | null = null
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ host: '127.0.0.1', port: serverPort, noDelay: true })
    let startup = ''
    const cut = () => {
      client.destroy()
      upstream.destroy()
    }
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.on('error', cut)
      socket.on('close', () => {
        open.delete(socket)
        cut()
      })
    }
    client.on('data', (bytes) => {
      // The first message names the program, in plain text.
      if (startup === '') startup = bytes.toString('latin1')
      upstream.write(bytes)
    })
    upstream.on('data', (bytes) => {
      if (loss === null || !startup.includes(`application_name\0${loss.applicationName}\0`)) return client.write(bytes)
      const { onLost } = loss
      loss = null
      cut()
      onLost()
      return undefined
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    loseNextAnswer: (applicationName) =>
      new Promise((onLost) => {
        loss = { applicationName, onLost }
      }),
    async stop() {
      for (const socket of open) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
