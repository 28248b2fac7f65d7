import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A TCP proxy that can lose an answer, and hold up either direction while both ends believe that the connection is there. */
export interface CuttingProxy {
  readonly port: number
  /**
   * Cuts the connection of a program (its application_name at Postgres) at the moment when the server next answers on it, in place of passing the
   * answer on. Resolves when that has happened.
   */
  loseNextAnswer(applicationName: string): Promise<void>
  /**
   * Passes nothing on in one direction until the returned function is called; then everything comes, in order. Connections that are
   * made meanwhile are held up, too.
   * @param program whose connections, by how its application_name at Postgres begins; all when not given
   */
  hold(direction: Direction, program?: string): () => void
  stop(): Promise<void>
}

/** What the client sends, or what the server does. */
export type Direction = 'questions' | 'answers'

interface Loss {
  readonly applicationName: string
  readonly onLost: () => void
}

interface Hold {
  readonly direction: Direction
  readonly program: string | undefined
}

interface Line {
  /** The first message names the program, in plain text. */
  startup: string
  readonly from: Readonly<Record<Direction, Socket>>
}

/** Starts a proxy on a free port of this machine for a server on another. */
export async function startCuttingProxy(serverPort: number): Promise<CuttingProxy> {
  const lines = new Set<Line>()
  const holds = new Set<Hold>()
  let loss: Loss | null = null

  const isOf = ({ startup }: Line, program: string | undefined) =>
    program === undefined || startup.includes(`application_name\0${program}`)
  function applyHolds(line: Line): void {
    for (const [direction, socket] of Object.entries(line.from)) {
      const isHeld = [...holds].some((hold) => hold.direction === direction && isOf(line, hold.program))
      if (isHeld) socket.pause()
      else socket.resume()
    }
  }

  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ host: '127.0.0.1', port: serverPort, noDelay: true })
    const line: Line = { startup: '', from: { questions: client, answers: upstream } }
    const cut = () => {
      lines.delete(line)
      client.destroy()
      upstream.destroy()
    }
    lines.add(line)
    for (const socket of [client, upstream]) socket.on('error', cut).on('close', cut)
    client.on('data', (bytes) => {
      upstream.write(bytes)
      if (line.startup !== '') return
      line.startup = bytes.toString('latin1')
      applyHolds(line)
    })
    upstream.on('data', (bytes) => {
      if (loss === null || !isOf(line, `${loss.applicationName}\0`)) return client.write(bytes)
      const { onLost } = loss
      loss = null
      cut()
      onLost()
      return undefined
    })
    applyHolds(line)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    loseNextAnswer: (applicationName) =>
      new Promise((onLost) => {
        loss = { applicationName, onLost }
      }),
    hold(direction, program) {
      const hold: Hold = { direction, program }
      holds.add(hold)
      lines.forEach(applyHolds)
      return () => {
        holds.delete(hold)
        lines.forEach(applyHolds)
      }
    },
    async stop() {
      for (const { from } of lines) for (const socket of Object.values(from)) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
