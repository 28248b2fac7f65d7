import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** All metrics of this process: one process is one service, so one registry is enough. */
export const registry = new Registry()

let areProcessMetricsCollected = false

/** Adds the process's own metrics (memory, CPU, event-loop delay, garbage collection) once, labelled with the service. */
export function collectProcessMetrics(service: string): void {
  if (areProcessMetricsCollected) return
  areProcessMetricsCollected = true
  registry.setDefaultLabels({ service })
  collectDefaultMetrics({ register: registry })
}

interface MetricDeclaration<Label extends string> {
  /** `wangian_<what>_<unit>`; a counter ends with `_total`. */
  readonly name: string
  readonly help: string
  readonly labelNames?: readonly Label[]
}

/** The counter of this name, made on first use. */
export function counter<Label extends string = never>(declaration: MetricDeclaration<Label>): Counter<Label> {
  const existing = registry.getSingleMetric(declaration.name)
  return existing instanceof Counter
    ? (existing as Counter<Label>)
    : new Counter({ ...declaration, registers: [registry] })
}

/** The gauge of this name, made on first use; `collect` is asked at every scrape. */
export function gauge<Label extends string = never>(
  declaration: MetricDeclaration<Label> & { readonly collect?: (this: Gauge<Label>) => void | Promise<void> },
): Gauge<Label> {
  const existing = registry.getSingleMetric(declaration.name)
  return existing instanceof Gauge ? (existing as Gauge<Label>) : new Gauge({ ...declaration, registers: [registry] })
}

/** The histogram of this name, made on first use; buckets are in the unit of its name. */
export function histogram<Label extends string = never>(
  declaration: MetricDeclaration<Label> & { readonly buckets: number[] },
): Histogram<Label> {
  const existing = registry.getSingleMetric(declaration.name)
  return existing instanceof Histogram
    ? (existing as Histogram<Label>)
    : new Histogram({ ...declaration, registers: [registry] })
}

/**
 * Serves `/metrics` on a port of its own, for processes whose main port is public.
 * @returns the port that was taken, and how to stop
 */
export async function serveMetrics(options: {
  readonly host: string
  readonly port: number
}): Promise<{ readonly port: number; stop(): Promise<void> }> {
  const server = createServer((request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') {
      response.writeHead(404).end()
      return
    }
    registry.metrics().then(
      (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
      () => response.writeHead(500).end(),
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, options.host, resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
