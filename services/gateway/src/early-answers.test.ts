import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { errorCatalogue } from '@wangian/contracts/errors.ts'
import type { App } from '@wangian/kit/http/http.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { buildApp } from './app.ts'

/*
 * Clients that write slowly: what they are refused with must reach them although they are not done, and also those that look at it only
 * when they are.
 */

const path = '/api/user/avatar'
const chunk = Buffer.alloc(64 * 1024, 'x')
const sizeBytes = 4 * 1024 * 1024
/** Long enough for an answer to be written meanwhile. */
const REST_MS = 50

let service: Server
let answer: (request: IncomingMessage, response: ServerResponse) => void
let app: App
let base: URL
const sockets: Socket[] = []

beforeEach(async () => {
  answer = refuse(401, 'authentication-required')
  service = createServer((request, response) => answer(request, response))
  service.listen(0, '127.0.0.1')
  await once(service, 'listening')
  const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
  const upstreams = { identity: [url], catalogue: [url], auction: [url], messaging: [url], boost: [url], admin: [url] }
  app = await buildApp({
    upstreams,
    webDist: undefined,
    rateLimitFactor: 1,
    isHttps: false,
    readiness: async () => ({}),
  })
  // In production it is two minutes, looked at every half minute.
  Object.assign(app.server, { requestTimeout: 20_000, headersTimeout: 20_000, connectionsCheckingInterval: 50 })
  base = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  // A process that has only just loaded its code takes itself for overloaded.
  await eventually(async () => (await fetch(new URL('/api/nothing', base))).status !== 503)
})
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await app.close()
  service.closeAllConnections()
  await new Promise((resolve) => service.close(resolve))
})

/** As a service does that looks at the token before the body, and reads nothing. */
function refuse(status: number, code: keyof typeof errorCatalogue) {
  const body = JSON.stringify({ code, message: 'No' })
  const headers = { 'content-type': 'application/json', 'content-length': String(body.length) }
  return (_request: IncomingMessage, response: ServerResponse) => response.writeHead(status, headers).end(body)
}

/** A client that writes what and when it is told to. */
async function slowWriter(head: readonly string[]) {
  const socket = connect(Number(base.port), base.hostname)
  sockets.push(socket)
  await once(socket, 'connect')
  let received = ''
  let failure: Error | undefined
  socket.on('data', (data) => {
    received += data.toString()
  })
  socket.on('error', (error) => {
    failure = error
  })
  const send = async (data: string | Buffer) => {
    await new Promise<void>((resolve) => socket.write(data, () => resolve()))
  }
  await send(`${[...head, `host: ${base.host}`].join('\r\n')}\r\n\r\n`)
  return {
    socket,
    send,
    failure: () => failure,
    received: () => received,
    /** The status of the nth answer, as soon as all of it is there. */
    answer: (count = 1) =>
      eventually(() => {
        const answers = received.split(/(?=HTTP\/1\.1 )/)
        const [headers = '', body = ''] = (answers[count - 1] ?? '').split('\r\n\r\n')
        const length = Number(/content-length: (\d+)/i.exec(headers)?.[1] ?? 'NaN')
        if (Number.isNaN(length) || body.length < length) throw new Error(`no answer yet: ${received}`)
        return Promise.resolve(Number(headers.split(' ')[1]))
      }),
  }
}

const upload = (lengthBytes: number, to = path) => [
  `POST ${to} HTTP/1.1`,
  'content-type: multipart/form-data; boundary=x',
  `content-length: ${lengthBytes}`,
]

