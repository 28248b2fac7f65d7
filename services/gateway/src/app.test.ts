import { createHook } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request as httpRequest, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { ErrorBody, type ErrorCode, errorCatalogue, statusOf } from '@wangian/contracts/errors.ts'
import { imageMessages } from '@wangian/contracts/pictures.ts'
import type { Route } from '@wangian/contracts/route.ts'
import { routesByService } from '@wangian/contracts/routes.ts'
import type { App } from '@wangian/kit/http/http.ts'
import { createLogger } from '@wangian/kit/service/logger.ts'
import { eventually } from '@wangian/kit/testing/eventually.ts'
import { startTestServer, type TestServer } from '@wangian/kit/testing/test-server.ts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type AppOptions, buildApp } from './app.ts'

/** What a service got. */
interface Received {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** A service of a few lines: keeps what it gets and answers what the test says. */
interface Upstream extends TestServer {
  readonly received: Received[]
  answer: (response: ServerResponse, received: Received) => void
}

const upstreams: Upstream[] = []
async function upstream(): Promise<Upstream> {
  const server = await startTestServer((request, response, body) => {
    const { method, url, headers } = request
    const received = { method, url, headers, body }
    upstream.received.push(received)
    upstream.answer(response, received)
  })
  const upstream: Upstream = {
    ...server,
    received: [],
    answer: (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}'),
  }
  upstreams.push(upstream)
  return upstream
}

let webDist: string
beforeAll(async () => {
  webDist = await mkdtemp(join(tmpdir(), 'wangian-web-'))
  const script = `console.log(${'1,'.repeat(2000)}1)`
  await mkdir(join(webDist, 'assets'))
  await writeFile(join(webDist, 'index.html'), '<!doctype html><title>Wangian</title>')
  await writeFile(join(webDist, 'assets/index-B2a9.js'), script)
  await writeFile(join(webDist, 'assets/index-B2a9.js.br'), brotliCompressSync(script))
  await writeFile(join(webDist, 'assets/index-B2a9.js.gz'), gzipSync(script))
  await writeFile(join(webDist, 'robots.txt'), 'User-agent: *\n')
})
afterAll(() => rm(webDist, { recursive: true }))

let identity: Upstream
let catalogue: Upstream
let auction: Upstream
let messaging: Upstream
let boost: Upstream
let admin: Upstream
const apps: App[] = []
beforeEach(async () => {
  identity = await upstream()
  catalogue = await upstream()
  auction = await upstream()
  messaging = await upstream()
  boost = await upstream()
  admin = await upstream()
})
afterEach(async () => {
  await Promise.all(apps.splice(0).map((app) => app.close()))
  await Promise.all(upstreams.splice(0).map((upstream) => upstream.stop()))
})

/** @param upstreams in place of the one copy of each */
async function gateway({
  upstreams,
  ...options
}: Partial<Omit<AppOptions, 'upstreams'> & { upstreams: Partial<AppOptions['upstreams']> }> = {}): Promise<App> {
  const app = await buildApp({
    upstreams: {
      identity: [identity.url],
      catalogue: [catalogue.url],
      auction: [auction.url],
      messaging: [messaging.url],
      boost: [boost.url],
      admin: [admin.url],
      ...upstreams,
    },
    webDist,
    rateLimitFactor: 1,
    // The minute's limit is reached at once; how fast it may be is tested in turns.test.ts.
    pace: { underWayMax: 16, burst: 1000, perSecond: 1000, waitingMax: 1000 },
    isHttps: false,
    readiness: async () => ({ nats: true }),
    ...options,
  })
  apps.push(app)
  return app
}

/** Checks the one form of all failures. */
function expectFailure(
  response: { statusCode: number; body: string; headers: Record<string, unknown> },
  code: ErrorCode,
): void {
  const body = ErrorBody.parse(JSON.parse(response.body))
  expect({ status: response.statusCode, code: body.code }).toEqual({ status: statusOf(code), code })
  expect(response.headers['x-request-id']).toBe(body.requestId)
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
  expect(response.body).not.toMatch(/\.ts|\bat \/|node_modules|127\.0\.0\.1|ECONN/)
}

const html = { accept: 'text/html,application/xhtml+xml' }

describe('the way to the services', () => {
  it.each(Object.entries<Record<string, Route>>(routesByService))(
    'leads to %s by all its routes',
    async (service, routes) => {
      const app = await gateway()
      const addresses = Object.values(routes).map(
        ({ method, path }) => [method, `${path.replace(/:\w+/g, '7')}?q=a%20b&q=c`] as const,
      )
      for (const [method, url] of addresses) {
        const response = await app.inject({ method, url })
        expect([method, url, response.statusCode, response.json()]).toEqual([method, url, 200, { ok: true }])
      }
      const all = { identity, catalogue, auction, messaging, boost, admin }
      const got = Object.entries(all).map(([name, { received }]) => [
        name,
        received.map(({ method, url }) => [method, url]),
      ])
      expect(Object.fromEntries(got)).toEqual({
        identity: [],
        catalogue: [],
        auction: [],
        messaging: [],
        boost: [],
        admin: [],
        [service]: addresses,
      })
    },
  )

  it('carries the protocol of the auth provider to identity', async () => {
    await (await gateway()).inject({ method: 'POST', url: '/auth/v1/token?grant_type=password', payload: { a: 1 } })
    expect(identity.received).toMatchObject([{ method: 'POST', url: '/auth/v1/token?grant_type=password' }])
  })

  it('carries JSON to the byte, which it does not read itself', async () => {
    const app = await gateway()
    for (const payload of ['{"a": 1.10,\n"a":"😀"}', 'not JSON at all', '{"__proto__":1}']) {
      await app.inject({
        method: 'POST',
        url: '/api/products',
        payload,
        headers: { 'content-type': 'application/json', authorization: 'Bearer a.b.c' },
      })
      const [last] = catalogue.received.slice(-1)
      expect(last?.body.toString()).toBe(payload)
      expect(last?.headers).toMatchObject({ 'content-type': 'application/json', authorization: 'Bearer a.b.c' })
    }
  })

  it('carries pictures of 5 MiB in multipart as they are', async () => {
    const body = new FormData()
    const picture = Buffer.alloc(5 * 1024 * 1024, 0xa7)
    body.set('file', new Blob([picture], { type: 'image/jpeg' }), 'bottle.jpg')
    const app = await gateway()
    const base = await app.listen({ host: '127.0.0.1', port: 0 })
    const response = await fetch(`${base}/api/product-images/7/upload`, { method: 'POST', body })
    expect(response.status).toBe(200)
    const [received] = catalogue.received
    const sent = await new Response(received?.body, {
      headers: { 'content-type': String(received?.headers['content-type']) },
    }).formData()
    expect(Buffer.from(await (sent.get('file') as File).arrayBuffer()).equals(picture)).toBe(true)
  })

  it('carries an empty body, and none', async () => {
    const app = await gateway()
    await app.inject({ method: 'POST', url: '/api/v1/auth/logout' })
    await app.inject({
      method: 'POST',
      url: '/api/v1/auth/logout',
      headers: { 'content-type': 'application/json', 'content-length': '0' },
    })
    expect(identity.received.map(({ body }) => body.length)).toEqual([0, 0])
  })

  it('carries compressed bodies as they are: the service decides how large they may become', async () => {
    const app = await gateway()
    const payload = gzipSync('{"name":"oud"}')
    await app.inject({
      method: 'POST',
      url: '/api/products',
      payload,
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    })
    expect(catalogue.received[0]?.body.equals(payload)).toBe(true)
    expect(catalogue.received[0]?.headers['content-encoding']).toBe('gzip')
  })

  it('carries answers with their status, headers and every byte', async () => {
    const picture = Buffer.from([0xff, 0xd8, 0, 1, 2])
    catalogue.answer = (response) =>
      response
        .writeHead(206, { 'content-type': 'image/jpeg', 'x-total-count': '5', link: '</x>; rel="next"', etag: '"e"' })
        .end(picture)
    const response = await (await gateway()).inject('/api/images/abcdefgh.jpg')
    expect(response.statusCode).toBe(206)
    expect(response.headers).toMatchObject({ 'x-total-count': '5', link: '</x>; rel="next"', etag: '"e"' })
    expect(response.rawPayload.equals(picture)).toBe(true)
  })

  it('carries the refusals of a service as they are', async () => {
    const body = JSON.stringify({ message: 'Auction not found', code: 'auction-not-found', requestId: 'r-12345678' })
    auction.answer = (response) => response.writeHead(404, { 'content-type': 'application/json' }).end(body)
    const response = await (await gateway()).inject('/api/auctions/7')
    expect([response.statusCode, response.body]).toEqual([404, body])
  })

  it('lets a service answer HEAD itself', async () => {
    auction.answer = (response) => response.writeHead(200, { 'content-length': '99' }).end()
    const response = await (await gateway()).inject({ method: 'HEAD', url: '/api/auctions/7' })
    expect([response.statusCode, response.body, response.headers['content-length']]).toEqual([200, '', '99'])
    expect(auction.received[0]?.method).toBe('HEAD')
  })

  it.each(['with its length told', 'without'])('carries a long answer to the byte, %s', async (how) => {
    const picture = randomBytes(3 * 1024 * 1024)
    const length = how === 'without' ? {} : { 'content-length': picture.length }
    catalogue.answer = (response) => response.writeHead(200, { 'content-type': 'image/jpeg', ...length }).end(picture)
    const response = await (await gateway()).inject('/api/images/abcdefgh.jpg')
    expect(response.rawPayload.equals(picture)).toBe(true)
  })

  it('compresses a list for whoever takes that, the same for all, and gives others what it is', async () => {
    const list = JSON.stringify(Array.from({ length: 100 }, (_, id) => ({ id, name: 'Santal 33' })))
    catalogue.answer = (response, { headers }) =>
      response
        .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(list) + 1 })
        .end(`${list}${headers.authorization === undefined ? ' ' : '\n'}`)
    const app = await gateway()
    const ask = (headers: Record<string, string>) => app.inject({ url: '/api/products', headers })
    for (const who of [{}, {}, { authorization: 'Bearer somebody' }]) {
      const browser = await ask({ ...who, 'accept-encoding': 'gzip, deflate, br, zstd' })
      expect(browser.headers).toMatchObject({ 'content-encoding': 'br', vary: 'accept-encoding' })
      expect(Number(browser.headers['content-length'])).toBe(browser.rawPayload.length)
      const text = brotliDecompressSync(browser.rawPayload).toString()
      expect(text).toBe(`${list}${'authorization' in who ? '\n' : ' '}`)
    }
    expect(gunzipSync((await ask({ 'accept-encoding': 'gzip' })).rawPayload).toString()).toBe(`${list} `)
    for (const accepted of ['identity', 'br;q=0']) {
      const plain = await ask({ 'accept-encoding': accepted })
      expect([plain.body, plain.headers['content-encoding']]).toEqual([`${list} `, undefined])
    }
  })

