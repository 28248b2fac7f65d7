import { randomUUID } from 'node:crypto'
import { ADMIN_ROWS_MAX, adminRoutes, type SystemService } from '@wangian/contracts/admin.ts'
import {
  eventsBehind,
  type LetterKey,
  type ParkedEvent,
  serviceStatusRequests,
} from '@wangian/contracts/service-status.ts'
import { type LoggingService, loggingServices } from '@wangian/contracts/subjects.ts'
import type { NatsConnection } from '@wangian/kit/bus/nats.ts'
import { request as ask, type RequestContract } from '@wangian/kit/bus/requests.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import { isUnavailability, Rejection } from '@wangian/kit/errors.ts'
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
    const body = parked.toSorted((one, other) => Date.parse(one.parkedAt) - Date.parse(other.parkedAt)).slice(0, limit)
    return { status: 200, body }
  })

  handle(app, adminRoutes.retryParked, async ({ body, user, request }) => {
    const service = serviceOf(body.service)
    await requireAdministrator(nats, user.id)
    const { hasChanged, parked } = await ask(nats, service, serviceStatusRequests.retryParked, keyOf(body))
    const action = { action: 'retry-event', reason: body.reason ?? null } as const
    if (hasChanged) await record({ ...action, service, parked, actorId: user.id, requestId: request.id })
    return { status: 200, body: { success: true } }
  })

  handle(app, adminRoutes.discardParked, async ({ body, user, request }) => {
    const service = serviceOf(body.service)
    await requireAdministrator(nats, user.id)
    const { parked } = await ask(nats, service, serviceStatusRequests.discardParked, keyOf(body))
    const action = { action: 'discard-event', reason: body.reason } as const
    await record({ ...action, service, parked, actorId: user.id, requestId: request.id })
    return { status: 200, body: { success: true } }
  })

  /** What is done about parked events is no event of anybody. */
  async function record(done: {
    readonly action: 'retry-event' | 'discard-event'
    readonly reason: string | null
    readonly service: LoggingService
    readonly parked: ParkedEvent
    readonly actorId: number
    readonly requestId: string
  }): Promise<void> {
    const { action, reason, service, parked, actorId, requestId } = done
    const { consumer, type, stream } = parked
    const entry = {
      sourceId: randomUUID(),
      actorId,
      action,
      targetKind: 'event',
      targetId: parked.eventId,
      reason,
      before: { state: 'parked', service, consumer, type, stream },
      after: { state: action === 'retry-event' ? 'tried again' : 'discarded' },
      takenAt: new Date(nowMs()).toISOString(),
    } as const
    await recordAction(dependencies.pool, entry, { correlationId: requestId, causationId: null })
    dependencies.onAppended()
  }
}

const keyOf = ({ consumer, eventId }: LetterKey): LetterKey => ({ consumer, eventId })

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
