import type { AddressInfo } from 'node:net'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { http } from '../http/node-http.ts'

/** All metrics of this process: one process is one service, so one registry is enough. */
export const registry = new Registry()

/** How often the delay of the event loop is sampled, which wakes the process each time. What is measured holds this time, too. */
const LOOP_SAMPLE_EVERY_MS = 100

let areProcessMetricsCollected = false

/** Adds the process's own metrics (memory, CPU, event-loop delay, garbage collection) once, labelled with the service. */
export function collectProcessMetrics(service: string): void {
  if (areProcessMetricsCollected) return
  areProcessMetricsCollected = true
  registry.setDefaultLabels({ service })
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LOOP_SAMPLE_EVERY_MS })
}

interface MetricDeclaration<Label extends string> {
  /** `wangian_<what>_<unit>`; a counter ends with `_total`. */
  readonly name: string
  readonly help: string
  readonly labelNames?: readonly Label[]
}

/**
 * The counter of this name, made on first use; `collect` is asked at every scrape.
 * @param known what is said from the start, as 0: a series that begins with 1 has not risen, so no alert would hear of the first
 */
export function counter<Label extends string = never>({
  known = [],
  ...declaration
}: MetricDeclaration<Label> & {
  readonly known?: readonly Readonly<Record<Label, string>>[]
  readonly collect?: (this: Counter<Label>) => void | Promise<void>
}): Counter<Label> {
  const existing = registry.getSingleMetric(declaration.name)
  if (existing instanceof Counter) return existing as Counter<Label>
  const made = new Counter({ ...declaration, registers: [registry] })
  for (const labels of known) made.inc(labels, 0)
  return made
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

/** Counts what happens thousands of times a second, by one label. */
export interface Tally<Value extends string> {
  add(value: Value, count?: number): void
}

/**
 * The counter of this name with one label, for where a bid is judged or answered: an addition there is a few nanoseconds, the library's own
 * a few hundred. The library hears of it at each scrape.
 */
export function tally<Value extends string>(
  declaration: Pick<MetricDeclaration<string>, 'name' | 'help'> & { readonly label: string },
): Tally<Value> {
  const { name, help, label } = declaration
  const counts: Map<string, number> = tallies.get(name) ?? new Map()
  tallies.set(name, counts)
  counter({
    name,
    help,
    labelNames: [label],
    collect() {
      this.reset()
      for (const [value, count] of counts) this.inc({ [label]: value }, count)
    },
  })
  return {
    add(value, count = 1) {
      counts.set(value, (counts.get(value) ?? 0) + count)
    },
  }
}

const tallies = new Map<string, Map<string, number>>()

/** For what a bidder waits for. One place, so that a dashboard may show what the gateway and the owner say of the same bids side by side. */
export const DURATION_BUCKETS_S: readonly number[] = [
  0.001, 0.002, 0.004, 0.008, 0.015, 0.03, 0.06, 0.125, 0.25, 0.5, 1, 2, 4,
]

/** Takes values thousands of times a second. */
export interface Distribution {
  observe(value: number): void
}

/** The histogram of this name without labels, for the same places as {@link tally}. Buckets are in the unit of its name. */
export function distribution(
  declaration: Pick<MetricDeclaration<string>, 'name' | 'help'> & { readonly buckets: readonly number[] },
): Distribution {
  const existing = distributions.get(declaration.name)
  if (existing !== undefined) return existing
  const made = new PlainHistogram(declaration)
  distributions.set(declaration.name, made)
  // The registry asks a metric for its name and for what it has to say, and for nothing else.
  registry.registerMetric(made as unknown as Histogram)
  return made
}

const distributions = new Map<string, PlainHistogram>()

class PlainHistogram implements Distribution {
  readonly name: string
  readonly help: string
  readonly #bounds: readonly number[]
  readonly #counts: number[]
  #sum = 0

  constructor({ name, help, buckets }: Parameters<typeof distribution>[0]) {
    this.name = name
    this.help = help
    this.#bounds = buckets
    this.#counts = new Array<number>(buckets.length + 1).fill(0)
  }

  observe(value: number): void {
    let index = 0
    while (index < this.#bounds.length && value > (this.#bounds[index] ?? 0)) index++
    this.#counts[index] = (this.#counts[index] ?? 0) + 1
    this.#sum += value
  }

  async get() {
    const { name, help } = this
    let count = 0
    const values = this.#counts.map((inBucket, index) => {
      count += inBucket
      return { value: count, metricName: `${name}_bucket`, labels: { le: this.#bounds[index] ?? '+Inf' } }
    })
    const totals = [
      { value: this.#sum, metricName: `${name}_sum`, labels: {} },
      { value: count, metricName: `${name}_count`, labels: {} },
    ]
    return { name, help, type: 'histogram', aggregator: 'sum', values: [...values, ...totals] }
  }

  reset(): void {
    this.#counts.fill(0)
    this.#sum = 0
  }
}

/**
 * Serves `/metrics` on a port of its own, for processes whose main port is public.
 * @returns the port that was taken, and how to stop
 */
export async function serveMetrics(options: {
  readonly host: string
  readonly port: number
}): Promise<{ readonly port: number; stop(): Promise<void> }> {
  const server = http.createServer((request, response) => {
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
