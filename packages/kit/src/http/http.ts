import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { errorCatalogue } from '@wangian/contracts/errors.ts'
import type { Access, Parsed, Route } from '@wangian/contracts/route.ts'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify, LogController } from 'fastify'
import type { z } from 'zod'
import { Rejection } from '../errors.ts'
import { invariant } from '../invariant.ts'
import { createLogger, type Logger, silentLogger } from '../service/logger.ts'
import { type Authenticator, bearerToken, type Caller } from './auth.ts'
import { guardConnections } from './connection-guard.ts'
import { connectionsOf, endUnused, untilUnused } from './drain.ts'
import { answerWhileBodiesCome } from './early-answers.ts'
import { answerError, bareErrorBody, parsePart, sendRejection } from './http-errors.ts'
import { allowedMethods } from './http-methods.ts'
import { addOperations } from './http-operations.ts'
import { hasUnstorableText } from './http-text.ts'
import { traceRequests } from './http-tracing.ts'
import { http } from './node-http.ts'

/** Services name Fastify's types through these, so that only the kit depends on it. */
export type App = FastifyInstance
export type AppRequest = FastifyRequest
export type AppReply = FastifyReply

export const BODY_MAX_BYTES = 256 * 1024

const JSON_TYPE = 'application/json; charset=utf-8'

/** How long a whole request may take to arrive; a picture over a slow line needs most of it. */
const REQUEST_TIMEOUT_MS = 120_000

const refuseSchema = () => {
  throw new Error('a route has the schemas of its contract, and none of Fastify')
}
/** What Fastify would compile its own schemas with is a hundred modules, which are loaded unless it is told not to. */
const noSchemas = { buildValidator: () => refuseSchema, buildSerializer: () => refuseSchema }

export interface AppOptions {
  /** The service's name, for logs and metrics. */
  readonly name: string
  readonly logger?: Logger
  /** Without `logger`, makes one of this level; without both nothing is logged. */
  readonly logLevel?: string
  /** Needed as soon as a route is not `public`. */
  readonly auth?: Authenticator
  /** What `/readyz` reports, part by part; ready when all are true but the optional ones. */
  readonly readiness?: () => Promise<Record<string, boolean>>
  /** Of these parts it is only said whether they are there: what it does without them is better than nothing. */
  readonly optionalParts?: readonly string[]
  /** Whose `x-forwarded-*` headers are believed (addresses, networks, `loopback`); those of processes on this machine by default. */
  readonly trustedProxies?: readonly string[]
  /** False where the port is public: `/metrics` is then served by `serveMetrics` on another port. */
  readonly hasMetricsRoute?: boolean
  /** How many times more than in production the limits of `rate-limit.ts` allow; 1 by default. */
  readonly rateLimitFactor?: number
  /** Whether requests come from outside: each begins a trace of its own. */
  readonly beginsTraces?: boolean
  /** Event-loop delay above which requests are turned away with 503. */
  readonly loopDelayMaxMs?: number
  /** For how long it goes on answering when it is closed, so that all who ask it notice; not at all by default. */
  readonly drainMs?: number
  /** Which paths are read though no route names them, such as those of pages; none by default. */
  readonly isPage?: (path: string) => boolean
}

declare module 'fastify' {
  interface FastifyInstance {
    authenticator: Authenticator | null
    rateLimitFactor: number
    /** The contract routes that are served, in order of registration. */
    servedRoutes: Route[]
  }
  interface FastifyRequest {
    /** Who is asking; `null` for guests and on public routes. */
    caller: Caller | null
  }
}

/**
 * A Fastify instance with everything that is the same in every service: request ids, errors, limits, health, metrics.
 * Routes are added by {@link handle}. Nothing listens yet.
 */
