import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Access, Route } from '@wangian/contracts/route.ts'
import { routesByService } from '@wangian/contracts/routes.ts'
import { connectNats, type NatsConnection } from '@wangian/kit/bus/nats.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type System, startSystem } from '../local/system.ts'
import { findSecrets, type LoggedLine } from '../rig/testing/secrets-in-logs.ts'
import { accessMatrix, auctionOf, type Call, listing, type Row, type World } from './access-matrix.ts'
import { type Cast, type Defect, defects, gatherCast, people } from './people.ts'

const routes: readonly (readonly [string, Route])[] = Object.entries(routesByService).flatMap(([service, declared]) =>
  Object.entries<Route>(declared).map(([name, route]) => [`${service}.${name}`, route] as const),
)
/** The smallest picture there is. */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

const dataDir = mkdtempSync(join(tmpdir(), 'wangian-access-'))
/** Everything that every process says, the servers too. */
const logged: LoggedLine[] = []
let system: System
let nats: NatsConnection
let cast: Cast

beforeAll(async () => {
  system = await startSystem({
    dataDir,
    buildsWeb: false,
    rateLimitFactor: 1_000_000,
    logLevel: 'debug',
    log: (source, line) => logged.push({ source, line }),
    // The accounts are there, the shelf is not.
    environment: { identity: { SEED: 'demo' } },
  })
  nats = await connectNats({ url: system.natsUrl, name: 'access-matrix' })
  cast = await gatherCast({ url: system.url, nats, identityDatabaseUrl: system.databaseUrls.get('identity') ?? '' })
}, 120_000)

afterAll(async () => {
  await nats?.close()
  await system?.stop()
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 })
})

async function send(route: Route, call: Call, token: string | null, method: string = route.method) {
  const path = route.path.replace(/:(\w+)/g, (_, name: string) => String(call.params?.[name] ?? name))
  const upload = call.isUpload === true ? await formOf(route) : null
  const response = await fetch(`${system.url}${path}${call.query === undefined ? '' : `?${call.query}`}`, {
    method,
    redirect: 'manual',
    headers: {
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(upload !== null && { 'content-type': upload.type }),
      ...(call.body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(upload !== null && { body: upload.bytes }),
    ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
  })
  const text = await response.text()
  return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : null }
}

/** As one piece, the length of which is told. */
async function formOf(route: Route): Promise<{ type: string; bytes: ArrayBuffer }> {
  const form = new FormData()
  form.append(route.upload?.field ?? '', new Blob([PICTURE], { type: 'image/png' }), 'picture.png')
  const encoded = new Response(form)
  return { type: encoded.headers.get('content-type') ?? '', bytes: await encoded.arrayBuffer() }
}

async function make(route: Route, body: unknown): Promise<number> {
  const answer = await send(route, { body }, cast.tokens.owner)
  expect(answer.status).toBe(201)
  return answer.body.id
}

/** What the owner makes. */
const world: World = {
  get cast() {
    return cast
  },
  product: () => make(routesByService.catalogue.createProduct, listing),
  async auction() {
    const productId = await world.product()
    return { productId, auctionId: await make(routesByService.auction.createAuction, auctionOf(productId)) }
  },
  async image() {
    const productId = await world.product()
    const picture = { productId, imageUrl: randomUUID(), imageOrder: 0 }
    return { productId, imageId: await make(routesByService.catalogue.registerImage, picture) }
  },
}

/**
 * The calls of a row. Each that is to change something has what the owner makes to itself: that it succeeds must not be the reason why the next
 * one does not. Questions and whoever is refused leave it as it is, and share it.
 */
function callsOf(route: Route, row: Row): (status: number) => Call | Promise<Call> {
  let shared: Call | Promise<Call> | undefined
  return (status) => {
    if (route.method !== 'GET' && status < 400) return row.call(world)
    shared ??= row.call(world)
    return shared
  }
}

/** A token that is no good is refused wherever one is looked at, and looked at nowhere else. */
function statusFor(access: Access, defect: Defect, guest: number): number {
  if (access === 'public') return guest
  return defect === 'banned' ? 403 : 401
}

/** Each by a name that may be said. */
function secretsOfRun(): Record<string, string> {
  const generated = JSON.parse(readFileSync(join(dataDir, 'secrets.json'), 'utf8')) as Record<string, string>
  const passwords = ['demo-buyer', 'demo-seller', 'demo-admin'].map((password) => [
    `the password ${password}`,
    password,
  ])
  const tokens = Object.entries(cast.tokens).flatMap(([who, token]) =>
    token === null ? [] : [[`the token of ${who}`, token]],
  )
  const servers = Object.entries(generated).map(([name, password]) => [`the generated secret ${name}`, password])
  return Object.fromEntries([...passwords, ...tokens, ...servers])
}

describe('the access matrix', () => {
  it('has a row for every route, and for nothing else', () => {
    expect(Object.keys(accessMatrix).sort()).toEqual(routes.map(([name]) => name).sort())
  })

  it('knows no route that is served under two names', () => {
    const addresses = routes.map(([, { method, path }]) => `${method} ${path.replace(/:\w+/g, ':')}`)
    expect(new Set(addresses).size).toBe(addresses.length)
  })

  describe.each(routes)('%s', (name, route) => {
    const row = accessMatrix[name]
    if (row === undefined) return
    const callFor = callsOf(route, row)

    it.each(people)(`${route.method} ${route.path} by %s`, async (person) => {
      // The tokens of the cast are needed again.
      const token = name === 'identity.logout' ? null : cast.tokens[person]
      const call = await callFor(row.statuses[person])
      const { status, body } = await send(route, call, token)
      expect({ status, code: status < 400 ? null : body?.code }).toEqual({
        status: row.statuses[person],
        code: status < 400 ? null : expect.any(String),
      })
      if (person === 'admin without second factor' && route.access === 'admin') {
        expect(body.message).toBe('Second factor required')
      }
      if (route.method === 'GET') expect((await send(route, call, token, 'HEAD')).status).toBe(status)
    })

    it.each(defects)(`${route.method} ${route.path} with %s`, async (defect) => {
      const expected = row.exceptions?.[defect] ?? statusFor(route.access, defect, row.statuses.guest)
      const { status, body } = await send(route, await callFor(expected), cast.tokens[defect])
      expect(status).toBe(expected)
      if (route.access !== 'public' && defect === 'banned') expect(body.message).toBe('Account suspended')
    })
  })
})

/** The last one, so that it reads what all the others have led to. */
describe('what was logged meanwhile, at the level debug', () => {
  it('is of every process', () => {
    const sources = new Set(logged.map(({ source }) => source))
    for (const name of system.services.keys()) expect(sources).toContain(name)
    expect(logged.filter(({ line }) => line.includes('answered a request')).length).toBeGreaterThan(routes.length)
  })

  it('holds no password, token, address or key', () => {
    const secrets = secretsOfRun()
    expect(Object.keys(secrets).length).toBeGreaterThan(20)
    expect(findSecrets(logged, secrets)).toEqual([])
  })

  it('would show them', async () => {
    const line = `{"msg":"${cast.tokens.buyer} ${secretsOfRun()['the generated secret postgres']} sarah@wangian.test"}`
    expect(findSecrets([{ source: 'identity', line }], secretsOfRun())).toHaveLength(4)
    expect(findSecrets([{ source: 'nats', line: 'nats://identity:secret@127.0.0.1:4222' }], {})).toHaveLength(1)
  })
})
