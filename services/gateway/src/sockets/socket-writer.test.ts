import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { SocketWriter, textFrame } from './socket-writer.ts'

let server: Server
let sockets: WebSocketServer
beforeAll(async () => {
  server = createServer().listen(0, '127.0.0.1')
  sockets = new WebSocketServer({ noServer: true })
  await once(server, 'listening')
})
afterAll(() => {
  server.close()
})

/** A client with the writer of its far end, and the chunks of bytes that were written there. */
async function connected(): Promise<{
  client: WebSocket
  texts: string[]
  writer: SocketWriter
  writes: unknown[]
  far: WebSocket
}> {
  const upgraded = once(server, 'upgrade')
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`, { perMessageDeflate: false })
  const texts: string[] = []
  client.on('message', (data, isBinary) => texts.push(isBinary ? 'binary' : data.toString()))
  const [request, socket, head] = (await upgraded) as [never, Socket, never]
  const far = await new Promise<WebSocket>((resolve) => sockets.handleUpgrade(request, socket, head, resolve))
  await once(client, 'open')
  const writes: unknown[] = []
  const write = socket.write.bind(socket) as (...args: unknown[]) => boolean
  socket.write = (...args: unknown[]) => {
    writes.push(args[0])
    return write(...args)
  }
  return { client, texts, writer: new SocketWriter(socket), writes, far }
}

describe('a frame', () => {
  it.each([
    ['nothing', ''],
    ['1 byte', 'x'],
    ['125 bytes', 'x'.repeat(125)],
    ['126 bytes', 'x'.repeat(126)],
    ['65,535 bytes', 'x'.repeat(65_535)],
    ['65,536 bytes', 'x'.repeat(65_536)],
    ['a million bytes', 'x'.repeat(1_000_000)],
    ['125 bytes of 63 letters', `${'é'.repeat(62)}x`],
    ['126 bytes of 63 letters', 'é'.repeat(63)],
    ['65,536 bytes of 16,384 signs', '😀'.repeat(16_384)],
    ['signs of every length', 'a é € 😀 \u0000 \u2028'],
  ])('of %s is what a client gets', async (_, text) => {
    const { client, texts, writer } = await connected()
    writer.queue(textFrame(text))
    writer.queue(textFrame('the end'))
    while (texts.length < 2) await once(client, 'message')
    expect(texts).toEqual([text, 'the end'])
    client.terminate()
  })

  it('holds no half of a sign: what cannot be encoded is replaced', async () => {
    const { client, texts, writer } = await connected()
    writer.queue(textFrame('\ud83d'))
    await once(client, 'message')
    expect(texts).toEqual(['\ufffd'])
    client.terminate()
  })
})

describe('a writer', () => {
  it('writes once per turn, however many frames there are', async () => {
    const { client, texts, writer, writes } = await connected()
    for (let count = 0; count < 100; count++) writer.queue(textFrame(String(count)))
    while (texts.length < 100) await once(client, 'message')
    expect(writes).toHaveLength(1)
    expect(texts).toEqual(Array.from({ length: 100 }, (_, count) => String(count)))
    client.terminate()
  })

  it('keeps the order when something is to be written at once', async () => {
    const { client, texts, writer, writes } = await connected()
    writer.write(textFrame('first'))
    writer.queue(textFrame('second'))
    writer.write(textFrame('third'))
    while (texts.length < 3) await once(client, 'message')
    expect(texts).toEqual(['first', 'second', 'third'])
    expect(writes).toHaveLength(2)
    client.terminate()
  })

  it('serves many sockets in one turn', async () => {
    const all = [await connected(), await connected(), await connected()]
    for (const { writer } of all) {
      writer.queue(textFrame('a'))
      writer.queue(textFrame('b'))
    }
    for (const { client, texts, writes } of all) {
      while (texts.length < 2) await once(client, 'message')
      expect(writes).toHaveLength(1)
      client.terminate()
    }
  })

  it('lets the protocol say its own between the frames', async () => {
    const { client, texts, writer, far } = await connected()
    writer.queue(textFrame('before'))
    far.ping('now')
    writer.queue(textFrame('after'))
    const [data] = await once(client, 'ping')
    expect(String(data)).toBe('now')
    while (texts.length < 2) await once(client, 'message')
    far.close(1012, 'bye')
    const [code] = await once(client, 'close')
    expect(code).toBe(1012)
    expect(texts).toEqual(['before', 'after'])
  })

  it('says nothing to a socket that is gone', async () => {
    const { client, writer, writes, far } = await connected()
    client.terminate()
    await once(far, 'close')
    writer.queue(textFrame('too late'))
    writer.write(textFrame('much too late'))
    await new Promise(setImmediate)
    await new Promise(setImmediate)
    expect(writes).toEqual([])
  })

  it('calls back all who wait for the socket to drain, once', async () => {
    const { client, writer } = await connected()
    client.pause()
    while (writer.backlog === 'fine') writer.write(textFrame('x'.repeat(100_000)))
    const calls: number[] = []
    // More than an emitter takes without a warning.
    for (let caller = 0; caller < 20; caller++) writer.onceDrained(() => calls.push(caller))
    client.resume()
    while (writer.unsentBytes > 0) await once(client, 'message')
    await new Promise(setImmediate)
    expect(calls).toEqual(Array.from({ length: 20 }, (_, caller) => caller))
    client.terminate()
  })
})
