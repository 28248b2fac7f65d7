import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import fastifyStatic from '@fastify/static'
import { pageFileOf, RENDERER_FILE } from '@wangian/contracts/languages.ts'
import { isPagePath } from '@wangian/contracts/page-paths.ts'
import { routesByService } from '@wangian/contracts/routes.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import type { App, AppReply, AppRequest } from '@wangian/kit/http/http.ts'
import { LANGUAGE_VARY, languageCookieOf, languageOf } from '@wangian/kit/http/request-language.ts'
import { takesEncoding } from '@wangian/kit/http/taken-encodings.ts'
import type { UpstreamUrls } from '../proxy/proxy.ts'
import { prefixesOf } from '../proxy/upstreams.ts'
import type { PageFacts } from './page-facts.ts'
import { PageRenderer, type RenderedPage } from './page-renderer.ts'
import { findPage, isRendered, templateFor, withHead } from './pages.ts'

const SERVER_PATHS = /^\/(api|auth\/v1|ws|dev\/inbox)(\/|$|\?)/
/** Files whose name holds a hash of their content never change. */
const HASHED = /^assets[/\\]/
/** Pages name those files; an old one would ask for files that are gone. */
const PAGE = /\.html(\.br|\.gz)?$/

interface WebAppOptions {
  /** The site's own address and what its pages are about; without it all pages have the same head. */
  readonly pages?: { readonly site: string; readonly facts: PageFacts } | undefined
  readonly analyticsId?: string | undefined
  /** Where pages that are rendered here read what they are about; without it browsers render them all. */
  readonly upstreams?: UpstreamUrls
  readonly rateLimitFactor: number
}

/**
 * Serves the built web app; every path that a browser navigates to and no file or service owns shows the app itself, with 404 where the app
 * has no page but the one that says so.
 */
export function addWebApp(app: App, webDist: string, options: WebAppOptions): void {
  const { pages, analyticsId, upstreams, rateLimitFactor } = options
  const rendererFile = join(webDist, RENDERER_FILE)
  const renderer = upstreams && rendererFor(app, { rendererFile, upstreams, rateLimitFactor })
  // The web app finds there whom it may tell. An id has no character that means something in a page.
  const withAnalytics = (html: string) =>
    analyticsId === undefined
      ? html
      : html.replace('</head>', `  <meta name="analytics-id" content="${analyticsId}" />\n  </head>`)
  const templates = new Map<string, Promise<string>>()
  const templateOf = (file: string): Promise<string> => {
    const template = templates.get(file) ?? readFile(join(webDist, file), 'utf8').then(withAnalytics)
    templates.set(file, template)
    return template
  }
  app.register(async (scope) => {
    await scope.register(fastifyStatic, {
      root: webDist,
      wildcard: false,
      index: false,
      preCompressed: true,
      setHeaders: (reply, path) => {
        reply.header('cache-control', cacheRule(relative(webDist, path)))
      },
    })
    scope.get('/*', async (request, reply) => {
      if (SERVER_PATHS.test(request.url) || !isPage(request.url, request.headers.accept))
        throw new Rejection('not-found')
      const [pathname = '/'] = request.url.split('?')
      const language = languageOf(request)
      reply.headers({ vary: LANGUAGE_VARY, 'content-language': language })
      if (pages === undefined) {
        return reply.code(isPagePath(pathname) ? 200 : 404).sendFile(pageFileOf('index', language))
      }
      // Here and not by the page's script: whoever presses a link first keeps the language, too.
      const visit = languageCookieOf(request, pages.site.startsWith('https:'))
      if (visit !== null) reply.header('set-cookie', visit)
      const [page, html] = await Promise.all([
        findPage(request.url, { ...pages, language, log: request.log }),
        templateOf(pageFileOf(templateFor(request.url), language)),
      ])
      reply
        .code(page?.status ?? 200)
        .headers({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
      if (page === null) return reply.send(html)
      const shell = withHead(html, page.head)
      const rendered =
        page.status === 200 && isRendered(request.url)
          ? await renderer?.render({
              address: request.url,
              clientAddress: request.ip,
              language,
              shell,
              reads: page.head.reads ?? [],
            })
          : null
      return rendered ? sendRendered(request, reply, rendered) : reply.send(shell)
    })
  })
}

function rendererFor(
  app: App,
  {
    rendererFile,
    upstreams,
    rateLimitFactor,
  }: { readonly rendererFile: string; readonly upstreams: UpstreamUrls; readonly rateLimitFactor: number },
): PageRenderer | undefined {
  if (!existsSync(rendererFile)) return undefined
  const origins = [...prefixesOf(routesByService)].map(([prefix, service]) => [
    prefix,
    upstreams[service as keyof UpstreamUrls],
  ])
  const data = { rendererFile, origins: Object.fromEntries(origins) }
  const renderer = new PageRenderer(data, { log: app.log, rateLimitFactor })
  app.addHook('onClose', () => renderer.stop())
  return renderer
}

function sendRendered(request: AppRequest, reply: AppReply, { html, brotli }: RenderedPage): AppReply {
  if (!takesEncoding(request.headers['accept-encoding'], 'br'))
    return reply.send(Buffer.from(html.buffer, html.byteOffset, html.byteLength))
  reply.headers({ 'content-encoding': 'br', vary: `${LANGUAGE_VARY}, Accept-Encoding` })
  return reply.send(Buffer.from(brotli.buffer, brotli.byteOffset, brotli.byteLength))
}

/**
 * Browsers say that they want a page; those who preview links, and people at a command line, take anything. A script or picture that is
 * missing must not be answered with a page, though, and its name has a dot.
 */
function isPage(url: string, accept = '*/*'): boolean {
  // `//host` is an address elsewhere, and `*` or `http://` none of a page.
  if (!/^\/(?![/\\])/.test(url)) return false
  if (accept.includes('text/html')) return true
  const [path = ''] = url.split('?')
  return accept.includes('*/*') && !path.includes('.')
}

function cacheRule(file: string): string {
  if (PAGE.test(file)) return 'no-store'
  return HASHED.test(file) ? 'public, max-age=31536000, immutable' : 'public, max-age=300'
}
