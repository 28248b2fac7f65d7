import { createHash } from 'node:crypto'
import { type FastifyInstance, fastify, type RouteHandlerMethod } from 'fastify'
import { openApiDocument } from './openapi.ts'

/** What the server that answers says by itself. */
const OWN_HEADERS = ['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding'] as const

interface Options {
  /** Without a trailing slash, e.g. `/api/docs`. */
  readonly path: `/${string}`
  readonly title: string
  /** As `openApiDocument` takes them. */
  readonly routes: Parameters<typeof openApiDocument>[0]['routes']
}

/**
 * Serves an OpenAPI document for people below `path` (a page by Scalar, all of it from here) and for programs at
 * `<path>/json` and `<path>/yaml`. It is made when somebody first asks, and Scalar is loaded then, which holds 35 MB for its 4 MB of script.
 */
export function serveApiDocs(app: FastifyInstance, options: Options): void {
  let pages: Promise<FastifyInstance> | undefined
  const answer: RouteHandlerMethod = async ({ method, url, headers: asked }, reply) => {
    pages ??= createPages(options).catch((error: unknown) => {
      // The next one who asks may be luckier.
      pages = undefined
      throw error
    })
    const inner = await (await pages).inject({ method: method === 'HEAD' ? 'HEAD' : 'GET', url, headers: asked })
    if (inner.statusCode === 404) return reply.callNotFound()
    const headers = { ...inner.headers }
    for (const name of OWN_HEADERS) delete headers[name]
    if (String(headers['content-type']).startsWith('text/html')) {
      headers['content-security-policy'] = policyFor(inner.payload)
    }
    return reply.code(inner.statusCode).headers(headers).send(inner.rawPayload)
  }
  app.get(options.path, answer)
  app.get(`${options.path}/*`, answer)
  app.addHook('onClose', async () => (await pages)?.close())
}

async function createPages({ path, ...described }: Options): Promise<FastifyInstance> {
  const document = await openApiDocument(described)
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const pages = fastify()
  await pages.register(scalar, {
    routePrefix: path,
    openApiDocumentEndpoints: { json: '/json', yaml: '/yaml' },
    logLevel: 'silent',
    configuration: {
      content: document,
      // Whatever would speak to Scalar's own servers.
      agent: { disabled: true },
      mcp: { disabled: true },
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
      showDeveloperTools: 'never',
    },
  })
  return pages
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
