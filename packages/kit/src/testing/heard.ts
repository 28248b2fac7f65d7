import type { EventSource } from '@wangian/contracts/events/by-service.ts'
import { eventsBehind, type ServiceStatus, serviceStatusRequests } from '@wangian/contracts/service-status.ts'
import type { NatsConnection } from '../bus/nats.ts'
import { request } from '../bus/requests.ts'
import { eventually } from './eventually.ts'

/**
 * Waits until the logs of services are published and they have handled all that they hear of, by what each says of itself. Counts of
 * rows say less: what changes a row that is there already may still be on its way.
 * @param sources whose logs are heard, and who must answer; what others have is not looked at
 */
export async function untilHeard(
  nats: NatsConnection,
  services: readonly EventSource[],
  { sources, timeoutMs }: { readonly sources: readonly EventSource[]; readonly timeoutMs?: number },
): Promise<void> {
  await eventually(
    async () => {
      const statuses = new Map<EventSource, ServiceStatus>()
      for (const service of new Set([...sources, ...services])) {
        const status = await request(nats, service, serviceStatusRequests.getStatus, {}).catch(() => null)
        if (status !== null) statuses.set(service, status)
      }
      const areKnown = sources.every((source) => statuses.get(source)?.relay != null)
      return (
        areKnown &&
        services.every((service) => {
          const status = statuses.get(service)
          if (status?.relay?.unpublishedCount !== 0) return false
          return status.consumers.every((consumer) => {
            const heads = statuses.get(consumer.source)?.relay?.heads
            return heads === undefined || (consumer.isCaughtUp && eventsBehind(consumer, heads) === 0)
          })
        })
      )
    },
    timeoutMs === undefined ? {} : { timeoutMs },
  )
}
