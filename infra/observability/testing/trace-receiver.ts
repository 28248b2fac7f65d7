import { startTestServer, type TestServer } from '@wangian/kit/testing/test-server.ts'

/** A span as OTLP has it in JSON. */
export interface ReceivedSpan {
  readonly service: string
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly attributes: Readonly<Record<string, string | number>>
}

interface OtlpAttribute {
  readonly key: string
  readonly value: { readonly stringValue?: string; readonly intValue?: number }
}
type OtlpSpan = Pick<ReceivedSpan, 'name' | 'traceId' | 'spanId' | 'parentSpanId'> & {
  readonly attributes?: readonly OtlpAttribute[]
}
interface OtlpRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly OtlpAttribute[] }
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[]
  }[]
}

/** Takes spans by OTLP over HTTP, as a collector does, and keeps them. */
export async function startTraceReceiver(): Promise<TestServer & { readonly spans: readonly ReceivedSpan[] }> {
  const spans: ReceivedSpan[] = []
  const server = await startTestServer((request, response, body) => {
    const { resourceSpans }: OtlpRequest = JSON.parse(body.toString())
    for (const { resource, scopeSpans } of resourceSpans) {
      const service = String(valuesOf(resource.attributes)['service.name'])
      for (const span of scopeSpans.flatMap((scope) => scope.spans)) {
        const { name, traceId, spanId, parentSpanId, attributes = [] } = span
        spans.push({ service, name, traceId, spanId, parentSpanId, attributes: valuesOf(attributes) })
      }
    }
    response.writeHead(request.url === '/v1/traces' ? 200 : 404, { 'content-type': 'application/json' }).end('{}')
  })
  return { ...server, spans }
}

function valuesOf(attributes: readonly OtlpAttribute[]): Record<string, string | number> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue ?? Number.NaN)]),
  )
}
