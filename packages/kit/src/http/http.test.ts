import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { ErrorBody, type ErrorCode, errorCodes, statusOf } from '@wangian/contracts/errors.ts'
import { IdParam } from '@wangian/contracts/ids.ts'
import { type Access, route } from '@wangian/contracts/route.ts'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { AnswerCache } from '../answer-cache.ts'
import { Failure, Rejection } from '../errors.ts'
import { createLogger } from '../service/logger.ts'
import { eventually } from '../testing/eventually.ts'
import { createTestTokens, type TestTokens, testCaller } from '../testing/test-app.ts'
import type { Caller } from './auth.ts'
import { type App, type AppOptions, allowOnly, createApp, handle, prepareBody, requireSelf } from './http.ts'

let tokens: TestTokens
beforeAll(async () => {
  tokens = await createTestTokens()
})

const apps: App[] = []
afterEach(async () => {
  await Promise.all(apps.splice(0).map((app) => app.close()))
})

function newApp(options: Partial<AppOptions> = {}): App {
  const app = createApp({ name: 'shop', auth: tokens.authenticator, ...options })
  apps.push(app)
  return app
}

const Bottle = z.object({ id: z.int(), name: z.string() })
const contract = {
  getBottle: route({
    method: 'GET',
    path: '/api/bottles/:bottleId',
    access: 'public',
    summary: 'One bottle',
    params: z.object({ bottleId: IdParam }),
    query: z.object({ size: z.coerce.number().int().max(100).default(50), note: z.string().optional() }),
    answers: { 200: Bottle },
  }),
  createBottle: route({
    method: 'POST',
    path: '/api/bottles',
    access: 'public',
    summary: 'A new bottle',
    body: z.object({
      name: z.string().min(3, 'Name must be at least 3 characters'),
      volume: z.int(),
      more: z.unknown().optional(),
    }),
    answers: { 200: Bottle, 201: Bottle },
  }),
  breakBottle: route({
    method: 'DELETE',
    path: '/api/bottles/:bottleId',
    access: 'public',
    summary: 'Breaks it',
    params: z.object({ bottleId: IdParam }),
    answers: { 200: z.object({ broken: z.literal(true) }) },
  }),
}

/** An app with the routes above; `run` is what creating does beyond answering. */
function shop(run: (name: string) => unknown = () => {}, options: Partial<AppOptions> = {}): App {
  const app = newApp(options)
  handle(app, contract.getBottle, ({ params, query }) => ({
    status: 200,
    body: { id: params.bottleId, name: `${query.size} ml${query.note ?? ''}` },
  }))
  handle(app, contract.createBottle, async ({ body }) => {
    await run(body.name)
    return { status: 201, body: { id: 7, name: body.name }, headers: { location: '/api/bottles/7' } }
  })
  handle(app, contract.breakBottle, () => ({ status: 200, body: { broken: true } }))
  return app
}

const create = (payload: unknown, headers: Record<string, string> = {}) => ({
  method: 'POST' as const,
  url: '/api/bottles',
  headers: { 'content-type': 'application/json', ...headers },
  payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
})

/** Checks the one form of all failures and returns the body. */
function failure(response: { statusCode: number; body: string; headers: Record<string, unknown> }, code: ErrorCode) {
  const body = ErrorBody.parse(JSON.parse(response.body))
  expect({ status: response.statusCode, code: body.code }).toEqual({ status: statusOf(code), code })
  expect(response.headers['x-request-id']).toBe(body.requestId)
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
  expect(response.headers['cache-control']).toBe('no-store')
  expect(response.headers['x-content-type-options']).toBe('nosniff')
  expect(response.body).not.toMatch(/\.ts|\bat \/|node_modules|secret/)
  return body
}

