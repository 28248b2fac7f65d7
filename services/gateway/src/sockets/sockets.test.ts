import { once } from 'node:events'
import { IncomingMessage } from 'node:http'
import { connect, Socket } from 'node:net'
import { auctionLiveSubject } from '@wangian/contracts/subjects.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { createTestTokens, type TestTokens } from '@wangian/kit/testing/test-app.ts'
import { startTestNats, type TestNats } from '@wangian/kit/testing/test-nats.ts'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { liveBid, snapshotOf } from '../testing/live-frames.ts'
import { startTestHub, type TestHub, type TestHubOptions } from '../testing/test-hub.ts'
import type { TestSocket } from '../testing/test-socket.ts'
import { sessionLimits } from './session.ts'
import { STALLED_BYTES } from './socket-writer.ts'

const AUCTION = 7
const PUBLIC_ORIGIN = 'https://wangian.example'
const timings = { pingEveryMs: 20_000, sweepEveryMs: 20 }

let nats: TestNats
let tokens: TestTokens
beforeAll(async () => {
  nats = await startTestNats()
  tokens = await createTestTokens()
})
afterAll(() => nats.stop())

const hubs: TestHub[] = []
const sockets: TestSocket[] = []
afterEach(async () => {
  vi.useRealTimers()
  await Promise.all(sockets.splice(0).map((socket) => socket.end()))
  await Promise.all(hubs.splice(0).map((hub) => hub.stop()))
})

async function hub(options: Partial<TestHubOptions> = {}): Promise<TestHub> {
  const hub = await startTestHub({ nats: nats.connection, auth: tokens.authenticator, timings, ...options })
  hubs.push(hub)
  return hub
}

async function open(gateway: TestHub, options: Parameters<TestHub['connect']>[0] = {}): Promise<TestSocket> {
  const socket = await gateway.connect(options)
  sockets.push(socket)
  return socket
}

