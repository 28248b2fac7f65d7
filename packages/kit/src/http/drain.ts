import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

/**
 * How long whoever asks one of our services may keep a connection that nothing goes through. A service that stops goes on answering for longer
 * (`DRAIN_MS`), and says with each answer that its connection ends: so none is closed from this side while the next request is on its way.
 */
export const KEPT_UNUSED_MS = 1000

const LOOK_EVERY_MS = 20
/** What was on its way when closing began has come by then. */
const SILENT_MAX_MS = 300

/**
 * Ends the connections of a server that closes as soon as nothing goes through them. Node does so only once, when closing begins, and would wait more than
 * a minute for one that was just then answered, and for one on which nothing was ever said: browsers open some in advance.
 * @param connections all that there are
 */
export function endUnused(server: Server, connections: ReadonlySet<Socket>): void {
  if (!server.listening) return
  const startedAtMs = performance.now()
  const looking = setInterval(() => {
    server.closeIdleConnections()
    if (performance.now() - startedAtMs < SILENT_MAX_MS) return
    for (const connection of connections) if (connection.bytesRead === 0) connection.destroy()
  }, LOOK_EVERY_MS)
  server.once('close', () => clearInterval(looking))
}

/** The connections of a server, now and later. */
export function connectionsOf(server: Server): ReadonlySet<Socket> {
  const connections = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  })
  return connections
}

/** Waits until nobody is connected any more, and so long at most. */
export async function untilUnused(connections: ReadonlySet<Socket>, withinMs: number): Promise<void> {
  const endsAtMs = performance.now() + withinMs
  while (performance.now() < endsAtMs && connections.size > 0) await wait(LOOK_EVERY_MS)
}
