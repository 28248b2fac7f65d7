import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** More than any upload that is not too large. */
const REST_BYTES_MAX = 8 * 1024 * 1024
const REST_TIMEOUT_MS = 30_000

/**
 * Whoever is refused before their body was read is often still writing it, and most clients look at no answer before they are done: closing
 * the connection then would throw the answer away. So the rest is read and thrown away, up to a limit; after that the connection is closed.
 */
export function answerWhileBodiesCome(
  app: FastifyInstance,
  isStopping: () => boolean,
  { bytesMax = REST_BYTES_MAX, timeoutMs = REST_TIMEOUT_MS } = {},
): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    if (isComing(request)) prepare(request, reply)
    done(null, payload)
  })
  function prepare(request: FastifyRequest, reply: FastifyReply): void {
    // Closed at our own time, see below: Node would close right after the answer for whoever asks for that.
    reply.removeHeader('connection')
    const wantsEnd = !reply.raw.shouldKeepAlive
    reply.raw.shouldKeepAlive = true
    readRest(request, reply, { bytesMax, timeoutMs }, () => wantsEnd || isStopping())
  }
}

/** Whether there is a body, and more of it than has arrived. */
function isComing({ raw, headers }: FastifyRequest): boolean {
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  return hasBody && raw.complete === false && !raw.destroyed
}

function readRest(
  { raw }: FastifyRequest,
  reply: FastifyReply,
  { bytesMax, timeoutMs }: { readonly bytesMax: number; readonly timeoutMs: number },
  isLast: () => boolean,
): void {
  const { socket } = raw
  let bytes = 0
  const cutOff = () => void socket.destroy()
  const timer = setTimeout(cutOff, timeoutMs)
  const count = (chunk: Buffer) => {
    bytes += chunk.length
    // What was answered must have left before.
    if (bytes > bytesMax && reply.raw.writableFinished) cutOff()
  }
  raw.on('data', count)
  raw.once('close', () => clearTimeout(timer))
  raw.once('end', () => {
    clearTimeout(timer)
    if (isLast()) socket.end()
  })
  // The service that had it, if any, has said all that it has to say.
  raw.unpipe()
  raw.resume()
}