/** Asks as a plain HTTP client does. */
function askUpgrade(gateway: TestHub, path: string, headers: Record<string, string> = {}): Socket {
  const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1')
  const lines = Object.entries({
    Host: 'x',
    Upgrade: 'websocket',
    Connection: 'Upgrade',
    'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
    'Sec-WebSocket-Version': '13',
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`)
  return socket.on('error', () => {})
}

/** The status line that it is answered. */
async function upgrade(gateway: TestHub, path: string, headers: Record<string, string> = {}): Promise<string> {
  const socket = askUpgrade(gateway, path, headers)
  let answer = ''
  socket.setEncoding('utf8').on('data', (text: string) => {
    answer += text
  })
  while (!answer.includes('\r\n\r\n')) await once(socket, 'data')
  socket.destroy()
  return answer.split('\r\n')[0] ?? ''
}

describe('an upgrade', () => {
  it('is taken at /ws, with any query, and nowhere else', async () => {
    const gateway = await hub()
    expect(await upgrade(gateway, '/ws')).toBe('HTTP/1.1 101 Switching Protocols')
    expect(await upgrade(gateway, '/ws?x=1')).toBe('HTTP/1.1 101 Switching Protocols')
    for (const path of ['/', '/ws/', '/wss', '/api/ws', '//ws', '/%77s'])
      expect(await upgrade(gateway, path)).toBe('HTTP/1.1 404 Not Found')
    await eventually(() => gateway.hub.size === 0)
  })

  it('of an address that asks on and on waits for its turn, and no other does', async () => {
    // However long the machine takes.
    vi.useFakeTimers({ toFake: ['performance'] })
    const gateway = await hub({ trustedProxies: ['127.0.0.1'] })
    const of = (address: string) => ({ 'X-Forwarded-For': address })
    const { socketsPerAddress } = sessionLimits
    let answeredCount = 0
    const asking = Array.from({ length: 2 * socketsPerAddress }, () => askUpgrade(gateway, '/', of('192.0.2.1')))
    for (const socket of asking) socket.once('data', () => (answeredCount += 1))
    await eventually(() => expect(answeredCount).toBeGreaterThanOrEqual(socketsPerAddress))
    expect(await upgrade(gateway, '/ws', of('192.0.2.2'))).toBe('HTTP/1.1 101 Switching Protocols')
    expect(answeredCount).toBe(socketsPerAddress)
    // What waits is not waited for.
    const closed = asking.map((socket) => socket.destroyed || once(socket, 'close'))
    await gateway.hub.stop()
    await Promise.all(closed)
  })

  it('that is no WebSocket is refused', async () => {
    const gateway = await hub()
    expect(await upgrade(gateway, '/ws', { 'Sec-WebSocket-Version': '7' })).toMatch(/^HTTP\/1\.1 4/)
    expect(await upgrade(gateway, '/ws', { 'Sec-WebSocket-Key': 'short' })).toMatch(/^HTTP\/1\.1 4/)
    expect(await upgrade(gateway, '/ws', { Upgrade: 'h2c' })).toMatch(/^HTTP\/1\.1 4/)
  })

  it('from a page of our own is taken, from a foreign one refused, from no page taken', async () => {
    const gateway = await hub()
    await open(gateway, { origin: PUBLIC_ORIGIN })
    await open(gateway, { origin: gateway.url.replace('ws:', 'http:').replace('/ws', '') })
    await open(gateway)
    for (const origin of ['https://evil.example', `${PUBLIC_ORIGIN}.evil.example`, 'null', 'file://']) {
      await expect(open(gateway, { origin })).rejects.toThrow('403')
    }
  })

  it('that is refused leaves no connection, though the client keeps its side open', async () => {
    const gateway = await hub()
    const accepted: Socket[] = []
    gateway.server.on('connection', (socket) => accepted.push(socket))
    const socket = connect({ port: Number(new URL(gateway.url).port), host: '127.0.0.1', allowHalfOpen: true })
    socket.on('error', () => {})
    socket.write('GET /nowhere HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n')
    await once(socket, 'data')
    await eventually(() => accepted.length === 1 && accepted.every(({ destroyed }) => destroyed))
    socket.destroy()
  })

  it('is the last one of an address when there are 200, until one goes', async () => {
    const gateway = await hub()
    const all = await Promise.all(Array.from({ length: 200 }, () => open(gateway)))
    await expect(open(gateway)).rejects.toThrow('429')
    expect(gateway.hub.size).toBe(200)
    await all[0]?.end()
    await eventually(() => open(gateway))
  })

  it('is counted for the person behind a trusted proxy', async () => {
    const of = (person: string) => ({ headers: { 'x-forwarded-for': person } })
    const behind = await hub({ trustedProxies: ['127.0.0.1'] })
    await Promise.all(Array.from({ length: 200 }, () => open(behind, of('192.0.2.1'))))
    await expect(open(behind, of('192.0.2.1'))).rejects.toThrow('429')
    await open(behind, of('192.0.2.2'))
    const alone = await hub()
    await Promise.all(Array.from({ length: 200 }, (_, index) => open(alone, of(`192.0.2.${index}`))))
    await expect(open(alone, of('192.0.2.250'))).rejects.toThrow('429')
  })

  it('that fails half-way frees its place', async () => {
    const gateway = await hub()
    for (let count = 0; count < 250; count++) await upgrade(gateway, '/ws', { 'Sec-WebSocket-Key': 'short' })
    await open(gateway)
  })
})

describe('an upgrade of somebody who has reset the connection', () => {
  it('ends there: nobody knows any more who it was', async () => {
    const gateway = await hub()
    const reset = new Socket()
    const request = Object.assign(new IncomingMessage(reset), { url: '/ws', method: 'GET' })
    gateway.server.emit('upgrade', request, reset, Buffer.alloc(0))
    expect(reset.destroyed).toBe(true)
    await open(gateway)
  })
})

describe('a flood of pongs', () => {
  it('that nobody has asked for is counted as frames are', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const gateway = await hub()
    const flooder = await open(gateway)
    for (let count = 0; count < 5000; count++) flooder.ws.pong()
    expect(await flooder.closed()).toEqual({ code: 1008, reason: 'Too many requests' })
  })
})

describe('a flood of pings', () => {
  it('that waits for its answers is counted as frames are', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const gateway = await hub()
    const flooder = await open(gateway)
    for (let round = 0; round < 10 && !flooder.isClosed; round++) {
      const last = `${round} is over`
      const answered = new Promise<void>((resolve) =>
        flooder.ws.on('pong', (data) => String(data) === last && resolve()),
      )
      for (let count = 1; count < 50; count++) flooder.ws.ping()
      flooder.ws.ping(last)
      await Promise.race([answered, once(flooder.ws, 'close')])
    }
    expect(await flooder.closed()).toEqual({ code: 1008, reason: 'Too many requests' })
  })
})

describe('a frame in very many fragments', () => {
  it('closes its socket, for each of them is as dear as a frame', async () => {
    const socket = await open(await hub())
    socket.ws.send(JSON.stringify({ type: 'joinAuction', auctionId: AUCTION }), { fin: false })
    for (let count = 1; count <= 1000; count++) socket.ws.send('', { fin: count === 1000 })
    expect(await socket.closed()).toMatchObject({ code: 1008 })
  })
})

describe('a socket that has gone without a word', () => {
  it('is noticed by a ping that nobody answers', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] })
    const { pingEveryMs } = timings
    const gateway = await hub()
    const [alive, dead] = [await open(gateway), await open(gateway)]
    dead.ws.pause()
    for (let count = 0; count < 4; count++) {
      const pinged = once(alive.ws, 'ping')
      vi.advanceTimersByTime(pingEveryMs)
      await pinged
      // Its pong has come before what it says next.
      alive.send({ type: 'joinAuction', auctionId: AUCTION })
      await alive.nextOf('auctionJoined')
    }
    await eventually(() => gateway.hub.size === 1)
    expect(alive.isClosed).toBe(false)
  })
})

describe('a reader that stalls', () => {
  /** An answer is large, so that it does not take thousands of them. */
  const snapshots = async (auctionId: number) => snapshotOf(auctionId, 0).padEnd(100_000)

  it('is closed with 4408 and costs about 1 MiB, while the others get their frames', async () => {
    const gateway = await hub({ snapshots, rateLimitFactor: 20 })
    const accepted: Socket[] = []
    gateway.server.on('connection', (socket) => accepted.push(socket))
    const [stalled, healthy] = [await open(gateway), await open(gateway)]
    const connection = accepted[0]
    if (connection === undefined) throw new Error('no connection')
    healthy.send({ type: 'joinAuction', auctionId: AUCTION })
    await healthy.nextOf('auctionJoined')

    stalled.ws.pause()
    let unsentMax = 0
    let isClosing = false
    for (let seq = 1; !isClosing; seq++) {
      for (let count = 0; count < 5; count++) stalled.send({ type: 'joinAuction', auctionId: AUCTION })
      // Nobody else waits for it: it reads nothing before they have all.
      nats.connection.publish(auctionLiveSubject(AUCTION), liveBid(AUCTION, seq))
      await healthy.nextOf('newBid')
      unsentMax = Math.max(unsentMax, connection.writableLength)
      isClosing = unsentMax > STALLED_BYTES
    }
    stalled.ws.resume()
    expect(await stalled.closed()).toEqual({ code: 4408, reason: 'Too slow' })
    await eventually(() => gateway.hub.size === 1)
    expect(unsentMax).toBeLessThan(2 * STALLED_BYTES)
  })

  it('that never reads again is cut off, its buffer with it', async () => {
    const gateway = await hub({ snapshots, rateLimitFactor: 20 })
    const accepted: Socket[] = []
    gateway.server.on('connection', (socket) => accepted.push(socket))
    const stalled = await open(gateway)
    stalled.ws.pause()
    const [connection] = accepted
    if (connection === undefined) throw new Error('no connection')
    await eventually(() => {
      if (connection.destroyed) return true
      // Less than would be a flood.
      for (let count = 0; count < 5; count++) stalled.send({ type: 'joinAuction', auctionId: AUCTION })
      expect(connection.writableLength).toBeLessThan(2 * STALLED_BYTES)
      return false
    })
    await eventually(() => gateway.hub.size === 0 && gateway.rooms.size === 0)
    expect(connection.writableLength).toBe(0)
  })
})

describe('a gateway that stops', () => {
  it('closes every socket with 1012 and takes no more', async () => {
    const gateway = await hub()
    const [first, second] = [await open(gateway), await open(gateway)]
    const stopped = gateway.hub.stop()
    expect(await upgrade(gateway, '/ws')).toBe('HTTP/1.1 503 Service Unavailable')
    await stopped
    expect(await first.closed()).toEqual({ code: 1012, reason: 'Restarting' })
    expect(await second.closed()).toEqual({ code: 1012, reason: 'Restarting' })
    expect(gateway.hub.size).toBe(0)
  })

  it('does not wait for those who do not say goodbye', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const gateway = await hub()
    const [deaf, leaving] = [await open(gateway), await open(gateway)]
    deaf.ws.pause()
    // Has said goodbye itself, but does not close its side.
    leaving.ws.pause()
    leaving.ws.close()
    const stopped = gateway.hub.stop()
    vi.advanceTimersByTime(2000)
    await stopped
    expect(gateway.hub.size).toBe(0)
  })
})