  it('carries what has not changed, and has no body', async () => {
    catalogue.answer = (response) => response.writeHead(304, { etag: '"e"' }).end()
    const response = await (await gateway()).inject('/api/images/abcdefgh.jpg')
    expect([response.statusCode, response.headers.etag, response.body]).toEqual([304, '"e"', ''])
  })

  it('carries the way elsewhere, and adds no body', async () => {
    const headers = { location: '/boost-checkout', 'content-type': 'application/json', 'content-length': '0' }
    boost.answer = (response) => response.writeHead(303, headers).end()
    const response = await (await gateway()).inject('/api/boost/return')
    expect([response.statusCode, response.body, response.headers.location]).toEqual([303, '', headers.location])
  })

  it.each(['short', 'long'])('has a service stop with a %s answer that nobody waits for any more', async (length) => {
    let leave = () => {}
    const closed = new Promise((resolve) => {
      catalogue.answer = (response) => {
        response.on('close', () => resolve(response.writableFinished))
        response.writeHead(200, length === 'long' ? {} : { 'content-length': 10 }).write('5 of them')
        leave()
      }
    })
    const client = httpRequest(`${await (await gateway()).listen({ host: '127.0.0.1', port: 0 })}/api/products`)
    client.on('error', () => {})
    leave = () => client.destroy()
    client.end()
    expect(await closed).toBe(false)
  })

