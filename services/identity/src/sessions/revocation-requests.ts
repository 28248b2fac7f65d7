import { identityRequests, REVOCATIONS_PER_PAGE } from '@wangian/contracts/identity-requests.ts'
import type { NatsConnection } from '@wangian/kit/bus/nats.ts'
import { createRequestServer } from '@wangian/kit/bus/requests.ts'
import type { DatabasePool } from '@wangian/kit/database/postgres.ts'
import type { Logger } from '@wangian/kit/service/logger.ts'
import { listEndedSessions, readRevocations } from './revocation-store.ts'

/** No transaction of ours is that old, for Postgres cuts off statements, and idle transactions, after 5 s. */
const TRANSACTION_MAX_S = 30

/** Answers followers which sessions ended lately, and which of those that they know have ended at all. */
export function serveRevocations(options: {
  readonly nats: NatsConnection
  readonly pool: DatabasePool
  readonly log: Logger
}): { stop(): Promise<void> } {
  const { nats, pool, log } = options
  const requests = createRequestServer(nats, 'identity', log)
  requests.answer(identityRequests.listRevocations, async ({ afterId }) => {
    const page = { afterId, limit: REVOCATIONS_PER_PAGE, transactionMaxS: TRANSACTION_MAX_S }
    const { revocations, settledId } = await readRevocations(pool, page)
    return { revocations: [...revocations], settledId }
  })
  requests.answer(identityRequests.listEndedSessions, async ({ sessionIds }) => ({
    endedIds: [...(await listEndedSessions(pool, sessionIds))],
  }))
  return requests
}
