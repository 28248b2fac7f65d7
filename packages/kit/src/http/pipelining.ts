import type { RequestListener, Server } from 'node:http'
import type { Socket } from 'node:net'
import { invariant } from '../invariant.ts'

/** Requests of one connection that wait for their answers at a time. No browser sends the next one before it has the last one's answer. */
const UNANSWERED_MAX = 4

/**
 * Closes a connection on which somebody asks on and on without waiting for answers. Node reads all that comes, and what is 28 bytes on the way
 * is kilobytes while it waits for its turn.
 */
export function endPipelines(server: Server): void {
  const [serve, ...others] = server.listeners('request') as RequestListener[]
  invariant(serve !== undefined && others.length === 0, 'a server answers by one listener')
  const unanswered = new WeakMap<Socket, number>()
  const count = (socket: Socket, more: 1 | -1) => {
    const counted = (unanswered.get(socket) ?? 0) + more
    unanswered.set(socket, counted)
    return counted
  }
  server.removeListener('request', serve)
  server.on('request', (request, response) => {
    const { socket } = request
    // What was read together with the one too many.
    if (socket.destroyed) return
    if (count(socket, 1) > UNANSWERED_MAX) return void socket.destroy()
    response.once('close', () => count(socket, -1))
    serve(request, response)
  })
}