  it('takes a long answer no faster than its reader does', async () => {
    let produced = 0
    const chunk = Buffer.alloc(64 * 1024)
    async function* pieces() {
      for (; produced < 256 * 1024 * 1024; produced += chunk.length) yield chunk
    }
    catalogue.answer = (response) => void pipeline(pieces(), response).catch(() => {})
    const client = httpRequest(
      `${await (await gateway()).listen({ host: '127.0.0.1', port: 0 })}/api/images/abcdefgh.jpg`,
    )
    client.end()
    const [answer] = await once(client, 'response')
    answer.pause()
    let seen = -1
    await eventually(() => {
      const isResting = seen === produced
      seen = produced
      return isResting
    })
    expect(produced).toBeLessThan(64 * 1024 * 1024)
    client.on('error', () => {})
    answer.on('error', () => {})
    client.destroy()
  })

  it('believes nothing that a client says about itself', async () => {
    await (await gateway()).inject({
      url: '/api/auctions/7',
      headers: {
        'x-user-id': '1',
        'X-User-Role': 'admin',
        'x-forwarded-for': '10.0.0.1',
        'x-forwarded-host': 'evil.example',
        'x-forwarded-proto': 'https',
        'x-forwarded-user': 'root',
        forwarded: 'for=10.0.0.1',
        connection: 'x-request-id, x-forwarded-for',
        'x-request-id': 'chosen-by-client',
        host: 'shop.example',
      },
    })
    const [received] = auction.received
    const claims = Object.entries(received?.headers ?? {}).filter(([name]) => /^(x-|forwarded)/.test(name))
    expect(Object.fromEntries(claims)).toEqual({
      'x-request-id': 'chosen-by-client',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-host': 'shop.example',
      'x-forwarded-proto': 'http',
    })
  })

  it('gives each request an id that the service and the client see', async () => {
    const response = await (await gateway()).inject('/api/auctions/7')
    expect(response.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
    expect(auction.received[0]?.headers['x-request-id']).toBe(response.headers['x-request-id'])
  })

  it.each(['/api/auctions/../products', '/api/auctions/%2e%2e/products', '/api/auctions/..%5cproducts'])(
    'does not leave its prefix by %s',
    async (url) => {
      const app = await gateway()
      const base = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
      // A client that, unlike fetch, does not tidy the path up.
      const response = await send({ host: base.hostname, port: base.port, path: url })
      expect(response.statusCode).toBeGreaterThanOrEqual(400)
      expect(response.statusCode).toBeLessThan(500)
      expect(auction.received).toEqual([])
    },
  )

  it('is found by the path alone, whatever stands behind it', async () => {
    const app = await gateway()
    const base = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
    for (const rest of ['?%', '#%', '#..']) {
      const response = await send({ host: base.hostname, port: base.port, path: `/api/auctions/7${rest}` })
      expect([rest, response.statusCode]).toEqual([rest, 200])
    }
  })
})

describe('the log', () => {
  it('says nothing of requests that went well, and of others without what may be secret', async () => {
    const lines: string[] = []
    const logger = createLogger({ name: 'gateway', stream: { write: (line) => lines.push(line) } })
    const app = await gateway({ logger })
    const headers = { authorization: 'Bearer hush.hush.hush' }
    expect((await app.inject({ url: '/api/auctions/7?token=hush', headers })).statusCode).toBe(200)
    expect(lines).toEqual([])
    await auction.stop()
    expectFailure(await app.inject({ url: '/api/auctions/7?token=hush', headers }), 'unavailable')
    expect(lines.length).toBeGreaterThan(0)
    expect(lines.join()).not.toContain('hush')
  })
})

describe('a service that is away', () => {
  it.each(['GET', 'POST'] as const)('is unavailable at once to %s, and says nothing of our insides', async (method) => {
    await auction.stop()
    // Longer than this test may take.
    const app = await gateway({ upstreamTimeoutMs: 600_000 })
    const response = await app.inject({ method, url: '/api/auctions/7' })
    expectFailure(response, 'unavailable')
    expect(response.headers['retry-after']).toBe('1')
  })

  it('leaves the others alone', async () => {
    await auction.stop()
    expect((await (await gateway()).inject('/api/products')).statusCode).toBe(200)
  })

  it('is unavailable when it says nothing for too long', async () => {
    auction.answer = () => {}
    const response = await (await gateway({ upstreamTimeoutMs: 200 })).inject('/api/auctions/7')
    expectFailure(response, 'unavailable')
    expect(auction.received).toHaveLength(1)
  })

  it('is unavailable when it breaks off, without a second try for what is not a question', async () => {
    auction.answer = (response) => response.socket?.destroy()
    const app = await gateway()
    expectFailure(await app.inject({ method: 'POST', url: '/api/auctions', payload: {} }), 'unavailable')
    expect(auction.received).toHaveLength(1)
  })

  it('is unavailable when it breaks off within an answer that is not long', async () => {
    auction.answer = (response) => {
      response.writeHead(200, { 'content-length': '100' })
      response.write('half of it', () => response.socket?.destroy())
    }
    expectFailure(await (await gateway()).inject('/api/auctions/7'), 'unavailable')
  })

  it('and says itself that it is busy, is not asked again', async () => {
    auction.answer = (response) => response.writeHead(503, { 'retry-after': '1' }).end('{}')
    const response = await (await gateway()).inject('/api/auctions/7')
    expect([response.statusCode, response.headers['retry-after']]).toEqual([503, '1'])
    expect(auction.received).toHaveLength(1)
  })

  it('is unavailable when it speaks no HTTP', async () => {
    auction.answer = (response) => response.socket?.end('HELO\r\n\r\n')
    expectFailure(await (await gateway()).inject('/api/auctions/7'), 'unavailable')
  })
})

