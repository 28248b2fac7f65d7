import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import { Failure } from '@wangian/kit/errors.ts'
import type { AppReply, AppRequest } from '@wangian/kit/http/http.ts'
import { Agent } from 'undici'
import { isClaim, knownOf } from './claims.ts'
import type { CompressedAnswers } from './compressed.ts'
import { type Copies, isOutOfReach } from './upstreams.ts'

/** Answers up to this length are taken whole: a stream for each costs more than all the rest of a request. */
const HELD_BYTES_MAX = 256 * 1024

/** How long a connection inside may take to be made: to a copy that is gone nobody says no. */
const CONNECT_TIMEOUT_MS = 2000

/** What is between two ends of a connection and is not passed on (RFC 9110, 7.6.1), and what a request without a body has no use for. */
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
const OF_BODIES_OR_HOSTS: ReadonlySet<string> = new Set(['content-length', 'expect', 'host'])

/** The way of what only reads: one copy of the service is asked, and another one when that is out of reach or breaks off. */
export interface Reader {
  /** @throws Failure when no copy answers */
  read(request: AppRequest, reply: AppReply): Promise<AppReply>
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
export function createReader(
  copies: Copies,
  { timeoutMs, answers }: { readonly timeoutMs: number; readonly answers: CompressedAnswers },
): Reader {
  // It forgets a copy with its last connection, for copies come and go.
  const agent = new Agent({
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    connect: { timeout: Math.min(timeoutMs, CONNECT_TIMEOUT_MS) },
  })

  async function ask(request: AppRequest, reply: AppReply): Promise<Answer> {
    const headers = requestHeaders(request)
    for (let count = 1; ; count++) {
      const url = copies.take(performance.now())
      try {
        return await askOne(agent, { url, request, reply, headers })
      } catch (error) {
        if (isOutOfReach(error)) copies.avoid(url, performance.now())
        // A copy restarts, the others work: whoever only reads need not notice.
        const mayBeRepeated = isOutOfReach(error) || hasBrokenOff(error)
        if (!mayBeRepeated || count >= copies.count) throw new Failure('a service does not answer', { cause: error })
      }
    }
  }

  return {
    async read(request, reply) {
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
  const method = request.method === 'HEAD' ? 'HEAD' : 'GET'
  return new Promise((resolve, reject) => {
    let abort = () => {}
    const onGone = () => abort()
    reply.raw.once('close', onGone)
    const chunks: Buffer[] = []
    let held: { readonly status: number; readonly headers: IncomingHttpHeaders } | undefined
    let stream: Readable | undefined
    agent.dispatch(
      { origin: url, path: request.url, method, headers },
      {
        onRequestStart(controller) {
          abort = () => controller.abort(new Failure('nobody waits for the answer any more'))
        },
        onResponseStart(controller, status, answered) {
          if (status < 200) return
          if (method === 'HEAD' || Number(answered['content-length']) <= HELD_BYTES_MAX) {
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

function requestHeaders(request: AppRequest): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {}
  const named = namedIn(request.headers.connection)
  for (const [name, value] of Object.entries(request.headers)) {
    const isLeftOut = BETWEEN_ENDS.has(name) || OF_BODIES_OR_HOSTS.has(name) || named.has(name) || isClaim(name)
    if (!isLeftOut && value !== undefined) headers[name] = value
  }
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
