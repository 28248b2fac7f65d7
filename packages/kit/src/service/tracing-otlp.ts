import {
  type Context,
  context,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { Rejection } from '../errors.ts'
import type { OpenSpan, SpanStart, Tracer } from './tracing.ts'

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, consumer: SpanKind.CONSUMER } as const
const SEND_EVERY_MS = 1000
/** A collector that is away would be tried for ten seconds, which is all that a process has to stop. */
const LAST_SENDING_MS = 1000
const TRACEPARENT = /^00-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})$/

/** Loaded only where there is a collector. Whether a trace is kept is drawn where it begins, and counts everywhere. */
export function createOtlpTracer(options: {
  readonly endpoint: string
  readonly service: string
  readonly instanceId: string
  readonly share: number
}): Tracer {
  const { endpoint, service, instanceId, share } = options
  const provider = new TracerProvider({
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(share) }),
    resource: resourceFromAttributes({
      'service.namespace': 'wangian',
      'service.name': service,
      'service.instance.id': instanceId,
    }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new OTLPTraceExporter({ url: `${endpoint}/v1/traces` }),
        scheduledDelayMillis: SEND_EVERY_MS,
      }),
    ],
  })
  // Which span runs is known by the asynchronous context.
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  const tracer = provider.getTracer('wangian')
  const spans = new WeakMap<OpenSpan, Span>()

  return {
    begin(start) {
      const parent = parentOf(start)
      if (parent === null) return null
      const { name, kind, links = [], attributes = {} } = start
      const span = tracer.startSpan(
        name,
        {
          ...(kind !== undefined && { kind: kinds[kind] }),
          links: links.flatMap((link) => spanContextOf(link) ?? []).map((linked) => ({ context: linked })),
          attributes,
        },
        parent,
      )
      const open = openSpan(span)
      spans.set(open, span)
      return open
    },
    run(open, work) {
      const span = open === null ? undefined : spans.get(open)
      return context.with(span === undefined ? ROOT_CONTEXT : trace.setSpan(context.active(), span), work)
    },
    current() {
      const running = trace.getActiveSpan()
      return running === undefined ? null : traceparentOf(running.spanContext())
    },
    async stop() {
      const sent = provider.shutdown().catch(() => {})
      let timer: NodeJS.Timeout | undefined
      await Promise.race([sent, new Promise((resolve) => (timer = setTimeout(resolve, LAST_SENDING_MS)))])
      clearTimeout(timer)
      context.disable()
    },
  }
}

/** `null`: it belongs to nothing, and begins nothing. */
function parentOf({ parent, isRoot = false }: SpanStart): Context | null {
  if (parent === undefined && trace.getActiveSpan() !== undefined) return context.active()
  const known = typeof parent === 'string' ? spanContextOf(parent) : null
  if (known !== null) return trace.setSpanContext(ROOT_CONTEXT, known)
  return isRoot ? ROOT_CONTEXT : null
}

function spanContextOf(traceparent: string): SpanContext | null {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent) ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return null
  const found = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true }
  return isSpanContextValid(found) ? found : null
}

function traceparentOf({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
}

function openSpan(span: Span): OpenSpan {
  return {
    traceparent: traceparentOf(span.spanContext()),
    set: (attributes) => void span.setAttributes(attributes),
    fail(error) {
      // A refusal is an answer like others.
      if (error instanceof Rejection) span.setAttribute('wangian.refusal', error.code)
      else span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.name : 'error' })
    },
    end: () => span.end(),
  }
}