describe('several copies of a service', () => {
  it('take turns', async () => {
    const second = await upstream()
    const app = await gateway({ upstreams: { auction: [auction.url, second.url] } })
    for (let count = 0; count < 6; count++) await app.inject('/api/auctions/7')
    expect([auction.received.length, second.received.length]).toEqual([3, 3])
  })

  it('stand in for one that is away, which is hardly ever tried', async () => {
    const second = await upstream()
    const app = await gateway({ upstreams: { auction: [auction.url, second.url] } })
    await auction.stop()
    for (let count = 0; count < 10; count++) expect((await app.inject('/api/auctions/7')).statusCode).toBe(200)
    // Only a question may be asked twice, but a command finds the copy that works, too.
    const command = await app.inject({ method: 'POST', url: '/api/auctions', payload: {} })
    expect(command.statusCode).toBe(200)
    expect(second.received).toHaveLength(11)
  })

  describe('for commands', () => {
    const upload = Buffer.alloc(1024 * 1024, 0xa7)
    let second: Upstream
    let app: App
    beforeEach(async () => {
      second = await upstream()
      app = await gateway({ upstreams: { catalogue: [catalogue.url, second.url] } })
    })

    it.each([
      ['POST', '/api/products', Buffer.from('{"name":"oud"}'), 'application/json'],
      ['POST', '/api/products', Buffer.alloc(200 * 1024, ' '), 'application/json'],
      ['PUT', '/api/favorites/7', Buffer.alloc(0), undefined],
      ['DELETE', '/api/products/7', Buffer.alloc(0), undefined],
      ['OPTIONS', '/api/products', Buffer.alloc(0), undefined],
      ['POST', '/api/product-images/7/upload', upload, 'image/jpeg'],
    ] as const)('stand in for one that cannot be reached: %s %s', async (method, url, body, type) => {
      await catalogue.stop()
      const base = await app.listen({ host: '127.0.0.1', port: 0 })
      const response = await fetch(base + url, {
        method,
        ...(body.length > 0 && { body: new Uint8Array(body) }),
        ...(type !== undefined && { headers: { 'content-type': type } }),
      })
      expect([response.status, await response.json()]).toEqual([200, { ok: true }])
      expect(second.received.map(({ method }) => method)).toEqual([method])
      expect(second.received[0]?.body.equals(body)).toBe(true)
    })

    it.each(['/api/products', '/api/product-images/7/upload'])(
      'are not asked again when one has heard it and breaks off: %s',
      async (url) => {
        catalogue.answer = (response) => response.socket?.destroy()
        const base = await app.listen({ host: '127.0.0.1', port: 0 })
        const response = await fetch(base + url, { method: 'POST', body: new Uint8Array(1000) })
        expect([response.status, catalogue.received.length, second.received.length]).toEqual([503, 1, 0])
      },
    )
  })

  it('are passed over when they say that they are about to stop', async () => {
    const second = await upstream()
    auction.answer = (response) => response.writeHead(200, { connection: 'close' }).end('{}')
    const app = await gateway({ upstreams: { auction: [auction.url, second.url] } })
    for (let count = 0; count < 6; count++) await app.inject('/api/auctions/7')
    expect([auction.received.length, second.received.length]).toEqual([1, 5])
  })

  it.each(['GET', 'HEAD', 'POST', 'DELETE'] as const)(
    'stand in for one that cannot answer a %s now, if that is a question',
    async (method) => {
      const [second, third] = [await upstream(), await upstream()]
      const cannot = (response: ServerResponse) => response.writeHead(503, { 'content-length': '2' }).end('{}')
      auction.answer = cannot
      const app = await gateway({ upstreams: { auction: [auction.url, second.url, third.url] } })
      const isQuestion = method === 'GET' || method === 'HEAD'
      expect((await app.inject({ method, url: '/api/auctions/7' })).statusCode).toBe(isQuestion ? 200 : 503)
      expect(auction.received).toHaveLength(1)
      // Where none can, two are asked.
      second.answer = cannot
      third.answer = cannot
      const before = second.received.length + third.received.length
      expect((await app.inject({ method, url: '/api/auctions/7' })).statusCode).toBe(503)
      const after = auction.received.length + second.received.length + third.received.length
      expect(after - before - 1).toBe(isQuestion ? 2 : 1)
    },
  )

  it('stand in for one that breaks off under a question', async () => {
    const second = await upstream()
    auction.answer = (response) => response.socket?.destroy()
    const app = await gateway({ upstreams: { auction: [auction.url, second.url] } })
    expect((await app.inject('/api/auctions/7')).statusCode).toBe(200)
    expect([auction.received.length, second.received.length]).toEqual([1, 1])
  })

  it('stand in for one that breaks off, whose turn it is again because others ask meanwhile', async () => {
    const second = await upstream()
    const { promise: heard, resolve: hear } = Promise.withResolvers<ServerResponse>()
    auction.answer = hear
    const app = await gateway({ upstreams: { auction: [auction.url, second.url] } })
    const asked = app.inject('/api/auctions/7')
    const held = await heard
    expect((await app.inject('/api/auctions/8')).statusCode).toBe(200)
    auction.answer = (response) => response.socket?.destroy()
    held.socket?.destroy()
    expect((await asked).statusCode).toBe(200)
    expect([auction.received.length, second.received.length]).toEqual([1, 2])
  })

  it('are unavailable when all are away', async () => {
    const second = await upstream()
    const app = await gateway({ upstreams: { auction: [auction.url, second.url] } })
    await auction.stop()
    await second.stop()
    for (let count = 0; count < 3; count++) expectFailure(await app.inject('/api/auctions/7'), 'unavailable')
  })
})

/** A tenth of what one address may ask in a minute. */
const LIMIT = 60
const limited = { rateLimitFactor: 0.1 }

