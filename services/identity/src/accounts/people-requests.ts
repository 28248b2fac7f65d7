import { identityRequests } from '@wangian/contracts/identity-requests.ts'
import type { NatsConnection } from '@wangian/kit/bus/nats.ts'
import { createRequestServer } from '@wangian/kit/bus/requests.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import type { Logger } from '@wangian/kit/service/logger.ts'
import { Totals } from '@wangian/kit/totals.ts'
import { findPeople, findPersonDetails, listModerationReasons } from './people-table-store.ts'
import { isAdministrator } from './person-store.ts'

/** Answers administration what is personal: it is kept nowhere else, so that erasing somebody is deleting it here. */
export function servePeople(options: {
  readonly nats: NatsConnection
  readonly pool: DatabasePool
  readonly log: Logger
}): { stop(): Promise<void> } {
  const { nats, pool, log } = options
  const totals = new Totals()
  const requests = createRequestServer(nats, 'identity', log)
  requests.answer(identityRequests.findPeople, (wanted) => findPeople(pool, totals, wanted))
  requests.answer(identityRequests.getPerson, async ({ userId }) => ({ person: await findPersonDetails(pool, userId) }))
  requests.answer(identityRequests.getAdministrator, async ({ userId }) => ({
    isAdministrator: await isAdministrator(pool, userId),
  }))
  requests.answer(identityRequests.listReasons, async ({ moments }) => ({
    reasons: [...(await listModerationReasons(pool, moments))],
  }))
  return requests
}