describe('somebody who is refused while they write', () => {
  it.each<[string, number, () => void, string]>([
    ['without a token', 401, () => {}, path],
    ['who may not', 403, () => (answer = refuse(403, 'forbidden')), path],
    ['for what is not there', 404, () => (answer = refuse(404, 'not-found')), path],
    ['for what nobody serves', 404, () => {}, '/api/nothing/here'],
    ['too often', 429, () => (answer = refuse(429, 'rate-limited')), path],
    ['by a service that breaks off', 503, () => (answer = ({ socket }) => socket.destroy()), path],
  ])('%s hears %d at once, may go on writing, and may ask again', async (_who, status, prepare, to) => {
    prepare()
    const client = await slowWriter(upload(sizeBytes, to))
    await client.send(chunk)
    expect(await client.answer()).toBe(status)
    for (let sent = chunk.length; sent < sizeBytes; sent += chunk.length) await client.send(chunk)
    await client.send(`GET /livez HTTP/1.1\r\nhost: ${base.host}\r\n\r\n`)
    expect(await client.answer(2)).toBe(200)
    expect(client.failure()).toBeUndefined()
    expect(client.socket.destroyed).toBe(false)
  })

  it('in chunks, and too much, hears so and may end', async () => {
    answer = (request) => request.resume()
    const client = await slowWriter([`POST ${path} HTTP/1.1`, 'transfer-encoding: chunked'])
    const asChunk = Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')])
    for (let sent = 0; sent <= 6 * 1024 * 1024; sent += chunk.length) await client.send(asChunk)
    expect(await client.answer()).toBe(413)
    await client.send('0\r\n\r\n')
    await client.send(`GET /livez HTTP/1.1\r\nhost: ${base.host}\r\n\r\n`)
    expect(await client.answer(2)).toBe(200)
  })

  it.each([0, 1, 8, 60])(
    'hears so although they want the connection to end with the answer, and rest after %d pieces',
    async (pieces) => {
      const client = await slowWriter([...upload(sizeBytes), 'connection: close'])
      const closed = new Promise((resolve) => client.socket.on('close', resolve))
      client.socket.pause()
      for (let sent = 0; sent < sizeBytes; sent += chunk.length) {
        if (sent === pieces * chunk.length) await wait(REST_MS)
        await client.send(chunk)
      }
      client.socket.resume()
      expect(await client.answer()).toBe(401)
      await closed
      expect(client.failure()).toBeUndefined()
    },
  )

  it('with more than anybody would read is cut off, after the answer', async () => {
    const client = await slowWriter(upload(1024 ** 3))
    expect(await client.answer()).toBe(413)
    // Not `once`, for which being cut off is a failure.
    const closed = new Promise((resolve) => client.socket.on('close', resolve))
    for (let sent = 0; sent <= 9 * 1024 * 1024 && !client.socket.destroyed; sent += chunk.length) {
      await Promise.race([client.send(chunk), closed])
    }
    await closed
  })

  it.each([401, 413])('by fetch, in a browser or elsewhere, gets the answer (%d)', async (status) => {
    const total = status === 413 ? 7 * 1024 * 1024 : sizeBytes
    let sent = 0
    const body = new ReadableStream({
      async pull(controller) {
        // One piece per turn of the event loop, so that the answer comes while there is more to write.
        await new Promise((resolve) => setImmediate(resolve))
        sent += chunk.length
        controller.enqueue(new Uint8Array(chunk))
        if (sent >= total) controller.close()
      },
    })
    if (status === 413) answer = (request) => request.resume()
    const response = await fetch(new URL(path, base), { method: 'POST', body, duplex: 'half' } as RequestInit)
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({ code: status === 413 ? 'too-large' : 'authentication-required' })
  })
})

describe('somebody who writes too slowly', () => {
  // The others are not to be cut off because the machine is busy.
  beforeEach(() => {
    Object.assign(app.server, { requestTimeout: 1_500, headersTimeout: 1_500 })
  })
  const isClosed = (client: { socket: Socket }) => eventually(() => client.socket.destroyed)

  it('is told so when the time for a request is over, and cut off; the service hears of it', async () => {
    const broken = Promise.withResolvers<void>()
    answer = (request) => request.resume().once('aborted', () => broken.resolve())
    const client = await slowWriter(upload(sizeBytes))
    const trickle = setInterval(() => client.socket.write('x'), 10)
    client.socket.once('close', () => clearInterval(trickle))
    await isClosed(client)
    expect(client.received()).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/)
    expect(client.received()).toContain('"code":"bad-request"')
    await broken.promise
  })

  it('and was refused before is cut off as well', async () => {
    const client = await slowWriter(upload(sizeBytes))
    await client.send(chunk)
    expect(await client.answer()).toBe(401)
    const trickle = setInterval(() => client.socket.write('x'), 10)
    client.socket.once('close', () => clearInterval(trickle))
    await isClosed(client)
  })
})