describe('too much', () => {
  it('of a body is refused before it is read when its length is told', async () => {
    const response = await (await gateway()).inject({
      method: 'POST',
      url: '/api/product-images/7/upload',
      headers: { 'content-length': String(6 * 1024 * 1024 + 1), 'content-type': 'image/jpeg' },
    })
    expectFailure(response, 'too-large')
    expect(JSON.parse(response.body)).toMatchObject({ message: imageMessages.tooLarge })
    expect(catalogue.received).toEqual([])
  })

  it.each([
    ['POST', '/api/product-images/7/upload?x=1', imageMessages.tooLarge],
    ['POST', '/api/product-images', errorCatalogue['too-large'].message],
    ['PUT', '/api/product-images/7/upload', errorCatalogue['too-large'].message],
    ['POST', '/api/product-images/7/8/upload', errorCatalogue['too-large'].message],
  ] as const)(
    'of a body is told in the words of uploads where one is uploaded: %s %s',
    async (method, url, message) => {
      const headers = { 'content-length': String(6 * 1024 * 1024 + 1) }
      const response = await (await gateway()).inject({ method, url, headers })
      expectFailure(response, 'too-large')
      expect(JSON.parse(response.body)).toMatchObject({ message })
    },
  )

  it('of a body is refused while it comes when its length is not told', async () => {
    const app = await gateway()
    const base = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
    const response = await send(
      {
        host: base.hostname,
        port: base.port,
        path: '/api/product-images/7/upload',
        method: 'POST',
        headers: { 'content-type': 'image/jpeg', 'transfer-encoding': 'chunked' },
      },
      Array.from({ length: 7 }, () => Buffer.alloc(1024 * 1024)),
    )
    expectFailure(response, 'too-large')
    expect(JSON.parse(response.body)).toMatchObject({ message: imageMessages.tooLarge })
    expect(catalogue.received).toEqual([])
  })

  it.each([
    ['of which the length is told', true],
    ['of which the length is not told', false],
  ])('of JSON %s is refused by the gateway itself, plainly', async (_what, isTold) => {
    const app = await gateway()
    const base = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
    const bodies = Array.from({ length: 5 }, () => Buffer.alloc(64 * 1024, '1'))
    for (const path of ['/api/products', '/auth/v1/signup']) {
      const length = isTold ? { 'content-length': String(5 * 64 * 1024) } : { 'transfer-encoding': 'chunked' }
      const headers = { 'content-type': 'application/json', 'accept-encoding': 'gzip, br', ...length }
      const response = await send({ host: base.hostname, port: base.port, path, method: 'POST', headers }, bodies)
      expect(response.statusCode).toBe(413)
      expect(response.headers['content-encoding']).toBeUndefined()
      const { message } = errorCatalogue['too-large']
      const isProvider = path.startsWith('/auth/v1')
      expect(JSON.parse(response.body)).toEqual(
        isProvider
          ? { code: 413, error_code: 'validation_failed', msg: message }
          : { code: 'too-large', message, requestId: expect.any(String) },
      )
    }
    expect([...catalogue.received, ...identity.received]).toEqual([])
  })

  it('of a body is not what comes in parts and stays below', async () => {
    const app = await gateway()
    const base = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
    const response = await send(
      {
        host: base.hostname,
        port: base.port,
        path: '/api/products',
        method: 'POST',
        headers: { 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
      },
      [Buffer.from('{"a"'), Buffer.from(':1}')],
    )
    expect(response.statusCode).toBe(200)
    expect(catalogue.received[0]?.body.toString()).toBe('{"a":1}')
  })

  it('of requests from one address is refused for a while, and nobody else is', async () => {
    const app = await gateway()
    for (let count = 0; count < 600; count++) await app.inject('/robots.txt')
    const refused = await app.inject('/api/auctions/7')
    expectFailure(refused, 'rate-limited')
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60)
    expect(auction.received).toEqual([])
    const claimed = await app.inject({ url: '/api/auctions/7', headers: { 'x-forwarded-for': '10.1.1.1' } })
    expectFailure(claimed, 'rate-limited')
    expect((await app.inject({ url: '/api/auctions/7', remoteAddress: '192.0.2.9' })).statusCode).toBe(200)
    expect((await app.inject('/livez')).statusCode).toBe(200)
  })

  it('of requests ends no session: who refreshes one is to come back', async () => {
    const app = await gateway(limited)
    for (let count = 0; count < LIMIT; count++) await app.inject('/robots.txt')
    const ask = (url: string) =>
      app.inject({ method: 'POST', url, headers: { 'x-supabase-api-version': '2024-01-01' }, payload: {} })
    const refresh = await ask('/auth/v1/token?grant_type=refresh_token')
    expect(refresh.statusCode).toBe(503)
    expect(refresh.json()).toMatchObject({ code: 'unexpected_failure' })
    expect(Number(refresh.headers['retry-after'])).toBeGreaterThan(0)
    expect((await ask('/auth/v1/token?grant_type=password')).statusCode).toBe(429)
    expect(identity.received).toEqual([])
  })

  /** Time passes when a test says so, however long the machine takes. */
  function stopClock(): void {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
  }

  /** Many ask for the same at once from one address, and somebody else; the others are told at once. */
  async function askAtOnce(app: App, url: string, count: number) {
    const told: Awaited<ReturnType<App['inject']>>[] = []
    const all = Array.from({ length: count }, async () => void told.push(await app.inject(url)))
    expect((await app.inject({ url, remoteAddress: '192.0.2.9' })).statusCode).toBe(200)
    return { told, all: Promise.all(all) }
  }

  it('of requests is told so often and no oftener, to others at once', async () => {
    const app = await gateway(limited)
    for (let count = 0; count < LIMIT; count++) await app.inject('/robots.txt')
    stopClock()
    const { told, all } = await askAtOnce(app, '/robots.txt', 30)
    for (const count of [10, 20, 30]) {
      await eventually(() => told.length >= count)
      expect(told).toHaveLength(count)
      vi.advanceTimersByTime(500)
    }
    await all
    for (const response of told) expectFailure(response, 'rate-limited')
  })

  it('of looks whether the gateway is there is told so often and no oftener, to others at once', async () => {
    stopClock()
    const app = await gateway()
    const { told, all } = await askAtOnce(app, '/livez', 150)
    expect((await app.inject({ url: '/robots.txt', remoteAddress: '192.0.2.9' })).statusCode).toBe(200)
    for (const count of [50, 100, 150]) {
      await eventually(() => told.length >= count)
      expect(told).toHaveLength(count)
      vi.advanceTimersByTime(1000)
    }
    await all
    for (const { statusCode } of told) expect(statusCode).toBe(200)
  })

  it.each(['/livez', '/robots.txt'])('of what waits to be told is cut off: %s', async (path) => {
    stopClock()
    const app = await gateway({ rateLimitFactor: 0.01, trustedProxies: ['127.0.0.0/8'] })
    const { hostname, port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
    let cutOff = 0
    const connections = Array.from({ length: 420 }, () => {
      const connection = connect(Number(port), hostname).resume()
      connection.on('error', () => {}).once('close', () => (cutOff += 1))
      connection.write(`GET ${path} HTTP/1.1\r\nHost: shop\r\nX-Forwarded-For: 192.0.2.1\r\n\r\n`)
      return connection
    })
    // Those that were answered, and those that wait, keep theirs.
    await eventually(() => expect(cutOff).toBeGreaterThan(30))
    expect((await app.inject({ url: path, remoteAddress: '192.0.2.9' })).statusCode).toBe(200)
    expect(cutOff).toBeLessThan(240)
    for (const connection of connections) connection.destroy()
  })

  describe('of requests under way', () => {
    const open: ServerResponse[] = []
    let url: string
    // Each on a connection of its own, as those of many browsers are.
    const ask = (from: string) => {
      const request = httpRequest(`${url}/api/auctions/7`, { agent: false, headers: { 'x-forwarded-for': from } })
      const status = new Promise<number | undefined>((resolve) => {
        request.on('response', (response) => resolve(response.resume().statusCode))
        request.on('close', () => resolve(undefined))
        request.on('error', () => {})
      })
      request.end()
      return { status, leave: () => request.destroy() }
    }
    beforeEach(async () => {
      open.length = 0
      auction.answer = (response) => void open.push(response)
      const app = await gateway({ trustedProxies: ['127.0.0.0/8'] })
      url = await app.listen({ host: '127.0.0.1', port: 0 })
    })
    const answerNext = () => open.shift()?.writeHead(200, { 'content-type': 'application/json' }).end('{}')

    it('lets the further ones of one address wait, and nobody else', async () => {
      const answers = Array.from({ length: 18 }, () => ask('192.0.2.1'))
      await eventually(() => expect(auction.received).toHaveLength(16))
      const other = ask('192.0.2.2')
      await eventually(() => expect(auction.received).toHaveLength(17))
      expect(auction.received.at(-1)?.headers['x-forwarded-for']).toBe('192.0.2.2')
      for (let count = 1; count <= 17; count++) {
        answerNext()
        await eventually(() => expect(auction.received).toHaveLength(Math.min(19, 17 + count)))
      }
      await eventually(() => expect(open).toHaveLength(2))
      while (open.length > 0) answerNext()
      for (const { status } of [...answers, other]) expect(await status).toBe(200)
    })

    it('are not held up by those behind one on a connection that was to become something else', async () => {
      const { hostname, port } = new URL(url)
      const one = 'GET /api/auctions/7 HTTP/1.1\r\nHost: shop\r\nX-Forwarded-For: 192.0.2.1\r\n\r\n'
      for (let count = 0; count < 8; count++) {
        const connection = connect(Number(port), hostname).resume()
        connection.on('error', () => {})
        const closed = new Promise((resolve) => connection.once('close', resolve))
        connection.write(`${one.repeat(3)}CONNECT elsewhere:443 HTTP/1.1\r\nHost: elsewhere\r\n\r\n`)
        await closed
      }
      const { length } = auction.received
      const { status } = ask('192.0.2.1')
      await eventually(() => expect(auction.received.length).toBeGreaterThan(length))
      while (open.length > 0) answerNext()
      expect(await status).toBe(200)
    })

    it('are not held up by one whose client has gone', async () => {
      const underWay = Array.from({ length: 16 }, () => ask('192.0.2.1'))
      await eventually(() => expect(auction.received).toHaveLength(16))
      const waiting = ask('192.0.2.1')
      const next = ask('192.0.2.1')
      waiting.leave()
      await waiting.status
      for (const { leave } of underWay) leave()
      await eventually(() => expect(auction.received).toHaveLength(17))
      while (open.length > 0) answerNext()
      expect(await next.status).toBe(200)
    })
  })

  it('of requests counts people, and not the proxy that ends TLS for them', async () => {
    const app = await gateway({ ...limited, trustedProxies: ['10.0.0.0/8', '::1'] })
    const ask = (person: string, from = '10.0.0.7') =>
      app.inject({
        url: '/api/auctions/7',
        remoteAddress: from,
        headers: { 'x-forwarded-for': person, 'x-forwarded-proto': 'https' },
      })
    for (let count = 0; count < LIMIT; count++) await ask('192.0.2.1')
    expectFailure(await ask('192.0.2.1'), 'rate-limited')
    expect((await ask('192.0.2.2')).statusCode).toBe(200)
    expect(auction.received.at(-1)?.headers).toMatchObject({
      'x-forwarded-for': '192.0.2.2',
      'x-forwarded-proto': 'https',
    })
    // What the person says of themselves stands before what the proxy says, and counts nothing.
    expectFailure(await ask('192.0.2.3, 192.0.2.1'), 'rate-limited')
    // Nobody else is believed.
    for (let count = 0; count < LIMIT; count++) await ask(`192.0.2.${count}`, '203.0.113.5')
    expectFailure(await ask('192.0.2.99', '203.0.113.5'), 'rate-limited')
  })

  it('of requests is counted for paths that do not exist, too', async () => {
    const app = await gateway(limited)
    for (let count = 0; count < LIMIT; count++) await app.inject({ method: 'PUT', url: '/nowhere' })
    expectFailure(await app.inject({ method: 'PUT', url: '/nowhere' }), 'rate-limited')
  })

  it('of requests is counted by the network of an IPv6 address', async () => {
    const app = await gateway(limited)
    for (let count = 0; count < LIMIT; count++)
      await app.inject({ url: '/robots.txt', remoteAddress: `2001:db8:1:2::${count.toString(16)}` })
    expectFailure(await app.inject({ url: '/robots.txt', remoteAddress: '2001:db8:1:2:ffff::1' }), 'rate-limited')
    expect((await app.inject({ url: '/robots.txt', remoteAddress: '2001:db8:1:3::1' })).statusCode).toBe(200)
  })
})

describe('the web app', () => {
  it.each(['/', '/auctions/7', '/login?redirect=/x', '/index.html', '/auth'])(
    'is what a browser gets at %s, and never kept',
    async (url) => {
      const response = await (await gateway()).inject({ url, headers: html })
      expect(response.statusCode).toBe(200)
      expect(response.body).toContain('<title>Wangian</title>')
      expect(response.headers['content-type']).toMatch(/^text\/html/)
      expect(response.headers['cache-control']).toBe('no-store')
    },
  )

  it.each(['/assets/missing.html', '/apiary', '/no/such/page', '/products/7/more'])(
    'says at %s that no page is there',
    async (url) => {
      const response = await (await gateway()).inject({ url, headers: html })
      expect([response.statusCode, response.headers['cache-control']]).toEqual([404, 'no-store'])
      expect(response.body).toContain('<title>Wangian</title>')
    },
  )

  it('is answered to HEAD without a body', async () => {
    const response = await (await gateway()).inject({ method: 'HEAD', url: '/auctions/7', headers: html })
    expect([response.statusCode, response.body]).toEqual([200, ''])
  })

  it.each([
    ['POST', '/products'],
    ['DELETE', '/'],
    ['PUT', '/auctions/7?from=x'],
    ['OPTIONS', '/login'],
  ] as const)('is only read: %s %s', async (method, url) => {
    const response = await (await gateway()).inject({ method, url, headers: html })
    expectFailure(response, 'method-not-allowed')
    expect(response.headers.allow).toBe('GET, HEAD')
    expectFailure(await (await gateway({ webDist: undefined })).inject({ method, url, headers: html }), 'not-found')
  })

  it('has nothing for other methods where it has no page', async () => {
    for (const url of ['/no/such/page', '/api', '/dev/inbox', '//host/products'])
      expectFailure(await (await gateway()).inject({ method: 'POST', url, headers: html }), 'not-found')
  })

  it.each(['*/*', undefined])('is what somebody gets who accepts %s: previews of links do', async (accept) => {
    const headers = accept === undefined ? {} : { accept }
    expect((await (await gateway()).inject({ url: '/auctions/7', headers })).body).toContain('<title>Wangian</title>')
  })

  it.each(['application/json', 'image/png'])('is not what somebody gets who accepts %s', async (accept) => {
    expectFailure(await (await gateway()).inject({ url: '/auctions/7', headers: { accept } }), 'not-found')
  })

  it.each(['/api', '/api/', '/api/nothing', '/api/nothing?x=1', '/ws', '/ws?x'])(
    'is not what a browser gets at %s',
    async (url) => {
      expectFailure(await (await gateway({ webDist: undefined })).inject({ url, headers: html }), 'not-found')
      expectFailure(await (await gateway()).inject({ url, headers: html }), 'not-found')
    },
  )

  it('shows no numbers of the process under /metrics', async () => {
    const app = await gateway()
    expectFailure(await app.inject({ url: '/metrics', headers: { accept: 'text/plain' } }), 'not-found')
    expect((await app.inject({ url: '/metrics', headers: html })).body).toContain('<title>Wangian</title>')
  })

  it('has files that never change, compressed when they were built', async () => {
    const app = await gateway()
    for (const encoding of ['br', 'gzip', undefined]) {
      const response = await app.inject({
        url: '/assets/index-B2a9.js',
        headers: encoding === undefined ? {} : { 'accept-encoding': encoding },
      })
      expect(response.statusCode).toBe(200)
      expect(response.headers['cache-control']).toBe('public, max-age=31536000, immutable')
      expect(response.headers['content-encoding']).toBe(encoding)
      expect(response.headers['content-type']).toMatch(/^(text|application)\/javascript/)
    }
  })

  it('has files that may change', async () => {
    const response = await (await gateway()).inject('/robots.txt')
    expect(response.body).toBe('User-agent: *\n')
    expect(response.headers['cache-control']).toBe('public, max-age=300')
  })

  it('has files of which there are parts, and says how long they are to who asks for more', async () => {
    const app = await gateway()
    const ask = async (range: string) => app.inject({ url: '/robots.txt', headers: { range } })
    const part = await ask('bytes=0-3')
    expect([part.statusCode, part.headers['content-range'], part.body]).toEqual([206, 'bytes 0-3/14', 'User'])
    const beyond = await ask('bytes=14-')
    expectFailure(beyond, 'range-not-satisfiable')
    expect(beyond.headers['content-range']).toBe('bytes */14')
  })

  it('has no other files', async () => {
    const app = await gateway()
    for (const url of ['/assets/missing.js', '/..%2f..%2fetc%2fpasswd', '/assets/..%2f..%2fx', '/.env', '/robots.txt/'])
      expect((await app.inject({ url })).statusCode).toBe(404)
  })

  it('keeps immutable what is in its own assets folder, wherever it is installed', async () => {
    const folder = join(webDist, 'assets', 'copy')
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'robots.txt'), 'User-agent: *\n')
    const response = await (await gateway({ webDist: folder })).inject('/robots.txt')
    await rm(folder, { recursive: true })
    expect(response.headers['cache-control']).toBe('public, max-age=300')
  })
})

