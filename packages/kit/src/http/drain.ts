import type { Server } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'

/**
 * How long whoever asks one of our services may keep a connection that nothing goes through. A service that stops goes on answering for longer
 * (`DRAIN_MS`), and says with each answer that its connection ends: so none is closed from this side while the next request is on its way.
 */
export const KEPT_UNUSED_MS = 1000

const LOOK_EVERY_MS = 20

/**
 * Ends the connections of a server that closes as soon as nothing goes through them. Node does so only once, when closing begins, and would wait more than
 * a minute for one that was just then answered.
 */
export function endUnused(server: Server): void {
  if (!server.listening) return
  const looking = setInterval(() => server.closeIdleConnections(), LOOK_EVERY_MS)
  server.once('close', () => clearInterval(looking))
}

/** Waits until nobody is connected any more, and so long at most. */
export async function untilUnused(server: Server, withinMs: number): Promise<void> {
  const endsAtMs = performance.now() + withinMs
  while (performance.now() < endsAtMs && (await connectionsOf(server)) > 0) await wait(LOOK_EVERY_MS)
}

function connectionsOf(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)))
  })
}