export function createApp(options: AppOptions): App {
  const logger =
    options.logger ??
    (options.logLevel === undefined ? silentLogger : createLogger({ name: options.name, level: options.logLevel }))
  const trusted = options.trustedProxies ?? ['loopback']
  const app = fastify({
    loggerInstance: logger,
    logController: new RequestLog({ requestIdLogLabel: 'requestId' }),
    bodyLimit: BODY_MAX_BYTES,
    trustProxy: trusted.length === 0 ? false : [...trusted],
    genReqId: requestId,
    requestIdHeader: false,
    forceCloseConnections: 'idle',
    // Requests that still arrive on open connections while we stop are served, see below.
    return503OnClosing: false,
    requestTimeout: REQUEST_TIMEOUT_MS,
    schemaController: { compilersFactory: noSchemas },
    // As long as an address can be: what a part of it may be is for the route to say, of a picture's name as of an id.
    routerOptions: { maxParamLength: http.maxHeaderSize },
    // Hooks do not run for a path that cannot even be decoded.
    frameworkErrors: (error, request, reply) => void answerError(error, request, setCommonHeaders(request, reply)),
    clientErrorHandler: answerClientError,
  }) as unknown as App

  app.decorate('authenticator', options.auth ?? null)
  app.decorate('rateLimitFactor', options.rateLimitFactor ?? 1)
  app.decorate('servedRoutes', [])
  app.decorateRequest('caller', null)

  // Nobody who expects something odd is refused for it, which Node would do without a word.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))

  guardConnections(app.server)
  const connections = connectionsOf(app.server)
  let isStopping = false
  app.addHook('preClose', async () => {
    isStopping = true
    await untilUnused(connections, options.drainMs ?? 0)
    endUnused(app.server, connections)
  })
  // Hooks of every request call back: a promise for each of them would be a tenth of what a cheap one costs.
  app.addHook('onRequest', (request, reply, done) => {
    setCommonHeaders(request, reply)
    done()
  })
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (isStopping) reply.header('connection', 'close')
    done(null, payload)
  })

  traceRequests(app, { beginsTraces: options.beginsTraces ?? false })
  answerWhileBodiesCome(app, () => isStopping)
  const allowed = allowedMethods(app, options.isPage)
  acceptJsonOnly(app)
  addOperations(app, options, () => isStopping)
  app.addHook('preValidation', async (request) => {
    if (hasUnstorableText([request.params, request.query, request.body])) throw new Rejection('bad-request')
  })
  app.setErrorHandler((error, request, reply) => answerError(error, request, reply))
  app.setNotFoundHandler((request, reply) => {
    const methods = allowed(request.url)
    if (methods.length === 0) return sendRejection(new Rejection('not-found'), request, reply)
    return sendRejection(new Rejection('method-not-allowed'), request, reply.header('allow', methods.join(', ')))
  })
  return app
}

/** Who a handler gets as `user`: there is always somebody where the route demands it. */
export type UserFor<Allowed extends Access> = Allowed extends 'public'
  ? null
  : Allowed extends 'optional'
    ? Caller | null
    : Caller

export interface HandlerInput<R extends Route> {
  readonly params: Parsed<R['params']>
  readonly query: Parsed<R['query']>
  readonly body: Parsed<R['body']>
  readonly user: UserFor<R['access']>
  readonly request: AppRequest
  readonly reply: AppReply
}

type AnswerBody<R extends Route, Status extends keyof R['answers']> = R['answers'][Status] extends z.ZodType
  ? Unchanging<z.input<R['answers'][Status]>>
  : never

/** The body of an answer that many get: parsed by its schema and written as JSON once. */
export class PreparedBody<R extends Route> {
  /** Private, so that whoever measures a body by its JSON measures no contract. */
  readonly #route: R
  readonly json: string

  constructor(route: R, json: string) {
    this.#route = route
    this.json = json
  }

  isOf(route: Route): boolean {
    return this.#route === route
  }
}

/** Prepares a body of this route's answer with status 200. */
export function prepareBody<R extends Route>(route: R, body: AnswerBody<R, 200>): PreparedBody<R> {
  return new PreparedBody(route, JSON.stringify(parseAnswer(route, 200, body)))
}

function parseAnswer(route: Route, status: number, body: unknown): unknown {
  const schema = route.answers[status]
  invariant(schema, `${route.method} ${route.path} has no answer ${status} in its contract`)
  return schema.parse(body)
}

/** One of the answers that a route declares. */
export type HandlerAnswer<R extends Route> = {
  [Status in keyof R['answers']]: {
    readonly status: Status
    readonly body: AnswerBody<R, Status> | (Status extends 200 ? PreparedBody<R> : never)
    readonly headers?: Readonly<Record<string, string>>
  }
}[keyof R['answers']]

/** Read-only all the way down: `handle` takes answers as constants, so that `status: 200` is a 200 and no number. */
type Unchanging<Value> = Value extends readonly (infer Item)[]
  ? readonly Unchanging<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: Unchanging<Value[Key]> }
    : Value

/**
 * Serves a contract route. The caller's right to it is checked first, before the body is read; then the parts of the
 * request are parsed; the answer goes through its schema, which drops what the contract does not name.
 *
 * On an `optional` route a token that is not good is refused with 401 all the same: answering as to a guest would hide
 * from the client that its token must be renewed.
 */
