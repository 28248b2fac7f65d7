import type { ServiceEnvironment } from './config.ts'

/**
 * Traces: what a request leads to, in all processes. Without `OTEL_EXPORTER_OTLP_ENDPOINT` nothing of OpenTelemetry is loaded, and what is here
 * costs a comparison.
 */

/** What a span is of. */
export interface SpanStart {
  /** Without ids, of which there would be one name each. */
  readonly name: string
  readonly kind?: 'server' | 'client' | 'consumer' | undefined
  /** The `traceparent` of what it belongs to; that of the running span when not given. */
  readonly parent?: string | null | undefined
  /** What else it belongs to. */
  readonly links?: readonly string[]
  /** Begins a trace where there is none. All others then are not begun. */
  readonly isRoot?: boolean
  readonly attributes?: Readonly<Record<string, string | number>>
}

/** A span that goes on. */
export interface OpenSpan {
  /** As the W3C writes it. */
  readonly traceparent: string
  set(attributes: Readonly<Record<string, string | number>>): void
  /** Says what kind of error it was, never its text: that may be personal. */
  fail(error: unknown): void
  end(): void
}

/** What makes spans. */
export interface Tracer {
  begin(start: SpanStart): OpenSpan | null
  /** Runs something within a span, or within none. */
  run<T>(span: OpenSpan | null, work: () => T): T
  /** Of the running span. */
  current(): string | null
  stop(): Promise<void>
}

let tracer: Tracer | null = null

/**
 * Sends traces to an OpenTelemetry collector by OTLP over HTTP from now on.
 * @param options.endpoint its base address, e.g. `http://collector:4318`; without one nothing happens
 * @returns how to stop, after sending what waits if the collector takes it at once
 */
export async function startTracing(options: {
  readonly endpoint: string | undefined
  readonly service: string
  readonly instanceId: string
  /** How much of all traces is kept, from 0 to 1. */
  readonly share: number
}): Promise<{ stop(): Promise<void> }> {
  const { endpoint } = options
  if (endpoint === undefined) return { stop: async () => {} }
  const { createOtlpTracer } = await import('./tracing-otlp.ts')
  const started = createOtlpTracer({ ...options, endpoint })
  tracer = started
  return {
    async stop() {
      tracer = null
      await started.stop()
    },
  }
}

/** What the environment says of traces. */
export function tracingOf(
  service: string,
  config: Pick<ServiceEnvironment, 'otelExporterOtlpEndpoint' | 'otelTracesSamplerArg' | 'instanceId'>,
): Parameters<typeof startTracing>[0] {
  const { otelExporterOtlpEndpoint: endpoint, otelTracesSamplerArg: share, instanceId } = config
  return { service, endpoint, share, instanceId }
}

export function isTracing(): boolean {
  return tracer !== null
}

/** Does something within a span of its own. */
export function traced<T>(start: SpanStart, work: () => Promise<T>): Promise<T> {
  if (tracer === null) return work()
  const span = tracer.begin(start)
  return span === null ? work() : within(tracer, span, work)
}

async function within<T>(running: Tracer, span: OpenSpan, work: () => Promise<T>): Promise<T> {
  try {
    return await running.run(span, work)
  } catch (error) {
    span.fail(error)
    throw error
  } finally {
    span.end()
  }
}

/** Begins a span that the caller ends; `null` where nothing is traced. */
export function beginSpan(start: SpanStart): OpenSpan | null {
  return tracer === null ? null : tracer.begin(start)
}

/** Runs something within a span that was begun. */
export function runWithin<T>(span: OpenSpan | null, work: () => T): T {
  return tracer === null || span === null ? work() : tracer.run(span, work)
}

/** Runs what goes on for others, too, and must not be counted to whoever happened to start it. */
export function untraced<T>(work: () => T): T {
  return tracer === null ? work() : tracer.run(null, work)
}

/** The `traceparent` of the running span; `null` when there is none. */
export function currentTraceparent(): string | null {
  return tracer === null ? null : tracer.current()
}
