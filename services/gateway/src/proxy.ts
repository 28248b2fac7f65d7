import type { IncomingHttpHeaders } from 'node:http'
import httpProxy from '@fastify/http-proxy'
import { routesByService } from '@wangian/contracts/routes.ts'
import { Failure, Rejection } from '@wangian/kit/errors.ts'
import type { App } from '@wangian/kit/http.ts'
import { inTurn, prefixesOf } from './upstreams.ts'

/** Larger bodies (pictures) pass through; the owning service has its own, smaller limits. */
const BODY_MAX_BYTES = 6 * 1024 * 1024
const UPSTREAM_TIMEOUT_MS = 15_000
/** The auth provider speaks another protocol than our contracts and lives under one prefix. */
const PROVIDER_PREFIX = '/auth/v1'

export type UpstreamUrls = Readonly<Record<keyof typeof routesByService, readonly string[]>>

/** Sends `/api/*` and `/auth/v1/*` on to the service that owns the path. Nothing that a client claims about itself passes. */
export function addProxy(app: App, urls: UpstreamUrls): void {
  const prefixes = new Map([...prefixesOf(routesByService), [PROVIDER_PREFIX, 'identity']])
  for (const [prefix, service] of prefixes) {
    const next = inTurn(urls[service as keyof UpstreamUrls])
    app.register(async (scope) => {
      // The proxy streams bodies as they come and brings its own parsers.
      scope.removeContentTypeParser('application/json')
      scope.addHook('onRequest', async (request) => {
        if (Number(request.headers['content-length'] ?? 0) > BODY_MAX_BYTES) throw new Rejection('too-large')
      })
      await scope.register(httpProxy, {
        upstream: '',
        prefix,
        rewritePrefix: prefix,
        http: { requestOptions: { timeout: UPSTREAM_TIMEOUT_MS } },
        replyOptions: {
          getUpstream: next,
          rewriteRequestHeaders: (request, headers) => ({
            ...withoutClaims(headers),
            'x-request-id': request.id,
            'x-forwarded-for': request.ip,
            'x-forwarded-proto': request.protocol,
            'x-forwarded-host': request.host,
          }),
          onError: (reply, { error }) => {
            void reply.send(new Failure('a service does not answer', { cause: error }))
          },
        },
      })
    })
  }
}

/** Headers by which only our own processes speak of a caller. */
function withoutClaims(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).filter(
      ([name]) => !name.startsWith('x-user-') && !name.startsWith('x-forwarded-') && name !== 'forwarded',
    ),
  )
}
