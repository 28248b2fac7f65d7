import { createHash } from 'node:crypto'
import type { OutgoingHttpHeaders } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import {
  type FastifyInstance,
  fastify,
  type LightMyRequestResponse,
  type RouteHandlerMethod,
  type RouteShorthandOptions,
} from 'fastify'
import { openApiDocument } from './openapi.ts'
import { takesEncoding } from './taken-encodings.ts'

/** What the server that answers says by itself. */
const OWN_HEADERS = ['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding'] as const

interface Options {
  /** Without a trailing slash, e.g. `/api/docs`. */
  readonly path: `/${string}`
  readonly title: string
  /** As `openApiDocument` takes them. */
  readonly routes: Parameters<typeof openApiDocument>[0]['routes']
}

const encodings = ['br', 'gzip'] as const
type Encoding = (typeof encodings)[number]

interface Answer {
  readonly status: number
  readonly headers: OutgoingHttpHeaders
  readonly body: Buffer
  /** What has been asked for so far. */
  readonly compressed: Map<Encoding, Promise<Buffer>>
}

/** Less is sent in one packet anyway. */
const COMPRESSED_LENGTH_MIN = 1024
/** Four times as long as the usual one, 0.4 s for the script, for a tenth less. */
const BROTLI_QUALITY = 9

/** Fastify's plugin, where the app has it, would compress the 4 MB of script for everybody who asks. */
const withoutCompression: RouteShorthandOptions & { readonly compress: false } = { compress: false }

/**
 * Serves an OpenAPI document for people below `path` (a page by Scalar, all of it from here) and for programs at
 * `<path>/json` and `<path>/yaml`. It is made when somebody first asks, and Scalar is loaded then, which holds 35 MB for its 4 MB of script. Each of
 * these few answers is made and compressed once.
 */
export function serveApiDocs(app: FastifyInstance, options: Options): void {
  let pages: Promise<FastifyInstance> | undefined
  const answers = new Map<string, Answer>()

  async function find(path: string): Promise<Answer | null> {
    const known = answers.get(path)
    if (known !== undefined) return known
    pages ??= createPages(options).catch((error: unknown) => {
      // The next one who asks may be luckier.
      pages = undefined
      throw error
    })
    const inner = await (await pages).inject(path)
    if (inner.statusCode === 404) return null
    const answer = answers.get(path) ?? answerOf(inner)
    answers.set(path, answer)
    return answer
  }

  const handler: RouteHandlerMethod = async ({ url, headers }, reply) => {
    const [path = ''] = url.split('?')
    // An answer has one address, and is kept by it; with letters in other forms it would have any number.
    const answer = path.includes('%') ? null : await find(path)
    if (answer === null) return reply.callNotFound()
    reply.code(answer.status).headers(answer.headers)
    if (answer.body.length < COMPRESSED_LENGTH_MIN) return reply.send(answer.body)
    reply.header('vary', 'accept-encoding')
    const encoding = encodings.find((each) => takesEncoding(headers['accept-encoding'], each))
    if (encoding === undefined) return reply.send(answer.body)
    const compressed = answer.compressed.get(encoding) ?? compress[encoding](answer.body)
    answer.compressed.set(encoding, compressed)
    return reply.header('content-encoding', encoding).send(await compressed)
  }
  app.get(options.path, withoutCompression, handler)
  app.get(`${options.path}/*`, withoutCompression, handler)
  app.addHook('onClose', async () => (await pages)?.close())
}

const brotli = promisify(brotliCompress)
const compress: Readonly<Record<Encoding, (body: Buffer) => Promise<Buffer>>> = {
  br: (body) => brotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: promisify<Buffer, Buffer>(gzip),
}

function answerOf({ statusCode, headers: given, payload, rawPayload }: LightMyRequestResponse): Answer {
  const headers = { ...given }
  for (const name of OWN_HEADERS) delete headers[name]
  if (String(headers['content-type']).startsWith('text/html')) headers['content-security-policy'] = policyFor(payload)
  return { status: statusCode, headers, body: rawPayload, compressed: new Map() }
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
