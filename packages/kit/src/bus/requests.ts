import type { Msg } from '@nats-io/transport-node'
import { type ErrorCode, errorCodes } from '@wangian/contracts/errors.ts'
import { type LoggingService, requestSubject } from '@wangian/contracts/subjects.ts'
import { z } from 'zod'
import { Failure, isUnavailability, Rejection } from '../errors.ts'
import { type Logger, silentLogger } from '../service/logger.ts'
import { traced } from '../service/tracing.ts'
import { isNoResponders, type NatsConnection, subscribe, traceHeaders, traceparentOf, withinMs } from './nats.ts'

/** A question or order over the bus as contracts declares it (`catalogueRequests.getListing`). */
export interface RequestContract<Body extends z.ZodType = z.ZodType, Answer extends z.ZodType = z.ZodType> {
  readonly name: string
  readonly body: Body
  readonly answer: Answer
}

const REQUEST_TIMEOUT_MS = 2000
const DRAIN_TIMEOUT_MS = 1000

/** What travels back: an answer, or why there is none. */
const Reply = z.union([
  z.object({ answer: z.unknown() }),
  z.object({ error: z.object({ code: z.enum(errorCodes), message: z.string(), details: z.unknown().optional() }) }),
])

/**
 * Answers the requests of one kind. Instances that share a `queue` (by default the service's name) share the requests.
 * A `Rejection` of the handler reaches the asker as it is, everything else as a `Failure`.
 * @returns how to stop; requests that are being answered still get their answer
 */
export function serveRequests<Body extends z.ZodType, Answer extends z.ZodType>(
  nc: NatsConnection,
  service: LoggingService,
  contract: RequestContract<Body, Answer>,
  handler: (body: z.infer<Body>) => Promise<z.input<Answer>> | z.input<Answer>,
  options: { readonly queue?: string; readonly log?: Logger } = {},
): { stop(): Promise<void> } {
  const log = (options.log ?? silentLogger).child({ request: contract.name })
  const running = new Set<Promise<void>>()
  const handle = (message: Msg) => {
    const span = { name: `answer ${service}/${contract.name}`, kind: 'server', parent: traceparentOf(message) } as const
    const work = traced(span, () => answerOf(contract, handler, message.data, log))
      .then((reply) => {
        message.respond(JSON.stringify(reply))
      })
      .catch((cause: unknown) => log.error({ err: cause }, 'could not send an answer'))
      .finally(() => running.delete(work))
    running.add(work)
  }
  const subscription = subscribe(nc, requestSubject(service, contract.name), handle, {
    queue: options.queue ?? service,
    log,
  })
  return {
    async stop() {
      if (!nc.isClosed()) await withinMs(DRAIN_TIMEOUT_MS, subscription.drain())
      await Promise.all(running)
    },
  }
}

/** Answers requests of several kinds, and stops with all of them at once. */
export interface RequestServer {
  /** From now on, as {@link serveRequests} does. */
  answer<Body extends z.ZodType, Answer extends z.ZodType>(
    contract: RequestContract<Body, Answer>,
    handler: (body: z.infer<Body>) => Promise<z.input<Answer>> | z.input<Answer>,
  ): void
  /** Requests that are being answered still get their answer. */
  stop(): Promise<void>
}

/** A server of requests to `service`, which answers none yet. */
export function createRequestServer(
  nc: NatsConnection,
  service: LoggingService,
  log: Logger = silentLogger,
): RequestServer {
  const served: { stop(): Promise<void> }[] = []
  return {
    answer(contract, handler) {
      served.push(serveRequests(nc, service, contract, handler, { log }))
    },
    async stop() {
      await Promise.all(served.map((one) => one.stop()))
    },
  }
}

/**
 * Asks another service.
 * @throws Rejection when its handler rejected
 * @throws Failure when nobody answers, not in time, or not with what the contract says. An order that timed out may
 *   have been carried out; one that found nobody was not (`isNoResponders(error.cause)`).
 */
export function request<Body extends z.ZodType, Answer extends z.ZodType>(
  nc: NatsConnection,
  service: LoggingService,
  contract: RequestContract<Body, Answer>,
  body: z.input<Body>,
  options: { readonly timeoutMs?: number } = {},
): Promise<z.infer<Answer>> {
  const span = { name: `ask ${service}/${contract.name}`, kind: 'client' } as const
  return traced(span, () => ask(nc, service, contract, body, options))
}

async function ask<Body extends z.ZodType, Answer extends z.ZodType>(
  ...[nc, service, contract, body, options = {}]: Parameters<typeof request<Body, Answer>>
): Promise<z.infer<Answer>> {
  const what = `${service}/${contract.name}`
  // Only checked here: the other side parses, and a schema may change what it parses.
  contract.body.parse(body)
  const payload = JSON.stringify(body)
  let text: string
  try {
    const message = await nc.request(requestSubject(service, contract.name), payload, {
      timeout: options.timeoutMs ?? REQUEST_TIMEOUT_MS,
      ...traceHeaders(),
    })
    text = message.string()
  } catch (cause) {
    throw new Failure(isNoResponders(cause) ? `nobody answers ${what}` : `no answer from ${what}`, { cause })
  }
  return readReply(what, contract.answer, text)
}

function readReply<Answer extends z.ZodType>(what: string, schema: Answer, text: string): z.infer<Answer> {
  let reply: z.infer<typeof Reply>
  try {
    reply = Reply.parse(JSON.parse(text))
  } catch (cause) {
    throw new Failure(`${what} answered with something that is no reply`, { cause })
  }
  if ('error' in reply) {
    const { code, message, details } = reply.error
    if (worldlyCodes.has(code)) throw new Failure(`${what} could not answer: ${message}`)
    throw new Rejection(code, message, details)
  }
  const answer = schema.safeParse(reply.answer)
  if (!answer.success) throw new Failure(`${what} answered against its contract`, { cause: answer.error })
  return answer.data
}

/** Codes that say nothing about the request itself, so that asking again may help. */
const worldlyCodes: ReadonlySet<ErrorCode> = new Set(['internal', 'unavailable'])

async function answerOf(
  contract: RequestContract,
  handler: (body: never) => unknown,
  data: Uint8Array,
  log: Logger,
): Promise<z.input<typeof Reply>> {
  try {
    const body = contract.body.safeParse(parseJson(data))
    if (!body.success) {
      log.warn({ err: body.error }, 'a request is not as its contract says')
      return { error: { code: 'bad-request', message: 'the request is not as its contract says' } }
    }
    const answer = await handler(body.data as never)
    contract.answer.parse(answer)
    return { answer }
  } catch (error) {
    if (error instanceof Rejection) {
      log.info({ code: error.code }, 'rejected a request')
      return { error: { code: error.code, message: error.message, details: error.details } }
    }
    const code = isUnavailability(error) ? 'unavailable' : 'internal'
    log.error({ err: error }, 'could not answer a request')
    return { error: { code, message: code } }
  }
}

function parseJson(data: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(data))
  } catch {
    return undefined
  }
}