export function handle<R extends Route, const Answer extends HandlerAnswer<R>>(
  app: App,
  route: R,
  handler: (input: HandlerInput<R>) => Promise<Answer> | Answer,
): void {
  app.servedRoutes.push(route)
  app.route({
    method: route.method,
    url: route.path,
    onRequest: allowOnly(app, route.access),
    handler: async (request, reply) => {
      const answer = (await handler({
        params: route.params && parsePart(route.params, request.params),
        query: route.query && parsePart(route.query, request.query),
        body: route.body && parsePart(route.body, request.body),
        user: request.caller,
        request,
        reply,
      } as HandlerInput<R>)) as { status: number; body: unknown; headers?: Record<string, string> }
      reply.code(answer.status).headers(answer.headers ?? {})
      if (!(answer.body instanceof PreparedBody)) return reply.send(parseAnswer(route, answer.status, answer.body))
      invariant(answer.body.isOf(route), 'a body is sent by the route that it was prepared for')
      return reply.type(JSON_TYPE).send(answer.body.json)
    },
  })
}

/**
 * A hook that lets only these callers through and sets `request.caller`, for routes that `handle` cannot serve
 * (uploads, files): `app.get(url, { onRequest: allowOnly(app, 'signed-in') }, …)`.
 */
export function allowOnly(app: App, access: Access): (request: AppRequest) => Promise<void> {
  if (access === 'public') return async () => {}
  const { authenticator } = app
  invariant(authenticator, 'an app with routes that are not public needs an authenticator')
  return async (request) => {
    const caller = await findCaller(authenticator, request)
    if (caller === null && access !== 'optional') throw new Rejection('authentication-required')
    if (access === 'seller' && !caller?.isSeller) throw new Rejection('seller-account-required')
    if (access === 'admin' && !caller?.isAdmin) {
      throw new Rejection(caller?.needsSecondFactor ? 'second-factor-required' : 'admin-access-required')
    }
    request.caller = caller
  }
}

/**
 * Who sent a request, `null` for a guest, for handlers that must treat a bad token in their own way.
 * @throws Rejection('invalid-token')
 */
export async function findCaller(authenticator: Authenticator, request: AppRequest): Promise<Caller | null> {
  try {
    const token = bearerToken(request.headers.authorization)
    return token === null ? null : await authenticator.verify(token)
  } catch (error) {
    if (!(error instanceof Rejection) || error.code !== 'invalid-token') throw error
    // A person is told what to do; what is wrong with the token is for the client.
    throw new Rejection(error.code, errorCatalogue['authentication-required'].message)
  }
}

/**
 * Compares an id that a client sent for compatibility with the token; the token's is the one to use.
 * @throws Rejection('forbidden') when they differ
 */
export function requireSelf(user: Caller, claimedId: number | undefined): void {
  if (claimedId !== undefined && claimedId !== user.id) throw new Rejection('forbidden')
}

/**
 * One line per request would double the cost of a cheap one, and failures are logged by the error handler: requests are
 * for the level `debug`. Only the route's pattern is written, as addresses may hold tokens.
 */
class RequestLog extends LogController {
  override incomingRequest(): void {}
  override routeNotFound(): void {}
  override requestCompleted(error: Error | null | undefined, request: AppRequest, reply: AppReply): void {
    const route = `${request.method} ${request.routeOptions.url ?? '(unknown)'}`
    const facts = { route, status: reply.statusCode, durationMs: Math.round(reply.elapsedTime) }
    if (error) request.log.warn({ ...facts, err: error }, 'an answer was not delivered')
    else request.log.debug(facts, 'answered a request')
  }
}

function setCommonHeaders(request: AppRequest, reply: AppReply): AppReply {
  return reply.headers({
    'x-request-id': request.id,
    'x-content-type-options': 'nosniff',
    // Answers depend on the caller and change all the time; a handler that knows better says so.
    'cache-control': 'no-store',
  })
}

/** Keeps the id that the gateway gave, so that one id follows a request through all services. */
function requestId(request: IncomingMessage): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && /^[\w.-]{8,64}$/.test(given) ? given : randomUUID()
}

/** JSON is the only type that routes take by default; an empty body counts as none. */
function acceptJsonOnly(app: App): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined)
    else void parse(request, body as string, done)
  })
}

/** Answers what is not even HTTP, has too large headers or takes too long to arrive; Node then closes the connection. */
function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const status = clientErrorStatus[error.code ?? ''] ?? '400 Bad Request'
  const body = bareErrorBody('bad-request', randomUUID())
  const head = [
    `HTTP/1.1 ${status}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ]
  // Node looks no more after a connection that was too slow: while its client keeps its side open, it and its request would be there for ever.
  if (error.code === REQUEST_TIMEOUT) socket.once('finish', () => socket.destroy())
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

const REQUEST_TIMEOUT = 'ERR_HTTP_REQUEST_TIMEOUT'

const clientErrorStatus: Readonly<Record<string, string | undefined>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  [REQUEST_TIMEOUT]: '408 Request Timeout',
}
