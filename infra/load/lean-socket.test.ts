import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { LeanSocket } from './lean-socket.ts'

let server: WebSocketServer
let url: string

beforeEach(async () => {
  server = new WebSocketServer({ host: '127.0.0.1', port: 0, path: '/ws', perMessageDeflate: false })
  await once(server, 'listening')
  url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/ws`
})

afterEach(() => {
  for (const client of server.clients) client.terminate()
  server.close()
})

/** A socket and its other side, and the texts that came. */
async function connected() {
  const texts: string[] = []
  const closed = Promise.withResolvers<number | undefined>()
  const accepting = once(server, 'connection') as Promise<[WebSocket]>
  const socket = await LeanSocket.open(url, {
    onText: (bytes, start, end) => texts.push(bytes.toString('utf8', start, end)),
    onClose: closed.resolve,
  })
  const [peer] = await accepting
  /** Resolves when everything that the server sent until now has come: a ping comes back behind it. */
  const settled = async () => {
    const pong = once(peer, 'pong')
    peer.ping('after')
    await pong
  }
  return { socket, peer, texts, closed: closed.promise, settled }
}

describe('a lean socket', () => {
  it('gets texts of every length, however the network cuts them', async () => {
    const { peer, texts, settled } = await connected()
    const lengths = [0, 1, 125, 126, 65_535, 65_536, 300_000]
    for (const length of lengths) peer.send('é'.repeat(length / 2) + 'x'.repeat(length % 2))
    await settled()
    expect(texts.map((text) => Buffer.byteLength(text))).toEqual(lengths)
    expect(texts[4]?.startsWith('éé')).toBe(true)
  })

  it('sends what was sent in one turn, in its order, masked as the protocol demands', async () => {
    const { socket, peer } = await connected()
    const received: string[] = []
    peer.on('message', (data) => received.push(String(data)))
    const sent = ['first', 'zweitä', 'x'.repeat(125), 'x'.repeat(126), 'y'.repeat(60_000)]
    for (const text of sent) socket.send(text)
    while (received.length < sent.length) await once(peer, 'message')
    expect(received).toEqual(sent)
  })

  it('says goodbye, and hears the code of a goodbye', async () => {
    const leaving = await connected()
    const [[code]] = await Promise.all([once(leaving.peer, 'close'), leaving.socket.close()])
    expect(code).toBe(1000)
    const left = await connected()
    left.peer.close(4408, 'Too slow')
    expect(await left.closed).toBe(4408)
    expect(left.socket.isOpen).toBe(false)
  })

  it('leaves a ping alone that comes while it says goodbye', async () => {
    const { socket, peer, closed } = await connected()
    const leaving = socket.close()
    peer.ping('too late')
    await leaving
    expect(await closed).toBe(1000)
  })

  it('says goodbye once, whoever has begun with it', async () => {
    const { socket, closed } = await connected()
    await Promise.all([socket.close(), socket.close()])
    expect(await closed).toBe(1000)
  })

  it('is not opened where no socket is', async () => {
    await expect(LeanSocket.open(url.replace('/ws', '/other'), { onText() {}, onClose() {} })).rejects.toThrow(
      'the upgrade was refused: HTTP/1.1 400',
    )
  })
})
