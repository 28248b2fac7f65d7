import { type Agent, type IncomingHttpHeaders, request as open } from 'node:http'
import { ErrorBody, statusOf } from '@wangian/contracts/errors.ts'
import { refusalsOf } from '@wangian/kit/http/openapi.ts'
import { z } from 'zod'
import type { FuzzRequest } from './requests.ts'
import type { FuzzSite } from './site.ts'

export interface FuzzAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

const TIMEOUT_MS = 20_000
/** What any path may be answered with, the ones of no route. */
const anywhere = new Set(['bad-request', 'not-found', 'method-not-allowed', 'too-large', 'unsupported-type'])
/** Refusals of the auth provider: those of the protocol, and those of OAuth. */
const ProviderRefusals = z.union([
  z.object({ code: z.int(), error_code: z.string(), msg: z.string() }),
  z.object({ error: z.string(), error_description: z.string() }),
])

/** Sends one request over a kept connection, and takes its answer even when it comes before everything was written. */
export function send(site: FuzzSite, agent: Agent, request: FuzzRequest): Promise<FuzzAnswer> {
  const { hostname, port } = new URL(site.url)
  const token = request.caller === 'bystander' ? site.providerToken : site.tokens[request.caller]
  const { promise, resolve, reject } = Promise.withResolvers<FuzzAnswer>()
  const outgoing = open({
    agent,
    host: hostname,
    port,
    method: request.method,
    path: request.path,
    timeout: TIMEOUT_MS,
    headers: {
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(request.body !== null && { 'content-length': request.body.length }),
      ...request.headers,
    },
  })
  outgoing.on('timeout', () => outgoing.destroy(new Error('no answer in time')))
  outgoing.on('error', reject)
  outgoing.on('response', async (answer) => {
    try {
      const chunks: Buffer[] = []
      for await (const chunk of answer) chunks.push(chunk as Buffer)
      resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) })
    } catch (error) {
      reject(error)
    }
  })
  outgoing.end(request.body ?? undefined)
  return promise
}

/** @returns what is wrong with an answer, `null` for nothing */
export function judge(request: FuzzRequest, answer: FuzzAnswer): string | null {
  if (answer.status >= 500) return `${answer.status}: ${answer.body.toString().slice(0, 300)}`
  const { body } = answer
  if (request.method === 'HEAD') return body.length === 0 ? null : 'HEAD was answered with a body'
  const isJson = /^application\/json\b/.test(answer.headers['content-type'] ?? '')
  if (answer.headers['content-encoding'] !== undefined && !isCompressionAsked(request))
    return 'encoded without being asked'
  if (answer.status < 400) return request.route === null ? null : judgeSuccess(request.route, answer, isJson)
  // A page says itself that what it is about is not there.
  if (answer.status === 404 && request.route === null && /^text\/html\b/.test(answer.headers['content-type'] ?? ''))
    return null
  if (!isJson) return `a refusal that is no JSON: ${answer.status} ${answer.headers['content-type']}`
  if (isCompressionAsked(request)) return null
  return judgeRefusal(request, answer)
}

const isCompressionAsked = ({ headers }: FuzzRequest) => headers['accept-encoding'] !== undefined

function judgeSuccess(route: NonNullable<FuzzRequest['route']>, answer: FuzzAnswer, isJson: boolean): string | null {
  const schema = route.answers[answer.status]
  if (schema === undefined) return `an answer that the route does not have: ${answer.status}`
  if (!isJson) return null
  const parsed = schema.safeParse(JSON.parse(answer.body.toString()))
  return parsed.success ? null : `an answer that is not as declared: ${parsed.error.message.slice(0, 500)}`
}

function judgeRefusal({ path, route }: FuzzRequest, { status, body }: FuzzAnswer): string | null {
  const text = body.toString()
  const parsed: unknown = JSON.parse(text)
  if (/^\/auth\/v1(\/|\?|$)/.test(path)) {
    return ProviderRefusals.safeParse(parsed).success ? null : `not the protocol's refusal: ${status} ${text}`
  }
  const refusal = ErrorBody.safeParse(parsed)
  if (!refusal.success) return `not the shape of a refusal: ${status} ${text}`
  const { code, message } = refusal.data
  if (statusOf(code) !== status) return `${code} with the status ${status}`
  if (rawMessage.test(message)) return `words of zod for a person: ${message}`
  const isDeclared = route === null ? true : refusalsOf(route).has(code) || anywhere.has(code)
  return isDeclared ? null : `a refusal that the route does not declare: ${code}`
}

const rawMessage = /^(Too (small|big)|Invalid (input|string|option|type|ISO|UUID)|Expected|Unrecognized)/
