import { EventEmitter, once } from 'node:events'
import { type ServerFrame, ServerFrame as ServerFrameSchema } from '@wangian/contracts/frames.ts'
import { WebSocket } from 'ws'

const TIMEOUT_MS = 30_000

type FrameOf<Type extends ServerFrame['type']> = Extract<ServerFrame, { type: Type }>

/** A client as browsers are one. Every frame it gets must be one of the contract's; the first that is not fails the next look. */
export class TestSocket {
  readonly ws: WebSocket
  /** Everything that came, in order. */
  readonly frames: ServerFrame[] = []
  readonly #news = new EventEmitter()
  #taken = 0
  #broken: unknown
  #closed: { code: number; reason: string } | null = null

  private constructor(ws: WebSocket) {
    this.ws = ws
    ws.on('message', (data: Buffer) => {
      try {
        this.frames.push(ServerFrameSchema.parse(JSON.parse(data.toString())))
      } catch (error) {
        this.#broken ??= error
      }
      this.#news.emit('news')
    })
    ws.on('close', (code, reason) => {
      this.#closed = { code, reason: reason.toString() }
      this.#news.emit('news')
    })
    ws.on('error', () => {})
  }

  /** Opens a socket. Throws `unexpected server response: <status>` when the upgrade is refused. */
  static async open(url: string, options: { origin?: string; headers?: Record<string, string> } = {}) {
    const ws = new WebSocket(url, { perMessageDeflate: false, ...options })
    const socket = new TestSocket(ws)
    await once(ws, 'open')
    return socket
  }

  send(frame: object): void {
    this.ws.send(JSON.stringify(frame))
  }

  /** Waits until `check`, asked again with everything that comes, is neither null nor false. */
  async until<T>(check: () => T | null | false): Promise<T> {
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    for (;;) {
      if (this.#broken !== undefined) throw this.#broken
      const result = check()
      if (result !== null && result !== false) return result
      try {
        await once(this.#news, 'news', { signal })
      } catch (cause) {
        throw new Error(`nothing that fits came, the last was ${JSON.stringify(this.frames.at(-1))}`, { cause })
      }
    }
  }

  /** The next frame that has not been taken yet. */
  async next(): Promise<ServerFrame> {
    const frame = await this.until(() => this.frames[this.#taken] ?? null)
    this.#taken++
    return frame
  }

  /** The next frame, which must be of this type. */
  async nextOf<Type extends ServerFrame['type']>(type: Type): Promise<FrameOf<Type>> {
    const frame = await this.next()
    if (frame.type !== type) throw new Error(`expected ${type}, got ${JSON.stringify(frame)}`)
    return frame as FrameOf<Type>
  }

  /** How the server closed it. */
  closed(): Promise<{ code: number; reason: string }> {
    return this.until(() => this.#closed)
  }

  get isClosed(): boolean {
    return this.#closed !== null
  }

  /** Goes away without a word. */
  async end(): Promise<void> {
    if (this.#closed !== null) return
    const closed = once(this.ws, 'close')
    this.ws.terminate()
    await closed
  }
}
