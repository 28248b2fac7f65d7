import type { FastifyInstance } from 'fastify'
import { Rejection } from '../errors.ts'
import { collectProcessMetrics, gauge, histogram, registry } from '../service/metrics.ts'
import { openApiDocument } from './openapi.ts'

const LOOP_DELAY_MAX_MS = 1000
/** Each look wakes the process; a monitor of the event loop would do so fifty times a second. */
const LOOP_LOOK_EVERY_MS = 250
const READINESS_TIMEOUT_MS = 2000

export interface OperationsOptions {
  readonly name: string
  readonly readiness?: () => Promise<Record<string, boolean>>
  readonly optionalParts?: readonly string[]
  readonly hasMetricsRoute?: boolean
  readonly loopDelayMaxMs?: number
}

/** What operators need of every service: `/livez`, `/readyz`, `/metrics`, `/openapi.json`, and 503 under pressure. */
export function addOperations(app: FastifyInstance, options: OperationsOptions, isStopping: () => boolean): void {
  measureRequests(app)
  turnAwayUnderPressure(app, options.loopDelayMaxMs ?? LOOP_DELAY_MAX_MS)

  const { optionalParts = [] } = options
  app.get('/livez', async () => ({ status: 'ok' }))
  app.get('/readyz', async (_request, reply) => {
    const parts = await readinessOf(options)
    const isReady = !isStopping() && Object.keys(parts).every((part) => parts[part] || optionalParts.includes(part))
    return reply.code(isReady ? 200 : 503).send({ status: isReady ? 'ready' : 'not-ready', parts })
  })
  gauge({
    name: 'wangian_ready',
    help: 'Whether what this process stands on answers, part by part',
    labelNames: ['part'],
    async collect() {
      this.reset()
      for (const [part, isReady] of Object.entries(await readinessOf(options))) this.set({ part }, isReady ? 1 : 0)
    },
  })
  app.get('/openapi.json', async () => {
    const named = app.servedRoutes.map((route) => [`${route.method} ${route.path}`, route] as const)
    return await openApiDocument({ title: options.name, routes: { [options.name]: Object.fromEntries(named) } })
  })
  if (options.hasMetricsRoute ?? true) {
    collectProcessMetrics(options.name)
    app.get('/metrics', async (_request, reply) => reply.type(registry.contentType).send(await registry.metrics()))
  }
}

async function readinessOf(options: OperationsOptions): Promise<Record<string, boolean>> {
  if (options.readiness === undefined) return {}
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<Record<string, boolean>>((resolve) => {
    timer = setTimeout(() => resolve({ inTime: false }), READINESS_TIMEOUT_MS)
  })
  try {
    return await Promise.race([options.readiness(), timeout])
  } catch {
    return { check: false }
  } finally {
    clearTimeout(timer)
  }
}

function measureRequests(app: FastifyInstance): void {
  const durations = histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last of its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  })
  app.addHook('onResponse', (request, reply, done) => {
    // The route's pattern, never the URL: ids would make a time series each.
    const route = request.routeOptions.url ?? 'unknown'
    durations.observe({ method: request.method, route, status: String(reply.statusCode) }, reply.elapsedTime / 1000)
    done()
  })
}

/**
 * Two looks in a row must be late: neither one slow collection of garbage nor one moment in which the machine was busy with others is a reason
 * to refuse anybody.
 */
function turnAwayUnderPressure(app: FastifyInstance, delayMaxMs: number): void {
  let wasLate = false
  let isOverloaded = false
  let looking: NodeJS.Timeout | undefined
  // Not before: a start that keeps the loop busy is no pressure.
  app.addHook('onReady', async () => {
    let lookedAtMs = performance.now()
    looking = setInterval(() => {
      const nowMs = performance.now()
      const isLate = nowMs - lookedAtMs - LOOP_LOOK_EVERY_MS > delayMaxMs
      isOverloaded = isLate && wasLate
      wasLate = isLate
      lookedAtMs = nowMs
    }, LOOP_LOOK_EVERY_MS).unref()
  })
  app.addHook('onClose', async () => clearInterval(looking))
  app.addHook('onRequest', (request, _reply, done) => {
    const isTurnedAway = isOverloaded && !operationPaths.has(request.routeOptions.url ?? '')
    done(isTurnedAway ? new Rejection('unavailable') : undefined)
  })
}

const operationPaths = new Set(['/livez', '/readyz', '/metrics'])
