import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import { Failure, Rejection } from '@wangian/kit/errors.ts'
import { KEPT_UNUSED_MS } from '@wangian/kit/http/drain.ts'
import type { AppReply, AppRequest } from '@wangian/kit/http/http.ts'
import type { Dispatcher } from 'undici'
// The whole of undici is four times as many modules, a browser's fetch and sockets among them.
import Agent from 'undici/lib/dispatcher/agent.js'
import { isClaim, knownOf } from './claims.ts'
import type { CompressedAnswers } from './compressed.ts'
import { type Copies, isOutOfReach } from './upstreams.ts'

/** Answers up to this length are taken whole: a stream for each costs more than all the rest of a request. */
const HELD_BYTES_MAX = 256 * 1024

/** How long a connection inside may take to be made: to a copy that is gone nobody says no. */
const CONNECT_TIMEOUT_MS = 2000

const UNAVAILABLE = 503

/** What is between two ends of a connection and is not passed on (RFC 9110, 7.6.1), and what a request has of its own on each of its ways. */
const BETWEEN_ENDS: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])
const OF_EACH_WAY: ReadonlySet<string> = new Set(['content-length', 'expect', 'host'])

/** The way to one service, whichever of its copies is there. */
export interface Forwarder {
  /**
   * Passes a request on, and the answer back. `request.body` is what has been read of the body as a whole, or a stream of it. A question is asked
   * again at another copy when one breaks off, and once when one cannot answer now; a command only when nobody was reached.
   * @throws Failure when no copy answers
   */
  forward(request: AppRequest, reply: AppReply): Promise<AppReply>
  /** Ends all connections. */
  close(): Promise<void>
}

interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** None of HEAD, for example. */
  readonly body: Buffer | Readable | undefined
}

/**
 * @param options.timeoutMs how long a service may say nothing
 * @param options.answers what is compressed already, of all services
 */
export function createForwarder(
  copies: Copies,
  { timeoutMs, answers }: { readonly timeoutMs: number; readonly answers: CompressedAnswers },
): Forwarder {
  // It forgets a copy with its last connection, for copies come and go.
  const agent = new Agent({
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    connect: { timeout: Math.min(timeoutMs, CONNECT_TIMEOUT_MS) },
    keepAliveTimeout: KEPT_UNUSED_MS,
    keepAliveMaxTimeout: KEPT_UNUSED_MS,
  })

  async function ask(request: AppRequest, reply: AppReply): Promise<Answer> {
    const headers = requestHeaders(request)
    const isQuestion = request.method === 'GET' || request.method === 'HEAD'
    let url: string | undefined
    let wasUnable = false
    for (let count = 1; ; count++) {
      // Whoever broke off or was unable is not asked again while there are others, also when it is its turn because of other requests.
      url = copies.take(performance.now(), url)
      try {
        const answer = await askOne(agent, { url, request, reply, headers })
        if (isStopping(request, answer)) copies.avoid(url, performance.now())
        // It starts, or has too much to do, or waits for one that was killed; another copy may know. Once: where all are unable, that is no help.
        const mayAskAgain = isQuestion && !wasUnable && copies.hasOther(url, performance.now())
        if (answer.status !== UNAVAILABLE || !mayAskAgain) return answer
        wasUnable = true
      } catch (error) {
        // Of the body, which is too long.
        if (error instanceof Rejection) throw error
        if (isOutOfReach(error)) copies.avoid(url, performance.now())
        // A copy restarts, the others work: whoever only reads need not notice. A command that may have been heard is not given twice; one that was
        // not still has its body, which is read only when a connection is there.
        const mayBeRepeated = isOutOfReach(error) || (isQuestion && hasBrokenOff(error))
        if (!mayBeRepeated || count >= copies.count) throw new Failure('a service does not answer', { cause: error })
      }
    }
  }

  return {
    async forward(request, reply) {
      const { status, headers, body } = await ask(request, reply)
      const compressed = Buffer.isBuffer(body) ? await answers.find(body, request.headers, { status, headers }) : null
      reply.code(status)
      const named = namedIn(headers.connection)
      for (const [name, value] of Object.entries(headers)) {
        // The length of what is held is known, and may become another one by compression.
        const isPassedOn = !BETWEEN_ENDS.has(name) && !named.has(name)
        if (isPassedOn && !(name === 'content-length' && Buffer.isBuffer(body))) reply.header(name, value)
      }
      if (compressed !== null) {
        const vary = headers.vary === undefined ? 'accept-encoding' : `${headers.vary}, accept-encoding`
        reply.headers({ 'content-encoding': 'br', vary })
      }
      return reply.send(compressed ?? body)
    },
    async close() {
      await agent.destroy()
    },
  }
}

