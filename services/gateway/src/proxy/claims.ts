import type { AppRequest } from '@wangian/kit/http/http.ts'

/** A client's own trace is none of ours, and may ask for more than we want to keep. */
const OF_TRACES: ReadonlySet<string> = new Set(['traceparent', 'tracestate', 'baggage'])

/** Whether a header is one by which only our own processes speak of a caller. */
export function isClaim(name: string): boolean {
  return name.startsWith('x-user-') || name.startsWith('x-forwarded-') || name === 'forwarded' || OF_TRACES.has(name)
}

/** What the gateway knows of a request, in place of what its sender claims. */
export function knownOf({
  id,
  ip,
  protocol,
  host,
  span,
}: Pick<AppRequest, 'id' | 'ip' | 'protocol' | 'host' | 'span'>): Record<string, string> {
  return {
    'x-request-id': id,
    'x-forwarded-for': ip,
    'x-forwarded-proto': protocol,
    'x-forwarded-host': host,
    ...(span && { traceparent: span.traceparent }),
  }
}
