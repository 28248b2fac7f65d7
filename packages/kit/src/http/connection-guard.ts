import type { RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { invariant } from '../invariant.ts'

/** Requests of one connection that wait for their answers at a time. No browser sends the next one before it has the last one's answer. */
const UNANSWERED_MAX = 4

/**
 * Answers nobody who is gone, and closes connections on which somebody asks on and on without waiting for answers: Node reads all that comes, and
 * what is 28 bytes on the way is kilobytes while it waits for its turn.
 */
export function guardConnections(server: Server): void {
  const [serve, ...others] = server.listeners('request') as RequestListener[]
  invariant(serve !== undefined && others.length === 0, 'a server answers by one listener')
  const unanswered = new WeakMap<Socket, Set<ServerResponse>>()
  const unansweredOn = (socket: Socket) => {
    const known = unanswered.get(socket)
    if (known !== undefined) return known
    const responses = new Set<ServerResponse>()
    unanswered.set(socket, responses)
    // Node ends only the first of them where the connection was to become something else (`Upgrade`, `CONNECT`): the others would be under way for ever.
    socket.once('close', () => {
      for (const response of responses) response.destroy()
    })
    return responses
  }
  server.removeListener('request', serve)
  server.on('request', (request, response) => {
    const { socket } = request
    if (isGone(socket)) return void socket.destroy()
    const responses = unansweredOn(socket)
    if (responses.size >= UNANSWERED_MAX) return void socket.destroy()
    responses.add(response)
    response.once('close', () => responses.delete(response))
    serve(request, response)
  })
}

/** Whether nobody is there any more. What came before a reset is still read, but not from whom. */
export const isGone = (socket: Socket): boolean => socket.destroyed || socket.remoteAddress === undefined
