import { identityRequests, PEOPLE_PER_PAGE } from '@wangian/contracts/revocations.ts'
import type { NatsConnection } from '@wangian/kit/bus/nats.ts'
import { serveRequests } from '@wangian/kit/bus/requests.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import type { Logger } from '@wangian/kit/service/logger.ts'
import { listKnownPeople } from '../store.ts'

/** Tells other services of everybody, page by page: events are in JetStream for some days only. */
export function servePeople(options: {
  readonly nats: NatsConnection
  readonly pool: DatabasePool
  readonly log?: Logger
}): { stop(): Promise<void> } {
  const { nats, pool, log } = options
  return serveRequests(
    nats,
    'identity',
    identityRequests.listPeople,
    async ({ afterUserId }) => ({
      people: [...(await listKnownPeople(pool, { afterUserId, limit: PEOPLE_PER_PAGE }))],
    }),
    log === undefined ? {} : { log },
  )
}
