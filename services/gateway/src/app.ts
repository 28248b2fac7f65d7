import type { OutgoingHttpHeaders } from 'node:http'
import { Socket } from 'node:net'
import compress from '@fastify/compress'
import rateLimit from '@fastify/rate-limit'
import { isPagePath } from '@wangian/contracts/page-paths.ts'
import { routesByService } from '@wangian/contracts/routes.ts'
import { Rejection } from '@wangian/kit/errors.ts'
import { serveApiDocs } from '@wangian/kit/http/api-docs.ts'
import { addressKey } from '@wangian/kit/http/client-address.ts'
import { type App, type AppRequest, createApp } from '@wangian/kit/http/http.ts'
import { http } from '@wangian/kit/http/node-http.ts'
import { PROVIDER_PREFIX } from '@wangian/kit/http/provider-errors.ts'
import type { Logger } from '@wangian/kit/service/logger.ts'
import helmet from 'helmet'
import type { PageFacts } from './pages/page-facts.ts'
import { addSitemap } from './pages/sitemap.ts'
import { addWebApp } from './pages/web-app.ts'
import { addMailInbox, addPaymentSandbox } from './proxy/dev-pages.ts'
import { addProxy, type UpstreamUrls } from './proxy/proxy.ts'
import { type Pace, Turns } from './turns.ts'

const REQUESTS_PER_MINUTE = 600
/**
 * A page with all its pictures is some sixty requests, which begin at once for one person and for two; who makes the whole minute's at once takes
 * the processors from nobody.
 */
const PACE: Pace = { underWayMax: 16, burst: 150, perSecond: 30, waitingMax: REQUESTS_PER_MINUTE }
/** Whoever asks on without a pause is not refused as often as they can ask, however many connections they have: that would be felt by all. */
const REFUSALS: Pace = { underWayMax: Number.POSITIVE_INFINITY, burst: 10, perSecond: 20, waitingMax: 200 }
/** Whoever looks whether we are there is never refused, and asks now and then; on and on, that would be felt by all just the same. */
const PROBES: Pace = { underWayMax: Number.POSITIVE_INFINITY, burst: 50, perSecond: 50, waitingMax: 200 }
/** Where the tag of Google Analytics comes from, and whom it tells. Pictures may come from anywhere already. */
const analyticsSources = {
  scripts: ['https://www.googletagmanager.com'],
  told: [
    'https://www.googletagmanager.com',
    'https://www.google-analytics.com',
    'https://*.google-analytics.com',
    'https://*.analytics.google.com',
  ],
} as const
const noAnalytics = { scripts: [], told: [] } as const

export interface AppOptions {
  readonly upstreams: UpstreamUrls
  readonly webDist: string | undefined
  /** The site's own address and what its pages are about; without it all pages have the same head. */
  readonly pages?: { readonly site: string; readonly facts: PageFacts } | undefined
  /** Of a mail catcher; `/dev/inbox` does not exist without. */
  readonly mailInboxUrl?: string | undefined
  /** Of a payment sandbox; `/dev/payment` does not exist without. */
  readonly paymentSandboxUrl?: string | undefined
  /** What ends TLS in front of us; nobody by default. */
  readonly trustedProxies?: readonly string[]
  readonly rateLimitFactor: number
  /** Of one address. */
  readonly pace?: Pace
  readonly isHttps: boolean
  /** A hosted auth provider, with which the web app must be allowed to speak. */
  readonly authUrl?: string | undefined
  /** Of the account that visitors are counted in if they agree; without it the web app asks nobody. */
  readonly analyticsId?: string | undefined
  /** Whether pages come with what they show; browsers render them all by default. */
  readonly rendersPages?: boolean
  readonly readiness: () => Promise<Record<string, boolean>>
  /** For how long it goes on answering when it is closed. */
  readonly drainMs?: number
  readonly logger?: Logger
  /** How long a service may say nothing before its client is told that it is unavailable. */
  readonly upstreamTimeoutMs?: number
}

