import { pagePaths } from '@wangian/contracts/page-paths.ts'
import type { Route } from '@wangian/contracts/route.ts'
import { routesByService } from '@wangian/contracts/routes.ts'
import { BODY_MAX_BYTES } from '@wangian/kit/http/http.ts'
import fc, { type Arbitrary } from 'fast-check'
import type { z } from 'zod'
import { accessMatrix, type Call } from '../access/access-matrix.ts'
import { around, forgedCursors, hostileText, hostileValue, valuesOf } from './hostile-values.ts'
import { callers, type FuzzCaller, type FuzzSite } from './site.ts'

/** One request as it goes out. */
export interface FuzzRequest {
  readonly method: string
  /** As it stands on the wire. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | null
  readonly caller: FuzzCaller | 'bystander'
  /** What is asked for, when that is a route of the contracts and its path was left as it is. */
  readonly route: Route | null
}

/** What is to become of a right call. */
interface Distortion {
  readonly caller: FuzzCaller
  /** How many parts are replaced, and by what. */
  readonly replaced: readonly { readonly at: number; readonly by: unknown }[]
  readonly added: readonly { readonly key: string; readonly by: unknown }[]
  readonly body: unknown
  readonly query: Readonly<Record<string, unknown>>
  readonly raw: Buffer | null
  readonly contentType: string | null
  readonly kind: 'right' | 'replaced' | 'made' | 'raw'
  readonly pathTail: string
}

const routes = Object.entries(routesByService).flatMap(([service, declared]) =>
  Object.entries<Route>(declared).map(([name, route]) => ({ name: `${service}.${name}`, route })),
)

const sessionEnders = new Set(['identity.logout', 'identity.closeAccount'])