describe('every answer', () => {
  it.each(['/', '/api/auctions/7', '/api/nothing', '/livez', '/robots.txt'])('of %s is guarded', async (url) => {
    const response = await (await gateway()).inject({ url, headers: html })
    const { headers } = response
    const policy = String(headers['content-security-policy'])
    expect(policy).toContain("default-src 'self'")
    expect(policy).toContain("script-src 'self'")
    expect(policy).toMatch(/connect-src 'self'(;|$)/)
    expect(policy).not.toMatch(/script-src[^;]*(unsafe|http|\*|data:)/)
    for (const rule of ["object-src 'none'", "base-uri 'none'", "frame-ancestors 'none'", "form-action 'self'"])
      expect(policy).toContain(rule)
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': expect.any(String),
      'referrer-policy': 'strict-origin-when-cross-origin',
      'cross-origin-opener-policy': 'same-origin',
    })
    expect(headers).not.toHaveProperty('server')
    expect(headers).not.toHaveProperty('x-powered-by')
    expect(headers).not.toHaveProperty('strict-transport-security')
    expect(headers).not.toHaveProperty('access-control-allow-origin')
  })

  it('lets the web app speak with a hosted auth provider', async () => {
    const authUrl = 'https://ref.supabase.co/auth/v1'
    const { headers } = await (await gateway({ authUrl })).inject({ url: '/', headers: html })
    expect(headers['content-security-policy']).toMatch(/connect-src 'self' https:\/\/ref\.supabase\.co(;|$)/)
  })

  it('lets the web app tell an analytics provider where one is configured, and nobody else', async () => {
    const { headers } = await (await gateway({ analyticsId: 'G-AB12CD34EF' })).inject({ url: '/', headers: html })
    const policy = String(headers['content-security-policy'])
    expect(policy).toMatch(/script-src 'self' https:\/\/www\.googletagmanager\.com(;|$)/)
    expect(policy).toMatch(
      /connect-src 'self' (https:\/\/(www\.googletagmanager|(www|\*)\.google-analytics|\*\.analytics\.google)\.com ?){4}(;|$)/,
    )
    expect(policy).not.toMatch(/script-src[^;]*unsafe/)
  })

  it('insists on HTTPS where there is HTTPS', async () => {
    const { headers } = await (await gateway({ isHttps: true })).inject({ url: '/', headers: html })
    expect(headers['strict-transport-security']).toMatch(/max-age=\d{8}/)
    expect(headers['content-security-policy']).toContain('upgrade-insecure-requests')
  })

  it('may be guarded more strictly by the service', async () => {
    catalogue.answer = (response) =>
      response.writeHead(200, { 'content-security-policy': "sandbox; default-src 'none'" }).end('x')
    const { headers } = await (await gateway()).inject('/api/images/abcdefgh.jpg')
    expect(headers['content-security-policy']).toBe("sandbox; default-src 'none'")
  })
})

