import { Transform } from 'node:stream'
import httpProxy, { type FastifyHttpProxyOptions } from '@fastify/http-proxy'
import type { Route } from '@wangian/contracts/route.ts'
import { routesByService } from '@wangian/contracts/routes.ts'
import { Failure, Rejection } from '@wangian/kit/errors.ts'
import { type App, type AppRequest, BODY_MAX_BYTES } from '@wangian/kit/http/http.ts'
import { PROVIDER_PREFIX } from '@wangian/kit/http/provider-errors.ts'
import { knownOf, withoutClaims } from './claims.ts'
import { CompressedAnswers } from './compressed.ts'
import { followNames } from './names.ts'
import { createReader } from './reads.ts'
import { Copies, isOutOfReach, prefixesOf } from './upstreams.ts'

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
  const answers = new CompressedAnswers()
  const ways = Object.fromEntries(
    Object.entries(urls).map(([service, list]) => {
      const copies = new Copies(list)
      return [
        service,
        { copies, names: followNames(copies, list), reader: createReader(copies, { timeoutMs, answers }) },
      ]
    }),
  )
  app.addHook('onClose', async () => {
    for (const { names } of Object.values(ways)) names.stop()
    await Promise.all(Object.values(ways).map(({ reader }) => reader.close()))
  })
  const prefixes = new Map([...prefixesOf(routesByService), [PROVIDER_PREFIX, 'identity']])
  for (const [prefix, service] of prefixes) {
    const way = ways[service]
    if (way === undefined) throw new Error(`${service} has no address`)
    const { copies, reader } = way
    app.register(async (scope) => {
      scope.addHook('onRequest', async (request) => {
        if (leadsNowhere(request.url)) throw new Rejection('not-found')
      })
      for (const url of [prefix, `${prefix}/*`]) {
        scope.route({ method: ['GET', 'HEAD'], url, handler: (request, reply) => reader.read(request, reply) })
      }
      await scope.register(async (commands) => {
        // The proxy streams bodies as they come and brings its own parsers.
        commands.removeContentTypeParser('application/json')
        commands.addHook('onRequest', async (request) => {
          const { bytesMax, tooLarge } = limitOf(request)
          if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw new Rejection('too-large', tooLarge)
        })
        // Always through a stream of our own: when a service breaks off, it is that one that is destroyed, and not the client's connection.
        commands.addHook('preParsing', async (request, _reply, body) => body.pipe(limited(limitOf(request))))
        await commands.register(httpProxy, {
          upstream: '',
          prefix,
          rewritePrefix: prefix,
          httpMethods: ['DELETE', 'OPTIONS', 'PATCH', 'POST', 'PUT'],
          http: { requestOptions: { timeout: timeoutMs } },
          // Two lines per request otherwise; failures are logged by the error handler.
          disableRequestLogging: true,
          replyOptions: replyOptions(copies),
        })
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
  const asked = new WeakMap<object, string>()
  /** Of a request with a body both the connection and the body fail, and two answers would break the client's connection. */
  const answered = new WeakSet<object>()
  return {
    getUpstream(request) {
      const url = copies.take(performance.now())
      asked.set(request, url)
      return url
    },
    // The proxy's own way is to ask ten times more when a service says that it is too busy.
    retryDelay: () => null,
    rewriteRequestHeaders: (request, headers) => ({ ...withoutClaims(headers), ...knownOf(request) }),
    onError(reply, { error }) {
      const url = asked.get(reply.request)
      if (url !== undefined && isOutOfReach(error.cause)) copies.avoid(url, performance.now())
      if (answered.has(reply.request)) return
      answered.add(reply.request)
      answerFailure(reply, error)
    },
  }
}

function answerFailure(reply: FailedReply, error: Error): void {
  void reply.send(
    error.cause instanceof Rejection ? error.cause : new Failure('a service does not answer', { cause: error }),
  )
}

interface Limit {
  readonly bytesMax: number
  /** What whoever sends more is told. */
  readonly tooLarge: string | undefined
}

/**
 * The same as the services have: one that refuses a body while it comes ends its connection, and what it says is lost on the way. Whoever
 * uploads is told of the file, in the words of the service that would have refused it, too.
 */
function limitOf({ method, url }: Pick<AppRequest, 'method' | 'url'>): Limit {
  const path = url.split('?')[0] ?? ''
  const upload = uploads.find((upload) => upload.method === method && upload.path.test(path))
  return { bytesMax: upload === undefined ? BODY_MAX_BYTES : UPLOAD_MAX_BYTES, tooLarge: upload?.message }
}

const uploads = Object.values<Readonly<Record<string, Route>>>(routesByService)
  .flatMap((routes) => Object.values(routes))
  .flatMap(({ method, path, upload }) =>
    upload === undefined
      ? []
      : [{ method, path: new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`), message: upload.tooLarge }],
  )

/** Passes a body of unknown length on, and fails when it gets too long. */
function limited({ bytesMax, tooLarge }: Limit): Transform {
  let bytes = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      if (bytes > bytesMax) done(new Rejection('too-large', tooLarge))
      else done(null, chunk)
    },
  })
}
