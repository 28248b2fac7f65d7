import { Transform } from 'node:stream'
import type { Route } from '@wangian/contracts/route.ts'
import { routesByService } from '@wangian/contracts/routes.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import type { App } from '@wangian/kit/http/http.ts'
import { PROVIDER_PREFIX } from '@wangian/kit/http/provider-errors.ts'
import { CompressedAnswers } from './compressed.ts'
import { createForwarder, type Forwarder } from './forwarder.ts'
import { followNames } from './names.ts'
import { Copies, prefixesOf } from './upstreams.ts'

/** Of pictures, with what the form adds to them; the owning service has its own, smaller limit. */
const UPLOAD_MAX_BYTES = 6 * 1024 * 1024
const UPSTREAM_TIMEOUT_MS = 15_000

export type UpstreamUrls = Readonly<Record<keyof typeof routesByService, readonly string[]>>

/**
 * Sends `/api/*` and `/auth/v1/*` on to the service that owns the path. Nothing that a client claims about itself passes.
 * @param options.timeoutMs how long a service may say nothing
 */
export function addProxy(app: App, urls: UpstreamUrls, { timeoutMs = UPSTREAM_TIMEOUT_MS } = {}): void {
  const answers = new CompressedAnswers()
  const prefixes = [...prefixesOf(routesByService), [PROVIDER_PREFIX, 'identity'] as const]
  for (const [service, list] of Object.entries(urls)) {
    const copies = new Copies(list)
    const names = followNames(copies, list)
    const forwarder = createForwarder(copies, { timeoutMs, answers })
    app.addHook('onClose', async () => {
      names.stop()
      await forwarder.close()
    })
    for (const [prefix, owner] of prefixes) if (owner === service) forwardBelow(app, prefix, forwarder)
    for (const upload of uploadsOf(service)) forwardUploads(app, upload, forwarder)
  }
}

/**
 * Sends everything below a path on. Bodies are taken whole, as long as services take JSON: one that refuses a body while it comes ends its connection,
 * and what it says is lost on the way.
 */
export function forwardBelow(
  app: App,
  prefix: string,
  forwarder: Forwarder,
  method = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'],
): void {
  app.register(async (scope) => {
    refuseOtherPaths(scope)
    scope.removeAllContentTypeParsers()
    // Whoever parses one must know how large it really is, and what stands in it twice.
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    for (const url of [prefix, `${prefix}/*`]) {
      scope.route({ method, url, handler: (request, reply) => forwarder.forward(request, reply) })
    }
  })
}

/** A picture streams. Whoever sends one that is too large is told so in the words of the service that would have refused it. */
function forwardUploads(app: App, { method, path, tooLarge }: Upload, forwarder: Forwarder): void {
  app.register(async (scope) => {
    refuseOtherPaths(scope)
    scope.addHook('onRequest', async ({ headers }) => {
      if (Number(headers['content-length'] ?? 0) > UPLOAD_MAX_BYTES) throw new Rejection('too-large', tooLarge)
    })
    // Through a stream of our own: when a service breaks off, it is that one that is destroyed, and not the client's connection.
    scope.addHook('preParsing', async (_request, _reply, body) => body.pipe(limited(tooLarge)))
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, body, done) => done(null, body))
    scope.route({ method, url: path, handler: (request, reply) => forwarder.forward(request, reply) })
  })
}

function refuseOtherPaths(scope: App): void {
  scope.addHook('onRequest', ({ url }, _reply, done) =>
    done(leadsNowhere(url) ? new Rejection('not-found') : undefined),
  )
}

/** Upwards, or to a name that nothing can have. The router has made sure that the path can be decoded, which ends at a `?` or a `#`. */
function leadsNowhere(url: string): boolean {
  if (!/[%\\]|\.\./.test(url)) return false
  const path = decodeURIComponent(url.split(/[?#]/)[0] ?? '').replaceAll('\\', '/')
  return path.includes('/..') || path.includes('../') || path.includes('\0')
}

interface Upload {
  readonly method: Route['method']
  readonly path: string
  readonly tooLarge: string
}

function uploadsOf(service: string): Upload[] {
  const routes: Readonly<Record<string, Readonly<Record<string, Route>>>> = routesByService
  return Object.values(routes[service] ?? {}).flatMap(({ method, path, upload }) =>
    upload === undefined ? [] : [{ method, path, tooLarge: upload.tooLarge }],
  )
}

/** Passes a body of unknown length on, and fails when it gets too long. */
function limited(tooLarge: string): Transform {
  let bytes = 0
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      if (bytes > UPLOAD_MAX_BYTES) done(new Rejection('too-large', tooLarge))
      else done(null, chunk)
    },
  })
  // Whoever takes it up next hears of it, too.
  return stream.on('error', () => {})
}
