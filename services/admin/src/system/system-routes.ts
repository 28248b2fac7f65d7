import { randomUUID } from 'node:crypto'
import { ADMIN_ROWS_MAX, adminRoutes, type SystemService } from '@wangian/contracts/admin.ts'
import {
  eventsBehind,
  type LetterKey,
  type ParkedEvent,
  serviceStatusRequests,
} from '@wangian/contracts/service-status.ts'
import { type LoggingService, loggingServices } from '@wangian/contracts/subjects.ts'
import { isNoResponders, type NatsConnection } from '@wangian/kit/bus/nats.ts'
import { request as ask, type RequestContract } from '@wangian/kit/bus/requests.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { Failure, isUnavailability, Rejection } from '@wangian/kit/errors.ts'
import { type App, handle } from '@wangian/kit/http/http.ts'
import { requireAdministrator } from '@wangian/kit/people/administrators.ts'
import type { z } from 'zod'
import { recordAction } from '../record/run-record.ts'

/** A service that says nothing for so long is down. */
const ANSWER_WITHIN_MS = 1_500

export interface SystemDependencies {
  readonly pool: DatabasePool
  readonly nats: NatsConnection
  /** Called after something was appended to the log. */
  readonly onAppended: () => void
  readonly nowMs?: () => number
}

/** How the services are, and the events that they could not take. */
export function addSystemRoutes(app: App, dependencies: SystemDependencies): void {
  const { nats, nowMs = Date.now } = dependencies
  handle(app, adminRoutes.getSystem, async () => {
    const services = await askAll(nats, serviceStatusRequests.getStatus, {})
    const headsOf = new Map(services.map(({ name, answer }) => [name, answer?.relay?.heads ?? null]))
    return {
      status: 200,
      body: {
        at: new Date(nowMs()).toISOString(),
        services: services.map(({ name, answer: status }): SystemService => {
          const lags = (status?.consumers ?? []).map((consumer) => {
            const heads = headsOf.get(consumer.source) ?? null
            const { consumer: name, source } = consumer
            return { consumer: name, source, events: heads && eventsBehind(consumer, heads) }
          })
          return { name, status, lags }
        }),
      },
    }
  })

  handle(app, adminRoutes.listParked, async ({ query }) => {
    const limit = query.limit ?? ADMIN_ROWS_MAX
    const services = await askAll(nats, serviceStatusRequests.listParked, { limit, after: null })
    const parked = services.flatMap(({ name: service, answer }) =>
      (answer?.parked ?? []).map((event) => ({ ...event, service })),
    )
    const isTriedAgain = ({ dueAt }: ParkedEvent) => Number(dueAt !== null)
    const sorted = parked.toSorted(
      (one, other) => isTriedAgain(one) - isTriedAgain(other) || Date.parse(one.parkedAt) - Date.parse(other.parkedAt),
    )
    return { status: 200, body: sorted.slice(0, limit) }
  })

  handle(app, adminRoutes.retryParked, async ({ body, user, request }) => {
    const order = { ...orderOf('retry-event', body), actorId: user.id, requestId: request.id }
    await requireAdministrator(nats, user.id)
    const { hasChanged, parked } = await give(order, serviceStatusRequests.retryParked)
    if (hasChanged) await record(order, parked, 'tried again')
    return { status: 200, body: { success: true } }
  })

  handle(app, adminRoutes.discardParked, async ({ body, user, request }) => {
    const order = { ...orderOf('discard-event', body), actorId: user.id, requestId: request.id }
    await requireAdministrator(nats, user.id)
    const { parked } = await give(order, serviceStatusRequests.discardParked)
    await record(order, parked, 'discarded')
    return { status: 200, body: { success: true } }
  })

  /** An order without an answer is in the record, too: it may have been carried out, and given again it finds nothing to do. */
  async function give<Answer extends z.ZodType>(
    order: ParkedOrder,
    contract: RequestContract<typeof serviceStatusRequests.discardParked.body, Answer>,
  ): Promise<z.infer<Answer>> {
    try {
      return await ask(nats, order.service, contract, order.key)
    } catch (error) {
      if (error instanceof Failure && !isNoResponders(error.cause)) await record(order, null, 'no answer')
      throw error
    }
  }

  /** What is done about parked events is no event of anybody. @param parked `null` when the owner has not told */
  async function record(order: ParkedOrder, parked: ParkedEvent | null, state: string): Promise<void> {
    const { action, reason, service, key, actorId, requestId } = order
    const { consumer, eventId } = key
    const known = parked && { state: 'parked', type: parked.type, stream: parked.stream }
    const entry = {
      sourceId: randomUUID(),
      actorId,
      action,
      targetKind: 'event',
      targetId: eventId,
      reason,
      before: { service, consumer, ...known },
      after: { state },
      takenAt: new Date(nowMs()).toISOString(),
    } as const
    await recordAction(dependencies.pool, entry, { correlationId: requestId, causationId: null })
    dependencies.onAppended()
  }
}

/** What an administrator wants done about a parked event. */
interface ParkedOrder {
  readonly action: 'retry-event' | 'discard-event'
  readonly reason: string | null
  readonly service: LoggingService
  readonly key: LetterKey
  readonly actorId: number
  readonly requestId: string
}

function orderOf(
  action: ParkedOrder['action'],
  body: LetterKey & { readonly service: string; readonly reason?: string | null | undefined },
): Pick<ParkedOrder, 'action' | 'reason' | 'service' | 'key'> {
  const { consumer, eventId, reason = null } = body
  return { action, reason, service: serviceOf(body.service), key: { consumer, eventId } }
}

function serviceOf(name: string): LoggingService {
  const service = loggingServices.find((each) => each === name)
  if (service === undefined) throw new Rejection('not-found')
  return service
}

/** Asks every service at once; `null` is the answer of one that is down. */
async function askAll<Body extends z.ZodType, Answer extends z.ZodType>(
  nats: NatsConnection,
  contract: RequestContract<Body, Answer>,
  body: z.input<Body>,
): Promise<readonly { readonly name: LoggingService; readonly answer: z.infer<Answer> | null }[]> {
  return Promise.all(
    loggingServices.map(async (name) => {
      const answer = await ask(nats, name, contract, body, { timeoutMs: ANSWER_WITHIN_MS }).catch((error: unknown) => {
        if (isUnavailability(error)) return null
        throw error
      })
      return { name, answer }
    }),
  )
}
