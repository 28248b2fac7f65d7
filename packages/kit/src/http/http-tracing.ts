import type { FastifyInstance, FastifyRequest } from 'fastify'
import { beginSpan, isTracing, type OpenSpan, runWithin } from '../service/tracing.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Where traces are sent: what this request is told as. */
    span?: OpenSpan | null
  }
}

/**
 * A span for each request, by its route's pattern.
 * @param options.beginsTraces what a client says of a trace does not count, and each request begins its own; otherwise only requests that belong
 *   to a trace have a span
 */
export function traceRequests(app: FastifyInstance, options: { readonly beginsTraces: boolean }): void {
  if (!isTracing()) return
  const { beginsTraces } = options
  app.decorateRequest('span', null)
  app.addHook('onRequest', (request, _reply, done) => {
    request.span = spanOf(request, beginsTraces)
    runWithin(request.span, done)
  })
  // A body comes with its connection, which knows nothing of requests.
  app.addHook('preValidation', (request, _reply, done) => runWithin(request.span ?? null, done))
  app.addHook('onResponse', async (request, reply) => {
    request.span?.set({ 'http.response.status_code': reply.statusCode })
    if (reply.statusCode >= 500) request.span?.fail(new Error('the answer is an error of ours'))
    request.span?.end()
  })
}

function spanOf(request: FastifyRequest, beginsTraces: boolean): OpenSpan | null {
  const route = request.routeOptions.url ?? 'unknown'
  if (operations.has(route)) return null
  const { traceparent } = request.headers
  return beginSpan({
    name: `${request.method} ${route}`,
    kind: 'server',
    parent: !beginsTraces && typeof traceparent === 'string' ? traceparent : null,
    isRoot: beginsTraces,
    attributes: {
      'http.request.method': request.method,
      'http.route': route,
      'wangian.request_id': request.id,
    },
  })
}

const operations = new Set(['/livez', '/readyz', '/metrics', '/openapi.json'])