interface Asking {
  readonly url: string
  readonly request: AppRequest
  readonly reply: AppReply
  readonly headers: Record<string, string | string[]>
}

function askOne(agent: Agent, { url, request, reply, headers }: Asking): Promise<Answer> {
  const method = request.method as Dispatcher.HttpMethod
  return new Promise((resolve, reject) => {
    let abort = () => {}
    const onGone = () => abort()
    reply.raw.once('close', onGone)
    const chunks: Buffer[] = []
    let held: { readonly status: number; readonly headers: IncomingHttpHeaders } | undefined
    let stream: Readable | undefined
    agent.dispatch(
      { origin: url, path: request.url, method, headers, body: bodyOf(request) },
      {
        onRequestStart(controller) {
          abort = () => controller.abort(new Failure('nobody waits for the answer any more'))
          if (reply.raw.destroyed) abort()
        },
        onResponseStart(controller, status, answered) {
          if (status < 200) return
          const hasNoBody = method === 'HEAD' || status === 204 || status === 304
          if (hasNoBody || Number(answered['content-length']) <= HELD_BYTES_MAX) {
            held = { status, headers: answered }
            return
          }
          stream = new Readable({
            read: () => controller.resume(),
            destroy(error, done) {
              abort()
              done(error)
            },
          })
          resolve({ status, headers: answered, body: stream })
        },
        onResponseData(controller, chunk) {
          if (stream === undefined) chunks.push(chunk)
          else if (!stream.push(chunk)) controller.pause()
        },
        onResponseEnd() {
          abort = () => {}
          reply.raw.off('close', onGone)
          stream?.push(null)
          const [only] = chunks
          const body = chunks.length > 1 ? Buffer.concat(chunks) : only
          if (held !== undefined) resolve({ ...held, body })
        },
        onResponseError(_controller, error) {
          abort = () => {}
          reply.raw.off('close', onGone)
          if (stream === undefined) reject(error)
          else stream.destroy(error)
        },
      },
    )
  })
}

/** Says that it ends its connection: of HEAD none is kept anyway, and a refusal may have reasons of its own. */
function isStopping({ method }: AppRequest, { status, headers }: Answer): boolean {
  return headers.connection === 'close' && method !== 'HEAD' && status < 400
}

function bodyOf({ body }: AppRequest): Buffer | Readable | null {
  return Buffer.isBuffer(body) || body instanceof Readable ? body : null
}

function requestHeaders(request: AppRequest): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {}
  const named = namedIn(request.headers.connection)
  for (const [name, value] of Object.entries(request.headers)) {
    const isLeftOut = BETWEEN_ENDS.has(name) || OF_EACH_WAY.has(name) || named.has(name) || isClaim(name)
    if (!isLeftOut && value !== undefined) headers[name] = value
  }
  // Of what streams; the length of what is held is that of what is sent.
  const length = request.body instanceof Readable ? request.headers['content-length'] : undefined
  if (length !== undefined) headers['content-length'] = length
  return Object.assign(headers, knownOf(request))
}

const nothing: ReadonlySet<string> = new Set()

/** The headers that are between two ends because they say so. */
function namedIn(connection: string | string[] | undefined): ReadonlySet<string> {
  if (connection === undefined || connection === 'keep-alive') return nothing
  return new Set(
    String(connection)
      .split(',')
      .map((name) => name.trim().toLowerCase()),
  )
}

function hasBrokenOff(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ECONNRESET' || error.code === 'UND_ERR_SOCKET')
}
