import { once } from 'node:events'
import { connect } from 'node:net'

export interface Answer {
  readonly status: number
  readonly body: string
  json(): unknown
}

export interface RawRequest {
  readonly method: string
  /** As it stands on the wire: nothing is resolved or encoded. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Buffer
  /** In chunks, so that nobody is told how long it will be. */
  readonly isChunked?: boolean
}

const PIECE_BYTES = 64 * 1024

/**
 * A client as there are many: it looks at the answer only when it has written everything.
 * @throws when the connection is reset, with what was to be read or without
 */
export async function send(url: string, { method, path, headers = {}, body, isChunked }: RawRequest): Promise<Answer> {
  const { hostname, port, host } = new URL(url)
  const socket = connect(Number(port), hostname)
  const { promise: broken, reject } = Promise.withResolvers<never>()
  broken.catch(() => {})
  socket.on('error', reject)
  try {
    await Promise.race([once(socket, 'connect'), broken])
    const length = isChunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(body?.length ?? 0) }
    const head = Object.entries({ host, ...headers, ...(body !== undefined && length) })
    socket.write(
      `${method} ${path} HTTP/1.1\r\n${head.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
      'latin1',
    )
    for (let at = 0; body !== undefined && at < body.length; at += PIECE_BYTES) {
      const piece = body.subarray(at, at + PIECE_BYTES)
      const written = isChunked ? asChunk(piece) : piece
      await Promise.race([new Promise((resolve) => socket.write(written, resolve)), broken])
    }
    if (isChunked) socket.write('0\r\n\r\n')
    return await Promise.race([readAnswer(socket, method), broken])
  } finally {
    socket.destroy()
  }
}

async function readAnswer(socket: AsyncIterable<Buffer>, method: string): Promise<Answer> {
  let received = Buffer.alloc(0)
  for await (const data of socket) {
    received = Buffer.concat([received, data])
    const answer = parse(received, method)
    if (answer !== null) return answer
  }
  throw new Error(`the connection ended with half an answer: ${received.toString('latin1')}`)
}

/** @returns null while it is not whole */
function parse(received: Buffer, method: string): Answer | null {
  const end = received.indexOf('\r\n\r\n')
  if (end < 0) return null
  const head = received.subarray(0, end).toString('latin1')
  const rest = received.subarray(end + 4)
  const length = method === 'HEAD' ? 0 : Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 'NaN')
  if (Number.isNaN(length)) throw new Error(`an answer of unknown length: ${head}`)
  if (rest.length < length) return null
  const body = rest.subarray(0, length).toString()
  return { status: Number(head.split(' ')[1]), body, json: () => JSON.parse(body) }
}

function asChunk(piece: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')])
}