describe('a request that fits its contract', () => {
  it('reaches the handler with parsed parts', async () => {
    const response = await shop().inject('/api/bottles/12?size=30')
    expect(response.statusCode).toBe(200)
    expect(response.json()).toEqual({ id: 12, name: '30 ml' })
    expect(response.headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
  })

  it('is answered with the status and headers of the handler', async () => {
    const response = await shop().inject(create({ name: 'Oud', volume: 50 }))
    expect(response.statusCode).toBe(201)
    expect(response.headers.location).toBe('/api/bottles/7')
  })

  it('loses keys that the contract does not name, both ways', async () => {
    const app = newApp()
    const seen: unknown[] = []
    handle(app, contract.createBottle, ({ body }) => {
      seen.push(body)
      const bottle = { id: 1, name: 'Oud', owner: 'secret' }
      return { status: 200, body: bottle }
    })
    const response = await app.inject(create({ name: 'Oud', volume: 5, isAdmin: true }))
    expect(seen).toEqual([{ name: 'Oud', volume: 5 }])
    expect(response.json()).toEqual({ id: 1, name: 'Oud' })
  })

  it('is answered with a body that was prepared for many, byte for byte as without', async () => {
    const app = newApp()
    const bottle = { id: 7, name: 'Oud “für” dich', secret: 'not in the contract' }
    const prepared = prepareBody(contract.getBottle, bottle)
    handle(app, contract.getBottle, ({ query }) => ({ status: 200, body: query.size === 1 ? bottle : prepared }))
    const [plain, ready] = [await app.inject('/api/bottles/7?size=1'), await app.inject('/api/bottles/7')]
    expect(ready.body).toBe(plain.body)
    expect(ready.json()).toEqual({ id: 7, name: bottle.name })
    expect(ready.headers['content-type']).toBe(plain.headers['content-type'])
  })

  it('is remembered with a body that was prepared by the length of that', async () => {
    const answers = new AnswerCache({ bytesMax: 100_000 })
    const body = { id: 7, name: 'Oud'.repeat(1000) }
    await answers.get(['bottle'], { freshMs: 1000 }, async () => prepareBody(contract.getBottle, body))
    expect(answers.bytes).toBeGreaterThan(3000)
    expect(answers.bytes).toBeLessThan(3200)
  })

  it('is not answered with a body that was prepared for another route', async () => {
    const app = newApp()
    const other = prepareBody(contract.createBottle, { id: 7, name: 'Oud' })
    handle(app, contract.getBottle, () => ({ status: 200, body: other as never }))
    failure(await app.inject('/api/bottles/7'), 'internal')
  })

  it('may set its own cache rule', async () => {
    const app = newApp()
    handle(app, contract.getBottle, () => ({
      status: 200,
      body: { id: 1, name: 'Oud' },
      headers: { 'cache-control': 'public, max-age=5' },
    }))
    expect((await app.inject('/api/bottles/1')).headers['cache-control']).toBe('public, max-age=5')
  })

  it('keeps that rule to itself when there is no answer after all', async () => {
    const app = newApp()
    handle(app, contract.getBottle, ({ reply }) => {
      reply.headers({ 'cache-control': 'public, max-age=5', etag: '"7"' })
      throw new Rejection('not-found')
    })
    const response = await app.inject('/api/bottles/7')
    failure(response, 'not-found')
    expect(response.headers).not.toHaveProperty('etag')
  })

  it('may come without a body where none is declared, whatever its type says', async () => {
    const app = shop()
    for (const headers of [{}, { 'content-type': 'application/json' }]) {
      const response = await app.inject({ method: 'DELETE', url: '/api/bottles/1', headers })
      expect(response.statusCode).toBe(200)
    }
  })

  it('keeps a sensible request id and replaces any other', async () => {
    const app = shop()
    const idFor = async (given: string) =>
      (await app.inject({ url: '/api/bottles/1', headers: { 'x-request-id': given } })).headers['x-request-id']
    expect(await idFor('gateway-0001.a_b')).toBe('gateway-0001.a_b')
    expect(await idFor('no spaces please')).toMatch(/^[0-9a-f-]{36}$/)
    expect(await idFor('x'.repeat(65))).toMatch(/^[0-9a-f-]{36}$/)
  })
})

describe('a request that does not fit', () => {
  it.each([
    ['a missing field', { volume: 5 }, 'Name is required', 'name'],
    ['a field that breaks a rule', { name: 'Ou', volume: 5 }, 'Name must be at least 3 characters', 'name'],
    ['a field of another type', { name: 'Oud', volume: '5' }, 'Volume is not valid', 'volume'],
    ['a list instead of an object', [], 'Request is not valid', ''],
  ])('is refused for %s', async (_, payload, message, path) => {
    const body = failure(await shop().inject(create(payload)), 'bad-request')
    expect(body.message).toBe(message)
    expect(body.details).toEqual([{ path, message }])
  })

  it('is told about every problem at once', async () => {
    const body = failure(await shop().inject(create({ name: 'a' })), 'bad-request')
    expect(body.details).toEqual([
      { path: 'name', message: 'Name must be at least 3 characters' },
      { path: 'volume', message: 'Volume is required' },
    ])
  })

  it.each(['0', '01', '1e3', '+1', '%201', '-1', '1.0', '9007199254740993', 'abc', '1%00', '1'.repeat(101)])(
    'is refused for the id %s',
    async (id) => {
      failure(await shop().inject(`/api/bottles/${id}`), 'bad-request')
    },
  )

  it.each(['size=abc', 'size=101', 'size=1&size=2', 'note=a%00b', 'a%00b=1'])(
    'is refused for the query %s',
    async (query) => {
      failure(await shop().inject(`/api/bottles/1?${query}`), 'bad-request')
    },
  )

  it.each([
    ['cut off', '{"name":"Oud"'],
    ['with __proto__', '{"name":"Oud","volume":5,"__proto__":{"isAdmin":true}}'],
    ['with __proto__ written as an escape', '{"name":"Oud","volume":5,"__pr\\u006fto__":{"isAdmin":true}}'],
    ['with __proto__ deep inside', '{"name":"Oud","volume":5,"more":[{"__proto__":1}]}'],
    ['with constructor.prototype', '{"name":"Oud","volume":5,"constructor":{"prototype":{"a":1}}}'],
    ['with NUL', '{"name":"Oud\\u0000","volume":5}'],
    ['with NUL in a key', '{"name":"Oud","volume":5,"more":{"a\\u0000":1}}'],
    ['with half a surrogate pair', '{"name":"Oud\\ud83d","volume":5}'],
    ['with half a surrogate pair deep inside', '{"name":"Oud","volume":5,"more":[[{"a":"\\udc00"}]]}'],
    ['that is empty', ''],
    ['that is null', 'null'],
  ])('is refused for a body %s', async (_, payload) => {
    failure(await shop().inject(create(payload)), 'bad-request')
  })

  it('takes whole surrogate pairs', async () => {
    expect((await shop().inject(create('{"name":"Oud \\ud83d\\ude00","volume":5}'))).json().name).toBe('Oud 😀')
  })

  it('survives a body that nests as deep as it may be long', async () => {
    const depth = 120_000
    const payload = `{"name":"Oud","volume":5,"more":${'['.repeat(depth)}${']'.repeat(depth)}}`
    expect((await shop().inject(create(payload))).statusCode).toBe(201)
  })

  it('is refused above 256 KiB', async () => {
    const filler = (bytes: number) => `{"name":"Oud","volume":5,"more":"${'x'.repeat(bytes)}"}`
    const frame = filler(0).length
    expect((await shop().inject(create(filler(256 * 1024 - frame)))).statusCode).toBe(201)
    failure(await shop().inject(create(filler(256 * 1024 - frame + 1))), 'too-large')
  })

  it.each(['text/plain', 'application/xml', 'multipart/form-data; boundary=x', 'application/x-www-form-urlencoded'])(
    'is refused for the type %s',
    async (type) => {
      failure(await shop().inject(create('name=Oud', { 'content-type': type })), 'unsupported-type')
    },
  )

  it('is refused for a path that cannot be decoded', async () => {
    failure(await shop().inject('/api/bottles/%zz'), 'bad-request')
  })
})

describe('an address that is not served', () => {
  it('is not found', async () => {
    failure(await shop().inject('/api/flasks'), 'not-found')
    failure(await shop().inject('/api/bottles/1/2?x=1'), 'not-found')
    failure(await shop().inject({ method: 'POST', url: '/nothing', payload: { a: 1 } }), 'not-found')
  })

  it.each([
    ['PUT', '/api/bottles/1', 'DELETE, GET, HEAD'],
    ['OPTIONS', '/api/bottles/1?x=1', 'DELETE, GET, HEAD'],
    ['DELETE', '/api/bottles', 'POST'],
    ['GET', '/api/bottles', 'POST'],
    ['POST', '/livez', 'GET, HEAD'],
  ] as const)('names the methods when asked by %s %s', async (method, url, allowed) => {
    const response = await shop().inject({ method, url })
    failure(response, 'method-not-allowed')
    expect(response.headers.allow).toBe(allowed)
  })

  it.each(['PROPFIND', 'TRACE'])('names the methods for %s, which nobody serves', async (method) => {
    const app = shop()
    await app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = app.server.address() as AddressInfo
    const answer = await rawAnswer(port, `${method} /api/bottles/1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
    expect(answer).toMatch(/^HTTP\/1\.1 405 /)
    expect(answer).toMatch(/\r\nallow: DELETE, GET, HEAD\r\n/i)
  })
})

describe('a request of the auth provider’s protocol that nobody serves', () => {
  it.each([
    ['GET', '/auth/v1/nothing', 404, 'Not found'],
    ['GET', '/auth/v1', 404, 'Not found'],
    ['GET', '/auth/v1/%zz', 400, 'The request is not valid.'],
  ] as const)('is refused in the protocol’s words: %s %s', async (method, url, code, msg) => {
    const response = await shop().inject({ method, url })
    expect(response.statusCode).toBe(code)
    expect(response.json()).toEqual({ code, error_code: 'validation_failed', msg })
    const current = await shop().inject({ method, url, headers: { 'x-supabase-api-version': '2024-01-01' } })
    expect(current.json()).toEqual({ code: 'validation_failed', message: msg })
    expect(current.headers['x-supabase-api-version']).toBe('2024-01-01')
  })
})

describe('a handler that cannot answer', () => {
  it.each(errorCodes)('rejects with %s and its status', async (code) => {
    const app = shop(() => {
      throw new Rejection(code)
    })
    const response = await app.inject(create({ name: 'Oud', volume: 5 }))
    failure(response, code)
    expect('retry-after' in response.headers).toBe([429, 503].includes(statusOf(code)))
    expect('www-authenticate' in response.headers).toBe(statusOf(code) === 401)
  })

  it('rejects with its own words and details', async () => {
    const app = shop(() => {
      throw new Rejection('bid-too-low', 'Your bid must be at least RM 5.00.', { minimum: 5 })
    })
    const body = failure(await app.inject(create({ name: 'Oud', volume: 5 })), 'bid-too-low')
    expect(body).toMatchObject({ message: 'Your bid must be at least RM 5.00.', details: { minimum: 5 } })
  })

  it('says when to come back', async () => {
    const app = shop(() => {
      throw new Rejection('rate-limited', undefined, { retryAfterS: 41.2 })
    })
    const response = await app.inject(create({ name: 'Oud', volume: 5 }))
    expect(response.headers['retry-after']).toBe('42')
  })

  const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432 secret'), { code: 'ECONNREFUSED' })
  it.each([
    ['a failure', new Failure('secret version conflict')],
    ['a refused connection', refused],
    ['a refused connection on every address', new AggregateError([refused], 'secret')],
    ['a wrapped lost connection', new Error('secret', { cause: new Error('Connection terminated unexpectedly') })],
    ['an answer that breaks off', Object.assign(new Error('secret'), { code: 'ERR_STREAM_PREMATURE_CLOSE' })],
    ['a server that shuts down', Object.assign(new Error('terminating secret'), { code: '57P01' })],
    ['a gateway error of a plugin', Object.assign(new Error('secret'), { statusCode: 504 })],
  ])('is unavailable after %s', async (_, error) => {
    const app = shop(() => {
      throw error
    })
    const response = await app.inject(create({ name: 'Oud', volume: 5 }))
    failure(response, 'unavailable')
    expect(response.headers['retry-after']).toBe('1')
  })

  it.each([
    ['an unknown error', new Error('secret')],
    ['something that is no error', 'secret'],
    ['nothing', undefined],
    ['a status that makes no sense', Object.assign(new Error('secret'), { statusCode: 200 })],
    ['a missing file', Object.assign(new Error('secret'), { code: 'ENOENT', syscall: 'open' })],
  ])('hides %s', async (_, error) => {
    const app = shop(() => {
      throw error
    })
    const body = failure(await app.inject(create({ name: 'Oud', volume: 5 })), 'internal')
    expect(body.details).toBeUndefined()
  })

  it('hides an answer that is not in the contract', async () => {
    const app = newApp()
    handle(app, contract.getBottle, () => ({ status: 200, body: { id: 'secret', name: 'Oud' } as never }))
    failure(await app.inject('/api/bottles/1'), 'internal')
  })

  it('hides a status that is not in the contract', async () => {
    const app = newApp()
    handle(app, contract.getBottle, () => ({ status: 204 as never, body: { id: 1, name: 'Oud' } }))
    failure(await app.inject('/api/bottles/1'), 'internal')
  })
})

describe('access', () => {
  const levels: Access[] = ['public', 'optional', 'signed-in', 'seller', 'admin']
  function guarded(): App {
    const app = newApp()
    for (const access of levels) {
      const declared = route({
        method: 'GET',
        path: `/${access}`,
        access,
        summary: access,
        answers: { 200: z.object({ id: z.int().nullable() }) },
      })
      handle(app, declared, ({ user }) => ({ status: 200, body: { id: user?.id ?? null } }))
    }
    return app
  }

  const buyer = { id: 3, isSeller: false }
  const seller = { id: 4, isSeller: true }
  const admin = { id: 5, isSeller: false, isAdmin: true }
  const bearer = (person: object) => async () => (await tokens.bearer(person)).authorization
  const given = (header: string | undefined) => async () => header
  const people: [string, () => Promise<string | undefined>, (number | null | ErrorCode)[]][] = [
    [
      'a guest',
      given(undefined),
      [null, null, 'authentication-required', 'authentication-required', 'authentication-required'],
    ],
    ['a buyer', bearer(buyer), [null, 3, 3, 'seller-account-required', 'admin-access-required']],
    ['a seller', bearer(seller), [null, 4, 4, 4, 'admin-access-required']],
    ['an admin', bearer(admin), [null, 5, 5, 'seller-account-required', 5]],
    [
      'an admin without the second factor',
      bearer({ ...admin, isAdmin: false, needsSecondFactor: true }),
      [null, 5, 5, 'seller-account-required', 'second-factor-required'],
    ],
    [
      'somebody with an old token',
      bearer({ expiresAt: 1_700_000_000_000 }),
      [null, 'invalid-token', 'invalid-token', 'invalid-token', 'invalid-token'],
    ],
    [
      'somebody with a password',
      given('Basic YTpi'),
      [null, null, 'authentication-required', 'authentication-required', 'authentication-required'],
    ],
    [
      'somebody with an empty token',
      given('Bearer '),
      [null, 'invalid-token', 'invalid-token', 'invalid-token', 'invalid-token'],
    ],
    [
      'somebody with two tokens',
      given('Bearer a.b.c d.e.f'),
      [null, 'invalid-token', 'invalid-token', 'invalid-token', 'invalid-token'],
    ],
  ]

  for (const [who, header, outcomes] of people) {
    it.each(levels.map((access, index) => [access, outcomes[index]] as const))(
      `of ${who} to a route for %s is %s`,
      async (access, outcome) => {
        const authorization = await header()
        const headers = authorization === undefined ? {} : { authorization }
        const response = await guarded().inject({ url: `/${access}`, headers })
        if (typeof outcome === 'string') {
          const { message } = failure(response, outcome)
          if (response.statusCode === 401) expect(message).toBe('Authentication required')
        } else expect(response.json()).toEqual({ id: outcome })
        const head = await guarded().inject({ method: 'HEAD', url: `/${access}`, headers })
        expect(head.statusCode).toBe(response.statusCode)
        expect(head.body).toBe('')
      },
    )
  }

  it('is judged before the body is read', async () => {
    const app = newApp()
    const closed = route({ ...contract.createBottle, path: '/closed', access: 'signed-in' })
    handle(app, closed, () => ({ status: 200, body: { id: 1, name: 'Oud' } }))
    failure(await app.inject({ ...create('{"name'), url: '/closed' }), 'authentication-required')
  })

  it('fails as unavailable while tokens cannot be checked', async () => {
    const app = newApp({ auth: { verify: () => Promise.reject(new Failure('no keys')) } })
    app.get('/raw', { onRequest: allowOnly(app, 'signed-in') }, async () => 'in')
    failure(await app.inject({ url: '/raw', headers: { authorization: 'Bearer a.b.c' } }), 'unavailable')
  })

  it('guards routes beside the contract', async () => {
    const app = newApp()
    app.get('/raw', { onRequest: allowOnly(app, 'seller') }, async (request) => request.caller?.username)
    expect((await app.inject({ url: '/raw', headers: await tokens.bearer({ id: 9 }) })).body).toBe('user9')
    failure(await app.inject('/raw'), 'authentication-required')
  })

  it('of a route that is not public cannot be declared without an authenticator', () => {
    const app = createApp({ name: 'shop' })
    apps.push(app)
    const closed = route({ ...contract.getBottle, access: 'admin' })
    expect(() => handle(app, closed, () => ({ status: 200, body: { id: 1, name: 'Oud' } }))).toThrow(/authenticator/)
  })

  it('never goes to an id that is not the token’s', () => {
    const caller: Caller = testCaller({ id: 3 })
    requireSelf(caller, undefined)
    requireSelf(caller, 3)
    expect(() => requireSelf(caller, 4)).toThrow(expect.objectContaining({ code: 'forbidden' }))
  })
})

describe('the types of a handler', () => {
  it('follow from the contract', () => {
    const app = newApp()
    const closed = route({ ...contract.getBottle, path: '/closed/:bottleId', access: 'signed-in' })
    handle(app, closed, ({ user, params, body }) => {
      const id: number = user.id + params.bottleId
      const nothing: undefined = body
      return { status: 200, body: { id, name: String(nothing) } }
    })
    const open = route({ ...contract.getBottle, path: '/open/:bottleId', access: 'optional' })
    // @ts-expect-error there may be nobody
    handle(app, open, ({ user }) => ({ status: 200, body: { id: user.id, name: '' } }))
    // @ts-expect-error the contract knows no such status
    handle(app, { ...open, path: '/a/:bottleId' }, () => ({ status: 404, body: { id: 1, name: '' } }))
    // @ts-expect-error the body lacks its name
    handle(app, { ...open, path: '/b/:bottleId' }, () => ({ status: 200, body: { id: 1 } }))
    expect(app.servedRoutes).toHaveLength(4)
  })
})

describe('operations', () => {
  it('reports that the process is up and, part by part, whether it is ready', async () => {
    let isDatabaseUp = false
    const app = newApp({ readiness: async () => ({ database: isDatabaseUp, nats: true }) })
    expect((await app.inject('/livez')).statusCode).toBe(200)
    const notYet = await app.inject('/readyz')
    expect(notYet.statusCode).toBe(503)
    expect(notYet.json()).toEqual({ status: 'not-ready', parts: { database: false, nats: true } })
    isDatabaseUp = true
    expect((await app.inject('/readyz')).statusCode).toBe(200)
  })

  it('is ready without what it can do without, and says that it is away', async () => {
    const app = newApp({ readiness: async () => ({ pages: true, nats: false }), optionalParts: ['nats'] })
    const response = await app.inject('/readyz')
    expect(response.statusCode).toBe(200)
    expect(response.json()).toEqual({ status: 'ready', parts: { pages: true, nats: false } })
  })

  it('is not ready when the check itself fails', async () => {
    const app = newApp({ readiness: () => Promise.reject(new Error('secret')) })
    const response = await app.inject('/readyz')
    expect(response.statusCode).toBe(503)
    expect(response.body).not.toContain('secret')
  })

  it('counts requests by route, never by address', async () => {
    const app = shop()
    await app.inject('/api/bottles/4711')
    const { body } = await app.inject('/metrics')
    expect(body).toMatch(/http_request_duration_seconds_count\{[^}]*route="\/api\/bottles\/:bottleId"[^}]*\} \d/)
    expect(body).not.toContain('/4711')
  })

  it('keeps metrics off a public port', async () => {
    expect((await newApp({ hasMetricsRoute: false }).inject('/metrics')).statusCode).toBe(404)
  })

  it('turns requests away while the event loop is late, but still says how it is', async () => {
    // Here each look is late, even one in time.
    const app = shop(undefined, { loopDelayMaxMs: -1000 })
    const response = await eventually(async () => {
      const answer = await app.inject('/api/bottles/1')
      expect(answer.statusCode).toBe(503)
      return answer
    })
    failure(response, 'unavailable')
    expect(response.headers['retry-after']).toBe('1')
    failure(await app.inject('/api/nothing'), 'unavailable')
    for (const url of ['/livez', '/readyz', '/metrics']) expect((await app.inject(url)).statusCode).toBe(200)
  })

  describe('looks at the event loop, and', () => {
    const LOOK_EVERY_MS = 250
    let nowMs = 0
    beforeEach(() => {
      vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    })
    afterEach(() => {
      vi.useRealTimers()
      vi.restoreAllMocks()
    })
    /** The next look comes so late. */
    function lookLate(lateMs: number): void {
      nowMs += LOOK_EVERY_MS + lateMs
      vi.advanceTimersByTime(LOOK_EVERY_MS)
    }
    const statusOf = async (app: App) => (await app.inject('/api/bottles/1')).statusCode

    it('does not take a slow start for a late one', async () => {
      const app = shop(undefined, { loopDelayMaxMs: 300 })
      app.register(async () => {
        for (const _ of [1, 2]) lookLate(1200)
      })
      await app.ready()
      for (const _ of [1, 2]) {
        expect(await statusOf(app)).toBe(200)
        lookLate(0)
      }
    })

    it('turns nobody away for one moment in which nothing ran', async () => {
      const app = shop(undefined, { loopDelayMaxMs: 300 })
      await app.ready()
      for (const lateMs of [1200, 0, 1200]) {
        lookLate(lateMs)
        expect(await statusOf(app)).toBe(200)
      }
    })

    it('turns people away once nothing ran in time twice in a row, until something does', async () => {
      const app = shop(undefined, { loopDelayMaxMs: 300 })
      await app.ready()
      for (const _ of [1, 2]) lookLate(400)
      failure(await app.inject('/api/bottles/1'), 'unavailable')
      lookLate(300)
      expect(await statusOf(app)).toBe(200)
    })
  })

  it('describes its own routes', async () => {
    const document = (await shop().inject('/openapi.json')).json()
    expect(Object.keys(document.paths)).toEqual(['/api/bottles/{bottleId}', '/api/bottles'])
  })
})

describe('a connection', () => {
  it('that does not speak HTTP gets the usual body', async () => {
    const app = shop()
    await app.listen({ host: '127.0.0.1', port: 0 })
    const answer = await rawAnswer((app.server.address() as AddressInfo).port, 'what?\r\n\r\n')
    const [head = '', body = ''] = answer.split('\r\n\r\n')
    expect(head).toMatch(/^HTTP\/1\.1 400 Bad Request\r\nConnection: close/)
    expect(ErrorBody.parse(JSON.parse(body)).code).toBe('bad-request')
  })

  it('of a request that took too long ends, though its client keeps its side open', async () => {
    const app = newApp()
    await app.listen({ host: '127.0.0.1', port: 0 })
    const connected = once(app.server, 'connection')
    const client = connect({ port: (app.server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true })
    client.write('POST /api/bottles HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{')
    const [socket] = await connected
    const closed = once(socket, 'close')
    app.server.emit('clientError', Object.assign(new Error('too slow'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket)
    const [answer] = await once(client, 'data')
    expect(String(answer)).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/)
    await closed
    client.destroy()
  })

  it('is no bug of ours when its client leaves', async () => {
    const lines: string[] = []
    const logger = createLogger({ name: 'shop', stream: { write: (line) => lines.push(line) } })
    const running = Promise.withResolvers<void>()
    const app = newApp({ logger })
    app.get('/slow', async (request) => {
      const left = once(request.raw.socket, 'close')
      running.resolve()
      await left
      throw new Error('the rest of it is gone')
    })
    await app.listen({ host: '127.0.0.1', port: 0 })
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
    socket.write('GET /slow HTTP/1.1\r\nhost: localhost\r\n\r\n')
    await running.promise
    socket.destroy()
    await eventually(() => expect(lines.join()).toContain('the client has left'))
    expect(lines.join()).not.toMatch(/"level":"(error|warn)"/)
  })

  it('that expects something odd is answered as if it did not', async () => {
    const app = shop()
    await app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = app.server.address() as AddressInfo
    const answer = await rawAnswer(
      port,
      'GET /nothing HTTP/1.1\r\nHost: x\r\nExpect: 200-ok\r\nConnection: close\r\n\r\n',
    )
    expect(ErrorBody.parse(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).code).toBe('not-found')
  })

  it.each([
    ['of a type that is not taken', 'text/plain', 415],
    ['that is too large', 'application/json', 413],
  ])('is kept for whoever is still writing a body %s', async (_what, type, status) => {
    const app = shop()
    await app.listen({ host: '127.0.0.1', port: 0 })
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
    let received = ''
    socket.on('data', (data) => {
      received += data.toString()
    })
    const [piece, pieces] = [Buffer.alloc(64 * 1024, '1'), 40]
    socket.write(
      `POST /api/bottles HTTP/1.1\r\nhost: x\r\ncontent-type: ${type}\r\ncontent-length: ${piece.length * pieces}\r\n\r\n`,
    )
    for (let sent = 0; sent < pieces; sent++) await new Promise((resolve) => socket.write(piece, resolve))
    socket.write('GET /livez HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
    await once(socket, 'close')
    expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual([`HTTP/1.1 ${status}`, 'HTTP/1.1 200'])
  })

  it('believes the forwarded address of this machine only', async () => {
    const app = newApp()
    app.get('/ip', async (request) => request.ip)
    const headers = { 'x-forwarded-for': '203.0.113.9' }
    expect((await app.inject({ url: '/ip', headers, remoteAddress: '127.0.0.1' })).body).toBe('203.0.113.9')
    expect((await app.inject({ url: '/ip', headers, remoteAddress: '192.0.2.1' })).body).toBe('192.0.2.1')
  })

  it('is closed after the answer that was under way when the app stops', async () => {
    const running = Promise.withResolvers<void>()
    const finished = Promise.withResolvers<void>()
    const app = shop(() => {
      running.resolve()
      return finished.promise
    })
    app.addHook('preClose', async () => finished.resolve())
    await app.listen({ host: '127.0.0.1', port: 0 })
    const answer = new Promise<{ status: number | undefined; connection: string | undefined }>((resolve, reject) => {
      const outgoing = httpRequest({
        port: (app.server.address() as AddressInfo).port,
        method: 'POST',
        path: '/api/bottles',
        headers: { 'content-type': 'application/json', connection: 'keep-alive' },
      })
      outgoing.on('response', (response) => {
        response.resume()
        resolve({ status: response.statusCode, connection: response.headers.connection })
      })
      outgoing.on('error', reject)
      outgoing.end('{"name":"Oud","volume":5}')
    })
    await running.promise
    await app.close()
    expect(await answer).toEqual({ status: 201, connection: 'close' })
  })
})

/** Sends bytes and reads until the server closes. */
function rawAnswer(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(text))
  })
}
