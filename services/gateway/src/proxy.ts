import type { IncomingHttpHeaders } from 'node:http'
import { Transform } from 'node:stream'
import httpProxy, { type FastifyHttpProxyOptions } from '@fastify/http-proxy'
import type { Route } from '@wangian/contracts/route.ts'
import { routesByService } from '@wangian/contracts/routes.ts'
import { Failure, Rejection } from '@wangian/kit/errors.ts'
import { type App, type AppRequest, BODY_MAX_BYTES } from '@wangian/kit/http/http.ts'
import { PROVIDER_PREFIX } from '@wangian/kit/http/provider-errors.ts'
import { Copies, prefixesOf } from './upstreams.ts'

/** Of pictures, with what the form adds to them; the owning service has its own, smaller limit. */
const UPLOAD_MAX_BYTES = 6 * 1024 * 1024
const UPSTREAM_TIMEOUT_MS = 15_000

export type UpstreamUrls = Readonly<Record<keyof typeof routesByService, readonly string[]>>
type ReplyOptions = NonNullable<FastifyHttpProxyOptions['replyOptions']>
type FailedReply = Parameters<NonNullable<ReplyOptions['onError']>>[0]

/**
 * Sends `/api/*` and `/auth/v1/*` on to the service that owns the path. Nothing that a client claims about itself passes.
 * @param options.timeoutMs how long a service may say nothing
 */
export function addProxy(app: App, urls: UpstreamUrls, { timeoutMs = UPSTREAM_TIMEOUT_MS } = {}): void {
  const copiesOf = Object.fromEntries(Object.entries(urls).map(([service, list]) => [service, new Copies(list)]))
  const prefixes = new Map([...prefixesOf(routesByService), [PROVIDER_PREFIX, 'identity']])
  for (const [prefix, service] of prefixes) {
    const copies = copiesOf[service]
    if (copies === undefined) throw new Error(`${service} has no address`)
    app.register(async (scope) => {
      // The proxy streams bodies as they come and brings its own parsers.
      scope.removeContentTypeParser('application/json')
      scope.addHook('onRequest', async (request) => {
        if (leadsNowhere(request.url)) throw new Rejection('not-found')
        const { bytesMax, refusal } = limitOf(request)
        if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw refusal
      })
      // Always through a stream of our own: when a service breaks off, it is that one that is destroyed, and not the client's connection.
      scope.addHook('preParsing', async (request, _reply, body) => body.pipe(limited(limitOf(request))))
      await scope.register(httpProxy, {
        upstream: '',
        prefix,
        rewritePrefix: prefix,
        http: { requestOptions: { timeout: timeoutMs } },
        // Two lines per request otherwise; failures are logged by the error handler.
        disableRequestLogging: true,
        replyOptions: replyOptions(copies),
      })
    })
  }
}

/**
 * Upwards, or to a name that nothing can have. The proxy would not pass it on either, but answer 400, as if the name were right and something
 * else wrong. The router has made sure that the path can be decoded.
 */
function leadsNowhere(url: string): boolean {
  const path = decodeURIComponent(url.split('?')[0] ?? '').replaceAll('\\', '/')
  return path.includes('/..') || path.includes('../') || path.includes('\0')
}

function replyOptions(copies: Copies): ReplyOptions {
  /** What a request has been through: the copy that has it now, and how many had it. */
  const tries = new WeakMap<object, { url: string; count: number }>()
  /** Of a request with a body both the connection and the body fail, and two answers would break the client's connection. */
  const answered = new WeakSet<object>()
  const options: ReplyOptions = {
    getUpstream(request) {
      const url = copies.take(performance.now())
      tries.set(request, { url, count: (tries.get(request)?.count ?? 0) + 1 })
      return url
    },
    // The proxy's own way is to ask ten times more when a service says that it is too busy.
    retryDelay: () => null,
    rewriteRequestHeaders: (request, headers) => ({
      ...withoutClaims(headers),
      'x-request-id': request.id,
      'x-forwarded-for': request.ip,
      'x-forwarded-proto': request.protocol,
      'x-forwarded-host': request.host,
    }),
    onError(reply, { error }) {
      const tried = tries.get(reply.request)
      if (tried !== undefined && isOutOfReach(error)) copies.avoid(tried.url, performance.now())
      if (tried !== undefined && tried.count < copies.count && mayBeRepeated(reply.request, error)) {
        reply.from(undefined, options)
      } else if (!answered.has(reply.request)) {
        answered.add(reply.request)
        answerFailure(reply, error)
      }
    },
  }
  return options
}

/** A copy restarts, the others work: whoever only reads need not notice. */
function mayBeRepeated({ method, headers }: Pick<FailedReply['request'], 'method' | 'headers'>, error: Error): boolean {
  const isRead = method === 'GET' || method === 'HEAD'
  const isBodyless = headers['content-length'] === undefined && headers['transfer-encoding'] === undefined
  return isRead && isBodyless && (isOutOfReach(error) || codeOf(error) === 'ECONNRESET')
}

function isOutOfReach({ cause }: Error): boolean {
  return cause instanceof Error && 'syscall' in cause && cause.syscall === 'connect'
}

function codeOf({ cause }: Error): unknown {
  return cause instanceof Error && 'code' in cause ? cause.code : undefined
}

function answerFailure(reply: FailedReply, error: Error): void {
  void reply.send(
    error.cause instanceof Rejection ? error.cause : new Failure('a service does not answer', { cause: error }),
  )
}

interface Limit {
  readonly bytesMax: number
  readonly refusal: Rejection
}

/**
 * The same as the services have: one that refuses a body while it comes ends its connection, and what it says is lost on the way. Whoever
 * uploads is told of the file, in the words of the service that would have refused it, too.
 */
function limitOf({ method, url }: Pick<AppRequest, 'method' | 'url'>): Limit {
  const path = url.split('?')[0] ?? ''
  const upload = uploads.find((upload) => upload.method === method && upload.path.test(path))
  const bytesMax = upload === undefined ? BODY_MAX_BYTES : UPLOAD_MAX_BYTES
  return { bytesMax, refusal: new Rejection('too-large', upload?.message) }
}

const uploads = Object.values<Readonly<Record<string, Route>>>(routesByService)
  .flatMap((routes) => Object.values(routes))
  .flatMap(({ method, path, upload }) =>
    upload === undefined
      ? []
      : [{ method, path: new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`), message: upload.tooLarge }],
  )

/** Passes a body of unknown length on, and fails when it gets too long. */
function limited({ bytesMax, refusal }: Limit): Transform {
  let bytes = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      if (bytes > bytesMax) done(refusal)
      else done(null, chunk)
    },
  })
}

/** Headers by which only our own processes speak of a caller. */
function withoutClaims(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).filter(
      ([name]) => !name.startsWith('x-user-') && !name.startsWith('x-forwarded-') && name !== 'forwarded',
    ),
  )
}