describe('the documentation', () => {
  it('is a page for people', async () => {
    const response = await (await gateway()).inject({ url: '/api/docs/', headers: html })
    expect(response.statusCode).toBe(200)
    expect(response.headers['content-type']).toMatch(/^text\/html/)
  })

  it('is compressed once in each way, however often and in whatever way it is asked for', async () => {
    const app = await gateway()
    let compressions = 0
    const counting = createHook({ init: (_id, type) => void (type === 'ZLIB' && compressions++) }).enable()
    onTestFinished(() => void counting.disable())
    const ask = (encoding: string) =>
      app.inject({ url: '/api/docs/js/scalar.js', headers: { 'accept-encoding': encoding } })
    const plain = await ask('identity')
    for (const [encoding, decompress] of [
      ['gzip, deflate, br, zstd', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const all = await Promise.all(Array.from({ length: 3 }, () => ask(encoding)))
      expect(compressions).toBe(1)
      for (const { rawPayload, headers } of all) {
        expect(rawPayload.length).toBeLessThan(plain.rawPayload.length / 3)
        expect(headers.vary).toContain('accept-encoding')
      }
      expect(decompress(all[0]?.rawPayload ?? '').equals(plain.rawPayload)).toBe(true)
      compressions = 0
    }
    for (const encoding of ['deflate', 'zstd', 'gzip;q=0.5'])
      expect((await ask(encoding)).rawPayload.equals(plain.rawPayload)).toBe(true)
    expect(compressions).toBe(0)
  })

  it('has one address only', async () => {
    expectFailure(await (await gateway()).inject('/api/docs/js/scal%61r.js'), 'not-found')
  })

  it('lists every route of the contracts for programs', async () => {
    const { paths } = (await (await gateway()).inject('/api/docs/json')).json() as {
      paths: Record<string, Record<string, unknown>>
    }
    const listed = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    const served = Object.values(routesByService).flatMap((routes) =>
      Object.values(routes).map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`),
    )
    expect(listed.toSorted()).toEqual(served.toSorted())
  })
})

describe('whether the gateway is ready', () => {
  it('does not depend on the bus: all gateways would be taken out at once, and with them the pages that go on', async () => {
    const app = await gateway({ readiness: async () => ({ nats: false }) })
    const answer = await app.inject('/readyz')
    expect(answer.statusCode).toBe(200)
    expect(answer.json()).toEqual({ status: 'ready', parts: { nats: false } })
  })
})

/** Sends a request as it is, which neither fetch nor inject do with odd paths and with bodies of unknown length. */
async function send(options: object, chunks: Buffer[] = []) {
  const request = httpRequest(options)
  // The gateway may have heard enough.
  request.on('error', () => {})
  const answered = once(request, 'response')
  for (const chunk of chunks) request.write(chunk)
  request.end()
  const [response] = await answered
  let body = ''
  for await (const chunk of response) body += chunk
  return { statusCode: response.statusCode as number, headers: response.headers as Record<string, unknown>, body }
}