const text = (body: string) => Buffer.from(body)
/** Bodies that are no answer to what is asked for, whatever that is. */
const rawBodies: readonly Buffer[] = [
  text(''),
  text('{'),
  text('null'),
  text('[]'),
  text('"x"'),
  text('1e999'),
  text('{"a":1}x'),
  text('\ufeff{}'),
  text('{"__proto__":null}'),
  text('{"constructor":{"prototype":{"isAdmin":true}}}'),
  text(`{"name":1e999,"amount":-1e999,"limit":1e400}`),
  text('['.repeat(100_000)),
  text(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`),
  Buffer.from([0xff, 0xfe, 0x7b, 0x7d]),
  Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d]),
  text(`{"a":"${'x'.repeat(BODY_MAX_BYTES - 20)}"}`),
  text(`{"a":"${'x'.repeat(BODY_MAX_BYTES + 1)}"}`),
  text(`{"a":"${'x'.repeat(3 * BODY_MAX_BYTES)}"}`),
]

const queryValue: Arbitrary<unknown> = fc.oneof(
  hostileText,
  fc.constantFrom<unknown>(...forgedCursors),
  fc.constantFrom<unknown>(0, -1, 1.5, 1e308, 2 ** 53, 500, 501, ['1', '2'], Array(100).fill('x')),
)

const strangeKeys = ['__proto__', 'constructor', 'isAdmin', 'sellerId', 'userId', 'status', '', '\0', 'a'.repeat(300)]

function distortionOf(route: Route): Arbitrary<Distortion> {
  return fc.record({
    caller: fc.constantFrom(...callers),
    kind: fc.constantFrom('right', 'replaced', 'replaced', 'replaced', 'made', 'made', 'raw'),
    replaced: fc.array(fc.record({ at: fc.nat(50), by: hostileValue }), { minLength: 1, maxLength: 2 }),
    added: fc.array(fc.record({ key: fc.constantFrom(...strangeKeys), by: hostileValue }), { maxLength: 1 }),
    body: route.body === undefined ? fc.constant(undefined) : around(route.body),
    query:
      route.query === undefined
        ? fc.dictionary(fc.constantFrom('limit', 'a[b]', '__proto__'), queryValue, { maxKeys: 1 })
        : (fc.oneof(
            around(route.query),
            fc.dictionary(fc.constantFrom(...queryNames(route)), queryValue, { maxKeys: 3 }),
          ) as Arbitrary<Record<string, unknown>>),
    raw: fc.constantFrom(...rawBodies),
    contentType: fc.option(
      fc.constantFrom('text/plain', 'application/json; charset=latin1', 'application/x', '', ';'),
      {
        freq: 12,
      },
    ),
    pathTail: fc.oneof(
      { weight: 12, arbitrary: fc.constant('') },
      { weight: 1, arbitrary: fc.constantFrom('/', '//', '/..', '%00', '%', '%ff', ';x', '/__proto__', '%2e%2e') },
    ),
  }) as Arbitrary<Distortion>
}

function queryNames(route: Route): string[] {
  const names = Object.keys((route.query as { shape?: object } | undefined)?.shape ?? {})
  return [...names, ...names, '__proto__']
}

function sortsOf(route: Route): readonly unknown[] {
  const { sort } = (route.query as { shape?: Record<string, z.ZodType> } | undefined)?.shape ?? {}
  return sort === undefined ? [] : valuesOf(sort)
}

/** One request for each route: the right one, or what a little or a lot of harm makes of it. */
export async function requestsOf(site: FuzzSite, seed: number): Promise<FuzzRequest[]> {
  const requests: FuzzRequest[] = []
  for (const [index, { name, route }] of routes.entries()) {
    const [distortion] = fc.sample(distortionOf(route), { seed: seed + index, numRuns: 1 })
    const row = accessMatrix[name]
    if (distortion === undefined || row === undefined) throw new Error(`${name} cannot be asked`)
    const call = await row.call(site.world)
    requests.push(requestOf(route, call, sessionEnders.has(name) ? { ...distortion, caller: 'guest' } : distortion))
  }
  return requests
}

function requestOf(route: Route, call: Call, distortion: Distortion): FuzzRequest {
  const { kind, caller, contentType, raw, pathTail } = distortion
  const isReplaced = kind === 'replaced'
  const params = isReplaced && route.body === undefined ? replacedIn(call.params ?? {}, distortion) : call.params
  const path = route.path.replace(/:(\w+)/g, (_, part: string) => inPath((params as Call['params'])?.[part] ?? part))
  const query = kind === 'right' ? (call.query ?? '') : queryText(distortion.query)
  const body =
    route.body === undefined && route.upload === undefined ? null : kind === 'raw' ? raw : bodyOf(call, distortion)
  const type = contentType ?? (route.upload === undefined ? 'application/json' : 'multipart/form-data; boundary=b')
  return {
    method: route.method,
    path: `${path}${pathTail}${query === '' ? '' : `?${query}`}`,
    headers: body === null ? {} : { 'content-type': type },
    body,
    caller,
    route: pathTail === '' ? route : null,
  }
}

function bodyOf(call: Call, distortion: Distortion): Buffer {
  const { kind, body } = distortion
  const sent = kind === 'right' ? call.body : kind === 'made' ? body : replacedIn(call.body ?? body, distortion)
  return Buffer.from(JSON.stringify(sent) ?? '')
}

/** Puts other values in the place of some, wherever they are, and adds keys. */
function replacedIn(value: unknown, { replaced, added }: Distortion): unknown {
  const copy = structuredClone(value)
  if (typeof copy !== 'object' || copy === null) return replaced[0]?.by
  for (const { at, by } of replaced) {
    const places = placesIn(copy)
    const place = places[at % Math.max(places.length, 1)]
    if (place !== undefined) define(place.holder, place.key, structuredClone(by))
  }
  for (const { key, by } of added) define(copy, key, structuredClone(by))
  return copy
}

/** As JSON has it: `__proto__` is a key like others. */
function define(holder: object, key: string, value: unknown): void {
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true })
}

function placesIn(value: object): { holder: object; key: string }[] {
  return Object.entries(value).flatMap(([key, inner]) => [
    { holder: value, key },
    ...(typeof inner === 'object' && inner !== null ? placesIn(inner) : []),
  ])
}

function inPath(value: unknown): string {
  const written = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined')
  return encoded(written.slice(0, 2000))
}

function queryText(query: unknown): string {
  if (typeof query !== 'object' || query === null) return encoded(JSON.stringify(query) ?? '')
  return Object.entries(query)
    .flatMap(([name, value]) => [value].flat().map((one) => `${encoded(name)}=${encoded(asText(one))}`))
    .join('&')
    .slice(0, 6000)
}

const asText = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

/** Halves of pairs, which cannot be encoded, go out as the three bytes that they would be. */
function encoded(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replaceAll('%EF%BF%BD', '%ED%A0%80')
}

/** Every list that is read page by page, in each of its orders, with every cursor that nobody was given. */
export async function forgedPages(site: FuzzSite): Promise<FuzzRequest[]> {
  const paged = routes.filter(({ route }) => queryNames(route).includes('cursor'))
  const requests = await Promise.all(
    paged.map(async ({ name, route }) => {
      const call = await accessMatrix[name]?.call(site.world)
      const path = route.path.replace(/:(\w+)/g, (_, part: string) => String(call?.params?.[part]))
      return ['', ...sortsOf(route).map((sort) => `sort=${sort}&`)].flatMap((order) =>
        forgedCursors.map((cursor) => {
          const asked = `${path}?${order}cursor=${encoded(cursor)}`
          return { method: 'GET', path: asked, headers: {}, body: null, caller: 'owner', route } as const
        }),
      )
    }),
  )
  return requests.flat()
}

/** Paths that lead nowhere, and some that lead somewhere in an odd way. */
const oddPaths = [
  '/',
  '//',
  '///',
  '//evil.example/',
  '/\\',
  '/.',
  '/..',
  '/%2e%2e/',
  '/%',
  '/%00',
  '/%ff',
  '/?',
  '/?%',
  '/#',
  '/api',
  '/api/',
  '/api//products',
  '//api/products',
  '/api/products/',
  '/api/products//views',
  '/API/PRODUCTS',
  '/api/v1',
  '/api/nothing',
  '/api/auctions/..%2f..',
  '/auth/v1',
  '/auth/v1/',
  '/auth/v1/nothing',
  '/auth/v1/user/identities/x',
  '/auth/v1/admin/users',
  '/auth/v1/authorize',
  '/auth/v1/callback',
  '/auth/v1/verify',
  '/ws',
  '/ws/',
  '/products/1e3',
  '/auction/99999999999999999999',
  '/sellers/-1',
  '/dev/inbox/x',
  '/sitemap.xml',
  '/sitemaps/products-99999999999999.xml',
  '/robots.txt',
  '/openapi.json',
  '/api/docs/..',
  '/metrics',
  `/${'a'.repeat(4000)}`,
  `/${'a/'.repeat(2000)}`,
  'http://evil.example/api/products',
  '*',
]
const oddMethods = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND', 'QUERY']
const oddHeaders: readonly Readonly<Record<string, string>>[] = [
  {},
  { accept: 'text/html' },
  { accept: '' },
  { 'accept-encoding': 'gzip, br, zstd' },
  { authorization: 'Bearer' },
  { authorization: 'Bearer a.b.c' },
  { authorization: `Bearer ${'x'.repeat(5000)}` },
  { authorization: 'Basic Og==' },
  { 'x-request-id': 'x'.repeat(1000) },
  { 'x-forwarded-for': 'not an address' },
  { 'x-user-id': '1' },
  { 'content-type': 'application/json', 'content-encoding': 'gzip' },
  { 'if-none-match': '*', range: 'bytes=0-' },
  { expect: '200-ok' },
  { cookie: 'a=%' },
]

/** Requests that are about nothing of the contracts. */
export function oddRequests(seed: number, count: number): FuzzRequest[] {
  const odd = fc.record({
    method: fc.constantFrom(...oddMethods),
    path: fc.constantFrom(...oddPaths),
    headers: fc.constantFrom(...oddHeaders),
    body: fc.option(fc.constantFrom(...rawBodies), { freq: 3 }),
    caller: fc.constantFrom(...callers),
  })
  return fc.sample(odd, { seed, numRuns: count }).map((request) => ({ ...request, body: null, route: null }))
}

const pageWords = [...new Set(pagePaths.flatMap((path) => path.split('/')))].filter((word) => !word.startsWith(':'))

/** What every object of JavaScript has, and no page is called. */
const inherited = ['__proto__', 'constructor', 'toString', 'hasOwnProperty']

/** Browsers that open pages: each there is, about what nobody has, as many paths that are nearly one, and those that an object would know. */
export function pageRequests(seed: number): FuzzRequest[] {
  const word = fc.oneof(fc.constantFrom(...pageWords), fc.constantFrom(...strangeKeys), hostileText)
  const plan = fc.record({
    id: hostileText,
    words: fc.array(word, { minLength: 1, maxLength: 4 }),
    query: fc.dictionary(fc.constantFrom('category', 'sort', 'lang', '__proto__'), queryValue, { maxKeys: 2 }),
  })
  const plans = fc.sample(plan, { seed, numRuns: pagePaths.length })
  const drawn = plans.flatMap(({ id, words, query }, index) => {
    const known = pagePaths[index]?.replace(/:\w+/g, () => inPath(id)) ?? '/'
    return [known, `/${words.map(inPath).join('/')}`].map((path) => `${path}?${queryText(query)}`)
  })
  const fixed = inherited.flatMap((name) => [`/${name}`, `/${name}/5`, `/${name}/5/${name}`, `/products/${name}`])
  return [...drawn, ...fixed].map((path) => ({
    method: 'GET',
    path,
    headers: { accept: 'text/html' },
    body: null,
    caller: 'guest',
    route: null,
  }))
}

const providerCalls: readonly (readonly [string, string, object])[] = [
  ['POST', '/auth/v1/signup', { email: 'fuzz@wangian.test', password: 'no-such-password', data: { username: 'fuzz' } }],
  ['POST', '/auth/v1/token?grant_type=password', { email: 'mei@wangian.test', password: 'not this one' }],
  ['POST', '/auth/v1/token?grant_type=refresh_token', { refresh_token: 'nobodys' }],
  ['POST', '/auth/v1/token?grant_type=pkce', { auth_code: 'x', code_verifier: 'y' }],
  ['POST', '/auth/v1/token?grant_type=password&grant_type=pkce', {}],
  ['POST', '/auth/v1/recover', { email: 'nobody@wangian.test' }],
  ['POST', '/auth/v1/resend', { email: 'nobody@wangian.test', type: 'signup' }],
  ['POST', '/auth/v1/verify', { type: 'signup', token_hash: 'x' }],
  ['GET', '/auth/v1/verify?type=signup&token=x', {}],
  ['GET', '/auth/v1/authorize?provider=facebook', {}],
  ['GET', '/auth/v1/callback?code=x&state=y', {}],
  ['POST', '/auth/v1/callback', { code: 'x', state: 'y' }],
  ['GET', '/auth/v1/user', {}],
  ['PUT', '/auth/v1/user', { data: { first_name: 'Mei' } }],
  ['DELETE', '/auth/v1/user/identities/x', {}],
  ['POST', '/auth/v1/factors', { factor_type: 'totp', friendly_name: 'Phone', issuer: 'Wangian' }],
  ['POST', '/auth/v1/factors/00000000-0000-4000-8000-000000000000/challenge', {}],
  ['POST', '/auth/v1/factors/x/verify', { challenge_id: '00000000-0000-4000-8000-000000000000', code: '123456' }],
  ['DELETE', '/auth/v1/factors/x', {}],
  ['GET', '/auth/v1/factors/recovery-codes', {}],
  ['POST', '/auth/v1/factors/recovery-codes', { friendly_name: 'Codes' }],
  ['POST', '/auth/v1/factors/recovery-codes/verify', { code: '2222222222222222' }],
  ['GET', '/auth/v1/settings', {}],
]

/** Requests to the auth provider, in the protocol's own shape or a distorted one. */
export function providerRequests(seed: number): FuzzRequest[] {
  const plan = fc.record({
    replaced: fc.array(fc.record({ at: fc.nat(20), by: hostileValue }), { minLength: 1, maxLength: 2 }),
    added: fc.array(fc.record({ key: fc.constantFrom(...strangeKeys), by: hostileValue }), { maxLength: 1 }),
    raw: fc.option(fc.constantFrom(...rawBodies), { freq: 6 }),
    query: fc.option(queryValue, { freq: 4 }),
    isSignedIn: fc.boolean(),
  })
  return providerCalls.map(([method, path, body], index) => {
    const [drawn] = fc.sample(plan, { seed: seed + index, numRuns: 1 })
    if (drawn === undefined) throw new Error('nothing was drawn')
    const asked =
      drawn.query === null ? path : path.replace(/=[^=]*$/, `=${encoded(asText(drawn.query)).slice(0, 3000)}`)
    const distorted = replacedIn(body, drawn as unknown as Distortion)
    return {
      method,
      path: asked,
      headers: method === 'GET' ? {} : { 'content-type': 'application/json' },
      body: method === 'GET' ? null : (drawn.raw ?? Buffer.from(JSON.stringify(distorted))),
      caller: drawn.isSignedIn ? 'bystander' : 'guest',
      route: null,
    }
  })
}