/** The public HTTP side: headers, limits, documentation, the way to the services, and the web app. It does not listen. */
export async function buildApp(options: AppOptions): Promise<App> {
  const { logger, rateLimitFactor, analyticsId } = options
  const app = createApp({
    name: 'gateway',
    readiness: options.readiness,
    // Pages, reading and listing need no bus. Whatever stands in front takes out who is not ready: that would be all gateways at once.
    optionalParts: ['nats'],
    trustedProxies: options.trustedProxies ?? [],
    hasMetricsRoute: false,
    beginsTraces: true,
    drainMs: options.drainMs ?? 0,
    ...(options.webDist !== undefined && { isPage: isPagePath }),
    ...(logger === undefined ? {} : { logger }),
  })
  addGuards(app, options)
  // Bodies pass as they are: whoever parses one must know how large it really is.
  app.register(compress, { global: true, threshold: 1024, globalDecompression: false })
  await addLimits(app, options)
  serveApiDocs(app, { path: '/api/docs', title: 'Wangian', routes: routesByService })
  const { upstreamTimeoutMs } = options
  addProxy(app, options.upstreams, upstreamTimeoutMs === undefined ? {} : { timeoutMs: upstreamTimeoutMs })
  if (options.mailInboxUrl !== undefined) addMailInbox(app, options.mailInboxUrl)
  if (options.paymentSandboxUrl !== undefined) addPaymentSandbox(app, options.paymentSandboxUrl)
  if (options.pages !== undefined) addSitemap(app, options.pages)
  if (options.webDist !== undefined)
    addWebApp(app, options.webDist, {
      pages: options.pages,
      analyticsId,
      rateLimitFactor,
      ...(options.rendersPages === true && { upstreams: options.upstreams }),
    })
  return app
}

/** Headers of every answer: what pages may load, where they may lead, and by which sites they may be shown. */
function addGuards(app: App, { authUrl, analyticsId, isHttps }: AppOptions): void {
  const analytics = analyticsId === undefined ? noAnalytics : analyticsSources
  // Once, and not for each request, which is what Fastify's plugin of the same name does.
  const guard = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        baseUri: ["'none'"],
        // Covers the socket to the same host, and no other (CSP 3).
        connectSrc: ["'self'", ...(authUrl === undefined ? [] : [new URL(authUrl).origin]), ...analytics.told],
        fontSrc: ["'self'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
        imgSrc: ["'self'", 'data:', 'blob:', 'https:'],
        objectSrc: ["'none'"],
        scriptSrc: ["'self'", ...analytics.scripts],
        // styled-components writes its rules into the page.
        styleSrc: ["'self'", "'unsafe-inline'"],
        ...(isHttps ? { upgradeInsecureRequests: [] } : {}),
      },
    },
    strictTransportSecurity: isHttps,
    crossOriginEmbedderPolicy: false,
    referrerPolicy: { policy: 'strict-origin-when-cross-origin' },
  })
  const guards = headersOf(guard)
  app.addHook('onRequest', (_request, reply, next) => {
    reply.headers(guards)
    next()
  })
}

/** How much of one address is answered, and how soon: too much is refused, and what comes all at once waits for its turn. */
async function addLimits(app: App, { rateLimitFactor, pace = PACE }: AppOptions): Promise<void> {
  await app.register(rateLimit, {
    global: false,
    max: REQUESTS_PER_MINUTE * rateLimitFactor,
    timeWindow: '1 minute',
    keyGenerator: (request) => addressKey(request.ip),
    allowList: isProbe,
    errorResponseBuilder: (request) => new Rejection(isRefresh(request) ? 'unavailable' : 'rate-limited'),
  })
  // As a hook of all routes the plugin would leave out the paths that do not exist.
  const limit = app.rateLimit()
  const refusals = new Turns(REFUSALS)
  app.addHook('onRequest', async function (request, reply) {
    try {
      await limit.call(this, request, reply)
    } catch (refusal) {
      await new Promise<void>((resolve) => refusals.begin(addressKey(request.ip), reply.raw, resolve))
      throw refusal
    }
  })
  const turns = new Turns({
    underWayMax: pace.underWayMax * rateLimitFactor,
    burst: pace.burst * rateLimitFactor,
    perSecond: pace.perSecond * rateLimitFactor,
    waitingMax: pace.waitingMax * rateLimitFactor,
  })
  const probes = new Turns(PROBES)
  app.addHook('onClose', async () => {
    for (const each of [refusals, turns, probes]) each.stop()
  })
  app.addHook('onRequest', (request, reply, next) => {
    const ofItsKind = isProbe(request) ? probes : turns
    ofItsKind.begin(addressKey(request.ip), reply.raw, next)
  })
}

/** What it adds to every answer. Written by the answer itself, which costs a tenth of what Node does for each header that is set before. */
function headersOf(guard: ReturnType<typeof helmet>): OutgoingHttpHeaders {
  const request = new http.IncomingMessage(new Socket())
  const response = new http.ServerResponse(request)
  guard(request, response, () => {})
  return response.getHeaders()
}

const isProbe = ({ url }: { readonly url: string }) => /^\/(livez|readyz)$/.test(url)

/** The official client takes 429 for the end of the session: whoever comes back would be signed out for what others at their address ask. */
const isRefresh = ({ method, url }: Pick<AppRequest, 'method' | 'url'>) =>
  method === 'POST' && url.startsWith(`${PROVIDER_PREFIX}/token?`) && /[?&]grant_type=refresh_token(&|$)/.test(url)
