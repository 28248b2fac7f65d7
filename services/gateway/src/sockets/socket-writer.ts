import type { Duplex } from 'node:stream'

const TEXT_FRAME = 0x81
const LENGTH_16 = 126
const LENGTH_64 = 127

/** Beyond this many unsent bytes a socket gets no more room frames, only the latest state once it has caught up. */
export const LAGGING_BYTES = 256 * 1024
/** Beyond this many unsent bytes a socket is closed: a reader that stopped must not cost more (promise P16). */
export const STALLED_BYTES = 1024 * 1024

/**
 * A complete, unmasked text frame (RFC 6455, section 5.2), made once and written to any number of sockets. The same text through
 * `ws.send` would be encoded and framed anew for each of them.
 */
export function textFrame(text: string): Buffer {
  const length = Buffer.byteLength(text)
  const headerLength = length < LENGTH_16 ? 2 : length < 65_536 ? 4 : 10
  const frame = Buffer.allocUnsafe(headerLength + length)
  frame[0] = TEXT_FRAME
  if (headerLength === 2) frame[1] = length
  else if (headerLength === 4) {
    frame[1] = LENGTH_16
    frame.writeUInt16BE(length, 2)
  } else {
    frame[1] = LENGTH_64
    frame.writeBigUInt64BE(BigInt(length), 2)
  }
  frame.write(text, headerLength)
  return frame
}

const dirty: SocketWriter[] = []

/** Writes what all sockets gathered in this turn: one system call per socket and turn, however many frames there are. */
function flushAll(): void {
  const writers = dirty.splice(0)
  for (const writer of writers) writer.flush()
}

/** Where a socket stands: `fine`, `lagging` behind its rooms, or `stalled` for good. */
export type Backlog = 'fine' | 'lagging' | 'stalled'

/** The writing side of one WebSocket, over its raw connection. Frames are complete, so `ws` may write its own control frames between. */
export class SocketWriter {
  readonly #socket: Duplex
  #frames: Buffer[] = []
  #whenDrained: (() => void)[] = []

  constructor(socket: Duplex) {
    this.#socket = socket
  }

  get unsentBytes(): number {
    return this.#socket.writableLength
  }

  get backlog(): Backlog {
    const bytes = this.#socket.writableLength
    if (bytes > STALLED_BYTES) return 'stalled'
    return bytes > LAGGING_BYTES ? 'lagging' : 'fine'
  }

  /** Sends a frame with whatever else this socket gets in this turn. */
  queue(frame: Buffer): void {
    if (this.#frames.length === 0) {
      if (dirty.length === 0) setImmediate(flushAll)
      dirty.push(this)
    }
    this.#frames.push(frame)
  }

  /** Writes now; for fan-out, where the caller has gathered already. */
  write(bytes: Buffer): void {
    if (this.#frames.length > 0) this.#frames.push(bytes)
    else if (this.#socket.writable) this.#socket.write(bytes)
  }

  flush(): void {
    const frames = this.#frames
    this.#frames = []
    const [first] = frames
    // Who stalls gets nothing more, answers included: the hub is about to close the socket.
    if (first === undefined || !this.#socket.writable || this.backlog === 'stalled') return
    this.#socket.write(frames.length === 1 ? first : Buffer.concat(frames))
  }

  /** Calls back once when everything is sent. */
  onceDrained(callback: () => void): void {
    this.#whenDrained.push(callback)
    if (this.#whenDrained.length > 1) return
    this.#socket.once('drain', () => {
      for (const drained of this.#whenDrained.splice(0)) drained()
    })
  }
}
