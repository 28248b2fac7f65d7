import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

const CONTINUATION = 0x0
const TEXT = 0x1
const CLOSE = 0x8
const PING = 0x9
const PONG = 0xa
const HEADER_END = '\r\n\r\n'
const CONNECT_TIMEOUT_MS = 10_000
/** The masking key that leaves everything as it is. */
const NO_MASK = 0
const FRAME_BYTES_MAX = 64 * 1024 * 1024

export interface LeanSocketEvents {
  /** A text frame is between `start` and `end` of `bytes`, which are overwritten afterwards. */
  onText(bytes: Buffer, start: number, end: number): void
  /** The connection is gone, whoever ended it; `code` is the server's, if it gave one. */
  onClose(code: number | undefined): void
}

/**
 * A WebSocket client for generating load: on a machine that client and server share, every microsecond the client takes is one that
 * the server is not measured with. It speaks the protocol (RFC 6455) as far as our server does: no extensions, no fragments. Its
 * masking key is zero, which the protocol allows and which leaves the payload as it is.
 */
export class LeanSocket {
  readonly #socket: Socket
  readonly #events: LeanSocketEvents
  #rest: Buffer | null = null
  #closeCode: number | undefined
  #outgoing: Buffer[] = []

  private constructor(socket: Socket, events: LeanSocketEvents) {
    this.#socket = socket
    this.#events = events
  }

  /** Opens a socket to an address such as `ws://127.0.0.1:8080/ws`. */
  static async open(url: string, events: LeanSocketEvents): Promise<LeanSocket> {
    const { hostname, port, pathname, host } = new URL(url)
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    socket.setTimeout(CONNECT_TIMEOUT_MS, () => socket.destroy(new Error(`no answer from ${host}`)))
    await once(socket, 'connect')
    socket.write(
      `GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
        `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\nSec-WebSocket-Version: 13${HEADER_END}`,
    )
    const rest = await upgraded(socket)
    socket.setTimeout(0)
    const lean = new LeanSocket(socket, events)
    socket.on('data', (chunk) => lean.#receive(chunk))
    socket.on('error', () => {})
    socket.once('close', () => events.onClose(lean.#closeCode))
    if (rest.length > 0) lean.#receive(rest)
    return lean
  }

  get isOpen(): boolean {
    return this.#socket.writable
  }

  /** Sends a text frame at the end of this turn, together with whatever else is sent until then. */
  send(text: string): void {
    if (this.#outgoing.length === 0) setImmediate(() => this.flush())
    this.#outgoing.push(frame(TEXT, text))
  }

  /** Sends what waits for the end of the turn. */
  flush(): void {
    const frames = this.#outgoing
    this.#outgoing = []
    const [first] = frames
    if (first !== undefined && this.isOpen) this.#socket.write(frames.length === 1 ? first : Buffer.concat(frames))
  }

  /** Stops reading, as a client does that is overwhelmed or gone without saying so. */
  pause(): void {
    this.#socket.pause()
  }

  /** Cuts the connection without a goodbye. */
  destroy(): void {
    this.#socket.destroy()
  }

  async close(): Promise<void> {
    if (this.#socket.destroyed) return
    const closed = once(this.#socket, 'close')
    // The other side may have said goodbye first.
    if (this.isOpen) this.#socket.end(frame(CLOSE, '\u0003\u00e8'))
    await closed
  }

  #receive(chunk: Buffer): void {
    const bytes = this.#rest === null ? chunk : Buffer.concat([this.#rest, chunk])
    let at = 0
    for (;;) {
      if (bytes.length - at < 2) break
      const opcode = (bytes[at] ?? 0) & 0x0f
      let length = (bytes[at + 1] ?? 0) & 0x7f
      let start = at + 2
      if (length === 126) {
        if (bytes.length < start + 2) break
        length = bytes.readUInt16BE(start)
        start += 2
      } else if (length === 127) {
        if (bytes.length < start + 8) break
        length = Number(bytes.readBigUInt64BE(start))
        start += 8
      }
      if (length > FRAME_BYTES_MAX || opcode === CONTINUATION) {
        this.#socket.destroy(new Error('a frame that this client does not understand'))
        return
      }
      if (bytes.length < start + length) break
      at = start + length
      if (opcode === TEXT) this.#events.onText(bytes, start, at)
      else if (opcode === PING && this.isOpen) this.#socket.write(frame(PONG, bytes.toString('latin1', start, at)))
      else if (opcode === CLOSE) {
        this.#closeCode = length >= 2 ? bytes.readUInt16BE(start) : undefined
        if (this.isOpen) this.#socket.end(frame(CLOSE, bytes.toString('latin1', start, at)))
      }
    }
    this.#rest = at === bytes.length ? null : bytes.subarray(at)
  }
}

/** A masked frame; control frames carry bytes, texts UTF-8. */
function frame(opcode: number, payload: string): Buffer {
  const encoding = opcode === TEXT ? 'utf8' : 'latin1'
  const length = Buffer.byteLength(payload, encoding)
  const isShort = length < 126
  if (length > 0xffff) throw new Error('the server takes no frame of that size')
  const header = isShort ? 6 : 8
  const bytes = Buffer.allocUnsafe(header + length)
  bytes[0] = 0x80 | opcode
  if (isShort) bytes[1] = 0x80 | length
  else {
    bytes[1] = 0x80 | 126
    bytes.writeUInt16BE(length, 2)
  }
  bytes.writeUInt32BE(NO_MASK, header - 4)
  bytes.write(payload, header, encoding)
  return bytes
}

/** Waits for the answer to the upgrade; returns what came behind it. */
function upgraded(socket: Socket): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0)
    const onEnd = () => done(new Error('the connection was closed before the upgrade'))
    const onData = (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      const end = received.indexOf(HEADER_END)
      if (end < 0) return
      const status = received.toString('latin1', 0, received.indexOf('\r\n'))
      if (!status.startsWith('HTTP/1.1 101')) done(new Error(`the upgrade was refused: ${status}`))
      else done(null, received.subarray(end + HEADER_END.length))
    }
    const done = (error: Error | null, rest = Buffer.alloc(0)) => {
      socket.off('data', onData).off('close', onEnd).off('error', onEnd)
      if (error === null) return resolve(rest)
      socket.destroy()
      reject(error)
    }
    socket.on('data', onData).on('close', onEnd).on('error', onEnd)
  })
}
