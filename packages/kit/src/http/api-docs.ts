import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { OpenApiDocument } from './openapi.ts'

/**
 * Serves an OpenAPI document for people below `path` (a page by Scalar, all of it from here) and for programs at
 * `<path>/json` and `<path>/yaml`.
 * @param options.path without a trailing slash, e.g. `/api/docs`
 */
export async function serveApiDocs(
  app: FastifyInstance,
  options: { readonly path: `/${string}`; readonly document: OpenApiDocument },
): Promise<void> {
  // 4 MB of script that only the process with the page should load.
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  await app.register((scope, _options, done) => {
    scope.addHook('onSend', async (_request, reply, payload) => {
      const type = String(reply.getHeader('content-type') ?? '')
      if (typeof payload === 'string' && type.startsWith('text/html')) {
        reply.header('content-security-policy', policyFor(payload))
      }
    })
    void scope.register(scalar, {
      routePrefix: options.path,
      openApiDocumentEndpoints: { json: '/json', yaml: '/yaml' },
      logLevel: 'silent',
      configuration: {
        content: options.document,
        // Whatever would speak to Scalar's own servers.
        agent: { disabled: true },
        mcp: { disabled: true },
        withDefaultFonts: false,
        telemetry: false,
        hideClientButton: true,
        showDeveloperTools: 'never',
      },
    })
    done()
  })
}

/** The page starts itself by one inline script; only that very script may run besides the files of this origin. */
function policyFor(html: string): string {
  const inline = [...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g)]
  const hashes = inline.map(([, script = '']) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`)
  return [
    "default-src 'none'",
    `script-src 'self' ${hashes.join(' ')}`.trimEnd(),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}
