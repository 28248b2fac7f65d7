import type { ServerFrame } from '@wangian/contracts/frames.ts'

/** The other end of a WebSocket: says what arrived, and answers. */
export class FakeSocket extends EventTarget {
  /** Every socket that was opened, the newest last. */
  static readonly opened: FakeSocket[] = []
  readonly sent: { readonly type: string; readonly [key: string]: unknown }[] = []
  readyState: number = WebSocket.CONNECTING

  static open(): WebSocket {
    const socket = new FakeSocket()
    FakeSocket.opened.push(socket)
    return socket as unknown as WebSocket
  }

  static newest(): FakeSocket {
    const socket = FakeSocket.opened.at(-1)
    if (!socket) throw new Error('no socket was opened')
    return socket
  }

  send(data: string): void {
    this.sent.push(JSON.parse(data))
  }

  close(): void {
    this.readyState = WebSocket.CLOSED
  }

  /** The server takes the connection and says so. */
  accept(): void {
    this.readyState = WebSocket.OPEN
    this.dispatchEvent(new Event('open'))
    this.receive({ type: 'connected', serverTime: new Date().toISOString() })
  }

  receive(frame: ServerFrame): void {
    this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(frame) }))
  }

  /** The connection is lost. */
  lose(code = 1006): void {
    this.readyState = WebSocket.CLOSED
    this.dispatchEvent(new CloseEvent('close', { code }))
  }

  sentOf(type: string) {
    return this.sent.filter((frame) => frame.type === type)
  }
}
